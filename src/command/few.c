/* kyoho few: many systems of few bodies from a table, each integrated for itself. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/status.h"
#include "command/command.h"
#include "command/number_table.h"
#include "command/plotted.h"
#include "command/signals.h"

struct request {
    struct ky_parameters parameters;
    const char *units;
    double end, every;
    struct plotted output;
};

#define FIELD(name) offsetof(struct request, name)
static const struct ky_option options[] = {
    {"end", KY_OPTION_REAL, FIELD(end), NULL, KY_NO_RANGE, NULL, "TIME",
     "integrate from time 0 to this time; negative: backwards [time]"},
    {"every", KY_OPTION_REAL, FIELD(every), NULL, KY_ABOVE_0, NULL, "TIME",
     "give the bodies also at the multiples of this time [time]"},
    CLI_UNITS(FIELD(units), "units of the numbers (default: nbody)"),
};
static const struct ky_option output_options[] = {
    {"output", KY_OPTION_TEXT, FIELD(output.output), NULL, KY_NO_RANGE, NULL, "FILE.csv",
     "write the bodies at the asked times, a row for each, with the end of their system"},
    {"overwrite", KY_OPTION_FLAG, FIELD(output.overwrite), NULL, KY_NO_RANGE, NULL, NULL,
     "replace a file that exists"},
};

/* ---- the systems ---- */

enum { SYSTEM, MASS, X, V = X + 3, RADIUS = V + 3, INPUTS };
static const char *const inputs[INPUTS] = {"system", "mass", "x",  "y",     "z",
                                           "vx",     "vy",   "vz", "radius"};

/* The columns of the table that is written, one array each. */
enum { TIME = RADIUS, END, ENERGY_CHANGE, OUTPUTS };

struct systems {
    struct columns table;
    uint64_t *label; /* [count] */
    struct ky_few_systems all;
    double (*vectors)[3], *time, *numbers; /* memory of the arrays of `all` */
    int *ends;
};

static void free_systems(struct systems *systems)
{
    columns_free(&systems->table);
    free(systems->label);
    free(systems->vectors);
    free(systems->time);
    free(systems->numbers);
    free(systems->ends);
}

/* Finds where systems begin. They have the same number of bodies, and numbers that ascend. */
static enum ky_status divide(struct cli *cli, struct systems *systems)
{
    const size_t rows = systems->table.rows;
    const double *label = systems->table.values[SYSTEM];
    size_t n = 0;
    while (n < rows && label[n] == label[0])
        n++;
    systems->all.bodies = n;
    systems->all.count = n ? rows / n : 0; /* none for nan, which is refused below */
    systems->label = ky_allocate(systems->all.count + 1, sizeof *systems->label);
    if (!systems->label)
        return ky_no_memory(&cli->error, "systems", rows, sizeof *systems->label);
    for (size_t i = 0; i < rows; i++) {
        const double before = i ? label[i - 1] : -1;
        if (!(label[i] >= 0 && label[i] < 0x1p53 && label[i] == floor(label[i])))
            return ky_fail(&cli->error, KY_BAD_DATA,
                           "%s: row %zu has system %g; it must be a whole number from 0 to 2^53",
                           cli->words[0], i + 1, label[i]);
        if (label[i] < before)
            return ky_fail(&cli->error, KY_BAD_DATA,
                           "%s: row %zu has system %.16g after %.16g; sort the rows by system",
                           cli->words[0], i + 1, label[i], before);
        if ((label[i] != before) != (i % n == 0) || (i + 1 == rows && rows % n))
            return ky_fail(&cli->error, KY_BAD_DATA,
                           "%s: row %zu: all systems must have as many bodies as the first, %zu",
                           cli->words[0], i + 1, n);
        systems->label[i / n] = (uint64_t)label[i];
    }
    return KY_OK;
}

/* Of a table without the column: moves the others to their places and makes its rows one system. */
static enum ky_status number_rows(struct cli *cli, struct columns *table)
{
    for (int c = INPUTS - 1; c > SYSTEM; c--)
        table->values[c] = table->values[c - 1];
    table->values[SYSTEM] = ky_allocate_zeroed(table->rows + 1, sizeof(double));
    return table->values[SYSTEM]
               ? KY_OK
               : ky_no_memory(&cli->error, "systems", table->rows, sizeof(double));
}

