/* The source of the bodies, and the output. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/status.h"
#include "base/units.h"
#include "command/command.h"

#define FIELD(name) offsetof(struct source, name)
static const struct ky_option source_options[] = {
    {"input", KY_OPTION_TEXT, FIELD(input), NULL, KY_NO_RANGE, NULL, "FILE",
     "snapshot with the bodies"},
    {"model", KY_OPTION_TEXT, FIELD(model), NULL, KY_NO_RANGE, NULL, "NAME",
     "make the bodies in memory; `kyoho help model` lists the models"},
    CLI_UNITS(FIELD(units), "units of a model, or of a file without units"),
};

void source_add(struct cli *cli, struct source *source)
{
    source->may_wait = 0;
    source->later = NULL;
    source->takes_box = 0;
    cli_add_table(cli, "bodies", source_options, source);
    reading_add(cli, &source->reading);
    model_options_add(cli, &source->options);
}

const char *source_file(const struct cli *cli, const struct source *source)
{
    return source->model ? NULL : cli->word_count ? cli->words[0] : source->input;
}

int source_has_seed(const struct source *source)
{
    return source->model && model_takes(source->model, "seed");
}

/* Writes the model and its options: "king -n 50 --seed 1 --w0 9". */
static void describe(const struct cli *cli, const struct source *source, char origin[ORIGIN])
{
    const uint64_t n = source->options.parameters.n;
    int used = snprintf(origin, ORIGIN, n ? "%s -n %" PRIu64 : "%s", source->model, n);
    for (size_t s = 0; s < cli->count; s++)
        for (size_t k = 0; k < cli->sets[s].count && used < ORIGIN; k++) {
            const struct ky_option *option = &cli->sets[s].options[k];
            char text[64];
            int told = (!strcmp(option->name, "seed") && source_has_seed(source)) ||
                       (cli_given(cli, option->name) && strcmp(option->name, "bodies") != 0);
            if (!told || strcmp(cli->sets[s].title, "model") != 0)
                continue;
            ky_option_text(option, cli->sets[s].values, text, sizeof text);
            used +=
                snprintf(origin + used, (size_t)(ORIGIN - used), " --%s %s", option->name, text);
        }
}

/* KY_USAGE for units in an interval that is given in ln a, which has none. */
static enum ky_status check_intervals(struct cli *cli, const struct ky_parameters *parameters)
{
    static const char *const names[] = {"step", "every", "energy-every"};
    for (size_t k = 0; k < sizeof names / sizeof *names && parameters->expansion; k++)
        if (cli_waits(cli, names[k]))
            return ky_fail(&cli->error, KY_USAGE,
                           "--%s: with --expansion it is an interval of ln a, which has no unit",
                           names[k]);
    return KY_OK;
}

