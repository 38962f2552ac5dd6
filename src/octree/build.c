/* Cells from sorted keys, level by level. A cell is split at the first digit in which its keys
 * differ, so that no cell has a single child. Bodies whose keys agree to the last level get new
 * keys within their own box. Only coincident bodies stay together in a leaf of any size. A cell may
 * also be divided by the softening of its bodies: softenings.c. */
#include "octree/work.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "physics/softening.h"

enum { PARALLEL_FROM = 512, LARGE_CELL = 65536, CELLS_AT_ONCE = 64 };

struct growth {
    const struct ky_octree_bodies *bodies;
    struct ky_octree_scratch *scratch;
    uint32_t *order;
    uint32_t leaf;
    int hilbert;
    double softenings; /* the spread of ε² if cells are divided by it, else 0 */
};

/* The end of the run of keys from `begin` on that agree in all bits from `shift` on. */
static uint32_t run_end(const uint64_t *key, uint32_t begin, uint32_t end, int shift)
{
    uint64_t digit = key[begin] >> shift;
    if (key[end - 1] >> shift == digit)
        return end;
    uint32_t step = 1; /* gallop: where cells are small, runs are much shorter than the cell */
    while (key[begin + step] >> shift == digit) {
        begin += step;
        uint32_t room = end - 1 - begin;
        step = 2 * step < room ? 2 * step : room;
    }
    uint32_t last = begin + step; /* key[begin] belongs to the run, key[last] does not */
    while (last - begin > 1) {
        uint32_t middle = begin + (last - begin) / 2;
        if (key[middle] >> shift == digit)
            begin = middle;
        else
            last = middle;
    }
    return last;
}

static int child_shift(const uint64_t *key, const struct ky_sprout *cell)
{
    uint64_t first = key[cell->body], last = key[cell->body + cell->bodies - 1];
    if ((first ^ last) & KY_UPPER_HALF)
        return 63;
    int common = ky_key_common(first, last);
    return 3 * (KY_KEY_LEVELS - 1 - common);
}

/* New keys for bodies that share one, in their own tight frame. *same becomes 1 if they coincide.
 */
static enum ky_status rekey(const struct growth *growth, const struct ky_sprout *cell, int threads,
                            int *same)
{
    const struct ky_octree_bodies *bodies = growth->bodies;
    size_t n = cell->bodies;
    uint64_t *key = growth->scratch->key + cell->body;
    uint32_t *order = growth->order + cell->body;
    const struct ky_positions positions = {n, order, bodies->x, bodies->y, bodies->z, 0};
    struct ky_frame frame = ky_frame_of(&positions, threads);
    *same = frame.scale == 0;
    if (*same)
        return KY_OK;
    uint64_t *other = ky_allocate(n, sizeof *other);
    uint32_t *place = ky_allocate(2 * n, sizeof *place);
    enum ky_status status = other && place ? KY_OK : KY_FAULT;
    if (!status) {
        uint64_t varying = ky_words(&frame, growth->hilbert ? &growth->scratch->hilbert : NULL,
                                    &positions, key, threads);
        if (ky_octree_sort(n, key, other, varying, threads) == other)
            memcpy(key, other, n * sizeof *key);
        ky_octree_unpack(n, ky_word_layout(n), key, place, threads);
        uint32_t *sorted = place + n;
        for (size_t i = 0; i < n; i++)
            sorted[i] = order[place[i]];
        memcpy(order, sorted, n * sizeof *order);
    }
    free(other);
    free(place);
    return status;
}

static void count_children(const uint64_t *key, struct ky_sprout *cell)
{
    int shift = child_shift(key, cell);
    uint32_t end = cell->body + cell->bodies;
    for (uint32_t body = cell->body; body < end; cell->children++)
        body = run_end(key, body, end, shift);
}

/* Makes two children by softening, where the cell needs it. */
static enum ky_status part_softenings(const struct growth *growth, struct ky_sprout *cell)
{
    uint64_t *key = growth->scratch->key;
    uint32_t *order = growth->order + cell->body;
    double middle;
    if (growth->softenings == 0 || cell->one_softening || cell->bodies < 2)
        return KY_OK;
    enum ky_cell_softening found =
        ky_cell_softening(growth->bodies, order, cell->bodies, growth->softenings, &middle);
    cell->one_softening = found == KY_SOFTENING_ONE;
    if (found != KY_SOFTENING_MIXED)
        return KY_OK;
    KY_TRY(ky_divide_by_softening(growth->bodies, middle, key + cell->body, order, cell->bodies));
    count_children(key, cell);
    return KY_OK;
}

/* Sets the cell's number of children, and its level. */
static enum ky_status look_at(const struct growth *growth, struct ky_sprout *cell, int threads)
{
    const uint64_t *key = growth->scratch->key;
    uint32_t end = cell->body + cell->bodies;
    int common = ky_key_common(key[cell->body], key[end - 1]);
    cell->children = 0;
    if (cell->level != KY_OFF_FRAME)
        cell->level = (uint8_t)common;
    enum ky_status status = part_softenings(growth, cell);
    if (status || cell->children || cell->bodies <= growth->leaf)
        return status;
    if (common == KY_KEY_LEVELS) {
        int same = 0;
        status = rekey(growth, cell, threads, &same);
        if (status || same)
            return status;
        cell->level = KY_OFF_FRAME;
    }
    count_children(key, cell);
    return KY_OK;
}

