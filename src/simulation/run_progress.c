/* The progress of a run, for the caller's progress line and for the view. */
#include <math.h>

#include "base/clock.h"
#include "simulation/run.h"

/* Steps up to now. */
static uint64_t steps_of(const struct ky_run *run)
{
    return run->sim->now.ticks / run->schedule.stride;
}

void ky_run_begin_pace(struct ky_run *run)
{
    run->pace.second = ky_clock();
    run->pace.steps = steps_of(run);
}

/* Steps per second since the pace began; 0 before the first step. */
static double present_rate(const struct ky_run *run, double now)
{
    const struct ky_run_pace *pace = &run->pace;
    return now > pace->second ? (double)(steps_of(run) - pace->steps) / (now - pace->second) : 0;
}

/* The rate is measured over a second, and during the first second over all steps. The remaining
 * time follows only from a whole second. */
void ky_run_measure_progress(struct ky_run *run, struct ky_progress *progress)
{
    struct ky_run_pace *pace = &run->pace;
    const double now = ky_clock();
    const struct ky_schedule *schedule = &run->schedule;
    const uint64_t steps = steps_of(run), end = ky_schedule_steps(schedule);
    if (now - pace->second > 1.0) {
        pace->rate = present_rate(run, now);
        ky_run_begin_pace(run);
    }
    *progress = (struct ky_progress){
        .size = sizeof *progress,
        .time = ky_sim_time(run->sim),
        .end = ky_instant_time(&schedule->line, schedule->end),
        .steps = steps,
        .steps_at_end = end,
        .steps_per_s = pace->rate > 0 ? pace->rate : present_rate(run, now),
        .seconds_left = pace->rate > 0 ? (double)(end - steps) / pace->rate : (double)NAN,
        .energy_change = isnan(run->energy_time) ? (double)NAN : run->state.change,
        .snapshots = (size_t)run->state.snapshots,
        .energy_time = run->energy_time,
        .energy_is_off = fabs(run->energy_error) > KY_ENERGY_LIMIT,
    };
}
