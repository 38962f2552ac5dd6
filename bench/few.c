/* Systems of few bodies (src/few): few [NAME...], where NAME is kepler, wide, kozai, pythagoras,
 * planets, lanes, scatter, many, device, encounters, crowds or floats (default: all but the last
 * four).
 *
 * kepler      change of a, e and ω in 10⁵ orbits of two equal masses, µs an orbit
 * kozai       a triple until t = 64,000: rms error of the inner e against the file that
 *             KYOHO_KOZAI names (rows t, a, e …, every 138.7), µs an inner orbit
 * wide        a wide triple with slow-down for three outer orbits: rms difference of the inner e
 *             from the same without it, µs an inner orbit
 * pythagoras  Burrau's problem until t = 60: place of body 3
 * planets     the Sun and four giant planets, 10⁴ years: |dE/E|
 * lanes       1,024 pairs, e from 0 to 1, in the lanes of each instruction set: µs an orbit of 16
 *             steps
 * scatter     10⁴ encounters of a single body with a pair, equal masses, at 0.71 of the critical
 *             speed, b < 4 a, tolerance 1e-9: ends, worst |dE/E|
 *
 * many        2^20 pairs in one call of ky_few_integrate on KYOHO_FEW_ENGINE (default: the CPU):
 *             orbits a second of the clock
 * device      the steps of 2^20 pairs alone, on the device KYOHO_FEW_ENGINE
 * encounters  10⁵ encounters as in scatter, in one call on KYOHO_FEW_ENGINE
 * crowds      systems of 4 to 32 bodies in one call on KYOHO_FEW_ENGINE, 10⁴ of each
 * floats      change of a, e and ω of pairs on the OpenCL device, with double and without it, in
 *             10³, 10⁴ and 10⁵ orbits, or in KYOHO_FEW_COUNT orbits
 *
 * With KYOHO_FEW_FLOATS in the environment, all OpenCL devices are used as if without double.
 *
 * Other times are of the processor, the least of three runs for kepler, kozai, pythagoras and
 * planets. */
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "common.h"
#include "engine/few.h"
#include "few/batch.h"
#include "few/few.h"
#include "physics/few_device.h"
#ifdef KY_HAVE_OPENCL
#include "engine/device/driver/opencl/opencl.h"
#endif

static const double turn = 6.283185307179586477;
static struct ky_error error;

enum { MOST = 5 };
struct bodies {
    size_t n;
    double mass[MOST], x[MOST][3], v[MOST][3];
};

static void start(struct ky_few *few, const struct ky_few_settings *settings, struct bodies *b)
{
    const struct ky_bodies bodies = {
        .n = b->n, .mass = b->mass, .position = b->x, .velocity = b->v};
    stop_if(ky_few_start(few, settings, &bodies, 0, &error), &error);
}

static void go(struct ky_few *few, double time, struct bodies *b)
{
    stop_if(ky_few_go(few, time, NULL, NULL, &error), &error);
    ky_few_at(few, time, b->x, b->v);
}

static double energy_of(const struct bodies *b)
{
    double energy = 0;
    for (size_t i = 0; i < b->n; i++) {
        for (int c = 0; c < 3; c++)
            energy += 0.5 * b->mass[i] * b->v[i][c] * b->v[i][c];
        for (size_t j = 0; j < i; j++) {
            double r2 = 0;
            for (int c = 0; c < 3; c++)
                r2 += pow(b->x[i][c] - b->x[j][c], 2);
            energy -= b->mass[i] * b->mass[j] / sqrt(r2);
        }
    }
    return energy;
}

/* a, e and ω (in the plane) of bodies i and j. */
struct elements {
    double a, e, angle;
};

static struct elements elements_of(const struct bodies *b, int i, int j)
{
    double x[3], v[3], r2 = 0, v2 = 0, rv = 0, vector[3], e2 = 0;
    const double gm = b->mass[i] + b->mass[j];
    for (int c = 0; c < 3; c++) {
        x[c] = b->x[j][c] - b->x[i][c];
        v[c] = b->v[j][c] - b->v[i][c];
        r2 += x[c] * x[c];
        v2 += v[c] * v[c];
        rv += x[c] * v[c];
    }
    for (int c = 0; c < 3; c++) {
        vector[c] = x[c] * (v2 / gm - 1 / sqrt(r2)) - v[c] * (rv / gm);
        e2 += vector[c] * vector[c];
    }
    return (struct elements){1 / (2 / sqrt(r2) - v2 / gm), sqrt(e2), atan2(vector[1], vector[0])};
}

