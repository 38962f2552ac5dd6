/* The bodies: memory, transfer in and out, and scales. */
#include "engine/device/state/bodies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/status.h"
#include "engine/common/active.h"
#include "engine/common/softening.h"
#include "engine/device/driver/names.h"
#include "engine/device/state/rows.h"
#include "physics/space.h"

/* ---- memory ---- */

size_t ky_device_room(size_t n)
{
    enum { PARTS = 8 };
    return (3 * n * KY_STATE_BYTES / KY_SLICE_ALIGN + PARTS) * KY_SLICE_ALIGN;
}

double ky_device_bodies_memory(const struct ky_parameters *parameters, size_t n)
{
    const size_t own = isnan(parameters->softening) ? KY_STATE_BYTES : 0;
    return 2 * (double)ky_device_room(n) + (double)n * (double)(5 * KY_STATE_BYTES + own);
}

void ky_device_arrays(struct ky_device_bodies *bodies, struct ky_device_array array[KY_ARRAYS])
{
    const size_t n = bodies->n, room = ky_device_room(n), state = KY_STATE_BYTES;
    const struct ky_device_array own[KY_ARRAY_COLUMN] = {
        [KY_ARRAY_POSITION] = {&bodies->position, "positions", 3, state, room},
        [KY_ARRAY_VELOCITY] = {&bodies->velocity, "velocities", 3, state, room},
        [KY_ARRAY_MASS] = {&bodies->mass, "masses", 1, state, n * state},
        [KY_ARRAY_SOFTENING] = {&bodies->softening, "softenings", 1, state, n * state},
        [KY_ARRAY_ACCELERATION] = {&bodies->acceleration, "accelerations", 3, state, 3 * n * state},
        [KY_ARRAY_POTENTIAL] = {&bodies->potential, "potentials", 1, state, n * state},
        [KY_ARRAY_SECOND] = {&bodies->second, "positions at the present tick", 3, state, room},
    };
    memcpy(array, own, sizeof own);
    for (int k = 0; k < KY_COLUMN_COUNT; k++) {
        const size_t columns = ky_columns[k].components;
        array[KY_ARRAY_COLUMN + k] = (struct ky_device_array){
            &bodies->column[k], ky_columns[k].name, columns, state, columns * n * state};
    }
}

enum ky_status ky_device_state_open(struct ky_device_state *state, struct ky_error *error)
{
    const enum ky_status status = ky_card_open(&state->opened, state->parameters->engine, error);
    state->bodies = (struct ky_device_bodies){.state = state, .card = state->opened.card};
    return status;
}

void ky_device_bodies_release(struct ky_device_bodies *bodies)
{
    struct ky_buffer *buffers[] = {
        &bodies->sums,           &bodies->scales,           &bodies->active_list,
        &bodies->curve.room,     &bodies->curve.index,      &bodies->curve.place[0],
        &bodies->curve.place[1], &bodies->external.numbers, &bodies->external.potential,
        &bodies->outer.position, &bodies->outer.mass,       &bodies->outer.softening,
        &bodies->outer.index,    &bodies->outer.rows,       &bodies->outer.findings,
        &bodies->outer.wrong};
    struct ky_device_array array[KY_ARRAYS];
    ky_device_arrays(bodies, array);
    for (int k = 0; k < KY_ARRAYS; k++)
        ky_buffer_release(bodies->card, array[k].buffer);
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
        ky_buffer_release(bodies->card, buffers[k]);
    ky_staging_release(&bodies->staging, bodies->card);
    bodies->has = 0;
    bodies->curve.is_followed = 0;
    bodies->external.set = 0;
    bodies->outer.sampled = 0;
}

enum ky_status ky_device_bodies_need(struct ky_device_bodies *bodies, int which,
                                     struct ky_error *error)
{
    struct ky_device_array array[KY_ARRAYS];
    ky_device_arrays(bodies, array);
    const enum ky_status status = ky_buffer_need(bodies->card, array[which].buffer,
                                                 array[which].what, array[which].bytes, 1, error);
    bodies->has |= !status ? 1U << which : 0;
    return status;
}

enum ky_status ky_device_bodies_resize(struct ky_device_state *state, size_t n,
                                       struct ky_error *error)
{
    static const int wanted[] = {KY_ARRAY_POSITION, KY_ARRAY_VELOCITY, KY_ARRAY_MASS,
                                 KY_ARRAY_ACCELERATION, KY_ARRAY_POTENTIAL};
    state->n = n;
    state->has_acceleration = 0;
    state->bodies.n = state->bodies.live = n;
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++)
        KY_TRY(ky_device_bodies_need(&state->bodies, wanted[k], error));
    return KY_OK;
}

