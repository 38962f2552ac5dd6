/* --force fmm: cells act on cells (physics/fmm.h, physics/taylor.h). The lanes make lists and sums
 * for one cell or group of sinks (lanes/fmm.h); this file visits the sinks from the root down.
 *
 * A cell of sinks inherits from its parent the list of cells that have yet to act, and the local
 * coefficients, shifted to the middle of its own box. Below the cells that the tree divides into
 * groups the sinks are the groups. Large cells are done level by level, with all threads sharing
 * the cells of a level; the part of the tree below them is cut into branches, each done by one
 * thread, depth first. Lists and sums depend only on the tree and the last accelerations, so the
 * bits do not depend on threads. */
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/threads.h"
#include "engine/cpu/forces/cells.h"
#include "engine/cpu/forces/forces.h"
#include "engine/cpu/forces/groups.h"
#include "engine/cpu/tree/tree.h"
#include "octree/host_cells.h"
#include "octree/opening_kinds.h"
#include "physics/fmm.h"

/* Maximum number of bodies in a branch. */
enum { BRANCH = 8192 };
#define NO_PARENT UINT32_MAX

/* Data of the sinks in a cell, collected before the forces: the smallest last |a| for G = 1, the
 * range of ε², and whether any sink is active. */
struct below {
    float least, low2, high2;
    int active;
    int is_other; /* a root of another rank's tree: there are no sinks below it */
};

/* A large cell, or a branch. */
struct unit {
    uint32_t cell, parent; /* parent: index among the large cells */
    int32_t depth;         /* depth of a large cell */
    struct ky_fmm_list list;
    struct ky_fmm_sinks sinks;
};

/* One evaluation. */
struct fmm {
    struct ky_cpu_sinks *set;
    const struct ky_parameters *parameters;
    struct ky_fmm_walk walk;
    struct ky_relative relative;
    int by_alpha, order;
    double alpha;
    struct ky_fmm_source *source; /* [cells] */
    float *pull;                  /* of each sink in the columns: ky_relative_pull */
    struct below *below, *group;  /* [cells] cells with sinks; [groups] */
    struct unit *large;           /* large cells, level by level */
    struct unit *branch;
    size_t larges, branches;
    struct ky_cpu_turns turns; /* units are large cells and branches */
    struct ky_fmm_list root;   /* the list of the root: the root of the sources' tree, once for each
                                  of its images */
    float hold;
};

/* A thread's own data. */
struct worker {
    void *space;
    struct ky_fmm_list *list; /* indexed by depth */
    struct ky_fmm_counts counts;
    double cells, groups; /* seconds */
    int64_t more;
    int failed;
};

/* ---- the sinks of each cell ---- */

/* Numbers of four bytes: groups gather them faster than three columns of double. */
static void measure_pulls(const struct fmm *fmm)
{
    const struct ky_cpu_sinks *set = fmm->set;
#pragma omp parallel for num_threads(set->cpu->team)
    for (size_t k = 0; k < set->n; k++) {
        const size_t i = ky_cpu_member(set, k);
        fmm->pull[i] = (float)ky_relative_pull(&fmm->relative, i);
    }
}

/* Combines the data of both. */
static struct below both(struct below a, struct below b)
{
    return (struct below){fminf(a.least, b.least), fminf(a.low2, b.low2), fmaxf(a.high2, b.high2),
                          a.active | b.active, 0};
}

static const struct below nothing = {INFINITY, INFINITY, 0, 0, 0};

/* |a| and ε² are taken over all bodies, so that forces do not depend on which bodies are active. */
static struct below of_group(const struct fmm *fmm, const struct ky_group *group)
{
    const struct ky_octree *tree = &fmm->set->tree;
    struct below below = nothing;
    for (uint32_t k = group->body; k < group->body + group->bodies; k++) {
        below.active |= ky_cpu_is_active(fmm->set, tree->order[k]);
        if (tree->softening2) {
            below.low2 = fminf(below.low2, (float)tree->softening2[k]);
            below.high2 = fmaxf(below.high2, (float)tree->softening2[k]);
        }
    }
    for (uint32_t k = group->body; fmm->by_alpha && k < group->body + group->bodies; k++)
        below.least = fminf(below.least, fmm->pull[tree->order[k]]);
    return below;
}

