/* The change of a body's acceleration: its second and third derivatives, which give the first steps
 * of the Hermite scheme (hermite.h), and an upper limit of its rate. */
#ifndef KY_PHYSICS_CHANGE_H
#define KY_PHYSICS_CHANGE_H

#include "physics/dialect.h"

/* The motion of a body, or of a source relative to a sink. */
struct ky_hermite_motion {
    KY_REAL x, y, z, vx, vy, vz, ax, ay, az, jx, jy, jz;
};

/* The second and third derivatives of an acceleration in time. */
struct ky_hermite_change {
    KY_REAL sx, sy, sz, cx, cy, cz;
};

/* Adds the derivatives due to a source of mass m (Nitadori & Makino 2008, with s² = r² + ε²; r is
 * its relative motion, y = 1/s or 0), all of them over f = m/s³:
 *     A0 = r,  A1 = v - 3 α A0,  A2 = a - 6 α A1 - 3 β A0,  A3 = j - 9 α A2 - 9 β A1 - 3 γ A0,
 *     α = r·v/s²,  β = (v² + r·a)/s² + α²,  γ = (3 v·a + r·j)/s² + α (3 β - 4 α²). */
KY_FN struct ky_hermite_change ky_add_change(struct ky_hermite_change sum,
                                             struct ky_hermite_motion r, KY_REAL y, KY_REAL m)
{
#define KY_DOT(x, y, z, u, v, w) KY_FMA(r.z, r.w, KY_FMA(r.y, r.v, r.x *r.u))
    KY_REAL y2 = y * y, f = m * y * y2;
    KY_REAL rv = KY_DOT(x, y, z, vx, vy, vz), vv = KY_DOT(vx, vy, vz, vx, vy, vz);
    KY_REAL ra = KY_DOT(x, y, z, ax, ay, az), va = KY_DOT(vx, vy, vz, ax, ay, az);
    KY_REAL rj = KY_DOT(x, y, z, jx, jy, jz);
#undef KY_DOT
    KY_REAL alpha = rv * y2, alpha2 = alpha * alpha;
    KY_REAL beta = KY_FMA(vv + ra, y2, alpha2);
    KY_REAL gamma = KY_FMA(KY_FMA(KY_SPLAT(3), va, rj), y2,
                           alpha * KY_FMA(KY_SPLAT(3), beta, KY_SPLAT(-4) * alpha2));
    KY_REAL alpha3 = KY_SPLAT(-3) * alpha, beta3 = KY_SPLAT(-3) * beta;
    KY_REAL alpha6 = alpha3 + alpha3, alpha9 = alpha6 + alpha3, beta9 = KY_SPLAT(3) * beta3;
    KY_REAL gamma3 = KY_SPLAT(-3) * gamma;
#define KY_CHANGE_ALONG(x, vx, ax, jx, sx, cx)                                                     \
    {                                                                                              \
        KY_REAL a1 = KY_FMA(alpha3, r.x, r.vx);                                                    \
        KY_REAL a2 = KY_FMA(alpha6, a1, KY_FMA(beta3, r.x, r.ax));                                 \
        KY_REAL a3 = KY_FMA(alpha9, a2, KY_FMA(beta9, a1, KY_FMA(gamma3, r.x, r.jx)));             \
        sum.sx = KY_FMA(f, a2, sum.sx);                                                            \
        sum.cx = KY_FMA(f, a3, sum.cx);                                                            \
    }
    KY_CHANGE_ALONG(x, vx, ax, jx, sx, cx)
    KY_CHANGE_ALONG(y, vy, ay, jy, sy, cy)
    KY_CHANGE_ALONG(z, vz, az, jz, sz, cz)
#undef KY_CHANGE_ALONG
    return sum;
}

/* The rate at which the sources can change the force on a body. Its square [1/time²] is the sum of
 * two terms: the tides of all sources, and the largest effect of the motion and free fall of a
 * single source. */
struct ky_hermite_rate {
    KY_REAL tides, motion;
};

/* Adds a source of mass m with the relative velocity v, y = 1/s or 0, for a body of the mass `own`.
 */
KY_FN struct ky_hermite_rate ky_hermite_rate_add(struct ky_hermite_rate rate, KY_REAL y, KY_REAL v2,
                                                 KY_REAL m, KY_REAL own)
{
    KY_REAL y2 = y * y;
    rate.tides = KY_FMA(m * y, y2, rate.tides);
    rate.motion = KY_LARGER(rate.motion, KY_FMA(own, y, v2) * y2);
    return rate;
}

#endif
