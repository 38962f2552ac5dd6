/* The test whether a cell must be opened: the opening tests of N09 (offset), B12 (offset, minimum),
 * Barnes & Hut (geometric) and GADGET (relative). Portable C; scalars, or several cells at a time
 * in the CPU's lanes. Lengths are differences from the centre of the sinks, so that float is
 * enough. */
#ifndef KY_PHYSICS_OPENING_H
#define KY_PHYSICS_OPENING_H

#include "physics/number.h"
#include "physics/softening_kinds.h"

/* A cell at a squared distance up to this is opened whatever the test says: 1/d⁴ in the formula of
 * a quadrupole would come near the limit of float. In engine units, squared; the distance is 3e-11
 * of the system's size. */
#define KY_OPENING_CLOSE2 1e-15f

/* Rounding errors that the tests allow for: the sinks' boxes are widened by this fraction of their
 * size, and a tight box may exceed the cell's cube by as much. */
#define KY_OPENING_SLACK KY_WIDE_OF(1e-6)

/* Distance between the interval of half-width `h` about 0 and the interval from dx − below to dx +
 * above; 0 if they touch. */
KY_FN KY_FLOAT ky_opening_gap(KY_FLOAT dx, KY_FLOAT below, KY_FLOAT above, KY_FLOAT h)
{
    KY_FLOAT left = dx - below - h, right = -(dx + above) - h;
    return KY_FLOAT_MAX(KY_FLOAT_MAX(left, right), KY_FLOAT_SPLAT(0.0f));
}

/* The sinks' box has the half-sides hx hy hz about 0, all 0 for one sink; the cell's centre of mass
 * is at x y z, and its own box extends from there − below to there + above. */
struct ky_opening_apart {
    KY_FLOAT x, y, z, hx, hy, hz;
};

struct ky_opening_sides {
    KY_FLOAT below_x, below_y, below_z, above_x, above_y, above_z;
    KY_FLOAT reach2; /* ky_opening_reach2 of the sinks and the cell; read with KY_OPENING_REACH */
};

/* The squared distance up to which a spline may soften pairs, for the largest ε² of the sinks and
 * of the cell's bodies, rounded up a little. */
KY_FN KY_FLOAT ky_opening_reach2(KY_FLOAT sinks, KY_FLOAT cell)
{
    return KY_FLOAT_MAX(sinks, cell) * (1.00001f * KY_SPLINE_REACH2 / KY_SPLINE_REACH2_OVER);
}

/* Squared distance of the sinks' box to the cell's centre of mass. */
KY_FN KY_FLOAT ky_opening_distance2(struct ky_opening_apart a)
{
    const KY_FLOAT none = KY_FLOAT_SPLAT(0.0f);
    KY_FLOAT x = ky_opening_gap(a.x, none, none, a.hx), y = ky_opening_gap(a.y, none, none, a.hy),
             z = ky_opening_gap(a.z, none, none, a.hz);
    return x * x + y * y + z * z;
}

/* The squared distance of the sinks' box to the cell's box. */
KY_FN KY_FLOAT ky_opening_box_distance2(struct ky_opening_apart a, struct ky_opening_sides s)
{
    KY_FLOAT x = ky_opening_gap(a.x, s.below_x, s.above_x, a.hx),
             y = ky_opening_gap(a.y, s.below_y, s.above_y, a.hy),
             z = ky_opening_gap(a.z, s.below_z, s.above_z, a.hz);
    return x * x + y * y + z * z;
}

/* 1 if the two boxes touch. */
KY_FN KY_TRUTH ky_opening_box_touches(struct ky_opening_apart a, struct ky_opening_sides s)
{
    return ky_opening_gap(a.x, s.below_x, s.above_x, a.hx) +
               ky_opening_gap(a.y, s.below_y, s.above_y, a.hy) +
               ky_opening_gap(a.z, s.below_z, s.above_z, a.hz) <=
           0.0f;
}

