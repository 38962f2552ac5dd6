/* The bodies on the device: in and out, motion, sums. */
#include "engine/device/device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/split.h"

enum { PIECE = 1 << 18 }; /* bodies that cross at a time */

union ky_state_value ky_to_state(const struct ky_device_engine *engine, double x)
{
    union ky_state_value value;
    if (engine->card[0].gpu->has_double) {
        value.whole = x;
    } else {
        value.part[0] = (float)x;
        value.part[1] = ky_low_part(x);
    }
    return value;
}

double ky_from_state(const struct ky_device_engine *engine, union ky_state_value value)
{
    if (engine->card[0].gpu->has_double)
        return value.whole;
    return (double)value.part[0] + (double)value.part[1];
}

struct ky_device_scale ky_device_scale(const struct ky_device_engine *engine)
{
    int exponent;
    double strength = frexp(engine->parameters->g, &exponent);
    double potential = ldexp(engine->units.mass / engine->units.length, exponent);
    return (struct ky_device_scale){potential / engine->units.length, potential, strength};
}

/* A column of the device and the caller's numbers that it holds: number i of the column is
 * array[i × stride] × factor. */
struct column {
    struct ky_buffer *buffer;
    size_t place; /* of the column in the buffer */
    double *array;
    size_t stride;
    double factor;
};

/* The columns of what `bodies` has arrays for; factors are those of put. */
static size_t columns_of(struct ky_device_engine *engine, const struct ky_bodies *bodies,
                         struct column column[])
{
    struct ky_card *card = &engine->card[0];
    struct ky_device_scale scale = ky_device_scale(engine);
    double length = 1 / engine->units.length, mass = 1 / engine->units.mass;
    const struct {
        struct ky_buffer *buffer;
        double *array;
        size_t stride;
        double factor;
    } arrays[] = {
        {&card->position, (double *)bodies->position, 3, length},
        {&card->velocity, (double *)bodies->velocity, 3, length},
        {&card->acceleration, (double *)bodies->acceleration, 3, 1 / scale.acceleration},
        {&card->mass, bodies->mass, 1, mass},
        {&card->potential, bodies->potential, 1, 1 / scale.potential},
        {&card->softening, bodies->softening, 1, length},
    };
    size_t count = 0;
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        for (size_t c = 0; arrays[k].array && arrays[k].buffer->handle && c < arrays[k].stride; c++)
            column[count++] = (struct column){arrays[k].buffer, c * engine->n, arrays[k].array + c,
                                              arrays[k].stride, arrays[k].factor};
    return count;
}

enum { COLUMNS = 12 };

/* One column, piece by piece through `staging`. */
static enum ky_status cross(struct ky_device_engine *engine, const struct column *column, int up,
                            union ky_state_value *staging, struct ky_error *error)
{
    struct ky_gpu *gpu = engine->card[0].gpu;
    enum ky_status status = KY_OK;
    for (size_t first = 0; first < engine->n && status == KY_OK; first += PIECE) {
        size_t count = engine->n - first < PIECE ? engine->n - first : PIECE;
        size_t offset = (column->place + first) * KY_STATE_BYTES, bytes = count * KY_STATE_BYTES;
        double *array = column->array + first * column->stride;
        double back = 1 / column->factor; /* a power of two */
        if (!up)
            status = engine->driver->read(gpu, column->buffer, offset, staging, bytes, error);
#pragma omp parallel for num_threads(engine->threads) if (count > 65536)
        for (size_t k = 0; k < count; k++) {
            if (up)
                staging[k] = ky_to_state(engine, array[k * column->stride] * column->factor);
            else if (status == KY_OK)
                array[k * column->stride] = ky_from_state(engine, staging[k]) * back;
        }
        if (up)
            status = engine->driver->write(gpu, column->buffer, offset, staging, bytes, error);
    }
    return status;
}

static enum ky_status cross_all(struct ky_device_engine *engine, const struct ky_bodies *bodies,
                                int up, struct ky_error *error)
{
    struct column column[COLUMNS];
    size_t count = columns_of(engine, bodies, column);
    size_t room = engine->n < PIECE ? engine->n : PIECE;
    enum ky_status status = KY_OK;
    union ky_state_value *staging = ky_allocate(room, sizeof *staging);
    if (!staging)
        return ky_no_memory(error, "bodies on their way", room, sizeof *staging);
    for (size_t k = 0; k < count && status == KY_OK; k++)
        status = cross(engine, &column[k], up, staging, error);
    free(staging);
    return status;
}

