/* The general walk (physics/visit.h): a lane is a sink, which goes along `next` and `more` and asks
 * its action what to do. The arrays of bodies and cells are those of walk.k. */
#ifndef KY_KERNELS_GENERAL_H
#define KY_KERNELS_GENERAL_H

#include "engine/device/kernels/driver/fault.h"
#include "engine/device/kernels/forces/counts.h"
#include "engine/device/kernels/forces/near.h"
#include "engine/device/kernels/tree/columns.h"

#include "physics/actions/actions.h"

struct ky_general {
    KY_CELLS_READ
    KY_GLOBAL const ky_real4 *source;
    KY_GLOBAL const struct ky_low *source_low;
    KY_GLOBAL const KY_REAL *own_eps2;
    KY_GLOBAL const ky_uint *order;
    ky_uint n, flags;
    struct ky_sink sink;
    ky_uint met, mets; /* places of bodies that the action has met, the sink among them: the first,
                          which may lie before 0, and how many */
};

KY_FN struct ky_visit_body ky_general_body(struct ky_general walk, ky_uint j)
{
    struct ky_visit_body body;
    struct ky_source source = ky_body_source(walk.source, walk.source_low, j);
    struct ky_apart d =
        ky_near_difference(walk.sink, source, ky_lows_of(walk.source_low, walk.source_low), j);
    body.x = d.x;
    body.y = d.y;
    body.z = d.z;
    body.r2 = ky_distance2(body.x, body.y, body.z, (KY_REAL)0);
    body.mass = source.body.w;
    body.eps2 = (walk.flags & KY_FLAG_SOURCE_EPS) ? walk.own_eps2[j] : (KY_REAL)0;
    body.body = 0; /* an action that needs it looks it up */
    return body;
}

KY_FN struct ky_visit_span ky_general_span(struct ky_general walk, ky_uint cell, KY_REAL reach2)
{
    struct ky_visit_span span;
    struct ky_source centre = ky_cell_source(walk.centre, walk.low, cell);
    struct ky_apart d =
        ky_near_difference(walk.sink, centre, ky_lows_of(walk.low, walk.source_low), cell);
    struct ky_opening_sides sides = ky_sides_of(walk.box[cell]);
    span.x = d.x;
    span.y = d.y;
    span.z = d.z;
    span.below_x = sides.below_x;
    span.below_y = sides.below_y;
    span.below_z = sides.below_z;
    span.above_x = sides.above_x;
    span.above_y = sides.above_y;
    span.above_z = sides.above_z;
    span.hx = span.hy = span.hz = 0;
    span.open2 = centre.body.w;
    span.most2 = span.least2 = reach2;
    span.reach2 = ky_opening_reach2((float)walk.sink.eps2, walk.box[cell].above[3]);
    span.opening = walk.flags;
    return span;
}

