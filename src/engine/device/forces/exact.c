/* Double-precision sums for some bodies, on the first card. */
#include "engine/device/forces/exact.h"

#include <stdlib.h>

#include "base/memory.h"
#include "engine/device/forces/direct_sum.h"
#include "engine/device/state/results.h"

static enum ky_status send_labels(struct ky_card *card, struct ky_direct_buffers *buffers,
                                  const size_t *sinks, size_t count, struct ky_error *error)
{
    uint32_t *list = ky_allocate(count, sizeof *list);
    if (!list)
        return ky_no_memory(error, "list of sinks", count, sizeof *list);
    for (size_t k = 0; k < count; k++)
        list[k] = (uint32_t)(sinks ? sinks[k] : k);
    enum ky_status status = ky_direct_send_labels(card, buffers, list, count, error);
    free(list);
    return status;
}

enum ky_status ky_device_exact(struct ky_device_state *state, const size_t *sinks, size_t count,
                               double (*acceleration)[3], double *potential, struct ky_error *error)
{
    struct ky_card *card = state->part[0].card;
    struct ky_direct_buffers buffers = {0};
    struct ky_device_results results = {0};
    const struct ky_direct_sum sum = {KY_DOUBLE, KY_UNROLL_TUNED, 0, count, &buffers.label, NULL,
                                      1};
    const struct ky_direct_results to = {&results.acceleration, &results.potential, count, 0, 0};
    if (count == 0)
        return KY_OK;
    if (!card->has_double)
        return ky_fail(error, KY_UNSUPPORTED, "%s has no double: no exact sums", card->name);
    enum ky_status status = send_labels(card, &buffers, sinks, count, error);
    if (status == KY_OK)
        status = ky_results_need(&results, card, KY_DOUBLE, count, error);
    if (status == KY_OK)
        status = ky_direct_run(&state->part[0], card, &buffers, &sum, &to, error);
    if (status == KY_OK)
        status = ky_results_read(&results, &state->part[0], KY_DOUBLE, count, acceleration,
                                 potential, error);
    ky_direct_release(card, &buffers);
    ky_results_release(&results, card);
    return status;
}
