/* The bodies on the first card: memory, in and out, scales. */
#include "engine/device/state/bodies.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "engine/common/softening.h"
#include "engine/device/state/rows.h"

/* ---- memory ---- */

/* Of the state: x v, mass, softening, and a where it has all digits; and of numbers of the kernels:
 * a, potential. */
enum { COLUMNS = 15 };

size_t ky_device_room(size_t n)
{
    enum { PARTS = 8 };
    return (3 * n * KY_STATE_BYTES / KY_PART_ALIGN + PARTS) * KY_PART_ALIGN;
}

double ky_device_bodies_memory(const struct ky_parameters *parameters, size_t n)
{
    const size_t own = isnan(parameters->softening) ? KY_STATE_BYTES : 0;
    return 2 * (double)ky_device_room(n) +
           (double)n * (double)(KY_STATE_BYTES + own + 4 * ky_real_bytes(parameters->precision));
}

/* Bytes of a number of one of the bodies' buffers. */
static size_t number_bytes(const struct ky_device_bodies *bodies, const struct ky_buffer *buffer)
{
    return buffer == &bodies->acceleration || buffer == &bodies->potential
               ? ky_real_bytes(bodies->parameters->precision)
               : KY_STATE_BYTES;
}

void ky_device_bodies_release(struct ky_device_bodies *bodies)
{
    struct ky_buffer *buffers[] = {&bodies->position,     &bodies->velocity,    &bodies->mass,
                                   &bodies->softening,    &bodies->potential,   &bodies->sums,
                                   &bodies->acceleration, &bodies->active_list, &bodies->precise,
                                   &bodies->second};
    if (bodies->cards.count == 0)
        return;
    for (size_t b = 0; b < sizeof buffers / sizeof *buffers; b++)
        ky_buffer_release(bodies->cards.card[0], buffers[b]);
    ky_staging_release(&bodies->staging, bodies->cards.card[0]);
}

enum ky_status ky_device_bodies_resize(struct ky_device_bodies *bodies, size_t n,
                                       struct ky_error *error)
{
    const size_t room = ky_device_room(n), real = ky_real_bytes(bodies->parameters->precision);
    const struct {
        struct ky_buffer *buffer;
        const char *what;
        size_t bytes;
    } wanted[] = {
        {&bodies->position, "positions", room},
        {&bodies->velocity, "velocities", room},
        {&bodies->mass, "masses", n * KY_STATE_BYTES},
        {&bodies->acceleration, "accelerations", 3 * n * real},
        {&bodies->potential, "potentials", n * real},
    };
    enum ky_status status = KY_OK;
    ky_device_bodies_release(bodies);
    bodies->n = n;
    bodies->has_acceleration = 0;
    for (size_t b = 0; b < sizeof wanted / sizeof *wanted && status == KY_OK; b++)
        status = ky_buffer_need(bodies->cards.card[0], wanted[b].buffer, wanted[b].what,
                                wanted[b].bytes, 1, error);
    return status;
}

enum ky_status ky_device_bodies_need_precise(struct ky_device_bodies *bodies,
                                             struct ky_error *error)
{
    const int has_digits = bodies->parameters->precision == KY_DOUBLE;
    if (has_digits || !ky_device_leads(bodies, KY_SCHEME_HERMITE))
        return KY_OK;
    return ky_buffer_need(bodies->cards.card[0], &bodies->precise, "accelerations of all digits",
                          3 * bodies->n, KY_STATE_BYTES, error);
}

/* ---- scales ---- */

struct ky_eps2_argument ky_eps2_argument(const struct ky_device_bodies *bodies)
{
    double eps2 = ky_sink_eps2(bodies->parameters->softening_kind, 0,
                               bodies->parameters->softening / bodies->units.length);
    return (struct ky_eps2_argument){eps2, (float)eps2};
}

struct ky_eps2_argument ky_eps2_of_points(const struct ky_device_bodies *bodies,
                                          const struct ky_points *points)
{
    const struct ky_parameters *parameters = bodies->parameters;
    double eps2 = ky_point_eps2(parameters->softening_kind, bodies->own_eps,
                                points->softening / bodies->units.length,
                                parameters->softening / bodies->units.length);
    return (struct ky_eps2_argument){eps2, (float)eps2};
}

/* ---- in and out ---- */

/* A column of the card and the caller's numbers that it holds: number i of the column is
 * array[i × stride] × factor. */
