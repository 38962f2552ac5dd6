/* The cells and bodies of a part's tree that some groups need: see parts.h. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/threads.h"
#include "octree/host_cells.h"
#include "octree/work.h"
#include "physics/orders.h"
#include "physics/visit.h"

/* The factor by which a test here is stricter than the test of a walk, in float: the squared
 * radius, and the sides of the sinks' box. */
#define SURE 1.0001

/* ---- boxes ---- */

static void widen(const struct ky_octree *tree, const struct ky_group *group, double low[3],
                  double high[3])
{
    double its_low[3], its_high[3];
    ky_bodies_box(tree, group, its_low, its_high);
    for (int c = 0; c < 3; c++) {
        low[c] = fmin(low[c], its_low[c]);
        high[c] = fmax(high[c], its_high[c]);
    }
}

static struct ky_octree_box box_of(const struct ky_octree_sinks *sinks,
                                   const struct ky_group_run *run)
{
    const struct ky_octree *tree = sinks->tree;
    const double far = (double)INFINITY;
    struct ky_octree_box box = {.factor = 0, .eps2 = sinks->eps2, .by_reach = sinks->reach != NULL};
    double low[3] = {far, far, far}, high[3] = {-far, -far, -far};
    for (size_t g = run->first; g < run->end; g++) {
        const struct ky_group *group = &tree->group[g];
        if (!ky_group_is_wanted(sinks->wanted, g))
            continue;
        widen(tree, group, low, high);
        box.factor =
            fmax(box.factor,
                 sinks->factor ? sinks->factor(sinks->context, group->body, group->bodies) : 1);
        if (sinks->reach)
            box.reach = fmax(box.reach, sinks->reach(sinks->context, group->body, group->bodies));
    }
    for (int c = 0; c < 3; c++) {
        box.middle[c] = 0.5 * low[c] + 0.5 * high[c] - tree->origin[c];
        box.half[c] = 0.5 * (high[c] - low[c]) * SURE + 1e-12 * fabs(box.middle[c]);
    }
    return box;
}

/* Writes the boxes of a share's groups, or counts them where `to` is NULL. */
static size_t boxes_of_share(const struct ky_octree_sinks *sinks, size_t share,
                             struct ky_octree_box *to)
{
    const size_t end = sinks->tree->share[share + 1];
    struct ky_group_run run = {.end = sinks->tree->share[share]};
    size_t count = 0;
    for (; ky_group_next_run(sinks->tree, sinks->wanted, end, &run); count++)
        if (to)
            to[count] = box_of(sinks, &run);
    return count;
}

enum ky_status ky_octree_boxes(const struct ky_octree_sinks *sinks, struct ky_octree_box **box,
                               size_t *count, struct ky_error *error)
{
    const struct ky_octree *tree = sinks->tree;
    size_t *first = ky_allocate(tree->shares + 1, sizeof *first);
    *count = 0;
    *box = NULL;
    for (size_t share = 0; share < tree->shares && first; share++) {
        first[share] = *count;
        *count += boxes_of_share(sinks, share, NULL);
    }
    *box = ky_allocate(*count, sizeof **box);
    if (!*box || !first) {
        free(first);
        return ky_no_memory(error, "boxes of groups", *count, sizeof **box);
    }
    const int threads = tree->scratch ? tree->scratch->threads : 1;
    (void)threads; /* without OpenMP */
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads) if (threads > 1)
    for (size_t share = 0; share < tree->shares; share++)
        boxes_of_share(sinks, share, *box + first[share]);
    free(first);
    return KY_OK;
}

/* ---- marks of needed cells ---- */

/* Consecutive boxes have a larger box around them: if it does not open a cell, none of them
 * does. */
enum { AROUND = 16, BOX_LEVELS = 10 };

struct pruning {
    const struct ky_octree *tree;
    const struct ky_octree_box *box;
    size_t boxes;
    struct ky_octree_box *around; /* [arounds] */
    size_t arounds;
    unsigned char *need; /* [nodes] enum ky_need */
    uint32_t *list;      /* indices of boxes: the boxes for a cell follow the boxes for its
                            parent */
    uint32_t few; /* leaves of so few bodies act body by body, whatever the test says: of one body
                     in any walk (decide.h) */
};

/* The squared distance of the cell's box from the sinks' box, not larger than from each group
 * within (physics/visit.h). */
static double apart2(const struct ky_octree *tree, uint32_t cell, const struct ky_octree_box *box)
{
    const struct ky_cell_box *of = &tree->box[cell];
    double d[3], gap[3];
    ky_cell_apart(tree, cell, box->middle, d);
    for (int c = 0; c < 3; c++)
        gap[c] = fmax(ky_visit_gap(d[c], (double)of->below[c], (double)of->above[c], box->half[c]) -
                          1e-12 * (fabs(d[c]) + box->half[c]),
                      0);
    return ky_distance2(gap[0], gap[1], gap[2], 0);
}

