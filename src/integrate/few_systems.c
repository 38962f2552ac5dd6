/* Many systems of few bodies (src/few), each for itself, in the threads of the host. The systems
 * that are expected to take longest begin first. A system has the same bits for any number of
 * threads, and alone. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/halt.h"
#include "base/memory.h"
#include "base/sizes.h"
#include "base/threads.h"
#include "integrate/few_systems.h"
#include "integrate/integrate.h"

enum { STEPS_A_LOOK = 512 /* between two looks at the stop flag */ };
/* All work, in the units of `done`. */
static const double whole = 1e15;
/* [s] between two calls of `tell`. */
static const double often = 0.1;

struct order {
    double cost; /* of the system, relative to others */
    size_t system;
};

struct work {
    const struct ky_few_systems *systems;
    struct ky_few_settings settings;
    const double *radius; /* [count × bodies] or one for all; NULL: none */
    struct ky_halt halt;
    struct order *order; /* [count] */
    double cost;         /* of all systems */
    uint64_t done;       /* of `whole` */
    size_t finished;     /* systems */
    double told;         /* when `tell` was called last */
    int is_telling, threads;
};

/* ---- one system ---- */

/* A system on its way, and its state at the time that is asked for. */
struct one {
    size_t system;
    struct ky_few few, before;     /* before: at the beginning of the step with the contact */
    struct ky_few_contact contact; /* body[0] is -1: none yet */
    const struct ky_few *shown;    /* has the bodies at `time` */
    double time, energy;
    enum ky_few_end end;
};

static enum ky_status start(const struct work *work, size_t system, struct ky_few *few,
                            struct ky_error *error)
{
    const struct ky_few_systems *all = work->systems;
    const size_t first = system * all->bodies;
    const struct ky_bodies bodies = {.n = all->bodies,
                                     .mass = (double *)all->mass + first,
                                     .position = (double(*)[3])all->position + first,
                                     .velocity = (double(*)[3])all->velocity + first};
    struct ky_few_settings settings = work->settings;
    if (settings.radii > 1)
        settings.radius = work->radius + first;
    return ky_few_start(few, &settings, &bodies, all->begin, error);
}

/* How far `time` is behind the contact that was found. */
static double behind_contact(const struct one *one, double time)
{
    return (one->few.settings.backwards ? -1 : 1) * (time - one->contact.time);
}

/* Advances a system to a time, or to its end. */
static void go(struct one *one, double time, struct ky_halt *halt)
{
    struct ky_few *few = &one->few;
    one->shown = few;
    one->time = time;
    while (one->contact.body[0] < 0 && ky_few_ahead(few, time) > 0 && !ky_halted(halt)) {
        if (ky_few_is_apart(few)) {
            one->end = KY_FEW_ESCAPE;
            one->time = few->system.t[0];
            return;
        }
        if (ky_few_go(few, time, &one->before, &one->contact, NULL)) {
            one->end = KY_FEW_LOST;
            return;
        }
    }
    if (one->contact.body[0] < 0 || behind_contact(one, time) < 0)
        return;
    one->shown = &one->before;
    one->end = KY_FEW_COLLISION;
    one->time = one->contact.time;
}

/* Writes the state at the time with this index. */
static void show(const struct ky_few_systems *all, const struct one *one, size_t index)
{
    const size_t first = (index * all->count + one->system) * all->bodies;
    double x[KY_FEW_MOST][3], v[KY_FEW_MOST][3];
    if (one->end != KY_FEW_LOST)
        ky_few_at(one->shown, one->time, x, v);
    for (size_t i = 0; i < all->bodies; i++)
        for (int c = 0; c < 3; c++) {
            const int is_lost = one->end == KY_FEW_LOST;
            if (all->positions)
                all->positions[first + i][c] = is_lost ? (double)NAN : x[i][c];
            if (all->velocities)
                all->velocities[first + i][c] = is_lost ? (double)NAN : v[i][c];
        }
}

/* The relative change of the energy; NaN for a system that is lost. */
static double energy_change(const struct one *one)
{
    const struct ky_few *now = one->shown;
    if (one->end == KY_FEW_LOST)
        return (double)NAN;
    return now->clock == KY_FEW_FREE
               ? 0 /* its bodies, which have no mass or are one, move on straight lines */
               : (ky_few_energy(&now->system) - one->energy) / fabs(one->energy);
}

