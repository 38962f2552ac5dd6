/* How the number of unrolled stages matters for the exact sum of F09 on a device, in single
 * precision: the question of the paper's section VII, and its tables II and III.
 *
 *     build/bench/unrolling ENGINE N                      every unrolling, with a Plummer sphere
 *     build/bench/unrolling ENGINE MODEL N SOFTENING STEP STEPS   none (1x1), simple (4x1) and
 * double (4x4): one line of JSON with seconds of one sum and of the steps of a leap-frog, the error
 *         of the accelerations, and the change of the energy
 *
 * ENGINE: opencl:0, cuda:0. Times are the least of a few. Forces are compared with sums in double.
 */
#include <string.h>

#include "base/clock.h"
#include "base/number.h"
#include "common.h"
#include "unroll/card.h"

enum {
    SAMPLES = 200,
    REPEAT = 5,
    SIDE = 4,
    COUNT = SIDE * SIDE,
    NONE = 0,
    SIMPLE = 8,
    DOUBLE = 10
};

/* A device, and the bodies on it. */
struct work {
    const struct unroll_card *card;
    struct ky_bodies bodies;
    float (*body)[4], (*velocity)[4], (*field)[4];
    double eps;
    char name[160];
};

static int sinks_of(int unrolling)
{
    return 1 << unrolling / SIDE;
}

static const struct unroll_card *card_of(const char *engine, size_t *device)
{
    char *end;
    const char *colon = strchr(engine, ':');
    *device = colon ? (size_t)ky_number_count(colon + 1, &end) : 0;
#ifdef KY_HAVE_OPENCL
    if (!strncmp(engine, "opencl", 6))
        return &unroll_opencl;
#endif
#ifdef KY_HAVE_CUDA
    if (!strncmp(engine, "cuda", 4))
        return &unroll_cuda;
#endif
    fprintf(stderr, "%s: unrolled loops are for OpenCL and CUDA devices of this build\n", engine);
    exit(KY_UNSUPPORTED);
}

/* Makes the bodies of the model and opens the device. */
static void begin(struct work *work, const char *engine, const char *name, size_t n)
{
    struct ky_snapshot snapshot = model(name, n);
    size_t device;
    work->card = card_of(engine, &device);
    work->bodies = snapshot.bodies;
    work->body = memory_for(n, sizeof *work->body);
    work->velocity = memory_for(n, sizeof *work->velocity);
    work->field = memory_for(n, sizeof *work->field);
    work->card->open(device, n, work->name);
}

static void put(struct work *work)
{
    for (size_t i = 0; i < work->bodies.n; i++) {
        for (int c = 0; c < 3; c++) {
            work->body[i][c] = (float)work->bodies.position[i][c];
            work->velocity[i][c] = (float)work->bodies.velocity[i][c];
        }
        work->body[i][3] = (float)work->bodies.mass[i];
        work->velocity[i][3] = 0;
    }
    work->card->put((const float(*)[4])work->body, (const float(*)[4])work->velocity);
}

static void sum(struct work *work, int unrolling)
{
    work->card->sum(unrolling, sinks_of(unrolling), (float)(work->eps * work->eps));
}

/* Seconds of one sum, the least of a few. */
static double time_sum(struct work *work, int unrolling)
{
    double least = HUGE_VAL;
    put(work);
    sum(work, unrolling); /* the first one may compile */
    work->card->finish();
    for (int k = 0; k < REPEAT; k++) {
        const double start = ky_clock();
        sum(work, unrolling);
        work->card->finish();
        least = fmin(least, ky_clock() - start);
    }
    return least;
}

/* The median error of the accelerations of a sample. */
static double error_of(struct work *work)
{
    const struct ky_bodies *bodies = &work->bodies;
    const size_t samples = bodies->n < SAMPLES ? bodies->n : SAMPLES;
    double error[SAMPLES];
    work->card->get(work->body, work->velocity, work->field);
    for (size_t k = 0; k < samples; k++) {
        const size_t i = k * (bodies->n / samples);
        double a[3] = {0}, miss = 0, size = 0;
        for (size_t j = 0; j < bodies->n; j++) {
            double dx[3], r2 = work->eps * work->eps;
            for (int c = 0; c < 3; c++) {
                dx[c] = bodies->position[j][c] - bodies->position[i][c];
                r2 += dx[c] * dx[c];
            }
            for (int c = 0; c < 3 && j != i; c++)
                a[c] += bodies->mass[j] * dx[c] / (r2 * sqrt(r2));
        }
        for (int c = 0; c < 3; c++) {
            miss += pow((double)work->field[i][c] - a[c], 2);
            size += a[c] * a[c];
        }
        error[k] = sqrt(miss / size);
    }
    return ky_median(error, samples);
}

