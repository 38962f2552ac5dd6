/* The general walk (physics/visit.h) of a team: every lane has a sink, consecutive along the curve,
 * and all lanes share one stack of cells. Each lane tests a cell for the box of all sinks. Large
 * cells that have to be opened for the box are tested once more for every sink, since sinks may be
 * far apart. Leaves that are opened wait in a list. Their bodies are then loaded to local memory,
 * one by each lane; every lane first marks the bodies within its reach and then passes these to its
 * action. So all lanes act at the same time, although each has different bodies. */
#ifndef KY_KERNELS_GENERAL_TEAM_H
#define KY_KERNELS_GENERAL_TEAM_H

#include "engine/device/kernels/driver/fault.h"
#include "engine/device/kernels/forces/general.h"
#include "engine/device/kernels/forces/team_stack.h"

#include "physics/actions/actions.h"

/* Cells with more bodies are tested for every sink. */
#define KY_GENERAL_LARGE 64

/* The smallest square that float represents on all devices. */
#define KY_GENERAL_TINY 1.2e-38f

/* The sinks as one: a box around a point, the bodies begin ≤ place < end. Reaches are the largest,
 * rounded up, and the smallest, rounded down. */
struct ky_general_box {
    float x, y, z, hx, hy, hz;
    float most2, least2, most_eps2;
    ky_uint begin, end;
};

/* Cells that wait to be tested; leaves and cells that wait to act; and the bodies of the current
 * leaves, of which `next` of `total` are done: `start` bodies are in the leaves before, and `first`
 * is the place of a leaf's first body minus `start`. `rest` cells of the cut's list (general_cut.h)
 * are not on the stack yet. */
struct ky_general_lists {
    KY_LOCAL_POINTER ky_uint *stack, *leaves, *cells, *start, *first, *large, *open;
    KY_GLOBAL const ky_uint *left;
    ky_uint rest, waiting, leaf_count, cell_count, next, total;
};

/* Bodies in local memory: position and mass, the low parts for extended, place along the curve. */
struct ky_general_staged {
    KY_LOCAL_POINTER ky_real4 *body;
    KY_LOCAL_POINTER float4 *low;
    KY_LOCAL_POINTER ky_uint *place;
};

KY_FN float ky_general_most(ky_team team, float value)
{
    return -ky_team_least(team, -value);
}

/* The largest distance of a sink from `middle` along an axis, rounded up. */
KY_FN float ky_general_half(ky_team team, KY_REAL x, float low, float middle)
{
    const float d = KY_FABS((float)(KY_APART(x, (KY_REAL)middle) + (KY_REAL)low));
    return ky_general_most(team, d) * 1.000001f;
}

KY_FN struct ky_general_box ky_general_box_of(struct ky_general walk, ky_team team, ky_uint begin,
                                              ky_uint end)
{
    struct ky_general_box box;
    float low[3] = {0.0f, 0.0f, 0.0f};
    const float x = (float)walk.sink.x, y = (float)walk.sink.y, z = (float)walk.sink.z;
#if !KY_IN_DOUBLE
    const struct ky_low rest = walk.source_low[walk.sink.own];
    for (int c = 0; c < 3; c++)
        low[c] = rest.x[c];
#endif
    const struct ky_range xs = ky_team_range(team, x, x), ys = ky_team_range(team, y, y),
                          zs = ky_team_range(team, z, z);
    box.x = 0.5f * xs.least + 0.5f * xs.most;
    box.y = 0.5f * ys.least + 0.5f * ys.most;
    box.z = 0.5f * zs.least + 0.5f * zs.most;
    box.hx = ky_general_half(team, walk.sink.x, low[0], box.x);
    box.hy = ky_general_half(team, walk.sink.y, low[1], box.y);
    box.hz = ky_general_half(team, walk.sink.z, low[2], box.z);
    box.most_eps2 = ky_general_most(team, (float)walk.sink.eps2) * 1.000001f;
    box.most2 = box.least2 = 0.0f;
    box.begin = begin;
    box.end = end;
    return box;
}

/* A squared reach rounded up, also if it is too small for a float. */
KY_FN float ky_general_up(float reach2)
{
    return reach2 * 1.000001f + KY_GENERAL_TINY;
}

