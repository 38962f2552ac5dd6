/* kyoho density: the SPH density at every body. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "command/walks.h"

static const struct ky_option own_options[] = {
    {"neighbours", KY_OPTION_COUNT, 0, "64", 1, (double)INFINITY, NULL, NULL,
     "number of neighbours; the smoothing length of a body is the distance of the last of them"},
};

struct results {
    double *density, *smoothing;
    struct ky_force_report report;
    struct spread density_spread, smoothing_spread;
};

/* Writes id, density and smoothing length of every body; a table_rows. */
static void write_rows(struct ky_file *file, const struct ky_bodies *bodies, const void *data)
{
    const struct results *results = data;
    int failed = ky_file_print(file, "id,density,smoothing\n");
    for (size_t i = 0; i < bodies->n && !failed; i++)
        failed = ky_file_print(file, "%" PRIu64 ",%.17g,%.17g\n", table_id(bodies, i),
                               results->density[i], results->smoothing[i]);
}

/* Prints the statistics, as one JSON object or as lines. */
static void show(const struct cli *cli, const struct results *results, uint64_t neighbours,
                 size_t n, const struct ky_units *units)
{
    if (cli->json) {
        struct ky_json json = {.out = stdout};
        ky_json_object(&json, NULL);
        report_json(&json, n, &results->report);
        ky_json_count(&json, "neighbours", neighbours);
        spread_json(&json, "density", &results->density_spread);
        spread_json(&json, "smoothing", &results->smoothing_spread);
        ky_json_end_object(&json);
    } else if (!cli->quiet) {
        report_print(&results->report);
        spread_print("density", units, KY_DIMENSION(-3, 1, 0), &results->density_spread);
        spread_print("smoothing", units, KY_LENGTH_UNIT, &results->smoothing_spread);
    }
}

/* Computes the densities, writes the table and prints the statistics. */
static enum ky_status measure(struct cli *cli, const struct walk_call *call, uint64_t neighbours)
{
    const struct ky_bodies *bodies = &call->snapshot.bodies;
    const size_t n = bodies->n;
    struct results results = {.density = ky_allocate(n, sizeof(double)),
                              .smoothing = ky_allocate(n, sizeof(double))};
    enum ky_status status = results.density && results.smoothing
                                ? KY_OK
                                : ky_no_memory(&cli->error, "densities", n, 2 * sizeof(double));
    if (!status)
        status = ky_sph_density(&call->parameters, bodies, (size_t)neighbours, results.density,
                                results.smoothing, &results.report, &cli->error);
    if (!status)
        status = spread_of(cli, results.density, n, &results.density_spread);
    if (!status)
        status = spread_of(cli, results.smoothing, n, &results.smoothing_spread);
    if (!status)
        status = table_write(cli, &call->table, write_rows, bodies, &results);
    if (!status)
        show(cli, &results, neighbours, n, &call->snapshot.units);
    free(results.density);
    free(results.smoothing);
    return status;
}

static enum ky_status run(struct cli *cli, int argc, char **argv, int describe)
{
    struct walk_call call;
    uint64_t neighbours;
    cli_add_table(cli, "density", own_options, &neighbours);
    walk_add(cli, &call);
    enum ky_status status = describe ? KY_OK : cli_parse(cli, argc, argv, 0, 1);
    if (status || describe || cli->help)
        return status;
    status = walk_bodies(cli, &call);
    if (!status)
        status = measure(cli, &call, neighbours);
    ky_snapshot_free(&call.snapshot);
    return status;
}

const struct subcommand density_command = {
    "density",
    "FILE | --model NAME -n N [--neighbours K] [-o FILE.csv]",
    "compute the SPH density at every body, with a cubic spline over its neighbours",
    run,
    NULL,
    "neighbours input model bodies box output engine threads overwrite",
    "kyoho density cluster.hdf5 -o density.csv\n"};
