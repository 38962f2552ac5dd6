/* Seconds of neighbour lists and SPH density: neighbours [N [ENGINE [THREADS [PRECISION [LEAF]]]]]
 * (default 1048576 auto 1 double 16), for a uniform cube and a Plummer sphere. The radius holds 64
 * bodies on average in the cube, and the density takes the 64 nearest.
 *
 * Each figure is the least of REPEAT, without the opening of the engine and the upload. `walk s` is
 * the time of all walks, on a device by its own clock; `total s` includes the tree. `processor` is
 * the processor time of the whole call, for machines that other programs use too. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kyoho/kyoho.h"

enum { REPEAT = 3, NEIGHBOURS = 64 };

struct cost {
    double walk, total, processor, size;
};

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static enum ky_status once(const struct ky_parameters *parameters, const struct ky_bodies *bodies,
                           int what, double radius, double *size, struct ky_force_report *report,
                           struct ky_error *error)
{
    struct ky_neighbour_lists lists = {0};
    double *density = malloc(bodies->n * sizeof *density);
    uint32_t *count = malloc(bodies->n * sizeof *count);
    enum ky_status status =
        !density || !count ? KY_FAULT
        : what == 2 ? ky_sph_density(parameters, bodies, NEIGHBOURS, density, NULL, report, error)
                    : ky_neighbours(parameters, bodies, &radius, 1, count, what ? &lists : NULL,
                                    report, error);
    *size = 0;
    for (size_t i = 0; i < bodies->n && !status; i++)
        *size += (what == 2 ? density[i] : count[i]) / (double)bodies->n;
    ky_neighbour_lists_free(&lists);
    free(density);
    free(count);
    return status;
}

static int measure(const struct ky_parameters *parameters, const char *model, uint64_t n)
{
    static const char *const names[] = {"count", "count and lists", "k-th neighbour, density"};
    struct ky_model_parameters about;
    struct ky_snapshot snapshot;
    struct ky_force_report report = {0};
    struct ky_error error = {.text = "out of memory"};
    ky_model_parameters_defaults(&about);
    about.n = n;
    ky_snapshot_clear(&snapshot);
    enum ky_status status = ky_model_make(model, &about, &snapshot, &error);
    /* bodies at the faces have fewer: of 1,048,576, those inside have 65.6 where the mean is 64 */
    double side = 3.77, radius = side * cbrt(1.025 * NEIGHBOURS / ((double)n * 4.18879));
    for (int what = 0; what < 3 && !status; what++) {
        struct cost best = {1e30, 1e30, 1e30, 0};
        for (int r = 0; r < REPEAT && !status; r++) {
            double start = processor_seconds();
            status = once(parameters, &snapshot.bodies, what, radius, &best.size, &report, &error);
            best.processor = fmin(best.processor, processor_seconds() - start);
            best.walk = fmin(best.walk, report.walk);
            best.total = fmin(best.total, report.total);
        }
        printf("%-13s %-24s %9.4f %9.4f %9.4f %10.4g\n", model, names[what], best.walk, best.total,
               best.processor, best.size);
    }
    if (status)
        fprintf(stderr, "%s\n", error.text);
    ky_snapshot_free(&snapshot);
    return status != KY_OK;
}

int main(int argc, char **argv)
{
    struct ky_parameters parameters;
    ky_parameters_defaults(&parameters);
    uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 1048576;
    parameters.engine = argc > 2 ? argv[2] : "auto";
    parameters.threads = argc > 3 ? atoi(argv[3]) : 1;
    parameters.precision = argc > 4 && !strcmp(argv[4], "single")     ? KY_SINGLE
                           : argc > 4 && !strcmp(argv[4], "extended") ? KY_EXTENDED
                                                                      : KY_DOUBLE;
    parameters.leaf = argc > 5 ? atoi(argv[5]) : parameters.leaf;
    printf("%zu bodies\n%-13s %-24s %9s %9s %9s %10s\n", (size_t)n, "model", "what", "walk s",
           "total s", "processor", "mean");
    return measure(&parameters, "uniform-cube", n) || measure(&parameters, "plummer", n);
}