static struct below of_groups(const struct fmm *fmm, uint32_t cell)
{
    const struct ky_cpu_range range = ky_cpu_groups_of(&fmm->set->tree, cell);
    struct below below = nothing;
    for (uint32_t g = range.first; g < range.end; g++) {
        fmm->group[g] = of_group(fmm, &fmm->set->tree.group[g]);
        below = both(below, fmm->group[g]);
    }
    return below;
}

static struct below of_children(const struct fmm *fmm, uint32_t cell)
{
    const struct ky_octree *tree = &fmm->set->tree;
    struct below below = nothing;
    for (uint32_t k = 0; k < tree->children[cell]; k++)
        below = both(below, fmm->below[tree->link[cell].more + k]);
    return below;
}

static void measure_branch(const struct fmm *fmm, uint32_t cell)
{
    const struct ky_octree *tree = &fmm->set->tree;
    if (ky_octree_has_groups(tree, cell, fmm->parameters->group)) {
        fmm->below[cell] = of_groups(fmm, cell);
        return;
    }
    for (uint32_t k = 0; k < tree->children[cell]; k++)
        measure_branch(fmm, tree->link[cell].more + k);
    fmm->below[cell] = of_children(fmm, cell);
}

static void measure_sinks(const struct fmm *fmm)
{
#pragma omp parallel for schedule(dynamic)                                                         \
    num_threads(fmm->set->cpu->threads) if (fmm->branches > 1)
    for (size_t k = 0; k < fmm->branches; k++)
        measure_branch(fmm, fmm->branch[k].cell);
    for (size_t k = fmm->larges; k-- > 0;)
        fmm->below[fmm->large[k].cell] = of_children(fmm, fmm->large[k].cell);
}

/* If ranks divide the bodies, the tree contains the roots of the other ranks' trees: marks them. */
static void note_others(const struct fmm *fmm)
{
    const struct ky_octree *tree = &fmm->set->tree;
    for (size_t k = 0; k < tree->grafted_roots; k++) {
        const struct ky_grafted_root *root = &tree->grafted_root[k];
        if (root->part == tree->part)
            continue;
        fmm->below[root->cell] = nothing;
        fmm->below[root->cell].least = root->least;
        fmm->below[root->cell].is_other = 1;
    }
}

/* Lists large cells, level by level, and branches. KY_FAULT if memory runs out. */
static enum ky_status divide(struct fmm *fmm, struct ky_error *error)
{
    const struct ky_octree *tree = &fmm->set->tree;
    size_t larges = 0, branches = 0, large_room = 0, branch_room = 0;
    struct unit next = {.cell = 0, .parent = NO_PARENT};
    for (size_t done = 0, child = 0;;) {
        const int is_branch = ky_octree_has_groups(tree, next.cell, fmm->parameters->group) ||
                              tree->link[next.cell].bodies <= BRANCH;
        struct unit **units = is_branch ? &fmm->branch : &fmm->large;
        size_t *count = is_branch ? &branches : &larges,
               *room = is_branch ? &branch_room : &large_room;
        if (!ky_room_for_one(units, *count, room, sizeof **units))
            return ky_no_memory(error, "branches of the tree", *count + 1, sizeof **units);
        if (!fmm->below[next.cell].is_other)
            (*units)[(*count)++] = next;
        while (done < larges && child == tree->children[fmm->large[done].cell])
            done++, child = 0;
        if (done == larges)
            break;
        const struct unit *from = &fmm->large[done];
        next = (struct unit){.cell = tree->link[from->cell].more + (uint32_t)child++,
                             .parent = (uint32_t)done,
                             .depth = from->depth + 1};
    }
    fmm->larges = larges;
    fmm->branches = branches;
    return KY_OK;
}

/* ---- sinks ---- */

/* The limits for the sinks of a cell or group. */
static struct ky_fmm_limits limits_of(const struct fmm *fmm, const struct below *below)
{
    const struct ky_octree *tree = &fmm->set->tree;
    struct ky_fmm_limits limits =
        ky_fmm_limits_of(fmm->order, fmm->by_alpha ? KY_FMM_ANGLE : fmm->set->angle, fmm->hold);
    if (fmm->by_alpha)
        limits.error = (float)fmm->alpha * below->least;
    if (tree->softening2 && !(fmm->set->how & KY_SPLINED))
        limits.least =
            fmaxf(limits.least,
                  ky_fmm_least_of_spread(0.5 * (double)(below->high2 - below->low2), fmm->alpha));
    return limits;
}

