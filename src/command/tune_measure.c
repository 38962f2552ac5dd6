/* kyoho tune: the settings, and their measurement. */
#include "command/tune.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/number.h"
#include "base/status.h"

/* ---- the settings ---- */

enum { MOST_VALUES = 9 };
static const double alphas[] = {0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 5e-4, 2e-4, 1e-4},
                    of_expansions[] = {0.02, 0.005, 0.001, 3e-4, 1e-4, 3e-5, 1e-5, 2e-6, 2e-7},
                    thetas[] = {1.0, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3};
static const struct tune_tolerance alpha = {"alpha", offsetof(struct ky_parameters, alpha), alphas,
                                            sizeof alphas / sizeof *alphas},
                                   tiny = {"alpha", offsetof(struct ky_parameters, alpha),
                                           of_expansions,
                                           sizeof of_expansions / sizeof *of_expansions},
                                   theta = {"theta", offsetof(struct ky_parameters, theta), thetas,
                                            sizeof thetas / sizeof *thetas};

/* The families of a force: one for each order if it has expansions, one for each opening test if it
 * opens cells, else a single setting. */
static const struct tune_family tests[] = {{0, KY_RELATIVE, 0, &alpha, 0},
                                           {0, KY_OFFSET, 0, &theta, 0},
                                           {0, KY_GEOMETRIC, 0, &theta, 1},
                                           {0, KY_MINIMUM, 0, &theta, 1}},
                                orders[] = {{0, KY_OPENING_BY_USE, 4, &tiny, 0},
                                            {0, KY_OPENING_BY_USE, 3, &tiny, 0},
                                            {0, KY_OPENING_BY_USE, 5, &tiny, 0},
                                            {0, KY_OPENING_BY_USE, 6, &tiny, 0},
                                            {0, KY_OPENING_BY_USE, 2, &tiny, 1}},
                                exact[] = {{KY_DIRECT, KY_OPENING_BY_USE, 0, NULL, 0}};
_Static_assert(KY_FORCE_AUTO * sizeof orders / sizeof *orders <= TUNE_FAMILIES,
               "room for all families");
_Static_assert(TUNE_ENGINES *TUNE_FAMILIES *MOST_VALUES <= TUNE_TRIALS, "room for all settings");
_Static_assert(sizeof alphas / sizeof *alphas <= MOST_VALUES &&
                   sizeof thetas / sizeof *thetas <= MOST_VALUES,
               "the most values of a tolerance");

/* Lists the families of all forces; the exact sum is the last one. */
static void list_families(struct tuning *tuning)
{
    struct ky_parameters own = tuning->parameters;
    for (own.force = KY_FORCE_AUTO - 1; own.force >= 0; own.force--) {
        const int expands = !ky_parameters_ignore(&own, "order"),
                  opens = !ky_parameters_ignore(&own, "opening"),
                  in_groups = !ky_parameters_ignore(&own, "group");
        const struct tune_family *const from = expands ? orders : opens ? tests : exact;
        const size_t count = expands ? sizeof orders / sizeof *orders
                             : opens ? sizeof tests / sizeof *tests
                                     : 1;
        for (size_t k = 0; k < count; k++) {
            struct tune_family *const family = &tuning->family[tuning->family_count++];
            *family = from[k];
            family->force = own.force;
            family->asked |= opens && !in_groups && k > 0;
        }
    }
}

static double time_left(const struct tuning *tuning)
{
    return tuning->request->seconds - (ky_clock() - tuning->begin);
}

struct ky_parameters tune_parameters(const struct tuning *tuning, const struct tune_trial *trial)
{
    struct ky_parameters own = tuning->parameters;
    own.engine = tuning->engines[trial->engine];
    own.force = trial->family->force;
    own.opening = trial->family->opening;
    if (trial->family->order)
        own.order = trial->family->order;
    own.alpha = own.theta = (double)NAN;
    if (trial->family->tolerance)
        memcpy((char *)&own + trial->family->tolerance->field, &trial->value, sizeof trial->value);
    return own;
}

