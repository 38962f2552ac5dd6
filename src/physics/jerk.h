/* Gravity of a moving body on a moving sink (or one vector of sinks): acceleration, jerk,
 * potential.
 *
 *     r = x_source - x_sink,  w = v_source - v_sink,  s² = r² + ε²
 *     a = m r/s³,   j = da/dt = m [w/s³ - 3 (r·w) r/s⁵],   φ = -m/s
 *
 * As in gravity.h: y = KY_RSQRT(s²) = S/s with S = KY_RSQRT_SCALE, or 0 if the source exerts no
 * force; the mass is multiplied by KY_SCALE_MASS(S) beforehand, and the sums of acceleration and
 * jerk by KY_SCALE_SUM(S) at the end. p = -φ. */
#ifndef KY_PHYSICS_JERK_H
#define KY_PHYSICS_JERK_H

#include "physics/gravity.h"

/* Bodies coincide and exert no force on each other if s² is at most this: m/s³ and the jerk stay
 * within the range of their type for masses up to 1 and speeds up to 1,000. For sums in float, and
 * in double. */
#define KY_JERK_CLOSE2_FLOAT 1e-22f
#define KY_JERK_CLOSE2_DOUBLE 1e-180
#define KY_JERK_CLOSE2_OF(in_double)                                                               \
    ((in_double) ? KY_JERK_CLOSE2_DOUBLE : (double)KY_JERK_CLOSE2_FLOAT)

/* Positions and velocities relative to the origin are limited to this: r² stays within the range of
 * its type, and a body so far away exerts no force. NaN stays NaN. */
#define KY_JERK_FAR_FLOAT 1e18
#define KY_JERK_FAR_DOUBLE 1e150
#define KY_JERK_FAR_OF(in_double) ((in_double) ? KY_JERK_FAR_DOUBLE : KY_JERK_FAR_FLOAT)
#define KY_JERK_BELOW(far, x) ((far) < (x) ? (far) : (x))
#define KY_JERK_WITHIN(x, far) KY_JERK_BELOW(far, -KY_JERK_BELOW(far, -(x)))

struct ky_jerk_field {
    KY_REAL x, y, z, p, jx, jy, jz;
};

/* f = m/s³ in the units above, corrected for the rounding of y³. S² − s² y² is twice the relative
 * error of y; three halves of it are missing in f. */
KY_FN KY_REAL ky_jerk_mended(KY_REAL f, KY_REAL s2, KY_REAL y2)
{
    const float S2 = KY_RSQRT_SCALE * KY_RSQRT_SCALE;
    return KY_FMA(f * KY_SPLAT(1.5f / S2), KY_FMA(-s2, y2, KY_SPLAT(S2)), f);
}

/* `mend`: corrects f to within its last roundings, for float; s² must be finite. */
KY_FN struct ky_jerk_field ky_add_moving(struct ky_jerk_field field, KY_REAL dx, KY_REAL dy,
                                         KY_REAL dz, KY_REAL vx, KY_REAL vy, KY_REAL vz, KY_REAL y,
                                         KY_REAL m, KY_REAL s2, const int mend)
{
    KY_REAL y2 = y * y, my = m * y, f = mend ? ky_jerk_mended(my * y2, s2, y2) : my * y2;
    KY_REAL rw = KY_FMA(dz, vz, KY_FMA(dy, vy, dx * vx));
    KY_REAL g = rw * y2 * KY_SPLAT(-3.0f / (KY_RSQRT_SCALE * KY_RSQRT_SCALE));
    field.x = KY_FMA(f, dx, field.x);
    field.y = KY_FMA(f, dy, field.y);
    field.z = KY_FMA(f, dz, field.z);
    field.p = field.p + my;
    field.jx = KY_FMA(f, KY_FMA(g, dx, vx), field.jx);
    field.jy = KY_FMA(f, KY_FMA(g, dy, vy), field.jy);
    field.jz = KY_FMA(f, KY_FMA(g, dz, vz), field.jz);
    return field;
}

/* A body's position and velocity a time dt later, from position, velocity, a/2, j/6 and snap/18, in
 * the form of GRAPE-6; one component at a time, of any number type. */
#define KY_PREDICTED_X(x, v, a2, j6, s18, dt)                                                      \
    KY_PREDICTED_CUBIC_X(x, v, a2, (j6) + (dt) * (s18)*3 / 4, dt)
#define KY_PREDICTED_V(v, a2, j6, s18, dt) KY_PREDICTED_CUBIC_V(v, a2, (j6) + (dt) * (s18), dt)
/* The same without snap. */
#define KY_PREDICTED_CUBIC_X(x, v, a2, j6, dt) ((x) + (dt) * ((v) + (dt) * ((a2) + (dt) * (j6))))
#define KY_PREDICTED_CUBIC_V(v, a2, j6, dt) ((v) + (dt) * ((a2)*2 + (dt) * (j6)*3))

#endif
