/* The time of the GRAPE-6 calls: grape [MOST [REPEATS]] (default 65536 5). KYOHO_ENGINE and
 * KYOHO_PRECISION choose the device and the precision, as for any program. Up to MOST bodies of a
 * Plummer sphere act on all bodies, and up to twice as many on small blocks. Printed are the best
 * time of both halves of a force, interactions a second, and errors of a sample against sums in
 * double. With KYOHO_ENGINE=cpu and OMP_NUM_THREADS=1, on a processor with AVX-512, a last line has
 * the rate of one core and the vector operations that it does in a second. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "kyoho/grape6.h"
#include "kyoho/kyoho.h"

enum { PIPES = 16384, SAMPLE = 256 };
static struct {
    double (*x)[3], (*v)[3], (*a)[3], (*j)[3], *p, *h2, *m;
    int *index, *nearest, n;
    struct ky_snapshot snapshot;
} b;
static double eps2;
static int repeats = 5;

static void stop(const char *text)
{
    fprintf(stderr, "%s\n", text);
    exit(1);
}

static void *array(int n, size_t size)
{
    void *memory = calloc((size_t)n, size);
    if (!memory)
        stop("out of memory");
    return memory;
}

static void make(int n)
{
    struct ky_model_parameters parameters;
    struct ky_error error;
    ky_model_parameters_defaults(&parameters);
    parameters.n = (uint64_t)n;
    parameters.softening = 0;
    ky_snapshot_clear(&b.snapshot);
    if (ky_model_make("plummer", &parameters, &b.snapshot, &error))
        stop(error.text);
    b.n = n;
    b.x = b.snapshot.bodies.position;
    b.v = b.snapshot.bodies.velocity;
    b.m = b.snapshot.bodies.mass;
    b.a = array(n, sizeof *b.a);
    b.j = array(n, sizeof *b.j);
    b.p = array(n, sizeof *b.p);
    b.h2 = array(n, sizeof *b.h2);
    b.index = array(n, sizeof *b.index);
    b.nearest = array(n, sizeof *b.nearest);
    for (int i = 0; i < n; i++)
        b.index[i] = i;
    eps2 = 16.0 / n / n;
}

static void send(void)
{
    double zero[3] = {0};
    for (int i = 0; i < b.n; i++)
        if (g6_set_j_particle(0, i, i, 0, 1, b.m[i], zero, zero, zero, b.v[i], b.x[i]))
            stop("a body was refused");
}

/* Seconds of the forces on the first `count` bodies. A call takes as many of them as there are
 * pipes. */
static double force(int count, double ti)
{
    const double start = ky_clock();
    g6_set_ti(0, ti);
    for (int i = 0; i < count; i += PIPES) {
        const int n = count - i < PIPES ? count - i : PIPES;
        g6calc_firsthalf(0, b.n, n, b.index + i, b.x + i, b.v + i, b.a + i, b.j + i, b.p + i, eps2,
                         b.h2 + i);
        if (g6calc_lasthalf2(0, b.n, n, b.index + i, b.x + i, b.v + i, eps2, b.h2 + i, b.a + i,
                             b.j + i, b.p + i, b.nearest + i))
            stop("the force failed; KYOHO_VERBOSE=1 tells why");
    }
    return ky_clock() - start;
}

static double processor; /* seconds of processor time: the least in the last best() */
static double best(int count)
{
    double least = INFINITY;
    processor = INFINITY;
    for (int k = 0; k < repeats; k++) {
        const clock_t begin = clock();
        const double seconds = force(count, 1e-9 * k); /* predicts the bodies anew */
        processor = fmin(processor, (double)(clock() - begin) / CLOCKS_PER_SEC);
        least = seconds < least ? seconds : least;
    }
    return least;
}

static int ascending(const void *a, const void *c)
{
    return (*(const double *)a > *(const double *)c) - (*(const double *)a < *(const double *)c);
}

