/* Common code of integrators with a step for each body. */
#include "integrate/own_steps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bodies.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/status.h"
#include "physics/block.h"
#include "physics/space.h"

uint64_t ky_own_steps_stride(const struct ky_parameters *parameters, double step, int levels)
{
    uint64_t ticks = 1;
    if (isnan(parameters->step_min) || isnan(step))
        return (uint64_t)1 << levels;
    while (ticks >> KY_MOST_LEVELS == 0 &&
           fabs(step) / (double)(2 * ticks) >= parameters->step_min * (1 - 1e-12))
        ticks *= 2;
    return ticks;
}

double ky_own_steps_suggest(const struct ky_parameters *parameters, const struct ky_scales *scales)
{
    const double sixteenth = scales->crossing_time / 16;
    if (!isnan(parameters->step_max))
        return parameters->step_max;
    return sixteenth > 0 && isfinite(sixteenth) ? exp2(floor(log2(sixteenth))) : scales->step;
}

static enum ky_status check_length(const char *name, double value, struct ky_error *error)
{
    if (isnan(value) || (value > 0 && isfinite(value)))
        return KY_OK;
    return ky_fail(error, KY_USAGE, "%s %g; it must be more than 0", name, value);
}

enum ky_status ky_own_steps_check(const struct ky_parameters *parameters, struct ky_error *error)
{
    const double step = fabs(parameters->step), least = parameters->step_min,
                 most = isnan(step) ? parameters->step_max : step;
    KY_TRY(check_length("--step-max", parameters->step_max, error));
    KY_TRY(check_length("--step-min", least, error));
    if (step > parameters->step_max * (1 + 1e-12))
        return ky_fail(error, KY_USAGE, "the longest step %g is above --step-max %g", step,
                       parameters->step_max);
    if (least > most)
        return ky_fail(error, KY_USAGE, "--step-min %g is above the longest step %g", least, most);
    if (most / least > ldexp(1, KY_MOST_LEVELS))
        return ky_fail(error, KY_USAGE, "--step-min %g is less than the longest step %g over 2^%d",
                       least, most, KY_MOST_LEVELS);
    return KY_OK;
}

enum ky_status ky_own_steps_create(const struct ky_own_steps *own, size_t size,
                                   const struct ky_parameters *parameters,
                                   struct ky_integrator_state **integrator, struct ky_error *error)
{
    struct ky_own_steps *made;
    KY_TRY(ky_array_zeroed(&made, 1, size, "integrator", error));
    *made = *own;
    made->base.stride = own->base.verbs->stride(parameters, parameters->step);
    made->base.tick = parameters->step / (double)made->base.stride;
    made->base.patience = 0.25;
    made->eta = parameters->eta;
    *integrator = &made->base;
    return ky_is_comoving(parameters) ? ky_expansion_read(parameters->expansion, &parameters->units,
                                                          &made->expansion, error)
                                      : KY_OK;
}

/* ---- the pair with the shortest steps ---- */

static double distance2(const struct ky_bodies *bodies, size_t i, size_t j)
{
    double r2 = 0;
    for (int c = 0; c < 3; c++)
        r2 += pow(KY_APART(bodies->position[j][c], bodies->position[i][c]), 2);
    return r2;
}

/* Returns the body with the largest m/r² at body i; i itself if there is no other body. */
static size_t partner(const struct ky_bodies *bodies, size_t i)
{
    size_t best = i;
    double most = -1;
    for (size_t j = 0; j < bodies->n; j++) {
        const double pull = bodies->mass[j] / distance2(bodies, i, j);
        if (j != i && pull > most)
            most = pull, best = j;
    }
    return best;
}

/* The first body with the shortest step. */
static size_t quickest(const double *step, size_t n)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        best = fabs(step[i]) < fabs(step[best]) ? i : best;
    return best;
}

