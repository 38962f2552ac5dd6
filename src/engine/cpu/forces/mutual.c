/* --force fmm with --mutual: a pair of cells acts in both directions or in neither, so that total
 * momentum is conserved to rounding errors.
 *
 * The expansions of A about the centre of B and of B about the centre of A have the same terms
 * M_n M_m D_(n+m), |n| + |m| < p, with opposite signs (physics/taylor.h), if local coefficients are
 * about the centres of mass, like moments. It remains to ensure that no pair acts in one direction
 * only: the lanes make the same decision for both (lanes/mutual.h), and below leaves there are only
 * pairs of bodies. Cells that act on single bodies would have no counterpart, so there are none.
 *
 * Each direction of a pair is added to the sum of the cell that feels it, so that no two threads
 * share sums. The tree is cut into branches, one thread for each. The work for a branch begins at
 * the root: every branch repeats the few cells above it, so that the bits do not depend on
 * threads. */
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

/* Maximum number of bodies in a branch, unless it is a leaf. */
enum { BRANCH = 8192 };

/* The smallest last |a| of the bodies in a cell, for G = 1, and the range of their ε². */
struct below {
    float least, low2, high2;
};

struct mutual {
    struct ky_cpu_sinks *set;
    const struct ky_octree *tree;
    const struct ky_parameters *parameters;
    struct ky_fmm_walk walk;
    struct ky_relative relative;
    int by_alpha;
    struct ky_fmm_source *source; /* [cells] */
    struct ky_mutual_cell *cell;  /* [cells] */
    struct below *below;          /* [cells] */
    uint32_t *branch;
    size_t branches;
    float hold;
    double centre[3]; /* the centre of the bulk of the bodies */
};

/* A thread's own data. */
struct worker {
    void *space;
    struct ky_fmm_list *list;            /* indexed by depth */
    struct ky_fmm_counts counts, others; /* others: for cells that other branches count */
    double all, groups;                  /* seconds */
    int failed;
};

/* ---- data of the cells ---- */

static struct below of_leaf(const struct mutual *m, uint32_t cell)
{
    const struct ky_octree *tree = m->tree;
    const struct ky_cell_link *link = &tree->link[cell];
    struct below below = {INFINITY, INFINITY, 0};
    for (uint32_t k = link->body; k < link->body + link->bodies && tree->softening2; k++) {
        below.low2 = fminf(below.low2, (float)tree->softening2[k]);
        below.high2 = fmaxf(below.high2, (float)tree->softening2[k]);
    }
    if (m->by_alpha)
        below.least =
            (float)ky_relative_least(&m->relative, tree->order + link->body, link->bodies);
    return below;
}

static struct below of_children(const struct mutual *m, uint32_t cell)
{
    const struct below *first = m->below + m->tree->link[cell].more;
    struct below below = *first;
    for (uint32_t k = 1; k < m->tree->children[cell]; k++) {
        below.least = fminf(below.least, first[k].least);
        below.low2 = fminf(below.low2, first[k].low2);
        below.high2 = fmaxf(below.high2, first[k].high2);
    }
    return below;
}

/* The data of a cell for the test. Its mean ε² may differ from the ε² of a body by the whole
 * range. */
static struct ky_mutual_cell cell_of(const struct mutual *m, const struct below *below)
{
    struct ky_mutual_cell cell = {.error = INFINITY, .least = 0};
    if (m->by_alpha)
        cell.error = (float)m->parameters->alpha * below->least;
    if (m->tree->softening2 && !(m->set->how & KY_SPLINED))
        cell.least =
            ky_fmm_least_of_spread((double)(below->high2 - below->low2), m->parameters->alpha);
    return cell;
}

/* A cell of few bodies is a leaf, unless it is wide: its radius exceeds WIDE times the distance at
 * which all bodies together would exert the smallest |a| of its own bodies (before that is known,
 * its distance from the middle of the bulk). Many cells, small compared with a wide one, would act
 * on it body by body. */
#define WIDE 0.1
static int is_leaf(const struct mutual *m, uint32_t cell)
{
    const struct ky_octree *tree = m->tree;
    if (tree->children[cell] == 0 || tree->link[cell].bodies > (uint32_t)m->parameters->group)
        return tree->children[cell] == 0;
    double from[3], d[3], r2 = (double)m->source[0].mass / (double)m->below[cell].least;
    for (int c = 0; c < 3; c++)
        from[c] = m->centre[c] - tree->origin[c];
    ky_cell_apart(tree, cell, from, d);
    if (!m->by_alpha)
        r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    return pow((double)m->source[cell].radius / WIDE, 2) <= r2;
}

