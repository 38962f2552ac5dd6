/* Common code of the team walks for groups (tree.k, fmm.k): the stack and the lists of a team, and
 * the sums over listed sources.
 *
 * All positions are taken relative to the first body of the group, once for each source, so near
 * pairs keep their digits in float. Cells wait on a stack. Acting cells and bodies of opened leaves
 * wait in lists until there is one for every lane; then they are loaded to local memory, and every
 * lane adds all of them. Leaves that may contain a sink, and large ones, are added at once,
 * skipping the sink itself and coincident bodies.
 *
 * If sinks are nearer to sources than a small fraction of their own box (binaries, groups between
 * two tight clusters), the first body is too far away for floats: `reach`. */
#ifndef KY_KERNELS_TEAM_WALK_H
#define KY_KERNELS_TEAM_WALK_H

#include "engine/device/kernels/forces/store.h"
#include "engine/device/kernels/forces/team_stack.h"
#include "engine/device/kernels/forces/team_sums.h"

/* The box of the sinks: its middle and half sides, and the factor of the relative opening test. */
struct ky_team_box {
    float x, y, z, hx, hy, hz, factor;
    float eps2; /* the largest ε² of a sink, for splines */
};

KY_FN float ky_team_reach(struct ky_team_box box)
{
    return KY_IN_DOUBLE ? 0.0f : KY_TEAM_REACH * KY_FMAX(box.hx, KY_FMAX(box.hy, box.hz));
}

/* A team's stack and lists, and their lengths; and the leaves that may contain sinks or are large:
 * a bit for each lane that has found one, and the remaining bodies of the first of them. */
struct ky_team_lists {
    KY_LOCAL_POINTER ky_uint *stack, *bodies, *cells;
    ky_uint waiting, body_count, cell_count;
    ky_mask leaves;
    ky_uint leaf_body, leaf_bodies;
    ky_uint begin, end; /* for KY_LISTS_SINKS: the bodies of the group */
};

/* The group: the bodies begin ≤ place < end. If only some of them are sinks, the `sinks` sinks are
 * listed in ascending order. */
struct ky_team_group {
    ky_uint begin, end;
    KY_GLOBAL const ky_uint *list;
    ky_uint sinks; /* 0: all */
};

/* Without KY_PICKS all bodies from the first sink to the last count as sinks: the search needs more
 * registers than the walk for all bodies has. */
KY_FN int ky_holds_sinks(struct ky_cell_link link, struct ky_team_group group, const int how)
{
    int holds = link.body < group.end && group.begin < link.body + link.bodies;
    if (!(how & KY_PICKS) || !holds || group.sinks == 0)
        return holds;
    ky_uint low = 0, high = group.sinks; /* the first sink that is not before the cell */
    while (low < high) {
        ky_uint middle = (low + high) / 2;
        if (group.list[middle] < link.body)
            low = middle + 1;
        else
            high = middle;
    }
    return low < group.sinks && group.list[low] < link.body + link.bodies;
}

/* The box of the sinks, and the opening test's factor from their smallest last acceleration. */
KY_FN struct ky_team_box ky_team_box_of(ky_team team, struct ky_team_sink sink, float factor,
                                        const int how)
{
    struct ky_team_box box;
    const int last = KY_SINKS_OF(how) - 1;
    const float x = (float)sink.x[0], y = (float)sink.y[0], z = (float)sink.z[0],
                x1 = (float)sink.x[last], y1 = (float)sink.y[last], z1 = (float)sink.z[last];
    const struct ky_range xs = ky_team_range(team, KY_FMIN(x, x1), KY_FMAX(x, x1)),
                          ys = ky_team_range(team, KY_FMIN(y, y1), KY_FMAX(y, y1)),
                          zs = ky_team_range(team, KY_FMIN(z, z1), KY_FMAX(z, z1));
    const float slack = 0.5f * (1.0f + (float)KY_OPENING_SLACK);
    box.x = 0.5f * (xs.least + xs.most);
    box.y = 0.5f * (ys.least + ys.most);
    box.z = 0.5f * (zs.least + zs.most);
    box.hx = slack * (xs.most - xs.least);
    box.hy = slack * (ys.most - ys.least);
    box.hz = slack * (zs.most - zs.least);
    box.factor = -ky_team_least(team, -factor);
    box.eps2 = (how & KY_SPLINED)
                   ? -ky_team_least(team, -KY_FMAX((float)sink.eps2[0], (float)sink.eps2[last]))
                   : 0.0f;
    return box;
}

