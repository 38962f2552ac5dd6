/* SPH density: a first walk finds the distance of the k-th neighbour, a second sums the kernel. */
#include <math.h>
#include <stdlib.h>

#include "analysis/walker.h"
#include "base/memory.h"

/* KY_USAGE for smoothing lengths of more than half of the periodic box. */
static enum ky_status check_lengths(const struct ky_walker *walker, size_t n,
                                    const double *smoothing, struct ky_error *error)
{
    const double side = walker->parameters.box;
    for (size_t i = 0; i < n && side > 0; i++)
        if (smoothing[i] > side / 2)
            return ky_fail(error, KY_USAGE,
                           "body %zu: the smoothing length %g is more than half of the periodic "
                           "box, whose side is %g: take fewer neighbours",
                           i, smoothing[i], side);
    return KY_OK;
}

static enum ky_status sum_kernels(struct ky_walker *walker, size_t n, size_t k, double *density,
                                  double *smoothing, struct ky_error *error)
{
    struct ky_walk_request request = {
        .action = KY_ACTION_nearest, .n = n, .k = k, .results = smoothing};
    enum ky_status status = ky_walker_walk(walker, &request, error);
    if (!status)
        status = check_lengths(walker, n, smoothing, error);
    if (status || !density)
        return status;
    request = (struct ky_walk_request){
        .action = KY_ACTION_density, .n = n, .radius = smoothing, .radii = n, .results = density};
    return ky_walker_walk(walker, &request, error);
}

/* The largest coordinate; 0 if the engine cannot return it. */
static double reach(struct ky_engine *engine)
{
    double most = 0;
    struct ky_bodies bodies = {.n = engine->n};
    bodies.position = ky_allocate_zeroed(bodies.n, sizeof *bodies.position);
    if (bodies.position && !ky_engine_get(engine, &bodies, NULL))
        for (size_t i = 0; i < bodies.n; i++)
            for (int k = 0; k < 3; k++)
                most = fmax(most, fabs(bodies.position[i][k]));
    free(bodies.position);
    return most;
}

/* KY_BAD_DATA for a density that is not finite: k neighbours coincide with a body that has mass, or
 * squares of distances overflow. */
static enum ky_status check_results(struct ky_engine *engine, size_t k, const double *density,
                                    const double *smoothing, struct ky_error *error)
{
    for (size_t i = 0; i < engine->n; i++) {
        int same_place = smoothing[i] == 0 && (!density || !isfinite(density[i]));
        if (same_place)
            return ky_fail(
                error, KY_BAD_DATA,
                "body %zu: its %zu nearest neighbours are at the same position, where the density "
                "is infinite; take more neighbours than there are at one position",
                i, k);
        if (!isfinite(smoothing[i]) || (density && !isfinite(density[i])))
            return ky_fail(error, KY_BAD_DATA,
                           "body %zu: its density is not finite; the squares of distances "
                           "between bodies overflow, with coordinates up to %g",
                           i, reach(engine));
    }
    return KY_OK;
}

enum ky_status ky_walker_density(struct ky_walker *walker, size_t k, double *density,
                                 double *smoothing, struct ky_error *error)
{
    const size_t n = walker->engine->n;
    double *own = smoothing ? NULL : ky_allocate(n, sizeof *own);
    if (!smoothing && !own)
        return ky_no_memory(error, "smoothing lengths", n, sizeof *own);
    enum ky_status status = sum_kernels(walker, n, k, density, smoothing ? smoothing : own, error);
    if (!status)
        status = check_results(walker->engine, k, density, smoothing ? smoothing : own, error);
    free(own);
    return status;
}

enum ky_status ky_sph_density(const struct ky_parameters *parameters,
                              const struct ky_bodies *bodies, size_t k, double *density,
                              double *smoothing, struct ky_force_report *report,
                              struct ky_error *error)
{
    KY_NEED(parameters, error);
    KY_NEED(bodies, error);
    if (bodies->n)
        KY_NEED(density, error);
    struct ky_walker walker;
    enum ky_status status = ky_walker_open(parameters, bodies, NULL, &walker, error);
    if (!status)
        status = ky_walker_density(&walker, k, density, smoothing, error);
    ky_walker_close(&walker, report);
    return status;
}
