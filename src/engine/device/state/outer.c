/* Arrays of the caller that the card converts itself: the host side of kernels/state/outer.k.
 *
 * The card surveys the bodies first: their units follow from this survey, as on the host from
 * common/units.c. So only a sample of the positions and the findings of each group of lanes cross
 * to the host. */
#include "engine/device/state/outer.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "engine/common/finite.h"
#include "engine/device/kernels/state/outer.h"
#include "engine/device/state/bodies.h"
#include "engine/device/state/massless.h"
#include "octree/sample.h"

_Static_assert((int)KY_FLOAT64 == KY_OUTER_DOUBLE && (int)KY_FLOAT32 == KY_OUTER_SINGLE,
               "the types of kernels are those of enum ky_number");

static size_t bytes_of(int kind)
{
    return kind == KY_FLOAT32 ? sizeof(float) : sizeof(double);
}

/* An array of the caller as kernels see it. */
struct outer {
    struct ky_buffer buffer;
    uint32_t kind; /* KY_OUTER_… */
    int is_lent;   /* 1: memory of the caller */
};

static enum ky_status lend(struct ky_card *card, const struct ky_numbers *array, const char *what,
                           size_t count, struct outer *outer, struct ky_error *error)
{
    const enum ky_status status =
        ky_buffer_adopt(card, &outer->buffer, what, array->data, array->stream,
                        count * bytes_of(array->number), error);
    outer->kind = (uint32_t)array->number;
    outer->is_lent = !status;
    return status;
}

static void give_back(struct ky_card *card, struct outer *outer)
{
    if (outer->is_lent)
        ky_buffer_release(card, &outer->buffer);
}

/* An array of the caller, the buffer for numbers of the host, and the numbers for kernels. */
struct shown {
    const struct ky_numbers *array;
    const char *what;
    size_t count;
    struct ky_buffer *own;
    struct outer *outer;
};

/* Makes an array readable by kernels. */
static enum ky_status show(struct ky_device_bodies *bodies, const struct shown *shown,
                           int on_device, struct ky_error *error)
{
    const struct ky_numbers *array = shown->array;
    const struct ky_staged staged = {shown->own, 0, shown->count, bytes_of(array->number)};
    *shown->outer =
        (struct outer){bodies->mass, KY_OUTER_NONE, 0}; /* a buffer that is never read */
    if (!array->data)
        return KY_OK;
    if (on_device)
        return lend(bodies->card, array, shown->what, shown->count, shown->outer, error);
    KY_TRY(ky_staging_fill(&bodies->staging, bodies->card, bodies->state->threads, &staged,
                           shown->what, array->data, error));
    *shown->outer = (struct outer){*shown->own, (uint32_t)array->number, 0};
    return KY_OK;
}

/* ---- the survey ---- */

/* The arrays that are put. */
struct given {
    size_t n;
    double equal_mass;
    struct outer position, mass, softening;
};

/* The numbers of the bodies in the sample, which depend on n alone. */
static enum ky_status choose_sample(struct ky_device_bodies *bodies, size_t n,
                                    struct ky_error *error)
{
    uint32_t index[KY_MEDIAN_MOST];
    size_t body[KY_MEDIAN_MOST];
    if (bodies->outer.sampled == n)
        return KY_OK;
    const size_t count = ky_sample(n, KY_MEDIAN_MOST, body);
    for (size_t k = 0; k < count; k++)
        index[k] = (uint32_t)body[k];
    KY_TRY(ky_buffer_fill(bodies->card, &bodies->outer.index, "numbers of sampled bodies", index,
                          count, sizeof *index, error));
    bodies->outer.sampled = n;
    return KY_OK;
}

/* The middle of the bodies, and their size: ky_extent_of_sample. */
static enum ky_status find_middle(struct ky_device_bodies *bodies, const struct given *given,
                                  double middle[3], double *size, struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    double sample[KY_MEDIAN_MOST][3];
    const size_t count = given->n < KY_MEDIAN_MOST ? given->n : KY_MEDIAN_MOST;
    const uint32_t rows = (uint32_t)count;
    KY_TRY(choose_sample(bodies, given->n, error));
    KY_TRY(ky_buffer_need(card, &bodies->outer.rows, "positions of sampled bodies", count,
                          sizeof *sample, error));
    KY_TRY(ky_launch_over(
        card, KY_KERNEL_ky_outer_rows, count,
        KY_ARGUMENTS(KY_BUFFER(given->position.buffer), KY_BUFFER(bodies->outer.index),
                     KY_BUFFER(bodies->outer.rows), KY_VALUE(rows), KY_VALUE(given->position.kind)),
        error));
    KY_TRY(card->driver->read(card, &bodies->outer.rows, 0, sample, count * sizeof *sample, error));
    *size = ky_extent_of_sample((const double(*)[3])sample, count, middle);
    return KY_OK;
}

