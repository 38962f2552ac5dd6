/* The dual walk of searches: before the teams of sinks walk, cells are preselected for many sinks
 * at once. A cut, the sinks of a run of groups of one cell, has a team that finds the box of all of
 * them and their reaches, and then walks from the root with the action's test for that box. It
 * drops the cells that the test passes, opens cells that are large compared with the box, and lists
 * the rest, with which the teams of these sinks begin. */
#ifndef KY_KERNELS_GENERAL_CUT_H
#define KY_KERNELS_GENERAL_CUT_H

#include "engine/device/kernels/forces/general_team.h"
#include "engine/device/kernels/tree/cut_box.h"

/* A cell is opened if its longest side exceeds this many times the longest side of the sinks'
 * box. */
#define KY_CUT_LARGER 0.7f

/* Data of some sinks: first of a lane, then of a team. */
struct ky_cut_sinks {
    float low[3], high[3], most2, least2, most_eps2;
};

KY_FN struct ky_cut_sinks ky_cut_none(void)
{
    struct ky_cut_sinks sinks;
    for (int c = 0; c < 3; c++) {
        sinks.low[c] = KY_INFINITY;
        sinks.high[c] = -KY_INFINITY;
    }
    sinks.most2 = sinks.most_eps2 = 0.0f;
    sinks.least2 = KY_INFINITY;
    return sinks;
}

KY_FN struct ky_cut_sinks ky_cut_with(struct ky_cut_sinks sinks, struct ky_sink sink,
                                      KY_REAL reach2)
{
    const float x[3] = {(float)sink.x, (float)sink.y, (float)sink.z};
    for (int c = 0; c < 3; c++) {
        sinks.low[c] = KY_FMIN(sinks.low[c], x[c]);
        sinks.high[c] = KY_FMAX(sinks.high[c], x[c]);
    }
    sinks.most2 = KY_FMAX(sinks.most2, (float)reach2);
    sinks.least2 = KY_FMIN(sinks.least2, (float)reach2);
    sinks.most_eps2 = KY_FMAX(sinks.most_eps2, (float)sink.eps2);
    return sinks;
}

/* Half a side of the box, widened for the digits of positions beyond float. */
KY_FN float ky_cut_half(float low, float high, float middle)
{
    return KY_FMAX(high - middle, middle - low) * 1.000001f +
           2.5e-7f * KY_FMAX(KY_FABS(low), KY_FABS(high));
}

/* The box around all sinks of the team. */
KY_FN struct ky_cut_box ky_cut_box(struct ky_cut_sinks own, ky_team team, ky_uint begin,
                                   ky_uint end)
{
    struct ky_cut_box box;
    for (int c = 0; c < 3; c++) {
        const struct ky_range all = ky_team_range(team, own.low[c], own.high[c]);
        box.x[c] = 0.5f * all.least + 0.5f * all.most;
        box.side[c] = ky_cut_half(all.least, all.most, box.x[c]);
    }
    const struct ky_range reach2 = ky_team_range(team, own.least2, own.most2);
    box.most2 = ky_general_up(reach2.most);
    box.least2 = reach2.least * 0.999999f;
    box.most_eps2 = ky_general_most(team, own.most_eps2) * 1.000001f;
    box.begin = begin;
    box.end = end;
    box.none = 0;
    return box;
}

KY_FN struct ky_general_box ky_cut_as_sinks(struct ky_cut_box its)
{
    struct ky_general_box box;
    box.x = its.x[0];
    box.y = its.x[1];
    box.z = its.x[2];
    box.hx = its.side[0];
    box.hy = its.side[1];
    box.hz = its.side[2];
    box.most2 = its.most2;
    box.least2 = its.least2;
    box.most_eps2 = its.most_eps2;
    box.begin = its.begin;
    box.end = its.end;
    return box;
}

/* A squared distance within which the sink has k other bodies: the distance of the farthest of k +
 * 1 consecutive bodies along the curve that include the sink, not of their images, which may be
 * nearer. A part of a system may have fewer. */
KY_FN KY_REAL ky_cut_bound2(struct ky_general walk, ky_uint k)
{
    if (walk.n <= k)
        return KY_VISIT_FAR;
    const int before = (int)walk.sink.own - (int)(k / 2);
    const ky_uint last = walk.n - 1 - k, at = before > 0 ? (ky_uint)before : 0,
                  from = at < last ? at : last;
    KY_REAL most2 = 0;
    for (ky_uint j = from; j <= from + k; j++)
        most2 = KY_FMAX(most2, ky_general_body(walk, j).r2);
    return most2;
}