static float middle_eps2(const struct fmm *fmm, const struct below *below)
{
    return fmm->set->tree.softening2 ? 0.5F * (below->high2 + below->low2)
                                     : (float)fmm->walk.walk.eps2;
}

/* Makes the sinks of a cell. */
static void place_cell(const struct fmm *fmm, uint32_t cell, const struct ky_fmm_sinks *parent,
                       struct ky_fmm_sinks *sinks)
{
    const struct ky_octree *tree = &fmm->set->tree;
    const struct ky_cell_box *box = &tree->box[cell];
    const double none[3] = {0};
    double at[3];
    ky_cell_apart(tree, cell, none, at);
    for (int c = 0; c < 3; c++)
        sinks->centre[c] =
            tree->origin[c] + at[c] + 0.5 * ((double)box->above[c] - (double)box->below[c]);
    ky_cell_half(box, sinks->half);
    sinks->limits = limits_of(fmm, &fmm->below[cell]);
    sinks->eps2 = middle_eps2(fmm, &fmm->below[cell]);
    ky_cpu_inherit(parent, sinks, fmm->order);
}

/* Prefetches the memory of the results, which is scattered, while the sums are computed. */
static void prefetch_results(const struct ky_cpu_sinks *set, const struct ky_group *group)
{
    for (uint32_t k = group->body; k < group->body + group->bodies; k++) {
        const uint32_t i = set->tree.order[k];
        for (int c = 0; c < 3; c++)
            __builtin_prefetch(&set->a[c][i], 1, 2);
        __builtin_prefetch(&set->potential[i], 1, 2);
    }
}

/* Adds the far field of a box to the local coefficients, in double: floats then have only the
 * difference of the two. Its nearest sources are a box away. Returns 0 where the coefficients do
 * not reach the tolerance, as for a group that is as large as the box. */
static int add_far(const struct fmm *fmm, struct ky_fmm_sinks *sinks)
{
    const struct ky_cpu *cpu = fmm->set->cpu;
    const float radius = ky_fmm_radius(sinks->half), size = ky_fmm_size(0, radius),
                box = (float)cpu->box;
    if (!(cpu->box > 0) ||
        !ky_fmm_acts(box, size / box, radius, size, fmm->source[0].mass, sinks->limits))
        return 0;
    ky_far_add_local(cpu->far, sinks->centre, fmm->order, sinks->local);
    return 1;
}

static void do_group(const struct fmm *fmm, uint32_t number, const struct ky_fmm_sinks *parent,
                     const struct ky_fmm_list *from, struct worker *worker)
{
    struct ky_cpu_sinks *set = fmm->set;
    const struct ky_group *group = &set->tree.group[number];
    const struct below *below = &fmm->group[number];
    struct ky_fmm_sinks sinks;
    struct ky_group_sinks result;
    double low[3], high[3];
    if (!below->active)
        return;
    ky_cpu_choose_sinks(set, group, &result);
    prefetch_results(set, group);
    ky_bodies_box(&set->tree, group, low, high);
    for (int c = 0; c < 3; c++) {
        sinks.centre[c] = 0.5 * low[c] + 0.5 * high[c];
        sinks.half[c] = (float)(0.5 * (high[c] - low[c]) * (1 + KY_OPENING_SLACK));
    }
    const int precision = ky_cpu_group_precision(
        set, group, (double)fmaxf(fmaxf(sinks.half[0], sinks.half[1]), sinks.half[2]));
    sinks.limits = limits_of(fmm, below);
    sinks.eps2 = middle_eps2(fmm, below);
    ky_cpu_inherit(parent, &sinks, fmm->order);
    const int has_far = add_far(fmm, &sinks);
    const uint64_t before = worker->counts.expansions;
    set->cpu->lanes->fmm_group[precision](&fmm->walk, &sinks, from, group, worker->space, &result,
                                          &worker->counts);
    if (!has_far)
        ky_cpu_add_far_to_sinks(set, group, &result);
    ky_cpu_store_sinks(set, group, &result);
    worker->more += ky_cpu_note_work(
        set, number, result.bodies + result.cells + (worker->counts.expansions - before),
        result.count);
}