static struct ky_few_settings settings_of(double steps, double tolerance, int slow)
{
    return (struct ky_few_settings){
        .g = 1, .tolerance = tolerance, .angle = turn / steps, .slow_down = slow};
}

/* ---- the rows ---- */

static void kepler(void)
{
    static const double es[] = {0.9, 0.99, 0.999, 0.9999};
    enum { ORBITS = 100000 };
    for (int k = 0; k < 4; k++) {
        static struct ky_few few;
        const double e = es[k], v = sqrt((1 - e) / (1 + e));
        const struct ky_few_settings settings = settings_of(16, 1e-11, 0);
        const struct bodies first = {2,
                                     {0.5, 0.5},
                                     {{-0.5 * (1 + e), 0, 0}, {0.5 * (1 + e), 0, 0}},
                                     {{0, -0.5 * v, 0}, {0, 0.5 * v, 0}}};
        const struct elements before = elements_of(&first, 0, 1);
        struct elements after = before;
        double least = (double)INFINITY;
        for (int run = 0; run < 3; run++) {
            struct bodies b = first;
            const double begin = processor_seconds();
            start(&few, &settings, &b);
            go(&few, turn * ORBITS, &b);
            least = fmin(least, processor_seconds() - begin);
            after = elements_of(&b, 0, 1);
        }
        printf("kepler e %-6g %d orbits: da/a %.1e, de %.1e, domega %.1e; %.2f us an orbit\n", e,
               ORBITS, after.a / before.a - 1, after.e - before.e,
               remainder(after.angle - before.angle, turn), 1e6 * least / ORBITS);
    }
}

/* The inner pair (0.6, 0.4) with a = 1 and e = 0.1, and a body of mass 1 on an orbit with e = 0.4
 * inclined by 80°: the apocentre and the speeds there. */
static struct bodies triple(double apocentre, double across, double along)
{
    return (struct bodies){3,
                           {0.6, 0.4, 1},
                           {{apocentre, -0.36, 0}, {apocentre, 0.54, 0}, {-apocentre, 0, 0}},
                           {{0.44221663871405337, across, along},
                            {-0.66332495807108005, across, along},
                            {0, -across, -along}}};
}

static void kozai(void)
{
    const char *name = getenv("KYOHO_KOZAI");
    FILE *file = name ? fopen(name, "r") : NULL;
    if (!file) {
        printf("kozai: KYOHO_KOZAI names no file with the reference\n");
        return;
    }
    static struct ky_few few;
    const struct ky_few_settings settings = settings_of(16, 1e-11, 0);
    double least = (double)INFINITY, sum = 0, worst = 0, last = 0;
    int rows = 0;
    for (int run = 0; run < 3; run++) {
        struct bodies b = triple(17.5, 0.016076697317291926, 0.091175481215054449);
        char line[512];
        double t, a, e, seconds = 0;
        rewind(file);
        start(&few, &settings, &b);
        sum = worst = rows = 0;
        while (fgets(line, sizeof line, file) && sscanf(line, "%lf %lf %lf", &t, &a, &e) == 3 &&
               t <= 64000) {
            const double begin = processor_seconds();
            go(&few, t, &b);
            seconds += processor_seconds() - begin;
            const double wrong = elements_of(&b, 0, 1).e - e;
            sum += wrong * wrong;
            worst = fmax(worst, fabs(wrong));
            rows++;
            last = t;
        }
        least = fmin(least, seconds);
    }
    fclose(file);
    printf("kozai until t = %g: rms error of e %.1e, largest %.1e; %.1f us an inner orbit\n", last,
           sqrt(sum / rows), worst, 1e6 * least * turn / last);
}