KY_FN int ky_cut_is_large(struct ky_general_box box, struct ky_cell_box its)
{
    return KY_FMAX(its.below[0] + its.above[0],
                   KY_FMAX(its.below[1] + its.above[1], its.below[2] + its.above[2])) >
           KY_CUT_LARGER * 2.0f * KY_FMAX(box.hx, KY_FMAX(box.hy, box.hz));
}

/* Appends the waiting cells to the cells of the cut, which follow their number. Returns the number
 * of cells that there would be without the limit. */
KY_FN ky_uint ky_cut_keep(struct ky_general_lists *lists, KY_GLOBAL ky_uint *cut, ky_uint count)
{
    if (KY_TEAM_LANE < lists->cell_count && count + KY_TEAM_LANE < KY_CUT_ROOM)
        cut[1 + count + KY_TEAM_LANE] = lists->cells[KY_TEAM_LANE];
    count += lists->cell_count;
    lists->cell_count = 0;
    ky_team_sync();
    return count;
}

/* Two kernels for each action. The first finds the box of each of `runs` runs (general_team.h). The
 * second makes the cuts: for each run it writes KY_CUT_ROOM + 1 numbers, the number of remaining
 * cells and then these cells; if there are too many cells, only the root. Other arguments: see
 * KY_GENERAL_WALK. */
