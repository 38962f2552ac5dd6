/* Boxes of groups, and parcels for other ranks: the host side of kernels/ranks/prune.k. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "engine/common/force_kinds.h"
#include "engine/device/ranks/exchange.h"
#include "octree/octree.h"
#include "physics/fmm.h"

/* The memory for openers is this much for each cell that can wait. */
enum { COUNTS = KY_PRUNE_LISTED + 1, LEAST_ROOM = 4096, OPENERS_EACH = 16 };

static struct ky_device_bodies *bodies_of(const struct ky_exchange *exchange)
{
    return &exchange->state->bodies;
}

/* ---- boxes ---- */

static size_t box_bytes(size_t boxes)
{
    return ky_part_all_floors((ky_uint)boxes) * sizeof(struct ky_part_box);
}

static int is_by_reach(const struct ky_exchange *exchange)
{
    return exchange->search && exchange->search->box;
}

static int is_of_points(const struct ky_exchange *exchange)
{
    return exchange->search && exchange->search->points;
}

/* Counts the boxes: for the cuts of a search, for points, or for groups, which are assigned to
 * boxes cell by cell. */
static enum ky_status make_runs(struct ky_exchange *exchange, struct ky_error *error)
{
    enum { GROUPS = 8 };
    const struct ky_device_bodies *bodies = bodies_of(exchange);
    struct ky_device_ranks *ranks = exchange->state->ranks;
    struct ky_device_tree *tree = exchange->tree;
    const size_t word = sizeof(uint32_t);
    if (is_by_reach(exchange) || is_of_points(exchange)) {
        exchange->boxes = exchange->search->boxes;
        return KY_OK;
    }
    KY_TRY(ky_ranks_need(bodies->card, &ranks->seen, "boxes of cells", (tree->cells + 1) * word,
                         error));
    KY_TRY(ky_device_tree_count_runs(tree, bodies, GROUPS, &ranks->seen, &exchange->boxes, error));
    KY_TRY(ky_ranks_need(bodies->card, &ranks->run, "groups of boxes", 2 * exchange->boxes * word,
                         error));
    return ky_device_tree_list_runs(tree, bodies, GROUPS, &ranks->seen, &ranks->run, error);
}

static enum ky_status box_groups(const struct ky_exchange *exchange, struct ky_error *error)
{
    const struct ky_device_bodies *bodies = bodies_of(exchange);
    const struct ky_device_tree *tree = exchange->tree;
    struct ky_device_ranks *ranks = exchange->state->ranks;
    struct ky_buffer *box = &ranks->offered[KY_OFFER_BOXES];
    const struct ky_listed_sinks sinks = ky_ranks_sinks(exchange);
    uint32_t n = (uint32_t)bodies->n, boxes = (uint32_t)exchange->boxes,
             flags = (exchange->by_alpha ? KY_FLAG_FACTORS : 0U) | sinks.flags;
    float size = exchange->expands ? KY_PART_GROUPS_OF_FMM : ky_eps2_argument(exchange->state).part;
    return ky_launch_teams(bodies->card, KY_KERNEL_ky_part_boxes, boxes,
                           KY_ARGUMENTS(KY_BUFFER(bodies->position), KY_BUFFER(tree->frame),
                                        KY_BUFFER(tree->factor), KY_BUFFER(*sinks.list),
                                        KY_BUFFER(tree->group), KY_BUFFER(ranks->run),
                                        KY_BUFFER(*box), KY_VALUE(n), KY_VALUE(boxes),
                                        KY_VALUE(flags), KY_VALUE(size)),
                           error);
}

/* The boxes of the cuts of a search. */
static enum ky_status box_cuts(const struct ky_exchange *exchange, struct ky_error *error)
{
    const struct ky_buffer *box = &exchange->state->ranks->offered[KY_OFFER_BOXES];
    uint32_t boxes = (uint32_t)exchange->boxes;
    return ky_launch_over(
        bodies_of(exchange)->card, KY_KERNEL_ky_part_reaches, boxes,
        KY_ARGUMENTS(KY_BUFFER(*exchange->search->box), KY_BUFFER(*box), KY_VALUE(boxes)), error);
}

