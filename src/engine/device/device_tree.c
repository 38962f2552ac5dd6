/* The octree made on the card: kernels/keys.k, grow.k, cells.k, groups.k and relative.k from the
 * host's side. More than 600 lines, since all phases share the memory that the first part divides.
 */
#include "engine/device/device_tree.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "engine/device/curve.h"
#include "octree/keys.h"
#include "octree/layout.h"
#include "physics/opening.h"

/* Marks of the phases. */
enum { KEYS = KY_MARK_TREE, SORT, BUILD, MOMENTS, END, GROUPS };

static struct ky_card *card_of(const struct ky_device_bodies *bodies)
{
    return bodies->cards.card[0];
}

/* Softenings, or what stands in their place where the bodies have none of their own. */
static const struct ky_buffer *softenings(const struct ky_device_bodies *bodies)
{
    return bodies->own_eps ? &bodies->softening : &bodies->mass;
}

/* ---- memory ---- */

static size_t aligned(size_t bytes)
{
    return (bytes + KY_PART_ALIGN - 1) / KY_PART_ALIGN * KY_PART_ALIGN;
}

/* A part of the room that begins where the last one ended. */
static enum ky_status take(const struct ky_device_bodies *bodies, size_t *offset, size_t bytes,
                           const char *what, struct ky_buffer *part, struct ky_error *error)
{
    enum ky_status status =
        ky_buffer_part(card_of(bodies), &bodies->curve.room, what, *offset, bytes, part, error);
    *offset += aligned(bytes);
    return status;
}

static enum ky_status parts_before(struct ky_device_tree *tree,
                                   const struct ky_device_bodies *bodies, struct ky_error *error)
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
    enum ky_status status = KY_OK;
    size_t offset = 0;
    for (size_t k = 0; k < sizeof parts / sizeof *parts && status == KY_OK; k++)
        status = take(bodies, &offset, parts[k].bytes, parts[k].what, parts[k].part, error);
    return status;
}

enum { GROUPS_IN_CUT = 32, HEAVY = 16 }; /* of the groups one of HEAVY is divided, if any are */

/* Bodies of a group at most. Walks of single bodies have none. */
static uint32_t group_of(const struct ky_parameters *parameters)
{
    const int few = parameters->force == KY_TREE && parameters->group < KY_TEAM;
    return few ? (uint32_t)parameters->group : KY_TEAM;
}

/* Groups of n bodies at most. A cut has at most GROUPS_IN_CUT full groups, unless it is a leaf. Its
 * parent has more, so that of every level there are few parents, of 8 cuts each. Every cut has one
 * group that is not full. */
static size_t most_groups(const struct ky_parameters *parameters, size_t n)
{
    size_t group = group_of(parameters), cuts = 8 * KY_TREE_LEVELS * (n / (GROUPS_IN_CUT * group));
    size_t most = n / group + cuts + 1;
    return most < n ? most : n;
}

/* Teams that run at once. */
static size_t teams_at_once(const struct ky_card *card)
{
    enum { OF_A_PROCESSOR = 32 };
    return OF_A_PROCESSOR * card->processors;
}

/* Groups that there is room for: of all bodies, or of active ones (ky_device_tree_regroup). */
static size_t room_for_groups(const struct ky_device_bodies *bodies,
                              const struct ky_parameters *parameters)
{
    return most_groups(parameters, bodies->n) + teams_at_once(card_of(bodies));
}

/* Small groups, or many cells, may need more than the bodies did before. */
static enum ky_status parts_after(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                  const struct ky_parameters *parameters, struct ky_error *error)
{
    const size_t words = bodies->n * sizeof(uint32_t), more = tree->cells + 1,
                 most = room_for_groups(bodies, parameters), groups = most * sizeof(uint32_t),
                 divided = (KY_SPLIT - 1) * (most / HEAVY) * sizeof(uint32_t);
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
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        all += aligned(parts[k].bytes);
    enum ky_status status =
        ky_buffer_need(card_of(bodies), &bodies->curve.room, KY_ROOM_OF_ORDERS, all, 1, error);
    for (size_t k = 0; k < sizeof parts / sizeof *parts && status == KY_OK; k++)
        status = take(bodies, &offset, parts[k].bytes, parts[k].what, parts[k].part, error);
    return status;
}

