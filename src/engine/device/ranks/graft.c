/* Parcels, and the tree of all ranks: the host side of kernels/ranks/graft.k.
 *
 * The cells of the tree: the cells of the part itself; then the cells above all roots, and the leaf
 * `missing` (above.c); then the cells of the parcels, rank by rank. The part's own bodies are
 * followed by the body of `missing`, and then by the bodies of the parcels. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "engine/common/force_kinds.h"
#include "engine/device/ranks/exchange.h"
#include "engine/device/ranks/places.h"
#include "engine/device/ranks/top.h"
#include "octree/opening_kinds.h"

/* The destination of a parcel. */
struct arrival {
    size_t offset, bytes; /* in ranks->in */
    size_t cells, bodies;
    size_t first_cell, first_body;
};

struct grafting {
    struct ky_exchange *exchange;
    struct ky_device_bodies *bodies;
    struct ky_device_tree *tree;
    struct ky_card *card;
    size_t ranks, own, moments;
    uint32_t numbered;       /* 1: bodies have their numbers */
    struct arrival *arrival; /* [ranks] */
    size_t cells, places;    /* totals */
};

/* ---- parcels ---- */

/* The numbers of the parcel from rank `from` to rank `to`. */
static struct ky_part_numbers parcel_numbers(const struct grafting *g, size_t from, size_t to)
{
    const uint64_t *its = g->exchange->given + 2 * (from * g->ranks + to);
    return (struct ky_part_numbers){.roots = (uint32_t)g->exchange->roots[from],
                                    .cells = (uint32_t)its[0],
                                    .bodies = (uint32_t)its[1],
                                    .moments = (uint32_t)g->moments,
                                    .numbered = g->numbered};
}

/* Bytes of the parcel from rank `from` to rank `to`. */
static size_t parcel_bytes(const struct grafting *g, size_t from, size_t to)
{
    const struct ky_part_numbers numbers = parcel_numbers(g, from, to);
    return numbers.cells > 0 ? ky_part_parcel(numbers).bytes : 0;
}

/* Computes the offsets of the parcels for this rank. */
static void place_arrivals(struct grafting *g)
{
    size_t offset = 0;
    g->cells = g->exchange->above.missing + 1;
    g->places = g->bodies->live + 1;
    for (size_t r = 0; r < g->ranks; r++) {
        const uint64_t *its = g->exchange->given + 2 * (r * g->ranks + g->own);
        struct arrival *a = &g->arrival[r];
        *a = (struct arrival){offset,   parcel_bytes(g, r, g->own), its[0], its[1], g->cells,
                              g->places};
        offset += a->bytes;
        g->cells += a->cells;
        g->places += a->bodies;
    }
}

/* The offset of the parcel among all parcels of that rank. */
static size_t parcel_place(const struct grafting *g, size_t from, size_t to)
{
    size_t place = 0;
    for (size_t r = 0; r < to; r++)
        place += parcel_bytes(g, from, r);
    return place;
}

static enum ky_status trade(struct grafting *g, char *out, char *in, struct ky_error *error)
{
    const struct ky_shared *shared = g->exchange->shared;
    size_t *bytes = ky_allocate_zeroed(2 * g->ranks, sizeof *bytes);
    void **at = ky_allocate_zeroed(2 * g->ranks, sizeof *at);
    enum ky_status status =
        bytes && at ? KY_OK : ky_no_memory(error, "the ranks", 2 * g->ranks, sizeof *at);
    for (size_t r = 0; r < g->ranks && !status; r++) {
        bytes[r] = parcel_bytes(g, g->own, r);
        at[r] = out + parcel_place(g, g->own, r);
        bytes[g->ranks + r] = g->arrival[r].bytes;
        at[g->ranks + r] = in + g->arrival[r].offset;
    }
    if (!status)
        status = shared->trade(shared->context, at, bytes, at + g->ranks, bytes + g->ranks, error);
    free(bytes);
    free(at);
    return status;
}

/* Exchanges the parcels through the host, in pinned memory. */
static enum ky_status trade_parcels(struct grafting *g, size_t come, struct ky_error *error)
{
    struct ky_device_ranks *ranks = g->exchange->state->ranks;
    const struct ky_driver *driver = g->card->driver;
    const size_t go = parcel_place(g, g->own, g->ranks);
    struct ky_pinned *out = &ranks->pinned[KY_PIN_OUT], *in = &ranks->pinned[KY_PIN_IN];
    KY_TRY(ky_ranks_pin(g->card, out, "cells for other ranks", go, error));
    KY_TRY(ky_ranks_pin(g->card, in, "cells of other ranks", come, error));
    if (go > 0)
        KY_TRY(driver->read_later(g->card, &ranks->offered[KY_OFFER_PARCELS], 0, out->data, go,
                                  error));
    KY_TRY(driver->wait(g->card, error));
    KY_TRY(trade(g, out->data, in->data, error));
    return come > 0 ? driver->write_later(g->card, &ranks->in, 0, in->data, come, error) : KY_OK;
}

