/* Steps of a system of few bodies, and its state at a given time. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "few/few.h"
#include "physics/few.h"

/* The tests after a step. The error of the clock, Γ = ln((T + B)/U), is constant in an exact
 * motion; where it is not 0, the energy is wrong by Γ U, less and less as bodies part. */
struct state {
    const struct ky_few_system_one *system;
    double error;             /* Γ */
    double wrong;             /* Γ U, as an energy */
    double energy;            /* with slow-down, without Γ U */
    double parts;             /* sum of the absolute values of its parts */
    double kinetic, u;        /* of the clock */
    int is_old;               /* 1: two bodies are so close that the tree does not suit them */
    double pull[KY_FEW_MOST]; /* M/r³ of the smallest node around each body */
};

/* The tree is made again when a pair is this many times as strong as the nodes of both. */
static const double stronger = 8;

static void add_potential(void *context, const struct ky_few_pair *pair)
{
    const int k = pair->k, i = pair->i, j = pair->j;
    struct state *state = context;
    const struct ky_few_system_one *s = state->system;
    const int in_clock = s->inner < 0 ? s->weight[k][0] > 0 : k == s->inner;
    const double mass = s->mass[i][0] + s->mass[j][0],
                 q = ky_few_inverse(ky_few_square(pair->x[0], pair->x[1], pair->x[2])),
                 u = s->slow[k][0] * s->mass[i][0] * s->mass[j][0] * q;
    state->energy -= u;
    state->parts += u;
    state->u += !in_clock ? 0 : s->inner < 0 ? u : s->weight[k][0] * mass * q;
    state->is_old |= mass * q * q * q > stronger * fmax(state->pull[i], state->pull[j]);
}

static struct state state_of(const struct ky_few_system_one *s)
{
    struct state state; /* without its array, which is long */
    double reduced = 1;
    memset(&state, 0, offsetof(struct state, pull));
    state.system = s;
    for (int k = s->shape.n - 2; k >= 0; k--) {
        const double q = ky_few_inverse(ky_few_square(s->x[k][0][0], s->x[k][1][0], s->x[k][2][0])),
                     half = 0.5 * ky_few_square(s->v[k][0][0], s->v[k][1][0], s->v[k][2][0]),
                     mass = s->total[k][0] * s->left[k][0] * s->right[k][0],
                     kinetic = s->slow[k][0] * mass * half;
        if (k == s->inner)
            reduced = mass;
        state.energy += kinetic;
        state.parts += kinetic;
        state.kinetic += s->weight[k][0] * half;
        for (int i = s->shape.node[k].begin; i < s->shape.node[k].end; i++)
            state.pull[i] = s->total[k][0] * q * q * q;
    }
    ky_few_visit_pairs(s, add_potential, &state);
    const double wrong = state.kinetic - state.u + s->b[0];
    state.error = wrong / state.u;
    state.wrong = reduced * wrong;
    state.energy -= state.wrong;
    return state;
}

void ky_few_keep(struct ky_few *few, struct ky_few_motion *before)
{
    struct ky_few_system_one *s = &few->system;
    const size_t bytes = (size_t)(s->shape.n - 1) * sizeof before->x[0];
    s->work[0] = 0;
    memcpy(before->x, s->x, bytes);
    memcpy(before->v, s->v, bytes);
    before->b = s->b[0];
    before->t = s->t[0];
    before->low = s->low[0];
}

static void restore(struct ky_few_system_one *s, const struct ky_few_motion *before)
{
    const size_t bytes = (size_t)(s->shape.n - 1) * sizeof before->x[0];
    memcpy(s->x, before->x, bytes);
    memcpy(s->v, before->v, bytes);
    s->work[0] = 0;
    s->b[0] = before->b;
    s->t[0] = before->t;
    s->low[0] = before->low;
}

/* Rounding errors of the energy, in parts of the sum of its absolute parts. */
static const double rounding = 4e-15;
/* A step may become longer if its errors are less than this part of the limit: they are of order
 * 9. */