static enum ky_status survey(struct ky_device_bodies *bodies, const struct given *given,
                             const double middle[3], double found[KY_SURVEY],
                             struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    const size_t groups = ky_groups(given->n, KY_SURVEY_CHUNK);
    const uint32_t n = (uint32_t)given->n;
    double(*part)[KY_SURVEY] = ky_allocate(groups, sizeof *part);
    enum ky_status status = part ? ky_buffer_need(card, &bodies->outer.findings, "a survey", groups,
                                                  sizeof *part, error)
                                 : ky_no_memory(error, "a survey", groups, sizeof *part);
    if (!status)
        status = ky_launch(
            card, KY_KERNEL_ky_outer_survey, groups,
            KY_ARGUMENTS(KY_BUFFER(given->position.buffer), KY_BUFFER(given->mass.buffer),
                         KY_BUFFER(given->softening.buffer), KY_BUFFER(bodies->outer.findings),
                         KY_VALUE(n), KY_VALUE(given->position.kind), KY_VALUE(given->mass.kind),
                         KY_VALUE(given->softening.kind), KY_VALUE(given->equal_mass),
                         KY_VALUE(middle[0]), KY_VALUE(middle[1]), KY_VALUE(middle[2])),
            error);
    if (!status)
        status = card->driver->read(card, &bodies->outer.findings, 0, part, groups * sizeof *part,
                                    error);
    ky_survey_of_none(found);
    for (size_t k = 0; k < groups && !status; k++)
        ky_survey_unite(found, part[k]);
    free(part);
    return status;
}

/* Sets the units. *suits 0: the host has to look at the bodies. */
static enum ky_status find_units(struct ky_device_state *state, const struct given *given,
                                 int *suits, struct ky_error *error)
{
    double middle[3], size, found[KY_SURVEY];
    KY_TRY(find_middle(&state->bodies, given, middle, &size, error));
    KY_TRY(survey(&state->bodies, given, middle, found, error));
    *suits = found[KY_SURVEY_MASSLESS] == 0 && found[KY_SURVEY_BAD] == 0;
    if (!*suits)
        return KY_OK;
    const struct ky_extent extent = {.size = size > 0 ? size : found[KY_SURVEY_SIZE],
                                     .far = found[KY_SURVEY_FAR],
                                     .body = (uint64_t)found[KY_SURVEY_BODY],
                                     .mass = found[KY_SURVEY_MASS],
                                     .lightest = found[KY_SURVEY_LIGHTEST],
                                     .heaviest = found[KY_SURVEY_HEAVIEST],
                                     .rest = found[KY_SURVEY_REST]};
    const struct ky_parameters *parameters = state->parameters;
    const int own = given->softening.kind != KY_OUTER_NONE;
    const struct ky_softenings softenings = {
        own, own ? found[KY_SURVEY_LEAST] : parameters->softening,
        own ? found[KY_SURVEY_MOST] : parameters->softening, (size_t)found[KY_SURVEY_SOFTEST]};
    KY_TRY(ky_extent_units(&extent, given->n, &softenings, parameters, &state->frame, &state->units,
                           error));
    state->own_eps = own;
    state->how = ky_softenings_how(&softenings, parameters, &state->units);
    return KY_OK;
}

/* ---- in ---- */

static enum ky_status bring(struct ky_device_bodies *bodies, int which, const struct outer *from,
                            double factor, struct ky_error *error)
{
    struct ky_device_array array[KY_ARRAYS];
    ky_device_arrays(bodies, array);
    const uint32_t count = (uint32_t)bodies->live, columns = (uint32_t)array[which].columns,
                   n = (uint32_t)bodies->n;
    return ky_launch_over(bodies->card, KY_KERNEL_ky_outer_in, count,
                          KY_ARGUMENTS(KY_BUFFER(from->buffer), KY_BUFFER(*array[which].buffer),
                                       KY_VALUE(count), KY_VALUE(columns), KY_VALUE(n),
                                       KY_VALUE(from->kind), KY_VALUE(factor)),
                          error);
}

