/* When a run does what, counted in steps, so that no rounding of times decides anything. */
#ifndef KY_SIMULATION_SCHEDULE_H
#define KY_SIMULATION_SCHEDULE_H

#include "base/status.h"

struct ky_schedule {
    double step;
    uint64_t end, every, energy_every; /* steps; every ≥ 1 */
};

/* From times to steps. `suggested` is the step to take where the parameters have none: the schedule
 * then takes the largest step up to it that divides the intervals asked for. Every given time must
 * be a multiple of the step, else KY_USAGE: a step is never shortened. */
enum ky_status ky_schedule_make(const struct ky_parameters *parameters,
                                const struct ky_run_parameters *run, double start, double suggested,
                                struct ky_schedule *schedule, struct ky_error *error);
/* The same step and intervals with another end (time, or number of steps if `end` is NaN). */
enum ky_status ky_schedule_extend(struct ky_schedule *schedule, double start, double end,
                                  uint64_t steps, struct ky_error *error);

#endif
