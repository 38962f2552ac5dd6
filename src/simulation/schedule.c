/* Output times in steps. */
#include "simulation/schedule.h"

#include <math.h>

/* A time counts as a multiple of the step if it is one to this many steps: 0.3 / 0.1 is one, 0.35 /
 * 0.1 not. */
static const double tolerance = 1e-6;

/* length / step as a whole number ≥ 1. */
static enum ky_status whole(const char *name, double length, double step, uint64_t *steps,
                            struct ky_error *error)
{
    double ratio = length / step;
    if (!(ratio > 0) || !isfinite(ratio))
        return ky_fail(error, KY_USAGE, "%s: the interval %g does not lie ahead (step %g)", name,
                       length, step);
    if (ratio > 9e15)
        return ky_fail(error, KY_USAGE, "%s: %g steps are too many to be counted", name, ratio);
    double nearest = floor(ratio + 0.5);
    if (nearest < 1 || fabs(ratio - nearest) > tolerance * fmax(1.0, 1e-6 * nearest))
        return ky_fail(error, KY_USAGE,
                       "%s: %g is not a multiple of the step %g; the nearest are %.10g and %.10g, "
                       "or choose another "
                       "--step",
                       name, length, step, fmax(1.0, floor(ratio)) * step,
                       (floor(ratio) + 1) * step);
    *steps = (uint64_t)nearest;
    return KY_OK;
}

/* The largest step ≤ suggested that divides `interval`; a negative interval (backwards) gives a
 * negative step. */
static double dividing(double interval, double suggested)
{
    double parts = ceil(fabs(interval) / suggested * (1 - 1e-12));
    return interval / fmax(parts, 1.0);
}

static enum ky_status choose_step(const struct ky_parameters *parameters,
                                  const struct ky_run_parameters *run, double start,
                                  double suggested, double *step, struct ky_error *error)
{
    *step = parameters->step;
    if (!isnan(*step)) {
        if (*step == 0 || !isfinite(*step))
            return ky_fail(error, KY_USAGE, "--step %g; it must be finite and not 0", *step);
        return KY_OK;
    }
    if (!(suggested > 0) || !isfinite(suggested))
        return ky_fail(error, KY_USAGE, "no step can be derived from these bodies; give --step");
    double length = run->end - start; /* NaN without an end */
    double interval = !isnan(run->energy_every) ? run->energy_every : run->every;
    if (isnan(interval))
        interval = length;
    else if (length < 0)
        interval = -interval; /* backwards */
    *step = isnan(interval) ? suggested : dividing(interval, suggested);
    return KY_OK;
}

enum ky_status ky_schedule_extend(struct ky_schedule *schedule, double start, double end,
                                  uint64_t steps, struct ky_error *error)
{
    schedule->end = steps;
    if (!isnan(end)) {
        enum ky_status status = whole("--end", end - start, schedule->step, &schedule->end, error);
        if (status)
            return status;
    }
    if (!schedule->end)
        return ky_fail(error, KY_USAGE, "how far? give --end or --steps");
    if (schedule->every && schedule->end % schedule->every)
        return ky_fail(
            error, KY_USAGE,
            "the end, %llu steps from the start, is not a multiple of --every, %llu steps",
            (unsigned long long)schedule->end, (unsigned long long)schedule->every);
    return KY_OK;
}

enum ky_status ky_schedule_make(const struct ky_parameters *parameters,
                                const struct ky_run_parameters *run, double start, double suggested,
                                struct ky_schedule *schedule, struct ky_error *error)
{
    *schedule = (struct ky_schedule){.energy_every = 1};
    if (!isnan(run->end) && run->steps)
        return ky_fail(error, KY_USAGE,
                       "--end and --steps are both given; one of them says how far");
    enum ky_status status = choose_step(parameters, run, start, suggested, &schedule->step, error);
    if (!status && !isnan(run->every))
        status = whole("--every", run->every, fabs(schedule->step), &schedule->every, error);
    if (!status && !isnan(run->energy_every))
        status = whole("--energy-every", run->energy_every, fabs(schedule->step),
                       &schedule->energy_every, error);
    if (!status)
        status = ky_schedule_extend(schedule, start, run->end, run->steps, error);
    return status;
}
