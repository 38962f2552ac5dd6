/* Changes to a simulation between two steps: bodies are replaced, added and removed. The engine
 * gets the new bodies. Their forces are computed at once, or once for several changes. */
#include "simulation/sim.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/bodies.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/status.h"
#include "engine/common/units.h"

enum { BY_FORCES = KY_WITH_ACCELERATION | KY_WITH_POTENTIAL };

/* ---- all bodies ---- */

enum ky_status ky_sim_renew_integrator(struct ky_sim *sim, struct ky_error *error)
{
    struct ky_integrator_state *old = sim->integrator, *new = NULL;
    const struct ky_integrator_verbs *verbs = old->verbs;
    KY_TRY(ky_sim_make_integrator(sim, &new, error));
    sim->steps_before = ky_sim_steps(sim);
    for (size_t k = 0; k < verbs->field_count; k++)
        memcpy((char *)new + verbs->fields[k].offset, (char *)old + verbs->fields[k].offset,
               sizeof(uint64_t));
    ky_integrator_free(old);
    sim->integrator = new;
    return KY_OK;
}

enum ky_status ky_sim_take(struct ky_sim *sim, size_t more, unsigned with, struct ky_bodies *bodies,
                           struct ky_error *error)
{
    const int is_late = sim->is_late;
    enum ky_status status = ky_bodies_allocate_by(sim->parameters.threads, bodies, sim->n + more,
                                                  sim->with | with | KY_WITH_ID | BY_FORCES, error);
    bodies->n = sim->n;
    sim->is_late = 0; /* only the last accelerations are used, whatever has changed since */
    if (!status)
        status = ky_sim_bodies(sim, bodies, error);
    sim->is_late = is_late;
    bodies->n = sim->n + more;
    return status;
}

/* Checks whether the engine will accept these bodies; called before `resize` removes the current
 * ones. */
static enum ky_status check_bodies(const struct ky_sim *sim, struct ky_bodies *bodies,
                                   struct ky_error *error)
{
    const struct ky_engine_frame from_bodies = {0};
    struct ky_engine_units units;
    KY_TRY(ky_bodies_check_by(sim->parameters.threads, bodies, error));
    KY_TRY(ky_softening_need(&sim->parameters, bodies, error));
    KY_TRY(ky_integrator_check_bodies(&sim->parameters, bodies, error));
    return ky_engine_units(bodies, &sim->parameters, &from_bodies, &units, error);
}

/* Puts the bodies on the engine; `anew`: with newly allocated memory, as large as the parameters
 * say. */
static enum ky_status give_engine(struct ky_sim *sim, const struct ky_bodies *bodies, int anew,
                                  struct ky_error *error)
{
    if (anew || bodies->n != sim->n)
        KY_TRY(ky_engine_resize(sim->engine, bodies->n, error));
    return ky_engine_put(sim->engine, bodies, error);
}

/* To be called after the engine has new bodies. */
static enum ky_status follow(struct ky_sim *sim, const struct ky_bodies *bodies,
                             struct ky_error *error)
{
    sim->n = bodies->n;
    KY_TRY(ky_sim_keep_labels(sim, bodies, error));
    KY_TRY(ky_sim_renew_integrator(sim, error));
    return ky_sim_changed(sim, error);
}

/* Replaces the current bodies by the copy, with new forces, and frees the copy. After KY_BAD_DATA
 * and KY_USAGE nothing has changed. */
static enum ky_status put(struct ky_sim *sim, struct ky_bodies *bodies, struct ky_error *error)
{
    struct ky_bodies given = *bodies; /* which may lose its softenings */
    enum ky_status status = check_bodies(sim, &given, error);
    if (!status) {
        status = give_engine(sim, &given, 0, error);
        if (!status)
            status = follow(sim, &given, error);
        sim->has_failed |= status != KY_OK;
    }
    ky_bodies_free(bodies);
    return status;
}

enum ky_status ky_sim_put_with(struct ky_sim *sim, const struct ky_parameters *parameters,
                               struct ky_bodies *bodies, struct ky_error *error)
{
    const struct ky_parameters before = sim->parameters;
    struct ky_bodies given = *bodies, old = *bodies;
    if (!isnan(before.softening))
        old.softening = NULL;
    sim->parameters = *parameters;
    enum ky_status status = check_bodies(sim, &given, error);
    int refused = status != KY_OK;
    if (!refused) {
        status = give_engine(sim, &given, 1, error);
        if (!status)
            status = follow(sim, &given, error);
        else if (status == KY_UNSUPPORTED) { /* restores the previous bodies */
            sim->parameters = before;
            refused = !give_engine(sim, &old, 1, NULL);
        }
    }
    if (refused)
        sim->parameters = before;
    sim->has_failed |= status && !refused;
    ky_bodies_free(bodies);
    return status;
}

/* ---- writing ---- */

/* Copies the arrays of `from` over the rows of `to` from `first` on, except results, and except ids
 * unless `labels`. */
