/* The build from bodies to groups, its memory and its clock.
 *
 * One block of four arrays of doubles is used for the whole build: words of key and index in the
 * first, their copy for the sort in the last; then sprouts in the three that the sorted keys leave
 * free; at last x, y, z and mass along the curve. */
#include "octree/octree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/threads.h"
#include "octree/work.h"

void ky_octree_init(struct ky_octree *tree)
{
    memset(tree, 0, sizeof *tree);
}

void ky_octree_empty(struct ky_octree *tree)
{
    tree->n = tree->nodes = tree->roots = tree->groups = tree->shares = tree->levels = 0;
    tree->grafted_roots = 0;
    free(tree->number);
    tree->number = NULL;
}

void ky_octree_free(struct ky_octree *tree)
{
    if (tree->scratch) {
        free(tree->scratch->block);
        free(tree->scratch->own_sprout);
        free(tree->scratch->cut);
        free(tree->scratch->root);
    }
    free(tree->scratch);
    free(tree->order);
    free(tree->number);
    free(tree->softening2);
#define KY_CELL_FREE(p, type, name, count, what) free(tree->name);
    KY_CELL_COLUMNS(KY_CELL_FREE, )
    free(tree->depth);
    free(tree->level);
    free(tree->group);
    free(tree->share);
    free(tree->grafted_root);
    ky_octree_init(tree);
}

static enum ky_status start_scratch(struct ky_octree *tree, const struct ky_parameters *parameters,
                                    struct ky_error *error)
{
    if (!tree->scratch) {
        KY_TRY(ky_array_zeroed(&tree->scratch, 1, sizeof *tree->scratch, "tree", error));
        ky_hilbert_init(&tree->scratch->hilbert);
    }
    tree->scratch->threads = ky_threads(parameters->threads);
    return KY_OK;
}

static void place_bodies(struct ky_octree *tree)
{
    double *block = tree->scratch->block;
    size_t stride = tree->scratch->stride;
    tree->x = block;
    tree->y = block + stride;
    tree->z = block + 2 * stride;
    tree->mass = block + 3 * stride;
}

enum ky_status ky_octree_reserve_bodies(struct ky_octree *tree, size_t n, int own_softening,
                                        const struct ky_parameters *parameters,
                                        struct ky_error *error)
{
    enum ky_status status = start_scratch(tree, parameters, error);
    struct ky_octree_scratch *scratch = tree->scratch;
    if (status)
        return status;
    if (n > scratch->bodies || !scratch->block) {
        free(scratch->block);
        free(tree->order);
        scratch->block = NULL, tree->order = NULL, scratch->bodies = 0;
        /* arrays that are a multiple of 4 KiB apart would collide in the cache */
        scratch->stride = (n + KY_OCTREE_PADDING + 511) / 512 * 512 + 40;
        scratch->block = ky_allocate(4 * scratch->stride, sizeof *scratch->block);
        if (!scratch->block)
            return ky_no_memory(error, "bodies of the tree", 4 * scratch->stride, sizeof(double));
        KY_TRY(ky_array(&tree->order, n, sizeof *tree->order, "order of the tree", error));
        scratch->bodies = n;
    }
    if (own_softening)
        status = ky_octree_reserve(&tree->softening2, &scratch->softenings, n + KY_OCTREE_PADDING,
                                   sizeof *tree->softening2, "softenings of the tree", error);
    if (!own_softening || status) {
        free(tree->softening2);
        tree->softening2 = NULL;
        scratch->softenings = 0;
    }
    place_bodies(tree);
    return status;
}

/* The bodies of the system of which these are a part, or 0. */
static size_t system_of(const struct ky_octree_bodies *bodies)
{
    return bodies->part ? bodies->part->system : 0;
}

static uint64_t make_keys(struct ky_octree *tree, const struct ky_octree_bodies *bodies,
                          const struct ky_parameters *parameters)
{
    struct ky_octree_scratch *scratch = tree->scratch;
    scratch->key = (uint64_t *)(void *)scratch->block;
    const struct ky_positions positions = {bodies->n, bodies->member, bodies->x,
                                           bodies->y, bodies->z,      system_of(bodies)};
    scratch->frame = bodies->edge > 0 ? ky_frame_of_cube(bodies->low, bodies->edge)
                                      : ky_frame_of_bulk(&positions, scratch->threads);
    return ky_words(&scratch->frame, parameters->curve == KY_HILBERT ? &scratch->hilbert : NULL,
                    &positions, scratch->key, scratch->threads);
}

