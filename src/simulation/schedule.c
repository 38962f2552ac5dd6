/* Output times in ticks. */
#include "simulation/schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/status.h"
#include "engine/common/external.h"
#include "integrate/integrate.h"

double ky_schedule_step(const struct ky_schedule *schedule)
{
    return schedule->line.tick * (double)schedule->stride;
}

uint64_t ky_schedule_steps(const struct ky_schedule *schedule)
{
    return schedule->end.ticks / schedule->stride + (schedule->end.part != 0);
}

static const char *other_step(const struct ky_schedule *schedule)
{
    if (schedule->fixed)
        return "";
    return schedule->line.even_from > 0 ? ", or choose another --step-a"
                                        : ", or choose another --step";
}

/* The same advice for a time that may divide a step. */
static const char *other_way(const struct ky_schedule *schedule)
{
    return schedule->fixed ? "" : ", or choose another --step, or --shorten";
}

static enum ky_status too_many(const char *name, double steps, struct ky_error *error)
{
    return ky_fail(error, KY_USAGE, "%s: %g steps are too many to be counted", name, steps);
}

/* An interval in ticks: ≥ 1. */
static enum ky_status whole(const struct ky_schedule *schedule, const char *name, double length,
                            uint64_t *ticks, struct ky_error *error)
{
    const struct ky_timeline *line = &schedule->line;
    const double tick = ky_timeline_interval(line);
    const struct ky_timeline from_zero = {
        .tick = tick, .units = line->expansion.h0 > 0 ? (struct ky_units){0} : line->units};
    char one[KY_QUANTITY_TEXT], other[KY_QUANTITY_TEXT];
    double step = tick * (double)schedule->stride, ratio = length / step;
    char text[KY_NEAREST];
    uint64_t steps;
    if (!(ratio > 0))
        return ky_fail(error, KY_USAGE, "%s: %s is not an interval; it must be more than 0", name,
                       ky_step_words(line, length, one));
    if (ratio * (double)schedule->stride > 9e15)
        return too_many(name, ratio, error);
    if (!ky_ticks_whole(ratio, &steps) || !steps)
        return ky_fail(error, KY_USAGE, "%s: %s is not a multiple of the step %s; %s%s", name,
                       ky_step_words(line, length, one), ky_step_words(line, step, other),
                       ky_instant_nearest(&from_zero, schedule->stride, length, 1, text),
                       other_step(schedule));
    *ticks = steps * schedule->stride;
    return KY_OK;
}

/* The instant of a time at or after the start. */
static enum ky_status find(const struct ky_schedule *schedule, const char *name, double time,
                           double least, struct ky_instant *instant, struct ky_error *error)
{
    char text[KY_NEAREST], one[KY_QUANTITY_TEXT], step[KY_QUANTITY_TEXT], start[KY_QUANTITY_TEXT];
    const struct ky_timeline *line = &schedule->line;
    if (ky_instant_find(line, schedule->stride, time, instant) > 0 || schedule->shorten)
        return KY_OK;
    return ky_fail(
        error, KY_USAGE, "%s: no step ends at %s (steps of %s from %s); %s%s", name,
        ky_time_words(line, time, one), ky_step_words(line, ky_schedule_step(schedule), step),
        ky_time_words(line, line->start, start),
        ky_instant_nearest(line, schedule->stride, time, least, text), other_way(schedule));
}

