/* The field at points of rank 0: all ranks get the points, and each rank's engine walks for its
 * share of them (engine/cpu/forces/points.c, engine/device/forces/part_points.c). */
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "domain/domain.h"

enum ky_status ky_domain_field(struct ky_domain *domain, const struct ky_points *points,
                               double (*acceleration)[3], double *potential, struct ky_error *error)
{
    KY_TRY(ky_domain_settle(domain, error));
    return domain->engine->verbs->field(domain->engine, points, acceleration, potential, error);
}

enum ky_status ky_domain_tides(struct ky_domain *domain, const struct ky_points *points,
                               double (*tide)[6], struct ky_error *error)
{
    double(*own)[6] = tide ? tide : ky_allocate(points->count, sizeof *own);
    enum ky_status status =
        own ? ky_domain_settle(domain, error)
            : ky_no_memory(error, "tidal tensors at points", points->count, sizeof *own);
    if (!status)
        status = domain->engine->verbs->tides(domain->engine, points, own, error);
    if (!tide)
        free(own);
    return status;
}
