/* What several benchmarks share: a model, an engine with its bodies, the errors of forces, the
 * median of some evaluations. A call that fails ends the program. */
#ifndef KY_BENCH_COMMON_H
#define KY_BENCH_COMMON_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/order.h"
#include "engine/engine.h"
#include "engine/force_options.h"

static inline void stop_if(enum ky_status status, const struct ky_error *error)
{
    if (status == KY_OK)
        return;
    fprintf(stderr, "%s\n", error->text);
    exit((int)status);
}

static inline double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline void *memory_for(size_t count, size_t size)
{
    void *memory = malloc(count * size + 1);
    if (memory)
        return memory;
    fprintf(stderr, "out of memory\n");
    exit(1);
}

static inline struct ky_snapshot model(const char *name, size_t n)
{
    struct ky_error error;
    struct ky_snapshot snapshot;
    struct ky_model_parameters parameters;
    ky_model_parameters_defaults(&parameters);
    parameters.n = n;
    ky_snapshot_clear(&snapshot);
    stop_if(ky_model_make(name, &parameters, &snapshot, &error), &error);
    return snapshot;
}

/* Opens the engine and gives it the bodies. *resolved has to stay until the engine is closed. */
static inline struct ky_engine *engine_for(const struct ky_parameters *given,
                                           struct ky_parameters *resolved,
                                           const struct ky_bodies *bodies)
{
    struct ky_error error;
    struct ky_engine *engine;
    stop_if(ky_force_resolve(given, resolved, &error), &error);
    stop_if(ky_engine_open(resolved, bodies->n, &engine, &error), &error);
    stop_if(ky_engine_put(engine, bodies, &error), &error);
    return engine;
}

/* The relative errors of the accelerations of up to `most` bodies, in ascending order, against sums
 * that the engine makes in double. Returns how many there are. `work` has room for n vectors. */
static inline size_t sampled_errors(struct ky_engine *engine, size_t n, size_t most,
                                    double (*work)[3], double *errors)
{
    struct ky_error error;
    const size_t count = n < most ? n : most;
    size_t *sinks = malloc(count * sizeof *sinks);
    double(*exact)[3] = malloc(count * sizeof *exact), *potential = malloc(count * sizeof(double));
    struct ky_bodies found = {.n = n, .acceleration = work};
    for (size_t k = 0; k < count; k++)
        sinks[k] = k * (n / count);
    stop_if(ky_engine_get(engine, &found, &error), &error);
    stop_if(ky_engine_exact(engine, sinks, count, exact, potential, &error), &error);
    for (size_t k = 0; k < count; k++) {
        double d2 = 0, a2 = 0;
        for (int c = 0; c < 3; c++) {
            double d = work[sinks[k]][c] - exact[k][c];
            d2 += d * d;
            a2 += exact[k][c] * exact[k][c];
        }
        errors[k] = sqrt(d2 / a2);
    }
    qsort(errors, count, sizeof *errors, ky_order_reals);
    free(sinks);
    free(exact);
    free(potential);
    return count;
}

/* The evaluation that takes the median time. */
static inline struct ky_force_report median_run(const struct ky_force_report *run, int count)
{
    for (int r = 0; r < count; r++) {
        int below = 0;
        for (int q = 0; q < count; q++)
            below += run[q].total < run[r].total || (run[q].total <= run[r].total && q < r);
        if (below == count / 2)
            return run[r];
    }
    return run[0];
}

#endif