static enum ky_status bring_all(struct ky_device_state *state, const struct given *given,
                                struct ky_error *error)
{
    struct ky_device_bodies *bodies = &state->bodies;
    struct ky_card *card = bodies->card;
    struct ky_buffer *cleared[] = {&bodies->velocity, &bodies->acceleration, &bodies->potential};
    const double length = 1 / state->units.length, mass = 1 / state->units.mass,
                 equal = given->mass.kind == KY_OUTER_NONE ? given->equal_mass * mass : mass;
    KY_TRY(ky_device_bodies_begin(state, 0, error));
    for (size_t k = 0; k < sizeof cleared / sizeof *cleared; k++)
        KY_TRY(card->driver->zero(card, cleared[k], error));
    KY_TRY(bring(bodies, KY_ARRAY_POSITION, &given->position, length, error));
    KY_TRY(bring(bodies, KY_ARRAY_MASS, &given->mass, equal, error));
    if (state->own_eps)
        KY_TRY(bring(bodies, KY_ARRAY_SOFTENING, &given->softening, length, error));
    return ky_device_all_have_mass(state, error);
}

static int needs_put(const struct ky_device_state *state)
{
    return !state->bodies.card->has_double || state->schemes || ky_device_any_ranks(state) ||
           state->n == 0;
}

enum ky_status ky_device_outer_put(struct ky_device_state *state,
                                   const struct ky_array_bodies *given, int *taken,
                                   struct ky_error *error)
{
    struct ky_device_bodies *bodies = &state->bodies;
    struct given own = {.n = given->n, .equal_mass = given->equal_mass};
    const size_t n = given->n;
    const struct shown arrays[] = {
        {&given->position, "positions", 3 * n, &bodies->outer.position, &own.position},
        {&given->mass, "masses", n, &bodies->outer.mass, &own.mass},
        {&given->softening, "softenings", n, &bodies->outer.softening, &own.softening}};
    const double start = ky_clock();
    enum ky_status status = KY_OK;
    *taken = 0;
    if (needs_put(state))
        return KY_OK;
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays && !status; k++)
        status = show(bodies, &arrays[k], given->on_device, error);
    if (!status)
        status = find_units(state, &own, taken, error);
    if (!status && *taken)
        status = bring_all(state, &own, error);
    if (!status)
        status = bodies->card->driver->wait(bodies->card, error);
    give_back(bodies->card, &own.position);
    give_back(bodies->card, &own.mass);
    give_back(bodies->card, &own.softening);
    state->report.upload = ky_clock() - start;
    return status;
}

/* ---- out ---- */

struct numbers {
    char *data;
    size_t size; /* bytes of a number */
};

static void take_numbers(const void *context, size_t first, size_t end, void *piece)
{
    const struct numbers *to = context;
    memcpy(to->data + first * to->size, piece, (end - first) * to->size);
}

/* Converts an array of the bodies to the caller's; numbers for the host go through `own`. */
static enum ky_status fill(struct ky_device_bodies *bodies, int which,
                           const struct ky_numbers *array, int on_device, double factor,
                           struct ky_buffer *own, struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    struct ky_device_array from[KY_ARRAYS];
    ky_device_arrays(bodies, from);
    const uint32_t count = (uint32_t)bodies->live, columns = (uint32_t)from[which].columns,
                   n = (uint32_t)bodies->n, kind = (uint32_t)array->number;
    const size_t numbers = (size_t)count * columns, size = bytes_of(array->number);
    struct outer to = {.is_lent = 0};
    enum ky_status status = KY_OK;
    if (!array->data)
        return KY_OK;
    if (on_device)
        status = lend(card, array, from[which].what, numbers, &to, error);
    else
        status = ky_buffer_need(card, own, from[which].what, numbers, size, error);
    const struct ky_buffer *target = on_device ? &to.buffer : own;
    if (!status)
        status = ky_launch_over(card, KY_KERNEL_ky_outer_out, count,
                                KY_ARGUMENTS(KY_BUFFER(*from[which].buffer), KY_BUFFER(*target),
                                             KY_BUFFER(bodies->outer.wrong), KY_VALUE(count),
                                             KY_VALUE(columns), KY_VALUE(n), KY_VALUE(kind),
                                             KY_VALUE(factor)),
                                error);
    const struct numbers taken = {array->data, size};
    if (!status && !on_device)
        status = ky_staging_down(
            &bodies->staging, card, &(struct ky_staged){own, 0, numbers, size},
            &(struct ky_staging_work){bodies->state->threads, take_numbers, &taken}, error);
    give_back(card, &to);
    return status;
}

