/* The sums of a team's walk (tree.k): each lane loads one source to local memory, relative to the
 * first body of the group, and every lane adds all of them to its sink. */
#ifndef KY_KERNELS_TEAM_SUMS_H
#define KY_KERNELS_TEAM_SUMS_H

#include "engine/device/kernels/driver/shared.h"
#include "engine/device/kernels/forces/near.h"
#include "engine/device/kernels/tree/cell_columns.h"

/* Input of the walk: bodies along the curve, and cells. */
struct ky_team_tree {
    KY_CELLS_READ
    KY_GLOBAL const ky_state *position, *mass, *softening, *frame;
    ky_uint n, flags, moments; /* moments: number for each cell */
};

struct ky_vector3 {
    KY_REAL x, y, z;
};

/* The point that positions are relative to: absolute, and relative to the origin of the cells. For
 * an image of the sources in a periodic box it is moved the other way; then `home` is the point
 * itself, to which the sinks are relative. */
struct ky_reference {
    ky_state x[3], home[3];
    ky_uint image;
#if KY_IN_DOUBLE
    double from[3];
#else
    float high[3], low[3];
#endif
};

KY_FN struct ky_reference ky_reference_of(struct ky_team_tree tree, ky_uint body)
{
    struct ky_reference reference;
    reference.image = 0;
    for (int c = 0; c < 3; c++) {
        reference.x[c] = tree.position[(ky_ulong)c * tree.n + body];
        ky_state from =
            ky_state_add(reference.x[c], ky_state_negative(tree.frame[KY_FRAME_ORIGIN + c]));
#if KY_IN_DOUBLE
        reference.from[c] = from;
#else
        reference.high[c] = ky_state_high(from);
        reference.low[c] = ky_state_low(from);
#endif
    }
    return reference;
}

/* The reference for an image of the sources. */
KY_FN struct ky_reference ky_reference_moved(struct ky_reference from, ky_uint image, ky_state box)
{
    struct ky_reference moved = from;
    moved.image = image;
    for (int c = 0; c < 3; c++) {
        const ky_state way = ky_state_product(ky_state_from((float)-KY_IMAGE((int)image, c)), box);
        moved.home[c] = from.x[c];
        moved.x[c] = ky_state_add(from.x[c], way);
#if KY_IN_DOUBLE
        moved.from[c] = from.from[c] + way;
#else
        const ky_state at = ky_state_add(ky_state_pair(from.high[c], from.low[c]), way);
        moved.high[c] = ky_state_high(at);
        moved.low[c] = ky_state_low(at);
#endif
    }
    return moved;
}

/* Body j minus the reference along axis c, in state numbers. */
KY_FN ky_state ky_body_apart(struct ky_team_tree tree, struct ky_reference from, ky_ulong j, int c)
{
    return ky_state_apart(tree.position[(ky_ulong)c * tree.n + j], from.x[c]);
}

KY_FN struct ky_vector3 ky_body_place(struct ky_team_tree tree, struct ky_reference from,
                                      ky_ulong j)
{
    struct ky_vector3 place;
    place.x = ky_real_of_state(ky_body_apart(tree, from, j, 0));
    place.y = ky_real_of_state(ky_body_apart(tree, from, j, 1));
    place.z = ky_real_of_state(ky_body_apart(tree, from, j, 2));
    return place;
}

/* The low part of ky_body_place, in float. */
KY_FN float4 ky_body_rest(struct ky_team_tree tree, struct ky_reference from, ky_ulong j)
{
    float4 rest;
    rest.x = ky_state_low(ky_body_apart(tree, from, j, 0));
    rest.y = ky_state_low(ky_body_apart(tree, from, j, 1));
    rest.z = ky_state_low(ky_body_apart(tree, from, j, 2));
    rest.w = 0.0f;
    return rest;
}

KY_FN struct ky_vector3 ky_cell_point(struct ky_reference from, struct ky_cell_centre centre,
                                      struct ky_low low)
{
    struct ky_vector3 place;
#if KY_IN_DOUBLE
    place.x = KY_APART((double)centre.x[0], from.from[0]) + (double)low.x[0];
    place.y = KY_APART((double)centre.x[1], from.from[1]) + (double)low.x[1];
    place.z = KY_APART((double)centre.x[2], from.from[2]) + (double)low.x[2];
#else
    place.x = KY_APART(centre.x[0], from.high[0]) + (low.x[0] - from.low[0]);
    place.y = KY_APART(centre.x[1], from.high[1]) + (low.x[1] - from.low[1]);
    place.z = KY_APART(centre.x[2], from.high[2]) + (low.x[2] - from.low[2]);
#endif
    return place;
}