static enum ky_status read_systems(struct cli *cli, const struct request *request,
                                   struct systems *systems)
{
    const int has_radii =
        request->parameters.stop_collision && isnan(request->parameters.body_radius);
    struct columns *table = &systems->table;
    const size_t count = has_radii ? INPUTS : RADIUS;
    if (columns_read(cli->words[0], inputs, count, table, NULL)) {
        columns_free(table);
        KY_TRY(columns_read(cli->words[0], inputs + 1, count - 1, table, &cli->error));
        KY_TRY(number_rows(cli, table));
    }
    if (table->incomplete)
        return ky_fail(&cli->error, KY_BAD_DATA, "%s: %s", cli->words[0], table->first);
    if (!table->rows)
        return ky_fail(&cli->error, KY_BAD_DATA, "%s: holds no bodies", cli->words[0]);
    if (table->units[0] && !request->units)
        return ky_fail(&cli->error, KY_USAGE, "%s has units (%s): name them by --units",
                       cli->words[0], table->units);
    return divide(cli, systems);
}

/* The multiples of --every before --end, and --end. */
static enum ky_status choose_times(struct cli *cli, const struct request *request,
                                   struct systems *systems)
{
    const double end = request->end, steps = fabs(end) / request->every;
    if (!cli_given(cli, "end") || !isfinite(end))
        return ky_fail(&cli->error, KY_USAGE, "give --end TIME");
    if (steps > 1e9)
        return ky_fail(&cli->error, KY_USAGE, "--every %g is too short for --end %g",
                       request->every, end);
    const size_t before = steps > 0 ? (size_t)(ceil(steps * (1 - 1e-14)) - 1) : 0;
    systems->all.times = before + 1;
    systems->all.time = systems->time = ky_allocate(before + 1, sizeof *systems->time);
    if (!systems->time)
        return ky_no_memory(&cli->error, "times", before + 1, sizeof *systems->time);
    for (size_t k = 0; k < before; k++)
        systems->time[k] = copysign((double)(k + 1) * request->every, end);
    systems->time[before] = end;
    return KY_OK;
}

/* Allocates the arrays and fills the bodies. */
static enum ky_status fill(struct cli *cli, struct systems *systems)
{
    struct ky_few_systems *all = &systems->all;
    double *const *values = systems->table.values;
    const size_t rows = systems->table.rows, states = rows * all->times;
    systems->vectors = ky_allocate(2 * (rows + states) + 1, sizeof *systems->vectors);
    systems->numbers = ky_allocate(3 * all->count + 1, sizeof *systems->numbers);
    systems->ends = ky_allocate(all->count + 1, sizeof *systems->ends);
    if (!systems->vectors || !systems->numbers || !systems->ends)
        return ky_no_memory(&cli->error, "states of bodies", 2 * (rows + states),
                            sizeof(double[3]));
    for (size_t i = 0; i < rows; i++)
        for (int c = 0; c < 3; c++) {
            systems->vectors[i][c] = values[X + c][i];
            systems->vectors[rows + i][c] = values[V + c][i];
        }
    all->mass = values[MASS];
    all->radius = values[RADIUS];
    all->position = (const double(*)[3])systems->vectors;
    all->velocity = (const double(*)[3])(systems->vectors + rows);
    all->positions = systems->vectors + 2 * rows;
    all->velocities = all->positions + states;
    all->ended = systems->numbers;
    all->energy_change = all->ended + all->count;
    all->steps = all->energy_change + all->count;
    all->end = systems->ends;
    return KY_OK;
}

/* ---- progress ---- */

struct line {
    double began, last;
    int terminal, shown;
};

/* The member `tell`: a line on a terminal, otherwise one now and then. */
static void show_progress(void *context, double done)
{
    struct line *line = context;
    const double now = ky_clock(), gone = now - line->began;
    const double wait = line->terminal ? 0.2 : fmin(60, fmax(2, 0.2 * gone));
    if (gone < 1 || (done < 1 ? now - line->last < wait : !line->shown))
        return;
    line->last = now;
    line->shown = 1;
    fprintf(stderr, "%ssystems: %.0f %% of the work", line->terminal ? "\r\033[K" : "", 100 * done);
    if (done < 1)
        fprintf(stderr, ", %.0f s left", gone * (1 / fmax(done, 1e-3) - 1));
    fputs(line->terminal && done < 1 ? "" : "\n", stderr);
}

