/* Columns of a table of numbers in text, such as energy.csv of a run. */
#ifndef KY_COMMAND_COLUMNS_H
#define KY_COMMAND_COLUMNS_H

#include "base/status.h"

enum { COLUMNS_MOST = 16, COLUMNS_UNITS = 512 };
struct columns {
    size_t rows;
    double *values[COLUMNS_MOST]; /* [rows] each; NaN for a cell that is not a number */
    size_t incomplete;            /* rows with a word in place of a number, or with too few cells */
    char first[160];              /* what is wrong with the first of these rows */
    char units[COLUMNS_UNITS];    /* the units in a comment "# units: …" beside the names, as in
                                     kyoho's tables: "time 0.977792 Myr; mass Msun" */
};

/* Reads the columns with these names from a file. Its first line, except for comments that begin
 * with #, names its columns; a name with a comma is in quotes there. KY_BAD_DATA if the file cannot
 * be read, or lacks a column. To be freed, also after a failure. */
enum ky_status columns_read(const char *path, const char *const *names, size_t count,
                            struct columns *columns, struct ky_error *error);
/* Cuts the next cell off a line of such a table, in place, and moves *line behind it: a name or a
 * number, in quotes if it has commas. NULL, with *line NULL, after the last one. */
char *columns_cell(char **line);
/* Writes the unit of this name in the comment, "0.977792 Myr"; NULL: it has none. */
const char *columns_unit(const struct columns *columns, const char *name, char unit[COLUMNS_UNITS]);
void columns_free(struct columns *columns);

#endif
