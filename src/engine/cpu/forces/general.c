/* The general walk of the CPU engine: consecutive bodies walk together over `next` and `more`, with
 * one distance test for their box. Bodies of opened leaves are gathered; when there are many, each
 * sink takes those within its reach. The action decides what happens to a sink. */
#include "engine/cpu/forces/action.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/threads.h"
#include "engine/cpu/tree/tree.h"
#include "octree/host_cells.h"

enum { SOURCES = 4096, DIGIT = 8, DIGITS = 1 << DIGIT };

struct general {
    struct ky_cpu *cpu;
    const struct ky_octree *tree;
    const struct ky_cpu_action *action;
    const struct ky_walk_request *request;
    size_t stride;          /* bytes of a sink's state */
    size_t largest, window; /* bodies of the largest group; the same with k more on both sides */
    int source_eps;
};

/* The work space of one thread. */
struct desk {
    char *own; /* [largest × stride] */
    struct ky_visit_span span;
    double centre[3], from[3];     /* of the sinks' box; the same relative to the tree's origin */
    struct ky_cpu_sources sources; /* columns of SOURCES */
    struct ky_cpu_near near;
    uint64_t *keys, *key, *other; /* [SOURCES] caller's index and place in the tree; in `keys` */
    double *heap;                 /* [largest × k] */
    double *distance2;            /* [window] */
    double most_eps2;             /* of the sinks */
    uint64_t bodies, cells;
    uint32_t wanted; /* length of the longest list that was too short; 0: none was */
};

/* ---- work space ---- */

static void clear_desk(struct desk *desk)
{
    free(desk->own);
    free(desk->sources.x);
    free(desk->keys);
    free(desk->heap);
    free(desk->distance2);
}

static enum ky_status set_desk(const struct general *walk, struct desk *desk,
                               struct ky_error *error)
{
    size_t k = walk->action->facts.about.needs_k ? walk->request->k : 0, heaps = 0;
    memset(desk, 0, sizeof *desk);
    if (__builtin_mul_overflow(walk->largest, k, &heaps))
        return ky_no_memory(error, "nearest neighbours of a group", k, sizeof(double));
    desk->own = ky_allocate(walk->largest, walk->stride);
    desk->sources.x = ky_allocate(5 * (size_t)SOURCES, sizeof(double) + sizeof(uint32_t));
    desk->key = desk->keys = ky_allocate(2 * (size_t)SOURCES, sizeof *desk->key);
    desk->heap = ky_allocate(heaps, sizeof(double));
    desk->distance2 = ky_allocate(k ? walk->window : 0, sizeof(double));
    if (!desk->own || !desk->sources.x || !desk->key || !desk->heap || !desk->distance2)
        return ky_no_memory(error, "work space of the general walk", heaps + SOURCES + walk->window,
                            sizeof(double));
    desk->sources.y = desk->sources.x + SOURCES;
    desk->sources.z = desk->sources.y + SOURCES;
    desk->sources.mass = desk->sources.z + SOURCES;
    desk->sources.eps2 = desk->sources.mass + SOURCES;
    desk->sources.body = (uint32_t *)(void *)(desk->sources.eps2 + SOURCES);
    desk->other = desk->key + SOURCES;
    desk->span.opening = walk->tree->opening;
    return KY_OK;
}

/* ---- sources ---- */

/* Sorts the keys by the caller's index, their upper half, so that lists come out in order. */
static void sort_keys(struct desk *desk, size_t count, size_t n)
{
    for (unsigned shift = 32; n >> (shift - 32) > 0; shift += DIGIT) {
        uint32_t place[DIGITS + 1] = {0};
        for (size_t k = 0; k < count; k++)
            place[(desk->key[k] >> shift) % DIGITS + 1]++;
        for (size_t d = 0; d < DIGITS; d++)
            place[d + 1] += place[d];
        for (size_t k = 0; k < count; k++)
            desk->other[place[(desk->key[k] >> shift) % DIGITS]++] = desk->key[k];
        uint64_t *swap = desk->key;
        desk->key = desk->other;
        desk->other = swap;
    }
}

