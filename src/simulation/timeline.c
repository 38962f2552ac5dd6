/* Times and ticks. */
#include "simulation/timeline.h"

#include <math.h>

#include "base/number.h"
#include "physics/expansion.h"

/* A ratio counts as a whole number if it differs from one by no more than this; beyond a million,
 * by no more than 1e-12 of itself. */
static const double tolerance = 1e-6;
static const double countable = (double)KY_MOST_TICKS;

static int is_even(const struct ky_timeline *line)
{
    return line->expansion.h0 == 0;
}

enum ky_status ky_timeline_make(const struct ky_parameters *parameters, double start, double tick,
                                struct ky_timeline *line, struct ky_error *error)
{
    *line = (struct ky_timeline){.start = start, .tick = tick, .units = parameters->units};
    struct ky_expansion *own = &line->expansion;
    enum ky_status status =
        ky_expansion_read(parameters->expansion, &parameters->units, own, error);
    if (status || is_even(line))
        return status;
    line->comoving = ky_is_comoving(parameters);
    if (line->comoving) {
        line->first = start;
        line->even_from = isnan(parameters->step_a) ? 0 : parameters->step_a / KY_EARLY_STEP;
        return start > 0 && ky_expansion_square(start, &own->universe) > 0
                   ? KY_OK
                   : ky_fail(
                         error, KY_USAGE,
                         "--expansion in a box: the time of the bodies is %.10g; it must be the "
                         "scale factor of this universe, 1/(1 + redshift)",
                         start);
    }
    line->first = ky_expansion_factor(start * own->h0, &own->universe);
    if (line->first > 0)
        return KY_OK;
    return ky_fail(
        error, KY_USAGE,
        "--expansion: the time of the bodies, %.10g, is not an age of this universe, whose "
        "age at a = 1 is %.10g; bodies that it fits have the time since a = 0",
        start, ky_expansion_age(1, &own->universe) / own->h0);
}

/* The phase of a scale factor (timeline.h). */
static double phase_of(const struct ky_timeline *line, double a)
{
    const double part = a / line->even_from;
    return part < 1 ? log(part) : part - 1;
}

/* The change of ln a, or of the phase, from the start to a scale factor; and its inverse. */
static double change_to(const struct ky_timeline *line, double a)
{
    return line->even_from > 0 ? phase_of(line, a) - phase_of(line, line->first)
                               : log(a / line->first);
}

static double factor_after(const struct ky_timeline *line, double change)
{
    if (line->even_from == 0)
        return line->first * exp(change);
    const double phase = phase_of(line, line->first) + change;
    return line->even_from * (phase < 0 ? exp(phase) : 1 + phase);
}

/* The time of a tick. */
static double time_of(const struct ky_timeline *line, uint64_t tick)
{
    const struct ky_expansion *own = &line->expansion;
    if (!tick)
        return line->start;
    if (is_even(line))
        return fma((double)tick, line->tick, line->start);
    const double a = factor_after(line, (double)tick * line->tick);
    return line->comoving ? a : ky_expansion_age(a, &own->universe) / own->h0;
}

double ky_timeline_length(const struct ky_timeline *line, uint64_t tick, uint64_t stride)
{
    return is_even(line) ? line->tick * (double)stride
                         : time_of(line, tick + stride) - time_of(line, tick);
}

double ky_timeline_interval(const struct ky_timeline *line)
{
    return fabs(line->tick) * (line->even_from > 0 ? line->even_from : 1);
}

double ky_timeline_steps(const struct ky_timeline *line, uint64_t stride, double time)
{
    const struct ky_expansion *own = &line->expansion;
    const double step = line->tick * (double)stride;
    if (is_even(line))
        return (time - line->start) / step;
    const double a = line->comoving ? time : ky_expansion_factor(time * own->h0, &own->universe);
    if (line->comoving && !(a > 0 && ky_expansion_reaches(line->first, a, &own->universe)))
        return (double)NAN;
    return change_to(line, a) / step;
}

