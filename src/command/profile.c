/* kyoho profile: density, mass, velocities and surface density as functions of the radius. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "command/files.h"
#include "command/plotted.h"
#include "command/walks.h"

struct request {
    struct ky_parameters engine; /* only its --threads and box are used */
    struct ky_profile_parameters wanted;
    struct source source;
    struct plotted output;
};

#define FIELD(name) offsetof(struct request, name)
static const struct ky_option box_options[] = {
    {"box", KY_OPTION_REAL, FIELD(engine.box), "0", 0, DBL_MAX, NULL, "LENGTH",
     "side of a periodic box with a corner at the origin, if the file does not keep it; 0: open "
     "space [length]"},
};
static const struct ky_option output_options[] = {
    PLOTTED_OPTIONS(output, "write the table, or plot it", "plots", "all plots together", "1600")};

/* The columns, in the order of the table. */
enum {
    RADIUS,
    INNER,
    OUTER,
    BODIES,
    DENSITY,
    ENCLOSED,
    CIRCULAR,
    RADIAL,
    TANGENTIAL,
    ANISOTROPY,
    RADIAL_VELOCITY,
    ROTATION,
    SURFACE,
    COLUMNS
};

static struct table table_of(const struct ky_radial_profile *p, const struct ky_units *units,
                             struct table_column column[COLUMNS])
{
    const struct ky_dimension density = KY_DIMENSION(-3, 1, 0), surface = KY_DIMENSION(-2, 1, 0);
    const struct table_column all[COLUMNS] = {
        [RADIUS] = {"radius", KY_LENGTH_UNIT, p->radius, NULL},
        [INNER] = {"inner", KY_LENGTH_UNIT, p->edge, NULL},
        [OUTER] = {"outer", KY_LENGTH_UNIT, p->edge + 1, NULL},
        [BODIES] = {"bodies", KY_NO_UNIT, NULL, p->bodies},
        [DENSITY] = {"density", density, p->density, NULL},
        [ENCLOSED] = {"enclosed_mass", KY_MASS_UNIT, p->enclosed, NULL},
        [CIRCULAR] = {"circular_speed", KY_VELOCITY_UNIT, p->circular_speed, NULL},
        [RADIAL] = {"sigma_radial", KY_VELOCITY_UNIT, p->radial, NULL},
        [TANGENTIAL] = {"sigma_tangential", KY_VELOCITY_UNIT, p->tangential, NULL},
        [ANISOTROPY] = {"anisotropy", KY_NO_UNIT, p->anisotropy, NULL},
        [RADIAL_VELOCITY] = {"radial_velocity", KY_VELOCITY_UNIT, p->radial_velocity, NULL},
        [ROTATION] = {"rotation", KY_VELOCITY_UNIT, p->rotation, NULL},
        [SURFACE] = {"surface_density", surface, p->surface_density, NULL},
    };
    for (int c = 0; c < COLUMNS; c++)
        column[c] = all[c];
    return (struct table){column, COLUMNS, p->shells, units};
}

/* ---- the plots ---- */

/* The plots, each with up to three columns of the same unit. */
enum { CURVES = 3 };
static const struct {
    const char *label;
    int logarithmic, has_unit; /* for the vertical axis */
    int curves;
    struct {
        int radius, column;
        const char *name;
    } curve[CURVES];
} shown[] = {
    {"density", 1, 1, 1, {{RADIUS, DENSITY, NULL}}},
    {"surface density", 1, 1, 1, {{RADIUS, SURFACE, NULL}}},
    {"enclosed mass", 1, 1, 1, {{OUTER, ENCLOSED, NULL}}},
    {"velocity",
     0,
     1,
     3,
     {{OUTER, CIRCULAR, "circular"},
      {RADIUS, RADIAL, "radial"},
      {RADIUS, TANGENTIAL, "tangential"}}},
    {"anisotropy", 0, 0, 1, {{RADIUS, ANISOTROPY, NULL}}},
};
enum { PLOTS = sizeof shown / sizeof *shown };

/* A column in the units in which it is drawn; the caller frees it. */
static double *scaled(const struct table *table, int c, double factor)
{
    double *values = ky_allocate(table->rows, sizeof *values);
    for (size_t i = 0; values && i < table->rows; i++)
        values[i] = factor * table->column[c].values[i];
    return values;
}

/* 1 if the curve has a point that the axis can show. */
static int has_point(const struct ky_plot_curve *curve, int logarithmic)
{
    for (size_t i = 0; i < curve->n; i++)
        if (isfinite(curve->y[i]) && (!logarithmic || curve->y[i] > 0))
            return 1;
    return 0;
}

