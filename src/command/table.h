/* A table of numbers whose columns have names and units, printed as text, CSV or JSON. */
#ifndef KY_COMMAND_TABLE_H
#define KY_COMMAND_TABLE_H

#include "base/file.h"
#include "base/json.h"
#include "base/quantity.h"

struct table_column {
    const char *name;         /* "semi_major_axis" */
    struct ky_dimension unit; /* {0, 0, 0}: none */
    const double *values;     /* [rows]; NaN: unknown */
    const uint64_t *numbers;  /* [rows]; instead of values, for ids and counts; or NULL */
};

struct table {
    const struct table_column *column;
    size_t columns, rows;
    const struct ky_units *units; /* the units of the values */
};

/* Prints the rows first … end − 1 below a line of names and a line of units that suit the numbers.
 * Without a physical scale there is no line of units. */
void table_print(const struct table *table, size_t first, size_t end, FILE *out);
/* Writes names and rows, and before them, if there is a physical scale, a comment with the units.
 * The numbers are in the units of the table. Stops at the first failure, which the file
 * remembers. */
void table_csv(const struct table *table, struct ky_file *file);
/* Writes the member `name`: an array with an object for each row. */
void table_json(struct ky_json *json, const char *name, const struct table *table);
/* The unit in which a column is shown, chosen for the geometric mean of its numbers so that a
 * single wide pair does not make all periods 1e-5 Gyr, and the factor to it. */
double table_shown(const struct table *table, const struct table_column *column,
                   char name[KY_UNIT_TEXT]);

#endif
