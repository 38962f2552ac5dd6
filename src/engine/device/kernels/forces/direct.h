/* The arguments of the kernels of the exact sum (direct.k, exact.k).
 *
 * Sources are x y z mass (floats relative to the middle of the system, or doubles); for `extended`
 * the low parts are in `low`. A group takes a block of sinks and a slice of the sources and writes
 * the sums to `partial` [slice][sink]; ky_reduce adds the slices.
 *
 * With KY_DIRECT_STATE the sources are the state itself, in double: `source` has the columns of
 * positions with stride `first`, `low` the masses, `own_eps2` the softenings, not squared; the
 * sinks are listed.
 *
 * The label of a sink is the index of the source that is the sink itself, or at least n if there is
 * none. A launch takes the sinks from index `first` on, and their labels are their indices. Points,
 * and bodies that may have no mass, lie behind the sources, from index n on. With the flag
 * KY_DIRECT_LISTED the sinks are the sources named by `label`. In instances with KY_LABELLED,
 * `label` has the labels of the points or bodies behind the sources.
 *
 * In a periodic box there is a launch for each image of the sources, whose sinks are moved the
 * other way. Its slices follow the slices of the images before. */
#ifndef KY_KERNELS_DIRECT_H
#define KY_KERNELS_DIRECT_H

#include "engine/device/kernels/driver/shared.h"
#include "engine/device/kernels/driver/state.h"
#include "engine/device/kernels/forces/pairs.h"

#ifdef KY_DIRECT_STATE
typedef ky_state ky_direct_high;
typedef ky_state ky_direct_low;
#else
typedef ky_real4 ky_direct_high;
typedef float4 ky_direct_low;
#endif

/* `way`: the vector by which sinks are moved; side of the box; `slices`: of the images before. */
struct ky_direct_image {
    ky_state way[3], side;
    ky_ulong slices;
};

struct ky_direct {
    KY_GLOBAL const ky_direct_high *source;
    KY_GLOBAL const ky_direct_low *low;
    KY_GLOBAL const KY_REAL *own_eps2;
    KY_GLOBAL const ky_uint *label;
    KY_GLOBAL ky_real4 *partial;
    ky_uint n, first, count, slice, flags;
    KY_REAL eps2;
    struct ky_direct_image image; /* with KY_DIRECT_IMAGE */
};

KY_FN struct ky_direct ky_direct_of(KY_GLOBAL const ky_direct_high *source,
                                    KY_GLOBAL const ky_direct_low *low,
                                    KY_GLOBAL const KY_REAL *own_eps2,
                                    KY_GLOBAL const ky_uint *label, KY_GLOBAL ky_real4 *partial,
                                    ky_uint n, ky_uint first, ky_uint count, ky_uint slice,
                                    ky_uint flags, KY_REAL eps2)
{
    struct ky_direct d;
    d.source = source;
    d.low = low;
    d.own_eps2 = own_eps2;
    d.label = label;
    d.partial = partial;
    d.n = n;
    d.first = first;
    d.count = count;
    d.slice = slice;
    d.flags = flags & ~KY_DIRECT_IMAGE;
    d.eps2 = eps2;
    return d;
}

KY_FN struct ky_direct ky_direct_of_image(struct ky_direct d, ky_uint flags,
                                          struct ky_direct_image image)
{
    d.flags = flags;
    d.image = image;
    return d;
}

/* x y z mass, and ε², of source i. */
#ifdef KY_DIRECT_STATE
KY_FN ky_real4 ky_direct_body(struct ky_direct d, ky_uint i)
{
    ky_ulong apart = d.first;
    return ky_make_real4(d.source[i], d.source[apart + i], d.source[2 * apart + i], d.low[i]);
}

KY_FN KY_REAL ky_direct_eps2(struct ky_direct d, ky_uint i)
{
    return d.own_eps2[i] * d.own_eps2[i];
}
#else
KY_FN ky_real4 ky_direct_body(struct ky_direct d, ky_uint i)
{
    return d.source[i];
}

KY_FN KY_REAL ky_direct_eps2(struct ky_direct d, ky_uint i)
{
    return d.own_eps2[i];
}
#endif

/* The sink for an image of the sources. Its label counts only in the image of the source that is
 * the nearest one to the sink. */
