/* Replicated bodies on ranks with devices: see copies.h. */
#include "engine/device/ranks/copies.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/shares.h"
#include "base/status.h"
#include "engine/device/ranks/ranks.h"

double ky_copies_few = 1e8;

enum { COLUMNS = 4, ROW = COLUMNS * KY_STATE_BYTES };

enum ky_status ky_copies_check(struct ky_device_state *state, struct ky_error *error)
{
    int by_host;
    return ky_device_copies(state) ? ky_ranks_way(state, &by_host, error) : KY_OK;
}

double ky_copies_memory(const struct ky_device_state *state, size_t n)
{
    const struct ky_shared *shared = ky_device_copies(state);
    return shared ? 1.25 * 2 * ROW * (double)n / (double)shared->ranks : 0; /* as ky_ranks_need */
}

/* ---- the parts ---- */

int ky_copies_begin(struct ky_device_state *state, size_t count, double sources)
{
    if (ky_device_copies(state))
        state->ranks->joins = count > 0 && (double)count * sources >= ky_copies_few;
    return ky_copies_joins(state);
}

int ky_copies_joins(const struct ky_device_state *state)
{
    return ky_device_copies(state) && state->ranks->joins;
}

enum ky_status ky_copies_divide(struct ky_device_state *state, size_t count, size_t unit,
                                struct ky_error *error)
{
    const size_t ranks = ky_device_copies(state)->ranks, units = (count + unit - 1) / unit;
    size_t **edge = &state->ranks->edge;
    if (!*edge)
        *edge = ky_allocate(ranks + 1, sizeof **edge);
    if (!*edge)
        return ky_no_memory(error, "the ranks", ranks, sizeof **edge);
    for (size_t r = 0; r <= ranks; r++) {
        const size_t first = (size_t)ky_share_start(units, ranks, r) * unit;
        (*edge)[r] = first < count ? first : count;
    }
    return KY_OK;
}

size_t *ky_copies_edges(const struct ky_device_state *state)
{
    return state->ranks->edge;
}

size_t ky_copies_first(const struct ky_device_state *state)
{
    return state->ranks->edge[ky_device_copies(state)->rank];
}

size_t ky_copies_end(const struct ky_device_state *state)
{
    return state->ranks->edge[ky_device_copies(state)->rank + 1];
}

int ky_copies_count(const struct ky_device_state *state)
{
    const struct ky_shared *shared = ky_device_copies(state);
    return !shared || ky_copies_joins(state) || shared->rank == 0;
}

/* ---- the exchange ---- */

/* Bytes of each rank's share, with this many bytes per sink; the caller frees them. NULL if memory
 * runs out. */
static size_t *bytes_of(const struct ky_device_state *state, size_t each, struct ky_error *error)
{
    const size_t ranks = ky_device_copies(state)->ranks, *edge = state->ranks->edge;
    size_t *bytes = ky_allocate(ranks, sizeof *bytes);
    if (!bytes)
        ky_no_memory(error, "the ranks", ranks, sizeof *bytes);
    for (size_t r = 0; bytes && r < ranks; r++)
        bytes[r] = (edge[r + 1] - edge[r]) * each;
    return bytes;
}

enum ky_status ky_copies_join_rows(struct ky_device_state *state, void *rows, size_t bytes,
                                   struct ky_error *error)
{
    const struct ky_shared *shared = ky_device_copies(state);
    const size_t own = (ky_copies_end(state) - ky_copies_first(state)) * bytes;
    size_t *each = bytes_of(state, bytes, error);
    char *copy = each ? ky_allocate(own, 1) : NULL;
    enum ky_status status = each ? KY_OK : KY_FAULT;
    if (each && !copy)
        status = ky_no_memory(error, "results for other ranks", own, 1);
    if (!status) {
        memcpy(copy, (const char *)rows + ky_copies_first(state) * bytes, own);
        status = shared->gather(shared->context, copy, each, rows, error);
    }
    free(copy);
    free(each);
    return status;
}

/* Allocates pinned memory. Afterwards the copies of the last exchange have ended, and so has all
 * earlier work. */
static enum ky_status need_pinned(const struct ky_device_state *state, size_t own, size_t all,
                                  struct ky_error *error)
{
    struct ky_card *card = state->bodies.card;
    struct ky_pinned *pinned = state->ranks->pinned;
    KY_TRY(card->driver->wait(card, error));
    KY_TRY(ky_ranks_pin(card, &pinned[KY_PIN_OUT], "results for other ranks", own, error));
    return ky_ranks_pin(card, &pinned[KY_PIN_IN], "results of other ranks", all, error);
}