static enum ky_status box_points(const struct ky_exchange *exchange, struct ky_error *error)
{
    struct ky_card *card = bodies_of(exchange)->card;
    return card->driver->write(card, &exchange->state->ranks->offered[KY_OFFER_BOXES], 0,
                               exchange->search->points,
                               exchange->boxes * sizeof *exchange->search->points, error);
}

/* Makes the boxes of groups, behind them the boxes of sink cells, and the floors above. */
static enum ky_status make_boxes(const struct ky_exchange *exchange, struct ky_error *error)
{
    const size_t boxes = exchange->boxes + exchange->cells;
    struct ky_buffer *box = &exchange->state->ranks->offered[KY_OFFER_BOXES];
    struct ky_card *card = bodies_of(exchange)->card;
    uint32_t from = 0, to = (uint32_t)boxes;
    enum ky_status status = ky_ranks_need_offered(exchange->state, KY_OFFER_BOXES,
                                                  "boxes of groups", box_bytes(boxes), error);
    if (!status && exchange->cells > 0)
        status = card->driver->zero(card, box, error);
    if (!status)
        status = (is_by_reach(exchange)    ? box_cuts
                  : is_of_points(exchange) ? box_points
                                           : box_groups)(exchange, error);
    if (!status && exchange->cells > 0)
        status = ky_ranks_box_cuts(exchange, error);
    for (int level = 1; level < KY_PART_FLOORS && !status; level++) {
        uint32_t count = ky_part_floor((ky_uint)boxes, level);
        status = ky_launch_over(
            bodies_of(exchange)->card, KY_KERNEL_ky_part_around, count,
            KY_ARGUMENTS(KY_BUFFER(*box), KY_VALUE(from), KY_VALUE(to), KY_VALUE(count)), error);
        from = to;
        to += count;
    }
    return status;
}

/* Through the host. */
static enum ky_status gather_boxes(const struct ky_exchange *exchange, const size_t *bytes,
                                   size_t sum, struct ky_error *error)
{
    const struct ky_shared *shared = exchange->shared;
    struct ky_card *card = bodies_of(exchange)->card;
    struct ky_device_ranks *ranks = exchange->state->ranks;
    const size_t own = bytes[shared->rank];
    char *all = ky_allocate(sum, 1), *mine = ky_allocate(own, 1);
    enum ky_status status = all && mine ? KY_OK : ky_no_memory(error, "boxes of all ranks", sum, 1);
    if (!status && own > 0)
        status = card->driver->read(card, &ranks->offered[KY_OFFER_BOXES], 0, mine, own, error);
    if (!status)
        status = shared->gather(shared->context, mine, bytes, all, error);
    if (!status && sum > 0)
        status = card->driver->write(card, &ranks->sinks, 0, all, sum, error);
    free(mine);
    free(all);
    return status;
}

/* Directly from card to card. */
static enum ky_status fetch_boxes(const struct ky_exchange *exchange, const size_t *bytes,
                                  struct ky_error *error)
{
    struct ky_device_ranks *ranks = exchange->state->ranks;
    for (size_t r = 0, at = 0; r < exchange->shared->ranks; at += bytes[r++]) {
        if (bytes[r] > 0 && r != exchange->shared->rank)
            KY_TRY(ky_ranks_fetch(exchange->state, (struct ky_offer_address){KY_OFFER_BOXES, r, 0},
                                  exchange->box, KY_ADDRESS(&ranks->sinks, at), bytes[r], error));
    }
    return KY_OK;
}

