/* A run that is shown in a browser: frames for the pages that ask, and their orders. What fails
 * here ends no run: then there is no frame. */
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "simulation/run.h"
#include "view/sample.h"
#include "view/view.h"

#define WAIT 0.2         /* a run that waits looks for signals and files so often [s] */
#define SHORTEST 0.03    /* between two frames [s] */
#define SHARE 0.1        /* at most this part of the time goes into frames */
#define STILL_LOOKING 3. /* a page that got a frame so long ago is still there [s] */

enum ky_status ky_run_open_view(struct ky_run *run, struct ky_error *error)
{
    char path[KY_PATH];
    if (!run->given.view)
        return KY_OK;
    enum ky_status status = ky_folder_path(run->given.output, "energy.csv", path, error);
    return status ? status : ky_view_begin(run->given.view, 1, path, error);
}

/* ---- frames ---- */

/* Chooses the bodies that are shown, and gets memory for them, when their number has changed. */
static enum ky_status choose(struct ky_run *run, struct ky_error *error)
{
    struct ky_run_watch *watch = &run->watch;
    const size_t n = run->sim->n, most = ky_view_most(run->given.view), all = most < n ? most : n;
    if (watch->index && watch->n == n)
        return KY_OK;
    ky_run_close_view(run);
    watch->index = ky_allocate(all, sizeof *watch->index);
    if (!watch->index)
        return ky_no_memory(error, "bodies of the view", all, sizeof *watch->index);
    const size_t count = ky_view_sample(run->sim->id, n, most, watch->index);
    enum ky_status status =
        ky_bodies_allocate(&watch->shown, count, run->sim->with & (unsigned)KY_WITH_TYPE, error);
    watch->n = status ? 0 : n;
    return status;
}

/* Reads the bodies that are shown. */
static enum ky_status read_bodies(struct ky_run *run, struct ky_error *error)
{
    enum ky_status status = choose(run, error);
    struct ky_bodies wanted = run->watch.shown;
    wanted.mass = NULL;
    return status ? status : ky_sim_read(run->sim, run->watch.index, &wanted, error);
}

/* Gives a frame of the present time to the pages. */
static void give_frame(struct ky_run *run, const char *outcome)
{
    struct ky_run_watch *watch = &run->watch;
    const struct ky_bodies none = {0};
    const double begin = ky_clock();
    struct ky_error failure = {KY_OK, ""};
    struct ky_progress progress;
    ky_run_measure_progress(run, &progress);
    const enum ky_status status = read_bodies(run, &failure);
    const struct ky_view_frame frame = {.shown = status ? &none : &watch->shown,
                                        .n = run->sim->n,
                                        .units = &run->state.units,
                                        .time = progress.time,
                                        .title = run->given.output,
                                        .end = progress.end,
                                        .steps = progress.steps,
                                        .steps_at_end = progress.steps_at_end,
                                        .steps_per_s = progress.steps_per_s,
                                        .seconds_left = progress.seconds_left,
                                        .energy_change = progress.energy_change,
                                        .outcome = outcome,
                                        .snapshots = progress.snapshots,
                                        .failure = status ? failure.text : NULL};
    watch->orders = ky_view_orders(run->given.view);
    watch->at = run->sim->now;
    if (ky_view_give(run->given.view, &frame, 0, NULL))
        watch->orders = UINT64_MAX; /* memory is out: the next call tries again */
    const double end = ky_clock();
    watch->due = end + fmax(SHORTEST, (end - begin) * (1 / SHARE - 1));
}

/* A frame, if it would show something new and the last one is not too near. */
static void show(struct ky_run *run, int waits)
{
    const struct ky_run_watch *watch = &run->watch;
    const int same = watch->orders == ky_view_orders(run->given.view) && watch->due > 0 &&
                     ky_instant_compare(watch->at, run->sim->now) == 0;
    if (!same && (waits || ky_clock() >= watch->due))
        give_frame(run, NULL);
}

void ky_run_end_view(struct ky_run *run, const char *outcome)
{
    if (!run->given.view)
        return;
    ky_view_end(run->given.view);
    if (ky_view_is_watched(run->given.view, STILL_LOOKING))
        give_frame(run, outcome);
}

void ky_run_close_view(struct ky_run *run)
{
    free(run->watch.index);
    run->watch.index = NULL;
    ky_bodies_free(&run->watch.shown);
}

/* ---- orders ---- */

/* Writes a snapshot, unless the run has written one of this time. The restart file knows of it, so
 * that a resumed run gives the next one another number. There is no row of energy.csv, since such a
 * row would also be one of the core radii that --stop-core looks at. */
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

/* Logs that the run begins or ends to wait. */
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

int ky_run_is_stopped_by_view(const struct ky_run *run)
{
    return run->given.view && (ky_view_asked(run->given.view) & KY_VIEW_STOP);
}

enum ky_status ky_run_attend(struct ky_run *run, int *waits, struct ky_error *error)
{
    struct ky_view *view = run->given.view;
    *waits = 0;
    if (!view || !(ky_view_asked(view) || run->watch.is_paused))
        return KY_OK;
    const unsigned asked = ky_view_take(view);
    enum ky_status status = asked & KY_VIEW_SNAPSHOT ? write_now(run, error) : KY_OK;
    if (status)
        return status;
    tell_pause(run, (asked & KY_VIEW_PAUSE) != 0);
    if (asked & KY_VIEW_FRAME)
        show(run, (asked & KY_VIEW_PAUSE) != 0);
    *waits = ky_view_hold(view, WAIT);
    if (*waits)
        ky_run_begin_pace(run);
    return KY_OK;
}