/* Copies the parcels from card to card. */
static enum ky_status fetch_parcels(struct grafting *g, struct ky_error *error)
{
    struct ky_device_ranks *ranks = g->exchange->state->ranks;
    for (size_t r = 0; r < g->ranks; r++) {
        const struct arrival *a = &g->arrival[r];
        if (a->bytes > 0)
            KY_TRY(ky_ranks_fetch(
                g->exchange->state,
                (struct ky_offer_address){KY_OFFER_PARCELS, r, parcel_place(g, r, g->own)},
                g->exchange->out, KY_ADDRESS(&ranks->in, a->offset), a->bytes, error));
    }
    return KY_OK;
}

static enum ky_status bring(struct grafting *g, struct ky_error *error)
{
    size_t come = 0;
    for (size_t r = 0; r < g->ranks; r++)
        come += g->arrival[r].bytes;
    KY_TRY(ky_ranks_need(g->card, &g->exchange->state->ranks->in, "cells of other ranks", come,
                         error));
    return g->exchange->state->ranks->way == KY_WAY_BY_HOST ? trade_parcels(g, come, error)
                                                            : fetch_parcels(g, error);
}

/* ---- cells and bodies that came ---- */

static enum ky_status graft_parcel(const struct grafting *g, size_t r, struct ky_error *error)
{
    const struct ky_device_ranks *ranks = g->exchange->state->ranks;
    const struct arrival *a = &g->arrival[r];
    struct ky_card *card = g->card;
    struct ky_part_numbers of = parcel_numbers(g, r, g->own);
    uint32_t first_cell = (uint32_t)a->first_cell, first_body = (uint32_t)a->first_body,
             first_root = (uint32_t)g->exchange->above.first[r],
             missing = (uint32_t)g->exchange->above.missing, n = (uint32_t)g->bodies->n;
    of.offset = a->offset;
    KY_TRY(
        ky_launch_over(card, KY_KERNEL_ky_graft_cells, of.cells,
                       KY_ARGUMENTS(KY_CELLS(g->tree->column) KY_BUFFER(ranks->in), KY_VALUE(of),
                                    KY_VALUE(first_cell), KY_VALUE(first_body), KY_VALUE(missing)),
                       error));
    KY_TRY(
        ky_launch_over(card, KY_KERNEL_ky_graft_bodies, of.bodies,
                       KY_ARGUMENTS(KY_BUFFER(ranks->in), KY_BUFFER(g->bodies->position),
                                    KY_BUFFER(g->bodies->mass), KY_BUFFER(g->bodies->curve.index),
                                    KY_VALUE(of), KY_VALUE(n), KY_VALUE(first_body)),
                       error));
    return ky_launch_over(
        card, KY_KERNEL_ky_graft_roots, of.roots,
        KY_ARGUMENTS(KY_BUFFER(g->tree->column.link), KY_BUFFER(g->tree->column.children),
                     KY_BUFFER(ranks->in), KY_BUFFER(ranks->to), KY_VALUE(of.offset),
                     KY_VALUE(of.roots), KY_VALUE(first_root), KY_VALUE(first_cell)),
        error);
}

/* Allocates memory for all cells and bodies. */
static enum ky_status make_room(const struct grafting *g, struct ky_error *error)
{
    const size_t kept = g->exchange->above.missing + 1, cells = g->cells + g->cells / 16;
    enum ky_status status = KY_OK;
    if (g->places > INT32_MAX || g->cells > INT32_MAX)
        return ky_fail(error, KY_UNSUPPORTED,
                       "%zu bodies and %zu cells of all parts are needed in one tree: use more "
                       "ranks",
                       g->places, g->cells);
    if (!ky_cell_columns_hold(&g->tree->column, g->cells, g->moments))
        status = ky_cell_columns_extend(g->card, &g->tree->column, kept, cells, g->moments, error);
    return !status && g->places > g->bodies->n
               ? ky_places_widen(g->exchange->state, g->places + g->bodies->live / 32, error)
               : status;
}

/* Makes the links of walks along `next`. Each root occurs twice in the tree, and walks reach the
 * copy above all parts: its children follow. */
