/* The general walk (N09, N12): the interface between a walk through the tree and an action. The
 * walk calls the functions of the action for each cell and body that it visits. A body may be a
 * sink, for which a result is computed, or a source.
 *
 * An action is one file of src/physics/actions and one line of its table.h; docs/general-walk.md
 * shows how to write one. It has a struct, which is the state of one sink, and six functions:
 *
 *     struct ky_NAME ky_NAME_start(struct ky_visit_sink sink)
 *     KY_REAL ky_NAME_reach2(struct ky_NAME a)      squared distance past which bodies do nothing
 *     int ky_NAME_test(struct ky_visit_span span)   the distance test: KY_VISIT_OPEN, _PASS, _USE
 *     struct ky_NAME ky_NAME_body(struct ky_NAME a, struct ky_visit_body body)
 *     struct ky_NAME ky_NAME_cell(struct ky_NAME a, struct ky_visit_cell cell)
 *     KY_REAL ky_NAME_result(struct ky_NAME a, int column)
 *
 * The walk guarantees: every body except the sink itself reaches the action exactly once, by _body
 * or in a cell that was used or passed; a cell that contains a sink is never used, nor is a cell of
 * one body; _body may be omitted for bodies beyond the reach. The test is called for one sink or
 * for all sinks in a box at once. If the bodies are divided among ranks, the walk of a rank sees
 * the bodies within the reach of its sinks; for an action that needs no radius and no k (table.h),
 * it sees cells and bodies as the opening test of gravity requires. All numbers are in engine
 * units. Portable C: physics/dialect.h.
 *
 * An action may want the dual walk (KY_DUAL in table.h). Then cells are tested for many sinks at
 * once, and a cell for which the test returns KY_VISIT_PASS is not tested again for these sinks. So
 * the test has to guarantee: if it passes a cell for a box of sinks, it would pass the cell for
 * every box inside with reaches between the same largest and smallest, and at any later time of the
 * walk, when reaches may have shrunk but not grown. ky_visit_in_reach and ky_visit_near_reach do.
 *
 * For an action that joins bodies into groups, cells are tested against cells (the dual walk). It
 * is listed in KY_JOINING_OF of table.h, and has _start, _reach2, _test and
 *
 *     int ky_NAME_joins(struct ky_NAME a, struct ky_visit_body body)     1: the pair is joined
 *
 * The walk guarantees for every pair of bodies within the reach of one of them: _joins is called,
 * with either body as the sink; or the pair lies in two cells, or in one, for which the test
 * returned KY_VISIT_USE, and then all bodies there are joined; or its bodies are in the same group
 * already. The test is called with a cell and the box of another cell or its own box, and with the
 * reaches of all bodies;
 * x, y, z may then be the middle of the cell's box. */
#ifndef KY_PHYSICS_VISIT_H
#define KY_PHYSICS_VISIT_H

#include "physics/gravity.h"
#include "physics/opening.h"

/* The result of the distance test of a cell: open it; skip it; let it act as a whole. */
#define KY_VISIT_OPEN 0
#define KY_VISIT_PASS 1
#define KY_VISIT_USE 2

/* An unlimited reach: above the square of any distance in the engine's units. */
#define KY_VISIT_FAR KY_SPLAT(3e38f)

struct ky_visit_sink {
    KY_REAL mass, eps2;
    int splined; /* pairs are softened by KY_SPLINED and KY_EPS_LARGER, otherwise by KY_EPS_SUM */
    KY_REAL radius;    /* the caller's radius, 0 if there is none */
    KY_REAL bound2;    /* k nearest: a squared distance within which there are at least k bodies, or
                          KY_VISIT_FAR */
    unsigned int k;    /* k nearest */
    unsigned int room; /* size of `list` */
    KY_GLOBAL unsigned int *list;
    KY_SPACE KY_REAL *space; /* k elements, with this stride */
    unsigned int stride;
    unsigned int body; /* its index in the caller's order */
};

/* A body as a source: its position relative to the sink, the square of this vector, and its index
 * in the caller's order. eps2: its own ε², if sources have one. */