void tune_words(const struct tuning *tuning, const struct tune_trial *trial, char text[TUNE_WORDS])
{
    const struct ky_parameters own = tune_parameters(tuning, trial);
    char force[FORCE_CHOICE], opening[FORCE_CHOICE], value[KY_NUMBER_TEXT];
    force_choice(&own, "force", force);
    force_choice(&own, "opening", opening);
    ky_number_text(value, trial->value);
    if (!trial->family->tolerance)
        snprintf(text, TUNE_WORDS, "--force %s --engine %s", force, own.engine);
    else if (trial->family->order)
        snprintf(text, TUNE_WORDS, "--force %s --order %d --%s %s --engine %s", force, own.order,
                 trial->family->tolerance->option, value, own.engine);
    else
        snprintf(text, TUNE_WORDS, "--force %s --opening %s --%s %s --engine %s", force, opening,
                 trial->family->tolerance->option, value, own.engine);
}

/* ---- measuring ---- */

enum ky_status tune_measure(struct tuning *tuning, struct tune_trial *trial, uint64_t repeat)
{
    const struct ky_parameters own = tune_parameters(tuning, trial);
    const struct force_request request = {
        .repeat = repeat, .check = tuning->request->check, .keep = 1};
    struct force_result result;
    KY_TRY(force_measure(&own, tuning->bodies, &request, &result, &tuning->cli->error));
    trial->seconds = result.report.total;
    trial->error = result.errors.acceleration.p99;
    trial->potential = result.errors.potential.p99;
    return KY_OK;
}

static void show_header(const struct tuning *tuning)
{
    const struct cli *cli = tuning->cli;
    if (!cli->json && !cli->quiet)
        printf("%-10s %-7s %-10s %9s %12s %12s %12s\n", "engine", "force", "opening", "tolerance",
               "seconds", "error 99 %", "potential");
}

/* Prints a row of the table as soon as it is measured. */
static void show_trial(const struct tuning *tuning, const struct tune_trial *trial)
{
    const struct cli *cli = tuning->cli;
    const struct ky_parameters own = tune_parameters(tuning, trial);
    char force[FORCE_CHOICE], opening[FORCE_CHOICE] = "-", value[KY_NUMBER_TEXT] = "-";
    if (cli->json || cli->quiet)
        return;
    force_choice(&own, "force", force);
    if (trial->family->order)
        snprintf(opening, sizeof opening, "order %d", own.order);
    else if (trial->family->tolerance)
        force_choice(&own, "opening", opening);
    if (trial->family->tolerance) {
        ky_number_text(value, trial->value);
    }
    printf("%-10s %-7s %-10s %9s %12.4g %12.2e %12.2e\n", own.engine, force, opening, value,
           trial->seconds, trial->error, trial->potential);
    fflush(stdout);
}

/* Measures the engine's rate in pairs per second, by an exact sum over some of the bodies. */
static enum ky_status measure_rate(struct tuning *tuning, size_t engine)
{
    const size_t most = strcmp(tuning->engines[engine], "cpu") ? 1 << 14 : 1 << 12;
    const struct tune_trial trial = {exact, engine, (double)NAN, 0, 0, 0};
    const struct ky_parameters own = tune_parameters(tuning, &trial);
    const struct force_request request = {.repeat = 1, .keep = 1};
    struct ky_bodies some = *tuning->bodies; /* including all arrays that the measurement needs */
    struct force_result result;
    some.n = some.n < most ? some.n : most;
    KY_TRY(force_measure(&own, &some, &request, &result, &tuning->cli->error));
    tuning->pairs_per_s = (double)some.n * (double)some.n / result.report.total;
    return KY_OK;
}

/* An upper estimate of the time of the next setting: for an exact sum all pairs; for the first
 * setting of a tree 2,000 pairs per body; for a finer setting 2.5 times the previous time, which is
 * more than one step of the tolerances costs. */
static double foresee(const struct tuning *tuning, const struct tune_family *family,
                      const struct tune_trial *before)
{
    const double n = (double)tuning->bodies->n, first = family->tolerance ? 2000 : n;
    return before ? 2.5 * before->seconds : n * fmin(n, first) / tuning->pairs_per_s;
}

