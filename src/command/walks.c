/* Tables of numbers for bodies, their statistics, and the cost of a walk. */
#include "command/walks.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"
#include "base/status.h"

#define FIELD(name) offsetof(struct table_output, name)
static const struct ky_option table_options[] = {
    {"output", KY_OPTION_TEXT, FIELD(output), NULL, KY_NO_RANGE, NULL, "FILE.csv",
     "write a line for each body, or each pair of bodies"},
    {"overwrite", KY_OPTION_FLAG, FIELD(overwrite), NULL, KY_NO_RANGE, NULL, NULL,
     "replace a file that exists"},
};

void table_add(struct cli *cli, struct table_output *table)
{
    cli_add_table(cli, "output", table_options, table);
}

static const struct ky_option box_options[] = {
    {"box", KY_OPTION_REAL, offsetof(struct ky_parameters, box), "0", 0, (double)INFINITY, NULL,
     "LENGTH",
     "side of a periodic box with a corner at the origin, if the file does not keep it: distances "
     "are those of the nearest images; 0: open space [length]"},
};

void walk_add_bodies(struct cli *cli, struct ky_parameters *parameters, struct source *source)
{
    cli_add_engine(cli, parameters);
    cli_add_table(cli, "space", box_options, parameters);
    source_add(cli, source);
    source->takes_box = 1;
}

void walk_add(struct cli *cli, struct walk_call *call)
{
    table_add(cli, &call->table);
    walk_add_bodies(cli, &call->parameters, &call->source);
}

enum ky_status table_check(struct cli *cli, const struct table_output *table, const char *input)
{
    if (!table->output)
        return cli_refuse(cli, "overwrite", "-o FILE.csv");
    if (ky_is_standard(table->output))
        return ky_fail(&cli->error, KY_USAGE,
                       "a table is not written to standard output; give -o FILE.csv");
    if (!ky_ends_with(table->output, ".csv"))
        return ky_fail(&cli->error, KY_USAGE, "%s: the table is a CSV file; name it .csv",
                       table->output);
    KY_TRY(ky_file_may_write(table->output, table->overwrite, &cli->error));
    return refuse_own_input(cli, table->output, input);
}

enum ky_status walk_bodies(struct cli *cli, struct walk_call *call)
{
    char origin[ORIGIN];
    ky_snapshot_clear(&call->snapshot);
    KY_TRY(table_check(cli, &call->table, source_file(cli, &call->source)));
    return source_get(cli, &call->source, &call->parameters, &call->snapshot, origin);
}

uint64_t table_id(const struct ky_bodies *bodies, size_t i)
{
    return bodies->id ? bodies->id[i] : i;
}

enum ky_status table_write(struct cli *cli, const struct table_output *table, table_rows *rows,
                           const struct ky_bodies *bodies, const void *results)
{
    struct ky_file *file = NULL;
    if (!table->output)
        return KY_OK;
    KY_TRY(ky_file_create(table->output, table->overwrite, &file, &cli->error));
    rows(file, bodies, results);
    return ky_file_publish(file, NULL, &cli->error);
}

enum ky_status spread_of(struct cli *cli, const double *values, size_t n, struct spread *spread)
{
    const double unknown = (double)NAN;
    *spread = (struct spread){unknown, unknown, unknown, unknown};
    if (!n)
        return KY_OK;
    double *sorted = ky_allocate(n, sizeof *sorted), sum = 0;
    if (!sorted)
        return ky_no_memory(&cli->error, "statistics", n, sizeof *sorted);
    for (size_t i = 0; i < n; i++)
        sum += sorted[i] = values[i];
    const double median = ky_median(sorted, n);
    *spread = (struct spread){sum / (double)n, sorted[0], median, sorted[n - 1]};
    free(sorted);
    return KY_OK;
}

void spread_json(struct ky_json *json, const char *name, const struct spread *spread)
{
    ky_json_object(json, name);
    ky_json_real(json, "mean", spread->mean);
    ky_json_real(json, "min", spread->least);
    ky_json_real(json, "median", spread->median);
    ky_json_real(json, "max", spread->most);
    ky_json_end_object(json);
}

void spread_print(const char *name, const struct ky_units *units, struct ky_dimension dimension,
                  const struct spread *spread)
{
    char unit[KY_UNIT_TEXT];
    const double factor = ky_unit_shown(units, dimension, spread->median, unit);
    printf("%-12s mean %.6g  min %.6g  median %.6g  max %.6g%s%s\n", name, factor * spread->mean,
           factor * spread->least, factor * spread->median, factor * spread->most, *unit ? " " : "",
           unit);
}

void report_json(struct ky_json *json, size_t n, const struct ky_force_report *report)
{
    ky_json_text(json, "engine", report->engine);
    ky_json_text(json, "device", report->device);
    ky_json_count(json, "n", n);
    ky_json_object(json, "seconds");
    ky_json_real(json, "tree", report->keys + report->sort + report->build + report->moments);
    ky_json_real(json, "walk", report->walk);
    ky_json_real(json, "total", report->total);
    ky_json_end_object(json);
}

void report_print(const struct ky_force_report *report)
{
    printf("engine %s: %s\nseconds: tree %.4f  walk %.4f  total %.4f\n", report->engine,
           report->device, report->keys + report->sort + report->build + report->moments,
           report->walk, report->total);
}
