/* Speed of an engine, for docs/lab/2026-11-21-h200.md; bench/gpu.sh runs it.
 *
 *     device [ENGINE [PART...]]    ENGINE: cuda:0 unless given; no PART: all of them
 *
 *     direct   the exact sum in each precision, with the median error of its accelerations
 *     mixed    the exact sum on matrix units, and in single precision
 *     small    a step of small systems
 *     walk     the walk of a uniform sphere, with leaves and curves of several kinds
 *     list     the same sphere by interaction lists
 *
 * unrolling.c measures the unrolled loops of F09. */
#include "common.h"

#include <string.h>

#include "base/clock.h"
#include "integrate/integrate.h"

static const char *engine_name = "cuda:0";
static const char *const precisions[] = {"single", "extended", "double", "mixed"};

/* The relative error of this part of the accelerations of up to 512 bodies. */
static double error_of(struct ky_engine *engine, size_t n, double part)
{
    enum { MOST = 512 };
    double errors[MOST], (*work)[3] = malloc(n * sizeof *work);
    const size_t count = sampled_errors(engine, n, MOST, work, errors);
    free(work);
    return errors[(size_t)(part * (double)(count - 1))];
}

static double median_error(struct ky_engine *engine, size_t n)
{
    return error_of(engine, n, 0.5);
}

/* The median over some evaluations, after one that does not count. */
static struct ky_force_report evaluate(struct ky_engine *engine)
{
    enum { TIMES = 7 };
    struct ky_error error;
    struct ky_force_report report = {0};
    double total[TIMES], walk[TIMES];
    for (int k = -1; k < TIMES; k++) {
        stop_if(ky_engine_forces(engine, &error), &error);
        ky_engine_report(engine, &report);
        if (k >= 0) {
            total[k] = report.total;
            walk[k] = report.walk;
        }
    }
    qsort(total, TIMES, sizeof *total, ky_order_reals);
    qsort(walk, TIMES, sizeof *walk, ky_order_reals);
    report.total = total[TIMES / 2];
    report.walk = walk[TIMES / 2];
    return report;
}

static struct ky_parameters parameters_of(const char *name, int force, double softening)
{
    struct ky_parameters parameters;
    ky_parameters_defaults(&parameters);
    parameters.engine = name;
    parameters.force = force;
    parameters.softening = softening;
    return parameters;
}

static void direct_row(size_t n, int precision, double softening)
{
    struct ky_snapshot snapshot = model("plummer", n);
    struct ky_parameters given = parameters_of(engine_name, KY_DIRECT, softening), parameters;
    given.precision = precision;
    struct ky_engine *engine = engine_for(&given, &parameters, &snapshot.bodies);
    struct ky_force_report report = evaluate(engine);
    printf("direct %-8s eps %-5g n %8zu  %10.4f ms  %.3e /s  errors: median %.2e, 99 %% %.2e\n",
           precisions[precision], softening, n, 1e3 * report.total,
           (double)n * (double)n / report.total, median_error(engine, n),
           error_of(engine, n, 0.99));
    fflush(stdout);
    ky_engine_close(engine);
    ky_snapshot_free(&snapshot);
}

static void bench_direct(void)
{
    static const size_t sizes[] = {10000, 65536, 262144, 1048576};
    for (int s = 0; s < 4; s++)
        for (int p = KY_SINGLE; p <= (s < 3 ? KY_DOUBLE : KY_SINGLE); p++)
            direct_row(sizes[s], p, 0.01);
    direct_row(262144, KY_SINGLE, 0);
}

static void bench_mixed(void)
{
    static const size_t sizes[] = {16384, 65536, 262144, 1048576};
    for (int s = 0; s < 4; s++)
        for (int soft = 0; soft < 2; soft++) {
            direct_row(sizes[s], KY_SINGLE, soft * 0.01);
            direct_row(sizes[s], KY_MIXED, soft * 0.01);
        }
}

