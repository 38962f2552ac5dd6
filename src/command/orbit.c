/* kyoho orbit: the path of one body in external fields, as numbers, a table and a picture. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "command/command.h"
#include "command/plotted.h"
#include "command/turning.h"

struct request {
    struct ky_parameters parameters;
    const char *position, *velocity, *units;
    double start, end, turn;
    int rows;
    struct plotted output;
};

#define FIELD(name) offsetof(struct request, name)
static const struct ky_option options[] = {
    {"position", KY_OPTION_TEXT, FIELD(position), NULL, KY_NO_RANGE, NULL, "X,Y,Z",
     "position of the body at the start [length]"},
    {"velocity", KY_OPTION_TEXT, FIELD(velocity), NULL, KY_NO_RANGE, NULL, "X,Y,Z",
     "its velocity there [velocity]"},
    {"start", KY_OPTION_REAL, FIELD(start), "0", KY_NO_RANGE, NULL, NULL,
     "time at the start, if fields change in time [time]"},
    {"end", KY_OPTION_REAL, FIELD(end), NULL, KY_NO_RANGE, NULL, NULL,
     "time at the end; if it is before the start the body moves backwards [time]"},
    {"rows", KY_OPTION_INTEGER, FIELD(rows), "2000", 2, 10000000, NULL, NULL,
     "number of positions, at equal intervals of time"},
    TURN_OPTION(FIELD(turn)),
    CLI_UNITS(FIELD(units),
              "units of the numbers, also in --field and in the output (default: nbody)"),
};
static const struct ky_option output_options[] = {
    PLOTTED_OPTIONS(output, "write the table, or draw the orbit from above and from the side",
                    "picture", "the picture", "1500")};

/* The columns, in the order of the table; the last one exists only with --turn. */
enum { TIME, X, Y, Z, VX, VY, VZ, ENERGY, TURNING, JACOBI, COLUMNS };

/* An orbit, stored by columns. */
struct orbit {
    size_t rows;
    double *column[COLUMNS];
    double turn; /* angular velocity of the axes */
};

static struct table table_of(const struct orbit *orbit, const struct ky_units *units,
                             struct table_column column[COLUMNS])
{
    static const struct {
        const char *name;
        struct ky_dimension unit;
    } all[COLUMNS] = {
        [TIME] = {"time", {0, 0, 1}},   [X] = {"x", {1, 0, 0}},
        [Y] = {"y", {1, 0, 0}},         [Z] = {"z", {1, 0, 0}},
        [VX] = {"vx", {1, 0, -1}},      [VY] = {"vy", {1, 0, -1}},
        [VZ] = {"vz", {1, 0, -1}},      [ENERGY] = {"energy", {2, 0, -2}},
        [TURNING] = {"lz", {2, 0, -1}}, [JACOBI] = {"jacobi", {2, 0, -2}},
    };
    for (int c = 0; c < COLUMNS; c++)
        column[c] = (struct table_column){all[c].name, all[c].unit, orbit->column[c], NULL};
    return (struct table){column, orbit->turn != 0 ? COLUMNS : JACOBI, orbit->rows, units};
}

/* ---- the orbit ---- */

static enum ky_status make_room(struct orbit *orbit, size_t rows, struct ky_error *error)
{
    double *room;
    KY_TRY(ky_array(&room, rows, COLUMNS * sizeof *room, "orbit", error));
    orbit->rows = rows;
    for (size_t c = 0; c < COLUMNS; c++)
        orbit->column[c] = room + c * rows;
    return KY_OK;
}

/* The arrays of ky_orbit. */
struct path {
    double *time, (*position)[3], (*velocity)[3], *potential;
};

static void free_path(struct path *path)
{
    free(path->time);
    free(path->position);
    free(path->velocity);
    free(path->potential);
}

/* Sets equally spaced times and the first position. */
static enum ky_status begin(const struct request *request, struct path *path,
                            struct ky_error *error)
{
    const size_t rows = (size_t)request->rows;
    path->time = ky_allocate(rows, sizeof *path->time);
    path->position = ky_allocate(rows, sizeof *path->position);
    path->velocity = ky_allocate(rows, sizeof *path->velocity);
    path->potential = ky_allocate(rows, sizeof *path->potential);
    if (!path->time || !path->position || !path->velocity || !path->potential)
        return ky_no_memory(error, "orbit", rows, 8 * sizeof(double));
    const double step = (request->end - request->start) / (double)(rows - 1);
    for (size_t k = 0; k < rows; k++)
        path->time[k] = k + 1 < rows ? fma((double)k, step, request->start) : request->end;
    double mass = 1;
    struct ky_bodies first = {
        .n = 1, .mass = &mass, .position = path->position, .velocity = path->velocity};
    memset(first.position, 0, sizeof *first.position);
    memset(first.velocity, 0, sizeof *first.velocity);
    return ky_bodies_place(&first, request->position, request->velocity, NULL,
                           &request->parameters.units, error);
}

