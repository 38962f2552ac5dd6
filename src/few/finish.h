/* After the stages of a step: tests of its errors, the next step, and whether a system has
 * come apart. The host and kernels compile it, after declarations of ky_few_renew_tree. */
#ifndef KY_FEW_FINISH_H
#define KY_FEW_FINISH_H

#include "few/clock.h"
#include "few/energy.h"
#include "few/pairs.h"
#include "few/system.h"

/* Adds the sums over all pairs. For teams of lanes KY_FEW_SUM_PAIRS is another function. */
#ifndef KY_FEW_SUM_PAIRS
#define KY_FEW_SUM_PAIRS ky_few_sum_pairs
KY_FN void ky_few_sum_pairs(struct ky_few_state *state, const struct ky_few_system_one *s)
{
    struct ky_few_walk walk;
    struct ky_few_sums of[KY_FEW_SHAPES];
    for (int i = 0; i < s->shape.n - 1; i++)
        ky_few_clear_sums(&of[i]);
    KY_FEW_EACH_PAIR(s, &walk)
    ky_few_add_potential(&of[walk.pair.i], state, s, &walk.pair);
    for (int i = 0; i < s->shape.n - 1; i++)
        ky_few_add_sums(state, &of[i]);
}
#endif

KY_FEW_OWN struct ky_few_state ky_few_state_of(const struct ky_few_system_one *s)
{
    struct ky_few_state state;
    state.energy = state.parts = state.closest = state.others = state.kinetic = state.u = 0;
    state.is_old = 0;
    state.reduced = 1;
    for (int k = s->shape.n - 2; k >= 0; k--) {
        const double q = ky_few_inverse(ky_few_square(s->x[k][0][0], s->x[k][1][0], s->x[k][2][0])),
                     per_mass = 0.5 * ky_few_square(s->v[k][0][0], s->v[k][1][0], s->v[k][2][0]),
                     mass = s->total[k][0] * s->left[k][0] * s->right[k][0],
                     kinetic = s->slow[k][0] * mass * per_mass;
        if (k == s->inner)
            state.reduced = mass;
        state.energy += kinetic;
        state.parts += kinetic;
        state.kinetic += s->weight[k][0] * per_mass;
        for (int i = s->shape.node[k].begin; i < s->shape.node[k].end; i++)
            state.pull[i] = s->total[k][0] * q * q * q;
    }
    KY_FEW_SUM_PAIRS(&state, s);
    const double wrong = state.kinetic - state.u + s->b[0];
    state.error = wrong / state.u;
    state.wrong = state.reduced * wrong;
    state.energy -= state.wrong;
    return state;
}

KY_FEW_FN void ky_few_keep(struct ky_few *few, struct ky_few_motion *before)
{
    struct ky_few_system_one *s = &few->system;
    s->work[0] = 0;
    for (int k = 0; k < s->shape.n - 1; k++)
        for (int c = 0; c < 3; c++) {
            before->x[k][c] = s->x[k][c][0];
            before->v[k][c] = s->v[k][c][0];
        }
    before->b = s->b[0];
    before->t = s->t[0];
    before->low = s->low[0];
}

KY_FN void ky_few_restore(struct ky_few_system_one *s, const struct ky_few_motion *before)
{
    s->work[0] = 0;
    for (int k = 0; k < s->shape.n - 1; k++)
        for (int c = 0; c < 3; c++) {
            s->x[k][c][0] = before->x[k][c];
            s->v[k][c][0] = before->v[k][c];
        }
    s->b[0] = before->b;
    s->t[0] = before->t;
    s->low[0] = before->low;
}

/* Rounding errors of the energy, in parts of the sum of its absolute parts. */
KY_CONSTANT double ky_few_rounding = 4e-15;
/* A step may become longer if its errors are less than this part of the limit: they are of order
 * 9. */
KY_CONSTANT double ky_few_much_less = 1.0 / 500;
/* A step is not halved more often than this. */
KY_CONSTANT double ky_few_shortest_part = 1.0 / (1 << 20);
/* A step of this length may have this error, relative as the tolerance; with a larger one the
 * system is lost: it stays before the step, and its next step is 0. */
KY_CONSTANT double ky_few_most_wrong = 1e-6;

/* The energy that errors are compared with: at least the first one. Pairs that are no longer slowed
 * down, or that others have made hard, have more. */
KY_FN double ky_few_scale_of(const struct ky_few *few)
{
    return fmax(few->scale, fabs(few->energy));
}

/* The larger of both errors of a step, in parts of the limit. */
KY_FN double ky_few_error_of(const struct ky_few *few, const struct ky_few_state *after)
{
    const double tolerance = few->settings.tolerance, work = few->system.work[0],
                 all = after->parts / (after->reduced * after->u),
                 clock = fabs(after->error - few->error) / (tolerance + ky_few_rounding * all),
                 energy = fabs(after->energy - few->energy - work) /
                          (tolerance * ky_few_scale_of(few) + ky_few_rounding * after->parts);
    return few->system.inner < 0 ? clock : fmax(clock, energy);
}