struct column {
    struct ky_buffer *buffer;
    size_t place; /* of the column in the buffer */
    double *array;
    size_t stride;
    double factor;
};

/* The columns of what the caller has arrays for; factors are those of put. */
static size_t columns_of(struct ky_device_bodies *bodies, const struct ky_bodies *callers,
                         struct column column[COLUMNS])
{
    struct ky_engine_scale scale = ky_engine_scale(&bodies->units, bodies->parameters->g);
    double length = 1 / bodies->units.length, mass = 1 / bodies->units.mass;
    const struct {
        struct ky_buffer *buffer;
        double *array;
        size_t stride;
        double factor;
    } arrays[] = {
        {&bodies->position, (double *)callers->position, 3, length},
        {&bodies->velocity, (double *)callers->velocity, 3, length},
        {&bodies->acceleration, (double *)callers->acceleration, 3, 1 / scale.acceleration},
        {&bodies->precise, (double *)callers->acceleration, 3, 1 / scale.acceleration},
        {&bodies->mass, callers->mass, 1, mass},
        {&bodies->potential, callers->potential, 1, 1 / scale.potential},
        {&bodies->softening, callers->softening, 1, length},
    };
    size_t count = 0;
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        for (size_t c = 0; arrays[k].array && arrays[k].buffer->handle && c < arrays[k].stride; c++)
            column[count++] = (struct column){arrays[k].buffer, c * bodies->n, arrays[k].array + c,
                                              arrays[k].stride, arrays[k].factor};
    return count;
}

/* A column that crosses, and the bytes of a number on its way. */
struct crossing {
    const struct ky_card *card;
    const struct column *column;
    size_t bytes;
};

static void fill_column(const void *context, size_t first, size_t end, void *piece)
{
    const struct crossing *crossing = context;
    const struct column *column = crossing->column;
    for (size_t k = first; k < end; k++)
        ky_to_card(crossing->card, crossing->bytes, piece, k - first,
                   column->array[k * column->stride] * column->factor);
}

static void take_column(const void *context, size_t first, size_t end, void *piece)
{
    const struct crossing *crossing = context;
    const struct column *column = crossing->column;
    double back = 1 / column->factor; /* a power of two */
    for (size_t k = first; k < end; k++)
        column->array[k * column->stride] =
            ky_from_card(crossing->card, crossing->bytes, piece, k - first) * back;
}

static enum ky_status cross_all(struct ky_device_bodies *bodies, const struct column column[],
                                size_t count, int up, struct ky_error *error)
{
    struct ky_card *card = bodies->cards.card[0];
    enum ky_status status = KY_OK;
    for (size_t k = 0; k < count && status == KY_OK; k++) {
        size_t bytes = number_bytes(bodies, column[k].buffer);
        const struct crossing crossing = {card, &column[k], bytes};
        const struct ky_staged array = {column[k].buffer, column[k].place * bytes, bodies->n,
                                        bytes};
        status = up ? ky_staging_up(&bodies->staging, card, bodies->threads, &array, fill_column,
                                    &crossing, error)
                    : ky_staging_down(&bodies->staging, card, bodies->threads, &array, take_column,
                                      &crossing, error);
    }
    return status;
}

enum ky_status ky_device_bodies_columns(struct ky_device_bodies *bodies, struct ky_buffer *buffer,
                                        size_t count, double *const column[],
                                        struct ky_error *error)
{
    struct column columns[COLUMNS];
    for (size_t c = 0; c < count; c++)
        columns[c] = (struct column){buffer, c * bodies->n, column[c], 1, 1};
    return cross_all(bodies, columns, count, 0, error);
}

enum ky_status ky_device_bodies_expect(struct ky_device_bodies *bodies,
                                       const struct ky_bodies *given, struct ky_error *error)
{
    enum ky_status status =
        ky_engine_units(given, bodies->parameters, &bodies->frame, &bodies->units, error);
    if (status != KY_OK)
        return status;
    bodies->own_eps = given->softening != NULL;
    bodies->how = ky_engine_how(given, bodies->parameters, &bodies->units);
    return KY_OK;
}

