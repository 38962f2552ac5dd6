/* The general walk as a call: an engine for its length, and the walk with an action by name. */
#include "analysis/walks.h"

#include <string.h>

#include "analysis/analysis.h"
#include "engine/finite.h"

enum ky_status ky_walker_open(const struct ky_parameters *parameters,
                              const struct ky_bodies *bodies, struct ky_walker *walker,
                              struct ky_error *error)
{
    struct ky_bodies input = *bodies;
    memset(walker, 0, sizeof *walker);
    input.acceleration = NULL;
    input.potential = NULL;
    enum ky_status status = ky_bodies_check(bodies, error);
    if (!status)
        status = ky_force_resolve_once(parameters, &walker->parameters, error);
    /* A body at the surface of a radius is in or out whatever the engine, unless digits are asked
     * to be left out. */
    if (!status && parameters->precision == KY_PRECISION_BY_INTEGRATOR)
        walker->parameters.precision = KY_DOUBLE;
    walker->parameters.force = KY_WALK;
    if (!status)
        status = ky_engine_open_for_walk(&walker->parameters, bodies->n, &walker->engine, error);
    if (!status)
        status = ky_engine_put(walker->engine, &input, error);
    return status;
}

enum ky_status ky_walker_walk(struct ky_walker *walker, const struct ky_walk_request *request,
                              struct ky_error *error)
{
    struct ky_force_report now, *sum = &walker->report;
    enum ky_status status = ky_engine_walk(walker->engine, request, error);
    if (status)
        return status;
    ky_engine_report(walker->engine, &now);
    now.keys += sum->keys;
    now.sort += sum->sort;
    now.build += sum->build;
    now.moments += sum->moments;
    now.walk += sum->walk;
    now.total += sum->total;
    now.body_interactions += sum->body_interactions;
    now.cell_interactions += sum->cell_interactions;
    *sum = now;
    return KY_OK;
}

void ky_walker_close(struct ky_walker *walker, struct ky_force_report *report)
{
    ky_engine_close(walker->engine);
    walker->engine = NULL;
    if (report)
        ky_size_give(report, &walker->report, sizeof walker->report);
}

static enum ky_status find_action(const char *name, enum ky_action_id *id, struct ky_error *error)
{
    for (int k = 0; k < KY_ACTION_COUNT; k++)
        if (!strcmp(ky_actions[k].about.name, name)) {
            *id = (enum ky_action_id)k;
            return KY_OK;
        }
    return ky_fail(error, KY_USAGE, "no action '%s' of the general walk; ky_action_get lists them",
                   name);
}

enum ky_status ky_walk(const struct ky_parameters *parameters, const struct ky_bodies *bodies,
                       const char *action, const struct ky_walk_input *input, double *results,
                       struct ky_force_report *report, struct ky_error *error)
{
    struct ky_walker walker;
    struct ky_walk_input own = {.size = sizeof own};
    if (!ky_size_adopt(&own, sizeof own, input))
        return ky_fail(error, KY_USAGE, "the input of a walk begins with its size");
    struct ky_walk_request request = {
        .n = bodies->n, .radius = own.radius, .radii = own.radii, .k = own.k, .results = results};
    enum ky_status status = find_action(action, &request.action, error);
    if (status)
        return status;
    if (ky_actions[request.action].about.needs_lists)
        return ky_fail(error, KY_USAGE, "action %s fills lists: call ky_neighbours", action);
    struct ky_bodies input_bodies = *bodies;
    if (request.action == KY_ACTION_gravity)
        status = ky_softening_need(parameters, &input_bodies, error);
    if (status)
        return status;
    status = ky_walker_open(parameters, &input_bodies, &walker, error);
    if (!status)
        status = ky_walker_walk(&walker, &request, error);
    if (!status)
        status = ky_finite_results(request.action, results, bodies->n, error);
    ky_walker_close(&walker, report);
    return status;
}
