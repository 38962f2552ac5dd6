/* Columns of a table of numbers in a text file, such as a run's energy.csv. */
#ifndef KY_COMMAND_NUMBER_TABLE_H
#define KY_COMMAND_NUMBER_TABLE_H

#include "base/status.h"

enum { COLUMNS_MOST = 16, COLUMNS_UNITS = 512 };
struct columns {
    size_t rows;
    double *values[COLUMNS_MOST]; /* [rows] each; NaN for a cell that is not a number */
    size_t incomplete;            /* rows with text instead of a number, or with too few cells */
    char first[160];              /* error of the first incomplete row */
    char units[COLUMNS_UNITS];    /* the units in a comment "# units: …" beside the names, as in
                                     kyoho's tables: "time 0.977792 Myr; mass Msun" */
    double box;                   /* of a catalogue in a periodic box, from "# box: 100"; else 0 */
};

/* Reads the columns with these names from a file. The first line that is not a comment (#) names
 * its columns; a name with a comma is in quotes there. KY_BAD_DATA if the file cannot be read or
 * lacks a column. The caller frees the columns, also after a failure. */
enum ky_status columns_read(const char *path, const char *const *names, size_t count,
                            struct columns *columns, struct ky_error *error);
/* Cuts the next cell (a name or a number, in quotes if it has commas) off a line of such a table in
 * place, and moves *line past it. After the last cell it returns NULL and sets *line to NULL. */
char *columns_cell(char **line);
/* Writes the unit that the comment gives for this name, such as "0.977792 Myr"; NULL if it gives
 * none. */
const char *columns_unit(const struct columns *columns, const char *name, char unit[COLUMNS_UNITS]);
void columns_free(struct columns *columns);

#endif