enum ky_status ky_device_bodies_put(struct ky_device_bodies *bodies, const struct ky_bodies *given,
                                    struct ky_error *error)
{
    struct ky_card *card = bodies->cards.card[0];
    struct column column[COLUMNS];
    enum ky_status status = KY_OK;
    double start = ky_clock();
    bodies->has_acceleration = ky_knows_acceleration(given);
    bodies->pendings = 0;
    bodies->cards.evaluations = 0;
    bodies->put++;
    bodies->place++;
    bodies->curve.is_followed = 0;
    bodies->curve.changes++;
    ky_buffer_release(card, &bodies->softening);
    ky_buffer_release(card, &bodies->precise);
    if (bodies->own_eps)
        status = ky_buffer_need(card, &bodies->softening, "softenings", bodies->n, KY_STATE_BYTES,
                                error);
    if (status == KY_OK && bodies->has_acceleration)
        status = ky_device_bodies_need_precise(bodies, error);
    if (status == KY_OK && !given->acceleration)
        status = card->driver->zero(card, &bodies->acceleration, error);
    if (status == KY_OK && !given->potential)
        status = card->driver->zero(card, &bodies->potential, error);
    if (status == KY_OK)
        status = cross_all(bodies, column, columns_of(bodies, given, column), 1, error);
    if (status == KY_OK)
        status = card->driver->wait(card, error);
    bodies->report.upload = ky_clock() - start;
    return status;
}

/* Rows of new numbers to the columns of a buffer; `list` has the bodies on the card. */
static enum ky_status scatter(struct ky_device_bodies *bodies, const struct ky_buffer *list,
                              struct ky_rows rows, const double *numbers, struct ky_buffer *to,
                              struct ky_error *error)
{
    struct ky_card *card = bodies->cards.card[0];
    uint32_t n = (uint32_t)bodies->n, count = (uint32_t)rows.count,
             columns = (uint32_t)rows.columns;
    struct ky_buffer sent = {0};
    if (!numbers)
        return KY_OK;
    enum ky_status status = ky_rows_send(card, &sent, "new numbers", rows, numbers, error);
    if (status == KY_OK)
        status = ky_launch_over(card, KY_KERNEL_ky_scatter_numbers, count,
                                KY_ARGUMENTS(KY_BUFFER(sent), KY_BUFFER(*list), KY_BUFFER(*to),
                                             KY_VALUE(n), KY_VALUE(count), KY_VALUE(columns)),
                                error);
    ky_buffer_release(card, &sent);
    return status;
}

enum ky_status ky_device_bodies_put_some(struct ky_device_bodies *bodies,
                                         const struct ky_some *some, struct ky_error *error)
{
    struct ky_card *card = bodies->cards.card[0];
    const size_t count = some->count, bytes = KY_STATE_BYTES;
    const struct ky_rows place = {count, 3, 1 / bodies->units.length, bytes},
                         mass = {count, 1, 1 / bodies->units.mass, bytes};
    struct ky_buffer list = {0};
    enum ky_status status = ky_buffer_fill(card, &list, "bodies with new numbers", some->body,
                                           count, sizeof *some->body, error);
    if (status == KY_OK)
        status =
            scatter(bodies, &list, place, (const double *)some->position, &bodies->position, error);
    if (status == KY_OK)
        status =
            scatter(bodies, &list, place, (const double *)some->velocity, &bodies->velocity, error);
    if (status == KY_OK)
        status = scatter(bodies, &list, mass, some->mass, &bodies->mass, error);
    ky_buffer_release(card, &list);
    bodies->put++;
    bodies->curve.changes++;
    bodies->place += some->position || some->mass;
    return status;
}

enum ky_status ky_device_bodies_get(struct ky_device_bodies *bodies, struct ky_bodies *wanted,
                                    struct ky_error *error)
{
    struct column column[COLUMNS];
    enum ky_status status = ky_wait_for_all(&bodies->cards, error);
    double start = ky_clock();
    if (status == KY_OK)
        status = cross_all(bodies, column, columns_of(bodies, wanted, column), 0, error);
    for (size_t i = 0; wanted->softening && !bodies->own_eps && i < bodies->n; i++)
        wanted->softening[i] = bodies->parameters->softening;
    bodies->report.download = ky_clock() - start;
    return status;
}

enum ky_status ky_device_active_list(struct ky_device_bodies *bodies,
                                     struct ky_evaluation *evaluation, struct ky_error *error)
{
    const struct ky_active *active = evaluation->active;
    const unsigned own = 1U << bodies->part;
    if (evaluation->listed & own)
        return KY_OK;
    enum ky_status status =
        ky_buffer_fill(bodies->cards.card[0], &bodies->active_list, "active bodies", active->body,
                       active->count, sizeof *active->body, error);
    evaluation->listed |= status == KY_OK ? own : 0;
    return status;
}