static void wide(void)
{
    enum { LOOKS = 64 };
    double mean[2][LOOKS], seconds[2], sum = 0;
    const double end = 3 * 12566;
    for (int slow = 0; slow < 2; slow++) {
        static struct ky_few few;
        const struct ky_few_settings settings = settings_of(16, 1e-11, slow);
        struct bodies b = triple(140, 0.0056839708460703483, 0.032235400522555843);
        const double begin = processor_seconds();
        start(&few, &settings, &b);
        for (int k = 0; k < LOOKS; k++) {
            go(&few, end * (k + 1) / LOOKS, &b);
            mean[slow][k] = elements_of(&b, 0, 1).e;
        }
        seconds[slow] = processor_seconds() - begin;
    }
    for (int k = 0; k < LOOKS; k++)
        sum += pow(mean[1][k] - mean[0][k], 2);
    printf(
        "wide until t = %g: slow-down changes e by %.1e (rms); %.2f and %.2f us an inner orbit\n",
        end, sqrt(sum / LOOKS), 1e6 * seconds[0] * turn / end, 1e6 * seconds[1] * turn / end);
}

static void pythagoras(void)
{
    double least = (double)INFINITY;
    struct bodies b;
    for (int run = 0; run < 3; run++) {
        static struct ky_few few;
        const struct ky_few_settings settings = settings_of(16, 1e-11, 0);
        b = (struct bodies){3, {3, 4, 5}, {{1, 3, 0}, {-2, -1, 0}, {1, -1, 0}}, {{0}}};
        const double begin = processor_seconds();
        start(&few, &settings, &b);
        go(&few, 60, &b);
        least = fmin(least, processor_seconds() - begin);
    }
    printf("pythagoras at t = 60: body 3 at (%.5f, %.5f), |dE/E| %.1e; %.4f s\n", b.x[0][0],
           b.x[0][1], fabs(energy_of(&b) / (-769.0 / 60) - 1), least);
}

/* Masses in suns, AU, and days (JPL, 1994 as in Hairer, Lubich & Wanner); G = 2.95912208286e-4. */
static void planets(void)
{
    static const struct bodies sun = {
        5,
        {1.00000597682, 9.54786104043e-4, 2.85583733151e-4, 4.37273164546e-5, 5.17759138449e-5},
        {{0, 0, 0},
         {-3.5023653, -3.8169847, -1.5507963},
         {9.0755314, -3.0458353, -1.6483708},
         {8.3101420, -16.2901086, -7.2521278},
         {11.4707666, -25.7294829, -10.8169456}},
        {{0, 0, 0},
         {0.00565429, -0.00412490, -0.00190589},
         {0.00168318, 0.00483525, 0.00192462},
         {0.00354178, 0.00137102, 0.00055029},
         {0.00288930, 0.00114527, 0.00039677}}};
    double least = (double)INFINITY, before = 0, after = 0;
    for (int run = 0; run < 3; run++) {
        static struct ky_few few;
        const struct ky_few_settings settings = settings_of(16, 1e-11, 0);
        struct bodies b = sun;
        for (size_t i = 0; i < b.n; i++)
            b.mass[i] *= 2.95912208286e-4;
        before = energy_of(&b);
        const double begin = processor_seconds();
        start(&few, &settings, &b);
        go(&few, 3652500, &b);
        least = fmin(least, processor_seconds() - begin);
        after = energy_of(&b);
    }
    printf("planets for 10,000 years: |dE/E| %.1e; %.3f s\n", fabs(after / before - 1), least);
}

/* Pairs with e from 0 to 1 in the lanes of a batch. */
static struct ky_few_batch batch_of(int first, int all)
{
    struct ky_few_batch batch = {.sign = 1, .count = KY_FEW_BATCH};
    struct ky_few_system_batch *s = &batch.system;
    s->shape = (struct ky_few_shape){.n = 2, .node[0] = {0, 1, 2}};
    s->inner = -1;
    for (int l = 0; l < KY_FEW_BATCH; l++) {
        const double e = (double)(first + l) / all;
        s->mass[0][l] = s->mass[1][l] = s->left[0][l] = s->right[0][l] = 0.5;
        s->total[0][l] = s->slow[0][l] = 1;
        s->weight[0][l] = 0.25;
        s->x[0][0][l] = 1 + e;
        s->v[0][1][l] = sqrt((1 - e) / (1 + e));
        s->b[l] = 0.125; /* 0.25 (1/r - v^2/2) */
        batch.h[l] = 0.25 * turn / 16;
        batch.until[l] = (double)INFINITY;
    }
    return batch;
}