void ky_device_tree_done(struct ky_device_tree *tree, const struct ky_device_bodies *bodies)
{
    struct ky_buffer *parts[] = {
        &tree->keys.buffer[0], &tree->keys.buffer[1], &tree->masks,  &tree->at,     &tree->group,
        &tree->before,         &tree->turn,           &tree->weight, &tree->factor, &tree->wanted};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        ky_buffer_release(card_of(bodies), parts[k]);
}

void ky_device_tree_release(struct ky_device_tree *tree, const struct ky_device_bodies *bodies)
{
    struct ky_buffer *buffers[] = {
        &tree->curve,      &tree->partial,  &tree->frame,   &tree->first,
        &tree->facts,      &tree->centre,   &tree->link,    &tree->moment,
        &tree->box,        &tree->children, &tree->weights, &tree->starts,
        &tree->centre_low, &tree->scratch,  &tree->floor,   &tree->exponents,
    };
    tree->built = 0;
    ky_device_tree_done(tree, bodies);
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
        ky_buffer_release(card_of(bodies), buffers[k]);
    ky_pinned_release(card_of(bodies), &tree->pinned);
}

/* Counts of cells: of each level and team, and their sum. */
static size_t counts_of(size_t n)
{
    return (KY_TREE_LEVELS + 1) * ky_groups(n, KY_TEAM) + 1;
}

/* Buffers whose size follows from the number of bodies. */
static enum ky_status need_bodies(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                  struct ky_error *error)
{
    struct ky_card *card = card_of(bodies);
    const size_t n = bodies->n;
    const struct {
        struct ky_buffer *buffer;
        const char *what;
        size_t count, size;
    } needs[] = {
        {&tree->partial, "bounds of the bodies", 6 * KY_BOUNDS_GROUPS + 3 * KY_FRAME_SAMPLES,
         KY_STATE_BYTES},
        {&tree->frame, "frame of the keys", KY_FRAME_NUMBERS, KY_STATE_BYTES},
        {&tree->first, "counts of cells", counts_of(n), sizeof(uint32_t)},
        {&tree->facts, "levels of the tree", KY_FACTS, sizeof(uint32_t)},
        {&tree->exponents, "exponents of accelerations", KY_OPENING_EXPONENTS, sizeof(uint32_t)},
        {&tree->floor, "floor of accelerations", 1, sizeof(float)},
        {&tree->weights, "groups by their cost", KY_WEIGHTS, sizeof(uint32_t)},
        {&tree->starts, "groups that cost more", KY_WEIGHTS, sizeof(uint32_t)},
    };
    enum ky_status status = ky_device_curve_need(bodies, error);
    for (size_t k = 0; k < sizeof needs / sizeof *needs && status == KY_OK; k++)
        status = ky_buffer_need(card, needs[k].buffer, needs[k].what, needs[k].count, needs[k].size,
                                error);
    if (status == KY_OK)
        status = ky_pinned_need(card, &tree->pinned, "number of groups", sizeof(uint32_t), error);
    if (status == KY_OK)
        status = ky_scratch_need(card, &tree->scratch, KY_BULK_SORT, n, error);
    if (status == KY_OK)
        status = ky_scratch_need(card, &tree->scratch, KY_BULK_SCAN, counts_of(n), error);
    return status == KY_OK
               ? ky_scratch_need(card, &tree->scratch, KY_BULK_SCAN, 2 * n + KY_WEIGHTS, error)
               : status;
}

/* Cells of n bodies for which there is room from the start: a little more than those of Plummer
 * spheres, which have 0.245 a body with leaves of 16. Those of a uniform cube go up and down with
 * n, from 0.15 to 0.35. */
static size_t expected_cells(const struct ky_parameters *parameters, size_t n)
{
    double ratio = fmin(1.5, 4.4 / (parameters->leaf + 1.5));
    return (size_t)(ratio * (double)n) + 64;
}

static const struct {
    size_t place, size; /* of the buffer in struct ky_device_tree; bytes a cell, but for moments */
    const char *what;
} arrays_of_cells[] = {
    {offsetof(struct ky_device_tree, centre), sizeof(struct ky_cell_centre), "centres of cells"},
    {offsetof(struct ky_device_tree, centre_low), sizeof(struct ky_low), "low parts of centres"},
    {offsetof(struct ky_device_tree, link), sizeof(struct ky_cell_link), "links of cells"},
    {offsetof(struct ky_device_tree, moment), 0, "moments of cells"},
    {offsetof(struct ky_device_tree, box), sizeof(struct ky_cell_box), "boxes of cells"},
    {offsetof(struct ky_device_tree, children), 1, "numbers of children"},
};
enum { CELL_ARRAYS = sizeof arrays_of_cells / sizeof *arrays_of_cells };

