/* The far field of a periodic box: see far.h. */
#include "engine/device/forces/far.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "engine/common/far_field.h"
#include "engine/device/state/bodies.h"
#include "engine/device/tree/relative.h"

enum {
    ROWS = KY_FAR_OFFSETS * KY_FAR_OFFSETS * KY_FAR_OFFSETS,
    NUMBERS = KY_FAR_CUBES * KY_FAR_TERMS
};
/* Bodies of a group of lanes that sums moments, at least. */
enum { LEAST = 1024 };

static size_t groups_of(size_t n)
{
    const size_t groups = ky_groups(n, LEAST);
    return groups < KY_FAR_GROUPS ? groups : KY_FAR_GROUPS;
}

double ky_device_far_memory(size_t n)
{
    return KY_STATE_BYTES * ((double)ROWS * KY_FAR_TERMS + KY_BALANCE_WORDS +
                             (double)NUMBERS * (double)(groups_of(n) + 3 + KY_FAR_SLICES));
}

void ky_device_far_release(struct ky_device_state *state)
{
    struct ky_device_far *far = state->far;
    struct ky_buffer *buffers[] = {&far->derivative, &far->mass,  &far->part, &far->whole,
                                   &far->moment,     &far->local, &far->row,  &far->net};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
        ky_buffer_release(state->bodies.card, buffers[k]);
}

static enum ky_status send_derivatives(struct ky_device_state *state, struct ky_error *error)
{
    struct ky_card *card = state->bodies.card;
    struct ky_buffer *to = &state->far->derivative;
    if (to->handle)
        return KY_OK;
    const size_t numbers = (size_t)ROWS * KY_FAR_TERMS;
    double(*derivative)[KY_FAR_TERMS] = ky_allocate(ROWS, sizeof *derivative);
    union ky_state_value *value = ky_allocate(numbers, sizeof *value);
    enum ky_status status = derivative && value ? KY_OK
                                                : ky_no_memory(error, "far field of the box",
                                                               numbers, 2 * sizeof *value);
    if (!status)
        ky_far_find(derivative);
    for (size_t k = 0; k < numbers && !status; k++)
        value[k] = ky_to_state(card, derivative[k / KY_FAR_TERMS][k % KY_FAR_TERMS]);
    if (!status)
        status = ky_buffer_fill(card, to, "derivatives of the far field", value, numbers,
                                sizeof *value, error);
    free(derivative);
    free(value);
    return status;
}

static enum ky_status need(struct ky_device_state *state, size_t groups, struct ky_error *error)
{
    struct ky_device_far *far = state->far;
    const struct ky_need needs[] = {
        {&far->mass, "mass of all bodies", KY_BOUNDS_GROUPS, KY_STATE_BYTES},
        {&far->part, "moments of groups of bodies", (groups ? groups : 1) * KY_FAR_WHOLES,
         KY_STATE_BYTES},
        {&far->whole, "moments of the bodies", KY_FAR_WHOLES, KY_STATE_BYTES},
        {&far->moment, "moments of the box", NUMBERS, KY_STATE_BYTES},
        {&far->local, "parts of the far field", (size_t)KY_FAR_SLICES * NUMBERS, KY_STATE_BYTES},
        {&far->row, "polynomials of the far field", NUMBERS, KY_STATE_BYTES}};
    KY_TRY(ky_buffers_need(state->bodies.card, needs, sizeof needs / sizeof *needs, error));
    return send_derivatives(state, error);
}

/* Sums the moments, of all ranks, to far->whole. */
static enum ky_status sum_moments(struct ky_device_state *state, size_t groups, uint32_t system,
                                  struct ky_error *error)
{
    const struct ky_device_bodies *bodies = &state->bodies;
    struct ky_card *card = bodies->card;
    struct ky_device_far *far = state->far;
    uint32_t n = (uint32_t)bodies->n, live = (uint32_t)bodies->live, count = (uint32_t)groups,
             each = (uint32_t)ky_groups(live, groups ? groups : 1);
    const union ky_state_value per_side = ky_to_state(card, 1 / state->box);
    KY_TRY(ky_device_sum_masses(bodies, &far->mass, error));
    KY_TRY(ky_launch(card, KY_KERNEL_ky_far_moments, groups,
                     KY_ARGUMENTS(KY_BUFFER(bodies->position), KY_BUFFER(bodies->mass),
                                  KY_BUFFER(far->mass), KY_BUFFER(far->part), KY_VALUE(n),
                                  KY_VALUE(live), KY_VALUE(each), KY_VALUE(system),
                                  KY_VALUE(per_side)),
                     error));
    KY_TRY(ky_launch_over(
        card, KY_KERNEL_ky_far_total, KY_FAR_WHOLES,
        KY_ARGUMENTS(KY_BUFFER(far->part), KY_BUFFER(far->whole), KY_VALUE(count)), error));
    return ky_device_add_words(bodies, &far->whole, KY_FAR_WHOLES, error);
}