/* Prints the relative errors of a sample of the forces at the time 0. */
static void errors(int count)
{
    static double e[3][SAMPLE];
    int wrong = 0;
    force(count, 0);
    for (int k = 0; k < SAMPLE; k++) {
        const int i = (int)((double)count * k / SAMPLE);
        double a[3] = {0}, j[3] = {0}, p = 0, nearest = INFINITY, d[3], w[3], sum[4] = {0};
        int which = -1;
        for (int q = 0; q < b.n; q++) {
            double r2 = 0, rw = 0;
            for (int c = 0; c < 3; c++) {
                d[c] = b.x[q][c] - b.x[i][c], w[c] = b.v[q][c] - b.v[i][c];
                r2 += d[c] * d[c], rw += d[c] * w[c];
            }
            if (q == i)
                continue;
            if (r2 < nearest)
                nearest = r2, which = q;
            const double s2 = r2 + eps2, mr = b.m[q] / sqrt(s2);
            p -= mr;
            for (int c = 0; c < 3; c++) {
                a[c] += mr / s2 * d[c];
                j[c] += mr / s2 * (w[c] - 3 * rw / s2 * d[c]);
            }
        }
        for (int c = 0; c < 3; c++) {
            sum[0] += pow(b.a[i][c] - a[c], 2), sum[1] += a[c] * a[c];
            sum[2] += pow(b.j[i][c] - j[c], 2), sum[3] += j[c] * j[c];
        }
        e[0][k] = sqrt(sum[0] / sum[1]), e[1][k] = sqrt(sum[2] / sum[3]);
        e[2][k] = fabs(b.p[i] / p - 1);
        wrong += b.nearest[i] != which;
    }
    for (int c = 0; c < 3; c++) {
        qsort(e[c], SAMPLE, sizeof **e, ascending);
        printf("  %s %.1e / %.1e",
               c == 0   ? "a"
               : c == 1 ? "jerk"
                        : "pot",
               e[c][SAMPLE / 2], e[c][SAMPLE * 99 / 100]);
    }
    printf("  nearest wrong %d\n", wrong);
}

/* Prints what lists of about 30 neighbours (in the middle) add to the same force. This is measured
 * last, because forces come with lists, empty ones here, once a program has asked for lists. */
static void lists(int count, double without)
{
    for (int i = 0; i < count; i++)
        b.h2[i] = pow(30.0 / b.n, 2.0 / 3) * 0.16;
    force(count, 0);
    g6_read_neighbour_list(0);
    printf("%8d on all: lists cost %.0f %%\n", count, 100 * (best(count) / without - 1));
}

static void release(void)
{
    void *all[] = {b.a, b.j, b.p, b.h2, b.index, b.nearest};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]);
    ky_snapshot_free(&b.snapshot);
    g6_close(0);
}

static void start(int n)
{
    if (g6_open(0))
        stop("g6_open failed; KYOHO_VERBOSE=1 tells why");
    make(n);
    send();
}

#if defined(__x86_64__) && !defined(__clang__) /* attributes of gcc */
typedef float wide __attribute__((vector_size(64)));
__attribute__((target("avx512f,prefer-vector-width=512"),
               optimize("unroll-loops", "fp-contract=fast"))) static double
vector_rate(void)
{
    wide s[12] = {{0}}, f = {0}, g = {0};
    double least = INFINITY;
    for (int k = 0; k < 16; k++)
        f[k] = 0.999f, g[k] = 0.1f;
    for (int r = 0; r < 20; r++) {
        const clock_t begin = clock();
        for (long i = 0; i < 2000000; i++)
            for (int k = 0; k < 12; k++)
                s[k] = s[k] * f + g;
        const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
        least = seconds < least ? seconds : least;
    }
    for (int k = 1; k < 12; k++)
        s[0] += s[k];
    return s[0][0] < 1e30f ? 12 * 2e6 / least : 0;
}
#endif

int main(int argc, char **argv)
{
    static const int sizes[] = {16384, 65536, 262144, 1048576};
    static const int blocks[] = {64, 256, 1024}, sources[] = {131072, 1048576};
    const int most = argc > 1 ? atoi(argv[1]) : 65536;
    double pairs = 0, without[4];
    repeats = argc > 2 ? atoi(argv[2]) : repeats;
    setenv("KYOHO_NPIPES", "16384", 1);
    for (int k = 0; k < 4 && sizes[k] <= most; k++) {
        start(sizes[k]);
        const double seconds = without[k] = best(sizes[k]);
        pairs = fmax(pairs, (double)sizes[k] * sizes[k] / processor);
        printf("%8d on all: %10.3f ms  %.3e /s", sizes[k], 1e3 * seconds,
               (double)sizes[k] * sizes[k] / seconds);
        errors(sizes[k]);
        release();
    }
    for (int k = 0; k < 2 && sources[k] <= 2 * most; k++) {
        start(sources[k]);
        for (int c = 0; c < 3; c++) {
            const double seconds = best(blocks[c]);
            printf("%8d on %4d: %10.3f ms  %.3e /s\n", sources[k], blocks[c], 1e3 * seconds,
                   (double)sources[k] * blocks[c] / seconds);
        }
        release();
    }
    for (int k = 0; k < 4 && sizes[k] <= most; k++) {
        start(sizes[k]);
        lists(sizes[k], without[k]);
        release();
    }
#if defined(__x86_64__) && !defined(__clang__)
    if (__builtin_cpu_supports("avx512f") && getenv("OMP_NUM_THREADS")) {
        const double rate = vector_rate();
        printf("one core: %.3e interactions a second of it, beside %.2e vector operations; with "
               "7.1e9 that is %.3e\n",
               pairs, rate, pairs * 7.1e9 / rate);
    }
#endif
    return 0;
}
