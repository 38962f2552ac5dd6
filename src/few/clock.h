/* The clock of a system of few bodies, and its longest step. The host and kernels compile it,
 * after declarations of ky_few_set_clock. */
#ifndef KY_FEW_CLOCK_H
#define KY_FEW_CLOCK_H

#include "few/slow.h"
#include "few/system.h"

/* A pair is the clock if the orbits of all other nodes take at least this many of its periods, at
 * the speed of their pericentres; it stays the clock while they take half as many. */
KY_CONSTANT double ky_few_periods = 10;
/* The longest step changes when its criterion is below this part of it, or above the inverse. */
KY_CONSTANT double ky_few_step_change = 0.75;

KY_FN struct ky_few_orbit ky_few_orbit_of(const struct ky_few_system_one *s, int k)
{
    const double *x[3] = {s->x[k][0], s->x[k][1], s->x[k][2]},
                 *v[3] = {s->v[k][0], s->v[k][1], s->v[k][2]};
    return ky_few_orbit(s->total[k][0], sqrt(ky_few_square(*x[0], *x[1], *x[2])),
                        ky_few_square(*v[0], *v[1], *v[2]),
                        *x[0] * *v[0] + *x[1] * *v[1] + *x[2] * *v[2]);
}

/* The potential energy of node k, with slow-down: G × energy. */
KY_FN double ky_few_depth_of(const struct ky_few_system_one *s, const struct ky_few_orbit *orbit,
                             int k)
{
    return s->slow[k][0] * s->total[k][0] * s->left[k][0] * s->right[k][0] * orbit[k].gm /
           orbit[k].r;
}

/* Lengthens the steps of an unbound node whose r is below 10^-6 of r in every other node: they
 * become the steps of a node at this limit. The other bodies do not disturb the node there.
 * Otherwise two bodies that fall straight towards each other would never pass, since each step
 * would take them only a part of the way. The node must have more than half of the potential
 * energy: a step of a clock that others dominate would not resolve its orbit. */
KY_FN void ky_few_pass_quickly(const struct ky_few_system_one *s, struct ky_few_orbit *orbit)
{
    const double small = 1e-6;
    double second = (double)INFINITY, others = 0; /* the second smallest r */
    int least = 0;
    for (int k = 1; k < s->shape.n - 1; k++) {
        const int is_less = orbit[k].r < orbit[least].r;
        second = fmin(second, is_less ? orbit[least].r : orbit[k].r);
        others += ky_few_depth_of(s, orbit, is_less ? least : k);
        least = is_less ? k : least;
    }
    if (s->shape.n > 2 && !(orbit[least].inverse_axis > 0) && orbit[least].r < small * second &&
        ky_few_depth_of(s, orbit, least) > others)
        orbit[least].speed =
            sqrt(orbit[least].gm * (1 / (small * second) - orbit[least].inverse_axis));
}

/* The time that the orbit takes at the speed of its pericentre, times 2π. */
KY_FN double ky_few_quickest(const struct ky_few_orbit *orbit)
{
    const double left = orbit->e < 1 ? 1 - orbit->e : 0;
    return orbit->inverse_axis > 0 ? orbit->period * left * sqrt(left) : orbit->period;
}

/* The pair with the shortest period; bound ones first. */
KY_FN int ky_few_quickest_pair(const struct ky_few_shape *shape, const struct ky_few_orbit *orbit)
{
    int best = -1;
    for (int k = 0; k < shape->n - 1; k++)
        if (ky_few_is_pair(shape, k) &&
            (best < 0 || (orbit[k].inverse_axis > 0) > (orbit[best].inverse_axis > 0) ||
             ((orbit[k].inverse_axis > 0) == (orbit[best].inverse_axis > 0) &&
              orbit[k].period < orbit[best].period)))
            best = k;
    return best;
}

