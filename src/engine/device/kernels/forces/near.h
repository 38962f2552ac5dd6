/* Pairs of the tree walks, with distances that keep their digits even if the pair is very near.
 *
 * Positions are floats relative to the middle of the system, and `low` has their low parts.
 * Extended uses both parts for every difference; double has no low parts. Single uses them only for
 * near pairs: nearer than 1/256 of the sink's distance from the middle. For all other pairs the
 * floats give the distance to 2e-5 at worst, and to 2e-7 if it is as large as the distance from the
 * middle. Near pairs are rare. So a loop over sources skips and counts them, without a branch, and
 * if there were any, a second loop adds them. */
#ifndef KY_KERNELS_NEAR_H
#define KY_KERNELS_NEAR_H

#include "engine/device/kernels/driver/shared.h"
#include "engine/device/kernels/forces/mixed.h"
#include "engine/device/kernels/forces/pairs.h"

#include "octree/layout.h"
#include "physics/opening.h"

#define KY_NEAR2 1.52587890625e-5f /* 256⁻² */

/* The low parts of a source and of a sink. */
struct ky_lows {
    KY_GLOBAL const struct ky_low *source, *sink;
};

KY_FN struct ky_lows ky_lows_of(KY_GLOBAL const struct ky_low *source,
                                KY_GLOBAL const struct ky_low *sink)
{
    struct ky_lows lows;
    lows.source = source;
    lows.sink = sink;
    return lows;
}

/* The squared distance up to which single uses the low parts; it includes coincident pairs. */
KY_FN KY_REAL ky_near2(ky_real4 sink)
{
    KY_REAL near2 = KY_NEAR2 * ky_distance2(sink.x, sink.y, sink.z, (KY_REAL)0);
    return near2 > KY_CLOSE2 ? near2 : KY_CLOSE2;
}

/* The body at this place along the curve. */
KY_FN struct ky_source ky_body_source(KY_GLOBAL const ky_real4 *body,
                                      KY_GLOBAL const struct ky_low *low, ky_uint place)
{
    struct ky_source source;
    source.body = body[place];
    source.eps2 = 0;
#if KY_IN_EXTENDED
    struct ky_low rest = low[place];
    source.low = KY_FLOAT4(rest.x[0], rest.x[1], rest.x[2], 0.0f);
#else
    (void)low;
#endif
    return source;
}

/* A cell, with open2 instead of the mass. */
KY_FN struct ky_source ky_cell_source(KY_GLOBAL const struct ky_cell_centre *centre,
                                      KY_GLOBAL const struct ky_low *low, ky_uint cell)
{
    struct ky_source source;
    struct ky_cell_centre high = centre[cell];
    source.eps2 = 0;
#if KY_IN_SINGLE
    (void)low;
    source.body = ky_make_real4(high.x[0], high.x[1], high.x[2], high.open2);
#else
    struct ky_low rest = low[cell];
#if KY_IN_EXTENDED
    source.body = ky_make_real4(high.x[0], high.x[1], high.x[2], high.open2);
    source.low = KY_FLOAT4(rest.x[0], rest.x[1], rest.x[2], 0.0f);
#else
    source.body =
        ky_make_real4((double)high.x[0] + (double)rest.x[0], (double)high.x[1] + (double)rest.x[1],
                      (double)high.x[2] + (double)rest.x[2], high.open2);
#endif
#endif
    return source;
}

/* Sets the members of `to` to the sides of a cell's box. */
#define KY_SET_SIDES(to, box)                                                                      \
    {                                                                                              \
        (to).below_x = (box).below[0];                                                             \
        (to).below_y = (box).below[1];                                                             \
        (to).below_z = (box).below[2];                                                             \
        (to).above_x = (box).above[0];                                                             \
        (to).above_y = (box).above[1];                                                             \
        (to).above_z = (box).above[2];                                                             \
    }

KY_FN struct ky_opening_sides ky_sides_of(struct ky_cell_box box)
{
    struct ky_opening_sides sides;
    KY_SET_SIDES(sides, box)
    sides.reach2 = 0;
    return sides;
}

/* The sink at this place along the curve. */
KY_FN struct ky_sink ky_near_sink(KY_GLOBAL const ky_real4 *source,
                                  KY_GLOBAL const struct ky_low *low,
                                  KY_GLOBAL const KY_REAL *own_eps2, ky_uint place, ky_uint flags,
                                  KY_REAL eps2)
{
    struct ky_sink sink;
    ky_real4 body = source[place];
    sink.x = body.x;
    sink.y = body.y;
    sink.z = body.z;
    sink.eps2 = (flags & KY_FLAG_OWN_EPS) ? own_eps2[place] : eps2;
    (void)low; /* only extended has low parts in the sink */
#if KY_IN_SINGLE
    sink.near2 = ky_near2(body);
#elif KY_IN_EXTENDED
    struct ky_low rest = low[place];
    sink.x_low = rest.x[0];
    sink.y_low = rest.x[1];
    sink.z_low = rest.x[2];
#endif
    sink.own = place;
    return sink;
}