/* Sends the boxes of all ranks to every rank that may have cells for them. */
static enum ky_status share_boxes(struct ky_exchange *exchange, struct ky_error *error)
{
    const struct ky_shared *shared = exchange->shared;
    struct ky_card *card = bodies_of(exchange)->card;
    struct ky_device_ranks *ranks = exchange->state->ranks;
    size_t *bytes = ky_allocate(shared->ranks, sizeof *bytes), sum = 0;
    const struct ky_ranks_offer own = {
        .count = exchange->boxes + exchange->cells,
        .roots = bodies_of(exchange)->live > 0 ? exchange->tree->part.roots : 0};
    enum ky_status status =
        bytes ? ky_ranks_offer(exchange->state, KY_OFFER_BOXES, &own, exchange->box, error)
              : ky_no_memory(error, "the ranks", shared->ranks, sizeof *bytes);
    for (size_t r = 0; r < shared->ranks && !status; sum += bytes[r++]) {
        bytes[r] = box_bytes(exchange->box[r].count);
        exchange->roots[r] = exchange->box[r].roots;
    }
    if (!status)
        status = ky_ranks_need(card, &ranks->sinks, "boxes of all ranks", sum, error);
    if (!status && ranks->way == KY_WAY_BY_HOST)
        status = gather_boxes(exchange, bytes, sum, error);
    else if (!status && bodies_of(exchange)->live > 0)
        status = fetch_boxes(exchange, bytes, error);
    free(bytes);
    return status;
}

/* ---- needs ---- */

/* The ranks that need cells from this one. */
static size_t list_parts(const struct ky_exchange *exchange, size_t *part)
{
    const struct ky_shared *shared = exchange->shared;
    size_t parts = 0;
    for (size_t r = 0; r < shared->ranks && bodies_of(exchange)->live > 0; r++)
        if (r != shared->rank && exchange->box[r].count > 0)
            part[parts++] = r;
    return parts;
}

/* Sends the first box of each part, and its number of boxes on the lowest floor. */
static enum ky_status send_sinks_of(const struct ky_exchange *exchange, const size_t *part,
                                    size_t parts, struct ky_error *error)
{
    struct ky_device_ranks *ranks = exchange->state->ranks;
    uint32_t *sinks = ky_allocate(2 * parts, sizeof *sinks), first = 0;
    if (!sinks)
        return ky_no_memory(error, "the ranks", parts, 2 * sizeof *sinks);
    for (size_t r = 0, p = 0; r < exchange->shared->ranks && p < parts; r++) {
        if (r == part[p]) {
            sinks[2 * p] = first;
            sinks[2 * p++ + 1] = (uint32_t)exchange->box[r].count;
        }
        first += ky_part_all_floors((ky_uint)exchange->box[r].count);
    }
    const enum ky_status status =
        ky_buffer_fill(bodies_of(exchange)->card, &ranks->sinks_of, "boxes of each rank", sinks,
                       2 * parts, sizeof *sinks, error);
    free(sinks);
    return status;
}

static enum ky_status need_marks(const struct ky_exchange *exchange, size_t parts,
                                 struct ky_error *error)
{
    struct ky_card *card = bodies_of(exchange)->card;
    struct ky_device_ranks *ranks = exchange->state->ranks;
    const size_t cells = exchange->tree->cells, word = sizeof(uint32_t),
                 roots = parts * exchange->tree->part.roots,
                 least = roots > LEAST_ROOM ? roots : LEAST_ROOM;
    if (ranks->wait_room < least)
        ranks->wait_room = least;
    const struct ky_need needs[] = {
        {&ranks->wait[0], "cells to test", ranks->wait_room, KY_PRUNE_WAIT * word},
        {&ranks->wait[1], "cells to test next", ranks->wait_room, KY_PRUNE_WAIT * word},
        {&ranks->openers, "openers of cells", OPENERS_EACH * ranks->wait_room, word},
        {&ranks->need, "needs of other ranks", parts * cells, 1},
        {&ranks->waiting, "numbers of cells to test", COUNTS, word},
        {&ranks->seen, "cells for another rank", cells + 1, word},
        {&ranks->bodies, "bodies for another rank", cells + 1, word},
    };
    for (size_t k = 0; k < sizeof needs / sizeof *needs; k++)
        KY_TRY(ky_ranks_need(card, needs[k].buffer, needs[k].what, needs[k].count * needs[k].size,
                             error));
    KY_TRY(card->driver->zero(card, &ranks->need, error));
    KY_TRY(card->driver->zero(card, &ranks->waiting, error));
    return ky_scratch_need(card, &exchange->tree->scratch, KY_BULK_SCAN, cells + 1, error);
}