/* Fills a row. Energies are per unit mass. */
static enum ky_status fill_row(const struct path *path, struct orbit *orbit, size_t row,
                               struct ky_error *error)
{
    double mass = 1, *x = path->position[row], *v = path->velocity[row];
    struct ky_bodies body = {
        .n = 1, .mass = &mass, .position = &path->position[row], .velocity = &path->velocity[row]};
    const double lz = x[0] * v[1] - x[1] * v[0],
                 energy = 0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + path->potential[row];
    orbit->column[TIME][row] = path->time[row];
    orbit->column[ENERGY][row] = energy;
    orbit->column[TURNING][row] = lz;
    orbit->column[JACOBI][row] = energy - orbit->turn * lz;
    const enum ky_status status = ky_bodies_turn(&body, orbit->turn, path->time[row], error);
    for (int c = 0; c < 3; c++) {
        orbit->column[X + c][row] = x[c];
        orbit->column[VX + c][row] = v[c];
    }
    return status;
}

static enum ky_status go(const struct request *request, struct orbit *orbit, struct ky_error *error)
{
    struct path path = {0};
    enum ky_status status = make_room(orbit, (size_t)request->rows, error);
    if (!status)
        status = begin(request, &path, error);
    if (!status)
        status = ky_orbit(&request->parameters, orbit->rows, path.time, path.position,
                          path.velocity, path.potential, error);
    for (size_t row = 0; row < orbit->rows && !status; row++)
        status = fill_row(&path, orbit, row, error);
    free_path(&path);
    return status;
}

/* ---- summary ---- */

/* The smallest and the largest distance from the origin, the largest |z|, and the largest relative
 * change of the energy; in rotating axes, of the Jacobi integral. */
struct shape {
    double nearest, farthest, highest, change;
};

static struct shape shape_of(const struct orbit *orbit)
{
    struct shape shape = {.nearest = (double)INFINITY};
    const double *kept = orbit->column[orbit->turn != 0 ? JACOBI : ENERGY];
    for (size_t k = 0; k < orbit->rows; k++) {
        const double x = orbit->column[X][k], y = orbit->column[Y][k], z = orbit->column[Z][k],
                     r = sqrt(x * x + y * y + z * z);
        shape.nearest = fmin(shape.nearest, r);
        shape.farthest = fmax(shape.farthest, r);
        shape.highest = fmax(shape.highest, fabs(z));
        shape.change = fmax(shape.change, fabs(kept[k] / kept[0] - 1));
    }
    return shape;
}

static void show(const struct cli *cli, const struct request *request, const struct table *table,
                 const struct shape *shape)
{
    const struct ky_units *units = &request->parameters.units;
    if (cli->json) {
        struct ky_json json = {.out = stdout};
        ky_json_object(&json, NULL);
        ky_json_units(&json, units);
        ky_json_real(&json, "pericentre", shape->nearest);
        ky_json_real(&json, "apocentre", shape->farthest);
        ky_json_real(&json, "eccentricity",
                     (shape->farthest - shape->nearest) / (shape->farthest + shape->nearest));
        ky_json_real(&json, "height", shape->highest);
        ky_json_real(&json, request->turn != 0 ? "jacobi_change" : "energy_change", shape->change);
        table_json(&json, "orbit", table);
        ky_json_end_object(&json);
    } else if (!cli->quiet) {
        char near[KY_QUANTITY_TEXT], far[KY_QUANTITY_TEXT], high[KY_QUANTITY_TEXT];
        printf("from %s to %s from the origin, up to %s from the plane z = 0; %s changes by up to "
               "%.1e of it\n",
               ky_quantity_text(units, KY_LENGTH_UNIT, shape->nearest, 4, near),
               ky_quantity_text(units, KY_LENGTH_UNIT, shape->farthest, 4, far),
               ky_quantity_text(units, KY_LENGTH_UNIT, shape->highest, 4, high),
               request->turn != 0 ? "Jacobi's integral" : "the energy", shape->change);
    }
}

/* ---- the picture ---- */

/* Two plots, y and z over x, all axes from −r to r. Two invisible curves set these ranges: each
 * alternates a corner with a gap. */