enum ky_status ky_device_columns(struct ky_device_engine *engine, struct ky_buffer *buffer,
                                 size_t count, double *const column[], struct ky_error *error)
{
    enum ky_status status = KY_OK;
    size_t room = engine->n < PIECE ? engine->n : PIECE;
    union ky_state_value *staging = ky_allocate(room, sizeof *staging);
    if (!staging)
        return ky_no_memory(error, "bodies on their way", room, sizeof *staging);
    for (size_t c = 0; c < count && status == KY_OK; c++) {
        const struct column one = {buffer, c * engine->n, column[c], 1, 1};
        status = cross(engine, &one, 0, staging, error);
    }
    free(staging);
    return status;
}

static double least_eps2(const struct ky_device_engine *engine, const struct ky_bodies *bodies)
{
    double least = engine->parameters->softening;
    if (bodies->softening)
        least = bodies->n ? bodies->softening[0] : 0;
    for (size_t i = 0; bodies->softening && i < bodies->n; i++)
        least = fmin(least, bodies->softening[i]);
    least /= engine->units.length;
    return least * least;
}

enum ky_status ky_device_put(struct ky_engine *base, const struct ky_bodies *bodies,
                             struct ky_error *error)
{
    struct ky_device_engine *engine = (struct ky_device_engine *)base;
    struct ky_card *card = &engine->card[0];
    double start = ky_clock();
    enum ky_status status = KY_OK;
    if (bodies->n != engine->n)
        return ky_fail(error, KY_USAGE, "%zu bodies for an engine that was opened for %zu",
                       bodies->n, engine->n);
    status = ky_engine_units(bodies, engine->parameters, &engine->units, error);
    if (status != KY_OK)
        return status;
    engine->own_eps = bodies->softening != NULL;
    engine->least_eps2 = least_eps2(engine, bodies);
    status = ky_device_direct_check(engine, engine->n > 0, error);
    if (status != KY_OK)
        return status;
    engine->has_acceleration = ky_knows_acceleration(bodies);
    engine->pendings = 0;
    engine->evaluations = 0;
    ky_device_tree_release(engine);
    ky_buffer_release(card->gpu, &card->softening);
    if (engine->own_eps)
        status = ky_buffer_need(card->gpu, &card->softening, "softenings", engine->n,
                                KY_STATE_BYTES, error);
    if (status == KY_OK && !bodies->acceleration)
        status = engine->driver->zero(card->gpu, &card->acceleration, error);
    if (status == KY_OK && !bodies->potential)
        status = engine->driver->zero(card->gpu, &card->potential, error);
    if (status == KY_OK)
        status = cross_all(engine, bodies, 1, error);
    if (status == KY_OK)
        status = engine->driver->wait(card->gpu, error);
    engine->report.upload = ky_clock() - start;
    return status;
}

/* What further cards failed at is reported by themselves alone. */
static enum ky_status wait_for_all(struct ky_device_engine *engine, struct ky_error *error)
{
    enum ky_status status = KY_OK;
    for (size_t k = 0; k < engine->cards && status == KY_OK; k++)
        status = engine->driver->wait(engine->card[k].gpu, error);
    return status;
}

enum ky_status ky_device_fetch(struct ky_engine *base, struct ky_bodies *bodies,
                               struct ky_error *error)
{
    struct ky_device_engine *engine = (struct ky_device_engine *)base;
    if (bodies->n != engine->n)
        return ky_fail(error, KY_USAGE, "room for %zu bodies, the engine holds %zu", bodies->n,
                       engine->n);
    enum ky_status status = ky_device_settle(engine, error);
    if (status == KY_OK)
        status = wait_for_all(engine, error);
    double start = ky_clock();
    if (status == KY_OK)
        status = cross_all(engine, bodies, 0, error);
    for (size_t i = 0; bodies->softening && !engine->own_eps && i < engine->n; i++)
        bodies->softening[i] = engine->parameters->softening;
    engine->report.download = ky_clock() - start;
    return status;
}

