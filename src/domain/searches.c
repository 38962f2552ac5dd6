/* The order of a walk with an action (walk.c), as rank 0 gives it. */
#include <inttypes.h>

#include "domain/orders.h"

enum ky_status ky_domain_walk_all(struct ky_domain *domain, const struct ky_engine *engine,
                                  const struct ky_walk_request *request,
                                  struct ky_force_report *report, struct ky_error *error)
{
    const struct ky_order order = {.kind = KY_ORDER_walk,
                                   .n = request->radii,
                                   .action = request->action,
                                   .k = request->k,
                                   .time = engine->externals.time,
                                   .fields = domain->fields}; /* walks see no fields */
    struct ky_error outcome = {KY_OK, ""};
    const struct ky_order_data data = {
        .request = request, .outcome = &outcome, .report = report, .halt = engine->halt};
    if (domain->total > UINT32_MAX)
        return ky_fail(error, KY_UNSUPPORTED,
                       "%zu bodies: a search numbers up to %" PRIu32 " of them", domain->total,
                       UINT32_MAX);
    const enum ky_status status = ky_order_give(domain, &order, &data, error);
    return status || !outcome.status ? status : ky_fail(error, outcome.status, "%s", outcome.text);
}
