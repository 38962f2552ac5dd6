/* Common code of the general walks on devices (physics/visit.h): bodies and cells relative to a
 * sink. The arrays of bodies and cells are the same as in walk.k. */
#ifndef KY_KERNELS_GENERAL_H
#define KY_KERNELS_GENERAL_H

#include "engine/device/kernels/driver/state.h"
#include "engine/device/kernels/forces/near.h"
#include "engine/device/kernels/tree/cell_columns.h"

#include "physics/visit.h"

/* The side of a periodic box, in float its low part, and the squared distance up to which single
 * precision uses the low parts of pairs, KY_NEAR2 of the side: one of two bodies at opposite faces
 * is far from the origin, however near the other one is. 0: open space. An argument of kernels; on
 * the host struct ky_walk_side. */
struct ky_general_side {
    KY_REAL high, low, near2;
};

KY_FN struct ky_general_side ky_general_no_side(void)
{
    struct ky_general_side none;
    none.high = none.low = none.near2 = 0;
    return none;
}

/* Kernels for open space (in_box 0) leave out images when they are compiled: these take a tenth of
 * the time of a search, above all by their registers. */
KY_FN struct ky_general_side ky_general_side_of(struct ky_general_side side, const int in_box)
{
    return in_box ? side : ky_general_no_side();
}

struct ky_general {
    KY_CELLS_READ
    KY_GLOBAL const ky_real4 *source;
    KY_GLOBAL const struct ky_low *source_low;
    KY_GLOBAL const KY_REAL *own_eps2;
    KY_GLOBAL const ky_uint *order;
    ky_uint n, cells, flags; /* cells: of the tree; cells of other ranks follow */
    struct ky_general_side side;
    struct ky_sink sink;
};
/* The bodies as arguments of a kernel; and in a kernel with these arguments and KY_CELLS_TO_READ,
 * the values of the struct for the sink at place `own`. */
#define KY_GENERAL_TAKES                                                                           \
    KY_GLOBAL const ky_real4 *KY_RESTRICT source,                                                  \
        KY_GLOBAL const struct ky_low *KY_RESTRICT source_low,                                     \
        KY_GLOBAL const KY_REAL *KY_RESTRICT own_eps2, KY_GLOBAL const ky_uint *KY_RESTRICT order
#define KY_GENERAL_HERE(tree_cells)                                                                \
    {                                                                                              \
        KY_CELLS_HERE source, source_low, own_eps2, order, n, tree_cells, flags, side,             \
            ky_near_sink(source, source_low, own_eps2, own, flags, eps2)                           \
    }

/* The number of bodies of a cell. Cells behind the tree's own have links to the bodies that are
 * stored here. */
KY_FN ky_uint ky_general_bodies(struct ky_general walk, ky_uint cell)
{
    const struct ky_cell_link link = walk.link[cell];
    return cell < walk.cells ? link.bodies : link.next;
}

/* The row of the body in the arrays of arguments and results. */
KY_FN ky_uint ky_general_row(KY_GLOBAL const ky_uint *order, ky_uint place, ky_uint flags)
{
    return (flags & KY_FLAG_BY_PLACE) ? place : order[place];
}

/* Source minus sink along an axis, in a periodic box for the image whose box has the nearest
 * middle, which is at `to_middle` from the source (0 for a body). No other image has a smaller or a
 * larger distance. In float the difference of positions at opposite faces has lost the digits that
 * count when the side is subtracted; they are found as Knuth does. */
KY_FN KY_REAL ky_general_nearest(KY_REAL source, KY_REAL sink, KY_REAL to_middle,
                                 struct ky_general_side side)
{
    const KY_REAL d = KY_APART(source, sink), middle = d + to_middle,
                  most = (KY_REAL)0.5 * side.high,
                  boxes = middle > most    ? (KY_REAL)1
                          : middle < -most ? (KY_REAL)-1
                                           : (KY_REAL)0;
#if KY_IN_DOUBLE
    return d - boxes * side.high;
#else
    const KY_REAL back = d - source, lost = (source - (d - back)) - (sink + back);
    return boxes == 0 ? d : (d - boxes * side.high) + (lost - boxes * side.low);
#endif
}

/* ky_apart_of for the nearest image. */
KY_FN struct ky_apart ky_general_apart(struct ky_sink sink, struct ky_source source,
                                       struct ky_apart to_middle, struct ky_general_side side)
{
    if (!(side.high > 0))
        return ky_apart_of(sink, source);
    struct ky_apart d;
    d.x = ky_general_nearest(source.body.x, sink.x, to_middle.x, side);
    d.y = ky_general_nearest(source.body.y, sink.y, to_middle.y, side);
    d.z = ky_general_nearest(source.body.z, sink.z, to_middle.z, side);
    return ky_apart_add_low(d, sink, source);
}