/* Source minus sink. */
struct ky_apart {
    KY_REAL x, y, z;
};

/* Adds the difference of the low parts of positions, in extended precision. */
KY_FN struct ky_apart ky_apart_add_low(struct ky_apart d, struct ky_sink sink,
                                       struct ky_source source)
{
#if KY_IN_EXTENDED
    d.x += source.low.x - sink.x_low;
    d.y += source.low.y - sink.y_low;
    d.z += source.low.z - sink.z_low;
#else
    (void)sink;
    (void)source;
#endif
    return d;
}

KY_FN struct ky_apart ky_apart_of(struct ky_sink sink, struct ky_source source)
{
    struct ky_apart d;
    d.x = KY_APART(source.body.x, sink.x);
    d.y = KY_APART(source.body.y, sink.y);
    d.z = KY_APART(source.body.z, sink.z);
    return ky_apart_add_low(d, sink, source);
}

#if KY_IN_SINGLE
/* The same with the low parts; the source's are at place j. */
KY_FN struct ky_apart ky_near_apart(struct ky_apart d, struct ky_sink sink, struct ky_lows lows,
                                    ky_uint j)
{
    struct ky_low source = lows.source[j], own = lows.sink[sink.own];
    d.x += source.x[0] - own.x[0];
    d.y += source.x[1] - own.x[1];
    d.z += source.x[2] - own.x[2];
    return d;
}
#endif

/* The difference for single precision, with the low parts if the pair is near. */
KY_FN struct ky_apart ky_near_difference(struct ky_sink sink, struct ky_source source,
                                         struct ky_lows lows, ky_uint j)
{
    struct ky_apart d = ky_apart_of(sink, source);
#if KY_IN_SINGLE
    if (ky_distance2(d.x, d.y, d.z, (KY_REAL)0) <= sink.near2)
        d = ky_near_apart(d, sink, lows, j);
#endif
    return d;
}

/* A sum over sources, and the number of sources that were skipped because they are near; the sink
 * itself is one of them. */
struct ky_near_sum {
    struct ky_field field;
    ky_uint near;
};

KY_FN struct ky_near_sum ky_near_none(void)
{
    struct ky_near_sum sum;
    sum.field = ky_no_field();
    sum.near = 0;
    return sum;
}

/* A source of a sink in the first or the second loop: their difference, their softened distance,
 * and whether the source is near. */
struct ky_near_source {
    struct ky_apart d;
    struct ky_softened pair; /* y = 0 if it exerts no force in this loop */
    ky_uint near;
};

#if KY_IN_SINGLE
/* near2 is at least KY_CLOSE2, and so is s². */
KY_FN int ky_near_pair(struct ky_softened pair, struct ky_sink sink, const int how)
{
    return pair.s2 <= ((how & KY_SPLINED) ? sink.near2 : pair.eps2 + sink.near2);
}
#endif

/* The first loop. With KY_OWN source j may be the sink itself. */
KY_FN struct ky_near_source ky_near_first(struct ky_sink sink, struct ky_source source, ky_uint j,
                                          const int how)
{
    struct ky_near_source at;
    at.d = ky_apart_of(sink, source);
#if KY_IN_SINGLE
    at.pair = ky_soften(at.d.x, at.d.y, at.d.z, sink.eps2, source.eps2, how);
    int near = ky_near_pair(at.pair, sink, how);
    at.pair.y = near ? (KY_REAL)0 : at.pair.y;
    at.near = near;
    (void)j;
#else
    at.pair = ky_soften(at.d.x, at.d.y, at.d.z, sink.eps2, source.eps2, how | KY_GUARD);
    at.pair.y = (how & KY_OWN) && j == sink.own ? (KY_REAL)0 : at.pair.y;
    at.near = 0;
#endif
    return at;
}

/* The second loop: only near sources. */
KY_FN struct ky_near_source ky_near_second(struct ky_sink sink, struct ky_source source,
                                           struct ky_lows lows, ky_uint j, const int how)
{
    struct ky_near_source at;
    at.d = ky_apart_of(sink, source);
    at.pair = ky_soften(at.d.x, at.d.y, at.d.z, sink.eps2, source.eps2, how);
    at.pair.y = 0;
    at.near = 0;
#if KY_IN_SINGLE
    if (!ky_near_pair(at.pair, sink, how) || ((how & KY_OWN) && j == sink.own))
        return at;
    at.d = ky_near_apart(at.d, sink, lows, j);
    at.pair = ky_soften(at.d.x, at.d.y, at.d.z, sink.eps2, source.eps2, how | KY_GUARD_FIRST);
#endif
    return at;
}

KY_FN struct ky_near_sum ky_near_add(struct ky_near_sum sum, struct ky_near_source at, KY_REAL m)
{
    sum.field = ky_add_body(sum.field, at.d.x, at.d.y, at.d.z, at.pair, m);
    sum.near += at.near;
    return sum;
}

#endif
