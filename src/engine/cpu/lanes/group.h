/* Common code of the walks for groups of sinks: the group's box and its sinks in lanes, the stack
 * of cells, and whether a leaf is near. Included after lanes.h. */
#ifndef KY_CPU_GROUP_H
#define KY_CPU_GROUP_H

#include "engine/cpu/lanes/batch.h"
#include "engine/cpu/lanes/lists.h"
#include "physics/opening.h"

_Static_assert(sizeof(struct ky_cell_centre) == 16 && sizeof(struct ky_low) == 16 &&
                   sizeof(struct ky_cell_link) == 16 && sizeof(struct ky_cell_box) == 32,
               "ky_read_fours takes elements of 16 bytes, or of twice that");

/* ---- cells ------------------------------------------------------------------------------------
 */

/* Bytes of the work memory of one thread. The stack holds the frontier and, for each level of the
 * tree, at most the children of one batch of cells: FRONTIER + (levels + 2) × KY_BATCH × 8
 * indices. */
KY_INLINE size_t group_space(const struct ky_octree *tree)
{
    size_t stack = FRONTIER + (tree->levels + 2) * KY_BATCH * 8;
    size_t bytes = sizeof(struct space) + stack * sizeof(uint32_t);
    return (bytes + 63) / 64 * 64;
}

/* Pops the topmost cells of the stack; `wanted` is set in lanes that have one. */
KY_INLINE ky_ints pop_batch(struct walk *walk, ky_ints *index)
{
    size_t count = walk->height < KY_BATCH ? walk->height : KY_BATCH;
    walk->height -= count;
    memcpy(index, walk->space->stack + walk->height, sizeof *index);
    ky_ints wanted = ky_first(count);
    *index &= wanted;
    return wanted;
}

/* The difference of two positions given as two parts each: (high − high) + (low − low). */
KY_INLINE ky_floats apart(const struct walk *walk, int c, ky_floats high, ky_floats low)
{
    return KY_APART(high, KY_FLOAT_SPLAT(walk->high[c])) + (low - KY_FLOAT_SPLAT(walk->low[c]));
}

/* 1 if a leaf may contain bodies that are close to the group's. */
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

/* ---- sinks ------------------------------------------------------------------------------------
 */

KY_INLINE void place_axis(struct walk *walk, int c, double centre, float half)
{
    walk->centre[c] = centre;
    walk->from[c] = centre - walk->tree->origin[c];
    walk->high[c] = (float)walk->from[c];
    walk->low[c] = ky_low_part(walk->from[c]);
    walk->half[c] = half;
}

/* The middle of the sinks' box along an axis, for an image of the sources: the sinks are moved the
 * other way, since only source minus sink counts. */
KY_INLINE double centre_of(const struct ky_group_walk *given, const double centre[3], int image,
                           int c)
{
    return centre[c] - ky_image(image, c) * given->box;
}

/* Sets the box of the sinks. */
static void place_box(struct walk *walk, const double centre[3], const float half[3])
{
    for (int c = 0; c < 3; c++)
        place_axis(walk, c, centre[c], half[c]);
    walk->reach = KY_LANE_DOUBLE ? 0 : CLOSE * fmaxf(half[0], fmaxf(half[1], half[2]));
    walk->close2 = walk->reach * walk->reach;
}

/* Computes the tight box, widened for the rounding of the test. */
static void measure(struct walk *walk)
{
    const struct ky_octree *tree = walk->given->tree;
    const double *position[3] = {tree->x, tree->y, tree->z};
    double centre[3];
    float half[3];
    for (int c = 0; c < 3; c++) {
        double low = position[c][walk->body], high = low;
        for (uint32_t i = walk->body + 1; i < walk->end; i++) {
            double x = position[c][i];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        centre[c] = 0.5 * low + 0.5 * high;
        half[c] = (float)(0.5 * (high - low) * (1 + KY_OPENING_SLACK));
    }
    place_box(walk, centre, half);
}

/* Moves the box of the sinks from `centre` for an image of the sources. */
KY_INLINE void take_image(struct walk *walk, const double centre[3], int image)
{
    const float half[3] = {walk->half[0], walk->half[1], walk->half[2]};
    double moved[3];
    for (int c = 0; c < 3; c++)
        moved[c] = centre_of(walk->given, centre, image, c);
    place_box(walk, moved, half);
    walk->is_image = image > 0;
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

KY_INLINE struct walk walk_for(const struct ky_group_walk *given, const struct ky_group *first,
                               const struct ky_group *last, float factor, void *space)
{
    return (struct walk){.given = given,
                         .tree = given->sources,
                         .space = space,
                         .body = first->body,
                         .end = last->body + last->bodies,
                         .factor = factor};
}

KY_INLINE struct walk start(const struct ky_group_walk *given, const struct ky_group *first,
                            const struct ky_group *last, float factor, void *space)
{
    struct walk walk = walk_for(given, first, last, factor, space);
    measure(&walk);
    walk.most2 = most_softening2(&walk);
    return walk;
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

/* Sets the sinks relative to the middle of their box; they act on each other if they are
 * sources. */
static void begin_near(struct walk *walk, const struct ky_group_sinks *sinks)
{
    place_sinks(walk, sinks, walk->centre);
    measure_runs(walk);
    if (is_own(walk))
        add_close(walk, walk->body, walk->end);
    walk->own = walk->close;
}

/* Evaluates the remaining lists, and writes the sums to the result. */
static void end_group(struct walk *walk, struct ky_group_sinks *result)
{
    act_close(walk);
    act_bodies(walk);
    act_near_cells(walk);
    for (int c = 0; c < 4; c++)
        for (uint32_t k = 0; k < result->count; k++)
            result->field[c][k] =
                walk->space->sinks.sum[c][k] * (c < 3 ? KY_SCALE_SUM(KY_RSQRT_SCALE) : 1.0);
    result->bodies = walk->all_bodies;
    result->cells = walk->all_cells;
}

#endif
