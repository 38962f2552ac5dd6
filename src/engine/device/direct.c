/* The exact sum (F09) from the host's side: sources, the kernel of the parameters, slices. */
#include "engine/device/device.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "physics/gravity.h"

/* Where the partial sums of a launch may lie at most. */
enum { PARTIAL_BYTES = 1 << 28 };

struct sum {
    int precision, unroll;
    size_t first, count;
    int listed; /* sinks are those of buffers->list */
};

size_t ky_real4_bytes(int precision)
{
    return precision == KY_DOUBLE ? 4 * sizeof(double) : 4 * sizeof(float);
}

enum ky_kernel_id ky_in_precision(enum ky_kernel_id single, int precision)
{
    return (enum ky_kernel_id)((int)single + precision * KY_KERNELS_OF_PRECISION);
}

static void release(struct ky_gpu *gpu, struct ky_direct_buffers *buffers)
{
    ky_buffer_release(gpu, &buffers->source);
    ky_buffer_release(gpu, &buffers->low);
    ky_buffer_release(gpu, &buffers->eps2);
    ky_buffer_release(gpu, &buffers->partial);
    ky_buffer_release(gpu, &buffers->list);
}

void ky_device_direct_release(struct ky_card *card)
{
    release(card->gpu, &card->direct);
}

double ky_device_direct_memory(const struct ky_parameters *parameters, size_t n)
{
    double source = (double)ky_real4_bytes(parameters->precision);
    double partial = 16 * (double)n * source;
    partial = partial < (double)PARTIAL_BYTES ? partial : (double)PARTIAL_BYTES;
    return (double)n * (source + (parameters->precision == KY_EXTENDED ? 16 : 0)) +
           (partial > (double)n * source ? partial : (double)n * source); /* one slice, at least */
}

struct ky_eps2_argument ky_eps2_argument(const struct ky_device_engine *engine)
{
    double eps2 = ky_uniform_eps2(engine);
    return (struct ky_eps2_argument){eps2, (float)eps2};
}

double ky_uniform_eps2(const struct ky_device_engine *engine)
{
    double eps = engine->parameters->softening / engine->units.length;
    return eps * eps * (engine->parameters->softening_kind == KY_SYMMETRIC ? 2 : 1);
}

/* Source arrays of the precision; those that it has not are the first one again, never read. */
static enum ky_status need_sources(const struct ky_device_engine *engine, struct ky_gpu *gpu,
                                   struct ky_direct_buffers *buffers, int precision,
                                   struct ky_error *error)
{
    size_t n = engine->n, real = ky_real4_bytes(precision) / 4;
    enum ky_status status =
        ky_buffer_need(gpu, &buffers->source, "sources", n, ky_real4_bytes(precision), error);
    if (status == KY_OK)
        status = ky_buffer_need(gpu, &buffers->low, "low parts of sources",
                                precision == KY_EXTENDED ? n : 1, 4 * sizeof(float), error);
    if (status == KY_OK)
        status = ky_buffer_need(gpu, &buffers->eps2, "squared softenings", engine->own_eps ? n : 1,
                                real, error);
    return status;
}

/* The present positions as sources, on the first card. */
static enum ky_status make_sources(struct ky_device_engine *engine,
                                   struct ky_direct_buffers *buffers, int precision,
                                   struct ky_error *error)
{
    struct ky_card *card = &engine->card[0];
    uint32_t n = (uint32_t)engine->n, own_eps = (uint32_t)engine->own_eps;
    enum ky_status status = need_sources(engine, card->gpu, buffers, precision, error);
    const struct ky_buffer *softening = engine->own_eps ? &card->softening : &card->mass;
    const struct ky_argument arguments[] = {KY_BUFFER(card->position),
                                            KY_BUFFER(card->mass),
                                            KY_BUFFER(*softening),
                                            KY_BUFFER(buffers->source),
                                            KY_BUFFER(buffers->low),
                                            KY_BUFFER(buffers->eps2),
                                            KY_VALUE(n),
                                            KY_VALUE(own_eps)};
    if (status == KY_OK)
        status = ky_launch(card, ky_in_precision(KY_KERNEL_ky_sources_single, precision),
                           ky_groups(n, 256), arguments, 8, error);
    return status;
}

/* The sources of the first card to another. */
static enum ky_status share_sources(struct ky_device_engine *engine, struct ky_card *card,
                                    int precision, struct ky_error *error)
{
    struct ky_card *from = &engine->card[0];
    struct ky_buffer *of[] = {&from->direct.source, &from->direct.low, &from->direct.eps2},
                     *to[] = {&card->direct.source, &card->direct.low, &card->direct.eps2};
    enum ky_status status = need_sources(engine, card->gpu, &card->direct, precision, error);
    for (int k = 0; k < 3 && status == KY_OK; k++)
        status =
            engine->driver->copy(from->gpu, of[k], 0, card->gpu, to[k], 0, of[k]->bytes, error);
    return status;
}

