/* The walk for one group of sinks; the body of group_single.c and group_double.c, which say
 * KY_LANE_DOUBLE and the names.
 *
 * Cells are tested KY_BATCH at a time against the group's tight box. Accepted cells and the bodies
 * of opened leaves go, relative to the group's centre, into two buffers that act on the group's
 * sinks whenever they are full. The difference to the centre is taken in double, so that float has
 * its full accuracy for what is near. The group's own bodies are left out of the buffers and act on
 * each other at the end. */
#include "engine/cpu/lanes/lanes.h"

#define KY_CELLS_UNROLL 2
#include "engine/cpu/lanes/batch.h"
#include "engine/cpu/lanes/cells.h"
#include "physics/opening.h"

enum {
    BODIES = KY_CHUNK, /* in the buffer */
    CELLS = 256,
    FEW = 1, /* a leaf of so few bodies is as cheap, and better, taken body by body */
    FEW_QUADRUPOLE = 2
};

/* Work space. The stack follows. */
struct space {
    struct ky_sinks sinks;
    _Alignas(64) ky_element x[BODIES + KY_OCTREE_PADDING];
    ky_element y[BODIES + KY_OCTREE_PADDING], z[BODIES + KY_OCTREE_PADDING],
        m[BODIES + KY_OCTREE_PADDING], eps2[BODIES + KY_OCTREE_PADDING];
    struct ky_cell_source cell[CELLS];
    uint32_t stack[];
};

struct walk {
    const struct ky_group_walk *given;
    const struct ky_octree *tree;
    struct space *space;
    uint32_t body, end; /* the group's own bodies */
    double centre[4];   /* and 0 */
    float half[3], factor;
    size_t bodies, cells, height; /* fill of the buffers and the stack */
    uint64_t all_bodies, all_cells;
};

/* Deeper cells lie on top of the stack: a level holds at most what KY_BATCH cells of the level
 * above can be opened to. */
size_t KY_LANE_NAME(KY_SPACE_NAME)(const struct ky_octree *tree)
{
    size_t bytes = sizeof(struct space) + (tree->levels + 2) * KY_BATCH * 8 * sizeof(uint32_t);
    return (bytes + 63) / 64 * 64;
}

/* ---- the buffers ------------------------------------------------------------------------------
 */

static void flush_bodies(struct walk *walk)
{
    struct space *s = walk->space;
    const struct ky_sources sources = {
        s->x, s->y, s->z, s->m, walk->given->source_eps2 ? s->eps2 : NULL, {0}};
    ky_pairs(&sources, 0, walk->bodies, &s->sinks, walk->given->guard, 0);
    walk->all_bodies += walk->bodies;
    walk->bodies = 0;
}

static void flush_cells(struct walk *walk)
{
    struct space *s = walk->space;
    if (walk->given->source_eps2)
        ky_cells_all(s->cell, walk->cells, &s->sinks, KY_SOURCE_EPS);
    else
        ky_cells_all(s->cell, walk->cells, &s->sinks, 0);
    walk->all_cells += walk->cells;
    walk->cells = 0;
}

/* Bodies [first, first + count) of the tree, at most KY_OCTREE_PADDING, written in one go. */
KY_INLINE void store_bodies(struct walk *walk, size_t first)
{
    const struct ky_octree *tree = walk->tree;
    struct space *s = walk->space;
    size_t at = walk->bodies;
    for (size_t k = 0; k < KY_OCTREE_PADDING; k++) {
        s->x[at + k] = (ky_element)(tree->x[first + k] - walk->centre[0]);
        s->y[at + k] = (ky_element)(tree->y[first + k] - walk->centre[1]);
        s->z[at + k] = (ky_element)(tree->z[first + k] - walk->centre[2]);
        s->m[at + k] = (ky_element)(tree->mass[first + k] * KY_SCALE_MASS(KY_RSQRT_SCALE));
    }
    if (walk->given->source_eps2)
        for (size_t k = 0; k < KY_OCTREE_PADDING; k++)
            s->eps2[at + k] = (ky_element)tree->softening2[first + k];
}

