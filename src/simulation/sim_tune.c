/* Comoving simulations that keep an error of their forces (--error). As structures grow, the errors
 * of forces fall, and a larger α keeps the same error. So α and the order are found again before
 * the first step after the scale factor has doubled or halved since the last time. A search begins
 * with the last order and α, and depends otherwise on the positions alone
 * (analysis/force_error.c), so that it has the same result after a restart, and with any number of
 * threads and ranks. The order never rises again: a lower one is taken only where even α = 1 has
 * far smaller errors than it may. */
#include "simulation/sim.h"

#include <math.h>

#include "analysis/analysis.h"
#include "analysis/force_error.h"
#include "base/bodies.h"
#include "base/status.h"

/* Replaces order and α of the simulation, with new forces. Frees the bodies, which are its own. */
static enum ky_status take(struct ky_sim *sim, const struct ky_parameters *tuned,
                           struct ky_bodies *bodies, struct ky_error *error)
{
    if (tuned->order == sim->parameters.order && tuned->alpha == sim->parameters.alpha) {
        ky_bodies_free(bodies);
        return KY_OK;
    }
    const int had_changed = sim->has_changed;
    KY_TRY(ky_sim_put_with(sim, tuned, bodies, error));
    sim->has_changed = had_changed;
    sim->has_new_parameters = 1;
    return KY_OK;
}

/* Finds order and α for the present bodies, which it copies to *bodies. */
static enum ky_status find(struct ky_sim *sim, struct ky_parameters *tuned,
                           struct ky_choice *choice, struct ky_bodies *bodies,
                           struct ky_error *error)
{
    struct ky_halt halt = {.flag = sim->parameters.stop ? sim->parameters.stop : sim->search_stop};
    KY_TRY(ky_sim_take(sim, 0, 0, bodies, error));
    struct ky_bodies given = *bodies; /* which may lose its softenings */
    KY_TRY(ky_softening_need(tuned, &given, error));
    return ky_force_settle_again(tuned, &given, choice, &halt, error);
}

/* Without an α that keeps the error the last one stays, and its error is unknown. */
static enum ky_status tune(struct ky_sim *sim, double a, struct ky_error *error)
{
    struct ky_parameters tuned = sim->parameters;
    struct ky_choice choice = sim->choice;
    struct ky_bodies bodies = {0};
    struct ky_error own;
    const enum ky_status status = find(sim, &tuned, &choice, &bodies, &own);
    if (status)
        ky_bodies_free(&bodies);
    if (status && status != KY_USAGE)
        return ky_fail(error, status, "%s", own.text);
    if (status) {
        sim->choice.measured = (double)NAN;
        ky_log(&sim->parameters, KY_LOG_WARNING,
               "at a = %g no --alpha keeps --error %g with this force and precision: it stays %g",
               a, choice.asked, tuned.alpha);
        return ky_sim_note_force(sim, a, error);
    }
    KY_TRY(take(sim, &tuned, &bodies, error));
    sim->choice = choice;
    ky_log(&sim->parameters, KY_LOG_INFO, "at a = %g: %s", a, choice.text);
    return ky_sim_note_force(sim, a, error);
}

enum ky_status ky_sim_keep_error(struct ky_sim *sim, double a, struct ky_error *error)
{
    static const double factor = 2 * (1 - 1e-12);
    const size_t count = sim->tunings;
    const double last = count ? sim->tuned[count - 1].a : a;
    if (!(a >= factor * last || last >= factor * a) || count >= KY_MOST_TUNINGS)
        return KY_OK;
    const enum ky_status status = tune(sim, a, error);
    if (status == KY_STOPPED)
        sim->stop.kind = KY_STOP_ASKED;
    return status;
}