/* Measures the settings of one family on one engine. */
static enum ky_status measure_family(struct tuning *tuning, const struct tune_family *family,
                                     size_t engine)
{
    static const double none = (double)NAN;
    const double *const values = family->tolerance ? family->tolerance->values : &none;
    const size_t count = family->tolerance ? family->tolerance->count : 1;
    const struct tune_trial *before = NULL;
    enum ky_status status = KY_OK;
    for (size_t k = 0; k < count && !status; k++) {
        struct tune_trial *trial = &tuning->trial[tuning->count];
        const double once = foresee(tuning, family, before), left = time_left(tuning);
        uint64_t repeat = tuning->request->repeat;
        *trial =
            (struct tune_trial){family, engine, values[k], (double)NAN, (double)NAN, (double)NAN};
        if (once * (double)(repeat + 1) > left)
            repeat = 1;
        if (left <= 0 || 2 * once > left) {
            tuning->left_out += (int)(count - k);
            return KY_OK;
        }
        status = tune_measure(tuning, trial, repeat);
        if (status)
            break;
        show_trial(tuning, trial);
        before = trial;
        tuning->count++;
    }
    if (status != KY_UNSUPPORTED)
        return status;
    tuning->refused = status; /* the engine lacks this force, or the engine does not exist */
    return KY_OK;
}

/* 1 if the options allow the family. */
static int is_wanted(const struct tuning *tuning, const struct tune_family *family)
{
    const struct cli *cli = tuning->cli;
    const struct ky_parameters *own = &tuning->parameters;
    const int by_force = cli_given(cli, "force"), by_opening = cli_given(cli, "opening");
    if (by_force && own->force != KY_FORCE_AUTO && own->force != family->force)
        return 0;
    if (cli_given(cli, "order") && own->order != family->order)
        return 0;
    if (!family->tolerance)
        return !by_opening;
    if (family->order && cli_given(cli, "order"))
        return 1;
    return by_opening ? own->opening == family->opening : !family->asked;
}

/* 1 if the list already has the device's processor through another driver, or if `auto` would not
 * choose the device: a GPU after the first (the first is the fastest), or a GPU driver on a CPU. */
static int is_known(const struct tuning *tuning, const struct ky_device *device)
{
    const int is_cpu = !strcmp(device->engine, "cpu");
    if (!device->usable || (device->on_cpu && !is_cpu))
        return 1;
    for (size_t e = 0; e < tuning->engine_count; e++)
        if (is_cpu == !strcmp(tuning->engines[e], "cpu"))
            return 1;
    return 0;
}

/* Finds the engines: the one of --engine, otherwise one of each kind that `auto` considers. */
static void find_engines(struct tuning *tuning)
{
    struct ky_device device = {0};
    if (cli_given(tuning->cli, "engine")) {
        snprintf(tuning->engines[tuning->engine_count++], sizeof *tuning->engines, "%s",
                 tuning->parameters.engine);
        return;
    }
    for (size_t k = 0; !ky_device_get(k, &device) && tuning->engine_count < TUNE_ENGINES; k++)
        if (!is_known(tuning, &device))
            snprintf(tuning->engines[tuning->engine_count++], sizeof *tuning->engines, "%s",
                     device.engine);
}

enum ky_status tune_measure_all(struct tuning *tuning)
{
    char line[160];
    find_engines(tuning);
    list_families(tuning);
    ky_format(line, sizeof line,
              "measuring forces of %zu %s with several settings, for at most about %g s",
              tuning->bodies->n, ky_plural(tuning->bodies->n, "body", "bodies"),
              tuning->request->seconds);
    cli_log(tuning->cli, KY_LOG_INFO, line);
    show_header(tuning);
    for (size_t e = 0; e < tuning->engine_count; e++) {
        KY_TRY(measure_rate(tuning, e));
        for (size_t f = 0; f < tuning->family_count; f++)
            if (is_wanted(tuning, &tuning->family[f]))
                KY_TRY(measure_family(tuning, &tuning->family[f], e));
    }
    if (!tuning->count)
        return tuning->refused ? tuning->refused
                               : ky_fail(&tuning->cli->error, KY_USAGE,
                                         "--seconds %g is too short for one evaluation, or --force "
                                         "and --opening exclude each other",
                                         tuning->request->seconds);
    if (tuning->left_out) {
        ky_format(line, sizeof line,
                  "%d settings were left out because they take longer than --seconds %g",
                  tuning->left_out, tuning->request->seconds);
        cli_log(tuning->cli, KY_LOG_WARNING, line);
    }
    return KY_OK;
}