static void add_bodies(struct walk *walk, uint32_t first, uint32_t end)
{
    for (; first < end; first += KY_OCTREE_PADDING) {
        size_t count = end - first < KY_OCTREE_PADDING ? end - first : KY_OCTREE_PADDING;
        if (walk->bodies + count > BODIES)
            flush_bodies(walk);
        store_bodies(walk, first);
        walk->bodies += count;
    }
}

/* A leaf without the group's own bodies. */
KY_INLINE void add_leaf(struct walk *walk, uint32_t first, uint32_t end)
{
    if (first >= walk->end || end <= walk->body) {
        add_bodies(walk, first, end);
        return;
    }
    if (first < walk->body)
        add_bodies(walk, first, walk->body);
    if (end > walk->end)
        add_bodies(walk, walk->end, end);
}

typedef double four_doubles __attribute__((vector_size(32)));
typedef float four_floats __attribute__((vector_size(16)));
typedef ky_element four_elements __attribute__((vector_size(4 * sizeof(ky_element))));

KY_INLINE void scale_four(ky_element *to, const float *from, double by)
{
    four_floats part;
    memcpy(&part, from, sizeof part);
    four_elements scaled = __builtin_convertvector(part, four_elements) * (ky_element)by;
    memcpy(to, &scaled, sizeof scaled);
}

/* Four numbers at a time: com with what follows it, then the moments in two overlapping parts. */
KY_INLINE void add_quadrupole(struct walk *walk, uint32_t index)
{
    const struct ky_node *node = &walk->tree->node[index];
    struct ky_cell_source *c = &walk->space->cell[walk->cells++];
    const double S = KY_RSQRT_SCALE;
    four_doubles com, centre;
    memcpy(&com, node->com, sizeof com);
    memcpy(&centre, walk->centre, sizeof centre);
    four_elements place = __builtin_convertvector(com - centre, four_elements);
    place[3] = (ky_element)KY_SCALE_MASS(S) * (ky_element)node->mass;
    memcpy(&c->x, &place, sizeof place);
    scale_four(c->second, node->second, KY_SCALE_SECOND(S));
    scale_four(c->second + 2, node->second + 2, KY_SCALE_SECOND(S));
    ky_element trace = (ky_element)(node->second[0] + node->second[1] + node->second[2]);
    c->trace = (ky_element)KY_SCALE_TRACE(S) * trace;
    c->trace3 = (ky_element)KY_SCALE_TRACE3(S) * trace;
    if (walk->given->source_eps2)
        c->eps2 = (ky_element)walk->tree->node_softening2[index];
}

/* A cell as a single body. */
KY_INLINE void add_monopole(struct walk *walk, uint32_t index)
{
    const struct ky_node *node = &walk->tree->node[index];
    struct space *s = walk->space;
    size_t at = walk->bodies++;
    s->x[at] = (ky_element)(node->com[0] - walk->centre[0]);
    s->y[at] = (ky_element)(node->com[1] - walk->centre[1]);
    s->z[at] = (ky_element)(node->com[2] - walk->centre[2]);
    s->m[at] = (ky_element)KY_SCALE_MASS(KY_RSQRT_SCALE) * (ky_element)node->mass;
    s->eps2[at] = walk->given->source_eps2 ? (ky_element)walk->tree->node_softening2[index] : 0;
}

static void add_cells(struct walk *walk, const uint32_t *index, size_t count)
{
    if (walk->given->quadrupole) {
        if (walk->cells + count > CELLS)
            flush_cells(walk);
        for (size_t k = 0; k < count; k++)
            add_quadrupole(walk, index[k]);
        return;
    }
    if (walk->bodies + count > BODIES)
        flush_bodies(walk);
    for (size_t k = 0; k < count; k++)
        add_monopole(walk, index[k]);
    walk->all_cells += count;
    walk->all_bodies -= count;
}