/* ---- results ---- */

static enum ky_status write_table(struct cli *cli, const struct request *request,
                                  const struct systems *systems)
{
    const struct ky_few_systems *all = &systems->all;
    const size_t n = all->bodies, bodies = all->count * n, rows = bodies * all->times;
    double *real = ky_allocate(rows + 1, (OUTPUTS - 1) * sizeof *real);
    uint64_t *label = ky_allocate(rows + 1, 2 * sizeof *label);
    int is_picture;
    struct table_column column[OUTPUTS] = {
        {"system", KY_NO_UNIT, NULL, label},      {"mass", KY_MASS_UNIT, NULL, NULL},
        {"x", KY_LENGTH_UNIT, NULL, NULL},        {"y", KY_LENGTH_UNIT, NULL, NULL},
        {"z", KY_LENGTH_UNIT, NULL, NULL},        {"vx", {1, 0, -1}, NULL, NULL},
        {"vy", {1, 0, -1}, NULL, NULL},           {"vz", {1, 0, -1}, NULL, NULL},
        {"time", KY_TIME_UNIT, NULL, NULL},       {"end", KY_NO_UNIT, NULL, NULL},
        {"energy_change", KY_NO_UNIT, NULL, NULL}};
    enum ky_status status =
        real && label ? KY_OK : ky_no_memory(&cli->error, "rows", rows, OUTPUTS * sizeof *real);
    for (int c = 1; c < OUTPUTS && !status; c++)
        column[c].values = real + (size_t)(c - 1) * rows;
    if (!status)
        column[END].values = NULL, column[END].numbers = label + rows;
    for (size_t r = 0; r < rows && !status; r++) {
        const size_t s = r % bodies / n;
        const double time = all->time[r / bodies];
        label[r] = systems->label[s];
        label[rows + r] = (uint64_t)all->end[s];
        real[(MASS - 1) * rows + r] = all->mass[r % bodies];
        for (size_t c = 0; c < 3; c++) {
            real[(X - 1 + c) * rows + r] = all->positions[r][c];
            real[(V - 1 + c) * rows + r] = all->velocities[r][c];
        }
        real[(TIME - 1) * rows + r] =
            fabs(all->ended[s]) < fabs(time) ? all->ended[s] : time; /* NaN: lost */
        real[(ENERGY_CHANGE - 1) * rows + r] = all->energy_change[s];
    }
    const struct table table = {column, OUTPUTS, rows, &request->parameters.units};
    if (!status)
        status = plotted_write(cli, &request->output, &table, &is_picture);
    free(real);
    free(label);
    return status;
}

static void show(const struct cli *cli, const struct systems *systems, double seconds)
{
    static const char *const names[] = {"to_end", "escaped", "collided", "lost"};
    enum { ENDS = sizeof names / sizeof *names };
    size_t count[ENDS] = {0};
    double steps = 0, worst = 0;
    for (size_t s = 0; s < systems->all.count; s++) {
        count[systems->all.end[s]]++;
        steps += systems->all.steps[s];
        worst = fmax(worst, fabs(systems->all.energy_change[s]));
    }
    if (cli->json) {
        struct ky_json json = {.out = stdout};
        ky_json_object(&json, NULL);
        ky_json_count(&json, "systems", systems->all.count);
        ky_json_count(&json, "bodies", systems->all.bodies);
        for (int k = 0; k < ENDS; k++)
            ky_json_count(&json, names[k], count[k]);
        ky_json_real(&json, "steps", steps);
        ky_json_real(&json, "energy_change", worst);
        ky_json_real(&json, "seconds", seconds);
        ky_json_end_object(&json);
    } else if (!cli->quiet) {
        printf("%zu %s of %zu %s: %zu to the end, %zu escaped, %zu collided, %zu lost\n"
               "%.6g steps in %.3g s, largest change of an energy %.1e\n",
               systems->all.count, ky_plural(systems->all.count, "system", "systems"),
               systems->all.bodies, ky_plural(systems->all.bodies, "body", "bodies"), count[0],
               count[1], count[2], count[3], steps, seconds, worst);
    }
}

/* ---- the call ---- */

