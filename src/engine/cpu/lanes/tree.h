/* The walk for groups of sinks; the body of tree_single.c and tree_double.c, which say
 * KY_LANE_DOUBLE and the names.
 *
 * Cells are tested a vector of them at a time against the sinks' tight box. Several consecutive
 * groups first share a walk with the box of them all: a cell that is far enough from that box is
 * far enough for each group and goes into the far list. A cell that even the farthest point of the
 * box has to open is divided. The others are the frontier, where each group's own walk begins. So
 * the lists are the same as if each group walked from the root. A group's own bodies are left out
 * of its lists and act on each other at the end. */
#include "engine/cpu/lanes/lanes.h"

#include "engine/cpu/lanes/batch.h"
#include "engine/cpu/lanes/lists.h"
#include "physics/opening.h"
#include "physics/orders.h"

_Static_assert(sizeof(struct ky_cell_centre) == 16 && sizeof(struct ky_low) == 16 &&
                   sizeof(struct ky_cell_link) == 16 && sizeof(struct ky_cell_box) == 32,
               "ky_read_fours takes elements of 16 bytes, or of twice that");
/* Bytes of a thread's space. The stack holds the frontier and, for each level of the tree, at most
 * the children of one batch of cells: FRONTIER + (levels + 2) × KY_BATCH × 8 indices. */
size_t KY_LANE_NAME(KY_SPACE_NAME)(const struct ky_octree *tree)
{
    size_t stack = FRONTIER + (tree->levels + 2) * KY_BATCH * 8;
    size_t bytes = sizeof(struct space) + stack * sizeof(uint32_t);
    return (bytes + 63) / 64 * 64;
}

/* ---- the test ---------------------------------------------------------------------------------
 */

