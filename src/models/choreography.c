/* Choreographies: see choreography.h.
 *
 * Both orbits are symmetric under reversal of time, so a fraction of the period is enough. Newton's
 * method varies the unknowns until the bodies are in the next symmetric configuration at the end of
 * this fraction:
 *
 * - The figure eight (Moore 1993; Chenciner & Montgomery 2000) goes from three bodies in a line to
 *   an isosceles triangle in a twelfth of its period. There the equal sides change at opposite
 *   rates, and the third does not change.
 * - The super-eight of four (Gerver; Chenciner et al. 2002) begins with two bodies on the x axis
 *   and two on the y axis, all in motion across their axis. After a quarter of its period the
 *   pairs have exchanged their axes.
 *
 * The Newtonian orbits are known; softening is added little by little. */
#include "models/choreography.h"

#include <math.h>
#include <string.h>

enum { MOST = 4, STEPS = 600, STAGES = 10, ROUNDS = 20 };

static void accelerate(const struct ky_dance *at, const struct ky_dance_law *law,
                       double a[KY_MOST_DANCERS][2])
{
    memset(a, 0, KY_MOST_DANCERS * sizeof *a);
    for (int i = 0; i < at->count; i++)
        for (int j = 0; j < i; j++) {
            const double dx = at->x[j][0] - at->x[i][0], dy = at->x[j][1] - at->x[i][1],
                         s2 = dx * dx + dy * dy + law->eps2,
                         pull = (1 - 5 * law->kappa * law->eps2 / (s2 * s2)) / (s2 * sqrt(s2));
            a[i][0] += pull * dx, a[i][1] += pull * dy;
            a[j][0] -= pull * dx, a[j][1] -= pull * dy;
        }
}

/* One step of the classical Runge-Kutta scheme. */
static void step(struct ky_dance *dance, const struct ky_dance_law *law, double h)
{
    static const double part[] = {0, 0.5, 0.5, 1}, weight[] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    double a[KY_MOST_DANCERS][2] = {{0}}, v[KY_MOST_DANCERS][2] = {{0}};
    const struct ky_dance start = *dance;
    struct ky_dance at = start;
    for (int stage = 0; stage < 4; stage++) {
        for (int i = 0; i < start.count; i++)
            for (int c = 0; c < 2; c++) {
                at.x[i][c] = start.x[i][c] + part[stage] * h * v[i][c];
                at.v[i][c] = start.v[i][c] + part[stage] * h * a[i][c];
            }
        accelerate(&at, law, a);
        memcpy(v, at.v, sizeof v);
        for (int i = 0; i < start.count; i++)
            for (int c = 0; c < 2; c++) {
                dance->x[i][c] += weight[stage] * h * v[i][c];
                dance->v[i][c] += weight[stage] * h * a[i][c];
            }
    }
}

void ky_dance_go(struct ky_dance *dance, const struct ky_dance_law *law, double time, int steps)
{
    for (int k = 0; k < steps; k++)
        step(dance, law, time / steps);
}

/* The distance of two bodies and its rate of change. */
static double apart(const struct ky_dance *d, int i, int j, double *rate)
{
    const double x = d->x[j][0] - d->x[i][0], y = d->x[j][1] - d->x[i][1], r = hypot(x, y);
    *rate = (x * (d->v[j][0] - d->v[i][0]) + y * (d->v[j][1] - d->v[i][1])) / r;
    return r;
}

/* ---- the two orbits ---- */

/* The initial state for the unknowns. The last unknown is the fraction of the period, as a time. */
static void start_three(const double *u, double size, struct ky_dance *dance)
{
    static const double x = 0.97000436, y = -0.24308753;
    *dance = (struct ky_dance){
        3,
        {{size * x, size * y}, {-size * x, -size * y}, {0, 0}},
        {{-u[0] / 2, -u[1] / 2}, {-u[0] / 2, -u[1] / 2}, {u[0], u[1]}},
        12 * u[2],
    };
}

static void miss_three(const struct ky_dance *d, double *miss)
{
    double change[3];
    miss[0] = apart(d, 0, 1, &change[0]) - apart(d, 0, 2, &change[1]);
    apart(d, 1, 2, &change[2]);
    miss[1] = change[0] + change[1];
    miss[2] = change[2];
}

static void start_four(const double *u, double size, struct ky_dance *dance)
{
    const double x = 1.382857 * size;
    *dance = (struct ky_dance){
        4,
        {{x, 0}, {0, u[0]}, {-x, 0}, {0, -u[0]}},
        {{0, u[1]}, {u[2], 0}, {0, -u[1]}, {-u[2], 0}},
        4 * u[3],
    };
}

static void miss_four(const struct ky_dance *d, double *miss)
{
    miss[0] = d->x[0][0];
    miss[1] = d->v[0][1];
    miss[2] = d->x[1][1];
    miss[3] = d->v[1][0];
}

