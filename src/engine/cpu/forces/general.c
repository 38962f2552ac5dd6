/* The general walk of the CPU engine for one group of sinks (general.h): consecutive bodies walk
 * together along `next` and `more`, with one distance test for their box. Bodies of opened leaves
 * are collected; when there are enough, each sink takes the bodies within its reach. The action
 * determines the effect on a sink. */
#include "engine/cpu/forces/general.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "octree/host_cells.h"

enum { SOURCES = 4096, DIGIT = 8, DIGITS = 1 << DIGIT };

/* ---- work space ---- */

void ky_general_close(struct ky_general_desk *desk)
{
    free(desk->own);
    free(desk->sources.x);
    free(desk->keys);
    free(desk->heap);
    free(desk->distance2);
    free(desk->bound2);
}

enum ky_status ky_general_open(const struct ky_general *walk, struct ky_general_desk *desk,
                               struct ky_error *error)
{
    const size_t largest = (size_t)walk->cpu->parameters->group,
                 k = walk->action->facts.about.needs_k ? walk->request->k : 0,
                 window = k ? largest + 2 * k : 0;
    size_t heaps = 0;
    memset(desk, 0, sizeof *desk);
    if (__builtin_mul_overflow(largest, k, &heaps))
        return ky_no_memory(error, "nearest neighbours of a group", k, sizeof(double));
    desk->own = ky_allocate(largest, walk->stride);
    desk->sources.x = ky_allocate(5 * (size_t)SOURCES, sizeof(double) + sizeof(uint32_t));
    desk->key = desk->keys = ky_allocate(2 * (size_t)SOURCES, sizeof *desk->key);
    desk->heap = ky_allocate(heaps, sizeof(double));
    desk->distance2 = ky_allocate(window, sizeof(double));
    desk->bound2 = ky_allocate(k && !walk->bound2 ? walk->most : 0, sizeof(double));
    if (!desk->own || !desk->sources.x || !desk->key || !desk->heap || !desk->distance2 ||
        !desk->bound2)
        return ky_no_memory(error, "work space of the general walk",
                            heaps + SOURCES + window + walk->most, sizeof(double));
    desk->sources.y = desk->sources.x + SOURCES;
    desk->sources.z = desk->sources.y + SOURCES;
    desk->sources.mass = desk->sources.z + SOURCES;
    desk->sources.eps2 = desk->sources.mass + SOURCES;
    desk->sources.body = (uint32_t *)(void *)(desk->sources.eps2 + SOURCES);
    desk->other = desk->key + SOURCES;
    return KY_OK;
}

/* ---- sources ---- */

/* Sorts the keys by the caller's index, their upper half, so that lists are in ascending order. */
static void sort_keys(struct ky_general_desk *desk, size_t count, size_t n)
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

