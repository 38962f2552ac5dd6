/* Plots of what a run tells: its energies, its Lagrangian radii, and the errors of forces. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/order.h"
#include "command/draw.h"
#include "simulation/folder.h"

enum ky_status draw_write_plots(struct cli *cli, const struct draw_request *request,
                                const struct ky_plot *plots, size_t count)
{
    const struct ky_draw_parameters *parameters = request->parameters;
    size_t size[2] = {(size_t)parameters->width,
                      (size_t)(parameters->height ? parameters->height : parameters->width)};
    return ky_plot_write(request->output, plots, count, size, parameters->overwrite, &cli->error);
}

enum ky_status draw_read_columns(struct cli *cli, const char *path, const char *const *names,
                                 size_t count, struct columns *table)
{
    enum ky_status status = columns_read(path, names, count, table, &cli->error);
    if (!status && table->incomplete) {
        char line[KY_PATH + 256];
        ky_format(line, sizeof line, "%s: %zu of %zu rows lack a number: %s", path,
                  table->incomplete, table->rows, table->first);
        cli_log(cli, KY_LOG_WARNING, line);
    }
    return status;
}

/* Whether any of the numbers is one. */
static int has_number(const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (isfinite(values[i]))
            return 1;
    return 0;
}

/* Energies over time, and below them their relative change, where it is defined. */
static enum ky_status plot_energy(struct cli *cli, const struct draw_request *request)
{
    enum { TIME, KINETIC, POTENTIAL, TOTAL, CHANGE, COUNT };
    static const char *const names[COUNT] = {"time", "kinetic", "potential", "energy", "de"};
    const char *word = cli->words[0];
    char path[KY_PATH];
    struct columns table = {0};
    if (cli->word_count != 1)
        return ky_fail(&cli->error, KY_USAGE, "--plot energy takes one run, not %d",
                       cli->word_count);
    int length =
        ky_format(path, sizeof path, "%s%s", word, files_is_folder(word) ? "/energy.csv" : "");
    if (length < 0 || (size_t)length >= sizeof path)
        return ky_fail(&cli->error, KY_USAGE, "%s: the name is too long", word);
    enum ky_status status = draw_read_columns(cli, path, names, COUNT, &table);
    struct ky_plot_curve energies[3] = {
        {.name = "kinetic"}, {.name = "potential"}, {.name = "total"}};
    for (int k = 0; k < 3; k++)
        energies[k].x = table.values[TIME], energies[k].y = table.values[KINETIC + k],
        energies[k].n = table.rows;
    struct ky_plot_curve change = {"(E-E0)/|E0|", table.values[TIME], table.values[CHANGE],
                                   table.rows};
    struct ky_plot plots[2] = {{{"time", "energy"}, {0, 0}, energies, 3},
                               {{"time", "relative change of energy"}, {0, 0}, &change, 1}};
    if (!status)
        status = draw_write_plots(cli, request, plots,
                                  has_number(table.values[CHANGE], table.rows) ? 2 : 1);
    columns_free(&table);
    return status;
}

/* Lagrangian radii of one snapshot, about its density centre. */
static enum ky_status measure_radii(struct cli *cli, const struct draw_request *request,
                                    const char *file, double *time,
                                    double radii[KY_LAGRANGIAN_FRACTIONS])
{
    struct ky_snapshot snapshot;
    double centre[3];
    ky_snapshot_clear(&snapshot);
    enum ky_status status = reading_get(cli, request->reading, file, NULL, 1, &snapshot);
    if (!status)
        status = ky_drawable(&snapshot.bodies, &cli->error);
    if (!status)
        status = ky_sampled_centre(&snapshot.bodies, centre, &cli->error);
    if (!status)
        status = ky_lagrangian_radii(&snapshot.bodies, centre, KY_LAGRANGIAN_FRACTIONS,
                                     ky_lagrangian_fractions, radii, &cli->error);
    *time = snapshot.time;
    ky_snapshot_free(&snapshot);
    return status;
}

/* Lagrangian radii over the snapshots; the largest first, as in the plot from above. */
static enum ky_status plot_radii(struct cli *cli, const struct draw_request *request,
                                 const struct file_list *files)
{
    enum { RADII = KY_LAGRANGIAN_FRACTIONS };
    char names[RADII][16];
    struct ky_plot_curve curves[RADII];
    double *time = ky_allocate(files->count, (RADII + 1) * sizeof *time), radii[RADII];
    enum ky_status status =
        time ? KY_OK : ky_no_memory(&cli->error, "radii", files->count, sizeof *time);
    for (size_t s = 0; s < files->count && !status; s++) {
        status = measure_radii(cli, request, files->names[s], &time[s], radii);
        for (int k = 0; k < RADII && !status; k++)
            time[(size_t)(k + 1) * files->count + s] = radii[k];
    }
    for (size_t k = 0; k < RADII && time; k++) {
        size_t of = RADII - 1 - k;
        ky_format(names[k], sizeof names[k], "%g %%", 100 * ky_lagrangian_fractions[of]);
        curves[k] =
            (struct ky_plot_curve){names[k], time, time + (of + 1) * files->count, files->count};
    }
    struct ky_plot plot = {
        {"time", "radius that holds this part of the mass"}, {0, 1}, curves, RADII};
    if (!status)
        status = draw_write_plots(cli, request, &plot, 1);
    free(time);
    return status;
}