/* Maximum number of bodies of a leaf that goes into the list; leaves of fmm have twice as many. */
#define KY_LISTED_OF(how) (((how)&KY_LISTS_SINKS) ? 2U * KY_LISTED_LEAF : KY_LISTED_LEAF)

/* The result of a lane's test of its cell: the cell acts; or its children are tested next; or it is
 * a leaf, whose bodies go into the list, or one by one into the sums (`special`). */
struct ky_team_found {
    ky_uint cell, children, acts, listed;
    int special;
    struct ky_cell_link link;
};

/* Pushes the children of opened cells; accepted cells and the bodies of small leaves go to the
 * lists. Other leaves go to lists->leaves, with each lane's leaf in *leaf. Returns the number of
 * the `take` cells on top of the stack, lane 0's first, that have left it; the rest stay. */
KY_FN ky_uint ky_team_sort_out(ky_team team, ky_uint take, struct ky_team_found found,
                               struct ky_team_lists *lists, struct ky_cell_link *leaf,
                               const int how)
{
    ky_uint total;
    /* Three sums in one word: a team of 64 has at most 64 × 8 children, 64 cells and 64 ×
     * KY_LISTED_OF(how) bodies. */
    const ky_uint own = found.children | found.acts << 10 | found.listed << 17,
                  at = ky_team_exclusive_sum(team, own, &total),
                  done = ky_team_done(team, lists->waiting, take, (at + own) & 0x3ffU),
                  base = lists->waiting - done;
    total = ky_team_broadcast(team, at + own, (done - 1) % KY_TEAM);
    if (KY_TEAM_LANE >= done) {
        found.children = found.listed = found.acts = 0;
        found.special = 0;
    }
    /* The number of iterations is constant: without branches this takes half the instructions. */
    KY_LOCAL_POINTER ky_uint *to = lists->stack + base + (at & 0x3ffU);
#pragma unroll
    for (ky_uint k = 0; k < 8; k++)
        if (k < found.children)
            to[k] = found.link.more + k;
    if (found.acts)
        lists->cells[lists->cell_count + (at >> 10 & 0x7fU)] = found.cell;
    to = lists->bodies + lists->body_count + (at >> 17);
#pragma unroll
    for (ky_uint k = 0; k < KY_LISTED_OF(how); k++)
        if (k < found.listed)
            to[k] = found.link.body + k;
    lists->waiting = base + (total & 0x3ffU);
    lists->cell_count += total >> 10 & 0x7fU;
    lists->body_count += total >> 17;
    lists->leaves |= ky_team_bits(team, found.special);
    if (take > 0)
        *leaf = found.link;
    return done;
}

/* The number of a list's `count` entries that lanes take now; `all` is set if the list no longer
 * grows. */
KY_FN ky_uint ky_team_batch(ky_uint count, int all)
{
    return count >= KY_TEAM ? KY_TEAM : all ? count : 0;
}

KY_FN struct ky_team_sink ky_team_cells(struct ky_team_tree tree, struct ky_reference from,
                                        struct ky_team_sink sink, struct ky_staged staged,
                                        struct ky_team_lists *lists, ky_uint count, const int how)
{
    lists->cell_count -= count;
    if (KY_TEAM_LANE < count)
        ky_stage_cell(tree, from, staged, lists->cells[lists->cell_count + KY_TEAM_LANE], how);
    else if (how & KY_SHARES)
        ky_stage_nothing(staged, how);
    ky_team_sync();
    sink = ky_add_staged_cells(sink, staged, count, how);
    sink.cells += count;
    ky_team_sync();
    return sink;
}

