/* Large arrays through pinned memory. */
#include "engine/device/driver/staging.h"

#include <string.h>

enum {
    SHARE_BYTES = 1 << 16, /* approximate bytes per thread and turn */
    FEW_BYTES = 1 << 15    /* size of a piece for small arrays */
};

void ky_staging_release(struct ky_staging *staging, struct ky_card *card)
{
    for (int k = 0; k < 2; k++)
        ky_pinned_release(card, &staging->piece[k]);
    staging->turn = 0;
}

static size_t items_of_piece(const struct ky_staged *array)
{
    return KY_STAGING_BYTES / array->size;
}

/* Takes the next piece as soon as the card has finished with it, and makes it large enough. */
static enum ky_status take_turn(struct ky_staging *staging, struct ky_card *card, size_t bytes,
                                int *turn, struct ky_error *error)
{
    *turn = staging->turn;
    staging->turn = 1 - staging->turn;
    enum ky_status status = card->driver->reach(card, KY_MARK_STAGING + *turn, error);
    return status == KY_OK
               ? ky_pinned_need(card, &staging->piece[*turn], "data on their way",
                                bytes <= FEW_BYTES ? FEW_BYTES : KY_STAGING_BYTES, error)
               : status;
}

static void share(int threads, const struct ky_staged *array, size_t first, size_t end,
                  ky_staging_function *function, const void *context, char *piece)
{
    const size_t some = SHARE_BYTES / array->size + 1;
#pragma omp parallel for num_threads(threads) if (end - first > 2 * some)
    for (size_t k = first; k < end; k += some)
        function(context, k, end - k < some ? end : k + some, piece + (k - first) * array->size);
}

enum ky_status ky_staging_up(struct ky_staging *staging, struct ky_card *card, int threads,
                             const struct ky_staged *array, ky_staging_function *fill,
                             const void *context, struct ky_error *error)
{
    size_t most = items_of_piece(array);
    enum ky_status status = KY_OK;
    for (size_t first = 0; first < array->count && status == KY_OK; first += most) {
        size_t end = array->count - first < most ? array->count : first + most;
        int turn;
        status = take_turn(staging, card, (end - first) * array->size, &turn, error);
        if (status != KY_OK)
            return status;
        share(threads, array, first, end, fill, context, staging->piece[turn].data);
        status = card->driver->write_later(card, array->buffer, array->offset + first * array->size,
                                           staging->piece[turn].data, (end - first) * array->size,
                                           error);
        if (status == KY_OK)
            status = card->driver->mark(card, KY_MARK_STAGING + turn, error);
    }
    return status;
}

struct array {
    const char *data;
    size_t size; /* bytes of an item */
};

static void copy_items(const void *context, size_t first, size_t end, void *piece)
{
    const struct array *array = context;
    memcpy(piece, array->data + first * array->size, (end - first) * array->size);
}

enum ky_status ky_staging_fill(struct ky_staging *staging, struct ky_card *card, int threads,
                               const struct ky_staged *array, const char *what, const void *data,
                               struct ky_error *error)
{
    const struct array from = {data, array->size};
    enum ky_status status =
        ky_buffer_need(card, array->buffer, what, array->count, array->size, error);
    return status == KY_OK ? ky_staging_up(staging, card, threads, array, copy_items, &from, error)
                           : status;
}

/* A piece that is being copied from the card. */
struct coming {
    size_t first, end; /* its items; none: no copy is in progress */
    int turn;
};

static enum ky_status ask(struct ky_staging *staging, struct ky_card *card,
                          const struct ky_staged *array, struct coming *coming,
                          struct ky_error *error)
{
    const size_t bytes = (coming->end - coming->first) * array->size;
    enum ky_status status = take_turn(staging, card, bytes, &coming->turn, error);
    if (status == KY_OK)
        status = card->driver->read_later(card, array->buffer,
                                          array->offset + coming->first * array->size,
                                          staging->piece[coming->turn].data, bytes, error);
    return status == KY_OK ? card->driver->mark(card, KY_MARK_STAGING + coming->turn, error)
                           : status;
}

enum ky_status ky_staging_down(struct ky_staging *staging, struct ky_card *card, int threads,
                               const struct ky_staged *array, ky_staging_function *take,
                               const void *context, struct ky_error *error)
{
    size_t most = items_of_piece(array), asked = 0;
    struct coming now = {0, 0, 0}, next = {0, 0, 0};
    enum ky_status status = KY_OK;
    while (status == KY_OK && (asked < array->count || now.end > now.first)) {
        next = (struct coming){asked, array->count - asked < most ? array->count : asked + most, 0};
        if (next.end > next.first)
            status = ask(staging, card, array, &next, error);
        if (status == KY_OK && now.end > now.first)
            status = card->driver->reach(card, KY_MARK_STAGING + now.turn, error);
        if (status == KY_OK && now.end > now.first)
            share(threads, array, now.first, now.end, take, context, staging->piece[now.turn].data);
        asked = next.end;
        now = next;
    }
    return status;
}
