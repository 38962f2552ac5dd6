/* Acceleration, jerk and potential by tiles of sources in local memory (G09): the loops for boards
 * (board/sum.k) and the Hermite scheme (hermite.k). Extended or double precision, never single.
 *
 * A lane has KY_JERK_SINKS sinks. A group has KY_JERK_LANES lanes, of which `lanes` (32, 64 or all)
 * have different sinks; if these are not all, each row of lanes takes its own part of every tile,
 * and the rows are added at the end. A run is 32 sources. Only the run of the nearest source is
 * recorded; the source itself is found in the run later. That costs one operation per pair instead
 * of three. */
#ifndef KY_KERNELS_JERK_H
#define KY_KERNELS_JERK_H

#include "engine/device/kernels/driver/shared.h"
#include "engine/device/kernels/driver/state.h"

#include "physics/jerk.h"
#include "physics/space.h"

/* Options of a loop, in addition to the bits of physics/softening_kinds.h; constant in every
 * instance. */
#define KY_JERK_OWN 0x100   /* skip sources with the label of the sink */
#define KY_JERK_LISTS 0x200 /* lists of sources within the sink's radius */
#define KY_JERK_AMONG 0x400 /* sinks are sources too, velocities are small, only forces */
#define KY_JERK_NEAR 0x800  /* near sources act in double; low.w is the low part of the mass */

/* An empty slot is at AWAY, without mass, farther than FAR2. OUT2 replaces the squared distance of
 * the sink to itself; its inverse root in float is so small that there is no force. */
#if KY_IN_DOUBLE
#define KY_JERK_AWAY 1e145
#define KY_JERK_FAR2 KY_JERK_FAR2_DOUBLE
#define KY_JERK_OUT2 1e300
#define KY_JERK_CLOSE2 KY_JERK_CLOSE2_DOUBLE
#else
#define KY_JERK_AWAY 1e18f
#define KY_JERK_FAR2 KY_JERK_FAR2_FLOAT
#define KY_JERK_OUT2 KY_INFINITY
#define KY_JERK_CLOSE2 KY_JERK_CLOSE2_FLOAT
#endif

/* ---- bodies that move ---- */

struct ky_mover {
    ky_real4 body;     /* x y z mass */
    ky_real4 velocity; /* with KY_EPS_SUM also ε² */
#if KY_IN_EXTENDED
    float4 low, velocity_low; /* low parts of the floats (double-single) */
#endif
    ky_uint label;
};

KY_FN struct ky_mover ky_mover_of(ky_state x, ky_state y, ky_state z, ky_state vx, ky_state vy,
                                  ky_state vz, KY_REAL m, ky_uint label)
{
    struct ky_mover mover;
    mover.body = ky_make_real4(ky_real_of_state(x), ky_real_of_state(y), ky_real_of_state(z), m);
    mover.velocity =
        ky_make_real4(ky_real_of_state(vx), ky_real_of_state(vy), ky_real_of_state(vz), 0);
#if KY_IN_EXTENDED
    mover.low = KY_FLOAT4(ky_state_low(x), ky_state_low(y), ky_state_low(z), 0.0f);
    mover.velocity_low = KY_FLOAT4(ky_state_low(vx), ky_state_low(vy), ky_state_low(vz), 0.0f);
#endif
    mover.label = label;
    return mover;
}

KY_FN struct ky_mover ky_no_mover(void)
{
    struct ky_mover mover;
    mover.body = ky_make_real4(KY_JERK_AWAY, KY_JERK_AWAY, KY_JERK_AWAY, 0);
    mover.velocity = ky_make_real4(0, 0, 0, 0);
#if KY_IN_EXTENDED
    mover.low = mover.velocity_low = mover.velocity;
#endif
    mover.label = 0;
    return mover;
}

/* Movers without their labels are stored in planes of n four-component numbers: body, velocity, low
 * parts and, without KY_JERK_AMONG, low parts of velocities. */
