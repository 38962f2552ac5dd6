/* The memory of the tree that a card builds. */
#include "engine/device/tree/tree_memory.h"

#include "base/status.h"
#include "engine/common/force_kinds.h"
#include "engine/device/state/curve.h"
#include "octree/octree.h"

static size_t aligned(size_t bytes)
{
    return (bytes + KY_SLICE_ALIGN - 1) / KY_SLICE_ALIGN * KY_SLICE_ALIGN;
}

/* Takes the next part of the room. */
static enum ky_status take(const struct ky_device_bodies *bodies, size_t *offset, size_t bytes,
                           const char *what, struct ky_buffer *part, struct ky_error *error)
{
    enum ky_status status =
        ky_buffer_slice(bodies->card, &bodies->curve.room, what, *offset, bytes, part, error);
    *offset += aligned(bytes);
    return status;
}

enum ky_status ky_device_tree_parts_before(struct ky_device_tree *tree,
                                           const struct ky_device_bodies *bodies,
                                           struct ky_error *error)
{
    const size_t n = bodies->n;
    const struct {
        struct ky_buffer *part;
        const char *what;
        size_t bytes;
    } parts[] = {
        {&tree->keys.buffer[0], "keys", n * sizeof(uint64_t)},
        {&tree->keys.buffer[1], "sorted keys", n * sizeof(uint64_t)},
        {&tree->masks, "cells that begin at a body", n * sizeof(uint32_t)},
        {&tree->at, "first cells of bodies", n * sizeof(uint32_t)},
    };
    size_t offset = 0;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        KY_TRY(take(bodies, &offset, parts[k].bytes, parts[k].what, parts[k].part, error));
    return KY_OK;
}

uint32_t ky_device_tree_group(size_t team, const struct ky_parameters *parameters)
{
    const struct ky_force_kind *kind = ky_force_kind(parameters->force);
    const uint32_t most = (uint32_t)team * (kind->expands && parameters->box > 0 ? 2 : 1);
    return kind->in_groups && parameters->group < (int)most ? (uint32_t)parameters->group : most;
}

uint32_t ky_device_tree_divided(size_t team, const struct ky_parameters *parameters)
{
    return KY_GROUPS_IN_CUT * ky_device_tree_group(team, parameters);
}

/* Maximum number of groups for n bodies. A cut has at most this many full groups, unless it is a
 * leaf. Its parent has more bodies, so every level has few parents, with 8 cuts each. Every cut has
 * one group that is not full. */
static size_t most_groups(size_t team, const struct ky_parameters *parameters, size_t n)
{
    size_t group = ky_device_tree_group(team, parameters),
           cuts = 8 * KY_KEY_LEVELS * (n / ky_device_tree_divided(team, parameters));
    size_t most = n / group + cuts + 1;
    return most < n ? most : n;
}

size_t ky_device_tree_teams(const struct ky_card *card)
{
    enum { OF_A_PROCESSOR = 32 };
    return OF_A_PROCESSOR * card->processors;
}

size_t ky_device_tree_groups_room(const struct ky_device_bodies *bodies,
                                  const struct ky_parameters *parameters)
{
    const struct ky_card *card = bodies->card;
    return most_groups(card->team, parameters, bodies->n) + ky_device_tree_teams(card);
}

/* The number of counts of cells: one for each cell; if cells are sinks, one for each cut and cell,
 * including the cells above the roots of all ranks. */
static size_t counts_of_cells(const struct ky_device_tree *tree,
                              const struct ky_device_bodies *bodies,
                              const struct ky_parameters *parameters)
{
    const struct ky_shared *shared = ky_device_shared(bodies->state);
    const size_t above = shared ? ky_part_top_cells(shared->ranks * KY_PART_ROOTS) : 0;
    const int expands = ky_force_kind(parameters->force)->expands;
    return expands ? KY_MOST_CUTS * (tree->cells + above) + 1 : tree->cells + 1;
}

enum ky_status ky_device_tree_parts_after(struct ky_device_tree *tree,
                                          struct ky_device_bodies *bodies,
                                          const struct ky_parameters *parameters,
                                          struct ky_error *error)
{
    const size_t words = bodies->n * sizeof(uint32_t),
                 more = counts_of_cells(tree, bodies, parameters),
                 most = ky_device_tree_groups_room(bodies, parameters),
                 groups = most * sizeof(uint32_t),
                 heavy = ky_device_shared(bodies->state) ? most : most / KY_HEAVY_GROUPS,
                 divided = (KY_SPLIT - 1) * heavy * sizeof(uint32_t);
    const struct {
        struct ky_buffer *part;
        const char *what;
        size_t bytes;
    } parts[] = {
        {&tree->group, "groups of bodies", 2 * groups},
        {&tree->turn, "turns of the groups", 2 * (groups + divided)},
        {&tree->weight, "cost of the groups", groups},
        {&tree->factor, "factors of the opening test", words},
        {&tree->wanted, "active bodies along the curve", words},
        {&tree->before, "counts of groups",
         (more > bodies->n ? more : bodies->n) * sizeof(uint32_t)},
    };
    size_t offset = 0, all = 0;
    bodies->curve.keyed.moves = 0;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        all += aligned(parts[k].bytes);
    KY_TRY(ky_buffer_need(bodies->card, &bodies->curve.room, KY_ROOM_OF_ORDERS, all, 1, error));
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        KY_TRY(take(bodies, &offset, parts[k].bytes, parts[k].what, parts[k].part, error));
    return KY_OK;
}

