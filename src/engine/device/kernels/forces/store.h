/* Results: sums times `strength` (ky_engine_scale) as accelerations and potentials, in numbers of
 * the state. External fields, which may be much stronger, are added to these. */
#ifndef KY_KERNELS_STORE_H
#define KY_KERNELS_STORE_H

#include "engine/device/kernels/driver/state.h"
#include "engine/device/kernels/forces/pairs.h"

/* The sums of a sink as its acceleration, three columns `stride` apart, and potential = -p. */
KY_FN void ky_store(KY_GLOBAL ky_state *acceleration, KY_GLOBAL ky_state *potential,
                    ky_ulong stride, ky_ulong i, ky_state x, ky_state y, ky_state z, ky_state p,
                    ky_state strength)
{
    acceleration[i] = ky_state_product(x, strength);
    acceleration[stride + i] = ky_state_product(y, strength);
    acceleration[2 * stride + i] = ky_state_product(z, strength);
    potential[i] = ky_state_product(ky_state_negative(p), strength);
}

KY_FN void ky_store_total(KY_GLOBAL ky_state *acceleration, KY_GLOBAL ky_state *potential,
                          ky_ulong stride, ky_ulong i, struct ky_total total, ky_state strength)
{
    const ky_real4 sum = ky_total_value(total);
    ky_store(acceleration, potential, stride, i, ky_state_of_real(sum.x), ky_state_of_real(sum.y),
             ky_state_of_real(sum.z), ky_state_of_real(sum.w), strength);
}

#endif