static void gather(const struct general *walk, struct desk *desk)
{
    const struct ky_octree *tree = walk->tree;
    struct ky_cpu_sources *sources = &desk->sources;
    if (walk->action->facts.about.needs_lists)
        sort_keys(desk, sources->count, tree->n);
    for (size_t k = 0; k < sources->count; k++) {
        uint32_t j = (uint32_t)desk->key[k];
        sources->x[k] = tree->x[j];
        sources->y[k] = tree->y[j];
        sources->z[k] = tree->z[j];
        sources->mass[k] = tree->mass[j];
        sources->eps2[k] = walk->source_eps ? tree->softening2[j] : 0;
        sources->body[k] = (uint32_t)(desk->key[k] >> 32);
    }
}

static void act_on(const struct general *walk, struct desk *desk, const struct ky_group *group)
{
    const struct ky_octree *tree = walk->tree;
    gather(walk, desk);
    const struct ky_cpu_sources *sources = &desk->sources;
    for (uint32_t s = 0; s < group->bodies; s++) {
        uint32_t i = group->body + s;
        void *own = desk->own + s * walk->stride;
        struct ky_reach reach = {
            sources->x, sources->y, sources->z, {tree->x[i], tree->y[i], tree->z[i]}, 0};
        struct ky_cpu_near *near = &desk->near;
        memcpy(near->x, reach.sink, sizeof near->x);
        near->body = tree->order[i];
        for (size_t k = 0; k < sources->count; k += KY_REACH_MOST) {
            size_t count = sources->count - k < KY_REACH_MOST ? sources->count - k : KY_REACH_MOST;
            reach.reach2 = walk->action->reach2(own);
            near->count = walk->cpu->lanes->reach(&reach, k, count, near->source, near->r2);
            walk->action->bodies(own, sources, near);
        }
    }
    desk->bodies += (uint64_t)desk->sources.count * group->bodies;
    desk->sources.count = 0;
}

/* 1 if the body is past the reach of all sinks. */
static int is_far(const struct general *walk, const struct desk *desk, uint32_t j)
{
    const struct ky_octree *tree = walk->tree;
    const struct ky_visit_span *span = &desk->span;
    return ky_distance2(ky_visit_gap(KY_APART(tree->x[j], desk->centre[0]), 0, 0, span->hx),
                        ky_visit_gap(KY_APART(tree->y[j], desk->centre[1]), 0, 0, span->hy),
                        ky_visit_gap(KY_APART(tree->z[j], desk->centre[2]), 0, 0, span->hz),
                        0) > span->most2;
}

static void add_leaf(const struct general *walk, struct desk *desk, const struct ky_group *group,
                     const struct ky_cell_link *leaf)
{
    for (uint32_t k = 0; k < leaf->bodies; k++) {
        uint32_t j = leaf->body + k;
        if (is_far(walk, desk, j))
            continue;
        if (desk->sources.count == SOURCES)
            act_on(walk, desk, group);
        desk->key[desk->sources.count++] = (uint64_t)walk->tree->order[j] << 32 | j;
    }
}

/* ---- cells ---- */

static void span_of(const struct general *walk, struct desk *desk, uint32_t cell)
{
    const struct ky_cell_box *box = &walk->tree->box[cell];
    struct ky_visit_span *span = &desk->span;
    double d[3];
    ky_cell_apart(walk->tree, cell, desk->from, d);
    span->x = d[0];
    span->y = d[1];
    span->z = d[2];
    span->below_x = (double)box->below[0];
    span->below_y = (double)box->below[1];
    span->below_z = (double)box->below[2];
    span->above_x = (double)box->above[0];
    span->above_y = (double)box->above[1];
    span->above_z = (double)box->above[2];
    span->open2 = (double)walk->tree->centre[cell].open2;
    span->reach2 = (double)ky_opening_reach2((float)desk->most_eps2, box->above[3]);
}

static void use_cell(const struct general *walk, struct desk *desk, const struct ky_group *group,
                     uint32_t cell)
{
    const struct ky_octree *tree = walk->tree;
    struct ky_visit_cell seen = {.moments = ky_host_moments(tree, cell),
                                 .eps2 = walk->source_eps ? (double)tree->low[cell].eps2 : 0,
                                 .bodies = tree->link[cell].bodies};
    for (uint32_t s = 0; s < group->bodies; s++) {
        uint32_t i = group->body + s;
        const double at[3] = {tree->x[i] - tree->origin[0], tree->y[i] - tree->origin[1],
                              tree->z[i] - tree->origin[2]};
        double d[3];
        ky_cell_apart(tree, cell, at, d);
        seen.x = d[0];
        seen.y = d[1];
        seen.z = d[2];
        walk->action->cell(desk->own + s * walk->stride, &seen);
    }
    desk->cells += group->bodies;
}

