/* ky_walk: the general walk with an action given by name. */
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/walker.h"
#include "engine/common/finite.h"
#include "engine/force_options.h"
#include "octree/opening_kinds.h"

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

/* Reads an action given by name. KY_USAGE for an action whose arguments the input lacks. */
static enum ky_status read_request(const char *action, const struct ky_walk_input *input,
                                   struct ky_walk_request *request, struct ky_error *error)
{
    struct ky_walk_input own = {.size = sizeof own};
    enum ky_status status =
        ky_size_adopt(&own, sizeof own, input, "sizeof(struct ky_walk_input)", error);
    *request = (struct ky_walk_request){.radius = own.radius, .radii = own.radii, .k = own.k};
    if (!status)
        status = find_action(action, &request->action, error);
    if (status)
        return status;
    if (ky_actions[request->action].about.needs_lists)
        return ky_fail(error, KY_USAGE, "action %s fills lists: call ky_neighbours", action);
    return KY_OK;
}

enum ky_status ky_walker_act(struct ky_walker *walker, const char *action,
                             const struct ky_walk_input *input, double *results,
                             struct ky_error *error)
{
    struct ky_walk_request request;
    enum ky_status status = read_request(action, input, &request, error);
    request.n = walker->engine->n;
    request.results = results;
    if (!status && ky_actions[request.action].about.needs_radius && request.radius)
        status = ky_walker_check_radii(walker, request.radius, request.radii, error);
    if (!status)
        status = ky_walker_walk(walker, &request, error);
    return status ? status
                  : ky_finite_results(walker->parameters.threads, request.action, results,
                                      request.n, error);
}

enum ky_status ky_walk(const struct ky_parameters *parameters, const struct ky_bodies *bodies,
                       const char *action, const struct ky_walk_input *input, double *results,
                       struct ky_force_report *report, struct ky_error *error)
{
    KY_NEED(parameters, error);
    KY_NEED(bodies, error);
    KY_NEED(action, error);
    if (bodies->n)
        KY_NEED(results, error);
    struct ky_walker walker;
    struct ky_walk_request request;
    struct ky_parameters own;
    struct ky_bodies given = *bodies;
    char others[KY_OPENING_NAMES];
    ky_force_defaults(&own);
    KY_TRY(read_request(action, input, &request, error));
    KY_TRY(ky_size_adopt(&own, sizeof own, parameters, "ky_parameters_defaults", error));
    if (request.action == KY_ACTION_gravity)
        KY_TRY(ky_softening_need(&own, &given, error));
    enum ky_status status = ky_walker_open(&own, &given,
                                           request.action == KY_ACTION_gravity
                                               ? "ranks do not compute gravity by general walks"
                                               : NULL,
                                           &walker, error);
    const struct ky_opening_kind *opening = ky_opening_kind(walker.parameters.opening);
    ky_opening_names(0, others);
    if (!status && request.action == KY_ACTION_gravity && opening->by_alpha)
        status =
            ky_fail(error, KY_UNSUPPORTED,
                    "the general walk has no last accelerations, which --opening %s needs: use %s",
                    opening->name, others);
    if (!status)
        status = ky_walker_act(&walker, action, input, results, error);
    ky_walker_close(&walker, report);
    return status;
}