static void lanes(void)
{
    static const char *const names[] = {"best", "plain", "sse2", "avx2", "avx512", "neon"};
    enum { BATCHES = 32, ORBITS = 100 };
    for (int isa = KY_ISA_AUTO; isa <= KY_ISA_NEON; isa++) {
        const struct ky_parameters parameters = {.isa = isa};
        double least = (double)INFINITY, check = 0;
        ky_few_function *steps;
        if (ky_cpu_few(&parameters, &steps, &error))
            continue;
        for (int run = 0; run < 3; run++) {
            const double begin = processor_seconds();
            for (int k = 0; k < BATCHES; k++) {
                struct ky_few_batch batch = batch_of(k * KY_FEW_BATCH, BATCHES * KY_FEW_BATCH);
                batch.most = 16 * ORBITS;
                steps(&batch);
                check = batch.system.t[5];
            }
            least = fmin(least, processor_seconds() - begin);
        }
        printf("lanes, %s: %.3f us an orbit (time after %d orbits: 2 pi + %.1e of one)\n",
               names[isa], 1e6 * least / (BATCHES * KY_FEW_BATCH * ORBITS), ORBITS,
               check / (turn * ORBITS) - 1);
    }
}

static double uniform(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005U + 1442695040888963407U;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

/* A circular pair of two bodies of mass 1/2 with a = 1 in any plane, and a third one from a
 * distance of 20. */
static struct bodies encounter(uint64_t *seed)
{
    const double speed = 0.5 * sqrt(1.5), phase = turn * uniform(seed), up = 2 * uniform(seed) - 1,
                 side = sqrt(1 - up * up), b = 4 * sqrt(uniform(seed)),
                 angle = turn * uniform(seed), c = cos(phase), s = sin(phase);
    struct bodies bodies = {3, {0.5, 0.5, 0.5}, {{0}}, {{0}}};
    for (int i = 0; i < 2; i++) {
        const double half = i ? 0.5 : -0.5;
        const double x[3] = {half * c, half * s * up, half * s * side},
                     v[3] = {-half * s, half * c * up, half * c * side};
        memcpy(bodies.x[i], x, sizeof x);
        memcpy(bodies.v[i], v, sizeof v);
    }
    const double x[3] = {-20, b * cos(angle), b * sin(angle)};
    memcpy(bodies.x[2], x, sizeof x);
    bodies.v[2][0] = sqrt(speed * speed + 3 / sqrt(400 + b * b));
    return bodies;
}

/* The body that leaves the other two for good, or -1. */
static int leaver(const struct bodies *b)
{
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        double r2 = 0, v2 = 0, rv = 0;
        for (int c = 0; c < 3; c++) {
            const double x = b->x[i][c] - 0.5 * (b->x[j][c] + b->x[k][c]),
                         v = b->v[i][c] - 0.5 * (b->v[j][c] + b->v[k][c]);
            r2 += x * x;
            v2 += v * v;
            rv += x * v;
        }
        if (r2 > 400 && rv > 0 && v2 / 2 > 1.5 / sqrt(r2) && elements_of(b, j, k).a > 0)
            return i;
    }
    return -1;
}