KY_FN struct ky_mover ky_mover_read(KY_GLOBAL const ky_real4 *plane, ky_uint n, ky_uint j,
                                    ky_uint label, const int how)
{
    struct ky_mover mover;
    mover.body = plane[j];
    mover.velocity = plane[(ky_ulong)n + j];
#if KY_IN_EXTENDED
    mover.low = plane[2 * (ky_ulong)n + j];
    mover.velocity_low =
        (how & KY_JERK_AMONG) ? KY_FLOAT4(0.0f, 0.0f, 0.0f, 0.0f) : plane[3 * (ky_ulong)n + j];
#else
    (void)how;
#endif
    mover.label = label;
    return mover;
}

KY_FN void ky_mover_write(KY_GLOBAL ky_real4 *plane, ky_uint n, ky_uint j, struct ky_mover mover,
                          const int how)
{
    plane[j] = mover.body;
    plane[(ky_ulong)n + j] = mover.velocity;
#if KY_IN_EXTENDED
    plane[2 * (ky_ulong)n + j] = mover.low;
    if (!(how & KY_JERK_AMONG))
        plane[3 * (ky_ulong)n + j] = mover.velocity_low;
#else
    (void)how;
#endif
}

/* Velocities are floats in the loop of `extended`. Relative to one of the group's sinks they have
 * enough digits even if all bodies move together. In double they are unchanged; with KY_JERK_AMONG
 * the planes already have them in this form. */
KY_FN struct ky_mover ky_mover_relative(struct ky_mover mover, struct ky_mover origin,
                                        const int how)
{
#if KY_IN_EXTENDED
    if (how & KY_JERK_AMONG)
        return mover;
    mover.velocity.x =
        (mover.velocity.x - origin.velocity.x) + (mover.velocity_low.x - origin.velocity_low.x);
    mover.velocity.y =
        (mover.velocity.y - origin.velocity.y) + (mover.velocity_low.y - origin.velocity_low.y);
    mover.velocity.z =
        (mover.velocity.z - origin.velocity.z) + (mover.velocity_low.z - origin.velocity_low.z);
#else
    (void)origin, (void)how;
#endif
    return mover;
}

/* ---- pairs ---- */

/* eps2: ε² of a pair, or with KY_EPS_SUM the factor of a source's ε². close2: with KY_GUARD pairs
 * with s² up to this are skipped. With KY_JERK_NEAR the sources of such pairs are near, and are
 * added in double: a float sum rounds to 6e-8 of its largest term, and the partner in a tight pair
 * may attract 10⁶ times as strongly as all other bodies. */
struct ky_jerk_soft {
    KY_REAL eps2, close2;
};

KY_FN struct ky_jerk_soft ky_jerk_soft(KY_REAL eps2)
{
    struct ky_jerk_soft soft;
    soft.eps2 = eps2;
    soft.close2 = KY_JERK_CLOSE2;
    return soft;
}

/* Source minus sink, and r². */
struct ky_jerk_apart {
    KY_REAL x, y, z, r2;
};

KY_FN struct ky_jerk_apart ky_jerk_apart(struct ky_mover sink, struct ky_mover source)
{
    struct ky_jerk_apart d;
    d.x = KY_APART(source.body.x, sink.body.x);
    d.y = KY_APART(source.body.y, sink.body.y);
    d.z = KY_APART(source.body.z, sink.body.z);
#if KY_IN_EXTENDED
    d.x += source.low.x - sink.low.x;
    d.y += source.low.y - sink.low.y;
    d.z += source.low.z - sink.low.z;
#endif
    d.r2 = KY_FMA(d.z, d.z, KY_FMA(d.y, d.y, d.x * d.x));
    return d;
}

/* r² with all digits of the state. */
KY_FN ky_state ky_mover_distance2(struct ky_mover a, struct ky_mover b)
{
#if KY_IN_EXTENDED
    ky_state x = ky_state_apart(ky_state_pair(b.body.x, b.low.x), ky_state_pair(a.body.x, a.low.x));
    ky_state y = ky_state_apart(ky_state_pair(b.body.y, b.low.y), ky_state_pair(a.body.y, a.low.y));
    ky_state z = ky_state_apart(ky_state_pair(b.body.z, b.low.z), ky_state_pair(a.body.z, a.low.z));
#else
    ky_state x = ky_state_apart(b.body.x, a.body.x), y = ky_state_apart(b.body.y, a.body.y),
             z = ky_state_apart(b.body.z, a.body.z);
#endif
    return ky_state_add(ky_state_add(ky_state_product(x, x), ky_state_product(y, y)),
                        ky_state_product(z, z));
}