/* `relative`: a cell is opened for sinks nearer to its centre than this number of its longest
 * sides, however small its contribution to their acceleration, because the potential and the next
 * step depend more on it. */
#define KY_OPENING_NEAREST 1.0f

/* `relative`: 1 if a sink may be within KY_OPENING_NEAREST l of the centre of the cell's box along
 * every axis, where l is its longest side; the cube contains the box. */
KY_FN KY_TRUTH ky_opening_cube_touches(struct ky_opening_apart a, struct ky_opening_sides s)
{
    KY_FLOAT lx = s.below_x + s.above_x, ly = s.below_y + s.above_y, lz = s.below_z + s.above_z;
    KY_FLOAT l = KY_FLOAT_MAX(lx, ly);
    l = KY_OPENING_NEAREST * KY_FLOAT_MAX(l, lz);
    a.x += 0.5f * (s.above_x - s.below_x);
    a.y += 0.5f * (s.above_y - s.below_y);
    a.z += 0.5f * (s.above_z - s.below_z);
    return ky_opening_gap(a.x, l, l, a.hx) + ky_opening_gap(a.y, l, l, a.hy) +
               ky_opening_gap(a.z, l, l, a.hz) <=
           0.0f;
}

/* The data that a test uses in addition to the distance of the centre of mass. Without any of these
 * no box need be read. */
#define KY_OPENING_TO_BOX 1    /* minimum: distances are to the cell's box */
#define KY_OPENING_CUBE 2      /* relative: the cube, not the box, may touch the sinks' box */
#define KY_OPENING_TOUCH 4     /* a cell that touches the sinks' box is opened at any distance */
#define KY_OPENING_REACH 0x800 /* a cell within the radius of a spline is opened */
#define KY_OPENING_BOXES (KY_OPENING_TO_BOX | KY_OPENING_TOUCH | KY_OPENING_REACH)

/* The opening test: 1 (for several cells: all bits) if the cell is to be opened. d2 is
 * ky_opening_distance2, open2 the cell's open2 times the factor of the sinks; `how` has the bits
 * above. Cells closer than KY_OPENING_CLOSE2 are opened whatever open2 is. */
KY_FN KY_TRUTH ky_opening_opens(struct ky_opening_apart a, struct ky_opening_sides s, KY_FLOAT d2,
                                KY_FLOAT open2, const unsigned int how)
{
    if (how & KY_OPENING_TO_BOX)
        d2 = ky_opening_box_distance2(a, s);
    KY_TRUTH open = d2 <= KY_FLOAT_MAX(open2, KY_FLOAT_SPLAT(KY_OPENING_CLOSE2));
    if (KY_FLOAT_SURE(open))
        return open;
    if (how & KY_OPENING_REACH)
        open |= ky_opening_box_distance2(a, s) <= s.reach2;
    if (!(how & KY_OPENING_TOUCH))
        return open;
    return open |
           ((how & KY_OPENING_CUBE) ? ky_opening_cube_touches(a, s) : ky_opening_box_touches(a, s));
}

/* Returns the |a| to which α is relative, for G = 1: `a`, the acceleration by the other bodies at
 * the last evaluation, but at least 1e-4 φ²/M. φ is the potential at the last evaluation, M the
 * mass of all bodies. Without this floor the whole tree would be opened at the centre of a system,
 * where |a| vanishes. By the Cauchy-Schwarz inequality φ²/M never exceeds Σ m/s², the acceleration
 * if all bodies were in one direction. Far outside a system φ²/M is |a|. */
#define KY_OPENING_FLOOR KY_WIDE_OF(1e-4)
KY_FN KY_WIDE ky_opening_pull(KY_WIDE a, KY_WIDE potential, KY_WIDE per_mass)
{
    KY_WIDE floor = KY_OPENING_FLOOR * potential * (potential * per_mass);
    return a > floor ? a : floor;
}

