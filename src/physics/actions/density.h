/* Action: the SPH density Σ m W(r, h), including the sink itself, with the cubic spline of Monaghan
 * & Lattanzio (1985). h is the radius at which it vanishes (twice theirs), q = r/h:
 *
 *     W = 8/(π h³) [1 − 6 q² + 6 q³]   q <= 1/2
 *         8/(π h³) 2 (1 − q)³          q <= 1 */
#ifndef KY_ACTIONS_DENSITY_H
#define KY_ACTIONS_DENSITY_H

#include "physics/visit.h"

#define KY_RESULTS_density(R) R(density, 0, 1, -3)

struct ky_density {
    KY_REAL reach2, per_h, sum;
};

/* π h³ W/8 */
KY_FN KY_REAL ky_cubic_spline(KY_REAL q)
{
    KY_REAL rest = KY_SPLAT(1) - q;
    if (q > KY_SPLAT(0.5f))
        return rest > KY_SPLAT(0) ? KY_SPLAT(2) * rest * rest * rest : KY_SPLAT(0);
    return KY_SPLAT(1) - KY_SPLAT(6) * q * q * rest;
}

KY_FN struct ky_density ky_density_start(struct ky_visit_sink sink)
{
    struct ky_density a;
    a.reach2 = sink.radius * sink.radius;
    a.per_h = KY_SPLAT(1) / sink.radius;
    a.sum = sink.mass;
    return a;
}

KY_FN KY_REAL ky_density_reach2(struct ky_density a)
{
    return a.reach2;
}

KY_FN int ky_density_test(struct ky_visit_span span)
{
    return ky_visit_near_reach(span);
}

KY_FN struct ky_density ky_density_body(struct ky_density a, struct ky_visit_body body)
{
    KY_REAL q = body.r2 > KY_SPLAT(0) ? body.r2 * KY_RSQRT(body.r2) * a.per_h : KY_SPLAT(0);
    if (body.r2 <= a.reach2)
        a.sum += body.mass * ky_cubic_spline(q);
    return a;
}

KY_FN struct ky_density ky_density_cell(struct ky_density a, struct ky_visit_cell cell)
{
    (void)cell; /* the test never uses a cell */
    return a;
}

/* Infinite if h = 0, unless the bodies there have no mass. 8/π is the sum of two floats, which has
 * all digits if KY_REAL is double. */
KY_FN KY_REAL ky_density_result(struct ky_density a, int column)
{
    KY_REAL norm = KY_SPLAT(2.54647899f) + KY_SPLAT(1.02730212e-7f);
    (void)column;
    return a.sum > KY_SPLAT(0) ? norm * a.sum * a.per_h * a.per_h * a.per_h : KY_SPLAT(0);
}

#endif
