/* Lists of active bodies, of bodies with new values, and of points, in the form that every engine
 * takes. */
#ifndef KY_ENGINE_ACTIVE_H
#define KY_ENGINE_ACTIVE_H

#include "engine/engine.h"

/* KY_USAGE for a list that does not ascend, or that names a body past the `n`-th. KY_USAGE for any
 * list before the first forces of all bodies, since the other bodies would have none. NULL, which
 * means all bodies, is always accepted. */
enum ky_status ky_active_check(const struct ky_active *active, size_t n, int has_acceleration,
                               struct ky_error *error);
/* Sets is_active[i], i < n, to 1 for bodies of the list, else to 0. The list has been checked. */
void ky_active_mark(const struct ky_active *active, size_t n, unsigned char *is_active);

/* KY_USAGE for a list of new numbers that does not ascend, or that names a body past the `n`-th.
 * KY_BAD_DATA for a position that is not finite, or farther from 0 than units of `length` allow;
 * with length 0 there is no limit. */
enum ky_status ky_some_check(const struct ky_some *some, size_t n, double length,
                             struct ky_error *error);

/* KY_UNSUPPORTED for points that represent bodies, unless the force is direct. */
enum ky_status ky_points_check(const struct ky_points *points,
                               const struct ky_parameters *parameters, struct ky_error *error);

/* The softening of point k, or the common one if k is not below the count; and the smallest
 * softening of the points. */
static inline double ky_point_softening(const struct ky_points *points, size_t k)
{
    return points->softenings && k < points->count ? points->softenings[k] : points->softening;
}
double ky_points_least_softening(const struct ky_points *points);

#endif
