/* Rows of bodies from card to card: kernels/ranks/rows.k from the host's side. */
#include "engine/device/ranks/movers.h"

#include <stdlib.h>

#include "base/memory.h"
#include "engine/device/ranks/places.h"

/* What the kernels read and write. */
struct layout {
    const struct ky_buffer *position, *step;
    uint32_t n, wide, words;
};

static struct layout layout_of(const struct ky_device_state *state)
{
    const struct ky_device_bodies *bodies = &state->part[0];
    const int steps = ky_column_is_in(state->columns, KY_COLUMN_STEP);
    return (struct layout){state->ranks->in_block ? &bodies->second : &bodies->position,
                           steps ? &bodies->column[KY_COLUMN_STEP] : &bodies->mass,
                           (uint32_t)bodies->n,
                           ky_real_bytes(state->parameters->precision) == KY_STATE_BYTES,
                           steps ? KY_PART_ROWS : KY_PART_ROW};
}

/* Bytes of a row. */
static size_t row_of(const struct ky_device_state *state)
{
    return layout_of(state).words * sizeof(uint64_t);
}

/* The first arguments of the kernels. */
#define ROW_COLUMNS(bodies)                                                                        \
    KY_BUFFER((bodies)->curve.index), KY_BUFFER(*its.position), KY_BUFFER((bodies)->velocity),     \
        KY_BUFFER((bodies)->mass), KY_BUFFER((bodies)->acceleration),                              \
        KY_BUFFER((bodies)->potential), KY_BUFFER(*its.step), KY_VALUE(its.n), KY_VALUE(its.wide), \
        KY_VALUE(its.words)

static enum ky_status send_places(struct ky_device_state *state, const void *place, size_t bytes,
                                  struct ky_error *error)
{
    struct ky_card *card = state->part[0].card;
    struct ky_buffer *to = &state->ranks->place;
    const enum ky_status status = ky_ranks_need_to_move(card, to, "places of bodies", bytes, error);
    return status ? status : card->driver->write(card, to, 0, place, bytes, error);
}

/* ---- those that go ---- */

static enum ky_status pack(struct ky_device_state *state, const struct ky_part_move *move,
                           struct ky_error *error)
{
    struct ky_device_bodies *bodies = &state->part[0];
    struct ky_card *card = bodies->card;
    struct ky_device_ranks *ranks = state->ranks;
    const struct layout its = layout_of(state);
    uint32_t count = (uint32_t)move->count;
    if (count == 0)
        return KY_OK;
    enum ky_status status = send_places(state, move->gone, move->count * sizeof *move->gone, error);
    if (status == KY_OK)
        status = ky_ranks_need_to_move(card, &ranks->rows, "bodies that leave",
                                       move->count * row_of(state), error);
    return status == KY_OK
               ? ky_launch_over(card, KY_KERNEL_ky_rows_pack, count,
                                KY_ARGUMENTS(ROW_COLUMNS(bodies), KY_BUFFER(ranks->place),
                                             KY_BUFFER(ranks->rows), KY_VALUE(count)),
                                error)
               : status;
}

/* By way of the host. */
static enum ky_status trade_rows(struct ky_device_state *state, const struct ky_part_move *move,
                                 struct ky_error *error)
{
    const struct ky_shared *shared = ky_device_shared(state);
    struct ky_card *card = state->part[0].card;
    const size_t size = shared->ranks, row = row_of(state);
    char *out = ky_allocate(move->count, row), *in = ky_allocate(move->arrivals, row);
    size_t *bytes = ky_allocate(2 * size, sizeof *bytes), go = 0, come = 0;
    void **at = ky_allocate(2 * size, sizeof *at);
    enum ky_status status = out && in && bytes && at
                                ? KY_OK
                                : ky_no_memory(error, "bodies that move", move->count, row);
    for (size_t r = 0; r < size && status == KY_OK; go += bytes[r], come += bytes[size + r], r++) {
        bytes[r] = move->leaving[r] * row;
        bytes[size + r] = move->coming[r] * row;
        at[r] = out + go;
        at[size + r] = in + come;
    }
    if (status == KY_OK && move->count > 0)
        status = card->driver->read(card, &state->ranks->rows, 0, out, move->count * row, error);
    if (status == KY_OK)
        status = shared->trade(shared->context, at, bytes, at + size, bytes + size, error);
    if (status == KY_OK && move->arrivals > 0)
        status = card->driver->write(card, &state->ranks->come, 0, in, move->arrivals * row, error);
    free(out);
    free(in);
    free(bytes);
    free(at);
    return status;
}

/* From card to card. leaving[r][q]: how many go from rank r to rank q. */
static enum ky_status fetch_rows(struct ky_device_state *state, const struct ky_ranks_offer *offer,
                                 const uint64_t *leaving, struct ky_error *error)
{
    const struct ky_shared *shared = ky_device_shared(state);
    const size_t row = row_of(state);
    enum ky_status status = KY_OK;
    for (size_t r = 0, to = 0; r < shared->ranks && status == KY_OK; r++) {
        const uint64_t *of = leaving + r * shared->ranks;
        const size_t bytes = of[shared->rank] * row;
        size_t from = 0;
        for (size_t q = 0; q < shared->rank; q++)
            from += of[q] * row;
        if (bytes > 0)
            status = ky_ranks_fetch(state, &offer[r], from, KY_PLACE(&state->ranks->come, to),
                                    bytes, error);
        to += bytes;
    }
    return status;
}

