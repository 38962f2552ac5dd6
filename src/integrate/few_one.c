/* One of many systems of few bodies (few_work.h): its beginning, its steps, and the results that
 * the caller gets of it. */
#include <math.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/status.h"
#include "integrate/few_work.h"
#include "integrate/integrate.h"

/* All work, in the units of `done`. */
static const double whole = 1e15;
/* [s] between two calls of `tell`. */
static const double often = 0.1;

/* Adds a system to the work done, and calls `tell` if it is time; one thread at a time. */
static void note(struct ky_few_work *work, const struct ky_few_order *order)
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

enum ky_status ky_few_start_of(const struct ky_few_work *work, size_t system, struct ky_few *few,
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
static double behind_contact(const struct ky_few_one *one, double time)
{
    return (one->few.settings.backwards ? -1 : 1) * (time - one->contact.time);
}

/* 1 if a system has reached a time, or its end before it; 0: it has to take a step. */
static int has_reached(struct ky_few_one *one, double time)
{
    struct ky_few *few = &one->few;
    one->shown = few;
    one->time = time;
    if (few->clock == KY_FEW_FREE)
        ky_few_synchronise(few, time);
    if (one->contact.body[0] >= 0) {
        if (behind_contact(one, time) >= 0) {
            one->shown = &one->before;
            one->end = KY_FEW_COLLISION;
            one->time = one->contact.time;
        }
        return 1;
    }
    if (!(ky_few_ahead(few, time) > 0))
        return 1;
    if (!ky_few_is_apart(few))
        return 0;
    one->end = KY_FEW_ESCAPE;
    one->time = few->system.t[0];
    return 1;
}

/* Writes the state at the time with this index. */
static void show(const struct ky_few_systems *all, const struct ky_few_one *one, size_t index)
{
    const size_t first = (index * all->count + one->order->system) * all->bodies;
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
static double energy_change(const struct ky_few_one *one)
{
    const struct ky_few *now = one->shown;
    if (one->end == KY_FEW_LOST)
        return (double)NAN;
    return now->clock == KY_FEW_FREE
               ? 0 /* its bodies, which have no mass or are one, move on straight lines */
               : (ky_few_energy(&now->system) - one->energy) / fabs(one->energy);
}

static void report(const struct ky_few_systems *all, const struct ky_few_one *one)
{
    const size_t s = one->order->system;
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

void ky_few_begin(const struct ky_few_work *work, const struct ky_few_order *order,
                  struct ky_few_one *one)
{
    one->order = order;
    one->contact.body[0] = one->contact.body[1] = -1;
    one->next = 0;
    one->end = KY_FEW_AT_TIME;
    one->time = work->systems->begin;
    one->shown = &one->few;
    ky_few_start_of(work, order->system, &one->few, NULL); /* it has succeeded before */
    one->energy = ky_few_energy(&one->few.system);
}

int ky_few_show(const struct ky_few_work *work, struct ky_few_one *one)
{
    if (one->end == KY_FEW_AT_TIME && !has_reached(one, work->systems->time[one->next]))
        return 0;
    show(work->systems, one, one->next++);
    return 1;
}

void ky_few_report(struct ky_few_work *work, const struct ky_few_one *one)
{
    report(work->systems, one);
    note(work, one->order);
}

int ky_few_has_to_step(struct ky_few_work *work, struct ky_few_one *one)
{
    while (one->next < work->systems->times)
        if (!ky_few_show(work, one))
            return 1;
    ky_few_report(work, one);
    return 0;
}

void ky_few_step_alone(const struct ky_few_work *work, struct ky_few_one *one)
{
    if (ky_few_go(&one->few, work->systems->time[one->next], &one->before, &one->contact, NULL))
        one->end = KY_FEW_LOST;
}

void ky_few_alone(struct ky_few_work *work, const struct ky_few_order *order,
                  struct ky_few_one *one)
{
    ky_few_begin(work, order, one);
    while (!ky_halted(&work->halt) && ky_few_has_to_step(work, one))
        ky_few_step_alone(work, one);
}