void ky_device_tree_done(struct ky_device_tree *tree, const struct ky_device_bodies *bodies)
{
    struct ky_buffer *parts[] = {
        &tree->keys.buffer[0], &tree->keys.buffer[1], &tree->masks,  &tree->at,     &tree->group,
        &tree->before,         &tree->turn,           &tree->weight, &tree->factor, &tree->wanted};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        ky_buffer_release(bodies->card, parts[k]);
}

void ky_device_tree_release(struct ky_device_tree *tree, const struct ky_device_bodies *bodies)
{
    struct ky_buffer *buffers[] = {
        &tree->curve,     &tree->partial,       &tree->frame,     &tree->first, &tree->facts,
        &tree->weights,   &tree->starts,        &tree->scratch,   &tree->mass,  &tree->cut,
        &tree->cut_first, &tree->starts_of_all, &tree->cuts.most, &tree->least};
    tree->built = 0;
    ky_device_tree_done(tree, bodies);
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
        ky_buffer_release(bodies->card, buffers[k]);
    ky_cell_columns_release(bodies->card, &tree->column);
    ky_pinned_release(bodies->card, &tree->pinned);
    ky_tree_part_release(&tree->part, bodies);
}

size_t ky_device_tree_counts(size_t team, size_t n)
{
    return (KY_KEY_LEVELS + 1) * ky_groups(n, team) + 1;
}

enum ky_status ky_device_tree_need_bodies(struct ky_device_tree *tree,
                                          struct ky_device_bodies *bodies, struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    const size_t n = bodies->n, counts = ky_device_tree_counts(card->team, n);
    const struct ky_need needs[] = {
        {&tree->partial, "bounds of the bodies", 6 * KY_BOUNDS_GROUPS + 3 * KY_FRAME_SAMPLES,
         KY_STATE_BYTES},
        {&tree->frame, "frame of the keys", KY_FRAME_NUMBERS, KY_STATE_BYTES},
        {&tree->first, "counts of cells", counts, sizeof(uint32_t)},
        {&tree->facts, "levels of the tree", KY_FACTS, sizeof(uint32_t)},
        {&tree->mass, "mass of all bodies", KY_BOUNDS_GROUPS, sizeof(uint64_t)},
        {&tree->weights, "groups by their cost", KY_WEIGHTS, sizeof(uint32_t)},
        {&tree->starts, "groups that cost more", KY_WEIGHTS, sizeof(uint32_t)},
    };
    KY_TRY(ky_device_curve_need(bodies, error));
    KY_TRY(ky_buffers_need(card, needs, sizeof needs / sizeof *needs, error));
    KY_TRY(ky_pinned_need(card, &tree->pinned, "number of groups",
                          (KY_MOST_CUTS + 2) * sizeof(uint32_t), error));
    KY_TRY(ky_scratch_need(card, &tree->scratch, KY_BULK_SORT, n, error));
    KY_TRY(ky_scratch_need(card, &tree->scratch, KY_BULK_SCAN, counts, error));
    return ky_scratch_need(card, &tree->scratch, KY_BULK_SCAN, 2 * n + KY_WEIGHTS, error);
}

enum ky_status ky_device_tree_need_cells(struct ky_device_tree *tree,
                                         const struct ky_device_bodies *bodies,
                                         const struct ky_parameters *parameters,
                                         struct ky_error *error)
{
    size_t room = (size_t)ky_octree_cells(parameters, bodies->n);
    room = tree->cells > room ? tree->cells + tree->cells / 8 : room;
    return ky_cell_columns_need(bodies->card, &tree->column, tree->cells, room,
                                KY_MOMENTS(parameters->multipole), error);
}

double ky_device_tree_memory(const struct ky_parameters *parameters, size_t n)
{
    const double pairs = 2 * sizeof(uint64_t) * 1.06 * (double)n /
                         ky_device_tree_group(KY_LEAST_TEAM, parameters),
                 counts = sizeof(uint32_t) * (double)ky_device_tree_counts(KY_LEAST_TEAM, n);
    return ky_device_curve_memory(n) + counts + pairs +
           (double)ky_octree_cell_bytes(parameters) * ky_octree_cells(parameters, n);
}