/* 1 if one of `count` staged bodies is near to a sink of any lane. Few bodies are inside the box of
 * the sinks; only these are compared with all sinks. */
KY_FN int ky_team_near(ky_team team, struct ky_team_box box, struct ky_team_sink sink,
                       struct ky_staged staged, ky_uint count, const int how)
{
    ky_real4 own = staged.place[KY_TEAM_LANE];
    float x = KY_FABS((float)own.x - box.x) - box.hx, y = KY_FABS((float)own.y - box.y) - box.hy,
          z = KY_FABS((float)own.z - box.z) - box.hz;
    const float reach = ky_team_reach(box);
    int near = 0, inside = KY_TEAM_LANE < count && KY_FMAX(x, KY_FMAX(y, z)) <= reach;
    ky_mask rest = KY_IN_DOUBLE ? 0 : ky_team_bits(team, inside);
    if (!KY_WORTH(rest != 0) || KY_IN_DOUBLE)
        return 0;
    for (; rest != 0; rest &= rest - 1) {
        ky_real4 body = staged.place[ky_team_lowest(rest)];
#pragma unroll
        for (int s = 0; s < KY_SINKS_OF(how); s++) {
            KY_REAL r2 = ky_distance2(body.x - sink.x[s], body.y - sink.y[s], body.z - sink.z[s],
                                      (KY_REAL)0);
            near |= r2 <= reach * reach;
        }
    }
    return ky_team_any(team, near);
}

/* An index that no body has; neither have the next KY_TEAM indices. */
#define KY_NO_SINK (0xffffffffU - KY_TEAM)

KY_FN struct ky_team_sink ky_team_bodies(struct ky_team_tree tree, ky_team team,
                                         struct ky_reference from, struct ky_team_box box,
                                         struct ky_team_sink sink, struct ky_staged staged,
                                         struct ky_team_lists *lists, ky_uint count, const int how)
{
    lists->body_count -= count;
    if (KY_TEAM_LANE < count)
        ky_stage_body(tree, from, staged, lists->bodies[lists->body_count + KY_TEAM_LANE], how);
    else if (how & KY_SHARES)
        ky_stage_nothing(staged, how);
    ky_team_sync();
    int near = ky_team_near(team, box, sink, staged, count, how);
    if ((how & KY_LISTS_SINKS) && KY_IN_DOUBLE) {
        const ky_uint body =
            KY_TEAM_LANE < count ? lists->bodies[lists->body_count + KY_TEAM_LANE] : KY_NO_SINK;
        near = ky_team_any(team, body >= lists->begin && body < lists->end);
    }
    if (KY_WORTH(near)) {
        if (near && KY_TEAM_LANE < count)
            staged.first[KY_TEAM_LANE] =
                ky_body_rest(tree, from, lists->bodies[lists->body_count + KY_TEAM_LANE]);
        ky_team_sync();
    }
    if (near)
        sink = ky_add_near_bodies(
            sink, staged, ky_sink_rests(tree, from, sink, how), count, KY_NO_SINK,
            (how & KY_LISTS_SINKS) && !ky_is_image(from, how) ? lists->bodies + lists->body_count
                                                              : 0,
            how);
    else
        sink = ky_add_staged_bodies(sink, staged, count, how);
    sink.bodies += count;
    ky_team_sync();
    return sink;
}