/* The number of levels that have cells, which limits the number of generations of waiting cells. */
static uint32_t generations_of(const struct ky_device_tree *tree)
{
    uint32_t levels = 0;
    for (int level = 0; level < KY_FACT_CELLS; level++)
        levels += tree->level[level + 1] > tree->level[level];
    return levels;
}

/* Marks the cells that the boxes of the parts may open, generation by generation. */
static enum ky_status mark_needs(const struct ky_exchange *exchange, size_t count,
                                 struct ky_error *error)
{
    struct ky_device_ranks *ranks = exchange->state->ranks;
    struct ky_device_tree *tree = exchange->tree;
    struct ky_card *card = bodies_of(exchange)->card;
    const uint32_t generations = generations_of(tree);
    const unsigned splined = exchange->state->how & KY_SPLINED;
    const int by_alpha = exchange->by_alpha, order = exchange->parameters->order;
    uint32_t roots = (uint32_t)tree->part.roots, parts = (uint32_t)count;
    struct ky_prune_numbers numbers = {
        .cells = (uint32_t)tree->cells,
        .teams = 2 * (uint32_t)ky_device_tree_teams(card),
        .how = (ky_octree_opening(exchange->parameters) & ~(unsigned)KY_OPENING_REACH) |
               (splined ? KY_OPENING_REACH : 0U) | (is_by_reach(exchange) ? KY_PART_BY_REACH : 0U) |
               (by_alpha ? KY_FLAG_FACTORS : 0U),
        .angle = by_alpha                            ? KY_FMM_ANGLE
                 : exchange->evaluation->first_point ? KY_FMM_ANGLE_OF_POINTS
                                                     : KY_FMM_ANGLE_AT_FIRST,
        .side = (float)exchange->state->box};
    if (exchange->expands) {
        numbers.order = order;
        numbers.least = ky_fmm_least(order);
        numbers.most = ky_fmm_most(order);
    }
    if (splined)
        numbers.hold =
            1.0001F * sqrtf(ky_opening_reach2(ky_eps2_argument(exchange->state).part, 0));
    KY_TRY(need_marks(exchange, count, error));
    numbers.room = (uint32_t)ranks->wait_room;
    numbers.listed =
        numbers.room < UINT32_MAX / OPENERS_EACH ? OPENERS_EACH * numbers.room : UINT32_MAX;
    KY_TRY(ky_launch_over(card, KY_KERNEL_ky_prune_begin, (size_t)roots * parts,
                          KY_ARGUMENTS(KY_BUFFER(tree->part.cell), KY_BUFFER(ranks->wait[0]),
                                       KY_BUFFER(ranks->waiting), KY_VALUE(roots), KY_VALUE(parts)),
                          error));
    for (; numbers.generation < generations; numbers.generation++) {
        const uint32_t now = numbers.generation % 2;
        KY_TRY(ky_launch_teams(card, KY_KERNEL_ky_prune_look, numbers.teams,
                               KY_ARGUMENTS(KY_CELLS(tree->column) KY_BUFFER(ranks->sinks),
                                            KY_BUFFER(ranks->sinks_of), KY_BUFFER(ranks->wait[now]),
                                            KY_BUFFER(ranks->wait[1 - now]),
                                            KY_BUFFER(ranks->openers), KY_BUFFER(ranks->need),
                                            KY_BUFFER(ranks->waiting), KY_VALUE(numbers)),
                               error));
    }
    return KY_OK;
}

