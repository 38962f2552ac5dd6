/* kyoho bench: standard measurements of an engine, each a row of a table. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "command/command.h"
#include "command/force.h"

/* One row of the table: a Plummer sphere of n bodies, with the options that differ from the
 * defaults. */
struct bench_case {
    const char *group; /* its word on the command line */
    int force, precision, multipole;
    uint64_t n;
    int opening;
    double theta; /* NaN: the opening test uses alpha with its default */
    int repeat;
};

static const struct bench_case cases[] = {
    {"direct", KY_DIRECT, KY_EXTENDED, 2, 16384, KY_OFFSET, 0.7, 3},
    {"direct", KY_DIRECT, KY_EXTENDED, 2, 65536, KY_OFFSET, 0.7, 1},
    {"direct", KY_DIRECT, KY_SINGLE, 2, 16384, KY_OFFSET, 0.7, 1},
    {"direct", KY_DIRECT, KY_DOUBLE, 2, 16384, KY_OFFSET, 0.7, 1},
    {"tree", KY_TREE, KY_SINGLE, 2, 131072, KY_RELATIVE, (double)NAN, 3},
    {"tree", KY_TREE, KY_SINGLE, 2, 131072, KY_OFFSET, 0.5, 3},
    {"tree", KY_TREE, KY_SINGLE, 2, 131072, KY_OFFSET, 0.7, 3},
    {"tree", KY_TREE, KY_SINGLE, 2, 131072, KY_OFFSET, 0.9, 3},
    {"tree", KY_TREE, KY_SINGLE, 1, 131072, KY_OFFSET, 0.5, 3},
    {"tree", KY_TREE, KY_SINGLE, 2, 1048576, KY_OFFSET, 0.7, 1},
    {"walk", KY_WALK, KY_SINGLE, 2, 131072, KY_RELATIVE, (double)NAN, 1},
    {"walk", KY_WALK, KY_SINGLE, 2, 131072, KY_OFFSET, 0.7, 1},
    {"walk", KY_WALK, KY_SINGLE, 1, 131072, KY_OFFSET, 0.6, 1},
};

enum { CASES = sizeof cases / sizeof *cases, SAMPLES = 1024 };

/* 1 if the command line names the group, or no group. */
static int wanted(const struct cli *cli, const char *group)
{
    for (int k = 0; k < cli->word_count; k++)
        if (!strcmp(cli->words[k], group))
            return 1;
    return cli->word_count == 0;
}

/* KY_USAGE for a word that is not a benchmark or occurs twice, and for options that the chosen
 * benchmarks do not use. */
static enum ky_status check_words(struct cli *cli)
{
    for (int k = 0; k < cli->word_count; k++) {
        int known = 0;
        for (int c = 0; c < CASES; c++)
            known |= !strcmp(cli->words[k], cases[c].group);
        if (!known)
            return ky_fail(&cli->error, KY_USAGE,
                           "no benchmark is called '%s'; the benchmarks are direct, tree and walk",
                           cli->words[k]);
        for (int before = 0; before < k; before++)
            if (!strcmp(cli->words[k], cli->words[before]))
                return ky_fail(&cli->error, KY_USAGE, "'%s' is given twice; give it once",
                               cli->words[k]);
    }
    return KY_OK;
}

/* One row of the table on the terminal. */
static void show(const struct bench_case *row, const struct force_result *result)
{
    char theta[8] = "rel.", precision[FORCE_CHOICE];
    force_choice(&result->parameters, "precision", precision);
    if (!isnan(row->theta))
        snprintf(theta, sizeof theta, "%4.2f", row->theta);
    printf("%-7s %-9s %8llu  %s %d %11.4g %11.4g   %.1e %.1e   %.1e %.1e\n", row->group, precision,
           (unsigned long long)row->n, theta, row->multipole, force_particles_per_s(result),
           force_interactions_per_s(result), result->errors.acceleration.median,
           result->errors.acceleration.p99, result->errors.potential.median,
           result->errors.potential.p99);
    fflush(stdout);
}