/* State of a lane: KY_SINKS_OF(how) sinks, KY_TEAM bodies apart. In a group that fills at most half
 * of the lanes, several lanes share a sink: each adds a part of the staged sources, `per` of them
 * from `base` on. */
struct ky_team_sink {
    KY_REAL x[KY_MOST_SINKS], y[KY_MOST_SINKS], z[KY_MOST_SINKS], eps2[KY_MOST_SINKS];
    ky_uint own[KY_MOST_SINKS]; /* their indices among the sources */
    ky_uint base, per;          /* for KY_SHARES */
    ky_uint bodies, cells;      /* that acted on it; the same on all lanes of the team */
    struct ky_total total[KY_MOST_SINKS];
};

/* 1 if the sources are another image than the sinks, so that no source is the sink itself. */
KY_FN int ky_is_image(struct ky_reference from, const int how)
{
    return (how & KY_BOXED) && from.image > 0;
}

/* ky_body_rest of each sink of a lane. */
struct ky_team_rests {
    float4 of[KY_MOST_SINKS];
};

KY_FN struct ky_team_rests ky_sink_rests(struct ky_team_tree tree, struct ky_reference from,
                                         struct ky_team_sink sink, const int how)
{
    struct ky_team_rests rests;
    for (int c = 0; c < 3 && (how & KY_BOXED); c++)
        from.x[c] = from.home[c];
#pragma unroll
    for (int s = 0; s < KY_SINKS_OF(how); s++)
        rests.of[s] = ky_body_rest(tree, from, sink.own[s]);
    return rests;
}

/* Sources in local memory, one from each lane: position minus the reference, with the mass for
 * bodies; moments of cells, or low parts of bodies; their ε². Of third moments, scaled for
 * ky_add_octupole, second.w is the first, and `third` has the rest and their trace in KY_THIRD_ROWS
 * rows. */
struct ky_staged {
    KY_LOCAL_POINTER ky_real4 *place;
    KY_LOCAL_POINTER float4 *first, *second, *third;
    KY_LOCAL_POINTER KY_REAL *eps2;
};
#define KY_THIRD_ROWS 3

/* Stages an empty source: one without mass. */
KY_FN void ky_stage_nothing(struct ky_staged staged, const int how)
{
    float4 none = KY_FLOAT4(0.0f, 0.0f, 0.0f, 0.0f);
    staged.place[KY_TEAM_LANE] = ky_make_real4(0, 0, 0, 0);
    staged.first[KY_TEAM_LANE] = none;
    if (KY_HOLDS_MOMENTS(how))
        staged.second[KY_TEAM_LANE] = none;
    for (int row = 0; row < KY_THIRD_ROWS && KY_HOLDS_THIRD(how); row++)
        staged.third[row * KY_TEAM + KY_TEAM_LANE] = none;
    if (how & KY_EPS_OF_BOTH)
        staged.eps2[KY_TEAM_LANE] = 0;
}

/* ε² of body j. */
KY_FN KY_REAL ky_body_eps2(struct ky_team_tree tree, ky_uint j)
{
    return ky_real_of_state(ky_state_product(tree.softening[j], tree.softening[j]));
}

KY_FN void ky_stage_body(struct ky_team_tree tree, struct ky_reference from,
                         struct ky_staged staged, ky_uint j, const int how)
{
    struct ky_vector3 place = ky_body_place(tree, from, j);
    staged.place[KY_TEAM_LANE] =
        ky_make_real4(place.x, place.y, place.z, ky_real_of_state(tree.mass[j]));
    if (how & KY_EPS_OF_BOTH)
        staged.eps2[KY_TEAM_LANE] = (tree.flags & KY_FLAG_SOURCE_EPS) ? ky_body_eps2(tree, j) : 0;
}

/* Copies the third moments of a cell from `moments` to `third`. Returns the first of them. */
KY_FN float ky_stage_third(KY_LOCAL_POINTER float4 *third, KY_GLOBAL const float *moments)
{
    const float by = (float)(KY_SCALE_TRACE_OF_THIRD(1) / KY_SCALE_THIRD(1));
    float o[10];
#pragma unroll
    for (int k = 0; k < 10; k++)
        o[k] = (float)(KY_SCALE_THIRD(1) * KY_THIRD_FACTOR(k)) *
               moments[KY_TAYLOR_PLACE(KY_MOMENT_THIRD) + k];
    third[0] = KY_FLOAT4(o[1], o[2], o[3], o[4]);
    third[KY_TEAM] = KY_FLOAT4(o[5], o[6], o[7], o[8]);
    third[2 * KY_TEAM] = KY_FLOAT4(o[9], by * KY_THIRD_TRACE(o, 0), by * KY_THIRD_TRACE(o, 1),
                                   by * KY_THIRD_TRACE(o, 2));
    return o[0];
}

