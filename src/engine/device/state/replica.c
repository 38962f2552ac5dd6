/* Bodies from the first card to another. */
#include "engine/device/state/replica.h"

#include "engine/device/state/curve.h"

void ky_replica_numbers(struct ky_device_bodies *own, const struct ky_device_bodies *first,
                        size_t k)
{
    own->parameters = first->parameters;
    own->schemes = first->schemes;
    own->cards.driver = first->cards.driver;
    own->cards.card[0] = first->cards.card[k];
    own->cards.count = 1;
    own->part = k;
    own->n = first->n;
    own->frame = first->frame;
    own->units = first->units;
    own->own_eps = first->own_eps;
    own->how = first->how;
}

/* An array of the first card to one of this card. */
static enum ky_status send(const struct ky_device_bodies *first, struct ky_device_bodies *own,
                           const struct ky_buffer *from, struct ky_buffer *to, size_t bytes,
                           struct ky_error *error)
{
    struct ky_card *card = own->cards.card[0];
    enum ky_status status = ky_buffer_need(card, to, from->what, bytes, 1, error);
    return status ? status
                  : card->driver->copy(first->cards.card[0], from, 0, card, to, 0, bytes, error);
}

/* Everything but the positions. */
static enum ky_status send_others(const struct ky_device_bodies *first,
                                  struct ky_device_bodies *own, struct ky_error *error)
{
    const size_t state = first->n * KY_STATE_BYTES, words = first->n * sizeof(uint32_t);
    enum ky_status status = ky_device_curve_need(own, error);
    if (status == KY_OK)
        status = send(first, own, &first->mass, &own->mass, state, error);
    ky_buffer_release(own->cards.card[0], &own->softening);
    if (status == KY_OK && first->own_eps)
        status = send(first, own, &first->softening, &own->softening, state, error);
    own->curve.is_followed = first->curve.is_followed;
    if (status == KY_OK && first->curve.is_followed)
        status = send(first, own, &first->curve.index, &own->curve.index, words, error);
    return status;
}

static enum ky_status send_positions(struct ky_device_bodies *first, struct ky_device_bodies *own,
                                     struct ky_error *error)
{
    struct ky_card *card = own->cards.card[0];
    enum ky_status status = ky_buffer_need(card, &own->position, first->position.what,
                                           ky_device_room(first->n), 1, error);
    if (status == KY_OK)
        status = card->driver->copy_later(first->cards.card[0], &first->position, 0, card,
                                          &own->position, 0, 3 * first->n * KY_STATE_BYTES, error);
    if (status == KY_OK)
        status = card->driver->mark(card, KY_MARK_SENT, error);
    if (status == KY_OK)
        first->curve.reader[first->curve.readers++] = card;
    return status;
}

enum ky_status ky_replica_follow(struct ky_replica *replica, struct ky_device_bodies *first,
                                 size_t k, struct ky_error *error)
{
    const uint64_t changes = replica->changes, place = replica->place;
    const int differs = changes != first->curve.changes;
    struct ky_device_bodies *own = &replica->bodies;
    enum ky_status status = KY_OK;
    replica->changes = 0;
    ky_replica_numbers(own, first, k);
    if (differs)
        status = send_others(first, own, error);
    if (status == KY_OK && (differs || place != first->place))
        status = send_positions(first, own, error);
    return status == KY_OK ? ky_results_need(&replica->results, own->cards.card[0],
                                             first->parameters->precision, first->n, error)
                           : status;
}

void ky_replica_agrees(struct ky_replica *replica, const struct ky_device_bodies *first)
{
    replica->changes = first->curve.changes;
    replica->place = first->place;
}

void ky_replica_release(struct ky_replica *replica)
{
    struct ky_device_bodies *own = &replica->bodies;
    if (own->cards.count == 0)
        return;
    struct ky_card *card = own->cards.card[0];
    ky_device_curve_release(own);
    ky_device_bodies_release(own);
    ky_results_release(&replica->results, card);
    *replica = (struct ky_replica){0};
}
