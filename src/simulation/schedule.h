/* The schedule of a run, counted in ticks, so that no decision depends on rounded times. */
#ifndef KY_SIMULATION_SCHEDULE_H
#define KY_SIMULATION_SCHEDULE_H

#include "simulation/timeline.h"

struct ky_schedule {
    struct ky_timeline line;
    uint64_t stride; /* ticks of a step */
    struct ky_instant end;
    uint64_t every;        /* ticks between snapshots; 0: no regular snapshots */
    uint64_t energy_every; /* ticks between rows of energy.csv, at least 1 */
    /* [ats] instants of further snapshots, ascending; the start is one only if `bare` */
    struct ky_instant *at;
    size_t ats;
    int bare;    /* 1: snapshots only at the instants of `at`, not even at start and end */
    int shorten; /* 1: a step is divided if an instant of `at`, or the end, lies within it */
    int derived; /* 1: the program chose the step */
    int fixed;   /* 1: the step cannot be chosen, because a resumed run keeps its own */
};

/* The step [time], or of ln a with --expansion; negative: backwards. */
double ky_schedule_step(const struct ky_schedule *schedule);
/* The number of steps from the start to the end; a divided last step counts as one. */
uint64_t ky_schedule_steps(const struct ky_schedule *schedule);

/* Makes the schedule of a run that begins at time `start`.
 *
 * If the parameters have no step, the schedule takes the largest step up to `suggested` that
 * divides all requested intervals and times; KY_USAGE if that is much shorter. Every time must be a
 * multiple of the step from the start, else KY_USAGE; with run->shorten the end and the times of
 * run->at need not. With --expansion step and intervals are of ln a, and the step has to be given,
 * except for comoving bodies: then it is the early step of --late-step or less, and may be
 * divided. With --step-a it is the step of the phase (timeline.h), and intervals are of a. KY_USAGE
 * too if the step is lost in the rounding of the time. Free with ky_schedule_free, after a failure
 * too. */
enum ky_status ky_schedule_make(const struct ky_parameters *parameters,
                                const struct ky_run_parameters *run, double start, double suggested,
                                struct ky_schedule *schedule, struct ky_error *error);
void ky_schedule_free(struct ky_schedule *schedule);
/* Warns through the log if the program chose a step that makes more than a million steps, as for
 * two bodies that fall from rest. */
void ky_schedule_warn(const struct ky_schedule *schedule, const struct ky_parameters *parameters);
/* Changes the end of the schedule: to the time `end`, or to `steps` steps if that is NaN. Step and
 * intervals are kept. KY_USAGE for an end that is not at the end of a step or does not lie
 * ahead. */
enum ky_status ky_schedule_extend(struct ky_schedule *schedule, double end, uint64_t steps,
                                  struct ky_error *error);

/* Adds an instant for a snapshot that is not in `at` yet. KY_FAULT if memory runs out. */
enum ky_status ky_schedule_add(struct ky_schedule *schedule, struct ky_instant instant,
                               struct ky_error *error);

/* The next instant at which something may be due: the end of a step, an instant of `at`, or the
 * end.
 */
struct ky_instant ky_schedule_next(const struct ky_schedule *schedule, struct ky_instant now);
/* 1 if a snapshot, or a row of energy.csv, is due. Each snapshot has a row, and so has the end. */
int ky_schedule_snapshot_due(const struct ky_schedule *schedule, struct ky_instant now);
int ky_schedule_energy_due(const struct ky_schedule *schedule, struct ky_instant now);
/* The number of snapshots from the start to the end. */
uint64_t ky_schedule_snapshots(const struct ky_schedule *schedule);

/* The maximum number of rows of energy.csv if no interval is given, not counting the rows of
 * snapshots. */
enum { KY_ENERGY_ROWS = 5000 };

/* A list of times; the caller frees `of`. */
struct ky_times {
    double *of;
    size_t count, before_redshifts; /* all times; the ones of --at come first */
};
/* Reads the times of --at and the redshifts of --at-z, lists such as "0.5,1,2.25"; NULL is an empty
 * list. KY_USAGE for any other text. The caller frees `of`, also after a failure. */
enum ky_status ky_schedule_times(const struct ky_run_parameters *run, struct ky_times *times,
                                 struct ky_error *error);
/* Sets *end to the end by --end or --end-z; NaN: neither is given. KY_USAGE for both, and for
 * redshifts where the bodies are not comoving. */
enum ky_status ky_schedule_end(const struct ky_run_parameters *run, int comoving, double *end,
                               struct ky_error *error);

#endif
