/* The moments of a cell, scaled as ky_add_cell takes them. Read by the host and by kernels. */
#ifndef KY_OCTREE_CELL_MOMENTS_H
#define KY_OCTREE_CELL_MOMENTS_H

#include "octree/layout.h"
#include "physics/gravity.h"

/* The moments from the arrays of the layout, for readers with KY_RSQRT_SCALE 1. The factors are
 * KY_SCALE_TRACE(1) and KY_SCALE_TRACE3(1) over KY_SCALE_SECOND(1). */
KY_FN struct ky_moments ky_cell_moments(KY_REAL m, KY_REAL xx, KY_REAL yy, KY_REAL zz, KY_REAL xy,
                                        KY_REAL xz, KY_REAL yz)
{
    struct ky_moments c;
    KY_REAL trace = xx + yy + zz;
    c.m = m;
    c.xx = xx;
    c.yy = yy;
    c.zz = zz;
    c.xy = xy;
    c.xz = xz;
    c.yz = yz;
    c.trace = (KY_SPLAT(1.0f / 6) - KY_SPLAT(4.96705373e-9f)) * trace; /* all digits of double */
    c.trace3 = KY_SPLAT(0.5f) * trace;
    return c;
}

/* The moment of the layout that belongs to the coefficient M_n of physics/taylor.h, n >= 4, and the
 * factor that makes it M_n: of degree 2 the layout has KY_SCALE_SECOND(1) Σ m x xᵀ, above that M_n.
 */
#define KY_TAYLOR_PLACE(n) ((n)-4 + KY_MOMENT_SECOND)
#define KY_MOMENT_THIRD 10 /* the first coefficient of degree 3 */
/* n! of the k-th coefficient of degree 3, and the trace T_c of the third moments `o` in the order
 * of struct ky_third. */
#define KY_THIRD_FACTOR(k) ((k) == 0 || (k) == 6 || (k) == 9 ? 6 : (k) == 4 ? 1 : 2)
#define KY_THIRD_TRACE(o, c)                                                                       \
    ((c) == 0   ? (o)[0] + (o)[3] + (o)[5]                                                         \
     : (c) == 1 ? (o)[1] + (o)[6] + (o)[8]                                                         \
                : (o)[2] + (o)[7] + (o)[9])
#define KY_TAYLOR_FACTOR(n) ((n) > 9 ? 1 : ((n) < 7 ? KY_WIDE_OF(0.5) : 1) / KY_SCALE_SECOND(1))

/* The mean radius of a cell's mass about its centre for the test of physics/fmm.h, from moments of
 * the order: the fourth root of Σ m r⁴/M, below order 4 the root of Σ m r²/M; 0 without mass. */
KY_FN KY_WIDE ky_cell_mean_radius(KY_GLOBAL const float *moment, int order)
{
#define KY_OF_RADIUS(n) ((KY_WIDE)KY_TAYLOR_FACTOR(n) * (KY_WIDE)moment[KY_TAYLOR_PLACE(n)])
    const KY_WIDE mass = (KY_WIDE)moment[KY_MOMENT_MASS];
    if (!(mass > 0))
        return 0;
    if (order < 4) /* xx yy zz */
        return KY_SQRT(2 * (KY_OF_RADIUS(4) + KY_OF_RADIUS(5) + KY_OF_RADIUS(6)) / mass);
    const KY_WIDE fourth =
        24 * (KY_OF_RADIUS(20) + KY_OF_RADIUS(30) + KY_OF_RADIUS(34)) + /* xxxx yyyy zzzz */
        8 * (KY_OF_RADIUS(23) + KY_OF_RADIUS(25) + KY_OF_RADIUS(32));   /* xxyy xxzz yyzz */
    return KY_SQRT(KY_SQRT(fourth / mass));
#undef KY_OF_RADIUS
}

#if KY_HOST
/* Factors of the second moments and of their trace for readers with the scale S. */
#define KY_HELD_SECOND(S) (KY_SCALE_SECOND(S) / KY_SCALE_SECOND(1))
#define KY_HELD_TRACE(S) (KY_SCALE_TRACE(S) / KY_SCALE_SECOND(1))
#define KY_HELD_TRACE3(S) (KY_SCALE_TRACE3(S) / KY_SCALE_SECOND(1))
#endif

#endif