static enum ky_status draw(struct cli *cli, const struct request *request,
                           const struct table *table, const struct shape *shape)
{
    enum { SEEN = 2, CURVES = 3, AGAIN = 64 };
    static const int up[SEEN] = {Y, Z};
    char unit[KY_UNIT_TEXT];
    const double factor = ky_unit_shown(table->units, KY_LENGTH_UNIT, shape->farthest, unit);
    double corner[CURVES][AGAIN];
    for (int k = 0; k < CURVES; k++)
        for (int t = 0; t < AGAIN; t++)
            corner[k][t] = t % 2 ? (double)NAN : (2 * k - 3) * factor * shape->farthest;
    double *shown = ky_allocate(3 * table->rows, sizeof *shown);
    if (!shown)
        return ky_no_memory(&cli->error, "picture", table->rows, 3 * sizeof *shown);
    for (size_t c = 0; c < 3; c++)
        for (size_t k = 0; k < table->rows; k++)
            shown[c * table->rows + k] = factor * table->column[X + c].values[k];
    struct ky_plot_curve curves[SEEN][CURVES];
    struct ky_plot plots[SEEN];
    for (int p = 0; p < SEEN; p++) {
        for (int k = 0; k < CURVES; k++)
            curves[p][k] = (struct ky_plot_curve){.x = corner[k], .y = corner[k], .n = AGAIN};
        curves[p][0].x = shown;
        curves[p][0].y = shown + (size_t)(up[p] - X) * table->rows;
        curves[p][0].n = table->rows;
        plots[p] = (struct ky_plot){.labels = {"x", table->column[up[p]].name},
                                    .units = {unit, unit},
                                    .curves = curves[p],
                                    .count = CURVES};
    }
    enum ky_status status = ky_plot_write(
        request->output.output, plots, SEEN,
        (const size_t[2]){(size_t)request->output.width, (size_t)request->output.height},
        request->output.title, request->output.overwrite, &cli->error);
    free(shown);
    return status;
}

/* ---- the call ---- */

static enum ky_status check(struct cli *cli, const struct request *request)
{
    const char *missing = !request->parameters.field ? "--field, such as mw14 with --units galaxy"
                          : !request->position       ? "--position X,Y,Z"
                          : !request->velocity       ? "--velocity X,Y,Z"
                          : isnan(request->end)      ? "--end TIME"
                                                     : NULL;
    if (missing)
        return ky_fail(&cli->error, KY_USAGE, "give %s", missing);
    if (request->end == request->start)
        return ky_fail(&cli->error, KY_USAGE, "the orbit ends at its start, %g: give another --end",
                       request->end);
    return plotted_check(cli, &request->output, NULL);
}

/* Sets the units, and converts the numbers that have units. */
static enum ky_status settle(struct cli *cli, struct request *request)
{
    struct ky_parameters *own = &request->parameters;
    KY_TRY(ky_units_preset(request->units ? request->units : "nbody", &own->units, &cli->error));
    if (!cli_given(cli, "g"))
        own->g = own->units.g;
    return cli_settle(cli, &own->units);
}

static enum ky_status write_output(struct cli *cli, const struct request *request,
                                   const struct table *table, const struct shape *shape)
{
    int is_picture;
    enum ky_status status = plotted_write(cli, &request->output, table, &is_picture);
    return !status && is_picture ? draw(cli, request, table, shape) : status;
}

static enum ky_status work(struct cli *cli, struct request *request)
{
    struct orbit orbit = {.turn = 0};
    struct table_column column[COLUMNS];
    enum ky_status status = settle(cli, request);
    if (!status)
        status = check(cli, request);
    orbit.turn = request->turn;
    if (!status)
        status = go(request, &orbit, &cli->error);
    if (!status) {
        const struct table table = table_of(&orbit, &request->parameters.units, column);
        const struct shape shape = shape_of(&orbit);
        status = write_output(cli, request, &table, &shape);
        if (!status)
            show(cli, request, &table, &shape);
    }
    free(orbit.column[0]);
    return status;
}

static enum ky_status run(struct cli *cli, int argc, char **argv, int describe)
{
    struct request request = {0};
    cli_add_table(cli, "orbit", options, &request);
    cli_add_table(cli, "output", output_options, &request);
    cli_add_force(cli, &request.parameters);
    cli_narrow(cli, "force", "field g");
    enum ky_status status = describe ? KY_OK : cli_parse(cli, argc, argv, 0, 0);
    return status || describe || cli->help ? status : work(cli, &request);
}

const struct subcommand orbit_command = {
    "orbit",
    "--field NAME:... --position X,Y,Z --velocity X,Y,Z --end TIME [-o FILE.png]",
    "follow one body in external fields, without other bodies, and draw its orbit",
    run,
    NULL,
    "field position velocity end rows units output overwrite",
    "kyoho orbit --field mw14 --units galaxy --position 8,0,0 --velocity 0,150,50 --end 2 -o "
    "o.png\n"};
