/* The tidal tensor at a point, ∂a_i/∂x_j, of bodies and of cells with second moments, softened like
 * their forces in gravity.h. It is symmetric; with ε = 0 its trace is 0 in empty space. Requires
 * KY_RSQRT_SCALE = 1.
 *
 * With d from the point to the source, s² = d² + ε²:
 *
 *     body  m (3 d_i d_j/s⁵ - δ_ij/s³)
 *     cell  the second derivatives of -φ there, with P, tr P in the factors of ky_add_cell:
 *           C = -3 P, H = d·C·d, t = -3 tr P/2:
 *           -C_ij/s⁵ + 5 (C d)_i d_j/s⁷ + 5 d_i (C d)_j/s⁷
 *           + d_i d_j (3 m/s⁵ + 5 t/s⁷ - 35 H/(2 s⁹)) - δ_ij (m/s³ + t/s⁵ - 5 H/(2 s⁷))
 *
 * A body softened as a spline has the force m f d, f as in ky_add_spline, and with u = r/h, v = 1 -
 * u:
 *
 *     -m (f'/r d_i d_j + f δ_ij)
 *     u < 1/2:  f'/r = (96 u - 384/5)/h⁵
 *     else:     f'/r = (64 v³ u³ - 3 (1 - v⁴ (16 - 128/5 v + 32/3 v²)))/r⁵ */
#ifndef KY_PHYSICS_TIDE_H
#define KY_PHYSICS_TIDE_H

#include "physics/gravity.h"

struct ky_tide {
    KY_REAL xx, yy, zz, xy, xz, yz;
};

/* Adds f u u + b 1, with u = d/s. */
KY_FN struct ky_tide ky_add_tide(struct ky_tide t, KY_REAL ux, KY_REAL uy, KY_REAL uz, KY_REAL f,
                                 KY_REAL b)
{
    t.xx += KY_FMA(f * ux, ux, b);
    t.yy += KY_FMA(f * uy, uy, b);
    t.zz += KY_FMA(f * uz, uz, b);
    t.xy = KY_FMA(f * ux, uy, t.xy);
    t.xz = KY_FMA(f * ux, uz, t.xz);
    t.yz = KY_FMA(f * uy, uz, t.yz);
    return t;
}

KY_FN struct ky_tide ky_add_tide_of_spline(struct ky_tide t, KY_REAL dx, KY_REAL dy, KY_REAL dz,
                                           struct ky_softened s, KY_REAL mass)
{
    const KY_REAL part = KY_SPLAT(1) / KY_SPLAT(15);
    const KY_REAL h2 = s.eps2 * (KY_SPLAT(KY_SPLINE_REACH2) / KY_SPLAT(KY_SPLINE_REACH2_OVER)),
                  k = KY_RSQRT(KY_LARGER(h2, KY_SPLAT(KY_CLOSE2))), y = s.y, u = s.s2 * y * k,
                  v = KY_LARGER(KY_SPLAT(1) - u, KY_SPLAT(0)), v3 = v * v * v, u2 = u * u,
                  k3 = k * k * k, y3 = y * y * y, m = KY_WHERE_ABOVE(mass, y, 0);
    const KY_REAL bulk = part *
                         KY_FMA(v3 * v,
                                KY_FMA(v, KY_FMA(KY_SPLAT(-160), v, KY_SPLAT(384)), KY_SPLAT(-240)),
                                KY_SPLAT(15)),
                  f_out = y3 * bulk,
                  along_out = y3 * KY_FMA(KY_SPLAT(-64) * v3, u * u2, KY_SPLAT(3) * bulk);
    const KY_REAL f_in = k3 * part *
                         KY_FMA(u2, KY_FMA(KY_SPLAT(480), u, KY_SPLAT(-576)), KY_SPLAT(160)),
                  along_in = k3 * part * u2 * KY_FMA(KY_SPLAT(-1440), u, KY_SPLAT(1152));
    return ky_add_tide(t, dx * y, dy * y, dz * y, m * KY_WHERE_EITHER(along_out, along_in, u, 0.5f),
                       -m * KY_WHERE_EITHER(f_out, f_in, u, 0.5f));
}

KY_FN struct ky_tide ky_add_tide_of_body(struct ky_tide t, KY_REAL dx, KY_REAL dy, KY_REAL dz,
                                         struct ky_softened s, KY_REAL mass)
{
    if (s.how & KY_SPLINED)
        return ky_add_tide_of_spline(t, dx, dy, dz, s, mass);
    const KY_REAL y = s.y, m = mass * y * y * y;
    return ky_add_tide(t, dx * y, dy * y, dz * y, KY_SPLAT(3) * m, -m);
}

KY_FN struct ky_tide ky_add_tide_of_cell(struct ky_tide t, KY_REAL dx, KY_REAL dy, KY_REAL dz,
                                         struct ky_softened s, struct ky_moments c)
{
    const KY_REAL y = s.y, y2 = y * y, y3 = y * y2, g = y2 * y3, ux = dx * y, uy = dy * y,
                  uz = dz * y;
    const KY_REAL qx = KY_FMA(c.xz, uz, KY_FMA(c.xy, uy, c.xx * ux)),
                  qy = KY_FMA(c.yz, uz, KY_FMA(c.yy, uy, c.xy * ux)),
                  qz = KY_FMA(c.zz, uz, KY_FMA(c.yz, uy, c.xz * ux)),
                  h = KY_FMA(qz, uz, KY_FMA(qy, uy, qx * ux));
    const KY_REAL f = y3 *
                      (KY_SPLAT(3) * c.m + y2 * (KY_SPLAT(5) * c.trace3 - KY_SPLAT(17.5f) * h)),
                  b = -y3 * (c.m + y2 * (c.trace3 - KY_SPLAT(2.5f) * h));
    t = ky_add_tide(t, ux, uy, uz, f, b);
    t.xx += g * (KY_SPLAT(10) * qx * ux - c.xx);
    t.yy += g * (KY_SPLAT(10) * qy * uy - c.yy);
    t.zz += g * (KY_SPLAT(10) * qz * uz - c.zz);
    t.xy += g * (KY_SPLAT(5) * (qx * uy + qy * ux) - c.xy);
    t.xz += g * (KY_SPLAT(5) * (qx * uz + qz * ux) - c.xz);
    t.yz += g * (KY_SPLAT(5) * (qy * uz + qz * uy) - c.yz);
    return t;
}

#endif
