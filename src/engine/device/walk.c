/* The walk of each body by itself (N09, N12): tree from the host, one lane a body. */
#include "engine/device/device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "physics/opening.h"

void ky_device_walk_release(struct ky_device_engine *engine)
{
    struct ky_tree_buffers *walk = &engine->walk;
    struct ky_buffer *buffers[] = {&walk->source,     &walk->low,    &walk->eps2,   &walk->order,
                                   &walk->sink,       &walk->factor, &walk->centre, &walk->link,
                                   &walk->centre_low, &walk->moment, &walk->box,    &walk->counts,
                                   &walk->pairs,      &walk->work,   &walk->bodies, &walk->cells};
    for (size_t k = 0; engine->cards > 0 && k < sizeof buffers / sizeof *buffers; k++)
        ky_buffer_release(engine->card[0].gpu, buffers[k]);
}

double ky_device_walk_memory(const struct ky_parameters *parameters, size_t n)
{
    enum { CELL_BYTES = 32 + 16 + 32 + 32 }; /* centre, link, moments, box */
    double cells = (double)n * fmin(2, 6.0 / parameters->leaf);
    double low = parameters->precision == KY_DOUBLE ? 0 : 4 * sizeof(float);
    return (double)n *
               ((double)ky_real4_bytes(parameters->precision) + low + 2 * sizeof(uint32_t)) +
           cells * CELL_BYTES;
}

/* ---- the factor of the relative opening test, for each sink ---- */

static double floor_of(const double *size, size_t n)
{
    unsigned long long count[KY_OPENING_EXPONENTS] = {0};
    for (size_t i = 0; i < n; i++)
        count[ky_opening_place(size[i])] += size[i] > 0;
    return ky_opening_floor(count);
}

enum ky_status ky_device_factors(struct ky_device_engine *engine, struct ky_error *error)
{
    size_t n = engine->n;
    const struct ky_parameters *parameters = engine->parameters;
    struct ky_host_tree *host = &engine->host;
    double *a = ky_allocate(4 * n, sizeof *a), strength = ky_device_scale(engine).strength;
    enum ky_status status = KY_OK;
    if (!host->factor)
        host->factor = ky_allocate(n, sizeof *host->factor);
    if (!a || !host->factor)
        status = ky_no_memory(error, "accelerations for the opening test", n, 4 * sizeof *a);
    if (status == KY_OK) {
        double *const column[3] = {a, a + n, a + 2 * n};
        status = ky_device_columns(engine, &engine->card[0].acceleration, 3, column, error);
    }
    if (status == KY_OK) {
        double *size = a + 3 * n, per = strength > 0 ? 1 / strength : 0; /* to G = 1 */
#pragma omp parallel for num_threads(engine->threads) if (n > 65536)
        for (size_t i = 0; i < n; i++)
            size[i] = per * sqrt(a[i] * a[i] + a[n + i] * a[n + i] + a[2 * n + i] * a[2 * n + i]);
        double floor = floor_of(size, n);
#pragma omp parallel for num_threads(engine->threads) if (n > 65536)
        for (size_t k = 0; k < n; k++)
            host->factor[k] =
                (float)fmin(ky_opening_relative_factor(parameters->alpha,
                                                       fmax(size[host->tree.order[k]], floor),
                                                       parameters->multipole),
                            1e30);
    }
    free(a);
    return status;
}

static enum ky_status send_factors(struct ky_device_engine *engine, struct ky_error *error)
{
    enum ky_status status = ky_device_factors(engine, error);
    if (status == KY_OK)
        status =
            ky_buffer_fill(engine->card[0].gpu, &engine->walk.factor, "factors of the opening test",
                           engine->host.factor, engine->n, sizeof(float), error);
    return status;
}

/* ---- the walk ---- */

uint32_t ky_device_walk_flags(const struct ky_device_engine *engine,
                              const struct ky_parameters *parameters)
{
    int source_eps = engine->own_eps && parameters->softening_kind == KY_SYMMETRIC;
    return (engine->own_eps ? KY_WALK_OWN_EPS : 0U) | (source_eps ? KY_WALK_SOURCE_EPS : 0U) |
           (parameters->opening == KY_MINIMUM ? KY_WALK_MINIMUM : 0U) |
           (parameters->opening == KY_RELATIVE ? KY_WALK_RELATIVE : 0U) |
           (engine->host.tree.test_box ? KY_WALK_TEST_BOX : 0U) |
           (parameters->curve == KY_CURVE_NONE ? KY_WALK_LISTED : 0U);
}

