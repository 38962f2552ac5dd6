/* Columns of a table of numbers in text, such as energy.csv of a run. */
#ifndef KY_COMMAND_COLUMNS_H
#define KY_COMMAND_COLUMNS_H

#include "base/status.h"

enum { COLUMNS_MOST = 16, COLUMNS_UNITS = 512 };
struct columns {
    size_t rows;
    double *values[COLUMNS_MOST]; /* [rows] each; NaN for a cell that is not a number */
    size_t incomplete;            /* rows with a word in place of a number, or with too few cells */
    char first[160];              /* what is wrong with the first of them */
    char units[COLUMNS_UNITS];    /* what a remark "# units: …" before the names says, as kyoho's
                                     tables    have it: "time 0.977792 Myr, mass Msun" */
};

/* Reads the columns with these names from a file whose first line, but for remarks that begin with
 * #, names its columns. A name with a comma stands in quotes there. KY_BAD_DATA if the file cannot
 * be read, or lacks one of them. Free after a failure too. */
enum ky_status columns_read(const char *path, const char *const *names, size_t count,
                            struct columns *columns, struct ky_error *error);
/* Cuts the next cell off a line of such a table, in place, and moves *line behind it: a name or a
 * number, in quotes if it has commas. NULL, and *line is NULL, past the last one. */
char *columns_cell(char **line);
/* Writes the unit that the remark tells for this name, "0.977792 Myr"; NULL: it tells none. */
const char *columns_unit(const struct columns *columns, const char *name, char unit[COLUMNS_UNITS]);
void columns_free(struct columns *columns);

#endif
