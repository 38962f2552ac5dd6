/* ky_walk: the general walk with an action by its name. */
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/walker.h"
#include "engine/common/finite.h"

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
    KY_NEED(parameters, error);
    KY_NEED(bodies, error);
    KY_NEED(action, error);
    struct ky_walker walker;
    struct ky_walk_input own = {.size = sizeof own};
    struct ky_parameters own_parameters;
    ky_force_defaults(&own_parameters);
    enum ky_status status =
        ky_size_adopt(&own, sizeof own, input, "sizeof(struct ky_walk_input)", error);
    struct ky_walk_request request = {
        .n = bodies->n, .radius = own.radius, .radii = own.radii, .k = own.k, .results = results};
    if (!status)
        status = ky_size_adopt(&own_parameters, sizeof own_parameters, parameters,
                               "ky_parameters_defaults", error);
    if (!status)
        status = find_action(action, &request.action, error);
    if (status)
        return status;
    if (ky_actions[request.action].about.needs_lists)
        return ky_fail(error, KY_USAGE, "action %s fills lists: call ky_neighbours", action);
    if (ky_actions[request.action].about.needs_labels)
        return ky_fail(error, KY_USAGE, "action %s reads labels: call ky_catalogue_make", action);
    struct ky_bodies input_bodies = *bodies;
    if (request.action == KY_ACTION_gravity)
        status = ky_softening_need(&own_parameters, &input_bodies, error);
    if (status)
        return status;
    status = ky_walker_open(&own_parameters, &input_bodies, &walker, error);
    if (!status)
        status = ky_walker_walk(&walker, &request, error);
    if (!status)
        status =
            ky_finite_results(walker.parameters.threads, request.action, results, bodies->n, error);
    ky_walker_close(&walker, report);
    return status;
}
