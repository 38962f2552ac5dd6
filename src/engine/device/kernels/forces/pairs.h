/* One source on one sink, and sums over many sources that do not lose digits with their number. */
#ifndef KY_KERNELS_PAIRS_H
#define KY_KERNELS_PAIRS_H

#include "engine/device/kernels/driver/dialect.h"

#include "octree/cell_moments.h"
#include "physics/gravity.h"
#include "physics/space.h"

/* Options of a loop, in addition to the bits of physics/softening_kinds.h; constant in every
 * instance. */
#define KY_OWN 0x100          /* skip the source that is the sink itself, by its label */
#define KY_LABELLED 0x800     /* sinks are not the sources named by their labels: they are listed */
#define KY_GENERAL 0x400      /* for walks: test the flags */
#define KY_SHARES 0x1000      /* for the walk of teams: lanes may share a sink */
#define KY_PICKS 0x2000       /* the same: a cell contains sinks if a listed sink is in it */
#define KY_LISTS_SINKS 0x4000 /* the same: sinks may be among the listed bodies */
#define KY_BOXED 0x8000       /* the same: in a periodic box, once for each image of the sources */
/* Number of sinks of a lane in the walk of teams: one, and two with fmm in a periodic box. There
 * (128³ bodies at z = 49, order 6) a group of 64 takes 0.85 of the time of two of 32, at half the
 * error. In open space larger groups meet so many more bodies that they take as long or longer. */
#define KY_SINKS_OF(how)                                                                           \
    (((how) & (KY_BOXED | KY_LISTS_SINKS)) == (KY_BOXED | KY_LISTS_SINKS) ? 2 : 1)
#define KY_MOST_SINKS 2
/* The order of the moments of cells is added; cells of the lowest order act as bodies. */
#define KY_OF_ORDER(order) ((order) << 16)
#define KY_ORDER_OF(how) ((how) >> 16)
#define KY_HOLDS_MOMENTS(how) (!KY_ACTS_AS_BODY(KY_ORDER_OF(how)))
#define KY_HOLDS_THIRD(how) (KY_ORDER_OF(how) > 2)

struct ky_sink {
    KY_REAL x, y, z, eps2;
#if KY_IN_SINGLE
    float near2; /* tree walks: see near.h */
#elif KY_IN_EXTENDED
    float x_low, y_low, z_low;
#endif
    ky_uint own; /* label: index of the source that is the sink itself, or no index of a source */
};

struct ky_source {
    ky_real4 body; /* x y z mass */
#if KY_IN_EXTENDED
    float4 low; /* low parts of x y z (double-single) */
#endif
    KY_REAL eps2;
};

KY_FN struct ky_field ky_no_field(void)
{
    struct ky_field field;
    field.x = field.y = field.z = field.p = 0;
    return field;
}

KY_FN struct ky_field ky_pair(struct ky_field field, struct ky_sink sink, struct ky_source source,
                              ky_uint j, const int how)
{
    KY_REAL dx = KY_APART(source.body.x, sink.x), dy = KY_APART(source.body.y, sink.y),
            dz = KY_APART(source.body.z, sink.z);
#if KY_IN_EXTENDED
    dx += source.low.x - sink.x_low;
    dy += source.low.y - sink.y_low;
    dz += source.low.z - sink.z_low;
#endif
    struct ky_softened pair = ky_soften(dx, dy, dz, sink.eps2, source.eps2, how);
    if (how & KY_OWN)
        pair.y = j == sink.own ? (KY_REAL)0 : pair.y;
    return ky_add_body(field, dx, dy, dz, pair, source.body.w);
}

/* A cell's moments as two loads from the layout: mass xx yy zz, xy xz yz 0. */
KY_FN struct ky_moments ky_quadrupole(float4 first, float4 second)
{
    return ky_cell_moments(first.x, first.y, first.z, first.w, second.x, second.y, second.z);
}

/* The moments of a cell in a tree of this order, except the lowest ones. */
KY_FN KY_GLOBAL const float4 *ky_fours_of(KY_GLOBAL const float *moment, ky_uint cell,
                                          const int order)
{
    return (KY_GLOBAL const float4 *)(moment + (ky_ulong)cell * KY_MOMENTS(order));
}

/* The same for any order; for the lowest order only the mass. */
KY_FN struct ky_moments ky_cell_held(KY_GLOBAL const float *moment, ky_uint cell, const int order)
{
    if (KY_ACTS_AS_BODY(order))
        return ky_cell_moments(moment[cell], 0, 0, 0, 0, 0, 0);
    KY_GLOBAL const float4 *four = ky_fours_of(moment, cell, order);
    return ky_quadrupole(four[0], four[1]);
}

/* A sum of sums; in float with its rounding errors (Neumaier). */
struct ky_total {
    struct ky_field sum;
#if !KY_IN_DOUBLE
    struct ky_field rest;
#endif
};

KY_FN struct ky_total ky_no_total(void)
{
    struct ky_total total;
    total.sum = ky_no_field();
#if !KY_IN_DOUBLE
    total.rest = ky_no_field();
#endif
    return total;
}

#if KY_IN_DOUBLE
KY_FN struct ky_total ky_total_add(struct ky_total total, struct ky_field field)
{
    total.sum.x += field.x;
    total.sum.y += field.y;
    total.sum.z += field.z;
    total.sum.p += field.p;
    return total;
}

KY_FN ky_real4 ky_total_value(struct ky_total total)
{
    return ky_make_real4(total.sum.x, total.sum.y, total.sum.z, total.sum.p);
}
#else
/* The rounding error of s = a + b (Knuth). */
KY_FN float ky_lost(float a, float b, float s)
{
    float t = s - a;
    return (a - (s - t)) + (b - t);
}

KY_FN struct ky_total ky_total_add(struct ky_total total, struct ky_field field)
{
    struct ky_total next;
    next.sum.x = total.sum.x + field.x;
    next.sum.y = total.sum.y + field.y;
    next.sum.z = total.sum.z + field.z;
    next.sum.p = total.sum.p + field.p;
    next.rest.x = total.rest.x + ky_lost(total.sum.x, field.x, next.sum.x);
    next.rest.y = total.rest.y + ky_lost(total.sum.y, field.y, next.sum.y);
    next.rest.z = total.rest.z + ky_lost(total.sum.z, field.z, next.sum.z);
    next.rest.p = total.rest.p + ky_lost(total.sum.p, field.p, next.sum.p);
    return next;
}

KY_FN ky_real4 ky_total_value(struct ky_total total)
{
    return ky_make_real4(total.sum.x + total.rest.x, total.sum.y + total.rest.y,
                         total.sum.z + total.rest.z, total.sum.p + total.rest.p);
}
#endif

#endif
