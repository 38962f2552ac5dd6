/* The opening test of walks for one sink. */
#ifndef KY_KERNELS_ONE_H
#define KY_KERNELS_ONE_H

#include "engine/device/kernels/forces/near.h"

/* The opening test for one sink. */
KY_FN int ky_one_opens(KY_GLOBAL const struct ky_cell_box *box, ky_uint cell, struct ky_apart d,
                       float d2, float open2, float eps2, const ky_uint how)
{
    struct ky_opening_apart apart;
    struct ky_opening_sides sides;
    apart.x = (float)d.x;
    apart.y = (float)d.y;
    apart.z = (float)d.z;
    apart.hx = apart.hy = apart.hz = 0;
    sides.below_x = sides.below_y = sides.below_z = 0;
    sides.above_x = sides.above_y = sides.above_z = sides.reach2 = 0;
    if (how & KY_OPENING_BOXES)
        sides = ky_sides_of(box[cell]);
    if (how & KY_OPENING_REACH)
        sides.reach2 = ky_opening_reach2(eps2, box[cell].above[3]);
    return ky_opening_opens(apart, sides, d2, open2, how);
}

/* The same with the flags of a walk; also true if the mean ε² of the cell's bodies is too
 * inaccurate. */
KY_FN int ky_one_opens_by_flags(KY_GLOBAL const struct ky_cell_box *box, ky_uint cell,
                                struct ky_apart d, float d2, float open2, float eps2, ky_uint flags,
                                const int how)
{
    const ky_uint tests =
        (how & KY_SPLINED) ? flags | KY_OPENING_REACH : flags & ~(ky_uint)KY_OPENING_REACH;
    return ((flags & KY_FLAG_MIXED) && ky_is_mixed(box[cell], d2)) ||
           ky_one_opens(box, cell, d, d2, open2, eps2, tests);
}

#endif
