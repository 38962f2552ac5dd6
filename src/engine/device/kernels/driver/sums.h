/* Sums over the 256 lanes of a group. */
#ifndef KY_KERNELS_SUMS_H
#define KY_KERNELS_SUMS_H

#include "engine/device/kernels/driver/state.h"

/* The sum of the lanes' values, always in the same order, on lane 0. Every lane must call it.
 * `part` has 256 elements and may be used again afterwards. */
KY_FN ky_state ky_group_sum(KY_LOCAL_POINTER ky_state *part, ky_state own)
{
    part[KY_LANE] = own;
    KY_BARRIER();
    for (ky_uint step = 128; step > 0; step >>= 1) {
        if (KY_LANE < step)
            part[KY_LANE] = ky_state_add(part[KY_LANE], part[KY_LANE + step]);
        KY_BARRIER();
    }
    own = part[0];
    KY_BARRIER();
    return own;
}

#endif
