/* Energies and errors of a system of few bodies after a step, from sums over its pairs. The host
 * and kernels compile it. */
#ifndef KY_FEW_ENERGY_H
#define KY_FEW_ENERGY_H

#include "few/pairs.h"
#include "few/system.h"

/* The numbers for the tests after a step. The error of the clock, Γ = ln((T + B)/U), is constant in
 * an exact motion. Where it is not 0, the energy is wrong by Γ U, which fades as bodies part. */
struct ky_few_state {
    double error;               /* Γ */
    double wrong;               /* Γ U, as an energy */
    double energy;              /* with slow-down, without Γ U */
    double parts;               /* the sum of the absolute values of the parts of the energy */
    double closest, others;     /* the largest potential of a pair, and the sum of the others */
    double kinetic, u;          /* of the clock */
    double reduced;             /* reduced × u is an energy */
    int is_old;                 /* 1: two bodies are so close that the tree does not suit them */
    double pull[KY_FEW_SHAPES]; /* M/r³ of the smallest node around each body */
};

/* The tree is made again when M/r³ of a pair is this many times as large as in the nodes around
 * both bodies. */
KY_CONSTANT double ky_few_stronger = 8;

/* The potential of a pair, with slow-down. */
KY_FN double ky_few_potential_of(const struct ky_few_system_one *s, const struct ky_few_pair *pair)
{
    const double q = ky_few_inverse(ky_few_square(pair->x[0], pair->x[1], pair->x[2]));
    return s->slow[pair->k][0] * s->mass[pair->i][0] * s->mass[pair->j][0] * q;
}

/* Sums over the pairs that have one body on the left. The sum over all pairs is the sum of these
 * sums in the order of the bodies, so that each lane of a team can have one body. */
struct ky_few_sums {
    double u, clock;        /* the potential with slow-down; the potential of the clock */
    double closest, others; /* as in struct ky_few_state */
    int is_old;
};

KY_FN void ky_few_clear_sums(struct ky_few_sums *sums)
{
    sums->u = sums->clock = sums->closest = sums->others = 0;
    sums->is_old = 0;
}

/* Adds a pair to the sums of its left body. */
KY_FN void ky_few_add_potential(struct ky_few_sums *sums, const struct ky_few_state *state,
                                const struct ky_few_system_one *s, const struct ky_few_pair *pair)
{
    const int k = pair->k, i = pair->i, j = pair->j;
    const int in_clock = s->inner < 0 ? s->weight[k][0] > 0 : k == s->inner;
    const double mass = s->mass[i][0] + s->mass[j][0],
                 q = ky_few_inverse(ky_few_square(pair->x[0], pair->x[1], pair->x[2])),
                 u = s->slow[k][0] * s->mass[i][0] * s->mass[j][0] * q;
    sums->u += u;
    sums->others += fmin(u, sums->closest);
    sums->closest = fmax(u, sums->closest);
    sums->clock += !in_clock ? 0 : s->inner < 0 ? u : s->weight[k][0] * mass * q;
    sums->is_old |= mass * q * q * q > ky_few_stronger * fmax(state->pull[i], state->pull[j]);
}

KY_FN void ky_few_add_sums(struct ky_few_state *state, const struct ky_few_sums *sums)
{
    state->energy -= sums->u;
    state->parts += sums->u;
    state->u += sums->clock;
    state->others += sums->others + fmin(sums->closest, state->closest);
    state->closest = fmax(sums->closest, state->closest);
    state->is_old |= sums->is_old;
}

#endif