/* The sums of a lane for a sink, and the smallest r² so far. */
struct ky_jerk_sums {
    struct ky_jerk_field field;
    KY_REAL near2;
};

/* One operation in float; double has no such operation. */
KY_FN KY_REAL ky_jerk_least(KY_REAL a, KY_REAL b)
{
#if KY_IN_DOUBLE
    return b < a ? b : a;
#else
    return KY_FMIN(a, b);
#endif
}

/* s² */
KY_FN KY_REAL ky_jerk_softened(KY_REAL r2, struct ky_mover sink, struct ky_mover source,
                               struct ky_jerk_soft soft, const int how)
{
    return r2 + ((how & KY_EPS_SUM) ? sink.velocity.w + source.velocity.w : soft.eps2);
}

KY_FN struct ky_jerk_sums ky_jerk_pair(struct ky_jerk_sums sums, struct ky_mover sink,
                                       struct ky_mover source, struct ky_jerk_soft soft,
                                       const int how)
{
    struct ky_jerk_apart d = ky_jerk_apart(sink, source);
    int own = (how & KY_JERK_OWN) && source.label == sink.label;
    if (how & KY_JERK_OWN)
        d.r2 = own ? KY_JERK_OUT2 : d.r2;
    KY_REAL s2 = ky_jerk_softened(d.r2, sink, source, soft, how), y = KY_RSQRT(s2);
#if KY_IN_DOUBLE
    if (how & KY_JERK_OWN)
        y = own ? 0 : y;
#endif
    if (how & KY_GUARD)
        y = s2 > soft.close2 ? y : (KY_REAL)0;
    sums.near2 = ky_jerk_least(sums.near2, d.r2);
    sums.field = ky_add_moving(sums.field, d.x, d.y, d.z, source.velocity.x - sink.velocity.x,
                               source.velocity.y - sink.velocity.y,
                               source.velocity.z - sink.velocity.z, y, source.body.w, s2, 0);
    return sums;
}

/* ---- tiles ---- */

/* Local arrays of KY_JERK_LANES elements; `low` only for extended. */
struct ky_jerk_tile {
    KY_LOCAL_POINTER ky_real4 *body, *velocity;
#if KY_IN_EXTENDED
    KY_LOCAL_POINTER float4 *low;
#endif
    KY_LOCAL_POINTER ky_uint *label;
};

/* Declares the arrays of a tile in the kernel itself. */
#if KY_IN_EXTENDED
#define KY_JERK_TILE_HERE(tile)                                                                    \
    KY_LOCAL ky_real4 tile##_body[KY_JERK_LANES], tile##_velocity[KY_JERK_LANES];                  \
    KY_LOCAL float4 tile##_low[KY_JERK_LANES];                                                     \
    KY_LOCAL ky_uint tile##_label[KY_JERK_LANES];                                                  \
    struct ky_jerk_tile tile;                                                                      \
    tile.body = tile##_body, tile.velocity = tile##_velocity;                                      \
    tile.low = tile##_low, tile.label = tile##_label
#else
#define KY_JERK_TILE_HERE(tile)                                                                    \
    KY_LOCAL ky_real4 tile##_body[KY_JERK_LANES], tile##_velocity[KY_JERK_LANES];                  \
    KY_LOCAL ky_uint tile##_label[KY_JERK_LANES];                                                  \
    struct ky_jerk_tile tile;                                                                      \
    tile.body = tile##_body, tile.velocity = tile##_velocity, tile.label = tile##_label
#endif

