/* Copies from the first part to another: see parts.h. */
#include "engine/device/state/parts.h"

#include "engine/device/state/bodies.h"

/* Copies an array of the first part to this one. */
static enum ky_status send(struct ky_device_bodies *own, const struct ky_device_array *from,
                           struct ky_buffer *to, int later, struct ky_error *error)
{
    const struct ky_driver *driver = own->card->driver;
    enum ky_status status = ky_buffer_need(own->card, to, from->what, from->bytes, 1, error);
    return status ? status
                  : (later ? driver->copy_later : driver->copy)(
                        own->state->part[0].card, KY_PLACE(from->buffer, 0), own->card,
                        KY_PLACE(to, 0), from->columns * from->number * own->n, error);
}

static enum ky_status send_order(struct ky_device_bodies *own, struct ky_device_bodies *first,
                                 struct ky_error *error)
{
    const struct ky_device_array index = ky_device_index(first);
    own->curve.is_followed = first->curve.is_followed;
    return own->curve.is_followed ? send(own, &index, &own->curve.index, 0, error) : KY_OK;
}

/* Copies the arrays of a set. Positions come last: they are read while the first card continues. */
static enum ky_status send_arrays(struct ky_device_bodies *own, struct ky_device_bodies *first,
                                  unsigned set, struct ky_error *error)
{
    struct ky_device_array from[KY_ARRAYS], to[KY_ARRAYS];
    enum ky_status status = KY_OK;
    ky_device_arrays(first, from);
    ky_device_arrays(own, to);
    for (int k = KY_ARRAYS; k-- > 0 && status == KY_OK;)
        if (set >> k & 1U)
            status = send(own, &from[k], to[k].buffer, k == KY_ARRAY_POSITION, error);
    if (status == KY_OK)
        status = own->card->driver->mark(own->card, KY_MARK_SENT, error);
    if (status == KY_OK)
        first->curve.readers |= 1U << own->number;
    return status;
}

enum ky_status ky_part_follow(struct ky_device_bodies *own, unsigned wanted, struct ky_error *error)
{
    struct ky_device_bodies *first = &own->state->part[0];
    const unsigned set = first->has & wanted, positions = 1U << KY_ARRAY_POSITION;
    const int same = own->has == set && own->curve.changes == first->curve.changes;
    enum ky_status status = KY_OK;
    own->has = 0;
    if (!same)
        status = send_order(own, first, error);
    if (status == KY_OK && (!same || own->place != first->place))
        status = send_arrays(own, first, same ? positions : set, error);
    if (status != KY_OK)
        return status;
    own->has = set;
    own->place = first->place;
    own->curve.changes = first->curve.changes;
    return KY_OK;
}

enum ky_status ky_part_await(struct ky_device_bodies *bodies, struct ky_error *error)
{
    const struct ky_device_bodies *part = bodies->state->part;
    unsigned *readers = &bodies->curve.readers;
    enum ky_status status = KY_OK;
    for (size_t k = 0; *readers && status == KY_OK; *readers &= ~(1U << k++))
        if (*readers >> k & 1U)
            status = bodies->card->driver->await(bodies->card, part[k].card, KY_MARK_SENT, error);
    return status;
}

void ky_parts_forget(struct ky_device_state *state)
{
    for (size_t k = 1; k < state->cards.count; k++)
        state->part[k].has = 0;
}
