/* A tree cell, computed from its bodies or from its children: mass, centre of mass, tight box,
 * second moments, mean and range of ε², and the squared distance up to which it is opened. The host
 * (octree/moments.c) and the kernels (tree/cells.k) use these formulas, each with its own loops but
 * with the same order of terms. */
#ifndef KY_PHYSICS_CELL_H
#define KY_PHYSICS_CELL_H

#include "physics/frame.h"
#include "physics/opening.h"

/* Sums along one axis: the centre of mass, or Σ m (x − from) while it is being summed; the sides of
 * the box. */
struct ky_cell_axis {
    ky_state x, low, high;
};

/* Σ m ε², and the smallest and the largest ε² of bodies with mass. */
struct ky_cell_eps2 {
    ky_state sum, least, most;
};

struct ky_cell_sums {
    ky_state mass;
    struct ky_cell_eps2 eps2;
    struct ky_cell_axis axis[3];
};

/* Σ m x xᵀ about the centre of mass. */
struct ky_cell_second {
    ky_state xx, yy, zz, xy, xz, yz;
};

/* An empty sum, with the box of the first term. */
KY_FN struct ky_cell_axis ky_cell_axis(ky_state low, ky_state high)
{
    struct ky_cell_axis axis;
    axis.x = ky_state_from(0.0f);
    axis.low = low;
    axis.high = high;
    return axis;
}

/* Adds a mass m at x that extends from `low` to `high`: a body or a child. Positions are relative
 * to `from`, the first one, so that no digits are lost far from the origin. */
KY_FN struct ky_cell_axis ky_cell_axis_add(struct ky_cell_axis axis, ky_state m, ky_state x,
                                           ky_state from, ky_state low, ky_state high)
{
    axis.x = ky_state_add(axis.x, ky_state_product(m, ky_state_minus(x, from)));
    axis.low = ky_state_least(axis.low, low);
    axis.high = ky_state_most(axis.high, high);
    return axis;
}

/* Replaces Σ m (x − from) by the centre of mass; for a cell without mass, by the middle of its
 * box. */
KY_FN struct ky_cell_axis ky_cell_axis_end(struct ky_cell_axis axis, ky_state mass, ky_state from)
{
    axis.x = ky_state_less(ky_state_from(0.0f), mass)
                 ? ky_state_add(from, ky_state_quotient(axis.x, mass))
                 : ky_state_middle(axis.low, axis.high);
    return axis;
}

/* The empty sums, without any body with mass. */
KY_FN struct ky_cell_eps2 ky_cell_eps2(void)
{
    struct ky_cell_eps2 eps2;
    eps2.sum = eps2.most = ky_state_from(0.0f);
    eps2.least = ky_state_from(3e38f);
    return eps2;
}

/* The sums of one body. */
KY_FN struct ky_cell_eps2 ky_cell_eps2_of(ky_state m, ky_state its)
{
    struct ky_cell_eps2 eps2 = ky_cell_eps2();
    eps2.sum = ky_state_product(m, its);
    if (ky_state_less(ky_state_from(0.0f), m))
        eps2.least = eps2.most = its;
    return eps2;
}

KY_FN struct ky_cell_eps2 ky_cell_eps2_add(struct ky_cell_eps2 a, struct ky_cell_eps2 b)
{
    a.sum = ky_state_add(a.sum, b.sum);
    a.least = ky_state_least(a.least, b.least);
    a.most = ky_state_most(a.most, b.most);
    return a;
}

KY_FN struct ky_cell_second ky_cell_second(void)
{
    struct ky_cell_second second;
    second.xx = second.yy = second.zz = second.xy = second.xz = second.yz = ky_state_from(0.0f);
    return second;
}

/* m x y. */
KY_FN ky_state ky_cell_second_of(ky_state m, ky_state x, ky_state y)
{
    return ky_state_product(ky_state_product(m, x), y);
}

/* Adds a mass m at x y z. */
KY_FN struct ky_cell_second ky_cell_second_add(struct ky_cell_second second, ky_state m, ky_state x,
                                               ky_state y, ky_state z)
{
    second.xx = ky_state_add(second.xx, ky_cell_second_of(m, x, x));
    second.yy = ky_state_add(second.yy, ky_cell_second_of(m, y, y));
    second.zz = ky_state_add(second.zz, ky_cell_second_of(m, z, z));
    second.xy = ky_state_add(second.xy, ky_cell_second_of(m, x, y));
    second.xz = ky_state_add(second.xz, ky_cell_second_of(m, x, z));
    second.yz = ky_state_add(second.yz, ky_cell_second_of(m, y, z));
    return second;
}

/* ---- the opening of a cell ---- */

/* The cube of the frame that contains the cell's bodies; edge 0: there is none. */
struct ky_cell_cube {
    ky_scalar edge;
    int holds; /* 1: it contains the tight box, to KY_OPENING_SLACK */
    ky_state centre[3];
};

KY_FN struct ky_cell_cube ky_cell_no_cube(void)
{
    struct ky_cell_cube cube;
    cube.edge = 0;
    cube.holds = 0;
    for (int c = 0; c < 3; c++)
        cube.centre[c] = ky_state_from(0.0f);
    return cube;
}

/* The cube that contains `place` and whose edge is 2^shift places. It does not contain bodies
 * outside the frame, whose places are at the frame's edge. frame.low and the sums are relative to
 * the same point. */
KY_FN struct ky_cell_cube ky_cell_cube(struct ky_frame frame, const ky_uint place[3], ky_uint shift,
                                       const struct ky_cell_axis axis[3])
{
    struct ky_cell_cube cube;
    ky_state unit = ky_state_product(frame.edge, ky_state_from(1.0f / KY_KEY_PLACES));
    ky_state edge = ky_state_product(unit, ky_state_from((float)(1U << shift)));
    ky_state half_edge = ky_state_product(ky_state_from(0.5f), edge);
    ky_state margin = ky_state_product(ky_state_of_wide(KY_OPENING_SLACK), edge);
    cube.edge = ky_state_scalar(edge);
    cube.holds = 1;
    for (int c = 0; c < 3; c++) {
        ky_state from = ky_state_from((float)(place[c] >> shift << shift));
        ky_state low = ky_state_add(frame.low[c], ky_state_product(unit, from));
        ky_state high = ky_state_add(low, edge);
        cube.centre[c] = ky_state_add(low, half_edge);
        if (ky_state_less(axis[c].low, ky_state_minus(low, margin)) ||
            ky_state_less(ky_state_add(high, margin), axis[c].high))
            cube.holds = 0;
    }
    return cube;
}

/* open2 of the cell. l is the longest side of box and cube. s is the vector to the centre of mass
 * from the centre of the cube if that contains the box, otherwise from the centre of the box. The
 * centre of mass has been rounded by up to `rounding`. */
KY_FN ky_scalar ky_cell_open2(ky_state mass, const struct ky_cell_axis axis[3],
                              struct ky_cell_cube cube, struct ky_opening_test test,
                              ky_scalar rounding)
{
    ky_scalar l = 0, s2 = 0;
    for (int c = 0; c < 3; c++) {
        ky_scalar side = ky_state_scalar(ky_state_minus(axis[c].high, axis[c].low));
        ky_state centre = cube.holds ? cube.centre[c] : ky_state_middle(axis[c].low, axis[c].high);
        ky_scalar s = ky_state_scalar(ky_state_minus(axis[c].x, centre));
        l = l < side ? side : l;
        s2 += s * s;
    }
    l = l < cube.edge ? cube.edge : l;
    return ky_opening_radius2(test, ky_state_scalar(mass), l, s2, rounding);
}

#endif
