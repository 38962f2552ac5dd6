/* The limits of the expansions of sinks (physics/fmm.h). */
#ifndef KY_KERNELS_EXPAND_LIMITS_H
#define KY_KERNELS_EXPAND_LIMITS_H

#include "engine/device/kernels/driver/dialect.h"
#include "engine/device/kernels/forces/expand.h"

#include "physics/fmm.h"

/* The smallest and the largest ε² of some sinks. */
struct ky_expand_eps2 {
    float low2, high2;
};

/* Sets ε² of the sinks and the smallest distance of cells that act on all of them at once, since an
 * expansion has one ε². With splines cells are point masses; then ε² is the largest. */
KY_FN struct ky_expanded ky_expand_softened(struct ky_expanded sinks, struct ky_expand_eps2 range,
                                            struct ky_expand_numbers numbers)
{
    const int splined = (numbers.flags & KY_FLAG_SPLINED) != 0;
    sinks.eps2 = splined ? range.high2 : 0.5f * (range.low2 + range.high2);
    sinks.least = numbers.least;
    if (!splined)
        sinks.least =
            KY_FMAX(sinks.least, KY_SQRT(0.5f * (range.high2 - range.low2) * numbers.per_spread));
    return sinks;
}

/* The sinks of a cell, with the data of its bodies. */
KY_FN struct ky_expanded ky_expand_known(struct ky_expanded sinks, struct ky_expand_range range,
                                         struct ky_expand_numbers numbers)
{
    struct ky_expand_eps2 eps2;
    eps2.low2 = eps2.high2 = numbers.eps2;
    if (numbers.flags & KY_FLAG_OWN_EPS) {
        eps2.low2 = KY_FLOAT_OF_BITS(~range.not_low2);
        eps2.high2 = KY_FLOAT_OF_BITS(range.high2);
    }
    sinks.error =
        (numbers.flags & KY_FLAG_FACTORS) ? 1.0f / KY_FLOAT_OF_BITS(range.most) : KY_INFINITY;
    return ky_expand_softened(sinks, eps2, numbers);
}

/* The limits for sinks and expansions of the order. `root`: the box of all bodies. */
KY_FN struct ky_fmm_limits ky_expand_limits(struct ky_expanded sinks, struct ky_cell_box root,
                                            struct ky_expand_numbers numbers, int order)
{
    struct ky_fmm_limits limits;
    limits.order = order;
    limits.angle = numbers.angle;
    limits.error = sinks.error * numbers.part;
    limits.least = sinks.least;
    limits.most = numbers.most;
    limits.hold = (numbers.flags & KY_FLAG_SPLINED)
                      ? KY_SQRT(ky_opening_reach2(sinks.eps2, root.above[3]))
                      : 0.0f;
    return limits;
}

#endif
