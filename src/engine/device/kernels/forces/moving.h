/* The sums of moving bodies on sinks: the loop over tiles, for the boards (board/sum.k) and for
 * mutual forces (steps/hermite_sum.k). Extended or double precision.
 *
 * The bodies of a board are stored in slots and predicted; its sinks come from the caller. With
 * KY_JERK_AMONG the bodies exist only in the planes `predicted`, a body's label is its index there,
 * and the sinks are the bodies listed in `sink_word`. */
#ifndef KY_KERNELS_MOVING_H
#define KY_KERNELS_MOVING_H

#include "engine/device/kernels/forces/jerk.h"

/* The arrays of a launch; kernels/driver/shared.h describes slots and sinks. */
struct ky_board {
    KY_GLOBAL const ky_state *state;
    KY_GLOBAL const ky_uint *word;
    KY_GLOBAL const ky_real4 *predicted; /* planes of `slots` */
    KY_GLOBAL const ky_state *sink;
    KY_GLOBAL const ky_uint *sink_word;
    ky_state time;
    ky_uint slots, count, flags;
    ky_uint first, end; /* the slots whose sums are wanted; initially all */
};

KY_FN struct ky_board ky_board_of(KY_GLOBAL const ky_state *state, KY_GLOBAL const ky_uint *word,
                                  KY_GLOBAL const ky_real4 *predicted,
                                  KY_GLOBAL const ky_state *sink,
                                  KY_GLOBAL const ky_uint *sink_word, ky_state time, ky_uint slots,
                                  ky_uint count, ky_uint flags)
{
    struct ky_board b = {state, word,  predicted, sink, sink_word, time,
                         slots, count, flags,     0,    slots};
    return b;
}

/* The index of slot j in column c of `columns`. */
KY_FN ky_ulong ky_slot_index(ky_uint j, ky_uint c, ky_uint columns)
{
    return ((ky_ulong)(j / KY_SLOT_BLOCK) * columns + c) * KY_SLOT_BLOCK + j % KY_SLOT_BLOCK;
}

/* Slot j at the time of the launch: KY_PREDICTED_X and KY_PREDICTED_V in numbers of the state. */
KY_FN struct ky_mover ky_board_predict(struct ky_board b, ky_uint j)
{
#define KY_SLOT(c) b.state[ky_slot_index(j, c, KY_SLOT_STATES)]
    const ky_state t = ky_state_add(b.time, ky_state_negative(KY_SLOT(KY_SLOT_TIME)));
    ky_state x[3], v[3];
#pragma unroll
    for (ky_uint c = 0; c < 3; c++) {
        ky_state v0 = KY_SLOT(KY_SLOT_V + c), a2 = KY_SLOT(KY_SLOT_A2 + c),
                 j6 = KY_SLOT(KY_SLOT_J6 + c), s18 = ky_state_product(t, KY_SLOT(KY_SLOT_S18 + c));
        ky_state way = ky_state_add(j6, ky_state_product(ky_state_from(0.75f), s18));
        way = ky_state_add(v0, ky_state_product(t, ky_state_add(a2, ky_state_product(t, way))));
        x[c] = ky_state_add(KY_SLOT(KY_SLOT_X + c), ky_state_product(t, way));
        ky_state gain = ky_state_product(ky_state_from(3.0f), ky_state_add(j6, s18));
        gain = ky_state_add(ky_state_add(a2, a2), ky_state_product(t, gain));
        v[c] = ky_state_add(v0, ky_state_product(t, gain));
    }
    if (!b.word[ky_slot_index(j, KY_SLOT_IS_SET, KY_SLOT_WORDS)])
        return ky_no_mover();
    return ky_mover_of(x[0], x[1], x[2], v[0], v[1], v[2], ky_real_of_state(KY_SLOT(KY_SLOT_MASS)),
                       b.word[ky_slot_index(j, KY_SLOT_LABEL, KY_SLOT_WORDS)]);
#undef KY_SLOT
}

/* Slot j as a source; no source from `end` on. */
KY_FN struct ky_mover ky_board_source(struct ky_board b, ky_uint j, ky_uint end, const int how)
{
    if (j >= end)
        return ky_no_mover();
    if (how & KY_JERK_AMONG)
        return ky_mover_read(b.predicted, b.slots, j, j, how);
    if (b.flags & KY_BOARD_FUSED)
        return ky_board_predict(b, j);
    return ky_mover_read(b.predicted, b.slots, j,
                         b.word[ky_slot_index(j, KY_SLOT_LABEL, KY_SLOT_WORDS)], how);
}