/* The end, which lies after the start. */
static enum ky_status find_end(struct ky_schedule *schedule, double end, struct ky_error *error)
{
    char one[KY_QUANTITY_TEXT], start[KY_QUANTITY_TEXT], length[KY_QUANTITY_TEXT];
    const struct ky_timeline *line = &schedule->line;
    const double ratio = ky_timeline_steps(line, schedule->stride, end);
    if (isnan(ratio) && isfinite(end))
        return ky_fail(error, KY_USAGE,
                       line->comoving
                           ? "the end: the universe of --expansion never reaches the scale "
                             "factor %s"
                           : "--end: %s is not an age of the universe of --expansion",
                       ky_time_words(line, end, one));
    if (!(ratio > 0) || !isfinite(ratio))
        return ky_fail(error, KY_USAGE,
                       "%s: %s is not ahead: the run starts at %s with a step of %s",
                       line->comoving ? "the end" : "--end", ky_time_words(line, end, one),
                       ky_time_words(line, line->start, start),
                       ky_step_words(line, ky_schedule_step(schedule), length));
    if (ratio * (double)schedule->stride > 9e15)
        return too_many("--end", ratio, error);
    KY_TRY(find(schedule, "--end", end, 1, &schedule->end, error));
    if (ky_instant_compare(schedule->end, (struct ky_instant){0}) == 0)
        return ky_fail(error, KY_USAGE, "--end: %s is the start", ky_time_words(line, end, one));
    return KY_OK;
}

/* ---- lists of times ---- */

/* Appends the times of a list; of redshifts their scale factors. */
static enum ky_status add_times(const char *text, const char *option, int redshifts,
                                struct ky_times *times, struct ky_error *error)
{
    for (const char *word = text;; word++) {
        char *end;
        double time = ky_number_real(word, &end);
        if (end == word || (*end && *end != ',') || !isfinite(time))
            return ky_fail(error, KY_USAGE, "%s: '%s' is not a list of %s such as 0.5,1,2.25",
                           option, text, redshifts ? "redshifts" : "times");
        if (redshifts && !(time > -1))
            return ky_fail(error, KY_USAGE, "%s: %g is not a redshift; it must be more than -1",
                           option, time);
        times->of[times->count++] = redshifts ? 1 / (1 + time) : time;
        word = end;
        if (!*end)
            return KY_OK;
    }
}

static size_t words_of(const char *text)
{
    size_t count = text != NULL;
    for (const char *c = text; c && *c; c++)
        count += *c == ',';
    return count;
}

enum ky_status ky_schedule_times(const struct ky_run_parameters *run, struct ky_times *times,
                                 struct ky_error *error)
{
    const size_t most = words_of(run->at) + words_of(run->at_z);
    *times = (struct ky_times){.of = NULL};
    if (!most)
        return KY_OK;
    if (!(times->of = ky_allocate(most, sizeof *times->of)))
        return ky_no_memory(error, "times of --at", most, sizeof *times->of);
    if (run->at)
        KY_TRY(add_times(run->at, "--at", 0, times, error));
    times->before_redshifts = times->count;
    return run->at_z ? add_times(run->at_z, "--at-z", 1, times, error) : KY_OK;
}

enum ky_status ky_schedule_end(const struct ky_run_parameters *run, int comoving, double *end,
                               struct ky_error *error)
{
    *end = run->end;
    if (isnan(run->end_z) && !run->at_z)
        return KY_OK;
    if (!comoving)
        return ky_fail(error, KY_USAGE,
                       "--end-z and --at-z are redshifts of a comoving box: give --box and "
                       "--expansion, or --end and --at");
    if (!isnan(run->end_z) && !isnan(run->end))
        return ky_fail(error, KY_USAGE, "--end and --end-z are both given; give only one of them");
    if (!isnan(run->end_z) && !(run->end_z > -1 && isfinite(run->end_z)))
        return ky_fail(error, KY_USAGE, "--end-z: %g is not a redshift; it must be more than -1",
                       run->end_z);
    if (!isnan(run->end_z))
        *end = 1 / (1 + run->end_z);
    return KY_OK;
}

static int ascending(const void *a, const void *b)
{
    struct ky_instant x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return ky_instant_compare(x, y);
}

/* The instant of a time of --at or --at-z (`option`). KY_USAGE if it is outside the run. The start
 * is allowed; it has a snapshot anyway. */
