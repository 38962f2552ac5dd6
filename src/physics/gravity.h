/* Gravity of one source on one sink (or one vector of sinks): a body, or a cell to quadrupole
 * order.
 *
 *     r = x_source - x_sink,  s² = r² + ε²                                   (Plummer softening)
 *     φ = -M/s - 3 r·P·r/(2 s⁵) + tr P/(2 s³)
 *     a = r/s³ [M + 15 r·P·r/(2 s⁴) - 3 tr P/(2 s²)] - 3 P r/s⁵
 *
 * with P = Σ m x xᵀ, the raw second moments about the cell's centre of mass. This is the Taylor
 * expansion of Σ m / sqrt(|r + x|² + ε²), thus softened as the bodies are; a traceless tensor would
 * be wrong by tr P ε²/(2 s⁵).
 *
 * `s` is the softened pair (softening.h), s.y = KY_RSQRT(s²) = S/s, S = KY_RSQRT_SCALE. The caller
 * scales the numbers of a source once for all its sinks by the factors below, and divides the sums
 * of acceleration by S² at the end. `field` holds the sums: the acceleration and p = -φ. With
 * spline softening, cells act as points (KY_CELLS_HOW). */
#ifndef KY_PHYSICS_GRAVITY_H
#define KY_PHYSICS_GRAVITY_H

#include "physics/softening.h"

/* Factors of a source for ky_add_…: of the mass, and for cells also of the six moments, of tr P
 * ("trace") and of tr P again ("trace3"). */
#define KY_SCALE_MASS(S) (1.0 / (S))
#define KY_SCALE_SECOND(S) (-KY_WIDE_OF(3.0) / ((KY_WIDE)(S) * (S) * (S)))
#define KY_SCALE_TRACE(S) (-0.5 / ((double)(S) * (S) * (S)))
#define KY_SCALE_TRACE3(S) (-1.5 / ((double)(S) * (S) * (S)))
/* The factor of the sums of acceleration. */
#define KY_SCALE_SUM(S) (1.0 / ((double)(S) * (S)))

struct ky_field {
    KY_REAL x, y, z, p;
};

/* A body softened as a spline, with u = r/h and v = 1 - u, 0 beyond h:
 *
 *     u < 1/2:  a = m/h³ r (32/3 + u² (32 u - 192/5))
 *               φ = -m/h (14/5 - u² (16/3 + u² (32/5 u - 48/5)))
 *     else:     a = m/r³ r (1 - v⁴ (16 - 128/5 v + 32/3 v²)),  φ = -m/r (1 - v⁵ (16/5 - 32/15 v))
 *
 * The outer formula is GADGET's, expanded about u = 1, where it loses no digits. `k` is S/h. */
KY_FN struct ky_field ky_add_spline(struct ky_field field, KY_REAL dx, KY_REAL dy, KY_REAL dz,
                                    struct ky_softened s, KY_REAL m)
{
    const KY_REAL part = KY_SPLAT(1) / KY_SPLAT(15);
    KY_REAL h2 = s.eps2 * (KY_SPLAT(KY_SPLINE_REACH2) / KY_SPLAT(KY_SPLINE_REACH2_OVER));
    KY_REAL k = KY_RSQRT(KY_LARGER(h2, KY_SPLAT(KY_CLOSE2)));
    KY_REAL u = s.s2 * s.y * (k * KY_SPLAT(1.0f / (KY_RSQRT_SCALE * KY_RSQRT_SCALE))), u2 = u * u;
    KY_REAL v = KY_LARGER(KY_SPLAT(1) - u, KY_SPLAT(0)), v2 = v * v, v4 = v2 * v2 * part;
    KY_REAL f_in = KY_FMA(u2, KY_FMA(KY_SPLAT(480), u, KY_SPLAT(-576)), KY_SPLAT(160));
    KY_REAL p_in = KY_FMA(u2, KY_FMA(KY_SPLAT(96), u, KY_SPLAT(-144)), KY_SPLAT(80));
    KY_REAL f_out = KY_FMA(v, KY_FMA(KY_SPLAT(-160), v, KY_SPLAT(384)), KY_SPLAT(-240));
    KY_REAL p_out = v * KY_FMA(KY_SPLAT(32), v, KY_SPLAT(-48));
    p_in = KY_FMA(-u2, p_in, KY_SPLAT(42));
    f_in = f_in * part * (k * k * k);
    p_in = p_in * part * k;
    f_out = KY_FMA(v4, f_out, KY_SPLAT(1)) * (s.y * s.y * s.y);
    p_out = KY_FMA(v4, p_out, KY_SPLAT(1)) * s.y;
    m = KY_WHERE_ABOVE(m, s.y, 0);
    KY_REAL f = m * KY_WHERE_EITHER(f_out, f_in, u, 0.5f);
    field.x = KY_FMA(f, dx, field.x);
    field.y = KY_FMA(f, dy, field.y);
    field.z = KY_FMA(f, dz, field.z);
    field.p = KY_FMA(m, KY_WHERE_EITHER(p_out, p_in, u, 0.5f), field.p);
    return field;
}