/* Whether a group in the box may have to open the cell. */
static int opens(const struct ky_octree *tree, uint32_t cell, const struct ky_octree_box *box)
{
    if (box->by_reach)
        return apart2(tree, cell, box) <= SURE * box->reach * box->reach;
    const struct ky_cell_box *of = &tree->box[cell];
    const float wider = (float)SURE;
    float d[3], half[3];
    double apart[3];
    ky_cell_apart(tree, cell, box->middle, apart);
    for (int c = 0; c < 3; c++) {
        d[c] = (float)apart[c];
        half[c] = (float)(box->half[c] + 1e-6 * fabs(apart[c]));
    }
    const float most = fmaxf(half[0], fmaxf(half[1], half[2])) * wider / 128; /* lists.h: CLOSE */
    const struct ky_opening_sides sides = {wider * of->below[0],
                                           wider * of->below[1],
                                           wider * of->below[2],
                                           wider * of->above[0],
                                           wider * of->above[1],
                                           wider * of->above[2],
                                           wider *
                                               ky_opening_reach2((float)box->eps2, of->above[3])};
    const struct ky_opening_apart from = {d[0], d[1], d[2], half[0], half[1], half[2]};
    const float open2 = wider * fmaxf(tree->centre[cell].open2 * (float)box->factor, most * most);
    return ky_opening_opens(from, sides, ky_opening_distance2(from), open2, tree->opening) != 0;
}

/* The box around some. */
static struct ky_octree_box join_boxes(const struct ky_octree_box *box, size_t count)
{
    struct ky_octree_box all = box[0];
    for (int c = 0; c < 3; c++) {
        double low = box[0].middle[c] - box[0].half[c], high = box[0].middle[c] + box[0].half[c];
        for (size_t k = 1; k < count; k++) {
            low = fmin(low, box[k].middle[c] - box[k].half[c]);
            high = fmax(high, box[k].middle[c] + box[k].half[c]);
        }
        all.middle[c] = 0.5 * (low + high);
        all.half[c] = 0.5 * (high - low) * SURE;
    }
    for (size_t k = 1; k < count; k++) {
        all.factor = fmax(all.factor, box[k].factor);
        all.eps2 = fmax(all.eps2, box[k].eps2);
        all.reach = fmax(all.reach, box[k].reach);
    }
    return all;
}

/* 1 if any of the boxes that the k-th larger box contains opens the cell. */
static int opens_within(const struct pruning *p, uint32_t cell, size_t k)
{
    const size_t end = (k + 1) * AROUND < p->boxes ? (k + 1) * AROUND : p->boxes;
    size_t box = k * AROUND;
    while (box < end && !opens(p->tree, cell, &p->box[box]))
        box++;
    return box < end;
}

/* Marks a cell and the cells needed below it. Larger boxes list[0 … count) have opened its
 * parent. */
static void look_below(struct pruning *p, uint32_t cell, const uint32_t *list, size_t count,
                       uint32_t *later)
{
    const struct ky_octree *tree = p->tree;
    const uint32_t children = tree->children[cell];
    size_t opened = 0;
    int is_open = !children && tree->link[cell].bodies <= p->few;
    for (size_t k = 0; k < count && (children || !is_open); k++)
        if (opens(tree, cell, &p->around[list[k]])) {
            later[opened++] = list[k];
            is_open = is_open || opens_within(p, cell, list[k]);
        }
    p->need[cell] = is_open ? KY_NEED_CHILDREN : KY_NEED_CELL;
    for (uint32_t k = 0; k < children && is_open; k++)
        look_below(p, tree->link[cell].more + k, later, opened, later + opened);
}

/* Makes the boxes around boxes. */
static enum ky_status surround(struct pruning *p, struct ky_error *error)
{
    p->arounds = (p->boxes + AROUND - 1) / AROUND;
    KY_TRY(ky_array(&p->around, p->arounds, sizeof *p->around, "boxes of another part", error));
    for (size_t k = 0; k < p->arounds; k++) {
        const size_t left = p->boxes - k * AROUND;
        p->around[k] = join_boxes(p->box + k * AROUND, left < AROUND ? left : AROUND);
    }
    return KY_OK;
}

static enum ky_status look_at_all(struct pruning *p, struct ky_error *error)
{
    const struct ky_octree *tree = p->tree;
    enum ky_status status = surround(p, error);
    const int threads = tree->scratch ? tree->scratch->threads : 1;
    const size_t room = p->arounds * (tree->levels + 2);
    p->need = ky_allocate_zeroed(tree->nodes, 1);
    p->list = ky_allocate(p->arounds + room * (size_t)threads, sizeof *p->list);
    if (!status && (!p->need || !p->list))
        status = ky_no_memory(error, "boxes of another part", room, sizeof *p->list);
    if (status)
        return status;
    for (size_t k = 0; k < p->arounds; k++)
        p->list[k] = (uint32_t)k;
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (threads > 1)
    for (size_t r = 0; r < tree->roots; r++)
        look_below(p, (uint32_t)r, p->list, p->arounds,
                   p->list + p->arounds + room * (size_t)ky_thread());
    return KY_OK;
}