static size_t cell_bytes(int array, const struct ky_parameters *parameters)
{
    const size_t moments = KY_MOMENTS(parameters->multipole) * sizeof(float);
    return arrays_of_cells[array].size > 0 ? arrays_of_cells[array].size : moments;
}

/* Room for the cells, which have been counted. */
static enum ky_status need_cells(struct ky_device_tree *tree, const struct ky_device_bodies *bodies,
                                 const struct ky_parameters *parameters, struct ky_error *error)
{
    size_t room = expected_cells(parameters, bodies->n);
    enum ky_status status = KY_OK;
    room = tree->cells > room ? tree->cells + tree->cells / 8 : room;
    for (int k = 0; k < CELL_ARRAYS && status == KY_OK; k++) {
        struct ky_buffer *buffer = (struct ky_buffer *)((char *)tree + arrays_of_cells[k].place);
        const size_t size = cell_bytes(k, parameters);
        if (buffer->bytes < tree->cells * size)
            status =
                ky_buffer_need(card_of(bodies), buffer, arrays_of_cells[k].what, room, size, error);
    }
    return status;
}

double ky_device_tree_memory(const struct ky_parameters *parameters, size_t n)
{
    const double pairs = 2 * sizeof(uint64_t) * 1.06 * (double)n / group_of(parameters);
    double bytes = ky_device_curve_memory(n) + sizeof(uint32_t) * (double)counts_of(n) + pairs;
    for (int k = 0; k < CELL_ARRAYS; k++)
        bytes += (double)(cell_bytes(k, parameters) * expected_cells(parameters, n));
    return bytes;
}

/* ---- keys ---- */

static enum ky_status send_curve(struct ky_device_tree *tree, struct ky_card *card,
                                 const struct ky_parameters *parameters, struct ky_error *error)
{
    uint32_t step[KY_CURVE_STEPS];
    if (tree->curve.handle)
        return KY_OK;
    ky_curve_steps(parameters->curve == KY_HILBERT, step);
    return ky_buffer_fill(card, &tree->curve, "curve", step, KY_CURVE_STEPS, sizeof *step, error);
}

/* A frame that was given, in the engine's units. */
static enum ky_status send_frame(struct ky_device_tree *tree, const struct ky_device_bodies *bodies,
                                 struct ky_error *error)
{
    struct ky_card *card = card_of(bodies);
    const struct ky_engine_frame *frame = &bodies->frame;
    union ky_state_value value[KY_FRAME_SCALE + 1];
    double edge = frame->edge / bodies->units.length;
    for (int c = 0; c < 3; c++)
        value[KY_FRAME_LOW + c] = ky_to_state(card, frame->low[c] / bodies->units.length);
    value[KY_FRAME_EDGE] = ky_to_state(card, edge);
    value[KY_FRAME_SCALE] = ky_to_state(card, 0x1p21 / edge);
    return card->driver->write(card, &tree->frame, 0, value, sizeof value, error);
}

/* Groups that look at all bodies in turns. */
static uint32_t looking_groups(size_t n)
{
    size_t groups = ky_groups(n, 1024);
    return (uint32_t)(groups < KY_BOUNDS_GROUPS ? groups : KY_BOUNDS_GROUPS);
}

static enum ky_status make_frame(struct ky_device_tree *tree, const struct ky_device_bodies *bodies,
                                 struct ky_error *error)
{
    struct ky_card *card = card_of(bodies);
    struct ky_frame_sample sample = ky_frame_sample(bodies->n);
    uint32_t n = (uint32_t)bodies->n, samples = (uint32_t)sample.samples,
             trim = (uint32_t)sample.trim, followed = (uint32_t)bodies->curve.is_followed,
             whole = bodies->parameters->precision == KY_DOUBLE, groups = looking_groups(bodies->n);
    enum ky_status status =
        ky_launch(card, KY_KERNEL_ky_tree_bounds, groups,
                  KY_ARGUMENTS(KY_BUFFER(bodies->position), KY_BUFFER(bodies->curve.index),
                               KY_BUFFER(tree->partial), KY_VALUE(n), KY_VALUE(samples),
                               KY_VALUE(followed), KY_VALUE(groups)),
                  error);
    if (status == KY_OK)
        status = ky_launch(card, KY_KERNEL_ky_tree_axis, 3,
                           KY_ARGUMENTS(KY_BUFFER(tree->partial), KY_BUFFER(tree->frame),
                                        KY_VALUE(samples), KY_VALUE(trim), KY_VALUE(groups),
                                        KY_VALUE(whole)),
                           error);
    if (status != KY_OK || bodies->frame.edge > 0)
        return status ? status : send_frame(tree, bodies, error);
    return ky_launch(card, KY_KERNEL_ky_tree_cube, 1, KY_ARGUMENTS(KY_BUFFER(tree->frame)), error);
}