static enum ky_status look_at_level(const struct growth *growth, size_t begin, size_t end)
{
    struct ky_sprout *sprout = growth->scratch->sprout;
    int threads = growth->scratch->threads, failed = 0;
    for (size_t c = begin; c < end; c++)
        if (sprout[c].bodies >= LARGE_CELL && look_at(growth, &sprout[c], threads))
            return KY_FAULT;
#pragma omp parallel for schedule(dynamic, CELLS_AT_ONCE) num_threads(threads)                     \
    reduction(|                                                                                    \
              : failed) if (threads > 1 && end - begin >= PARALLEL_FROM)
    for (size_t c = begin; c < end; c++)
        if (sprout[c].bodies < LARGE_CELL && look_at(growth, &sprout[c], 1))
            failed = 1;
    return failed ? KY_FAULT : KY_OK;
}

static void make_children(const struct growth *growth, const struct ky_sprout *cell)
{
    if (cell->children == 0)
        return;
    uint64_t *key = growth->scratch->key;
    struct ky_sprout *child = growth->scratch->sprout + cell->first;
    int shift = child_shift(key, cell);
    uint32_t end = cell->body + cell->bodies;
    for (uint32_t body = cell->body; body < end; child++) {
        uint32_t next = run_end(key, body, end, shift);
        *child = (struct ky_sprout){0, body, next - body, 0, 0, cell->one_softening};
        child->level = cell->level == KY_OFF_FRAME ? KY_OFF_FRAME : 0;
        body = next;
    }
    for (uint32_t body = cell->body; shift == 63 && body < end; body++)
        key[body] &= ~KY_UPPER_HALF;
}

/* Gives each cell of the level the index of its first child; returns the end of the next level. */
static size_t place_children(struct ky_sprout *sprout, size_t begin, size_t end)
{
    size_t next = end;
    for (size_t c = begin; c < end; c++) {
        sprout[c].first = (uint32_t)next;
        next += sprout[c].children;
    }
    return next;
}

static enum ky_status more_sprouts(struct ky_octree_scratch *scratch, size_t used, size_t wanted,
                                   struct ky_error *error)
{
    if (wanted <= scratch->sprout_capacity)
        return KY_OK;
    size_t capacity = wanted + wanted / 2;
    struct ky_sprout *more;
    KY_TRY(ky_array(&more, capacity, sizeof *more, "growing tree", error));
    memcpy(more, scratch->sprout, used * sizeof *more);
    free(scratch->own_sprout);
    scratch->own_sprout = scratch->sprout = more;
    scratch->sprout_capacity = capacity;
    return KY_OK;
}

enum ky_status ky_octree_end_level(struct ky_octree *tree, size_t end, struct ky_error *error)
{
    struct ky_octree_scratch *scratch = tree->scratch;
    if (tree->levels + 2 > scratch->levels) {
        size_t capacity = 2 * tree->levels + 32;
        const size_t known = tree->level ? tree->levels + 1 : 0;
        if (!ky_extend(&tree->level, known, capacity, sizeof *tree->level))
            return ky_no_memory(error, "levels of the tree", capacity, sizeof *tree->level);
        scratch->levels = capacity;
    }
    tree->level[0] = 0;
    tree->level[++tree->levels] = (uint32_t)end;
    return KY_OK;
}

enum ky_status ky_octree_grow(struct ky_octree *tree, const struct ky_octree_bodies *bodies,
                              const struct ky_parameters *parameters, struct ky_error *error)
{
    struct ky_octree_scratch *scratch = tree->scratch;
    struct growth growth = {
        bodies, scratch, tree->order, (uint32_t)parameters->leaf, parameters->curve == KY_HILBERT,
        0};
    if (ky_softening_how(parameters->softening_kind) & KY_EPS_SUM)
        growth.softenings = ky_softening_spread(bodies);
    size_t begin = 0, end = 1;
    tree->levels = 0;
    scratch->sprout[0] = (struct ky_sprout){0, 0, (uint32_t)tree->n, 0, 0, 0};
    scratch->parted = 0;
    if (bodies->part) {
        end = ky_octree_roots(tree, bodies->part, 0, NULL);
        KY_TRY(more_sprouts(scratch, 0, end, error));
        KY_TRY(ky_octree_reserve(&scratch->root, &scratch->root_room, end, sizeof *scratch->root,
                                 "roots of a tree", error));
        scratch->parted = ky_octree_roots(tree, bodies->part, end, scratch->sprout);
    }
    tree->roots = end;
    while (begin < end) {
        if (look_at_level(&growth, begin, end))
            return ky_fail(error, KY_FAULT, "out of memory: new keys for close bodies");
        size_t next = place_children(scratch->sprout, begin, end);
        enum ky_status status = more_sprouts(scratch, end, next, error);
        if (!status)
            status = ky_octree_end_level(tree, end, error);
        if (status)
            return status;
        int threads = scratch->threads;
        (void)threads; /* without OpenMP */
#pragma omp parallel for schedule(dynamic, CELLS_AT_ONCE)                                          \
    num_threads(threads) if (threads > 1 && end - begin >= PARALLEL_FROM)
        for (size_t c = begin; c < end; c++)
            make_children(&growth, &scratch->sprout[c]);
        begin = end;
        end = next;
    }
    scratch->sprouts = begin;
    return KY_OK;
}
