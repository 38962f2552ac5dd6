/* Common functions of the kernels of block steps (physics/block.h). Time is counted by clock.h. */
#ifndef KY_KERNELS_BLOCK_H
#define KY_KERNELS_BLOCK_H

#include "engine/device/kernels/driver/shared.h"
#include "engine/device/kernels/steps/clock.h"

#include "physics/block.h"

/* The factors of a step: of accelerations for the kicks at its beginning and at its end, and of
 * velocities for the drift. */
struct ky_block_factors {
    ky_state kick, drift, last_kick;
};

/* The factors from the end of the last step of a level to the current tick, which is `ticks` later.
 * In comoving boxes the host has computed them: KY_STEP_FACTORS numbers for each level. Otherwise
 * `factors` is 0. */
KY_FN struct ky_block_factors ky_block_factors_of(struct ky_clock clock,
                                                  KY_GLOBAL const ky_state *factors, int level,
                                                  ky_ulong ticks)
{
    struct ky_block_factors made;
    if (factors) {
        made.kick = factors[KY_STEP_FACTORS * level];
        made.drift = factors[KY_STEP_FACTORS * level + 1];
        made.last_kick = factors[KY_STEP_FACTORS * level + 2];
    } else {
        made.drift = ky_clock_time(clock, ticks);
        made.kick =
            ky_state_product(ky_state_product(made.drift, ky_state_from(0.5f)), clock.per_kick);
        made.last_kick = made.kick;
    }
    return made;
}

KY_FN KY_REAL ky_block_size(KY_REAL x, KY_REAL y, KY_REAL z)
{
    return sqrt(x * x + y * y + z * z);
}

/* |a| of body i. */
KY_FN KY_REAL ky_block_acceleration(KY_GLOBAL const ky_state *acceleration, ky_ulong n, ky_ulong i)
{
    return ky_block_size(ky_real_of_state(acceleration[i]), ky_real_of_state(acceleration[n + i]),
                         ky_real_of_state(acceleration[2 * n + i]));
}

/* The level that the criterion requires for body i. */
KY_FN int ky_block_wanted(KY_GLOBAL const ky_state *acceleration, ky_ulong n, ky_ulong i,
                          KY_REAL limit, int deepest)
{
    return ky_step_level(ky_block_acceleration(acceleration, n, i), limit, deepest);
}

/* Makes the counts of a group 0; all lanes must call it. */
KY_FN void ky_block_clear(KY_LOCAL_POINTER ky_uint *part)
{
    if (KY_LANE < KY_TALLY_WORDS)
        part[KY_LANE] = 0;
    KY_BARRIER();
}

/* Adds the counts of a group to `tally`; all lanes must call it. */
KY_FN void ky_block_tell(KY_LOCAL_POINTER const ky_uint *part, KY_GLOBAL ky_uint *tally)
{
    KY_BARRIER();
    if (KY_LANE < KY_TALLY_WORDS && part[KY_LANE])
        KY_ATOMIC_ADD(&tally[KY_LANE], part[KY_LANE]);
}

#endif
