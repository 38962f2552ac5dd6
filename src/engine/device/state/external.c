/* External fields: their numbers go to the card when they or the units of the bodies are new, and
 * where they change in time for each time. */
#include "engine/device/state/external.h"

#include "engine/common/external.h"

_Static_assert(KY_EXTERNAL_STRIDE == 4 + KY_EXTERNAL_NUMBERS, "a kind, a centre and the numbers");

enum ky_status ky_device_externals_send(struct ky_device_bodies *bodies, double time,
                                        struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    const struct ky_externals *given = bodies->state->externals;
    const struct ky_engine_scale scale = ky_device_scale(bodies->state);
    union ky_state_value number[KY_MOST_EXTERNALS * KY_EXTERNAL_STRIDE], *at = number;
    if (given->count == 0 ||
        (bodies->external.set == given->set && bodies->external.put == bodies->state->put &&
         (bodies->external.time == time || !ky_externals_change(given))))
        return KY_OK;
    for (size_t k = 0; k < given->count; k++) {
        const struct ky_external own =
            ky_external_in(&given->field[k], scale.acceleration, bodies->state->units.length, time);
        *at++ = ky_to_state(card, own.kind);
        for (int c = 0; c < 3; c++)
            *at++ = ky_to_state(card, own.centre[c]);
        for (int c = 0; c < KY_EXTERNAL_NUMBERS; c++)
            *at++ = ky_to_state(card, own.number[c]);
    }
    enum ky_status status = ky_buffer_fill(card, &bodies->external.numbers, "external fields",
                                           number, (size_t)(at - number), sizeof *at, error);
    bodies->external.set = status == KY_OK ? given->set : 0;
    bodies->external.put = bodies->state->put;
    bodies->external.time = time;
    return status;
}

enum ky_status ky_device_externals_add(struct ky_device_bodies *bodies,
                                       struct ky_evaluation *evaluation, struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    const struct ky_active *active = evaluation->active;
    const int precision = bodies->state->parameters->precision;
    uint32_t n = (uint32_t)bodies->n, fields = (uint32_t)bodies->state->externals->count,
             listed = active != NULL, count = active ? (uint32_t)active->count : n;
    if (fields == 0 || count == 0)
        return KY_OK;
    enum ky_status status = ky_device_externals_send(bodies, bodies->state->externals->time, error);
    if (status == KY_OK && active)
        status = ky_device_active_list(bodies, evaluation, error);
    const struct ky_buffer *list = active ? &bodies->active_list : &bodies->external.numbers;
    if (status == KY_OK)
        status = ky_launch_over(
            card, KY_IN_PRECISION(ky_external_add_to, precision), count,
            KY_ARGUMENTS(KY_BUFFER(bodies->position), KY_BUFFER(bodies->acceleration),
                         KY_BUFFER(bodies->external.numbers), KY_BUFFER(*list), KY_VALUE(n),
                         KY_VALUE(fields), KY_VALUE(listed), KY_VALUE(count)),
            error);
    return status;
}

enum ky_status ky_device_externals_sum(struct ky_device_bodies *bodies, size_t place,
                                       struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    const int precision = bodies->state->parameters->precision;
    uint32_t n = (uint32_t)bodies->n, fields = (uint32_t)bodies->state->externals->count,
             first = (uint32_t)place;
    if (fields == 0)
        return KY_OK;
    enum ky_status status = ky_device_externals_send(bodies, bodies->state->externals->time, error);
    if (status != KY_OK)
        return status;
    return ky_launch(card, KY_IN_PRECISION(ky_external_sum, precision), ky_groups(n, KY_SUM_CHUNK),
                     KY_ARGUMENTS(KY_BUFFER(bodies->mass), KY_BUFFER(bodies->position),
                                  KY_BUFFER(bodies->external.numbers), KY_BUFFER(bodies->sums),
                                  KY_VALUE(n), KY_VALUE(fields), KY_VALUE(first)),
                     error);
}
