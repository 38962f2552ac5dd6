/* Checks of active bodies and points. */
#include "engine/common/active.h"

#include <string.h>

#include "engine/common/force_kinds.h"

enum ky_status ky_active_check(const struct ky_active *active, size_t n, int has_acceleration,
                               struct ky_error *error)
{
    if (!active)
        return KY_OK;
    if (!has_acceleration)
        return ky_fail(error, KY_USAGE, "the first forces are those of all bodies");
    for (size_t k = 0; k < active->count; k++)
        if (active->body[k] >= n || (k && active->body[k] <= active->body[k - 1]))
            return ky_fail(error, KY_USAGE,
                           "active bodies must be in ascending order and below %zu", n);
    return KY_OK;
}

void ky_active_mark(const struct ky_active *active, size_t n, unsigned char *is_active)
{
    memset(is_active, 0, n);
    for (size_t k = 0; k < active->count; k++)
        is_active[active->body[k]] = 1;
}

enum ky_status ky_points_check(const struct ky_points *points,
                               const struct ky_parameters *parameters, struct ky_error *error)
{
    if (!points->body || ky_force_kind(parameters->force)->is_exact)
        return KY_OK;
    return ky_fail(error, KY_UNSUPPORTED,
                   "points in the place of bodies need the exact sum (--force direct)");
}