/* Pops the topmost cells of the stack; `wanted` is set where there is one. */
KY_INLINE ky_ints pop_batch(struct walk *walk, ky_ints *index)
{
    static const int32_t places[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    ky_ints place;
    memcpy(&place, places, sizeof place);
    size_t count = walk->height < KY_BATCH ? walk->height : KY_BATCH;
    walk->height -= count;
    memcpy(index, walk->space->stack + walk->height, sizeof *index);
    ky_ints wanted = place < (int32_t)count;
    *index &= wanted;
    return wanted;
}

/* A batch of cells: com relative to the centre of the sinks, the sides of the boxes, the squared
 * radius of the test, −1 for leaves, and numbers of bodies. */
struct batch {
    uint32_t cell[KY_BATCH];
    struct ky_opening_apart apart;
    ky_floats open2;
    ky_ints leaf, bodies;
};

/* The difference of two positions from their parts: (high − high) + (low − low). */
KY_INLINE ky_floats apart(const struct walk *walk, int c, ky_floats high, ky_floats low)
{
    return KY_APART(high, KY_FLOAT_SPLAT(walk->high[c])) + (low - KY_FLOAT_SPLAT(walk->low[c]));
}

KY_INLINE void read_batch(const struct walk *walk, ky_ints index, struct batch *b)
{
    const struct ky_octree *tree = walk->tree;
    ky_floats high[4], low[4], link[4];
    memcpy(b->cell, &index, sizeof b->cell);
    ky_read_fours(tree->centre, b->cell, 1, high);
    ky_read_fours(tree->low, b->cell, 1, low);
    ky_read_fours(tree->link, b->cell, 1, link);
    b->apart =
        (struct ky_opening_apart){apart(walk, 0, high[0], low[0]), apart(walk, 1, high[1], low[1]),
                                  apart(walk, 2, high[2], low[2]), KY_FLOAT_SPLAT(walk->half[0]),
                                  KY_FLOAT_SPLAT(walk->half[1]),   KY_FLOAT_SPLAT(walk->half[2])};
    b->open2 = high[3];
    b->leaf = (ky_ints)link[1] == (int32_t)KY_NO_LINK;
    b->bodies = (ky_ints)link[3];
}

/* -1 for cells that some place in the box has to open, and for close ones. */
KY_INLINE ky_ints test_batch(const struct walk *walk, const struct batch *b)
{
    const unsigned how = walk->tree->opening;
    ky_floats open2 = KY_FLOAT_MAX(b->open2 * walk->factor, KY_FLOAT_SPLAT(walk->close2));
    ky_floats below[4] = {{0}}, above[4] = {{0}};
    if (how & KY_OPENING_BOXES) {
        ky_read_fours(walk->tree->box->below, b->cell, 2, below);
        ky_read_fours(walk->tree->box->above, b->cell, 2, above);
    }
    const struct ky_opening_sides sides = {
        below[0],
        below[1],
        below[2],
        above[0],
        above[1],
        above[2],
        ky_opening_reach2(KY_FLOAT_SPLAT(walk->most2), above[3])};
    return ky_opening_opens(b->apart, sides, ky_opening_distance2(b->apart), open2, how);
}

/* -1 for the cells that every place in the box has to open. */
KY_INLINE ky_ints test_farthest(const struct batch *b, float factor)
{
    const struct ky_opening_apart *a = &b->apart;
    ky_floats x = KY_FLOAT_MAX(a->x, -a->x) + a->hx, y = KY_FLOAT_MAX(a->y, -a->y) + a->hy,
              z = KY_FLOAT_MAX(a->z, -a->z) + a->hz;
    return x * x + y * y + z * z <= b->open2 * (factor * 0.999f);
}

/* ---- the walks --------------------------------------------------------------------------------
 */

/* A leaf of so few bodies is as cheap body by body, and more accurate. */
KY_INLINE int32_t few_of(const struct walk *walk)
{
    return (int32_t)ky_order_cost(walk->given->order);
}

/* 1 if a leaf may hold bodies that are close to the group's. */
KY_INLINE int is_close(const struct walk *walk, uint32_t leaf)
{
    const struct ky_cell_box *box = &walk->tree->box[leaf];
    const float *centre = walk->tree->centre[leaf].x, *rest = walk->tree->low[leaf].x;
    float low[3], high[3];
    for (int c = 0; c < 3 && !KY_LANE_DOUBLE; c++) {
        float d = KY_APART(centre[c], walk->high[c]) + (rest[c] - walk->low[c]);
        low[c] = d - box->below[c] - walk->reach;
        high[c] = d + box->above[c] + walk->reach;
        if (low[c] > walk->half[c] || high[c] < -walk->half[c])
            return 0;
    }
    for (uint32_t r = 0; r < (walk->end - walk->body + RUN - 1) / RUN && !KY_LANE_DOUBLE; r++) {
        const float *run = walk->space->run[r];
        if (low[0] <= run[3] && high[0] >= run[0] && low[1] <= run[4] && high[1] >= run[1] &&
            low[2] <= run[5] && high[2] >= run[2])
            return 1;
    }
    return 0;
}

KY_INLINE void push_children(struct walk *walk, const uint32_t *inner, size_t count)
{
    const struct ky_octree *tree = walk->tree;
    for (size_t i = 0; i < count; i++) {
        uint32_t *top = walk->space->stack + walk->height, first = tree->link[inner[i]].more;
        for (uint32_t c = 0; c < 8; c++)
            top[c] = first + c;
        for (uint32_t c = 0; c < 8; c += 4) { /* four elements of 16 bytes are a cache line */
            __builtin_prefetch(&tree->centre[first + c]);
            __builtin_prefetch(&tree->low[first + c]);
            __builtin_prefetch(&tree->link[first + c]);
        }
        walk->height += tree->children[inner[i]];
    }
}

/* Takes the topmost cells of the stack, in the order in which they lie there: each is accepted, or
 * divided into its children or its bodies. */
static void take_batch(struct walk *walk)
{
    struct batch b;
    ky_ints index, wanted = pop_batch(walk, &index);
    read_batch(walk, index, &b);
    ky_ints leaf = b.leaf, open = test_batch(walk, &b) | (leaf & (b.bodies <= few_of(walk)));
    uint32_t accepted[KY_BATCH], inner[KY_BATCH], leaves[KY_BATCH];
    size_t accepteds = ky_keep(accepted, index, wanted & ~open),
           inners = ky_keep(inner, index, wanted & open & ~leaf),
           leaf_count = ky_keep(leaves, index, wanted & open & leaf);
    push_children(walk, inner, inners);
    for (size_t i = 0; i < leaf_count; i++) {
        const struct ky_cell_link *at = &walk->tree->link[leaves[i]];
        if (at->bodies == KY_CLOSED_CELL)
            add_near_cells(walk, &leaves[i], 1);
        else
            add_leaf(walk, at->body, at->body + at->bodies, is_close(walk, leaves[i]));
    }
    add_near_cells(walk, accepted, accepteds);
}

/* The same for several groups. Returns 0 when the frontier is full. */
static int take_shared_batch(struct walk *walk, float least_factor)
{
    struct space *s = walk->space;
    struct batch b;
    ky_ints index, wanted = pop_batch(walk, &index);
    read_batch(walk, index, &b);
    ky_ints leaf = b.leaf, divide = test_farthest(&b, least_factor) & ~leaf;
    ky_ints accept = ~(test_batch(walk, &b) | (leaf & (b.bodies <= few_of(walk))));
    if (s->far + KY_BATCH > FAR)
        accept &= 0;
    if (s->frontiers + KY_BATCH > FRONTIER)
        return 0;
    uint32_t accepted[KY_BATCH], inner[KY_BATCH];
    add_far_cells(walk, accepted, ky_keep(accepted, index, wanted & accept));
    push_children(walk, inner, ky_keep(inner, index, wanted & divide & ~accept));
    s->frontiers += ky_keep(s->frontier + s->frontiers, index, wanted & ~divide & ~accept);
    return 1;
}

/* Sets the centre and half sides of the tight box, widened for the rounding of the test. */
static void measure(struct walk *walk)
{
    const struct ky_octree *tree = walk->given->tree;
    const double *position[3] = {tree->x, tree->y, tree->z};
    for (int c = 0; c < 3; c++) {
        double low = position[c][walk->body], high = low;
        for (uint32_t i = walk->body + 1; i < walk->end; i++) {
            double x = position[c][i];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        walk->centre[c] = 0.5 * low + 0.5 * high;
        walk->from[c] = walk->centre[c] - walk->tree->origin[c];
        walk->high[c] = (float)walk->from[c];
        walk->low[c] = ky_low_part(walk->from[c]);
        walk->half[c] = (float)(0.5 * (high - low) * (1 + KY_OPENING_SLACK));
    }
    const float *half = walk->half;
    walk->reach = KY_LANE_DOUBLE ? 0 : CLOSE * fmaxf(half[0], fmaxf(half[1], half[2]));
    walk->close2 = walk->reach * walk->reach;
}

/* The largest ε² of the sinks, for splines. */
static float most_softening2(const struct walk *walk)
{
    const struct ky_octree *tree = walk->given->tree;
    double most2 = walk->given->eps2;
    if (!(walk->tree->opening & KY_OPENING_REACH))
        return 0;
    for (uint32_t i = walk->body; i < walk->end && tree->softening2; i++)
        most2 = i == walk->body || tree->softening2[i] > most2 ? tree->softening2[i] : most2;
    return (float)most2;
}

/* Sets the boxes of runs of sinks within the group's. */
static void measure_runs(struct walk *walk)
{
    const struct ky_octree *tree = walk->given->tree;
    const double *position[3] = {tree->x, tree->y, tree->z};
    for (uint32_t i = walk->body; i < walk->end; i++)
        for (int c = 0; c < 3; c++) {
            float *run = walk->space->run[(i - walk->body) / RUN],
                  x = (float)(position[c][i] - walk->centre[c]);
            int first = (i - walk->body) % RUN == 0;
            run[c] = first || x < run[c] ? x : run[c];
            run[3 + c] = first || x > run[3 + c] ? x : run[3 + c];
        }
}

static struct walk start(const struct ky_group_walk *given, const struct ky_group *first,
                         const struct ky_group *last, float factor, void *space)
{
    struct walk walk = {.given = given,
                        .tree = given->sources,
                        .space = space,
                        .body = first->body,
                        .end = last->body + last->bodies,
                        .factor = factor};
    measure(&walk);
    walk.most2 = most_softening2(&walk);
    return walk;
}

void KY_LANE_NAME(KY_SHARED_NAME)(const struct ky_group_walk *given, const struct ky_group *group,
                                  size_t groups, float least_factor, float largest_factor,
                                  void *space)
{
    struct space *s = space;
    s->far = s->frontiers = 0;
    int whole = groups > 1;
    if (whole) {
        struct walk walk = start(given, group, group + groups - 1, largest_factor, space);
        memcpy(s->far_centre, walk.centre, sizeof walk.centre);
        s->stack[0] = 0;
        walk.height = 1;
        while (whole && walk.height > 0)
            whole = take_shared_batch(&walk, least_factor);
    }
    if (!whole) { /* each group walks by itself from the root */
        s->far = 0;
        s->frontiers = 1;
        s->frontier[0] = 0;
    }
}

/* Sets the sinks relative to `centre`. */
static void place_sinks(struct walk *walk, const struct ky_group_sinks *given,
                        const double centre[3])
{
    const struct ky_octree *tree = walk->given->tree;
    struct ky_sinks *sinks = &walk->space->sinks;
    const uint32_t first = walk->body, count = given->count;
    const double *from[3] = {tree->x + first, tree->y + first, tree->z + first};
    ky_element *to[3] = {sinks->x, sinks->y, sinks->z};
    sinks->vectors = (int)((count + KY_WIDTH - 1) / KY_WIDTH);
    for (int c = 0; c < 3; c++) {
        double some[KY_MOST_SINKS];
        for (uint32_t k = 0; k < count && count < walk->end - first; k++)
            some[k] = from[c][given->own[k]];
        split_positions(to[c], sinks->low[c], count < walk->end - first ? some : from[c], centre[c],
                        count);
    }
    for (uint32_t k = 0; k < (uint32_t)(sinks->vectors * KY_WIDTH); k++) {
        const uint32_t at = k < count ? k : count - 1, own = given->own[at];
        sinks->x[k] = sinks->x[at];
        sinks->y[k] = sinks->y[at];
        sinks->z[k] = sinks->z[at];
        for (int c = 0; c < 3; c++)
            sinks->low[c][k] = sinks->low[c][at];
        sinks->eps2[k] =
            (ky_element)(tree->softening2 ? tree->softening2[first + own] : walk->given->eps2);
        sinks->own[k] = (ky_index_element)own;
    }
}

void KY_LANE_NAME(KY_NAME)(const struct ky_group_walk *given, const struct ky_group *group,
                           float factor, void *space, struct ky_group_sinks *result)
{
    struct walk walk = start(given, group, group, factor, space);
    struct space *s = space;
    memset(s->sinks.sum, 0, sizeof s->sinks.sum);
    if (s->far > 0) {
        place_sinks(&walk, result, s->far_centre);
        act_far(&walk);
    }
    place_sinks(&walk, result, walk.centre);
    memcpy(s->stack, s->frontier, s->frontiers * sizeof *s->stack);
    walk.height = s->frontiers;
    measure_runs(&walk);
    if (is_own(&walk))
        add_close(&walk, walk.body, walk.end);
    walk.own = walk.close;
    while (walk.height > 0)
        take_batch(&walk);
    act_close(&walk);
    act_bodies(&walk);
    act_near_cells(&walk);
    for (int c = 0; c < 4; c++)
        for (uint32_t k = 0; k < result->count; k++)
            result->field[c][k] = s->sinks.sum[c][k] * (c < 3 ? KY_SCALE_SUM(KY_RSQRT_SCALE) : 1.0);
    result->bodies = walk.all_bodies;
    result->cells = walk.all_cells;
}