/* ---- scales ---- */

struct ky_eps2_argument ky_eps2_argument(const struct ky_device_state *state)
{
    double eps2 = ky_sink_eps2(state->parameters->softening_kind, 0,
                               state->parameters->softening / state->units.length);
    return (struct ky_eps2_argument){eps2, (float)eps2};
}

struct ky_eps2_argument ky_eps2_of_point(const struct ky_device_state *state, double softening)
{
    const struct ky_parameters *parameters = state->parameters;
    double eps2 =
        ky_point_eps2(parameters->softening_kind, state->own_eps, softening / state->units.length,
                      parameters->softening / state->units.length);
    return (struct ky_eps2_argument){eps2, (float)eps2};
}

struct ky_eps2_argument ky_eps2_of_points(const struct ky_device_state *state,
                                          const struct ky_points *points)
{
    return ky_eps2_of_point(state, ky_points_least_softening(points));
}

enum ky_status ky_device_send_softenings(const struct ky_device_bodies *bodies,
                                         const struct ky_points *points, int precision,
                                         struct ky_buffer *to, size_t place, struct ky_error *error)
{
    const size_t count = points->count, real = ky_real_bytes(precision);
    if (!points->softenings)
        return KY_OK;
    double *eps2;
    KY_TRY(ky_array(&eps2, count, sizeof *eps2, "softenings of points", error));
    for (size_t k = 0; k < count; k++) {
        const struct ky_eps2_argument own = ky_eps2_of_point(bodies->state, points->softenings[k]);
        if (precision == KY_DOUBLE)
            eps2[k] = own.whole;
        else
            ((float *)eps2)[k] = own.part;
    }
    enum ky_status status =
        bodies->card->driver->write(bodies->card, to, place * real, eps2, count * real, error);
    free(eps2);
    return status;
}

/* ---- in and out ---- */

/* Columns of x, v, a, mass, potential, softening. */
enum { COLUMNS = 12 };

/* A column of the card, and the caller's array for it: element i of the column is array[i × stride]
 * × factor; in a box positions are moved into it. */
struct column {
    struct ky_staged staged;
    double *array;
    size_t stride;
    double factor;
    double box; /* 0: none */
};

static struct column column_of(const struct ky_device_bodies *bodies,
                               const struct ky_device_array *array, size_t c, double *numbers,
                               size_t stride, double factor)
{
    return (struct column){
        {array->buffer, c * bodies->n * array->number, bodies->live, array->number},
        numbers,
        stride,
        factor,
        ky_device_box_of(bodies, array->buffer)};
}

/* An array of the engine and the caller's; the factor is for `put`. */
struct pair {
    struct ky_device_array own;
    double *numbers;
    double factor;
};
enum { PAIRS = 6 };

/* The arrays that both the engine and the caller have. */
static size_t pairs_of(struct ky_device_bodies *bodies, const struct ky_bodies *callers,
                       struct pair pair[PAIRS])
{
    const struct ky_engine_scale scale = ky_device_scale(bodies->state);
    const double length = 1 / bodies->state->units.length, mass = 1 / bodies->state->units.mass,
                 acceleration = 1 / scale.acceleration;
    const struct {
        int which;
        double *numbers;
        double factor;
    } given[PAIRS] = {
        {KY_ARRAY_POSITION, (double *)callers->position, length},
        {KY_ARRAY_VELOCITY, (double *)callers->velocity, length},
        {KY_ARRAY_ACCELERATION, (double *)callers->acceleration, acceleration},
        {KY_ARRAY_MASS, callers->mass, mass},
        {KY_ARRAY_POTENTIAL, callers->potential, 1 / scale.potential},
        {KY_ARRAY_SOFTENING, callers->softening, length},
    };
    struct ky_device_array array[KY_ARRAYS];
    size_t count = 0;
    ky_device_arrays(bodies, array);
    for (size_t k = 0; k < PAIRS; k++)
        if (given[k].numbers && bodies->has >> given[k].which & 1U)
            pair[count++] = (struct pair){array[given[k].which], given[k].numbers, given[k].factor};
    return count;
}

static size_t columns_of(struct ky_device_bodies *bodies, const struct ky_bodies *callers,
                         struct column column[COLUMNS])
{
    struct pair pair[PAIRS];
    const size_t pairs = pairs_of(bodies, callers, pair);
    size_t count = 0;
    for (size_t k = 0; k < pairs; k++)
        for (size_t c = 0; c < pair[k].own.columns; c++)
            column[count++] = column_of(bodies, &pair[k].own, c, pair[k].numbers + c,
                                        pair[k].own.columns, pair[k].factor);
    return count;
}

/* A column that is copied. */
struct crossing {
    const struct ky_card *card;
    const struct column *column;
};

