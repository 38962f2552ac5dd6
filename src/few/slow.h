/* The slow-down of the pairs of a system of few bodies. The host and kernels compile it; only the
 * host has a limit of the energy (slow.c). */
#ifndef KY_FEW_SLOW_H
#define KY_FEW_SLOW_H

#include "few/system.h"

/* A pair is slowed down so that κ of its periods are at most this part of the period of the groups
 * around it. Its eccentricity then stays right to 1e-4. */
KY_CONSTANT double ky_few_slow_part = 1.0 / 30;

#if KY_HOST
/* The largest κ of pair k if it is `most` by the periods, with a limit of the energy. */
double ky_few_limit_slow_down(const struct ky_few *few, const struct ky_few_orbit *orbit, int k,
                              double most);
/* Gives pair k a new κ. */
void ky_few_change_slow_down(struct ky_few *few, int k, double kappa);
#else
KY_FN void ky_few_change_slow_down(struct ky_few *few, int k, double kappa)
{
    few->system.slow[k][0] = 1 / kappa;
}
#endif

/* The period of the orbits around pair k: the shortest. */
KY_FN double ky_few_around(const struct ky_few_shape *shape, const struct ky_few_orbit *orbit,
                           int k)
{
    double period = (double)INFINITY;
    for (int n = k + 1; n < shape->n - 1; n++)
        if (shape->node[n].begin <= shape->node[k].begin &&
            shape->node[n].end >= shape->node[k].end)
            period = fmin(period, orbit[n].period);
    return period;
}

/* The largest κ of pair k in its present surroundings. */
KY_FN double ky_few_most_slow(const struct ky_few *few, const struct ky_few_orbit *orbit, int k)
{
    const double most =
        ky_few_slow_part * ky_few_around(&few->system.shape, orbit, k) / orbit[k].period;
#if KY_HOST
    if (most >= 2 && few->settings.slow_energy > 0)
        return ky_few_limit_slow_down(few, orbit, k, most);
#endif
    return most;
}

/* The largest power of two up to κ, which is 2 or more. */
KY_FN double ky_few_power_of_two(double kappa)
{
    int exponent;
    frexp(kappa, &exponent);
    return ldexp(1.0, exponent - 1);
}

/* The node with the largest kinetic energy, *kinetic; for a pair it is divided by κ. */
KY_FN int ky_few_fastest(const struct ky_few_system_one *s, double *kinetic)
{
    int fastest = 0;
    *kinetic = -1;
    for (int k = 0; k < s->shape.n - 1; k++) {
        const double own = 0.5 * s->slow[k][0] * s->total[k][0] * s->left[k][0] * s->right[k][0] *
                           ky_few_square(s->v[k][0][0], s->v[k][1][0], s->v[k][2][0]);
        if (!(own > *kinetic))
            continue;
        *kinetic = own;
        fastest = k;
    }
    return fastest;
}

/* Takes the error Γ U of the clock out of the bodies: it scales the velocity of the node with the
 * largest kinetic energy, so that the bodies have the energy that B stands for. If Γ U stayed, a
 * change of the clock would multiply Γ by U/U', since U depends on the clock and on the phase of a
 * pair. In a triple whose pair is slowed down once an orbit, Γ would grow without bound. With Γ
 * drifts take exp(-Γ) times as long as kicks. The motion of nodes that are not the clock then has
 * an error of first order in h, Γ times the change of their potential, which shorter steps hardly
 * reduce. Returns 1 if the velocity has changed. */
KY_FN int ky_few_take_out(struct ky_few *few)
{
    struct ky_few_system_one *s = &few->system;
    double kinetic;
    const int k = ky_few_fastest(s, &kinetic);
    if (few->wrong == 0 || !(fabs(few->wrong) < 1e-3 * kinetic))
        return 0;
    const double factor = sqrt(1 - few->wrong / kinetic);
    for (int c = 0; c < 3; c++)
        s->v[k][c][0] *= factor;
    few->wrong = 0;
    return 1;
}

/* κ of bound pairs from the orbits of the nodes: powers of two. Returns 1 if one is new. */
KY_FN int ky_few_choose_slow_down(struct ky_few *few, const struct ky_few_orbit *orbit)
{
    struct ky_few_system_one *s = &few->system;
    int changed = 0;
    for (int k = 0; k < s->shape.n - 1; k++) {
        const double now = 1 / s->slow[k][0];
        double wanted = 1;
        if (ky_few_is_pair(&s->shape, k) && orbit[k].inverse_axis > 0 && s->shape.n > 2)
            wanted = ky_few_most_slow(few, orbit, k);
        if (!few->settings.slow_down || wanted < 2 || !ky_few_is_number(wanted))
            wanted = 1;
        if (now <= wanted && wanted < 4 * now)
            continue;
        if (!changed)
            ky_few_take_out(few);
        ky_few_change_slow_down(few, k, ky_few_power_of_two(wanted));
        changed = 1;
    }
    return changed;
}

#endif