/* The moments that ky_stage_third has staged. */
KY_FN struct ky_third ky_staged_third(KY_LOCAL_POINTER const float4 *third, float first)
{
    const float4 a = third[0], b = third[KY_TEAM], c = third[2 * KY_TEAM];
    struct ky_third its;
    its.o[0] = first;
    its.o[1] = a.x;
    its.o[2] = a.y;
    its.o[3] = a.z;
    its.o[4] = a.w;
    its.o[5] = b.x;
    its.o[6] = b.y;
    its.o[7] = b.z;
    its.o[8] = b.w;
    its.o[9] = c.x;
    its.t[0] = c.y;
    its.t[1] = c.z;
    its.t[2] = c.w;
    return its;
}

KY_FN void ky_stage_cell(struct ky_team_tree tree, struct ky_reference from,
                         struct ky_staged staged, ky_uint cell, const int how)
{
    struct ky_low low = tree.low[cell];
    struct ky_vector3 place = ky_cell_point(from, tree.centre[cell], low);
    KY_REAL mass;
    if (KY_HOLDS_MOMENTS(how)) {
        KY_GLOBAL const float *its = tree.moment + (ky_ulong)cell * tree.moments;
        KY_GLOBAL const float4 *moments = (KY_GLOBAL const float4 *)its;
        float4 first = moments[0], second = moments[1];
        mass = 0;
        if (KY_HOLDS_THIRD(how))
            second.w = ky_stage_third(staged.third + KY_TEAM_LANE, its);
        staged.first[KY_TEAM_LANE] = first;
        staged.second[KY_TEAM_LANE] = second;
    } else
        mass = tree.moment[cell];
    staged.place[KY_TEAM_LANE] = ky_make_real4(place.x, place.y, place.z, mass);
    if (how & KY_EPS_OF_BOTH)
        staged.eps2[KY_TEAM_LANE] = (tree.flags & KY_FLAG_SOURCE_EPS) ? low.eps2 : 0;
}

/* Adds `count` staged bodies to all sinks. */
KY_FN struct ky_team_sink ky_add_staged_bodies(struct ky_team_sink sink, struct ky_staged staged,
                                               ky_uint count, const int how)
{
    struct ky_field field[KY_MOST_SINKS];
    const ky_uint base = (how & KY_SHARES) ? sink.base : 0;
    KY_LOCAL_POINTER const ky_real4 *place = staged.place + base;
    KY_LOCAL_POINTER const KY_REAL *eps2 = staged.eps2 + ((how & KY_EPS_OF_BOTH) ? base : 0);
    count = (how & KY_SHARES) && sink.per > 0 ? sink.per : count;
#pragma unroll
    for (int s = 0; s < KY_SINKS_OF(how); s++)
        field[s] = ky_no_field();
#pragma unroll 4
    for (ky_uint k = 0; k < count; k++) {
        ky_real4 body = place[k];
#pragma unroll
        for (int s = 0; s < KY_SINKS_OF(how); s++) {
            KY_REAL dx = body.x - sink.x[s], dy = body.y - sink.y[s], dz = body.z - sink.z[s];
            struct ky_softened pair = ky_soften(dx, dy, dz, sink.eps2[s],
                                                (how & KY_EPS_OF_BOTH) ? eps2[k] : (KY_REAL)0, how);
            field[s] = ky_add_body(field[s], dx, dy, dz, pair, body.w);
        }
    }
#pragma unroll
    for (int s = 0; s < KY_SINKS_OF(how); s++)
        sink.total[s] = ky_total_add(sink.total[s], field[s]);
    return sink;
}

/* The same for bodies that may include the sink itself, with low parts of the bodies and of the
 * sinks, `low`: the bodies from `first` on, or in `index` if it is not 0. */