static void fill_column(const void *context, size_t first, size_t end, void *piece)
{
    const struct crossing *crossing = context;
    const struct column *column = crossing->column;
    union ky_state_value *number = piece;
    for (size_t k = first; k < end; k++) {
        const double x = column->array[k * column->stride] * column->factor;
        number[k - first] =
            ky_to_state(crossing->card, column->box > 0 ? ky_wrap(x, column->box) : x);
    }
}

static void take_column(const void *context, size_t first, size_t end, void *piece)
{
    const struct crossing *crossing = context;
    const struct column *column = crossing->column;
    const union ky_state_value *number = piece;
    double back = 1 / column->factor; /* a power of two */
    for (size_t k = first; k < end; k++) {
        const double x = ky_from_state(crossing->card, number[k - first]);
        column->array[k * column->stride] = (column->box > 0 ? ky_wrap(x, column->box) : x) * back;
    }
}

static enum ky_status cross_all(struct ky_device_bodies *bodies, const struct column column[],
                                size_t count, int up, struct ky_error *error)
{
    for (size_t k = 0; k < count; k++) {
        const struct crossing crossing = {bodies->card, &column[k]};
        const struct ky_staging_work work = {bodies->state->threads, up ? fill_column : take_column,
                                             &crossing};
        KY_TRY((up ? ky_staging_up : ky_staging_down)(&bodies->staging, bodies->card,
                                                      &column[k].staged, &work, error));
    }
    return KY_OK;
}

enum ky_status ky_device_bodies_columns(struct ky_device_bodies *bodies, int which,
                                        double *const numbers[], struct ky_error *error)
{
    struct ky_device_array array[KY_ARRAYS];
    struct column column[COLUMNS];
    ky_device_arrays(bodies, array);
    for (size_t c = 0; c < array[which].columns; c++)
        column[c] = column_of(bodies, &array[which], c, numbers[c], 1, 1);
    return cross_all(bodies, column, array[which].columns, 0, error);
}

enum ky_status ky_device_bodies_expect(struct ky_device_state *state, const struct ky_bodies *given,
                                       struct ky_error *error)
{
    KY_TRY(ky_engine_units(given, state->parameters, &state->frame, &state->units, error));
    state->box = state->parameters->box / state->units.length;
    state->own_eps = given->softening != NULL;
    state->how = ky_engine_how(given, state->parameters, &state->units);
    return KY_OK;
}

enum ky_status ky_device_bodies_begin(struct ky_device_state *state, int has_acceleration,
                                      struct ky_error *error)
{
    struct ky_device_bodies *bodies = &state->bodies;
    state->has_acceleration = has_acceleration;
    state->has_fields = state->externals->count > 0;
    state->pendings = 0;
    state->opened.evaluations = 0;
    state->put++;
    bodies->moves++;
    bodies->curve.is_followed = 0;
    bodies->curve.changes++;
    bodies->has &= ~(1U << KY_ARRAY_SOFTENING);
    return state->own_eps ? ky_device_bodies_need(bodies, KY_ARRAY_SOFTENING, error) : KY_OK;
}

enum ky_status ky_device_bodies_put(struct ky_device_state *state, const struct ky_bodies *given,
                                    struct ky_error *error)
{
    struct ky_device_bodies *bodies = &state->bodies;
    struct ky_card *card = bodies->card;
    struct column column[COLUMNS];
    double start = ky_clock();
    enum ky_status status = ky_device_bodies_begin(state, ky_knows_acceleration(given), error);
    if (!status && !given->acceleration)
        status = card->driver->zero(card, &bodies->acceleration, error);
    if (!status && !given->potential)
        status = card->driver->zero(card, &bodies->potential, error);
    if (!status)
        status = cross_all(bodies, column, columns_of(bodies, given, column), 1, error);
    if (!status)
        status = card->driver->wait(card, error);
    state->report.upload = ky_clock() - start;
    return status;
}

/* Puts rows of new numbers into the columns of a buffer; `list` has the bodies on the card. */
static enum ky_status scatter(struct ky_device_bodies *bodies, const struct ky_buffer *list,
                              struct ky_rows rows, const double *numbers, struct ky_buffer *to,
                              struct ky_error *error)
{
    const struct ky_columns at = {to, bodies->n, 0, list};
    struct ky_buffer scratch = {0};
    if (!numbers)
        return KY_OK;
    const enum ky_status status = ky_rows_to(bodies->state, &scratch, rows, numbers, &at, error);
    ky_buffer_release(bodies->card, &scratch);
    return status;
}