/* The current reaches of all sinks. */
KY_FN struct ky_general_box ky_general_reach(struct ky_general_box box, ky_team team,
                                             KY_REAL reach2, int is_sink)
{
    const float own = (float)reach2;
    const struct ky_range reach2s = ky_team_range(team, is_sink ? own * 0.999999f : KY_INFINITY,
                                                  is_sink ? ky_general_up(own) : 0.0f);
    box.least2 = reach2s.least;
    box.most2 = reach2s.most;
    return box;
}

/* A position minus the middle of the box, for its nearest image: ky_general_nearest. */
KY_FN struct ky_apart ky_general_from(struct ky_general_box box, KY_REAL x, KY_REAL y, KY_REAL z,
                                      struct ky_apart to_middle, struct ky_general_side side)
{
    struct ky_apart d;
    d.x = KY_APART(x, (KY_REAL)box.x);
    d.y = KY_APART(y, (KY_REAL)box.y);
    d.z = KY_APART(z, (KY_REAL)box.z);
    if (side.high > 0) {
        d.x = ky_general_nearest(x, (KY_REAL)box.x, to_middle.x, side);
        d.y = ky_general_nearest(y, (KY_REAL)box.y, to_middle.y, side);
        d.z = ky_general_nearest(z, (KY_REAL)box.z, to_middle.z, side);
    }
    return d;
}

/* The cell in the test for all sinks. */
KY_FN struct ky_visit_span ky_general_span_of(struct ky_general walk, struct ky_general_box box,
                                              ky_uint cell)
{
    const struct ky_cell_centre high = walk.centre[cell];
    const struct ky_low low = walk.low[cell];
    const struct ky_cell_box its = walk.box[cell];
    struct ky_visit_span span;
    const struct ky_apart d =
        ky_general_from(box, high.x[0], high.x[1], high.x[2], ky_general_to_middle(its), walk.side);
    KY_SET_SIDES(span, its)
    span.x = d.x + low.x[0];
    span.y = d.y + low.x[1];
    span.z = d.z + low.x[2];
    span.hx = box.hx;
    span.hy = box.hy;
    span.hz = box.hz;
    span.open2 = high.open2;
    span.most2 = box.most2;
    span.least2 = box.least2;
    span.reach2 = ky_opening_reach2(box.most_eps2, its.above[3]);
    span.opening = walk.flags;
    return span;
}

/* ---- cells ---- */

/* Begins with the cells that a cut has left, preceded by their number, or with the root if `cut` is
 * 0; and with the `count` bodies from place `met` on as current bodies. */
KY_FN void ky_general_begin(struct ky_general_lists *lists, int is_wanted, ky_uint root,
                            KY_GLOBAL const ky_uint *cut, ky_uint met, ky_uint count)
{
    lists->left = cut ? cut + 1 : 0;
    lists->rest = is_wanted && cut ? cut[0] : 0;
    lists->waiting = is_wanted && !cut ? 1 : 0;
    lists->leaf_count = lists->cell_count = lists->next = 0;
    lists->total = is_wanted ? count : 0;
    lists->start[KY_TEAM_LANE] = KY_TEAM_LANE == 0 ? 0 : 0xffffffffU;
    lists->first[KY_TEAM_LANE] = met;
    if (KY_TEAM_LANE == 0)
        lists->stack[0] = root;
    ky_team_sync();
}

/* Moves cells of the cut's list to the stack, unless it has a cell for every lane. */
KY_FN void ky_general_refill(struct ky_general_lists *lists)
{
    const ky_uint count = lists->waiting >= KY_TEAM ? 0
                          : lists->rest < KY_TEAM   ? lists->rest
                                                    : KY_TEAM;
    if (KY_TEAM_LANE < count)
        lists->stack[lists->waiting + KY_TEAM_LANE] = lists->left[lists->rest - 1 - KY_TEAM_LANE];
    lists->waiting += count;
    lists->rest -= count;
    ky_team_sync();
}

/* The number of a list's `count` entries that act now: a full team's worth, or the rest with `all`,
 * when the list no longer grows. */
KY_FN ky_uint ky_general_batch(ky_uint count, int all)
{
    return count >= KY_TEAM ? KY_TEAM : all ? count : 0;
}