static void measure(struct mutual *m)
{
    const struct ky_octree *tree = m->tree;
#pragma omp parallel for num_threads(m->set->cpu->team)
    for (size_t k = 0; k < tree->nodes; k++)
        if (tree->children[k] == 0)
            m->below[k] = of_leaf(m, (uint32_t)k);
    for (size_t k = tree->nodes; k-- > 0;)
        if (tree->children[k] > 0)
            m->below[k] = of_children(m, (uint32_t)k);
#pragma omp parallel for num_threads(m->set->cpu->team)
    for (size_t k = 0; k < tree->nodes; k++) {
        m->cell[k] = cell_of(m, &m->below[k]);
        if (is_leaf(m, (uint32_t)k))
            m->source[k].bodies = -abs(m->source[k].bodies);
    }
}

/* ---- sinks ---- */

/* The sinks of a cell: their middle is its centre of mass. */
static void place_cell(const struct mutual *m, uint32_t cell, const struct ky_fmm_sinks *parent,
                       struct ky_fmm_sinks *sinks)
{
    const struct ky_octree *tree = m->tree;
    const struct below *below = &m->below[cell];
    const double none[3] = {0};
    double at[3];
    ky_cell_apart(tree, cell, none, at);
    for (int c = 0; c < 3; c++) {
        sinks->centre[c] = tree->origin[c] + at[c];
        sinks->half[c] = 0;
    }
    sinks->limits = ky_fmm_limits_of(m->walk.order,
                                     m->by_alpha ? KY_FMM_ANGLE : KY_FMM_ANGLE_AT_FIRST, m->hold);
    sinks->limits.error = m->cell[cell].error;
    sinks->limits.least = fmaxf(sinks->limits.least, m->cell[cell].least);
    sinks->eps2 = !tree->softening2             ? (float)m->walk.walk.eps2
                  : m->source[cell].mass > 0.0F ? tree->low[cell].eps2
                                                : 0.5F * (below->low2 + below->high2);
    ky_cpu_inherit(parent, sinks, m->walk.order);
}

/* The bodies of a leaf, which interact with all bodies in the list: with a tolerance of 0 no cell
 * acts as a whole. */
static void do_group(const struct mutual *m, const struct ky_group *group,
                     const struct ky_fmm_sinks *leaf, const struct ky_fmm_list *from,
                     struct worker *worker)
{
    struct ky_cpu_sinks *set = m->set;
    struct ky_fmm_sinks sinks = {.limits = {.most = INFINITY}};
    struct ky_group_sinks result;
    double low[3], high[3];
    ky_cpu_choose_sinks(set, group, &result);
    ky_bodies_box(m->tree, group, low, high);
    for (int c = 0; c < 3; c++) {
        sinks.centre[c] = 0.5 * low[c] + 0.5 * high[c];
        sinks.half[c] = (float)(0.5 * (high[c] - low[c]) * (1 + KY_OPENING_SLACK));
    }
    ky_cpu_inherit(leaf, &sinks, m->walk.order);
    set->cpu->lanes->fmm_group[ky_cpu_groups_precision(set, group, 1)](
        &m->walk, &sinks, from, group, worker->space, &result, &worker->counts);
    ky_cpu_store_sinks(set, group, &result);
}

static void do_leaf(const struct mutual *m, uint32_t cell, const struct ky_fmm_sinks *sinks,
                    const struct ky_fmm_list *from, struct worker *worker)
{
    const struct ky_cell_link *link = &m->tree->link[cell];
    const uint32_t most = (uint32_t)m->parameters->group, end = link->body + link->bodies;
    const double start = ky_clock();
    for (uint32_t first = link->body; first < end; first += most) {
        const struct ky_group group = {first, end - first < most ? end - first : most};
        do_group(m, &group, sinks, from, worker);
    }
    worker->groups += ky_clock() - start;
}

/* Processes a cell that contains the branch or is in it, and the cells below it in the same way. */
static void descend(const struct mutual *m, uint32_t cell, const struct ky_fmm_sinks *parent,
                    const struct ky_fmm_list *from, uint32_t branch, struct worker *worker,
                    size_t depth)
{
    const struct ky_octree *tree = m->tree;
    const struct ky_cell_link *link = &tree->link[cell], *goal = &tree->link[branch];
    struct ky_fmm_sinks sinks;
    struct ky_fmm_list *list = &worker->list[depth];
    if (ky_halted(m->set->cpu->base.halt))
        return;
    place_cell(m, cell, parent, &sinks);
    worker->failed |= !m->set->cpu->lanes->mutual_cell(
        &m->walk, cell, &sinks, from, list, worker->space,
        link->body < goal->body ? &worker->others : &worker->counts);
    if (worker->failed)
        return;
    if (m->source[cell].bodies < 0) {
        do_leaf(m, cell, &sinks, list, worker);
        return;
    }
    for (uint32_t k = 0; k < tree->children[cell]; k++) {
        const struct ky_cell_link *child = &tree->link[link->more + k];
        if (child->body < goal->body + goal->bodies && goal->body < child->body + child->bodies)
            descend(m, link->more + k, &sinks, list, branch, worker, depth + 1);
    }
}