/* ---- errors of forces ---- */

enum { POINTS = 500 };
struct distribution {
    double error[POINTS], above[POINTS]; /* fraction of the bodies with a larger error */
};

/* Relative errors of accelerations, ascending; n of them in `errors`. KY_BAD_DATA for snapshots
 * that are not of the same bodies with accelerations. */
static enum ky_status compare(struct cli *cli, const char *name, const struct ky_bodies *bodies,
                              const struct ky_bodies *exact, double *errors)
{
    if (!bodies->acceleration)
        return ky_fail(&cli->error, KY_BAD_DATA,
                       "%s: has no accelerations; make it by kyoho force FILE -o OUT.hdf5", name);
    if (bodies->n != exact->n || !bodies->n)
        return ky_fail(&cli->error, KY_BAD_DATA, "%s: has %zu bodies, the reference %zu", name,
                       bodies->n, exact->n);
    for (size_t i = 0; i < bodies->n; i++) {
        double d2 = 0, a2 = 0;
        if (bodies->id && exact->id && bodies->id[i] != exact->id[i])
            return ky_fail(&cli->error, KY_BAD_DATA,
                           "%s: body %zu has another id than in the reference", name, i);
        for (int c = 0; c < 3; c++) {
            double d = bodies->acceleration[i][c] - exact->acceleration[i][c];
            d2 += d * d;
            a2 += exact->acceleration[i][c] * exact->acceleration[i][c];
        }
        errors[i] = a2 > 0 ? sqrt(d2 / a2) : d2 > 0 ? HUGE_VAL : 0;
        if (isnan(errors[i]))
            return ky_fail(&cli->error, KY_BAD_DATA,
                           "%s: the acceleration of body %zu is not a number", name, i);
    }
    qsort(errors, bodies->n, sizeof *errors, ky_order_reals);
    return KY_OK;
}

/* The distribution at points that are even in the logarithm of the fraction. */
static void distribute(const double *errors, size_t n, struct distribution *out)
{
    for (int p = 0; p < POINTS; p++) {
        double larger = pow((double)n, 1 - (double)p / (POINTS - 1));
        size_t i = n - (size_t)fmin(fmax(larger, 1), (double)n);
        out->error[p] = errors[i];
        out->above[p] = (double)(n - i) / (double)n;
    }
}

/* Reads a snapshot and compares it with the reference. */
static enum ky_status add_errors(struct cli *cli, const struct draw_request *request,
                                 const char *name, const struct ky_bodies *exact,
                                 struct distribution *out)
{
    struct ky_snapshot snapshot;
    double *errors = ky_allocate(exact->n, sizeof *errors);
    ky_snapshot_clear(&snapshot);
    enum ky_status status =
        errors ? KY_OK : ky_no_memory(&cli->error, "errors", exact->n, sizeof *errors);
    if (!status)
        status = reading_get(cli, request->reading, name, NULL, 1, &snapshot);
    if (!status)
        status = compare(cli, name, &snapshot.bodies, exact, errors);
    if (!status)
        distribute(errors, exact->n, out);
    ky_snapshot_free(&snapshot);
    free(errors);
    return status;
}

/* The distributions of all files but the first, which is the reference. */
static enum ky_status plot_errors(struct cli *cli, const struct draw_request *request,
                                  const struct file_list *files)
{
    enum { MOST = 32 };
    struct ky_snapshot exact;
    struct ky_plot_curve curves[MOST];
    size_t count = files->count - 1;
    if (files->count < 2 || count > MOST)
        return ky_fail(
            &cli->error, KY_USAGE,
            "--plot errors takes the snapshot with the exact accelerations, then 1 to %d "
            "others",
            MOST);
    struct distribution *found = ky_allocate(count, sizeof *found);
    if (!found)
        return ky_no_memory(&cli->error, "errors", count, sizeof *found);
    ky_snapshot_clear(&exact);
    enum ky_status status = reading_get(cli, request->reading, files->names[0], NULL, 1, &exact);
    if (!status && !exact.bodies.acceleration)
        status = ky_fail(&cli->error, KY_BAD_DATA,
                         "%s: has no accelerations; make it by kyoho force FILE -o OUT.hdf5",
                         files->names[0]);
    for (size_t k = 0; k < count && !status; k++) {
        const char *name = files->names[k + 1], *slash = strrchr(name, '/');
        status = add_errors(cli, request, name, &exact.bodies, &found[k]);
        curves[k] = (struct ky_plot_curve){slash ? slash + 1 : name, found[k].error, found[k].above,
                                           POINTS};
    }
    struct ky_plot plot = {{"relative error of the acceleration", "fraction with a larger error"},
                           {1, 1},
                           curves,
                           count};
    if (!status)
        status = draw_write_plots(cli, request, &plot, 1);
    ky_snapshot_free(&exact);
    free(found);
    return status;
}

enum ky_status draw_plot(struct cli *cli, const struct draw_request *request,
                         const struct file_list *files)
{
    if (request->plot == PLOT_RADII)
        return plot_radii(cli, request, files);
    return request->plot == PLOT_ENERGY ? plot_energy(cli, request)
                                        : plot_errors(cli, request, files);
}
