/* The cost of methods and tolerances for given bodies, and the fastest setting that keeps a wanted
 * error: see kyoho.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/options.h"
#include "base/sizes.h"
#include "base/status.h"
#include "base/text.h"

#define FIELD(name) offsetof(struct ky_tune_parameters, name)
const struct ky_option ky_tune_options[] = {
    {"error", KY_OPTION_REAL, FIELD(error), NULL, 1e-15, 1, NULL, NULL,
     "find the fastest options for which 99 % of the accelerations have at most this relative "
     "error, and measure them"},
    {"seconds", KY_OPTION_REAL, FIELD(seconds), "60", 0.1, 1e6, NULL, "SECONDS",
     "time for all measurements; settings that would take longer are left out [s]"},
    {"check", KY_OPTION_COUNT, FIELD(samples), "500", 1, 1e9, NULL, NULL,
     "number of bodies whose force is compared with an exact sum in double precision"},
    {"repeat", KY_OPTION_COUNT, FIELD(repeat), "3", 1, 1e6, NULL, NULL,
     "number of evaluations of a setting; its time is the median"},
};
const size_t ky_tune_option_count = sizeof ky_tune_options / sizeof *ky_tune_options;

void ky_tune_parameters_defaults_sized(struct ky_tune_parameters *parameters, size_t size)
{
    struct ky_tune_parameters own = {.size = sizeof own};
    const struct ky_option_set set = {"tune", ky_tune_options, ky_tune_option_count, &own, NULL,
                                      NULL};
    ky_options_defaults(&set);
    ky_size_fill(parameters, size, &own, sizeof own);
}

/* ---- families of settings ---- */

/* The measured values of α or θ, from the coarsest to the finest. */
struct tolerance {
    size_t field; /* offset of the option in struct ky_tuned */
    const double *values;
    size_t count;
};

/* A force with an opening test. */
struct family {
    int force, opening;
    int order;                         /* order of the expansions; 0: there are none */
    const struct tolerance *tolerance; /* NULL for the exact sum, which has one setting */
    int asked;                         /* 1: measured only if the options name it */
};

static const double alphas[] = {0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 5e-4, 2e-4, 1e-4},
                    of_expansions[] = {0.02, 0.005, 0.001, 3e-4, 1e-4, 3e-5, 1e-5, 2e-6, 2e-7},
                    thetas[] = {1.0, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3};
static const struct tolerance alpha = {offsetof(struct ky_tuned, alpha), alphas,
                                       sizeof alphas / sizeof *alphas},
                              tiny = {offsetof(struct ky_tuned, alpha), of_expansions,
                                      sizeof of_expansions / sizeof *of_expansions},
                              theta = {offsetof(struct ky_tuned, theta), thetas,
                                       sizeof thetas / sizeof *thetas};

/* The families of a force: one for each order if it has expansions, one for each opening test if it
 * opens cells, else a single setting. */
static const struct family tests[] = {{0, KY_RELATIVE, 0, &alpha, 0},
                                      {0, KY_OFFSET, 0, &theta, 0},
                                      {0, KY_GEOMETRIC, 0, &theta, 1},
                                      {0, KY_MINIMUM, 0, &theta, 1}},
                           orders[] = {{0, KY_OPENING_BY_USE, 4, &tiny, 0},
                                       {0, KY_OPENING_BY_USE, 3, &tiny, 0},
                                       {0, KY_OPENING_BY_USE, 5, &tiny, 0},
                                       {0, KY_OPENING_BY_USE, 6, &tiny, 0},
                                       {0, KY_OPENING_BY_USE, 2, &tiny, 1}},
                           exact[] = {{KY_DIRECT, KY_OPENING_BY_USE, 0, NULL, 0}};

enum { ENGINES = 8, FAMILIES = 28, MOST_VALUES = 9 };
_Static_assert(KY_FORCE_AUTO * sizeof orders / sizeof *orders <= FAMILIES, "room for all families");
_Static_assert(sizeof alphas / sizeof *alphas <= MOST_VALUES &&
                   sizeof thetas / sizeof *thetas <= MOST_VALUES,
               "the most values of a tolerance");

/* The call. */
struct work {
    const struct ky_parameters *parameters;
    const struct ky_tune_parameters *wanted;
    const struct ky_bodies *bodies;
    struct ky_tuning tuning;
    struct family family[FAMILIES];
    size_t families;
    char engine[ENGINES][sizeof((struct ky_device *)0)->engine];
    size_t engines;
    double begin;           /* ky_clock [s] */
    double pairs_per_s;     /* rate of the current engine */
    enum ky_status refused; /* status of the last family that an engine does not support */
    struct ky_error *error; /* and its message */
};

