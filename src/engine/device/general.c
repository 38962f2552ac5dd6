/* The general walk (physics/walk.h) on the device: a lane a sink through the host's tree, with the
 * kernel of the action. What an action needs goes up, its results come back in the caller's order
 * and units. Lists are put into order on the device. */
#include "engine/device/device.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"

/* Bytes for the k nearest of the sinks that are walked for in one launch. */
enum { SPACE = 1 << 28 };

#define ROW(name, needs) KY_KERNEL_ky_general_##name##_single,
static const enum ky_kernel_id kernels[KY_ACTION_COUNT] = {KY_ACTIONS(ROW)};

struct general {
    struct ky_device_engine *engine;
    const struct ky_walk_request *request;
    const struct ky_action_facts *facts;
    size_t real; /* bytes of a number of the kernels */
    size_t most; /* sinks of a launch */
};

static enum ky_status stand_tree(struct ky_device_engine *engine, struct ky_error *error)
{
    struct ky_force_report *report = &engine->report;
    report->keys = report->sort = report->build = report->moments = report->walk = 0;
    if (engine->host.stands)
        return KY_OK;
    enum ky_status status = ky_device_tree_build(engine, engine->parameters, error);
    if (status == KY_OK)
        status = ky_device_tree_send(engine, engine->parameters, 1, error);
    engine->host.stands = status == KY_OK;
    return status;
}

/* ---- what the action needs ---- */

static enum ky_status send_radii(const struct general *walk, struct ky_error *error)
{
    struct ky_device_engine *engine = walk->engine;
    size_t count = walk->request->radii;
    void *radius = ky_allocate(count, walk->real);
    if (!radius)
        return ky_no_memory(error, "radii on their way", count, walk->real);
    for (size_t i = 0; i < count; i++) {
        double value = walk->request->radius[i] / engine->units.length;
        if (walk->real == sizeof(double))
            ((double *)radius)[i] = value;
        else
            ((float *)radius)[i] = (float)value;
    }
    enum ky_status status = ky_buffer_fill(engine->card[0].gpu, &engine->walk.radius, "radii",
                                           radius, count, walk->real, error);
    free(radius);
    return status;
}

static enum ky_status send_offsets(const struct general *walk, struct ky_error *error)
{
    struct ky_device_engine *engine = walk->engine;
    const size_t *given = walk->request->offset;
    size_t count = engine->n + 1, total = given[engine->n];
    uint64_t *offset = ky_allocate(count, sizeof *offset);
    if (!offset)
        return ky_no_memory(error, "offsets on their way", count, sizeof *offset);
    for (size_t i = 0; i < count; i++)
        offset[i] = given[i];
    enum ky_status status =
        ky_buffer_fill(engine->card[0].gpu, &engine->walk.offset, "offsets of the lists", offset,
                       count, sizeof *offset, error);
    free(offset);
    if (status == KY_OK)
        status = ky_buffer_need(engine->card[0].gpu, &engine->walk.list, "neighbour lists", total,
                                sizeof(uint32_t), error);
    return status;
}

static enum ky_status prepare(struct general *walk, struct ky_error *error)
{
    struct ky_device_engine *engine = walk->engine;
    struct ky_gpu *gpu = engine->card[0].gpu;
    const struct ky_action *about = &walk->facts->about;
    enum ky_status status = KY_OK;
    walk->most = ky_groups(engine->n, KY_WALK_LANES) * KY_WALK_LANES;
    if (about->needs_radius)
        status = send_radii(walk, error);
    if (status == KY_OK && about->needs_lists)
        status = send_offsets(walk, error);
    if (status == KY_OK && about->needs_k) {
        size_t fit = SPACE / (walk->request->k * walk->real) / KY_WALK_LANES * KY_WALK_LANES;
        fit = fit < KY_WALK_LANES ? KY_WALK_LANES : fit;
        walk->most = fit < walk->most ? fit : walk->most;
        if (walk->request->k * walk->most > UINT32_MAX) /* what the kernels count with */
            return ky_fail(error, KY_UNSUPPORTED,
                           "%zu nearest neighbours: devices take up to %zu; use --engine cpu",
                           walk->request->k, UINT32_MAX / walk->most);
        status = ky_buffer_need(gpu, &engine->walk.space, "nearest neighbours",
                                walk->request->k * walk->most, walk->real, error);
    }
    if (status == KY_OK)
        status = ky_buffer_need(gpu, &engine->walk.results, "results of the walk",
                                engine->n * about->columns, walk->real, error);
    if (status == KY_OK)
        status = ky_buffer_need(gpu, &engine->walk.counts, "counts of pairs",
                                2 * ky_groups(engine->n, KY_WALK_LANES), sizeof(uint64_t), error);
    engine->host.counts = status == KY_OK ? ky_groups(engine->n, KY_WALK_LANES) : 0;
    return status;
}

/* ---- the walk ---- */

/* A buffer that the action does not use may not be there: any other takes its place. */
static const struct ky_buffer *used(const struct general *walk, const struct ky_buffer *buffer)
{
    return buffer->handle ? buffer : &walk->engine->walk.results;
}

