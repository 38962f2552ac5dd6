/* A Hermite integrator over the GRAPE-6 calls: a sphere of 512 bodies for one time unit.
 *
 *     cc hermite.c $(pkg-config --cflags --libs kyoho_g6) -lm && ./a.out
 *
 * It runs on a GPU if there is one, and with KYOHO_ENGINE=cpu on the CPU. KYOHO_VERBOSE=1 tells
 * which device it has. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kyoho/grape6.h>

enum { N = 512, STEPS = 256 };
static double m[N], x[N][3], v[N][3], a[N][3], j[N][3], p[N], h2[N], zero[3];
static double xp[N][3], vp[N][3], next_a[N][3], next_j[N][3];
static int id[N];
static const double eps2 = 1e-4;

static double number(void) /* a random number from 0 to 1 */
{
    return rand() / (RAND_MAX + 1.0);
}

/* Places a body uniformly in a sphere of radius 1, with a velocity that keeps the sphere from
 * falling. */
static void place(int i)
{
    double r2 = 2;
    while (r2 > 1) {
        r2 = 0;
        for (int c = 0; c < 3; c++) {
            x[i][c] = 2 * number() - 1;
            v[i][c] = 1.3 * (number() - 0.5);
            r2 += x[i][c] * x[i][c];
        }
    }
    m[i] = 1.0 / N;
    id[i] = i + 1; /* a body does not act on a sink with its label */
}

/* Accelerations, jerks and potentials at the time t, for sinks at `at` with the velocities `w`. */
static void forces(double t, double at[][3], double w[][3], double acc[][3], double jerk[][3])
{
    const int pipes = g6_npipes();
    g6_set_ti(0, t);
    for (int i = 0; i < N; i += pipes) {
        const int n = N - i < pipes ? N - i : pipes;
        g6calc_firsthalf(0, N, n, id + i, at + i, w + i, acc + i, jerk + i, p + i, eps2, h2 + i);
        if (g6calc_lasthalf(0, N, n, id + i, at + i, w + i, eps2, h2 + i, acc + i, jerk + i, p + i))
            exit(1);
    }
}

static void send(double t)
{
    double a2[3], j6[3];
    for (int i = 0; i < N; i++) {
        for (int c = 0; c < 3; c++)
            a2[c] = a[i][c] / 2, j6[c] = j[i][c] / 6;
        g6_set_j_particle(0, i, id[i], t, 1.0 / STEPS, m[i], zero, j6, a2, v[i], x[i]);
    }
}

static double energy(void)
{
    double e = 0;
    for (int i = 0; i < N; i++)
        e += m[i] / 2 * (v[i][0] * v[i][0] + v[i][1] * v[i][1] + v[i][2] * v[i][2] + p[i]);
    return e;
}

static void step(double t, double dt)
{
    for (int i = 0; i < N; i++)
        for (int c = 0; c < 3; c++) {
            xp[i][c] = x[i][c] + dt * (v[i][c] + dt / 2 * (a[i][c] + dt / 3 * j[i][c]));
            vp[i][c] = v[i][c] + dt * (a[i][c] + dt / 2 * j[i][c]);
        }
    forces(t + dt, xp, vp, next_a, next_j); /* the library predicts the bodies that act */
    for (int i = 0; i < N; i++)
        for (int c = 0; c < 3; c++) {
            const double da = a[i][c] - next_a[i][c], dj = j[i][c] - next_j[i][c], old = v[i][c];
            v[i][c] += dt * (a[i][c] - da / 2) + dt * dt / 12 * dj;
            x[i][c] += dt / 2 * (old + v[i][c]) + dt * dt / 12 * da;
        }
    memcpy(a, next_a, sizeof a);
    memcpy(j, next_j, sizeof j);
    send(t + dt);
}

int main(void)
{
    if (g6_open(0))
        return fprintf(stderr, "no GRAPE; KYOHO_VERBOSE=1 tells why\n"), 3;
    for (int i = 0; i < N; i++)
        place(i);
    send(0);
    forces(0, x, v, a, j);
    send(0);
    const double start = energy();
    for (int k = 0; k < STEPS; k++)
        step((double)k / STEPS, 1.0 / STEPS);
    forces(1, x, v, a, j);
    printf("energy %.6f, error %.1e\n", start, fabs(energy() / start - 1));
    return g6_close(0);
}
