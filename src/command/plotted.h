/* A table that is written as CSV or drawn as a picture, depending on the extension of the file. */
#ifndef KY_COMMAND_PLOTTED_H
#define KY_COMMAND_PLOTTED_H

#include "command/command.h"
#include "command/table.h"

/* The output; NULL: none. Each command has a table of options for it. */
struct plotted {
    const char *output, *title;
    int overwrite, width, height;
};

/* Checks the output before any work. KY_USAGE if the file exists and may not be replaced, is the
 * input (may be NULL) or is standard output, and for options that do not apply to it.
 * KY_UNSUPPORTED for picture formats that this build cannot write. */
enum ky_status plotted_check(struct cli *cli, const struct plotted *plotted, const char *input);
/* Writes the table if a CSV file was asked for. *is_picture is 1 if a picture was asked for, which
 * the caller draws. */
enum ky_status plotted_write(struct cli *cli, const struct plotted *plotted,
                             const struct table *table, int *is_picture);

#endif