static const double much_less = 1.0 / 500;
/* A step is not halved more often than this. */
static const double shortest_part = 1.0 / (1 << 20);
/* Errors that even the shortest step may have, relative as the tolerance. */
static const double too_wrong = 1e-6;

/* The larger of both errors of a step, in parts of the limit. */
static double error_of(const struct ky_few *few, const struct state *after)
{
    const double tolerance = few->settings.tolerance, work = few->system.work[0],
                 all = after->parts / after->u,
                 clock = fabs(after->error - few->error) / (tolerance + rounding * all),
                 energy = fabs(after->energy - few->energy - work) /
                          (tolerance * few->scale + rounding * after->parts);
    return few->system.inner < 0 ? clock : fmax(clock, energy);
}

static void make_step(struct ky_few *few, double h)
{
    if (few->others)
        ky_few_stages_pulled(&few->system, h, few->others);
    else
        ky_few_stages(&few->system, h);
}

static void set_errors(struct ky_few *few, const struct state *state)
{
    few->energy = state->energy;
    few->error = state->error;
    few->wrong = state->wrong;
}

enum ky_status ky_few_check_finite(const struct ky_few *few, struct ky_error *error)
{
    if (isfinite(few->system.t[0]) && isfinite(few->energy) && few->h != 0)
        return KY_OK;
    if (few->is_lost)
        return ky_fail(error, KY_BAD_DATA,
                       "%d bodies: no step, however short, keeps their energy to %g of itself, as "
                       "where bodies meet head-on: stop at contacts by --stop-collision",
                       few->system.shape.n, too_wrong);
    return ky_fail(error, KY_BAD_DATA,
                   "the positions or velocities of %d bodies have become infinite or not a number",
                   few->system.shape.n);
}

int ky_few_finish(struct ky_few *few, const struct ky_few_motion *before)
{
    struct ky_few_system_one *s = &few->system;
    const struct state after = state_of(s);
    const double error = error_of(few, &after);
    few->kicks += KY_FEW_STAGES;
    few->last = few->h;
    if (error > 1 && fabs(few->h) > shortest_part * fabs(few->longest)) {
        restore(s, before);
        few->h /= 2;
        few->repeated++;
        return 0;
    }
    if (error > 1 && error * few->settings.tolerance > too_wrong) {
        few->is_lost = 1;
        few->h = 0;
        return 1;
    }
    if (error <= much_less && few->h != few->longest)
        few->h *= 2;
    few->steps++;
    set_errors(few, &after);
    few->whole -= s->work[0];
    few->outer_work += s->work[0];
    if (after.is_old) {
        ky_few_release(few);
        ky_few_renew_tree(few);
    }
    if (ky_few_choose(few, after.is_old) || after.is_old) {
        const struct state now = state_of(s);
        set_errors(few, &now);
    }
    return 1;
}

enum ky_status ky_few_step(struct ky_few *few, struct ky_error *error)
{
    struct ky_few_system_one *s = &few->system;
    struct ky_few_motion before;
    if (s->shape.n == 2) { /* the orbit does not change */
        ky_few_stages(s, few->last = few->h);
        few->kicks += KY_FEW_STAGES;
        few->steps++;
        return ky_few_check_finite(few, error);
    }
    ky_few_keep(few, &before);
    do
        make_step(few, few->h);
    while (!ky_few_finish(few, &before));
    return ky_few_check_finite(few, error);
}

/* ---- times ---- */

