/* What integrators with a step for each body share. */
#include "integrate/own_steps.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "physics/block.h"

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
    enum ky_status status = check_length("--step-max", parameters->step_max, error);
    if (!status)
        status = check_length("--step-min", least, error);
    if (status)
        return status;
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
    struct ky_own_steps *made = ky_allocate_zeroed(1, size);
    if (!made)
        return ky_no_memory(error, "integrator", 1, size);
    *made = *own;
    made->base.stride = own->base.verbs->stride(parameters, parameters->step);
    made->base.tick = parameters->step / (double)made->base.stride;
    made->eta = parameters->eta;
    *integrator = &made->base;
    return KY_OK;
}

/* Blocks between two checks of the progress, and how many times this number a longest step may
 * take: 2e9 blocks take hours. */
enum { BLOCKS_A_LOOK = 1 << 16, LOOKS_A_STEP = 1 << 15 };

/* Advances to the end of `way`. If all bodies want steps so short that the call would never end, as
 * in an absurdly strong field, it returns KY_BAD_DATA. */
static enum ky_status advance_with_patience(struct ky_own_steps *own, struct ky_advance *way,
                                            struct ky_error *error)
{
    enum ky_status status = KY_OK;
    while (!status && way->now < way->until && way->close == KY_NO_BODY) {
        const uint64_t before = way->now;
        way->most = BLOCKS_A_LOOK;
        status = ky_engine_advance(own->engine, way, error);
        own->report.stuck = !status && way->now < way->until && way->close == KY_NO_BODY &&
                            (way->now - before) < way->stride / LOOKS_A_STEP;
        if (own->report.stuck)
            return ky_fail(error, KY_BAD_DATA,
                           "%d blocks of steps have advanced the bodies by %g: the forces ask for "
                           "steps of %g, too short for a longest step of %g; look at fields, "
                           "masses and softening, or give a shorter --step-max",
                           BLOCKS_A_LOOK, fabs(way->tick) * (double)(way->now - before),
                           fabs(way->tick) * (double)way->shortest,
                           fabs(way->tick) * (double)way->stride);
    }
    return status;
}

enum ky_status ky_own_steps_go(struct ky_own_steps *own, struct ky_advance *way, double tick,
                               uint64_t ticks, struct ky_error *error)
{
    struct ky_integrator_report *report = &own->report;
    way->eta = own->eta;
    way->tick = tick;
    way->stride = own->base.stride;
    way->until = ticks;
    way->origin = own->base.origin;
    way->before = own->base.before;
    enum ky_status status = advance_with_patience(own, way, error);
    const double shortest = fabs(tick) * (double)way->shortest;
    report->steps += way->now / way->stride;
    report->body_steps += way->body_steps;
    report->blocks += way->steps;
    report->cut += way->cut;
    if (way->shortest && !(report->shortest <= shortest && report->shortest > 0))
        report->shortest = shortest;
    return status;
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