static enum ky_status launch_walk(struct ky_device_engine *engine,
                                  const struct ky_parameters *parameters, struct ky_error *error)
{
    struct ky_card *card = &engine->card[0];
    struct ky_tree_buffers *walk = &engine->walk;
    uint32_t n = (uint32_t)engine->n, first = 0, flags = ky_device_walk_flags(engine, parameters);
    uint32_t general =
        flags & (KY_WALK_SOURCE_EPS | KY_WALK_MINIMUM | KY_WALK_RELATIVE | KY_WALK_TEST_BOX);
    size_t groups = ky_groups(n, KY_WALK_LANES);
    struct ky_eps2_argument eps2 = ky_eps2_argument(engine);
    union ky_state_value strength = ky_to_state(engine, ky_device_scale(engine).strength);
    enum ky_kernel_id kernel =
        (enum ky_kernel_id)((int)KY_KERNEL_ky_walk_monopole_single +
                            (parameters->multipole > 1 ? 1 : 0) + (general ? 2 : 0));
    enum ky_status status =
        ky_buffer_need(card->gpu, &walk->counts, "counts of pairs", 2 * groups, 8, error);
    const struct ky_buffer *factor = walk->factor.handle ? &walk->factor : &walk->order;
    const struct ky_argument arguments[] = {KY_BUFFER(walk->source),
                                            KY_BUFFER(walk->low),
                                            KY_BUFFER(walk->eps2),
                                            KY_BUFFER(walk->centre),
                                            KY_BUFFER(walk->centre_low),
                                            KY_BUFFER(walk->link),
                                            KY_BUFFER(walk->moment),
                                            KY_BUFFER(walk->box),
                                            KY_BUFFER(*factor),
                                            KY_BUFFER(walk->sink),
                                            KY_BUFFER(walk->order),
                                            KY_BUFFER(card->acceleration),
                                            KY_BUFFER(card->potential),
                                            KY_BUFFER(walk->counts),
                                            KY_VALUE(n),
                                            KY_VALUE(first),
                                            KY_VALUE(n),
                                            KY_VALUE(flags),
                                            KY_EPS2(eps2, parameters->precision),
                                            KY_VALUE(strength)};
    if (status == KY_OK)
        status = ky_launch(card, ky_in_precision(kernel, parameters->precision), groups, arguments,
                           sizeof arguments / sizeof *arguments, error);
    engine->host.counts = status == KY_OK ? groups : 0;
    return status;
}

static enum ky_status evaluate(struct ky_device_engine *engine,
                               const struct ky_parameters *parameters, struct ky_error *error)
{
    enum ky_status status = ky_device_tree_build(engine, parameters, error);
    if (status == KY_OK)
        status = ky_device_tree_send(engine, parameters, 0, error);
    if (status == KY_OK && parameters->opening == KY_RELATIVE)
        status = send_factors(engine, error);
    if (status == KY_OK)
        status = ky_mark(engine, 0, error);
    if (status == KY_OK)
        status = launch_walk(engine, parameters, error);
    return status == KY_OK ? ky_mark(engine, 1, error) : status;
}

enum ky_status ky_device_walk(struct ky_device_engine *engine, struct ky_error *error)
{
    return ky_device_relative(engine, evaluate, error);
}

enum ky_status ky_device_relative(struct ky_device_engine *engine, ky_evaluate_function *by,
                                  struct ky_error *error)
{
    const struct ky_parameters *parameters = engine->parameters;
    if (parameters->opening != KY_RELATIVE || engine->has_acceleration)
        return by(engine, parameters, error);
    struct ky_parameters first = *parameters;
    first.opening = KY_OFFSET;
    enum ky_status status = by(engine, &first, error);
    if (status != KY_OK)
        return status;
    /* The marks and counts are of one pass; the report is of both. */
    engine->report.walk += engine->driver->between(engine->card[0].gpu, 0, 1);
    status = ky_device_walk_report(engine, &engine->report, error);
    engine->host.counts = 0;
    return status == KY_OK ? by(engine, parameters, error) : status;
}

enum ky_status ky_device_walk_report(struct ky_device_engine *engine,
                                     struct ky_force_report *report, struct ky_error *error)
{
    const struct ky_driver *driver = engine->driver;
    struct ky_gpu *gpu = engine->card[0].gpu;
    struct ky_tree_buffers *walk = &engine->walk;
    size_t groups = engine->host.counts;
    uint64_t pairs[2];
    if (groups == 0)
        return KY_OK;
    enum ky_status status = ky_buffer_need(gpu, &walk->pairs, "pairs", 2, sizeof *pairs, error);
    for (size_t k = 0; k < 2 && status == KY_OK; k++)
        status = driver->reduce(gpu, &walk->counts, k * groups, groups, &walk->pairs, k, error);
    if (status == KY_OK)
        status = driver->read(gpu, &walk->pairs, 0, pairs, sizeof pairs, error);
    if (status != KY_OK)
        return status;
    report->body_interactions += (double)(pairs[0] - engine->n); /* not with itself */
    report->cell_interactions += (double)pairs[1];
    return KY_OK;
}