static enum ky_status make_keys(struct ky_device_tree *tree, const struct ky_device_bodies *bodies,
                                const struct ky_parameters *parameters, struct ky_error *error)
{
    struct ky_card *card = card_of(bodies);
    uint32_t n = (uint32_t)bodies->n;
    enum ky_status status = send_curve(tree, card, parameters, error);
    if (status == KY_OK)
        status = make_frame(tree, bodies, error);
    tree->keys.now = 0;
    if (status == KY_OK)
        status =
            ky_launch_over(card, KY_KERNEL_ky_tree_keys, n,
                           KY_ARGUMENTS(KY_BUFFER(bodies->position), KY_BUFFER(tree->frame),
                                        KY_BUFFER(tree->curve), KY_BUFFER(tree->keys.buffer[0]),
                                        KY_BUFFER(bodies->curve.place[0]), KY_VALUE(n)),
                           error);
    return status;
}

/* ---- cells ---- */

/* Counts the cells; levels and ties come to the host. */
static enum ky_status count_cells(struct ky_device_tree *tree,
                                  const struct ky_device_bodies *bodies, int now,
                                  const struct ky_parameters *parameters, int *ties,
                                  struct ky_error *error)
{
    struct ky_card *card = card_of(bodies);
    const struct ky_device_curve *curve = &bodies->curve;
    uint32_t n = (uint32_t)bodies->n, leaf = (uint32_t)parameters->leaf,
             followed = (uint32_t)curve->is_followed, facts[KY_FACTS] = {0};
    enum ky_status status = card->driver->zero(card, &tree->facts, error);
    if (status == KY_OK)
        status = ky_launch_teams(
            card, KY_KERNEL_ky_tree_count, ky_groups(n, KY_TEAM),
            KY_ARGUMENTS(KY_BUFFER(tree->keys.buffer[tree->keys.now]), KY_BUFFER(curve->place[now]),
                         KY_BUFFER(curve->index), KY_BUFFER(tree->masks), KY_BUFFER(tree->first),
                         KY_BUFFER(tree->facts), KY_VALUE(n), KY_VALUE(leaf), KY_VALUE(followed)),
            error);
    if (status == KY_OK)
        status = card->driver->scan(card, &tree->first, &tree->first, counts_of(n), &tree->scratch,
                                    error);
    if (status == KY_OK)
        status = ky_launch(
            card, KY_KERNEL_ky_tree_facts, 1,
            KY_ARGUMENTS(KY_BUFFER(tree->first), KY_BUFFER(tree->facts), KY_VALUE(n)), error);
    if (status == KY_OK)
        status = card->driver->read(card, &tree->facts, 0, facts, sizeof facts, error);
    memcpy(tree->level, facts, sizeof tree->level);
    tree->cells = facts[KY_FACT_CELLS];
    *ties = facts[KY_FACT_TIES] > 0;
    return status;
}

static enum ky_status make_cells(struct ky_device_tree *tree, const struct ky_device_bodies *bodies,
                                 struct ky_error *error)
{
    struct ky_card *card = card_of(bodies);
    uint32_t n = (uint32_t)bodies->n, cells = (uint32_t)tree->cells;
    enum ky_status status =
        ky_launch_teams(card, KY_KERNEL_ky_tree_cells, ky_groups(n, KY_TEAM),
                        KY_ARGUMENTS(KY_BUFFER(tree->keys.buffer[tree->keys.now]),
                                     KY_BUFFER(tree->masks), KY_BUFFER(tree->first),
                                     KY_BUFFER(tree->link), KY_BUFFER(tree->at), KY_VALUE(n)),
                        error);
    if (status == KY_OK)
        status = ky_launch_over(
            card, KY_KERNEL_ky_tree_next, cells,
            KY_ARGUMENTS(KY_BUFFER(tree->at), KY_BUFFER(tree->link), KY_VALUE(n), KY_VALUE(cells)),
            error);
    return status;
}