/* The potential of the closest pair with all other bodies. */
KY_FEW_OWN double ky_few_third_of(const struct ky_few_system_one *s)
{
    double of[KY_FEW_SHAPES], closest = 0;
    struct ky_few_walk walk;
    int i = 0, j = 0;
    for (int p = 0; p < s->shape.n; p++)
        of[p] = 0;
    KY_FEW_EACH_PAIR(s, &walk)
    {
        const double u = ky_few_potential_of(s, &walk.pair);
        of[walk.pair.i] += u;
        of[walk.pair.j] += u;
        if (u <= closest)
            continue;
        closest = u;
        i = walk.pair.i;
        j = walk.pair.j;
    }
    return of[i] + of[j] - 2 * closest;
}

/* 1 if Γ makes the energy wrong by too much without the closest pair: three bodies meet at one
 * point. The closest pair does not count, since its part of Γ U decreases again as the pair parts.
 * Nor do pairs of other bodies, which are not at that point. */
KY_FN int ky_few_is_lost(const struct ky_few *few, const struct ky_few_state *after)
{
    const double tolerated = fmax(ky_few_most_wrong, 1e5 * few->settings.tolerance),
                 most = tolerated * ky_few_scale_of(few), error = fabs(after->error);
    return few->system.inner < 0 && error * after->others > most &&
           error * ky_few_third_of(&few->system) > most;
}

KY_FN void ky_few_set_errors(struct ky_few *few, const struct ky_few_state *state)
{
    few->energy = state->energy;
    few->error = state->error;
    few->wrong = state->wrong;
}

/* 1 if Γ of a pair that is the clock is so large, and steps are so short, that Γ may be the reason.
 * Smaller ones stay: they mostly go back, while a change of the bodies does not. */
KY_FN int ky_few_is_held_up(const struct ky_few *few)
{
    const double much = 100, part = 1.0 / 16;
    return few->system.inner >= 0 && fabs(few->error) > much * few->settings.tolerance &&
           fabs(few->h) < part * fabs(few->longest);
}

KY_FEW_FN int ky_few_finish(struct ky_few *few, const struct ky_few_motion *before)
{
    struct ky_few_system_one *s = &few->system;
    few->kicks += KY_FEW_STAGES;
    few->last = few->h;
    if (s->shape.n == 2) { /* the orbit does not change */
        few->steps++;
        return 1;
    }
    const struct ky_few_state after = ky_few_state_of(s);
    const double error = ky_few_error_of(few, &after);
    if (error > 1 && fabs(few->h) > ky_few_shortest_part * fabs(few->longest)) {
        ky_few_restore(s, before);
        few->h /= 2;
        few->repeated++;
        return 0;
    }
    if ((error > 1 && error * few->settings.tolerance > ky_few_most_wrong) ||
        ky_few_is_lost(few, &after)) {
        ky_few_restore(s, before);
        few->h = 0;
        return 1;
    }
    if (error <= ky_few_much_less && few->h != few->longest)
        few->h *= 2;
    few->steps++;
    ky_few_set_errors(few, &after);
    few->whole -= s->work[0];
    few->outer_work += s->work[0];
    if (after.is_old) {
        if (!few->is_plain)
            ky_few_take_out(few);
#if KY_HOST
        ky_few_release(few);
#endif
        ky_few_renew_tree(few);
    }
    const int is_new = ky_few_choose(few, after.is_old) || after.is_old;
    if (is_new || (ky_few_is_held_up(few) && ky_few_take_out(few))) {
        const struct ky_few_state now = ky_few_state_of(s);
        ky_few_set_errors(few, &now);
    }
    return 1;
}

/* 1 if the numbers of a system are finite and it can take a step. */
KY_FN int ky_few_is_finite(const struct ky_few *few)
{
    return ky_few_is_number(few->system.t[0]) && ky_few_is_number(few->energy) && few->h != 0;
}

/* How far a time is ahead of the system's own [time]. */
KY_FN double ky_few_ahead_of(const struct ky_few_system_one *s, double time)
{
    return (time - s->t[0]) + s->low[0];
}

/* 1 if both sides of the tree's last node are unbound and recede at more than the distance. */
KY_FN int ky_few_parts_by(const struct ky_few *few)
{
    const struct ky_few_system_one *s = &few->system;
    const int k = s->shape.n - 2;
    const double x = s->x[k][0][0], y = s->x[k][1][0], z = s->x[k][2][0], u = s->v[k][0][0],
                 v = s->v[k][1][0], w = s->v[k][2][0], r2 = ky_few_square(x, y, z),
                 away = x * u + y * v + z * w, distance = few->settings.apart;
    return ky_few_is_over(r2, ky_few_square(u, v, w), few->settings.backwards ? -away : away,
                          s->total[k][0], distance);
}

KY_FEW_FN int ky_few_is_apart(const struct ky_few *few)
{
    if (!(few->settings.apart > 0) || few->clock == KY_FEW_FREE || !ky_few_parts_by(few))
        return 0;
    struct ky_few anew = *few; /* the tree may be older than the present pairs */
    ky_few_renew_tree(&anew);
    return ky_few_parts_by(&anew);
}

#endif
