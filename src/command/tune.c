/* kyoho tune: the cost of each method and tolerance for these bodies, and the options for a wanted
 * error. */
#include "command/tune.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/number.h"

#define FIELD(name) offsetof(struct tune_request, name)
static const struct ky_option own_options[] = {
    {"error", KY_OPTION_REAL, FIELD(error), NULL, 1e-15, 1, NULL, NULL,
     "find the fastest options for which 99 % of the accelerations have at most this relative "
     "error, and measure them"},
    {"seconds", KY_OPTION_REAL, FIELD(seconds), "60", 0.1, 1e6, NULL, "SECONDS",
     "time for all measurements; settings that would take longer are left out [s]"},
    {"check", KY_OPTION_COUNT, FIELD(check), "500", 1, 1e9, NULL, NULL,
     "number of bodies whose force is compared with an exact sum in double precision"},
    {"repeat", KY_OPTION_COUNT, FIELD(repeat), "3", 1, 1e6, NULL, NULL,
     "number of evaluations of a setting; its time is the median"},
};

/* ---- the wanted error ---- */

/* The tolerance for the wanted error, and its time, between two settings of a family: `fine` keeps
 * the error and `coarse` does not. Linear interpolation in the logarithms. */
static struct tune_trial between(const struct tune_trial *coarse, const struct tune_trial *fine,
                                 double error)
{
    struct tune_trial found = *fine;
    if (!(fine->error > 0) || !(fine->error < coarse->error))
        return found;
    const double part = log(coarse->error / error) / log(coarse->error / fine->error);
    found.value = coarse->value * pow(fine->value / coarse->value, part);
    found.seconds = coarse->seconds * pow(fine->seconds / coarse->seconds, part);
    return found;
}

/* The setting that should be fastest with the wanted error; returns 0 if no setting keeps it. */
static int choose(const struct tuning *tuning, double error, struct tune_trial *best)
{
    int found = 0;
    for (size_t k = 0; k < tuning->count; k++) {
        const struct tune_trial *fine = &tuning->trial[k], *coarse = k ? fine - 1 : NULL;
        const int same = coarse && coarse->family == fine->family && coarse->engine == fine->engine;
        if (fine->error > error || (same && coarse->error <= error))
            continue;
        const struct tune_trial here = same ? between(coarse, fine, error) : *fine;
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
static enum ky_status settle(struct tuning *tuning, double error, struct tune_trial *best)
{
    enum { TURNS = 6 };
    enum ky_status status = KY_OK;
    for (int turn = 0; turn < TURNS && !status; turn++) {
        if (!isnan(best->value))
            best->value = rounded(best->value);
        status = tune_measure(tuning, best, tuning->request->repeat);
        if (status || best->error <= error || isnan(best->value))
            return status;
        best->value *= fmax(0.5, 0.97 * pow(error / best->error, 0.7));
    }
    return status
               ? status
               : ky_fail(&tuning->cli->error, KY_UNSUPPORTED,
                         "the error stays above %g: %.2e at the last setting", error, best->error);
}

/* Fails with KY_UNSUPPORTED: no setting keeps the error. */
static enum ky_status none_keeps(const struct tuning *tuning, double error)
{
    const struct tune_trial *least = &tuning->trial[0];
    char words[TUNE_WORDS];
    for (size_t k = 1; k < tuning->count; k++)
        if (tuning->trial[k].error < least->error)
            least = &tuning->trial[k];
    tune_words(tuning, least, words);
    return ky_fail(&tuning->cli->error, KY_UNSUPPORTED,
                   "no measured setting has an error of %g: the smallest is %.2e, with %s; more "
                   "--seconds or --precision double may help",
                   error, least->error, words);
}

/* ---- the result ---- */

static void write_trial(const struct tuning *tuning, struct ky_json *json, const char *name,
                        const struct tune_trial *trial)
{
    const struct ky_parameters own = tune_parameters(tuning, trial);
    char text[FORCE_CHOICE], words[TUNE_WORDS];
    ky_json_object(json, name);
    ky_json_text(json, "engine", own.engine);
    force_choice(&own, "force", text);
    ky_json_text(json, "force", text);
    force_choice(&own, "opening", text);
    ky_json_text(json, "opening", trial->family->tolerance && !trial->family->order ? text : NULL);
    if (trial->family->order)
        ky_json_integer(json, "order", trial->family->order);
    else
        ky_json_null(json, "order");
    ky_json_real(json, "alpha", own.alpha);
    ky_json_real(json, "theta", own.theta);
    ky_json_real(json, "seconds", trial->seconds);
    ky_json_real(json, "error", trial->error);
    ky_json_real(json, "error_potential", trial->potential);
    tune_words(tuning, trial, words);
    ky_json_text(json, "options", words);
    ky_json_end_object(json);
}

static void show(const struct tuning *tuning, const struct tune_trial *best)
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
        char words[TUNE_WORDS];
        tune_words(tuning, best, words);
        printf("%s\n", words);
        if (!cli->quiet)
            printf("measured: 99 %% of the accelerations within %.2e, %.4g s per evaluation\n",
                   best->error, best->seconds);
    } else if (!cli->quiet) {
        printf("--error 1e-3, say, finds the fastest options with that error\n");
    }
}

static enum ky_status tune(struct cli *cli, const struct tune_request *request,
                           struct ky_bodies *bodies, const struct ky_parameters *parameters)
{
    struct tuning *tuning = ky_allocate_zeroed(1, sizeof *tuning);
    struct tune_trial best;
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
        status = tune_measure_all(tuning);
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
    struct tune_request request;
    struct ky_snapshot snapshot;
    cli_add_table(cli, "tune", own_options, &request);
    cli_add_force(cli, &request.parameters);
    cli_narrow(
        cli, "force",
        "force opening cell multipole order curve leaf group precision softening softening-kind g "
        "field");
    source_add(cli, &request.source);
    enum ky_status status = describe ? KY_OK : cli_parse(cli, argc, argv, 0, 1);
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
    "measure the cost of methods and tolerances for these bodies, and find the options for an "
    "error",
    run,
    NULL,
    "error seconds force opening engine softening input model bodies",
    "kyoho tune cluster.hdf5 --error 1e-3 --seconds 10\n"};