enum ky_status ky_own_steps_note(struct ky_own_steps *own, size_t i, struct ky_error *error)
{
    const size_t n = own->n;
    struct ky_integrator_report *report = &own->report;
    struct ky_bodies bodies = {0};
    double *step = ky_allocate(n, sizeof *step);
    enum ky_status status = step ? ky_bodies_allocate(&bodies, n, 0, error)
                                 : ky_no_memory(error, "steps of bodies", n, sizeof *step);
    if (!status)
        status = ky_engine_get(own->engine, &bodies, error);
    if (!status)
        status = ky_engine_get_column(own->engine, KY_COLUMN_STEP, step, error);
    if (!status) {
        i = i < n ? i : quickest(step, n);
        report->close[0] = i;
        report->close[1] = partner(&bodies, i);
        report->apart = sqrt(distance2(&bodies, i, report->close[1]));
        report->least = fabs(step[i]);
    }
    ky_bodies_free(&bodies);
    free(step);
    return status;
}

/* The same for the body with the shortest step, for a message. If ranks share the bodies, or after
 * a failure, the report has no pair: `least` is NaN. */
static void note_quickest(struct ky_own_steps *own)
{
    struct ky_error error;
    if (ky_engine_writes(own->engine) || ky_own_steps_note(own, own->n, &error))
        own->report.least = (double)NAN;
}

/* ---- a call that may take long ---- */

/* Blocks until the first look, and the largest number of blocks between two looks. */
enum { FIRST_BLOCKS = 64, MOST_BLOCKS = 1 << 16 };
/* Seconds between two looks, about. */
static const double look_every = 0.05;
/* A longest step may take LOOKS_A_STEP · MOST_BLOCKS = 2e9 blocks, which take hours. */
enum { LOOKS_A_STEP = 1 << 15 };

/* State between two calls of the engine. */
struct watch {
    double clock;           /* at the last look [s] */
    double asked;           /* when the call was first asked to end [s]; NaN: it was not */
    uint64_t blocks, ticks; /* since the progress was last checked */
};

/* Blocks until the next look. */
static uint64_t next_blocks(struct watch *watch, uint64_t blocks)
{
    const double now = ky_clock(), took = now - watch->clock;
    watch->clock = now;
    if (took > 2 * look_every)
        return blocks > 1 ? blocks / 2 : 1;
    return took < look_every / 2 && blocks < MOST_BLOCKS ? 2 * blocks : blocks;
}

/* 1 if the call ends here, before its end. */
static int is_over(const struct ky_own_steps *own, struct watch *watch,
                   const struct ky_advance *way)
{
    const struct ky_integrator_state *base = &own->base;
    if (!base->is_over || !base->is_over(base->is_over_context))
        return 0;
    if (isnan(watch->asked))
        watch->asked = watch->clock;
    return way->now % way->stride == 0 ||
           (way->whole && watch->clock - watch->asked >= base->patience);
}

static enum ky_status fail_stuck(struct ky_own_steps *own, const struct ky_advance *way,
                                 const struct watch *watch, struct ky_error *error)
{
    const double tick = fabs(way->tick);
    const uint64_t *id = own->base.id;
    const size_t *close = own->report.close;
    char pair[80] = "";
    note_quickest(own);
    if (!isnan(own->report.least))
        snprintf(pair, sizeof pair, " (bodies %llu and %llu first)",
                 (unsigned long long)(id ? id[close[0]] : close[0]),
                 (unsigned long long)(id ? id[close[1]] : close[1]));
    return ky_fail(
        error, KY_BAD_DATA,
        "%llu blocks of steps have advanced the bodies by %g: the forces%s require steps "
        "of %g, too short for a longest step of %g; check fields, masses and "
        "softening, or give a shorter --step-max",
        (unsigned long long)watch->blocks, tick * (double)watch->ticks, pair,
        tick * (double)way->shortest, tick * (double)way->stride);
}

/* Every MOST_BLOCKS blocks: KY_BAD_DATA if all bodies want steps so short that the call would never
 * end, as in an absurdly strong field, and for positions that are not finite, which ask for steps
 * of any length. */