static uint32_t flags_of(const struct ky_device_bodies *bodies,
                         const struct ky_parameters *parameters)
{
    return (parameters->multipole > 1 ? KY_GROWN_QUADRUPOLE : 0U) |
           (parameters->cell == KY_EDGE ? KY_GROWN_EDGE : 0U) |
           (bodies->own_eps ? KY_GROWN_OWN_EPS : 0U) |
           (parameters->opening == KY_RELATIVE ? KY_GROWN_RELATIVE : 0U) |
           (parameters->opening == KY_OFFSET ? KY_GROWN_OFFSET : 0U);
}

/* The bodies lie along the curve. */
static enum ky_status make_moments(struct ky_device_tree *tree,
                                   const struct ky_device_bodies *bodies,
                                   const struct ky_parameters *parameters, struct ky_error *error)
{
    struct ky_card *card = card_of(bodies);
    uint32_t n = (uint32_t)bodies->n, flags = flags_of(bodies, parameters),
             cells = (uint32_t)tree->cells;
    float inverse_theta = (float)(1 / parameters->theta);
    enum ky_status status = ky_launch_over(
        card, KY_KERNEL_ky_tree_leaves, cells,
        KY_ARGUMENTS(KY_BUFFER(bodies->position), KY_BUFFER(bodies->mass),
                     KY_BUFFER(*softenings(bodies)), KY_BUFFER(tree->frame), KY_BUFFER(tree->link),
                     KY_BUFFER(tree->centre), KY_BUFFER(tree->centre_low), KY_BUFFER(tree->box),
                     KY_BUFFER(tree->moment), KY_BUFFER(tree->children), KY_VALUE(n),
                     KY_VALUE(flags), KY_VALUE(inverse_theta), KY_VALUE(cells)),
        error);
    for (int level = KY_TREE_LEVELS; level-- > 0 && status == KY_OK;) {
        uint32_t first = tree->level[level], end = tree->level[level + 1];
        if (end == cells) /* nothing below: all of them are leaves */
            continue;
        status = ky_launch_over(
            card, KY_KERNEL_ky_tree_level, KY_LEVEL_EACH * (size_t)(end - first),
            KY_ARGUMENTS(KY_BUFFER(bodies->position), KY_BUFFER(tree->frame), KY_BUFFER(tree->link),
                         KY_BUFFER(tree->centre), KY_BUFFER(tree->centre_low), KY_BUFFER(tree->box),
                         KY_BUFFER(tree->moment), KY_BUFFER(tree->children), KY_VALUE(n),
                         KY_VALUE(flags), KY_VALUE(inverse_theta), KY_VALUE(first), KY_VALUE(end),
                         KY_VALUE(cells)),
            error);
    }
    return status;
}

/* ---- groups ---- */

/* Groups of at most `most` of the active bodies that are listed, or of all. */
static enum ky_status divide(struct ky_device_tree *tree, const struct ky_device_bodies *bodies,
                             const struct ky_parameters *parameters, uint32_t most, size_t active,
                             struct ky_error *error)
{
    struct ky_card *card = card_of(bodies);
    uint32_t limit = GROUPS_IN_CUT * group_of(parameters), cells = (uint32_t)tree->cells,
             listed = (uint32_t)active;
    const struct ky_buffer *list = listed > 0 ? &bodies->active_list : &tree->before;
    enum ky_status status = card->driver->zero(card, &tree->before, error);
    if (status == KY_OK)
        status = ky_launch_over(card, KY_KERNEL_ky_groups_count, cells,
                                KY_ARGUMENTS(KY_BUFFER(tree->link), KY_BUFFER(*list),
                                             KY_BUFFER(tree->before), KY_VALUE(cells),
                                             KY_VALUE(limit), KY_VALUE(most), KY_VALUE(listed)),
                                error);
    if (status == KY_OK)
        status = card->driver->scan(card, &tree->before, &tree->before, tree->cells + 1,
                                    &tree->scratch, error);
    if (status == KY_OK)
        status = ky_launch_over(card, KY_KERNEL_ky_groups_place, cells,
                                KY_ARGUMENTS(KY_BUFFER(tree->link), KY_BUFFER(*list),
                                             KY_BUFFER(tree->before), KY_BUFFER(tree->group),
                                             KY_VALUE(cells), KY_VALUE(listed)),
                                error);
    tree->listed = active;
    return status;
}