/* 1 if pair k is bound and all other nodes change slowly beside it. */
KY_FN int ky_few_is_far_inside(const struct ky_few *few, const struct ky_few_orbit *orbit, int k)
{
    const double times = few->system.inner == k ? ky_few_periods / 2 : ky_few_periods;
    int inside = orbit[k].inverse_axis > 0;
    for (int n = 0; n < few->system.shape.n - 1; n++)
        inside &= n == k || ky_few_quickest(&orbit[n]) >= times * orbit[k].period;
    return inside;
}

/* The least potential of a node on its orbit, G included, in the clock: of unbound ones 0. An
 * unbound pair that is the clock alone has at least half of its present potential until the next
 * step; so has a bound one that is at less than a hundredth of its largest separation, unless the
 * other nodes are slow beside its period. */
KY_FN double ky_few_least_of(const struct ky_few *few, const struct ky_few_orbit *orbit, int k)
{
    const double small = 0.01;
    const struct ky_few_system_one *s = &few->system;
    const double weighted = s->weight[k][0] * orbit[k].gm, now = weighted / orbit[k].r,
                 least = orbit[k].inverse_axis > 0
                             ? weighted * orbit[k].inverse_axis / (1 + orbit[k].e)
                             : 0;
    return k == s->inner && least < small * now && !ky_few_is_far_inside(few, orbit, k) ? 0.5 * now
                                                                                        : least;
}

/* The longest step that resolves every node, if each node keeps at least this part of its present
 * potential until the next step. */
KY_FEW_OWN double ky_few_longest_of(const struct ky_few *few, const struct ky_few_orbit *orbit,
                                    double part)
{
    const struct ky_few_system_one *s = &few->system;
    double least[KY_FEW_SHAPES], all = 0, longest = (double)INFINITY;
    for (int k = 0; k < s->shape.n - 1; k++) {
        least[k] = fmax(ky_few_least_of(few, orbit, k),
                        part * (s->weight[k][0] * orbit[k].gm / orbit[k].r));
        all += least[k];
    }
    for (int k = 0; k < s->shape.n - 1; k++)
        longest = fmin(longest, ky_few_longest(orbit[k], s->weight[k][0], all - least[k],
                                               s->slow[k][0], few->settings.angle));
    return longest;
}

/* 1 if the clock, which is the whole system, moves every node. Bodies without mass around one with
 * mass have no potential in it, so that no step would resolve their orbit. Light bodies have
 * little: where the others are unbound or nearly so, their potential may vanish, and steps would
 * become shorter without end. */
KY_FN int ky_few_whole_moves(const struct ky_few *few, const struct ky_few_orbit *orbit)
{
    const double small = 1e-3;
    return ky_few_longest_of(few, orbit, 0) > small * ky_few_longest_of(few, orbit, 1);
}

KY_FEW_FN void ky_few_set_weights(struct ky_few_system_one *s, int inner)
{
    s->inner = inner;
    for (int k = 0; k < s->shape.n - 1; k++) {
        const double reduced = s->total[k][0] * s->left[k][0] * s->right[k][0];
        s->weight[k][0] = s->slow[k][0] * (inner < 0 ? reduced : k == inner);
    }
}

/* 1 if B = U - T of the whole system has lost digits of U, as with a very fast body. */
KY_FN int ky_few_is_hidden(const struct ky_few_system_one *s, const struct ky_few_orbit *orbit)
{
    const double most = 1e6;
    double kinetic = 0, potential = 0;
    for (int k = 0; k < s->shape.n - 1; k++) {
        const double part = s->slow[k][0] * s->total[k][0] * s->left[k][0] * s->right[k][0];
        kinetic += 0.5 * part * ky_few_square(s->v[k][0][0], s->v[k][1][0], s->v[k][2][0]);
        potential += ky_few_depth_of(s, orbit, k);
    }
    return kinetic > most * potential;
}

/* Chooses the clock. The whole system cannot be the clock if its potential is hidden, or if it does
 * not move every node. */
