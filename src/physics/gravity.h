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
 * has scaled what belongs to the source, once for all its sinks, by the factors below, and divides
 * the sums of acceleration by S² at the end. `field` holds the sums: the acceleration and
 * p = -φ. */
#ifndef KY_PHYSICS_GRAVITY_H
#define KY_PHYSICS_GRAVITY_H

#include "physics/softening.h"

/* What to multiply a source with before it goes into ky_add_…: the mass, and for cells also the six
 * moments, tr P ("trace") and tr P again ("trace3"). */
#define KY_SCALE_MASS(S) (1.0 / (S))
#define KY_SCALE_SECOND(S) (-KY_WIDE_OF(3.0) / ((KY_WIDE)(S) * (S) * (S)))
#define KY_SCALE_TRACE(S) (-0.5 / ((double)(S) * (S) * (S)))
#define KY_SCALE_TRACE3(S) (-1.5 / ((double)(S) * (S) * (S)))
/* What to multiply the sums of acceleration with. */
#define KY_SCALE_SUM(S) (1.0 / ((double)(S) * (S)))

struct ky_field {
    KY_REAL x, y, z, p;
};

KY_FN struct ky_field ky_add_body(struct ky_field field, KY_REAL dx, KY_REAL dy, KY_REAL dz,
                                  struct ky_softened s, KY_REAL m)
{
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

KY_FN struct ky_field ky_add_cell(struct ky_field field, KY_REAL dx, KY_REAL dy, KY_REAL dz,
                                  struct ky_softened s, struct ky_moments c)
{
    KY_REAL y = s.y, y2 = y * y;
    KY_REAL qx = KY_FMA(c.xz, dz, KY_FMA(c.xy, dy, c.xx * dx));
    KY_REAL qy = KY_FMA(c.yz, dz, KY_FMA(c.yy, dy, c.xy * dx));
    KY_REAL qz = KY_FMA(c.zz, dz, KY_FMA(c.yz, dy, c.xz * dx));
    KY_REAL h = KY_FMA(qz, dz, KY_FMA(qy, dy, qx * dx)) * y2;
    KY_REAL p =
        KY_FMA(y2, KY_FMA(KY_SPLAT(-0.5f / (KY_RSQRT_SCALE * KY_RSQRT_SCALE)), h, c.trace), c.m);
    KY_REAL w =
        KY_FMA(y2, KY_FMA(KY_SPLAT(-2.5f / (KY_RSQRT_SCALE * KY_RSQRT_SCALE)), h, c.trace3), c.m);
    KY_REAL y3 = y2 * y, f = w * y3, g = y3 * y2;
    field.x = KY_FMA(g, qx, KY_FMA(f, dx, field.x));
    field.y = KY_FMA(g, qy, KY_FMA(f, dy, field.y));
    field.z = KY_FMA(g, qz, KY_FMA(f, dz, field.z));
    field.p = KY_FMA(y, p, field.p);
    return field;
}

#endif