/* The first option of a time or interval that was given with a unit, or NULL. */
static const char *find_timed(const struct cli *cli)
{
    static const char *const names[] = {"end", "at", "step", "every", "energy-every"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (cli_waits(cli, names[k]))
            return names[k];
    return NULL;
}

/* KY_USAGE for a time with a unit (`timed`: its option) where times are scale factors. */
static enum ky_status check_times(struct cli *cli, const char *timed,
                                  const struct ky_parameters *parameters,
                                  const struct ky_space *space)
{
    const int comoving = space->comoving && space->converted == KY_TO_COMOVING;
    if (!timed || !(comoving || (parameters->box > 0 && parameters->expansion)))
        return KY_OK;
    return ky_fail(&cli->error, KY_USAGE,
                   "--%s: times of a comoving box are scale factors, and intervals are of ln a; "
                   "neither has a unit",
                   timed);
}

/* Makes the model in memory, with the units, G and softening of the command line. */
static enum ky_status make(struct cli *cli, struct source *source, struct ky_parameters *parameters,
                           struct ky_snapshot *snapshot, char origin[ORIGIN])
{
    struct ky_model_parameters *model = &source->options.parameters;
    if (source->units && ky_units_preset(source->units, &model->units, &cli->error) != KY_OK)
        return KY_USAGE;
    if (cli_given(cli, "g"))
        model->units.g = parameters->g;
    struct ky_units units;
    KY_TRY(model_options_settle(cli, source->model, &model->units, &units));
    parameters->units = units;
    model->softening = parameters->softening;
    model->softening_kind = parameters->softening_kind;
    model->log = cli_log;
    model->log_context = cli;
    enum ky_status status = model_options_take(cli, source->model, &source->options);
    if (!status)
        status = source->may_wait
                     ? ky_source_model(source->model, model, &source->later, snapshot, &cli->error)
                     : ky_model_make(source->model, model, snapshot, &cli->error);
    const int by_mass = model->mass_function != KY_MASS_EQUAL && units.mass_g > 0 &&
                        !isnan(model->mass) &&
                        !model->n; /* the mass function chooses the number each time */
    if (!status && !by_mass)
        model->n = snapshot->bodies.n; /* the model may have chosen the number */
    describe(cli, source, origin);
    return status;
}

/* KY_USAGE for bodies from two sources, and for a model's options with a file. */
static enum ky_status check_source(struct cli *cli, const struct source *source)
{
    const char *file = cli->word_count ? cli->words[0] : NULL;
    if (file && source->input)
        return ky_fail(&cli->error, KY_USAGE, "two files with bodies, %s and %s; give one", file,
                       source->input);
    if (!file && !source->input && !source->model)
        return ky_fail(&cli->error, KY_USAGE, "no bodies: give a file or --model NAME -n N");
    if (source->model && (file || source->input))
        return ky_fail(&cli->error, KY_USAGE,
                       "bodies from a file, %s, and from --model %s; give one of the two",
                       file ? file : source->input, source->model);
    const struct reading *reading = &source->reading;
    if (source->model && (reading->types || reading->physical || reading->stored ||
                          reading->renumber || reading->convention))
        return ky_fail(
            &cli->error, KY_USAGE,
            "--types, --physical, --as-stored, --convention and --renumber belong to a file; the "
            "bodies come from a --model");
    const char *name = source->model ? NULL : model_options_given(cli, NULL);
    if (name)
        return ky_fail(&cli->error, KY_USAGE,
                       "--%s belongs to a --model; the bodies come from a file", name);
    return KY_OK;
}

enum ky_status source_units(struct cli *cli, const char *file, const char *preset, double g,
                            struct ky_units *units, int made_for_g)
{
    struct ky_units wanted;
    char line[KY_REMARK];
    if (preset && ky_units_preset(preset, &wanted, &cli->error))
        return KY_USAGE;
    if (preset && (units->length_cm > 0 || wanted.length_cm > 0)) {
        if (units->length_cm > 0 && !ky_units_agree(units, &wanted))
            return ky_fail(&cli->error, KY_USAGE,
                           "%s: its units are %.7g cm, %.5g g and %.7g cm/s; --units %s, which is "
                           "%.7g cm, %.5g g and %.7g cm/s, contradicts them",
                           file, units->length_cm, units->mass_g, units->velocity_cm_s, preset,
                           wanted.length_cm, wanted.mass_g, wanted.velocity_cm_s);
        if (!(units->length_cm > 0) && made_for_g)
            return ky_fail(&cli->error, KY_USAGE,
                           "%s: its velocities belong to N-body units with G = %g, not to --units "
                           "%s; make the model with --units",
                           file, units->g, preset);
        if (!(units->length_cm > 0)) {
            ky_format(line, sizeof line,
                      "%s gives no units; its lengths, masses and velocities are read in the units "
                      "of --units %s",
                      file, preset);
            cli_log(cli, KY_LOG_INFO, line);
            *units = wanted;
        }
    }
    if (isnan(g) || g == units->g)
        return KY_OK;
    const double before = units->g;
    units->g = g;
    KY_TRY(ky_units_check(units, &cli->error));
    if ((made_for_g || units->length_cm > 0)) {
        ky_format(line, sizeof line, "G = %.6g replaces %.6g, for which %s was made", g, before,
                  file);
        cli_log(cli, KY_LOG_WARNING, line);
    }
    return KY_OK;
}

/* Reads the bodies, or only opens the file if they may wait. */
static enum ky_status read_file(struct cli *cli, struct source *source, const char *file,
                                struct ky_snapshot *snapshot)
{
    const enum ky_space_reading usual = source->takes_box ? KY_SPACE_IN_BOX : KY_SPACE_REFUSED;
    struct ky_units units;
    struct ky_read_options options;
    if (source->units)
        KY_TRY(ky_units_preset(source->units, &units, &cli->error));
    const struct ky_units *given = source->units ? &units : NULL;
    if (!source->may_wait)
        return reading_get(cli, &source->reading, file, given, usual, snapshot);
    KY_TRY(reading_how(cli, &source->reading, given, usual, &options));
    return ky_source_file(file, &options, &source->later, snapshot, &cli->error);
}

/* Takes the box of the file. KY_USAGE if --box contradicts it. */
static enum ky_status take_box(struct cli *cli, const struct source *source,
                               const struct ky_space *space, struct ky_parameters *parameters)
{
    if (!source->takes_box || space->converted == KY_TO_PHYSICAL || !(space->box > 0))
        return KY_OK;
    if (cli_given(cli, "box") && fabs(parameters->box / space->box - 1) > 1e-6)
        return ky_fail(&cli->error, KY_USAGE,
                       "--box %.9g, but the file has a periodic box of side %.9g: leave out --box, "
                       "or treat its numbers as open space with --as-stored",
                       parameters->box, space->box);
    parameters->box = space->box;
    return KY_OK;
}

enum ky_status source_get(struct cli *cli, struct source *source, struct ky_parameters *parameters,
                          struct ky_snapshot *snapshot, char origin[ORIGIN])
{
    const char *file = source_file(cli, source), *timed = find_timed(cli);
    ky_snapshot_clear(snapshot);
    KY_TRY(check_source(cli, source));
    KY_TRY(check_intervals(cli, parameters));
    if (file) {
        snprintf(origin, ORIGIN, "%s", file);
        KY_TRY(read_file(cli, source, file, snapshot));
    } else {
        KY_TRY(make(cli, source, parameters, snapshot, origin));
    }
    if (file)
        KY_TRY(source_units(cli, file, source->units,
                            cli_given(cli, "g") ? parameters->g : (double)NAN, &snapshot->units,
                            snapshot->softening_kind >= 0));
    if (file)
        KY_TRY(cli_settle(cli, &snapshot->units));
    if (file)
        parameters->units = snapshot->units;
    KY_TRY(take_box(cli, source, &snapshot->space, parameters));
    KY_TRY(check_times(cli, timed, parameters, &snapshot->space));
    if (snapshot->units.g > 0)
        parameters->g = snapshot->units.g;
    return KY_OK;
}

/* For a plan, bodies up to this number are made or read, since that takes hardly any time. */
enum { LARGEST_MADE = 100000 };

enum ky_status source_plan(struct cli *cli, struct source *source, struct ky_parameters *parameters,
                           struct ky_snapshot *snapshot, char origin[ORIGIN])
{
    uint64_t *n = &source->options.parameters.n, wanted = *n;
    int count_alone = source->model && wanted > LARGEST_MADE;
    if (count_alone)
        *n = 1000; /* enough to check the model and its options */
    source->reading.count_above = LARGEST_MADE;
    enum ky_status status = source_get(cli, source, parameters, snapshot, origin);
    *n = wanted;
    if (status || !count_alone)
        return status;
    ky_bodies_free(&snapshot->bodies);
    snapshot->bodies.n = (size_t)wanted;
    return KY_OK;
}

enum ky_status source_soften(struct cli *cli, struct ky_parameters *parameters,
                             struct ky_snapshot *snapshot, char remark[KY_REMARK])
{
    KY_TRY(ky_softening_choose(parameters, snapshot, remark, &cli->error));
    snapshot->softening = parameters->softening;
    snapshot->softening_kind = parameters->softening_kind;
    if (!isnan(parameters->softening)) {
        free(snapshot->bodies.softening);
        snapshot->bodies.softening = NULL;
    }
    return KY_OK;
}

/* 1 for options that are written separately from the other given options. */
static int is_told(const char *name)
{
    return !strcmp(name, "input") || !strcmp(name, "bodies") || !strcmp(name, "seed");
}

/* The absolute path of a file; "-" stays. The common name of a snapshot in several files is not
 * itself a file, so it is appended to the current folder. The caller frees it; NULL if memory runs
 * out. */
static char *whole_path(const char *file)
{
    char *path = ky_is_standard(file) ? NULL : realpath(file, NULL);
    if (path)
        return path;
    char *here = *file == '/' || ky_is_standard(file) ? NULL : realpath(".", NULL);
    size_t room = (here ? strlen(here) + 1 : 0) + strlen(file) + 1;
    path = malloc(room);
    if (path)
        snprintf(path, room, "%s%s%s", here ? here : "", here ? "/" : "", file);
    free(here);
    return path;
}

/* Writes "name=value", with backslash and newline in the value as \\ and \n. */
static void write_line(FILE *out, const char *name, const char *value)
{
    fprintf(out, "%s=", name);
    for (; *value; value++)
        if (*value == '\n' || *value == '\\')
            fputs(*value == '\n' ? "\\n" : "\\\\", out);
        else
            fputc(*value, out);
    fputc('\n', out);
}

char *source_text(const struct cli *cli, const struct source *source)
{
    static const char *const titles[] = {"bodies", "reading", "model"};
    const char *file = source_file(cli, source);
    char *text = NULL, *path = file ? whole_path(file) : NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    if (path)
        write_line(out, "input", path);
    if (source->model && source->options.parameters.n) /* even if it is the default */
        fprintf(out, "bodies=%" PRIu64 "\n", source->options.parameters.n);
    if (source_has_seed(source))
        fprintf(out, "seed=%" PRIu64 "\n", source->options.parameters.seed);
    for (size_t s = 0; s < cli->count; s++)
        for (size_t k = 0; k < cli->sets[s].count; k++) {
            const struct ky_option *option = &cli->sets[s].options[k];
            char value[4096];
            int told = 0;
            for (size_t t = 0; t < sizeof titles / sizeof *titles; t++)
                told |= !strcmp(cli->sets[s].title, titles[t]);
            if (!told || !cli->sets[s].given[k] || is_told(option->name) ||
                !ky_options_is_first(cli->sets, cli->count, &cli->sets[s], option))
                continue; /* already written */
            ky_option_text(option, cli->sets[s].values, value, sizeof value);
            write_line(out, option->name, value);
        }
    free(path);
    if (!fclose(out))
        return text;
    free(text);
    return NULL;
}

/* ---- output ---- */

#undef FIELD
#define FIELD(name) offsetof(struct sink, name)
/* The words of --format and their formats. */
#define FORMATS "by-name|hdf5|tipsy|csv"
static const enum ky_format formats[] = {KY_FORMAT_BY_NAME, KY_HDF5, KY_TIPSY, KY_CSV};

static const struct ky_option sink_options[] = {
    {"output", KY_OPTION_TEXT, FIELD(output), NULL, KY_NO_RANGE, NULL, "FILE",
     "the snapshot to write"},
    {"format", KY_OPTION_CHOICE, FIELD(format), "by-name", KY_NO_RANGE, FORMATS, NULL,
     "format of the file; by-name: by its ending, .hdf5, .tipsy or .csv"},
    {"compress", KY_OPTION_FLAG, FIELD(compress), NULL, KY_NO_RANGE, NULL, NULL, "compress HDF5"},
    {"overwrite", KY_OPTION_FLAG, FIELD(overwrite), NULL, KY_NO_RANGE, NULL, NULL,
     "replace a file that exists"},
};

void sink_add(struct cli *cli, struct sink *sink)
{
    cli_add_table(cli, "output", sink_options, sink);
}

enum ky_status sink_check(struct cli *cli, const struct sink *sink)
{
    if (!sink->output)
        return ky_fail(&cli->error, KY_USAGE, "no output: give -o FILE");
    if (ky_is_standard(sink->output))
        return cli->json ? ky_fail(&cli->error, KY_USAGE,
                                   "-o - and --json both use standard output; give -o FILE")
                         : KY_OK;
    return ky_file_may_write(sink->output, sink->overwrite, &cli->error);
}

enum ky_status refuse_own_input(struct cli *cli, const char *output, const char *input)
{
    struct stat one, other;
    if (!input || stat(output, &one) || stat(input, &other) || one.st_dev != other.st_dev ||
        one.st_ino != other.st_ino)
        return KY_OK;
    return ky_fail(&cli->error, KY_USAGE,
                   "%s is the input, which would be overwritten; give the output another name",
                   output);
}

FILE *sink_remarks(const struct sink *sink)
{
    return sink->output && ky_is_standard(sink->output) ? stderr : stdout;
}

/* Logs that only HDF5 keeps the cosmology and the box of these bodies, if another format is
 * written. */
static void tell_universe(struct cli *cli, const struct ky_write_options *options,
                          const char *output, const struct ky_snapshot *snapshot)
{
    char line[KY_REMARK];
    const int hdf5 = options->format == KY_HDF5 ||
                     (options->format == KY_FORMAT_BY_NAME && ky_format_of_name(output) == KY_HDF5);
    const struct ky_space *space = &snapshot->space;
    const int has_universe =
                  snapshot->units.length_cm > 0 && space->hubble > 0 && space->omega_matter > 0,
              is_in_box = space->box > 0 && space->converted != KY_TO_PHYSICAL,
              expands = is_in_box && space->comoving && has_universe;
    if (hdf5)
        return;
    if (is_in_box) {
        ky_format(line, sizeof line,
                  "%s does not store the periodic box%s, as HDF5 files do: give --box %.9g",
                  ky_is_standard(output) ? "the output" : output,
                  expands ? " and its universe" : "", space->box);
        if (expands)
            ky_format(line + strlen(line), sizeof line - strlen(line),
                      " --expansion omega-m=%.9g,omega-lambda=%.9g,h0=%.9gkm/s/Mpc",
                      space->omega_matter, space->omega_lambda, 100 * space->hubble);
        ky_format(line + strlen(line), sizeof line - strlen(line), " with it");
        cli_log(cli, KY_LOG_WARNING, line);
    }
    if (expands || !has_universe || !(space->omega_lambda > 0))
        return;
    ky_format(line, sizeof line,
              "%s does not store the cosmology of the bodies, as HDF5 files do: runs of this file "
              "have no cosmological constant unless --expansion or --field lambda gives it",
              ky_is_standard(output) ? "the output" : output);
    cli_log(cli, KY_LOG_WARNING, line);
}

enum ky_status sink_put(struct cli *cli, const struct sink *sink,
                        const struct ky_snapshot *snapshot)
{
    struct ky_write_options options;
    ky_write_options_defaults(&options);
    options.format = (int)formats[sink->format];
    options.compress = sink->compress;
    options.overwrite = sink->overwrite;
    tell_universe(cli, &options, sink->output, snapshot);
    return ky_snapshot_write(sink->output, snapshot, &options, &cli->error);
}