/* Adds the next bodies of the leaves that may hold sinks. */
KY_FN struct ky_team_sink ky_team_leaf(struct ky_team_tree tree, ky_team team,
                                       struct ky_reference from, struct ky_team_sink sink,
                                       struct ky_staged staged, struct ky_team_lists *lists,
                                       struct ky_cell_link leaf, const int how)
{
    if (KY_WORTH(lists->leaf_bodies == 0)) {
        ky_uint lane = ky_team_lowest(lists->leaves) % KY_TEAM;
        ky_uint body = ky_team_broadcast(team, leaf.body, lane);
        ky_uint bodies = ky_team_broadcast(team, leaf.bodies, lane);
        if (lists->leaf_bodies == 0) {
            lists->leaf_body = body;
            lists->leaf_bodies = lists->leaves ? bodies : 0;
            lists->leaves &= lists->leaves - 1;
        }
    }
    ky_uint count = lists->leaf_bodies < KY_TEAM ? lists->leaf_bodies : KY_TEAM;
    if (KY_TEAM_LANE < count) {
        ky_stage_body(tree, from, staged, lists->leaf_body + KY_TEAM_LANE, how);
        staged.first[KY_TEAM_LANE] = ky_body_rest(tree, from, lists->leaf_body + KY_TEAM_LANE);
    } else if (how & KY_SHARES)
        ky_stage_nothing(staged, how);
    ky_team_sync();
    sink = ky_add_near_bodies(sink, staged, ky_sink_rests(tree, from, sink, how), count,
                              ky_is_image(from, how) ? KY_NO_SINK : lists->leaf_body, 0, how);
    ky_team_sync();
    sink.bodies += count;
    lists->leaf_body += count;
    lists->leaf_bodies -= count;
    return sink;
}

/* The sinks of the lane are the bodies `own`; `width` lanes have different sinks. */
KY_FN struct ky_team_sink ky_team_sink_of(struct ky_team_tree tree, struct ky_reference from,
                                          const ky_uint own[KY_MOST_SINKS], ky_uint width,
                                          KY_REAL eps2, const int how)
{
    struct ky_team_sink sink;
#pragma unroll
    for (int s = 0; s < KY_SINKS_OF(how); s++) {
        struct ky_vector3 place = ky_body_place(tree, from, own[s]);
        sink.x[s] = place.x;
        sink.y[s] = place.y;
        sink.z[s] = place.z;
        sink.eps2[s] = (tree.flags & KY_FLAG_OWN_EPS) ? ky_body_eps2(tree, own[s]) : eps2;
        sink.own[s] = own[s];
        sink.total[s] = ky_no_total();
    }
    /* Lane l has sink l % width and share l / width: there are KY_TEAM / width shares of width
     * sources each. */
    sink.per = width < KY_TEAM ? width : 0;
    sink.base = KY_TEAM_LANE / width * width;
    sink.bodies = sink.cells = 0;
    return sink;
}

/* Empty lists, and `waiting` cells on the stack. */
KY_FN void ky_team_lists_begin(struct ky_team_lists *lists, ky_uint waiting)
{
    lists->waiting = waiting;
    lists->body_count = lists->cell_count = 0;
    lists->leaves = lists->leaf_body = lists->leaf_bodies = 0;
}

/* 1 if a lane has sources to add before it tests more cells. */
KY_FN int ky_team_is_busy(const struct ky_team_lists *lists)
{
    return (lists->leaves | lists->leaf_bodies | (lists->body_count >= KY_TEAM)) != 0;
}

/* Adds the listed sources if there is one for every lane; `all`: if there are no more cells to
 * test. */
KY_FN struct ky_team_sink ky_team_add(struct ky_team_tree tree, ky_team team,
                                      struct ky_reference from, struct ky_team_box box,
                                      struct ky_team_sink sink, struct ky_staged staged,
                                      struct ky_team_lists *lists, struct ky_cell_link leaf,
                                      int all, const int how)
{
    ky_uint count = ky_team_batch(lists->cell_count, all);
    if (KY_WORTH(count > 0))
        sink = ky_team_cells(tree, from, sink, staged, lists, count, how);
    count = ky_team_batch(lists->body_count, all);
    if (KY_WORTH(count > 0))
        sink = ky_team_bodies(tree, team, from, box, sink, staged, lists, count, how);
    if (KY_WORTH((lists->leaves | lists->leaf_bodies) > 0))
        sink = ky_team_leaf(tree, team, from, sink, staged, lists, leaf, how);
    return sink;
}

