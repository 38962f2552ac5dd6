/* External fields: their numbers are sent to the card when they or the units of the bodies change,
 * and if they depend on time, for each time. */
#include "engine/device/state/external.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "engine/common/external.h"
#include "engine/common/integrator_columns.h"
#include "engine/device/state/rows.h"

_Static_assert(KY_EXTERNAL_STRIDE == KY_EXTERNAL_OWN + KY_EXTERNAL_NUMBERS, "a row");
_Static_assert(KY_EXTERNAL_PIECE_STRIDE == 1 + 4 * KY_EXTERNAL_CUBICS, "a piece");

/* The fields in the form for the card. */
struct sending {
    struct ky_card *card;
    union ky_state_value *number;
    size_t row, piece; /* the next indices */
};

static size_t pieces_of(const struct ky_external *field, int all)
{
    return all && field->path ? field->path->count : 1;
}

/* Writes a piece whose centre is in units of `from`. */
static void write_piece(struct sending *to, double from, double (*cubic)[4], double length)
{
    union ky_state_value *at = to->number + to->piece;
    *at++ = ky_to_state(to->card, from);
    for (int k = 0; k < KY_EXTERNAL_CUBICS; k++)
        for (int c = 0; c < 4; c++)
            *at++ = ky_to_state(to->card,
                                k == KY_EXTERNAL_STRENGTH ? cubic[k][c] : cubic[k][c] / length);
    to->piece += KY_EXTERNAL_PIECE_STRIDE;
}

/* Writes a field at a time, in the units of the columns, and its pieces: all of them, from the
 * caller's lengths, or the piece for that time. */
static void write_field(struct sending *to, struct ky_external *field, int all, double length)
{
    const double row[KY_EXTERNAL_OWN] = {[0] = field->kind,
                                         [KY_EXTERNAL_REFLEX] = field->reflex,
                                         [KY_EXTERNAL_PIECES] = (double)(to->piece - to->row),
                                         [KY_EXTERNAL_PIECE_COUNT] = (double)pieces_of(field, all),
                                         [KY_EXTERNAL_TURN] = field->turn,
                                         [KY_EXTERNAL_ANGLE] = field->angle};
    union ky_state_value *at = to->number + to->row;
    for (int c = 0; c < KY_EXTERNAL_OWN; c++)
        *at++ = ky_to_state(to->card, row[c]);
    for (int c = 0; c < KY_EXTERNAL_NUMBERS; c++)
        *at++ = ky_to_state(to->card, field->number[c]);
    to->row += KY_EXTERNAL_STRIDE;
    if (!all || !field->path)
        write_piece(to, 0, field->cubic, 1);
    for (size_t k = 0; all && field->path && k < field->path->count; k++)
        write_piece(to, field->path->piece[k].from, field->path->piece[k].cubic, length);
}

/* 1 if the card has the fields for this time. */
static int are_there(const struct ky_device_bodies *bodies, double time, int all)
{
    const struct ky_externals *given = bodies->state->externals;
    return bodies->external.set == given->set && bodies->external.put == bodies->state->put &&
           bodies->external.all == all &&
           (bodies->external.time == time || !ky_externals_change(given));
}

enum ky_status ky_device_externals_send(struct ky_device_bodies *bodies, double time, int all,
                                        struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    const struct ky_externals *given = bodies->state->externals;
    const struct ky_engine_scale scale = ky_device_scale(bodies->state);
    const double length = bodies->state->units.length;
    const size_t fields = ky_externals_plain_count(given);
    size_t count = fields * KY_EXTERNAL_STRIDE;
    if (fields == 0 || are_there(bodies, time, all))
        return KY_OK;
    struct sending to = {.card = card, .piece = count};
    for (size_t k = 0; k < fields; k++)
        count += KY_EXTERNAL_PIECE_STRIDE * pieces_of(&given->field[k], all);
    KY_TRY(ky_array(&to.number, count, sizeof *to.number, "external fields", error));
    for (size_t k = 0; k < fields; k++) {
        struct ky_external own = ky_external_in(&given->field[k], scale.acceleration, length, time);
        write_field(&to, &own, all, length);
    }
    enum ky_status status = ky_buffer_fill(card, &bodies->external.numbers, "external fields",
                                           to.number, count, sizeof *to.number, error);
    free(to.number);
    bodies->external.set = !status ? given->set : 0;
    bodies->external.put = bodies->state->put;
    bodies->external.time = time;
    bodies->external.all = all;
    return status;
}

/* ---- the function for many places, which the host asks ---- */

/* Arguments and results of the caller's function: positions, and rows of accelerations and
 * potentials. */