static void sort_keys(struct ky_octree *tree, const struct ky_octree_bodies *bodies,
                      uint64_t varying)
{
    struct ky_octree_scratch *scratch = tree->scratch;
    uint64_t *first = (uint64_t *)(void *)scratch->block, *last = first + 3 * scratch->stride;
    scratch->key = ky_octree_sort(tree->n, first, last, varying, scratch->threads);
    ky_octree_unpack(tree->n, ky_word_layout_in(tree->n, system_of(bodies)), scratch->key,
                     tree->order, scratch->threads);
    for (size_t k = 0; k < (bodies->member ? tree->n : 0); k++)
        tree->order[k] = bodies->member[tree->order[k]];
    if (bodies->part)
        ky_octree_order_ties(tree, bodies->part->number);
    uint64_t *free_space = scratch->key == first ? first + scratch->stride : first;
    scratch->sprout = (struct ky_sprout *)(void *)free_space;
    scratch->sprout_capacity = 3 * scratch->stride * sizeof(uint64_t) / sizeof *scratch->sprout;
}

/* The seconds since *clock, which is set to now. */
static double lap(double *clock)
{
    double before = *clock;
    *clock = ky_clock();
    return *clock - before;
}

static enum ky_status build(struct ky_octree *tree, const struct ky_octree_bodies *bodies,
                            const struct ky_parameters *parameters, struct ky_error *error)
{
    enum ky_status status =
        ky_octree_reserve_bodies(tree, bodies->n, bodies->softening != NULL, parameters, error);
    if (!status)
        ky_octree_set_origin(tree, bodies); /* also for a part without bodies, which receives the
                                          bodies of other parts */
    if (status || bodies->n == 0)
        return status;
    tree->n = bodies->n;
    double clock = ky_clock();
    uint64_t varying = make_keys(tree, bodies, parameters);
    tree->seconds.keys = lap(&clock);
    sort_keys(tree, bodies, varying);
    tree->seconds.sort = lap(&clock);
    status = ky_octree_grow(tree, bodies, parameters, error);
    tree->seconds.build = lap(&clock);
    if (!status)
        status = ky_octree_moments(tree, bodies, parameters, error);
    free(tree->scratch->own_sprout);
    tree->scratch->own_sprout = NULL;
    tree->seconds.moments = lap(&clock);
    if (!status)
        status = ky_octree_groups(tree, parameters, error);
    tree->seconds.build += lap(&clock);
    return status;
}

enum ky_status ky_octree_build(struct ky_octree *tree, const struct ky_octree_bodies *bodies,
                               const struct ky_parameters *parameters, struct ky_error *error)
{
    ky_octree_empty(tree);
    memset(&tree->seconds, 0, sizeof tree->seconds);
    if (bodies->n > INT32_MAX)
        return ky_fail(error, KY_USAGE, "tree: %zu bodies; at most %d can be indexed", bodies->n,
                       INT32_MAX);
    enum ky_status status = build(tree, bodies, parameters, error);
    if (status)
        ky_octree_empty(tree);
    return status;
}

enum ky_status ky_octree_refresh(struct ky_octree *tree, const double (*position)[3],
                                 const struct ky_parameters *parameters, struct ky_error *error)
{
    double clock = ky_clock();
    enum ky_status status =
        tree->n == 0 ? KY_OK : ky_octree_move(tree, position, parameters, error);
    tree->seconds.moments = lap(&clock);
    return status;
}

double ky_octree_cells(const struct ky_parameters *parameters, size_t n)
{
    /* A little more than for Plummer spheres, which have 1.3 cells a body with leaves of one body
     * and 0.245 with leaves of 16. For a uniform cube the number oscillates with n, from 0.15 to
     * 0.35. */
    return (double)n * fmin(1.5, 4.4 / (parameters->leaf + 1.5)) + 64;
}

size_t ky_octree_cell_bytes(const struct ky_parameters *parameters)
{
    const size_t moments = KY_MOMENTS(parameters->multipole);
#define KY_CELL_BYTES(p, type, name, count, what) +sizeof(type) * (count)
    return 0 KY_CELL_COLUMNS(KY_CELL_BYTES, );
}

double ky_octree_memory(const struct ky_parameters *parameters, size_t n)
{
    const size_t cell = ky_octree_cell_bytes(parameters) + sizeof(unsigned char); /* depth */
    double groups = 2 * (double)n / parameters->group + 64;
    /* An eighth more cells: for the spare room of arrays, and for uniform cubes. */
    return ky_allocated((double)n * 4 * sizeof(double)) +
           ky_allocated((double)n * sizeof(uint32_t)) +
           9.0 / 8 * ky_octree_cells(parameters, n) * (double)cell +
           groups * sizeof(struct ky_group) + sizeof(struct ky_octree_scratch);
}