#define KY_CUT_KERNELS(name, needs)                                                                \
    /* The lane's share of the sinks begin ≤ place < end. */                                     \
    KY_FN struct ky_cut_sinks ky_cut_sinks_##name(                                                 \
        struct ky_general walk, KY_GLOBAL const ky_state *radius,                                  \
        KY_GLOBAL const ky_ulong *offset, KY_GLOBAL ky_uint *list, ky_uint begin, ky_uint end,     \
        ky_uint radii, ky_uint k, KY_REAL eps2)                                                    \
    {                                                                                              \
        struct ky_cut_sinks sinks = ky_cut_none();                                                 \
        struct ky_visit_sink sink;                                                                 \
        sink.k = k;                                                                                \
        sink.space = 0;                                                                            \
        sink.stride = 0;                                                                           \
        sink.list = list;                                                                          \
        for (ky_uint own = begin + KY_TEAM_LANE; own < end; own += KY_TEAM) {                      \
            walk.sink =                                                                            \
                ky_near_sink(walk.source, walk.source_low, walk.own_eps2, own, walk.flags, eps2);  \
            sink.bound2 = ((needs)&KY_NEEDS_NEIGHBOURS) ? ky_cut_bound2(walk, k) : KY_VISIT_FAR;   \
            const KY_REAL reach2 =                                                                 \
                ky_##name##_reach2(ky_general_start_##name(walk, sink, radius, offset, radii));    \
            sinks = ky_cut_with(sinks, walk.sink, reach2);                                         \
        }                                                                                          \
        return sinks;                                                                              \
    }                                                                                              \
                                                                                                   \
    /* Tests the cells on top of the stack. The remaining ones are kept in the list of cells. */   \
    KY_FN void ky_cut_look_##name(struct ky_general walk, ky_team team, struct ky_general_box box, \
                                  struct ky_general_lists *lists)                                  \
    {                                                                                              \
        const ky_uint take = lists->waiting < KY_TEAM ? lists->waiting : KY_TEAM;                  \
        const int has = KY_TEAM_LANE < take;                                                       \
        const ky_uint cell = has ? lists->stack[lists->waiting - 1 - KY_TEAM_LANE] : 0;            \
        ky_team_sync();                                                                            \
        const struct ky_cell_link link = walk.link[cell];                                          \
        const int holds = link.body < box.end && box.begin < link.body + link.bodies;              \
        int verdict = !has    ? KY_VISIT_PASS                                                      \
                      : holds ? KY_VISIT_OPEN                                                      \
                              : ky_##name##_test(ky_general_span_of(walk, box, cell));             \
        if (verdict == KY_VISIT_OPEN &&                                                            \
            (link.more == KY_NO_LINK || !ky_cut_is_large(box, walk.box[cell])))                    \
            verdict = KY_VISIT_USE;                                                                \
        ky_general_sort_out(walk, team, take, cell, verdict, lists);                               \
    }                                                                                              \
                                                                                                   \
    KY_TEAM_KERNEL                                                                                 \
    KY_NAME(ky_cut_around_##name)                                                                  \
    (KY_GENERAL_TAKES, KY_GLOBAL const ky_state *KY_RESTRICT radius,                               \
     KY_GLOBAL const ky_ulong *KY_RESTRICT offset, KY_GLOBAL ky_uint *list,                        \
     KY_GLOBAL const ky_uint *group, KY_GLOBAL const ky_uint *run,                                 \
     KY_GLOBAL struct ky_cut_box *box, ky_uint runs, ky_uint n, ky_uint flags, ky_uint radii,      \
     ky_uint k, KY_REAL eps2)                                                                      \
    {                                                                                              \
        KY_TEAM_SPACE(space_of_team);                                                              \
        const ky_team team = ky_team_of(space_of_team);                                            \
        const int is_run = KY_TEAM_ID < runs;                                                      \
        const ky_uint r = is_run ? KY_TEAM_ID : 0, begin = group[2 * run[2 * r]],                  \
                      end = is_run ? group[2 * run[2 * r + 1] - 1] : begin;                        \
        struct ky_general walk;                                                                    \
        walk.source = source;                                                                      \
        walk.source_low = source_low;                                                              \
        walk.own_eps2 = own_eps2;                                                                  \
        walk.order = order;                                                                        \
        walk.n = n;                                                                                \
        walk.cells = 0;                                                                            \
        walk.flags = flags;                                                                        \
        walk.side = ky_general_no_side(); /* not their images */                                   \
        const struct ky_cut_sinks own =                                                            \
            ky_cut_sinks_##name(walk, radius, offset, list, begin, end, radii, k, eps2);           \
        const struct ky_cut_box around = ky_cut_box(own, team, begin, end);                        \
        if (is_run && KY_TEAM_LANE == 0)                                                           \
            box[r] = around;                                                                       \
    }                                                                                              \
                                                                                                   \
    KY_TEAM_KERNEL                                                                                 \
    KY_NAME(ky_cut_##name)                                                                         \
    (KY_CELLS_TO_READ KY_GLOBAL const struct ky_cut_box *box_of, KY_GLOBAL ky_uint *cuts,          \
     ky_uint runs, ky_uint tree_cells, ky_uint root, ky_uint flags, struct ky_general_side side)   \
    {                                                                                              \
        KY_TEAM_SPACE(space_of_team);                                                              \
        KY_LOCAL ky_uint stack[KY_TEAMS][KY_STACK];                                                \
        KY_LOCAL ky_uint cells[KY_TEAMS][2 * KY_TEAM];                                             \
        const ky_team team = ky_team_of(space_of_team);                                            \
        const int is_run = KY_TEAM_ID < runs;                                                      \
        const ky_uint r = is_run ? KY_TEAM_ID : 0;                                                 \
        KY_GLOBAL ky_uint *cut = cuts + (ky_ulong)r * (KY_CUT_ROOM + 1);                           \
        ky_uint count = 0;                                                                         \
        const struct ky_general_box around = ky_cut_as_sinks(box_of[r]);                           \
        struct ky_general walk = {KY_CELLS_HERE 0, 0, 0, 0, 0, tree_cells, flags, side, {0}};      \
        struct ky_general_lists lists = {stack[KY_TEAM_HERE],                                      \
                                         0,                                                        \
                                         cells[KY_TEAM_HERE],                                      \
                                         0,                                                        \
                                         0,                                                        \
                                         0,                                                        \
                                         0,                                                        \
                                         0,                                                        \
                                         0,                                                        \
                                         is_run ? 1U : 0U,                                         \
                                         0,                                                        \
                                         0,                                                        \
                                         0,                                                        \
                                         0};                                                       \
        if (KY_TEAM_LANE == 0)                                                                     \
            lists.stack[0] = root;                                                                 \
        ky_team_sync();                                                                            \
        while (lists.waiting > 0) {                                                                \
            ky_cut_look_##name(walk, team, around, &lists);                                        \
            count = ky_cut_keep(&lists, cut, count);                                               \
            if (count > KY_CUT_ROOM)                                                               \
                lists.waiting = 0;                                                                 \
        }                                                                                          \
        if (KY_TEAM_LANE == 0 && is_run) {                                                         \
            cut[0] = count > KY_CUT_ROOM ? 1 : count;                                              \
            if (count > KY_CUT_ROOM)                                                               \
                cut[1] = root;                                                                     \
        }                                                                                          \
    }

#endif
