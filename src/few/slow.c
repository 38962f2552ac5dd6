/* The slow-down of the pairs of a system of few bodies. */
#include <math.h>

#include "few/few.h"
#include "few/slow.h"
#include "physics/few.h"

static const double turn = 6.283185307179586477;

/* Pulls of the rest of the system on a pair. */
struct tides {
    double strength; /* relative to its own pull at its apocentre */
    double part;     /* its size over the distance of the nearest body */
};

/* From the centre of pair k to the body at place i of the tree; x: places of the bodies. */
static void apart(const struct ky_few_system_one *s, const double (*x)[3], int k, int i,
                  double d[3])
{
    const struct ky_few_node *node = &s->shape.node[k];
    for (int c = 0; c < 3; c++)
        d[c] = x[i][c] - (s->left[k][0] * x[node->begin][c] + s->right[k][0] * x[node->middle][c]);
}

static int is_in(const struct ky_few_system_one *s, int k, int i)
{
    return i >= s->shape.node[k].begin && i < s->shape.node[k].end;
}

static struct tides tides_on(const struct ky_few_system_one *s, const struct ky_few_orbit *orbit,
                             const double (*x)[3], int k)
{
    const double size = (1 + orbit[k].e) / orbit[k].inverse_axis;
    struct tides tides = {0, 0};
    for (int i = 0; i < s->shape.n; i++) {
        double d[3];
        if (is_in(s, k, i))
            continue;
        apart(s, x, k, i, d);
        const double part = size * ky_few_inverse(ky_few_square(d[0], d[1], d[2]));
        tides.strength += 2 * s->mass[i][0] / s->total[k][0] * part * part * part;
        tides.part = fmax(tides.part, part);
    }
    return tides;
}

/* The largest κ of pair k for the energy. A change of κ does not correct tides of the next order in
 * size over distance, which pull two different masses, nor the square of the fluctuations. */
static double most_by_energy(const struct ky_few *few, const struct ky_few_orbit *orbit, int k)
{
    const struct ky_few_system_one *s = &few->system;
    double x[KY_FEW_MOST][3], v[KY_FEW_MOST][3];
    ky_few_positions(s, x, v);
    const struct tides tides = tides_on(s, orbit, (const double(*)[3])x, k);
    const double energy = 0.5 * s->total[k][0] * s->left[k][0] * s->right[k][0] * orbit[k].gm *
                          orbit[k].inverse_axis,
                 next = tides.part * fmax(fabs(s->left[k][0] - s->right[k][0]), tides.part),
                 allowed = few->settings.slow_energy / energy;
    return fmin(allowed / next, sqrt(allowed)) / tides.strength;
}

/* An eccentric orbit around the pair is as quick as its motion now. */
double ky_few_limit_slow_down(const struct ky_few *few, const struct ky_few_orbit *orbit, int k,
                              double most)
{
    const struct ky_few_system_one *s = &few->system;
    for (int n = k + 1; n < s->shape.n - 1; n++) {
        const double *w[3] = {s->v[n][0], s->v[n][1], s->v[n][2]};
        const double v2 = ky_few_square(*w[0], *w[1], *w[2]), r = orbit[n].r;
        if (s->shape.node[n].begin <= s->shape.node[k].begin &&
            s->shape.node[n].end >= s->shape.node[k].end)
            most = fmin(most,
                        ky_few_slow_part * turn * r / sqrt(orbit[n].gm / r + v2) / orbit[k].period);
    }
    return most < 2 ? most : fmin(most, most_by_energy(few, orbit, k));
}

/* ---- changes of κ ---- */

static double product(const double x[3], const double y[3])
{
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

/* The potential energy of pair k in the tides of the others, in parts of its reduced mass, less its
 * mean over the orbit. With the tensor T of the tides it is Φ = -x·T x/2 and, from
 *
 *     <x xᵀ> = a²/2 ((1 - e²) + 5 e eᵀ - j jᵀ),    j = x × v/√(G M a),    trace T = 0,
 *
 * with the vector e to the pericentre, <Φ> = -a²/4 (5 e·T e - j·T j). */
static double excess(const struct ky_few_system_one *s, const double (*place)[3], int k)
{
    double x[3], v[3], e[3], j[3], sum = 0;
    for (int c = 0; c < 3; c++) {
        x[c] = s->x[k][c][0];
        v[c] = s->v[k][c][0];
    }
    const double gm = s->total[k][0], r = sqrt(product(x, x)), v2 = product(v, v),
                 a = 1 / (2 / r - v2 / gm), scale = 1 / sqrt(gm * a);
    for (int c = 0; c < 3; c++) {
        const int y = (c + 1) % 3, z = (c + 2) % 3;
        e[c] = (v2 / gm - 1 / r) * x[c] - product(x, v) / gm * v[c];
        j[c] = scale * (x[y] * v[z] - x[z] * v[y]);
    }
    for (int i = 0; i < s->shape.n; i++) {
        double d[3];
        if (is_in(s, k, i))
            continue;
        apart(s, place, k, i, d);
        const double q = ky_few_inverse(product(d, d)), g = s->mass[i][0] * q * q * q,
                     to_x = q * product(x, d), to_e = q * product(e, d), to_j = q * product(j, d),
                     now = 3 * to_x * to_x - r * r,
                     mean = 0.5 * a * a *
                            (5 * (3 * to_e * to_e - product(e, e)) -
                             (3 * to_j * to_j - product(j, j)));
        sum -= 0.5 * g * (now - mean);
    }
    return sum;
}

/* The energy of pair k with slow-down. */
static double slow_energy_of(const struct ky_few_system_one *s, int k)
{
    const double *const x[3] = {s->x[k][0], s->x[k][1], s->x[k][2]}, *const v[3] = {s->v[k][0],
                                                                                    s->v[k][1],
                                                                                    s->v[k][2]};
    return s->slow[k][0] * s->total[k][0] * s->left[k][0] * s->right[k][0] *
           (0.5 * ky_few_square(*v[0], *v[1], *v[2]) -
            s->total[k][0] * ky_few_inverse(ky_few_square(*x[0], *x[1], *x[2])));
}

/* Gives pair k a new κ. Within an orbit its energy changes as if tides were κ times as strong:
 * E + κ Φ stays, with their potential energy Φ. The mean of E over the orbit must not change with
 * κ, so that E changes by (κ - κ') (Φ - <Φ>). Not so without a limit of the energy. */
void ky_few_change_slow_down(struct ky_few *few, int k, double kappa)
{
    struct ky_few_system_one *s = &few->system;
    const double v2 = ky_few_square(s->v[k][0][0], s->v[k][1][0], s->v[k][2][0]),
                 before = 1 / s->slow[k][0], energy = slow_energy_of(s, k);
    double x[KY_FEW_MOST][3], v[KY_FEW_MOST][3], factor = 1;
    s->slow[k][0] = 1 / kappa;
    if (few->settings.slow_energy > 0) {
        ky_few_positions(s, x, v);
        factor += 2 * (before - kappa) * excess(s, (const double(*)[3])x, k) / v2;
    }
    for (int c = 0; c < 3 && factor > 0.5 && factor < 2; c++)
        s->v[k][c][0] *= sqrt(factor);
    few->slow_work += slow_energy_of(s, k) - energy;
}

void ky_few_release(struct ky_few *few)
{
    for (int k = 0; k < few->system.shape.n - 1 && few->settings.slow_energy > 0; k++)
        if (few->system.slow[k][0] != 1)
            ky_few_change_slow_down(few, k, 1);
}
