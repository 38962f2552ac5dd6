/* Sums times `strength` (ky_engine_scale) as accelerations and potentials in numbers of the
 * kernels. */
#ifndef KY_KERNELS_STORE_H
#define KY_KERNELS_STORE_H

#include "engine/device/kernels/driver/state.h"
#include "engine/device/kernels/forces/pairs.h"

/* Rounded once, after the product. */
KY_FN KY_REAL ky_stored(ky_state sum, ky_state strength)
{
    return ky_real_of_state(ky_state_product(sum, strength));
}

/* A sink's sums as its acceleration, three columns `stride` apart, and potential = -p. */
KY_FN void ky_store_total(KY_GLOBAL KY_REAL *acceleration, KY_GLOBAL KY_REAL *potential,
                          ky_ulong stride, ky_ulong i, struct ky_total total, ky_state strength)
{
    ky_real4 sum = ky_total_value(total);
    acceleration[i] = ky_stored(ky_state_of_real(sum.x), strength);
    acceleration[stride + i] = ky_stored(ky_state_of_real(sum.y), strength);
    acceleration[2 * stride + i] = ky_stored(ky_state_of_real(sum.z), strength);
    potential[i] = ky_stored(ky_state_of_real(-sum.w), strength);
}

#endif
