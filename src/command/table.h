/* A table of numbers, whose columns have names and units: as text for people, as CSV, as JSON. */
#ifndef KY_COMMAND_TABLE_H
#define KY_COMMAND_TABLE_H

#include "base/file.h"
#include "base/json.h"
#include "base/quantity.h"

struct table_column {
    const char *name;         /* "semi_major_axis" */
    struct ky_dimension unit; /* {0, 0, 0}: none */
    const double *values;     /* [rows]; NaN: not known */
    const uint64_t *numbers;  /* [rows] instead of values, for ids and counts; or NULL */
};

struct table {
    const struct table_column *column;
    size_t columns, rows;
    const struct ky_units *units; /* the units of the values */
};

/* Prints the rows first … end − 1 under a line of names and a line of units that suit the numbers.
 * Without a scale there is no line of units. */
void table_print(const struct table *table, size_t first, size_t end, FILE *out);
/* Writes names and rows, and with a scale a comment with the units before them. The numbers are in
 * the units of the table. Stops at the first failure, which the file keeps. */
void table_csv(const struct table *table, struct ky_file *file);
/* The member `name`, an array with an object for each row. */
void table_json(struct ky_json *json, const char *name, const struct table *table);
/* The unit in which a column is shown, which suits the geometric mean of its numbers, and the
 * factor to it. So a single wide pair does not make all periods 1e-5 Gyr. */
double table_shown(const struct table *table, const struct table_column *column,
                   char name[KY_UNIT_TEXT]);

#endif
