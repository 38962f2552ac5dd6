/* The net force in a periodic box: kernels/forces/balance.k from the host's side. */
#include "engine/common/balance.h"

#include "engine/device/forces/far.h"
#include "engine/device/tree/relative.h"

/* Finds the largest m |a|, of all ranks. */
static enum ky_status find_largest(struct ky_device_state *state, uint32_t groups, float unit,
                                   struct ky_error *error)
{
    const struct ky_device_bodies *bodies = &state->bodies;
    struct ky_card *card = bodies->card;
    struct ky_buffer *sum = &state->far->net;
    uint32_t n = (uint32_t)bodies->n, live = (uint32_t)bodies->live;
    KY_TRY(ky_buffer_need(card, sum, "net force", KY_BALANCE_WORDS, sizeof(uint64_t), error));
    KY_TRY(card->driver->zero(card, sum, error));
    KY_TRY(ky_launch(card, KY_KERNEL_ky_balance_largest, groups,
                     KY_ARGUMENTS(KY_BUFFER(bodies->acceleration), KY_BUFFER(bodies->mass),
                                  KY_BUFFER(*sum), KY_VALUE(n), KY_VALUE(live), KY_VALUE(groups),
                                  KY_VALUE(unit)),
                     error));
    return ky_device_keep_largest(bodies, sum, KY_BALANCE_MOST, error);
}

enum ky_status ky_device_balance(struct ky_device_state *state, struct ky_error *error)
{
    const struct ky_device_bodies *bodies = &state->bodies;
    const struct ky_shared *shared = ky_device_shared(state);
    const struct ky_buffer *sum = &state->far->net;
    struct ky_card *card = bodies->card;
    uint32_t n = (uint32_t)bodies->n, live = (uint32_t)bodies->live,
             groups = ky_device_looking_groups(live),
             bits = (uint32_t)ky_balance_bits(shared ? shared->system : bodies->live);
    float unit = ky_device_per_strength(state);
    if (!ky_force_balances(state->parameters))
        return KY_OK;
    KY_TRY(find_largest(state, groups, unit, error));
    KY_TRY(ky_launch(card, KY_KERNEL_ky_balance_forces, groups,
                     KY_ARGUMENTS(KY_BUFFER(bodies->acceleration), KY_BUFFER(bodies->mass),
                                  KY_BUFFER(*sum), KY_VALUE(n), KY_VALUE(live), KY_VALUE(groups),
                                  KY_VALUE(bits), KY_VALUE(unit)),
                     error));
    KY_TRY(ky_launch(card, KY_KERNEL_ky_balance_total, 1,
                     KY_ARGUMENTS(KY_BUFFER(*sum), KY_VALUE(groups)), error));
    KY_TRY(ky_device_add_words(bodies, &state->far->net, 4, error));
    return ky_launch_over(card, KY_KERNEL_ky_balance_subtract, live,
                          KY_ARGUMENTS(KY_BUFFER(bodies->acceleration), KY_BUFFER(bodies->mass),
                                       KY_BUFFER(*sum), KY_VALUE(n), KY_VALUE(live),
                                       KY_VALUE(unit)),
                          error);
}