/* Boxes, the level 0, and boxes around them: each of a level has AROUND of the one below. */
struct pyramid {
    const struct ky_octree_box *level[BOX_LEVELS];
    size_t count[BOX_LEVELS];
};

/* The squared distance of the nearest closed root that the box opens; INFINITY: it opens none.
 * Roots nearer than the square root of `enough` are all the same. */
static double opened2(const struct ky_octree *roots, const struct ky_octree_box *box, double enough)
{
    double least2 = (double)INFINITY;
    for (uint32_t r = 0; r < roots->nodes && least2 > enough; r++)
        if (roots->link[r].bodies == KY_CLOSED_CELL && opens(roots, r, box))
            least2 = fmin(least2, apart2(roots, r, box));
    return least2;
}

/* Copies the boxes within the k-th of a level that open a root; returns how many. The k-th box
 * itself is used instead if all roots that it opens are farther away than half its largest side:
 * then it needs hardly more cells than the boxes within. */
static size_t take_openers(const struct pyramid *pyramid, const struct ky_octree *roots, int level,
                           size_t k, struct ky_octree_box *to)
{
    const struct ky_octree_box *box = &pyramid->level[level][k];
    const double half = fmax(box->half[0], fmax(box->half[1], box->half[2])),
                 near2 = opened2(roots, box, level ? half * half : (double)FLT_MAX);
    size_t taken = 0;
    if (isinf(near2))
        return 0;
    if (level == 0 || (!box->by_reach && near2 > half * half)) {
        *to = *box;
        return 1;
    }
    const size_t end = (k + 1) * AROUND, count = pyramid->count[level - 1];
    for (size_t below = k * AROUND; below < end && below < count; below++)
        taken += take_openers(pyramid, roots, level - 1, below, to + taken);
    return taken;
}

/* Makes the levels up to one box; returns the last, or −1 if memory runs out. */
static int make_pyramid(struct pyramid *pyramid, const struct ky_octree_box *box, size_t boxes,
                        struct ky_octree_box **room)
{
    struct ky_octree_box *to = *room = ky_allocate(boxes / (AROUND - 1) + BOX_LEVELS, sizeof *to);
    int level = 0;
    pyramid->level[0] = box;
    pyramid->count[0] = boxes;
    for (; to && pyramid->count[level] > 1; level++) {
        const size_t below = pyramid->count[level], count = (below + AROUND - 1) / AROUND;
        for (size_t k = 0; k < count; k++) {
            const size_t left = below - k * AROUND;
            to[k] = join_boxes(pyramid->level[level] + k * AROUND, left < AROUND ? left : AROUND);
        }
        pyramid->level[level + 1] = to;
        pyramid->count[level + 1] = count;
        to += count;
    }
    return to ? level : -1;
}

enum ky_status ky_octree_openers(const struct ky_octree_parcel *parcel, unsigned opening,
                                 const struct ky_octree_box *box, size_t boxes,
                                 struct ky_octree_box **openers, size_t *count,
                                 struct ky_error *error)
{
    const struct ky_given_cells *cells = &parcel->cells;
    const struct ky_octree roots = {.opening = opening,
                                    .nodes = parcel->roots,
                                    .centre = (struct ky_cell_centre *)(uintptr_t)cells->centre,
                                    .low = (struct ky_low *)(uintptr_t)cells->low,
                                    .link = (struct ky_cell_link *)(uintptr_t)cells->link,
                                    .box = (struct ky_cell_box *)(uintptr_t)cells->box};
    struct ky_octree_box *room = NULL;
    struct pyramid pyramid;
    const int top = boxes ? make_pyramid(&pyramid, box, boxes, &room) : -1;
    *count = 0;
    *openers = ky_allocate(boxes, sizeof **openers);
    const int failed = !*openers || (boxes && top < 0);
    if (!failed && boxes)
        *count = take_openers(&pyramid, &roots, top, 0, *openers);
    free(room);
    return failed ? ky_no_memory(error, "boxes of groups", boxes, sizeof *room) : KY_OK;
}

enum ky_status ky_octree_prune(const struct ky_octree *tree, const struct ky_octree_box *box,
                               size_t boxes, int order, struct ky_octree_parcel *parcel,
                               struct ky_error *error)
{
    const uint32_t cost = ky_order_cost(order); /* 0 for orders whose walks use only the test */
    struct pruning p = {.tree = tree, .box = box, .boxes = boxes, .few = cost ? cost : 1};
    *parcel = (struct ky_octree_parcel){0};
    enum ky_status status = look_at_all(&p, error);
    if (!status)
        status = ky_octree_pack(tree, p.need, parcel, error);
    free(p.need);
    free(p.list);
    free(p.around);
    return status;
}
