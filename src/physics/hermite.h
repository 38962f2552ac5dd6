/* The fourth-order Hermite scheme (Makino & Aarseth 1992) with individual time steps. Steps are the
 * longest one divided by powers of two, as in block.h. The formulas are for one component of a
 * body; j is the jerk times the step h, s and c are the second and third derivatives of the
 * acceleration times h² and h³, so all of them are accelerations.
 *
 *     predicted   x + h (v + w),  w = h (a/2 + j/6)      v + u,  u = h (a + j/2)
 *     corrected   x' = predicted + h² (s/24 + 7 c/720)   v' = predicted + h (s/6 + c/24)
 *     with        s = 6 (a' - a) - 4 j - 2 j',   c = 6 (j + j') - 12 (a' - a)   at the beginning
 *
 * The last term of x' is 7/6 of the Taylor term, which removes most of the phase error (Kokubo &
 * Makino 2004); the order is unchanged. The step is Aarseth's (1985), from a'
 * and j' and s + c at the end of the previous step: Δt² = η (|a||s| + |j|²)/(|j||c| + |s|²).
 *
 * KY_HERMITE_REAL is the type of these numbers: KY_REAL, or a type with more digits that the
 * including file defines for its state. */
#ifndef KY_PHYSICS_HERMITE_H
#define KY_PHYSICS_HERMITE_H

#include "physics/dialect.h"

#ifndef KY_HERMITE_REAL
#define KY_HERMITE_REAL KY_REAL
#endif

/* w and u above; here `j` is the jerk itself, not times h. */
KY_FN KY_HERMITE_REAL ky_hermite_drift(KY_HERMITE_REAL a, KY_HERMITE_REAL j, KY_HERMITE_REAL h)
{
    return h * (a / 2 + h * j * (KY_HERMITE_REAL)(1.0 / 6));
}

KY_FN KY_HERMITE_REAL ky_hermite_kick(KY_HERMITE_REAL a, KY_HERMITE_REAL j, KY_HERMITE_REAL h)
{
    return h * (a + h * j / 2);
}

/* The predicted x and v. `part`: the unit of length of v, a and j in the unit of x. */
KY_FN KY_HERMITE_REAL ky_hermite_place(KY_HERMITE_REAL x, KY_HERMITE_REAL v, KY_HERMITE_REAL a,
                                       KY_HERMITE_REAL j, KY_HERMITE_REAL h, KY_HERMITE_REAL part)
{
    return x + h * part * (v + ky_hermite_drift(a, j, h));
}
KY_FN KY_HERMITE_REAL ky_hermite_speed(KY_HERMITE_REAL v, KY_HERMITE_REAL a, KY_HERMITE_REAL j,
                                       KY_HERMITE_REAL h)
{
    return v + ky_hermite_kick(a, j, h);
}

/* The corrections of the predicted x (divided by h²) and v (divided by h); s at the end of the
 * step, and c. */
struct ky_hermite_end {
    KY_HERMITE_REAL x, v, s, c;
};

/* Computes them from the acceleration and j at both ends of the step. */
KY_FN struct ky_hermite_end ky_hermite_correct(KY_HERMITE_REAL a0, KY_HERMITE_REAL j0,
                                               KY_HERMITE_REAL a1, KY_HERMITE_REAL j1)
{
    struct ky_hermite_end end;
    KY_HERMITE_REAL change = a1 - a0;
    KY_HERMITE_REAL s = 6 * change - 4 * j0 - 2 * j1;
    end.c = 6 * (j0 + j1) - 12 * change;
    end.x = s * (KY_HERMITE_REAL)(1.0 / 24) + end.c * (KY_HERMITE_REAL)(7.0 / 720);
    end.v = s * (KY_HERMITE_REAL)(1.0 / 6) + end.c * (KY_HERMITE_REAL)(1.0 / 24);
    end.s = s + end.c;
    return end;
}

/* The level after a step of `level` that ends now, from |a|, |j|, |s| and |c|. A step is shortened
 * at once; deepest + 1 means that a step of level `deepest` is still too long. It is doubled only
 * if a step of that length would end now (`even`). */
KY_FN int ky_hermite_next(KY_HERMITE_REAL a, KY_HERMITE_REAL j, KY_HERMITE_REAL s,
                          KY_HERMITE_REAL c, KY_HERMITE_REAL eta, int level, int even, int deepest)
{
    KY_HERMITE_REAL most = eta * (a * s + j * j), step2 = j * c + s * s; /* times Δt²/h² */
    if (even && level > 0 && 4 * step2 <= most)
        return level - 1;
    for (; level <= deepest && step2 > most; level++)
        step2 /= 4;
    return level;
}

/* ---- forces that cancel ---- */

/* If the forces on a body cancel, a, j, s and c are mostly rounding errors: s and c do not decrease
 * with the step, and the criterion would make each step shorter than the last. Returns 1 if this is
 * possible. The arguments are squares: in a series that converges, s and c are well below the
 * larger of a and j. */
KY_FN int ky_hermite_is_doubtful(KY_HERMITE_REAL a2, KY_HERMITE_REAL j2, KY_HERMITE_REAL s2,
                                 KY_HERMITE_REAL c2)
{
    return 4 * KY_LARGER(s2, c2) > KY_LARGER(a2, j2);
}

/* The level that replaces a doubtful `next`, which is deeper than `level`. No step has to be
 * shorter than 1/16 of √(η/rate2) (change.h); for two bodies, Aarseth's step is about √(η/rate2).
 * step2 is the square of the step of `level`. */
KY_FN int ky_hermite_bound(KY_HERMITE_REAL rate2, KY_HERMITE_REAL step2, KY_HERMITE_REAL eta,
                           int level, int even, int next)
{
    KY_HERMITE_REAL times = 256 * step2 * rate2;
    if (even && level > 0 && 4 * times <= eta)
        return level - 1;
    for (; level < next && times > eta; level++)
        times /= 4;
    return level;
}

#endif
