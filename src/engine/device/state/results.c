/* Results of sinks on a card: see results.h. */
#include "engine/device/state/results.h"

#include "base/status.h"
#include "engine/device/state/rows.h"

enum ky_status ky_results_need(struct ky_device_results *results, struct ky_card *card,
                               size_t count, struct ky_error *error)
{
    KY_TRY(ky_buffer_need(card, &results->acceleration, "accelerations", 3 * count, KY_STATE_BYTES,
                          error));
    return ky_buffer_need(card, &results->potential, "potentials", count, KY_STATE_BYTES, error);
}

enum ky_status ky_results_read(const struct ky_device_results *results,
                               const struct ky_device_bodies *bodies, size_t count,
                               double (*acceleration)[3], double *potential, struct ky_error *error)
{
    struct ky_device_state *state = bodies->state;
    const struct ky_engine_scale scale = ky_device_scale(state);
    const struct ky_rows vectors = {count, 3, 1 / scale.acceleration, 0},
                         numbers = {count, 1, 1 / scale.potential, 0};
    KY_TRY(ky_rows_read(state, &results->acceleration, vectors, (double *)acceleration, error));
    return ky_rows_read(state, &results->potential, numbers, potential, error);
}

void ky_results_release(struct ky_device_results *results, struct ky_card *card)
{
    ky_buffer_release(card, &results->acceleration);
    ky_buffer_release(card, &results->potential);
}