/* Writes the plots that have points. */
static enum ky_status plot(struct cli *cli, const struct request *request,
                           const struct table *table)
{
    char units[PLOTS + 1][KY_UNIT_TEXT];
    struct ky_plot plots[PLOTS];
    struct ky_plot_curve curves[PLOTS][CURVES];
    size_t count = 0;
    const size_t size[2] = {(size_t)request->output.width, (size_t)request->output.height};
    const double length = table_shown(table, &table->column[OUTER], units[PLOTS]);
    int failed = 0;
    for (int p = 0; p < PLOTS; p++) {
        const struct table_column *first = &table->column[shown[p].curve[0].column];
        const double factor = table_shown(table, first, units[p]);
        int points = 0;
        for (int k = 0; k < shown[p].curves; k++) {
            double *x = scaled(table, shown[p].curve[k].radius, length);
            double *y = scaled(table, shown[p].curve[k].column, factor);
            curves[p][k] = (struct ky_plot_curve){.name = shown[p].curve[k].name,
                                                  .x = x,
                                                  .y = y,
                                                  .n = table->rows,
                                                  .colour = k,
                                                  .dash = k};
            failed |= !x || !y;
            points |= y && has_point(&curves[p][k], shown[p].logarithmic);
        }
        if (points)
            plots[count++] =
                (struct ky_plot){.labels = {"radius", shown[p].label},
                                 .units = {units[PLOTS], shown[p].has_unit ? units[p] : NULL},
                                 .logarithmic = {1, shown[p].logarithmic},
                                 .curves = curves[p],
                                 .count = (size_t)shown[p].curves};
    }
    enum ky_status status =
        failed ? ky_no_memory(&cli->error, "plots", table->rows, 2 * sizeof(double))
               : ky_plot_write(request->output.output, plots, count, size, request->output.title,
                               request->output.overwrite, &cli->error);
    for (int p = 0; p < PLOTS; p++)
        for (int k = 0; k < shown[p].curves; k++) {
            free((double *)curves[p][k].x);
            free((double *)curves[p][k].y);
        }
    return status;
}

/* ---- the call ---- */

static enum ky_status write_output(struct cli *cli, const struct request *request,
                                   const struct table *table)
{
    int is_picture;
    enum ky_status status = plotted_write(cli, &request->output, table, &is_picture);
    return !status && is_picture ? plot(cli, request, table) : status;
}

static void show(const struct cli *cli, const struct ky_snapshot *snapshot,
                 const struct ky_radial_profile *profile, const struct table *table)
{
    if (cli->json) {
        struct ky_json json = {.out = stdout};
        ky_json_object(&json, NULL);
        ky_json_count(&json, "n", snapshot->bodies.n);
        ky_json_real(&json, "time", snapshot->time);
        ky_json_units(&json, &snapshot->units);
        ky_json_vector(&json, "centre", profile->centre, 3);
        ky_json_vector(&json, "velocity", profile->velocity, 3);
        table_json(&json, "shells", table);
        ky_json_end_object(&json);
    } else if (!cli->quiet) {
        char length[KY_UNIT_TEXT], velocity[KY_UNIT_TEXT];
        const double *x = profile->centre, *v = profile->velocity;
        ky_unit_text(&snapshot->units, KY_LENGTH_UNIT, length);
        ky_unit_text(&snapshot->units, KY_VELOCITY_UNIT, velocity);
        printf("%zu %s, centre %.6g %.6g %.6g%s%s, mean velocity %.6g %.6g %.6g%s%s\n",
               snapshot->bodies.n, ky_plural(snapshot->bodies.n, "body", "bodies"), x[0], x[1],
               x[2], *length ? " " : "", length, v[0], v[1], v[2], *velocity ? " " : "", velocity);
        table_print(table, 0, table->rows, stdout);
    }
}

/* Puts the last snapshot of a folder into the place of the folder's name; *files owns it. */
static enum ky_status take_last(struct cli *cli, struct file_list *files)
{
    if (!cli->word_count || !files_is_folder(cli->words[0]))
        return KY_OK;
    KY_TRY(files_add(cli, files, cli->words[0]));
    cli->words[0] = files->names[files->count - 1];
    return KY_OK;
}

static enum ky_status measure(struct cli *cli, struct request *request)
{
    char origin[ORIGIN];
    struct ky_snapshot snapshot;
    struct ky_radial_profile profile = {0};
    struct table_column column[COLUMNS];
    struct file_list files = {0};
    request->engine.g = request->wanted.g;
    ky_snapshot_clear(&snapshot);
    enum ky_status status = take_last(cli, &files);
    if (!status)
        status = plotted_check(cli, &request->output, source_file(cli, &request->source));
    if (!status)
        status = source_get(cli, &request->source, &request->engine, &snapshot, origin);
    const int comoving = request->engine.box > 0 && snapshot.space.comoving;
    request->wanted.g = request->engine.g / (comoving ? snapshot.space.scale_factor : 1);
    request->wanted.box = request->engine.box;
    if (!status)
        status = ky_profile_make(&request->wanted, &snapshot.bodies, &profile, &cli->error);
    const struct table table = table_of(&profile, &snapshot.units, column);
    if (!status)
        status = write_output(cli, request, &table);
    if (!status)
        show(cli, &snapshot, &profile, &table);
    ky_profile_free(&profile);
    ky_snapshot_free(&snapshot);
    files_free(&files);
    return status;
}

static enum ky_status run(struct cli *cli, int argc, char **argv, int describe)
{
    struct request request;
    ky_profile_parameters_defaults(&request.wanted);
    cli_add_options(cli, "profile", KY_OPTIONS_PROFILE, &request.wanted);
    cli_add_table(cli, "box", box_options, &request);
    cli_add_table(cli, "output", output_options, &request);
    cli_add_engine(cli, &request.engine);
    cli_narrow(cli, "engine", "threads");
    source_add(cli, &request.source);
    request.source.takes_box = 1;
    enum ky_status status = describe ? KY_OK : cli_parse(cli, argc, argv, 0, 1);
    return status || describe || cli->help ? status : measure(cli, &request);
}

const struct subcommand profile_command = {
    "profile",
    "FILE|FOLDER | --model NAME -n N [--shells K] [-o FILE.csv|FILE.png]",
    "measure density, mass, velocities and surface density as functions of the radius",
    run,
    NULL,
    "shells inner outer axis input model bodies output overwrite",
    "kyoho profile cluster.hdf5 -o profile.png\n"};