/* Counts and numbers the cells and bodies that part number p needs. */
static enum ky_status count_needs(const struct ky_exchange *exchange, size_t p,
                                  struct ky_error *error)
{
    struct ky_device_ranks *ranks = exchange->state->ranks;
    struct ky_device_tree *tree = exchange->tree;
    struct ky_card *card = bodies_of(exchange)->card;
    uint32_t cells = (uint32_t)tree->cells, part = (uint32_t)p;
    enum ky_status status = ky_launch_over(
        card, KY_KERNEL_ky_prune_count, (size_t)cells + 1,
        KY_ARGUMENTS(KY_BUFFER(tree->column.link), KY_BUFFER(ranks->need), KY_BUFFER(ranks->seen),
                     KY_BUFFER(ranks->bodies), KY_VALUE(cells), KY_VALUE(part)),
        error);
    struct ky_buffer *const scanned[] = {&ranks->seen, &ranks->bodies};
    for (int k = 0; k < 2 && !status; k++)
        status = card->driver->scan(card, scanned[k], scanned[k], (size_t)cells + 1, &tree->scratch,
                                    error);
    return status;
}

/* Reads from the card what each part needs, for rank r the numbers of cells and bodies in given[2
 * r] and given[2 r + 1], and the largest number of cells that waited at a time. The host waits only
 * once. */
static enum ky_status read_needs(const struct ky_exchange *exchange, const size_t *part,
                                 size_t parts, uint64_t *given, size_t *most,
                                 struct ky_error *error)
{
    struct ky_device_ranks *ranks = exchange->state->ranks;
    struct ky_card *card = bodies_of(exchange)->card;
    struct ky_pinned *pinned = &ranks->pinned[KY_PIN_NEEDS];
    const size_t word = sizeof(uint32_t), end = exchange->tree->cells * word;
    enum ky_status status =
        ky_ranks_pin(card, pinned, "what other ranks need", (2 * parts + COUNTS) * word, error);
    uint32_t *needs = pinned->data, *waited = !status ? needs + 2 * parts : NULL;
    for (size_t p = 0; p < parts && !status; p++) {
        status = count_needs(exchange, p, error);
        if (!status)
            status = card->driver->read_later(card, &ranks->seen, end, &needs[2 * p], word, error);
        if (!status)
            status =
                card->driver->read_later(card, &ranks->bodies, end, &needs[2 * p + 1], word, error);
    }
    if (!status)
        status = card->driver->read_later(card, &ranks->waiting, 0, waited, COUNTS * word, error);
    if (!status)
        status = card->driver->wait(card, error);
    for (size_t k = 0; k < 2 * parts && !status; k++)
        given[2 * part[k / 2] + k % 2] = needs[k];
    *most = 0;
    for (size_t k = 0; k < KY_PRUNE_LISTED && !status; k++)
        *most = waited[k] > *most ? waited[k] : *most;
    return status;
}

/* The same, repeated with more memory until all waiting cells fit. */
static enum ky_status find_needs(const struct ky_exchange *exchange, const size_t *part,
                                 size_t parts, uint64_t *given, struct ky_error *error)
{
    struct ky_device_ranks *ranks = exchange->state->ranks;
    size_t most = 0;
    KY_TRY(read_needs(exchange, part, parts, given, &most, error));
    while (most > ranks->wait_room) {
        ranks->wait_room = most + most / 4;
        KY_TRY(mark_needs(exchange, parts, error));
        KY_TRY(read_needs(exchange, part, parts, given, &most, error));
    }
    return KY_OK;
}

/* The numbers of a parcel of this part. */
static struct ky_part_numbers numbers_of(const struct ky_exchange *exchange, uint64_t cells,
                                         uint64_t bodies)
{
    return (struct ky_part_numbers){.roots = (uint32_t)exchange->tree->part.roots,
                                    .cells = (uint32_t)cells,
                                    .bodies = (uint32_t)bodies,
                                    .moments = KY_MOMENTS(exchange->parameters->multipole),
                                    .numbered = exchange->search != NULL};
}