/* Time of a launch in units of one source for one group, from measurements on an H200: what the
 * busiest processor does; an eighth of a group's life, in which the last ones no longer fill the
 * device; and adding the slices. */
static double cost_of(const struct ky_gpu *gpu, size_t resident, size_t blocks, size_t slices,
                      size_t length, size_t count)
{
    enum { GROUP_COST = 16, SINKS_A_UNIT = 2400 };
    double at_once = (double)resident / (double)gpu->processors;
    return (double)ky_groups(blocks * slices, gpu->processors) * (double)(length + GROUP_COST) +
           at_once / 8 * (double)length + (double)slices * (double)count / SINKS_A_UNIT;
}

/* In how many slices of the sources, each of *length. */
static size_t best_slices(struct ky_gpu *gpu, enum ky_kernel_id kernel, size_t n, size_t count,
                          int precision, size_t *length)
{
    size_t tiles = ky_groups(n, KY_DIRECT_LANES);
    size_t blocks = ky_groups(count, KY_DIRECT_LANES * KY_DIRECT_SINKS);
    size_t resident = gpu->driver->resident(gpu, kernel), best = 1, most = tiles;
    size_t room = PARTIAL_BYTES / (ky_real4_bytes(precision) * count);
    most = most < 512 ? most : 512;
    most = most < room ? most : room;
    double least = 0;
    for (size_t slices = 1; slices <= most || slices == 1; slices++) {
        size_t each = ky_groups(tiles, slices);
        if (ky_groups(tiles, each) != slices)
            continue;
        double cost = cost_of(gpu, resident, blocks, slices, each * KY_DIRECT_LANES, count);
        if (slices == 1 || cost < least) {
            least = cost;
            best = slices;
        }
    }
    *length = ky_groups(tiles, best) * KY_DIRECT_LANES;
    return best;
}

