/* Frames of a simulation for the pages of a view. After a failure here there is no frame, and the
 * simulation continues. */
#include "simulation/sim_view.h"

#include <math.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/sample_ids.h"
#include "base/view_calls.h"
#include "integrate/expansion.h"
#include "simulation/sim.h"

#define WAIT 0.2      /* interval at which a waiting simulation checks for commands [s] */
#define SHORTEST 0.03 /* minimum time between two frames [s] */
#define SHARE 0.1     /* maximum fraction of the time spent on frames */

/* Selects the shown bodies, and allocates memory for them, when their number has changed. */
static enum ky_status choose(struct ky_sim_watch *watch, const struct ky_sim *sim,
                             struct ky_view *view, struct ky_error *error)
{
    const size_t n = sim->n, most = ky_view_calls(view)->most(view), all = most < n ? most : n;
    if (watch->index && watch->n == n)
        return KY_OK;
    ky_sim_watch_close(watch);
    KY_TRY(ky_array(&watch->index, all, sizeof *watch->index, "bodies of the view", error));
    const size_t count = ky_sample_ids(sim->id, n, most, watch->index);
    enum ky_status status =
        ky_bodies_allocate(&watch->shown, count, sim->with & (unsigned)KY_WITH_TYPE, error);
    watch->n = status ? 0 : n;
    return status;
}

/* Reads the shown bodies. */
static enum ky_status read_bodies(struct ky_sim_watch *watch, struct ky_sim *sim,
                                  struct ky_view *view, struct ky_error *error)
{
    enum ky_status status = choose(watch, sim, view, error);
    struct ky_bodies wanted = watch->shown;
    wanted.mass = NULL;
    return status ? status : ky_sim_read(sim, watch->index, &wanted, error);
}

int ky_sim_watch_is_due(const struct ky_sim_watch *watch, const struct ky_sim *sim, uint64_t orders,
                        int waits)
{
    const int same =
        watch->orders == orders && watch->due > 0 && ky_instant_compare(watch->at, sim->now) == 0;
    return !same && (waits || ky_clock() >= watch->due);
}

void ky_sim_watch_give(struct ky_sim_watch *watch, struct ky_sim *sim, struct ky_view *view,
                       struct ky_view_frame *frame, uint64_t orders)
{
    const struct ky_bodies none = {0};
    const double begin = ky_clock();
    struct ky_error failure = {KY_OK, ""};
    const enum ky_status status = read_bodies(watch, sim, view, &failure);
    frame->shown = status ? &none : &watch->shown;
    frame->n = sim->n;
    frame->failure = status ? failure.text : NULL;
    watch->orders = orders;
    watch->at = sim->now;
    if (ky_view_calls(view)->give(view, frame, 0, NULL))
        watch->orders = UINT64_MAX; /* memory ran out: the next call tries again */
    const double end = ky_clock();
    watch->due = end + fmax(SHORTEST, (end - begin) * (1 / SHARE - 1));
}

/* ---- a simulation without a run ---- */

enum ky_status ky_sim_show(struct ky_sim *sim, struct ky_view *view, unsigned *orders,
                           struct ky_error *error)
{
    KY_NEED(view, error);
    KY_NEED(orders, error);
    const struct ky_view_calls *calls = ky_view_calls(view);
    *orders = 0;
    enum ky_status status = ky_sim_check_alive(sim, error);
    if (status || calls->is_inherited(view))
        return status;
    if (sim->view != view) {
        ky_sim_watch_close(&sim->frames);
        status = calls->begin(view, 1, NULL, error);
        sim->view = status ? NULL : view;
    }
    if (status || !calls->asked(view))
        return status;
    uint64_t count;
    const unsigned asked = calls->take(view, KY_VIEW_SNAPSHOT | KY_VIEW_STOP, &count);
    const int waits = (asked & KY_VIEW_PAUSE) != 0;
    if ((asked & KY_VIEW_FRAME) && ky_sim_watch_is_due(&sim->frames, sim, count, waits)) {
        struct ky_view_frame frame = {.units = &sim->parameters.units,
                                      .time = ky_sim_time(sim),
                                      .comoving = ky_is_comoving(&sim->parameters),
                                      .box = sim->parameters.box,
                                      .title = "a simulation",
                                      .end = (double)NAN,
                                      .steps = ky_sim_steps(sim),
                                      .steps_at_end = 1,
                                      .steps_per_s = (double)NAN,
                                      .seconds_left = (double)NAN,
                                      .energy_change = (double)NAN};
        ky_sim_watch_give(&sim->frames, sim, view, &frame, count);
    }
    *orders = (asked & KY_VIEW_SNAPSHOT ? KY_SHOW_SNAPSHOT : 0U) |
              (asked & KY_VIEW_STOP ? KY_SHOW_STOP : 0U) |
              (calls->hold(view, WAIT) ? KY_SHOW_WAIT : 0U);
    return KY_OK;
}
