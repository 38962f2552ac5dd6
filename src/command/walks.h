/* What `kyoho neighbours` and `kyoho density` share: bodies in, a table of numbers out. */
#ifndef KY_COMMAND_WALKS_H
#define KY_COMMAND_WALKS_H

#include "base/file.h"
#include "command/command.h"

/* Where the table goes; output NULL: nowhere. */
struct table_output {
    const char *output;
    int overwrite;
};
void table_add(struct cli *cli, struct table_output *table);
/* KY_USAGE before work starts if the file exists and may not be replaced, if it is `input` (may be
 * NULL), or if it is no CSV file. */
enum ky_status table_check(struct cli *cli, const struct table_output *table, const char *input);

/* The id of the i-th body: what it was read with, or its index. */
uint64_t table_id(const struct ky_bodies *bodies, size_t i);

/* Writes header and rows through `rows`, which stops at the first failure. */
typedef void table_rows(struct ky_file *file, const struct ky_bodies *bodies, const void *results);
enum ky_status table_write(struct cli *cli, const struct table_output *table, table_rows *rows,
                           const struct ky_bodies *bodies, const void *results);

/* Of n values; all NaN for none. */
struct spread {
    double mean, least, median, most;
};
/* KY_FAULT without memory. */
enum ky_status spread_of(struct cli *cli, const double *values, size_t n, struct spread *spread);
void spread_json(struct ky_json *json, const char *name, const struct spread *spread);
void spread_print(const char *name, const struct spread *spread);

/* Engine, device, n and seconds. */
void report_json(struct ky_json *json, size_t n, const struct ky_force_report *report);
void report_print(const struct ky_force_report *report);

#endif
