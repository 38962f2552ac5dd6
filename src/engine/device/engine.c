/* The verbs of the engines "cuda" and "opencl": one implementation over two drivers. */
#include "engine/device/device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"

size_t ky_groups(size_t n, size_t lanes)
{
    return (n + lanes - 1) / lanes;
}

enum ky_status ky_launch(struct ky_card *card, enum ky_kernel_id kernel, size_t groups,
                         const struct ky_argument *arguments, size_t count, struct ky_error *error)
{
    const struct ky_driver *driver = card->gpu->driver;
    if (groups == 0)
        return KY_OK;
    enum ky_status status = driver->load(card->gpu, kernel, error);
    if (status != KY_OK)
        return status;
    return driver->launch(card->gpu, kernel, groups, arguments, count, error);
}

enum ky_status ky_mark(struct ky_device_engine *engine, int mark, struct ky_error *error)
{
    enum { ALL_OF_THE_FIRST = 16, THEN_EVERY = 64 };
    if (mark == 0)
        engine->measured = engine->evaluations <= ALL_OF_THE_FIRST ||
                           engine->evaluations % THEN_EVERY == 0 || engine->reported;
    engine->reported &= mark == 0;
    if (!engine->measured)
        return KY_OK;
    return engine->driver->mark(engine->card[0].gpu, mark, error);
}

/* Everything whose size follows from the number of bodies. */
static void release_bodies(struct ky_device_engine *engine)
{
    ky_device_walk_release(engine);
    ky_device_tree_release(engine);
    for (size_t k = 0; k < engine->cards; k++) {
        struct ky_card *card = &engine->card[k];
        struct ky_buffer *buffers[] = {&card->position,    &card->velocity,  &card->mass,
                                       &card->softening,   &card->potential, &card->sums,
                                       &card->acceleration};
        engine->driver->wait(card->gpu, NULL);
        for (size_t b = 0; b < sizeof buffers / sizeof *buffers; b++)
            ky_buffer_release(card->gpu, buffers[b]);
        ky_device_direct_release(card);
    }
}

static void close_engine(struct ky_engine *base)
{
    struct ky_device_engine *engine = (struct ky_device_engine *)base;
    if (!engine)
        return;
    release_bodies(engine);
    for (size_t k = 0; k < engine->cards; k++)
        engine->driver->close(engine->card[k].gpu);
    free(engine);
}

static enum ky_status allocate_bodies(struct ky_device_engine *engine, struct ky_error *error)
{
    enum ky_status status = KY_OK;
    size_t n = engine->n;
    for (size_t k = 0; k < engine->cards && status == KY_OK; k++) {
        struct ky_card *card = &engine->card[k];
        const struct {
            struct ky_buffer *buffer;
            const char *what;
            size_t columns;
            int first_only;
        } wanted[] = {
            {&card->position, "positions", 3, 1},   {&card->velocity, "velocities", 3, 1},
            {&card->mass, "masses", 1, 1},          {&card->acceleration, "accelerations", 3, 0},
            {&card->potential, "potentials", 1, 0},
        };
        for (size_t b = 0; b < sizeof wanted / sizeof *wanted && status == KY_OK; b++)
            if (k == 0 || !wanted[b].first_only)
                status = ky_buffer_need(card->gpu, wanted[b].buffer, wanted[b].what,
                                        wanted[b].columns * n, KY_STATE_BYTES, error);
    }
    return status;
}

/* What a force needs, by name of the method. */
static const struct {
    enum ky_force force;
    enum ky_status (*forces)(struct ky_device_engine *engine, struct ky_error *error);
} methods[] = {
    {KY_DIRECT, ky_device_direct},
    {KY_WALK, ky_device_walk},
    {KY_LIST, ky_device_lists},
};

static int method_of(const struct ky_parameters *parameters)
{
    for (int k = 0; k < (int)(sizeof methods / sizeof *methods); k++)
        if ((int)methods[k].force == parameters->force)
            return k;
    return -1;
}

static enum ky_status check(const struct ky_device_engine *engine, struct ky_error *error)
{
    if (engine->parameters->precision == KY_DOUBLE)
        for (size_t k = 0; k < engine->cards; k++)
            if (!engine->card[k].gpu->has_double)
                return ky_fail(error, KY_UNSUPPORTED, "%s has no double: use --precision extended",
                               engine->card[k].gpu->name);
    if (engine->cards > 1 && engine->parameters->force != KY_DIRECT)
        return ky_fail(error, KY_UNSUPPORTED,
                       "several devices share the exact sum (--force direct) only");
    return ky_device_direct_check(engine, 0, error);
}

static enum ky_status resize(struct ky_engine *base, size_t n, struct ky_error *error)
{
    struct ky_device_engine *engine = (struct ky_device_engine *)base;
    if (n > INT32_MAX)
        return ky_fail(error, KY_UNSUPPORTED, "%zu bodies: engine %s takes up to %d", n,
                       base->verbs->name, INT32_MAX);
    release_bodies(engine);
    engine->n = n;
    engine->has_acceleration = 0;
    return allocate_bodies(engine, error);
}

