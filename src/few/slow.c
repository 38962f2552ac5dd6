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

/* Below this e the direction of the pericentre has less than half of its digits: the orbit is taken
 * as a circle with the pericentre at the present place. */
static const double circular = 1e-8;

/* The orbit of a pair: its axis and frequency, the vector e to the pericentre, j = x × v/√(G M a),
 * and cos and sin of multiples of the eccentric anomaly. */
struct ellipse {
    double a, frequency, e[3], j[3], cos[4], sin[4];
};

static struct ellipse ellipse_of(const struct ky_few_system_one *s, int k, double x[3])
{
    double v[3];
    for (int c = 0; c < 3; c++) {
        x[c] = s->x[k][c][0];
        v[c] = s->v[k][c][0];
    }
    const double gm = s->total[k][0], r = sqrt(product(x, x)), v2 = product(v, v),
                 a = 1 / (2 / r - v2 / gm), scale = 1 / sqrt(gm * a);
    struct ellipse o = {.a = a, .frequency = sqrt(gm / a) / a};
    for (int c = 0; c < 3; c++) {
        const int y = (c + 1) % 3, z = (c + 2) % 3;
        o.e[c] = (v2 / gm - 1 / r) * x[c] - product(x, v) / gm * v[c];
        o.j[c] = scale * (x[y] * v[z] - x[z] * v[y]);
    }
    if (product(o.e, o.e) < circular * circular)
        o.e[0] = o.e[1] = o.e[2] = 0;
    const double e = sqrt(product(o.e, o.e));
    o.cos[0] = 1;
    o.cos[1] = e > 0 ? (1 - r / a) / e : 1;
    o.sin[1] = e > 0 ? scale * product(x, v) / e : 0;
    for (int n = 2; n < 4; n++) {
        o.cos[n] = o.cos[n - 1] * o.cos[1] - o.sin[n - 1] * o.sin[1];
        o.sin[n] = o.sin[n - 1] * o.cos[1] + o.cos[n - 1] * o.sin[1];
    }
    return o;
}

/* A = ∫ (x xᵀ - <x xᵀ>) dM/a² over the mean anomaly M, with mean 0, from
 *
 *     x = a ((cos E - e) p + sin E q),    q = j × p,    dM = (1 - e cos E) dE,
 *
 * where p is the unit vector to the pericentre. */
static void integral_of(const struct ellipse *o, const double x[3], double A[3][3])
{
    const double e2 = product(o->e, o->e), e = sqrt(e2),
                 r = sqrt(product(x, x)), *const c = o->cos, *const s = o->sin,
                 pp = (e2 - 2.25) * e * s[1] + (1 + 2 * e2) / 4 * s[2] - e / 12 * s[3],
                 pq = 0.625 * e2 + 1.25 * e * c[1] - (1 + e2) / 4 * c[2] + e / 12 * c[3],
                 qq = e / 4 * s[1] - s[2] / 4 + e / 12 * s[3];
    double p[3], q[3];
    for (int n = 0; n < 3; n++)
        p[n] = e > 0 ? o->e[n] / e : x[n] / r;
    for (int n = 0; n < 3; n++)
        q[n] = o->j[(n + 1) % 3] * p[(n + 2) % 3] - o->j[(n + 2) % 3] * p[(n + 1) % 3];
    for (int m = 0; m < 3; m++)
        for (int n = 0; n < 3; n++)
            A[m][n] = pp * p[m] * p[n] + pq * (p[m] * q[n] + q[m] * p[n]) + qq * q[m] * q[n];
}

/* The potential energy of pair k in the tides of the others, in parts of its reduced mass, less its
 * mean over the orbit. With the tensor T of the tides it is Φ = -x·T x/2 and, from
 *
 *     <x xᵀ> = a²/2 ((1 - e²) + 5 e eᵀ - j jᵀ),    trace T = 0,
 *
 * <Φ> = -a²/4 (5 e·T e - j·T j). *later is the integral over the time of the change of Φ - <Φ> by
 * the motion of the others, in the time of the pair: -a²/(2 ω) A:dT/dt. */
static double excess(const struct ky_few_system_one *s, const double (*place)[3],
                     const double (*speed)[3], int k, double *later)
{
    double x[3], A[3][3], sum = 0;
    const struct ellipse o = ellipse_of(s, k, x);
    integral_of(&o, x, A);
    *later = 0;
    for (int i = 0; i < s->shape.n; i++) {
        double d[3], w[3], Ad[3];
        if (is_in(s, k, i))
            continue;
        apart(s, place, k, i, d);
        apart(s, speed, k, i, w);
        for (int c = 0; c < 3; c++)
            Ad[c] = product(A[c], d);
        const double q = ky_few_inverse(product(d, d)), g = s->mass[i][0] * q * q * q,
                     to_x = q * product(x, d), to_e = q * product(o.e, d),
                     to_j = q * product(o.j, d), now = 3 * to_x * to_x - product(x, x),
                     mean = 0.5 * o.a * o.a *
                            (5 * (3 * to_e * to_e - product(o.e, o.e)) -
                             (3 * to_j * to_j - product(o.j, o.j))),
                     away = product(d, w), trace = A[0][0] + A[1][1] + A[2][2];
        sum -= 0.5 * g * (now - mean);
        *later -= 0.5 * o.a * o.a / o.frequency * g * q * q *
                  (6 * product(Ad, w) - 15 * q * q * product(Ad, d) * away + 3 * trace * away);
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

/* Gives pair k a new κ. Within an orbit its energy changes as if tides were κ times as strong, and
 * the others moved κ times as fast: E + κ (Φ - <Φ>) - κ² Ψ stays, with the potential energy Φ in
 * the tides, and dΨ/dt = ∂(Φ - <Φ>)/∂t in the time of the pair. The mean of E over the orbit must
 * not change with κ, so that E changes by (κ - κ') (Φ - <Φ>) - (κ² - κ'²) Ψ. Not so without a limit
 * of the energy. */
void ky_few_change_slow_down(struct ky_few *few, int k, double kappa)
{
    struct ky_few_system_one *s = &few->system;
    const double v2 = ky_few_square(s->v[k][0][0], s->v[k][1][0], s->v[k][2][0]),
                 before = 1 / s->slow[k][0], energy = slow_energy_of(s, k);
    double x[KY_FEW_MOST][3], v[KY_FEW_MOST][3], factor = 1;
    s->slow[k][0] = 1 / kappa;
    if (few->settings.slow_energy > 0) {
        ky_few_positions(s, x, v);
        double later;
        const double now = excess(s, (const double(*)[3])x, (const double(*)[3])v, k, &later);
        factor += 2 * (before - kappa) * (now - (before + kappa) * later) / v2;
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
