/* The walk for groups of sinks; included by tree_single.c and tree_double.c, which define
 * KY_LANE_DOUBLE and the names.
 *
 * Cells are tested against the sinks' tight box, a vector of cells at a time. Several consecutive
 * groups first share a walk with their common box: a cell that is far enough from that box is far
 * enough for each group and goes into the far list. A cell that even the farthest point of the box
 * has to open is divided. The rest is the frontier, where each group's own walk begins. So the
 * lists are the same as if each group walked from the root. A group's own bodies are excluded from
 * its lists and act on each other at the end. */
#include "engine/cpu/lanes/lanes.h"

#include "engine/cpu/lanes/group.h"
#include "physics/orders.h"

size_t KY_LANE_NAME(KY_SPACE_NAME)(const struct ky_octree *tree)
{
    return group_space(tree);
}

/* ---- the far list ------------------------------------------------------------------------------
 */

static void act_far(struct walk *walk)
{
    struct space *s = walk->space;
    if (!KY_ACTS_AS_BODY(walk->given->order)) {
        act_cells(walk, s->far_cell, s->far);
        return;
    }
    const struct ky_sources sources = {s->far_column[0], s->far_column[1], s->far_column[2],
                                       s->far_column[3], s->far_column[4], {0}};
    ky_pairs(&sources, 0, s->far, &s->sinks, walk->given->how, 0);
    walk->all_cells += s->far;
}

static void add_far_cells(struct walk *walk, const uint32_t *index, size_t count)
{
    struct space *s = walk->space;
    for (size_t k = 0; k < count; k++, s->far++) {
        if (KY_ACTS_AS_BODY(walk->given->order))
            store_monopole(walk, index[k], s->far_column[0] + s->far, FAR);
        else
            store_quadrupole(walk, index[k], &s->far_cell[s->far]);
    }
}

/* ---- the test ---------------------------------------------------------------------------------
 */

/* A batch of cells: com relative to the centre of the sinks, the sides of the boxes, the squared
 * radius of the test, −1 for leaves, and numbers of bodies. */
struct batch {
    uint32_t cell[KY_BATCH];
    struct ky_opening_apart apart;
    ky_floats open2;
    ky_ints leaf, bodies;
};

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

/* -1 for cells that some point in the box has to open, and for close ones. */
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

/* -1 for the cells that every point in the box has to open. */
KY_INLINE ky_ints test_farthest(const struct batch *b, float factor)
{
    const struct ky_opening_apart *a = &b->apart;
    ky_floats x = KY_FLOAT_MAX(a->x, -a->x) + a->hx, y = KY_FLOAT_MAX(a->y, -a->y) + a->hy,
              z = KY_FLOAT_MAX(a->z, -a->z) + a->hz;
    return x * x + y * y + z * z <= b->open2 * (factor * 0.999f);
}

/* ---- the walks --------------------------------------------------------------------------------
 */

/* A leaf with so few bodies is as cheap body by body, and more accurate. */
KY_INLINE int32_t few_of(const struct walk *walk)
{
    return (int32_t)ky_order_cost(walk->given->order);
}

/* Takes the topmost cells of the stack, in their order there: each is accepted, or divided into its
 * children or its bodies. */
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
        for (int image = 0; whole && image < given->images; image++) {
            take_image(&walk, s->far_centre, image);
            s->begin[image] = s->frontiers;
            s->stack[0] = 0;
            walk.height = 1;
            while (whole && walk.height > 0)
                whole = take_shared_batch(&walk, least_factor);
        }
    }
    if (!whole) { /* each group walks separately from the root */
        s->far = 0;
        s->frontiers = (size_t)given->images;
        for (size_t image = 0; image < s->frontiers; image++) {
            s->begin[image] = image;
            s->frontier[image] = 0;
        }
    }
    s->begin[given->images] = s->frontiers;
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
    begin_near(&walk, result);
    const double centre[3] = {walk.centre[0], walk.centre[1], walk.centre[2]};
    for (int image = 0; image < given->images; image++) {
        take_image(&walk, centre, image);
        walk.height = s->begin[image + 1] - s->begin[image];
        memcpy(s->stack, s->frontier + s->begin[image], walk.height * sizeof *s->stack);
        while (walk.height > 0)
            take_batch(&walk);
    }
    end_group(&walk, result);
}
