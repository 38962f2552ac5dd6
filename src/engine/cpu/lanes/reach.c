/* Finds the bodies within reach of a sink, and a reach that contains k of them. It is plain C that
 * compilers vectorise, without fused multiply-add, so that every instruction set computes the same
 * squares. */
#include "engine/cpu/lanes/functions.h"

#include <string.h>

#include "physics/gravity.h"
#include "physics/space.h"

static void square(const struct ky_reach *reach, size_t first, size_t count, double *r2)
{
    const double *x = reach->x + first, *y = reach->y + first, *z = reach->z + first;
    const double sx = reach->sink[0], sy = reach->sink[1], sz = reach->sink[2];
    for (size_t k = 0; k < count; k++)
        r2[k] = ky_distance2(KY_APART(x[k], sx), KY_APART(y[k], sy), KY_APART(z[k], sz), 0);
}

/* The same for the nearest images of a periodic box. */
static void square_in_box(const struct ky_reach *reach, size_t first, size_t count, double *r2)
{
    const double *x = reach->x + first, *y = reach->y + first, *z = reach->z + first;
    const double sx = reach->sink[0], sy = reach->sink[1], sz = reach->sink[2], side = reach->side;
    for (size_t k = 0; k < count; k++)
        r2[k] = ky_distance2(ky_nearest_image(KY_APART(x[k], sx), side),
                             ky_nearest_image(KY_APART(y[k], sy), side),
                             ky_nearest_image(KY_APART(z[k], sz), side), 0);
}

/* Lists the bodies from `first` on with hit[], and, if found2 is not NULL, their r². Returns their
 * number. */
static inline __attribute__((always_inline)) size_t list(unsigned char hit[KY_REACH_MOST],
                                                         size_t first, size_t count,
                                                         uint32_t *found, const double *r2,
                                                         double *found2)
{
    size_t used = 0;
    memset(hit + count, 0, (KY_REACH_MOST - count) % sizeof(uint64_t));
    for (size_t k = 0; k < count; k += sizeof(uint64_t)) {
        uint64_t hits;
        memcpy(&hits, hit + k, sizeof hits);
        for (; hits; hits &= hits - 1) { /* one bit per byte */
            const size_t at = k + (size_t)__builtin_ctzll(hits) / 8;
            found[used] = (uint32_t)(first + at);
            if (found2)
                found2[used] = r2[at];
            used++;
        }
    }
    return used;
}

size_t KY_LANE_NAME(ky_reach)(const struct ky_reach *reach, size_t first, size_t count,
                              uint32_t *found, double *found2)
{
    double r2[KY_REACH_MOST];
    unsigned char hit[KY_REACH_MOST];
    if (reach->side > 0)
        square_in_box(reach, first, count, r2);
    else
        square(reach, first, count, r2);
    for (size_t k = 0; k < count; k++)
        hit[k] = r2[k] <= reach->reach2;
    return list(hit, first, count, found, r2, found2);
}

size_t KY_LANE_NAME(ky_passing)(const struct ky_passing *passing, size_t first, size_t count,
                                uint32_t *found)
{
    unsigned char hit[KY_REACH_MOST];
    const double *const *at = passing->at, *centre = passing->centre;
    const double *x = at[0] + first, *y = at[1] + first, *z = at[2] + first, *u = at[3] + first,
                 *v = at[4] + first, *w = at[5] + first, *weight = passing->weight + first;
    const double cx = centre[0], cy = centre[1], cz = centre[2], cu = centre[3], cv = centre[4],
                 cw = centre[5], by_weight = passing->by_weight, by_speed = passing->by_speed;
    for (size_t k = 0; k < count; k++)
        hit[k] =
            ky_distance2(x[k] - cx, y[k] - cy, z[k] - cz, 0) <
            by_weight * weight[k] + by_speed * ky_distance2(u[k] - cu, v[k] - cv, w[k] - cw, 0);
    return list(hit, first, count, found, NULL, NULL);
}

/* Bisection in the bits of the number, which increase with it: whatever the range of the squares,
 * 16 steps reach a relative accuracy of 2^-5. */
double KY_LANE_NAME(ky_bound2)(const struct ky_reach *reach, size_t first, size_t count, size_t k,
                               double *work)
{
    double bound = 0;
    square(reach, first, count, work);
    for (size_t j = 0; j < count; j++)
        bound = work[j] > bound ? work[j] : bound;
    uint64_t low = 0, high;
    memcpy(&high, &bound, sizeof high);
    for (int step = 0; step < 16; step++) {
        uint64_t middle = low + (high - low) / 2, within = 0;
        double value;
        memcpy(&value, &middle, sizeof value);
        for (size_t j = 0; j < count; j++)
            within += work[j] <= value;
        if (within >= k)
            high = middle;
        else
            low = middle;
    }
    memcpy(&bound, &high, sizeof bound);
    return bound;
}