static enum ky_status find_at(const struct ky_schedule *schedule, const char *option, double time,
                              struct ky_instant *instant, struct ky_error *error)
{
    char one[KY_QUANTITY_TEXT], start[KY_QUANTITY_TEXT], last[KY_QUANTITY_TEXT];
    const struct ky_timeline *line = &schedule->line;
    int inside = ky_instant_find(line, schedule->stride, time, instant) >= 0 &&
                 ky_instant_compare(*instant, schedule->end) <= 0;
    if (!inside)
        return ky_fail(error, KY_USAGE, "%s: %s is outside the run, from %s to %s", option,
                       ky_time_words(line, time, one), ky_time_words(line, line->start, start),
                       ky_time_words(line, ky_instant_time(line, schedule->end), last));
    return find(schedule, option, time, 0, instant, error);
}

/* Makes the list of further snapshots from the times of --at: sorted, without duplicates and
 * without the start, which has a snapshot unless the schedule is bare. */
static enum ky_status place_times(struct ky_schedule *schedule, const struct ky_times *times,
                                  struct ky_error *error)
{
    const struct ky_instant start = {0};
    const size_t count = times->count;
    if (!count)
        return KY_OK;
    if (!(schedule->at = ky_allocate(count, sizeof *schedule->at)))
        return ky_no_memory(error, "times of --at", count, sizeof *schedule->at);
    for (size_t k = 0; k < count; k++)
        KY_TRY(find_at(schedule, k < times->before_redshifts ? "--at" : "--at-z", times->of[k],
                       &schedule->at[k], error));
    qsort(schedule->at, count, sizeof *schedule->at, ascending);
    for (size_t k = 0; k < count; k++) {
        struct ky_instant before = schedule->ats ? schedule->at[schedule->ats - 1] : start;
        if (ky_instant_compare(before, schedule->at[k]) < 0 || (schedule->bare && !schedule->ats))
            schedule->at[schedule->ats++] = schedule->at[k];
    }
    return KY_OK;
}

/* ---- a step of the program's own choice ---- */

/* The greatest common divisor of two lengths; remainders up to `tiny` count as 0. If one length is
 * 0, the result is the other. */
static double common(double a, double b, double tiny)
{
    while (b > tiny) {
        double rest = fabs(remainder(a, b));
        a = b;
        b = rest;
    }
    return a;
}

/* The input of a schedule; `times`: of --at. */
struct wanted {
    const struct ky_parameters *parameters;
    const struct ky_run_parameters *run;
    double start, suggested;
    struct ky_times times;
};

/* The largest step up to the suggested one that divides every interval and time. */
static enum ky_status derive(const struct wanted *wanted, double *step, struct ky_error *error)
{
    const struct ky_run_parameters *run = wanted->run;
    const double start = wanted->start, suggested = wanted->suggested;
    const double lengths[] = {run->every, run->energy_every,
                              run->shorten ? (double)NAN : run->end - start};
    const size_t intervals = sizeof lengths / sizeof *lengths;
    double largest = fabs(start), longest = 0, shortest = (double)INFINITY, divisor = 0;
    /* times at which a step may be divided impose no condition */
    const size_t count = run->shorten ? 0 : wanted->times.count;
    if (!(suggested > 0) || !isfinite(suggested))
        return ky_fail(error, KY_USAGE, "no step can be derived from these bodies; give --step");
    for (int pass = 0; pass < 2; pass++) /* first the scale, for the size of rounding errors */
        for (size_t k = 0; k < intervals + count; k++) {
            double length =
                fabs(k < intervals ? lengths[k] : wanted->times.of[k - intervals] - start);
            if (!(length > 0) || !isfinite(length))
                continue; /* not given, or rejected later */
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
                           "and --at; choose times with a common divisor, or give --step; "
                           "--shorten divides steps at --at and the end",
                           suggested);
        divisor = shortest / floor(shortest / divisor + 0.5);
        *step = divisor / fmax(ceil(divisor / suggested * (1 - 1e-12)), 1.0);
        *step = longest / floor(longest / *step + 0.5); /* makes the end exact to the last bit */
    }
    if (run->end < start)
        *step = -*step; /* backwards */
    return KY_OK;
}