/* Loads the lane's source into the tile. */
KY_FN void ky_jerk_load(struct ky_jerk_tile tile, struct ky_mover source)
{
    tile.body[KY_LANE] = source.body;
    tile.velocity[KY_LANE] = source.velocity;
#if KY_IN_EXTENDED
    tile.low[KY_LANE] = source.low;
#endif
    tile.label[KY_LANE] = source.label;
}

/* Source j of the tile, with its label only with KY_JERK_OWN. */
KY_FN struct ky_mover ky_jerk_source(struct ky_jerk_tile tile, ky_uint j, const int how)
{
    struct ky_mover source;
    source.body = tile.body[j];
    source.velocity = tile.velocity[j];
#if KY_IN_EXTENDED
    source.low = tile.low[j];
#endif
    source.label = (how & KY_JERK_OWN) ? tile.label[j] : 0;
    return source;
}

/* Adds a run of the tile, from source `first` on. */
KY_FN void ky_jerk_run(struct ky_jerk_tile tile, ky_uint first, const struct ky_mover *sink,
                       struct ky_jerk_sums *sums, struct ky_jerk_soft soft, const int how)
{
    /* some compilers would unroll it completely, beyond the instruction cache */
#pragma unroll 1
    for (ky_uint step = 0; step < KY_JERK_RUN; step += KY_JERK_STEP) {
#pragma unroll
        for (ky_uint u = 0; u < KY_JERK_STEP; u++) {
            const struct ky_mover source = ky_jerk_source(tile, first + step + u, how);
#pragma unroll
            for (int k = 0; k < KY_JERK_SINKS; k++)
                sums[k] = ky_jerk_pair(sums[k], sink[k], source, soft, how);
        }
    }
}

/* The sources of a run within the sink's radius: one bit each, the lowest for the first source. */
KY_FN ky_uint ky_jerk_within(struct ky_jerk_tile tile, ky_uint first, struct ky_mover sink,
                             KY_REAL h2)
{
    ky_uint bits = 0;
#pragma unroll 4
    for (ky_uint u = 0; u < KY_JERK_RUN; u++) {
        const struct ky_mover source = ky_jerk_source(tile, first + u, KY_JERK_OWN);
        const int within = ky_jerk_apart(sink, source).r2 <= h2 && source.label != sink.label;
        bits |= (ky_uint)within << u;
    }
    return bits;
}

/* ---- totals ---- */

/* A sink's sums in numbers of the state. The nearest source is in the run `run`; if there is none,
 * near2 is KY_JERK_FAR2. */
struct ky_jerk_total {
    ky_state x, y, z, p, jx, jy, jz;
    KY_REAL near2;
    ky_uint run;
};

KY_FN struct ky_jerk_total ky_jerk_no_total(void)
{
    struct ky_jerk_total total;
    total.x = total.y = total.z = total.p = total.jx = total.jy = total.jz = ky_state_from(0.0f);
    total.near2 = KY_JERK_FAR2;
    total.run = KY_NO_RUN;
    return total;
}

/* Only acceleration and jerk of a total: the other sums may not have been computed. */
KY_FN struct ky_jerk_total ky_jerk_forces_alone(struct ky_jerk_total total)
{
    struct ky_jerk_total none = ky_jerk_no_total();
    total.p = none.p;
    total.near2 = none.near2;
    total.run = none.run;
    return total;
}

/* The initial sums of a lane for the next run; with KY_JERK_LISTS and KY_JERK_NEAR near2 is only
 * for this run. */
KY_FN struct ky_jerk_sums ky_jerk_begin_run(struct ky_jerk_total total, const int how)
{
    struct ky_jerk_sums sums;
    sums.field.x = sums.field.y = sums.field.z = sums.field.p = 0;
    sums.field.jx = sums.field.jy = sums.field.jz = 0;
    sums.near2 = (how & (KY_JERK_LISTS | KY_JERK_NEAR)) ? KY_JERK_FAR2 : total.near2;
    return sums;
}