/* Times STEPS steps of the leap-frog, between two sums that wait for the device. */
static void small_row(size_t n, int precision)
{
    enum { STEPS = 400 };
    struct ky_error error;
    struct ky_sums sums = {0};
    struct ky_snapshot snapshot = model("plummer", n);
    struct ky_parameters given = parameters_of(engine_name, KY_DIRECT, 0.1), parameters;
    double least = HUGE_VAL;
    given.precision = precision;
    struct ky_engine *engine = engine_for(&given, &parameters, &snapshot.bodies);
    struct ky_integrator_state *leapfrog;
    parameters.step = 1.0 / 1024;
    stop_if(ky_integrator_create(engine, n, &parameters, &leapfrog, &error), &error);
    for (int k = 0; k < 4; k++) {
        stop_if(ky_engine_sums(engine, &sums, &error), &error);
        double start = ky_clock();
        stop_if(leapfrog->verbs->advance(leapfrog, STEPS, &error), &error);
        stop_if(ky_engine_sums(engine, &sums, &error), &error);
        double each = (ky_clock() - start) / STEPS;
        least = k > 0 && each < least ? each : least;
    }
    printf("small  %-8s n %7zu  %9.2f us a step\n", precisions[precision], n, 1e6 * least);
    fflush(stdout);
    ky_integrator_free(leapfrog);
    ky_engine_close(engine);
    ky_snapshot_free(&snapshot);
}

static void bench_small(void)
{
    static const size_t sizes[] = {1000, 7500, 10000, 18000, 100000};
    for (int precision = KY_SINGLE; precision <= KY_EXTENDED; precision++)
        for (int s = 0; s < 5; s++)
            small_row(sizes[s], precision);
}

static void tree_row(int force, size_t n, int multipole, int curve, int leaf)
{
    static const char *const curves[] = {"none", "morton", "hilbert"};
    struct ky_snapshot snapshot = model("uniform-sphere", n);
    struct ky_parameters given = parameters_of(engine_name, force, 0), parameters;
    given.theta = 0.6;
    given.multipole = multipole;
    given.curve = curve;
    given.leaf = leaf;
    struct ky_engine *engine = engine_for(&given, &parameters, &snapshot.bodies);
    struct ky_force_report r = evaluate(engine);
    printf("%s   n %8zu multipole %d %-7s leaf %2d  device %8.3f ms  host tree %8.2f ms  transfers "
           "%6.2f ms  pairs a body %.0f + %.0f  median error %.2e\n",
           force == KY_WALK ? "walk" : "list", n, multipole, curves[curve], leaf, 1e3 * r.walk,
           1e3 * (r.keys + r.sort + r.build + r.moments), 1e3 * (r.upload + r.download),
           r.body_interactions / (double)n, r.cell_interactions / (double)n,
           median_error(engine, n));
    fflush(stdout);
    ky_engine_close(engine);
    ky_snapshot_free(&snapshot);
}

static void bench_walk(void)
{
    static const int leaves[] = {1, 4, 8, 16};
    for (int k = 0; k < 4; k++)
        tree_row(KY_WALK, 819200, 1, KY_MORTON, leaves[k]);
    tree_row(KY_WALK, 819200, 1, KY_CURVE_NONE, 16);
    tree_row(KY_WALK, 819200, 1, KY_HILBERT, 16);
    tree_row(KY_WALK, 819200, 2, KY_MORTON, 16);
    tree_row(KY_WALK, 51200, 1, KY_MORTON, 16);
}

static void bench_list(void)
{
    tree_row(KY_LIST, 819200, 1, KY_MORTON, 16);
    tree_row(KY_LIST, 819200, 2, KY_MORTON, 16);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"direct", bench_direct},
                 {"mixed", bench_mixed},
                 {"small", bench_small},
                 {"walk", bench_walk},
                 {"list", bench_list}};
    if (argc > 1)
        engine_name = argv[1];
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        int wanted = argc < 3;
        for (int a = 2; a < argc; a++)
            wanted |= !strcmp(argv[a], parts[k].name);
        if (wanted)
            parts[k].run();
    }
    return 0;
}