/* The step in ln a of comoving bodies for a run of the length `all`: the early step or less, or
 * 1/32 or less if there is no early step (nothing is resolved yet). A whole number of steps fits
 * between two snapshots or two rows of energy.csv, whichever are closer, and if there are neither,
 * in the run. */
static double whole_step(const struct wanted *wanted, double all)
{
    const double early = ky_integrator_early_step(wanted->parameters),
                 most = isnan(early) ? 1.0 / 32 : early,
                 every[] = {wanted->run->every, wanted->run->energy_every};
    double length = (double)INFINITY;
    for (size_t k = 0; k < sizeof every / sizeof *every; k++)
        length = every[k] > 0 ? fmin(length, every[k]) : length;
    length = isinf(length) ? all : length;
    return length > 0 && isfinite(length) ? length / ceil(length / most) : most;
}

/* The step of comoving bodies, in ln a, or with --step-a in the phase (timeline.h). */
static double comoving_step(const struct wanted *wanted)
{
    const double all = log(wanted->run->end / wanted->start),
                 step = isnan(wanted->parameters->step_a) ? whole_step(wanted, fabs(all))
                                                          : KY_EARLY_STEP;
    return all < 0 ? -step : step;
}

static enum ky_status choose_step(const struct wanted *wanted, double *step, struct ky_error *error)
{
    *step = wanted->parameters->step;
    if (isnan(*step) && ky_is_comoving(wanted->parameters))
        *step = comoving_step(wanted);
    if (isnan(*step) && wanted->parameters->expansion)
        return ky_fail(error, KY_USAGE,
                       "--expansion needs --step, the step in ln a; 0.005 makes 921 steps while a "
                       "grows a hundredfold");
    if (isnan(*step))
        return derive(wanted, step, error);
    if (*step == 0 || !isfinite(*step))
        return ky_fail(error, KY_USAGE, "--step %g; it must be finite and not 0", *step);
    return KY_OK;
}

/* ---- the whole ---- */

/* KY_USAGE if the first step is lost in the rounding of the latest time. */
static enum ky_status check_advance(const struct ky_schedule *schedule, struct ky_error *error)
{
    char one[KY_QUANTITY_TEXT], other[KY_QUANTITY_TEXT];
    double step = ky_timeline_length(&schedule->line, 0, schedule->stride),
           end = ky_instant_time(&schedule->line, schedule->end);
    const struct ky_timeline *line = &schedule->line;
    if (!isfinite(end) ||
        (line->comoving && !ky_expansion_reaches(line->first, end, &line->expansion.universe)))
        return ky_fail(
            error, KY_USAGE,
            "--steps: the universe of --expansion has no age after %llu steps of %g in ln "
            "a; take fewer or shorter ones",
            (unsigned long long)ky_schedule_steps(schedule), ky_schedule_step(schedule));
    double latest = fmax(fabs(schedule->line.start), fabs(end));
    if (fabs(step) >= nextafter(latest, (double)INFINITY) - latest)
        return KY_OK;
    return ky_fail(error, KY_USAGE,
                   "the step %s is lost in the rounding of the time %s: time cannot advance; %s",
                   ky_length_of_time(&schedule->line, step, one),
                   ky_time_words(&schedule->line, latest, other),
                   schedule->fixed ? "choose an earlier end"
                                   : "take a longer --step, or bodies with an earlier time");
}

