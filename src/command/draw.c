/* kyoho draw: pictures of snapshots. */
#include "command/draw.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/status.h"

#define FIELD(name) offsetof(struct draw_request, name)
static const struct ky_option own_options[] = {
    {"output", KY_OPTION_TEXT, FIELD(output), NULL, KY_NO_RANGE, NULL, "PNG|PDF|SVG|MP4",
     "the picture, plot or film to write; the extension chooses: .png, .pdf, .svg or .mp4"},
    {"panels", KY_OPTION_COUNT, FIELD(panels), "0", 0, 64, NULL, NULL,
     "number of snapshots to draw, evenly spaced from the first to the last; 0: all files, or 3 of "
     "a folder; for trails all"},
    {"groups", KY_OPTION_TEXT, FIELD(groups), NULL, KY_NO_RANGE, NULL, "FILE",
     "draw circles around the groups of a catalogue of the snapshot, written by kyoho groups -o "
     "FILE: at their centres, with their rms radii"},
    {"live", KY_OPTION_FLAG, FIELD(live), NULL, KY_NO_RANGE, NULL, NULL,
     "follow a running simulation: draw its latest snapshot, and draw again at every new one until "
     "the run ends"},
    {"look-every", KY_OPTION_REAL, FIELD(look_every), "0.5", 0.01, 3600, NULL, "SECONDS",
     "interval at which --live checks for a new snapshot [s]"},
    {"patience", KY_OPTION_REAL, FIELD(patience), "0", 0, 1e9, NULL, "SECONDS",
     "time without a new snapshot after which --live gives up; 0: never [s]"},
};

static const struct ky_option plot_options[] = {
    {"plot", KY_OPTION_CHOICE, FIELD(plot), NULL, KY_NO_RANGE, "energy|radii|errors|table", NULL,
     "plot the energies of a run (energy.csv), the Lagrangian radii of its snapshots, the errors "
     "of accelerations: of all files against the first, or columns of a table (CSV)"},
    {"x", KY_OPTION_TEXT, FIELD(x), NULL, KY_NO_RANGE, NULL, "COLUMN",
     "column of the table for the horizontal axis"},
    {"y", KY_OPTION_TEXT, FIELD(y), NULL, KY_NO_RANGE, NULL, "COLUMNS",
     "columns of the table for the vertical axis, separated by commas"},
    {"logarithmic", KY_OPTION_CHOICE, FIELD(logarithmic), "none", KY_NO_RANGE, "none|x|y|both",
     NULL, "logarithmic axes of --plot table"},
    {"label", KY_OPTION_TEXT, FIELD(label), NULL, KY_NO_RANGE, NULL, "TEXT",
     "label of the vertical axis of --plot table; without it the name of the column, if there is "
     "only one"},
};

/* Prints the progress of a film: on a terminal a line that is overwritten, otherwise a new line now
 * and then. */
struct film_line {
    double began, told; /* ky_clock; told: when the last line was printed */
};
static void tell(void *context, size_t done, size_t frames)
{
    struct film_line *line = context;
    const int terminal = isatty(STDERR_FILENO), last = done == frames;
    const double now = ky_clock(), seconds = now - line->began;
    if (!last && now - line->told < (terminal ? 0.1 : 10))
        return;
    line->told = now;
    fprintf(stderr, "%sframe %zu of %zu, %.3g frames/s, %.0f s left%s", terminal ? "\r\033[K" : "",
            done, frames, (double)done / fmax(seconds, 1e-9),
            seconds / (double)done * (double)(frames - done), terminal && !last ? "" : "\n");
}

/* Converts the circles of a catalogue in a box to the numbers of the picture: lengths in kpc/h are
 * the comoving ones × h, and physical lengths are the comoving ones × a. */
static void scale_circles(const struct draw_request *request, const struct ky_space *space)
{
    const double factor = space->converted ? (space->comoving ? space->scale_factor : 1)
                          : space->per_h   ? space->hubble
                                           : 1;
    for (size_t k = 0; k < request->parameters->circle_count; k++)
        for (int c = 0; c < 4; c++)
            request->circles[k][c] *= factor;
}

/* Converts values with units to the units of the first snapshot, and circles in a box to its
 * numbers. Only its header is read. */
static enum ky_status settle(struct cli *cli, const struct draw_request *request, const char *file)
{
    struct ky_snapshot snapshot;
    struct reading head = *request->reading;
    head.count_above = 1;
    if (!cli_waits(cli, NULL) && !request->in_box)
        return KY_OK;
    ky_snapshot_clear(&snapshot);
    enum ky_status status = reading_get(cli, &head, file, NULL, KY_SPACE_AS_STORED, &snapshot);
    if (!status && request->in_box &&
        head.stored) { /* h is forgotten, and the numbers still have it */
        head.stored = 0;
        ky_snapshot_free(&snapshot);
        status = reading_get(cli, &head, file, NULL, KY_SPACE_AS_STORED, &snapshot);
    }
    if (!status && request->in_box)
        scale_circles(request, &snapshot.space);
    ky_snapshot_free(&snapshot);
    return status;
}

