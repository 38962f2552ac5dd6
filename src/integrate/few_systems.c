/* Many systems of few bodies (src/few), each for itself, in the threads of the host. The systems
 * that are expected to take longest begin first. Each thread takes steps of several systems with
 * the same tree and clock at a time. A system has the same bits for any number of threads, and
 * alone. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/sizes.h"
#include "base/threads.h"
#include "few/batch.h"
#include "integrate/few_systems.h"
#include "integrate/few_work.h"
#include "integrate/integrate.h"

enum {
    STEPS_A_LOOK = 512, /* between two looks at the stop flag */
    FEWEST = 3          /* systems of a batch: fewer take their steps one after the other */
};

/* ---- several at a time ---- */

/* A thread's systems on their way, and memory for a batch. They are more than a batch has lanes, so
 * that batches are full although trees differ. */
enum { POOL = 3 * KY_FEW_BATCH };
struct pool {
    size_t count, room;
    struct ky_few_one *one[POOL];
    int kind[POOL];
    struct ky_few_motion before;
    struct ky_few_one memory[POOL];
};

/* The next system that no thread has taken; NULL: there is none. */
static const struct ky_few_order *take(struct ky_few_work *work)
{
    const size_t k = __atomic_fetch_add(&work->taken, 1, __ATOMIC_RELAXED);
    return k < work->systems->count ? &work->order[k] : NULL;
}

/* Fills the pool with systems that have to take a step. */
static void refill(struct ky_few_work *work, struct pool *pool)
{
    const struct ky_few_order *next;
    while (pool->count < pool->room && (next = take(work))) {
        struct ky_few_one *one = pool->one[pool->count];
        ky_few_begin(work, next, one);
        if (ky_few_has_to_step(work, one))
            pool->kind[pool->count++] = ky_few_kind(&one->few);
    }
}

/* The places in the pool of up to a batch of systems of the most frequent kind. */
static size_t choose(const struct pool *pool, size_t *place)
{
    size_t most = 0, count = 0;
    int best = 0;
    for (size_t k = 0; k < pool->count; k++) {
        size_t same = 0;
        for (size_t i = k; i < pool->count; i++)
            same += pool->kind[i] == pool->kind[k];
        if (same > most) {
            most = same;
            best = pool->kind[k];
        }
    }
    for (size_t k = 0; k < pool->count && count < KY_FEW_BATCH; k++)
        if (pool->kind[k] == best)
            place[count++] = k;
    return count;
}

static void step_together(const struct ky_few_work *work, struct pool *pool, const size_t *place,
                          size_t count)
{
    struct ky_few_some some = {.count = count};
    for (size_t l = 0; l < count; l++) {
        struct ky_few_one *one = pool->one[place[l]];
        some.few[l] = &one->few;
        some.until[l] = work->systems->time[one->next];
    }
    /* a pair that may escape is tested after each step */
    const size_t most = isinf(work->settings.apart) ? STEPS_A_LOOK : 1;
    ky_few_advance(&some, most, work->steps, &pool->before);
    for (size_t l = 0; l < count; l++)
        if (some.is_lost[l])
            pool->one[place[l]]->end = KY_FEW_LOST;
}

/* Removes systems that have ended, the last place first, and sorts the others anew. */
static void look(struct ky_few_work *work, struct pool *pool, const size_t *place, size_t count)
{
    for (size_t l = count; l-- > 0;) {
        const size_t k = place[l];
        struct ky_few_one *one = pool->one[k];
        if (ky_few_has_to_step(work, one)) {
            pool->kind[k] = ky_few_kind(&one->few);
            continue;
        }
        const size_t last = --pool->count;
        pool->one[k] = pool->one[last];
        pool->kind[k] = pool->kind[last];
        pool->one[last] = one;
    }
}

static void advance_together(struct ky_few_work *work, struct pool *pool)
{
    size_t place[KY_FEW_BATCH];
    pool->count = 0;
    for (size_t k = 0; k < POOL; k++)
        pool->one[k] = &pool->memory[k];
    for (;;) {
        refill(work, pool);
        if (!pool->count || ky_halted(&work->halt))
            return;
        const size_t count = choose(pool, place);
        if (count < FEWEST)
            for (size_t l = 0; l < count; l++)
                ky_few_step_alone(work, pool->one[place[l]]);
        else
            step_together(work, pool, place, count);
        look(work, pool, place, count);
    }
}

/* ---- all systems ---- */