KY_FN int ky_general_mixed(struct ky_general walk, struct ky_visit_span span, ky_uint cell)
{
    float x = (float)span.x, y = (float)span.y, z = (float)span.z;
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

/* The functions below are made for a kernel `as` and its action `name`. bodies, cells: pairs. */
#define KY_GENERAL_FOLLOW(as, name)                                                                \
    struct ky_general_##as {                                                                       \
        struct ky_##name a;                                                                        \
        ky_uint bodies, cells;                                                                     \
    };                                                                                             \
                                                                                                   \
    KY_FN struct ky_general_##as ky_general_leaf_##as(                                             \
        struct ky_general walk, struct ky_general_##as w, ky_uint first, ky_uint end)              \
    {                                                                                              \
        w.bodies += end - first;                                                                   \
        for (ky_uint j = first; j < end; j++) {                                                    \
            struct ky_visit_body body = ky_general_body(walk, j);                                  \
            if (j - walk.met < walk.mets || body.r2 > ky_##name##_reach2(w.a))                     \
                continue;                                                                          \
            body.body = walk.order[j];                                                             \
            w.a = ky_##name##_body(w.a, body);                                                     \
        }                                                                                          \
        return w;                                                                                  \
    }                                                                                              \
                                                                                                   \
    /* The bodies that walk.met names, in the order of their places from the sink's on. */         \
    KY_FN struct ky_general_##as ky_general_meet_##as(struct ky_general walk,                      \
                                                      struct ky_general_##as w, ky_uint most)      \
    {                                                                                              \
        ky_uint own = walk.sink.own;                                                               \
        for (ky_uint d = 1; d <= most; d++)                                                        \
            for (int side = 0; side < 2; side++) {                                                 \
                ky_uint j = side ? own + d : own - d;                                              \
                if (side ? walk.n - own <= d : own < d)                                            \
                    continue;                                                                      \
                struct ky_visit_body body = ky_general_body(walk, j);                              \
                w.bodies++;                                                                        \
                if (body.r2 > ky_##name##_reach2(w.a))                                             \
                    continue;                                                                      \
                body.body = walk.order[j];                                                         \
                w.a = ky_##name##_body(w.a, body);                                                 \
            }                                                                                      \
        return w;                                                                                  \
    }                                                                                              \
                                                                                                   \
    KY_FN struct ky_general_##as ky_general_follow_##as(struct ky_general walk,                    \
                                                        struct ky_general_##as w)                  \
    {                                                                                              \
        ky_uint cell = 0;                                                                          \
        while (cell != KY_NO_LINK) {                                                               \
            struct ky_cell_link link = walk.link[cell];                                            \
            struct ky_visit_span span = ky_general_span(walk, cell, ky_##name##_reach2(w.a));      \
            int verdict =                                                                          \
                walk.sink.own - link.body < link.bodies ? KY_VISIT_OPEN : ky_##name##_test(span);  \
            if (verdict == KY_VISIT_USE &&                                                         \
                (link.bodies == 1 || ky_general_mixed(walk, span, cell)))                          \
                verdict = KY_VISIT_OPEN;                                                           \
            if (verdict == KY_VISIT_OPEN && link.more != KY_NO_LINK) {                             \
                cell = link.more;                                                                  \
                continue;                                                                          \
            }                                                                                      \
            if (verdict == KY_VISIT_OPEN) {                                                        \
                w = ky_general_leaf_##as(walk, w, link.body, link.body + link.bodies);             \
            } else if (verdict == KY_VISIT_USE) {                                                  \
                w.a = ky_##name##_cell(w.a, ky_general_cell(walk, span, cell, link.bodies));       \
                w.cells++;                                                                         \
            }                                                                                      \
            cell = link.next;                                                                      \
        }                                                                                          \
        return w;                                                                                  \
    }

/* Sinks are the places `first` to first + count along the curve, `first` a multiple of the lanes.
 * radius: one for each body in the caller's order, or one for all. offset, list: see
 * ky_walk_request; the first result of an action that fills lists is the number of bodies of a
 * list, and is reported to faults if the list is too short. space: k numbers for each lane of the
 * launch, `stride` lanes apart. results: columns of n numbers in the caller's order.
 *
 * words: of local memory for each lane, at least 2, where the pairs are counted at the end. */
#define KY_GENERAL_WALK(as, name, needs, words, space_here, stride_here)                           \
    KY_GENERAL_FOLLOW(as, name)                                                                    \
    KY_KERNEL(KY_WALK_LANES)                                                                       \
    KY_NAME(ky_general_##as)                                                                       \
    (KY_CELLS_TO_READ KY_GLOBAL const ky_real4 *KY_RESTRICT source,                                \
     KY_GLOBAL const struct ky_low *KY_RESTRICT source_low,                                        \
     KY_GLOBAL const KY_REAL *KY_RESTRICT own_eps2, KY_GLOBAL const ky_uint *KY_RESTRICT order,    \
     KY_GLOBAL const KY_REAL *KY_RESTRICT radius, KY_GLOBAL const ky_ulong *KY_RESTRICT offset,    \
     KY_GLOBAL ky_uint *list, KY_GLOBAL KY_REAL *space, KY_GLOBAL KY_REAL *results,                \
     KY_GLOBAL ky_ulong *counts, KY_GLOBAL ky_uint *faults, ky_uint n, ky_uint first,              \
     ky_uint count, ky_uint flags, ky_uint radii, ky_uint k, ky_uint columns, ky_uint stride,      \
     KY_REAL eps2)                                                                                 \
    {                                                                                              \
        KY_LOCAL ky_ulong memory[(words)*KY_WALK_LANES];                                           \
        ky_uint t = KY_GROUP * KY_WALK_LANES + KY_LANE, lane_bodies = 0, lane_cells = 0;           \
        if (t < count) {                                                                           \
            struct ky_general_##as w;                                                              \
            struct ky_visit_sink sink;                                                             \
            ky_uint own = first + t, i = order[own];                                               \
            struct ky_general walk = {                                                             \
                KY_CELLS_HERE source,                                                              \
                source_low,                                                                        \
                own_eps2,                                                                          \
                order,                                                                             \
                n,                                                                                 \
                flags,                                                                             \
                ky_near_sink(source, source_low, own_eps2, own, flags, eps2),                      \
                own,                                                                               \
                1};                                                                                \
            sink.mass = source[own].w;                                                             \
            sink.eps2 = walk.sink.eps2;                                                            \
            sink.splined = (flags & KY_OPENING_REACH) != 0;                                        \
            sink.radius = ((needs)&KY_NEEDS_RADIUS) ? radius[radii == 1 ? 0 : i] : (KY_REAL)0;     \
            sink.k = k;                                                                            \
            sink.space = space_here;                                                               \
            sink.stride = stride_here;                                                             \
            sink.bound2 = KY_VISIT_FAR;                                                            \
            sink.body = i;                                                                         \
            sink.list = list;                                                                      \
            sink.room = 0;                                                                         \
            if ((needs)&KY_NEEDS_LISTS) {                                                          \
                sink.list = list + offset[i];                                                      \
                sink.room = (ky_uint)(offset[i + 1] - offset[i]);                                  \
            }                                                                                      \
            w.a = ky_##name##_start(sink);                                                         \
            w.bodies = w.cells = 0;                                                                \
            if ((needs)&KY_NEEDS_NEIGHBOURS) {                                                     \
                walk.met = own - k;                                                                \
                walk.mets = 2 * k + 1;                                                             \
                w = ky_general_meet_##as(walk, w, k);                                              \
            }                                                                                      \
            w = ky_general_follow_##as(walk, w);                                                   \
            if (((needs)&KY_NEEDS_LISTS) && ky_##name##_result(w.a, 0) > (KY_REAL)sink.room)       \
                ky_fault(faults, KY_CAPACITY_NEIGHBOURS, (ky_uint)ky_##name##_result(w.a, 0));     \
            for (ky_uint c = 0; c < columns; c++)                                                  \
                results[c * (ky_ulong)n + i] = ky_##name##_result(w.a, (int)c);                    \
            lane_bodies = w.bodies;                                                                \
            lane_cells = w.cells;                                                                  \
        }                                                                                          \
        KY_BARRIER();                                                                              \
        ky_count_pairs(counts + KY_GROUP + first / KY_WALK_LANES,                                  \
                       (n + KY_WALK_LANES - 1) / KY_WALK_LANES, memory, memory + KY_WALK_LANES,    \
                       lane_bodies, lane_cells);                                                   \
    }

#endif
