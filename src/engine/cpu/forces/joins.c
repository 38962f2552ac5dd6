/* The dual walk of the CPU engine, for actions that join bodies: cells walk against cells. A cell
 * is whole if all of its bodies are joined to each other, by the action's test of its own box. To
 * join two whole cells into one group needs one pair of bodies, and none if they are in the same
 * group already. So the work does not grow with the number of pairs.
 *
 * Threads join the bodies of a forest (forest.h), so the groups do not depend on the order of the
 * joins. */
#include "base/forest.h"
#include "engine/cpu/forces/action.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/threads.h"
#include "engine/cpu/tree/tree.h"
#include "octree/host_cells.h"

enum { TASK = 1024 }; /* maximum number of bodies of a cell per task, unless the cell is whole */

struct joins {
    struct ky_cpu *cpu;
    const struct ky_octree *tree;
    const struct ky_cpu_joining *action;
    const struct ky_walk_request *request;
    struct ky_group own;        /* the engine's bodies in the tree */
    uint32_t *parent;           /* [n] */
    unsigned char *whole;       /* [nodes] 1: all bodies of the cell are joined to each other */
    double most, most2, least2; /* reaches of the system's bodies; most is slightly rounded up */
    uint32_t *task;             /* [tasks] their cells */
    size_t tasks;
};

/* Work of one thread, for the report. */
struct counts {
    uint64_t bodies, cells;
};

/* A cell in a walk: its box, about a centre that is relative to the tree's origin. */
struct side {
    uint32_t cell;
    int whole;
    double centre[3], half_side[3];
};

/* ---- boxes ---- */

static void place_side(const struct joins *joins, struct side *side, uint32_t cell)
{
    side->cell = cell;
    side->whole = joins->whole[cell];
    ky_cell_middle(joins->tree, cell, side->centre, side->half_side);
}

/* The centre of b relative to the centre of a along an axis. */
static double apart(const struct joins *joins, const struct side *a, const struct side *b, int axis)
{
    return ky_cpu_to_nearest(joins->cpu, KY_APART(b->centre[axis], a->centre[axis]));
}

/* The square of the smallest distance between bodies of the two cells, slightly rounded down. */
static double gap2(const struct joins *joins, const struct side *a, const struct side *b)
{
    double gap[3];
    for (int c = 0; c < 3; c++)
        gap[c] =
            ky_visit_gap(apart(joins, a, b, c), b->half_side[c], b->half_side[c], a->half_side[c]);
    return ky_distance2(gap[0], gap[1], gap[2], 0);
}

/* The action's test of the cell b for the box of a; both may be the same cell. */
static int test(const struct joins *joins, const struct side *a, const struct side *b)
{
    struct ky_visit_span span = {.x = apart(joins, a, b, 0),
                                 .y = apart(joins, a, b, 1),
                                 .z = apart(joins, a, b, 2),
                                 .hx = a->half_side[0],
                                 .hy = a->half_side[1],
                                 .hz = a->half_side[2],
                                 .open2 = (double)joins->tree->centre[b->cell].open2,
                                 .most2 = joins->most2,
                                 .least2 = joins->least2,
                                 .opening = joins->tree->opening};
    span.below_x = span.above_x = b->half_side[0];
    span.below_y = span.above_y = b->half_side[1];
    span.below_z = span.above_z = b->half_side[2];
    return joins->action->test(&span);
}

/* Finds the whole cells, each by its own box only, independent of its parent. */
static void find_whole_cells(const struct joins *joins)
{
    const size_t nodes = joins->tree->nodes;
#pragma omp parallel for num_threads(joins->cpu->team)
    for (size_t cell = 0; cell < nodes; cell++) {
        struct side side;
        joins->whole[cell] = 0;
        place_side(joins, &side, (uint32_t)cell);
        joins->whole[cell] =
            joins->tree->link[cell].bodies == 1 || test(joins, &side, &side) == KY_VISIT_USE;
    }
}

static int is_leaf(const struct joins *joins, const struct side *side)
{
    return joins->tree->link[side->cell].more == KY_NO_LINK;
}

