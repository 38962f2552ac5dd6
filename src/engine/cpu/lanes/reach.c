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
    memset(hit + count, 0, (KY_REACH_MOST - count) % sizeof(uint64_t));
    size_t used = 0;
    for (size_t k = 0; k < count; k += sizeof(uint64_t)) {
        uint64_t hits;
        memcpy(&hits, hit + k, sizeof hits);
        for (; hits; hits &= hits - 1) { /* one bit per byte */
            size_t at = k + (size_t)__builtin_ctzll(hits) / 8;
            found[used] = (uint32_t)(first + at);
            found2[used++] = r2[at];
        }
    }
    return used;
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
