/* SPH density: one walk finds the distance of the k-th neighbour, a second sums the kernel. */
#include <stdlib.h>

#include "analysis/walks.h"
#include "base/memory.h"

static enum ky_status sum_kernels(struct ky_walker *walker, size_t n, size_t k, double *density,
                                  double *smoothing, struct ky_error *error)
{
    struct ky_walk_request request = {
        .action = KY_ACTION_nearest, .n = n, .k = k, .results = smoothing};
    enum ky_status status = ky_walker_walk(walker, &request, error);
    if (status || !density)
        return status;
    request = (struct ky_walk_request){
        .action = KY_ACTION_density, .n = n, .radius = smoothing, .radii = n, .results = density};
    return ky_walker_walk(walker, &request, error);
}

enum ky_status ky_sph_density(const struct ky_parameters *parameters,
                              const struct ky_bodies *bodies, size_t k, double *density,
                              double *smoothing, struct ky_force_report *report,
                              struct ky_error *error)
{
    struct ky_walker walker;
    double *own = smoothing ? NULL : ky_allocate(bodies->n, sizeof *own);
    if (!smoothing && !own)
        return ky_no_memory(error, "smoothing lengths", bodies->n, sizeof *own);
    enum ky_status status = ky_walker_open(parameters, bodies, &walker, error);
    if (!status)
        status = sum_kernels(&walker, bodies->n, k, density, smoothing ? smoothing : own, error);
    ky_walker_close(&walker, report);
    free(own);
    return status;
}