static enum ky_status settle(struct cli *cli, struct request *request)
{
    struct ky_parameters *own = &request->parameters;
    KY_TRY(ky_units_preset(request->units ? request->units : "nbody", &own->units, &cli->error));
    if (!cli_given(cli, "g"))
        own->g = own->units.g;
    KY_TRY(cli_settle(cli, &own->units));
    if (request->output.output && !ky_ends_with(request->output.output, ".csv"))
        return ky_fail(&cli->error, KY_USAGE, "%s: the name of the table must end in .csv",
                       request->output.output);
    return plotted_check(cli, &request->output, cli->words[0]);
}

/* Writes the file and the number of the system in it into the error of bad bodies. */
static enum ky_status name_system(struct cli *cli, const struct systems *systems,
                                  enum ky_status status)
{
    static const char prefix[] = "system ";
    const struct ky_error error = cli->error;
    const size_t length = sizeof prefix - 1;
    if (status != KY_BAD_DATA || strncmp(error.text, prefix, length) != 0)
        return status;
    char *end;
    const size_t s = (size_t)ky_number_real(error.text + length, &end);
    ky_fail(&cli->error, status, "%s: system %" PRIu64 "%.800s", cli->words[0], systems->label[s],
            end);
    return status;
}

static enum ky_status integrate(struct cli *cli, struct request *request, struct systems *systems)
{
    struct line line = {.began = ky_clock(), .terminal = isatty(STDERR_FILENO)};
    KY_TRY(settle(cli, request));
    KY_TRY(read_systems(cli, request, systems));
    KY_TRY(choose_times(cli, request, systems));
    KY_TRY(fill(cli, systems));
    systems->all.size = sizeof systems->all;
    systems->all.tell = cli->quiet || cli->json ? NULL : show_progress;
    systems->all.context = &line;
    signals_catch();
    request->parameters.stop = signals_stop();
    const enum ky_status status =
        ky_few_integrate(&request->parameters, &systems->all, &cli->error);
    if (line.shown && line.terminal && status)
        fputc('\n', stderr);
    if (status == KY_STOPPED)
        return ky_fail(&cli->error, status, "stopped by a signal: there are no results");
    KY_TRY(name_system(cli, systems, status));
    KY_TRY(write_table(cli, request, systems));
    show(cli, systems, ky_clock() - line.began);
    return KY_OK;
}

static enum ky_status run(struct cli *cli, int argc, char **argv, int describe)
{
    struct request request = {0};
    struct systems systems = {0};
    cli_add_table(cli, "systems", options, &request);
    cli_add_table(cli, "output", output_options, &request);
    ky_parameters_defaults(&request.parameters);
    cli_add_some(cli, "motion", KY_OPTIONS_PARAMETERS,
                 "engine threads isa g orbit-steps tolerance slow-down stop-escape stop-collision "
                 "body-radius",
                 &request.parameters);
    request.parameters.log = cli_log;
    request.parameters.log_context = cli;
    enum ky_status status = describe ? KY_OK : cli_parse(cli, argc, argv, 1, 1);
    if (!status && !describe && !cli->help)
        status = integrate(cli, &request, &systems);
    free_systems(&systems);
    return status;
}

static void more_help(const struct cli *cli, FILE *out)
{
    (void)cli;
    fputc('\n', out);
    ky_help_text(
        "FILE.csv has a line of names and a row for each body with the columns system, mass, x, y, "
        "z, vx, vy and vz, and radius for --stop-collision without --body-radius. The rows are "
        "sorted by system, a whole number, and all systems have the same number of bodies, at most "
        "100; without this column all rows are one system. Systems do not act on each other. With "
        "--stop-escape a system ends when its two "
        "outermost parts, bodies or groups, are unbound, recede and are farther from each other "
        "than this length; with --stop-collision it ends at its first contact. The written table "
        "has the same columns, and time, end (0 at --end, 1 escape, 2 collision, 3 lost, as where "
        "three bodies meet at one point) and energy_change, the relative change of the energy. At "
        "times "
        "after its end a system is as it was then. The engine auto is the CPU here; a device takes "
        "systems of at most 32 bodies, or without double only pairs; it gives the same bits, but "
        "for "
        "pairs without double; --engine cpu takes larger ones.",
        0, 0, out);
}

const struct subcommand few_command = {
    "few",
    "FILE.csv --end TIME [-o FILE.csv]",
    "integrate many systems of few bodies, such as scattering experiments",
    run,
    more_help,
    "end every stop-escape output overwrite",
    "kyoho few pair.csv --end 10 --every 1 -o pair-orbit.csv\n"};