/* Makes a film of all files. *frames: their number. */
static enum ky_status draw_film(struct cli *cli, const struct draw_request *request,
                                const struct file_list *files, size_t *frames)
{
    struct ky_film_parameters film = *request->film;
    struct ky_read_options reading;
    struct film_line line = {ky_clock(), ky_clock()};
    film.progress = cli->quiet ? NULL : tell;
    film.progress_context = &line;
    *frames = film.frames ? (size_t)film.frames : files->count;
    KY_TRY(reading_how(cli, request->reading, NULL, KY_SPACE_AS_STORED, &reading));
    return ky_film(request->output, (const char *const *)files->names, files->count, &reading,
                   request->parameters, &film, &cli->error);
}

/* Makes a picture of `count` panels, from files spread evenly over the list. */
static enum ky_status draw_picture(struct cli *cli, const struct draw_request *request,
                                   const struct file_list *files, size_t count)
{
    struct ky_read_options reading;
    const char **names;
    KY_TRY(ky_array(&names, count, sizeof *names, "panels", &cli->error));
    for (size_t k = 0; k < count; k++)
        names[k] = files->names[ky_spread(k, count, files->count)];
    enum ky_status status = reading_how(cli, request->reading, NULL, KY_SPACE_AS_STORED, &reading);
    if (!status)
        status = ky_draw_files(request->output, names, count, &reading, request->parameters,
                               &cli->error);
    free(names);
    return status;
}

/* Reads the positions and radii of groups. The caller frees request->circles. KY_USAGE for a file
 * name that no catalogue has, KY_BAD_DATA for a file without groups. */
static enum ky_status read_groups(struct cli *cli, struct draw_request *request, size_t *count)
{
    static const char *const names[] = {"x", "y", "z", "radius"};
    const char *path = request->groups;
    double(**circles)[4] = &request->circles;
    struct columns table;
    if (ky_format_of_name(path) == KY_HDF5) {
        double box;
        KY_TRY(ky_catalogue_box(path, &box, &cli->error));
        request->in_box = box > 0;
        return ky_catalogue_circles(path, circles, count, &cli->error);
    }
    if (!ky_ends_with(path, ".csv"))
        return ky_fail(&cli->error, KY_USAGE,
                       "--groups: %s is neither .csv nor .hdf5; kyoho groups FILE -o GROUPS.hdf5 "
                       "writes one",
                       path);
    enum ky_status status = draw_read_columns(cli, path, names, 4, &table);
    *count = table.rows;
    request->in_box = table.box > 0;
    *circles = status ? NULL : ky_allocate(table.rows, sizeof **circles);
    if (!status && !*circles)
        status = ky_no_memory(&cli->error, "groups", table.rows, sizeof **circles);
    for (size_t g = 0; g < table.rows && !status; g++)
        for (int c = 0; c < 4; c++)
            (*circles)[g][c] = table.values[c][g];
    columns_free(&table);
    return status;
}

/* Prints a summary as one JSON object or a line. `what` and `many`: singular and plural of the
 * drawn thing, "panel" and "panels". */
static void show(const struct cli *cli, const char *output, size_t count, const char *what,
                 const char *many)
{
    if (cli->json) {
        struct ky_json json = {.out = stdout};
        ky_json_object(&json, NULL);
        ky_json_text(&json, "output", output);
        ky_json_count(&json, many, count);
        ky_json_end_object(&json);
    } else if (!cli->quiet) {
        printf("%s: %zu %s\n", output, count, ky_plural(count, what, many));
    }
}

/* Turns the words of the command line into files. *folder: 1 if one word is a folder. KY_USAGE if
 * the output is one of the files. */
static enum ky_status list_files(struct cli *cli, const char *output, struct file_list *files,
                                 int *folder)
{
    for (int k = 0; k < cli->word_count; k++) {
        *folder |= files_is_folder(cli->words[k]);
        KY_TRY(files_add(cli, files, cli->words[k]));
    }
    for (size_t k = 0; k < files->count; k++)
        KY_TRY(refuse_own_input(cli, output, files->names[k]));
    return KY_OK;
}