static void do_groups(const struct fmm *fmm, uint32_t cell, const struct ky_fmm_sinks *parent,
                      const struct ky_fmm_list *from, struct worker *worker)
{
    const struct ky_cpu_range range = ky_cpu_groups_of(&fmm->set->tree, cell);
    const double start = ky_clock();
    for (uint32_t g = range.first; g < range.end; g++)
        do_group(fmm, g, parent, from, worker);
    worker->groups += ky_clock() - start;
}

/* Computes the sinks of a cell; `list` receives the cells that are left for its children. */
static void do_cell(const struct fmm *fmm, struct ky_fmm_sinks *sinks,
                    const struct ky_fmm_list *from, struct ky_fmm_list *list, struct worker *worker)
{
    const struct ky_cpu *cpu = fmm->set->cpu;
    const double start = ky_clock();
    if (!cpu->lanes->fmm_cell(&fmm->walk, sinks, from, list, worker->space, &worker->counts))
        worker->failed = 1;
    worker->cells += ky_clock() - start;
}

/* Computes a cell of a branch and everything below it. */
static void descend(const struct fmm *fmm, uint32_t cell, const struct ky_fmm_sinks *parent,
                    const struct ky_fmm_list *from, struct worker *worker, size_t depth)
{
    const struct ky_octree *tree = &fmm->set->tree;
    struct ky_fmm_sinks sinks;
    struct ky_fmm_list *list = &worker->list[depth];
    if (!fmm->below[cell].active)
        return;
    place_cell(fmm, cell, parent, &sinks);
    do_cell(fmm, &sinks, from, list, worker);
    if (worker->failed)
        return;
    if (ky_octree_has_groups(tree, cell, fmm->parameters->group)) {
        do_groups(fmm, cell, &sinks, list, worker);
        return;
    }
    for (uint32_t k = 0; k < tree->children[cell]; k++)
        descend(fmm, tree->link[cell].more + k, &sinks, list, worker, depth + 1);
}

/* ---- all of it ---- */

/* The inherited list of a large cell or a branch. */
static const struct ky_fmm_list *inherited(const struct fmm *fmm, const struct unit *unit,
                                           const struct ky_fmm_sinks **parent)
{
    const int is_root = unit->parent == NO_PARENT;
    *parent = is_root ? NULL : &fmm->large[unit->parent].sinks;
    return is_root ? &fmm->root : &fmm->large[unit->parent].list;
}

/* Removes from the counts the pairs that another rank counts. */
static void recount(const struct worker *before, struct worker *worker)
{
    worker->counts = before->counts;
    worker->more = before->more;
}

/* 1 if this engine counts a large cell: no other engine that shares the system has its first
 * bodies. */
static int has_first(const struct fmm *fmm, uint32_t cell)
{
    const struct ky_octree *tree = &fmm->set->tree;
    while (tree->children[cell] && tree->link[cell].bodies == KY_CLOSED_CELL)
        cell = tree->link[cell].more;
    return !fmm->below[cell].is_other;
}

/* Computes a large cell. Every engine needs all large cells that have sinks below. */
static void do_large(const struct fmm *fmm, size_t number, struct worker *worker)
{
    struct unit *unit = &fmm->large[number];
    const struct worker before = *worker;
    const struct ky_fmm_sinks *parent;
    const struct ky_fmm_list *from = inherited(fmm, unit, &parent);
    if (!fmm->below[unit->cell].active || ky_halted(fmm->set->cpu->base.halt))
        return;
    place_cell(fmm, unit->cell, parent, &unit->sinks);
    do_cell(fmm, &unit->sinks, from, &unit->list, worker);
    if (!ky_cpu_counts(&fmm->turns, number) || !has_first(fmm, unit->cell))
        recount(&before, worker);
}

/* Computes the large cells, level by level. */
static void do_larges(const struct fmm *fmm, struct worker *workers)
{
    for (size_t begin = 0, end; begin < fmm->larges; begin = end) {
        for (end = begin; end < fmm->larges && fmm->large[end].depth == fmm->large[begin].depth;)
            end++;
#pragma omp parallel for schedule(dynamic) num_threads(fmm->set->cpu->threads) if (end - begin > 1)
        for (size_t k = begin; k < end; k++)
            do_large(fmm, k, &workers[ky_thread()]);
    }
}