/* The acceleration in a periodic box by which errors are measured: the rms of all bodies, but at
 * least a thousandth of M/L², since on a perfect lattice the rms is an error (at z = 49 a box of
 * 100 Mpc/h has twenty times this, at random places it is a hundred times this and more). For G
 * = 1. */
KY_FN KY_WIDE ky_opening_usual_in_box(KY_WIDE rms, KY_WIDE mass, KY_WIDE side)
{
    const KY_WIDE least = KY_WIDE_OF(1e-3) * mass / (side * side);
    return rms > least ? rms : least;
}

/* In a periodic box α is relative to |a|, but to at least a tenth of this acceleration. So in
 * voids, where |a| nearly vanishes, and on a lattice not everything is opened. The potential in a
 * box is no measure of the pull: its mean is 0. */
KY_FN KY_WIDE ky_opening_least_in_box(KY_WIDE rms, KY_WIDE mass, KY_WIDE side)
{
    return KY_WIDE_OF(0.1) * ky_opening_usual_in_box(rms, mass, side);
}

/* |a| as stored between evaluations: never 0, which means an unknown |a|. */
KY_FN ky_scalar ky_opening_kept(ky_scalar x, ky_scalar y, ky_scalar z)
{
    return (ky_scalar)1e-30f + KY_SQRT(x * x + y * y + z * z);
}

/* M is summed as an integer, so that the sum does not depend on the order. One unit of mass, about
 * the mean mass, has this many parts. */
#define KY_OPENING_MASS_PART 1048576.0f

/* The cell's own distance s is used: offset, whose radius is longer by s. */
#define KY_OPENING_OFFSET 0x1000

/* The opening test of a tree: KY_OPENING_…, the order of its moments, 1/θ. */
struct ky_opening_test {
    unsigned int how;
    int order;
    ky_scalar inverse_theta;
};

/* `relative`: a cell of mass m and longest side l is opened if d^(p+3) <= m l^(p+1)/(α a), where p
 * is the order and a the smallest last acceleration of the sinks for G = 1. So the squared distance
 * is the cell's open2 times the factor of the sinks, which is (α a)^power, at most
 * KY_OPENING_MOST_FACTOR. */
#define KY_OPENING_MOST_FACTOR KY_WIDE_OF(1e30)

/* (m l^(p+1))^(2/(p+3)), as two powers: the product would leave the range of float. */
KY_FN ky_scalar ky_opening_relative_open2(ky_scalar m, ky_scalar l, int order)
{
#if KY_HOST
    for (int k = 0; k <= order; k++)
        m *= l;
    return pow(m, 2.0 / (order + 3));
#else
    const ky_scalar side = (ky_scalar)(order + 1);
    return KY_POW(l, 2 * side / (side + 2)) * KY_POW(m, 2 / (side + 2));
#endif
}

/* open2 of a cell for every test: the squared distance up to which it is opened. s2 is the squared
 * distance of its centre of mass from the centre of its box or cube, whose longest side is l.
 * Without a test of boxes the radius has to contain the cell's own bodies, also about a centre that
 * has been rounded by up to `rounding`. */
KY_FN ky_scalar ky_opening_radius2(struct ky_opening_test test, ky_scalar mass, ky_scalar l,
                                   ky_scalar s2, ky_scalar rounding)
{
    if (test.how & KY_OPENING_CUBE)
        return ky_opening_relative_open2(mass, l, test.order);
    ky_scalar radius = (l > 0 ? l * test.inverse_theta : 0) + rounding;
    if (test.how & KY_OPENING_OFFSET)
        radius += KY_SQRT(s2);
    return radius * radius;
}

#if KY_HOST
/* The power of α a in the factor. */
KY_FN double ky_opening_relative_power(int order)
{
    return -2.0 / (order + 3);
}

/* The factor of sinks whose smallest last acceleration is `a`, for G = 1. */
KY_FN double ky_opening_relative_factor(double alpha, double a, int order)
{
    return fmin(pow(alpha * a, ky_opening_relative_power(order)), KY_OPENING_MOST_FACTOR);
}
#endif

#endif