/* The unrollings: sinks of a lane; the named one that is the same; a kernel of its own. */
static const struct unrolling {
    size_t sinks;
    int same, kernel;
} unrollings[] = {
#define ONLY(sinks, sources)                                                                       \
    [KY_UNROLL_##sinks##X##sources] = {sinks, KY_UNROLL_##sinks##X##sources,                       \
                                       KY_KERNEL_ky_direct_##sinks##x##sources##_single},
    [KY_UNROLL_NONE] = {1, KY_UNROLL_NONE, 0},
    [KY_UNROLL_SIMPLE] = {4, KY_UNROLL_SIMPLE, 0},
    [KY_UNROLL_DOUBLE] = {4, KY_UNROLL_DOUBLE, 0},
    [KY_UNROLL_TUNED] = {KY_DIRECT_SINKS, KY_UNROLL_TUNED, 0},
    [KY_UNROLL_1X1] = {1, KY_UNROLL_NONE, 0},
    [KY_UNROLL_4X1] = {4, KY_UNROLL_SIMPLE, 0},
    [KY_UNROLL_4X4] = {4, KY_UNROLL_DOUBLE, 0},
    KY_UNROLLS(ONLY)
#undef ONLY
};

enum { NAMED = KY_UNROLL_TUNED + 1 };
enum softened { SOFT, GUARD, SOURCE_EPS };

static enum softened softened(const struct ky_device_engine *engine)
{
    if (engine->own_eps && engine->parameters->softening_kind == KY_SYMMETRIC)
        return SOURCE_EPS;
    return engine->least_eps2 > (double)KY_CLOSE2 ? SOFT : GUARD;
}

enum ky_status ky_device_direct_check(const struct ky_device_engine *engine, int bodies,
                                      struct ky_error *error)
{
    const struct ky_parameters *parameters = engine->parameters;
    if (parameters->force != KY_DIRECT || unrollings[parameters->unroll].same < NAMED ||
        (parameters->precision == KY_SINGLE && !(bodies && softened(engine) != SOFT)))
        return KY_OK;
    return ky_fail(error, KY_UNSUPPORTED,
                   "this unrolling is compiled for single precision, softened by one length or "
                   "the sink's own: else take --unroll none, simple, double or tuned");
}

/* With the least that the softenings allow. */
static enum ky_kernel_id direct_kernel(const struct ky_device_engine *engine, const struct sum *sum)
{
    const struct unrolling *unrolling = &unrollings[sum->unroll];
    enum ky_kernel_id first = ky_in_precision(KY_KERNEL_ky_direct_none_soft_single, sum->precision);
    if (unrolling->same >= NAMED)
        return (enum ky_kernel_id)unrolling->kernel;
    return (enum ky_kernel_id)((int)first + (int)softened(engine) * NAMED + unrolling->same);
}

/* Sums over all sources for the wanted sinks, into partial sums. */
static enum ky_status launch_sum(struct ky_device_engine *engine, struct ky_card *card,
                                 struct ky_direct_buffers *buffers, const struct sum *sum,
                                 size_t *slices, struct ky_error *error)
{
    enum ky_kernel_id kernel = direct_kernel(engine, sum);
    size_t real4 = ky_real4_bytes(sum->precision), length = engine->n;
    size_t blocks = ky_groups(sum->count, KY_DIRECT_LANES * unrollings[sum->unroll].sinks);
    *slices = 1;
    enum ky_status status = card->gpu->driver->load(card->gpu, kernel, error);
    if (status == KY_OK && sum->unroll == KY_UNROLL_TUNED)
        *slices = best_slices(card->gpu, kernel, engine->n, sum->count, sum->precision, &length);
    if (status == KY_OK)
        status = ky_buffer_need(card->gpu, &buffers->partial, "partial sums", *slices * sum->count,
                                real4, error);
    if (status != KY_OK)
        return status;
    const struct ky_buffer *list = sum->listed ? &buffers->list : &buffers->source;
    uint32_t n = (uint32_t)engine->n, first = (uint32_t)sum->first, count = (uint32_t)sum->count;
    uint32_t slice = (uint32_t)length, flags = (engine->own_eps ? KY_DIRECT_OWN_EPS : 0U) |
                                               (sum->listed ? KY_DIRECT_LISTED : 0U);
    struct ky_eps2_argument eps2 = ky_eps2_argument(engine);
    const struct ky_argument arguments[] = {KY_BUFFER(buffers->source),
                                            KY_BUFFER(buffers->low),
                                            KY_BUFFER(buffers->eps2),
                                            KY_BUFFER(*list),
                                            KY_BUFFER(buffers->partial),
                                            KY_VALUE(n),
                                            KY_VALUE(first),
                                            KY_VALUE(count),
                                            KY_VALUE(slice),
                                            KY_VALUE(flags),
                                            KY_EPS2(eps2, sum->precision)};
    return ky_launch(card, kernel, blocks * *slices, arguments, 11, error);
}

/* The slices' sums to columns of accelerations and potentials, `stride` apart. */
static enum ky_status reduce(const struct ky_device_engine *engine, struct ky_card *card,
                             struct ky_direct_buffers *buffers, const struct sum *sum,
                             size_t slices, struct ky_buffer *acceleration,
                             struct ky_buffer *potential, size_t stride, struct ky_error *error)
{
    uint32_t wide = (uint32_t)stride, first = (uint32_t)sum->first, count = (uint32_t)sum->count,
             parts = (uint32_t)slices;
    union ky_state_value strength = ky_to_state(engine, ky_device_scale(engine).strength);
    const struct ky_argument arguments[] = {KY_BUFFER(buffers->partial),
                                            KY_BUFFER(*acceleration),
                                            KY_BUFFER(*potential),
                                            KY_VALUE(wide),
                                            KY_VALUE(first),
                                            KY_VALUE(count),
                                            KY_VALUE(parts),
                                            KY_VALUE(strength)};
    return ky_launch(card, ky_in_precision(KY_KERNEL_ky_reduce_single, sum->precision),
                     ky_groups(sum->count, 256), arguments, 8, error);
}

/* A card's part of the results to the first card. */
static enum ky_status collect(struct ky_device_engine *engine, struct ky_card *card,
                              const struct sum *sum, struct ky_error *error)
{
    struct ky_card *to = &engine->card[0];
    size_t bytes = sum->count * KY_STATE_BYTES;
    enum ky_status status = KY_OK;
    for (size_t c = 0; c < 4 && status == KY_OK; c++) {
        size_t offset = ((c < 3 ? c * engine->n : 0) + sum->first) * KY_STATE_BYTES;
        struct ky_buffer *from = c < 3 ? &card->acceleration : &card->potential;
        status =
            engine->driver->copy(card->gpu, from, offset, to->gpu,
                                 c < 3 ? &to->acceleration : &to->potential, offset, bytes, error);
    }
    return status;
}

enum ky_status ky_device_direct(struct ky_device_engine *engine, struct ky_error *error)
{
    int precision = engine->parameters->precision;
    struct sum sums[KY_MOST_CARDS];
    enum ky_status status = ky_mark(engine, 0, error);
    if (status == KY_OK)
        status = make_sources(engine, &engine->card[0].direct, precision, error);
    for (size_t k = 1; k < engine->cards && status == KY_OK; k++)
        status = share_sources(engine, &engine->card[k], precision, error);
    for (size_t k = 0; k < engine->cards && status == KY_OK; k++) {
        struct ky_card *card = &engine->card[k];
        size_t slices, first = engine->n * k / engine->cards,
                       end = engine->n * (k + 1) / engine->cards;
        sums[k] = (struct sum){precision, engine->parameters->unroll, first, end - first, 0};
        if (sums[k].count == 0)
            continue;
        status = launch_sum(engine, card, &card->direct, &sums[k], &slices, error);
        if (status == KY_OK)
            status = reduce(engine, card, &card->direct, &sums[k], slices, &card->acceleration,
                            &card->potential, engine->n, error);
    }
    for (size_t k = 1; k < engine->cards && status == KY_OK; k++)
        if (sums[k].count > 0)
            status = collect(engine, &engine->card[k], &sums[k], error);
    double n = (double)engine->n;
    engine->report.body_interactions = n * (n - 1);
    return status == KY_OK ? ky_mark(engine, 1, error) : status;
}

/* ---- the reference of force errors ---- */

static enum ky_status write_list(struct ky_device_engine *engine, struct ky_buffer *buffer,
                                 const size_t *sinks, size_t count, struct ky_error *error)
{
    struct ky_gpu *gpu = engine->card[0].gpu;
    uint32_t *list = ky_allocate(count, sizeof *list);
    if (!list)
        return ky_no_memory(error, "list of sinks", count, sizeof *list);
    enum ky_status status = KY_OK;
    for (size_t k = 0; k < count && status == KY_OK; k++) {
        if (sinks[k] >= engine->n)
            status = ky_fail(error, KY_USAGE, "exact sum for body %zu of %zu bodies", sinks[k],
                             engine->n);
        list[k] = (uint32_t)sinks[k];
    }
    if (status == KY_OK)
        status = ky_buffer_need(gpu, buffer, "list of sinks", count, sizeof *list, error);
    if (status == KY_OK)
        status = engine->driver->write(gpu, buffer, 0, list, count * sizeof *list, error);
    free(list);
    return status;
}

/* `columns` numbers for each sink, column by column, to to[k × columns + c]. */
static enum ky_status read_columns(struct ky_device_engine *engine, const struct ky_buffer *from,
                                   size_t columns, size_t count, double scale, double *to,
                                   struct ky_error *error)
{
    size_t numbers = columns * count;
    if (!to)
        return KY_OK;
    union ky_state_value *values = ky_allocate(numbers, sizeof *values);
    if (!values)
        return ky_no_memory(error, "exact sums", numbers, sizeof *values);
    enum ky_status status =
        engine->driver->read(engine->card[0].gpu, from, 0, values, numbers * KY_STATE_BYTES, error);
    for (size_t k = 0; k < numbers && status == KY_OK; k++)
        to[k % count * columns + k / count] = scale * ky_from_state(engine, values[k]);
    free(values);
    return status;
}

enum ky_status ky_device_exact(struct ky_engine *base, const size_t *sinks, size_t count,
                               double (*acceleration)[3], double *potential, struct ky_error *error)
{
    struct ky_device_engine *engine = (struct ky_device_engine *)base;
    struct ky_card *card = &engine->card[0];
    struct ky_direct_buffers buffers = {0};
    struct ky_buffer accelerations = {0}, potentials = {0};
    struct ky_device_scale scale = ky_device_scale(engine);
    const struct sum sum = {KY_DOUBLE, KY_UNROLL_TUNED, 0, count, 1};
    size_t slices = 1;
    if (count == 0)
        return KY_OK;
    if (!card->gpu->has_double)
        return ky_fail(error, KY_UNSUPPORTED, "%s has no double: no exact sums", card->gpu->name);
    enum ky_status status = write_list(engine, &buffers.list, sinks, count, error);
    if (status == KY_OK)
        status = make_sources(engine, &buffers, KY_DOUBLE, error);
    if (status == KY_OK)
        status = ky_buffer_need(card->gpu, &accelerations, "exact accelerations", 3 * count,
                                KY_STATE_BYTES, error);
    if (status == KY_OK)
        status = ky_buffer_need(card->gpu, &potentials, "exact potentials", count, KY_STATE_BYTES,
                                error);
    if (status == KY_OK)
        status = launch_sum(engine, card, &buffers, &sum, &slices, error);
    if (status == KY_OK)
        status =
            reduce(engine, card, &buffers, &sum, slices, &accelerations, &potentials, count, error);
    if (status == KY_OK)
        status = read_columns(engine, &accelerations, 3, count, scale.acceleration,
                              (double *)acceleration, error);
    if (status == KY_OK)
        status = read_columns(engine, &potentials, 1, count, scale.potential, potential, error);
    release(card->gpu, &buffers);
    ky_buffer_release(card->gpu, &accelerations);
    ky_buffer_release(card->gpu, &potentials);
    return status;
}
