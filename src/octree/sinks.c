/* The sinks of a part where cells act on cells: see sinks.h. */
#include "octree/sinks.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "octree/host_cells.h"
#include "octree/work.h"
#include "physics/fmm.h"

struct listing {
    const struct ky_octree_own_sinks *own;
    const uint32_t *root; /* [cells of `top`] 1 + the index of a root; 0: a cell above the roots */
    struct ky_octree_sink *sink;
    size_t count, room;
    size_t group; /* the next one along the curve */
    int failed;
};

/* Room for one more; the sinks so far may lie elsewhere then. */
static struct ky_octree_sink *append(struct listing *list)
{
    list->failed |= !ky_room_for_one(&list->sink, list->count, &list->room, sizeof *list->sink);
    return list->failed ? NULL : &list->sink[list->count++];
}

static float error_of(const struct listing *list, float least)
{
    return list->own->least ? list->own->alpha * least : (float)INFINITY;
}

/* ---- groups ---- */

float ky_octree_least(const struct ky_octree *tree, const float *least, uint32_t cell)
{
    const struct ky_cell_link *link = &tree->link[cell];
    float all = (float)INFINITY;
    for (size_t g = ky_group_from(tree, link->body);
         least && g < tree->groups && tree->group[g].body < link->body + link->bodies; g++)
        all = fminf(all, least[g]);
    return all;
}

/* A float that is not smaller. */
static float wide(double x)
{
    return (float)(x * 1.000001);
}

/* The box of the run; properties of single groups are accumulated in `sink`. */
static void measure_run(const struct listing *list, const struct ky_group_run *run,
                        struct ky_octree_sink *sink)
{
    const struct ky_octree *tree = list->own->tree;
    const double far = (double)INFINITY;
    double low[3] = {far, far, far}, high[3] = {-far, -far, -far}, first[3] = {far, far, far},
           last[3] = {-far, -far, -far};
    for (size_t g = run->first; g < run->end; g++) {
        const struct ky_group *group = &tree->group[g];
        double its_low[3], its_high[3], radius2 = 0;
        if (!ky_group_is_wanted(list->own->wanted, g))
            continue;
        ky_bodies_box(tree, group, its_low, its_high);
        for (int c = 0; c < 3; c++) {
            const double middle = 0.5 * its_low[c] + 0.5 * its_high[c],
                         half = 0.5 * (its_high[c] - its_low[c]);
            low[c] = fmin(low[c], its_low[c]), high[c] = fmax(high[c], its_high[c]);
            first[c] = fmin(first[c], middle), last[c] = fmax(last[c], middle);
            radius2 += half * half;
        }
        sink->radius = fmaxf(sink->radius, wide(sqrt(radius2) * (1 + 4 * KY_OPENING_SLACK)));
        sink->error =
            fminf(sink->error, error_of(list, list->own->least ? list->own->least[g] : 0));
        const uint32_t few = ky_fmm_cost(list->own->order) / group->bodies;
        sink->few = few > sink->few ? few : sink->few;
    }
    for (int c = 0; c < 3; c++) {
        const double middle = 0.5 * low[c] + 0.5 * high[c], rounding = 1e-12 * fabs(middle);
        sink->middle[c] = middle - tree->origin[c];
        sink->half[c] = wide(0.5 * (high[c] - low[c]) * (1 + 4 * KY_OPENING_SLACK) + rounding);
        sink->inside[c] = wide(fmax(middle - first[c], last[c] - middle) + rounding);
    }
}

/* Lists the groups of the cell. */
static void add_groups(struct listing *list, const struct ky_cell_link *link)
{
    const struct ky_octree *tree = list->own->tree;
    size_t end = list->group;
    while (end < tree->groups && tree->group[end].body < link->body + link->bodies)
        end++;
    struct ky_group_run run = {list->group, list->group};
    while (ky_group_next_run(tree, list->own->wanted, end, &run)) {
        struct ky_octree_sink *sink = append(list);
        if (!sink)
            return;
        *sink = (struct ky_octree_sink){
            .error = (float)INFINITY, .end = (uint32_t)list->count, .is_group = 1};
        measure_run(list, &run, sink);
    }
    list->group = end;
}

/* ---- cells ---- */

static struct ky_octree_sink sink_of(const struct ky_octree *tree, uint32_t cell)
{
    struct ky_octree_sink sink = {.is_group = 0};
    double side[3];
    float half[3];
    ky_cell_middle(tree, cell, sink.middle, side);
    ky_cell_half(&tree->box[cell], half);
    sink.radius = ky_fmm_radius(half);
    for (int c = 0; c < 3; c++)
        sink.inside[c] = (float)(1e-12 * fabs(sink.middle[c]));
    return sink;
}

/* Ends the cell at `place`, after all sinks below it have been appended. If there are none, the
 * cell is removed. `least`: the smallest |a| of its bodies. */
static void close_cell(struct listing *list, size_t place, float least)
{
    if (list->failed)
        return;
    list->sink[place].error = error_of(list, least);
    list->sink[place].end = (uint32_t)list->count;
    if (list->count == place + 1)
        list->count = place;
}

static void add_cell(struct listing *list, uint32_t cell)
{
    const struct ky_octree *tree = list->own->tree;
    const size_t place = list->count;
    struct ky_octree_sink *sink = append(list);
    if (!sink)
        return;
    *sink = sink_of(tree, cell);
    if (ky_octree_has_groups(tree, cell, list->own->group))
        add_groups(list, &tree->link[cell]);
    for (uint32_t k = 0;
         k < tree->children[cell] && !ky_octree_has_groups(tree, cell, list->own->group); k++)
        add_cell(list, tree->link[cell].more + k);
    close_cell(list, place, ky_octree_least(tree, list->own->least, cell));
}

/* A cell of the top; returns the smallest |a| below it. */
static float add_top(struct listing *list, uint32_t cell)
{
    const struct ky_octree *top = list->own->top;
    const struct ky_grafted_root *root = top->grafted_root + list->root[cell] - 1;
    const size_t place = list->count;
    float least = (float)INFINITY;
    if (list->root[cell]) {
        if (root->part == list->own->part)
            add_cell(list, root->root);
        return root->least;
    }
    struct ky_octree_sink *sink = append(list);
    if (!sink)
        return least;
    *sink = sink_of(top, cell);
    for (uint32_t k = 0; k < top->children[cell]; k++)
        least = fminf(least, add_top(list, top->link[cell].more + k));
    close_cell(list, place, least);
    return least;
}

enum ky_status ky_octree_list_sinks(const struct ky_octree_own_sinks *own,
                                    struct ky_octree_sink **sink, size_t *count,
                                    struct ky_error *error)
{
    const struct ky_octree *top = own->top;
    uint32_t *root = ky_allocate_zeroed(top ? top->nodes : 0, sizeof *root);
    struct listing list = {.own = own, .root = root, .failed = !root};
    for (size_t k = 0; top && k < top->grafted_roots && root; k++)
        root[top->grafted_root[k].cell] = (uint32_t)k + 1;
    if (!top && own->tree->nodes)
        add_cell(&list, 0);
    else if (root && top && top->nodes)
        add_top(&list, 0);
    free(root);
    *sink = list.sink;
    *count = list.count;
    return list.failed ? ky_no_memory(error, "sinks of a part", list.room, sizeof **sink) : KY_OK;
}
