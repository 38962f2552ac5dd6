/* Bodies of a run that touch and become one: --collisions, and radii of stars. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/quantity.h"
#include "base/status.h"
#include "base/units.h"
#include "physics/main_sequence.h"
#include "simulation/run.h"

/* 1 if the CPU has the bodies, whatever the engine: it leads groups also with a device. */
static int has_cpu_bodies(const struct ky_parameters *parameters)
{
    const int has_groups = parameters->integrator == KY_HERMITE4 &&
                           (parameters->groups || parameters->group_radius > 0);
    return has_groups || !strcmp(parameters->engine, "cpu");
}

enum ky_status ky_run_settle_collisions(const struct ky_run_parameters *given,
                                        struct ky_parameters *parameters, struct ky_error *error)
{
    if (given->collisions == KY_COLLISIONS_BY_STOP)
        return KY_OK;
    parameters->stop_collision = 1;
    if (given->collisions != KY_COLLISIONS_MERGE)
        return KY_OK;
    if (!strcmp(parameters->engine, "auto"))
        parameters->engine = "cpu";
    if (!has_cpu_bodies(parameters))
        return ky_fail(error, KY_UNSUPPORTED,
                       "--collisions merge is not available on devices, except with --groups: "
                       "leave out --engine %s",
                       parameters->engine);
    return KY_OK;
}

/* ---- radii ---- */

/* The radius of a star of this mass, in the units of the bodies. */
static double stellar_radius(const struct ky_units *units, double mass)
{
    const double suns = mass * units->mass_g / KY_SUN_G;
    return ky_main_sequence_radius(suns) * KY_SUN_RADIUS_CM / units->length_cm;
}

enum ky_status ky_run_give_radii(struct ky_run *run, const struct ky_units *units,
                                 struct ky_bodies *bodies, struct ky_error *error)
{
    if (run->given.collisions == KY_COLLISIONS_BY_STOP || !isnan(run->parameters.body_radius) ||
        bodies->radius)
        return KY_OK;
    if (!(units->length_cm > 0))
        return ky_fail(error, KY_USAGE,
                       "--collisions needs radii, and the bodies have none: give --body-radius, "
                       "bodies with a column radius (CSV) or a data set Radius (HDF5), or --units "
                       "for radii of stars");
    KY_TRY(ky_array(&bodies->radius, bodies->n, sizeof *bodies->radius, "radii", error));
    for (size_t i = 0; i < bodies->n; i++)
        bodies->radius[i] = stellar_radius(units, bodies->mass[i]);
    run->state.stellar_radii = 1;
    ky_log(&run->parameters, KY_LOG_INFO,
           "radii: of stars of these masses on the main sequence (Tout et al. 1996)");
    return KY_OK;
}

/* ---- mergers ---- */

/* The sum of the masses of two bodies. */
static enum ky_status add_masses(struct ky_run *run, const uint64_t id[2], double *mass,
                                 struct ky_error *error)
{
    struct ky_bodies bodies = {0};
    *mass = 0;
    enum ky_status status = ky_bodies_allocate(&bodies, run->sim->n, KY_WITH_ID, error);
    if (!status)
        status = ky_sim_bodies(run->sim, &bodies, error);
    for (size_t i = 0; i < bodies.n && !status; i++)
        if (bodies.id[i] == id[0] || bodies.id[i] == id[1])
            *mass += bodies.mass[i];
    ky_bodies_free(&bodies);
    return status;
}

static enum ky_status merge(struct ky_run *run, const uint64_t id[2], struct ky_error *error)
{
    struct ky_run_event event = {.name = "merger", .is_of_two = 1};
    struct ky_merger *merger = &event.told;
    char time[KY_QUANTITY_TEXT];
    double radius = (double)NAN, mass;
    merger->size = sizeof *merger;
    if (run->state.stellar_radii && !run->stars) {
        KY_TRY(add_masses(run, id, &mass, error));
        radius = stellar_radius(&run->state.units, mass);
    }
    KY_TRY(ky_sim_merge(run->sim, id, radius, merger, error));
    run->energy_start.energy += merger->energy;
    KY_TRY(ky_run_merge_stars(run, &event, error));
    run->state.mergers++;
    ky_log(&run->parameters, KY_LOG_INFO, "time %s: bodies %" PRIu64 " and %" PRIu64 " have merged",
           ky_quantity_text(&run->parameters.units, KY_TIME_UNIT, ky_sim_time(run->sim), 10, time),
           merger->id[0], merger->id[1]);
    return ky_run_write_event(run, &event, error);
}

/* The nearest two bodies that touch; *found: whether there are any. */
static enum ky_status next_pair(struct ky_run *run, uint64_t id[2], int *found,
                                struct ky_error *error)
{
    const struct ky_sim *sim = run->sim;
    const double *radius;
    const size_t radii = ky_sim_radii(sim, &radius);
    struct ky_pairs pairs = {.size = sizeof pairs};
    size_t nearest = 0;
    enum ky_status status = ky_sim_pairs(run->sim, NULL, 0, &pairs, NULL, error);
    if (!status)
        status = ky_sim_add_passages(run->sim, radius, radii, &pairs, error);
    *found = !status && pairs.count > 0;
    for (size_t k = 1; k < pairs.count; k++)
        if (pairs.distance[k] < pairs.distance[nearest])
            nearest = k;
    for (int side = 0; side < 2 && *found; side++) {
        const size_t i = pairs.index[nearest][side];
        id[side] = sim->id ? sim->id[i] : i;
    }
    ky_pairs_free(&pairs);
    return status;
}

enum ky_status ky_run_merge_all(struct ky_run *run, struct ky_error *error)
{
    uint64_t id[2];
    int found;
    KY_TRY(next_pair(run, id, &found, error));
    while (found) {
        KY_TRY(merge(run, id, error));
        KY_TRY(next_pair(run, id, &found, error));
    }
    return KY_OK;
}

enum ky_status ky_run_merge(struct ky_run *run, struct ky_error *error)
{
    const uint64_t id[2] = {run->stop.id[0], run->stop.id[1]};
    KY_TRY(merge(run, id, error));
    ky_sim_stop_reason(NULL, &run->stop);
    return ky_run_merge_all(run, error);
}