/* The kicks that are due, and a drift if dt is not 0. */
static enum ky_status advance(struct ky_device_engine *engine, double dt, struct ky_error *error)
{
    struct ky_card *card = &engine->card[0];
    double per_kick = ky_device_scale(engine).acceleration / engine->units.length;
    uint32_t n = (uint32_t)engine->n, kicks = (uint32_t)engine->pendings, drifts = dt != 0;
    union ky_state_value kick[KY_PENDING], drift = ky_to_state(engine, dt);
    for (int k = 0; k < KY_PENDING; k++)
        kick[k] = ky_to_state(engine, engine->pending[k] * per_kick);
    const struct ky_argument arguments[] = {KY_BUFFER(card->position),
                                            KY_BUFFER(card->velocity),
                                            KY_BUFFER(card->acceleration),
                                            KY_VALUE(n),
                                            KY_VALUE(kicks),
                                            KY_VALUE(kick[0]),
                                            KY_VALUE(kick[1]),
                                            KY_VALUE(drifts),
                                            KY_VALUE(drift)};
    engine->pendings = 0;
    return ky_launch(card, KY_KERNEL_ky_bodies_advance, ky_groups(n, 256), arguments, 9, error);
}

enum ky_status ky_device_settle(struct ky_device_engine *engine, struct ky_error *error)
{
    return engine->pendings > 0 ? advance(engine, 0, error) : KY_OK;
}

enum ky_status ky_device_kick(struct ky_engine *base, double dt, struct ky_error *error)
{
    struct ky_device_engine *engine = (struct ky_device_engine *)base;
    enum ky_status status = KY_OK;
    if (engine->pendings == KY_PENDING)
        status = ky_device_settle(engine, error);
    engine->pending[engine->pendings++] = dt;
    return status;
}

enum ky_status ky_device_drift(struct ky_engine *base, double dt, struct ky_error *error)
{
    struct ky_device_engine *engine = (struct ky_device_engine *)base;
    engine->host.stands = 0;
    return advance(engine, dt, error);
}

static void scale_sums(const struct ky_device_engine *engine, const double sum[KY_SUMS],
                       struct ky_sums *sums)
{
    struct ky_device_scale scale = ky_device_scale(engine);
    double m = engine->units.mass, l = engine->units.length;
    *sums = (struct ky_sums){
        .mass = sum[KY_SUM_MASS] * m,
        .kinetic = sum[KY_SUM_KINETIC] * m * l * l,
        .potential = sum[KY_SUM_POTENTIAL] * m * scale.potential,
        .virial = sum[KY_SUM_VIRIAL] * m * l * scale.acceleration,
    };
    for (int c = 0; c < 3; c++) {
        sums->centre[c] = sum[KY_SUM_MASS] > 0 ? sum[KY_SUM_CENTRE + c] / sum[KY_SUM_MASS] * l : 0;
        sums->momentum[c] = sum[KY_SUM_MOMENTUM + c] * m * l;
        sums->angular_momentum[c] = sum[KY_SUM_ANGULAR + c] * m * l * l;
        /* About the centre of mass: a tree's forces do not quite add up to nothing. */
        sums->virial -= sums->centre[c] * sum[KY_SUM_FORCE + c] * m * scale.acceleration;
    }
}

enum ky_status ky_device_sums(struct ky_engine *base, struct ky_sums *sums, struct ky_error *error)
{
    struct ky_device_engine *engine = (struct ky_device_engine *)base;
    struct ky_card *card = &engine->card[0];
    uint32_t n = (uint32_t)engine->n;
    size_t chunks = ky_groups(n, KY_SUM_CHUNK), numbers = chunks * KY_SUMS;
    double sum[KY_SUMS] = {0};
    union ky_state_value *parts = ky_allocate(numbers, sizeof *parts);
    if (!parts)
        return ky_no_memory(error, "partial sums", numbers, sizeof *parts);
    enum ky_status status = ky_device_settle(engine, error);
    if (status == KY_OK)
        status =
            ky_buffer_need(card->gpu, &card->sums, "partial sums", numbers, KY_STATE_BYTES, error);
    const struct ky_argument arguments[] = {KY_BUFFER(card->mass),
                                            KY_BUFFER(card->position),
                                            KY_BUFFER(card->velocity),
                                            KY_BUFFER(card->acceleration),
                                            KY_BUFFER(card->potential),
                                            KY_BUFFER(card->sums),
                                            KY_VALUE(n)};
    if (status == KY_OK)
        status = ky_launch(card, KY_KERNEL_ky_bodies_sum, chunks, arguments, 7, error);
    if (status == KY_OK)
        status = wait_for_all(engine, error);
    if (status == KY_OK)
        status =
            engine->driver->read(card->gpu, &card->sums, 0, parts, numbers * KY_STATE_BYTES, error);
    for (size_t k = 0; k < numbers && status == KY_OK; k++)
        sum[k % KY_SUMS] += ky_from_state(engine, parts[k]);
    free(parts);
    scale_sums(engine, sum, sums);
    return status;
}