/* All-gathers shares of `each` bytes per sink, from pinned[KY_PIN_OUT] to pinned[KY_PIN_IN]. */
static enum ky_status gather(const struct ky_device_state *state, size_t each,
                             struct ky_error *error)
{
    const struct ky_shared *shared = ky_device_copies(state);
    const struct ky_pinned *pinned = state->ranks->pinned;
    size_t *bytes = bytes_of(state, each, error);
    const enum ky_status status = bytes ? shared->gather(shared->context, pinned[KY_PIN_OUT].data,
                                                         bytes, pinned[KY_PIN_IN].data, error)
                                        : KY_FAULT;
    free(bytes);
    return status;
}

enum ky_status ky_copies_join_rows_of_card(struct ky_device_state *state,
                                           const struct ky_buffer *from, const struct ky_buffer *to,
                                           size_t bytes, struct ky_error *error)
{
    struct ky_card *card = state->bodies.card;
    const size_t first = ky_copies_first(state), own = (ky_copies_end(state) - first) * bytes,
                 all = state->ranks->edge[ky_device_copies(state)->ranks] * bytes;
    struct ky_buffer buffer = *to;
    KY_TRY(need_pinned(state, own, all, error));
    if (own > 0)
        KY_TRY(card->driver->read(card, from, first * bytes, state->ranks->pinned[KY_PIN_OUT].data,
                                  own, error));
    KY_TRY(gather(state, bytes, error));
    return card->driver->write_later(card, &buffer, 0, state->ranks->pinned[KY_PIN_IN].data, all,
                                     error);
}

/* ---- columns ---- */

/* The position of column c's results from a given sink on. */
static struct ky_buffer_address place_of(const struct ky_copies_results *results, size_t c,
                                         size_t sink)
{
    return c + 1 < COLUMNS
               ? KY_ADDRESS(results->acceleration, (c * results->stride + sink) * KY_STATE_BYTES)
               : KY_ADDRESS(results->potential, sink * KY_STATE_BYTES);
}

/* Reads this rank's share from the card, column by column. */
static enum ky_status read_own(const struct ky_device_state *state,
                               const struct ky_copies_results *results, struct ky_error *error)
{
    struct ky_card *card = state->bodies.card;
    const size_t first = ky_copies_first(state),
                 bytes = (ky_copies_end(state) - first) * KY_STATE_BYTES;
    char *to = state->ranks->pinned[KY_PIN_OUT].data;
    for (size_t c = 0; c < COLUMNS && bytes > 0; c++) {
        const struct ky_buffer_address from = place_of(results, c, first);
        KY_TRY(
            card->driver->read_later(card, from.buffer, from.offset, to + c * bytes, bytes, error));
    }
    return card->driver->wait(card, error);
}

/* Writes the other ranks' shares to the card. */
static enum ky_status write_others(const struct ky_device_state *state,
                                   const struct ky_copies_results *results, struct ky_error *error)
{
    const struct ky_shared *shared = ky_device_copies(state);
    struct ky_card *card = state->bodies.card;
    const size_t *edge = state->ranks->edge;
    const char *from = state->ranks->pinned[KY_PIN_IN].data;
    for (size_t r = 0; r < shared->ranks; r++) {
        const size_t bytes = (edge[r + 1] - edge[r]) * KY_STATE_BYTES;
        for (size_t c = 0; c < COLUMNS && bytes > 0 && r != shared->rank; c++) {
            const struct ky_buffer_address to = place_of(results, c, edge[r]);
            struct ky_buffer buffer = *to.buffer;
            KY_TRY(card->driver->write_later(card, &buffer, to.offset, from + c * bytes, bytes,
                                             error));
        }
        from += COLUMNS * bytes;
    }
    return KY_OK;
}

/* Copies this rank's share to the buffer that it offers in the slot, column by column. */
static enum ky_status offer_own(const struct ky_device_state *state, enum ky_offer_slot slot,
                                const struct ky_copies_results *results, struct ky_error *error)
{
    struct ky_card *card = state->bodies.card;
    const size_t first = ky_copies_first(state),
                 bytes = (ky_copies_end(state) - first) * KY_STATE_BYTES;
    KY_TRY(ky_ranks_need_offered(state, slot, "results for other ranks", COLUMNS * bytes, error));
    for (size_t c = 0; c < COLUMNS && bytes > 0; c++)
        KY_TRY(card->driver->copy(card, place_of(results, c, first),
                                  KY_ADDRESS(&state->ranks->offered[slot], c * bytes), bytes,
                                  error));
    return KY_OK;
}

/* Copies the other ranks' shares from their cards. */
static enum ky_status fetch_others(const struct ky_device_state *state, enum ky_offer_slot slot,
                                   const struct ky_copies_results *results,
                                   const struct ky_ranks_offer *all, struct ky_error *error)
{
    const struct ky_shared *shared = ky_device_copies(state);
    const size_t *edge = state->ranks->edge;
    for (size_t r = 0; r < shared->ranks; r++) {
        const size_t bytes = (edge[r + 1] - edge[r]) * KY_STATE_BYTES;
        for (size_t c = 0; c < COLUMNS && bytes > 0 && r != shared->rank; c++)
            KY_TRY(ky_ranks_fetch(state, (struct ky_offer_address){slot, r, c * bytes}, all,
                                  place_of(results, c, edge[r]), bytes, error));
    }
    return KY_OK;
}