/* How far a time is ahead of the system's own [time]. */
static double ahead(const struct ky_few_system_one *s, double time)
{
    return (time - s->t[0]) + s->low[0];
}

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
    double left = ahead(s, time);
    s->work[0] = 0;
    while (few->clock != KY_FEW_FREE && fabs(left) > 2.3e-16 * fabs(time) && steps < MOST) {
        const double h = left / ky_few_rate(s);
        make_step(few, fmax(-longest, fmin(h, longest)));
        const double now = ahead(s, time);
        steps++;
        if (fabs(now) >= fabs(left) && fabs(h) < longest / 1024)
            break;
        left = now;
    }
    few->whole -= s->work[0];
    few->outer_work += s->work[0];
    s->work[0] = 0;
    if (few->clock != KY_FEW_FREE) { /* these steps are not a part of the next one's errors */
        const struct state now = state_of(s);
        set_errors(few, &now);
    }
    left = ahead(s, time); /* less than the rounding of the time, but with free bodies */
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
    drift_freely(&own.system, ahead(&own.system, time));
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
    return (few->settings.backwards ? -1 : 1) * ahead(&few->system, time);
}

/* 1 if both sides of the tree's last node are unbound and recede at more than the distance. */
static int parts(const struct ky_few *few)
{
    const struct ky_few_system_one *s = &few->system;
    const int k = s->shape.n - 2;
    const double x = s->x[k][0][0], y = s->x[k][1][0], z = s->x[k][2][0], u = s->v[k][0][0],
                 v = s->v[k][1][0], w = s->v[k][2][0], r2 = ky_few_square(x, y, z),
                 away = x * u + y * v + z * w, distance = few->settings.apart;
    return ky_few_is_over(r2, ky_few_square(u, v, w), few->settings.backwards ? -away : away,
                          s->total[k][0], distance);
}

int ky_few_is_apart(const struct ky_few *few)
{
    if (!(few->settings.apart > 0) || few->clock == KY_FEW_FREE || !parts(few))
        return 0;
    struct ky_few anew = *few; /* the tree may be older than the present pairs */
    ky_few_renew_tree(&anew);
    return parts(&anew);
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

enum ky_status ky_few_check(const struct ky_bodies *bodies, struct ky_error *error)
{
    const double(*x)[3] = (const double(*)[3])bodies->position;
    if (bodies->n > KY_FEW_MOST)
        return ky_fail(error, KY_UNSUPPORTED,
                       "%zu bodies; --integrator few takes at most %d: use --integrator hermite4",
                       bodies->n, KY_FEW_MOST);
    for (size_t i = 0; i < bodies->n; i++) {
        double sum = bodies->mass[i];
        for (int c = 0; c < 3; c++)
            sum += x[i][c] + bodies->velocity[i][c];
        if (!isfinite(sum) || bodies->mass[i] < 0)
            return ky_fail(error, KY_BAD_DATA,
                           "body %zu has a mass, a position or a velocity that is not finite, or a "
                           "negative mass",
                           i);
        for (size_t j = 0; j < i; j++)
            if (x[i][0] == x[j][0] && x[i][1] == x[j][1] && x[i][2] == x[j][2] &&
                bodies->mass[i] + bodies->mass[j] > 0)
                return ky_fail(error, KY_BAD_DATA,
                               "bodies %zu and %zu are at the same place: without softening their "
                               "force is infinite",
                               j, i);
    }
    return KY_OK;
}

enum ky_status ky_few_start(struct ky_few *few, const struct ky_few_settings *settings,
                            const struct ky_bodies *bodies, double time, struct ky_error *error)
{
    const int n = (int)bodies->n;
    const double(*x)[3] = (const double(*)[3])bodies->position,
          (*v)[3] = (const double(*)[3])bodies->velocity;
    double gm[KY_FEW_MOST], total = 0;
    KY_TRY(ky_few_check(bodies, error));
    few->settings = *settings;
    few->others = NULL;
    few->system.shape.n = n;
    few->system.work[0] = 0;
    few->system.t[0] = few->epoch = time;
    few->system.low[0] = few->system.b[0] = 0;
    few->steps = few->repeated = few->kicks = few->trees = 0;
    few->slow_work = few->outer_work = few->wrong = 0;
    few->is_lost = 0;
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
    ky_few_first_clock(few);
    const struct state state = state_of(&few->system);
    set_errors(few, &state);
    few->scale = fmax(fabs(state.energy), 1e-3 * state.parts);
    return KY_OK;
}
