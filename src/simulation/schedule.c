/* Output times in steps. */
#include "simulation/schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"

/* A time counts as a multiple of the step if it is one to this many steps: 0.3 / 0.1 is one, 0.35 /
 * 0.1 not. */
static const double tolerance = 1e-6;

/* ratio, a number of steps, as a whole number; 0 if it is none. */
static int is_whole(double ratio, uint64_t *steps)
{
    double nearest = floor(ratio + 0.5);
    if (fabs(ratio - nearest) > tolerance * fmax(1.0, 1e-6 * nearest))
        return 0;
    *steps = (uint64_t)nearest;
    return 1;
}

/* "the nearest are 0.6 and 0.9": start + k × unit for the whole k ≥ `least` about `ratio`. */
static const char *nearest(char text[80], double start, double unit, double ratio, double least)
{
    double below = floor(ratio);
    if (below < least)
        ky_format(text, 80, "the nearest is %.10g", start + least * unit);
    else
        ky_format(text, 80, "the nearest are %.10g and %.10g", start + below * unit,
                  start + (below + 1) * unit);
    return text;
}

static const char *other_step(const struct ky_schedule *schedule)
{
    return schedule->fixed ? "" : ", or choose another --step";
}

static enum ky_status too_many(const char *name, double steps, struct ky_error *error)
{
    return ky_fail(error, KY_USAGE, "%s: %g steps are too many to be counted", name, steps);
}

/* An interval in steps: ≥ 1. */
static enum ky_status whole(const struct ky_schedule *schedule, const char *name, double length,
                            uint64_t *steps, struct ky_error *error)
{
    double step = fabs(schedule->step), ratio = length / step;
    char text[80];
    if (!(ratio > 0))
        return ky_fail(error, KY_USAGE, "%s: %g is no interval; it must be more than 0", name,
                       length);
    if (ratio > 9e15)
        return too_many(name, ratio, error);
    if (!is_whole(ratio, steps) || !*steps)
        return ky_fail(error, KY_USAGE, "%s: %g is not a multiple of the step %g; %s%s", name,
                       length, step, nearest(text, 0, step, ratio, 1), other_step(schedule));
    return KY_OK;
}

static enum ky_status no_step_ends(const struct ky_schedule *schedule, const char *name,
                                   double start, double time, double least, struct ky_error *error)
{
    char text[80];
    double step = schedule->step;
    return ky_fail(error, KY_USAGE, "%s: no step ends at %.10g (steps of %g from %.10g); %s%s",
                   name, time, step, start,
                   nearest(text, start, step, (time - start) / step, least), other_step(schedule));
}

/* The end in steps: ≥ 1. */
static enum ky_status end_step(struct ky_schedule *schedule, double start, double end,
                               struct ky_error *error)
{
    double ratio = (end - start) / schedule->step;
    if (!(ratio > 0) || !isfinite(ratio))
        return ky_fail(error, KY_USAGE,
                       "--end: %.10g does not lie ahead: the run starts at %.10g with a step of %g",
                       end, start, schedule->step);
    if (ratio > 9e15)
        return too_many("--end", ratio, error);
    if (!is_whole(ratio, &schedule->end) || !schedule->end)
        return no_step_ends(schedule, "--end", start, end, 1, error);
    return KY_OK;
}

/* ---- lists of times ---- */