static enum ky_status open_engine(const struct ky_engine_verbs *verbs,
                                  const struct ky_driver *driver,
                                  const struct ky_parameters *parameters, size_t n,
                                  struct ky_engine **base, struct ky_error *error)
{
    *base = NULL;
    int method = method_of(parameters);
    if (method < 0)
        return ky_fail(error, KY_UNSUPPORTED,
                       "engine %s has no group walk (--force tree): use direct, walk or list",
                       verbs->name);
    struct ky_device_engine *engine = ky_allocate_zeroed(1, sizeof *engine);
    if (!engine)
        return ky_no_memory(error, "device engine", 1, sizeof *engine);
    engine->base.verbs = verbs;
    engine->parameters = parameters;
    engine->driver = driver;
    engine->threads = ky_threads(parameters->threads);
    engine->units = (struct ky_engine_units){1, 1};
    enum ky_status status = ky_device_cards(engine, parameters->engine, error);
    if (status == KY_OK)
        status = check(engine, error);
    if (status == KY_OK)
        status = resize(&engine->base, n, error);
    if (status != KY_OK) {
        close_engine(&engine->base);
        return status;
    }
    snprintf(engine->report.engine, sizeof engine->report.engine, "%s", verbs->name);
    snprintf(engine->report.device, sizeof engine->report.device, "%zu × %.140s", engine->cards,
             engine->card[0].gpu->name);
    *base = &engine->base;
    return KY_OK;
}

static enum ky_status forces(struct ky_engine *base, const struct ky_active *active,
                             struct ky_error *error)
{
    if (active)
        return ky_fail(error, KY_UNSUPPORTED, "engine %s computes the forces of all bodies at once",
                       base->verbs->name);
    struct ky_device_engine *engine = (struct ky_device_engine *)base;
    struct ky_force_report *report = &engine->report;
    enum ky_status status = ky_device_settle(engine, error);
    report->keys = report->sort = report->build = report->moments = report->walk = 0;
    if (engine->parameters->force != KY_DIRECT)
        report->upload = report->download = 0;
    report->body_interactions = report->cell_interactions = 0;
    engine->host.counts = 0; /* of a general walk before */
    engine->evaluations++;
    if (status == KY_OK && engine->n > 0)
        status = methods[method_of(engine->parameters)].forces(engine, error);
    engine->has_acceleration |= status == KY_OK;
    return status;
}

/* What the device itself measured and counted is read here, not in `forces`, which does not wait
 * for the device. */
static void report(struct ky_engine *base, struct ky_force_report *report)
{
    struct ky_device_engine *engine = (struct ky_device_engine *)base;
    *report = engine->report;
    engine->reported = 1;
    if (engine->n > 0)
        report->walk = engine->measured
                           ? report->walk + engine->driver->between(engine->card[0].gpu, 0, 1)
                           : (double)NAN;
    (void)ky_device_walk_report(engine, report, NULL); /* without counts: 0 */
    report->total = report->keys + report->sort + report->build + report->moments + report->walk;
}

static void memory(const struct ky_engine *base, const struct ky_parameters *parameters, size_t n,
                   struct ky_memory *memory)
{
    const struct ky_device_engine *engine = (const struct ky_device_engine *)base;
    enum { COLUMNS = 12 }; /* x v a, mass, potential, softening */
    *memory = (struct ky_memory){.device = (double)n * COLUMNS * KY_STATE_BYTES,
                                 .room = engine->card[0].gpu->memory};
    if (parameters->force == KY_DIRECT)
        memory->device += ky_device_direct_memory(parameters, n);
    else {
        memory->device += ky_device_walk_memory(parameters, n);
        memory->host += (double)n * 5 * sizeof(double) + ky_octree_memory(parameters, n);
        if (parameters->force == KY_LIST)
            ky_device_lists_memory(parameters, n, memory);
    }
}

#define ENGINE(kind)                                                                               \
    static enum ky_status kind##_open(const struct ky_parameters *parameters, size_t n,            \
                                      struct ky_engine **engine, struct ky_error *error)           \
    {                                                                                              \
        return open_engine(&ky_##kind##_engine, &ky_##kind##_driver, parameters, n, engine,        \
                           error);                                                                 \
    }                                                                                              \
    static enum ky_status kind##_device(size_t index, struct ky_device *device)                    \
    {                                                                                              \
        return ky_##kind##_driver.list(index, device);                                             \
    }                                                                                              \
    const struct ky_engine_verbs ky_##kind##_engine = {                                            \
        .name = #kind,                                                                             \
        .device = kind##_device,                                                                   \
        .memory = memory,                                                                          \
        .open = kind##_open,                                                                       \
        .close = close_engine,                                                                     \
        .resize = resize,                                                                          \
        .put = ky_device_put,                                                                      \
        .get = ky_device_fetch,                                                                    \
        .forces = forces,                                                                          \
        .exact = ky_device_exact,                                                                  \
        .kick = ky_device_kick,                                                                    \
        .drift = ky_device_drift,                                                                  \
        .sums = ky_device_sums,                                                                    \
        .walk = ky_device_walk_action,                                                             \
        .report = report,                                                                          \
    };

#ifdef KY_HAVE_CUDA
ENGINE(cuda)
#endif
#ifdef KY_HAVE_OPENCL
ENGINE(opencl)
#endif