/* The task of a team. group: its bodies. own: the lane's sink. place: its index in the list of
 * factors. width: number of lanes with different sinks. sinks: number of these sinks that are
 * wanted. */
struct ky_team_task {
    struct ky_team_group group;
    ky_uint own[KY_MOST_SINKS], place[KY_MOST_SINKS], width, sinks;
    int is_sink[KY_MOST_SINKS];
};

/* Sinks are the bodies sinks_from … sinks_to - 1, since ranks divide the sinks. With KY_FLAG_LISTED
 * `wanted` is the list of sinks, and groups and factors are indexed by this list. The kernels for
 * few groups of all bodies omit this, which takes registers. */
#define KY_TAKES_LIST(how) (((how) & (KY_PICKS | KY_GUARD)) || !((how)&KY_SHARES))
/* 1 if place k, which is in the group if `inside`, is a wanted sink. */
KY_FN int ky_team_is_sink(KY_GLOBAL const ky_uint *wanted, ky_uint k, int inside,
                          ky_uint sinks_from, ky_uint sinks_to, ky_uint flags, const int how)
{
    const int listed = KY_TAKES_LIST(how) && (flags & KY_FLAG_LISTED);
    const ky_uint body = inside && listed ? wanted[k] : k;
    return inside && body >= sinks_from && body < sinks_to &&
           (!(flags & KY_FLAG_WANTED) || wanted[k]);
}

KY_FN struct ky_team_task ky_team_task_of(ky_team team, KY_GLOBAL const ky_uint *group,
                                          KY_GLOBAL const ky_uint *wanted, ky_uint sinks_from,
                                          ky_uint sinks_to, ky_uint flags, const int how)
{
    struct ky_team_task task;
    task.group.begin = group[0];
    task.group.end = group[1];
    task.group.list = wanted;
    task.group.sinks = 0;
    task.width = (how & KY_SHARES) ? 1 : KY_TEAM;
    while (task.width < KY_TEAM && task.width < task.group.end - task.group.begin &&
           (how & KY_SHARES))
        task.width *= 2;
    const ky_uint size = task.group.end - task.group.begin,
                  k = task.group.begin + KY_TEAM_LANE % task.width;
    task.is_sink[0] =
        ky_team_is_sink(wanted, k, KY_TEAM_LANE < size, sinks_from, sinks_to, flags, how);
    task.own[0] = task.place[0] = k < task.group.end ? k : task.group.end - 1;
    ky_team_rank(team, task.is_sink[0], &task.sinks);
    if (KY_SINKS_OF(how) > 1) {
        const ky_uint next = task.group.begin + KY_TEAM + KY_TEAM_LANE;
        ky_uint more;
        task.is_sink[1] = ky_team_is_sink(wanted, next, KY_TEAM + KY_TEAM_LANE < size, sinks_from,
                                          sinks_to, flags, how);
        task.own[1] = task.place[1] = next < task.group.end ? next : task.group.end - 1;
        ky_team_rank(team, task.is_sink[1], &more);
        task.sinks += more;
    }
    if (task.sinks > 0 && KY_TAKES_LIST(how) && (flags & KY_FLAG_LISTED)) {
        const ky_uint count = task.group.end - task.group.begin;
        task.group.list = wanted + task.group.begin;
#pragma unroll
        for (int s = 0; s < KY_SINKS_OF(how); s++)
            task.own[s] = wanted[task.own[s]];
        task.group.end = wanted[task.group.end - 1] + 1;
        task.group.begin = wanted[task.group.begin];
        task.group.sinks = task.group.end - task.group.begin > count ? count : 0;
    }
    return task;
}

#endif