static void scatter(void)
{
    enum { TRIALS = 10000 };
    static const double tolerances[] = {1e-9, 1e-11};
    for (int t = 0; t < 2; t++) {
        const struct ky_few_settings settings = settings_of(16, tolerances[t], 0);
        uint64_t seed = 5;
        int ends[4] = {0};
        double worst = 0, kicks = 0, wrong = 0;
        const double begin = processor_seconds();
        for (int k = 0; k < TRIALS; k++) {
            static struct ky_few few;
            struct bodies b = encounter(&seed);
            const double before = energy_of(&b);
            int which = -1;
            start(&few, &settings, &b);
            for (double time = 40; which < 0 && time < 40000; time += 20) {
                go(&few, time, &b);
                which = leaver(&b);
            }
            const double change = fabs(energy_of(&b) / before - 1);
            worst = fmax(worst, change);
            wrong += change > 1e-9;
            ends[which + 1]++;
            kicks += few.kicks;
        }
        printf("scatter %d, tolerance %.0e: fly-by %d, exchange %d %d, unfinished %d; %.0f kicks, "
               "%.0f us an encounter; worst |dE/E| %.1e, above 1e-9: %g\n",
               TRIALS, tolerances[t], ends[3], ends[1], ends[2], ends[0], kicks / TRIALS,
               1e6 * (processor_seconds() - begin) / TRIALS, worst, wrong);
    }
}

/* Many systems: their bodies, and where these are at the end. */
struct arrays {
    size_t count, bodies; /* systems, and bodies of each */
    double *mass, (*x)[3], (*v)[3], (*x1)[3], (*v1)[3];
};

/* Zeros. The bench ends if memory runs out. */
static struct arrays allocate(size_t count, size_t bodies)
{
    const size_t room = count * bodies + 1;
    const struct arrays all = {count,
                               bodies,
                               calloc(room, sizeof *all.mass),
                               calloc(room, sizeof *all.x),
                               calloc(room, sizeof *all.v),
                               calloc(room, sizeof *all.x1),
                               calloc(room, sizeof *all.v1)};
    if (!all.mass || !all.x || !all.v || !all.x1 || !all.v1)
        stop_if(ky_no_memory(&error, "bodies", room, 13 * sizeof *all.mass), &error);
    return all;
}

static void release(const struct arrays *all)
{
    free(all->mass), free(all->x), free(all->v), free(all->x1), free(all->v1);
}

/* The argument of a call that ends at the time *end. */
static struct ky_few_systems systems_of(const struct arrays *all, const double *end)
{
    return (struct ky_few_systems){.size = sizeof(struct ky_few_systems),
                                   .count = all->count,
                                   .bodies = all->bodies,
                                   .mass = all->mass,
                                   .position = (const double(*)[3])all->x,
                                   .velocity = (const double(*)[3])all->v,
                                   .times = 1,
                                   .time = end,
                                   .positions = all->x1,
                                   .velocities = all->v1};
}

/* The time of the quickest of some calls on KYOHO_FEW_ENGINE, or on the CPU [s of the clock]. */
static double quickest(int calls, struct ky_parameters *parameters,
                       const struct ky_few_systems *systems)
{
    double least = (double)INFINITY;
    parameters->engine = getenv("KYOHO_FEW_ENGINE");
    for (int call = 0; call < calls; call++) {
        const double begin = ky_clock();
        stop_if(ky_few_integrate(parameters, systems, &error), &error);
        least = fmin(least, ky_clock() - begin);
    }
    return least;
}

static const char *engine_name(void)
{
    const char *engine = getenv("KYOHO_FEW_ENGINE");
    return engine ? engine : "cpu";
}

/* 2^20 pairs with 20 orbits each, or from 1 to 400, log-uniform, on KYOHO_FEW_ENGINE or the CPU:
 * the whole call of ky_few_integrate with one thread or more, in seconds of the clock. */