static enum ky_status check_progress(struct ky_own_steps *own, struct watch *watch,
                                     const struct ky_advance *way, struct ky_error *error)
{
    if (watch->blocks < MOST_BLOCKS)
        return KY_OK;
    own->report.stuck = (double)watch->ticks / (double)watch->blocks <
                        (double)way->stride / LOOKS_A_STEP / MOST_BLOCKS;
    if (own->report.stuck)
        return fail_stuck(own, way, watch, error);
    watch->blocks = watch->ticks = 0;
    struct ky_bodies bodies = {.n = own->n, .position = ky_allocate(own->n, 3 * sizeof(double))};
    const enum ky_status status =
        bodies.position ? ky_engine_get(own->engine, &bodies, error)
                        : ky_no_memory(error, "positions", own->n, 3 * sizeof(double));
    free(bodies.position);
    return status;
}

/* Advances to the end of `way`. If the call has to end earlier, *ended becomes 1. KY_BAD_DATA if
 * the call would never end. */
static enum ky_status advance_with_patience(struct ky_own_steps *own, struct ky_advance *way,
                                            int *ended, struct ky_error *error)
{
    struct watch watch = {.clock = ky_clock(), .asked = (double)NAN};
    enum ky_status status = KY_OK;
    way->most = FIRST_BLOCKS;
    while (!status && !*ended && way->now < way->until && way->close == KY_NO_BODY) {
        const uint64_t before = way->now, blocks = way->steps;
        way->whole = !isnan(watch.asked);
        status = ky_engine_advance(own->engine, way, error);
        if (status || way->now >= way->until || way->close != KY_NO_BODY)
            break;
        watch.blocks += way->steps - blocks;
        watch.ticks += way->now - before;
        way->most = next_blocks(&watch, way->most);
        status = check_progress(own, &watch, way, error);
        *ended = !status && is_over(own, &watch, way);
    }
    return status;
}

/* Adds the work of a call to the report. The call may have begun within a longest step of the call
 * before. */
static void count(struct ky_own_steps *own, const struct ky_advance *way)
{
    struct ky_integrator_report *report = &own->report;
    const double shortest = fabs(way->tick) * (double)way->shortest;
    report->steps += way->now / way->stride;
    report->body_steps += way->body_steps;
    report->blocks += way->steps;
    report->cut += way->cut;
    if (way->shortest && !(report->shortest <= shortest && report->shortest > 0))
        report->shortest = shortest;
}

enum ky_status ky_own_steps_go(struct ky_own_steps *own, struct ky_advance *way, double tick,
                               uint64_t ticks, struct ky_error *error)
{
    struct ky_integrator_state *base = &own->base;
    int ended = 0;
    if (base->within && base->within_tick != tick)
        return ky_fail(error, KY_USAGE,
                       "the bodies are within a step of %g: advance to the end of this step first",
                       base->within_tick * (double)base->stride);
    way->eta = own->eta;
    way->tick = tick;
    way->stride = base->stride;
    way->until = ticks;
    way->origin = base->origin;
    way->before = base->before;
    way->expansion = own->expansion;
    way->softened = base->softened;
    way->softening = base->softening;
    way->now = base->within;
    enum ky_status status = advance_with_patience(own, way, &ended, error);
    count(own, way);
    base->was_over = ended && !status;
    base->within = base->was_over ? way->now % way->stride : 0;
    base->within_tick = tick;
    base->whole = way->now - base->within;
    if (base->within)
        note_quickest(own);
    return base->was_over ? ky_fail(error, KY_STOPPED, "stopped within a call") : status;
}

/* ---- verbs ---- */

static struct ky_own_steps *own_of(struct ky_integrator_state *integrator)
{
    return (struct ky_own_steps *)integrator;
}

enum ky_status ky_own_steps_advance(struct ky_integrator_state *integrator, uint64_t ticks,
                                    struct ky_error *error)
{
    return own_of(integrator)->go(own_of(integrator), integrator->tick, ticks, error);
}

enum ky_status ky_own_steps_short_step(struct ky_integrator_state *integrator, double dt,
                                       struct ky_error *error)
{
    const uint64_t stride = integrator->stride;
    return own_of(integrator)->go(own_of(integrator), dt / (double)stride, stride, error);
}

void ky_own_steps_report(const struct ky_integrator_state *integrator,
                         struct ky_integrator_report *report)
{
    *report = ((const struct ky_own_steps *)integrator)->report;
}

void ky_own_steps_free(struct ky_integrator_state *integrator)
{
    free(integrator);
}