static enum ky_status launch(const struct general *walk, size_t first_sink, struct ky_error *error)
{
    struct ky_device_engine *engine = walk->engine;
    const struct ky_parameters *parameters = engine->parameters;
    struct ky_tree_buffers *b = &engine->walk;
    size_t rest = engine->n - first_sink;
    uint32_t n = (uint32_t)engine->n, first = (uint32_t)first_sink,
             count = (uint32_t)(rest < walk->most ? rest : walk->most),
             flags = ky_device_walk_flags(engine, parameters) |
                     (parameters->multipole > 1 ? KY_WALK_MOMENTS : 0U),
             radii = (uint32_t)walk->request->radii, k = (uint32_t)walk->request->k,
             columns = (uint32_t)walk->facts->about.columns, stride = (uint32_t)walk->most;
    struct ky_eps2_argument eps2 = ky_eps2_argument(engine);
    const struct ky_argument arguments[] = {KY_BUFFER(b->source),
                                            KY_BUFFER(b->low),
                                            KY_BUFFER(b->eps2),
                                            KY_BUFFER(b->centre),
                                            KY_BUFFER(b->centre_low),
                                            KY_BUFFER(b->link),
                                            KY_BUFFER(b->moment),
                                            KY_BUFFER(b->box),
                                            KY_BUFFER(b->order),
                                            KY_BUFFER(*used(walk, &b->radius)),
                                            KY_BUFFER(*used(walk, &b->offset)),
                                            KY_BUFFER(*used(walk, &b->list)),
                                            KY_BUFFER(*used(walk, &b->space)),
                                            KY_BUFFER(b->results),
                                            KY_BUFFER(b->counts),
                                            KY_VALUE(n),
                                            KY_VALUE(first),
                                            KY_VALUE(count),
                                            KY_VALUE(flags),
                                            KY_VALUE(radii),
                                            KY_VALUE(k),
                                            KY_VALUE(columns),
                                            KY_VALUE(stride),
                                            KY_EPS2(eps2, parameters->precision)};
    return ky_launch(
        &engine->card[0], ky_in_precision(kernels[walk->request->action], parameters->precision),
        ky_groups(count, KY_WALK_LANES), arguments, sizeof arguments / sizeof *arguments, error);
}

static enum ky_status order_lists(const struct general *walk, struct ky_error *error)
{
    const struct ky_argument arguments[] = {KY_BUFFER(walk->engine->walk.list),
                                            KY_BUFFER(walk->engine->walk.offset)};
    if (!walk->facts->about.needs_lists)
        return KY_OK;
    return ky_launch(&walk->engine->card[0], KY_KERNEL_ky_order_lists, walk->engine->n, arguments,
                     2, error);
}

static enum ky_status run(const struct general *walk, struct ky_error *error)
{
    enum ky_status status = ky_mark(walk->engine, 0, error);
    for (size_t first = 0; first < walk->engine->n && status == KY_OK; first += walk->most)
        status = launch(walk, first, error);
    if (status == KY_OK)
        status = order_lists(walk, error);
    return status == KY_OK ? ky_mark(walk->engine, 1, error) : status;
}

/* ---- results ---- */

static enum ky_status read_results(const struct general *walk, struct ky_error *error)
{
    const struct ky_device_engine *engine = walk->engine;
    size_t n = engine->n, columns = walk->facts->about.columns;
    if (!walk->request->results)
        return KY_OK;
    void *column = ky_allocate(n, walk->real);
    enum ky_status status = KY_OK;
    if (!column)
        return ky_no_memory(error, "results on their way", n, walk->real);
    for (size_t c = 0; c < columns && status == KY_OK; c++) {
        double unit = ky_action_unit(&walk->facts->results[c], engine->parameters->g,
                                     engine->units.mass, engine->units.length);
        double *to = walk->request->results + c;
        status = engine->driver->read(engine->card[0].gpu, &engine->walk.results,
                                      c * n * walk->real, column, n * walk->real, error);
        for (size_t i = 0; i < n && status == KY_OK; i++)
            to[i * columns] = unit * (walk->real == sizeof(double) ? ((double *)column)[i]
                                                                   : (double)((float *)column)[i]);
    }
    free(column);
    return status;
}

static enum ky_status read_back(const struct general *walk, struct ky_error *error)
{
    struct ky_device_engine *engine = walk->engine;
    enum ky_status status = engine->driver->wait(engine->card[0].gpu, error);
    double start = ky_clock();
    if (status == KY_OK)
        status = read_results(walk, error);
    if (status == KY_OK && walk->facts->about.needs_lists)
        status =
            engine->driver->read(engine->card[0].gpu, &engine->walk.list, 0, walk->request->list,
                                 walk->request->offset[engine->n] * sizeof(uint32_t), error);
    engine->report.download += ky_clock() - start;
    return status;
}

/* What one request needed is not kept: it may be as large as all the rest. */
static void release(const struct general *walk)
{
    struct ky_tree_buffers *b = &walk->engine->walk;
    struct ky_buffer *const buffers[] = {&b->radius, &b->offset, &b->list, &b->space, &b->results};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
        ky_buffer_release(walk->engine->card[0].gpu, buffers[k]);
}

enum ky_status ky_device_walk_action(struct ky_engine *base, const struct ky_walk_request *request,
                                     struct ky_error *error)
{
    struct ky_device_engine *engine = (struct ky_device_engine *)base;
    struct general walk = {.engine = engine,
                           .request = request,
                           .facts = &ky_actions[request->action],
                           .real = ky_real4_bytes(engine->parameters->precision) / 4};
    enum ky_status status = ky_walk_opening_check(request, engine->parameters, error);
    if (status == KY_OK)
        status = ky_device_settle(engine, error);
    engine->evaluations++;
    engine->report.download = engine->report.upload = 0;
    engine->report.body_interactions = engine->report.cell_interactions = 0;
    if (status != KY_OK || engine->n == 0)
        return status;
    status = stand_tree(engine, error);
    if (status == KY_OK)
        status = prepare(&walk, error);
    if (status == KY_OK)
        status = run(&walk, error);
    if (status == KY_OK)
        status = read_back(&walk, error);
    release(&walk);
    return status;
}