KY_FN struct ky_field ky_add_body(struct ky_field field, KY_REAL dx, KY_REAL dy, KY_REAL dz,
                                  struct ky_softened s, KY_REAL m)
{
    if (s.how & KY_SPLINED)
        return ky_add_spline(field, dx, dy, dz, s, m);
    KY_REAL my = m * s.y;
    KY_REAL f = my * (s.y * s.y);
    field.x = KY_FMA(f, dx, field.x);
    field.y = KY_FMA(f, dy, field.y);
    field.z = KY_FMA(f, dz, field.z);
    field.p = field.p + my;
    return field;
}

struct ky_moments {
    KY_REAL m, xx, yy, zz, xy, xz, yz, trace, trace3;
};

/* Uses the direction u = d y, whose length is at most S: P d, d·P d and 1/s⁵ would leave the range
 * of float if lengths are very unequal. */
KY_FN struct ky_field ky_add_cell(struct ky_field field, KY_REAL dx, KY_REAL dy, KY_REAL dz,
                                  struct ky_softened s, struct ky_moments c)
{
    KY_REAL y = s.y, y2 = y * y, ux = dx * y, uy = dy * y, uz = dz * y;
    KY_REAL qx = KY_FMA(c.xz, uz, KY_FMA(c.xy, uy, c.xx * ux));
    KY_REAL qy = KY_FMA(c.yz, uz, KY_FMA(c.yy, uy, c.xy * ux));
    KY_REAL qz = KY_FMA(c.zz, uz, KY_FMA(c.yz, uy, c.xz * ux));
    KY_REAL h = KY_FMA(qz, uz, KY_FMA(qy, uy, qx * ux));
    KY_REAL p =
        KY_FMA(y2, KY_FMA(KY_SPLAT(-0.5f / (KY_RSQRT_SCALE * KY_RSQRT_SCALE)), h, c.trace), c.m);
    KY_REAL w =
        KY_FMA(y2, KY_FMA(KY_SPLAT(-2.5f / (KY_RSQRT_SCALE * KY_RSQRT_SCALE)), h, c.trace3), c.m);
    KY_REAL f = w * y2, g = y2 * y2;
    field.x = KY_FMA(g, qx, KY_FMA(f, ux, field.x));
    field.y = KY_FMA(g, qy, KY_FMA(f, uy, field.y));
    field.z = KY_FMA(g, qz, KY_FMA(f, uz, field.z));
    field.p = KY_FMA(y, p, field.p);
    return field;
}

/* Third moments O = Σ m x x x about the centre of mass, in the order xxx xxy xxz xyy xyz xzz yyy
 * yyz yzz zzz, and their trace T_i = O_ijj:
 *
 *     φ = 5 O(r,r,r)/(2 s⁷) - 3 T·r/(2 s⁵)
 *     a = [15 O(r,r,·)/2 - 35 O(r,r,r) r/(2 s²) - 3 s² T/2 + 15 T·r r/2]/s⁷
 *
 * which is the next term of the expansion in ky_add_cell. Both are scaled by these factors. */