struct many {
    double (*position)[3], (*acceleration)[3], *potential;
};

static void free_many(struct many *many)
{
    free(many->position);
    free(many->acceleration);
    free(many->potential);
}

/* Reads the positions of `count` bodies: of the active list, or all. */
static enum ky_status read_places(struct ky_device_bodies *bodies, int listed, size_t count,
                                  double (*position)[3], struct ky_error *error)
{
    const struct ky_rows rows = {count, 3, 1 / bodies->state->units.length, 0};
    const struct ky_columns from = {&bodies->position, bodies->n, 0,
                                    listed ? &bodies->active_list : NULL};
    struct ky_buffer scratch = {0};
    const enum ky_status status =
        ky_rows_from(bodies->state, &scratch, rows, &from, position[0], error);
    ky_buffer_release(bodies->card, &scratch);
    return status;
}

/* Calls the function together with the other ranks, some of which may have no positions. Ranks that
 * divide the bodies also say which positions they have. */
static enum ky_status ask_others(struct ky_device_bodies *bodies, int listed, size_t count,
                                 const struct many *many, struct ky_error *error)
{
    const struct ky_device_state *state = bodies->state;
    const struct ky_shared *shared = *state->shared;
    const size_t bytes = count * sizeof(uint32_t);
    uint32_t *body = NULL;
    enum ky_status status = KY_OK;
    if (listed && ky_device_shared(state)) {
        KY_TRY(ky_array(&body, count, sizeof *body, "active bodies", error));
        if (count > 0)
            status = bodies->card->driver->read(bodies->card, &bodies->active_list, 0, body, bytes,
                                                error);
    }
    const struct ky_active active = {count, body};
    if (!status)
        status = shared->ask(shared->context, body ? &active : NULL, count,
                             (const double(*)[3])many->position, many->acceleration,
                             many->potential, error);
    free(body);
    return status;
}

static enum ky_status ask_many(struct ky_device_bodies *bodies, int listed, size_t count,
                               struct many *many, struct ky_error *error)
{
    const struct ky_device_state *state = bodies->state;
    many->position = ky_allocate(count, sizeof *many->position);
    many->acceleration = ky_allocate(count, sizeof *many->acceleration);
    many->potential = ky_allocate(count, sizeof *many->potential);
    if (!many->position || !many->acceleration || !many->potential)
        return ky_no_memory(error, "a field at bodies", count, 2 * sizeof *many->position);
    if (count > 0)
        KY_TRY(read_places(bodies, listed, count, many->position, error));
    if (state->shared && *state->shared)
        return ask_others(bodies, listed, count, many, error);
    ky_externals_ask(state->externals, count, (const double(*)[3])many->position, NULL,
                     many->acceleration, NULL, many->potential);
    return KY_OK;
}

static enum ky_status send_many(struct ky_device_bodies *bodies, int active, size_t rows,
                                const struct many *many, struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    const uint32_t n = (uint32_t)bodies->n, listed = (uint32_t)active, count = (uint32_t)rows;
    const struct ky_rows given = {rows, 3, 1 / ky_device_scale(bodies->state).acceleration, 0};
    const struct ky_buffer *list = active ? &bodies->active_list : &bodies->mass;
    struct ky_buffer sent = {0};
    enum ky_status status = ky_rows_send(bodies->state, &sent, "accelerations of a field", given,
                                         many->acceleration[0], error);
    if (!status)
        status = ky_launch_over(card, KY_KERNEL_ky_external_add_given, rows,
                                KY_ARGUMENTS(KY_BUFFER(sent), KY_BUFFER(bodies->acceleration),
                                             KY_BUFFER(*list), KY_VALUE(n), KY_VALUE(listed),
                                             KY_VALUE(count)),
                                error);
    ky_buffer_release(card, &sent);
    return status;
}

static enum ky_status add_many(struct ky_device_bodies *bodies, const struct ky_active *active,
                               size_t count, struct ky_error *error)
{
    struct many many = {0};
    enum ky_status status = ask_many(bodies, active != NULL, count, &many, error);
    if (!status && count > 0)
        status = send_many(bodies, active != NULL, count, &many, error);
    free_many(&many);
    return status;
}

static int has_many(const struct ky_device_state *state)
{
    return ky_externals_plain_count(state->externals) < state->externals->count;
}

enum ky_status ky_device_many_potentials(struct ky_device_bodies *bodies, double **potential,
                                         struct ky_error *error)
{
    struct many many = {0};
    *potential = NULL;
    if (!has_many(bodies->state))
        return KY_OK;
    const enum ky_status status = ask_many(bodies, 0, bodies->live, &many, error);
    if (!status) {
        *potential = many.potential;
        many.potential = NULL;
    }
    free_many(&many);
    return status;
}