/* The steps that a started system is expected to take, times its pairs. */
static double cost_of(const struct ky_few_systems *all, const struct ky_few *few)
{
    const double span = all->times ? fabs(all->time[all->times - 1] - all->begin) : 0,
                 step = fabs(few->longest) * ky_few_rate(&few->system), n = (double)all->bodies;
    const double cost = few->clock == KY_FEW_FREE ? 1 : 1 + n * n * span / step;
    return isfinite(cost) ? cost : 1;
}

static int compare(const void *a, const void *b)
{
    const struct ky_few_order *one = a, *other = b;
    if (one->cost != other->cost)
        return one->cost < other->cost ? 1 : -1;
    return (one->system > other->system) - (one->system < other->system);
}

/* Checks all systems, and sorts them by the expected work. */
static enum ky_status prepare(struct ky_few_work *work, struct ky_error *error)
{
    const size_t count = work->systems->count;
    size_t bad = count;
#pragma omp parallel for schedule(dynamic, 64) num_threads(work->threads) reduction(min : bad)
    for (size_t s = 0; s < count; s++) {
        struct ky_few few;
        work->order[s].system = s;
        if (ky_few_start_of(work, s, &few, NULL))
            bad = s < bad ? s : bad;
        else
            work->order[s].cost = cost_of(work->systems, &few);
    }
    if (bad < count) {
        struct ky_few few;
        struct ky_error why = {0};
        const enum ky_status status = ky_few_start_of(work, bad, &few, &why);
        return ky_fail(error, status, "system %zu: %.900s", bad, why.text);
    }
    for (size_t s = 0; s < count; s++)
        work->cost += work->order[s].cost;
    qsort(work->order, count, sizeof *work->order, compare);
    return KY_OK;
}

/* Every thread takes systems in the order of their work. */
static enum ky_status advance_all(struct ky_few_work *work, struct ky_error *error)
{
    const size_t count = work->systems->count, threads = (size_t)work->threads,
                 each = count / threads + 1;
    char *memory =
        ky_allocate(threads, work->steps ? sizeof(struct pool) : sizeof(struct ky_few_one));
    if (!memory)
        return ky_no_memory(error, "systems", threads, sizeof(struct pool));
    work->told = ky_clock();
#pragma omp parallel for schedule(static, 1) num_threads(work->threads)
    for (size_t k = 0; k < threads; k++)
        if (work->steps) {
            struct pool *pool = (struct pool *)(void *)memory + k;
            pool->room = each < POOL ? each : POOL;
            advance_together(work, pool);
        } else {
            const struct ky_few_order *next;
            while (!ky_halted(&work->halt) && (next = take(work)))
                ky_few_alone(work, next, (struct ky_few_one *)(void *)memory + k);
        }
    free(memory);
    return KY_OK;
}

static enum ky_status advance(struct ky_few_work *work, struct ky_error *error)
{
    const struct ky_few_systems *all = work->systems;
    work->order = ky_allocate(all->count, sizeof *work->order);
    if (!work->order)
        return ky_no_memory(error, "systems", all->count, sizeof *work->order);
    enum ky_status status = prepare(work, error);
    if (!status)
        status = work->device && all->times && all->bodies > 1 ? ky_few_on_device(work, error)
                                                               : advance_all(work, error);
    free(work->order);
    if (!status)
        status = ky_halt_check(&work->halt, error);
    if (!status && all->tell)
        all->tell(all->context, 1);
    return status;
}

/* ---- checks ---- */

/* KY_USAGE for options that no system heeds. */
static enum ky_status refuse(const struct ky_parameters *parameters, struct ky_error *error)
{
    const struct {
        const char *name;
        int given;
    } options[] = {{"step", !isnan(parameters->step)},
                   {"stop-pair", !isnan(parameters->stop_pair)},
                   {"stop-box", !isnan(parameters->stop_box)},
                   {"box", parameters->box > 0},
                   {"expansion", parameters->expansion != NULL}};
    for (size_t k = 0; k < sizeof options / sizeof *options; k++)
        if (options[k].given)
            return ky_fail(error, KY_USAGE,
                           "--%s has no effect on systems of few bodies: leave it "
                           "out",
                           options[k].name);
    return KY_OK;
}

static enum ky_status settle(const struct ky_parameters *given, struct ky_parameters *own,
                             struct ky_error *error)
{
    struct ky_parameters all;
    ky_parameters_defaults(&all);
    KY_TRY(ky_size_adopt(&all, sizeof all, given, "ky_parameters_defaults", error));
    all.integrator = KY_FEW;
    KY_TRY(ky_parameters_resolve(&all, own, error));
    return refuse(own, error);
}

