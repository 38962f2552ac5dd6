/* Where bodies come from and where they go. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "command/command.h"
#include "models/models.h"

#define FIELD(name) offsetof(struct source, name)
static const struct ky_option source_options[] = {
    {"input", KY_OPTION_TEXT, FIELD(input), NULL, KY_NO_RANGE, NULL, "FILE",
     "a snapshot with the bodies"},
    {"model", KY_OPTION_TEXT, FIELD(model), NULL, KY_NO_RANGE, NULL, "NAME",
     "a model made in memory in place of a file; `kyoho model --help` names them"},
    {"units", KY_OPTION_TEXT, FIELD(units), NULL, KY_NO_RANGE, NULL, "nbody|galaxy|cluster",
     "units of bodies that bring none"},
};

void source_add(struct cli *cli, struct source *source)
{
    cli_add(cli, "bodies", source_options, sizeof source_options / sizeof *source_options, source);
    ky_model_parameters_defaults(&source->parameters);
    cli_add(cli, "model", ky_model_options, ky_model_option_count, &source->parameters);
}

static enum ky_status make(struct cli *cli, struct source *source,
                           const struct ky_parameters *parameters, struct ky_snapshot *snapshot,
                           char origin[256])
{
    source->parameters.softening = parameters->softening;
    source->parameters.softening_kind = parameters->softening_kind;
    enum ky_status status = model_check_options(cli, source->model);
    snprintf(origin, 256, "%s -n %" PRIu64 " --seed %" PRIu64, source->model, source->parameters.n,
             source->parameters.seed);
    return status ? status
                  : ky_model_make(source->model, &source->parameters, snapshot, &cli->error);
}

enum ky_status source_get(struct cli *cli, struct source *source, const char *file,
                          struct ky_parameters *parameters, struct ky_snapshot *snapshot,
                          char origin[256])
{
    struct ky_units units;
    enum ky_status status = KY_OK;
    ky_snapshot_clear(snapshot);
    if (!file)
        file = source->input;
    if (!file == !source->model)
        return ky_fail(&cli->error, KY_USAGE,
                       "which bodies? give a file or --model NAME -n N, and not both");
    if (source->units)
        status = ky_units_preset(source->units, &units, &cli->error);
    if (status)
        return status;
    if (file) {
        snprintf(origin, 256, "%s", file);
        status = ky_snapshot_read(file, snapshot, &cli->error);
    } else {
        status = make(cli, source, parameters, snapshot, origin);
    }
    if (!status && source->units) {
        if (snapshot->units.length_cm > 0 && snapshot->units.length_cm != units.length_cm)
            return ky_fail(&cli->error, KY_USAGE,
                           "%s brings its own units; --units %s contradicts them", file,
                           source->units);
        snapshot->units = units;
    }
    if (!status && !cli_given(cli, "g") && snapshot->units.g > 0)
        parameters->g = snapshot->units.g;
    return status;
}

/* ---- output ---- */

#undef FIELD
#define FIELD(name) offsetof(struct sink, name)
static const struct ky_option sink_options[] = {
    {"output", KY_OPTION_TEXT, FIELD(output), NULL, KY_NO_RANGE, NULL, "FILE",
     "the snapshot to write; -o for short"},
    {"format", KY_OPTION_CHOICE, FIELD(format), "by-name", KY_NO_RANGE,
     "by-name|hdf5|tipsy|gadget1|gadget2|csv", NULL, "its format; by-name: .hdf5 .tipsy .csv"},
    {"compress", KY_OPTION_FLAG, FIELD(compress), NULL, KY_NO_RANGE, NULL, NULL, "compress HDF5"},
    {"overwrite", KY_OPTION_FLAG, FIELD(overwrite), NULL, KY_NO_RANGE, NULL, NULL,
     "replace a file that exists"},
};

void sink_add(struct cli *cli, struct sink *sink)
{
    cli_add(cli, "output", sink_options, sizeof sink_options / sizeof *sink_options, sink);
}

enum ky_status sink_check(struct cli *cli, const struct sink *sink)
{
    if (!sink->output)
        return ky_fail(&cli->error, KY_USAGE, "where to? give -o FILE");
    if (!sink->overwrite && !access(sink->output, F_OK))
        return ky_fail(&cli->error, KY_USAGE, "%s exists; --overwrite replaces it", sink->output);
    return KY_OK;
}

enum ky_status sink_put(struct cli *cli, const struct sink *sink,
                        const struct ky_snapshot *snapshot)
{
    struct ky_write_options options;
    ky_write_options_defaults(&options);
    options.format = sink->format;
    options.compress = sink->compress;
    options.overwrite = sink->overwrite;
    return ky_snapshot_write(sink->output, snapshot, &options, &cli->error);
}