KY_FN void ky_few_choose_clock(struct ky_few *few, const struct ky_few_orbit *orbit)
{
    struct ky_few_system_one *s = &few->system;
    const int pair = ky_few_quickest_pair(&s->shape, orbit);
    const int inside =
        s->shape.n > 2 && (ky_few_is_far_inside(few, orbit, pair) || ky_few_is_hidden(s, orbit));
    ky_few_set_weights(s, inside ? pair : -1);
    few->clock = inside ? KY_FEW_PAIR : KY_FEW_WHOLE;
    if (inside || ky_few_whole_moves(few, orbit))
        return;
    ky_few_set_weights(s, pair);
    few->clock = KY_FEW_PAIR;
}

/* The number with at most KY_FEW_STEP_BITS bits next to x. */
KY_FN double ky_few_shorten(double x)
{
    int exponent;
    const double part = frexp(x, &exponent);
    return ldexp(rint(ldexp(part, KY_FEW_STEP_BITS)), exponent - KY_FEW_STEP_BITS);
}

KY_FN void ky_few_choose_step(struct ky_few *few, const struct ky_few_orbit *orbit, int anew)
{
    const double longest = ky_few_longest_of(few, orbit, 0), before = fabs(few->longest);
    if (!anew && longest >= ky_few_step_change * before && longest * ky_few_step_change <= before)
        return;
    const double part = anew || !(before > 0) ? 1 : few->h / few->longest;
    few->longest = ky_few_shorten(few->settings.backwards ? -longest : longest);
    few->h = part * few->longest;
}

/* 1 if the clock is the whole system and nothing is slowed down. */
KY_FN int ky_few_is_plain(const struct ky_few_system_one *s)
{
    int plain = s->inner < 0;
    for (int k = 0; k < s->shape.n - 1; k++)
        plain &= s->slow[k][0] == 1;
    return plain;
}

/* Instead of B of the whole system, after a slow-down: its energy is a new one. */
KY_CONSTANT double ky_few_unknown = -1e308;

/* B of the new clock. The whole system without slow-down keeps its B, so that errors of the energy
 * do not stay when the clock changes and changes back. Before any other change of the clock the
 * error Γ U is taken out. If it cannot be, as where bodies nearly meet, it goes into the new B. It
 * would stay if B came from the positions and velocities alone. */
KY_FN void ky_few_set_b(struct ky_few *few)
{
    struct ky_few_system_one *s = &few->system;
    if (few->is_plain && few->steps > 0 && few->whole > ky_few_unknown) {
        s->b[0] = few->whole;
    } else {
        const int k = s->inner;
        const double mass = k < 0 ? 1 : s->total[k][0] * s->left[k][0] * s->right[k][0];
        ky_few_take_out(few);
        ky_few_set_clock(s);
        s->b[0] += mass > 0 ? few->wrong / mass : 0;
    }
    if (few->is_plain)
        few->whole = few->system.b[0];
}

KY_FEW_FN int ky_few_choose(struct ky_few *few, int anew)
{
    struct ky_few_system_one *s = &few->system;
    struct ky_few_orbit orbit[KY_FEW_SHAPES];
    const int nodes = s->shape.n - 1, inner = s->inner, was_plain = few->is_plain;
    int k = 0;
    do
        orbit[k] = ky_few_orbit_of(s, k);
    while (++k < nodes);
    ky_few_pass_quickly(s, orbit);
    const int slow_has_changed = ky_few_choose_slow_down(few, orbit);
    if (slow_has_changed)
        few->whole = ky_few_unknown;
    ky_few_choose_clock(few, orbit);
    few->is_plain = ky_few_is_plain(s);
    const int is_new =
        !(was_plain && few->is_plain) && (anew || slow_has_changed || s->inner != inner);
    ky_few_choose_step(few, orbit, anew || is_new);
    if (is_new)
        ky_few_set_b(few);
    return is_new;
}

#endif