struct ky_visit_body {
    KY_REAL x, y, z, r2, mass, eps2;
    unsigned int body;
};

/* A cell that acts as a whole: its centre of mass relative to the sink, and its moments in the form
 * of physics/gravity.h (only the mass, unless the action needs more). */
struct ky_visit_cell {
    KY_REAL x, y, z, eps2;
    struct ky_moments moments;
    unsigned int bodies;
};

/* A cell in the distance test. x, y, z is its centre of mass relative to the centre of the sinks'
 * box, which has the half-sides hx, hy, hz (0 for one sink). The cell's own box extends from below
 * to above its centre of mass. open2 is the squared distance up to which gravity opens it. most2
 * and least2 are the largest and the smallest squared reach among the sinks. */
struct ky_visit_span {
    KY_REAL x, y, z;
    KY_REAL below_x, below_y, below_z, above_x, above_y, above_z;
    KY_REAL hx, hy, hz;
    KY_REAL open2, most2, least2;
    KY_REAL reach2;       /* for splines: ky_opening_reach2 */
    unsigned int opening; /* bits of ky_opening_opens */
};

/* Rounding errors that the distance tests allow for: boxes and differences may be float. */
#define KY_VISIT_SLACK KY_SPLAT(1e-6f)

KY_FN KY_REAL ky_visit_larger(KY_REAL a, KY_REAL b)
{
    return a > b ? a : b;
}

/* The distance between the intervals [dx − below, dx + above] and [−side, side], at least 0,
 * rounded down a little so that nothing within reach is missed. (`half` is a keyword of OpenCL.) */
KY_FN KY_REAL ky_visit_gap(KY_REAL dx, KY_REAL below, KY_REAL above, KY_REAL side)
{
    KY_REAL left = dx - below - side, right = -dx - above - side;
    KY_REAL size = ky_visit_larger(dx, -dx) + below + above + side;
    return ky_visit_larger(ky_visit_larger(left, right) - KY_VISIT_SLACK * size, KY_SPLAT(0));
}

/* The largest distance between a point of one interval and a point of the other, rounded up a
 * little. */
KY_FN KY_REAL ky_visit_spread(KY_REAL dx, KY_REAL below, KY_REAL above, KY_REAL side)
{
    KY_REAL spread = ky_visit_larger(dx + above, below - dx) + side;
    return spread + KY_VISIT_SLACK * (ky_visit_larger(dx, -dx) + below + above + side);
}

/* Smallest and largest squared distance of a sink to a body of the cell. */
KY_FN KY_REAL ky_visit_nearest2(struct ky_visit_span s)
{
    return ky_distance2(ky_visit_gap(s.x, s.below_x, s.above_x, s.hx),
                        ky_visit_gap(s.y, s.below_y, s.above_y, s.hy),
                        ky_visit_gap(s.z, s.below_z, s.above_z, s.hz), KY_SPLAT(0));
}

KY_FN KY_REAL ky_visit_farthest2(struct ky_visit_span s)
{
    return ky_distance2(ky_visit_spread(s.x, s.below_x, s.above_x, s.hx),
                        ky_visit_spread(s.y, s.below_y, s.above_y, s.hy),
                        ky_visit_spread(s.z, s.below_z, s.above_z, s.hz), KY_SPLAT(0));
}

/* The distance test of actions that need the bodies within reach: pass a cell beyond the reach of
 * every sink, use one entirely within the reach of every sink, open any other. */
KY_FN int ky_visit_in_reach(struct ky_visit_span span)
{
    if (ky_visit_nearest2(span) > span.most2)
        return KY_VISIT_PASS;
    return ky_visit_farthest2(span) <= span.least2 ? KY_VISIT_USE : KY_VISIT_OPEN;
}

/* The same for actions that need the bodies one by one. */
KY_FN int ky_visit_near_reach(struct ky_visit_span span)
{
    return ky_visit_nearest2(span) > span.most2 ? KY_VISIT_PASS : KY_VISIT_OPEN;
}

#endif
