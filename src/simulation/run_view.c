/* A run that is shown in a browser: frames for the pages that ask, and their commands. A failure
 * here does not end the run: then there is no frame. */
#include "base/status.h"
#include "base/view_calls.h"
#include "integrate/expansion.h"
#include "simulation/run.h"

#define WAIT 0.2         /* interval at which a paused run checks for signals and files [s] */
#define STILL_LOOKING 3. /* a page that received a frame within this time is still open [s] */

enum ky_status ky_run_open_view(struct ky_run *run, struct ky_error *error)
{
    char path[KY_PATH];
    struct ky_view *view = run->given.view;
    if (!view)
        return KY_OK;
    KY_TRY(ky_folder_path(run->given.output, "energy.csv", path, error));
    return ky_view_calls(view)->begin(view, 1, path, error);
}

/* ---- frames ---- */

/* Publishes a frame of the current time, which includes the effect of `orders` commands. */
static void give_frame(struct ky_run *run, const char *outcome, uint64_t orders)
{
    struct ky_progress progress;
    ky_run_measure_progress(run, &progress);
    struct ky_view_frame frame = {.units = &run->state.units,
                                  .time = progress.time,
                                  .comoving = ky_is_comoving(&run->sim->parameters),
                                  .box = run->sim->parameters.box,
                                  .title = run->given.output,
                                  .end = progress.end,
                                  .steps = progress.steps,
                                  .steps_at_end = progress.steps_at_end,
                                  .steps_per_s = progress.steps_per_s,
                                  .seconds_left = progress.seconds_left,
                                  .energy_change = progress.energy_change,
                                  .outcome = outcome,
                                  .snapshots = progress.snapshots};
    ky_sim_watch_give(&run->watch.frames, run->sim, run->given.view, &frame, orders);
}

void ky_run_end_view(struct ky_run *run, const char *outcome)
{
    struct ky_view *view = run->given.view;
    if (!view)
        return;
    ky_view_calls(view)->end(view);
    if (ky_view_calls(view)->is_watched(view, STILL_LOOKING))
        give_frame(run, outcome, 0); /* the last frame */
}

void ky_run_close_view(struct ky_run *run)
{
    ky_sim_watch_close(&run->watch.frames);
}

/* ---- orders ---- */

/* Writes a snapshot, unless the run has written one at this time. The restart file records it, so
 * that a resumed run numbers the next one differently. There is no row of energy.csv, since such a
 * row would also be one of the core radii for --stop-core. */
static enum ky_status write_now(struct ky_run *run, struct ky_error *error)
{
    struct ky_run_watch *watch = &run->watch;
    const struct ky_instant now = run->sim->now;
    if (ky_schedule_snapshot_due(&run->schedule, now) ||
        (watch->has_written && ky_instant_compare(watch->written, now) == 0))
        return KY_OK;
    enum ky_status status = ky_run_write_snapshot(run, error);
    if (!status && ky_run_writes_restarts(run))
        status = ky_run_write_restart(run, error);
    if (!status)
        status = ky_run_write_json(run, "running", NULL, error);
    watch->has_written = 1;
    watch->written = now;
    return status;
}

/* Logs that the run pauses or continues. */
static void tell_pause(struct ky_run *run, int is_paused)
{
    char time[KY_QUANTITY_TEXT];
    if (run->watch.is_paused == is_paused)
        return;
    run->watch.is_paused = is_paused;
    ky_log(&run->parameters, KY_LOG_INFO, "%s by the view at time %s",
           is_paused ? "paused" : "continued",
           ky_time_words(&run->sim->line, ky_sim_time(run->sim), time));
}

enum ky_status ky_run_attend(struct ky_run *run, int *waits, int *stops, struct ky_error *error)
{
    struct ky_view *view = run->given.view;
    const struct ky_view_calls *calls = view ? ky_view_calls(view) : NULL;
    *waits = *stops = 0;
    if (!view || !(calls->asked(view) || run->watch.is_paused))
        return KY_OK;
    uint64_t count;
    const unsigned asked = calls->take(view, KY_VIEW_SNAPSHOT, &count);
    *stops = (asked & KY_VIEW_STOP) != 0;
    if (*stops)
        return KY_OK;
    if (asked & KY_VIEW_SNAPSHOT)
        KY_TRY(write_now(run, error));
    tell_pause(run, (asked & KY_VIEW_PAUSE) != 0);
    if ((asked & KY_VIEW_FRAME) &&
        ky_sim_watch_is_due(&run->watch.frames, run->sim, count, (asked & KY_VIEW_PAUSE) != 0))
        give_frame(run, NULL, count);
    *waits = calls->hold(view, WAIT);
    if (*waits)
        ky_run_begin_pace(run);
    return KY_OK;
}
