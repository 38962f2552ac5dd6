/* The cube that the keys of a tree subdivide, and integer places in it: the same formulas for trees
 * on the host and on devices. */
#ifndef KY_PHYSICS_FRAME_H
#define KY_PHYSICS_FRAME_H

#include "physics/keys.h"
#include "physics/number.h"

/* The lowest corner of the cube and its edge; a position outside is moved to the edge. scale =
 * KY_KEY_PLACES / edge, or 0 if all positions coincide. */
struct ky_frame {
    ky_state low[3], edge, scale;
};

/* x rounded down, at least 0 and at most KY_KEY_PLACES − 1; 0 for NaN. */
#ifdef KY_STATE_IS_DOUBLE
/* Below this edge the scale overflows, and bodies that close are treated as coincident. */
#define KY_FRAME_LEAST_EDGE 9.3e-302

KY_FN ky_uint ky_frame_floor(ky_state x)
{
    const double last = KY_KEY_PLACES - 1;
    double inside = x > 0.0 ? x : 0.0;
    return (ky_uint)(int)(inside < last ? inside : last);
}
#else
#define KY_FRAME_LEAST_EDGE ky_state_from(1e-30f)

KY_FN ky_uint ky_frame_floor(ky_state x)
{
    float inside = KY_FMIN(KY_FMAX(x.x, 0.0f), (float)(KY_KEY_PLACES - 1));
    ky_uint place = (ky_uint)inside;
    return inside == x.x && (float)place == x.x && x.y < 0.0f && place > 0 ? place - 1 : place;
}
#endif

/* The place of x along one axis of the frame, 0 … KY_KEY_PLACES − 1. */
KY_FN ky_uint ky_frame_position(ky_state x, ky_state low, ky_state scale)
{
    return ky_frame_floor(ky_state_product(ky_state_minus(x, low), scale));
}

/* The number of levels that two keys have in common, 0 to KY_KEY_LEVELS. */
KY_FN int ky_key_common(ky_ulong a, ky_ulong b)
{
    return a == b ? KY_KEY_LEVELS : ((int)KY_LEADING_ZEROS(a ^ b) - 1) / 3;
}

/* The lower or upper side of the bulk of the bodies along one axis: the interval between `low` and
 * `high`, two quantiles of a sample, widened about its middle, and no farther out than `bound`, the
 * side for all bodies. */
KY_FN ky_state ky_frame_side(ky_state bound, ky_state low, ky_state high, int upper)
{
    ky_state middle = ky_state_middle(low, high);
    ky_state reach =
        ky_state_product(ky_state_from(0.5f * KY_FRAME_WIDEN), ky_state_minus(high, low));
    return upper ? ky_state_least(bound, ky_state_add(middle, reach))
                 : ky_state_most(bound, ky_state_minus(middle, reach));
}

/* The cube with the same centre as a box. */
KY_FN struct ky_frame ky_frame_of_box(const ky_state low[3], const ky_state high[3])
{
    struct ky_frame frame;
    frame.edge = ky_state_from(0.0f);
    for (int c = 0; c < 3; c++)
        frame.edge = ky_state_most(frame.edge, ky_state_minus(high[c], low[c]));
    for (int c = 0; c < 3; c++)
        frame.low[c] = ky_state_minus(ky_state_middle(low[c], high[c]),
                                      ky_state_product(ky_state_from(0.5f), frame.edge));
    frame.scale = ky_state_from(0.0f);
    if (ky_state_less(KY_FRAME_LEAST_EDGE, frame.edge))
        frame.scale = ky_state_quotient(ky_state_from((float)KY_KEY_PLACES), frame.edge);
    return frame;
}

#endif