/* KY_USAGE unless the end is a multiple of --every, so that the last snapshot is at the end. */
static enum ky_status check_every(const struct ky_schedule *schedule, struct ky_error *error)
{
    char text[KY_NEAREST], one[KY_QUANTITY_TEXT], every[KY_QUANTITY_TEXT], start[KY_QUANTITY_TEXT];
    const struct ky_timeline *line = &schedule->line;
    double end = ky_instant_time(line, schedule->end);
    if (!schedule->every || schedule->shorten || schedule->end.ticks % schedule->every == 0)
        return KY_OK;
    return ky_fail(error, KY_USAGE,
                   "the end %s is not a multiple of --every %s from the start %s; %s",
                   ky_time_words(line, end, one),
                   ky_time_words(line, fabs((double)schedule->every * line->tick), every),
                   ky_time_words(line, line->start, start),
                   ky_instant_nearest(line, schedule->every, end, 1, text));
}

void ky_schedule_warn(const struct ky_schedule *schedule, const struct ky_parameters *parameters)
{
    char step[KY_QUANTITY_TEXT];
    const uint64_t many = 1000000, steps = ky_schedule_steps(schedule);
    if (schedule->derived && steps > many)
        ky_log(parameters, KY_LOG_WARNING,
               "the derived step %s leads to %llu steps; a longer --step or a larger --softening "
               "needs fewer",
               ky_step_words(&schedule->line, ky_schedule_step(schedule), step),
               (unsigned long long)steps);
}

enum ky_status ky_schedule_extend(struct ky_schedule *schedule, double end, uint64_t steps,
                                  struct ky_error *error)
{
    if (steps > KY_MOST_TICKS / schedule->stride)
        return too_many("--steps", (double)steps, error);
    schedule->end = (struct ky_instant){steps * schedule->stride, 0};
    if (!isnan(end)) {
        KY_TRY(find_end(schedule, end, error));
    } else if (!steps)
        return ky_fail(error, KY_USAGE, "the run has no end: give --end, or --steps of at least 1");
    KY_TRY(check_every(schedule, error));
    return check_advance(schedule, error);
}

/* The shortest interval, in steps, that gives at most KY_ENERGY_ROWS rows and divides the interval
 * of the snapshots. */
static uint64_t energy_interval(uint64_t end, uint64_t every)
{
    uint64_t interval = end ? (end - 1) / KY_ENERGY_ROWS + 1 : 1;
    if (!every)
        return interval;
    uint64_t parts = interval < every ? every / interval : 1; /* of `every` */
    while (every % parts)
        parts--;
    return every / parts;
}

/* ky_schedule_make, after the times of --at have been read. */
static enum ky_status make(const struct wanted *wanted, struct ky_schedule *schedule,
                           struct ky_error *error)
{
    const struct ky_parameters *parameters = wanted->parameters;
    const struct ky_run_parameters *run = wanted->run;
    double step = 0;
    KY_TRY(choose_step(wanted, &step, error));
    schedule->stride = ky_integrator_stride(parameters, step);
    KY_TRY(ky_timeline_make(parameters, wanted->start, step / (double)schedule->stride,
                            &schedule->line, error));
    schedule->derived = isnan(parameters->step) && isnan(parameters->step_a);
    /* comoving steps divide without loss, and scale factors of snapshots are hardly ever steps */
    schedule->shorten = run->shorten || schedule->line.comoving;
    schedule->bare = run->every == 0;
    if (!isnan(run->every) && !schedule->bare)
        KY_TRY(whole(schedule, "--every", run->every, &schedule->every, error));
    if (!isnan(run->energy_every))
        KY_TRY(
            whole(schedule, "--energy-every", run->energy_every, &schedule->energy_every, error));
    KY_TRY(ky_schedule_extend(schedule, run->end, run->steps, error));
    KY_TRY(ky_externals_check_times(parameters, wanted->start,
                                    ky_instant_time(&schedule->line, schedule->end), error));
    KY_TRY(place_times(schedule, &wanted->times, error));
    if (!schedule->energy_every)
        schedule->energy_every =
            schedule->stride * energy_interval(schedule->end.ticks / schedule->stride,
                                               schedule->every / schedule->stride);
    return KY_OK;
}

