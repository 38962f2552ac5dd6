/* Moves rows of bodies from card to card: the host side of kernels/ranks/rows.k. */
#include "engine/device/ranks/movers.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "engine/device/ranks/places.h"

/* Arguments of the kernels. */
struct layout {
    const struct ky_buffer *position, *step, *pull;
    uint32_t n, has, words;
};

static struct layout layout_of(const struct ky_device_state *state)
{
    const struct ky_device_bodies *bodies = &state->bodies;
    const int steps = ky_column_is_in(state->columns, KY_COLUMN_STEP),
              pulls = ky_column_is_in(state->columns, KY_COLUMN_PULL);
    return (struct layout){state->ranks->in_block ? &bodies->second : &bodies->position,
                           steps ? &bodies->column[KY_COLUMN_STEP] : &bodies->mass,
                           pulls ? &bodies->column[KY_COLUMN_PULL] : &bodies->mass,
                           (uint32_t)bodies->n,
                           (uint32_t)(steps * KY_PART_HAS_STEP + pulls * KY_PART_HAS_PULL),
                           (uint32_t)(KY_PART_ROW + steps + pulls)};
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
        KY_BUFFER((bodies)->potential), KY_BUFFER(*its.step), KY_BUFFER(*its.pull),                \
        KY_VALUE(its.n), KY_VALUE(its.has), KY_VALUE(its.words)

/* The capacity for bodies that move: at least 1/64 of all bodies, since as many do at times, and
 * allocation is slow. */
static size_t room_for(const struct ky_device_state *state, size_t count)
{
    const size_t least = state->bodies.live / 64;
    return count > least ? count : least;
}

/* ---- bodies that leave ---- */

/* Sends the begin of the rows for each rank. */
static enum ky_status send_next(struct ky_device_state *state, const struct ky_part_move *move,
                                struct ky_error *error)
{
    const size_t size = ky_device_shared(state)->ranks;
    uint32_t *next = ky_allocate(size, sizeof *next), sum = 0;
    if (!next)
        return ky_no_memory(error, "the ranks", size, sizeof *next);
    for (size_t r = 0; r < size; r++) {
        next[r] = sum;
        sum += (uint32_t)move->leaving[r];
    }
    const enum ky_status status = ky_buffer_fill(state->bodies.card, &state->ranks->next,
                                                 "rows of ranks", next, size, sizeof *next, error);
    free(next);
    return status;
}

static enum ky_status pack(struct ky_device_state *state, const struct ky_part_move *move,
                           struct ky_error *error)
{
    struct ky_device_bodies *bodies = &state->bodies;
    struct ky_card *card = bodies->card;
    struct ky_device_ranks *ranks = state->ranks;
    const struct layout its = layout_of(state);
    uint32_t count = (uint32_t)move->count;
    if (count == 0)
        return KY_OK;
    KY_TRY(send_next(state, move, error));
    KY_TRY(ky_ranks_need_offered(state, KY_OFFER_ROWS, "rows of bodies that leave",
                                 room_for(state, move->count) * row_of(state), error));
    return ky_launch_over(card, KY_KERNEL_ky_rows_pack, count,
                          KY_ARGUMENTS(ROW_COLUMNS(bodies), KY_BUFFER(ranks->gone),
                                       KY_BUFFER(ranks->next),
                                       KY_BUFFER(ranks->offered[KY_OFFER_ROWS]), KY_VALUE(count)),
                          error);
}

/* Through the host. */
static enum ky_status trade_rows(struct ky_device_state *state, const struct ky_part_move *move,
                                 int *many, struct ky_error *error)
{
    const struct ky_shared *shared = ky_device_shared(state);
    struct ky_card *card = state->bodies.card;
    const size_t size = shared->ranks, row = row_of(state);
    char *out = ky_allocate(move->count, row), *in = ky_allocate(move->arrivals, row);
    size_t *bytes = ky_allocate(2 * size, sizeof *bytes), go = 0, come = 0;
    void **at = ky_allocate(2 * size, sizeof *at);
    *many = move->count + move->arrivals > state->bodies.live / 8 + (1 << 12);
    enum ky_status status = out && in && bytes && at
                                ? KY_OK
                                : ky_no_memory(error, "bodies that move", move->count, row);
    for (size_t r = 0; r < size && !status; go += bytes[r], come += bytes[size + r], r++) {
        bytes[r] = move->leaving[r] * row;
        bytes[size + r] = move->coming[r] * row;
        at[r] = out + go;
        at[size + r] = in + come;
    }
    if (!status && move->count > 0)
        status = card->driver->read(card, &state->ranks->offered[KY_OFFER_ROWS], 0, out,
                                    move->count * row, error);
    if (!status)
        status = shared->trade(shared->context, at, bytes, at + size, bytes + size, error);
    if (!status && move->arrivals > 0)
        status = card->driver->write(card, &state->ranks->come, 0, in, move->arrivals * row, error);
    free(out);
    free(in);
    free(bytes);
    free(at);
    return status;
}

/* 1 if many bodies move, so that the memory for their rows is freed afterwards: in the first step
 * half of all bodies move. */
static int are_many(const struct ky_shared *shared, const uint64_t *leaving)
{
    size_t all = 0;
    for (size_t k = 0; k < shared->ranks * shared->ranks; k++)
        all += leaving[k];
    return all > shared->system / 16 && all > 1 << 12;
}

/* Directly from card to card. leaving[r][q]: number of bodies that go from rank r to rank q. */
static enum ky_status fetch_rows(struct ky_device_state *state, const struct ky_ranks_offer *offer,
                                 const uint64_t *leaving, struct ky_error *error)
{
    const struct ky_shared *shared = ky_device_shared(state);
    const size_t row = row_of(state);
    enum ky_status status = KY_OK;
    for (size_t r = 0, to = 0; r < shared->ranks && !status; r++) {
        const uint64_t *of = leaving + r * shared->ranks;
        const size_t bytes = of[shared->rank] * row;
        size_t from = 0;
        for (size_t q = 0; q < shared->rank; q++)
            from += of[q] * row;
        if (bytes > 0)
            status = ky_ranks_fetch(state, (struct ky_offer_address){KY_OFFER_ROWS, r, from}, offer,
                                    KY_ADDRESS(&state->ranks->come, to), bytes, error);
        to += bytes;
    }
    return status;
}

static enum ky_status offer_rows(struct ky_device_state *state, const struct ky_part_move *move,
                                 int *many, struct ky_error *error)
{
    const struct ky_shared *shared = ky_device_shared(state);
    const size_t size = shared->ranks;
    struct ky_ranks_offer *offer = ky_allocate(size, sizeof *offer);
    uint64_t *leaving = ky_allocate(size * size, sizeof *leaving);
    enum ky_status status =
        offer && leaving
            ? ky_ranks_offer(state, KY_OFFER_ROWS, &(struct ky_ranks_offer){0}, offer, error)
            : ky_no_memory(error, "the ranks", size * size, sizeof *leaving);
    if (!status)
        status = ky_shared_gather(shared, move->leaving, size * sizeof *leaving, leaving, error);
    if (!status)
        status = fetch_rows(state, offer, leaving, error);
    *many = !status && are_many(shared, leaving);
    if (*many) /* the other ranks have fetched their rows */
        status = state->bodies.card->driver->wait(state->bodies.card, error);
    if (*many)
        ky_ranks_forget(state, KY_OFFER_ROWS);
    if (*many && !status)
        status = ky_shared_gather(shared, many, sizeof *many, leaving, error);
    free(offer);
    free(leaving);
    return status;
}

/* ---- bodies that arrive ---- */

/* Finds the gaps of leaving bodies, and the last bodies that stay. Arriving bodies fill gaps, and
 * then places behind all bodies; the remaining gaps are filled with the last bodies. The order of
 * bodies on a card is arbitrary. Afterwards the n bodies are at the places before `end`. */
static enum ky_status find_gaps(struct ky_device_state *state, const struct ky_part_move *move,
                                size_t n, size_t end, struct ky_error *error)
{
    struct ky_card *card = state->bodies.card;
    struct ky_device_ranks *ranks = state->ranks;
    const size_t room = room_for(state, move->count), word = sizeof(uint32_t);
    uint32_t count = (uint32_t)move->count, bound = (uint32_t)end,
             behind = end < n ? (uint32_t)(n - end) : 0;
    const struct {
        struct ky_buffer *buffer;
        const char *what;
        size_t bytes;
    } needs[] = {{&ranks->gap, "gaps among the bodies", room * word},
                 {&ranks->last, "last bodies that stay", room * word},
                 {&ranks->left, "last bodies that leave", room},
                 {&ranks->found, "numbers of gaps", 2 * word}};
    for (size_t k = 0; k < sizeof needs / sizeof *needs; k++)
        KY_TRY(ky_ranks_need(card, needs[k].buffer, needs[k].what, needs[k].bytes, error));
    KY_TRY(card->driver->zero(card, &ranks->left, error));
    KY_TRY(card->driver->zero(card, &ranks->found, error));
    KY_TRY(ky_launch_over(card, KY_KERNEL_ky_rows_gaps, count,
                          KY_ARGUMENTS(KY_BUFFER(ranks->gone), KY_BUFFER(ranks->gap),
                                       KY_BUFFER(ranks->found), KY_BUFFER(ranks->left),
                                       KY_VALUE(count), KY_VALUE(bound)),
                          error));
    return ky_launch_over(card, KY_KERNEL_ky_rows_last, behind,
                          KY_ARGUMENTS(KY_BUFFER(ranks->left), KY_BUFFER(ranks->last),
                                       KY_BUFFER(ranks->found), KY_VALUE(behind), KY_VALUE(bound)),
                          error);
}

static enum ky_status fill_gaps(struct ky_device_state *state, const struct ky_part_move *move,
                                struct ky_error *error)
{
    struct ky_device_bodies *bodies = &state->bodies;
    struct ky_device_ranks *ranks = state->ranks;
    const struct layout its = layout_of(state);
    uint32_t arrivals = (uint32_t)move->arrivals, most = (uint32_t)move->count - arrivals;
    return ky_launch_over(bodies->card, KY_KERNEL_ky_rows_move, most,
                          KY_ARGUMENTS(ROW_COLUMNS(bodies), KY_BUFFER(ranks->gap),
                                       KY_BUFFER(ranks->last), KY_BUFFER(ranks->found),
                                       KY_VALUE(most), KY_VALUE(arrivals)),
                          error);
}

static enum ky_status place_arrivals(struct ky_device_state *state, const struct ky_part_move *move,
                                     size_t n, struct ky_error *error)
{
    struct ky_device_bodies *bodies = &state->bodies;
    struct ky_device_ranks *ranks = state->ranks;
    const struct layout its = layout_of(state);
    uint32_t arrivals = (uint32_t)move->arrivals, behind = (uint32_t)n;
    return ky_launch_over(bodies->card, KY_KERNEL_ky_rows_unpack, arrivals,
                          KY_ARGUMENTS(ROW_COLUMNS(bodies), KY_BUFFER(ranks->gap),
                                       KY_BUFFER(ranks->found), KY_BUFFER(ranks->come),
                                       KY_VALUE(arrivals), KY_VALUE(behind)),
                          error);
}

/* Updates the keys of places where bodies have arrived or have been moved to. */
static enum ky_status make_keys_again(struct ky_device_state *state, struct ky_device_tree *tree,
                                      const struct ky_part_move *move, size_t n,
                                      struct ky_error *error)
{
    const struct ky_device_bodies *bodies = &state->bodies;
    const struct ky_device_ranks *ranks = state->ranks;
    const size_t most = move->count > move->arrivals ? move->count : move->arrivals;
    uint32_t stride = (uint32_t)bodies->n, arrivals = (uint32_t)move->arrivals,
             behind = (uint32_t)n;
    return ky_launch_over(bodies->card, KY_KERNEL_ky_tree_keys_again, most,
                          KY_ARGUMENTS(KY_BUFFER(bodies->position), KY_BUFFER(tree->frame),
                                       KY_BUFFER(tree->curve), KY_BUFFER(tree->keys.buffer[0]),
                                       KY_BUFFER(ranks->gap), KY_BUFFER(ranks->found),
                                       KY_VALUE(stride), KY_VALUE(arrivals), KY_VALUE(behind)),
                          error);
}

static enum ky_status unpack(struct ky_device_state *state, struct ky_device_tree *tree,
                             const struct ky_part_move *move, struct ky_error *error)
{
    struct ky_device_bodies *bodies = &state->bodies;
    const size_t n = bodies->live, end = n + move->arrivals - move->count;
    const int are_more = end > bodies->n,
              keeps = !are_more && !state->ranks->in_block && ky_device_tree_has_keys(bodies);
    enum ky_status status = find_gaps(state, move, n, end, error);
    if (are_more)
        ky_device_tree_done(tree, bodies);
    if (!status && are_more)
        status = ky_places_widen(state, ky_places_room(end), error);
    if (!status && move->count > move->arrivals)
        status = fill_gaps(state, move, error);
    if (!status && move->arrivals > 0)
        status = place_arrivals(state, move, n, error);
    if (!status && keeps)
        status = make_keys_again(state, tree, move, n, error);
    bodies->live = end;
    bodies->moves++;
    bodies->curve.changes++;
    bodies->curve.keyed.moves = !status && keeps ? bodies->moves : 0;
    bodies->curve.keyed.changes = bodies->curve.changes;
    return status;
}

/* Frees the memory that was needed for the transfer. */
static enum ky_status give_back(struct ky_device_state *state, struct ky_error *error)
{
    struct ky_device_ranks *ranks = state->ranks;
    struct ky_card *card = state->bodies.card;
    struct ky_buffer *buffers[] = {&ranks->offered[KY_OFFER_ROWS],
                                   &ranks->come,
                                   &ranks->gone,
                                   &ranks->gap,
                                   &ranks->last,
                                   &ranks->left};
    const enum ky_status status = card->driver->wait(card, error);
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
        ky_buffer_release(card, buffers[k]);
    return status;
}

enum ky_status ky_ranks_move(struct ky_device_state *state, struct ky_device_tree *tree,
                             const struct ky_part_move *move, struct ky_error *error)
{
    struct ky_card *card = state->bodies.card;
    int by_host = 0, many = 0;
    enum ky_status status = ky_ranks_way(state, &by_host, error);
    if (!status)
        status = pack(state, move, error);
    if (!status)
        status = ky_ranks_need(card, &state->ranks->come, "bodies that come",
                               room_for(state, move->arrivals) * row_of(state), error);
    if (!status)
        status = (by_host ? trade_rows : offer_rows)(state, move, &many, error);
    if (!status && (move->count || move->arrivals))
        status = unpack(state, tree, move, error);
    if (!status && many)
        status = give_back(state, error);
    ky_device_tree_done(tree, &state->bodies);
    return status;
}
