/* Leap-frog with a step for each body (B12, section 3). Steps are the longest one divided by
 * powers of two: a step of level k is longest/2^k. A step begins and ends at a multiple of itself,
 * so that the bodies whose steps end at one time make a block.
 *
 * With x, v and a at the beginning of a body's step, at a time h later, up to its end,
 *   w = v + a h/2,  x(h) = x + w h:  both B12's predictor and the drift of kick-drift-kick.
 * At the end of the step follow a' = a(x), v = w + a' h/2, and the next level from a' and a. */
#ifndef KY_PHYSICS_BLOCK_H
#define KY_PHYSICS_BLOCK_H

#include "physics/dialect.h"

/* The most levels below the longest step. */
#define KY_MOST_LEVELS 40

/* η² ε/longest². The criterion compares |a| with it. */
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

/* ε ω², which counts like |a| where a step might become longer. ω² = change/path for a step along
 * `path` that has changed the acceleration by `change`. At softened centres |a| vanishes, but
 * bodies swing there as fast as at the distance ε, where |a| is about ε ω². Without this, steps
 * would become longer at each pass of the centre and shorter at once after it, which adds energy.
 * On paths shorter than η ε/4 the errors of forces would exceed the change of the field. */
KY_FN KY_REAL ky_step_swing(KY_REAL change, KY_REAL path, KY_REAL eps, KY_REAL eta)
{
    KY_REAL least = KY_SPLAT(0.25) * eta * eps;
    return eps * change / (path > least ? path : least); /* 0/0: no limit by the swing */
}

/* The level after a step of `level` that ends now, where the criterion wants `wanted`. A step
 * becomes shorter at once. It becomes twice as long only where a step of that length would end
 * (`even`) and where the swing, which wants level `swing`, allows it. The swing never makes a step
 * shorter: at each encounter steps would become shorter and longer again, and energy would drift.
 */
KY_FN int ky_step_next(int wanted, int swing, int level, int even)
{
    if (wanted >= level)
        return wanted;
    return even && swing < level ? level - 1 : level;
}

#endif