enum ky_status ky_schedule_make(const struct ky_parameters *parameters,
                                const struct ky_run_parameters *run, double start, double suggested,
                                struct ky_schedule *schedule, struct ky_error *error)
{
    struct ky_run_parameters own = *run;
    struct wanted wanted = {
        .parameters = parameters, .run = &own, .start = start, .suggested = suggested};
    *schedule = (struct ky_schedule){0};
    KY_TRY(ky_schedule_end(run, ky_is_comoving(parameters), &own.end, error));
    if (!isnan(run->end_z) && own.end < start * (1 - 1e-9) && !(parameters->step < 0))
        return ky_fail(error, KY_USAGE,
                       "--end-z: %g is not ahead: the run starts at z = %.6g. For a run back in "
                       "time give its end as a scale factor, --end %.6g",
                       run->end_z, 1 / start - 1, own.end);
    if (!isnan(own.end) && run->steps)
        return ky_fail(error, KY_USAGE, "--end and --steps are both given; give only one of them");
    enum ky_status status = ky_schedule_times(run, &wanted.times, error);
    if (!status)
        status = make(&wanted, schedule, error);
    free(wanted.times.of);
    return status;
}

void ky_schedule_free(struct ky_schedule *schedule)
{
    free(schedule->at);
    schedule->at = NULL;
    schedule->ats = 0;
}

enum ky_status ky_schedule_add(struct ky_schedule *schedule, struct ky_instant instant,
                               struct ky_error *error)
{
    struct ky_instant *more;
    KY_TRY(ky_array(&more, schedule->ats + 1, sizeof *more, "times of --at", error));
    if (schedule->ats)
        memcpy(more, schedule->at, schedule->ats * sizeof *more);
    size_t place = schedule->ats++; /* later ones belong to a former, later end */
    for (; place > 0 && ky_instant_compare(instant, more[place - 1]) < 0; place--)
        more[place] = more[place - 1];
    more[place] = instant;
    free(schedule->at);
    schedule->at = more;
    return KY_OK;
}

/* ---- due outputs ---- */

struct ky_instant ky_schedule_next(const struct ky_schedule *schedule, struct ky_instant now)
{
    struct ky_instant next = {now.ticks + schedule->stride, 0};
    if (ky_instant_compare(schedule->end, next) < 0)
        next = schedule->end;
    for (size_t k = 0; k < schedule->ats; k++)
        if (ky_instant_compare(now, schedule->at[k]) < 0)
            return ky_instant_compare(schedule->at[k], next) < 0 ? schedule->at[k] : next;
    return next;
}

static int divides(uint64_t interval, struct ky_instant now)
{
    return interval && now.part == 0 && now.ticks % interval == 0;
}

/* 1 at the start and at the end. */
static int is_bound(const struct ky_schedule *schedule, struct ky_instant now)
{
    const struct ky_instant start = {0};
    return ky_instant_compare(now, start) == 0 || ky_instant_compare(now, schedule->end) == 0;
}

int ky_schedule_snapshot_due(const struct ky_schedule *schedule, struct ky_instant now)
{
    return (!schedule->bare && is_bound(schedule, now)) || divides(schedule->every, now) ||
           (schedule->ats &&
            bsearch(&now, schedule->at, schedule->ats, sizeof *schedule->at, ascending));
}

int ky_schedule_energy_due(const struct ky_schedule *schedule, struct ky_instant now)
{
    return is_bound(schedule, now) || divides(schedule->energy_every, now) ||
           ky_schedule_snapshot_due(schedule, now);
}

uint64_t ky_schedule_snapshots(const struct ky_schedule *schedule)
{
    const struct ky_instant end = schedule->end;
    uint64_t count = 1; /* the start */
    if (schedule->bare)
        return schedule->ats;
    if (schedule->every)
        count += end.ticks / schedule->every;
    count += !divides(schedule->every, end);
    for (size_t k = 0; k < schedule->ats; k++)
        count += ky_instant_compare(schedule->at[k], end) < 0 &&
                 !divides(schedule->every, schedule->at[k]);
    return count;
}
