/* Plots of runs: energies and Lagrangian radii. Each run has its own dash pattern, each quantity
 * its own colour and marker. Numbers are converted to the units of the first run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/quantity.h"
#include "base/status.h"
#include "base/units.h"
#include "command/draw.h"

enum { RUNS_MOST = KY_DASHES }; /* each has its own dashes */

struct run {
    const char *name; /* in the legend */
    struct ky_units units;
    int comoving; /* times are scale factors */
};

/* Names the runs: the last component of their paths, or the whole word where two last components
 * are equal. */
static void name_runs(struct run *runs, size_t count, const char *const *words)
{
    int same = 0;
    for (size_t r = 0; r < count; r++) {
        const char *slash = strrchr(words[r], '/');
        runs[r].name = slash && slash[1] ? slash + 1 : words[r];
        for (size_t other = 0; other < r; other++)
            same |= !strcmp(runs[r].name, runs[other].name);
    }
    for (size_t r = 0; r < count && same; r++)
        runs[r].name = words[r];
}

static enum ky_status too_many(struct cli *cli)
{
    return ky_fail(&cli->error, KY_USAGE, "a plot takes at most %d runs", RUNS_MOST);
}

/* The factor from the numbers of run r to the unit of the axis, whose name is written. `largest`:
 * the largest value, in the units of the first run. */
static double unit_of(const struct run *runs, size_t r, struct ky_dimension dimension,
                      double largest, char name[KY_UNIT_TEXT])
{
    if (runs[0].comoving && dimension.time == 1) {
        *name = '\0';
        return 1;
    }
    const double first = ky_unit_shown(&runs[0].units, dimension, largest, name);
    const double scale = ky_unit_cgs(&runs[0].units, dimension);
    return scale > 0 ? first * (ky_unit_cgs(&runs[r].units, dimension) / scale) : first;
}

/* The name of the axis of times. */
static const char *clock_of(const struct run *runs)
{
    return runs[0].comoving ? "scale factor" : "time";
}

/* KY_BAD_DATA if some runs have units and others have none. */
static enum ky_status check_units(struct cli *cli, const struct run *runs, size_t count)
{
    for (size_t r = 1; r < count; r++) {
        const int here = ky_unit_cgs(&runs[r].units, KY_LENGTH_UNIT) > 0;
        if (here != (ky_unit_cgs(&runs[0].units, KY_LENGTH_UNIT) > 0))
            return ky_fail(&cli->error, KY_BAD_DATA,
                           "%s has units and %s has none, so they have no common axes; kyoho "
                           "convert --units gives them some",
                           runs[here ? r : 0].name, runs[here ? 0 : r].name);
    }
    return KY_OK;
}

/* The largest absolute value, in the units of the first run; `scale` converts to these. */
static double largest_of(const double *values, size_t n, double scale, double largest)
{
    for (size_t i = 0; i < n; i++)
        if (isfinite(values[i]))
            largest = fmax(largest, fabs(values[i]) * scale);
    return largest;
}

static void multiply(double *values, size_t n, double by)
{
    for (size_t i = 0; i < n; i++)
        values[i] *= by;
}

/* Adds a line for each run to the legend; a single run needs no legend. */
static size_t add_runs(struct ky_plot_curve *curves, size_t used, const struct run *runs,
                       size_t count)
{
    for (size_t r = 0; r < count && count > 1; r++)
        curves[used++] = (struct ky_plot_curve){.name = runs[r].name, .colour = -1, .dash = (int)r};
    return used;
}

/* ---- energies ---- */

enum { TIME, KINETIC, POTENTIAL, TOTAL, CHANGE, QUANTITIES, EXTERNAL = QUANTITIES };

/* Reads energy.csv of a run, or such a table; the units come from the snapshots in the same
 * folder. */
static enum ky_status read_energies(struct cli *cli, const struct draw_request *request,
                                    const char *word, struct columns *table, struct run *run)
{
    static const char *const names[QUANTITIES] = {"time", "kinetic", "potential", "energy", "de"};
    const int folder = files_is_folder(word);
    char path[FILES_PATH];
    int length = ky_format(path, sizeof path, "%s%s", word, folder ? "/energy.csv" : "");
    if (length < 0 || (size_t)length >= sizeof path)
        return ky_fail(&cli->error, KY_USAGE, "%s: the name is too long", word);
    enum ky_status status = draw_read_columns(cli, path, names, QUANTITIES, table);
    struct file_list files = {0};
    if (status || !folder)
        return status;
    struct ky_snapshot snapshot;
    struct reading head = *request->reading;
    head.count_above = 1; /* only the header of the file is needed */
    ky_snapshot_clear(&snapshot);
    status = files_add(cli, &files, word);
    if (!status)
        status = reading_get(cli, &head, files.names[0], NULL, KY_SPACE_AS_STORED, &snapshot);
    run->units = snapshot.units, run->comoving = snapshot.space.comoving;
    ky_snapshot_free(&snapshot);
    files_free(&files);
    return status;
}

