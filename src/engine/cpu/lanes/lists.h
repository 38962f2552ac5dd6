/* The lists of a group walk: sources relative to a centre, in the form for the inner loops. There
 * are two kinds: bodies (and cells as monopoles), and cells with quadrupoles. Each kind has a near
 * list, which is evaluated and emptied whenever it is full, and a far list, which is made once for
 * several groups. Differences to the centre are computed in double, so that float has its full
 * accuracy for near sources. */
#ifndef KY_CPU_LISTS_H
#define KY_CPU_LISTS_H

#define KY_CELLS_UNROLL 2
#include "engine/cpu/lanes/cells.h"
#include "octree/cell_moments.h"

/* 1 for walks whose cells may have third moments. */
#ifndef KY_WITH_THIRD
#define KY_WITH_THIRD 0
#endif

enum { NEAR_BODIES = KY_CHUNK, NEAR_CELLS = 256, FAR = 4096, FRONTIER = 8192 };

/* Bodies that may be nearer to a sink than CLOSE times the half-side of the group's box are
 * `close`: with floats relative to the group's centre their distance would have an error of 2e-5 or
 * more. So their distances use the low parts of both positions. The group's own bodies are the
 * first of them. Lanes of double do not need this. */
#define CLOSE (1.0f / 128)
enum { CLOSE_BODIES = 2 * KY_MOST_SINKS, CLOSE_PAIRS = KY_LANE_DOUBLE ? 0 : KY_LOW };
enum { RUN = 8, RUNS = KY_MOST_SINKS / RUN };

/* Work memory of one thread. The stack follows it. */
struct space {
    struct ky_sinks sinks;
    _Alignas(64) ky_element near_column[5][NEAR_BODIES + KY_OCTREE_PADDING];
    _Alignas(64) ky_element close_column[8][CLOSE_BODIES];
    _Alignas(64) ky_element far_column[5][FAR];
    float run[RUNS][6]; /* boxes of RUN sinks each, relative to the centre: lower and upper end
                           along every axis */
    struct ky_cell_source near_cell[NEAR_CELLS], far_cell[FAR];
    struct ky_third_source near_third[KY_WITH_THIRD ? NEAR_CELLS : 1];
    double far_centre[3];
    size_t far, frontiers, begin[KY_IMAGES + 1]; /* begin: of the cells of each image */
    uint32_t frontier[FRONTIER]; /* cells with which the walk of each group begins */
    uint32_t stack[];
};

struct walk {
    const struct ky_group_walk *given;
    const struct ky_octree *tree; /* of the sources */
    struct space *space;
    uint32_t body, end;    /* the sinks: the bodies of a group, or of several groups */
    int is_image;          /* 1: the sources are an image, in which no body is a sink itself */
    double centre[3];      /* centre of their box */
    double from[4];        /* the same relative to the tree's origin, and 0 */
    float high[3], low[3]; /* its high and low parts */
    float half[3], factor;
    float reach,
        close2;  /* the distance within which bodies are close; its square for the opening test */
    float most2; /* the largest ε² of a sink, if the opening test needs it */
    size_t bodies, cells, close, height; /* lengths of the near lists and of the stack */
    size_t own; /* number of close bodies, the first ones, that are sinks themselves */
    uint64_t all_bodies, all_cells;
};

/* ---- acting on the sinks ----------------------------------------------------------------------
 */

KY_INLINE struct ky_sources near_sources(const struct walk *walk)
{
    struct space *s = walk->space;
    return (struct ky_sources){s->near_column[0], s->near_column[1], s->near_column[2],
                               s->near_column[3], s->near_column[4], {0}};
}

static void act_bodies(struct walk *walk)
{
    const struct ky_sources sources = near_sources(walk);
    ky_pairs(&sources, 0, walk->bodies, &walk->space->sinks, walk->given->how, 0);
    walk->all_bodies += walk->bodies;
    walk->bodies = 0;
}

static void act_close(struct walk *walk)
{
    ky_element(*column)[CLOSE_BODIES] = walk->space->close_column;
    const struct ky_sources sources = {column[0], column[1], column[2],
                                       column[3], column[4], {column[5], column[6], column[7]}};
    struct ky_sinks *sinks = &walk->space->sinks;
    ky_pairs(&sources, 0, walk->own, sinks, walk->given->how, KY_OWN | CLOSE_PAIRS);
    ky_pairs(&sources, walk->own, walk->close, sinks, walk->given->how, CLOSE_PAIRS);
    walk->all_bodies += walk->close - (walk->own > 0);
    walk->own = walk->close = 0;
}