KY_FN struct ky_sink ky_direct_moved(struct ky_sink sink, struct ky_direct d)
{
#if KY_IN_EXTENDED
    ky_state x = ky_state_add(ky_state_pair(sink.x, sink.x_low), d.image.way[0]),
             y = ky_state_add(ky_state_pair(sink.y, sink.y_low), d.image.way[1]),
             z = ky_state_add(ky_state_pair(sink.z, sink.z_low), d.image.way[2]);
    sink.x_low = ky_state_low(x);
    sink.y_low = ky_state_low(y);
    sink.z_low = ky_state_low(z);
    sink.x = ky_state_high(x);
    sink.y = ky_state_high(y);
    sink.z = ky_state_high(z);
#else
    sink.x += ky_real_of_state(d.image.way[0]);
    sink.y += ky_real_of_state(d.image.way[1]);
    sink.z += ky_real_of_state(d.image.way[2]);
#endif
    const ky_real4 body = ky_direct_body(d, sink.own < d.n ? sink.own : 0);
    const KY_REAL near = (KY_REAL)0.5 * ky_real_of_state(d.image.side), x_apart = body.x - sink.x,
                  y_apart = body.y - sink.y, z_apart = body.z - sink.z;
    const int is_near = x_apart <= near && -x_apart <= near && y_apart <= near &&
                        -y_apart <= near && z_apart <= near && -z_apart <= near;
    sink.own = is_near ? sink.own : d.n;
    return sink;
}

KY_FN struct ky_sink ky_direct_sink(struct ky_direct d, ky_uint k, const int how)
{
    struct ky_sink sink;
    k = k < d.count ? k : d.count - 1;
    ky_uint i = (d.flags & KY_DIRECT_LISTED) ? d.label[k] : d.first + k;
    ky_real4 body = ky_direct_body(d, i);
    sink.x = body.x;
    sink.y = body.y;
    sink.z = body.z;
    sink.eps2 = (d.flags & KY_DIRECT_OWN_EPS) ? ky_direct_eps2(d, i) : d.eps2;
#if KY_IN_SINGLE
    sink.near2 = 0; /* only tree walks read it */
#elif KY_IN_EXTENDED
    float4 low = d.low[i];
    sink.x_low = low.x;
    sink.y_low = low.y;
    sink.z_low = low.z;
#endif
    sink.own = (how & KY_LABELLED) ? d.label[k] : i;
    return (d.flags & KY_DIRECT_IMAGE) ? ky_direct_moved(sink, d) : sink;
}

KY_FN struct ky_source ky_direct_source(struct ky_direct d, ky_uint j, const int how)
{
    struct ky_source source;
    source.body = ky_direct_body(d, j);
#if KY_IN_EXTENDED
    source.low = d.low[j];
#endif
    int has = (how & KY_EPS_OF_BOTH) && (!(how & KY_SPLINED) || (d.flags & KY_DIRECT_SOURCE_EPS));
    source.eps2 = has ? ky_direct_eps2(d, j) : 0;
    return source;
}

#define KY_DIRECT_TAKEN                                                                            \
    KY_GLOBAL const ky_direct_high *KY_RESTRICT source,                                            \
        KY_GLOBAL const ky_direct_low *KY_RESTRICT low,                                            \
        KY_GLOBAL const KY_REAL *KY_RESTRICT own_eps2, KY_GLOBAL const ky_uint *KY_RESTRICT label, \
        KY_GLOBAL ky_real4 *KY_RESTRICT partial, ky_uint n, ky_uint first, ky_uint count,          \
        ky_uint slice, ky_uint flags, KY_REAL eps2
#define KY_DIRECT_ARGUMENTS (KY_DIRECT_TAKEN)
#define KY_DIRECT_ARGUMENTS_OF_IMAGE (KY_DIRECT_TAKEN, KY_NUMBERS struct ky_direct_image image)
#define KY_DIRECT_GIVEN                                                                            \
    ky_direct_of(source, low, own_eps2, label, partial, n, first, count, slice, flags, eps2)
#define KY_DIRECT_GIVEN_OF_IMAGE ky_direct_of_image(KY_DIRECT_GIVEN, flags, image)

#endif