static double size_of(const struct side *side)
{
    return side->half_side[0] + side->half_side[1] + side->half_side[2];
}

/* ---- pairs of bodies ---- */

static void join_all(uint32_t *parent, const struct ky_cell_link *link)
{
    for (uint32_t k = 1; k < link->bodies; k++)
        ky_forest_join(parent, link->body, link->body + k);
}

/* The position of body j relative to body i. */
static void between(const struct joins *joins, uint32_t i, uint32_t j, double d[3])
{
    const struct ky_octree *tree = joins->tree;
    const double side = joins->cpu->box;
    d[0] = KY_APART(tree->x[j], tree->x[i]);
    d[1] = KY_APART(tree->y[j], tree->y[i]);
    d[2] = KY_APART(tree->z[j], tree->z[i]);
    for (int c = 0; c < 3 && side > 0; c++)
        d[c] = ky_nearest_image(d[c], side);
}

static int is_own(const struct joins *joins, uint32_t place)
{
    return place >= joins->own.body && place - joins->own.body < joins->own.bodies;
}

/* 1 if the action joins the body at place j to the one at place i, from which it is at `d`. For a
 * body of another rank that rank evaluates the action. */
static int asks(const struct joins *joins, uint32_t i, uint32_t j, const double d[3], double r2)
{
    const struct ky_octree *tree = joins->tree;
    if (!is_own(joins, i))
        return 0;
    const struct ky_visit_sink sink =
        ky_cpu_visit_sink(joins->cpu, tree, &joins->action->facts.about, joins->request, i);
    const struct ky_visit_body body = {
        .x = d[0],
        .y = d[1],
        .z = d[2],
        .r2 = r2,
        .mass = tree->mass[j],
        .eps2 = joins->cpu->how & KY_EPS_OF_BOTH ? tree->softening2[j] : 0,
        .body = ky_cpu_numbers(tree)[j]};
    return r2 <= joins->action->reach2(&sink) && joins->action->joins(&sink, &body);
}

/* Joins the two if they are in different groups and the action joins them. Returns 1 if they are
 * now in the same group. */
static int try_pair(const struct joins *joins, uint32_t i, uint32_t j)
{
    double d[3];
    between(joins, i, j, d);
    const double r2 = ky_distance2(d[0], d[1], d[2], 0), back[3] = {-d[0], -d[1], -d[2]};
    if (r2 > joins->most2)
        return 0;
    if (ky_forest_root(joins->parent, i) == ky_forest_root(joins->parent, j))
        return 1;
    int one = asks(joins, i, j, d, r2) || asks(joins, j, i, back, r2);
    if (one)
        ky_forest_join(joins->parent, i, j);
    return one;
}

/* Joins the bodies of a leaf among each other. */
static void join_leaf(const struct joins *joins, struct counts *counts, uint32_t cell)
{
    const struct ky_cell_link *link = &joins->tree->link[cell];
    uint32_t end = link->body + link->bodies;
    for (uint32_t i = link->body; i < end; i++)
        for (uint32_t j = i + 1; j < end; j++)
            try_pair(joins, i, j);
    counts->bodies += (uint64_t)link->bodies * (link->bodies - 1) / 2;
}

/* Tests body i against the bodies of a leaf. If the leaf is whole, one of them is enough. */
static void join_body_leaf(const struct joins *joins, struct counts *counts, uint32_t i,
                           const struct side *leaf)
{
    const struct ky_cell_link *link = &joins->tree->link[leaf->cell];
    counts->bodies += link->bodies;
    for (uint32_t j = link->body; j < link->body + link->bodies; j++)
        if (try_pair(joins, i, j) && leaf->whole)
            return;
}