/* ---- the walk ---------------------------------------------------------------------------------
 */

_Static_assert(sizeof(struct ky_node) == 64 && sizeof(struct ky_cell_box) == 32,
               "gathers count in powers of two");
enum { NODE_SHIFT = 6, BOX_SHIFT = 5 };

/* The topmost cells of the stack; `wanted` where there is one. */
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

/* The part of the opening test that needs the cells' boxes. */
KY_INLINE ky_ints test_boxes(const struct walk *walk, ky_ints index, ky_floats dx, ky_floats dy,
                             ky_floats dz, ky_floats open2, const ky_floats h[3], ky_ints open)
{
    const struct ky_cell_box *box = walk->tree->box;
    ky_floats bx = ky_gather(&box->below[0], index, BOX_SHIFT),
              by = ky_gather(&box->below[1], index, BOX_SHIFT),
              bz = ky_gather(&box->below[2], index, BOX_SHIFT),
              ax = ky_gather(&box->above[0], index, BOX_SHIFT),
              ay = ky_gather(&box->above[1], index, BOX_SHIFT),
              az = ky_gather(&box->above[2], index, BOX_SHIFT);
    if (walk->given->minimum)
        open =
            ky_opening_box_distance2(dx, dy, dz, bx, by, bz, ax, ay, az, h[0], h[1], h[2]) <= open2;
    if (walk->given->relative)
        return open | ky_opening_cube_touches(dx, dy, dz, bx, by, bz, ax, ay, az, h[0], h[1], h[2]);
    return open | ky_opening_box_touches(dx, dy, dz, bx, by, bz, ax, ay, az, h[0], h[1], h[2]);
}

/* -1 for the cells that have to be opened: "How a walk decides" in octree.h. A distance whose
 * powers float cannot hold opens, too. */
KY_INLINE ky_ints test_batch(const struct walk *walk, ky_ints index)
{
    const struct ky_node *node = walk->tree->node;
    ky_floats dx = ky_gather_difference(&node->com[0], index, NODE_SHIFT, walk->centre[0]),
              dy = ky_gather_difference(&node->com[1], index, NODE_SHIFT, walk->centre[1]),
              dz = ky_gather_difference(&node->com[2], index, NODE_SHIFT, walk->centre[2]);
    ky_floats open2 = ky_gather(&node->open2, index, NODE_SHIFT) * walk->factor;
    open2 = KY_FLOAT_MAX(open2, KY_FLOAT_SPLAT(1e-16f));
    const ky_floats none = {0},
                    h[3] = {KY_FLOAT_SPLAT(walk->half[0]), KY_FLOAT_SPLAT(walk->half[1]),
                            KY_FLOAT_SPLAT(walk->half[2])};
    ky_floats d2 =
        ky_opening_box_distance2(dx, dy, dz, none, none, none, none, none, none, h[0], h[1], h[2]);
    ky_ints open = d2 <= open2;
    return walk->tree->test_box ? test_boxes(walk, index, dx, dy, dz, open2, h, open) : open;
}

/* The topmost cells of the stack, in the order in which they lie there: accepted, divided into
 * their children, or divided into their bodies. */