/* ---- all fields ---- */

/* Stores |a| without external fields for the active bodies, if the column is kept. */
static enum ky_status keep_pull(struct ky_device_bodies *bodies, const struct ky_active *active,
                                struct ky_error *error)
{
    struct ky_device_state *state = bodies->state;
    const struct ky_buffer *list = active ? &bodies->active_list : &bodies->mass;
    uint32_t n = (uint32_t)bodies->n, listed = active ? (uint32_t)active->count : 0;
    float unit = ky_device_per_strength(state);
    if (!ky_column_is_in(state->columns, KY_COLUMN_PULL) || !(unit > 0))
        return KY_OK;
    return ky_launch_over(bodies->card, KY_KERNEL_ky_relative_keep, active ? listed : n,
                          KY_ARGUMENTS(KY_BUFFER(bodies->acceleration),
                                       KY_BUFFER(bodies->column[KY_COLUMN_PULL]), KY_BUFFER(*list),
                                       KY_VALUE(n), KY_VALUE(listed), KY_VALUE(unit)),
                          error);
}

enum ky_status ky_device_externals_add(struct ky_device_bodies *bodies,
                                       struct ky_evaluation *evaluation, struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    const struct ky_active *active = evaluation->active;
    uint32_t n = (uint32_t)bodies->n,
             fields = (uint32_t)ky_externals_plain_count(bodies->state->externals),
             listed = active != NULL, count = (uint32_t)(active ? active->count : bodies->live);
    enum ky_status status = KY_OK;
    if (bodies->state->externals->count == 0)
        return KY_OK;
    bodies->state->has_fields = 1; /* also on a rank without bodies: some may arrive */
    bodies->state->has_pull |= !active;
    if (count == 0) /* the other ranks wait for this one */
        return has_many(bodies->state) && ky_device_shared(bodies->state)
                   ? add_many(bodies, active, 0, error)
                   : KY_OK;
    if (active)
        status = ky_device_active_list(bodies, evaluation, error);
    if (!status)
        status = keep_pull(bodies, active, error);
    if (!status && has_many(bodies->state))
        status = add_many(bodies, active, count, error);
    if (fields == 0 || status)
        return status;
    status = ky_device_externals_send(bodies, bodies->state->externals->time, 0, error);
    const struct ky_buffer *list = active ? &bodies->active_list : &bodies->external.numbers;
    if (!status)
        status = ky_launch_over(
            card, KY_KERNEL_ky_external_add_to, count,
            KY_ARGUMENTS(KY_BUFFER(bodies->position), KY_BUFFER(bodies->acceleration),
                         KY_BUFFER(bodies->external.numbers), KY_BUFFER(*list), KY_VALUE(n),
                         KY_VALUE(fields), KY_VALUE(listed), KY_VALUE(count)),
            error);
    return status;
}

/* Sends the potentials in the field for many places, or zeros. */
static enum ky_status fill_potentials(struct ky_device_bodies *bodies, double *many,
                                      struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    struct ky_buffer *to = &bodies->external.potential;
    const double unit = ky_device_scale(bodies->state).potential;
    KY_TRY(ky_buffer_need(card, to, "potentials in fields", bodies->n, KY_STATE_BYTES, error));
    if (!many)
        return card->driver->zero(card, to, error);
    for (size_t i = 0; i < bodies->live; i++)
        many[i] /= unit;
    return card->driver->write(card, to, 0, many, bodies->live * sizeof *many, error);
}

enum ky_status ky_device_externals_potential(struct ky_device_bodies *bodies,
                                             struct ky_error *error)
{
    const struct ky_externals *all = bodies->state->externals;
    const uint32_t n = (uint32_t)bodies->n, live = (uint32_t)bodies->live,
                   fields = (uint32_t)ky_externals_plain_count(all);
    double *many;
    enum ky_status status = ky_device_many_potentials(bodies, &many, error);
    if (!status && all->count > 0 && live > 0)
        status = fill_potentials(bodies, many, error);
    free(many);
    if (status || fields == 0 || live == 0)
        return status;
    KY_TRY(ky_device_externals_send(bodies, all->time, 0, error));
    return ky_launch_over(bodies->card, KY_KERNEL_ky_external_potential, live,
                          KY_ARGUMENTS(KY_BUFFER(bodies->position),
                                       KY_BUFFER(bodies->external.numbers),
                                       KY_BUFFER(bodies->external.potential), KY_VALUE(n),
                                       KY_VALUE(fields), KY_VALUE(live)),
                          error);
}
