/* Potentials of bodies that the Hermite scheme moves: within a block they would belong to predicted
 * positions, and in float they would hide small errors of the energy. So they are summed in double
 * on demand, and kept on the host until the bodies move. */
#include <stdlib.h>

#include "base/memory.h"
#include "engine/device/forces/exact.h"
#include "engine/device/steps/hermite.h"

void ky_device_hermite_drop(struct ky_device_state *state, int late)
{
    free(state->hermite->potential);
    state->hermite->potential = NULL;
    state->hermite->is_late = late;
}

static enum ky_status make_room(struct ky_device_state *state, struct ky_error *error)
{
    struct ky_device_hermite *own = state->hermite;
    if (!own->potential)
        own->potential = ky_allocate(state->n, sizeof *own->potential);
    return own->potential ? KY_OK
                          : ky_no_memory(error, "potentials", state->n, sizeof *own->potential);
}

enum ky_status ky_device_hermite_keep(struct ky_device_state *state, const struct ky_bodies *given,
                                      struct ky_error *error)
{
    ky_device_hermite_drop(state, 0);
    if (!ky_device_leads(state, KY_SCHEME_HERMITE) || !given->potential)
        return KY_OK;
    KY_TRY(make_room(state, error));
    for (size_t i = 0; i < state->n; i++)
        state->hermite->potential[i] = given->potential[i];
    return KY_OK;
}

/* Computes the potentials for the present positions, if they are out of date. */
static enum ky_status catch_up(struct ky_device_state *state, struct ky_error *error)
{
    if (!state->hermite->is_late)
        return KY_OK;
    enum ky_status status = make_room(state, error);
    if (!status)
        status = ky_device_exact(state, NULL, state->n, NULL, state->hermite->potential, error);
    if (status)
        ky_device_hermite_drop(state, 1);
    state->hermite->is_late = status != KY_OK;
    return status;
}

enum ky_status ky_device_hermite_get(struct ky_device_state *state, const uint32_t *body,
                                     struct ky_bodies *wanted, struct ky_error *error)
{
    if (!wanted->potential)
        return KY_OK;
    KY_TRY(catch_up(state, error));
    for (size_t k = 0; k < wanted->n && state->hermite->potential; k++)
        wanted->potential[k] = state->hermite->potential[body ? body[k] : k];
    return KY_OK;
}

enum ky_status ky_device_hermite_send(struct ky_device_state *state, struct ky_error *error)
{
    KY_TRY(catch_up(state, error));
    if (!state->hermite->potential)
        return KY_OK;
    struct ky_card *card = state->bodies.card;
    const double unit = ky_device_scale(state).potential;
    double *potential;
    KY_TRY(ky_array(&potential, state->n, sizeof *potential, "potentials", error));
    for (size_t i = 0; i < state->n; i++)
        potential[i] = state->hermite->potential[i] / unit;
    const enum ky_status status = card->driver->write(card, &state->bodies.potential, 0, potential,
                                                      state->n * sizeof *potential, error);
    free(potential);
    return status;
}
