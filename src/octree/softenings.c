/* Cells whose bodies have different softenings.
 *
 * Under symmetric softening a cell acts with the mean ε² of its bodies. The relative error of its
 * force is about 15/8 (σ/d²)², where σ is the scatter of ε² about the mean and d the distance.
 * Where bodies of different ε are well mixed, σ is as large in small cells as in large ones, and
 * opening them would end in the exact sum of everything within some √σ. So a cell that is small
 * against √σ is divided by ε² instead of space. Other cells are used only at d > l/θ, where σ/d² is
 * small: their opening radii need no change. Bodies without mass do not count. */
#include "octree/work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* A cell is divided by ε² while its longest side is below SMALL √σ, where σ is half of the range of
 * ε². A range below NO_RANGE times the range of all bodies counts as 0: that bounds the depth of
 * the tree. */
#define SMALL 5
#define NO_RANGE 0x1p-100

struct range {
    double low, high;
};

static void widen(struct range *range, double x)
{
    range->low = x < range->low ? x : range->low;
    range->high = x > range->high ? x : range->high;
}

static const struct range nothing = {(double)INFINITY, -(double)INFINITY};

/* The range of ε² among the bodies with mass; `order` NULL: all n bodies. */
static struct range range_of(const struct ky_octree_bodies *bodies, const uint32_t *order, size_t n)
{
    struct range range = nothing;
    for (size_t k = 0; k < n; k++) {
        size_t i = order ? order[k] : k;
        if (bodies->mass[i] > 0)
            widen(&range, bodies->softening[i] * bodies->softening[i]);
    }
    return range;
}

double ky_softening_spread(const struct ky_octree_bodies *bodies)
{
    struct range range = range_of(bodies, bodies->member, bodies->softening ? bodies->n : 0);
    return range.high > range.low ? range.high - range.low : 0;
}

/* 1 if the bodies span less than `size` along every axis. Large cells are recognised after a few of
 * their bodies. */
static int is_small(const struct ky_octree_bodies *bodies, const uint32_t *order, size_t n,
                    double size)
{
    const double *const x[3] = {bodies->x, bodies->y, bodies->z};
    struct range range[3] = {nothing, nothing, nothing};
    for (size_t k = 0; k < n; k++)
        for (int axis = 0; axis < 3; axis++) {
            widen(&range[axis], x[axis][order[k]]);
            if (range[axis].high - range[axis].low >= size)
                return 0;
        }
    return 1;
}

enum ky_cell_softening ky_cell_softening(const struct ky_octree_bodies *bodies,
                                         const uint32_t *order, size_t n, double spread,
                                         double *middle)
{
    if (!is_small(bodies, order, n, SMALL * sqrt(0.5 * spread)))
        return KY_SOFTENING_OPEN;
    struct range range = range_of(bodies, order, n);
    double width = range.high - range.low;
    if (!(width > NO_RANGE * spread))
        return KY_SOFTENING_ONE;
    *middle = range.low + 0.5 * width;
    if (!(*middle < range.high)) /* neighbouring numbers */
        *middle = range.low;
    return is_small(bodies, order, n, SMALL * sqrt(0.5 * width)) ? KY_SOFTENING_MIXED
                                                                 : KY_SOFTENING_OPEN;
}

enum ky_status ky_divide_by_softening(const struct ky_octree_bodies *bodies, double middle,
                                      uint64_t *key, uint32_t *order, size_t n)
{
    uint64_t *upper_key = ky_allocate(n, sizeof *upper_key);
    uint32_t *upper = ky_allocate(n, sizeof *upper);
    size_t lower = 0, uppers = 0;
    enum ky_status status = upper_key && upper ? KY_OK : KY_FAULT;
    for (size_t k = 0; k < n && !status; k++) {
        double softening = bodies->softening[order[k]];
        if (softening * softening > middle) {
            upper_key[uppers] = key[k] | KY_UPPER_HALF;
            upper[uppers++] = order[k];
        } else {
            key[lower] = key[k];
            order[lower++] = order[k];
        }
    }
    if (uppers > 0) {
        memcpy(key + lower, upper_key, uppers * sizeof *key);
        memcpy(order + lower, upper, uppers * sizeof *order);
    }
    free(upper_key);
    free(upper);
    return status;
}
