/* Steps of a system of few bodies, and its state at a given time. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "few/few.h"
#include "few/finish.h"
#include "physics/few.h"

static void make_step(struct ky_few *few, double h)
{
    if (few->others)
        ky_few_stages_pulled(&few->system, h, few->others);
    else
        ky_few_stages(&few->system, h);
}

enum ky_status ky_few_check_finite(const struct ky_few *few, struct ky_error *error)
{
    if (ky_few_is_finite(few))
        return KY_OK;
    if (isfinite(few->system.t[0]) && isfinite(few->energy))
        return ky_fail(error, KY_BAD_DATA,
                       "%d bodies: no step, however short, keeps their energy to %g of itself, as "
                       "where bodies meet head-on or three meet at one point: stop at contacts by "
                       "--stop-collision",
                       few->system.shape.n, ky_few_most_wrong);
    return ky_fail(error, KY_BAD_DATA,
                   "the positions or velocities of %d bodies have become infinite or not a number",
                   few->system.shape.n);
}

enum ky_status ky_few_step(struct ky_few *few, struct ky_error *error)
{
    struct ky_few_motion before;
    ky_few_keep(few, &before);
    do
        make_step(few, few->h);
    while (!ky_few_finish(few, &before));
    return ky_few_check_finite(few, error);
}

/* ---- times ---- */

static void drift_freely(struct ky_few_system_one *s, double dt)
{
    for (int k = 0; k < s->shape.n - 1; k++)
        for (int c = 0; c < 3; c++)
            s->x[k][c][0] += dt * s->v[k][c][0];
}

/* A step of length h = (time ahead)/(dt/dh) leaves an error of second order in this time, so that
 * few steps are enough. The rest stays in the low part of the time. A drift by the rest alone would
 * change the energy of a pair whose separation is not much more than the rounding of time × speed.
 */
int ky_few_synchronise(struct ky_few *few, double time)
{
    enum { MOST = 60 };
    struct ky_few_system_one *s = &few->system;
    const double longest = fabs(few->h);
    int steps = 0;
    double left = ky_few_ahead_of(s, time);
    s->work[0] = 0;
    while (few->clock != KY_FEW_FREE && fabs(left) > 2.3e-16 * fabs(time) && steps < MOST) {
        const double h = left / ky_few_rate(s);
        make_step(few, fmax(-longest, fmin(h, longest)));
        const double now = ky_few_ahead_of(s, time);
        steps++;
        if (fabs(now) >= fabs(left) && fabs(h) < longest / 1024)
            break;
        left = now;
    }
    few->whole -= s->work[0];
    few->outer_work += s->work[0];
    s->work[0] = 0;
    if (few->clock != KY_FEW_FREE) { /* these steps are not a part of the next one's errors */
        const struct ky_few_state now = ky_few_state_of(s);
        ky_few_set_errors(few, &now);
    }
    left = ky_few_ahead_of(s, time); /* less than the rounding of the time, but with free bodies */
    if (few->clock == KY_FEW_FREE)
        drift_freely(s, left);
    s->low[0] = few->clock == KY_FEW_FREE ? 0 : left;
    s->t[0] = time;
    return steps;
}

void ky_few_at(const struct ky_few *few, double time, double (*position)[3], double (*velocity)[3])
{
    struct ky_few own = *few;
    double x[KY_FEW_MOST][3], v[KY_FEW_MOST][3];
    ky_few_synchronise(&own, time);
    drift_freely(&own.system, ky_few_ahead_of(&own.system, time));
    ky_few_positions(&own.system, x, v);
    for (int p = 0; p < own.system.shape.n; p++)
        for (int c = 0; c < 3; c++) {
            const double centre = own.centre[c] + (time - own.epoch) * own.motion[c];
            position[own.order[p]][c] = centre + x[p][c];
            velocity[own.order[p]][c] = own.motion[c] + v[p][c];
        }
}

double ky_few_ahead(const struct ky_few *few, double time)
{
    return (few->settings.backwards ? -1 : 1) * ky_few_ahead_of(&few->system, time);
}

enum ky_status ky_few_go(struct ky_few *few, double time, struct ky_few *before,
                         struct ky_few_contact *contact, struct ky_error *error)
{
    const double limit =
        few->settings.most ? few->steps + (double)few->settings.most : (double)INFINITY;
    enum ky_status status = KY_OK;
    if (few->settings.radii)
        contact->body[0] = -1;
    if (few->clock == KY_FEW_FREE) {
        ky_few_synchronise(few, time);
        return KY_OK;
    }
    while (!status && ky_few_ahead(few, time) > 0 && few->steps < limit && !ky_few_is_apart(few)) {
        if (few->settings.radii)
            *before = *few;
        status = ky_few_step(few, error);
        if (!few->settings.radii || status)
            continue;
        ky_few_find_contact(before, few, contact);
        if (contact->body[0] >= 0)
            break;
    }
    return status;
}

/* Systems that are hard to follow go on with a tolerance that is larger by the first factor, again
 * and again up to the second one. */
static const double eased = 100, most_eased = 5e-8;