KY_FN struct ky_mover ky_board_sink(struct ky_board b, ky_uint k, const int how)
{
    ky_ulong n = b.count;
    if (how & KY_JERK_AMONG)
        return ky_mover_read(b.predicted, b.slots, b.sink_word[k], b.sink_word[k], how);
    KY_GLOBAL const ky_state *x = b.sink + KY_SINK_X * n + k, *v = b.sink + KY_SINK_V * n + k;
    return ky_mover_of(x[0], x[n], x[2 * n], v[0], v[n], v[2 * n], 0,
                       b.sink_word[2 * KY_BOARD_SINK * n + k]);
}

/* The squared radius of the sink's list, with KY_JERK_LISTS. */
KY_FN KY_REAL ky_board_h2(struct ky_board b, ky_uint k)
{
    return ky_real_of_state(b.sink[KY_SINK_H2 * (ky_ulong)b.count + k]);
}

/* ---- sums ---- */

/* The lists of the sinks: list[sink * capacity …], and the number of bodies found. */
struct ky_board_lists {
    KY_GLOBAL ky_uint *list, *found;
    ky_uint capacity;
};

/* Appends the bodies of a run whose bits are set to the list of sink k, in any order. */
KY_FN void ky_board_append(struct ky_board_lists lists, ky_uint k, ky_uint bits,
                           KY_LOCAL_POINTER const ky_uint *label)
{
    ky_uint place = KY_ATOMIC_ADD(lists.found + k, (ky_uint)KY_POPULATION(bits));
    KY_GLOBAL ky_uint *list = lists.list + (ky_ulong)k * lists.capacity;
    for (; bits && place < lists.capacity; bits &= bits - 1)
        list[place++] = label[KY_POPULATION((bits & (0U - bits)) - 1U)] ^ KY_BOARD_LABEL_SIGN;
}

/* Words that all lanes of a group share: the range of their sinks' labels, from low to ~high, and
 * whether any label of the current or of the next tile is in that range. */
#define KY_SHARED_HIGH 0
#define KY_SHARED_LOW 1
#define KY_SHARED_OWN 2
#define KY_SHARED_WORDS 4

/* All local memory of a group. */
struct ky_board_space {
    struct ky_jerk_tile tile;
    KY_LOCAL_POINTER ky_state *part;
    KY_LOCAL_POINTER ky_uint *part_run, *shared;
};

/* Loads the sinks of this lane, and finds the range of the group's labels. Every lane must call
 * it. */
KY_FN void ky_board_sinks(struct ky_board b, struct ky_board_space space, ky_uint block,
                          ky_uint lanes, struct ky_mover *sink, KY_REAL *h2, const int how)
{
    struct ky_mover origin = ky_board_sink(b, block, how);
    if (KY_LANE < KY_SHARED_WORDS)
        space.shared[KY_LANE] = 0;
    KY_BARRIER();
#pragma unroll
    for (ky_uint k = 0; k < KY_JERK_SINKS; k++) {
        ky_uint place = block + k * lanes + KY_LANE % lanes;
        ky_uint inside = place < b.count ? place : b.count - 1;
        sink[k] = ky_mover_relative(ky_board_sink(b, inside, how), origin, how);
        h2[k] = (how & KY_JERK_LISTS) && place < b.count ? ky_board_h2(b, place) : (KY_REAL)-1;
        KY_ATOMIC_MAX(space.shared + KY_SHARED_HIGH, sink[k].label);
        KY_ATOMIC_MAX(space.shared + KY_SHARED_LOW, ~sink[k].label);
    }
    KY_BARRIER();
}

/* Loads the lane's source of a tile; returns whether the tile may contain one of the sinks. Every
 * lane must call it. `turn` alternates between 0 and 1. */
