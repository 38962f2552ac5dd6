/* The arrays of cells, and the cells of a level from their children, for cells.k and higher.k.
 * Values are state numbers until they are stored. */
#ifndef KY_KERNELS_LEVEL_H
#define KY_KERNELS_LEVEL_H

#include "engine/device/kernels/driver/state.h"
#include "engine/device/kernels/tree/cell_columns.h"
#include "engine/device/kernels/tree/keys.h"

#include "octree/layout.h"
#include "physics/cell.h"
#include "physics/gravity.h"

/* The cells and their bodies. */
struct ky_grown {
    KY_CELLS_MADE
    KY_GLOBAL const ky_state *position, *frame;
    ky_uint n, flags; /* KY_GROWN_…, KY_OPENING_…, KY_FLAG_OWN_EPS */
    float inverse_theta;
};

KY_FN int ky_grown_order(struct ky_grown grown)
{
    return (int)(grown.flags / KY_FLAG_ORDER);
}

/* The number of moments of a cell. */
KY_FN ky_uint ky_grown_moments(struct ky_grown grown)
{
    return KY_MOMENTS(ky_grown_order(grown));
}

/* Body k along the curve, relative to the origin of the cells. */
KY_FN ky_state ky_body_at(struct ky_grown grown, ky_ulong k, int c)
{
    return ky_state_minus(grown.position[(ky_ulong)c * grown.n + k],
                          grown.frame[KY_FRAME_ORIGIN + c]);
}

/* The integer coordinates of a body in the frame, from which its key is made. */
KY_FN void ky_places_of(struct ky_grown grown, ky_ulong k, ky_uint place[3])
{
    for (int c = 0; c < 3; c++)
        place[c] = ky_frame_position(grown.position[(ky_ulong)c * grown.n + k],
                                     grown.frame[KY_FRAME_LOW + c], grown.frame[KY_FRAME_SCALE]);
}

/* The cell's cube: the smallest with its first and last body, if it contains the tight box. */
KY_FN struct ky_cell_cube ky_cube_of(struct ky_grown grown, struct ky_cell_link link,
                                     const struct ky_cell_axis axis[3])
{
    struct ky_frame frame;
    ky_uint place[3], last[3], apart = 0, shift = 0;
    frame.scale = grown.frame[KY_FRAME_SCALE];
    if (!(grown.flags & KY_GROWN_EDGE) || !(ky_state_high(frame.scale) > 0.0f))
        return ky_cell_no_cube();
    ky_places_of(grown, link.body, place);
    ky_places_of(grown, (ky_ulong)link.body + link.bodies - 1, last);
    frame.edge = grown.frame[KY_FRAME_EDGE];
    for (int c = 0; c < 3; c++) {
        frame.low[c] =
            ky_state_minus(grown.frame[KY_FRAME_LOW + c], grown.frame[KY_FRAME_ORIGIN + c]);
        apart |= place[c] ^ last[c];
    }
    for (; apart >> shift; shift++)
        ;
    struct ky_cell_cube cube = ky_cell_cube(frame, place, shift, axis);
    return cube.holds ? cube : ky_cell_no_cube();
}

KY_FN float ky_open2_of(struct ky_grown grown, struct ky_cell_link link, ky_state mass,
                        const struct ky_cell_axis axis[3])
{
    struct ky_opening_test test;
    test.how = grown.flags;
    test.order = ky_grown_order(grown);
    test.inverse_theta = grown.inverse_theta;
    return ky_cell_open2(mass, axis, ky_cube_of(grown, link, axis), test, 0.0f);
}

