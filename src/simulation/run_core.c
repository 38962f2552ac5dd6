/* Optional measurements of the core of a run's system: columns of energy.csv, and the end at core
 * collapse. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/status.h"
#include "simulation/run.h"

/* The median is taken over the rows of the last `span` [time]. */
static const double span = 2;

static enum ky_status note_radius(struct ky_run *run, double radius, struct ky_error *error)
{
    struct ky_core_history *history = &run->history;
    const double now = ky_sim_time(run->sim);
    size_t old = 0; /* keeps one row older than the span, so that the rows cover it */
    while (old + 1 < history->count && history->row[old + 1].time <= now - span)
        old++;
    if (old > 0)
        memmove(history->row, history->row + old, (history->count - old) * sizeof *history->row);
    history->count -= old;
    if (!ky_room_for_one(&history->row, history->count, &history->room, sizeof *history->row))
        return ky_no_memory(error, "core radii", history->count + 1, sizeof *history->row);
    history->row[history->count++] = (struct ky_core_row){now, radius};
    return KY_OK;
}

/* The core of the bodies. In runs with groups a pair that may be a group is one body, since the
 * nearest neighbour of its stars does not tell the density of the system. */
static enum ky_status measure(struct ky_run *run, const struct ky_bodies *bodies,
                              struct ky_core *core, struct ky_error *error)
{
    const struct ky_parameters *parameters = &run->sim->parameters;
    struct ky_bodies objects;
    if (!run->energy_start.groups)
        return ky_measure_core(bodies, run->sim->engine, core, error);
    KY_TRY(ky_objects_make(parameters, bodies, parameters->group_radius, &objects, error));
    const enum ky_status status = ky_measure_core(&objects, NULL, core, error);
    ky_bodies_free(&objects);
    return status;
}

enum ky_status ky_run_measure_core(struct ky_run *run, const struct ky_bodies *bodies,
                                   double number[KY_CORE_NUMBERS], struct ky_error *error)
{
    struct ky_core core = {{0}, 0, 0, 0};
    if (bodies->n == 0) /* all have escaped */
        return note_radius(run, 0, error);
    enum ky_status status = measure(run, bodies, &core, error);
    if (!status)
        status = ky_lagrangian_radii(bodies, core.centre, KY_LAGRANGIAN_FRACTIONS,
                                     ky_lagrangian_fractions, number + 3, error);
    number[0] = core.radius;
    number[1] = core.density;
    number[2] = (double)core.bodies;
    return status ? status : note_radius(run, core.radius, error);
}

/* ---- core collapse ---- */

/* The core radius at which the run ends [length]. */
static double limit_of(const struct ky_run *run)
{
    const double eps = run->sim->parameters.softening, given = run->state.stop_core;
    return given > 0 ? given : fmax(isnan(eps) ? 0 : 8 * eps, 32 / (double)run->sim->n);
}

enum ky_status ky_run_look_for_collapse(struct ky_run *run, struct ky_error *error)
{
    const struct ky_core_history *history = &run->history;
    if (isnan(run->state.stop_core) || run->state.collapsed || !history->count ||
        history->row[0].time > ky_sim_time(run->sim) - span)
        return KY_OK;
    double *work;
    KY_TRY(ky_array(&work, history->count, sizeof *work, "core radii", error));
    for (size_t k = 0; k < history->count; k++)
        work[k] = history->row[k].radius;
    const double radius = ky_median_mean(work, history->count);
    free(work);
    if (radius == 0 || radius > limit_of(run)) /* radius 0: too few bodies for a core */
        return KY_OK;
    run->state.collapsed = 1; /* a resumed run does not stop again */
    run->stop.kind = KY_STOP_CORE;
    run->stop.distance = radius;
    const struct ky_units *units = &run->state.units;
    char last[KY_QUANTITY_TEXT], now[KY_QUANTITY_TEXT], limit[KY_QUANTITY_TEXT];
    ky_fail(&run->halted, KY_STOPPED,
            "core collapse: the median core radius of the last %s%s, %s, is at most %s,",
            ky_quantity_text(units, KY_TIME_UNIT, span, 4, last),
            units->length_cm > 0 ? "" : " time units",
            ky_quantity_text(units, KY_LENGTH_UNIT, radius, 4, now),
            ky_quantity_text(units, KY_LENGTH_UNIT, limit_of(run), 4, limit));
    return KY_OK;
}