#define KY_SCALE_THIRD(S) (KY_WIDE_OF(7.5) / ((KY_WIDE)(S) * (S) * (S) * (S) * (S)))
#define KY_SCALE_TRACE_OF_THIRD(S) (-KY_WIDE_OF(1.5) / ((KY_WIDE)(S) * (S) * (S)))

struct ky_third {
    KY_REAL o[10], t[3];
};

/* Adds the terms of ky_add_cell and the third moments. v = u y, so that no higher power of 1/s is
 * needed than in ky_add_cell. With h = u·P·u and k = h + O(u,u,v), scaled, the terms of second and
 * third moments are multiples of h and of k, and one vector q contains both forces that are not
 * along r. */
KY_FN struct ky_field ky_add_octupole(struct ky_field field, KY_REAL dx, KY_REAL dy, KY_REAL dz,
                                      struct ky_softened s, struct ky_moments c,
                                      struct ky_third third)
{
    const KY_REAL part = KY_SPLAT(-1.0f / (KY_RSQRT_SCALE * KY_RSQRT_SCALE)) / KY_SPLAT(6),
                  *o = third.o, *t = third.t;
    const KY_REAL y = s.y, y2 = y * y, ux = dx * y, uy = dy * y, uz = dz * y, vx = ux * y,
                  vy = uy * y, vz = uz * y;
    KY_REAL qx = KY_FMA(c.xz, uz, KY_FMA(c.xy, uy, c.xx * ux));
    KY_REAL qy = KY_FMA(c.yz, uz, KY_FMA(c.yy, uy, c.xy * ux));
    KY_REAL qz = KY_FMA(c.zz, uz, KY_FMA(c.yz, uy, c.xz * ux));
    const KY_REAL h = KY_FMA(qz, uz, KY_FMA(qy, uy, qx * ux));
    const KY_REAL xx = KY_FMA(o[2], vz, KY_FMA(o[1], vy, o[0] * vx)),
                  xy = KY_FMA(o[4], vz, KY_FMA(o[3], vy, o[1] * vx)),
                  xz = KY_FMA(o[5], vz, KY_FMA(o[4], vy, o[2] * vx)),
                  yy = KY_FMA(o[7], vz, KY_FMA(o[6], vy, o[3] * vx)),
                  yz = KY_FMA(o[8], vz, KY_FMA(o[7], vy, o[4] * vx)),
                  zz = KY_FMA(o[9], vz, KY_FMA(o[8], vy, o[5] * vx));
    qx = KY_FMA(xz, uz, KY_FMA(xy, uy, KY_FMA(xx, ux, qx)));
    qy = KY_FMA(yz, uz, KY_FMA(yy, uy, KY_FMA(xy, ux, qy)));
    qz = KY_FMA(zz, uz, KY_FMA(yz, uy, KY_FMA(xz, ux, qz)));
    const KY_REAL k = KY_FMA(qz, uz, KY_FMA(qy, uy, qx * ux)),
                  along = KY_FMA(t[2], vz, KY_FMA(t[1], vy, t[0] * vx));
    const KY_REAL p = KY_FMA(part, KY_FMA(KY_SPLAT(6), along, KY_FMA(KY_SPLAT(2), k, h)), c.trace);
    const KY_REAL w =
        KY_FMA(part, KY_FMA(KY_SPLAT(30), along, KY_FMA(KY_SPLAT(14), k, h)), c.trace3);
    const KY_REAL f = KY_FMA(y2, w, c.m) * y2, g = y2 * y2;
    field.x = KY_FMA(g, KY_FMA(t[0], y, qx), KY_FMA(f, ux, field.x));
    field.y = KY_FMA(g, KY_FMA(t[1], y, qy), KY_FMA(f, uy, field.y));
    field.z = KY_FMA(g, KY_FMA(t[2], y, qz), KY_FMA(f, uz, field.z));
    field.p = KY_FMA(y, KY_FMA(y2, p, c.m), field.p);
    return field;
}

#endif