/* Writes a cell's data. */
KY_FN void ky_store_cell(struct ky_grown grown, ky_uint cell, struct ky_cell_sums sums,
                         struct ky_cell_second second, ky_uint children)
{
    struct ky_cell_centre centre;
    struct ky_low low;
    struct ky_cell_box box;
    const float scale = (float)KY_SCALE_SECOND(1);
    KY_GLOBAL float *moment = grown.moment + (ky_ulong)cell * ky_grown_moments(grown);
    for (int c = 0; c < 3; c++) {
        struct ky_cell_axis axis = sums.axis[c];
        centre.x[c] = ky_state_high(axis.x);
        low.x[c] = ky_state_low(axis.x);
        box.below[c] = ky_round_up(ky_state_scalar(ky_state_minus(axis.x, axis.low)));
        box.above[c] = ky_round_up(ky_state_scalar(ky_state_minus(axis.high, axis.x)));
    }
    centre.open2 = ky_open2_of(grown, grown.link[cell], sums.mass, sums.axis);
    low.eps2 = ky_state_high(sums.mass) > 0.0f
                   ? ky_state_high(ky_state_quotient(sums.eps2.sum, sums.mass))
                   : 0.0f;
    box.below[3] = ky_state_high(sums.eps2.least);
    box.above[3] = ky_state_high(sums.eps2.most);
    grown.children[cell] = (unsigned char)children;
    grown.centre[cell] = centre;
    grown.low[cell] = low;
    grown.box[cell] = box;
    moment[KY_MOMENT_MASS] = ky_state_high(sums.mass);
    if (ky_grown_moments(grown) <= KY_MOMENT_SECOND)
        return;
    moment += KY_MOMENT_SECOND;
    moment[0] = scale * ky_state_high(second.xx);
    moment[1] = scale * ky_state_high(second.yy);
    moment[2] = scale * ky_state_high(second.zz);
    moment[3] = scale * ky_state_high(second.xy);
    moment[4] = scale * ky_state_high(second.xz);
    moment[5] = scale * ky_state_high(second.yz);
    moment[6] = 0.0f;
}

/* Reads a child's data. */
KY_FN struct ky_cell_sums ky_read_child(struct ky_grown grown, ky_uint child)
{
    struct ky_cell_sums sums;
    struct ky_cell_box box = grown.box[child];
    struct ky_cell_centre centre = grown.centre[child];
    struct ky_low low = grown.low[child];
    sums.mass =
        ky_state_from(grown.moment[(ky_ulong)child * ky_grown_moments(grown) + KY_MOMENT_MASS]);
    sums.eps2.sum = ky_state_product(sums.mass, ky_state_from(low.eps2));
    sums.eps2.least = ky_state_from(box.below[3]);
    sums.eps2.most = ky_state_from(box.above[3]);
    for (int c = 0; c < 3; c++) {
        ky_state x = ky_state_pair(centre.x[c], low.x[c]);
        sums.axis[c].x = x;
        sums.axis[c].low = ky_state_minus(x, ky_state_from(box.below[c]));
        sums.axis[c].high = ky_state_add(x, ky_state_from(box.above[c]));
    }
    return sums;
}

/* Lane `own` of the lanes of a cell: sums one axis of its children, or mass and ε². */
KY_FN void ky_sum_children(KY_LOCAL_POINTER const struct ky_cell_sums *child, ky_uint children,
                           ky_uint own, KY_LOCAL_POINTER struct ky_cell_sums *sums)
{
    if (own < 3) {
        const ky_state from = child[0].axis[own].x;
        ky_state mass = ky_state_from(0.0f);
        struct ky_cell_axis axis = ky_cell_axis(child[0].axis[own].low, child[0].axis[own].high);
        for (ky_uint k = 0; k < children; k++) {
            const struct ky_cell_axis its = child[k].axis[own];
            mass = ky_state_add(mass, child[k].mass);
            axis = ky_cell_axis_add(axis, child[k].mass, its.x, from, its.low, its.high);
        }
        sums->axis[own] = ky_cell_axis_end(axis, mass, from);
    } else if (own == 3) {
        ky_state mass = ky_state_from(0.0f);
        struct ky_cell_eps2 eps2 = ky_cell_eps2();
        for (ky_uint k = 0; k < children; k++) {
            mass = ky_state_add(mass, child[k].mass);
            eps2 = ky_cell_eps2_add(eps2, child[k].eps2);
        }
        sums->mass = mass;
        sums->eps2 = eps2;
    }
}

/* Σ m x xᵀ about the centre of mass, component k of six. */
KY_FN ky_state ky_sum_second(struct ky_grown grown, ky_uint first_child, ky_uint children,
                             KY_LOCAL_POINTER const struct ky_cell_sums *child,
                             KY_LOCAL_POINTER const struct ky_cell_sums *sums, ky_uint k)
{
    const ky_uint a = k < 3 ? k : k == 5, b = k < 3 ? k : k == 3 ? 1 : 2; /* xx yy zz xy xz yz */
    const ky_ulong moments = ky_grown_moments(grown);
    const ky_state held = ky_state_from(1.0f / (float)KY_SCALE_SECOND(1));
    ky_state sum = ky_state_from(0.0f);
    for (ky_uint j = 0; j < children; j++) {
        float second = grown.moment[(first_child + j) * moments + KY_MOMENT_SECOND + k];
        ky_state da = ky_state_minus(child[j].axis[a].x, sums->axis[a].x),
                 db = ky_state_minus(child[j].axis[b].x, sums->axis[b].x);
        sum = ky_state_add(sum, ky_state_product(held, ky_state_from(second)));
        sum = ky_state_add(sum, ky_cell_second_of(child[j].mass, da, db));
    }
    return sum;
}

