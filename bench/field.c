/* Seconds of the field at points: field [N [ENGINES [THREADS [SOURCES [MASSLESS]]]]] (default
 * 300000 cpu,cuda 1 10000 1000000; ENGINES are names with commas between). The points are bodies of
 * a Plummer sphere of N, each moved by a thousandth of its distance from the centre, without
 * softening. A row for each engine, method and number of points: processor and clock time of one
 * call, the least of REPEAT, in microseconds a point, and the errors of SAMPLES of the
 * accelerations against exact sums. For the N points the next row has the phases of a call on a
 * device, which waits after each: their clock times in milliseconds, and what is left of the call
 * (checks of the numbers). Then a row for the forces of the N bodies, and how many times their time
 * N points take. Acceleration and potential are asked for.
 *
 * The second part has SOURCES bodies with mass: rows for the field at MASSLESS points, for the
 * forces of the same bodies with as many massless ones at these points, and the ratio of the two.
 */
#include <string.h>

#include "common.h"

#include "base/clock.h"

enum { REPEAT = 3, SAMPLES = 500 };

static struct ky_parameters parameters_for(const char *engine, int force, int threads)
{
    struct ky_parameters parameters;
    ky_parameters_defaults(&parameters);
    parameters.engine = engine;
    parameters.force = force;
    parameters.threads = threads;
    parameters.softening = 0;
    return parameters;
}

/* Points evenly spread over the list of all. */
static double (*points_of(const struct ky_bodies *bodies, size_t count))[3]
{
    double(*points)[3] = memory_for(count, sizeof *points);
    for (size_t k = 0; k < count; k++)
        for (int c = 0; c < 3; c++)
            points[k][c] = 1.001 * bodies->position[k * (bodies->n / count)][c];
    return points;
}

/* The 99th percentile of the relative errors. */
static double error_of(const struct ky_bodies *bodies, const double (*points)[3], size_t count,
                       const double (*found)[3])
{
    struct ky_error error;
    struct ky_parameters given = parameters_for("cpu", KY_DIRECT, 0), resolved;
    const size_t samples = count < SAMPLES ? count : SAMPLES;
    given.precision = KY_DOUBLE;
    struct ky_engine *engine = engine_for(&given, &resolved, bodies);
    double(*at)[3] = memory_for(samples, sizeof *at),
    (*exact)[3] = memory_for(samples, sizeof *exact);
    double *wrong = memory_for(samples, sizeof *wrong);
    for (size_t k = 0; k < samples; k++)
        memcpy(at[k], points[k * (count / samples)], sizeof *at);
    const struct ky_points sampled = {.count = samples, .position = (const double(*)[3])at};
    stop_if(ky_engine_field(engine, &sampled, exact, NULL, &error), &error);
    for (size_t k = 0; k < samples; k++) {
        double d2 = 0, a2 = 0;
        for (int c = 0; c < 3; c++) {
            const double d = found[k * (count / samples)][c] - exact[k][c];
            d2 += d * d;
            a2 += exact[k][c] * exact[k][c];
        }
        wrong[k] = sqrt(d2 / a2);
    }
    qsort(wrong, samples, sizeof *wrong, ky_order_reals);
    const double p99 = wrong[samples * 99 / 100];
    ky_engine_close(engine);
    free(at);
    free(exact);
    free(wrong);
    return p99;
}

static const struct method {
    int force;
    const char *name;
} methods[] = {{KY_FMM, "fmm"}, {KY_TREE, "tree"}, {KY_DIRECT, "direct"}};
enum { TREES = 2, METHODS = 3 };

/* Seconds of a call, the least of some. */
struct time {
    double processor, clock;
};

/* The field at points; the accelerations become `found`. */
static struct time time_field(struct ky_engine *engine, const struct ky_points *points,
                              double (*found)[3])
{
    struct ky_error error;
    double *potential = memory_for(points->count, sizeof *potential);
    struct time least = {1e30, 1e30};
    for (int r = 0; r < REPEAT; r++) {
        const double own = processor_seconds(), start = ky_clock();
        stop_if(ky_engine_field(engine, points, found, potential, &error), &error);
        least.clock = fmin(least.clock, ky_clock() - start);
        least.processor = fmin(least.processor, processor_seconds() - own);
    }
    free(potential);
    return least;
}

/* The phases of a call, on engines that have them: of the last of REPEAT. */
static void print_phases(struct ky_engine *engine, const struct method *method,
                         const struct ky_points *points, double (*found)[3])
{
#define PHASE_NAME(name) #name,
    static const char *const names[] = {KY_FIELD_PHASES(PHASE_NAME)};
    struct ky_error error;
    struct ky_field_seconds seconds;
    double *potential = memory_for(points->count, sizeof *potential), rest = 0;
    if (ky_engine_field_seconds(engine, &seconds, &error) == KY_OK) {
        for (int r = 0; r < REPEAT; r++) {
            rest = -ky_clock();
            stop_if(ky_engine_field(engine, points, found, potential, &error), &error);
            rest += ky_clock();
        }
        stop_if(ky_engine_field_seconds(engine, &seconds, &error), &error);
        printf("%-8s %-6s phases, ms:", engine->name, method->name);
        for (int k = 0; k < KY_FIELD_PHASE_COUNT; k++) {
            printf(" %s %.2f", names[k], 1e3 * seconds.of[k]);
            rest -= seconds.of[k];
        }
        printf(" checks %.2f\n", 1e3 * rest);
    }
    free(potential);
}