/* ---- all of it ---- */

static void do_branch(const struct mutual *m, uint32_t branch, struct worker *worker)
{
    const struct ky_fmm_list none = {0};
    const double start = ky_clock();
    descend(m, 0, NULL, &none, branch, worker, 0);
    worker->all += ky_clock() - start;
}

static void close_workers(const struct mutual *m, struct worker *workers)
{
    for (int k = 0; workers && k < m->set->cpu->threads; k++) {
        for (size_t depth = 0; workers[k].list && depth < m->tree->levels + 1; depth++)
            free(workers[k].list[depth].cell);
        free(workers[k].list);
        free(workers[k].space);
    }
    free(workers);
}

/* Allocates one worker per thread; NULL if memory runs out. */
static struct worker *open_workers(const struct mutual *m)
{
    const struct ky_cpu *cpu = m->set->cpu;
    struct worker *workers = ky_allocate_zeroed((size_t)cpu->threads, sizeof *workers);
    for (int k = 0; workers && k < cpu->threads; k++) {
        workers[k].space = ky_allocate(1, cpu->lanes->fmm_space[KY_DOUBLE](m->tree));
        workers[k].list = ky_allocate_zeroed(m->tree->levels + 1, sizeof *workers[k].list);
        if (!workers[k].space || !workers[k].list) {
            close_workers(m, workers);
            return NULL;
        }
    }
    return workers;
}

/* Returns 0 if memory runs out. */
static int go(struct mutual *m, struct worker *workers)
{
    struct ky_cpu *cpu = m->set->cpu;
    const double start = ky_clock();
    double all = 0, groups = 0;
    int failed = 0;
    ky_octree_list_sources(m->tree, m->walk.order, cpu->team, m->source);
    ky_cpu_centre(m->set, m->centre);
    measure(m);
    m->branches = ky_cpu_cut(m->tree, BRANCH, m->branch);
    if (m->set->how & KY_SPLINED)
        m->hold = sqrtf(ky_opening_reach2(
            m->tree->softening2 ? m->below[0].high2 : (float)m->walk.walk.eps2, 0));
#pragma omp parallel for schedule(dynamic) num_threads(cpu->threads) if (m->branches > 1)
    for (size_t k = 0; k < m->branches; k++)
        do_branch(m, m->branch[k], &workers[ky_thread()]);
    for (int k = 0; k < cpu->threads; k++) {
        const struct ky_fmm_counts *counts = &workers[k].counts;
        cpu->report.body_interactions += (double)counts->bodies;
        cpu->report.cell_interactions += (double)(counts->cells + counts->expansions);
        all += workers[k].all;
        groups += workers[k].groups;
        failed |= workers[k].failed;
    }
    ky_cpu_divide_walk(cpu, start, all - groups, groups);
    return !failed;
}

enum ky_status ky_cpu_walk_mutual(struct ky_cpu_sinks *set, const struct ky_parameters *parameters,
                                  struct ky_error *error)
{
    const struct ky_octree *tree = &set->tree;
    struct mutual m = {.set = set,
                       .tree = tree,
                       .parameters = parameters,
                       .walk = {.walk = {.tree = tree,
                                         .sources = tree,
                                         .eps2 = set->eps2,
                                         .how = set->how,
                                         .order = 2,
                                         .images = 1},
                                .order = parameters->order}};
    if (tree->nodes == 0)
        return KY_OK;
    if (ky_opening_kind(parameters->opening)->by_alpha) {
        m.relative = ky_cpu_relative(set);
        m.by_alpha = m.relative.per_unit > 0;
    }
    struct worker *workers = open_workers(&m);
    m.walk.source = m.source = ky_allocate(tree->nodes, sizeof *m.source);
    m.walk.mutual = m.cell = ky_allocate(tree->nodes, sizeof *m.cell);
    m.below = ky_allocate(tree->nodes, sizeof *m.below);
    m.branch = ky_allocate(tree->nodes, sizeof *m.branch);
    enum ky_status status = KY_OK;
    if (!workers || !m.source || !m.cell || !m.below || !m.branch || !go(&m, workers))
        status = ky_fail(error, KY_FAULT, "out of memory: cells that act on each other");
    close_workers(&m, workers);
    free(m.branch);
    free(m.below);
    free(m.cell);
    free(m.source);
    return status;
}