/* Tests body i against a whole cell. */
static void join_body(const struct joins *joins, struct counts *counts, uint32_t i,
                      const struct side *own, const struct side *side)
{
    const struct ky_cell_link *link = &joins->tree->link[side->cell];
    counts->cells++;
    if (!link->bodies || gap2(joins, own, side) > joins->most2 ||
        ky_forest_root(joins->parent, i) == ky_forest_root(joins->parent, link->body))
        return;
    if (link->bodies > 1 && test(joins, own, side) == KY_VISIT_USE) {
        ky_forest_join(joins->parent, i, link->body);
        return;
    }
    if (link->more == KY_NO_LINK) {
        join_body_leaf(joins, counts, i, side);
        return;
    }
    for (uint32_t k = 0; k < joins->tree->children[side->cell]; k++) {
        struct side child;
        place_side(joins, &child, link->more + k);
        join_body(joins, counts, i, own, &child);
    }
}

/* Tests the bodies of a leaf one by one against a whole cell. */
static void join_bodies_cell(const struct joins *joins, struct counts *counts,
                             const struct side *leaf, const struct side *other)
{
    const struct ky_octree *tree = joins->tree;
    const struct ky_cell_link *link = &tree->link[leaf->cell];
    for (uint32_t i = link->body; i < link->body + link->bodies; i++) {
        const double at[3] = {tree->x[i], tree->y[i], tree->z[i]};
        struct side own = {.cell = leaf->cell, .whole = 1};
        for (int c = 0; c < 3; c++) {
            own.centre[c] = at[c] - tree->origin[c];
            own.half_side[c] = KY_MIDDLE_DIGIT * fabs(own.centre[c]);
        }
        join_body(joins, counts, i, &own, other);
    }
}

/* Tests two leaves against each other. If both are whole, one pair is enough. Most bodies are
 * beyond the reach of the other leaf's box along one axis. */
static void join_leaves(const struct joins *joins, struct counts *counts, const struct side *leaf,
                        const struct side *other)
{
    const struct ky_octree *tree = joins->tree;
    const struct ky_cell_link *link = &tree->link[leaf->cell], *its = &tree->link[other->cell];
    const int one = leaf->whole && other->whole;
    double centre[3], most[3];
    for (int c = 0; c < 3; c++) {
        centre[c] = other->centre[c] + tree->origin[c];
        most[c] = other->half_side[c] + joins->most;
        most[c] += KY_MIDDLE_DIGIT * (fabs(centre[c]) + fabs(tree->origin[c]) + most[c]);
    }
    for (uint32_t i = link->body; i < link->body + link->bodies; i++) {
        if (fabs(ky_cpu_to_nearest(joins->cpu, tree->x[i] - centre[0])) > most[0] ||
            fabs(ky_cpu_to_nearest(joins->cpu, tree->y[i] - centre[1])) > most[1] ||
            fabs(ky_cpu_to_nearest(joins->cpu, tree->z[i] - centre[2])) > most[2])
            continue;
        join_body_leaf(joins, counts, i, other);
        if (one && ky_forest_root(joins->parent, i) == ky_forest_root(joins->parent, its->body))
            return;
    }
}

/* ---- pairs of cells ---- */

static void join_between(const struct joins *joins, struct counts *counts, const struct side *a,
                         const struct side *b);

/* Tests the children of `open` against the other cell. */
static void join_children(const struct joins *joins, struct counts *counts, const struct side *open,
                          const struct side *other)
{
    uint32_t first = joins->tree->link[open->cell].more;
    for (uint32_t k = 0; k < joins->tree->children[open->cell]; k++) {
        struct side child;
        place_side(joins, &child, first + k);
        counts->cells++;
        if (gap2(joins, &child, other) > joins->most2)
            continue;
        join_between(joins, counts, &child, other);
    }
}

/* Two cells within reach of each other. A cell that is not whole is opened before one that is; of
 * two alike the larger one is opened. */
