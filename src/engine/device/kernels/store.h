/* A sink's sums times `strength` (ky_engine_scale) as its acceleration, three columns `stride`
 * apart, and potential = -p. */
#ifndef KY_KERNELS_STORE_H
#define KY_KERNELS_STORE_H

#include "engine/device/kernels/pairs.h"
#include "engine/device/kernels/state.h"

KY_FN void ky_store_total(KY_GLOBAL ky_state *acceleration, KY_GLOBAL ky_state *potential,
                          ky_ulong stride, ky_ulong i, struct ky_total total, ky_state strength)
{
    ky_real4 sum = ky_total_value(total);
    acceleration[i] = ky_state_product(ky_state_of_real(sum.x), strength);
    acceleration[stride + i] = ky_state_product(ky_state_of_real(sum.y), strength);
    acceleration[2 * stride + i] = ky_state_product(ky_state_of_real(sum.z), strength);
    potential[i] = ky_state_product(ky_state_of_real(-sum.w), strength);
}

#endif
