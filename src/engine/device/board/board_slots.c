/* The slots of a board: memory that grows, and the upload of bodies. */
#include "engine/device/board/board_slots.h"

#include "base/status.h"

enum { SENT_BYTES = KY_SLOT_SENT * KY_STATE_BYTES, PIECE = KY_STAGING_BYTES / SENT_BYTES };
enum { LEAST_ROOM = 1024 };

void ky_board_slots_release(struct ky_board_slots *slots, struct ky_card *card)
{
    ky_buffer_release(card, &slots->state);
    ky_buffer_release(card, &slots->word);
    ky_buffer_release(card, &slots->sent);
    ky_staging_release(&slots->staging, card);
}

/* ---- memory ---- */

double ky_board_slots_memory(size_t slots)
{
    const double room = slots < LEAST_ROOM ? LEAST_ROOM : 3.0 * (double)slots;
    return room * (KY_SLOT_STATES * KY_STATE_BYTES + KY_SLOT_WORDS * sizeof(uint32_t)) +
           (double)PIECE * SENT_BYTES;
}

/* Allocates a larger buffer with the current content, followed by zeros. */
static enum ky_status grow(struct ky_card *card, struct ky_buffer *buffer, const char *what,
                           size_t slots, size_t size, struct ky_error *error)
{
    struct ky_buffer larger = {0};
    enum ky_status status = ky_buffer_need(card, &larger, what, slots, size, error);
    if (!status)
        status = card->driver->zero(card, &larger, error);
    if (!status && buffer->handle)
        status = card->driver->copy(card, KY_ADDRESS(buffer, 0), KY_ADDRESS(&larger, 0),
                                    buffer->bytes, error);
    if (!status && buffer->handle)
        status = card->driver->wait(card, error);
    if (status) {
        ky_buffer_release(card, &larger);
        return status;
    }
    ky_buffer_release(card, buffer);
    *buffer = larger;
    return KY_OK;
}

/* Doubles the memory, so that bodies that are put one by one are copied only a few times. */
static enum ky_status need_room(struct ky_board_slots *slots, struct ky_card *card, size_t wanted,
                                struct ky_error *error)
{
    size_t room = slots->room > LEAST_ROOM / 2 ? 2 * slots->room : LEAST_ROOM;
    if (wanted <= slots->room)
        return KY_OK;
    if (wanted > KY_SLOT_EMPTY)
        return ky_fail(error, KY_UNSUPPORTED, "slot %zu: a board has at most %zu", wanted - 1,
                       (size_t)KY_SLOT_EMPTY);
    room = room > wanted ? room : wanted;
    room = (room + KY_SLOT_BLOCK - 1) / KY_SLOT_BLOCK * KY_SLOT_BLOCK;
    KY_TRY(grow(card, &slots->state, "bodies of a board", room, KY_SLOT_STATES * KY_STATE_BYTES,
                error));
    KY_TRY(grow(card, &slots->word, "labels of bodies", room, KY_SLOT_WORDS * sizeof(uint32_t),
                error));
    slots->room = room;
    return KY_OK;
}

/* ---- upload ---- */

struct sending {
    const struct ky_card *card;
    const uint32_t *slot;
    const struct ky_board_body *body;
};

static void fill_one(const struct ky_card *card, uint32_t slot, const struct ky_board_body *body,
                     union ky_state_value *to)
{
    for (int c = 0; c < 3; c++) {
        to[KY_SLOT_X + c] = ky_to_state(card, body->x[c]);
        to[KY_SLOT_V + c] = ky_to_state(card, body->v[c]);
        to[KY_SLOT_A2 + c] = ky_to_state(card, body->a2[c]);
        to[KY_SLOT_J6 + c] = ky_to_state(card, body->j6[c]);
        to[KY_SLOT_S18 + c] = ky_to_state(card, body->s18[c]);
    }
    to[KY_SLOT_TIME] = ky_to_state(card, body->time);
    to[KY_SLOT_MASS] = ky_to_state(card, body->mass);
    uint32_t *words = (uint32_t *)(to + KY_SLOT_STATES);
    words[0] = slot | (body->set ? 0 : KY_SLOT_EMPTY);
    words[1] = (uint32_t)body->label;
}

static void fill(const void *context, size_t first, size_t end, void *piece)
{
    const struct sending *sending = context;
    for (size_t k = first; k < end; k++)
        fill_one(sending->card, sending->slot[k], &sending->body[k],
                 (union ky_state_value *)piece + (k - first) * KY_SLOT_SENT);
}

enum ky_status ky_board_slots_put(struct ky_board_slots *slots, struct ky_card *card, int precision,
                                  size_t count, const uint32_t *slot,
                                  const struct ky_board_body *body, struct ky_error *error)
{
    const size_t end = count ? (size_t)slot[count - 1] + 1 : 0,
                 most = count < PIECE ? count : PIECE;
    KY_TRY(need_room(slots, card, end, error));
    KY_TRY(ky_buffer_need(card, &slots->sent, "bodies on their way", most, SENT_BYTES, error));
    for (size_t first = 0; first < count; first += PIECE) {
        const uint32_t some = (uint32_t)(count - first < PIECE ? count - first : PIECE);
        const struct sending sending = {card, slot + first, body + first};
        const struct ky_staged staged = {&slots->sent, 0, some, SENT_BYTES};
        KY_TRY(ky_staging_up(&slots->staging, card, &staged,
                             &(struct ky_staging_work){1, fill, &sending}, error));
        KY_TRY(ky_launch_over(card, KY_IN_EITHER(ky_board_put, precision), some,
                              KY_ARGUMENTS(KY_BUFFER(slots->sent), KY_BUFFER(slots->sent),
                                           KY_BUFFER(slots->state), KY_BUFFER(slots->word),
                                           KY_VALUE(some)),
                              error));
    }
    slots->end = end > slots->end ? end : slots->end;
    return KY_OK;
}