/* Those of all bodies. Their number is on its way to the host. */
static enum ky_status make_groups(struct ky_device_tree *tree,
                                  const struct ky_device_bodies *bodies,
                                  const struct ky_parameters *parameters, struct ky_error *error)
{
    struct ky_card *card = card_of(bodies);
    const size_t cells = tree->cells;
    enum ky_status status = divide(tree, bodies, parameters, group_of(parameters), 0, error);
    if (status == KY_OK)
        status = card->driver->read_later(card, &tree->before, cells * sizeof(uint32_t),
                                          tree->pinned.data, sizeof(uint32_t), error);
    return status == KY_OK ? card->driver->mark(card, GROUPS, error) : status;
}

/* A walk that is several times as long as the mean is the last of a few turns; in many turns the
 * others hide it. */
static int are_few(const struct ky_card *card, size_t groups)
{
    enum { TURNS = 16 };
    return groups < TURNS * teams_at_once(card);
}

/* Active bodies of a group: so few that half of the teams that can run have one. Lanes share the
 * sinks then, and walks of narrower groups are shorter. */
static uint32_t active_of_group(const struct ky_card *card, const struct ky_parameters *parameters,
                                size_t active)
{
    uint32_t most = group_of(parameters);
    while (most > KY_SPLIT && 2 * active / most < teams_at_once(card))
        most /= 2;
    return most;
}

enum ky_status ky_device_tree_regroup(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                      const struct ky_parameters *parameters,
                                      struct ky_error *error)
{
    struct ky_card *card = card_of(bodies);
    const size_t active = bodies->active ? bodies->active->count : 0,
                 room = room_for_groups(bodies, parameters);
    const uint32_t most =
        active > 0 ? active_of_group(card, parameters, active) : group_of(parameters);
    enum ky_status status = KY_OK;
    if (active + tree->listed > 0) /* else they are there */
        status = card->driver->zero(card, &tree->group, error);
    if (status == KY_OK && active + tree->listed > 0)
        status = divide(tree, bodies, parameters, most, active, error);
    /* Each cut has one group that is not full. */
    const size_t cuts = active < tree->whole ? active : tree->whole, groups = active / most + cuts;
    tree->full = active > 0 ? active / most + 1 : tree->whole;
    tree->groups = active == 0 ? tree->whole : groups < room ? groups : room;
    tree->few = are_few(card, tree->full) || most < KY_TEAM;
    return status;
}

enum ky_status ky_device_tree_turns(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                    uint32_t flags, struct ky_error *error)
{
    struct ky_card *card = card_of(bodies);
    uint32_t groups = (uint32_t)tree->groups, heavy = tree->few ? (uint32_t)tree->full / HEAVY : 0;
    tree->turns = groups + (KY_SPLIT - 1) * (size_t)heavy;
    enum ky_status status = card->driver->zero(card, &tree->weights, error);
    if (status == KY_OK)
        status = ky_launch_over(card, KY_KERNEL_ky_groups_weigh, groups,
                                KY_ARGUMENTS(KY_BUFFER(tree->group), KY_BUFFER(tree->factor),
                                             KY_BUFFER(tree->weight), KY_BUFFER(tree->weights),
                                             KY_VALUE(groups), KY_VALUE(flags)),
                                error);
    if (status == KY_OK)
        status = card->driver->scan(card, &tree->weights, &tree->starts, KY_WEIGHTS, &tree->scratch,
                                    error);
    if (status == KY_OK)
        status = card->driver->zero(card, &tree->weights, error);
    if (status == KY_OK)
        status = card->driver->zero(card, &tree->turn, error);
    if (status == KY_OK)
        status =
            ky_launch_over(card, KY_KERNEL_ky_groups_turn, groups,
                           KY_ARGUMENTS(KY_BUFFER(tree->group), KY_BUFFER(tree->weight),
                                        KY_BUFFER(tree->starts), KY_BUFFER(tree->weights),
                                        KY_BUFFER(tree->turn), KY_VALUE(groups), KY_VALUE(heavy)),
                           error);
    return status;
}