/* The energy after the last sum. */
static double energy_of(struct work *work)
{
    double energy = 0;
    work->card->get(work->body, work->velocity, work->field);
    for (size_t i = 0; i < work->bodies.n; i++) {
        double v2 = 0;
        for (int c = 0; c < 3; c++)
            v2 += pow((double)work->velocity[i][c], 2);
        energy += 0.5 * (double)work->body[i][3] * (v2 - (double)work->field[i][3]);
    }
    return energy;
}

/* Seconds of the steps, and the change of the energy. */
static double time_steps(struct work *work, int unrolling, double step, int steps, double *change)
{
    const float h = (float)step;
    put(work);
    sum(work, unrolling);
    const double before = energy_of(work), start = ky_clock();
    for (int k = 0; k < steps; k++) {
        work->card->advance(k ? h : h / 2, h);
        sum(work, unrolling);
    }
    work->card->advance(h / 2, 0);
    work->card->finish();
    const double seconds = ky_clock() - start;
    *change = energy_of(work) / before - 1;
    return seconds;
}

/* ---- section VII ---- */

static void sweep(const char *engine, size_t n)
{
    struct work work = {.eps = 0.01};
    double speed[COUNT], error[COUNT];
    int best = NONE;
    begin(&work, engine, "plummer", n);
    for (int k = 0; k < COUNT; k++) {
        speed[k] = (double)n * (double)n / time_sum(&work, k);
        error[k] = error_of(&work);
        best = speed[k] > speed[best] ? k : best;
    }
    printf("engine %s: %s; Plummer sphere of %zu bodies, softening %g, single precision\n"
           "interactions/s and median error of a, by the sinks (rows) and sources (columns) of a "
           "turn\n      ",
           engine, work.name, n, work.eps);
    for (int k = 0; k < SIDE; k++)
        printf("  %9d %7s", 1 << k, "");
    for (int k = 0; k < COUNT; k++) {
        if (k % SIDE == 0)
            printf("\n%6d", sinks_of(k));
        printf("  %9.3g %7.0e", speed[k], error[k]);
    }
    printf(
        "\n%dx%d is the fastest: %.2f times none (1x1), %.2f times simple (4x1), %.2f times double "
        "(4x4)\n",
        sinks_of(best), 1 << best % SIDE, speed[best] / speed[NONE], speed[best] / speed[SIMPLE],
        speed[best] / speed[DOUBLE]);
    for (int k = 0; k < COUNT; k++)
        if (!(error[k] <= 1e-5)) {
            fprintf(stderr, "%dx%d is wrong: error %g\n", sinks_of(k), 1 << k % SIDE, error[k]);
            exit(KY_FAULT);
        }
}

/* ---- tables II and III ---- */

static void tables(char **words)
{
    static const struct {
        const char *name;
        int unrolling;
    } variants[] = {{"none", NONE}, {"simple", SIMPLE}, {"double", DOUBLE}};
    struct work work = {.eps = ky_number_real(words[4], NULL)};
    const double step = ky_number_real(words[5], NULL);
    const int steps = (int)ky_number_count(words[6], NULL);
    begin(&work, words[1], words[2], (size_t)ky_number_count(words[3], NULL));
    for (size_t k = 0; k < 3; k++) {
        double change;
        const double one = time_sum(&work, variants[k].unrolling), error = error_of(&work);
        const double all = time_steps(&work, variants[k].unrolling, step, steps, &change);
        printf("%s\"%s\": {\"sum\": %.6g, \"steps\": %.6g, \"error\": %.3g, "
               "\"energy_change\": %.3g}",
               k ? ", " : "{", variants[k].name, one, all, error, change);
    }
    printf("}\n");
}

int main(int argc, char **argv)
{
    if (argc == 3)
        sweep(argv[1], (size_t)ky_number_count(argv[2], NULL));
    else if (argc == 7)
        tables(argv);
    else
        fprintf(stderr,
                "usage: unrolling ENGINE N | unrolling ENGINE MODEL N SOFTENING STEP STEPS\n");
    return argc == 3 || argc == 7 ? 0 : KY_USAGE;
}