static void many(void)
{
    enum { COUNT = 1 << 20 };
    const struct arrays all = allocate(COUNT, 2);
    double *change = calloc(COUNT, sizeof *change);
    const double end = turn * 20;
    for (int spread = 0; spread < 2 && change; spread++) {
        uint64_t seed = 7;
        double orbits = 0, worst = 0;
        for (int k = 0; k < COUNT; k++) {
            const double each = spread ? exp(log(400) * uniform(&seed)) : 20,
                         a = pow(20 / each, 2.0 / 3), e = sqrt(0.998 * uniform(&seed)),
                         speed = sqrt((1 - e) / (1 + e) / a), angle = turn * uniform(&seed);
            orbits += each;
            for (int i = 0; i < 2; i++) {
                const double half = i ? 0.5 : -0.5;
                all.mass[2 * k + i] = 0.5;
                all.x[2 * k + i][0] = half * a * (1 + e) * cos(angle);
                all.x[2 * k + i][1] = half * a * (1 + e) * sin(angle);
                all.v[2 * k + i][0] = -half * speed * sin(angle);
                all.v[2 * k + i][1] = half * speed * cos(angle);
            }
        }
        struct ky_parameters parameters;
        ky_parameters_defaults(&parameters);
        struct ky_few_systems systems = systems_of(&all, &end);
        systems.energy_change = change;
        const double least = quickest(3, &parameters, &systems);
        for (int k = 0; k < COUNT; k++)
            worst = fmax(worst, fabs(change[k]));
        printf("many, %s, %s: %.3f s, %.3g orbits/s, worst |dE/E| %.1e\n", engine_name(),
               spread ? "1 to 400 orbits" : "20 orbits", least, orbits / least, worst);
    }
    release(&all);
    free(change);
}

/* A call until `end` on KYOHO_FEW_ENGINE or the CPU, where systems end when they are farther apart
 * than `apart`, or bodies of this radius touch (0: they do not). */
static void time_call(const char *name, const struct arrays *all, double end, double apart,
                      double radius)
{
    double *steps = calloc(all->count + 1, sizeof *steps);
    int *ends = calloc(all->count + 1, sizeof *ends);
    struct ky_parameters parameters;
    double sum = 0, most = 0;
    size_t count[4] = {0};
    if (!steps || !ends)
        stop_if(ky_no_memory(&error, "results", all->count, sizeof *steps), &error);
    ky_parameters_defaults(&parameters);
    parameters.tolerance = 1e-9;
    parameters.stop_escape = apart;
    parameters.stop_collision = radius > 0;
    if (radius > 0)
        parameters.body_radius = radius;
    struct ky_few_systems systems = systems_of(all, &end);
    systems.end = ends;
    systems.steps = steps;
    const double least = quickest(2, &parameters, &systems); /* one may compile kernels */
    for (size_t k = 0; k < all->count; k++) {
        sum += steps[k];
        most = fmax(most, steps[k]);
        count[ends[k]]++;
    }
    printf("%s, %s, to t = %g, radius %g: %zu of %zu bodies in %.3f s, %.4g steps, at most %g; "
           "%zu escapes, %zu contacts, %zu lost\n",
           name, engine_name(), end, radius, all->count, all->bodies, least, sum, most,
           count[KY_FEW_ESCAPE], count[KY_FEW_COLLISION], count[KY_FEW_LOST]);
    free(steps), free(ends);
}

/* KYOHO_FEW_COUNT, or `otherwise`. */
static size_t wanted_count(size_t otherwise)
{
    const char *given = getenv("KYOHO_FEW_COUNT");
    return given ? strtoul(given, NULL, 10) : otherwise;
}

/* Encounters (10^5 unless KYOHO_FEW_COUNT says otherwise) in one call, until the bodies are farther
 * apart than 20; then a call that ends within the first step, which is the part of the host where a
 * device takes the steps; then with contacts. */
static void encounters(void)
{
    const size_t count = wanted_count(100000);
    const struct arrays all = allocate(count, 3);
    uint64_t seed = 5;
    for (size_t k = 0; k < count; k++) {
        const struct bodies b = encounter(&seed);
        memcpy(all.x[3 * k], b.x, sizeof *b.x * 3);
        memcpy(all.v[3 * k], b.v, sizeof *b.v * 3);
        memcpy(all.mass + 3 * k, b.mass, sizeof *b.mass * 3);
    }
    /* the bodies come from 20 to 20.4 */
    time_call("encounters", &all, 40000, 20.5, 0);
    time_call("encounters", &all, 1e-6, 20.5, 0);
    time_call("encounters", &all, 40000, 20.5, 0.01);
    release(&all);
}

/* Crowds of 4 to 32 bodies at random in a ball of radius 1 with a total mass of 1, slower than in
 * equilibrium, for a twentieth of a crossing time: 10^4 of each, or KYOHO_FEW_COUNT. */