/* Exchanges the shares from card to card. Exchanges take turns with two buffers. A rank writes to
 * the same buffer again after one more exchange of offers, before which every rank has waited for
 * its copies. */
static enum ky_status join_by_cards(const struct ky_device_state *state,
                                    const struct ky_copies_results *results, struct ky_error *error)
{
    const size_t ranks = ky_device_copies(state)->ranks;
    struct ky_ranks_offer offer = {0}, *all = ky_allocate(ranks, sizeof *all);
    state->ranks->turn = !state->ranks->turn;
    const enum ky_offer_slot slot = state->ranks->turn ? KY_OFFER_OTHER_RESULTS : KY_OFFER_RESULTS;
    enum ky_status status = all ? offer_own(state, slot, results, error)
                                : ky_no_memory(error, "the ranks", ranks, sizeof *all);
    if (!status)
        status = ky_ranks_offer(state, slot, &offer, all, error);
    if (!status)
        status = fetch_others(state, slot, results, all, error);
    free(all);
    return status;
}

enum ky_status ky_copies_join(struct ky_device_state *state,
                              const struct ky_copies_results *results, struct ky_error *error)
{
    const struct ky_shared *shared = ky_device_copies(state);
    const size_t each = ROW, own = (ky_copies_end(state) - ky_copies_first(state)) * each,
                 all = state->ranks->edge[shared->ranks] * each;
    if (state->ranks->way == KY_WAY_BY_CARDS)
        return join_by_cards(state, results, error);
    KY_TRY(need_pinned(state, own, all, error));
    KY_TRY(read_own(state, results, error));
    KY_TRY(gather(state, each, error));
    return write_others(state, results, error);
}

/* ---- columns in another order ---- */

/* All columns, and rows of some sinks. */
struct ordered {
    const struct ky_copies_results *results;
    const uint32_t *order;
    char *column[COLUMNS], *row;
};

static void take_rows(const struct ordered *of, size_t first, size_t end)
{
    char *row = of->row;
    for (size_t k = first; k < end; k++)
        for (size_t c = 0; c < COLUMNS; c++, row += KY_STATE_BYTES)
            memcpy(row, of->column[c] + of->order[k] * KY_STATE_BYTES, KY_STATE_BYTES);
}

static void give_rows(const struct ordered *of, size_t count)
{
    const char *row = of->row;
    for (size_t k = 0; k < count; k++)
        for (size_t c = 0; c < COLUMNS; c++, row += KY_STATE_BYTES)
            memcpy(of->column[c] + of->order[k] * KY_STATE_BYTES, row, KY_STATE_BYTES);
}

/* Copies the columns from the card, or to it. */
static enum ky_status cross(const struct ky_device_state *state, const struct ordered *of, size_t n,
                            int to_card, struct ky_error *error)
{
    struct ky_card *card = state->bodies.card;
    const size_t bytes = n * KY_STATE_BYTES;
    for (size_t c = 0; c < COLUMNS; c++) {
        const struct ky_buffer_address place = place_of(of->results, c, 0);
        struct ky_buffer buffer = *place.buffer;
        KY_TRY(to_card
                   ? card->driver->write(card, &buffer, place.offset, of->column[c], bytes, error)
                   : card->driver->read(card, &buffer, place.offset, of->column[c], bytes, error));
    }
    return KY_OK;
}

enum ky_status ky_copies_join_ordered(struct ky_device_state *state,
                                      const struct ky_copies_results *results,
                                      const uint32_t *order, struct ky_error *error)
{
    const size_t n = state->n, each = ROW, all = state->ranks->edge[ky_device_copies(state)->ranks];
    char *memory;
    KY_TRY(ky_array(&memory, n + all, each, "results of all ranks", error));
    struct ordered of = {results, order, {NULL}, memory + n * each};
    for (size_t c = 0; c < COLUMNS; c++)
        of.column[c] = memory + c * n * KY_STATE_BYTES;
    char *const rows = of.row;
    of.row = rows + ky_copies_first(state) * each;
    enum ky_status status = cross(state, &of, n, 0, error);
    if (!status) {
        take_rows(&of, ky_copies_first(state), ky_copies_end(state));
        status = ky_copies_join_rows(state, rows, each, error);
    }
    of.row = rows;
    if (!status) {
        give_rows(&of, all);
        status = cross(state, &of, n, 1, error);
    }
    free(memory);
    return status;
}
