/* Motion of the bodies: kernels/state/bodies.k from the host's side. */
#include "engine/device/state/motion.h"

/* Makes the kicks that are due, and a drift if dt is not 0. */
static enum ky_status advance(struct ky_device_state *state, double dt, struct ky_error *error)
{
    struct ky_device_bodies *bodies = &state->bodies;
    struct ky_card *card = bodies->card;
    double per_kick = ky_device_scale(state).acceleration / state->units.length;
    uint32_t n = (uint32_t)bodies->n, kicks = (uint32_t)state->pendings, drifts = dt != 0,
             wraps = state->box > 0;
    union ky_state_value kick[KY_PENDING], drift = ky_to_state(card, dt),
                                           box = ky_to_state(card, state->box);
    for (int k = 0; k < KY_PENDING; k++)
        kick[k] = ky_to_state(card, state->pending[k] * per_kick);
    const struct ky_arguments arguments = KY_ARGUMENTS(
        KY_BUFFER(bodies->position), KY_BUFFER(bodies->velocity), KY_BUFFER(bodies->acceleration),
        KY_VALUE(n), KY_VALUE(kicks), KY_VALUE(kick[0]), KY_VALUE(kick[1]), KY_VALUE(drifts),
        KY_VALUE(drift), KY_VALUE(wraps), KY_VALUE(box));
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
    state->bodies.moves++;
    return advance(state, dt, error);
}