/* Measures one row. KY_UNSUPPORTED if the engine has no such method. */
static enum ky_status measure(struct cli *cli, const struct ky_parameters *base,
                              const struct bench_case *row, struct force_result *result)
{
    struct ky_parameters parameters = *base;
    const struct force_request request = {.repeat = (uint64_t)row->repeat, .check = SAMPLES};
    parameters.force = row->force;
    parameters.precision = row->precision;
    parameters.multipole = row->multipole;
    parameters.opening = row->opening;
    parameters.theta = row->theta;
    return force_measure_plummer(&parameters, row->n, &request, result, &cli->error);
}

/* The results of all rows. */
struct bench {
    struct force_result results[CASES];
    int count;
};

/* 1 if the failure only means that the engine has no such kernels, and the command line did not ask
 * for this group. The group is then left out, and a line says so. Every engine has the exact sum,
 * which comes first. */
static int pass_over(struct cli *cli, const struct bench *bench, const char *group,
                     enum ky_status status)
{
    char line[sizeof cli->error.text + 40];
    if (status != KY_UNSUPPORTED || cli->word_count || !bench->count)
        return 0;
    snprintf(line, sizeof line, "%s left out: %s", group, cli->error.text);
    cli_log(cli, KY_LOG_INFO, line);
    return 1;
}

/* Measures all rows of the wanted groups. A group that the engine does not support is left out as a
 * whole. */
static enum ky_status run_cases(struct cli *cli, const struct ky_parameters *parameters,
                                struct bench *bench)
{
    const char *without = "";
    for (int c = 0; c < CASES; c++) {
        struct force_result *result = &bench->results[bench->count];
        if (!wanted(cli, cases[c].group) || !strcmp(cases[c].group, without))
            continue;
        enum ky_status status = measure(cli, parameters, &cases[c], result);
        if (pass_over(cli, bench, cases[c].group, status)) {
            without = cases[c].group;
            continue;
        }
        if (status)
            return status;
        if (!cli->json && !bench->count)
            printf("engine %s: %s; Plummer spheres, softening %s; rel.: --opening relative\n"
                   "force   precision        n theta p particles/s interact./s   error of a: med, "
                   "99 %%  of potential\n",
                   result->report.engine, result->report.device,
                   isnan(parameters->softening) ? "as recommended for n" : "as given");
        if (!cli->json)
            show(&cases[c], result);
        bench->count++;
    }
    return KY_OK;
}

/* Writes all results as one JSON object. */
static void write_json(const struct bench *bench)
{
    struct ky_json json = {.out = stdout};
    ky_json_object(&json, NULL);
    ky_json_array(&json, "bench");
    for (int k = 0; k < bench->count; k++)
        force_json(&json, NULL, &bench->results[k]);
    ky_json_end_array(&json);
    ky_json_end_object(&json);
}

static enum ky_status run(struct cli *cli, int argc, char **argv, int describe)
{
    struct bench bench = {.count = 0};
    struct ky_parameters parameters;
    cli_add_force(cli, &parameters);
    /* the cases set the other options */
    cli_narrow(cli, "force", "cell curve leaf group softening softening-kind g");
    enum ky_status status = describe ? KY_OK : cli_parse(cli, argc, argv, 0, INT_MAX);
    if (status || describe || cli->help)
        return status;
    status = check_words(cli);
    if (!status)
        status = cli_settle(cli, &(struct ky_units){0}); /* its models have no physical units */
    if (!status)
        status = run_cases(cli, &parameters, &bench);
    if (!status && cli->json)
        write_json(&bench);
    return status;
}

const struct subcommand bench_command = {"bench",
                                         "[direct] [tree] [walk] [options]",
                                         "measure the speed and the errors of an engine",
                                         run,
                                         NULL,
                                         NULL,
                                         "kyoho bench direct --engine cpu\n"};
