/* kyoho model NAME: initial conditions. */
#include <math.h>
#include <string.h>

#include "command/command.h"

/* `kyoho model --help` lists the models. `kyoho model king --help` has printed only that one. */
static void list(const struct cli *cli, FILE *out)
{
    if (cli->word_count)
        return;
    fputs("\nmodels (`kyoho help model NAME` shows the options of one model):\n", out);
    struct ky_model_about model = {.size = sizeof model};
    for (size_t k = 0; !ky_model_get(k, &model); k++) {
        int column = fprintf(out, "  %-16s", model.name);
        ky_help_text(model.help, column, 19, out);
    }
}

/* Prints a summary of the model as one JSON object or a line. */
static void show(const struct cli *cli, const char *name, const struct sink *sink,
                 const struct ky_snapshot *snapshot)
{
    if (cli->json) {
        struct ky_json json = {.out = stdout};
        ky_json_object(&json, NULL);
        ky_json_text(&json, "model", name);
        ky_json_text(&json, "output", sink->output);
        ky_json_count(&json, "n", snapshot->bodies.n);
        ky_json_real(&json, "softening", snapshot->softening);
        ky_json_end_object(&json);
    } else if (!cli->quiet) {
        char softening[SOFTENING_WORDS];
        const size_t n = snapshot->bodies.n;
        softening_words(snapshot, softening);
        fprintf(sink_remarks(sink), "%s: %s, %zu %s, %s\n", sink->output, name, n,
                ky_plural(n, "body", "bodies"), softening);
    }
}

/* Limits the help to one model: only its options. */
static enum ky_status narrow(struct cli *cli, const char *name)
{
    struct ky_model_about model = {.size = sizeof model};
    struct ky_units units = {.g = 1};
    for (size_t k = 0; !ky_model_get(k, &model) && strcmp(model.name, name) != 0;)
        k++;
    if (!model.name || strcmp(model.name, name) != 0) /* the error lists all models */
        return ky_model_units(name, &units, &cli->error);
    snprintf(cli->usage, sizeof cli->usage, "%s -n N -o FILE [options]", model.name);
    cli->summary = model.help;
    model_options_narrow(cli, model.name);
    return KY_OK;
}

static const struct ky_option units_options[] = {
    CLI_UNITS(0, "units of length, mass and velocity. nbody: none; galaxy: kpc, 1e10 Msun, km/s, "
                 "and 0.978 Gyr of time; cluster: pc, Msun, km/s, and 0.978 Myr (default nbody)"),
};

/* Takes the units of --units, with the G of --g. */
static enum ky_status take_units(struct cli *cli, const char *preset, struct ky_units *units)
{
    double g = units->g; /* --g, or NaN */
    enum ky_status status = preset ? ky_units_preset(preset, units, &cli->error) : KY_OK;
    if (!isnan(g))
        units->g = g;
    return status;
}

static enum ky_status run(struct cli *cli, int argc, char **argv, int describe)
{
    struct model_options options;
    struct ky_snapshot snapshot;
    struct sink sink;
    const char *units;
    model_options_add(cli, &options);
    cli_add_table(cli, "units", units_options, &units);
    sink_add(cli, &sink);
    enum ky_status status = describe ? KY_OK : cli_parse(cli, argc, argv, 1, 1);
    if (!status && cli->help && cli->word_count)
        status = narrow(cli, cli->words[0]);
    if (status || describe || cli->help)
        return status;
    ky_snapshot_clear(&snapshot);
    options.parameters.log = cli_log;
    options.parameters.log_context = cli;
    status = take_units(cli, units, &options.parameters.units);
    if (!status)
        status = model_options_settle(cli, cli->words[0], &options.parameters.units, NULL);
    if (!status)
        status = model_options_take(cli, cli->words[0], &options);
    if (!status)
        status = sink_check(cli, &sink);
    if (!status)
        status = ky_model_make(cli->words[0], &options.parameters, &snapshot, &cli->error);
    if (!status)
        status = sink_put(cli, &sink, &snapshot);
    if (!status)
        show(cli, cli->words[0], &sink, &snapshot);
    ky_snapshot_free(&snapshot);
    return status;
}

const struct subcommand model_command = {
    "model",
    "NAME -n N -o FILE [options]",
    "make initial conditions",
    run,
    list,
    "bodies output seed softening mass radius units mass-function overwrite",
    "kyoho model plummer -n 2000 -o cluster.hdf5\n"
    "kyoho model king --w0 7 -n 500 --seed 3 -o king.csv\n"
    "kyoho model galaxy -n 20000 -o galaxy.hdf5\n"};
