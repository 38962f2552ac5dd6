/* When a run does what, counted in ticks, so that no rounding of times decides anything. */
#ifndef KY_SIMULATION_SCHEDULE_H
#define KY_SIMULATION_SCHEDULE_H

#include "simulation/timeline.h"

struct ky_schedule {
    struct ky_timeline line;
    uint64_t stride; /* ticks of a step */
    struct ky_moment end;
    uint64_t every, energy_every; /* ticks; every 0: none; energy_every ≥ 1 */
    struct ky_moment *at;         /* further snapshots: after the start, ascending */
    size_t ats;
    int shorten; /* a step may be divided where a time of `at` or the end lies within it */
    int derived; /* the step: nobody gave it */
    int fixed;   /* the step: a resumed run keeps its own */
};

/* The step [time]; negative: backwards. */
double ky_schedule_step(const struct ky_schedule *schedule);
/* Steps from the start to the end, a last one that is divided counted as one. */
uint64_t ky_schedule_steps(const struct ky_schedule *schedule);

/* From times to steps. `suggested` is the step to take where the parameters have none: the schedule
 * then takes the largest step up to it that divides all intervals and times asked for; KY_USAGE if
 * that is much shorter. Every given time must be a multiple of the step, else KY_USAGE, but for the
 * end and those of `at` where run->shorten allows it. KY_USAGE too where the step is lost beside
 * the time in the rounding of double. Free with ky_schedule_free, after a failure too. */
enum ky_status ky_schedule_make(const struct ky_parameters *parameters,
                                const struct ky_run_parameters *run, double start, double suggested,
                                struct ky_schedule *schedule, struct ky_error *error);
void ky_schedule_free(struct ky_schedule *schedule);
/* Warns where a derived step makes a run of very many steps, as two bodies at rest do. */
void ky_schedule_warn(const struct ky_schedule *schedule, const struct ky_parameters *parameters);
/* The same step and intervals with another end (time, or number of steps if `end` is NaN). */
enum ky_status ky_schedule_extend(struct ky_schedule *schedule, double end, uint64_t steps,
                                  struct ky_error *error);

/* Adds a snapshot that comes after all of `at`. */
enum ky_status ky_schedule_add(struct ky_schedule *schedule, struct ky_moment moment,
                               struct ky_error *error);

/* The next moment at which bodies are at one time and something may be due. */
struct ky_moment ky_schedule_next(const struct ky_schedule *schedule, struct ky_moment now);
/* Whether a snapshot, or a row of energy.csv, is due. Each snapshot has a row. */
int ky_schedule_snapshot_due(const struct ky_schedule *schedule, struct ky_moment now);
int ky_schedule_energy_due(const struct ky_schedule *schedule, struct ky_moment now);
/* How many snapshots are written from the start to the end. */
uint64_t ky_schedule_snapshots(const struct ky_schedule *schedule);

/* The most rows of energy.csv, but for one with each snapshot, where no interval is given. */
enum { KY_ENERGY_ROWS = 5000 };

/* The times in "0.5,1,2.25": allocated, free(); none for NULL. KY_USAGE for anything else. */
enum ky_status ky_schedule_times(const char *text, double **times, size_t *count,
                                 struct ky_error *error);

#endif
