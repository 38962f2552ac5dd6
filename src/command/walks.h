/* Code that `kyoho neighbours` and `kyoho density` share. Each does one walk over the bodies of a
 * source, prints statistics, and may write a table with a line for each body. `kyoho groups` uses
 * the functions that print the cost of a walk. */
#ifndef KY_COMMAND_WALKS_H
#define KY_COMMAND_WALKS_H

#include "base/file.h"
#include "base/quantity.h"
#include "command/command.h"

/* The output of the table; NULL: none. */
struct table_output {
    const char *output;
    int overwrite;
};

/* Binds --output and --overwrite. */
void table_add(struct cli *cli, struct table_output *table);
/* Checks the output of a table before any work. KY_USAGE if its file exists and may not be
 * replaced, is the input (may be NULL), or is not named .csv. */
enum ky_status table_check(struct cli *cli, const struct table_output *table, const char *input);

/* Options of both: engine, bodies and table. */
struct walk_call {
    struct ky_parameters parameters;
    struct source source;
    struct table_output table;
    struct ky_snapshot snapshot; /* set by walk_bodies; the caller frees it */
};
/* Binds the options of the engine, --box and the bodies, which may be in the box of a file. */
void walk_add_bodies(struct cli *cli, struct ky_parameters *parameters, struct source *source);
/* The same, and the options of the table. */
void walk_add(struct cli *cli, struct walk_call *call);
/* Calls table_check, then reads or makes the bodies. */
enum ky_status walk_bodies(struct cli *cli, struct walk_call *call);

/* The id of the i-th body: its own, or its index if it has none. */
uint64_t table_id(const struct ky_bodies *bodies, size_t i);

/* Writes the header and the rows of a table; stops at the first failure, which the file
 * remembers. */
typedef void table_rows(struct ky_file *file, const struct ky_bodies *bodies, const void *results);
/* Writes the file if one was asked for. KY_CANNOT_WRITE if the file system fails. */
enum ky_status table_write(struct cli *cli, const struct table_output *table, table_rows *rows,
                           const struct ky_bodies *bodies, const void *results);

/* The mean, the smallest, the median and the largest of n values; all NaN for n = 0. */
struct spread {
    double mean, least, median, most;
};
/* Fills *spread; KY_FAULT if memory runs out. */
enum ky_status spread_of(struct cli *cli, const double *values, size_t n, struct spread *spread);
/* Writes the member `name` as an object, or a line that begins with the name, in units that suit
 * the median. */
void spread_json(struct ky_json *json, const char *name, const struct spread *spread);
void spread_print(const char *name, const struct ky_units *units, struct ky_dimension dimension,
                  const struct spread *spread);

/* Writes engine, device and seconds of a walk, as members of the open JSON object or as lines. */
void report_json(struct ky_json *json, size_t n, const struct ky_force_report *report);
void report_print(const struct ky_force_report *report);

#endif