/* The number of cells to test now: none while there are current bodies or a list is full. */
KY_FN ky_uint ky_general_tested(const struct ky_general_lists *lists)
{
    if (lists->next < lists->total || lists->leaf_count >= KY_TEAM || lists->cell_count >= KY_TEAM)
        return 0;
    return lists->waiting < KY_TEAM ? lists->waiting : KY_TEAM;
}

/* Handles the results of the lanes that tested the `take` cells on top of the stack: children are
 * pushed, leaves and acting cells go to the lists. Cells whose children do not fit stay on the
 * stack. */
KY_FN void ky_general_sort_out(struct ky_general walk, ky_team team, ky_uint take, ky_uint cell,
                               int verdict, struct ky_general_lists *lists)
{
    const struct ky_cell_link link = walk.link[cell];
    const int open = KY_TEAM_LANE < take && verdict == KY_VISIT_OPEN,
              leaf = open && link.more == KY_NO_LINK,
              acts = KY_TEAM_LANE < take && verdict == KY_VISIT_USE;
    ky_uint total, children = open && !leaf ? walk.children[cell] : 0;
    /* Three sums in one word: a team of 64 has at most 64 × 8 children, 64 leaves and 64 cells. */
    const ky_uint own = children | (leaf ? 1U << 10 : 0U) | (acts ? 1U << 17 : 0U),
                  at = ky_team_exclusive_sum(team, own, &total),
                  done = ky_team_done(team, lists->waiting, take, (at + own) & 0x3ffU);
    total = ky_team_broadcast(team, at + own, (done - 1) % KY_TEAM);
    lists->waiting -= done;
    if (KY_TEAM_LANE < done) {
        for (ky_uint k = 0; k < children; k++)
            lists->stack[lists->waiting + (at & 0x3ffU) + k] = link.more + k;
        if (leaf)
            lists->leaves[lists->leaf_count + (at >> 10 & 0x7fU)] = cell;
        if (acts)
            lists->cells[lists->cell_count + (at >> 17)] = cell;
    }
    lists->waiting += done > 0 ? total & 0x3ffU : 0;
    lists->leaf_count += done > 0 ? total >> 10 & 0x7fU : 0;
    lists->cell_count += done > 0 ? total >> 17 : 0;
    ky_team_sync();
}

/* ---- bodies ---- */

/* Takes `count` leaves from the end of the list, whose bodies become the current ones. */
KY_FN void ky_general_take(struct ky_general walk, ky_team team, ky_uint count,
                           struct ky_general_lists *lists)
{
    const int has = KY_TEAM_LANE < count;
    ky_uint body = 0, bodies = 0, total;
    lists->leaf_count -= count;
    if (has) {
        const struct ky_cell_link link = walk.link[lists->leaves[lists->leaf_count + KY_TEAM_LANE]];
        body = link.body;
        bodies = link.bodies;
    }
    const ky_uint start = ky_team_exclusive_sum(team, bodies, &total);
    if (count > 0) {
        lists->start[KY_TEAM_LANE] = has ? start : 0xffffffffU;
        lists->first[KY_TEAM_LANE] = body - start;
        lists->next = 0;
        lists->total = total;
    }
    ky_team_sync();
}

/* The place along the curve of a body of the current leaves. */
KY_FN ky_uint ky_general_place(const struct ky_general_lists *lists, ky_uint body)
{
    ky_uint leaf = 0;
#pragma unroll
    for (ky_uint step = KY_TEAM / 2; step > 0; step >>= 1)
        leaf += lists->start[leaf + step] <= body ? step : 0;
    return lists->first[leaf] + body;
}

/* Loads the lane's body to local memory, unless it is beyond the reach of all sinks. Returns the
 * number of bodies loaded by all lanes. */
KY_FN ky_uint ky_general_stage(struct ky_general walk, ky_team team, struct ky_general_box box,
                               struct ky_general_staged staged, ky_uint place, int has)
{
    ky_uint count;
    struct ky_source source = ky_body_source(walk.source, walk.source_low, has ? place : 0);
    struct ky_apart d = ky_general_from(box, source.body.x, source.body.y, source.body.z,
                                        ky_general_none(), walk.side);
#if !KY_IN_DOUBLE
    const struct ky_low rest = walk.source_low[has ? place : 0];
    d.x += rest.x[0];
    d.y += rest.x[1];
    d.z += rest.x[2];
#endif
    const KY_REAL near2 =
        ky_distance2(ky_visit_gap(d.x, 0, 0, box.hx), ky_visit_gap(d.y, 0, 0, box.hy),
                     ky_visit_gap(d.z, 0, 0, box.hz), (KY_REAL)0);
    has = has && near2 <= (KY_REAL)box.most2;
    const ky_uint rank = ky_team_rank(team, has, &count);
    if (has) {
        staged.body[rank] = source.body;
        staged.place[rank] = place;
#if KY_IN_EXTENDED
        staged.low[rank] = source.low;
#endif
    }
    ky_team_sync();
    return count;
}