enum ky_status ky_schedule_times(const char *text, double **times, size_t *count,
                                 struct ky_error *error)
{
    *times = NULL;
    *count = 0;
    if (!text)
        return KY_OK;
    size_t most = 1;
    for (const char *c = text; *c; c++)
        most += *c == ',';
    if (!(*times = ky_allocate(most, sizeof **times)))
        return ky_no_memory(error, "times of --at", most, sizeof **times);
    for (const char *word = text;; word++) {
        char *end;
        double time = ky_number_real(word, &end);
        if (end == word || (*end && *end != ',') || !isfinite(time))
            return ky_fail(error, KY_USAGE, "--at: '%s' is no list of times such as 0.5,1,2.25",
                           text);
        (*times)[(*count)++] = time;
        word = end;
        if (!*end)
            return KY_OK;
    }
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* One time in steps. The start is a snapshot anyway: 0. */
static enum ky_status at_step(const struct ky_schedule *schedule, double start, double time,
                              uint64_t *steps, struct ky_error *error)
{
    double ratio = (time - start) / schedule->step, step = schedule->step;
    double last = (double)schedule->end;
    if (!(ratio > -tolerance) || ratio > last + tolerance * fmax(1.0, 1e-6 * last))
        return ky_fail(error, KY_USAGE, "--at: %.10g lies outside the run, from %.10g to %.10g",
                       time, start, start + last * step);
    return is_whole(ratio, steps) ? KY_OK : no_step_ends(schedule, "--at", start, time, 0, error);
}

/* Sorted, each once. */
static enum ky_status place_times(struct ky_schedule *schedule, double start, const double *times,
                                  size_t count, struct ky_error *error)
{
    if (!count)
        return KY_OK;
    if (!(schedule->at = ky_allocate(count, sizeof *schedule->at)))
        return ky_no_memory(error, "times of --at", count, sizeof *schedule->at);
    for (size_t k = 0; k < count; k++) {
        enum ky_status status = at_step(schedule, start, times[k], &schedule->at[k], error);
        if (status)
            return status;
    }
    qsort(schedule->at, count, sizeof *schedule->at, ascending);
    for (size_t k = 0; k < count; k++)
        if (schedule->at[k] &&
            (!schedule->ats || schedule->at[schedule->ats - 1] != schedule->at[k]))
            schedule->at[schedule->ats++] = schedule->at[k];
    return KY_OK;
}

/* ---- a step of the program's own choice ---- */

/* The largest length that divides both, up to `tiny`; 0 divides nothing. */
static double common(double a, double b, double tiny)
{
    while (b > tiny) {
        double rest = fabs(remainder(a, b));
        a = b;
        b = rest;
    }
    return a;
}

/* The largest step up to `suggested` that divides every interval and time. */
static enum ky_status derive(const struct ky_run_parameters *run, double start, double suggested,
                             const double *times, size_t count, double *step,
                             struct ky_error *error)
{
    const double lengths[] = {run->every, run->energy_every, run->end - start};
    const size_t intervals = sizeof lengths / sizeof *lengths;
    double largest = fabs(start), longest = 0, shortest = (double)INFINITY, divisor = 0;
    if (!(suggested > 0) || !isfinite(suggested))
        return ky_fail(error, KY_USAGE, "no step can be derived from these bodies; give --step");
    for (int pass = 0; pass < 2; pass++) /* the scale first: it says what rounding leaves */
        for (size_t k = 0; k < intervals + count; k++) {
            double length = fabs(k < intervals ? lengths[k] : times[k - intervals] - start);
            if (!(length > 0) || !isfinite(length))
                continue; /* not given, or refused later */
            largest = fmax(largest, length);
            longest = fmax(longest, length);
            shortest = fmin(shortest, length);
            if (pass)
                divisor = common(fmax(divisor, length), fmin(divisor, length), 1e-12 * largest);
        }
    *step = suggested;
    if (divisor > 0) {
        if (divisor < fmin(suggested, shortest) / 16)
            return ky_fail(error, KY_USAGE,
                           "no step near %.3g divides the end and all of --every, --energy-every "
                           "and --at; choose times with a common divisor, or give --step",
                           suggested);
        divisor = shortest / floor(shortest / divisor + 0.5);
        *step = divisor / fmax(ceil(divisor / suggested * (1 - 1e-12)), 1.0);
        *step = longest / floor(longest / *step + 0.5); /* the end is met to the last bit */
    }
    if (run->end < start)
        *step = -*step; /* backwards */
    return KY_OK;
}

static enum ky_status choose_step(const struct ky_parameters *parameters,
                                  const struct ky_run_parameters *run, double start,
                                  double suggested, const double *times, size_t count, double *step,
                                  struct ky_error *error)
{
    *step = parameters->step;
    if (isnan(*step))
        return derive(run, start, suggested, times, count, step, error);
    if (*step == 0 || !isfinite(*step))
        return ky_fail(error, KY_USAGE, "--step %g; it must be finite and not 0", *step);
    return KY_OK;
}

/* ---- the whole ---- */

/* Time is a double: beside a large one a short step is lost. */
static enum ky_status check_advance(const struct ky_schedule *schedule, double start,
                                    struct ky_error *error)
{
    double end = start + (double)schedule->end * schedule->step;
    double latest = fmax(fabs(start), fabs(end));
    if (fabs(schedule->step) >= nextafter(latest, (double)INFINITY) - latest)
        return KY_OK;
    return ky_fail(error, KY_USAGE,
                   "the step %g is lost in the rounding of the time %g: time cannot advance; %s",
                   schedule->step, latest,
                   schedule->fixed ? "choose an earlier end"
                                   : "take a longer --step, or bodies with an earlier time");
}

/* The last snapshot of --every is at the end. */
static enum ky_status check_every(const struct ky_schedule *schedule, double start,
                                  struct ky_error *error)
{
    char text[80];
    double step = schedule->step, every = (double)schedule->every, end = (double)schedule->end;
    if (!schedule->every || schedule->end % schedule->every == 0)
        return KY_OK;
    return ky_fail(error, KY_USAGE,
                   "the end %.10g is not a multiple of --every %.10g from the start %.10g; %s",
                   start + end * step, fabs(every * step), start,
                   nearest(text, start, every * step, end / every, 1));
}

void ky_schedule_warn(const struct ky_schedule *schedule, const struct ky_parameters *parameters)
{
    const uint64_t many = 1000000;
    if (schedule->derived && schedule->end > many)
        ky_log(parameters, KY_LOG_WARNING,
               "the derived step %g makes %llu steps; a longer --step or a larger --softening "
               "makes fewer",
               schedule->step, (unsigned long long)schedule->end);
}

enum ky_status ky_schedule_extend(struct ky_schedule *schedule, double start, double end,
                                  uint64_t steps, struct ky_error *error)
{
    schedule->end = steps;
    if (!isnan(end)) {
        enum ky_status status = end_step(schedule, start, end, error);
        if (status)
            return status;
    }
    if (!schedule->end)
        return ky_fail(error, KY_USAGE, "no end: give --end or --steps");
    enum ky_status status = check_every(schedule, start, error);
    return status ? status : check_advance(schedule, start, error);
}

/* The shortest interval that gives no more than KY_ENERGY_ROWS rows and divides that of the
 * snapshots. */
static uint64_t energy_interval(uint64_t end, uint64_t every)
{
    uint64_t interval = (end - 1) / KY_ENERGY_ROWS + 1;
    if (!every)
        return interval;
    uint64_t parts = interval < every ? every / interval : 1; /* of `every` */
    while (every % parts)
        parts--;
    return every / parts;
}

static enum ky_status make(const struct ky_parameters *parameters,
                           const struct ky_run_parameters *run, double start, double suggested,
                           const double *times, size_t count, struct ky_schedule *schedule,
                           struct ky_error *error)
{
    enum ky_status status =
        choose_step(parameters, run, start, suggested, times, count, &schedule->step, error);
    schedule->derived = isnan(parameters->step);
    if (!status && !isnan(run->every))
        status = whole(schedule, "--every", run->every, &schedule->every, error);
    if (!status && !isnan(run->energy_every))
        status =
            whole(schedule, "--energy-every", run->energy_every, &schedule->energy_every, error);
    if (!status)
        status = ky_schedule_extend(schedule, start, run->end, run->steps, error);
    if (!status)
        status = place_times(schedule, start, times, count, error);
    if (!status && !schedule->energy_every)
        schedule->energy_every = energy_interval(schedule->end, schedule->every);
    return status;
}

enum ky_status ky_schedule_make(const struct ky_parameters *parameters,
                                const struct ky_run_parameters *run, double start, double suggested,
                                struct ky_schedule *schedule, struct ky_error *error)
{
    double *times = NULL;
    size_t count = 0;
    *schedule = (struct ky_schedule){0};
    if (!isnan(run->end) && run->steps)
        return ky_fail(error, KY_USAGE,
                       "--end and --steps are both given; one of them says how far");
    enum ky_status status = ky_schedule_times(run->at, &times, &count, error);
    if (!status)
        status = make(parameters, run, start, suggested, times, count, schedule, error);
    free(times);
    return status;
}

void ky_schedule_free(struct ky_schedule *schedule)
{
    free(schedule->at);
    schedule->at = NULL;
    schedule->ats = 0;
}

enum ky_status ky_schedule_add(struct ky_schedule *schedule, uint64_t steps, struct ky_error *error)
{
    uint64_t *more = ky_allocate(schedule->ats + 1, sizeof *more);
    if (!more)
        return ky_no_memory(error, "times of --at", schedule->ats + 1, sizeof *more);
    if (schedule->ats)
        memcpy(more, schedule->at, schedule->ats * sizeof *more);
    more[schedule->ats++] = steps;
    free(schedule->at);
    schedule->at = more;
    return KY_OK;
}

/* ---- what is due ---- */

int ky_schedule_snapshot_due(const struct ky_schedule *schedule, uint64_t steps)
{
    return steps == schedule->end || (schedule->every && steps % schedule->every == 0) ||
           (schedule->ats &&
            bsearch(&steps, schedule->at, schedule->ats, sizeof *schedule->at, ascending));
}

int ky_schedule_energy_due(const struct ky_schedule *schedule, uint64_t steps)
{
    return steps % schedule->energy_every == 0 || ky_schedule_snapshot_due(schedule, steps);
}

uint64_t ky_schedule_snapshots(const struct ky_schedule *schedule)
{
    uint64_t count = 2; /* start and end */
    if (schedule->every)
        count = schedule->end / schedule->every + 1;
    for (size_t k = 0; k < schedule->ats; k++)
        count += schedule->at[k] < schedule->end &&
                 !(schedule->every && schedule->at[k] % schedule->every == 0);
    return count;
}
