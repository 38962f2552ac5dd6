/* The fourth-order Hermite scheme (Makino & Aarseth 1992) with a step of each body's own. Steps are
 * the longest one over powers of two, as in block.h. One component of a body at a time; j means the
 * jerk times the step h, s and c the second and third derivatives of the acceleration times h² and
 * h³, so that all of them are accelerations.
 *
 *     predicted   x + h (v + w),  w = h (a/2 + j/6)      v + u,  u = h (a + j/2)
 *     corrected   x' = predicted + h² (s/24 + 7 c/720)   v' = predicted + h (s/6 + c/24)
 *     with        s = 6 (a' - a) - 4 j - 2 j',   c = 6 (j + j') - 12 (a' - a)   at the beginning
 *
 * The last term of x' is 7/6 of that in the series, which takes the largest part out of the error
 * of the phase (Kokubo & Makino 2004); the order is the same. The step is Aarseth's (1985), from a'
 * and j' and s + c at the end of the last one: Δt² = η (|a||s| + |j|²)/(|j||c| + |s|²).
 */
#ifndef KY_PHYSICS_HERMITE_H
#define KY_PHYSICS_HERMITE_H

#include "physics/dialect.h"

/* w and u above, `j` being the jerk itself. */
KY_FN KY_REAL ky_hermite_drift(KY_REAL a, KY_REAL j, KY_REAL h)
{
    return h * (a / 2 + h * j / 6);
}

KY_FN KY_REAL ky_hermite_kick(KY_REAL a, KY_REAL j, KY_REAL h)
{
    return h * (a + h * j / 2);
}

/* What is added to the predicted x and v, over h² and over h; s at the end of the step, and c. */
struct ky_hermite_end {
    KY_REAL x, v, s, c;
};

/* From acceleration and j at both ends of the step. */
KY_FN struct ky_hermite_end ky_hermite_correct(KY_REAL a0, KY_REAL j0, KY_REAL a1, KY_REAL j1)
{
    struct ky_hermite_end end;
    KY_REAL change = a1 - a0;
    KY_REAL s = 6 * change - 4 * j0 - 2 * j1;
    end.c = 6 * (j0 + j1) - 12 * change;
    end.x = s / 24 + end.c * 7 / 720;
    end.v = s / 6 + end.c / 24;
    end.s = s + end.c;
    return end;
}

/* The level after a step of `level` that ends now, from |a|, |j|, |s| and |c|: shorter at once, and
 * deepest + 1 if a step of level `deepest` is still too long; twice as long only where a step of
 * that length would end (`even`). */
KY_FN int ky_hermite_next(KY_REAL a, KY_REAL j, KY_REAL s, KY_REAL c, KY_REAL eta, int level,
                          int even, int deepest)
{
    KY_REAL most = eta * (a * s + j * j), step2 = j * c + s * s; /* times Δt²/h² */
    if (even && level > 0 && 4 * step2 <= most)
        return level - 1;
    for (; level <= deepest && step2 > most; level++)
        step2 *= KY_SPLAT(0.25f);
    return level;
}

/* ---- the first steps ---- */

/* A body's motion, or that of a source relative to a sink. */
struct ky_hermite_motion {
    KY_REAL x, y, z, vx, vy, vz, ax, ay, az, jx, jy, jz;
};

/* The second and third derivatives of an acceleration in time. */
struct ky_hermite_change {
    KY_REAL sx, sy, sz, cx, cy, cz;
};

/* Adds those that a source of mass m brings about (Nitadori & Makino 2008, with s² = r² + ε²; r is
 * its relative motion, y = 1/s or 0):
 *     A0 = m r/s³,  A1 = m v/s³ - 3 α A0,  A2 = m a/s³ - 6 α A1 - 3 β A0,
 *     A3 = m j/s³ - 9 α A2 - 9 β A1 - 3 γ A0,
 *     α = r·v/s²,  β = (v² + r·a)/s² + α²,  γ = (3 v·a + r·j)/s² + α (3 β - 4 α²). */
KY_FN struct ky_hermite_change ky_add_change(struct ky_hermite_change sum,
                                             struct ky_hermite_motion r, KY_REAL y, KY_REAL m)
{
    KY_REAL y2 = y * y, f = m * y * y2;
    KY_REAL rv = r.x * r.vx + r.y * r.vy + r.z * r.vz;
    KY_REAL vv = r.vx * r.vx + r.vy * r.vy + r.vz * r.vz;
    KY_REAL ra = r.x * r.ax + r.y * r.ay + r.z * r.az;
    KY_REAL va = r.vx * r.ax + r.vy * r.ay + r.vz * r.az;
    KY_REAL rj = r.x * r.jx + r.y * r.jy + r.z * r.jz;
    KY_REAL alpha = rv * y2, beta = (vv + ra) * y2 + alpha * alpha;
    KY_REAL gamma = (3 * va + rj) * y2 + alpha * (3 * beta - 4 * alpha * alpha);
#define KY_CHANGE_ALONG(x, vx, ax, jx, sx, cx)                                                     \
    {                                                                                              \
        KY_REAL a0 = f * r.x, a1 = f * r.vx - 3 * alpha * a0;                                      \
        KY_REAL a2 = f * r.ax - 6 * alpha * a1 - 3 * beta * a0;                                    \
        sum.sx += a2;                                                                              \
        sum.cx += f * r.jx - 9 * alpha * a2 - 9 * beta * a1 - 3 * gamma * a0;                      \
    }
    KY_CHANGE_ALONG(x, vx, ax, jx, sx, cx)
    KY_CHANGE_ALONG(y, vy, ay, jy, sy, cy)
    KY_CHANGE_ALONG(z, vz, az, jz, sz, cz)
#undef KY_CHANGE_ALONG
    return sum;
}

#endif
