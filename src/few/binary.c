/* The motion of a perturbed binary: one node of stages.h with the pulls of others in the kicks. */
#include "few/binary.h"

#include <math.h>

#include "physics/few.h"
#include "physics/kepler.h"

void ky_few_pull(const struct ky_few_others *others, double s, int n, const double (*place)[3],
                 double (*pull)[3])
{
    double t[6];
    for (int k = 0; k < 6; k++)
        t[k] = others->tide[0][k] + s * (others->tide[1][k] + s * others->tide[2][k]);
    for (int i = 0; i < n; i++) {
        const double x = place[i][0], y = place[i][1], z = place[i][2];
        pull[i][0] += t[0] * x + t[3] * y + t[4] * z;
        pull[i][1] += t[3] * x + t[1] * y + t[5] * z;
        pull[i][2] += t[4] * x + t[5] * y + t[2] * z;
    }
    for (size_t k = 0; k < others->count; k++) {
        const double *p = others->path[k], gm = others->gm[k];
        double at[3];
        for (int c = 0; c < 3; c++)
            at[c] = p[c] + s * (p[3 + c] + s * (0.5 * p[6 + c] + s * (1.0 / 6) * p[9 + c]));
        for (int i = 0; i < n; i++) {
            const double x = at[0] - place[i][0], y = at[1] - place[i][1], z = at[2] - place[i][2],
                         q = ky_few_inverse(ky_few_square(x, y, z)), g = gm * q * q * q;
            pull[i][0] += g * x;
            pull[i][1] += g * y;
            pull[i][2] += g * z;
        }
    }
}

/* A binary on its way: B and the time of the clock, and constants. */
struct path {
    struct ky_few_binary *binary;
    const struct ky_few_others *others;
    double total, part[2]; /* G M, and the parts of the mass */
    double kappa;
    double b, t; /* t: as the binary moves, slowed down */
};

/* dt/dh. */
static inline double rate(const struct path *path)
{
    return 1 / (0.5 * ky_few_length2(path->binary->v) + path->b);
}

static inline void drift(struct path *path, double h)
{
    const double dt = h * rate(path);
    for (int c = 0; c < 3; c++)
        path->binary->x[c] += dt * path->binary->v[c];
    path->t += dt;
}

/* The tides of the others on the relative vector: the difference of their pulls on both bodies. */
static inline void tides(const struct path *path, double pull[3])
{
    const struct ky_few_others *others = path->others;
    const double *x = path->binary->x, s = path->kappa * path->t;
    double t[6];
    for (int k = 0; k < 6; k++)
        t[k] = others->tide[0][k] + s * (others->tide[1][k] + s * others->tide[2][k]);
    pull[0] = t[0] * x[0] + t[3] * x[1] + t[4] * x[2];
    pull[1] = t[3] * x[0] + t[1] * x[1] + t[5] * x[2];
    pull[2] = t[4] * x[0] + t[5] * x[1] + t[2] * x[2];
    for (size_t k = 0; k < others->count; k++) {
        const double *p = others->path[k], s2 = 0.5 * s * s, s3 = s2 * s * (1.0 / 3);
        double one[3], other[3];
        for (int c = 0; c < 3; c++) {
            const double at = p[c] + s * p[3 + c] + s2 * p[6 + c] + s3 * p[9 + c];
            one[c] = at + path->part[1] * x[c];
            other[c] = at - path->part[0] * x[c];
        }
        const double q1 = ky_few_inverse(ky_few_length2(one)),
                     q2 = ky_few_inverse(ky_few_length2(other)), g1 = others->gm[k] * q1 * q1 * q1,
                     g2 = others->gm[k] * q2 * q2 * q2;
        for (int c = 0; c < 3; c++)
            pull[c] += g2 * other[c] - g1 * one[c];
    }
}

static inline void kick(struct path *path, double h)
{
    double *const x = path->binary->x, *const v = path->binary->v;
    const double q = ky_few_inverse(ky_few_length2(x)), dt = h / (path->total * q),
                 g = -path->total * q * q * q;
    double pull[3], power = 0;
    tides(path, pull);
    for (int c = 0; c < 3; c++) {
        const double by_others = path->kappa * pull[c], all = g * x[c] + by_others;
        power += by_others * (v[c] + 0.5 * dt * all);
        v[c] += dt * all;
    }
    path->b -= dt * power;
}

static void step(struct path *path, double h)
{
    const double unit = KY_FEW_UNIT;
    for (int stage = 0; stage <= KY_FEW_STAGES; stage++) {
        const double before = stage ? ky_few_coefficient[stage - 1] : 0,
                     after = stage < KY_FEW_STAGES ? ky_few_coefficient[stage] : 0;
        drift(path, h * (0.5 * unit * (before + after)));
        if (stage < KY_FEW_STAGES)
            kick(path, h * (unit * after));
    }
}

/* The longest step of the present orbit. */
static double longest(const struct path *path, double angle)
{
    const double *x = path->binary->x, *v = path->binary->v;
    const struct ky_few_orbit orbit =
        ky_few_orbit(path->total, sqrt(ky_few_length2(x)), ky_few_length2(v),
                     x[0] * v[0] + x[1] * v[1] + x[2] * v[2]);
    return ky_few_longest(orbit, 1, 0, 1, angle);
}

/* The h in which the binary takes the time dt if nobody pulls it: G M times the variable s of its
 * orbit, since dt/ds = r. */
static double length_of(const struct path *path, double dt)
{
    const double *x = path->binary->x, *v = path->binary->v, r = sqrt(ky_few_length2(x)),
                 along = x[0] * v[0] + x[1] * v[1] + x[2] * v[2],
                 beta = 2 * path->total / r - ky_few_length2(v);
    return r > 0 ? path->total * ky_kepler_solve(beta, r, along, path->total - beta * r, dt) : 0;
}

double ky_few_binary_go(struct ky_few_binary *binary, double dt, double kappa, double angle,
                        const struct ky_few_others *others)
{
    enum { MOST = 30 }; /* of steps that end at a given time */
    const double total = binary->gm[0] + binary->gm[1], until = dt / kappa, sign = dt < 0 ? -1 : 1;
    struct path path = {.binary = binary, .others = others, .total = total, .kappa = kappa};
    double steps = 0;
    if (!others) {
        ky_kepler_move(total, binary->x, binary->v, until);
        return 0;
    }
    for (int k = 0; k < 2; k++)
        path.part[k] = binary->gm[k] / total;
    path.b = total * ky_few_inverse(ky_few_length2(binary->x)) - 0.5 * ky_few_length2(binary->v);
    const double h = longest(&path, angle);
    while (sign * (until - path.t) * (0.5 * ky_few_length2(binary->v) + path.b) > h) {
        step(&path, sign * h);
        steps++;
    }
    for (int k = 0; k < MOST && fabs(until - path.t) > 2.3e-16 * fabs(until); k++) {
        const double before = fabs(until - path.t);
        const double left = until - path.t,
                     length = k ? left / rate(&path) : length_of(&path, left);
        step(&path, fmax(-h, fmin(length, h)));
        steps++;
        if (fabs(until - path.t) >= before && before < 1e-9 * fabs(until))
            break;
    }
    return steps;
}