/* KY_BAD_DATA, naming a body; the host has to find it. */
static enum ky_status explain(struct ky_device_state *state, struct ky_error *error)
{
    struct ky_bodies found;
    enum ky_status status = ky_bodies_allocate(&found, state->bodies.live,
                                               KY_WITH_ACCELERATION | KY_WITH_POTENTIAL, error);
    if (!status)
        status = ky_device_bodies_get(state, &found, error);
    if (!status)
        status = ky_finite_bodies(state->threads, &found, error);
    if (!status)
        status = ky_fail(error, KY_BAD_DATA,
                         "numbers of the bodies are outside the range of float32: give arrays of "
                         "float64, or use other units");
    ky_bodies_free(&found);
    return status;
}

enum ky_status ky_device_outer_get(struct ky_device_state *state,
                                   const struct ky_array_bodies *wanted, struct ky_error *error)
{
    struct ky_device_bodies *bodies = &state->bodies;
    struct ky_card *card = bodies->card;
    const struct ky_engine_scale scale = ky_device_scale(state);
    const struct {
        int which;
        const struct ky_numbers *to;
        double factor;
    } arrays[] = {{KY_ARRAY_POSITION, &wanted->position, state->units.length},
                  {KY_ARRAY_VELOCITY, &wanted->velocity, state->units.length},
                  {KY_ARRAY_MASS, &wanted->mass, state->units.mass},
                  {KY_ARRAY_ACCELERATION, &wanted->acceleration, scale.acceleration},
                  {KY_ARRAY_POTENTIAL, &wanted->potential, scale.potential}};
    uint32_t wrong = 0;
    KY_TRY(card->driver->wait(card, error));
    const double start = ky_clock();
    KY_TRY(ky_buffer_need(card, &bodies->outer.wrong, "a mark", 1, sizeof wrong, error));
    KY_TRY(card->driver->zero(card, &bodies->outer.wrong, error));
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        KY_TRY(fill(bodies, arrays[k].which, arrays[k].to, wanted->on_device, arrays[k].factor,
                    &bodies->outer.position, error));
    KY_TRY(card->driver->read(card, &bodies->outer.wrong, 0, &wrong, sizeof wrong, error));
    state->report.download = ky_clock() - start;
    return wrong ? explain(state, error) : KY_OK;
}

/* ---- to and from the host ---- */

/* Numbers of the host, and the type of the numbers in transit. */
struct crossing {
    double *numbers;
    int kind;
};

static void take_wide(const void *context, size_t first, size_t end, void *piece)
{
    const struct crossing *own = context;
    for (size_t k = first; k < end; k++)
        own->numbers[k] = own->kind == KY_FLOAT32 ? (double)((const float *)piece)[k - first]
                                                  : ((const double *)piece)[k - first];
}

static void give_narrow(const void *context, size_t first, size_t end, void *piece)
{
    const struct crossing *own = context;
    for (size_t k = first; k < end; k++)
        if (own->kind == KY_FLOAT32)
            ((float *)piece)[k - first] = (float)own->numbers[k];
        else
            ((double *)piece)[k - first] = own->numbers[k];
}

static enum ky_status cross(struct ky_device_state *state, const struct ky_numbers *array,
                            size_t count, const struct crossing *crossing, int up,
                            struct ky_error *error)
{
    struct ky_device_bodies *bodies = &state->bodies;
    struct ky_card *card = bodies->card;
    struct outer outer = {.is_lent = 0};
    if (count == 0)
        return KY_OK;
    enum ky_status status = lend(card, array, "an array", count, &outer, error);
    const struct ky_staged staged = {&outer.buffer, 0, count, bytes_of(array->number)};
    const struct ky_staging_work work = {state->threads, up ? give_narrow : take_wide, crossing};
    if (!status)
        status =
            (up ? ky_staging_up : ky_staging_down)(&bodies->staging, card, &staged, &work, error);
    if (!status)
        status = card->driver->wait(card, error);
    give_back(card, &outer);
    return status;
}

enum ky_status ky_device_outer_read(struct ky_device_state *state, const struct ky_numbers *from,
                                    size_t count, double *to, struct ky_error *error)
{
    return cross(state, from, count, &(struct crossing){to, from->number}, 0, error);
}

enum ky_status ky_device_outer_write(struct ky_device_state *state, const struct ky_numbers *to,
                                     size_t count, const double *from, struct ky_error *error)
{
    union {
        const double *given;
        double *numbers;
    } same = {from}; /* give_narrow only reads them */
    return cross(state, to, count, &(struct crossing){same.numbers, to->number}, 1, error);
}
