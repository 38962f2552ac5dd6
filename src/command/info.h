/* How far a run is, as its folder says. */
#ifndef KY_COMMAND_INFO_H
#define KY_COMMAND_INFO_H

#include "command/files.h"

struct run_state {
    double time, change;
    uint64_t steps;
    int known, empty;      /* empty: no body is left */
    struct ky_units units; /* the units of run.json */
};

/* The state by the last row of energy.csv, or by run.json if that is later; `known` is 0 if the
 * folder has neither. */
struct run_state run_state_read(const char *folder);
/* Shows it as members of the open object or as a line, in `units`, or if these have no scale in the
 * units of run.json. */
void run_state_show(struct cli *cli, const char *folder, const struct file_list *files,
                    const struct ky_units *units, struct ky_json *json);

#endif
