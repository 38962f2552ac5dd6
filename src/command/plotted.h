/* A table that goes to a file as CSV or as a picture of it, as the file's name ends. */
#ifndef KY_COMMAND_PLOTTED_H
#define KY_COMMAND_PLOTTED_H

#include "command/command.h"
#include "command/table.h"

/* Where it goes; NULL: nowhere. Each command has a table of options for it. */
struct plotted {
    const char *output, *title;
    int overwrite, width, height;
};

/* KY_USAGE for a file that cannot be written, before work starts: it exists and may not be
 * replaced, is the input (may be NULL), or is standard output; and for options that it does not
 * use. KY_UNSUPPORTED for pictures that this build cannot write. */
enum ky_status plotted_check(struct cli *cli, const struct plotted *plotted, const char *input);
/* Writes the table, if one was asked for. *is_picture is 1 where a picture was: the caller draws
 * it.
 */
enum ky_status plotted_write(struct cli *cli, const struct plotted *plotted,
                             const struct table *table, int *is_picture);

#endif