/* Converts the tables to common units, and writes the units' names. */
static void share_units(struct columns *tables, const struct run *runs, size_t count,
                        char time[KY_UNIT_TEXT], char energy[KY_UNIT_TEXT])
{
    static const struct ky_dimension of[QUANTITIES] = {
        {0, 0, 1}, {2, 1, -2}, {2, 1, -2}, {2, 1, -2}};
    char *names[QUANTITIES] = {time, energy, energy, energy};
    double largest[2] = {0, 0};
    for (size_t r = 0; r < count; r++)
        for (int q = TIME; q < CHANGE; q++)
            largest[q != TIME] = largest_of(tables[r].values[q], tables[r].rows,
                                            unit_of(runs, r, of[q], (double)NAN, names[q]) /
                                                unit_of(runs, 0, of[q], (double)NAN, names[q]),
                                            largest[q != TIME]);
    for (size_t r = 0; r < count; r++)
        for (int q = TIME; q < CHANGE; q++)
            multiply(tables[r].values[q], tables[r].rows,
                     unit_of(runs, r, of[q], largest[q != TIME], names[q]));
}

/* 1 if any table has a number for the change of energy. */
static int has_change(const struct columns *tables, size_t count)
{
    for (size_t r = 0; r < count; r++)
        for (size_t i = 0; i < tables[r].rows; i++)
            if (isfinite(tables[r].values[CHANGE][i]))
                return 1;
    return 0;
}

/* The energy in external fields: the total minus kinetic and mutual energy. 1 if it is larger than
 * rounding errors. */
static int add_external(struct columns *table)
{
    double *const *of = table->values, rest = 0, all = 0;
    double *external = table->values[EXTERNAL] = ky_allocate(table->rows, sizeof *external);
    for (size_t i = 0; i < table->rows && external; i++) {
        external[i] = of[TOTAL][i] - of[KINETIC][i] - of[POTENTIAL][i];
        rest = fmax(rest, fabs(external[i]));
        all = fmax(all, fabs(of[KINETIC][i]) + fabs(of[POTENTIAL][i]));
    }
    return rest > 1e-6 * all;
}

/* Plots energies over time and, below, their relative change where it is defined. */
static enum ky_status plot_energies(struct cli *cli, const struct draw_request *request,
                                    struct columns *tables, const struct run *runs, size_t count)
{
    static const char *const names[] = {"kinetic", "potential", "total", "in external fields"};
    static const int column[] = {KINETIC, POTENTIAL, TOTAL, EXTERNAL};
    struct ky_plot_curve energies[5 * RUNS_MOST + 4], changes[RUNS_MOST];
    char time[COLUMNS_UNITS], energy[COLUMNS_UNITS];
    const int folder = files_is_folder(cli->words[0]);
    size_t used = 0;
    int shown = 3, external[RUNS_MOST];
    share_units(tables, runs, count, time, energy);
    for (size_t r = 0; r < count; r++)
        if ((external[r] = add_external(&tables[r])))
            shown = 4;
    for (size_t r = 0; r < count; r++) {
        const struct columns *table = &tables[r];
        for (int k = 0; k < shown; k++)
            energies[used++] = (struct ky_plot_curve){.name = count == 1 ? names[k] : NULL,
                                                      .x = table->values[TIME],
                                                      .y = table->values[column[k]],
                                                      .n = k < 3 || external[r] ? table->rows : 0,
                                                      .colour = k,
                                                      .dash = count == 1 ? k : (int)r,
                                                      .mark = count == 1 ? 0 : k + 1};
        changes[r] = (struct ky_plot_curve){.x = table->values[TIME],
                                            .y = table->values[CHANGE],
                                            .n = table->rows,
                                            .colour = -1,
                                            .dash = (int)r};
    }
    for (int k = 0; k < shown && count > 1; k++)
        energies[used++] = (struct ky_plot_curve){.name = names[k], .colour = k, .mark = k + 1};
    used = add_runs(energies, used, runs, count);
    const char *right = runs[0].comoving ? NULL
                        : folder         ? time
                                         : columns_unit(tables, "time", time);
    const struct ky_plot plots[2] = {
        {{clock_of(runs), "energy"},
         {0, 0},
         energies,
         used,
         {right, folder ? energy : columns_unit(tables, "energy", energy)}},
        {{clock_of(runs), "relative change of energy"}, {0, 0}, changes, count, {right, NULL}}};
    return draw_write_plots(cli, request, plots, has_change(tables, count) ? 2 : 1);
}