#if KY_IN_SINGLE
/* The squared distance up to which single precision uses the low parts of pairs. */
KY_FN KY_REAL ky_general_near2(struct ky_general walk)
{
    return walk.side.high > 0 ? KY_FMAX(walk.sink.near2, walk.side.near2) : walk.sink.near2;
}
#endif

/* ky_near_difference for the nearest image. */
KY_FN struct ky_apart ky_general_difference(struct ky_general walk, struct ky_source source,
                                            struct ky_apart to_middle, struct ky_lows lows,
                                            ky_uint j)
{
    struct ky_apart d = ky_general_apart(walk.sink, source, to_middle, walk.side);
#if KY_IN_SINGLE
    if (ky_distance2(d.x, d.y, d.z, (KY_REAL)0) <= ky_general_near2(walk))
        d = ky_near_apart(d, walk.sink, lows, j);
#else
    (void)lows;
    (void)j;
#endif
    return d;
}

/* A body is its own middle. */
KY_FN struct ky_apart ky_general_none(void)
{
    struct ky_apart none;
    none.x = none.y = none.z = 0;
    return none;
}

KY_FN struct ky_apart ky_general_to_middle(struct ky_cell_box box)
{
    struct ky_apart d;
    d.x = 0.5f * (box.above[0] - box.below[0]);
    d.y = 0.5f * (box.above[1] - box.below[1]);
    d.z = 0.5f * (box.above[2] - box.below[2]);
    return d;
}

/* The body at place j along the curve; `source` is its ky_body_source. */
KY_FN struct ky_visit_body ky_general_source(struct ky_general walk, struct ky_source source,
                                             ky_uint j)
{
    struct ky_visit_body body;
    struct ky_apart d = ky_general_difference(walk, source, ky_general_none(),
                                              ky_lows_of(walk.source_low, walk.source_low), j);
    body.x = d.x;
    body.y = d.y;
    body.z = d.z;
    body.r2 = ky_distance2(body.x, body.y, body.z, (KY_REAL)0);
    body.mass = source.body.w;
    body.eps2 = (walk.flags & KY_FLAG_SOURCE_EPS) ? walk.own_eps2[j] : (KY_REAL)0;
    body.body = 0; /* an action that needs the index looks it up */
    return body;
}

KY_FN struct ky_visit_body ky_general_body(struct ky_general walk, ky_uint j)
{
    return ky_general_source(walk, ky_body_source(walk.source, walk.source_low, j), j);
}

KY_FN struct ky_visit_span ky_general_span(struct ky_general walk, ky_uint cell, KY_REAL reach2)
{
    struct ky_visit_span span;
    struct ky_source centre = ky_cell_source(walk.centre, walk.low, cell);
    struct ky_apart d = ky_general_difference(walk, centre, ky_general_to_middle(walk.box[cell]),
                                              ky_lows_of(walk.low, walk.source_low), cell);
    KY_SET_SIDES(span, walk.box[cell])
    span.x = d.x;
    span.y = d.y;
    span.z = d.z;
    span.hx = span.hy = span.hz = 0;
    span.open2 = centre.body.w;
    span.most2 = span.least2 = reach2;
    span.reach2 = ky_opening_reach2((float)walk.sink.eps2, walk.box[cell].above[3]);
    span.opening = walk.flags;
    return span;
}

KY_FN int ky_general_mixed(struct ky_general walk, struct ky_visit_span span, ky_uint cell)
{
    const float x = (float)ky_visit_gap(span.x, 0, 0, span.hx),
                y = (float)ky_visit_gap(span.y, 0, 0, span.hy),
                z = (float)ky_visit_gap(span.z, 0, 0, span.hz);
    return (walk.flags & KY_FLAG_MIXED) && ky_is_mixed(walk.box[cell], x * x + y * y + z * z);
}

KY_FN struct ky_visit_cell ky_general_cell(struct ky_general walk, struct ky_visit_span span,
                                           ky_uint cell, ky_uint bodies)
{
    struct ky_visit_cell seen;
    seen.x = span.x;
    seen.y = span.y;
    seen.z = span.z;
    seen.eps2 = (walk.flags & KY_FLAG_SOURCE_EPS) ? (KY_REAL)walk.low[cell].eps2 : (KY_REAL)0;
    seen.moments = ky_cell_held(walk.moment, cell, (int)(walk.flags / KY_FLAG_ORDER));
    seen.bodies = bodies;
    return seen;
}

#endif
