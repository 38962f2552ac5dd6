/* Times and ticks. */
#include "simulation/timeline.h"

#include <math.h>

#include "base/number.h"

/* A ratio counts as a whole number if it differs from one by no more than this; beyond a million,
 * by no more than 1e-12 of itself. */
static const double tolerance = 1e-6;
static const double countable = (double)KY_MOST_TICKS;

double ky_instant_time(const struct ky_timeline *line, struct ky_instant instant)
{
    double time = instant.ticks ? fma((double)instant.ticks, line->tick, line->start) : line->start;
    return time + instant.part;
}

int ky_instant_compare(struct ky_instant a, struct ky_instant b)
{
    if (a.ticks != b.ticks)
        return a.ticks < b.ticks ? -1 : 1;
    return (fabs(a.part) > fabs(b.part)) - (fabs(a.part) < fabs(b.part));
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
    double step = line->tick * (double)stride, ratio = (time - line->start) / step;
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

const char *ky_instant_nearest(const struct ky_timeline *line, uint64_t stride, double time,
                               double least, char text[KY_NEAREST])
{
    double step = line->tick * (double)stride, before = floor((time - line->start) / step);
    if (before < least)
        ky_format(text, KY_NEAREST, "the nearest is %.10g", line->start + least * step);
    else
        ky_format(text, KY_NEAREST, "the nearest are %.10g and %.10g", line->start + before * step,
                  line->start + (before + 1) * step);
    return text;
}
