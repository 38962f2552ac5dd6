/* Common code of the general walks on devices (physics/visit.h): bodies and cells relative to a
 * sink. The arrays of bodies and cells are the same as in walk.k. */
#ifndef KY_KERNELS_GENERAL_H
#define KY_KERNELS_GENERAL_H

#include "engine/device/kernels/driver/state.h"
#include "engine/device/kernels/forces/near.h"
#include "engine/device/kernels/tree/columns.h"

#include "physics/visit.h"

struct ky_general {
    KY_CELLS_READ
    KY_GLOBAL const ky_real4 *source;
    KY_GLOBAL const struct ky_low *source_low;
    KY_GLOBAL const KY_REAL *own_eps2;
    KY_GLOBAL const ky_uint *order;
    ky_uint n, cells, flags; /* cells: of the tree; cells of other ranks follow */
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
        KY_CELLS_HERE source, source_low, own_eps2, order, n, tree_cells, flags,                   \
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

/* The body at place j along the curve; `source` is its ky_body_source. */
KY_FN struct ky_visit_body ky_general_source(struct ky_general walk, struct ky_source source,
                                             ky_uint j)
{
    struct ky_visit_body body;
    struct ky_apart d =
        ky_near_difference(walk.sink, source, ky_lows_of(walk.source_low, walk.source_low), j);
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
    struct ky_apart d =
        ky_near_difference(walk.sink, centre, ky_lows_of(walk.low, walk.source_low), cell);
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