KY_FN int ky_board_tile(struct ky_board b, struct ky_board_space space, ky_uint j, ky_uint end,
                        struct ky_mover origin, ky_uint turn, struct ky_jerk_soft soft,
                        const int how)
{
    KY_LOCAL_POINTER ky_uint *own = space.shared + KY_SHARED_OWN;
    KY_BARRIER();
    struct ky_mover source = ky_mover_relative(ky_board_source(b, j, end, how), origin, how);
    if (how & KY_EPS_SUM)
        source.velocity.w *= soft.eps2;
    ky_jerk_load(space.tile, source);
    if (source.label <= space.shared[KY_SHARED_HIGH] &&
        ~source.label <= space.shared[KY_SHARED_LOW])
        own[turn] = 1;
    if (KY_LANE == 0)
        own[1 - turn] = 0;
    KY_BARRIER();
    return own[turn] != 0;
}

/* The sums of a slice of the wanted slots on a block of sinks; `item` counts the blocks of a slice,
 * then the slices. Every lane must call it. */
KY_FN void ky_board_sum(struct ky_board b, struct ky_board_space space, struct ky_board_lists lists,
                        KY_GLOBAL ky_state *partial, KY_GLOBAL ky_uint *partial_run, ky_uint item,
                        ky_uint slice_length, ky_uint lanes, struct ky_jerk_soft soft,
                        const int how)
{
    const int loop = how & KY_JERK_NEAR ? how & ~KY_GUARD : how; /* near sources need no guard */
    const ky_uint sinks = lanes * KY_JERK_SINKS, blocks = (b.count + sinks - 1) / sinks;
    const ky_uint slice = item / blocks, block = (item - slice * blocks) * sinks;
    const ky_uint row = KY_LANE / lanes * lanes, from = b.first + slice * slice_length;
    const ky_uint end = b.end - from < slice_length ? b.end : from + slice_length;
    struct ky_mover sink[KY_JERK_SINKS], origin = ky_board_sink(b, block, how);
    struct ky_jerk_sums sums[KY_JERK_SINKS];
    struct ky_jerk_total total[KY_JERK_SINKS];
    KY_REAL h2[KY_JERK_SINKS];
    ky_board_sinks(b, space, block, lanes, sink, h2, how);
#pragma unroll
    for (int k = 0; k < KY_JERK_SINKS; k++)
        total[k] = ky_jerk_no_total();
    for (ky_uint j = from, turn = 0; j < end; j += KY_JERK_LANES, turn = 1 - turn) {
        int own = ky_board_tile(b, space, j + KY_LANE, end, origin, turn, soft, how);
#pragma unroll 1
        for (ky_uint first = row; first < row + lanes; first += KY_JERK_RUN) {
#pragma unroll
            for (int k = 0; k < KY_JERK_SINKS; k++)
                sums[k] = ky_jerk_begin_run(total[k], how);
            if (own)
                ky_jerk_run(space.tile, first, sink, sums, soft, loop | KY_JERK_OWN);
            else
                ky_jerk_run(space.tile, first, sink, sums, soft, loop);
#pragma unroll
            for (ky_uint k = 0; k < KY_JERK_SINKS; k++) {
#if KY_IN_EXTENDED && defined(KY_STATE_IS_DOUBLE)
                if ((how & KY_JERK_NEAR) && sums[k].near2 <= soft.close2) { /* few runs */
                    total[k] = ky_jerk_near_run(total[k], space.tile, first, sink[k], soft, how);
                    continue;
                }
#endif
                total[k] = ky_jerk_end_run(total[k], sums[k], (j + first) / KY_JERK_RUN);
                if ((how & KY_JERK_LISTS) && sums[k].near2 <= h2[k]) /* rarely true */
                    ky_board_append(lists, block + k * lanes + KY_LANE % lanes,
                                    ky_jerk_within(space.tile, first, sink[k], h2[k]),
                                    space.tile.label + first);
            }
        }
    }
#pragma unroll
    for (int k = 0; k < KY_JERK_SINKS; k++)
        if (how & KY_JERK_AMONG)
            total[k] = ky_jerk_forces_alone(total[k]);
    ky_jerk_join_rows(total, KY_JERK_SINKS, lanes, space.part, space.part_run);
#pragma unroll
    for (ky_uint k = 0; k < KY_JERK_SINKS; k++) {
        ky_uint place = block + k * lanes + KY_LANE;
        if (KY_LANE < lanes && place < b.count)
            ky_jerk_far_write(partial, partial_run, (ky_ulong)slice * b.count + place, total[k]);
    }
}

#endif
