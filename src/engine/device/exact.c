/* Double-precision sums for some bodies, on the first card. */
#include "engine/device/exact.h"

#include <stdlib.h>

#include "base/memory.h"
#include "engine/device/direct_sum.h"

static enum ky_status write_list(struct ky_device_bodies *bodies, struct ky_buffer *buffer,
                                 const size_t *sinks, size_t count, struct ky_error *error)
{
    struct ky_card *card = bodies->cards.card[0];
    uint32_t *list = ky_allocate(count, sizeof *list);
    if (!list)
        return ky_no_memory(error, "list of sinks", count, sizeof *list);
    enum ky_status status = KY_OK;
    for (size_t k = 0; k < count && status == KY_OK; k++) {
        if (sinks[k] >= bodies->n)
            status = ky_fail(error, KY_USAGE, "exact sum for body %zu of %zu bodies", sinks[k],
                             bodies->n);
        list[k] = (uint32_t)sinks[k];
    }
    if (status == KY_OK)
        status = ky_buffer_need(card, buffer, "list of sinks", count, sizeof *list, error);
    if (status == KY_OK)
        status = card->driver->write(card, buffer, 0, list, count * sizeof *list, error);
    free(list);
    return status;
}

/* `columns` numbers for each sink, column by column, to to[k × columns + c]. */
static enum ky_status read_columns(struct ky_device_bodies *bodies, const struct ky_buffer *from,
                                   size_t columns, size_t count, double scale, double *to,
                                   struct ky_error *error)
{
    struct ky_card *card = bodies->cards.card[0];
    size_t numbers = columns * count;
    if (!to)
        return KY_OK;
    union ky_state_value *values = ky_allocate(numbers, sizeof *values);
    if (!values)
        return ky_no_memory(error, "exact sums", numbers, sizeof *values);
    enum ky_status status =
        card->driver->read(card, from, 0, values, numbers * KY_STATE_BYTES, error);
    for (size_t k = 0; k < numbers && status == KY_OK; k++)
        to[k % count * columns + k / count] = scale * ky_from_state(card, values[k]);
    free(values);
    return status;
}

enum ky_status ky_device_exact(struct ky_device_bodies *bodies, const size_t *sinks, size_t count,
                               double (*acceleration)[3], double *potential, struct ky_error *error)
{
    struct ky_card *card = bodies->cards.card[0];
    struct ky_direct_buffers buffers = {0};
    struct ky_buffer accelerations = {0}, potentials = {0};
    struct ky_device_scale scale = ky_device_scale(bodies);
    const struct ky_direct_sum sum = {KY_DOUBLE, KY_UNROLL_TUNED, 0, count, 1};
    const struct ky_direct_results results = {&accelerations, &potentials, count};
    if (count == 0)
        return KY_OK;
    if (!card->has_double)
        return ky_fail(error, KY_UNSUPPORTED, "%s has no double: no exact sums", card->name);
    enum ky_status status = write_list(bodies, &buffers.list, sinks, count, error);
    if (status == KY_OK)
        status = ky_direct_make_sources(bodies, &buffers, KY_DOUBLE, error);
    if (status == KY_OK)
        status = ky_buffer_need(card, &accelerations, "exact accelerations", 3 * count,
                                KY_STATE_BYTES, error);
    if (status == KY_OK)
        status =
            ky_buffer_need(card, &potentials, "exact potentials", count, KY_STATE_BYTES, error);
    if (status == KY_OK)
        status = ky_direct_run(bodies, card, &buffers, &sum, &results, error);
    if (status == KY_OK)
        status = read_columns(bodies, &accelerations, 3, count, scale.acceleration,
                              (double *)acceleration, error);
    if (status == KY_OK)
        status = read_columns(bodies, &potentials, 1, count, scale.potential, potential, error);
    ky_direct_release(card, &buffers);
    ky_buffer_release(card, &accelerations);
    ky_buffer_release(card, &potentials);
    return status;
}