/* Forces with last accelerations. A number that is read awaits the device. */
static struct time time_forces(struct ky_engine *engine)
{
    struct ky_error error;
    struct time least = {1e30, 1e30};
    const uint32_t first = 0;
    double a[1][3];
    struct ky_bodies one = {.n = 1, .acceleration = a};
    stop_if(ky_engine_forces(engine, &error), &error);
    for (int r = 0; r < REPEAT; r++) {
        const double own = processor_seconds(), start = ky_clock();
        stop_if(ky_engine_forces(engine, &error), &error);
        stop_if(ky_engine_get_some(engine, &first, &one, &error), &error);
        least.clock = fmin(least.clock, ky_clock() - start);
        least.processor = fmin(least.processor, processor_seconds() - own);
    }
    return least;
}

static void print_times(const struct ky_engine *engine, const struct method *method,
                        const char *what, size_t count, struct time time)
{
    printf("%-8s %-6s %-8s %9zu %9.3f %9.3f", engine->name, method->name, what, count,
           1e6 * time.processor / (double)count, 1e6 * time.clock / (double)count);
}

static void print_ratio(struct time above, struct time below)
{
    printf("  ratio %.2f, %.2f\n", above.processor / below.processor, above.clock / below.clock);
    fflush(stdout);
}

static struct time print_field(struct ky_engine *engine, const struct method *method,
                               const struct ky_bodies *bodies, size_t count)
{
    double(*points)[3] = points_of(bodies, count), (*found)[3] = memory_for(count, sizeof *found);
    const struct ky_points asked = {.count = count, .position = (const double(*)[3])points};
    const struct time time = time_field(engine, &asked, found);
    print_times(engine, method, "field", count, time);
    printf("  %.1e\n",
           error_of(bodies, (const double(*)[3])points, count, (const double(*)[3])found));
    if (count == bodies->n)
        print_phases(engine, method, &asked, found);
    fflush(stdout);
    free(points);
    free(found);
    return time;
}

/* The field at some of the points, then at as many as there are bodies, and their forces. */
static void compare_with_forces(const char *name, const struct method *method, int threads,
                                const struct ky_bodies *bodies)
{
    struct ky_parameters given = parameters_for(name, method->force, threads), resolved;
    struct ky_engine *engine = engine_for(&given, &resolved, bodies);
    for (size_t count = 1000; count < bodies->n; count = count % 3 ? 3 * count : count / 3 * 10)
        print_field(engine, method, bodies, count);
    const struct time field = print_field(engine, method, bodies, bodies->n),
                      forces = time_forces(engine);
    print_times(engine, method, "forces", bodies->n, forces);
    print_ratio(field, forces);
    ky_engine_close(engine);
}

/* Massless bodies among others, and points at the same places. */
static void compare_massless(const char *name, const struct method *method, int threads,
                             const struct ky_bodies *all, size_t sources)
{
    const size_t count = all->n - sources;
    struct ky_parameters given = parameters_for(name, method->force, threads), resolved;
    struct ky_bodies some = *all;
    some.n = sources;
    double(*found)[3] = memory_for(count, sizeof *found);
    struct ky_engine *engine = engine_for(&given, &resolved, &some);
    const struct ky_points points = {.count = count,
                                     .position = (const double(*)[3])all->position + sources};
    const struct time field = time_field(engine, &points, found);
    print_times(engine, method, "field", count, field);
    printf("\n");
    ky_engine_close(engine);
    engine = engine_for(&given, &resolved, all);
    const struct time forces = time_forces(engine);
    print_times(engine, method, "massless", count, forces);
    print_ratio(forces, field);
    ky_engine_close(engine);
    free(found);
}

/* A Plummer sphere without softenings, of which the first `sources` bodies have mass. */
static struct ky_snapshot sphere(size_t n, size_t sources)
{
    struct ky_snapshot snapshot = model("plummer", n);
    free(snapshot.bodies.softening);
    snapshot.bodies.softening = NULL;
    for (size_t i = sources; i < n; i++)
        snapshot.bodies.mass[i] = 0;
    return snapshot;
}

int main(int argc, char **argv)
{
    char names[200];
    const size_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 300000,
                 sources = argc > 4 ? strtoull(argv[4], NULL, 10) : 10000,
                 massless = argc > 5 ? strtoull(argv[5], NULL, 10) : 1000000;
    const int threads = argc > 3 ? atoi(argv[3]) : 1;
    struct ky_snapshot equal = sphere(n, n), mixed = sphere(sources + massless, sources);
    snprintf(names, sizeof names, "%s", argc > 2 ? argv[2] : "cpu,cuda");
    printf("engine   force               number us, processor, clock  99 %%\n");
    for (char *name = strtok(names, ","); name; name = strtok(NULL, ",")) {
        for (int m = 0; m < TREES; m++)
            compare_with_forces(name, &methods[m], threads, &equal.bodies);
        for (int m = 0; m < METHODS; m++)
            compare_massless(name, &methods[m], threads, &mixed.bodies, sources);
    }
    ky_snapshot_free(&equal);
    ky_snapshot_free(&mixed);
    return 0;
}
