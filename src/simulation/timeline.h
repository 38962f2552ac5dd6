/* Time as a count. The times of a simulation are start + ticks × tick, or with --expansion the ages
 * of a universe at the scale factors first × exp(ticks × tick); in a periodic box these factors.
 * With --step-a ticks are equal in a phase, which is ln(a/even_from) up to the factor `even_from`,
 * and a/even_from - 1 from there on. So ticks are equal in ln a first and in a later, and a step of
 * KY_EARLY_STEP is step_a long in a, or shorter. A time between two ticks is a number of ticks and
 * a fraction of one. Such a pair is called an instant. */
#ifndef KY_SIMULATION_TIMELINE_H
#define KY_SIMULATION_TIMELINE_H

#include "base/quantity.h"
#include "integrate/expansion.h"

struct ky_timeline {
    double start;                  /* [time] */
    double tick;                   /* [time], or of ln a, or of the phase; negative: backwards */
    struct ky_expansion expansion; /* h0 = 0: ticks are equal in time */
    double first;                  /* the scale factor at the start */
    int comoving;                  /* 1: times are scale factors (ky_is_comoving) */
    double even_from;              /* step_a/KY_EARLY_STEP; 0: ticks are not equal in a */
    struct ky_units units;         /* of times in texts; the parameters' units */
};
/* A time, a length of time, and a step or an interval (with an expansion of ln a), as text for
 * errors and the log: "0.25", "48.9 Myr". Return `text`. */
const char *ky_time_words(const struct ky_timeline *line, double time, char text[KY_QUANTITY_TEXT]);
const char *ky_length_of_time(const struct ky_timeline *line, double length,
                              char text[KY_QUANTITY_TEXT]);
const char *ky_step_words(const struct ky_timeline *line, double step, char text[KY_QUANTITY_TEXT]);

/* The timeline of the parameters' expansion with this start and tick. KY_USAGE if the start is not
 * an age, or in a box a scale factor, of that universe. */
enum ky_status ky_timeline_make(const struct ky_parameters *parameters, double start, double tick,
                                struct ky_timeline *line, struct ky_error *error);
/* The time from a tick to `stride` ticks later [time]. */
double ky_timeline_length(const struct ky_timeline *line, uint64_t tick, uint64_t stride);
/* The length of a tick in the variable of --every and --energy-every: time [time], ln a, or with
 * --step-a the scale factor a. Not negative. */
double ky_timeline_interval(const struct ky_timeline *line);
/* The number of steps of `stride` ticks from the start to `time`; negative if it lies before the
 * start, NaN if the universe never reaches it. */
double ky_timeline_steps(const struct ky_timeline *line, uint64_t stride, double time);
/* 1 if the first step changes the time, and is not lost in its rounding. 1 for a tick of NaN. */
int ky_timeline_advances(const struct ky_timeline *line, uint64_t stride);

/* Maximum number of ticks: every integer up to here is a double. */
#define KY_MOST_TICKS 9000000000000000U

struct ky_instant {
    uint64_t ticks;
    double part; /* time beyond the ticks [time]; has the sign of the step and is shorter; 0: on the
                    grid */
};

/* The time of the instant [time], with one rounding if it lies on the grid. */
double ky_instant_time(const struct ky_timeline *line, struct ky_instant instant);
/* −1, 0 or 1: `a` is before, the same as, or after `b`. */
int ky_instant_compare(struct ky_instant a, struct ky_instant b);

/* 1 if steps of `stride` ticks can reach the instant: its ticks are a multiple of the stride, and
 * its part is not longer than the step there. */
int ky_instant_lies_on(const struct ky_timeline *line, uint64_t stride, struct ky_instant instant);

/* Whether a quotient of two times counts as an integer number of ticks: 0.3/0.1 does, 0.35/0.1 does
 * not. Returns 1 and the number in *ticks, or 0; also 0 if it is negative or larger than 9e15. */
int ky_ticks_whole(double ratio, uint64_t *ticks);
/* Finds the instant of a time [time]. Returns 1 if it lies on a multiple of `stride` ticks. Returns
 * 0 if it does not; the instant is then the multiple before it, and a part. Returns −1 if it lies
 * before the start, is not finite, or is too far to be counted. */
int ky_instant_find(const struct ky_timeline *line, uint64_t stride, double time,
                    struct ky_instant *instant);
/* Writes "the nearest are 0.25 and 0.5", the multiples of `stride` ticks before and after a time,
 * to `text`, and returns it. Multiples below `least` are not named. */
enum { KY_NEAREST = 96 };
const char *ky_instant_nearest(const struct ky_timeline *line, uint64_t stride, double time,
                               double least, char text[KY_NEAREST]);

#endif