KY_FN struct ky_source ky_general_at(struct ky_general_staged staged, ky_uint k)
{
    struct ky_source source;
    source.body = staged.body[k];
    source.eps2 = 0;
#if KY_IN_EXTENDED
    source.low = staged.low[k];
#endif
    return source;
}

/* The bodies in local memory that may be within the lane's reach: a bit for each of them. Single
 * precision computes the distance of near pairs with their low parts. */
KY_FN ky_mask ky_general_within(struct ky_general walk, struct ky_general_staged staged,
                                ky_uint count, KY_REAL reach2)
{
    ky_mask within = 0;
#if KY_IN_SINGLE
    reach2 = KY_FMAX(reach2, ky_general_near2(walk));
#endif
    for (ky_uint k = 0; k < count; k++) {
        const struct ky_apart d =
            ky_general_apart(walk.sink, ky_general_at(staged, k), ky_general_none(), walk.side);
        const KY_REAL r2 = ky_distance2(d.x, d.y, d.z, (KY_REAL)0);
        within |= (ky_mask)(r2 <= reach2) << k;
    }
    return within;
}

/* ---- generated for each action ---- */

#define KY_NEEDS_OF_ACTION(name, needs, p, number) ky_needs_##name = (needs),
enum ky_needs_of_actions { KY_ACTIONS_OF(KY_NEEDS_OF_ACTION, 0, 0) };

/* The initial state of the lane's sink. `sink` has k, bound2, space and the memory of all lists. */
#define KY_GENERAL_START(name, needs, p, number)                                                   \
    KY_FN struct ky_##name ky_general_start_##name(                                                \
        struct ky_general walk, struct ky_visit_sink sink, KY_GLOBAL const ky_state *radius,       \
        KY_GLOBAL const ky_ulong *offset, ky_uint radii)                                           \
    {                                                                                              \
        const ky_uint i = ky_general_row(walk.order, walk.sink.own, walk.flags);                   \
        sink.mass = walk.source[walk.sink.own].w;                                                  \
        sink.eps2 = walk.sink.eps2;                                                                \
        sink.splined = (walk.flags & KY_OPENING_REACH) != 0;                                       \
        sink.radius = (KY_REAL)0;                                                                  \
        if ((needs)&KY_NEEDS_RADIUS)                                                               \
            sink.radius = ky_real_of_state(radius[radii == 1 ? 0 : i]);                            \
        sink.body = walk.order[walk.sink.own];                                                     \
        sink.room = 0;                                                                             \
        if ((needs)&KY_NEEDS_LISTS) {                                                              \
            sink.list = sink.list + offset[i];                                                     \
            sink.room = (ky_uint)(offset[i + 1] - offset[i]);                                      \
        }                                                                                          \
        return ky_##name##_start(sink);                                                            \
    }
KY_ACTIONS_OF(KY_GENERAL_START, 0, 0)

