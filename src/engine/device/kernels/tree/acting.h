/* A cell as a source and as sinks, for forces in which cells act on cells. */
#ifndef KY_KERNELS_ACTING_H
#define KY_KERNELS_ACTING_H

#include "engine/device/kernels/driver/state.h"
#include "engine/device/kernels/tree/sources.h"

#include "octree/cell_moments.h"
#include "physics/number.h"

/* The cell as a source; `held`: its moments, of this order. */
KY_FN struct ky_acting ky_acting_of(struct ky_cell_box its, struct ky_cell_link link,
                                    KY_GLOBAL const float *held, int order)
{
    struct ky_acting acting;
    float radius2 = 0.0f;
    for (int c = 0; c < 3; c++) {
        float side = KY_FMAX(its.below[c], its.above[c]);
        radius2 += side * side;
    }
    acting.radius = KY_SQRT(radius2) * 1.000001f;
    acting.size = KY_FMIN(acting.radius, (float)ky_cell_mean_radius(held, order));
    if (!(acting.size > 0.0f)) /* powers of a small radius may be 0 in float */
        acting.size = acting.radius;
    acting.mass = held[KY_MOMENT_MASS];
    acting.bodies = link.more == KY_NO_LINK ? -(int)link.bodies : (int)link.bodies;
    return acting;
}

/* The middle of a cell's box and its half-sides, slightly too large, and the root of the sum of
 * their squares. */
struct ky_cell_middle {
    float high[3], low[3], side[3], radius;
};

KY_FN struct ky_cell_middle ky_middle_of(struct ky_cell_centre high, struct ky_low low,
                                         struct ky_cell_box box)
{
    struct ky_cell_middle own;
    float radius2 = 0.0f;
    for (int c = 0; c < 3; c++) {
        ky_state middle = ky_state_add(ky_state_pair(high.x[c], low.x[c]),
                                       ky_state_from(0.5f * (box.above[c] - box.below[c])));
        own.high[c] = ky_state_high(middle);
        own.low[c] = ky_state_low(middle);
        own.side[c] = 0.500001f * (box.above[c] + box.below[c]);
        radius2 += own.side[c] * own.side[c];
    }
    own.radius = KY_SQRT(radius2) * 1.000001f;
    return own;
}

#endif