/* 1 if the caller has named the option. */
static int is_given(const struct work *work, const char *name)
{
    for (const char *const *given = work->wanted->given; given && *given; given++)
        if (!strcmp(*given, name))
            return 1;
    return 0;
}

/* Lists the families of all forces; the exact sum is the last one. */
static void list_families(struct work *work)
{
    struct ky_parameters own = *work->parameters;
    for (own.force = KY_FORCE_AUTO - 1; own.force >= 0; own.force--) {
        const int expands = !ky_parameters_ignore(&own, "order"),
                  opens = !ky_parameters_ignore(&own, "opening"),
                  in_groups = !ky_parameters_ignore(&own, "group");
        const struct family *const from = expands ? orders : opens ? tests : exact;
        const size_t count = expands ? sizeof orders / sizeof *orders
                             : opens ? sizeof tests / sizeof *tests
                                     : 1;
        for (size_t k = 0; k < count; k++) {
            struct family *const family = &work->family[work->families++];
            *family = from[k];
            family->force = own.force;
            family->asked |= opens && !in_groups && k > 0;
        }
    }
}

/* 1 if the options allow the family. */
static int is_wanted(const struct work *work, const struct family *family)
{
    const struct ky_parameters *own = work->parameters;
    const int by_opening = is_given(work, "opening"), by_order = is_given(work, "order");
    if (is_given(work, "force") && own->force != KY_FORCE_AUTO && own->force != family->force)
        return 0;
    if (by_order && own->order != family->order)
        return 0;
    if (!family->tolerance)
        return !by_opening;
    if (family->order && by_order)
        return 1;
    return by_opening ? own->opening == family->opening : !family->asked;
}

/* 1 if the list already has the device's processor through another driver, or if `auto` would not
 * choose the device: a GPU after the first (the first is the fastest), or a GPU driver on a CPU. */
static int is_known(const struct work *work, const struct ky_device *device)
{
    const int is_cpu = !strcmp(device->engine, "cpu");
    if (!device->usable || (device->on_cpu && !is_cpu))
        return 1;
    for (size_t e = 0; e < work->engines; e++)
        if (is_cpu == !strcmp(work->engine[e], "cpu"))
            return 1;
    return 0;
}

/* Finds the engines: the one of --engine, otherwise one of each kind that `auto` considers. */
static void find_engines(struct work *work)
{
    struct ky_device device = {.size = sizeof device};
    if (is_given(work, "engine")) {
        ky_format(work->engine[work->engines++], sizeof *work->engine, "%.15s",
                  work->parameters->engine);
        return;
    }
    for (size_t k = 0; !ky_device_get(k, &device) && work->engines < ENGINES; k++)
        if (!is_known(work, &device))
            ky_format(work->engine[work->engines++], sizeof *work->engine, "%s", device.engine);
}

/* ---- measuring ---- */

/* The first setting of a family on an engine, not measured. */
static struct ky_tuned setting_of(const struct family *family, const char *engine)
{
    struct ky_tuned made = {.force = family->force,
                            .opening = family->opening,
                            .order = family->order,
                            .alpha = (double)NAN,
                            .theta = (double)NAN,
                            .seconds = (double)NAN,
                            .error = (double)NAN,
                            .error_potential = (double)NAN};
    ky_format(made.engine, sizeof made.engine, "%s", engine);
    return made;
}

/* The tolerance of a setting; NULL if it has none. */
static double *tolerance_of(struct ky_tuned *setting)
{
    return !isnan(setting->alpha)   ? &setting->alpha
           : !isnan(setting->theta) ? &setting->theta
                                    : NULL;
}

/* Measures the forces of some of the bodies with a setting. KY_UNSUPPORTED if the engine lacks the
 * force. */
static enum ky_status measure(struct work *work, size_t n, uint64_t samples, uint64_t repeat,
                              struct ky_tuned *setting)
{
    struct ky_parameters own = *work->parameters;
    struct ky_bodies some = *work->bodies;
    struct ky_force_report report = {.size = sizeof report};
    struct ky_check_results results = {.size = sizeof results};
    struct ky_check_parameters wanted;
    ky_check_parameters_defaults(&wanted);
    wanted.repeat = repeat;
    wanted.samples = samples;
    wanted.report = &report;
    some.n = n;
    own.engine = setting->engine;
    own.force = setting->force;
    own.opening = setting->opening;
    own.order = setting->order ? setting->order : own.order;
    own.alpha = setting->alpha;
    own.theta = setting->theta;
    KY_TRY(ky_forces_check(&own, &some, &wanted, &results, work->error));
    setting->seconds = report.total;
    setting->error = own.box > 0 ? results.over_rms.p99 : results.acceleration.p99;
    setting->error_potential = results.potential.p99;
    return KY_OK;
}

