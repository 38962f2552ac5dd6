/* Large arrays through pinned memory. */
#include "engine/device/driver/staging.h"

#include <string.h>

#include "base/status.h"

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
    KY_TRY(card->driver->reach(card, KY_MARK_STAGING + *turn, error));
    return ky_pinned_need(card, &staging->piece[*turn], "data on their way",
                          bytes <= FEW_BYTES ? FEW_BYTES : KY_STAGING_BYTES, error);
}

static void share(const struct ky_staging_work *work, const struct ky_staged *array, size_t first,
                  size_t end, char *piece)
{
    const size_t some = SHARE_BYTES / array->size + 1;
#pragma omp parallel for num_threads(work->threads) if (end - first > 2 * some)
    for (size_t k = first; k < end; k += some)
        work->function(work->context, k, end - k < some ? end : k + some,
                       piece + (k - first) * array->size);
}

enum ky_status ky_staging_up(struct ky_staging *staging, struct ky_card *card,
                             const struct ky_staged *array, const struct ky_staging_work *fill,
                             struct ky_error *error)
{
    size_t most = items_of_piece(array);
    for (size_t first = 0; first < array->count; first += most) {
        size_t end = array->count - first < most ? array->count : first + most;
        int turn;
        KY_TRY(take_turn(staging, card, (end - first) * array->size, &turn, error));
        share(fill, array, first, end, staging->piece[turn].data);
        KY_TRY(card->driver->write_later(card, array->buffer, array->offset + first * array->size,
                                         staging->piece[turn].data, (end - first) * array->size,
                                         error));
        KY_TRY(card->driver->mark(card, KY_MARK_STAGING + turn, error));
    }
    return KY_OK;
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
    KY_TRY(ky_buffer_need(card, array->buffer, what, array->count, array->size, error));
    return ky_staging_up(staging, card, array,
                         &(struct ky_staging_work){threads, copy_items, &from}, error);
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
    KY_TRY(take_turn(staging, card, bytes, &coming->turn, error));
    KY_TRY(card->driver->read_later(card, array->buffer,
                                    array->offset + coming->first * array->size,
                                    staging->piece[coming->turn].data, bytes, error));
    return card->driver->mark(card, KY_MARK_STAGING + coming->turn, error);
}

enum ky_status ky_staging_down(struct ky_staging *staging, struct ky_card *card,
                               const struct ky_staged *array, const struct ky_staging_work *take,
                               struct ky_error *error)
{
    size_t most = items_of_piece(array), asked = 0;
    struct coming now = {0, 0, 0}, next = {0, 0, 0};
    enum ky_status status = KY_OK;
    while (!status && (asked < array->count || now.end > now.first)) {
        next = (struct coming){asked, array->count - asked < most ? array->count : asked + most, 0};
        if (next.end > next.first)
            status = ask(staging, card, array, &next, error);
        if (!status && now.end > now.first)
            status = card->driver->reach(card, KY_MARK_STAGING + now.turn, error);
        if (!status && now.end > now.first)
            share(take, array, now.first, now.end, staging->piece[now.turn].data);
        asked = next.end;
        now = next;
    }
    return status;
}