static void do_branches(const struct fmm *fmm, struct worker *workers)
{
#pragma omp parallel for schedule(dynamic)                                                         \
    num_threads(fmm->set->cpu->threads) if (fmm->branches > 1)
    for (size_t k = 0; k < fmm->branches; k++) {
        const struct unit *unit = &fmm->branch[k];
        struct worker *worker = &workers[ky_thread()];
        const struct worker before = *worker;
        const struct ky_fmm_sinks *parent;
        const struct ky_fmm_list *from = inherited(fmm, unit, &parent);
        if (ky_halted(fmm->set->cpu->base.halt) || !ky_cpu_walks(&fmm->turns, k))
            continue;
        descend(fmm, unit->cell, parent, from, worker, 0);
        if (!ky_cpu_counts(&fmm->turns, k))
            recount(&before, worker);
    }
}

static struct ky_group bodies_of_branch(const void *of, size_t branch)
{
    const struct fmm *fmm = of;
    const struct ky_cell_link *link = &fmm->set->tree.link[fmm->branch[branch].cell];
    return (struct ky_group){link->body, link->bodies};
}

static enum ky_status report(const struct fmm *fmm, const struct worker *workers, double start,
                             struct ky_error *error)
{
    struct ky_cpu *cpu = fmm->set->cpu;
    struct ky_cpu_work work = {0};
    double cells = 0, groups = 0;
    for (int k = 0; k < cpu->threads; k++) {
        const struct ky_fmm_counts *counts = &workers[k].counts;
        cells += workers[k].cells;
        groups += workers[k].groups;
        work.more += workers[k].more;
        work.bodies += counts->bodies;
        work.cells += counts->cells + counts->expansions;
    }
    ky_cpu_divide_walk(cpu, start, cells, groups);
    return ky_cpu_end_walk(fmm->set, &fmm->turns, work, fmm->branches, bodies_of_branch, fmm,
                           error);
}

static void close_workers(const struct fmm *fmm, struct worker *workers)
{
    for (int k = 0; workers && k < fmm->set->cpu->threads; k++) {
        for (size_t depth = 0; workers[k].list && depth < fmm->set->tree.levels + 1; depth++)
            free(workers[k].list[depth].cell);
        free(workers[k].list);
        free(workers[k].space);
    }
    free(workers);
}

/* Allocates one worker per thread, with this many bytes of work space; NULL if memory runs out. */
static struct worker *open_workers(const struct fmm *fmm, size_t bytes)
{
    const struct ky_cpu *cpu = fmm->set->cpu;
    const size_t levels = fmm->set->tree.levels + 1;
    struct worker *workers = ky_allocate_zeroed((size_t)cpu->threads, sizeof *workers);
    for (int k = 0; workers && k < cpu->threads; k++) {
        workers[k].space = ky_allocate(1, bytes);
        workers[k].list = ky_allocate_zeroed(levels, sizeof *workers[k].list);
        if (!workers[k].space || !workers[k].list) {
            close_workers(fmm, workers);
            return NULL;
        }
    }
    return workers;
}

static int any_failed(const struct fmm *fmm, const struct worker *workers)
{
    int failed = 0;
    for (int k = 0; k < fmm->set->cpu->threads; k++)
        failed |= workers[k].failed;
    return failed;
}

/* Computes the forces. Returns 0 if memory runs out. */
static int act(struct fmm *fmm, struct worker *workers)
{
    const struct ky_octree *sources = fmm->walk.walk.sources;
    const float sinks2 =
        fmm->set->tree.softening2 ? fmm->below[0].high2 : (float)fmm->walk.walk.eps2;
    if (fmm->set->how & KY_SPLINED)
        fmm->hold = sqrtf(ky_opening_reach2(sinks2, sources->box[0].above[3]));
    ky_octree_list_sources(sources, fmm->order, fmm->set->cpu->team, fmm->source);
    do_larges(fmm, workers);
    if (!any_failed(fmm, workers))
        do_branches(fmm, workers);
    return !any_failed(fmm, workers);
}

static enum ky_status go(struct fmm *fmm, struct worker *workers, struct ky_error *error)
{
    const double start = ky_clock();
    if (fmm->by_alpha)
        measure_pulls(fmm);
    measure_sinks(fmm);
    if (!act(fmm, workers))
        return ky_fail(
            error, KY_FAULT,
            "out of memory: interaction lists of --force fmm for %zu bodies; --force tree "
            "needs less",
            fmm->set->n);
    return report(fmm, workers, start, error);
}