/* The action's test of the cell. A cell that holds one of the sinks, or a single body, is not used
 * whatever the test says. */
static int test(const struct general *walk, struct desk *desk, const struct ky_group *group,
                uint32_t cell)
{
    const struct ky_cell_link *link = &walk->tree->link[cell];
    if (link->body < group->body + group->bodies && group->body < link->body + link->bodies)
        return KY_VISIT_OPEN;
    span_of(walk, desk, cell);
    int verdict = walk->action->test(&desk->span);
    return verdict == KY_VISIT_USE && link->bodies == 1 ? KY_VISIT_OPEN : verdict;
}

static void walk_links(const struct general *walk, struct desk *desk, const struct ky_group *group)
{
    const struct ky_octree *tree = walk->tree;
    for (uint32_t cell = 0; cell != KY_NO_LINK;) {
        const struct ky_cell_link *link = &tree->link[cell];
        uint32_t next = link->next;
        int verdict = test(walk, desk, group, cell);
        if (verdict == KY_VISIT_USE)
            use_cell(walk, desk, group, cell);
        else if (verdict == KY_VISIT_OPEN && link->more == KY_NO_LINK)
            add_leaf(walk, desk, group, link);
        else if (verdict == KY_VISIT_OPEN)
            next = link->more;
        cell = next;
    }
    act_on(walk, desk, group);
}

/* ---- sinks ---- */

/* A squared distance within which the sink has k other bodies: about that of the k-th nearest among
 * the bodies of the group and k more on either side along the curve. The sink itself is the
 * nearest. */
static double bound2(const struct general *walk, const struct desk *desk,
                     const struct ky_group *group, uint32_t sink)
{
    const struct ky_octree *tree = walk->tree;
    size_t k = walk->request->k, end = (size_t)group->body + group->bodies;
    size_t from = group->body > k ? group->body - k : 0, to = tree->n - end > k ? end + k : tree->n;
    const struct ky_reach reach = {
        tree->x, tree->y, tree->z, {tree->x[sink], tree->y[sink], tree->z[sink]}, 0};
    return walk->cpu->lanes->bound2(&reach, from, to - from, k + 1, desk->distance2);
}

static void start_sinks(const struct general *walk, struct desk *desk, const struct ky_group *group)
{
    const struct ky_octree *tree = walk->tree;
    const struct ky_walk_request *request = walk->request;
    const struct ky_action *about = &walk->action->facts.about;
    double *most = &desk->span.most2, *least = &desk->span.least2;
    *most = 0, *least = (double)KY_VISIT_FAR;
    desk->most_eps2 = 0;
    for (uint32_t s = 0; s < group->bodies; s++) {
        uint32_t place = group->body + s, i = tree->order[place];
        struct ky_visit_sink sink = ky_cpu_visit_sink(walk->cpu, about, request, place);
        desk->most_eps2 = sink.eps2 > desk->most_eps2 ? sink.eps2 : desk->most_eps2;
        if (about->needs_k) {
            sink.bound2 = bound2(walk, desk, group, place);
            sink.k = (unsigned)request->k;
            sink.space = desk->heap + s * request->k;
            sink.stride = 1;
        }
        if (about->needs_lists) {
            sink.list = request->list ? request->list + request->offset[i] : NULL;
            sink.room = (unsigned)(request->offset[i + 1] - request->offset[i]);
        }
        void *own = desk->own + s * walk->stride;
        walk->action->start(own, &sink);
        double reach2 = walk->action->reach2(own);
        *most = reach2 > *most ? reach2 : *most;
        *least = reach2 < *least ? reach2 : *least;
    }
}

/* The box of the sinks. */
static void place_box(const struct general *walk, struct desk *desk, const struct ky_group *group)
{
    double *const half[3] = {&desk->span.hx, &desk->span.hy, &desk->span.hz};
    double low[3], high[3];
    ky_bodies_box(walk->tree, group, low, high);
    for (int c = 0; c < 3; c++) {
        double centre = 0.5 * low[c] + 0.5 * high[c];
        double above = high[c] - centre, below = centre - low[c];
        desk->centre[c] = centre;
        desk->from[c] = centre - walk->tree->origin[c];
        *half[c] = above > below ? above : below;
    }
}