static void take_batch(struct walk *walk)
{
    const struct ky_node *node = walk->tree->node;
    const int32_t few = walk->given->quadrupole ? FEW_QUADRUPOLE : FEW;
    ky_ints index, wanted = pop_batch(walk, &index);
    ky_ints open = test_batch(walk, index);
    ky_ints count = (ky_ints)ky_gather(&node->count, index, NODE_SHIFT), leaf = count < 0;
    open |= leaf & ((count & INT32_MAX) <= few);
    uint32_t accepted[KY_BATCH], inner[KY_BATCH], leaves[KY_BATCH];
    size_t accepteds = ky_keep(accepted, index, wanted & ~open),
           inners = ky_keep(inner, index, wanted & open & ~leaf),
           leaf_count = ky_keep(leaves, index, wanted & open & leaf);
    for (size_t i = 0; i < inners; i++) {
        uint32_t *top = walk->space->stack + walk->height, first = node[inner[i]].first;
        for (uint32_t c = 0; c < 8; c++) {
            top[c] = first + c;
            __builtin_prefetch(&node[first + c]);
        }
        walk->height += node[inner[i]].count;
    }
    for (size_t i = 0; i < leaf_count; i++) {
        const struct ky_node *at = &node[leaves[i]];
        add_leaf(walk, at->first, at->first + (at->count & ~KY_LEAF));
    }
    add_cells(walk, accepted, accepteds);
}

/* Centre and half sides of the tight box, widened for the rounding of the test. */
static void measure(struct walk *walk)
{
    const struct ky_octree *tree = walk->tree;
    const double *position[3] = {tree->x, tree->y, tree->z};
    for (int c = 0; c < 3; c++) {
        double low = position[c][walk->body], high = low;
        for (uint32_t i = walk->body + 1; i < walk->end; i++) {
            double x = position[c][i];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        walk->centre[c] = 0.5 * low + 0.5 * high;
        walk->half[c] = (float)(0.5 * (high - low) * (1 + 1e-6));
    }
}

static void load_sinks(struct walk *walk)
{
    const struct ky_octree *tree = walk->tree;
    struct ky_sinks *sinks = &walk->space->sinks;
    uint32_t count = walk->end - walk->body;
    sinks->vectors = (int)((count + KY_WIDTH - 1) / KY_WIDTH);
    for (uint32_t k = 0; k < (uint32_t)(sinks->vectors * KY_WIDTH); k++) {
        uint32_t own = k < count ? k : count - 1, i = walk->body + own;
        sinks->x[k] = (ky_element)(tree->x[i] - walk->centre[0]);
        sinks->y[k] = (ky_element)(tree->y[i] - walk->centre[1]);
        sinks->z[k] = (ky_element)(tree->z[i] - walk->centre[2]);
        sinks->eps2[k] = (ky_element)(tree->softening2 ? tree->softening2[i] : walk->given->eps2);
        sinks->own[k] = (ky_index_element)own;
        for (int c = 0; c < 4; c++)
            sinks->sum[c][k] = 0;
    }
}

/* The group's bodies on each other. */
static void own_bodies(struct walk *walk)
{
    struct space *s = walk->space;
    const struct ky_sources sources = {
        s->x, s->y, s->z, s->m, walk->given->source_eps2 ? s->eps2 : NULL, {0}};
    uint32_t count = walk->end - walk->body;
    flush_bodies(walk);
    add_bodies(walk, walk->body, walk->end);
    ky_pairs(&sources, 0, count, &s->sinks, walk->given->guard, KY_OWN);
    walk->bodies = 0;
    walk->all_bodies += count - 1;
}

void KY_LANE_NAME(KY_NAME)(const struct ky_group_walk *given, const struct ky_group *group,
                           float factor, void *space, struct ky_group_result *result)
{
    struct walk walk = {.given = given,
                        .tree = given->tree,
                        .space = space,
                        .body = group->body,
                        .end = group->body + group->bodies,
                        .factor = factor,
                        .height = 1};
    walk.space->stack[0] = 0;
    measure(&walk);
    load_sinks(&walk);
    while (walk.height > 0)
        take_batch(&walk);
    own_bodies(&walk);
    flush_cells(&walk);
    const struct ky_sinks *sinks = &walk.space->sinks;
    for (int c = 0; c < 4; c++)
        for (uint32_t k = 0; k < group->bodies; k++)
            result->field[c][k] = sinks->sum[c][k] * (c < 3 ? KY_SCALE_SUM(KY_RSQRT_SCALE) : 1.0);
    result->bodies = walk.all_bodies;
    result->cells = walk.all_cells;
}
