/* kyoho tune: what each method and tolerance costs for these bodies, and the options that give a
 * wanted error. Settings are measured from the coarsest to the finest of each method, until the
 * time is spent. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/number.h"
#include "command/command.h"
#include "command/force.h"

struct request {
    struct ky_parameters parameters;
    struct source source;
    double error, seconds;
    uint64_t check, repeat;
};

#define FIELD(name) offsetof(struct request, name)
static const struct ky_option own_options[] = {
    {"error", KY_OPTION_REAL, FIELD(error), NULL, 1e-15, 1, NULL, NULL,
     "find the fastest options with which 99 % of the accelerations have this relative error or "
     "less, and measure them"},
    {"seconds", KY_OPTION_REAL, FIELD(seconds), "60", 0.1, 1e6, NULL, "SECONDS",
     "time for all measurements; settings that would take longer are left out [s]"},
    {"check", KY_OPTION_COUNT, FIELD(check), "500", 1, 1e9, NULL, NULL,
     "number of bodies whose force is compared with an exact sum in double precision"},
    {"repeat", KY_OPTION_COUNT, FIELD(repeat), "3", 1, 1e6, NULL, NULL,
     "number of evaluations of a setting; its time is the median"},
};

/* ---- the settings ---- */

enum { MOST_VALUES = 9, MOST_ENGINES = 8 };
static const double alphas[] = {0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 5e-4, 2e-4, 1e-4},
                    thetas[] = {1.0, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3};

/* A force with an opening test, over whose tolerance the settings go; direct has one alone. */
struct family {
    int force, opening;
    int asked; /* 1: measured where --force or --opening names it alone */
};
static const struct family families[] = {
    {KY_TREE, KY_RELATIVE, 0},         {KY_TREE, KY_OFFSET, 0},    {KY_TREE, KY_GEOMETRIC, 1},
    {KY_TREE, KY_MINIMUM, 1},          {KY_WALK, KY_RELATIVE, 0},  {KY_WALK, KY_OFFSET, 1},
    {KY_WALK, KY_GEOMETRIC, 1},        {KY_WALK, KY_MINIMUM, 1},   {KY_LIST, KY_RELATIVE, 0},
    {KY_LIST, KY_OFFSET, 1},           {KY_LIST, KY_GEOMETRIC, 1}, {KY_LIST, KY_MINIMUM, 1},
    {KY_DIRECT, KY_OPENING_BY_USE, 0},
};
enum { FAMILIES = sizeof families / sizeof *families };

static size_t values_of(const struct family *family, const double **values)
{
    static const double none = (double)NAN;
    *values = family->force == KY_DIRECT ? &none : family->opening == KY_RELATIVE ? alphas : thetas;
    return family->force == KY_DIRECT       ? 1
           : family->opening == KY_RELATIVE ? sizeof alphas / sizeof *alphas
                                            : sizeof thetas / sizeof *thetas;
}

struct trial {
    const struct family *family;
    size_t engine;
    double value;            /* α or θ; NaN: direct */
    double seconds;          /* of an evaluation; NaN: not measured */
    double error, potential; /* of 99 % of the bodies */
};

struct tuning {
    struct cli *cli;
    const struct request *request;
    struct ky_bodies *bodies;
    struct ky_parameters parameters; /* with the softening */
    char engines[MOST_ENGINES][16];
    size_t engine_count;
    struct trial trial[MOST_ENGINES * FAMILIES * MOST_VALUES];
    size_t count;
    double begin;           /* ky_clock [s] */
    double pairs_per_s;     /* of the engine that is measured; 0: not known yet */
    int left_out;           /* settings for which there was no time */
    enum ky_status refused; /* of the last family that an engine lacks; its error is in the cli */
};

static double time_left(const struct tuning *tuning)
{
    return tuning->request->seconds - (ky_clock() - tuning->begin);
}

/* The parameters of a setting. */
static struct ky_parameters parameters_of(const struct tuning *tuning, const struct trial *trial)
{
    struct ky_parameters own = tuning->parameters;
    own.engine = tuning->engines[trial->engine];
    own.force = trial->family->force;
    own.opening = trial->family->opening;
    own.alpha = own.opening == KY_RELATIVE ? trial->value : (double)NAN;
    own.theta = own.opening == KY_RELATIVE ? (double)NAN : trial->value;
    return own;
}

