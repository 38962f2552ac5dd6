/* Double-precision sums for some bodies, on the card. */
#include "engine/device/forces/exact.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "engine/device/forces/direct_sum.h"
#include "engine/device/forces/far.h"
#include "engine/device/ranks/copies.h"
#include "engine/device/state/massless.h"
#include "engine/device/state/results.h"

/* Labels of the sinks first … first + count − 1. */
static enum ky_status send_labels(const struct ky_device_state *state,
                                  struct ky_direct_buffers *buffers, const size_t *sinks,
                                  size_t first, size_t count, struct ky_error *error)
{
    struct ky_card *card = state->bodies.card;
    uint32_t *list;
    KY_TRY(ky_array(&list, count, sizeof *list, "list of sinks", error));
    for (size_t k = 0; k < count; k++)
        list[k] = ky_device_label(state, (uint32_t)(sinks ? sinks[first + k] : first + k));
    enum ky_status status = ky_direct_send_labels(card, buffers, list, count, error);
    free(list);
    return status;
}

/* Copies of the bodies, for systems with massless bodies: bodies with mass come first. */
struct copies {
    struct ky_buffer position, mass, softening;
};

static enum ky_status copy(struct ky_device_state *state, int which, struct ky_buffer *to,
                           struct ky_error *error)
{
    struct ky_device_bodies *bodies = &state->bodies;
    struct ky_device_array array[KY_ARRAYS];
    ky_device_arrays(bodies, array);
    KY_TRY(ky_buffer_need(bodies->card, to, array[which].what, state->n * array[which].columns,
                          array[which].number, error));
    return ky_device_gather(bodies, &array[which], &state->massless.list, state->n, to, error);
}

/* The sources: the state as it is, or copies. */
static enum ky_status make_state(struct ky_device_state *state, struct copies *copies,
                                 struct ky_direct_state *acting, struct ky_error *error)
{
    const struct ky_device_bodies *bodies = &state->bodies;
    *acting = (struct ky_direct_state){&bodies->position, &bodies->mass,
                                       ky_device_softenings(bodies), state->n};
    if (!ky_device_has_massless(state))
        return KY_OK;
    enum ky_status status = ky_device_massless_need(state, error);
    if (!status)
        status = copy(state, KY_ARRAY_POSITION, &copies->position, error);
    if (!status)
        status = copy(state, KY_ARRAY_MASS, &copies->mass, error);
    if (!status && state->own_eps)
        status = copy(state, KY_ARRAY_SOFTENING, &copies->softening, error);
    *acting =
        (struct ky_direct_state){&copies->position, &copies->mass,
                                 state->own_eps ? &copies->softening : &copies->mass, state->n};
    return status;
}

/* The request: sums for the sinks first … first + own − 1 of `count`. */
struct wanted {
    const size_t *sinks;
    size_t count, first, own;
    double (*acceleration)[3], *potential; /* of all sinks */
};

/* Adds the far field of a periodic box. */
static enum ky_status add_far(struct ky_device_state *state, const struct ky_direct_state *acting,
                              const struct ky_buffer *label,
                              const struct ky_device_results *results, size_t count,
                              struct ky_error *error)
{
    const struct ky_far_sinks sinks = {.position = acting->position,
                                       .list = label,
                                       .acceleration = &results->acceleration,
                                       .potential = &results->potential,
                                       .apart = acting->apart,
                                       .count = count,
                                       .stride = count,
                                       .flags = KY_FAR_LISTED | KY_FAR_IN_ROWS};
    KY_TRY(ky_device_far_make(state, error));
    return ky_device_far_add_to(state, &sinks, error);
}

static enum ky_status sum_part(struct ky_device_state *state, const struct wanted *wanted,
                               struct ky_error *error)
{
    struct ky_card *card = state->bodies.card;
    struct ky_direct_buffers buffers = {0};
    struct ky_device_results results = {0};
    struct copies copies = {0};
    struct ky_direct_state acting;
    const size_t count = wanted->own, first = wanted->first;
    const struct ky_direct_sum sum = {.precision = KY_DOUBLE,
                                      .sources = ky_device_source_count(state),
                                      .count = count,
                                      .of = wanted->count,
                                      .label = &buffers.label,
                                      .state = &acting};
    const struct ky_direct_results to = {&results.acceleration, &results.potential, count, 0, 0};
    enum ky_status status = send_labels(state, &buffers, wanted->sinks, first, count, error);
    if (!status)
        status = make_state(state, &copies, &acting, error);
    if (!status)
        status = ky_results_need(&results, card, count, error);
    if (!status)
        status = ky_direct_run(&state->bodies, &buffers, &sum, &to, error);
    if (!status)
        status = add_far(state, &acting, &buffers.label, &results, count, error);
    if (!status)
        status = ky_results_read(&results, &state->bodies, count,
                                 wanted->acceleration ? wanted->acceleration + first : NULL,
                                 wanted->potential ? wanted->potential + first : NULL, error);
    ky_direct_release(card, &buffers);
    ky_results_release(&results, card);
    ky_buffer_release(card, &copies.position);
    ky_buffer_release(card, &copies.mass);
    ky_buffer_release(card, &copies.softening);
    return status;
}

enum ky_status ky_device_exact(struct ky_device_state *state, const size_t *sinks, size_t count,
                               double (*acceleration)[3], double *potential, struct ky_error *error)
{
    struct wanted wanted = {sinks, count, 0, count, acceleration, potential};
    enum ky_status status = KY_OK;
    if (count == 0)
        return KY_OK;
    if (!state->bodies.card->has_double)
        return ky_fail(error, KY_UNSUPPORTED, "%s has no double: no exact sums",
                       state->bodies.card->name);
    const int joins = ky_copies_begin(state, count, (double)ky_device_source_count(state));
    if (joins)
        status = ky_copies_divide(state, count, KY_DIRECT_LANES * KY_DIRECT_SINKS, error);
    if (!status && joins) {
        wanted.first = ky_copies_first(state);
        wanted.own = ky_copies_end(state) - wanted.first;
    }
    if (!status && wanted.own > 0)
        status = sum_part(state, &wanted, error);
    if (!status && joins && acceleration)
        status = ky_copies_join_rows(state, acceleration, sizeof *acceleration, error);
    return !status && joins && potential
               ? ky_copies_join_rows(state, potential, sizeof *potential, error)
               : status;
}