static void act_cells(struct walk *walk, const struct ky_cell_source *cell, size_t count)
{
    for (; count > 0; cell += NEAR_CELLS) {
        size_t part = count < NEAR_CELLS ? count : NEAR_CELLS;
        ky_cells(cell, NULL, part, &walk->space->sinks, walk->given->how);
        walk->all_cells += part;
        count -= part;
    }
}

KY_INLINE int has_third(const struct walk *walk)
{
    return KY_WITH_THIRD && walk->given->order > 2;
}

static void act_near_cells(struct walk *walk)
{
    struct space *s = walk->space;
    if (has_third(walk)) {
        ky_cells(s->near_cell, s->near_third, walk->cells, &s->sinks, walk->given->how);
        walk->all_cells += walk->cells;
    } else {
        act_cells(walk, s->near_cell, walk->cells);
    }
    walk->cells = 0;
}

/* ---- adding -----------------------------------------------------------------------------------
 */

/* Stores bodies [first, first + KY_OCTREE_PADDING) of the tree at once; the caller counts the ones
 * that it needs. */
KY_INLINE void store_bodies(struct walk *walk, size_t first)
{
    const struct ky_octree *tree = walk->tree;
    ky_element(*column)[NEAR_BODIES + KY_OCTREE_PADDING] = walk->space->near_column;
    size_t at = walk->bodies;
    for (size_t k = 0; k < KY_OCTREE_PADDING; k++) {
        column[0][at + k] = (ky_element)KY_APART(tree->x[first + k], walk->centre[0]);
        column[1][at + k] = (ky_element)KY_APART(tree->y[first + k], walk->centre[1]);
        column[2][at + k] = (ky_element)KY_APART(tree->z[first + k], walk->centre[2]);
        column[3][at + k] = (ky_element)(tree->mass[first + k] * KY_SCALE_MASS(KY_RSQRT_SCALE));
    }
    if (walk->given->how & KY_EPS_OF_BOTH)
        for (size_t k = 0; k < KY_OCTREE_PADDING; k++)
            column[4][at + k] = (ky_element)tree->softening2[first + k];
}

static void add_bodies(struct walk *walk, uint32_t first, uint32_t end)
{
    for (; first < end; first += KY_OCTREE_PADDING) {
        size_t count = end - first < KY_OCTREE_PADDING ? end - first : KY_OCTREE_PADDING;
        if (walk->bodies + count > NEAR_BODIES)
            act_bodies(walk);
        store_bodies(walk, first);
        walk->bodies += count;
    }
}

/* Splits positions relative to `centre` into the lanes' numbers and their low parts. */
KY_INLINE void split_positions(ky_element *high, ky_element *low, const double *x, double centre,
                               size_t count)
{
    for (size_t k = 0; k < count; k++) {
        double d = KY_APART(x[k], centre);
        high[k] = (ky_element)d;
        low[k] = KY_LANE_DOUBLE ? 0 : (ky_element)ky_low_part(d);
    }
}

static void add_close(struct walk *walk, uint32_t first, uint32_t end)
{
    const struct ky_octree *tree = walk->tree;
    size_t count = end - first;
    if (walk->close + count > CLOSE_BODIES)
        act_close(walk);
    ky_element(*column)[CLOSE_BODIES] = walk->space->close_column;
    size_t at = walk->close;
    walk->close += count;
    split_positions(column[0] + at, column[5] + at, tree->x + first, walk->centre[0], count);
    split_positions(column[1] + at, column[6] + at, tree->y + first, walk->centre[1], count);
    split_positions(column[2] + at, column[7] + at, tree->z + first, walk->centre[2], count);
    for (size_t k = 0; k < count; k++)
        column[3][at + k] = (ky_element)(tree->mass[first + k] * KY_SCALE_MASS(KY_RSQRT_SCALE));
    for (size_t k = 0; (walk->given->how & KY_EPS_OF_BOTH) && k < count; k++)
        column[4][at + k] = (ky_element)tree->softening2[first + k];
}

/* Adds bodies of a leaf that are not the group's own; a leaf may be larger than the list. */
static void add_some(struct walk *walk, uint32_t first, uint32_t end, int close)
{
    if (!close)
        add_bodies(walk, first, end);
    for (; close && first < end; first += KY_MOST_SINKS)
        add_close(walk, first, end - first < KY_MOST_SINKS ? end : first + KY_MOST_SINKS);
}

/* 1 if the sinks are bodies of the sources' tree. */
KY_INLINE int is_own(const struct walk *walk)
{
    return walk->tree == walk->given->tree && !walk->is_image;
}

