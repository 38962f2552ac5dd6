/* The acceptance test of --force fmm: whether a cell acts as a whole on the local coefficients of a
 * group of sinks, or on each of the sinks. Portable C; scalars, or several cells at a time in the
 * CPU's lanes. Lengths are in the engine's units, relative to the sinks.
 *
 * An expansion of order p of a cell of mass M and size r_A about sinks of size r_B, whose centres
 * are d apart, has an error of M t^p/(d - s)², s = r_A + 5/4 r_B, t = s/d. It is accepted if this
 * is below α times the smallest last acceleration of the sinks. r_A is a mean radius of the cell's
 * mass, the fourth root of Σ m r⁴/M (the root of Σ m r²/M for orders below 4), and r_B the largest
 * distance from the middle of the sinks' box. r_B has the larger weight: a sink in a corner of the
 * box has the full error, while errors of the bodies of a cell partly cancel. A cell whose moments
 * up to degree p - 1 act on each sink separately has r_B = 0, and d is measured from the sinks'
 * box. (d - s)² instead of d² makes the largest errors smaller at the same cost. */
#ifndef KY_PHYSICS_FMM_H
#define KY_PHYSICS_FMM_H

#include "physics/fmm_limits.h"
#include "physics/opening.h"

/* The sum of the largest radii is at most this fraction of the distance, so that the expansion
 * converges. */
#define KY_FMM_ANGLE 0.9f
/* The same for sinks without last accelerations, which have no other condition. */
#define KY_FMM_ANGLE_AT_FIRST 0.5f
/* The same if these sinks are points: a first pass only has to find |a| to some tenths. */
#define KY_FMM_ANGLE_OF_POINTS 0.8f

/* The highest order. */
#define KY_FMM_MOST 6

/* The highest degree of a cell's moments that act on local coefficients. Moments of the degree of
 * the order act only on the potential: from order 4 on, reading them costs more time than they are
 * worth. */
#define KY_FMM_DEGREE(order) ((order) < 4 ? (order) : (order)-1)

/* s from r_A and r_B. */
KY_FN KY_FLOAT ky_fmm_size(KY_FLOAT cell, KY_FLOAT sinks)
{
    return cell + 1.25f * sinks;
}

/* 1 if an expansion may be used at the distance d. `reach` is the sum of the largest radii, `size`
 * is s, and t = s/d: a division takes ten instructions of a GPU, a product with its 1/√d² one. The
 * loop has no branch for the same reason. */
KY_FN KY_TRUTH ky_fmm_acts(KY_FLOAT d, KY_FLOAT t, KY_FLOAT reach, KY_FLOAT size, KY_FLOAT mass,
                           const struct ky_fmm_limits limits)
{
    KY_FLOAT rest = d - size, part = t * t;
    for (int k = 2; k < KY_FMM_MOST; k++)
        part = k < limits.order ? part * t : part;
    return (reach < limits.angle * d) & (reach < limits.most) & (reach + limits.hold < d) &
           (d > limits.least) & (mass * part < limits.error * (rest * rest));
}

/* The mass of all cells of this mass and radius whose expansions about sinks of radius `sinks` have
 * errors of the same sign: many small cells side by side act on large sinks like one cell of the
 * sinks' size. At most the total mass. Where cells act on each other it replaces the mass. */
KY_FN KY_FLOAT ky_fmm_joint_mass(KY_FLOAT mass, KY_FLOAT radius, KY_FLOAT sinks, float all)
{
    const KY_FLOAT ratio = KY_FLOAT_MAX(KY_FLOAT_SPLAT(1.0f), 0.5f * sinks / (radius + 1e-30f));
    return -KY_FLOAT_MAX(KY_FLOAT_SPLAT(-all), -(mass * ratio * ratio * ratio));
}

/* The limits of a cell whose moments up to this degree act on each sink separately, without
 * expansions: there is no least distance, and no largest sum of radii. */
KY_FN struct ky_fmm_limits ky_fmm_limits_of_each(struct ky_fmm_limits limits, int degree)
{
    limits.order = degree + 1;
    limits.least = 0.0f;
    limits.most = 3.4e38f;
    return limits;
}

/* The cost of an expansion, in bodies that act on one sink each. */
KY_FN ky_uint ky_fmm_cost(int order)
{
    return order < 3 ? 20 : order < 4 ? 30 : order < 5 ? 56 : order < 6 ? 120 : 260;
}

/* The order of the moments of cells that act on each sink separately, and the cost of such a cell
 * in bodies. Third moments pay off if errors are small. */
KY_FN int ky_fmm_single_order(int order)
{
    return order < 5 ? 2 : 3;
}

KY_FN ky_uint ky_fmm_single_cost(int order)
{
    return order < 5 ? 2 : 4;
}

#if KY_HOST
/* The radius of sinks from the half-sides of their box. */
KY_FN float ky_fmm_radius(const float half[3])
{
    return sqrtf(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]) * 1.000001f;
}

/* 1 if sums over pairs may use estimates of 1/s with relative errors of up to 6e-5, and thus forces
 * with errors of up to 1.8e-4: if 99 % of the accelerations may have errors of 5e-4 or more. */
KY_FN int ky_fmm_is_rough(int order, double alpha)
{
    return order < 5 && alpha >= 1e-3;
}

/* The range of lengths in which D_n M_n of an order stays within float, in engine units, for masses
 * up to 1e9: (2 p - 1)!! M/d^(p+1) and M r^p. */
KY_FN float ky_fmm_least(int order)
{
    return (float)pow(1e24, -1.0 / (order + 1));
}

KY_FN float ky_fmm_most(int order)
{
    return (float)pow(1e27, 1.0 / order);
}

/* The limits of an order for sinks of one softening with no condition but the angle. */
KY_FN struct ky_fmm_limits ky_fmm_limits_of(int order, float angle, float hold)
{
    const struct ky_fmm_limits limits = {.angle = angle,
                                         .error = INFINITY,
                                         .least = ky_fmm_least(order),
                                         .most = ky_fmm_most(order),
                                         .hold = hold,
                                         .order = order};
    return limits;
}

/* The smallest distance at which an expansion may use one ε² for sinks whose ε² differ from it by
 * up to `spread`: 3/2 spread/d², the relative change of a force, is below α. Unlike the errors of
 * expansions these have one sign, and add up in the potential. */
KY_FN float ky_fmm_least_of_spread(double spread, double alpha)
{
    return (float)sqrt(1.5 * spread / alpha);
}
#endif

#endif
