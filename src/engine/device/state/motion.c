/* Motion of the bodies, and sums over them: the host side of kernels/state/bodies.k. */
#include "engine/device/state/motion.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "engine/common/external.h"
#include "engine/device/state/external.h"

/* Does the pending kicks, and a drift if dt is not 0. */
static enum ky_status advance(struct ky_device_state *state, double dt, struct ky_error *error)
{
    struct ky_device_bodies *bodies = &state->bodies;
    struct ky_card *card = bodies->card;
    double per_kick = ky_device_scale(state).acceleration / state->units.length;
    uint32_t n = (uint32_t)bodies->n, kicks = (uint32_t)state->pendings, drifts = dt != 0;
    union ky_state_value kick[KY_PENDING], drift = ky_to_state(card, dt);
    for (int k = 0; k < KY_PENDING; k++)
        kick[k] = ky_to_state(card, state->pending[k] * per_kick);
    const struct ky_arguments arguments =
        KY_ARGUMENTS(KY_BUFFER(bodies->position), KY_BUFFER(bodies->velocity),
                     KY_BUFFER(bodies->acceleration), KY_VALUE(n), KY_VALUE(kicks),
                     KY_VALUE(kick[0]), KY_VALUE(kick[1]), KY_VALUE(drifts), KY_VALUE(drift));
    state->pendings = 0;
    return ky_launch_over(card, KY_KERNEL_ky_bodies_advance, n, arguments, error);
}

enum ky_status ky_device_settle(struct ky_device_state *state, struct ky_error *error)
{
    return state->pendings > 0 ? advance(state, 0, error) : KY_OK;
}

enum ky_status ky_device_kick(struct ky_device_state *state, double dt, struct ky_error *error)
{
    enum ky_status status = KY_OK;
    if (state->pendings == KY_PENDING)
        status = ky_device_settle(state, error);
    state->pending[state->pendings++] = dt;
    return status;
}

enum ky_status ky_device_drift(struct ky_device_state *state, double dt, struct ky_error *error)
{
    state->bodies.place++;
    return advance(state, dt, error);
}

/* Reads the card's results in bodies->sums: KY_SUMS_KEPT numbers for each chunk, then the energies
 * in external fields, if there are any. */
static enum ky_status read_sums(struct ky_device_bodies *bodies, size_t numbers,
                                struct ky_partial_sums *parts, struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    union ky_state_value *value = ky_allocate(numbers, sizeof *value);
    if (!value)
        return ky_no_memory(error, "partial sums", numbers, sizeof *value);
    enum ky_status status =
        card->driver->read(card, &bodies->sums, 0, value, numbers * KY_STATE_BYTES, error);
    for (size_t k = 0; k < numbers && !status; k++) {
        const size_t kept = k / KY_SUMS_KEPT;
        const int is_kept = kept < parts->count;
        parts->of[is_kept ? kept : k - parts->count * KY_SUMS_KEPT]
                 [is_kept ? k % KY_SUMS_KEPT : KY_SUM_EXTERNAL] = ky_from_state(card, value[k]);
    }
    free(value);
    return status;
}

enum ky_status ky_device_sums(struct ky_device_state *state, struct ky_partial_sums *parts,
                              struct ky_error *error)
{
    struct ky_device_bodies *bodies = &state->bodies;
    struct ky_card *card = bodies->card;
    uint32_t n = (uint32_t)bodies->n;
    const size_t chunks = ky_groups(n, KY_SUM_CHUNK), kept = chunks * KY_SUMS_KEPT,
                 numbers = kept + (ky_externals_plain_count(state->externals) ? chunks : 0);
    const struct ky_engine_scale scale = ky_device_scale(state);
    const double length = state->units.length;
    parts->units = (struct ky_sum_units){state->units.mass,  length,          length,
                                         scale.acceleration, scale.potential, scale.potential};
    parts->of = ky_allocate_zeroed(chunks, sizeof *parts->of);
    if (!parts->of)
        return ky_no_memory(error, "partial sums", chunks, sizeof *parts->of);
    parts->count = chunks;
    KY_TRY(ky_device_settle(state, error));
    KY_TRY(ky_buffer_need(card, &bodies->sums, "partial sums", numbers, KY_STATE_BYTES, error));
    const struct ky_arguments arguments =
        KY_ARGUMENTS(KY_BUFFER(bodies->mass), KY_BUFFER(bodies->position),
                     KY_BUFFER(bodies->velocity), KY_BUFFER(bodies->acceleration),
                     KY_BUFFER(bodies->potential), KY_BUFFER(bodies->sums), KY_VALUE(n));
    KY_TRY(ky_launch(card, KY_KERNEL_ky_bodies_sum, chunks, arguments, error));
    KY_TRY(ky_device_externals_sum(bodies, kept, error));
    KY_TRY(card->driver->wait(card, error));
    KY_TRY(read_sums(bodies, numbers, parts, error));
    return ky_device_many_sums(state, parts, error);
}