static void join_between(const struct joins *joins, struct counts *counts, const struct side *a,
                         const struct side *b)
{
    const struct ky_cell_link *link = joins->tree->link;
    uint32_t *parent = joins->parent, first = link[a->cell].body, other = link[b->cell].body;
    if (!link[a->cell].bodies || !link[b->cell].bodies) /* of another rank, out of reach */
        return;
    if (a->whole && b->whole && ky_forest_root(parent, first) == ky_forest_root(parent, other))
        return;
    if (a->whole && b->whole && link[a->cell].bodies > 1 && link[b->cell].bodies > 1 &&
        test(joins, a, b) == KY_VISIT_USE) {
        ky_forest_join(parent, first, other);
        return;
    }
    const int a_leaf = is_leaf(joins, a), b_leaf = is_leaf(joins, b);
    int open_a = a->whole == b->whole ? b_leaf || (!a_leaf && size_of(a) > size_of(b)) : b->whole;
    if (a_leaf && b_leaf)
        join_leaves(joins, counts, a, b);
    else if (open_a ? a_leaf : b_leaf)
        join_bodies_cell(joins, counts, open_a ? a : b, open_a ? b : a);
    else if (open_a)
        join_children(joins, counts, a, b);
    else
        join_children(joins, counts, b, a);
}

/* Tests all pairs within a cell. */
static void join_within(const struct joins *joins, struct counts *counts, const struct side *side)
{
    const struct ky_octree *tree = joins->tree;
    struct side child[8]; /* a softening may split a cell into two, keys into eight */
    if (side->whole) {
        join_all(joins->parent, &tree->link[side->cell]);
        return;
    }
    if (is_leaf(joins, side)) {
        join_leaf(joins, counts, side->cell);
        return;
    }
    int children = tree->children[side->cell];
    for (int k = 0; k < children; k++) {
        place_side(joins, &child[k], tree->link[side->cell].more + (uint32_t)k);
        join_within(joins, counts, &child[k]);
        for (int l = 0; l < k; l++) {
            counts->cells++;
            if (gap2(joins, &child[l], &child[k]) <= joins->most2)
                join_between(joins, counts, &child[l], &child[k]);
        }
    }
}

/* ---- all cells ---- */

/* Tests a task against the bodies in this cell: the later bodies along the curve, and earlier
 * bodies of other ranks. */
static void join_later(const struct joins *joins, struct counts *counts, const struct side *task,
                       uint32_t cell)
{
    const struct ky_cell_link *link = &joins->tree->link[cell],
                              *own = &joins->tree->link[task->cell];
    const uint32_t end = link->body + link->bodies;
    const int is_before = end <= joins->own.body;
    if (!link->bodies ||
        (!is_before && link->body >= joins->own.body && end <= own->body + own->bodies))
        return;
    if (is_before || link->body > own->body) {
        struct side side;
        place_side(joins, &side, cell);
        counts->cells++;
        if (gap2(joins, task, &side) > joins->most2)
            return;
        join_between(joins, counts, task, &side);
        return;
    }
    for (uint32_t k = 0; k < joins->tree->children[cell]; k++)
        join_later(joins, counts, task, link->more + k);
}

static void do_task(const struct joins *joins, struct counts *counts, uint32_t cell)
{
    struct counts own = {0, 0};
    struct side side;
    place_side(joins, &side, cell);
    join_within(joins, &own, &side);
    join_later(joins, &own, &side, 0);
    counts->bodies += own.bodies;
    counts->cells += own.cells;
}

/* Adds the tasks of a cell with the engine's own bodies to the list; counts them if joins->task is
 * NULL. */
static void find_tasks(struct joins *joins, uint32_t cell)
{
    const struct ky_cell_link *link = &joins->tree->link[cell];
    const struct ky_group *own = &joins->own;
    const uint32_t end = link->body + link->bodies, own_end = own->body + own->bodies;
    if (end <= own->body || link->body >= own_end)
        return;
    int is_task = link->body >= own->body && end <= own_end &&
                  (link->bodies <= TASK || link->more == KY_NO_LINK || joins->whole[cell]);
    if (is_task && joins->task)
        joins->task[joins->tasks] = cell;
    joins->tasks += (size_t)is_task;
    for (uint32_t k = 0; k < joins->tree->children[cell] && !is_task; k++)
        find_tasks(joins, link->more + k);
}