static void gather(const struct ky_general *walk, struct ky_general_desk *desk)
{
    const struct ky_octree *tree = walk->tree;
    struct ky_cpu_sources *sources = &desk->sources;
    if (walk->action->facts.about.needs_lists)
        sort_keys(desk, sources->count, ky_cpu_system(walk->cpu));
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

static void act_on(const struct ky_general *walk, struct ky_general_desk *desk,
                   const struct ky_group *group)
{
    const struct ky_octree *tree = walk->tree;
    gather(walk, desk);
    const struct ky_cpu_sources *sources = &desk->sources;
    for (uint32_t s = 0; s < group->bodies; s++) {
        uint32_t i = group->body + s;
        void *own = desk->own + s * walk->stride;
        struct ky_reach reach = {sources->x, sources->y,
                                 sources->z, {tree->x[i], tree->y[i], tree->z[i]},
                                 0,          walk->cpu->box};
        struct ky_cpu_near *near = &desk->near;
        memcpy(near->x, reach.sink, sizeof near->x);
        near->side = reach.side;
        near->body = walk->number[i];
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

/* 1 if the body is beyond the reach of all sinks. */
static int is_far(const struct ky_general *walk, const struct ky_general_desk *desk, uint32_t j)
{
    const struct ky_octree *tree = walk->tree;
    const struct ky_visit_span *span = &desk->sinks.span;
    double d[3] = {KY_APART(tree->x[j], desk->centre[0]), KY_APART(tree->y[j], desk->centre[1]),
                   KY_APART(tree->z[j], desk->centre[2])};
    if (walk->cpu->box > 0)
        for (int c = 0; c < 3; c++)
            d[c] = ky_cpu_to_nearest(walk->cpu, d[c]);
    return ky_distance2(ky_visit_gap(d[0], 0, 0, span->hx), ky_visit_gap(d[1], 0, 0, span->hy),
                        ky_visit_gap(d[2], 0, 0, span->hz), 0) > span->most2;
}

static void add_leaf(const struct ky_general *walk, struct ky_general_desk *desk,
                     const struct ky_group *group, const struct ky_cell_link *leaf)
{
    for (uint32_t k = 0; k < leaf->bodies; k++) {
        uint32_t j = leaf->body + k;
        if (is_far(walk, desk, j))
            continue;
        if (desk->sources.count == SOURCES)
            act_on(walk, desk, group);
        desk->key[desk->sources.count++] = (uint64_t)walk->number[j] << 32 | j;
    }
}

/* ---- cells ---- */

/* The place of a cell, in a box of its nearest image, relative to a position that is relative to
 * the tree's origin. */
static void cell_apart(const struct ky_general *walk, uint32_t cell, const double from[3],
                       double d[3])
{
    const struct ky_cell_box *box = &walk->tree->box[cell];
    ky_cell_apart(walk->tree, cell, from, d);
    for (int c = 0; c < 3; c++)
        d[c] =
            ky_cpu_to_nearest_cell(walk->cpu, d[c], (double)box->below[c], (double)box->above[c]);
}

static void span_of(const struct ky_general *walk, struct ky_general_sinks *sinks, uint32_t cell)
{
    const struct ky_cell_box *box = &walk->tree->box[cell];
    struct ky_visit_span *span = &sinks->span;
    double d[3];
    cell_apart(walk, cell, sinks->from, d);
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
    span->reach2 = (double)ky_opening_reach2((float)sinks->most_eps2, box->above[3]);
}

int ky_general_test(const struct ky_general *walk, struct ky_general_sinks *sinks, uint32_t cell)
{
    const struct ky_cell_link *link = &walk->tree->link[cell];
    if (link->body < sinks->end && sinks->body < link->body + link->bodies)
        return KY_VISIT_OPEN;
    span_of(walk, sinks, cell);
    int verdict = walk->action->test(&sinks->span);
    const int is_body = link->bodies == 1 && link->more == KY_NO_LINK;
    return verdict == KY_VISIT_USE && is_body ? KY_VISIT_OPEN : verdict;
}

static void use_cell(const struct ky_general *walk, struct ky_general_desk *desk,
                     const struct ky_group *group, uint32_t cell)
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
        cell_apart(walk, cell, at, d);
        seen.x = d[0];
        seen.y = d[1];
        seen.z = d[2];
        walk->action->cell(desk->own + s * walk->stride, &seen);
    }
    desk->cells += group->bodies;
}

/* Walks through a cell and everything below it. */
static void walk_below(const struct ky_general *walk, struct ky_general_desk *desk,
                       const struct ky_group *group, uint32_t top)
{
    const struct ky_octree *tree = walk->tree;
    for (uint32_t cell = top; cell != tree->link[top].next;) {
        const struct ky_cell_link *link = &tree->link[cell];
        uint32_t next = link->next;
        int verdict = ky_general_test(walk, &desk->sinks, cell);
        if (verdict == KY_VISIT_USE)
            use_cell(walk, desk, group, cell);
        else if (verdict == KY_VISIT_OPEN && link->more == KY_NO_LINK)
            add_leaf(walk, desk, group, link);
        else if (verdict == KY_VISIT_OPEN)
            next = link->more;
        cell = next;
    }
}

/* ---- sinks ---- */

/* A squared distance within which the sink has k other bodies: about the distance of the k-th
 * nearest among the bodies of the group and k more on either side along the curve, not their
 * images. The sink itself is the nearest. The own tree of an engine that shares a system may have
 * fewer bodies. */
static double bound2(const struct ky_general *walk, const struct ky_general_desk *desk,
                     const struct ky_group *group, uint32_t sink)
{
    const struct ky_octree *tree = walk->tree;
    size_t k = walk->request->k, end = (size_t)group->body + group->bodies;
    size_t from = group->body > k ? group->body - k : 0, to = tree->n - end > k ? end + k : tree->n;
    const struct ky_reach reach = {
        tree->x, tree->y, tree->z, {tree->x[sink], tree->y[sink], tree->z[sink]}, 0, 0};
    return tree->n > k ? walk->cpu->lanes->bound2(&reach, from, to - from, k + 1, desk->distance2)
                       : (double)KY_VISIT_FAR;
}

/* The memory of bound2 for the sink at a place. */
static double *bound2_of(const struct ky_general *walk, const struct ky_general_desk *desk,
                         uint32_t place)
{
    return walk->bound2 ? &walk->bound2[place - walk->own.body]
                        : &desk->bound2[place - desk->first];
}

/* The body at a place as a sink; without its bound2. */
static struct ky_visit_sink sink_of(const struct ky_general *walk,
                                    const struct ky_general_desk *desk,
                                    const struct ky_group *group, uint32_t place)
{
    const struct ky_walk_request *request = walk->request;
    const struct ky_action *about = &walk->action->facts.about;
    struct ky_visit_sink sink = ky_cpu_visit_sink(walk->cpu, walk->tree, about, request, place);
    if (about->needs_k) {
        sink.k = (unsigned)request->k;
        sink.space = desk->heap + (place - group->body) * request->k;
        sink.stride = 1;
    }
    if (about->needs_lists) {
        const size_t *offset = request->offset + walk->tree->order[place];
        sink.list = request->list ? request->list + offset[0] : NULL;
        sink.room = (unsigned)(offset[1] - offset[0]);
    }
    return sink;
}

struct ky_general_reach ky_general_measure(const struct ky_general *walk,
                                           struct ky_general_desk *desk,
                                           const struct ky_group *group)
{
    struct ky_general_reach reach = ky_general_no_reach;
    const int needs_k = walk->action->facts.about.needs_k;
    for (uint32_t s = 0; s < group->bodies; s++) {
        const uint32_t place = group->body + s;
        struct ky_visit_sink sink = sink_of(walk, desk, group, place);
        if (needs_k && !walk->has_bounds)
            *bound2_of(walk, desk, place) = bound2(walk, desk, group, place);
        if (needs_k)
            sink.bound2 = *bound2_of(walk, desk, place);
        walk->action->start(desk->own, &sink);
        const double reach2 = walk->action->reach2(desk->own);
        reach = ky_general_both(reach, (struct ky_general_reach){reach2, reach2, sink.eps2});
    }
    return reach;
}

static void start_sinks(const struct ky_general *walk, struct ky_general_desk *desk,
                        const struct ky_group *group)
{
    const int needs_k = walk->action->facts.about.needs_k;
    for (uint32_t s = 0; s < group->bodies; s++) {
        const uint32_t place = group->body + s;
        struct ky_visit_sink sink = sink_of(walk, desk, group, place);
        if (needs_k)
            sink.bound2 = *bound2_of(walk, desk, place);
        walk->action->start(desk->own + s * walk->stride, &sink);
    }
}

void ky_general_place(const struct ky_general *walk, struct ky_general_sinks *sinks,
                      const double centre[3], const double half_side[3],
                      const struct ky_general_reach *reach)
{
    sinks->span.opening = walk->tree->opening;
    sinks->span.hx = half_side[0];
    sinks->span.hy = half_side[1];
    sinks->span.hz = half_side[2];
    sinks->span.most2 = reach->most2;
    sinks->span.least2 = reach->least2;
    sinks->most_eps2 = reach->most_eps2;
    memcpy(sinks->from, centre, sizeof sinks->from);
}

/* The box of the sinks. */
static void place_box(const struct ky_general *walk, struct ky_general_desk *desk,
                      const struct ky_group *group, const struct ky_general_reach *reach)
{
    double low[3], high[3], centre[3], half_side[3];
    ky_bodies_box(walk->tree, group, low, high);
    for (int c = 0; c < 3; c++) {
        desk->centre[c] = 0.5 * low[c] + 0.5 * high[c];
        centre[c] = desk->centre[c] - walk->tree->origin[c];
        half_side[c] = fmax(high[c] - desk->centre[c], desk->centre[c] - low[c]);
    }
    ky_general_place(walk, &desk->sinks, centre, half_side, reach);
    desk->sinks.body = group->body;
    desk->sinks.end = group->body + group->bodies;
}

/* The caller gets lists in ascending order. A walk whose sources fit into one batch finds its
 * bodies in that order already; a walk with several batches may not. */
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
static void finish_list(const struct ky_general *walk, struct ky_general_desk *desk,
                        const void *own, uint32_t i)
{
    const struct ky_walk_request *request = walk->request;
    size_t room = request->offset[i + 1] - request->offset[i];
    uint32_t count = (uint32_t)walk->action->result(own, 0);
    if (count > room)
        desk->wanted = count > desk->wanted ? count : desk->wanted;
    else if (count > 1)
        order_list(request->list + request->offset[i], count);
}

static void finish_sinks(const struct ky_general *walk, struct ky_general_desk *desk,
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

void ky_general_walk_group(const struct ky_general *walk, struct ky_general_desk *desk,
                           const struct ky_group *group, const struct ky_general_reach *reach,
                           const struct ky_general_list *from)
{
    place_box(walk, desk, group, reach);
    start_sinks(walk, desk, group);
    for (size_t k = 0; k < from->count; k++)
        walk_below(walk, desk, group, from->cell[k]);
    act_on(walk, desk, group);
    finish_sinks(walk, desk, group);
}