/* The caller gets ascending lists. A walk whose sources fit into one batch finds its bodies in that
 * order already; a walk with several batches may not. */
static void order_list(uint32_t *list, size_t count)
{
    for (size_t k = 1; k < count; k++)
        if (list[k] < list[k - 1]) {
            qsort(list, count, sizeof *list, ky_order_words);
            return;
        }
}

/* Sorts the list of body i. `own` is the state of its sink; its first result is the number of
 * bodies in the list. */
static void finish_list(const struct general *walk, struct desk *desk, const void *own, uint32_t i)
{
    const struct ky_walk_request *request = walk->request;
    size_t room = request->offset[i + 1] - request->offset[i];
    uint32_t count = (uint32_t)walk->action->result(own, 0);
    if (count > room)
        desk->wanted = count > desk->wanted ? count : desk->wanted;
    else if (count > 1)
        order_list(request->list + request->offset[i], count);
}

static void finish_sinks(const struct general *walk, struct desk *desk,
                         const struct ky_group *group)
{
    const struct ky_walk_request *request = walk->request;
    const struct ky_action_facts *facts = &walk->action->facts;
    for (uint32_t s = 0; s < group->bodies; s++) {
        uint32_t i = walk->tree->order[group->body + s];
        for (size_t c = 0; request->results && c < facts->about.columns; c++)
            request->results[i * facts->about.columns + c] =
                walk->action->result(desk->own + s * walk->stride, (int)c) *
                ky_action_unit(&facts->results[c], walk->cpu->parameters->g, walk->cpu->mass_unit,
                               walk->cpu->length);
        if (facts->about.needs_lists)
            finish_list(walk, desk, desk->own + s * walk->stride, i);
    }
}

static void walk_group(const struct general *walk, struct desk *desk, const struct ky_group *group)
{
    place_box(walk, desk, group);
    start_sinks(walk, desk, group);
    walk_links(walk, desk, group);
    finish_sinks(walk, desk, group);
}

/* ---- all groups ---- */

static enum ky_status walk_groups(const struct general *walk, struct ky_error *error)
{
    struct ky_cpu *cpu = walk->cpu;
    size_t threads = (size_t)cpu->threads;
    struct desk *desk = ky_allocate_zeroed(threads, sizeof *desk);
    enum ky_status status =
        desk ? KY_OK : ky_no_memory(error, "general walk", threads, sizeof *desk);
    for (size_t k = 0; k < threads && status == KY_OK; k++)
        status = set_desk(walk, &desk[k], error);
    if (status == KY_OK) {
#pragma omp parallel for schedule(dynamic) num_threads(cpu->threads) if (walk->tree->groups > 3)
        for (size_t g = 0; g < walk->tree->groups; g++)
            walk_group(walk, &desk[ky_thread()], &walk->tree->group[g]);
    }
    uint32_t wanted = 0;
    for (size_t k = 0; desk && k < threads; k++) {
        wanted = desk[k].wanted > wanted ? desk[k].wanted : wanted;
        cpu->report.body_interactions += (double)desk[k].bodies;
        cpu->report.cell_interactions += (double)desk[k].cells;
        clear_desk(&desk[k]);
    }
    free(desk);
    return status == KY_OK ? ky_walk_room_check(walk->request, wanted, error) : status;
}

enum ky_status ky_cpu_walk_action(struct ky_cpu *cpu, const struct ky_cpu_action *action,
                                  const struct ky_walk_request *request, struct ky_error *error)
{
    const struct ky_parameters parameters = ky_walk_parameters(request, cpu->parameters);
    ky_report_clear(&cpu->report);
    double start = ky_clock();
    enum ky_status status = cpu->n ? ky_cpu_stand_tree(cpu, &parameters, error) : KY_OK;
    double built = ky_clock();
    struct general walk = {
        .cpu = cpu,
        .tree = &cpu->tree,
        .action = action,
        .request = request,
        .stride = (action->size + 15) / 16 * 16,
        .largest = (size_t)cpu->parameters->group,
        .window =
            (size_t)cpu->parameters->group + (action->facts.about.needs_k ? 2 * request->k : 0),
        .source_eps = cpu->how & KY_EPS_OF_BOTH,
    };
    if (status == KY_OK && cpu->n)
        status = walk_groups(&walk, error);
    cpu->report.walk = ky_clock() - built;
    cpu->report.total = ky_clock() - start;
    return status;
}