/* Draws a picture or a film of the snapshots. */
static enum ky_status draw_snapshots(struct cli *cli, const struct draw_request *request, int film)
{
    struct file_list files = {0};
    int folder = 0, trails = request->parameters->show == KY_SHOW_TRAILS;
    enum ky_status status = list_files(cli, request->output, &files, &folder);
    size_t count = request->panels ? (size_t)request->panels : files.count;
    if (!request->panels && folder && !trails)
        count = 3;
    if (!status && request->panels && count > files.count)
        cli_log(cli, KY_LOG_WARNING, "--panels asks for more snapshots than exist; all are drawn");
    if (count > files.count)
        count = files.count;
    if (!status && request->groups && (film || trails || count != 1))
        status = ky_fail(&cli->error, KY_USAGE,
                         "--groups marks the groups of one snapshot in a picture of it");
    if (!status)
        status = settle(cli, request, files.names[0]);
    if (!status && film)
        status = draw_film(cli, request, &files, &count);
    else if (!status)
        status = draw_picture(cli, request, &files, count);
    if (!status)
        show(cli, request->output, trails ? 1 : count, film ? "frame" : "panel",
             film ? "frames" : "panels");
    files_free(&files);
    return status;
}

/* Draws a picture that follows a run. */
static enum ky_status follow(struct cli *cli, const struct draw_request *request)
{
    size_t pictures;
    if (cli->word_count != 1)
        return ky_fail(&cli->error, KY_USAGE, "--live follows one run: give one folder, not %d",
                       cli->word_count);
    if (!files_is_folder(cli->words[0]))
        return ky_fail(&cli->error, KY_USAGE, "--live follows a run: %s is not a folder",
                       cli->words[0]);
    KY_TRY(draw_live(cli, request, cli->words[0], &pictures));
    show(cli, request->output, pictures, "picture", "pictures");
    return KY_OK;
}

/* Draws a plot with axes, of snapshots or of a table. */
static enum ky_status plot(struct cli *cli, const struct draw_request *request)
{
    static enum ky_status (*const plots[])(struct cli *, const struct draw_request *,
                                           const struct file_list *) = {[PLOT_ENERGY] = draw_energy,
                                                                        [PLOT_RADII] = draw_radii,
                                                                        [PLOT_ERRORS] = draw_errors,
                                                                        [PLOT_TABLE] = draw_table};
    const int tables = request->plot == PLOT_ENERGY || request->plot == PLOT_TABLE;
    struct file_list files = {0};
    int folder;
    enum ky_status status = ky_draw_available(request->output, &cli->error);
    for (int k = 0; k < cli->word_count && tables && !status; k++)
        status = refuse_own_input(cli, request->output, cli->words[k]);
    if (!status && !tables)
        status = list_files(cli, request->output, &files, &folder);
    if (!status)
        status = plots[request->plot](cli, request, &files);
    if (!status)
        show(cli, request->output, 1, "plot", "plots");
    files_free(&files);
    return status;
}

/* 1 if the file name is for a picture, not for a film. */
static int is_picture(const char *path)
{
    return ky_ends_with(path, ".png") || ky_ends_with(path, ".pdf") || ky_ends_with(path, ".svg");
}

/* KY_USAGE for options that have no effect on this kind of picture. */
static enum ky_status check_shown(struct cli *cli, const struct ky_draw_parameters *parameters)
{
    enum {
        DENSITY = 1 << KY_SHOW_DENSITY,
        TRAILS = 1 << KY_SHOW_TRAILS,
        STARS = 1 << KY_SHOW_STARS
    };
    static const struct {
        const char *names;
        int shown; /* bits 1 << enum ky_show: the kinds of picture to which the options apply */
        const char *what;
    } rules[] = {{"speed", 1 << KY_SHOW_VELOCITY, "--show velocity"},
                 {"trails", TRAILS, "--show trails"},
                 {"colours", DENSITY, "--show density"},
                 {"brightness range peak smooth", ~(TRAILS | STARS),
                  "a density, which trails and stars do not show"}};
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        if (!(rules[k].shown >> parameters->show & 1))
            KY_TRY(cli_refuse(cli, rules[k].names, rules[k].what));
    if (cli_given(cli, "region") && cli_given(cli, "fraction"))
        return ky_fail(&cli->error, KY_USAGE, "give --region or --fraction, not both");
    return KY_OK;
}

/* KY_USAGE for an output that is neither a picture nor (if one is possible here) a film, and for
 * options that do not apply to it. */
