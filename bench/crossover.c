/* The number of bodies above which a device is faster than the CPU: crossover [ENGINE [THREADS]]
 * (default cuda:0, all cores). For the exact sum and the tree it prints the time of a leap-frog
 * step of Plummer spheres on both, over the number of bodies. Then follow the speeds of a thread
 * and of the device (pairs a second for the exact sum, bodies a second for the tree), the part of
 * the device's step that does not grow with the bodies, and the crossover: as measured, and as
 * src/engine/common/force_kinds.c has it. Options have their defaults. */
#include "common.h"

#include "base/clock.h"
#include "base/threads.h"
#include "engine/common/force_kinds.h"
#include "integrate/integrate.h"

/* Numbers of bodies are powers of two from 64 to 131,072, as long as a step takes no more than
 * LONGEST seconds. As many steps are timed as take LEAST seconds. */
enum { SIZES = 12, SMALLEST = 64, TIMES = 3 };
static const double LEAST = 0.05, LONGEST = 2;

/* Seconds of `steps` steps. The sums before and after them wait for the device. */
static double time_steps(struct ky_engine *engine, struct ky_integrator_state *leapfrog,
                         uint64_t steps)
{
    struct ky_error error;
    struct ky_sums sums = {0};
    stop_if(ky_engine_sums(engine, &sums, &error), &error);
    const double start = ky_clock();
    stop_if(leapfrog->verbs->advance(leapfrog, steps, &error), &error);
    stop_if(ky_engine_sums(engine, &sums, &error), &error);
    return ky_clock() - start;
}

/* Seconds of a step: the least of TIMES series. Trials before them find out how long a series
 * is. */
static double step_of(struct ky_engine *engine, struct ky_integrator_state *leapfrog)
{
    uint64_t steps = 1;
    double least = time_steps(engine, leapfrog, steps);
    while (time_steps(engine, leapfrog, steps) < LEAST)
        steps *= 2;
    for (int k = 0; k < TIMES; k++)
        least = fmin(least, time_steps(engine, leapfrog, steps) / (double)steps);
    return least;
}

static double measure(const char *name, int threads, int force, const struct ky_bodies *bodies)
{
    struct ky_error error;
    struct ky_parameters given, parameters;
    struct ky_engine *engine;
    struct ky_integrator_state *leapfrog;
    ky_parameters_defaults(&given);
    given.engine = name;
    given.threads = threads;
    given.force = force;
    given.softening = 0.01;
    given.step = 1.0 / 65536; /* the bodies are to stay where they are */
    stop_if(ky_parameters_resolve(&given, &parameters, &error), &error);
    stop_if(ky_engine_open(&parameters, bodies->n, &engine, &error), &error);
    stop_if(ky_engine_put(engine, bodies, &error), &error);
    stop_if(ky_engine_forces(engine, &error), &error);
    stop_if(ky_integrator_create(engine, bodies->n, &parameters, &leapfrog, &error), &error);
    const double seconds = step_of(engine, leapfrog);
    ky_integrator_free(leapfrog);
    ky_engine_close(engine);
    return seconds;
}

struct curve {
    double n[SIZES], cpu[SIZES], device[SIZES];
    int count;
};

/* The number of bodies at which the lines through the measured points cross for the last time, on
 * logarithmic scales. It is 0 where the device is always faster, and infinite where the CPU is
 * faster in the end. */
static double crossing(const struct curve *curve)
{
    double before = 0, at = 0;
    for (int k = 0; k < curve->count; k++) {
        const double now = log(curve->device[k] / curve->cpu[k]); /* below 0: the device */
        if (now >= 0)
            at = (double)INFINITY;
        else if (k > 0 && before >= 0)
            at = curve->n[k - 1] * pow(curve->n[k] / curve->n[k - 1], before / (before - now));
        before = now;
    }
    return at;
}

static void print_curve(const char *name, int force, double power, const char *engine, int threads)
{
    struct curve curve = {.count = 0};
    printf("%-8s %9s %12s %12s\n", name, "bodies", "CPU, ms", "device, ms");
    for (int k = 0; k < SIZES; k++) {
        const size_t n = (size_t)SMALLEST << k;
        struct ky_snapshot snapshot = model("plummer", n);
        curve.n[k] = (double)n;
        curve.cpu[k] = measure("cpu", threads, force, &snapshot.bodies);
        curve.device[k] = measure(engine, threads, force, &snapshot.bodies);
        curve.count = k + 1;
        printf("%-8s %9.0f %12.4f %12.4f\n", name, curve.n[k], 1e3 * curve.cpu[k],
               1e3 * curve.device[k]);
        fflush(stdout);
        ky_snapshot_free(&snapshot);
        if (pow(2, power) * fmax(curve.cpu[k], curve.device[k]) > LONGEST)
            break;
    }
    const int last = curve.count - 1;
    const double rate = pow(curve.n[last], power) / curve.device[last];
    printf("%s: a thread %.3g/s, the device %.3g/s and %.3g us a step; crossover measured %.4g, of "
           "the table %.4g\n\n",
           name, pow(curve.n[last], power) / curve.cpu[last] / threads, rate,
           1e6 * (curve.device[0] - pow(curve.n[0], power) / rate), crossing(&curve),
           ky_force_kind(force)->crossover);
}

int main(int argc, char **argv)
{
    const char *engine = argc > 1 ? argv[1] : "cuda:0";
    const int threads = ky_threads(argc > 2 ? atoi(argv[2]) : 0);
    printf("cpu with %d threads beside %s; steps of the leap-frog\n", threads, engine);
    print_curve("direct", KY_DIRECT, 2, engine, threads);
    print_curve("tree", KY_TREE, 1, engine, threads);
    return 0;
}