static void report(const struct ky_few_systems *all, const struct one *one)
{
    const size_t s = one->system;
    const int touches = one->end == KY_FEW_COLLISION;
    if (all->ended)
        all->ended[s] = one->end == KY_FEW_LOST ? (double)NAN : one->time;
    if (all->end)
        all->end[s] = (int)one->end;
    for (int k = 0; k < 2 && all->touching; k++)
        all->touching[s][k] = touches ? one->contact.body[k] : -1;
    if (all->energy_change)
        all->energy_change[s] = energy_change(one);
    if (all->steps)
        all->steps[s] = one->few.steps;
}

static void advance_one(struct work *work, size_t system)
{
    const struct ky_few_systems *all = work->systems;
    struct one one = {.system = system, .contact.body = {-1, -1}, .time = all->begin};
    one.shown = &one.few;
    start(work, system, &one.few, NULL); /* it has succeeded before */
    one.energy = ky_few_energy(&one.few.system);
    for (size_t k = 0; k < all->times; k++) {
        if (one.end == KY_FEW_AT_TIME)
            go(&one, all->time[k], &work->halt);
        if (ky_halted(&work->halt))
            return;
        show(all, &one, k);
    }
    report(all, &one);
}

/* ---- all systems ---- */

/* Adds a system to the work done, and calls `tell` if it is time; one thread at a time. */
static void note(struct work *work, const struct order *order)
{
    const struct ky_few_systems *all = work->systems;
    const uint64_t part = (uint64_t)(whole * order->cost / work->cost);
    const uint64_t done = __atomic_add_fetch(&work->done, part, __ATOMIC_RELAXED);
    const size_t finished = __atomic_add_fetch(&work->finished, 1, __ATOMIC_RELAXED);
    if (!all->tell || finished == all->count ||
        __atomic_exchange_n(&work->is_telling, 1, __ATOMIC_ACQUIRE))
        return;
    if (ky_clock() - work->told >= often) {
        all->tell(all->context, fmin(1, (double)done / whole));
        work->told = ky_clock();
    }
    __atomic_store_n(&work->is_telling, 0, __ATOMIC_RELEASE);
}

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
    const struct order *one = a, *other = b;
    if (one->cost != other->cost)
        return one->cost < other->cost ? 1 : -1;
    return (one->system > other->system) - (one->system < other->system);
}

/* Checks all systems, and sorts them by the expected work. */
static enum ky_status prepare(struct work *work, struct ky_error *error)
{
    const size_t count = work->systems->count;
    size_t bad = count;
#pragma omp parallel for schedule(dynamic, 64) num_threads(work->threads) reduction(min : bad)
    for (size_t s = 0; s < count; s++) {
        struct ky_few few;
        work->order[s].system = s;
        if (start(work, s, &few, NULL))
            bad = s < bad ? s : bad;
        else
            work->order[s].cost = cost_of(work->systems, &few);
    }
    if (bad < count) {
        struct ky_few few;
        struct ky_error why = {0};
        const enum ky_status status = start(work, bad, &few, &why);
        return ky_fail(error, status, "system %zu: %.900s", bad, why.text);
    }
    for (size_t s = 0; s < count; s++)
        work->cost += work->order[s].cost;
    qsort(work->order, count, sizeof *work->order, compare);
    return KY_OK;
}

static enum ky_status advance(struct work *work, struct ky_error *error)
{
    const struct ky_few_systems *all = work->systems;
    work->order = ky_allocate(all->count, sizeof *work->order);
    if (!work->order)
        return ky_no_memory(error, "systems", all->count, sizeof *work->order);
    enum ky_status status = prepare(work, error);
    const size_t count = status ? 0 : all->count;
    work->told = ky_clock();
#pragma omp parallel for schedule(dynamic, 1) num_threads(work->threads)
    for (size_t k = 0; k < count; k++)
        if (!ky_halted(&work->halt)) {
            advance_one(work, work->order[k].system);
            note(work, &work->order[k]);
        }
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
    KY_TRY(refuse(own, error));
    if (own->engine && strcmp(own->engine, "auto") != 0 && strcmp(own->engine, "cpu") != 0)
        return ky_fail(error, KY_UNSUPPORTED,
                       "--engine %s: systems of few bodies are advanced by the CPU", own->engine);
    return KY_OK;
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
    struct work work = {.systems = &all,
                        .settings = ky_few_settings_of(&own),
                        .radius = has_one ? &own.body_radius : all.radius,
                        .halt.flag = own.stop,
                        .threads = ky_threads(own.threads)};
    work.settings.most = STEPS_A_LOOK;
    work.settings.backwards = all.times && all.time[all.times - 1] < all.begin;
    work.settings.apart = isnan(own.stop_escape) ? (double)INFINITY : own.stop_escape;
    if (own.stop_collision) {
        work.settings.radius = work.radius;
        work.settings.radii = has_one ? 1 : all.bodies;
    }
    return advance(&work, error);
}