static void copy_rows(struct ky_bodies *to, size_t first, const struct ky_bodies *from, int labels)
{
    for (int k = 0; k < KY_ARRAYS; k++) {
        const struct ky_array *about = &ky_arrays[k];
        const void *source = ky_array_of(from, (enum ky_array_id)k);
        char *target = ky_array_of(to, (enum ky_array_id)k);
        if (source && target && from->n && !(about->with & BY_FORCES) &&
            (labels || about->with != KY_WITH_ID))
            memcpy(target + first * about->bytes, source, from->n * about->bytes);
    }
}

enum ky_status ky_sim_write(struct ky_sim *sim, const struct ky_bodies *bodies,
                            struct ky_error *error)
{
    KY_NEED(sim, error);
    KY_NEED(bodies, error);
    struct ky_bodies all = {0};
    const double softening = sim->parameters.softening;
    enum ky_status status = ky_sim_check_alive(sim, error);
    if (!status)
        status = ky_sim_check_length(sim, bodies->n, error);
    if (!status)
        status = ky_sim_take(sim, 0, ky_bodies_with(bodies) & ~(unsigned)BY_FORCES, &all, error);
    if (status) {
        ky_bodies_free(&all);
        return status;
    }
    copy_rows(&all, 0, bodies, 0);
    if (bodies->softening)
        sim->parameters.softening = (double)NAN; /* from now on each body has its own */
    sim->has_new_parameters |= bodies->softening != NULL;
    status = put(sim, &all, error);
    if (status == KY_BAD_DATA || status == KY_USAGE)
        sim->parameters.softening = softening;
    return status;
}

/* ---- bodies that come and go ---- */

/* Gives the bodies from the n-th on ids above the ids of the first n. KY_USAGE if there are too few
 * such ids. */
static enum ky_status number(struct ky_bodies *bodies, size_t n, struct ky_error *error)
{
    uint64_t largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = bodies->id[i] > largest ? bodies->id[i] : largest;
    if (n && UINT64_MAX - largest < bodies->n - n)
        return ky_fail(error, KY_USAGE, "no ids are left above %" PRIu64 "; give ids", largest);
    for (size_t i = n; i < bodies->n; i++)
        bodies->id[i] = n ? ++largest : i;
    return KY_OK;
}

enum ky_status ky_sim_add(struct ky_sim *sim, const struct ky_bodies *bodies,
                          struct ky_error *error)
{
    KY_NEED(sim, error);
    KY_NEED(bodies, error);
    struct ky_bodies all = {0};
    const size_t before = sim->n;
    /* The first bodies may have softenings where the simulation has none. */
    const unsigned with = ky_bodies_with(bodies) & (KY_WITH_TYPE | KY_WITH_RADIUS |
                                                    (before ? 0U : (unsigned)KY_WITH_SOFTENING));
    enum ky_status status = ky_sim_check_alive(sim, error);
    if (!status)
        status = ky_bodies_check_by(sim->parameters.threads, bodies, error);
    if (status || !bodies->n)
        return status;
    if ((sim->with & KY_WITH_SOFTENING) && isnan(sim->parameters.softening) && !bodies->softening)
        return ky_fail(
            error, KY_USAGE,
            "the bodies of the simulation have their own softenings; added bodies need them too");
    status = ky_sim_take(sim, bodies->n, with, &all, error);
    for (size_t i = before; !status && all.type && i < all.n; i++)
        all.type[i] = 4;
    if (!status) {
        copy_rows(&all, before, bodies, 1);
        status = bodies->id ? KY_OK : number(&all, before, error);
    }
    if (!status)
        return put(sim, &all, error);
    ky_bodies_free(&all);
    return status;
}

/* Removes the bodies with the `count` ids in `id`, in ascending order. Returns the number of
 * removed bodies. */
static size_t drop_rows(struct ky_bodies *bodies, const uint64_t *id, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < bodies->n; i++)
        if (!bsearch(&bodies->id[i], id, count, sizeof *id, ky_order_ids))
            ky_bodies_move(bodies, kept++, i);
    const size_t gone = bodies->n - kept;
    bodies->n = kept;
    return gone;
}

enum ky_status ky_sim_remove(struct ky_sim *sim, const uint64_t *id, size_t count,
                             struct ky_error *error)
{
    struct ky_bodies bodies = {0};
    enum ky_status status = ky_sim_check_alive(sim, error);
    if (status || !count)
        return status;
    KY_NEED(id, error);
    uint64_t *sorted;
    KY_TRY(ky_array(&sorted, count, sizeof *sorted, "ids", error));
    memcpy(sorted, id, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, ky_order_ids);
    status = ky_sim_take(sim, 0, 0, &bodies, error);
    if (!status && drop_rows(&bodies, sorted, count) != count)
        status = ky_fail(error, KY_BAD_DATA,
                         "of %zu ids to remove only %zu belong to bodies, or some are given twice",
                         count, sim->n - bodies.n);
    free(sorted);
    if (!status)
        return put(sim, &bodies, error);
    ky_bodies_free(&bodies);
    return status;
}
