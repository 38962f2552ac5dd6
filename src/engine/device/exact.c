/* Double-precision sums for some bodies, on the first card. */
#include "engine/device/exact.h"

#include <stdlib.h>

#include "base/memory.h"
#include "engine/device/direct_sum.h"
#include "engine/device/rows.h"

static enum ky_status send_labels(struct ky_device_bodies *bodies,
                                  struct ky_direct_buffers *buffers, const size_t *sinks,
                                  size_t count, struct ky_error *error)
{
    uint32_t *list = ky_allocate(count, sizeof *list);
    if (!list)
        return ky_no_memory(error, "list of sinks", count, sizeof *list);
    for (size_t k = 0; k < count; k++)
        list[k] = (uint32_t)sinks[k];
    enum ky_status status =
        ky_direct_send_labels(bodies->cards.card[0], buffers, list, count, error);
    free(list);
    return status;
}

enum ky_status ky_device_exact(struct ky_device_bodies *bodies, const size_t *sinks, size_t count,
                               double (*acceleration)[3], double *potential, struct ky_error *error)
{
    struct ky_card *card = bodies->cards.card[0];
    struct ky_direct_buffers buffers = {0};
    struct ky_buffer accelerations = {0}, potentials = {0};
    struct ky_engine_scale scale = ky_engine_scale(&bodies->units, bodies->parameters->g);
    const struct ky_direct_sum sum = {KY_DOUBLE, KY_UNROLL_TUNED, 0, count, 1, NULL, 1};
    const struct ky_direct_results results = {&accelerations, &potentials, count, 0, 0};
    if (count == 0)
        return KY_OK;
    if (!card->has_double)
        return ky_fail(error, KY_UNSUPPORTED, "%s has no double: no exact sums", card->name);
    enum ky_status status = send_labels(bodies, &buffers, sinks, count, error);
    if (status == KY_OK)
        status = ky_buffer_need(card, &accelerations, "exact accelerations", 3 * count,
                                sizeof(double), error);
    if (status == KY_OK)
        status =
            ky_buffer_need(card, &potentials, "exact potentials", count, sizeof(double), error);
    if (status == KY_OK)
        status = ky_direct_run(bodies, card, &buffers, &sum, &results, error);
    if (status == KY_OK)
        status = ky_rows_read(card, &accelerations,
                              (struct ky_rows){count, 3, 1 / scale.acceleration, sizeof(double)},
                              (double *)acceleration, error);
    if (status == KY_OK)
        status = ky_rows_read(card, &potentials,
                              (struct ky_rows){count, 1, 1 / scale.potential, sizeof(double)},
                              potential, error);
    ky_direct_release(card, &buffers);
    ky_buffer_release(card, &accelerations);
    ky_buffer_release(card, &potentials);
    return status;
}
