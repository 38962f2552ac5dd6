/* What the verb `make` of models shares: bodies at rest, and the softening of a pair. */
#include <math.h>

#include "models/models.h"
#include "physics/softening.h"

double ky_pair_softening(const struct ky_model_common *common)
{
    return common->softening *
           sqrt(ky_softening_eps2(1, 1, ky_softening_how(common->softening_kind)));
}

enum ky_status ky_model_allocate(const struct ky_model_common *common, unsigned with,
                                 struct ky_snapshot *snapshot, struct ky_error *error)
{
    struct ky_bodies *bodies = &snapshot->bodies;
    enum ky_status status = ky_bodies_allocate(bodies, common->n, KY_WITH_ID | with, error);
    if (status)
        return status;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < bodies->n; i++) {
        bodies->mass[i] = 1 / (double)bodies->n;
        bodies->id[i] = i;
    }
    return KY_OK;
}