KY_FN struct ky_cell_second ky_second_of(KY_LOCAL_POINTER const ky_state *number)
{
    struct ky_cell_second second;
    second.xx = number[0];
    second.yy = number[1];
    second.zz = number[2];
    second.xy = number[3];
    second.xz = number[4];
    second.yz = number[5];
    return second;
}

/* Cells of a group. */
#define KY_LEVEL_CELLS (KY_LEVEL_LANES / KY_LEVEL_EACH)

/* The local memory of a group. */
struct ky_level_room {
    ky_uint ends[KY_LEVEL_LANES];
    struct ky_cell_sums child[KY_LEVEL_LANES], sums[KY_LEVEL_CELLS];
    ky_state second[KY_LEVEL_CELLS][6];
};

/* The cell of a lane; 0 children if it is a leaf or not of the level. */
struct ky_level_cell {
    ky_uint cell, child, children; /* child: the first one */
    ky_state x[3];                 /* centre of mass */
};

/* Computes the cells first … end - 1, all of one level, except for leaves, with KY_LEVEL_EACH lanes
 * per cell: a lane for each child, then one for each axis, then for each second moment. */
KY_FN struct ky_level_cell ky_level_make(struct ky_grown grown,
                                         KY_LOCAL_POINTER struct ky_level_room *room, ky_uint first,
                                         ky_uint end, ky_uint cells)
{
    const ky_uint group = KY_LANE / KY_LEVEL_EACH, own = KY_LANE % KY_LEVEL_EACH;
    const ky_uint cell = first + KY_GROUP * KY_LEVEL_CELLS + group;
    struct ky_cell_link its = grown.link[cell < end ? cell : first];
    const ky_uint cell_end = its.body + its.bodies;
    const int made = cell < end && its.more != KY_NO_LINK;
    /* The cell after the last child may belong to another level; it is not used. */
    const ky_uint at = made ? its.more + own : first;
    struct ky_cell_link its_child = grown.link[at < cells ? at : first];
    KY_LOCAL_POINTER struct ky_cell_sums *mine = room->child + group * KY_LEVEL_EACH;
    KY_LOCAL_POINTER struct ky_cell_sums *sums = room->sums + group;
    ky_uint many = 1;
    room->ends[KY_LANE] = its_child.body + its_child.bodies;
    KY_BARRIER();
    while (many < KY_LEVEL_EACH && room->ends[group * KY_LEVEL_EACH + many - 1] != cell_end)
        many++;
    many = made ? many : 0;
    if (own < many)
        room->child[KY_LANE] = ky_read_child(grown, its.more + own);
    KY_BARRIER();
    if (made)
        ky_sum_children(mine, many, own, sums);
    KY_BARRIER();
    if (made && own < 6)
        room->second[group][own] = ky_grown_moments(grown) > KY_MOMENT_SECOND
                                       ? ky_sum_second(grown, its.more, many, mine, sums, own)
                                       : ky_state_from(0.0f);
    KY_BARRIER();
    if (made && own == 0)
        ky_store_cell(grown, cell, *sums, ky_second_of(room->second[group]), many);
    struct ky_level_cell result;
    result.cell = cell;
    result.child = its.more;
    result.children = many;
    for (int c = 0; c < 3; c++)
        result.x[c] = sums->axis[c].x;
    return result;
}

/* The arguments of a kernel for a level, which has cells first … end - 1, and the struct of
 * them. */
#define KY_LEVEL_ARGUMENTS                                                                         \
    (KY_CELLS_TO_MAKE KY_GLOBAL const ky_state *position, KY_GLOBAL const ky_state *frame,         \
     ky_uint n, ky_uint flags, float inverse_theta, ky_uint first, ky_uint end, ky_uint cells)
#define KY_LEVEL_GROWN                                                                             \
    {                                                                                              \
        KY_CELLS_HERE position, frame, n, flags, inverse_theta                                     \
    }

#endif