static void crowds(void)
{
    static const size_t bodies[] = {4, 8, 16, 32};
    const size_t count = wanted_count(10000);
    for (size_t b = 0; b < sizeof bodies / sizeof *bodies; b++) {
        const struct arrays all = allocate(count, bodies[b]);
        uint64_t seed = 5;
        for (size_t k = 0; k < count * bodies[b]; k++) {
            all.mass[k] = 1.0 / (double)bodies[b];
            do
                for (int c = 0; c < 3; c++) {
                    all.x[k][c] = 2 * uniform(&seed) - 1;
                    all.v[k][c] = 0.6 * (uniform(&seed) - 0.5);
                }
            while (all.x[k][0] * all.x[k][0] + all.x[k][1] * all.x[k][1] +
                       all.x[k][2] * all.x[k][2] >
                   1);
        }
        time_call("crowds", &all, 0.1, (double)NAN, 0);
        time_call("crowds", &all, 0.1, (double)NAN, 0.001);
        release(&all);
    }
}

/* The steps of the same pairs alone, on the device KYOHO_FEW_ENGINE: the best of three runs. */
static void device(void)
{
    enum { COUNT = 1 << 20, ORBITS = 20 };
    const char *engine = getenv("KYOHO_FEW_ENGINE");
    struct ky_parameters parameters;
    ky_parameters_defaults(&parameters);
    parameters.engine = engine;
    struct ky_few_device *card;
    stop_if(ky_few_device_open(&parameters, &card, &error), &error);
    double *column = calloc((size_t)COUNT * KY_FEW_PAIR_COLUMNS, sizeof *column), steps = 0,
           least = (double)INFINITY;
    if (!card || !column) {
        printf("device: KYOHO_FEW_ENGINE names no device\n");
        free(column);
        return;
    }
    const struct ky_few_kind kind = {.bodies = 2};
    const struct ky_few_course course = {.until = turn * ORBITS, .sign = 1, .most = 100000};
    for (int run = 0; run < 3; run++) {
        size_t left = COUNT;
        for (size_t k = 0; k < COUNT; k++) {
            const double e = sqrt(0.998 * ((double)k + 0.5) / COUNT);
            const double of[KY_FEW_PAIR_COLUMNS] = {
                [KY_FEW_COLUMN_B] = 0.125,
                [KY_FEW_COLUMN_H] = 0.25 * turn / 16,
                [KY_FEW_COLUMN_TOTAL] = 1,
                [KY_FEW_COLUMN_WEIGHT] = 0.25,
                [KY_FEW_COLUMN_X(2, 0, 0)] = 1 + e,
                [KY_FEW_COLUMN_V(2, 0, 1)] = sqrt((1 - e) / (1 + e))};
            for (size_t c = 0; c < KY_FEW_PAIR_COLUMNS; c++)
                column[c * COUNT + k] = of[c];
        }
        stop_if(card->verbs->put(card, column, &kind, COUNT, &error), &error);
        const double begin = ky_clock();
        stop_if(card->verbs->go(card, &course, &left, &error), &error);
        least = fmin(least, ky_clock() - begin);
    }
    stop_if(card->verbs->get(card, column, &error), &error);
    for (size_t k = 0; k < COUNT; k++)
        steps += column[KY_FEW_COLUMN_STEPS * COUNT + k];
    printf("device, %s: %d pairs, %.4g steps in %.4f s, %.3g orbits/s\n", engine, COUNT, steps,
           least, steps / 16 / least);
    card->verbs->close(card);
    free(column);
}

#ifdef KY_HAVE_OPENCL
enum { ANGLES = 4 };
static const double eccentricities[] = {0.5, 0.9, 0.99};

/* Pairs with a = G = M = 1 and the eccentricity e, whose orbits have different directions. */
static void put_pairs(const struct arrays *all, double e)
{
    const double speed = sqrt((1 - e) / (1 + e));
    for (size_t k = 0; k < all->count; k++)
        for (size_t i = 0; i < 2; i++) {
            const double half = i ? 0.5 : -0.5, angle = 0.1 + 0.4 * turn * (double)k / ANGLES;
            all->mass[2 * k + i] = 0.5;
            all->x[2 * k + i][0] = half * (1 + e) * cos(angle);
            all->x[2 * k + i][1] = half * (1 + e) * sin(angle);
            all->v[2 * k + i][0] = -half * speed * sin(angle);
            all->v[2 * k + i][1] = half * speed * cos(angle);
        }
}

