/* The general walk (N09, N12): the interface between a walk through the tree and an action. The
 * walk calls the functions of the action for each cell and body that it visits. A body may be a
 * sink, for which something is found, or a source.
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
 * The walk promises: every body but the sink itself reaches the action exactly once, by _body or
 * in a cell that was used or passed; a cell that holds a sink is never used, nor is a cell of one
 * body; _body may be left out for bodies past the reach. The test is asked for one sink or for all
 * sinks in a box at once. Where ranks have parts of the bodies the walk of one sees the bodies
 * within the reach of its sinks; for an action that needs no radius and no k (table.h), cells and
 * bodies as the opening test of gravity asks for them. All numbers are in the engine's own units.
 * Portable C: physics/dialect.h.
 *
 * An action may want the dual walk (KY_DUAL in table.h). Then cells are tested for many sinks at
 * once, and those that KY_VISIT_PASS drops are not tested again for these sinks. So the test has to
 * promise: what it passes for a box of sinks it would pass for every box within, whose reaches are
 * between the same largest and smallest, and at every later time of the walk, at which reaches may
 * have shrunk but not grown. ky_visit_in_reach and ky_visit_near_reach do.
 *
 * An action that joins bodies into groups is walked for by cells against cells (the dual walk). It
 * stands in KY_JOINING_OF of table.h, and has _start, _reach2, _test and
 *
 *     int ky_NAME_joins(struct ky_NAME a, struct ky_visit_body body)     1: the pair is joined
 *
 * The walk promises: every pair of bodies within the reach of one of them is asked about, with
 * either as the sink; or it lies in two cells, or in one, of which the test said KY_VISIT_USE:
 * then all bodies there are joined; or its bodies are in one group already. The test is asked about
 * a cell for the box of another cell or for its own box, and with the reaches of all bodies;
 * x, y, z may then be the middle of the cell's box. */
#ifndef KY_PHYSICS_VISIT_H
#define KY_PHYSICS_VISIT_H

#include "physics/gravity.h"
#include "physics/opening.h"

/* The result of the distance test of a cell: go into it; go past it; let it act as a whole. */
#define KY_VISIT_OPEN 0
#define KY_VISIT_PASS 1
#define KY_VISIT_USE 2

/* An unlimited reach: above the square of any distance in the engine's units. */
#define KY_VISIT_FAR KY_SPLAT(3e38f)

struct ky_visit_sink {
    KY_REAL mass, eps2;
    int splined;       /* pairs are softened by KY_SPLINED and KY_EPS_LARGER, else by KY_EPS_SUM */
    KY_REAL radius;    /* the caller's radius, 0 if there is none */
    KY_REAL bound2;    /* k nearest: a squared distance within which there are k bodies or more, or
                          KY_VISIT_FAR */
    unsigned int k;    /* k nearest */
    unsigned int room; /* elements of `list` */
    KY_GLOBAL unsigned int *list;
    KY_SPACE KY_REAL *space; /* k elements, `stride` apart */
    unsigned int stride;
    unsigned int body; /* its index in the caller's order */
};

/* A body as a source: its place relative to the sink, the square of this vector, and its index in
 * the caller's order. eps2: its own ε², if sources have one. */
struct ky_visit_body {
    KY_REAL x, y, z, r2, mass, eps2;
    unsigned int body;
};

/* A cell that acts as a whole: its centre of mass relative to the sink, and its moments in the form
 * of physics/gravity.h (only the mass, if no others are asked for). */
struct ky_visit_cell {
    KY_REAL x, y, z, eps2;
    struct ky_moments moments;
    unsigned int bodies;
};

/* A cell in the distance test. x, y, z is its centre of mass relative to the centre of the sinks'
 * box, which has the half sides hx, hy, hz (0 for one sink). The cell's own box reaches from below
 * to above its centre of mass. open2 is the squared distance up to which gravity opens it. The
 * reaches are the largest and the smallest among the sinks. */
struct ky_visit_span {
    KY_REAL x, y, z;
    KY_REAL below_x, below_y, below_z, above_x, above_y, above_z;
    KY_REAL hx, hy, hz;
    KY_REAL open2, most2, least2;
    KY_REAL reach2;       /* of splines: ky_opening_reach2 */
    unsigned int opening; /* how ky_opening_opens tests for gravity */
};

/* Rounding that the distance tests allow for: boxes and differences may be float. */
#define KY_VISIT_SLACK KY_SPLAT(1e-6f)

KY_FN KY_REAL ky_visit_larger(KY_REAL a, KY_REAL b)
{
    return a > b ? a : b;
}

/* The distance between the intervals [dx − below, dx + above] and [−side, side], at least 0,
 * rounded down a little, so that nothing within reach is missed. (`half` is a word of OpenCL.) */
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

/* The distance test of actions that want the bodies within reach: past the reach of every sink, or
 * wholly within the reach of every sink, or else open. */
KY_FN int ky_visit_in_reach(struct ky_visit_span span)
{
    if (ky_visit_nearest2(span) > span.most2)
        return KY_VISIT_PASS;
    return ky_visit_farthest2(span) <= span.least2 ? KY_VISIT_USE : KY_VISIT_OPEN;
}

/* The same for actions that want the bodies one by one. */
KY_FN int ky_visit_near_reach(struct ky_visit_span span)
{
    return ky_visit_nearest2(span) > span.most2 ? KY_VISIT_PASS : KY_VISIT_OPEN;
}

#endif