enum ky_status draw_energy(struct cli *cli, const struct draw_request *request,
                           const struct file_list *unused)
{
    struct columns tables[RUNS_MOST] = {{0}};
    struct run runs[RUNS_MOST] = {{0}};
    const size_t count = (size_t)cli->word_count;
    enum ky_status status = count > RUNS_MOST ? too_many(cli) : KY_OK;
    (void)unused;
    for (size_t r = 0; r < count && !status; r++)
        status = read_energies(cli, request, cli->words[r], &tables[r], &runs[r]);
    if (!status) {
        name_runs(runs, count, (const char *const *)cli->words);
        status = check_units(cli, runs, count);
    }
    for (size_t r = 1; r < count && !status; r++)
        if (!(runs[r].units.length_cm > 0) && strcmp(tables[0].units, tables[r].units) != 0)
            status = ky_fail(&cli->error, KY_BAD_DATA,
                             "%s and %s have different units; give the folders of the runs",
                             runs[0].name, runs[r].name);
    if (!status)
        status = plot_energies(cli, request, tables, runs, count);
    for (size_t r = 0; r < RUNS_MOST; r++)
        columns_free(&tables[r]);
    return status;
}

/* ---- Lagrangian radii ---- */

enum { RADII = KY_LAGRANGIAN_FRACTIONS };

/* Times and radii of a run's snapshots. */
struct series {
    struct file_list files;
    const char *word;
    double *values; /* [1 + RADII][files.count]; row 0 holds the times */
};

/* Lagrangian radii of one snapshot, about its density centre; NaN if it has no bodies. */
static enum ky_status measure_radii(struct cli *cli, const struct draw_request *request,
                                    const char *file, double *time, double radii[RADII],
                                    struct run *run)
{
    struct ky_snapshot snapshot;
    double centre[3];
    ky_snapshot_clear(&snapshot);
    enum ky_status status =
        reading_get(cli, request->reading, file, NULL, KY_SPACE_AS_STORED, &snapshot);
    const size_t n = snapshot.bodies.n;
    for (size_t k = 0; k < RADII; k++)
        radii[k] = (double)NAN;
    if (!status && n)
        status = ky_draw_check(&snapshot.bodies, &cli->error);
    if (!status && n)
        status = ky_sampled_centre(&snapshot.bodies, centre, &cli->error);
    if (!status && n)
        status = ky_lagrangian_radii(&snapshot.bodies, centre, RADII, ky_lagrangian_fractions,
                                     radii, &cli->error);
    *time = snapshot.time;
    run->units = ky_units_stored(&snapshot.units, &snapshot.space);
    run->units.velocity_cm_s = snapshot.units.velocity_cm_s; /* of comoving ones it has √a */
    run->comoving = snapshot.space.comoving;
    ky_snapshot_free(&snapshot);
    return status;
}

/* Groups the words into runs: each folder is a run, and all single files together are one. */
static enum ky_status sort_words(struct cli *cli, struct series *series, size_t *count)
{
    size_t loose = SIZE_MAX, r;
    *count = 0;
    for (int k = 0; k < cli->word_count; k++) {
        const int folder = files_is_folder(cli->words[k]);
        r = folder || loose == SIZE_MAX ? *count : loose;
        if (r == RUNS_MOST)
            return too_many(cli);
        if (r == *count)
            series[(*count)++].word = cli->words[k];
        if (!folder)
            loose = r;
        KY_TRY(files_add(cli, &series[r].files, cli->words[k]));
    }
    return KY_OK;
}

/* Sorts snapshots by their times; the command line may name them in any order. */
static void sort_by_time(struct series *series)
{
    const size_t n = series->files.count;
    double *time = series->values;
    for (size_t end = 1; end < n; end++)
        for (size_t s = end; s > 0 && time[s - 1] > time[s]; s--)
            for (size_t k = 0; k <= RADII; k++) {
                double *row = series->values + k * n, swapped = row[s];
                row[s] = row[s - 1];
                row[s - 1] = swapped;
            }
}

