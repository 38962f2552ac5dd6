/* kyoho tune: prints the cost of each method and tolerance for these bodies, and the options for a
 * wanted error. */
#include "command/command.h"
#include "command/force.h"

#include <math.h>
#include <stdlib.h>

#include "base/number.h"

struct request {
    struct ky_parameters parameters;
    struct source source;
    struct ky_tune_parameters wanted;
};

/* The options that restrict the measured settings. */
static const char *const restricting[] = {"engine", "force", "opening", "order"};
enum { RESTRICTING = sizeof restricting / sizeof *restricting };

/* ---- settings as text ---- */

struct words {
    char force[FORCE_CHOICE], opening[FORCE_CHOICE]; /* opening: "" if it has none */
    const char *option;                              /* "alpha", "theta"; NULL: no tolerance */
    char value[KY_NUMBER_TEXT];
    char all[320]; /* "--force tree --alpha 0.005 --engine cpu" */
};

static void describe(const struct ky_tuned *setting, struct words *words)
{
    struct ky_parameters own;
    char order[32] = "", opening[FORCE_CHOICE + 16] = "", tolerance[KY_NUMBER_TEXT + 16] = "";
    ky_parameters_defaults(&own);
    own.force = setting->force;
    own.opening = setting->opening;
    words->option = !isnan(setting->alpha) ? "alpha" : !isnan(setting->theta) ? "theta" : NULL;
    ky_number_text(words->value, isnan(setting->alpha) ? setting->theta : setting->alpha);
    force_choice(&own, "force", words->force);
    words->opening[0] = '\0';
    if (words->option && setting->order) {
        ky_format(order, sizeof order, " --order %d", setting->order);
    } else if (words->option) {
        force_choice(&own, "opening", words->opening);
        ky_format(opening, sizeof opening, " --opening %s", words->opening);
    }
    if (words->option)
        ky_format(tolerance, sizeof tolerance, " --%s %s", words->option, words->value);
    ky_format(words->all, sizeof words->all, "--force %s%s%s%s --engine %s", words->force, order,
              opening, tolerance, setting->engine);
}

/* Prints a row of the table as soon as it is measured. */
static void show_row(void *context, const struct ky_tuned *setting)
{
    struct words words;
    char opening[FORCE_CHOICE] = "-";
    (void)context;
    describe(setting, &words);
    if (setting->order)
        ky_format(opening, sizeof opening, "order %d", setting->order);
    else if (*words.opening)
        ky_format(opening, sizeof opening, "%s", words.opening);
    printf("%-10s %-7s %-10s %9s %12.4g %12.2e %12.2e\n", setting->engine, words.force, opening,
           words.option ? words.value : "-", setting->seconds, setting->error,
           setting->error_potential);
    fflush(stdout);
}

/* ---- the result ---- */

static void write_setting(struct ky_json *json, const char *name, const struct ky_tuned *setting)
{
    struct words words;
    describe(setting, &words);
    ky_json_object(json, name);
    ky_json_text(json, "engine", setting->engine);
    ky_json_text(json, "force", words.force);
    ky_json_text(json, "opening", *words.opening ? words.opening : NULL);
    if (setting->order)
        ky_json_integer(json, "order", setting->order);
    else
        ky_json_null(json, "order");
    ky_json_real(json, "alpha", setting->alpha);
    ky_json_real(json, "theta", setting->theta);
    ky_json_real(json, "seconds", setting->seconds);
    ky_json_real(json, "error", setting->error);
    ky_json_real(json, "error_potential", setting->error_potential);
    ky_json_text(json, "options", words.all);
    ky_json_end_object(json);
}

static void write_all(const struct request *request, size_t n, const struct ky_tuning *tuning)
{
    struct ky_json json = {.out = stdout};
    ky_json_object(&json, NULL);
    ky_json_count(&json, "n", n);
    ky_json_real(&json, "softening", request->parameters.softening);
    ky_json_array(&json, "settings");
    for (size_t k = 0; k < tuning->count; k++)
        write_setting(&json, NULL, &tuning->setting[k]);
    ky_json_end_array(&json);
    ky_json_count(&json, "left_out", tuning->left_out);
    ky_json_real(&json, "wanted", request->wanted.error);
    if (tuning->has_found)
        write_setting(&json, "found", &tuning->found);
    else
        ky_json_null(&json, "found");
    ky_json_end_object(&json);
}

static void show(const struct cli *cli, const struct ky_tuning *tuning)
{
    struct words words;
    if (!tuning->has_found) {
        if (!cli->quiet)
            printf("--error 1e-3, say, finds the fastest options with that error\n");
        return;
    }
    describe(&tuning->found, &words);
    printf("%s\n", words.all);
    if (!cli->quiet)
        printf("measured: 99 %% of the accelerations within %.2e, %.4g s per evaluation\n",
               tuning->found.error, tuning->found.seconds);
}

static enum ky_status tune(struct cli *cli, struct request *request, const struct ky_bodies *bodies)
{
    const char *given[RESTRICTING + 1] = {NULL};
    struct ky_tuning tuning;
    for (size_t k = 0, count = 0; k < RESTRICTING; k++)
        if (cli_given(cli, restricting[k]))
            given[count++] = restricting[k];
    request->wanted.given = given;
    if (!cli->json && !cli->quiet) {
        printf("%-10s %-7s %-10s %9s %12s %12s %12s\n", "engine", "force", "opening", "tolerance",
               "seconds", "error 99 %", "potential");
        request->wanted.tell = show_row;
    }
    KY_TRY(ky_tune(&request->parameters, bodies, &request->wanted, &tuning, &cli->error));
    if (cli->json)
        write_all(request, bodies->n, &tuning);
    else
        show(cli, &tuning);
    ky_tuning_free(&tuning);
    return KY_OK;
}

static enum ky_status run(struct cli *cli, int argc, char **argv, int describes)
{
    char origin[ORIGIN], remark[KY_REMARK];
    struct request request;
    struct ky_snapshot snapshot;
    ky_tune_parameters_defaults(&request.wanted);
    cli_add_options(cli, "tune", KY_OPTIONS_TUNE, &request.wanted);
    cli_add_force(cli, &request.parameters);
    cli_narrow(
        cli, "force",
        "force opening cell multipole order curve leaf group precision softening softening-kind g "
        "field");
    source_add(cli, &request.source);
    enum ky_status status = describes ? KY_OK : cli_parse(cli, argc, argv, 0, 1);
    if (status || describes || cli->help)
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
        status = tune(cli, &request, &snapshot.bodies);
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