static void close_units(struct unit *units, size_t count)
{
    for (size_t k = 0; k < count; k++)
        free(units[k].list.cell);
    free(units);
}

/* Adds KY_ROUGH if the error allows it and all pairs have the same softening. */
static int how_of(const struct ky_cpu_sinks *set, const struct ky_parameters *parameters)
{
    const int is_plain = !(set->how & ~KY_GUARD);
    return is_plain && ky_fmm_is_rough(parameters->order, parameters->alpha) ? KY_ROUGH : 0;
}

enum ky_status ky_cpu_walk_cells(struct ky_cpu_sinks *set, const struct ky_parameters *parameters,
                                 struct ky_error *error)
{
    const struct ky_octree *tree = &set->tree, *sources = &set->sources->tree;
    const size_t cells = sources->nodes;
    uint32_t roots[KY_IMAGES] = {0};
    const int images = ky_cpu_images(set->cpu);
    struct fmm fmm = {.set = set,
                      .parameters = parameters,
                      .walk = {.walk = {.tree = tree,
                                        .sources = sources,
                                        .eps2 = set->eps2,
                                        .how = set->how | how_of(set, parameters),
                                        .order = ky_fmm_single_order(parameters->order),
                                        .images = images,
                                        .box = set->cpu->box},
                               .order = parameters->order},
                      .order = parameters->order,
                      .alpha = parameters->alpha,
                      .turns = ky_cpu_turns(set),
                      .root = {roots, (size_t)images, (size_t)images, {0}}};
    for (int k = 0; k < images; k++)
        fmm.root.begin[k] = (size_t)k;
    if (ky_opening_kind(parameters->opening)->by_alpha) { /* a collective call */
        fmm.relative = ky_cpu_relative(set);
        fmm.by_alpha = fmm.relative.per_unit > 0;
    }
    if (tree->nodes == 0 || cells == 0)
        return KY_OK;
    struct worker *workers = open_workers(&fmm, set->cpu->lanes->fmm_space[KY_DOUBLE](sources));
    fmm.source = ky_allocate(cells, sizeof *fmm.source);
    fmm.below = ky_allocate_zeroed(tree->nodes, sizeof *fmm.below);
    fmm.group = ky_allocate(tree->groups, sizeof *fmm.group);
    fmm.pull = ky_allocate(set->columns, sizeof *fmm.pull);
    if (fmm.below)
        note_others(&fmm);
    enum ky_status status = workers && fmm.source && fmm.below && fmm.group && fmm.pull
                                ? divide(&fmm, error)
                                : ky_no_memory(error, "cells that act on cells", cells,
                                               sizeof *fmm.source + sizeof *fmm.below);
    fmm.walk.source = fmm.source;
    if (!status)
        status = go(&fmm, workers, error);
    close_workers(&fmm, workers);
    close_units(fmm.large, fmm.larges);
    close_units(fmm.branch, fmm.branches);
    free(fmm.pull);
    free(fmm.group);
    free(fmm.below);
    free(fmm.source);
    return status;
}

static enum ky_status walk_cells(struct ky_cpu_sinks *set, const struct ky_parameters *parameters,
                                 struct ky_error *error)
{
    return parameters->mutual && set->sources == set ? ky_cpu_walk_mutual(set, parameters, error)
                                                     : ky_cpu_walk_cells(set, parameters, error);
}

/* Bytes of the method and its tree for n bodies. */
static double fmm_memory(const struct ky_parameters *parameters, size_t n)
{
    const struct ky_parameters own = ky_force_tree(parameters);
    return ky_octree_memory(&own, n) +
           ky_octree_cells(&own, n) * (double)(sizeof(struct ky_fmm_source) + sizeof(struct below) +
                                               (own.mutual ? sizeof(struct ky_mutual_cell) : 0)) +
           2 * (double)n / own.group * sizeof(struct below) + (double)n * sizeof(float) +
           (double)n / BRANCH * 8 * sizeof(struct unit);
}

const struct ky_cpu_method ky_cpu_fmm_method = {
    .forces = ky_cpu_tree, .walk = walk_cells, .memory = fmm_memory};
