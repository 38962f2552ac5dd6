/* Results: sums times `strength` (ky_engine_scale) as accelerations and potentials, in state
 * numbers. External fields, which may be much stronger, are added afterwards. */
#ifndef KY_KERNELS_STORE_H
#define KY_KERNELS_STORE_H

#include "engine/device/kernels/driver/state.h"
#include "engine/device/kernels/forces/pairs.h"

/* Writes the sums of a sink, x y z p, as its acceleration, three columns with this stride, and
 * potential = -p. */
KY_FN void ky_store(KY_GLOBAL ky_state *acceleration, KY_GLOBAL ky_state *potential,
                    ky_ulong stride, ky_ulong i, const ky_state *sum, ky_state strength)
{
    for (ky_ulong c = 0; c < 3; c++)
        acceleration[c * stride + i] = ky_state_product(sum[c], strength);
    potential[i] = ky_state_product(ky_state_negative(sum[3]), strength);
}

KY_FN void ky_store_total(KY_GLOBAL ky_state *acceleration, KY_GLOBAL ky_state *potential,
                          ky_ulong stride, ky_ulong i, struct ky_total total, ky_state strength)
{
    const ky_real4 value = ky_total_value(total);
    ky_state sum[4];
    sum[0] = ky_state_of_real(value.x), sum[1] = ky_state_of_real(value.y);
    sum[2] = ky_state_of_real(value.z), sum[3] = ky_state_of_real(value.w);
    ky_store(acceleration, potential, stride, i, sum, strength);
}

#endif