KY_FN struct ky_team_sink ky_add_near_bodies(struct ky_team_sink sink, struct ky_staged staged,
                                             struct ky_team_rests low, ky_uint count, ky_uint first,
                                             KY_LOCAL_POINTER const ky_uint *index, const int how)
{
    struct ky_field field[KY_MOST_SINKS];
#pragma unroll
    for (int s = 0; s < KY_SINKS_OF(how); s++)
        field[s] = ky_no_field();
    ky_uint k = (how & KY_SHARES) ? sink.base : 0;
    count = k + ((how & KY_SHARES) && sink.per > 0 ? sink.per : count);
    for (; k < count; k++) {
        ky_real4 body = staged.place[k];
#pragma unroll
        for (int s = 0; s < KY_SINKS_OF(how); s++) {
            KY_REAL dx = body.x - sink.x[s], dy = body.y - sink.y[s], dz = body.z - sink.z[s];
#if !KY_IN_DOUBLE
            float4 rest = staged.first[k];
            dx += rest.x - low.of[s].x;
            dy += rest.y - low.of[s].y;
            dz += rest.z - low.of[s].z;
#endif
            struct ky_softened pair = ky_soften(
                dx, dy, dz, sink.eps2[s], (how & KY_EPS_OF_BOTH) ? staged.eps2[k] : (KY_REAL)0,
                how | KY_GUARD_FIRST);
            pair.y = (index ? index[k] : first + k) == sink.own[s] ? (KY_REAL)0 : pair.y;
            field[s] = ky_add_body(field[s], dx, dy, dz, pair, body.w);
        }
    }
#pragma unroll
    for (int s = 0; s < KY_SINKS_OF(how); s++)
        sink.total[s] = ky_total_add(sink.total[s], field[s]);
    return sink;
}

/* Adds staged cell k to sink s of a lane. */
KY_FN struct ky_field ky_add_staged_cell(struct ky_field field, struct ky_team_sink sink, int s,
                                         struct ky_staged staged, ky_uint k, const int how)
{
    const ky_real4 cell = staged.place[k];
    KY_REAL dx = cell.x - sink.x[s], dy = cell.y - sink.y[s], dz = cell.z - sink.z[s];
    struct ky_softened pair =
        ky_soften(dx, dy, dz, sink.eps2[s], (how & KY_EPS_OF_BOTH) ? staged.eps2[k] : (KY_REAL)0,
                  KY_CELLS_HOW(how));
    if (!KY_HOLDS_MOMENTS(how))
        return ky_add_body(field, dx, dy, dz, pair, cell.w);
    const float4 second = staged.second[k];
    const struct ky_moments moments = ky_quadrupole(staged.first[k], second);
    if (KY_HOLDS_THIRD(how))
        return ky_add_octupole(field, dx, dy, dz, pair, moments,
                               ky_staged_third(staged.third + k, second.w));
    return ky_add_cell(field, dx, dy, dz, pair, moments);
}

/* Adds `count` staged cells to all sinks. With third moments only one cell at a time: two need more
 * registers. */
KY_FN struct ky_team_sink ky_add_staged_cells(struct ky_team_sink sink, struct ky_staged staged,
                                              ky_uint count, const int how)
{
    struct ky_field field[KY_MOST_SINKS];
#pragma unroll
    for (int s = 0; s < KY_SINKS_OF(how); s++)
        field[s] = ky_no_field();
    const ky_uint base = (how & KY_SHARES) ? sink.base : 0;
    count = base + ((how & KY_SHARES) && sink.per > 0 ? sink.per : count);
    if (KY_HOLDS_THIRD(how)) {
#pragma unroll 1
        for (ky_uint k = base; k < count; k++)
#pragma unroll
            for (int s = 0; s < KY_SINKS_OF(how); s++)
                field[s] = ky_add_staged_cell(field[s], sink, s, staged, k, how);
    } else {
#pragma unroll 2
        for (ky_uint k = base; k < count; k++)
#pragma unroll
            for (int s = 0; s < KY_SINKS_OF(how); s++)
                field[s] = ky_add_staged_cell(field[s], sink, s, staged, k, how);
    }
#pragma unroll
    for (int s = 0; s < KY_SINKS_OF(how); s++)
        sink.total[s] = ky_total_add(sink.total[s], field[s]);
    return sink;
}

/* Adds the sums of lanes that share a sink to the first of these lanes; they are `width` lanes
 * apart. */
KY_FN struct ky_total ky_team_total(struct ky_total total, struct ky_staged staged, ky_uint width)
{
    staged.place[KY_TEAM_LANE] = ky_total_value(total);
    ky_team_sync();
    for (ky_uint k = KY_TEAM_LANE + width; k < KY_TEAM; k += width) {
        ky_real4 part = staged.place[k];
        struct ky_field field;
        field.x = part.x;
        field.y = part.y;
        field.z = part.z;
        field.p = part.w;
        total = ky_total_add(total, field);
    }
    return total;
}

#endif