static enum ky_status do_tasks(struct joins *joins, struct ky_error *error)
{
    struct ky_cpu *cpu = joins->cpu;
    const size_t threads = (size_t)cpu->threads;
    find_tasks(joins, 0);
    struct counts *counts = ky_allocate_zeroed(threads, sizeof *counts);
    joins->task = ky_allocate(joins->tasks, sizeof *joins->task);
    enum ky_status status = counts && joins->task ? KY_OK
                                                  : ky_no_memory(error, "cells of the dual walk",
                                                                 joins->tasks, sizeof *joins->task);
    joins->tasks = 0;
    if (!status)
        find_tasks(joins, 0);
#pragma omp parallel for schedule(dynamic) num_threads(cpu->threads) if (joins->tasks > 1)
    for (size_t k = 0; k < joins->tasks; k++)
        if (!ky_halted(cpu->base.halt))
            do_task(joins, &counts[ky_thread()], joins->task[k]);
    for (size_t k = 0; k < threads && !status; k++) {
        cpu->report.body_interactions += (double)counts[k].bodies;
        cpu->report.cell_interactions += (double)counts[k].cells;
    }
    free(counts);
    free(joins->task);
    return status;
}

/* ---- the start and the results ---- */

/* The largest and the smallest reach over all ranks. */
static enum ky_status join_reaches(const struct ky_shared *shared, double *most2, double *least2,
                                   struct ky_error *error)
{
    const size_t ranks = shared->ranks;
    const double own[2] = {*most2, *least2};
    double(*all)[2] = ky_allocate(ranks, sizeof *all);
    size_t *bytes = ky_allocate(ranks, sizeof *bytes);
    for (size_t r = 0; r < ranks && bytes; r++)
        bytes[r] = sizeof own;
    const enum ky_status status = all && bytes
                                      ? shared->gather(shared->context, own, bytes, all, error)
                                      : ky_no_memory(error, "the ranks", ranks, sizeof *all);
    for (size_t r = 0; r < ranks && !status; r++) {
        *most2 = fmax(*most2, all[r][0]);
        *least2 = fmin(*least2, all[r][1]);
    }
    free(all);
    free(bytes);
    return status;
}

static enum ky_status find_reaches(struct joins *joins, struct ky_error *error)
{
    const struct ky_cpu *cpu = joins->cpu;
    double most2 = 0, least2 = (double)KY_VISIT_FAR;
    const size_t n = cpu->n;
#pragma omp parallel for num_threads(cpu->team) reduction(max : most2) reduction(min : least2)
    for (size_t i = 0; i < n; i++) {
        const struct ky_visit_sink sink =
            ky_cpu_sink_of(cpu, &joins->action->facts.about, joins->request, (uint32_t)i);
        double reach2 = joins->action->reach2(&sink);
        most2 = reach2 > most2 ? reach2 : most2;
        least2 = reach2 < least2 ? reach2 : least2;
    }
    const enum ky_status status =
        ky_cpu_is_divided(cpu) ? join_reaches(cpu->base.shared, &most2, &least2, error) : KY_OK;
    joins->most2 = most2;
    joins->most = sqrt(most2) * (1 + KY_MIDDLE_DIGIT);
    joins->least2 = least2;
    return status;
}