enum ky_status ky_device_bodies_put_some(struct ky_device_state *state, const struct ky_some *some,
                                         struct ky_error *error)
{
    struct ky_device_bodies *bodies = &state->bodies;
    struct ky_card *card = bodies->card;
    const size_t count = some->count;
    const struct ky_rows place = {count, 3, 1 / state->units.length, state->box},
                         speed = {count, 3, 1 / state->units.length, 0},
                         mass = {count, 1, 1 / state->units.mass, 0};
    struct ky_buffer list = {0};
    enum ky_status status = ky_buffer_fill(card, &list, "bodies with new numbers", some->body,
                                           count, sizeof *some->body, error);
    if (!status)
        status =
            scatter(bodies, &list, place, (const double *)some->position, &bodies->position, error);
    if (!status)
        status =
            scatter(bodies, &list, speed, (const double *)some->velocity, &bodies->velocity, error);
    if (!status)
        status = scatter(bodies, &list, mass, some->mass, &bodies->mass, error);
    ky_buffer_release(card, &list);
    state->put++;
    bodies->curve.changes++;
    bodies->moves += some->position || some->mass;
    return status;
}

enum ky_status ky_device_bodies_get(struct ky_device_state *state, struct ky_bodies *wanted,
                                    struct ky_error *error)
{
    struct ky_device_bodies *bodies = &state->bodies;
    struct column column[COLUMNS];
    enum ky_status status = bodies->card->driver->wait(bodies->card, error);
    double start = ky_clock();
    if (!status)
        status = cross_all(bodies, column, columns_of(bodies, wanted, column), 0, error);
    for (size_t i = 0; wanted->softening && !state->own_eps && i < bodies->live; i++)
        wanted->softening[i] = state->parameters->softening;
    state->report.download = ky_clock() - start;
    return status;
}

enum ky_status ky_device_gather(const struct ky_device_bodies *bodies,
                                const struct ky_device_array *from, const struct ky_buffer *list,
                                size_t rows, const struct ky_buffer *to, struct ky_error *error)
{
    const uint32_t n = (uint32_t)bodies->n, count = (uint32_t)rows,
                   columns = (uint32_t)from->columns;
    const int words = from->number == sizeof(uint32_t);
    return ky_launch_over(bodies->card,
                          words ? KY_KERNEL_ky_gather_words : KY_KERNEL_ky_gather_numbers, count,
                          KY_ARGUMENTS(KY_BUFFER(*from->buffer), KY_BUFFER(*list), KY_BUFFER(*to),
                                       KY_VALUE(n), KY_VALUE(count), KY_VALUE(columns)),
                          error);
}

/* Copies the rows of the bodies in `list` from an array of the engine to the caller's. */
static enum ky_status get_rows(struct ky_device_bodies *bodies, const struct ky_buffer *list,
                               size_t rows, const struct pair *pair, struct ky_error *error)
{
    const struct ky_device_array *own = &pair->own;
    const struct ky_rows wanted = {rows, own->columns, pair->factor,
                                   ky_device_box_of(bodies, own->buffer)};
    const struct ky_columns from = {own->buffer, bodies->n, 0, list};
    struct ky_buffer scratch = {0};
    const enum ky_status status =
        ky_rows_from(bodies->state, &scratch, wanted, &from, pair->numbers, error);
    ky_buffer_release(bodies->card, &scratch);
    return status;
}

enum ky_status ky_device_bodies_get_some(struct ky_device_state *state, const uint32_t *body,
                                         struct ky_bodies *some, struct ky_error *error)
{
    struct ky_device_bodies *bodies = &state->bodies;
    struct pair pair[PAIRS];
    struct ky_buffer list = {0};
    const size_t pairs = pairs_of(bodies, some, pair);
    enum ky_status status = bodies->card->driver->wait(bodies->card, error);
    double start = ky_clock();
    if (!status)
        status = ky_buffer_fill(bodies->card, &list, "bodies that are wanted", body, some->n,
                                sizeof *body, error);
    for (size_t k = 0; k < pairs && !status; k++)
        status = get_rows(bodies, &list, some->n, &pair[k], error);
    ky_buffer_release(bodies->card, &list);
    for (size_t k = 0; some->softening && !state->own_eps && k < some->n; k++)
        some->softening[k] = state->parameters->softening;
    state->report.download = ky_clock() - start;
    return status;
}

enum ky_status ky_device_active_list(struct ky_device_bodies *bodies,
                                     struct ky_evaluation *evaluation, struct ky_error *error)
{
    const struct ky_active *active = evaluation->active;
    if (evaluation->is_listed)
        return KY_OK;
    enum ky_status status =
        ky_buffer_fill(bodies->card, &bodies->active_list, "active bodies", active->body,
                       active->count, sizeof *active->body, error);
    evaluation->is_listed = !status;
    return status;
}
