/* Code that all plots share, and plots of force errors. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/order.h"
#include "base/status.h"
#include "command/draw.h"

enum ky_status draw_write_plots(struct cli *cli, const struct draw_request *request,
                                const struct ky_plot *plots, size_t count)
{
    const struct ky_draw_parameters *parameters = request->parameters;
    const int height = count > 1 ? parameters->width : parameters->width * 3 / 4;
    size_t size[2] = {(size_t)parameters->width,
                      (size_t)(parameters->height ? parameters->height : height)};
    return ky_plot_write(request->output, plots, count, size, parameters->title,
                         parameters->overwrite, &cli->error);
}

enum ky_status draw_read_columns(struct cli *cli, const char *path, const char *const *names,
                                 size_t count, struct columns *table)
{
    KY_TRY(columns_read(path, names, count, table, &cli->error));
    if (table->incomplete) {
        char line[FILES_PATH + 256];
        ky_format(line, sizeof line, "%s: %zu of %zu rows lack a number: %s", path,
                  table->incomplete, table->rows, table->first);
        cli_log(cli, KY_LOG_WARNING, line);
    }
    return KY_OK;
}

/* ---- force errors ---- */

enum { POINTS = 500 };
struct distribution {
    double error[POINTS], above[POINTS]; /* fraction of the bodies with a larger error */
};

/* Relative errors of the n accelerations, in ascending order. KY_BAD_DATA unless both snapshots
 * have the same bodies, with accelerations. */
static enum ky_status compare(struct cli *cli, const char *name, const struct ky_bodies *bodies,
                              const struct ky_bodies *exact, double *errors)
{
    if (!bodies->acceleration)
        return ky_fail(&cli->error, KY_BAD_DATA,
                       "%s: has no accelerations; kyoho force FILE -o OUT.hdf5 writes them", name);
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

/* The distribution at points spaced evenly in the logarithm of the fraction. */
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
                                 const char *name, const struct ky_snapshot *reference,
                                 struct distribution *out)
{
    struct ky_snapshot snapshot;
    const struct ky_bodies *exact = &reference->bodies;
    double *errors = ky_allocate(exact->n, sizeof *errors);
    ky_snapshot_clear(&snapshot);
    enum ky_status status =
        errors ? KY_OK : ky_no_memory(&cli->error, "errors", exact->n, sizeof *errors);
    if (!status)
        status = reading_get(cli, request->reading, name, NULL, KY_SPACE_AS_STORED, &snapshot);
    if (!status)
        status = ky_units_together(&reference->units, &snapshot.units, &cli->error);
    if (!status)
        status = compare(cli, name, &snapshot.bodies, exact, errors);
    if (!status)
        distribute(errors, exact->n, out);
    ky_snapshot_free(&snapshot);
    free(errors);
    return status;
}

enum ky_status draw_errors(struct cli *cli, const struct draw_request *request,
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
    struct distribution *found;
    KY_TRY(ky_array(&found, count, sizeof *found, "errors", &cli->error));
    ky_snapshot_clear(&exact);
    enum ky_status status =
        reading_get(cli, request->reading, files->names[0], NULL, KY_SPACE_AS_STORED, &exact);
    if (!status && !exact.bodies.acceleration)
        status = ky_fail(&cli->error, KY_BAD_DATA,
                         "%s: has no accelerations; kyoho force FILE -o OUT.hdf5 writes them",
                         files->names[0]);
    for (size_t k = 0; k < count && !status; k++) {
        const char *name = files->names[k + 1], *slash = strrchr(name, '/');
        status = add_errors(cli, request, name, &exact, &found[k]);
        curves[k] = (struct ky_plot_curve){.name = slash ? slash + 1 : name,
                                           .x = found[k].error,
                                           .y = found[k].above,
                                           .n = POINTS,
                                           .colour = (int)k,
                                           .dash = (int)k};
    }
    struct ky_plot plot = {{"relative error of the acceleration", "fraction with a larger error"},
                           {1, 1},
                           curves,
                           count,
                           {NULL, NULL}};
    if (!status)
        status = draw_write_plots(cli, request, &plot, 1);
    ky_snapshot_free(&exact);
    free(found);
    return status;
}
