/* What integrators share whose bodies have steps of their own: the longest one divided by powers of
 * two, counted in ticks, with an engine that goes from block to block. */
#include "integrate/integrate.h"

#include <math.h>

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

enum ky_status ky_own_steps_go(struct ky_engine *engine, struct ky_advance *way, double tick,
                               uint64_t stride, uint64_t ticks, struct ky_integrator_report *report,
                               struct ky_error *error)
{
    way->tick = tick;
    way->stride = stride;
    way->until = ticks;
    way->most = UINT64_MAX;
    enum ky_status status = ky_engine_advance(engine, way, error);
    const double shortest = fabs(tick) * (double)way->shortest;
    report->steps += way->now / way->stride;
    report->body_steps += way->body_steps;
    report->blocks += way->steps;
    report->cut += way->cut;
    if (way->shortest && !(report->shortest <= shortest && report->shortest > 0))
        report->shortest = shortest;
    return status;
}