/* Scaling of the unknowns with the size: speeds as size^(−1/2), lengths as size, times as
 * size^(3/2). */
static const struct orbit {
    int count, unknown;
    double newton[MOST], power[MOST], parts;
    void (*start)(const double *u, double size, struct ky_dance *dance);
    void (*miss)(const struct ky_dance *dance, double *miss);
} orbits[] = {
    {3,
     3,
     {-0.93240737, -0.86473146, 6.32591398 / 12},
     {-0.5, -0.5, 1.5},
     12,
     start_three,
     miss_three},
    {4,
     4,
     {0.157030, 0.584873, 1.871935, 1.5707963267948966},
     {1, -0.5, -0.5, 1.5},
     4,
     start_four,
     miss_four},
};

/* ---- Newton's method ---- */

static void miss_of(const struct orbit *orbit, const double *u, double size,
                    const struct ky_dance_law *law, double *miss)
{
    struct ky_dance dance;
    orbit->start(u, size, &dance);
    ky_dance_go(&dance, law, dance.period / orbit->parts, STEPS);
    orbit->miss(&dance, miss);
}

/* Gaussian elimination with partial pivoting; the last column of the matrix is the right-hand
 * side. */
static void eliminate(int n, double m[MOST][MOST + 1])
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(m[i][k]) > fabs(m[best][k]))
                best = i;
        for (int j = 0; j <= n; j++) {
            const double kept = m[k][j];
            m[k][j] = m[best][j];
            m[best][j] = kept;
        }
        for (int i = 0; i < n; i++) {
            const double ratio = m[i][k] / m[k][k];
            for (int j = k; i != k && j <= n; j++)
                m[i][j] -= ratio * m[k][j];
        }
    }
    for (int k = 0; k < n; k++)
        m[k][n] /= m[k][k];
}

/* One Newton step on u; returns the size of the change. */
static double improve(const struct orbit *orbit, double *u, double size,
                      const struct ky_dance_law *law)
{
    const int n = orbit->unknown;
    double m[MOST][MOST + 1], at[MOST], on[MOST], change = 0;
    miss_of(orbit, u, size, law, at);
    for (int k = 0; k < n; k++) {
        const double kept = u[k], h = 1e-6 * fabs(kept);
        u[k] = kept + h;
        miss_of(orbit, u, size, law, on);
        u[k] = kept;
        for (int i = 0; i < n; i++)
            m[i][k] = (on[i] - at[i]) / h;
    }
    for (int i = 0; i < n; i++)
        m[i][n] = at[i];
    eliminate(n, m);
    for (int k = 0; k < n; k++) {
        change = fmax(change, fabs(m[k][n] / u[k]));
        u[k] -= m[k][n];
    }
    return change;
}

/* 1 if after 1/count of a period each body is where another one was. With a softening much larger
 * than the orbit, Newton's method converges to other motions. */
static int changes_places(const struct ky_dance *dance, const struct ky_dance_law *law)
{
    struct ky_dance later = *dance;
    double size = 0;
    ky_dance_go(&later, law, dance->period / dance->count, 2 * STEPS);
    for (int i = 0; i < dance->count; i++)
        size = fmax(size, hypot(dance->x[i][0], dance->x[i][1]));
    for (int i = 0; i < dance->count; i++) {
        double nearest = (double)INFINITY;
        for (int j = 0; j < dance->count; j++)
            if (j != i)
                nearest = fmin(
                    nearest, hypot(later.x[i][0] - dance->x[j][0], later.x[i][1] - dance->x[j][1]));
        if (!(nearest < 1e-4 * size))
            return 0;
    }
    return 1;
}

enum ky_status ky_dance_solve(int count, double size, const struct ky_dance_law *law,
                              struct ky_dance *dance, struct ky_error *error)
{
    const struct orbit *orbit = &orbits[count == 4];
    double u[MOST], change = 0;
    for (int k = 0; k < orbit->unknown; k++)
        u[k] = orbit->newton[k] * pow(size, orbit->power[k]);
    for (int stage = 0; stage <= STAGES; stage++) {
        const double part = (double)stage / STAGES;
        const struct ky_dance_law softer = {part * law->eps2, law->kappa};
        change = 1;
        for (int round = 0; round < ROUNDS && change > 1e-11; round++)
            change = improve(orbit, u, size, &softer);
        if (!(change < 1e-9))
            break;
    }
    orbit->start(u, size, dance);
    if (!(change < 1e-9) || !changes_places(dance, law))
        return ky_fail(error, KY_USAGE,
                       "no orbit of %d galaxies with the softening %g; give a smaller one", count,
                       sqrt(law->eps2));
    return KY_OK;
}