/* Adds these sums to the total. */
KY_FN struct ky_jerk_total ky_jerk_end_run(struct ky_jerk_total total, struct ky_jerk_sums sums,
                                           ky_uint run)
{
    total.x = ky_state_add(total.x, ky_state_of_real(sums.field.x));
    total.y = ky_state_add(total.y, ky_state_of_real(sums.field.y));
    total.z = ky_state_add(total.z, ky_state_of_real(sums.field.z));
    total.p = ky_state_add(total.p, ky_state_of_real(sums.field.p));
    total.jx = ky_state_add(total.jx, ky_state_of_real(sums.field.jx));
    total.jy = ky_state_add(total.jy, ky_state_of_real(sums.field.jy));
    total.jz = ky_state_add(total.jz, ky_state_of_real(sums.field.jz));
    total.run = sums.near2 < total.near2 ? run : total.run;
    total.near2 = ky_jerk_least(total.near2, sums.near2);
    return total;
}

#if KY_IN_EXTENDED && defined(KY_STATE_IS_DOUBLE)
/* Adds a near source to the total, in double. */
KY_FN struct ky_jerk_total ky_jerk_add_near(struct ky_jerk_total total, struct ky_mover sink,
                                            struct ky_mover source, double eps2)
{
    const double x = ky_state_apart(ky_state_pair(source.body.x, source.low.x),
                                    ky_state_pair(sink.body.x, sink.low.x)),
                 y = ky_state_apart(ky_state_pair(source.body.y, source.low.y),
                                    ky_state_pair(sink.body.y, sink.low.y)),
                 z = ky_state_apart(ky_state_pair(source.body.z, source.low.z),
                                    ky_state_pair(sink.body.z, sink.low.z)),
                 vx = (double)source.velocity.x - (double)sink.velocity.x,
                 vy = (double)source.velocity.y - (double)sink.velocity.y,
                 vz = (double)source.velocity.z - (double)sink.velocity.z,
                 s2 = x * x + y * y + z * z + eps2;
    if (s2 <= KY_JERK_CLOSE2_DOUBLE)
        return total;
    const double over = KY_RSQRT_DOUBLE(s2), over2 = over * over,
                 f = ky_state_pair(source.body.w, source.low.w) * over * over2,
                 g = -3 * (x * vx + y * vy + z * vz) * over2;
    total.x += f * x, total.y += f * y, total.z += f * z;
    total.jx += f * (vx + g * x), total.jy += f * (vy + g * y), total.jz += f * (vz + g * z);
    return total;
}

/* Adds a run of the tile that has near sources to the total of one sink. */
KY_FN struct ky_jerk_total ky_jerk_near_run(struct ky_jerk_total total, struct ky_jerk_tile tile,
                                            ky_uint first, struct ky_mover sink,
                                            struct ky_jerk_soft soft, const int how)
{
    struct ky_jerk_sums sums = ky_jerk_begin_run(total, how);
#pragma unroll 1
    for (ky_uint u = 0; u < KY_JERK_RUN; u++) {
        const struct ky_mover source = ky_jerk_source(tile, first + u, KY_JERK_OWN);
        const float r2 = ky_jerk_apart(sink, source).r2;
        if (ky_jerk_softened(r2, sink, source, soft, how) > soft.close2)
            sums = ky_jerk_pair(sums, sink, source, soft, how | KY_JERK_OWN);
        else if (source.label != sink.label)
            total =
                ky_jerk_add_near(total, sink, source, ky_jerk_softened(0, sink, source, soft, how));
    }
    return ky_jerk_end_run(total, sums, 0);
}
#endif

/* The sum of two totals; at equal distances the lower run is the nearer. */
KY_FN struct ky_jerk_total ky_jerk_total_join(struct ky_jerk_total a, struct ky_jerk_total b)
{
    a.x = ky_state_add(a.x, b.x);
    a.y = ky_state_add(a.y, b.y);
    a.z = ky_state_add(a.z, b.z);
    a.p = ky_state_add(a.p, b.p);
    a.jx = ky_state_add(a.jx, b.jx);
    a.jy = ky_state_add(a.jy, b.jy);
    a.jz = ky_state_add(a.jz, b.jz);
    int other = b.near2 < a.near2 || (b.near2 == a.near2 && b.run < a.run);
    a.near2 = other ? b.near2 : a.near2;
    a.run = other ? b.run : a.run;
    return a;
}

