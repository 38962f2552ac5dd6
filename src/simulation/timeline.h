/* Time as a count. The times of a simulation are start + ticks × tick; a moment between two of them
 * has a part beyond its tick. */
#ifndef KY_SIMULATION_TIMELINE_H
#define KY_SIMULATION_TIMELINE_H

#include "base/status.h"

struct ky_timeline {
    double start, tick; /* [time]; tick < 0: backwards */
};

struct ky_moment {
    uint64_t ticks;
    double part; /* [time] of the sign of the tick and shorter than it; 0: on the grid */
};

/* In one rounding, if the moment lies on the grid. */
double ky_moment_time(const struct ky_timeline *line, struct ky_moment moment);
/* < 0, 0, > 0: `a` comes before, is, comes after `b`. */
int ky_moment_compare(struct ky_moment a, struct ky_moment b);

/* A length in ticks that counts as the whole number `*ticks`: 0.3/0.1 does, 0.35/0.1 does not. 0 if
 * it counts as none, is negative or too large to be counted. */
int ky_ticks_whole(double ratio, uint64_t *ticks);
/* The moment of a time at or after the start. 1: it lies on a multiple of `stride` ticks; 0: it
 * does not, and the moment is the multiple before it and a part; −1: before the start, not finite,
 * or too far to be counted. */
int ky_moment_find(const struct ky_timeline *line, uint64_t stride, double time,
                   struct ky_moment *moment);
/* "the nearest are 0.25 and 0.5": the times on multiples of `stride` ticks around a time, from the
 * `least` multiple on. */
enum { KY_NEAREST = 96 };
const char *ky_moment_nearest(const struct ky_timeline *line, uint64_t stride, double time,
                              double least, char text[KY_NEAREST]);

#endif
