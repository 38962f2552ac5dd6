/* The table of actions, and the check of a request's inputs. */
#include "engine/engine.h"

#include <math.h>
#include <stdlib.h>

#include "base/sizes.h"
#include "engine/common/relative.h"

#define ROW(name, needs) KY_ACTION_FACTS(name, needs),
const struct ky_action_facts ky_actions[KY_ACTION_ALL] = {KY_ACTIONS(ROW) KY_JOINING(ROW)
                                                              KY_INNER(ROW)};

enum ky_status ky_action_get(size_t index, struct ky_action *action)
{
    if (index >= KY_ACTION_COUNT)
        return KY_USAGE;
    ky_size_give(action, &ky_actions[index].about, sizeof *action);
    return KY_OK;
}

static enum ky_status check_radii(const struct ky_walk_request *request, const char *name,
                                  struct ky_error *error)
{
    if (!request->radius || (request->radii != 1 && request->radii != request->n))
        return ky_fail(error, KY_USAGE, "%s: %zu radii for %zu bodies; one for all or one each",
                       name, request->radius ? request->radii : 0, request->n);
    for (size_t i = 0; i < request->radii; i++)
        if (!isfinite(request->radius[i]) || request->radius[i] < 0)
            return ky_fail(error, KY_USAGE, "radius %zu is %g; it must be finite and not negative",
                           i, request->radius[i]);
    return KY_OK;
}

enum ky_status ky_walk_request_check(const struct ky_walk_request *request, struct ky_error *error)
{
    const struct ky_action *about = &ky_actions[request->action].about;
    if (request->n == 0)
        return KY_OK;
    if (about->needs_k && (request->k < 1 || request->k >= request->n))
        return ky_fail(
            error, KY_USAGE,
            "%zu nearest neighbours asked for; the number is at least 1, and at most the "
            "number of other bodies, %zu",
            request->k, request->n - 1);
    if (about->needs_lists && (!request->offset || (!request->list && request->offset[request->n])))
        return ky_fail(error, KY_USAGE, "%s: no memory for lists was given", about->name);
    return about->needs_radius ? check_radii(request, about->name, error) : KY_OK;
}

enum ky_status ky_walk_room_check(const struct ky_walk_request *request, uint32_t wanted,
                                  struct ky_error *error)
{
    if (wanted == 0)
        return KY_OK;
    return ky_fail(error, KY_USAGE,
                   "%s: the memory for the longest list of neighbours is too small: %u needed",
                   ky_actions[request->action].about.name, wanted);
}

struct ky_parameters ky_walk_parameters(const struct ky_walk_request *request,
                                        const struct ky_parameters *parameters)
{
    return request->action == KY_ACTION_gravity ? ky_without_relative(parameters) : *parameters;
}

static double power(double x, int exponent)
{
    double y = 1;
    for (int k = 0; k < abs(exponent); k++)
        y = exponent > 0 ? y * x : y / x;
    return y;
}

double ky_action_unit(const struct ky_action_result *result, double g, double mass, double length)
{
    return power(g, result->g) * power(mass, result->mass) * power(length, result->length);
}
