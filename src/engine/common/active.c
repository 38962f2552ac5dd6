/* Checks of lists of bodies and of points. */
#include "engine/common/active.h"

#include <math.h>
#include <string.h>

#include "engine/common/force_kinds.h"
#include "engine/common/units.h"

/* KY_USAGE for bodies that do not ascend or are not below n; `what` names them in the error. */
static enum ky_status check_list(const char *what, const uint32_t *body, size_t count, size_t n,
                                 struct ky_error *error)
{
    for (size_t k = 0; k < count; k++)
        if (body[k] >= n || (k && body[k] <= body[k - 1]))
            return ky_fail(error, KY_USAGE, "%s must be in ascending order and below %zu", what, n);
    return KY_OK;
}

enum ky_status ky_active_check(const struct ky_active *active, size_t n, int has_acceleration,
                               struct ky_error *error)
{
    if (!active)
        return KY_OK;
    if (!has_acceleration)
        return ky_fail(error, KY_USAGE, "the first forces must be computed for all bodies");
    return check_list("active bodies", active->body, active->count, n, error);
}

enum ky_status ky_some_check(const struct ky_some *some, size_t n, double length,
                             struct ky_error *error)
{
    const double most = length > 0 ? KY_FARTHEST_UNITS * length : (double)INFINITY;
    KY_TRY(check_list("bodies with new numbers", some->body, some->count, n, error));
    for (size_t k = 0; k < some->count && some->position; k++)
        for (int c = 0; c < 3; c++)
            if (!isfinite(some->position[k][c]) || fabs(some->position[k][c]) > most)
                return ky_fail(error, KY_BAD_DATA,
                               "body %lu cannot move to %g: with the units of the other bodies "
                               "it must be finite and at most %g",
                               (unsigned long)some->body[k], some->position[k][c], most);
    return KY_OK;
}

void ky_active_mark(const struct ky_active *active, size_t n, unsigned char *is_active)
{
    memset(is_active, 0, n);
    for (size_t k = 0; k < active->count; k++)
        is_active[active->body[k]] = 1;
}

double ky_points_least_softening(const struct ky_points *points)
{
    double least = ky_point_softening(points, 0);
    for (size_t k = 1; k < points->count && points->softenings; k++)
        least = fmin(least, points->softenings[k]);
    return least;
}

enum ky_status ky_points_check(const struct ky_points *points,
                               const struct ky_parameters *parameters, struct ky_error *error)
{
    if (!points->body || ky_force_kind(parameters->force)->is_exact)
        return KY_OK;
    return ky_fail(error, KY_UNSUPPORTED,
                   "points in the place of bodies need the exact sum (--force direct)");
}
