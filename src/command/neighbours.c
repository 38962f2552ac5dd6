/* kyoho neighbours: the bodies within a radius of each body, or the nearest bodies of each. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/status.h"
#include "command/walks.h"

struct request {
    double radius;
    int lists;
    uint64_t nearest; /* 0: the bodies within the radius */
};

#define FIELD(name) offsetof(struct request, name)
static const struct ky_option own_options[] = {
    {"radius", KY_OPTION_REAL, FIELD(radius), NULL, 0, (double)INFINITY, NULL, "LENGTH",
     "bodies at this distance or nearer are neighbours [length]"},
    {"nearest", KY_OPTION_COUNT, FIELD(nearest), "0", 0, UINT32_MAX, NULL, NULL,
     "instead of --radius: find this many nearest bodies of each body; the table has their ids and "
     "distances, nearest first"},
    {"lists", KY_OPTION_FLAG, FIELD(lists), NULL, KY_NO_RANGE, NULL, NULL,
     "also write the ids of the neighbours of each body, in the order of the input"},
};

struct results {
    uint32_t *count;
    struct ky_neighbour_lists lists; /* empty unless --ids is given */
    struct ky_force_report report;
    struct spread spread;
    size_t alone;
    double pairs;
};

/* Writes id, count and optionally the ids of the neighbours of every body; a table_rows. */
static void write_rows(struct ky_file *file, const struct ky_bodies *bodies, const void *data)
{
    const struct results *results = data;
    const struct ky_neighbour_lists *lists = &results->lists;
    int failed = ky_file_print(file, lists->offset ? "id,count,neighbours\n" : "id,count\n");
    for (size_t i = 0; i < bodies->n && !failed; i++) {
        failed = ky_file_print(file, "%" PRIu64 ",%" PRIu32 "%s", table_id(bodies, i),
                               results->count[i], lists->offset ? "," : "");
        for (size_t k = lists->offset ? lists->offset[i] : 0;
             lists->offset && k < lists->offset[i + 1] && !failed; k++)
            failed = ky_file_print(file, "%s%" PRIu64, k > lists->offset[i] ? " " : "",
                                   table_id(bodies, lists->body[k]));
        failed |= ky_file_print(file, "\n");
    }
}

/* Statistics of the counts. */
static enum ky_status count_all(struct cli *cli, struct results *results, size_t n)
{
    double *counts;
    KY_TRY(ky_array(&counts, n, sizeof *counts, "counts", &cli->error));
    for (size_t i = 0; i < n; i++) {
        counts[i] = results->count[i];
        results->alone += results->count[i] == 0;
        results->pairs += counts[i];
    }
    enum ky_status status = spread_of(cli, counts, n, &results->spread);
    free(counts);
    return status;
}

/* Prints the statistics, as one JSON object or as lines. */
static void show(const struct cli *cli, const struct results *results, double radius, size_t n)
{
    if (cli->json) {
        struct ky_json json = {.out = stdout};
        ky_json_object(&json, NULL);
        report_json(&json, n, &results->report);
        ky_json_real(&json, "radius", radius);
        ky_json_real(&json, "neighbours", results->pairs);
        ky_json_count(&json, "alone", results->alone);
        spread_json(&json, "count", &results->spread);
        ky_json_end_object(&json);
    } else if (!cli->quiet) {
        report_print(&results->report);
        spread_print("neighbours", &(struct ky_units){0}, KY_NO_UNIT, &results->spread);
        printf("%zu %s, %zu without neighbours, %.0f neighbours in all\n", n,
               ky_plural(n, "body", "bodies"), results->alone, results->pairs);
    }
}

/* Finds the neighbours, writes the table and prints the statistics. */
static enum ky_status find(struct cli *cli, const struct walk_call *call,
                           const struct request *request)
{
    const struct ky_bodies *bodies = &call->snapshot.bodies;
    struct results results = {.count = ky_allocate(bodies->n, sizeof *results.count)};
    enum ky_status status =
        results.count ? KY_OK
                      : ky_no_memory(&cli->error, "counts", bodies->n, sizeof *results.count);
    if (!status)
        status =
            ky_neighbours(&call->parameters, bodies, &request->radius, 1, results.count,
                          request->lists ? &results.lists : NULL, &results.report, &cli->error);
    if (!status)
        status = count_all(cli, &results, bodies->n);
    if (!status)
        status = table_write(cli, &call->table, write_rows, bodies, &results);
    if (!status)
        show(cli, &results, request->radius, bodies->n);
    ky_neighbour_lists_free(&results.lists);
    free(results.count);
    return status;
}

/* ---- the nearest bodies ---- */

struct nearest {
    size_t k;
    uint32_t *index;  /* [n][k] */
    double *distance; /* [n][k] */
};

/* Writes id, ids of the nearest bodies and their distances for every body; a table_rows. */
static void write_nearest(struct ky_file *file, const struct ky_bodies *bodies, const void *data)
{
    const struct nearest *found = data;
    char text[KY_NUMBER_TEXT];
    int failed = ky_file_print(file, "id,nearest,distances\n");
    for (size_t i = 0; i < bodies->n && !failed; i++) {
        failed = ky_file_print(file, "%" PRIu64 ",", table_id(bodies, i));
        for (size_t m = i * found->k; m < (i + 1) * found->k && !failed; m++)
            failed = ky_file_print(file, "%s%" PRIu64, m > i * found->k ? " " : "",
                                   table_id(bodies, found->index[m]));
        failed |= ky_file_print(file, ",");
        for (size_t m = i * found->k; m < (i + 1) * found->k && !failed; m++) {
            ky_number_text(text, found->distance[m]);
            failed = ky_file_print(file, "%s%s", m > i * found->k ? " " : "", text);
        }
        failed |= ky_file_print(file, "\n");
    }
}