enum ky_status ky_device_tree_wanted(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                     struct ky_error *error)
{
    struct ky_card *card = card_of(bodies);
    uint32_t n = (uint32_t)bodies->n, count = (uint32_t)bodies->active->count;
    struct ky_buffer *want = &tree->before; /* groups have been made */
    enum ky_status status = ky_device_active_list(bodies, error);
    if (status == KY_OK)
        status = card->driver->zero(card, want, error);
    if (status == KY_OK)
        status = ky_launch_over(
            card, KY_KERNEL_ky_groups_want, count,
            KY_ARGUMENTS(KY_BUFFER(bodies->active_list), KY_BUFFER(*want), KY_VALUE(count)), error);
    if (status == KY_OK)
        status = ky_launch_over(card, KY_KERNEL_ky_groups_wanted, n,
                                KY_ARGUMENTS(KY_BUFFER(*want), KY_BUFFER(bodies->curve.index),
                                             KY_BUFFER(tree->wanted), KY_VALUE(n)),
                                error);
    return status;
}

/* ---- the whole ---- */

/* Keys, sort and the number of cells. *now: the order of the bodies is curve.place[*now]. */
static enum ky_status sort_bodies(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                  const struct ky_parameters *parameters, int *now, int *ties,
                                  struct ky_error *error)
{
    struct ky_card *card = card_of(bodies);
    struct ky_device_curve *curve = &bodies->curve;
    struct ky_two_buffers order = {{curve->place[0], curve->place[1]}, 0};
    enum ky_status status = ky_mark(&bodies->cards, KEYS, error);
    if (status == KY_OK)
        status = parts_before(tree, bodies, error);
    if (status == KY_OK)
        status = make_keys(tree, bodies, parameters, error);
    if (status == KY_OK)
        status = ky_mark(&bodies->cards, SORT, error);
    if (status == KY_OK)
        status = card->driver->sort(card, &tree->keys, &order, bodies->n, 3 * KY_TREE_LEVELS,
                                    &tree->scratch, error);
    *now = order.now;
    if (status == KY_OK)
        status = ky_mark(&bodies->cards, BUILD, error);
    return status == KY_OK ? count_cells(tree, bodies, *now, parameters, ties, error) : status;
}

/* Equal keys keep the order in which the bodies lie, which must not depend on what was before. So
 * where that shows, the bodies go back into the caller's order, and once more. */
static enum ky_status sort_surely(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                  const struct ky_parameters *parameters, int *now,
                                  struct ky_error *error)
{
    int ties = 0;
    enum ky_status status = sort_bodies(tree, bodies, parameters, now, &ties, error);
    if (status != KY_OK || !ties)
        return status;
    ky_device_tree_done(tree, bodies);
    status = ky_device_curve_leave(bodies, error);
    return status == KY_OK ? sort_bodies(tree, bodies, parameters, now, &ties, error) : status;
}

static enum ky_status build(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                            const struct ky_parameters *parameters, struct ky_error *error)
{
    struct ky_card *card = card_of(bodies);
    int now = 0;
    ky_device_tree_done(tree, bodies);
    tree->serves = tree->refreshed = tree->has_floor = 0;
    enum ky_status status = need_bodies(tree, bodies, error);
    if (status == KY_OK)
        status = sort_surely(tree, bodies, parameters, &now, error);
    if (status == KY_OK)
        status = need_cells(tree, bodies, parameters, error);
    if (status == KY_OK)
        status = make_cells(tree, bodies, error);
    ky_device_tree_done(tree, bodies);
    if (status == KY_OK)
        status = ky_device_curve_follow(bodies, now, error);
    if (status == KY_OK)
        status = parts_after(tree, bodies, parameters, error);
    if (status == KY_OK)
        status = make_groups(tree, bodies, parameters, error);
    if (status == KY_OK)
        status = ky_mark(&bodies->cards, MOMENTS, error);
    if (status == KY_OK)
        status = make_moments(tree, bodies, parameters, error);
    if (status == KY_OK)
        status = ky_mark(&bodies->cards, END, error);
    if (status == KY_OK)
        status = card->driver->reach(card, GROUPS, error);
    tree->whole = status == KY_OK ? *(const uint32_t *)tree->pinned.data : 0;
    tree->groups = tree->full = tree->whole;
    tree->few = are_few(card, tree->groups) || group_of(parameters) < KY_TEAM;
    return status;
}