enum ky_status ky_few_go_anyway(struct ky_few *few, double time, struct ky_few *before,
                                struct ky_few_contact *contact, struct ky_error *error)
{
    const double tolerance = few->settings.tolerance;
    enum ky_status status = ky_few_go(few, time, before, contact, error);
    while (few->clock != KY_FEW_FREE && ky_few_ahead(few, time) > 0 && isfinite(few->energy) &&
           few->settings.tolerance < most_eased &&
           !(few->settings.radii && contact->body[0] >= 0)) {
        few->settings.tolerance *= eased;
        few->h = few->h == 0 ? few->longest : few->h;
        status = ky_few_go(few, time, before, contact, error);
    }
    few->settings.tolerance = tolerance;
    return status;
}

/* ---- the beginning ---- */

/* Centre of mass and its velocity. */
static void set_centre(struct ky_few *few, int n, const double *mass, const double (*x)[3],
                       const double (*v)[3])
{
    double total = 0;
    for (int i = 0; i < n; i++)
        total += mass[i];
    for (int c = 0; c < 3; c++) {
        double place = 0, motion = 0;
        for (int i = 0; i < n; i++) {
            const double part = mass[i] / total;
            place += part * x[i][c];
            motion += part * v[i][c];
        }
        few->centre[c] = place;
        few->motion[c] = motion;
    }
}

/* Products of two masses and 1/r³ are numbers with all digits if masses, which contain G, are in
 * this range, and distances are at least the inverse of its end. */
static const double smallest = 1e-100, largest = 1e100;

static enum ky_status check_masses(const struct ky_bodies *bodies, double g, struct ky_error *error)
{
    double total = 0;
    for (size_t i = 0; i < bodies->n; i++)
        total += g * bodies->mass[i];
    return total == 0 || (total >= smallest && total <= largest)
               ? KY_OK
               : ky_fail(error, KY_BAD_DATA,
                         "G times the mass of all bodies is %g; it must be 0 or from %g to %g: use "
                         "other units",
                         total, smallest, largest);
}

/* Fails where two bodies, of which one has mass, are at the same place or too near for 1/r³. */
static enum ky_status check_apart(const struct ky_bodies *bodies, size_t i, size_t j,
                                  struct ky_error *error)
{
    const double(*x)[3] = (const double(*)[3])bodies->position;
    const double d[3] = {x[i][0] - x[j][0], x[i][1] - x[j][1], x[i][2] - x[j][2]},
                 most = fmax(fmax(fabs(d[0]), fabs(d[1])), fabs(d[2]));
    return most >= 1 / largest || bodies->mass[i] + bodies->mass[j] == 0
               ? KY_OK
               : ky_fail(error, KY_BAD_DATA,
                         "bodies %zu and %zu are at the same place, or nearer than %g: without "
                         "softening their force is infinite",
                         j, i, 1 / largest);
}

enum ky_status ky_few_check(const struct ky_bodies *bodies, double g, struct ky_error *error)
{
    if (bodies->n > KY_FEW_MOST)
        return ky_fail(error, KY_UNSUPPORTED,
                       "%zu bodies; --integrator few takes at most %d: use --integrator hermite4",
                       bodies->n, KY_FEW_MOST);
    for (size_t i = 0; i < bodies->n; i++) {
        double sum = bodies->mass[i];
        for (int c = 0; c < 3; c++)
            sum += bodies->position[i][c] + bodies->velocity[i][c];
        if (!isfinite(sum) || bodies->mass[i] < 0)
            return ky_fail(error, KY_BAD_DATA,
                           "body %zu has a mass, a position or a velocity that is not finite, or a "
                           "negative mass",
                           i);
        for (size_t j = 0; j < i; j++)
            KY_TRY(check_apart(bodies, i, j, error));
    }
    return check_masses(bodies, g, error);
}

/* Chooses for a new system. */
static void choose_first(struct ky_few *few)
{
    ky_few_set_weights(&few->system, -1);
    ky_few_set_clock(&few->system);
    few->whole = few->system.b[0];
    few->is_plain = 0;
    ky_few_choose(few, 1);
}

enum ky_status ky_few_start(struct ky_few *few, const struct ky_few_settings *settings,
                            const struct ky_bodies *bodies, double time, struct ky_error *error)
{
    const int n = (int)bodies->n;
    const double(*x)[3] = (const double(*)[3])bodies->position,
          (*v)[3] = (const double(*)[3])bodies->velocity;
    double gm[KY_FEW_MOST], total = 0;
    KY_TRY(ky_few_check(bodies, settings->g, error));
    few->settings = *settings;
    few->others = NULL;
    few->system.shape.n = n;
    few->system.work[0] = 0;
    few->system.t[0] = few->epoch = time;
    few->system.low[0] = few->system.b[0] = 0;
    few->steps = few->repeated = few->kicks = few->trees = 0;
    few->slow_work = few->outer_work = few->wrong = 0;
    few->h = few->longest = few->last = 0;
    for (int i = 0; i < n; i++)
        total += gm[i] = settings->g * bodies->mass[i];
    for (int i = 0; i < n && !(total > 0); i++)
        gm[i] = 1; /* for the tree and the centre of bodies that only drift */
    set_centre(few, n, gm, x, v);
    ky_few_first_tree(few, gm, x, v);
    few->clock = n > 1 && total > 0 ? KY_FEW_WHOLE : KY_FEW_FREE;
    if (few->clock == KY_FEW_FREE)
        return KY_OK;
    choose_first(few);
    const struct ky_few_state state = ky_few_state_of(&few->system);
    ky_few_set_errors(few, &state);
    few->scale = fmax(fabs(state.energy), 1e-3 * state.parts);
    return KY_OK;
}
