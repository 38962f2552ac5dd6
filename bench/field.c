/* Seconds of the field at points: field [N [ENGINES [THREADS]]] (default 300000 cpu,cuda 1; ENGINES
 * are names with commas between). The points are bodies of a Plummer sphere of N, each moved by a
 * thousandth of its distance from the centre, without softening. A row for each engine, method and
 * number of points: processor and clock time of one call, the least of REPEAT, in microseconds a
 * point, and the errors of SAMPLES of the accelerations against exact sums. */
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

static void print_row(struct ky_engine *engine, const char *method, const struct ky_bodies *bodies,
                      size_t count)
{
    struct ky_error error;
    double(*points)[3] = points_of(bodies, count), (*found)[3] = memory_for(count, sizeof *found);
    double processor = 1e30, clock = 1e30;
    const struct ky_points asked = {.count = count, .position = (const double(*)[3])points};
    for (int r = 0; r < REPEAT; r++) {
        const double own = processor_seconds(), start = ky_clock();
        stop_if(ky_engine_field(engine, &asked, found, NULL, &error), &error);
        clock = fmin(clock, ky_clock() - start);
        processor = fmin(processor, processor_seconds() - own);
    }
    printf("%-8s %-5s %9zu %9.3f %9.3f  %.1e\n", engine->name, method, count,
           1e6 * processor / (double)count, 1e6 * clock / (double)count,
           error_of(bodies, (const double(*)[3])points, count, (const double(*)[3])found));
    fflush(stdout);
    free(points);
    free(found);
}

int main(int argc, char **argv)
{
    static const struct {
        int force;
        const char *name;
    } methods[] = {{KY_FMM, "fmm"}, {KY_TREE, "tree"}};
    char names[200];
    const size_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 300000;
    const int threads = argc > 3 ? atoi(argv[3]) : 1;
    struct ky_snapshot snapshot = model("plummer", n);
    free(snapshot.bodies.softening);
    snapshot.bodies.softening = NULL;
    snprintf(names, sizeof names, "%s", argc > 2 ? argv[2] : "cpu,cuda");
    printf("engine   force    points us, processor, clock  99 %%\n");
    for (char *name = strtok(names, ","); name; name = strtok(NULL, ","))
        for (int m = 0; m < 2; m++) {
            struct ky_parameters given = parameters_for(name, methods[m].force, threads), resolved;
            struct ky_engine *engine = engine_for(&given, &resolved, &snapshot.bodies);
            for (size_t count = 1000; count < n; count = count % 3 ? 3 * count : count / 3 * 10)
                print_row(engine, methods[m].name, &snapshot.bodies, count);
            print_row(engine, methods[m].name, &snapshot.bodies, n);
            ky_engine_close(engine);
        }
    ky_snapshot_free(&snapshot);
    return 0;
}
