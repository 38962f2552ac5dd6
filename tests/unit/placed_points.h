/* Points for tests of fields: within the bodies and outside, on bodies, and far from all of them.
 */
#ifndef KY_TEST_PLACED_POINTS_H
#define KY_TEST_PLACED_POINTS_H

#include <math.h>
#include <string.h>

#include "kyoho/kyoho.h"

static inline void place_point(size_t k, const struct ky_bodies *bodies, double x[3])
{
    const double t = (double)k, far = k % 61 == 7 ? 1e6 : k % 61 == 19 ? 1e30 : 3;
    x[0] = far * sin(12.9898 * t);
    x[1] = far * sin(78.233 * t + 1);
    x[2] = far * sin(37.719 * t + 2);
    if (k % 5 == 0 && bodies->n)
        memcpy(x, bodies->position[(k * 7) % bodies->n], 3 * sizeof *x);
}

static inline double softening_of_point(size_t k)
{
    return k % 3 ? 0.01 : 0.3;
}

#endif