enum ky_status ky_device_tree_build(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                    const struct ky_parameters *parameters, struct ky_error *error)
{
    enum ky_status status = build(tree, bodies, parameters, error);
    tree->built = status == KY_OK ? bodies->place : 0;
    tree->opening = parameters->opening;
    tree->is_wide = 0;
    tree->builds++;
    if (status != KY_OK)
        ky_device_tree_done(tree, bodies);
    return status;
}

/* The bodies come back along the curve; groups follow from the cells. */
static enum ky_status stand_again(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                  const struct ky_parameters *parameters, struct ky_error *error)
{
    ky_device_tree_done(tree, bodies);
    enum ky_status status = ky_device_curve_return(bodies, error);
    if (status == KY_OK)
        status = parts_after(tree, bodies, parameters, error);
    return status == KY_OK ? make_groups(tree, bodies, parameters, error) : status;
}

enum ky_status ky_device_tree_refresh(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                      const struct ky_parameters *parameters,
                                      struct ky_error *error)
{
    enum ky_status status = KY_OK;
    tree->refreshed = 1;
    if (!bodies->curve.is_followed)
        status = stand_again(tree, bodies, parameters, error);
    if (status == KY_OK)
        status = ky_mark(&bodies->cards, MOMENTS, error);
    if (status == KY_OK)
        status = make_moments(tree, bodies, parameters, error);
    return status == KY_OK ? ky_mark(&bodies->cards, END, error) : status;
}

static enum ky_status find_floor(struct ky_device_tree *tree, const struct ky_device_bodies *bodies,
                                 int precision, float unit, struct ky_error *error)
{
    struct ky_card *card = card_of(bodies);
    uint32_t n = (uint32_t)bodies->n, groups = looking_groups(bodies->n);
    enum ky_status status = card->driver->zero(card, &tree->exponents, error);
    if (status == KY_OK)
        status = ky_launch(card, KY_IN_PRECISION(ky_relative_count, precision), groups,
                           KY_ARGUMENTS(KY_BUFFER(bodies->acceleration), KY_BUFFER(tree->exponents),
                                        KY_VALUE(n), KY_VALUE(unit), KY_VALUE(groups)),
                           error);
    if (status == KY_OK)
        status = ky_launch(card, KY_IN_PRECISION(ky_relative_floor, precision), 1,
                           KY_ARGUMENTS(KY_BUFFER(tree->exponents), KY_BUFFER(tree->floor)), error);
    tree->has_floor = status == KY_OK;
    return status;
}

enum ky_status ky_device_tree_factors(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                      const struct ky_parameters *parameters,
                                      struct ky_error *error)
{
    struct ky_card *card = card_of(bodies);
    const int precision = parameters->precision;
    double strength = ky_engine_scale(&bodies->units, parameters->g).strength;
    const int in_list = bodies->blocks.is_on && bodies->active;
    uint32_t n = (uint32_t)bodies->n, listed = in_list ? (uint32_t)bodies->active->count : 0;
    const struct ky_buffer *list = in_list ? &bodies->active_list : &tree->floor;
    float unit = strength > 0 ? (float)(1 / strength) : 0, alpha = (float)parameters->alpha,
          power = -2.0f / (float)(parameters->multipole + 3);
    enum ky_status status =
        tree->has_floor ? KY_OK : find_floor(tree, bodies, precision, unit, error);
    if (status == KY_OK)
        status = ky_launch_over(
            card, KY_IN_PRECISION(ky_relative_factors, precision), in_list ? listed : n,
            KY_ARGUMENTS(KY_BUFFER(bodies->acceleration), KY_BUFFER(tree->floor), KY_BUFFER(*list),
                         KY_BUFFER(tree->factor), KY_VALUE(n), KY_VALUE(listed), KY_VALUE(unit),
                         KY_VALUE(alpha), KY_VALUE(power)),
            error);
    return status;
}

void ky_device_tree_report(const struct ky_device_tree *tree, const struct ky_device_bodies *bodies,
                           struct ky_force_report *report)
{
    struct ky_card *card = card_of(bodies);
    const struct {
        double *seconds;
        int from, to;
    } phases[] = {{&report->keys, KEYS, SORT},
                  {&report->sort, SORT, BUILD},
                  {&report->build, BUILD, MOMENTS},
                  {&report->moments, MOMENTS, END}};
    for (size_t k = tree->refreshed ? 3 : 0; k < sizeof phases / sizeof *phases; k++)
        *phases[k].seconds += bodies->cards.measured
                                  ? card->driver->between(card, phases[k].from, phases[k].to)
                                  : (double)NAN;
}
