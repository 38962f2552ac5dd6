/* The progress of a run, from the files in its folder. */
#ifndef KY_COMMAND_INFO_H
#define KY_COMMAND_INFO_H

#include "command/files.h"

struct run_state {
    double time, change;
    uint64_t steps;
    int known, empty;      /* empty: no body is left */
    int comoving;          /* times are scale factors */
    struct ky_units units; /* the units of run.json */
};

/* The state from the last row of energy.csv, or from run.json if that is later; `known` is 0 if the
 * folder has neither. */
struct run_state run_state_read(const char *folder);
/* Prints it as members of the open JSON object or as a line, in `units`, or in the units of
 * run.json if `units` has no physical scale. */
void run_state_show(struct cli *cli, const char *folder, const struct file_list *files,
                    const struct ky_units *units, struct ky_json *json);

#endif
