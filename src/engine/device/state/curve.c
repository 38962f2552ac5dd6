/* Reorders the columns of bodies: the host side of kernels/driver/reorder.k. */
#include "engine/device/state/curve.h"

#include "base/status.h"

enum ky_status ky_device_curve_need(struct ky_device_bodies *bodies, struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    struct ky_device_curve *curve = &bodies->curve;
    const size_t n = bodies->n;
    const struct ky_need needs[] = {
        {&curve->room, KY_ROOM_OF_ORDERS, ky_device_room(n), 1},
        {&curve->place[0], "order of the bodies", n, sizeof(uint32_t)},
        {&curve->place[1], "sorted order of the bodies", n, sizeof(uint32_t)},
        {&curve->index, "numbers of the bodies", n, sizeof(uint32_t)},
    };
    return ky_buffers_need(card, needs, sizeof needs / sizeof *needs, error);
}

static void exchange(struct ky_buffer *a, struct ky_buffer *b)
{
    struct ky_buffer c = *a;
    *a = *b;
    *b = c;
}

/* Reorders an array through the room; a buffer of the same size becomes the new room. */
static enum ky_status move(struct ky_device_bodies *bodies, const struct ky_device_array *array,
                           const struct ky_buffer *order, struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    struct ky_buffer *buffer = array->buffer, *room = &bodies->curve.room;
    const size_t n = bodies->n;
    KY_TRY(ky_device_gather(bodies, array, order, n, room, error));
    if (buffer->bytes != room->bytes)
        return card->driver->copy(card, KY_ADDRESS(room, 0), KY_ADDRESS(buffer, 0),
                                  array->columns * array->number * n, error);
    const char *what = buffer->what;
    buffer->what = room->what;
    room->what = what;
    exchange(buffer, room);
    return KY_OK;
}

static enum ky_status move_all(struct ky_device_bodies *bodies, const struct ky_buffer *order,
                               struct ky_error *error)
{
    struct ky_device_array array[KY_ARRAYS];
    ky_device_arrays(bodies, array);
    for (int k = 0; k < KY_ARRAYS; k++)
        if (bodies->has >> k & 1U)
            KY_TRY(move(bodies, &array[k], order, error));
    return KY_OK;
}

enum ky_status ky_device_curve_follow(struct ky_device_bodies *bodies, int now,
                                      struct ky_error *error)
{
    struct ky_device_curve *curve = &bodies->curve;
    struct ky_buffer *order = &curve->place[now], *other = &curve->place[1 - now];
    const struct ky_device_array index = ky_device_index(bodies);
    curve->changes++;
    enum ky_status status = move_all(bodies, order, error);
    if (!status && curve->is_followed)
        status = ky_device_gather(bodies, &index, order, bodies->n, other, error);
    if (!status)
        exchange(&curve->index, curve->is_followed ? other : order);
    curve->is_followed |= !status;
    return status;
}

enum ky_status ky_device_curve_leave(struct ky_device_bodies *bodies, struct ky_error *error)
{
    struct ky_device_curve *curve = &bodies->curve;
    uint32_t n = (uint32_t)bodies->n;
    if (!curve->is_followed)
        return KY_OK;
    /* enlarging the room may have failed */
    KY_TRY(ky_device_curve_need(bodies, error));
    curve->is_followed = 0;
    curve->changes++;
    KY_TRY(ky_launch_over(
        bodies->card, KY_KERNEL_ky_order_inverse, n,
        KY_ARGUMENTS(KY_BUFFER(curve->index), KY_BUFFER(curve->place[0]), KY_VALUE(n)), error));
    return move_all(bodies, &curve->place[0], error);
}

enum ky_status ky_device_curve_return(struct ky_device_bodies *bodies, struct ky_error *error)
{
    struct ky_device_curve *curve = &bodies->curve;
    if (curve->is_followed)
        return KY_OK;
    curve->is_followed = 1;
    return move_all(bodies, &curve->index, error);
}

double ky_device_curve_memory(size_t n)
{
    return (double)ky_device_room(n) + 3.0 * sizeof(uint32_t) * (double)n;
}
