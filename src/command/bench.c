/* kyoho bench: standard measurements of the engine that is there, each a row of a table. */
#include <limits.h>
#include <string.h>

#include "command/command.h"
#include "command/force.h"

/* One row: a Plummer sphere of n bodies, and what differs from the defaults. */
struct bench_case {
    const char *group; /* what the command line calls it */
    int force, precision, multipole;
    uint64_t n;
    double theta;
    int repeat;
};

static const struct bench_case cases[] = {
    {"direct", KY_DIRECT, KY_SINGLE, 2, 16384, 0.7, 3},
    {"direct", KY_DIRECT, KY_SINGLE, 2, 65536, 0.7, 1},
    {"direct", KY_DIRECT, KY_EXTENDED, 2, 16384, 0.7, 1},
    {"direct", KY_DIRECT, KY_DOUBLE, 2, 16384, 0.7, 1},
    {"tree", KY_TREE, KY_SINGLE, 2, 131072, 0.5, 3},
    {"tree", KY_TREE, KY_SINGLE, 2, 131072, 0.7, 3},
    {"tree", KY_TREE, KY_SINGLE, 2, 131072, 0.9, 3},
    {"tree", KY_TREE, KY_SINGLE, 1, 131072, 0.5, 3},
    {"tree", KY_TREE, KY_SINGLE, 2, 1048576, 0.7, 1},
    {"walk", KY_WALK, KY_SINGLE, 2, 131072, 0.7, 1},
    {"walk", KY_WALK, KY_SINGLE, 1, 131072, 0.6, 1},
};

enum { CASES = sizeof cases / sizeof *cases, SAMPLES = 1024 };

static int wanted(const struct cli *cli, const char *group)
{
    for (int k = 0; k < cli->word_count; k++)
        if (!strcmp(cli->words[k], group))
            return 1;
    return cli->word_count == 0;
}

static enum ky_status check_words(struct cli *cli)
{
    for (int k = 0; k < cli->word_count; k++) {
        int known = 0;
        for (int c = 0; c < CASES; c++)
            known |= !strcmp(cli->words[k], cases[c].group);
        if (!known)
            return ky_fail(&cli->error, KY_USAGE,
                           "no benchmark is called '%s'; there are direct, tree and walk",
                           cli->words[k]);
    }
    return KY_OK;
}

static void show(const struct bench_case *row, const struct force_result *result)
{
    static const char *const precisions[] = {"single", "extended", "double"};
    printf("%-7s %-9s %8llu  %4.2f %d %11.4g %11.4g   %.1e %.1e   %.1e %.1e\n", row->group,
           precisions[row->precision], (unsigned long long)row->n, row->theta, row->multipole,
           force_particles_per_s(result), force_interactions_per_s(result),
           result->acceleration.median, result->acceleration.p99, result->potential.median,
           result->potential.p99);
    fflush(stdout);
}

static enum ky_status measure(struct cli *cli, const struct ky_parameters *base,
                              const struct bench_case *row, struct force_result *result)
{
    struct ky_parameters parameters = *base;
    struct ky_model_parameters model;
    struct ky_snapshot snapshot;
    parameters.force = row->force;
    parameters.precision = row->precision;
    parameters.multipole = row->multipole;
    parameters.theta = row->theta;
    ky_model_parameters_defaults(&model);
    model.n = row->n;
    ky_snapshot_clear(&snapshot);
    enum ky_status status = ky_model_make("plummer", &model, &snapshot, &cli->error);
    const struct force_request request = {.repeat = (uint64_t)row->repeat, .check = SAMPLES};
    if (!status)
        status = force_measure(&parameters, &snapshot.bodies, &request, result, &cli->error);
    ky_snapshot_free(&snapshot);
    return status;
}

static enum ky_status run(struct cli *cli, int argc, char **argv, int describe)
{
    struct ky_parameters parameters;
    struct force_result result;
    struct ky_json json = {.out = stdout};
    cli_add_parameters(cli, &parameters);
    enum ky_status status = describe ? KY_OK : cli_parse(cli, argc, argv, 0, INT_MAX, 0);
    if (status || describe || cli->help)
        return status;
    status = check_words(cli);
    if (!status && cli->json) {
        ky_json_object(&json, NULL);
        ky_json_array(&json, "bench");
    }
    int titled = cli->json;
    for (int c = 0; c < CASES && !status; c++) {
        if (!wanted(cli, cases[c].group))
            continue;
        status = measure(cli, &parameters, &cases[c], &result);
        if (status)
            break;
        if (!titled++)
            printf("engine %s: %s; Plummer spheres, softening %g\n"
                   "force   precision        n theta p particles/s interact./s   error of a: med, "
                   "99 %%  of potential\n",
                   result.report.engine, result.report.device, result.parameters.softening);
        if (cli->json)
            force_json(&json, NULL, &result);
        else
            show(&cases[c], &result);
    }
    if (!status && cli->json) {
        ky_json_end_array(&json);
        ky_json_end_object(&json);
    }
    return status;
}

const struct subcommand bench_command = {"bench", "[direct] [tree] [walk] [options]",
                                         "measure the engine that is there", run, NULL};