/* Measures a setting for all bodies. */
static enum ky_status measure_all(struct work *work, uint64_t repeat, struct ky_tuned *setting)
{
    return measure(work, work->bodies->n, work->wanted->samples, repeat, setting);
}

/* Measures the engine's rate in pairs per second, by an exact sum over some of the bodies. */
static enum ky_status measure_rate(struct work *work, const char *engine)
{
    const size_t n = work->bodies->n, most = strcmp(engine, "cpu") ? 1 << 14 : 1 << 12,
                 some = n < most ? n : most;
    struct ky_tuned setting = setting_of(exact, engine);
    KY_TRY(measure(work, some, 0, 1, &setting));
    work->pairs_per_s = (double)some * (double)some / setting.seconds;
    return KY_OK;
}

/* An upper estimate of the time of the next setting: for an exact sum all pairs; for the first
 * setting of a tree 2,000 pairs per body; for a finer setting 2.5 times the previous time, which is
 * more than one step of the tolerances costs. */
static double foresee(const struct work *work, const struct family *family,
                      const struct ky_tuned *before)
{
    const double n = (double)work->bodies->n, first = family->tolerance ? 2000 : n;
    return before ? 2.5 * before->seconds : n * fmin(n, first) / work->pairs_per_s;
}

/* Measures the settings of one family on one engine. */
static enum ky_status measure_family(struct work *work, const struct family *family,
                                     const char *engine)
{
    const size_t count = family->tolerance ? family->tolerance->count : 1;
    const struct ky_tuned *before = NULL;
    for (size_t k = 0; k < count; k++) {
        struct ky_tuned *setting = &work->tuning.setting[work->tuning.count];
        const double once = foresee(work, family, before),
                     left = work->wanted->seconds - (ky_clock() - work->begin);
        const uint64_t asked = work->wanted->repeat;
        *setting = setting_of(family, engine);
        if (family->tolerance)
            memcpy((char *)setting + family->tolerance->field, &family->tolerance->values[k],
                   sizeof(double));
        if (left <= 0 || 2 * once > left) {
            work->tuning.left_out += count - k;
            return KY_OK;
        }
        const enum ky_status status =
            measure_all(work, once * (double)(asked + 1) > left ? 1 : asked, setting);
        if (status == KY_UNSUPPORTED) /* the engine lacks this force, or does not exist */
            work->refused = status;
        if (status)
            return status == KY_UNSUPPORTED ? KY_OK : status;
        if (work->wanted->tell)
            work->wanted->tell(work->wanted->context, setting);
        before = setting;
        work->tuning.count++;
    }
    return KY_OK;
}

static enum ky_status measure_families(struct work *work)
{
    for (size_t e = 0; e < work->engines; e++) {
        KY_TRY(measure_rate(work, work->engine[e]));
        for (size_t f = 0; f < work->families; f++)
            if (is_wanted(work, &work->family[f]))
                KY_TRY(measure_family(work, &work->family[f], work->engine[e]));
    }
    if (!work->tuning.count)
        return work->refused ? work->refused
                             : ky_fail(work->error, KY_USAGE,
                                       "--seconds %g is too short for one evaluation, or --force "
                                       "and --opening exclude each other",
                                       work->wanted->seconds);
    if (work->tuning.left_out)
        ky_log(work->parameters, KY_LOG_WARNING,
               "%zu settings were left out because they take longer than --seconds %g",
               work->tuning.left_out, work->wanted->seconds);
    return KY_OK;
}

/* ---- the wanted error ---- */

/* 1 if the settings differ in their tolerance alone. */
static int are_kin(const struct ky_tuned *a, const struct ky_tuned *b)
{
    return !strcmp(a->engine, b->engine) && a->force == b->force && a->opening == b->opening &&
           a->order == b->order;
}

/* The tolerance for the wanted error, and its time, between two settings of a family: `fine` keeps
 * the error and `coarse` does not. Linear interpolation in the logarithms. */
static struct ky_tuned between(const struct ky_tuned *coarse, const struct ky_tuned *fine,
                               double error)
{
    struct ky_tuned found = *fine, from = *coarse;
    if (!(fine->error > 0) || !(fine->error < coarse->error))
        return found;
    double *const value = tolerance_of(&found), begin = *tolerance_of(&from);
    const double part = log(coarse->error / error) / log(coarse->error / fine->error);
    *value = begin * pow(*value / begin, part);
    found.seconds = coarse->seconds * pow(fine->seconds / coarse->seconds, part);
    return found;
}