static enum ky_status offer_rows(struct ky_device_state *state, const struct ky_part_move *move,
                                 struct ky_error *error)
{
    const struct ky_shared *shared = ky_device_shared(state);
    const size_t size = shared->ranks;
    struct ky_ranks_offer *offer = ky_allocate(size, sizeof *offer);
    uint64_t *leaving = ky_allocate(size * size, sizeof *leaving);
    enum ky_status status =
        offer && leaving
            ? ky_ranks_offer(state, &(struct ky_ranks_offer){.buffer = state->ranks->rows}, offer,
                             error)
            : ky_no_memory(error, "the ranks", size * size, sizeof *leaving);
    if (status == KY_OK)
        status = ky_ranks_gather(shared, move->leaving, size * sizeof *leaving, leaving, error);
    if (status == KY_OK)
        status = fetch_rows(state, offer, leaving, error);
    free(offer);
    free(leaving);
    return status;
}

/* ---- those that come ---- */

/* Where bodies go: of n, those of a list leave, and others come. Those that come fill gaps, and
 * then take places behind all; gaps that are left are filled by the last ones. The order of bodies
 * on a card is no one's business. */
struct placing {
    uint32_t *place; /* [arrivals] of those that come */
    uint32_t *moved; /* [2 moves] from where to where others move */
    size_t moves;
};

static enum ky_status find_places(struct placing *placing, const struct ky_part_move *move,
                                  size_t n, struct ky_error *error)
{
    const size_t count = move->count, arrivals = move->arrivals, end = n + arrivals - count,
                 tail = end < n ? n - end : 0;
    size_t placed = 0, next = 0, behind = n;
    unsigned char *is_gone = ky_allocate_zeroed(tail, 1); /* of the last bodies */
    placing->place = ky_allocate(arrivals, sizeof *placing->place);
    placing->moved = ky_allocate(count, 2 * sizeof *placing->moved);
    if (!is_gone || !placing->place || !placing->moved) {
        free(is_gone);
        return ky_no_memory(error, "bodies that move", count, sizeof *placing->moved);
    }
    for (size_t k = 0; k < count; k++)
        if (move->gone[k] >= end)
            is_gone[move->gone[k] - end] = 1;
    for (size_t k = 0; k < count; k++) {
        const uint32_t gap = move->gone[k];
        if (gap >= end)
            continue;
        if (placed < arrivals) {
            placing->place[placed++] = gap;
            continue;
        }
        while (is_gone[next])
            next++;
        placing->moved[2 * placing->moves] = (uint32_t)(end + next++);
        placing->moved[2 * placing->moves++ + 1] = gap;
    }
    while (placed < arrivals)
        placing->place[placed++] = (uint32_t)behind++;
    free(is_gone);
    return KY_OK;
}

static enum ky_status fill_gaps(struct ky_device_state *state, const struct placing *placing,
                                struct ky_error *error)
{
    struct ky_device_bodies *bodies = &state->part[0];
    const struct layout its = layout_of(state);
    uint32_t count = (uint32_t)placing->moves;
    const enum ky_status status =
        send_places(state, placing->moved, 2 * placing->moves * sizeof *placing->moved, error);
    return status ? status
                  : ky_launch_over(bodies->card, KY_KERNEL_ky_rows_move, count,
                                   KY_ARGUMENTS(ROW_COLUMNS(bodies), KY_BUFFER(state->ranks->place),
                                                KY_VALUE(count)),
                                   error);
}

static enum ky_status place_arrivals(struct ky_device_state *state, const struct placing *placing,
                                     size_t arrivals, struct ky_error *error)
{
    struct ky_device_bodies *bodies = &state->part[0];
    struct ky_device_ranks *ranks = state->ranks;
    const struct layout its = layout_of(state);
    uint32_t count = (uint32_t)arrivals;
    const enum ky_status status =
        send_places(state, placing->place, arrivals * sizeof *placing->place, error);
    return status ? status
                  : ky_launch_over(bodies->card, KY_KERNEL_ky_rows_unpack, count,
                                   KY_ARGUMENTS(ROW_COLUMNS(bodies), KY_BUFFER(ranks->place),
                                                KY_BUFFER(ranks->come), KY_VALUE(count)),
                                   error);
}

static enum ky_status unpack(struct ky_device_state *state, const struct ky_part_move *move,
                             struct ky_error *error)
{
    struct ky_device_bodies *bodies = &state->part[0];
    const size_t n = bodies->live, end = n + move->arrivals - move->count;
    struct placing placing = {.moves = 0};
    enum ky_status status = find_places(&placing, move, n, error);
    if (status == KY_OK && end > bodies->n)
        status = ky_places_widen(state, ky_places_room(end), error);
    if (status == KY_OK && placing.moves > 0)
        status = fill_gaps(state, &placing, error);
    if (status == KY_OK && move->arrivals > 0)
        status = place_arrivals(state, &placing, move->arrivals, error);
    free(placing.place);
    free(placing.moved);
    bodies->live = end;
    bodies->place++;
    bodies->curve.changes++;
    return status;
}

enum ky_status ky_ranks_move(struct ky_device_state *state, const struct ky_part_move *move,
                             struct ky_error *error)
{
    struct ky_card *card = state->part[0].card;
    int by_host = 0;
    enum ky_status status = ky_ranks_way(state, &by_host, error);
    if (status == KY_OK)
        status = pack(state, move, error);
    if (status == KY_OK)
        status = ky_ranks_need_to_move(card, &state->ranks->come, "bodies that come",
                                       move->arrivals * row_of(state), error);
    if (status == KY_OK)
        status = (by_host ? trade_rows : offer_rows)(state, move, error);
    return status == KY_OK && (move->count || move->arrivals) ? unpack(state, move, error) : status;
}