/* Adds a leaf without the group's own bodies. */
KY_INLINE void add_leaf(struct walk *walk, uint32_t first, uint32_t end, int close)
{
    if (first >= walk->end || end <= walk->body || !is_own(walk)) {
        add_some(walk, first, end, close);
        return;
    }
    if (first < walk->body)
        add_some(walk, first, walk->body, close);
    if (end > walk->end)
        add_some(walk, walk->end, end, close);
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

/* Copies four numbers at a time: com and the next number, then the moments in two overlapping
 * parts. */
KY_INLINE void store_quadrupole(const struct walk *walk, uint32_t index, struct ky_cell_source *to)
{
    const struct ky_octree *tree = walk->tree;
    const float *moment = tree->moment + tree->moments * index, *second = moment + KY_MOMENT_SECOND;
    const double S = KY_RSQRT_SCALE;
    four_floats high, low;
    four_doubles from;
    memcpy(&high, &tree->centre[index], sizeof high);
    memcpy(&low, &tree->low[index], sizeof low);
    memcpy(&from, walk->from, sizeof from);
    from = KY_APART(__builtin_convertvector(high, four_doubles) +
                        __builtin_convertvector(low, four_doubles),
                    from);
    four_elements place = __builtin_convertvector(from, four_elements);
    place[3] = (ky_element)KY_SCALE_MASS(S) * (ky_element)moment[KY_MOMENT_MASS];
    memcpy(&to->x, &place, sizeof place);
    scale_four(to->second, second, KY_HELD_SECOND(S));
    scale_four(to->second + 2, second + 2, KY_HELD_SECOND(S));
    ky_element trace = (ky_element)(second[0] + second[1] + second[2]);
    to->trace = (ky_element)KY_HELD_TRACE(S) * trace;
    to->trace3 = (ky_element)KY_HELD_TRACE3(S) * trace;
    if (walk->given->how & KY_EPS_OF_BOTH)
        to->eps2 = (ky_element)tree->low[index].eps2;
}

KY_INLINE void store_third(const struct walk *walk, uint32_t index, struct ky_third_source *to)
{
    const struct ky_octree *tree = walk->tree;
    const float *third = tree->moment + tree->moments * index + KY_TAYLOR_PLACE(KY_MOMENT_THIRD);
    const ky_element scale = (ky_element)KY_SCALE_THIRD(KY_RSQRT_SCALE),
                     by = (ky_element)(KY_SCALE_TRACE_OF_THIRD(KY_RSQRT_SCALE) /
                                       KY_SCALE_THIRD(KY_RSQRT_SCALE));
    for (int k = 0; k < 10; k++)
        to->o[k] = scale * (ky_element)KY_THIRD_FACTOR(k) * (ky_element)third[k];
    for (int c = 0; c < 3; c++)
        to->t[c] = by * KY_THIRD_TRACE(to->o, c);
}

/* Stores a cell as a single body; columns have this stride. */
KY_INLINE void store_monopole(const struct walk *walk, uint32_t index, ky_element *to,
                              size_t stride)
{
    const struct ky_octree *tree = walk->tree;
    const float *high = tree->centre[index].x, *low = tree->low[index].x;
    for (size_t c = 0; c < 3; c++)
        to[c * stride] = (ky_element)KY_APART((double)high[c] + (double)low[c], walk->from[c]);
    to[3 * stride] = (ky_element)KY_SCALE_MASS(KY_RSQRT_SCALE) * (ky_element)tree->moment[index];
    if (walk->given->how & KY_EPS_OF_BOTH)
        to[4 * stride] = (ky_element)tree->low[index].eps2;
}

static void add_near_cells(struct walk *walk, const uint32_t *index, size_t count)
{
    struct space *s = walk->space;
    if (!KY_ACTS_AS_BODY(walk->given->order)) {
        if (walk->cells + count > NEAR_CELLS)
            act_near_cells(walk);
        for (size_t k = 0; k < count; k++, walk->cells++) {
            store_quadrupole(walk, index[k], &s->near_cell[walk->cells]);
            if (has_third(walk))
                store_third(walk, index[k], &s->near_third[walk->cells]);
        }
        return;
    }
    if (walk->bodies + count > NEAR_BODIES)
        act_bodies(walk);
    for (size_t k = 0; k < count; k++)
        store_monopole(walk, index[k], s->near_column[0] + walk->bodies++,
                       NEAR_BODIES + KY_OCTREE_PADDING);
    walk->all_cells += count;
    walk->all_bodies -= count;
}

#endif
