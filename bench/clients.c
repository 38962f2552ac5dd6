/* Calls a GRAPE library as known programs do. clients.sh builds this for libkyoho and for
 * Phantom-GRAPE, and shows both side by side.
 *
 *     clients blocks N EPS SECOND    a Hermite scheme with block steps, as NBODY4 (SECOND 1, EPS 0)
 *                                    and phiGRAPE (SECOND 2) call it: one time, sinks in calls of
 *                                    48, the corrected bodies sent again
 *     clients sinks N COUNT          COUNT sinks of N bodies, each call at a new time
 *     clients tree N                 GRAPE-5 under a tree code, as FDPS calls it: for each group of
 *                                    40 bodies a list of 1,200, sent and summed once (-DGRAPE5)
 *
 * Each prints seconds of processor time in GRAPE calls and an error. For `blocks` these are the
 * whole run and the error of the energy; for `sinks` the fastest call and the rms relative error of
 * the accelerations; for `tree` all lists and the median relative error. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PIPES = 48, GROUP = 64, REPEATS = 40 };

static double processor(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double number(void) /* a random number from 0 to 1 */
{
    static unsigned long long state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

static void *array(size_t n, size_t size)
{
    void *memory = calloc(n, size);
    if (!memory)
        exit(1);
    return memory;
}

static void direction(double *to, double length)
{
    const double z = 2 * number() - 1, angle = 6.283185307179586 * number(),
                 r = sqrt(1 - z * z) * length;
    to[0] = r * cos(angle), to[1] = r * sin(angle), to[2] = z * length;
}

/* A Plummer sphere with G = M = -4E = 1. */
static void plummer(int n, double (*x)[3], double (*v)[3])
{
    const double unit = 3 * 3.141592653589793 / 16;
    for (int i = 0; i < n; i++) {
        const double r = 1 / sqrt(pow(number() * 0.999, -2.0 / 3) - 1);
        double q, g;
        do
            q = number(), g = 0.1 * number();
        while (g > q * q * pow(1 - q * q, 3.5));
        direction(x[i], r * unit);
        direction(v[i], q * sqrt(2 / sqrt(1 + r * r) / unit));
    }
}

#ifdef GRAPE5
int g5_open(void);
void g5_set_eps_to_all(double eps);
void g5_set_xmjMC(int device, int first, int n, double (*x)[3], double *m);
void g5_set_nMC(int device, int n);
void g5_calculate_force_on_xMC(int device, double (*x)[3], double (*a)[3], double *p, int n);

static int along;
static double (*place)[3];
static int by_place(const void *a, const void *b)
{
    const double x = place[*(const int *)a][along], y = place[*(const int *)b][along];
    return (x > y) - (x < y);
}

/* Halves the bodies along x, y and z by turns, until a part has at most GROUP of them. */
static void divide(int *order, int n, int axis)
{
    if (n <= GROUP)
        return;
    along = axis;
    qsort(order, (size_t)n, sizeof *order, by_place);
    divide(order, n / 2, (axis + 1) % 3);
    divide(order + n / 2, n - n / 2, (axis + 1) % 3);
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Lists as long as a tree's: the group, its neighbours in the order, and some of all bodies. */
static int tree(int n)
{
    enum { LIST = 1200, NEAR = 400 };
    double(*x)[3] = array((size_t)n, sizeof *x), (*v)[3] = array((size_t)n, sizeof *v),
    (*a)[3] = array((size_t)n, sizeof *a), *p = array((size_t)n, sizeof *p);
    double(*xj)[3] = array(LIST, sizeof *xj), *mj = array(LIST, sizeof *mj), seconds = 0;
    double *error = array((size_t)n, sizeof *error), eps = 0.01;
    int *order = array((size_t)n, sizeof *order), groups = 0;
    plummer(n, v, x);
    plummer(n, x, v);
    for (int i = 0; i < n; i++)
        order[i] = i;
    place = x;
    divide(order, n, 0);
    double(*y)[3] = v;
    for (int i = 0; i < n; i++)
        memcpy(y[i], x[order[i]], sizeof y[i]);
    g5_open();
    g5_set_eps_to_all(eps);
    for (int first = 0; first < n; first += 40, groups++) {
        const int count = n - first < 40 ? n - first : 40;
        for (int k = 0; k < LIST; k++) {
            const int near = (first - NEAR / 2 + k + n) % n,
                      far = (int)((long)(k - NEAR) * n / (LIST - NEAR));
            memcpy(xj[k], y[k < NEAR ? near : far], sizeof xj[k]);
            mj[k] = 1.0 / n;
        }
        const double start = processor();
        g5_set_xmjMC(0, 0, LIST, xj, mj);
        g5_set_nMC(0, LIST);
        g5_calculate_force_on_xMC(0, y + first, a + first, p + first, count);
        seconds += processor() - start;
        for (int i = first; i < first + count; i++) {
            double sum[3] = {0}, wrong = 0, whole = 0;
            for (int k = 0; k < LIST; k++) {
                double d[3], s2 = eps * eps;
                for (int c = 0; c < 3; c++)
                    d[c] = xj[k][c] - y[i][c], s2 += d[c] * d[c];
                for (int c = 0; c < 3; c++)
                    sum[c] += mj[k] / (s2 * sqrt(s2)) * d[c];
            }
            for (int c = 0; c < 3; c++) {
                wrong += pow(a[i][c] - sum[c], 2);
                whole += sum[c] * sum[c];
            }
            error[i] = sqrt(wrong / whole);
        }
    }
    qsort(error, (size_t)n, sizeof *error, by_size);
    printf("%.4e %.1e\n", seconds, error[n / 2]);
    return 0;
}

int main(int argc, char **argv)
{
    return argc == 3 && !strcmp(argv[1], "tree") ? tree(atoi(argv[2])) : 2;
}

#else
int g6_open(int cluster), g6_npipes(void);
void g6_set_ti(int cluster, double ti);
void g6_set_j_particle(int cluster, int address, int index, double tj, double dtj, double mass,
                       double *s18, double *j6, double *a2, double *v, double *x);
void g6calc_firsthalf(int cluster, int nj, int ni, int *index, double (*x)[3], double (*v)[3],
                      double (*a)[3], double (*j)[3], double *p, double eps2, double *h2);
int g6calc_lasthalf(int cluster, int nj, int ni, int *index, double (*x)[3], double (*v)[3],
                    double eps2, double *h2, double (*a)[3], double (*j)[3], double *p);
int g6calc_lasthalf2(int cluster, int nj, int ni, int *index, double (*x)[3], double (*v)[3],
                     double eps2, double *h2, double (*a)[3], double (*j)[3], double *p,
                     int *nearest);

static struct {
    int n, second;
    double eps2, mass, seconds;
    double (*x)[3], (*v)[3], (*a)[3], (*j)[3], *p, *t, *dt;
    /* The bodies of a block, where they are predicted, and their new forces. */
    int *member, *index, *nearest;
    double (*xp)[3], (*vp)[3], (*na)[3], (*nj)[3], *np, *h2;
} b;

static void make(int n)
{
    b.n = n;
    b.mass = 1.0 / n;
    double(**vector[])[3] = {&b.x, &b.v, &b.a, &b.j, &b.xp, &b.vp, &b.na, &b.nj};
    double **scalar[] = {&b.p, &b.t, &b.dt, &b.np, &b.h2};
    int **whole[] = {&b.member, &b.index, &b.nearest};
    for (size_t k = 0; k < sizeof vector / sizeof *vector; k++)
        *vector[k] = array((size_t)n + PIPES, sizeof **vector[k]);
    for (size_t k = 0; k < sizeof scalar / sizeof *scalar; k++)
        *scalar[k] = array((size_t)n + PIPES, sizeof **scalar[k]);
    for (size_t k = 0; k < sizeof whole / sizeof *whole; k++)
        *whole[k] = array((size_t)n + PIPES, sizeof **whole[k]);
    plummer(n, b.x, b.v);
}

static void send(int i)
{
    double zero[3] = {0}, j6[3], a2[3];
    for (int c = 0; c < 3; c++)
        a2[c] = b.a[i][c] / 2, j6[c] = b.j[i][c] / 6;
    g6_set_j_particle(0, i, i, b.t[i], b.dt[i], b.mass, zero, j6, a2, b.v[i], b.x[i]);
}

/* Forces and jerks of the first `count` bodies of the block at the time t. */
static void force(double t, int count)
{
    const double start = processor();
    g6_set_ti(0, t);
    for (int i = 0; i < count; i += PIPES) {
        const int n = count - i < PIPES ? count - i : PIPES;
        g6calc_firsthalf(0, b.n, n, b.index + i, b.xp + i, b.vp + i, b.na + i, b.nj + i, b.np + i,
                         b.eps2, b.h2 + i);
        if (b.second == 2)
            g6calc_lasthalf2(0, b.n, n, b.index + i, b.xp + i, b.vp + i, b.eps2, b.h2 + i, b.na + i,
                             b.nj + i, b.np + i, b.nearest + i);
        else
            g6calc_lasthalf(0, b.n, n, b.index + i, b.xp + i, b.vp + i, b.eps2, b.h2 + i, b.na + i,
                            b.nj + i, b.np + i);
    }
    b.seconds += processor() - start;
}

static double size(const double *v)
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void predict(int k, int i, double t)
{
    const double dt = t - b.t[i];
    for (int c = 0; c < 3; c++) {
        b.xp[k][c] = b.x[i][c] + dt * (b.v[i][c] + dt * (b.a[i][c] / 2 + dt * b.j[i][c] / 6));
        b.vp[k][c] = b.v[i][c] + dt * (b.a[i][c] + dt * b.j[i][c] / 2);
    }
    b.index[k] = b.member[k] = i;
}

/* Corrects the k-th body of the block, and chooses its next step by Aarseth's criterion with η =
 * 0.01. */
static void correct(int k, double t)
{
    const int i = b.member[k];
    const double dt = b.dt[i];
    double snap[3], crackle[3];
    for (int c = 0; c < 3; c++) {
        const double da = b.a[i][c] - b.na[k][c], j0 = b.j[i][c], j1 = b.nj[k][c];
        const double s = (-6 * da - dt * (4 * j0 + 2 * j1)) / (dt * dt),
                     e = (12 * da + 6 * dt * (j0 + j1)) / (dt * dt * dt);
        b.x[i][c] = b.xp[k][c] + pow(dt, 4) / 24 * s + pow(dt, 5) / 120 * e;
        b.v[i][c] = b.vp[k][c] + pow(dt, 3) / 6 * s + pow(dt, 4) / 24 * e;
        snap[c] = s + dt * e, crackle[c] = e;
        b.a[i][c] = b.na[k][c], b.j[i][c] = j1;
    }
    const double a = size(b.a[i]), j = size(b.j[i]), s = size(snap), e = size(crackle);
    const double wanted = sqrt(0.01 * (a * s + j * j) / (j * e + s * s));
    b.t[i] = t;
    if (wanted < dt)
        b.dt[i] = dt / 2;
    else if (wanted > 2 * dt && dt < 0.125 && fmod(t, 2 * dt) == 0)
        b.dt[i] = 2 * dt;
}

static double energy(double t)
{
    double e = 0;
    for (int i = 0; i < b.n; i++)
        predict(i, i, t);
    const double before = b.seconds;
    force(t, b.n);
    b.seconds = before;
    for (int i = 0; i < b.n; i++)
        e += b.mass / 2 * (pow(size(b.vp[i]), 2) + b.np[i]);
    return e;
}

static void start(void)
{
    for (int i = 0; i < b.n; i++)
        send(i);
    for (int turn = 0; turn < 2; turn++) {
        energy(0);
        memcpy(b.a, b.na, (size_t)b.n * sizeof *b.a);
        memcpy(b.j, b.nj, (size_t)b.n * sizeof *b.j);
    }
    for (int i = 0; i < b.n; i++) {
        const double wanted = 0.01 * size(b.a[i]) / size(b.j[i]);
        for (b.dt[i] = 0.125; b.dt[i] > wanted;)
            b.dt[i] /= 2;
        send(i);
    }
}

/* Goes on for half a time unit. */
static int blocks(void)
{
    long count = 0, steps = 0;
    start();
    const double before = energy(0);
    double t = 0;
    while (t < 0.5) {
        int n = 0;
        t = INFINITY;
        for (int i = 0; i < b.n; i++)
            t = fmin(t, b.t[i] + b.dt[i]);
        for (int i = 0; i < b.n; i++)
            if (b.t[i] + b.dt[i] == t)
                predict(n++, i, t);
        force(t, n);
        for (int k = 0; k < n; k++)
            correct(k, t);
        const double begin = processor();
        for (int k = 0; k < n; k++)
            send(b.member[k]);
        b.seconds += processor() - begin;
        count++, steps += n;
    }
    printf("%.4e %.1e  %ld blocks of %.1f bodies\n", b.seconds, fabs(energy(t) / before - 1), count,
           (double)steps / (double)count);
    return 0;
}

static int sinks(int count)
{
    double least = INFINITY, worst[64];
    int wrong = 0;
    for (int i = 0; i < b.n; i++)
        send(i);
    for (int k = 0; k < REPEATS; k++) {
        for (int i = 0; i < count; i++)
            predict(i, i, 1e-9 * k);
        b.seconds = 0;
        force(1e-9 * k, count);
        least = fmin(least, b.seconds);
    }
    for (int i = 0; i < count; i++)
        predict(i, i, 0);
    force(0, count);
    for (int i = 0; i < 64 && i < count; i++) {
        double a[3] = {0}, off = 0;
        for (int q = 0; q < b.n; q++) {
            double d[3], s2 = b.eps2;
            for (int c = 0; c < 3; c++)
                d[c] = b.x[q][c] - b.x[i][c], s2 += d[c] * d[c];
            for (int c = 0; c < 3 && q != i; c++)
                a[c] += b.mass / (s2 * sqrt(s2)) * d[c];
        }
        for (int c = 0; c < 3; c++)
            off += pow(a[c] - b.na[i][c], 2);
        worst[wrong++] = sqrt(off) / size(a);
    }
    double sum = 0;
    for (int i = 0; i < wrong; i++)
        sum += worst[i] * worst[i];
    printf("%.4e %.1e\n", least, sqrt(sum / wrong));
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    g6_open(0);
    make(atoi(argv[2]));
    b.second = 2;
    if (!strcmp(argv[1], "sinks")) {
        b.eps2 = 1e-8;
        return sinks(atoi(argv[3]));
    }
    b.eps2 = pow(atof(argv[3]), 2);
    b.second = argc > 4 ? atoi(argv[4]) : 2;
    return blocks();
}
#endif