/* Totals in memory: number c of the total at `place` has the index given by AT. In global memory
 * they are partial sums, with the KY_JERK_NUMBERS numbers of a total together; in local memory
 * there is a column for each number. */
#define KY_JERK_TOTALS(name, SPACE, AT)                                                            \
    KY_FN void name##_write(SPACE ky_state *to, SPACE ky_uint *run, ky_ulong place,                \
                            struct ky_jerk_total total)                                            \
    {                                                                                              \
        to[AT(0)] = total.x;                                                                       \
        to[AT(1)] = total.y;                                                                       \
        to[AT(2)] = total.z;                                                                       \
        to[AT(3)] = total.jx;                                                                      \
        to[AT(4)] = total.jy;                                                                      \
        to[AT(5)] = total.jz;                                                                      \
        to[AT(6)] = total.p;                                                                       \
        to[AT(7)] = ky_state_of_real(total.near2);                                                 \
        run[place] = total.run;                                                                    \
    }                                                                                              \
    KY_FN struct ky_jerk_total name##_read(SPACE const ky_state *from, SPACE const ky_uint *run,   \
                                           ky_ulong place)                                         \
    {                                                                                              \
        struct ky_jerk_total total;                                                                \
        total.x = from[AT(0)];                                                                     \
        total.y = from[AT(1)];                                                                     \
        total.z = from[AT(2)];                                                                     \
        total.jx = from[AT(3)];                                                                    \
        total.jy = from[AT(4)];                                                                    \
        total.jz = from[AT(5)];                                                                    \
        total.p = from[AT(6)];                                                                     \
        total.near2 = ky_real_of_state(from[AT(7)]);                                               \
        total.run = run[place];                                                                    \
        return total;                                                                              \
    }
#define KY_JERK_AT_FAR(c) (place * KY_JERK_NUMBERS + (c))
#define KY_JERK_AT_NEAR(c) ((c)*KY_JERK_HALF + place)
KY_JERK_TOTALS(ky_jerk_far, KY_GLOBAL, KY_JERK_AT_FAR)
KY_JERK_TOTALS(ky_jerk_near, KY_LOCAL_POINTER, KY_JERK_AT_NEAR)

/* Writes only acceleration and jerk; the other numbers at `place` stay unchanged. */
KY_FN void ky_jerk_forces_write(KY_GLOBAL ky_state *to, ky_ulong place, struct ky_jerk_total total)
{
    to[KY_JERK_AT_FAR(0)] = total.x;
    to[KY_JERK_AT_FAR(1)] = total.y;
    to[KY_JERK_AT_FAR(2)] = total.z;
    to[KY_JERK_AT_FAR(3)] = total.jx;
    to[KY_JERK_AT_FAR(4)] = total.jy;
    to[KY_JERK_AT_FAR(5)] = total.jz;
}

/* Adds the rows of a group to the first row, in a fixed order, for each of the `sinks` totals of a
 * lane. Every lane must call it; `part` has KY_JERK_NUMBERS KY_JERK_HALF elements, `run`
 * KY_JERK_HALF. */
KY_FN void ky_jerk_join_rows(struct ky_jerk_total *total, const int sinks, ky_uint lanes,
                             KY_LOCAL_POINTER ky_state *part, KY_LOCAL_POINTER ky_uint *run)
{
    for (ky_uint step = KY_JERK_HALF; step >= lanes; step >>= 1) {
#ifdef KY_ON_CPU /* PoCL 5 miscompiles the unrolled loop (device-engine.md) */
#pragma unroll 1
#else
#pragma unroll
#endif
        for (int k = 0; k < sinks; k++) {
            KY_BARRIER();
            if (KY_LANE >= step && KY_LANE < 2 * step)
                ky_jerk_near_write(part, run, KY_LANE - step, total[k]);
            KY_BARRIER();
            if (KY_LANE < step)
                total[k] = ky_jerk_total_join(total[k], ky_jerk_near_read(part, run, KY_LANE));
        }
    }
}

#endif
