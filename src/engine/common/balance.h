/* The net force of approximate forces in a periodic box.
 *
 * Forces of all bodies with all images add up to 0 there. Where cells act in one direction their
 * errors do not: the net force is 10⁻⁶ to 10⁻⁵ of Σ m |a|. After an evaluation of all bodies it is
 * therefore subtracted, with a part for each body in proportion to m |a|:
 *
 *     a_i ← a_i - |a_i| Σ m a / Σ m |a|
 *
 * So momentum is conserved to rounding, and each acceleration changes by this small part of itself,
 * less than its error. The mean acceleration, the same for all, would be too much for bodies with a
 * small |a| beside dense clumps. Massless bodies, forces on some active bodies, and fields at
 * points stay as they are. Exact sums have no such net force. */
#ifndef KY_ENGINE_BALANCE_H
#define KY_ENGINE_BALANCE_H

#include "engine/common/force_kinds.h"

/* 1 if forces with these parameters are balanced so. */
static inline int ky_force_balances(const struct ky_parameters *parameters)
{
    return parameters->box > 0 && !ky_force_kind(parameters->force)->is_exact;
}

/* Forces are summed as integers. The largest m |a| of n bodies is 2 to this power at most, so that
 * sums have less than 63 bits. */
static inline int ky_balance_bits(size_t n)
{
    int bits = 62;
    while (n >> (62 - bits))
        bits--;
    return bits;
}

#endif