static enum ky_status link_cells(const struct grafting *g, struct ky_error *error)
{
    struct ky_card *card = g->card;
    struct ky_buffer *follows = &g->exchange->state->ranks->seen;
    const struct ky_cell_columns *column = &g->tree->column;
    uint32_t cells = (uint32_t)g->cells, root = (uint32_t)g->exchange->above.start,
             missing = (uint32_t)g->exchange->above.missing;
    const uint32_t from[] = {0, missing + 1, root}, to[] = {root, cells, missing};
    KY_TRY(ky_ranks_need(card, follows, "links of cells", g->cells * sizeof(uint32_t), error));
    KY_TRY(card->driver->zero(card, follows, error));
    for (size_t k = 0; k < sizeof from / sizeof *from; k++) {
        uint32_t first = from[k], end = to[k];
        if (first < end)
            KY_TRY(ky_launch_over(card, KY_KERNEL_ky_graft_follow, end - first,
                                  KY_ARGUMENTS(KY_BUFFER(column->link), KY_BUFFER(column->children),
                                               KY_BUFFER(*follows), KY_VALUE(first), KY_VALUE(end),
                                               KY_VALUE(missing)),
                                  error));
    }
    return ky_launch_over(card, KY_KERNEL_ky_graft_next, cells,
                          KY_ARGUMENTS(KY_BUFFER(column->link), KY_BUFFER(*follows),
                                       KY_VALUE(cells), KY_VALUE(root), KY_VALUE(missing)),
                          error);
}

static enum ky_status graft_all(struct grafting *g, struct ky_error *error)
{
    struct ky_card *card = g->card;
    enum ky_status status = make_room(g, error);
    uint32_t n = (uint32_t)g->bodies->n, behind = (uint32_t)g->bodies->live;
    for (size_t r = 0; r < g->ranks && !status; r++)
        if (g->arrival[r].cells > 0)
            status = graft_parcel(g, r, error);
    if (!status)
        status = ky_launch(card, KY_KERNEL_ky_graft_missing, 1,
                           KY_ARGUMENTS(KY_BUFFER(g->bodies->position), KY_BUFFER(g->bodies->mass),
                                        KY_VALUE(n), KY_VALUE(behind)),
                           error);
    if (!status && g->exchange->search && g->exchange->search->points)
        status = link_cells(g, error);
    g->tree->start = (uint32_t)g->exchange->above.start;
    g->tree->reached = g->cells;
    g->tree->places = g->places;
    g->tree->later = g->arrival[g->own].first_body;
    return status;
}

enum ky_status ky_ranks_graft(struct ky_exchange *exchange, struct ky_error *error)
{
    struct ky_device_bodies *bodies = &exchange->state->bodies;
    struct grafting g = {.exchange = exchange,
                         .bodies = bodies,
                         .tree = exchange->tree,
                         .card = bodies->card,
                         .ranks = exchange->shared->ranks,
                         .own = exchange->shared->rank,
                         .moments = KY_MOMENTS(exchange->parameters->multipole),
                         .numbered = exchange->search != NULL};
    KY_TRY(ky_array(&g.arrival, g.ranks, sizeof *g.arrival, "the ranks", error));
    place_arrivals(&g);
    enum ky_status status = bring(&g, error);
    if (!status && exchange->sinks > 0)
        status = graft_all(&g, error);
    free(g.arrival);
    return status;
}

enum ky_status ky_ranks_exchange(struct ky_device_state *state, struct ky_device_tree *tree,
                                 const struct ky_evaluation *evaluation,
                                 const struct ky_parameters *parameters,
                                 const struct ky_ranks_search *search, struct ky_error *error)
{
    const struct ky_shared *shared = ky_device_shared(state);
    const struct ky_active *active = evaluation->active;
    const size_t size = shared->ranks;
    struct ky_exchange exchange = {.state = state,
                                   .tree = tree,
                                   .evaluation = evaluation,
                                   .parameters = parameters,
                                   .search = search,
                                   .shared = shared,
                                   .expands = !search && ky_force_kind(parameters->force)->expands,
                                   .by_alpha = ky_opening_kind(parameters->opening)->by_alpha,
                                   .sinks = active ? active->count : state->bodies.live,
                                   .box = ky_allocate_zeroed(size, sizeof *exchange.box),
                                   .out = ky_allocate_zeroed(size, sizeof *exchange.out),
                                   .given = ky_allocate_zeroed(2 * size * size, sizeof(uint64_t)),
                                   .roots = ky_allocate_zeroed(size, sizeof(size_t)),
                                   .above = {.first = ky_allocate_zeroed(size + 1, sizeof(size_t))},
                                   .place = ky_allocate_zeroed(size, sizeof(size_t))};
    enum ky_status status = exchange.box && exchange.out && exchange.given && exchange.roots &&
                                    exchange.above.first && exchange.place
                                ? ky_ranks_prune(&exchange, error)
                                : ky_no_memory(error, "the ranks", size * size, sizeof(uint64_t));
    if (!status)
        status = ky_ranks_graft(&exchange, error);
    free(exchange.box);
    free(exchange.out);
    free(exchange.given);
    free(exchange.roots);
    free(exchange.place);
    ky_ranks_release_above(&exchange);
    return status;
}