static enum ky_status read_series(struct cli *cli, const struct draw_request *request,
                                  struct series *series, struct run *run)
{
    const size_t n = series->files.count;
    struct run own = {0};
    double radii[RADII];
    enum ky_status status = KY_OK;
    KY_TRY(
        ky_array(&series->values, n, (RADII + 1) * sizeof *series->values, "radii", &cli->error));
    for (size_t s = 0; s < n && !status; s++) {
        status =
            measure_radii(cli, request, series->files.names[s], &series->values[s], radii, &own);
        *run = s == 0 ? own : *run;
        if (!status)
            status = ky_units_together(&run->units, &own.units, &cli->error);
        for (size_t k = 0; k < RADII && !status; k++)
            series->values[(k + 1) * n + s] = radii[k];
    }
    if (!status)
        sort_by_time(series);
    return status;
}

/* Plots radii over time, the largest first, as they appear in the plot from top to bottom. */
static enum ky_status plot_series(struct cli *cli, const struct draw_request *request,
                                  struct series *series, const struct run *runs, size_t count)
{
    struct ky_plot_curve curves[(RADII + 1) * RUNS_MOST + RADII];
    char names[RADII][16], time[KY_UNIT_TEXT], length[KY_UNIT_TEXT];
    double last = 0, widest = 0;
    size_t used = 0;
    for (size_t r = 0; r < count; r++) {
        const size_t n = series[r].files.count;
        const double to_time = unit_of(runs, r, KY_TIME_UNIT, (double)NAN, time) /
                               unit_of(runs, 0, KY_TIME_UNIT, (double)NAN, time);
        const double to_length = unit_of(runs, r, KY_LENGTH_UNIT, (double)NAN, length) /
                                 unit_of(runs, 0, KY_LENGTH_UNIT, (double)NAN, length);
        last = largest_of(series[r].values, n, to_time, last);
        widest = largest_of(series[r].values + (RADII / 2 + 1) * n, n, to_length, widest);
    }
    for (size_t r = 0; r < count; r++) {
        const size_t n = series[r].files.count;
        double *values = series[r].values;
        multiply(values, n, unit_of(runs, r, KY_TIME_UNIT, last, time));
        multiply(values + n, RADII * n, unit_of(runs, r, KY_LENGTH_UNIT, widest, length));
        for (size_t k = 0; k < RADII; k++) {
            const size_t of = RADII - 1 - k;
            ky_format(names[k], sizeof names[k], "%g %%", 100 * ky_lagrangian_fractions[of]);
            curves[used++] = (struct ky_plot_curve){.name = count == 1 ? names[k] : NULL,
                                                    .x = values,
                                                    .y = values + (of + 1) * n,
                                                    .n = n,
                                                    .colour = (int)k,
                                                    .dash = count == 1 ? (int)k : (int)r,
                                                    .mark = count == 1 ? 0 : (int)k + 1};
        }
    }
    for (int k = 0; k < RADII && count > 1; k++)
        curves[used++] = (struct ky_plot_curve){.name = names[k], .colour = k, .mark = k + 1};
    used = add_runs(curves, used, runs, count);
    const struct ky_plot plot = {{clock_of(runs), "radius that contains this fraction of the mass"},
                                 {0, 1},
                                 curves,
                                 used,
                                 {runs[0].comoving ? NULL : time, length}};
    return draw_write_plots(cli, request, &plot, 1);
}

enum ky_status draw_radii(struct cli *cli, const struct draw_request *request,
                          const struct file_list *unused)
{
    struct series series[RUNS_MOST] = {{.word = NULL}};
    struct run runs[RUNS_MOST] = {{0}};
    const char *words[RUNS_MOST] = {NULL};
    size_t count;
    (void)unused;
    enum ky_status status = sort_words(cli, series, &count);
    for (size_t r = 0; r < count && !status; r++) {
        words[r] = series[r].word;
        status = read_series(cli, request, &series[r], &runs[r]);
    }
    if (!status) {
        name_runs(runs, count, words);
        status = check_units(cli, runs, count);
    }
    if (!status)
        status = plot_series(cli, request, series, runs, count);
    for (size_t r = 0; r < RUNS_MOST; r++) {
        files_free(&series[r].files);
        free(series[r].values);
    }
    return status;
}