/* Statistics of the distances of the m-th nearest bodies, m from 0. */
static enum ky_status spread_nearest(struct cli *cli, const struct nearest *found, size_t n,
                                     size_t m, struct spread *spread)
{
    double *distances;
    KY_TRY(ky_array(&distances, n, sizeof *distances, "distances", &cli->error));
    for (size_t i = 0; i < n; i++)
        distances[i] = found->distance[i * found->k + m];
    const enum ky_status status = spread_of(cli, distances, n, spread);
    free(distances);
    return status;
}

/* Prints the statistics of the first and of the last of the nearest bodies. */
static enum ky_status show_nearest(struct cli *cli, const struct walk_call *call,
                                   const struct nearest *found,
                                   const struct ky_force_report *report)
{
    const struct ky_units *units = &call->snapshot.units;
    const size_t n = call->snapshot.bodies.n;
    struct spread first, last;
    KY_TRY(spread_nearest(cli, found, n, 0, &first));
    KY_TRY(spread_nearest(cli, found, n, found->k - 1, &last));
    if (cli->json) {
        struct ky_json json = {.out = stdout};
        ky_json_object(&json, NULL);
        report_json(&json, n, report);
        ky_json_count(&json, "nearest", found->k);
        spread_json(&json, "first_distance", &first);
        spread_json(&json, "last_distance", &last);
        ky_json_end_object(&json);
    } else if (!cli->quiet) {
        report_print(report);
        spread_print("distance of the nearest", units, KY_LENGTH_UNIT, &first);
        spread_print("of the last", units, KY_LENGTH_UNIT, &last);
    }
    return KY_OK;
}

/* Finds the nearest bodies, writes the table and prints the statistics. */
static enum ky_status find_nearest(struct cli *cli, const struct walk_call *call, size_t k)
{
    const struct ky_bodies *bodies = &call->snapshot.bodies;
    const size_t n = bodies->n;
    struct ky_force_report report = {.size = sizeof report};
    if (k >= n)
        return ky_fail(&cli->error, KY_USAGE, "--nearest %zu is too many: %zu %s %zu %s", k, n,
                       ky_plural(n, "body has", "bodies have"), n ? n - 1 : 0,
                       ky_plural(n ? n - 1 : 0, "other", "others"));
    struct nearest found = {.k = k};
    found.index = ky_allocate(n, k * sizeof *found.index);
    found.distance = ky_allocate(n, k * sizeof *found.distance);
    enum ky_status status = found.index && found.distance
                                ? KY_OK
                                : ky_no_memory(&cli->error, "the nearest bodies", n,
                                               k * (sizeof *found.index + sizeof *found.distance));
    if (!status)
        status = ky_nearest(&call->parameters, bodies, k, found.index, found.distance, &report,
                            &cli->error);
    if (!status)
        status = table_write(cli, &call->table, write_nearest, bodies, &found);
    if (!status)
        status = show_nearest(cli, call, &found, &report);
    free(found.index);
    free(found.distance);
    return status;
}

static enum ky_status check(struct cli *cli, const struct request *request,
                            const struct table_output *table)
{
    if (cli_given(cli, "nearest") && !request->nearest)
        return ky_fail(&cli->error, KY_USAGE, "--nearest 0 finds nothing: give 1 or more");
    if (request->nearest && (cli_given(cli, "radius") || cli_given(cli, "lists")))
        return ky_fail(&cli->error, KY_USAGE,
                       "--nearest needs neither --radius nor --lists: give one of --nearest and "
                       "--radius");
    if (!request->nearest && isnan(request->radius))
        return ky_fail(&cli->error, KY_USAGE, "no radius: give --radius LENGTH, or --nearest K");
    return request->lists && !table->output
               ? ky_fail(&cli->error, KY_USAGE, "--lists are written to a file; give -o FILE.csv")
               : KY_OK;
}

static enum ky_status run(struct cli *cli, int argc, char **argv, int describe)
{
    struct walk_call call;
    struct request request;
    cli_add_table(cli, "neighbours", own_options, &request);
    walk_add(cli, &call);
    enum ky_status status = describe ? KY_OK : cli_parse(cli, argc, argv, 0, 1);
    if (status || describe || cli->help)
        return status;
    KY_TRY(check(cli, &request, &call.table));
    status = walk_bodies(cli, &call);
    if (!status)
        status = request.nearest ? find_nearest(cli, &call, (size_t)request.nearest)
                                 : find(cli, &call, &request);
    ky_snapshot_free(&call.snapshot);
    return status;
}

const struct subcommand neighbours_command = {
    "neighbours",
    "FILE | --model NAME -n N --radius R|--nearest K [-o FILE.csv] [--lists]",
    "find the bodies within a radius of each body, or the nearest ones",
    run,
    NULL,
    "radius nearest lists input model bodies box output engine threads overwrite",
    "kyoho neighbours cluster.hdf5 --radius 0.1 --lists -o neighbours.csv\n"
    "kyoho neighbours cluster.hdf5 --nearest 6 -o nearest.csv\n"};
