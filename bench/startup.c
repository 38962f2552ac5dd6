/* What a run does with all bodies up to the first forces: startup [N [MODEL [THREADS]]] (default
 * 10000000, plummer, and 1 and 2 threads). For each phase of `kyoho run --model` on the CPU engine
 * it prints nanoseconds a body on the clock and of processor time, and resident bytes a body at the
 * end of the phase and at the peak so far. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/threads.h"
#include "engine/engine.h"
#include "engine/force_options.h"
#include "models/models.h"

/* The resident bytes of this process now. */
static double resident(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%*d %ld", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static double peak(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * (double)usage.ru_maxrss;
}

static double core_seconds(void)
{
    struct timespec time = {0, 0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Seconds on the clock, and of processor time, when a phase began. */
struct lap {
    double wall, core;
};

static void tell(const char *phase, size_t n, struct lap *lap)
{
    const double per_body = 1e9 / (double)n;
    printf("%-28s %9.2f %9.2f %10.1f %10.1f\n", phase, per_body * (ky_clock() - lap->wall),
           per_body * (core_seconds() - lap->core), resident() / (double)n, peak() / (double)n);
    fflush(stdout);
    *lap = (struct lap){ky_clock(), core_seconds()};
}

static enum ky_status to_engine(struct ky_parameters *parameters, struct ky_bodies *bodies,
                                struct lap *lap, struct ky_error *error)
{
    struct ky_parameters resolved;
    struct ky_engine *engine = NULL;
    const size_t n = bodies->n;
    enum ky_status status = ky_force_resolve(parameters, &resolved, error);
    if (!status)
        status = ky_engine_open(&resolved, n, &engine, error);
    tell("engine: memory", n, lap);
    if (!status)
        status = ky_engine_put(engine, bodies, error);
    tell("engine: bodies", n, lap);
    ky_bodies_free(bodies);
    tell("free", n, lap);
    if (!status)
        status = ky_engine_forces(engine, error);
    tell("forces", n, lap);
    ky_engine_close(engine);
    return status;
}

static enum ky_status measure(const char *name, size_t n, int threads, struct ky_error *error)
{
    struct ky_model_parameters model;
    struct ky_parameters parameters;
    struct ky_snapshot snapshot;
    struct ky_scales scales = {0};
    ky_model_parameters_defaults(&model);
    ky_parameters_defaults(&parameters);
    model.n = n;
    parameters.engine = "cpu";
    parameters.threads = threads;
    parameters.opening = KY_OFFSET;
    parameters.theta = 2; /* a short walk: the phases before it are measured */
    ky_threads_take(threads);
    printf("%s, %zu bodies, %d threads\n%-28s %9s %9s %10s %10s\n", name, n, threads, "phase",
           "ns/body", "core ns", "bytes/body", "peak");
    struct lap lap = {ky_clock(), core_seconds()};
    enum ky_status status = ky_model_make(name, &model, &snapshot, error);
    tell("model", n, &lap);
    if (!status)
        status = ky_bodies_check(&snapshot.bodies, error);
    tell("check", n, &lap);
    volatile uint64_t hash =
        ky_hash(snapshot.bodies.position, n * sizeof *snapshot.bodies.position, 0);
    (void)hash;
    tell("hash of positions (24 of 64)", n, &lap);
    if (!status)
        status = ky_softening_choose(&parameters, &snapshot, NULL, error);
    if (!status)
        status =
            ky_system_scales(&snapshot.bodies, parameters.g, parameters.softening, &scales, error);
    tell("scales", n, &lap);
    if (!status)
        status = to_engine(&parameters, &snapshot.bodies, &lap, error);
    ky_snapshot_free(&snapshot);
    return status;
}

int main(int count, char **words)
{
    size_t n = count > 1 ? strtoull(words[1], NULL, 10) : 10000000;
    const char *name = count > 2 ? words[2] : "plummer";
    int first = count > 3 ? atoi(words[3]) : 1, last = count > 3 ? first : 2;
    struct ky_error error = {.text = ""};
    for (int threads = first; threads <= last; threads++)
        if (measure(name, n, threads, &error)) {
            fprintf(stderr, "%s\n", error.text);
            return 1;
        }
    return 0;
}