/* The setting as options: "--force tree --alpha 0.005 --engine cpu". */
enum { WORDS = 320 };
static void words_of(const struct tuning *tuning, const struct trial *trial, char text[WORDS])
{
    const struct ky_parameters own = parameters_of(tuning, trial);
    char force[FORCE_CHOICE], opening[FORCE_CHOICE], value[KY_NUMBER_TEXT];
    force_choice(&own, "force", force);
    force_choice(&own, "opening", opening);
    ky_number_text(value, trial->value);
    if (own.force == KY_DIRECT)
        snprintf(text, WORDS, "--force %s --engine %s", force, own.engine);
    else
        snprintf(text, WORDS, "--force %s --opening %s --%s %s --engine %s", force, opening,
                 own.opening == KY_RELATIVE ? "alpha" : "theta", value, own.engine);
}

/* ---- measuring ---- */

/* Measures a setting with `repeat` evaluations. KY_UNSUPPORTED if the engine lacks the force. */
static enum ky_status measure(struct tuning *tuning, struct trial *trial, uint64_t repeat)
{
    const struct ky_parameters own = parameters_of(tuning, trial);
    const struct force_request request = {
        .repeat = repeat, .check = tuning->request->check, .keep = 1};
    struct force_result result;
    enum ky_status status =
        force_measure(&own, tuning->bodies, &request, &result, &tuning->cli->error);
    if (status)
        return status;
    trial->seconds = result.report.total;
    trial->error = result.acceleration.p99;
    trial->potential = result.potential.p99;
    return KY_OK;
}

static void show_header(const struct tuning *tuning)
{
    const struct cli *cli = tuning->cli;
    if (!cli->json && !cli->quiet)
        printf("%-10s %-7s %-10s %9s %12s %12s %12s\n", "engine", "force", "opening", "tolerance",
               "seconds", "error 99 %", "potential");
}

/* A row of the table as soon as it is there. */
static void show_trial(const struct tuning *tuning, const struct trial *trial)
{
    const struct cli *cli = tuning->cli;
    const struct ky_parameters own = parameters_of(tuning, trial);
    char force[FORCE_CHOICE], opening[FORCE_CHOICE] = "-", value[KY_NUMBER_TEXT] = "-";
    if (cli->json || cli->quiet)
        return;
    force_choice(&own, "force", force);
    if (own.force != KY_DIRECT) {
        force_choice(&own, "opening", opening);
        ky_number_text(value, trial->value);
    }
    printf("%-10s %-7s %-10s %9s %12.4g %12.2e %12.2e\n", own.engine, force, opening, value,
           trial->seconds, trial->error, trial->potential);
    fflush(stdout);
}

/* Finds how many pairs a second the engine sums, from an exact sum over some of the bodies. */
static enum ky_status measure_rate(struct tuning *tuning, size_t engine)
{
    const size_t most = strcmp(tuning->engines[engine], "cpu") ? 1 << 14 : 1 << 12;
    const struct trial trial = {&families[FAMILIES - 1], engine, (double)NAN, 0, 0, 0};
    const struct ky_parameters own = parameters_of(tuning, &trial);
    const struct force_request request = {.repeat = 1, .keep = 1};
    struct ky_bodies some = *tuning->bodies; /* with all arrays that the measurement wants */
    struct force_result result;
    some.n = some.n < most ? some.n : most;
    enum ky_status status = force_measure(&own, &some, &request, &result, &tuning->cli->error);
    if (!status)
        tuning->pairs_per_s = (double)some.n * (double)some.n / result.report.total;
    return status;
}

/* The time that one evaluation of the next setting may take: of an exact sum all pairs, of the
 * first setting of a tree 2,000 pairs a body, of a finer one 2.5 times the one before, which is
 * more than a step of the tolerances costs. */
static double foresee(const struct tuning *tuning, const struct family *family,
                      const struct trial *before)
{
    const double n = (double)tuning->bodies->n, first = family->force == KY_DIRECT ? n : 2000;
    return before ? 2.5 * before->seconds : n * fmin(n, first) / tuning->pairs_per_s;
}