enum ky_status ky_device_far_make(struct ky_device_state *state, struct ky_error *error)
{
    struct ky_card *card = state->bodies.card;
    struct ky_device_far *far = state->far;
    const struct ky_shared *shared = ky_device_shared(state);
    const size_t groups = groups_of(state->bodies.live);
    uint32_t system = (uint32_t)(shared ? shared->system : state->bodies.live);
    if (!(state->box > 0) || system == 0)
        return KY_OK;
    KY_TRY(need(state, groups, error));
    KY_TRY(sum_moments(state, groups, system, error));
    KY_TRY(ky_launch_over(card, KY_KERNEL_ky_far_take, NUMBERS,
                          KY_ARGUMENTS(KY_BUFFER(far->whole), KY_BUFFER(far->mass),
                                       KY_BUFFER(far->moment), KY_VALUE(system)),
                          error));
    KY_TRY(ky_launch(
        card, KY_KERNEL_ky_far_act, (size_t)KY_FAR_CUBES * KY_FAR_SLICES,
        KY_ARGUMENTS(KY_BUFFER(far->derivative), KY_BUFFER(far->moment), KY_BUFFER(far->local)),
        error));
    return ky_launch_over(card, KY_KERNEL_ky_far_rows, NUMBERS,
                          KY_ARGUMENTS(KY_BUFFER(far->local), KY_BUFFER(far->row)), error);
}

enum ky_status ky_device_far_add_to(struct ky_device_state *state, const struct ky_far_sinks *sinks,
                                    struct ky_error *error)
{
    struct ky_card *card = state->bodies.card;
    uint32_t n = (uint32_t)sinks->apart, count = (uint32_t)sinks->count,
             stride = (uint32_t)sinks->stride, flags = sinks->flags;
    if (!(state->box > 0))
        return KY_OK;
    const struct ky_buffer *row = &state->far->row, *list = sinks->list ? sinks->list : row;
    const union ky_state_value per_side = ky_to_state(card, 1 / state->box),
                               strength = ky_device_strength(&state->bodies);
    return ky_launch_over(card, KY_KERNEL_ky_far_add, count,
                          KY_ARGUMENTS(KY_BUFFER(*sinks->position), KY_BUFFER(*row),
                                       KY_BUFFER(*list), KY_BUFFER(*sinks->acceleration),
                                       KY_BUFFER(*sinks->potential), KY_VALUE(n), KY_VALUE(count),
                                       KY_VALUE(stride), KY_VALUE(flags), KY_VALUE(per_side),
                                       KY_VALUE(strength)),
                          error);
}

enum ky_status ky_device_far_add(struct ky_device_state *state,
                                 const struct ky_evaluation *evaluation,
                                 const struct ky_buffer *wanted, struct ky_error *error)
{
    const struct ky_device_bodies *bodies = &state->bodies;
    const int is_listed = evaluation->active && !wanted;
    const struct ky_far_sinks sinks = {.position = &bodies->position,
                                       .list = wanted      ? wanted
                                               : is_listed ? &bodies->active_list
                                                           : NULL,
                                       .acceleration = &bodies->acceleration,
                                       .potential = &bodies->potential,
                                       .apart = bodies->n,
                                       .count =
                                           is_listed ? evaluation->active->count : bodies->live,
                                       .stride = bodies->n,
                                       .flags = wanted      ? KY_FAR_MARKED
                                                : is_listed ? KY_FAR_LISTED
                                                            : 0};
    return ky_device_far_add_to(state, &sinks, error);
}

enum ky_status ky_device_far_add_tides(struct ky_device_state *state, const struct ky_buffer *point,
                                       const struct ky_buffer *tide, size_t count,
                                       struct ky_error *error)
{
    struct ky_card *card = state->bodies.card;
    uint32_t points = (uint32_t)count;
    if (!(state->box > 0))
        return KY_OK;
    const union ky_state_value per_side = ky_to_state(card, 1 / state->box),
                               strength = ky_device_strength(&state->bodies);
    return ky_launch_over(card, KY_KERNEL_ky_far_tides, points,
                          KY_ARGUMENTS(KY_BUFFER(*point), KY_BUFFER(state->far->row),
                                       KY_BUFFER(*tide), KY_VALUE(points), KY_VALUE(per_side),
                                       KY_VALUE(strength)),
                          error);
}