/* The setting that should be fastest with the wanted error; returns 0 if no setting keeps it. */
static int choose(const struct ky_tuning *tuning, double error, struct ky_tuned *best)
{
    int found = 0;
    for (size_t k = 0; k < tuning->count; k++) {
        const struct ky_tuned *fine = &tuning->setting[k], *coarse = k ? fine - 1 : NULL;
        const int same = coarse && are_kin(coarse, fine);
        if (fine->error > error || (same && coarse->error <= error))
            continue;
        const struct ky_tuned here = same ? between(coarse, fine, error) : *fine;
        if (!found || here.seconds < best->seconds)
            *best = here;
        found = 1;
    }
    return found;
}

/* Rounds down to three digits, so that the printed setting is the measured one. */
static double rounded(double value)
{
    const double unit = pow(10, floor(log10(value)) - 2);
    char text[KY_NUMBER_TEXT];
    ky_format(text, sizeof text, "%.3g", floor(value / unit) * unit);
    return ky_number_real(text, NULL);
}

/* Measures the chosen setting, and again with a smaller tolerance as long as its error is too
 * large. */
static enum ky_status settle(struct work *work, double error, struct ky_tuned *best)
{
    enum { TURNS = 6 };
    for (int turn = 0; turn < TURNS; turn++) {
        double *const value = tolerance_of(best);
        if (value)
            *value = rounded(*value);
        KY_TRY(measure_all(work, work->wanted->repeat, best));
        if (best->error <= error || !value)
            return KY_OK;
        *value *= fmax(0.5, 0.97 * pow(error / best->error, 0.7));
    }
    return ky_fail(work->error, KY_UNSUPPORTED,
                   "the error stays above %g: %.2e at the last setting", error, best->error);
}

/* Fails with KY_UNSUPPORTED: no setting keeps the error. */
static enum ky_status none_keeps(struct work *work, double error)
{
    double least = (double)INFINITY;
    for (size_t k = 0; k < work->tuning.count; k++)
        least = fmin(least, work->tuning.setting[k].error);
    return ky_fail(work->error, KY_UNSUPPORTED,
                   "no measured setting has an error of %g: the smallest is %.2e; more --seconds "
                   "or --precision double may help",
                   error, least);
}

static enum ky_status find(struct work *work)
{
    const double error = work->wanted->error;
    KY_TRY(measure_families(work));
    if (isnan(error))
        return KY_OK;
    if (!choose(&work->tuning, error, &work->tuning.found))
        return none_keeps(work, error);
    KY_TRY(settle(work, error, &work->tuning.found));
    work->tuning.has_found = 1;
    return KY_OK;
}

/* ---- the call ---- */

static enum ky_status run(struct work *work)
{
    const size_t most = ENGINES * FAMILIES * MOST_VALUES, n = work->bodies->n;
    if (!n)
        return ky_fail(work->error, KY_BAD_DATA, "there are no bodies");
    KY_TRY(ky_array_zeroed(&work->tuning.setting, most, sizeof *work->tuning.setting, "settings",
                           work->error));
    find_engines(work);
    list_families(work);
    ky_log(work->parameters, KY_LOG_INFO,
           "measuring forces of %zu %s with several settings, for at most about %g s", n,
           ky_plural(n, "body", "bodies"), work->wanted->seconds);
    return find(work);
}

enum ky_status ky_tune(const struct ky_parameters *parameters, const struct ky_bodies *bodies,
                       const struct ky_tune_parameters *wanted, struct ky_tuning *tuning,
                       struct ky_error *error)
{
    KY_NEED(parameters, error);
    KY_NEED(bodies, error);
    KY_NEED(tuning, error);
    *tuning = (struct ky_tuning){0};
    struct ky_parameters own;
    struct ky_tune_parameters limits;
    ky_parameters_defaults(&own);
    ky_tune_parameters_defaults(&limits);
    const struct ky_option_set set = {"tune", ky_tune_options, ky_tune_option_count, &limits, NULL,
                                      NULL};
    KY_TRY(ky_size_adopt(&own, sizeof own, parameters, "ky_parameters_defaults", error));
    if (wanted)
        KY_TRY(ky_size_adopt(&limits, sizeof limits, wanted, "ky_tune_parameters_defaults", error));
    KY_TRY(ky_options_check(&set, error));
    struct work *work;
    KY_TRY(ky_array_zeroed(&work, 1, sizeof *work, "settings", error));
    work->parameters = &own;
    work->wanted = &limits;
    work->bodies = bodies;
    work->error = error;
    work->begin = ky_clock();
    const enum ky_status status = run(work);
    if (status)
        ky_tuning_free(&work->tuning);
    else
        *tuning = work->tuning;
    free(work);
    return status;
}

void ky_tuning_free(struct ky_tuning *tuning)
{
    if (tuning)
        free(tuning->setting);
    if (tuning)
        *tuning = (struct ky_tuning){0};
}
