/* Leap-frog with a step of each body's own (B12, section 3). Steps are the longest one divided by
 * powers of two: a step of level k is longest/2^k. A step begins and ends at a multiple of itself,
 * so that the bodies whose steps end at one time make a block.
 *
 * With x, v and a at the beginning of a body's step, at a time h later, up to its end,
 *   w = v + a h/2,  x(h) = x + w h:  both B12's predictor and the drift of kick-drift-kick.
 * At the end of the step follow a' = a(x), v = w + a' h/2, and the next level. */
#ifndef KY_PHYSICS_BLOCK_H
#define KY_PHYSICS_BLOCK_H

#include "physics/dialect.h"

/* The most levels below the longest step. */
#define KY_MOST_LEVELS 40

/* η² ε/longest²: what |a| is compared with. */
KY_FN KY_REAL ky_step_limit(KY_REAL eta, KY_REAL length, KY_REAL longest)
{
    KY_REAL part = eta / longest;
    return part * part * length;
}

/* The level of the longest step with step <= η √(ε/|a|), or `deepest` + 1 if a step of level
 * `deepest` is still too long. */
KY_FN int ky_step_level(KY_REAL a, KY_REAL limit, int deepest)
{
    int level = 0;
    for (; level <= deepest && a > limit; level++)
        a *= KY_SPLAT(0.25);
    return level;
}

/* The level after a step of `level` that ends now, where the criterion wants `wanted`: a step
 * becomes shorter at once, and twice as long only where a step of that length would end (`even`).
 */
KY_FN int ky_step_next(int wanted, int level, int even)
{
    if (wanted >= level)
        return wanted;
    return even ? level - 1 : level;
}

#endif