/* The functions below are instantiated for a kernel `as` and its action `name`. */
#define KY_GENERAL_FUNCTIONS(as, name, needs)                                                      \
    /* Applies the action to the lane's sink and the bodies in local memory. */                    \
    KY_FN struct ky_##name ky_general_act_##as(struct ky_general walk, struct ky_##name a,         \
                                               struct ky_general_staged staged, ky_uint count,     \
                                               int is_sink)                                        \
    {                                                                                              \
        ky_mask within =                                                                           \
            is_sink ? ky_general_within(walk, staged, count, ky_##name##_reach2(a)) : 0;           \
        while (within != 0) {                                                                      \
            const ky_uint k = ky_team_lowest(within), j = staged.place[k];                         \
            struct ky_visit_body body = ky_general_source(walk, ky_general_at(staged, k), j);      \
            within &= within - 1;                                                                  \
            if (j == walk.sink.own || body.r2 > ky_##name##_reach2(a))                             \
                continue;                                                                          \
            body.body = walk.order[j];                                                             \
            a = ky_##name##_body(a, body);                                                         \
        }                                                                                          \
        ky_team_sync();                                                                            \
        return a;                                                                                  \
    }                                                                                              \
                                                                                                   \
    /* Applies the action to the last `count` listed cells. */                                     \
    KY_FN struct ky_##name ky_general_cells_##as(struct ky_general walk, struct ky_##name a,       \
                                                 struct ky_general_lists *lists, ky_uint count,    \
                                                 int is_sink)                                      \
    {                                                                                              \
        lists->cell_count -= count;                                                                \
        for (ky_uint k = 0; k < count && is_sink; k++) {                                           \
            const ky_uint cell = lists->cells[lists->cell_count + k];                              \
            const struct ky_visit_span span = ky_general_span(walk, cell, ky_##name##_reach2(a));  \
            a = ky_##name##_cell(                                                                  \
                a, ky_general_cell(walk, span, cell, ky_general_bodies(walk, cell)));              \
        }                                                                                          \
        ky_team_sync();                                                                            \
        return a;                                                                                  \
    }                                                                                              \
                                                                                                   \
    /* Tests the cells on top of the stack. */                                                     \
    KY_FN void ky_general_look_##as(struct ky_general walk, ky_team team,                          \
                                    struct ky_general_box box, struct ky_##name a, int is_sink,    \
                                    struct ky_general_lists *lists)                                \
    {                                                                                              \
        const ky_uint take = ky_general_tested(lists);                                             \
        const int has = KY_TEAM_LANE < take;                                                       \
        const ky_uint cell = has ? lists->stack[lists->waiting - 1 - KY_TEAM_LANE] : 0;            \
        ky_team_sync();                                                                            \
        const struct ky_cell_link link = walk.link[cell];                                          \
        const struct ky_visit_span span = ky_general_span_of(walk, box, cell);                     \
        const int holds = link.body < box.end && box.begin < link.body + link.bodies;              \
        const ky_uint bodies = ky_general_bodies(walk, cell);                                      \
        int verdict = !has ? KY_VISIT_PASS : holds ? KY_VISIT_OPEN : ky_##name##_test(span);       \
        if (verdict == KY_VISIT_USE && (bodies == 1 || ky_general_mixed(walk, span, cell)))        \
            verdict = KY_VISIT_OPEN;                                                               \
        const int large = verdict == KY_VISIT_OPEN && !holds && bodies > KY_GENERAL_LARGE;         \
        ky_uint count;                                                                             \
        const ky_uint rank = ky_team_rank(team, large, &count);                                    \
        if (large) {                                                                               \
            lists->large[rank] = cell;                                                             \
            lists->open[rank] = 0;                                                                 \
        }                                                                                          \
        ky_team_sync();                                                                            \
        for (ky_uint k = 0; k < count && is_sink; k++)                                             \
            if (ky_##name##_test(ky_general_span(walk, lists->large[k], ky_##name##_reach2(a))) != \
                KY_VISIT_PASS)                                                                     \
                KY_ATOMIC_MAX(&lists->open[k], 1U);                                                \
        ky_team_sync();                                                                            \
        if (large && lists->open[rank] == 0)                                                       \
            verdict = KY_VISIT_PASS;                                                               \
        ky_general_sort_out(walk, team, take, cell, verdict, lists);                               \
    }

/* Each team has the sinks of a group: places along the curve, group[2 g] to before group[2 g + 1].
 * Runs of groups, at most KY_CUT_GROUPS from run[2 r] to before run[2 r + 1], are cuts
 * (general_cut.h), with KY_CUT_GROUPS teams each, some of which have no group. The launch has the
 * teams `first` to before `end` of all `teams`. The walk begins with the cell `root`.
 * radius: one for each body in the caller's order, or one for all. offset, list: see
 * ky_walk_request; the first result of an action that fills lists is the number of bodies of a
 * list, and is reported to faults if the list is too short. cuts: see general_cut.h. space: k
 * numbers for each lane of the launch, `stride` lanes apart. results: columns of n numbers in the
 * caller's order. With KY_FLAG_BY_PLACE the caller's order is the order of the places. counts:
 * pairs with bodies and with cells of each team. side: of a periodic box, if in_box; all sources
 * are their nearest images.
 *
 * The k nearest first meet the bodies of the team and k more on either side along the curve, which
 * the walk then leaves out.
 *
 * memory_here: the declaration of local memory that space_here names; may be empty. */