int ky_timeline_advances(const struct ky_timeline *line, uint64_t stride)
{
    const double step = line->tick * (double)stride, at = is_even(line) ? line->start : 1;
    return at + step != at; /* in ln a a step is about the relative change of the time */
}

double ky_instant_time(const struct ky_timeline *line, struct ky_instant instant)
{
    return time_of(line, instant.ticks) + instant.part;
}

int ky_instant_compare(struct ky_instant a, struct ky_instant b)
{
    if (a.ticks != b.ticks)
        return a.ticks < b.ticks ? -1 : 1;
    return (fabs(a.part) > fabs(b.part)) - (fabs(a.part) < fabs(b.part));
}

int ky_instant_lies_on(const struct ky_timeline *line, uint64_t stride, struct ky_instant instant)
{
    if (instant.ticks > KY_MOST_TICKS || instant.ticks % stride)
        return 0;
    const double share = instant.part / ky_timeline_length(line, instant.ticks, stride);
    return instant.part == 0 || (share > 0 && share <= 1);
}

int ky_ticks_whole(double ratio, uint64_t *ticks)
{
    double nearest = floor(ratio + 0.5);
    if (!(nearest >= 0 && nearest <= countable) ||
        fabs(ratio - nearest) > tolerance * fmax(1.0, 1e-6 * nearest))
        return 0;
    *ticks = (uint64_t)nearest;
    return 1;
}

int ky_instant_find(const struct ky_timeline *line, uint64_t stride, double time,
                    struct ky_instant *instant)
{
    double ratio = ky_timeline_steps(line, stride, time);
    uint64_t steps;
    *instant = (struct ky_instant){0};
    const double most = countable / (double)stride;
    if (ratio <= most && ky_ticks_whole(ratio, &steps)) {
        instant->ticks = steps * stride;
        return 1;
    }
    if (!(ratio >= 0 && ratio <= most))
        return -1;
    instant->ticks = (uint64_t)floor(ratio) * stride;
    instant->part = time - ky_instant_time(line, *instant);
    return 0;
}

const char *ky_time_words(const struct ky_timeline *line, double time, char text[KY_QUANTITY_TEXT])
{
    if (line->comoving) { /* a scale factor */
        const double z = 1 / time - 1;
        ky_format(text, KY_QUANTITY_TEXT, "%.10g (z = %.4g)", time, fabs(z) < 1e-9 ? 0 : z);
        return text;
    }
    return ky_quantity_text(&line->units, KY_TIME_UNIT, time, 10, text);
}

const char *ky_length_of_time(const struct ky_timeline *line, double length,
                              char text[KY_QUANTITY_TEXT])
{
    const struct ky_units none = {0};
    return ky_quantity_text(line->comoving ? &none : &line->units, KY_TIME_UNIT, length, 4, text);
}

const char *ky_step_words(const struct ky_timeline *line, double step, char text[KY_QUANTITY_TEXT])
{
    const struct ky_units none = {0};
    return ky_quantity_text(is_even(line) ? &line->units : &none, KY_TIME_UNIT, step, 6, text);
}

const char *ky_instant_nearest(const struct ky_timeline *line, uint64_t stride, double time,
                               double least, char text[KY_NEAREST])
{
    char one[KY_QUANTITY_TEXT], other[KY_QUANTITY_TEXT];
    const double before = floor(ky_timeline_steps(line, stride, time));
    const uint64_t tick = stride * (uint64_t)fmin(fmax(before, least), countable / (double)stride);
    if (before < least)
        ky_format(text, KY_NEAREST, "the nearest is %s",
                  ky_time_words(line, time_of(line, tick), one));
    else
        ky_format(text, KY_NEAREST, "the nearest are %s and %s",
                  ky_time_words(line, time_of(line, tick), one),
                  ky_time_words(line, time_of(line, tick + stride), other));
    return text;
}