static enum ky_status check_arrays(const struct ky_few_systems *all,
                                   const struct ky_parameters *parameters, struct ky_error *error)
{
    if (all->bodies > KY_FEW_MOST)
        return ky_fail(error, KY_UNSUPPORTED, "%zu bodies in a system; at most %d are possible",
                       all->bodies, KY_FEW_MOST);
    if ((all->count && all->bodies && !(all->mass && all->position && all->velocity)) ||
        (all->times && !all->time))
        return ky_fail(error, KY_USAGE, "the systems lack masses, positions, velocities or times");
    if (all->count > SIZE_MAX / (KY_FEW_MOST * sizeof(double[3])))
        return ky_fail(error, KY_USAGE, "%zu systems are too many", all->count);
    if (parameters->stop_collision && isnan(parameters->body_radius) && !all->radius)
        return ky_fail(error, KY_USAGE,
                       "--stop-collision needs radii: give --body-radius, or radii of the bodies");
    for (size_t i = 0; all->radius && i < all->count * all->bodies; i++)
        if (!(all->radius[i] >= 0 && isfinite(all->radius[i])))
            return ky_fail(error, KY_BAD_DATA,
                           "system %zu: body %zu has the radius %g; it must be finite and not "
                           "negative",
                           i / all->bodies, i % all->bodies, all->radius[i]);
    return KY_OK;
}

/* Opens the device that the caller names, or finds the lanes of the CPU. */
static enum ky_status open_processor(struct ky_few_work *work,
                                     const struct ky_parameters *parameters, struct ky_error *error)
{
    const struct ky_few_systems *all = work->systems;
    KY_TRY(ky_few_device_open(parameters, &work->device, error));
    if (work->device && all->bodies > KY_FEW_ON_DEVICE)
        return ky_fail(error, KY_UNSUPPORTED,
                       "--engine %s: a device advances systems of at most %d bodies; use --engine "
                       "cpu",
                       parameters->engine, KY_FEW_ON_DEVICE);
    const struct ky_few_kind kind = {all->bodies, work->settings.radii > 0};
    if (work->device && work->device->in_floats && all->bodies > 1 && !ky_few_is_pairs(&kind))
        return ky_fail(error, KY_UNSUPPORTED,
                       "--engine %s: the device has no double, so that it advances only pairs, "
                       "without --stop-collision; use --engine cpu",
                       parameters->engine);
    if (!work->device && all->bodies >= 2 && all->bodies <= KY_FEW_BATCH_MOST &&
        !work->settings.radii)
        KY_TRY(ky_cpu_few(parameters, &work->steps, error));
    return KY_OK;
}

/* KY_USAGE for times that do not ascend or descend from the beginning. */
static enum ky_status check_times(const struct ky_few_systems *all, struct ky_error *error)
{
    double before = all->begin;
    if (!isfinite(all->begin))
        return ky_fail(error, KY_USAGE, "the systems begin at time %g; it must be finite",
                       all->begin);
    for (size_t k = 0; k < all->times; before = all->time[k++]) {
        const double whole_way = all->time[all->times - 1] - all->begin;
        if (!isfinite(all->time[k]) || (all->time[k] - before) * copysign(1, whole_way) < 0)
            return ky_fail(error, KY_USAGE,
                           "time %zu is %g after %g; times must be finite, and all ascend or all "
                           "descend from the beginning",
                           k, all->time[k], before);
    }
    return KY_OK;
}

enum ky_status ky_few_integrate(const struct ky_parameters *parameters,
                                const struct ky_few_systems *systems, struct ky_error *error)
{
    struct ky_parameters own;
    struct ky_few_systems all = {.size = sizeof all};
    KY_NEED(parameters, error);
    KY_NEED(systems, error);
    KY_TRY(ky_size_adopt(&all, sizeof all, systems, "the caller", error));
    KY_TRY(settle(parameters, &own, error));
    KY_TRY(check_arrays(&all, &own, error));
    KY_TRY(check_times(&all, error));
    const int has_one = !isnan(own.body_radius);
    struct ky_few_work work = {.systems = &all,
                               .settings = ky_few_settings_of(&own),
                               .radius = has_one ? &own.body_radius : all.radius,
                               .halt.flag = own.stop,
                               .threads = ky_threads(own.threads)};
    work.settings.most = STEPS_A_LOOK;
    work.settings.backwards = all.times && all.time[all.times - 1] < all.begin;
    work.settings.apart = /* 0 would mean never */
        isnan(own.stop_escape) ? (double)INFINITY : fmax(own.stop_escape, DBL_MIN);
    if (own.stop_collision) {
        work.settings.radius = work.radius;
        work.settings.radii = has_one ? 1 : all.bodies;
    }
    enum ky_status status = open_processor(&work, &own, error);
    if (!status)
        status = advance(&work, error);
    if (work.device)
        work.device->verbs->close(work.device);
    return status;
}