/* Measures the settings of one family on one engine. */
static enum ky_status measure_family(struct tuning *tuning, const struct family *family,
                                     size_t engine)
{
    const double *values;
    const size_t count = values_of(family, &values);
    const struct trial *before = NULL;
    enum ky_status status = KY_OK;
    for (size_t k = 0; k < count && !status; k++) {
        struct trial *trial = &tuning->trial[tuning->count];
        const double once = foresee(tuning, family, before), left = time_left(tuning);
        uint64_t repeat = tuning->request->repeat;
        *trial = (struct trial){family, engine, values[k], (double)NAN, (double)NAN, (double)NAN};
        if (once * (double)(repeat + 1) > left)
            repeat = 1;
        if (left <= 0 || 2 * once > left) {
            tuning->left_out += (int)(count - k);
            return KY_OK;
        }
        status = measure(tuning, trial, repeat);
        if (status)
            break;
        show_trial(tuning, trial);
        before = trial;
        tuning->count++;
    }
    if (status != KY_UNSUPPORTED)
        return status;
    tuning->refused = status; /* the engine has no such force, or there is no such engine */
    return KY_OK;
}

/* Whether the options leave the family in. */
static int is_wanted(const struct tuning *tuning, const struct family *family)
{
    const struct cli *cli = tuning->cli;
    const struct ky_parameters *own = &tuning->parameters;
    const int by_force = cli_given(cli, "force"), by_opening = cli_given(cli, "opening");
    if (by_force && own->force != family->force)
        return 0;
    if (family->force == KY_DIRECT)
        return !by_opening;
    return by_opening ? own->opening == family->opening : !family->asked;
}

/* 1 if the device is another way to a processor that is in the list, or one that `auto` does not
 * take: a second one of its kind, OpenCL beside CUDA, OpenCL on a CPU. */
static int is_known(const struct tuning *tuning, const struct ky_device *device)
{
    const size_t kind = strcspn(device->engine, ":");
    if (!device->usable || (device->on_cpu && strcmp(device->engine, "cpu") != 0))
        return 1;
    for (size_t e = 0; e < tuning->engine_count; e++) {
        const char *engine = tuning->engines[e];
        if ((strcspn(engine, ":") == kind && !strncmp(engine, device->engine, kind)) ||
            (!strncmp(engine, "cuda", 4) && !strncmp(device->engine, "opencl", 6)))
            return 1;
    }
    return 0;
}

/* The engines: the one of --engine, else one of each kind that `auto` looks at. */
static void find_engines(struct tuning *tuning)
{
    struct ky_device device = {0};
    if (cli_given(tuning->cli, "engine")) {
        snprintf(tuning->engines[tuning->engine_count++], sizeof *tuning->engines, "%s",
                 tuning->parameters.engine);
        return;
    }
    for (size_t k = 0; !ky_device_get(k, &device) && tuning->engine_count < MOST_ENGINES; k++)
        if (!is_known(tuning, &device))
            snprintf(tuning->engines[tuning->engine_count++], sizeof *tuning->engines, "%s",
                     device.engine);
}

static enum ky_status measure_all(struct tuning *tuning)
{
    char line[160];
    enum ky_status status = KY_OK;
    find_engines(tuning);
    ky_format(line, sizeof line,
              "measuring forces of %zu %s with several settings, for at most about %g s",
              tuning->bodies->n, ky_plural(tuning->bodies->n, "body", "bodies"),
              tuning->request->seconds);
    cli_log(tuning->cli, KY_LOG_INFO, line);
    show_header(tuning);
    for (size_t e = 0; e < tuning->engine_count && !status; e++) {
        status = measure_rate(tuning, e);
        for (int f = 0; f < FAMILIES && !status; f++)
            if (is_wanted(tuning, &families[f]))
                status = measure_family(tuning, &families[f], e);
    }
    if (!status && !tuning->count)
        return tuning->refused ? tuning->refused
                               : ky_fail(&tuning->cli->error, KY_USAGE,
                                         "--seconds %g are too few for one evaluation, or --force "
                                         "and --opening exclude each other",
                                         tuning->request->seconds);
    if (tuning->left_out) {
        ky_format(line, sizeof line,
                  "%d settings were left out: they take longer than --seconds %g", tuning->left_out,
                  tuning->request->seconds);
        cli_log(tuning->cli, KY_LOG_WARNING, line);
    }
    return status;
}

