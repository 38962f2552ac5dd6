/* Leapfrog with individual time steps (B12, section 3). Steps are the longest one divided by powers
 * of two: a step of level k is longest/2^k. A step begins and ends at a multiple of its length, so
 * the bodies whose steps end at the same time form a block.
 *
 * With x, v and a at the beginning of a body's step, at a time h later within the step,
 *   w = v + a h/2,  x(h) = x + w h:  both B12's predictor and the drift of kick-drift-kick.
 * At the end of the step a' = a(x) and v = w + a' h/2; the next level follows from a' and a. */
#ifndef KY_PHYSICS_BLOCK_H
#define KY_PHYSICS_BLOCK_H

#include "physics/dialect.h"

/* Maximum number of levels below the longest step. */
#define KY_MOST_LEVELS 40

/* η² ε/longest², with which the criterion compares |a|. */
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

/* The level whose step is nearest by ratio to `part` of the longest step; -1 if `part` is not above
 * 0. Longest steps of comoving boxes have different lengths: so a body takes its step along from
 * one to the next. */
KY_FN int ky_step_nearest(KY_REAL part, int deepest)
{
    int level = 0;
    if (!(part > KY_SPLAT(0)))
        return -1;
    for (; level < deepest && part < KY_SPLAT(0.70710678118654752); level++)
        part *= KY_SPLAT(2);
    return level;
}

/* How often the longest step can be doubled for a body whose acceleration, or swing, is `size`. */
KY_FN int ky_step_doublings(KY_REAL size, KY_REAL limit)
{
    int doublings = 0;
    for (size *= KY_SPLAT(4); doublings < KY_MOST_LEVELS && size <= limit; doublings++)
        size *= KY_SPLAT(4);
    return doublings;
}

/* ε ω², which is used like |a| when a step might become longer. ω² = change/path for a step along
 * `path` that has changed the acceleration by `change`. At softened centres |a| vanishes, but
 * bodies oscillate there as fast as at the distance ε, where |a| is about ε ω². Without this term,
 * steps would become longer at each pass of the centre and shorter right after it, which adds
 * energy. On paths shorter than η ε/4 the force errors would exceed the change of the field. */
KY_FN KY_REAL ky_step_swing(KY_REAL change, KY_REAL path, KY_REAL eps, KY_REAL eta)
{
    KY_REAL least = KY_SPLAT(0.25) * eta * eps;
    return eps * change / (path > least ? path : least); /* 0/0: no limit */
}

/* The level after a step of `level` that ends now, where the criterion requires `wanted`. A step is
 * shortened at once. It is doubled only if a step of that length would end now (`even`) and if the
 * swing, which requires level `swing`, allows it. The swing never shortens a step: otherwise steps
 * would become shorter and longer at each encounter, and energy would drift. */
KY_FN int ky_step_next(int wanted, int swing, int level, int even)
{
    if (wanted >= level)
        return wanted;
    return even && swing < level ? level - 1 : level;
}

#endif