static enum ky_status check_output(struct cli *cli, const struct draw_request *request, int film)
{
    int plot = request->plot >= 0;
    if (!request->output)
        return ky_fail(&cli->error, KY_USAGE, "no output: give -o FILE.png");
    if ((!film || plot) && !is_picture(request->output))
        return ky_fail(
            &cli->error, KY_USAGE,
            "%s: pictures and plots are PNG, PDF or SVG files, films are MP4 files; give "
            "a name that ends in .png, .pdf, .svg or .mp4",
            request->output);
    enum ky_status status = KY_OK;
    if (film)
        status = cli_refuse(cli, "panels columns live look-every patience", "a picture");
    else
        status = cli_refuse(cli, "rate frames turn-to tilt-to region-to at-once", "a film (.mp4)");
    if (!status && !film)
        status = cli_refuse(cli, request->live ? "panels columns groups" : "look-every patience",
                            request->live ? "panels" : "--live");
    if (!status && plot)
        status =
            cli_refuse(cli,
                       "panels columns live show axis turn tilt region centre-x centre-y centre-z "
                       "about fraction slab colours brightness range peak smooth speed trails "
                       "divide rim groups",
                       "a picture of snapshots, not a plot");
    if (!status && (request->plot == PLOT_ENERGY || request->plot == PLOT_TABLE))
        status = cli_refuse(cli, "physical types renumber", "snapshots to read");
    if (!status && request->plot != PLOT_TABLE)
        status = cli_refuse(cli, "x y logarithmic label", "--plot table");
    if (!status && !plot)
        status = check_shown(cli, request->parameters);
    if (!status && request->live && request->parameters->show == KY_SHOW_TRAILS)
        return ky_fail(&cli->error, KY_USAGE, "--live shows no trails");
    return status ? status
                  : ky_file_may_write(request->output, request->parameters->overwrite, &cli->error);
}

/* Chooses the shown quantity and the border where they depend on the output and on other options:
 * options about densities choose densities, and films have no axes. */
static void choose_shown(const struct cli *cli, int film, struct ky_draw_parameters *parameters)
{
    static const char *const of_density[] = {"colours", "brightness", "range", "peak", "smooth"};
    for (size_t k = 0; k < sizeof of_density / sizeof *of_density; k++)
        if (parameters->show == KY_SHOW_AUTO && cli_given(cli, of_density[k]))
            parameters->show = KY_SHOW_DENSITY;
    if (film && !cli_given(cli, "rim"))
        parameters->rim = KY_RIM_SCALE;
}

/* Pictures of a run follow its bodies, unless the view is fixed by options. */
static void follow_runs(const struct cli *cli, struct ky_draw_parameters *parameters)
{
    int folder = 0, fixed = parameters->show == KY_SHOW_TRAILS;
    for (int k = 0; k < cli->word_count; k++)
        folder |= files_is_folder(cli->words[k]);
    for (int c = 0; c < 3; c++)
        fixed |= !isnan(parameters->centre[c]);
    if (folder && !fixed && !parameters->about)
        parameters->about = "auto";
}

static enum ky_status run(struct cli *cli, int argc, char **argv, int describe)
{
    struct ky_draw_parameters parameters;
    struct reading reading;
    struct draw_request request;
    struct ky_film_parameters wanted;
    ky_draw_parameters_defaults(&parameters);
    ky_film_parameters_defaults(&wanted);
    parameters.log = cli_log, parameters.log_context = cli;
    cli_add_table(cli, "picture", own_options, &request);
    cli_add_table(cli, "plot", plot_options, &request);
    cli_add_options(cli, "film", KY_OPTIONS_FILM, &wanted);
    cli_add_options(cli, "drawing", KY_OPTIONS_DRAW, &parameters);
    reading_add(cli, &reading);
    enum ky_status status = describe ? KY_OK : cli_parse(cli, argc, argv, 1, INT_MAX);
    if (status || describe || cli->help)
        return status;
    reading.may_be_empty = cli->word_count > 1 || files_is_folder(cli->words[0]);
    request.reading = &reading, request.parameters = &parameters, request.film = &wanted;
    int film = request.output && ky_ends_with(request.output, ".mp4");
    choose_shown(cli, film, &parameters);
    status = check_output(cli, &request, film);
    if (status)
        return status;
    if (request.plot >= 0)
        return plot(cli, &request);
    follow_runs(cli, &parameters);
    request.circles = NULL, request.in_box = 0;
    if (request.groups)
        status = read_groups(cli, &request, &parameters.circle_count);
    parameters.circles = (const double(*)[4])request.circles;
    if (!status)
        status = request.live ? follow(cli, &request) : draw_snapshots(cli, &request, film);
    free(request.circles);
    return status;
}

const struct subcommand draw_command = {
    "draw",
    "FILE… | FOLDER… -o PNG|PDF|SVG|MP4 [--live | --plot WHAT] [options]",
    "draw snapshots (density, components, velocities, trails) as pictures and films, and plot runs",
    run,
    NULL,
    "output panels plot show width height region axis colours title live overwrite",
    "kyoho draw first -o first.png\n"
    "kyoho draw first --plot energy -o energy.png\n"
    "kyoho draw galaxy.hdf5 --show components --tilt 60 -o galaxy.png\n"};