/* ---- the wanted error ---- */

/* Between two settings of a family, of which `fine` keeps the error and `coarse` does not:
 * tolerance and time where the error is the wanted one, by straight lines in the logarithms. */
static struct trial between(const struct trial *coarse, const struct trial *fine, double error)
{
    struct trial found = *fine;
    if (!(fine->error > 0) || !(fine->error < coarse->error))
        return found;
    const double part = log(coarse->error / error) / log(coarse->error / fine->error);
    found.value = coarse->value * pow(fine->value / coarse->value, part);
    found.seconds = coarse->seconds * pow(fine->seconds / coarse->seconds, part);
    return found;
}

/* The setting that should be fastest with the wanted error; 0 if none keeps it. */
static int choose(const struct tuning *tuning, double error, struct trial *best)
{
    int found = 0;
    for (size_t k = 0; k < tuning->count; k++) {
        const struct trial *fine = &tuning->trial[k], *coarse = k ? fine - 1 : NULL;
        const int same = coarse && coarse->family == fine->family && coarse->engine == fine->engine;
        if (fine->error > error || (same && coarse->error <= error))
            continue;
        const struct trial here = same ? between(coarse, fine, error) : *fine;
        if (!found || here.seconds < best->seconds)
            *best = here;
        found = 1;
    }
    return found;
}

/* Three digits, downwards: what is printed is what was measured. */
static double rounded(double value)
{
    const double unit = pow(10, floor(log10(value)) - 2);
    char text[KY_NUMBER_TEXT];
    ky_format(text, sizeof text, "%.3g", floor(value / unit) * unit);
    return ky_number_real(text, NULL);
}

/* Measures the chosen setting; while its error is too large, with a smaller tolerance. */
static enum ky_status settle(struct tuning *tuning, double error, struct trial *best)
{
    enum { TURNS = 6 };
    enum ky_status status = KY_OK;
    for (int turn = 0; turn < TURNS && !status; turn++) {
        if (!isnan(best->value))
            best->value = rounded(best->value);
        status = measure(tuning, best, tuning->request->repeat);
        if (status || best->error <= error || isnan(best->value))
            return status;
        best->value *= fmax(0.5, 0.97 * pow(error / best->error, 0.7));
    }
    return status
               ? status
               : ky_fail(&tuning->cli->error, KY_UNSUPPORTED,
                         "the error stays above %g: %.2e at the last setting", error, best->error);
}

/* KY_UNSUPPORTED: no setting keeps the error. */
static enum ky_status none_keeps(const struct tuning *tuning, double error)
{
    const struct trial *least = &tuning->trial[0];
    char words[WORDS];
    for (size_t k = 1; k < tuning->count; k++)
        if (tuning->trial[k].error < least->error)
            least = &tuning->trial[k];
    words_of(tuning, least, words);
    return ky_fail(&tuning->cli->error, KY_UNSUPPORTED,
                   "no setting that was measured has an error of %g: the least is %.2e, with %s; "
                   "more --seconds or --precision double may do",
                   error, least->error, words);
}

/* ---- the answer ---- */

static void write_trial(const struct tuning *tuning, struct ky_json *json, const char *name,
                        const struct trial *trial)
{
    const struct ky_parameters own = parameters_of(tuning, trial);
    const int tree = own.force != KY_DIRECT;
    char text[FORCE_CHOICE], words[WORDS];
    ky_json_object(json, name);
    ky_json_text(json, "engine", own.engine);
    force_choice(&own, "force", text);
    ky_json_text(json, "force", text);
    force_choice(&own, "opening", text);
    ky_json_text(json, "opening", tree ? text : NULL);
    ky_json_real(json, "alpha", own.alpha);
    ky_json_real(json, "theta", own.theta);
    ky_json_real(json, "seconds", trial->seconds);
    ky_json_real(json, "error", trial->error);
    ky_json_real(json, "error_potential", trial->potential);
    words_of(tuning, trial, words);
    ky_json_text(json, "options", words);
    ky_json_end_object(json);
}