/* The orbital elements of pair k at these places and velocities. */
static struct elements elements_at(const struct arrays *all, size_t k, double (*x)[3],
                                   double (*v)[3])
{
    struct bodies pair = {.n = 2, .mass = {all->mass[2 * k], all->mass[2 * k + 1]}};
    memcpy(pair.x, x + 2 * k, 2 * sizeof *x);
    memcpy(pair.v, v + 2 * k, 2 * sizeof *v);
    return elements_of(&pair, 0, 1);
}

/* Prints the largest changes of elements of all pairs, on the device with double or without it. The
 * time is given twice: the device takes all steps to a time that is not the last one. */
static void turn_pairs(const struct arrays *all, double e, double orbits, int in_floats)
{
    const double ends[] = {turn * orbits, turn * orbits};
    struct ky_parameters parameters;
    struct ky_few_systems systems = systems_of(all, ends);
    double axis = 0, shape = 0, angle = 0;
    ky_parameters_defaults(&parameters);
    parameters.engine = "opencl";
    systems.times = 2;
    ky_opencl_hide_double = in_floats;
    const double begin = processor_seconds();
    stop_if(ky_few_integrate(&parameters, &systems, &error), &error);
    const double seconds = processor_seconds() - begin;
    for (size_t k = 0; k < all->count; k++) {
        const struct elements before = elements_at(all, k, all->x, all->v),
                              after = elements_at(all, k, all->x1, all->v1);
        axis = fmax(axis, fabs(after.a / before.a - 1));
        shape = fmax(shape, fabs(after.e - before.e));
        angle = fmax(angle, fabs(remainder(after.angle - before.angle, turn)));
    }
    printf("floats: %s, e = %g, %g orbits: |da/a| %.1e, |de| %.1e, |domega| %.1e; first pair at "
           "(%.15g, %.15g); %.2f us an orbit\n",
           in_floats ? "floats" : "double", e, orbits, axis, shape, angle, all->x1[1][0],
           all->x1[1][1], 1e6 * seconds / orbits / (double)all->count);
    fflush(stdout);
}

static void floats(void)
{
    const double given = (double)wanted_count(0), most = given > 0 ? given : 1e5;
    const struct arrays all = allocate(2 * ANGLES, 2); /* for two times */
    struct arrays pairs = all;
    pairs.count = ANGLES;
    for (double orbits = given > 0 ? given : 1e3; orbits <= most; orbits *= 10)
        for (size_t k = 0; k < sizeof eccentricities / sizeof *eccentricities; k++) {
            put_pairs(&pairs, eccentricities[k]);
            turn_pairs(&pairs, eccentricities[k], orbits, 0);
            turn_pairs(&pairs, eccentricities[k], orbits, 1);
        }
    release(&all);
}
#else
static void floats(void)
{
    printf("floats: this build has no OpenCL\n");
}
#endif

int main(int argc, char **argv)
{
#ifdef KY_HAVE_OPENCL
    ky_opencl_hide_double = getenv("KYOHO_FEW_FLOATS") != NULL;
#endif
    static const struct {
        const char *name;
        void (*run)(void);
    } rows[] = {{"kepler", kepler},         {"kozai", kozai},     {"wide", wide},
                {"pythagoras", pythagoras}, {"planets", planets}, {"lanes", lanes},
                {"scatter", scatter},       {"many", many},       {"device", device},
                {"encounters", encounters}, {"crowds", crowds},   {"floats", floats}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        int wanted = argc < 2 && rows[k].run != device && rows[k].run != encounters &&
                     rows[k].run != crowds && rows[k].run != floats;
        for (int i = 1; i < argc; i++)
            wanted |= !strcmp(argv[i], rows[k].name);
        if (wanted)
            rows[k].run();
    }
    return 0;
}