#define KY_GENERAL_WALK(as, name, needs, memory_here, space_here, stride_here, in_box)             \
    KY_GENERAL_FUNCTIONS(as, name, needs)                                                          \
    KY_TEAM_KERNEL                                                                                 \
    KY_NAME(ky_general_##as)                                                                       \
    (KY_CELLS_TO_READ KY_GENERAL_TAKES, KY_GLOBAL const ky_state *KY_RESTRICT radius,              \
     KY_GLOBAL const ky_ulong *KY_RESTRICT offset, KY_GLOBAL ky_uint *list,                        \
     KY_GLOBAL const ky_uint *group, KY_GLOBAL const ky_uint *run, KY_GLOBAL const ky_uint *cuts,  \
     KY_GLOBAL KY_REAL *space, KY_GLOBAL KY_REAL *results, KY_GLOBAL ky_ulong *counts,             \
     KY_GLOBAL ky_uint *faults, ky_uint n, ky_uint tree_cells, ky_uint root, ky_uint first,        \
     ky_uint end, ky_uint teams, ky_uint flags, ky_uint radii, ky_uint k, ky_uint columns,         \
     ky_uint stride, struct ky_general_side side, KY_REAL eps2)                                    \
    {                                                                                              \
        KY_TEAM_SPACE(space_of_team);                                                              \
        memory_here KY_LOCAL ky_uint stack[KY_TEAMS][KY_STACK];                                    \
        KY_LOCAL ky_uint leaves[KY_TEAMS][2 * KY_TEAM];                                            \
        KY_LOCAL ky_uint cells[KY_TEAMS][2 * KY_TEAM];                                             \
        KY_LOCAL ky_uint starts[KY_TEAMS][KY_TEAM];                                                \
        KY_LOCAL ky_uint firsts[KY_TEAMS][KY_TEAM];                                                \
        KY_LOCAL ky_uint large[KY_TEAMS][KY_TEAM];                                                 \
        KY_LOCAL ky_uint open[KY_TEAMS][KY_TEAM];                                                  \
        KY_LOCAL ky_real4 body[KY_TEAMS][KY_TEAM];                                                 \
        KY_LOCAL float4 low_parts[KY_TEAMS][KY_IN_EXTENDED ? KY_TEAM : 1];                         \
        KY_LOCAL ky_uint places[KY_TEAMS][KY_TEAM];                                                \
        const ky_team team = ky_team_of(space_of_team);                                            \
        const ky_uint own_team = first + KY_TEAM_ID, its_run = own_team / KY_CUT_GROUPS;           \
        const int is_team =                                                                        \
            own_team < end && run[2 * its_run] + own_team % KY_CUT_GROUPS < run[2 * its_run + 1];  \
        const ky_uint its_group = is_team ? run[2 * its_run] + own_team % KY_CUT_GROUPS : 0,       \
                      begin = group[2 * its_group],                                                \
                      sinks = is_team ? group[2 * its_group + 1] - begin : 0;                      \
        const int is_sink = KY_TEAM_LANE < sinks;                                                  \
        const ky_uint own = begin + (is_sink     ? KY_TEAM_LANE                                    \
                                     : sinks > 0 ? sinks - 1                                       \
                                                 : 0),                                             \
                      i = ky_general_row(order, own, flags);                                       \
        ky_uint met = 0, mets = 0, bodies_met = 0, cells_met = 0;                                  \
        struct ky_general walk = KY_GENERAL_HERE(tree_cells);                                      \
        walk.side = ky_general_side_of(side, in_box);                                              \
        struct ky_general_staged staged = {body[KY_TEAM_HERE], low_parts[KY_TEAM_HERE],            \
                                           places[KY_TEAM_HERE]};                                  \
        struct ky_general_lists lists = {stack[KY_TEAM_HERE],                                      \
                                         leaves[KY_TEAM_HERE],                                     \
                                         cells[KY_TEAM_HERE],                                      \
                                         starts[KY_TEAM_HERE],                                     \
                                         firsts[KY_TEAM_HERE],                                     \
                                         large[KY_TEAM_HERE],                                      \
                                         open[KY_TEAM_HERE],                                       \
                                         0,                                                        \
                                         0,                                                        \
                                         0,                                                        \
                                         0,                                                        \
                                         0,                                                        \
                                         0,                                                        \
                                         0};                                                       \
        struct ky_general_box around = ky_general_box_of(walk, team, begin, begin + sinks);        \
        struct ky_visit_sink sink;                                                                 \
        sink.k = k;                                                                                \
        sink.bound2 = KY_VISIT_FAR;                                                                \
        sink.space = space_here;                                                                   \
        sink.stride = stride_here;                                                                 \
        sink.list = list;                                                                          \
        struct ky_##name a = ky_general_start_##name(walk, sink, radius, offset, radii);           \
        around = ky_general_reach(around, team, ky_##name##_reach2(a), is_sink);                   \
        if ((needs)&KY_NEEDS_NEIGHBOURS) {                                                         \
            const int from = (int)around.begin - (int)k;                                           \
            met = from > 0 ? (ky_uint)from : 0;                                                    \
            mets = (n - around.end > k ? around.end + k : n) - met;                                \
        }                                                                                          \
        ky_general_begin(&lists, sinks > 0, root,                                                  \
                         ((needs)&KY_DUAL) ? cuts + (ky_ulong)its_run * (KY_CUT_ROOM + 1) : 0,     \
                         met, mets);                                                               \
        ky_uint left_out = 0;                                                                      \
        while (lists.rest | lists.waiting | lists.leaf_count | lists.cell_count |                  \
               (lists.total - lists.next)) {                                                       \
            if (KY_WORTH(((needs)&KY_DUAL) && lists.rest > 0))                                     \
                ky_general_refill(&lists);                                                         \
            if (KY_WORTH(ky_general_tested(&lists) > 0))                                           \
                ky_general_look_##as(walk, team, around, a, is_sink, &lists);                      \
            const int all = (lists.rest | lists.waiting) == 0;                                     \
            const ky_uint acting = ky_general_batch(lists.cell_count, all),                        \
                          taken = lists.next < lists.total                                         \
                                      ? 0                                                          \
                                      : ky_general_batch(lists.leaf_count, all);                   \
            if (KY_WORTH(acting > 0))                                                              \
                a = ky_general_cells_##as(walk, a, &lists, acting, is_sink);                       \
            cells_met += acting;                                                                   \
            if (KY_WORTH(taken > 0)) {                                                             \
                ky_general_take(walk, team, taken, &lists);                                        \
                left_out = taken > 0 ? mets : left_out;                                            \
            }                                                                                      \
            if (KY_WORTH(lists.next < lists.total)) {                                              \
                const ky_uint b = lists.next + KY_TEAM_LANE;                                       \
                const int has = b < lists.total;                                                   \
                const ky_uint j = has ? ky_general_place(&lists, b) : 0,                           \
                              kept = ky_general_stage(walk, team, around, staged, j,               \
                                                      has && j - met >= left_out);                 \
                a = ky_general_act_##as(walk, a, staged, kept, is_sink);                           \
                bodies_met += kept;                                                                \
                lists.next =                                                                       \
                    lists.total - lists.next > KY_TEAM ? lists.next + KY_TEAM : lists.total;       \
                if (KY_WORTH(lists.next == lists.total))                                           \
                    around = ky_general_reach(around, team, ky_##name##_reach2(a), is_sink);       \
            }                                                                                      \
        }                                                                                          \
        if (is_sink) {                                                                             \
            if (((needs)&KY_NEEDS_LISTS) &&                                                        \
                ky_##name##_result(a, 0) > (KY_REAL)(offset[i + 1] - offset[i]))                   \
                ky_fault(faults, KY_CAPACITY_NEIGHBOURS, (ky_uint)ky_##name##_result(a, 0));       \
            for (ky_uint c = 0; c < columns; c++)                                                  \
                results[c * (ky_ulong)n + i] = ky_##name##_result(a, (int)c);                      \
        }                                                                                          \
        if (KY_TEAM_LANE == 0 && own_team < end) {                                                 \
            counts[own_team] = (ky_ulong)bodies_met * sinks;                                       \
            counts[teams + own_team] = (ky_ulong)cells_met * sinks;                                \
        }                                                                                          \
    }

#endif
