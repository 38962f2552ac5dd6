/* A simulation's requests to its engine other than motion: the field at points, and general walks
 * over the current bodies. */
#include <stdlib.h>

#include "analysis/walker.h"
#include "base/bodies.h"
#include "base/memory.h"
#include "simulation/sim.h"

enum ky_status ky_sim_field_fill(struct ky_sim *sim, const struct ky_field_points *points,
                                 struct ky_error *error)
{
    struct ky_field_points own;
    KY_TRY(ky_sim_check_alive(sim, error));
    KY_TRY(ky_field_adopt(&own, points, error));
    struct ky_halt halt = {.flag = sim->parameters.stop};
    sim->engine->halt = &halt;
    enum ky_status status = ky_field_on(sim->engine, &own, error);
    sim->engine->halt = NULL;
    return status;
}

enum ky_status ky_sim_field(struct ky_sim *sim, size_t count, const double (*position)[3],
                            double softening, double (*acceleration)[3], double *potential,
                            struct ky_error *error)
{
    const struct ky_field_points points = {.size = sizeof points,
                                           .count = count,
                                           .position = position,
                                           .softening = softening,
                                           .acceleration = acceleration,
                                           .potential = potential};
    return ky_sim_field_fill(sim, &points, error);
}

/* A walker over the bodies of the simulation, on its engine. */
static struct ky_walker walker_of(struct ky_sim *sim)
{
    return ky_walker_on(sim->engine, &sim->parameters, sim->parameters.stop);
}

enum ky_status ky_sim_walk(struct ky_sim *sim, const char *action,
                           const struct ky_walk_input *input, double *results,
                           struct ky_force_report *report, struct ky_error *error)
{
    KY_TRY(ky_sim_check_alive(sim, error));
    KY_NEED(action, error);
    if (sim->n)
        KY_NEED(results, error);
    struct ky_walker walker = walker_of(sim);
    enum ky_status status = ky_walker_act(&walker, action, input, results, error);
    ky_walker_close(&walker, report);
    return status;
}

enum ky_status ky_sim_neighbours(struct ky_sim *sim, const double *radius, size_t radii,
                                 uint32_t *count, struct ky_neighbour_lists *lists,
                                 struct ky_force_report *report, struct ky_error *error)
{
    KY_TRY(ky_sim_check_alive(sim, error));
    if (sim->n)
        KY_NEED(radius, error);
    struct ky_walker walker = walker_of(sim);
    enum ky_status status = ky_walker_neighbours(&walker, radius, radii, count, lists, error);
    ky_walker_close(&walker, report);
    return status;
}

enum ky_status ky_sim_sph_density(struct ky_sim *sim, size_t k, double *density, double *smoothing,
                                  struct ky_force_report *report, struct ky_error *error)
{
    KY_TRY(ky_sim_check_alive(sim, error));
    if (sim->n)
        KY_NEED(density, error);
    struct ky_walker walker = walker_of(sim);
    enum ky_status status = ky_walker_density(&walker, k, density, smoothing, error);
    ky_walker_close(&walker, report);
    return status;
}

enum ky_status ky_sim_nearest(struct ky_sim *sim, size_t k, uint32_t *index, double *distance,
                              struct ky_force_report *report, struct ky_error *error)
{
    KY_TRY(ky_sim_check_alive(sim, error));
    struct ky_walker walker = walker_of(sim);
    struct ky_bodies bodies = {.n = sim->n};
    bodies.position = ky_allocate(sim->n, sizeof *bodies.position);
    enum ky_status status = bodies.position
                                ? ky_engine_get(sim->engine, &bodies, error)
                                : ky_no_memory(error, "positions", sim->n, sizeof *bodies.position);
    if (!status)
        status = ky_walker_nearest(&walker, &bodies, k, index, distance, error);
    free(bodies.position);
    ky_walker_close(&walker, report);
    return status;
}

enum ky_status ky_sim_catalogue_make(struct ky_sim *sim,
                                     const struct ky_catalogue_parameters *wanted,
                                     struct ky_catalogue *catalogue, struct ky_force_report *report,
                                     struct ky_error *error)
{
    KY_TRY(ky_sim_check_alive(sim, error));
    KY_NEED(wanted, error);
    KY_NEED(catalogue, error);
    struct ky_bodies bodies = {0};
    enum ky_status status =
        ky_bodies_allocate_by(sim->parameters.threads, &bodies, sim->n, 0, error);
    if (!status)
        status = ky_engine_get(sim->engine, &bodies, error);
    struct ky_walker walker = walker_of(sim);
    if (!status)
        status = ky_walker_catalogue(&walker, wanted, &bodies, catalogue, error);
    ky_walker_close(&walker, report);
    ky_bodies_free(&bodies);
    return status;
}