/* smallest[root] becomes the smallest of the caller's indices of its group. */
static void find_smallest(const struct joins *joins, uint32_t *smallest)
{
    const uint32_t *number = ky_cpu_numbers(joins->tree);
    const size_t n = joins->tree->n;
#pragma omp parallel for num_threads(joins->cpu->team)
    for (size_t k = 0; k < n; k++)
        smallest[k] = number[k];
#pragma omp parallel for num_threads(joins->cpu->team)
    for (size_t k = 0; k < n; k++) {
        uint32_t root = ky_forest_root(joins->parent, (uint32_t)k), own = number[k];
        __atomic_store_n(&joins->parent[k], root, __ATOMIC_RELAXED);
        uint32_t least = __atomic_load_n(&smallest[root], __ATOMIC_RELAXED);
        while (own < least && !__atomic_compare_exchange_n(&smallest[root], &least, own, 0,
                                                           __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            ;
    }
}

static void give_groups(const struct joins *joins, const uint32_t *smallest)
{
    const struct ky_walk_request *request = joins->request;
    const size_t n = joins->tree->n;
#pragma omp parallel for num_threads(joins->cpu->team)
    for (size_t k = 0; k < n; k++) {
        const uint32_t i = joins->tree->order[k], group = smallest[joins->parent[k]];
        if (request->group)
            request->group[i] = group;
        if (request->results)
            request->results[i] = (double)group;
    }
}

/* Returns for each body its joined pairs and the smallest index of its group instead of the
 * groups. */
static enum ky_status give_links(const struct joins *joins, const uint32_t *smallest,
                                 struct ky_error *error)
{
    const uint32_t *number = ky_cpu_numbers(joins->tree);
    struct ky_walk_links *links = joins->request->links;
    size_t room = 0;
    links->count = 0;
    for (size_t k = 0; k < joins->tree->n; k++)
        room += smallest[joins->parent[k]] != number[k];
    KY_TRY(ky_array(&links->pair, room, sizeof *links->pair, "links of bodies", error));
    for (size_t k = 0; k < joins->tree->n; k++) {
        const uint32_t least = smallest[joins->parent[k]];
        if (least == number[k])
            continue;
        links->pair[links->count][0] = least;
        links->pair[links->count++][1] = number[k];
    }
    return KY_OK;
}

/* Makes each body a group of its own. */
static void plant(uint32_t *parent, size_t n, int team)
{
    (void)team; /* without OpenMP */
#pragma omp parallel for num_threads(team)
    for (size_t k = 0; k < n; k++)
        parent[k] = (uint32_t)k;
}

static enum ky_status join_bodies_of(struct joins *joins, struct ky_error *error)
{
    const size_t n = joins->tree->n;
    uint32_t *smallest = ky_allocate(n, sizeof *smallest);
    joins->parent = ky_allocate(n, sizeof *joins->parent);
    joins->whole = ky_allocate(joins->tree->nodes, sizeof *joins->whole);
    enum ky_status status = smallest && joins->parent && joins->whole
                                ? KY_OK
                                : ky_no_memory(error, "groups of bodies", n, 2 * sizeof *smallest);
    if (!status) {
        plant(joins->parent, n, joins->cpu->team);
        find_whole_cells(joins);
        status = do_tasks(joins, error);
    }
    if (!status)
        find_smallest(joins, smallest);
    if (!status && joins->request->links)
        status = give_links(joins, smallest, error);
    else if (!status)
        give_groups(joins, smallest);
    free(smallest);
    free(joins->parent);
    free(joins->whole);
    return status;
}

/* The function `reach` of struct ky_shared_tree: the largest reach of any body in the system. */
static double reach_of(void *context, const struct ky_octree *own, uint32_t first, uint32_t bodies)
{
    (void)own;
    (void)first;
    (void)bodies;
    return ((const struct joins *)context)->most;
}

/* Makes the tree. */
static enum ky_status stand(struct joins *joins, struct ky_error *error)
{
    struct ky_cpu *cpu = joins->cpu;
    if (ky_cpu_is_divided(cpu))
        return ky_cpu_stand_tree_to_walk(ky_cpu_bodies(cpu), cpu->parameters, reach_of, joins,
                                         error);
    return cpu->n ? ky_cpu_stand_tree(ky_cpu_bodies(cpu), cpu->parameters, error) : KY_OK;
}

enum ky_status ky_cpu_join_action(struct ky_cpu *cpu, const struct ky_cpu_joining *action,
                                  const struct ky_walk_request *request, struct ky_error *error)
{
    struct joins joins = {
        .cpu = cpu, .tree = &cpu->bodies.tree, .action = action, .request = request};
    ky_report_clear(&cpu->report);
    double start = ky_clock();
    enum ky_status status = find_reaches(&joins, error);
    if (!status)
        status = stand(&joins, error);
    joins.own = ky_cpu_own_bodies(cpu, &cpu->bodies.tree);
    double built = ky_clock();
    if (!status && cpu->n)
        status = join_bodies_of(&joins, error);
    cpu->report.walk = ky_clock() - built;
    cpu->report.total = ky_clock() - start;
    return status;
}