static enum ky_status pack(const struct ky_exchange *exchange, size_t p, size_t r,
                           struct ky_error *error)
{
    struct ky_device_ranks *ranks = exchange->state->ranks;
    struct ky_device_tree *tree = exchange->tree;
    const struct ky_device_bodies *bodies = bodies_of(exchange);
    struct ky_card *card = bodies->card;
    struct ky_part_numbers of = numbers_of(exchange, tree->cells, bodies->n);
    uint32_t part = (uint32_t)p;
    of.offset = exchange->place[r];
    return ky_launch_over(
        card, KY_KERNEL_ky_prune_pack, of.cells > of.roots ? of.cells : of.roots,
        KY_ARGUMENTS(KY_CELLS(tree->column) KY_BUFFER(bodies->position), KY_BUFFER(bodies->mass),
                     KY_BUFFER(ranks->need), KY_BUFFER(ranks->seen), KY_BUFFER(ranks->bodies),
                     KY_BUFFER(tree->part.cell), KY_BUFFER(bodies->curve.index),
                     KY_BUFFER(ranks->offered[KY_OFFER_PARCELS]), KY_VALUE(of), KY_VALUE(part)),
        error);
}

/* Makes the parcels for all parts. The needs are counted twice, since the sizes must be known
 * first. */
static enum ky_status make_parcels(const struct ky_exchange *exchange, const size_t *part,
                                   size_t parts, uint64_t *given, struct ky_error *error)
{
    size_t bytes = 0;
    KY_TRY(find_needs(exchange, part, parts, given, error));
    for (size_t p = 0; p < parts; p++) {
        const uint64_t *its = given + 2 * part[p];
        exchange->place[part[p]] = bytes;
        bytes += ky_part_parcel(numbers_of(exchange, its[0], its[1])).bytes;
    }
    KY_TRY(ky_ranks_need_offered(exchange->state, KY_OFFER_PARCELS,
                                 "cells and bodies for other ranks", bytes, error));
    for (size_t p = 0; p < parts; p++) {
        if (parts > 1)
            KY_TRY(count_needs(exchange, p, error));
        KY_TRY(pack(exchange, p, part[p], error));
    }
    return KY_OK;
}

/* Finds the sink cells; some of them are above the roots. */
static enum ky_status find_cuts(struct ky_exchange *exchange, struct ky_error *error)
{
    enum ky_status status = ky_ranks_count_roots(exchange, error);
    if (!status)
        status = ky_ranks_make_above(exchange, error);
    return !status && exchange->sinks > 0 ? ky_ranks_make_cuts(exchange, error) : status;
}

enum ky_status ky_ranks_prune(struct ky_exchange *exchange, struct ky_error *error)
{
    const size_t size = exchange->shared->ranks;
    size_t *part = ky_allocate(size, sizeof *part), parts = 0;
    uint64_t *given = ky_allocate_zeroed(2 * size, sizeof *given);
    enum ky_status status =
        part && given ? KY_OK : ky_no_memory(error, "the ranks", size, 2 * sizeof *given);
    if (!status && bodies_of(exchange)->live > 0)
        status = ky_ranks_tell_roots(exchange, error);
    if (!status && exchange->sinks > 0)
        status = make_runs(exchange, error);
    else if (!status) /* the host reads nothing else before it has the roots */
        status = bodies_of(exchange)->card->driver->wait(bodies_of(exchange)->card, error);
    if (!status && exchange->expands)
        status = find_cuts(exchange, error);
    if (!status && exchange->sinks > 0)
        status = make_boxes(exchange, error);
    if (!status)
        status = share_boxes(exchange, error);
    if (!status)
        parts = list_parts(exchange, part);
    if (!status && parts > 0)
        status = send_sinks_of(exchange, part, parts, error);
    if (!status && parts > 0)
        status = mark_needs(exchange, parts, error);
    if (!status && !exchange->expands) /* while the card tests its cells */
        status = ky_ranks_make_above(exchange, error);
    if (!status && parts > 0)
        status = make_parcels(exchange, part, parts, given, error);
    if (!status)
        status = ky_shared_gather(exchange->shared, given, 2 * size * sizeof *given,
                                  exchange->given, error);
    if (!status)
        status = ky_ranks_offer(exchange->state, KY_OFFER_PARCELS, &(struct ky_ranks_offer){0},
                                exchange->out, error);
    free(part);
    free(given);
    return status;
}