static void show(const struct tuning *tuning, const struct trial *best)
{
    const struct cli *cli = tuning->cli;
    if (cli->json) {
        struct ky_json json = {.out = stdout};
        ky_json_object(&json, NULL);
        ky_json_count(&json, "n", tuning->bodies->n);
        ky_json_real(&json, "softening", tuning->parameters.softening);
        ky_json_array(&json, "settings");
        for (size_t k = 0; k < tuning->count; k++)
            write_trial(tuning, &json, NULL, &tuning->trial[k]);
        ky_json_end_array(&json);
        ky_json_integer(&json, "left_out", tuning->left_out);
        ky_json_real(&json, "wanted", tuning->request->error);
        if (best)
            write_trial(tuning, &json, "found", best);
        else
            ky_json_null(&json, "found");
        ky_json_end_object(&json);
    } else if (best) {
        char words[WORDS];
        words_of(tuning, best, words);
        printf("%s\n", words);
        if (!cli->quiet)
            printf("measured: 99 %% of the accelerations within %.2e, %.4g s an evaluation\n",
                   best->error, best->seconds);
    } else if (!cli->quiet) {
        printf("--error 1e-3, say, finds the fastest options with that error\n");
    }
}

static enum ky_status tune(struct cli *cli, const struct request *request, struct ky_bodies *bodies,
                           const struct ky_parameters *parameters)
{
    struct tuning *tuning = ky_allocate_zeroed(1, sizeof *tuning);
    struct trial best;
    if (!tuning)
        return ky_no_memory(&cli->error, "settings", 1, sizeof *tuning);
    tuning->cli = cli;
    tuning->request = request;
    tuning->bodies = bodies;
    tuning->parameters = *parameters;
    tuning->begin = ky_clock();
    const double error = request->error;
    enum ky_status status =
        ky_bodies_extend(bodies, KY_WITH_ACCELERATION | KY_WITH_POTENTIAL, &cli->error);
    if (!status)
        status = measure_all(tuning);
    if (!status && !isnan(error) && !choose(tuning, error, &best))
        status = none_keeps(tuning, error);
    if (!status && !isnan(error))
        status = settle(tuning, error, &best);
    if (!status)
        show(tuning, isnan(error) ? NULL : &best);
    free(tuning);
    return status;
}

static enum ky_status run(struct cli *cli, int argc, char **argv, int describe)
{
    char origin[ORIGIN], remark[KY_REMARK];
    struct request request;
    struct ky_snapshot snapshot;
    cli_add_table(cli, "tune", own_options, &request);
    cli_add_force(cli, &request.parameters);
    cli_narrow(cli, "force",
               "force opening cell multipole curve leaf group precision softening softening-kind g "
               "field");
    source_add(cli, &request.source);
    enum ky_status status = describe ? KY_OK : cli_parse(cli, argc, argv, 0, 1, 0);
    if (status || describe || cli->help)
        return status;
    ky_snapshot_clear(&snapshot);
    status = source_get(cli, &request.source, &request.parameters, &snapshot, origin);
    if (!status && !snapshot.bodies.n)
        status = ky_fail(&cli->error, KY_BAD_DATA, "%s: holds no bodies", origin);
    if (!status)
        status = source_soften(cli, &request.parameters, &snapshot, remark);
    if (!status && remark[0])
        cli_log(cli, KY_LOG_INFO, remark);
    if (!status)
        status = tune(cli, &request, &snapshot.bodies, &request.parameters);
    ky_snapshot_free(&snapshot);
    return status;
}

const struct subcommand tune_command = {
    "tune",
    "FILE | --model NAME -n N [--error 1e-3] [--seconds 60]",
    "measure what methods and tolerances cost for these bodies, and find the options for an error",
    run,
    NULL,
    "error seconds force opening engine softening input model bodies",
    "kyoho tune cluster.hdf5 --error 1e-3 --seconds 10\n"};
