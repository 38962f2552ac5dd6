/* Flags, accelerations and passes of the opening test. */
#include "engine/device/opening.h"

#include <stdlib.h>

#include "base/memory.h"
#include "engine/active.h"

uint32_t ky_device_flags(const struct ky_host_tree *host, const struct ky_parameters *parameters)
{
    int own_eps = host->bodies->own_eps;
    int source_eps = host->bodies->how & KY_EPS_OF_BOTH;
    return (own_eps ? KY_FLAG_OWN_EPS : 0U) | (source_eps ? KY_FLAG_SOURCE_EPS : 0U) |
           host->tree.opening | (parameters->curve == KY_CURVE_NONE ? KY_FLAG_LISTED : 0U);
}

enum ky_status ky_device_active_places(const struct ky_host_tree *host, unsigned char **is_active,
                                       struct ky_error *error)
{
    const struct ky_active *active = host->bodies->active;
    const size_t n = host->bodies->n;
    *is_active = NULL;
    if (!active)
        return KY_OK;
    unsigned char *body = ky_allocate(n, 1);
    *is_active = ky_allocate(n, 1);
    if (!body || !*is_active) {
        free(body);
        free(*is_active);
        *is_active = NULL;
        return ky_no_memory(error, "active bodies", n, 2);
    }
    ky_active_mark(active, n, body);
    for (size_t k = 0; k < n; k++)
        (*is_active)[k] = body[host->tree.order[k]];
    free(body);
    return KY_OK;
}

/* ---- the relative opening test ---- */

enum ky_status ky_device_last_accelerations(const struct ky_host_tree *host,
                                            struct ky_relative *relative, double **columns,
                                            struct ky_error *error)
{
    struct ky_device_bodies *bodies = host->bodies;
    size_t n = bodies->n;
    double *a = ky_allocate(3 * n, sizeof *a);
    *columns = a;
    if (!a)
        return ky_no_memory(error, "accelerations for the opening test", n, 3 * sizeof *a);
    double *const column[3] = {a, a + n, a + 2 * n};
    enum ky_status status =
        ky_device_bodies_columns(bodies, &bodies->acceleration, 3, column, error);
    const double *const read[3] = {a, a + n, a + 2 * n};
    if (status == KY_OK)
        *relative = ky_relative_start(
            read, n, ky_engine_scale(&bodies->units, bodies->parameters->g).strength,
            bodies->parameters, n > 65536 ? bodies->threads : 1);
    return status;
}

struct passes {
    struct ky_host_tree *host;
    void *own;
    ky_evaluate_function *evaluate;
};

/* Marks and counts are of one pass, the report is of all: those of the first one are added before
 * the second begins. */
static enum ky_status pass(void *of, const struct ky_parameters *parameters, struct ky_error *error)
{
    const struct passes *passes = of;
    struct ky_host_tree *host = passes->host;
    struct ky_device_bodies *bodies = host->bodies;
    const struct ky_cards *cards = &bodies->cards;
    enum ky_status status = passes->evaluate(host, passes->own, parameters, error);
    if (status != KY_OK || parameters == bodies->parameters)
        return status;
    bodies->report.walk += cards->driver->between(cards->card[0], 0, 1);
    status = ky_pair_counts_add(&host->counts, bodies, &bodies->report, error);
    host->counts.groups = 0;
    return status;
}

enum ky_status ky_device_passes(struct ky_host_tree *host, void *own,
                                ky_evaluate_function *evaluate, struct ky_error *error)
{
    struct passes passes = {host, own, evaluate};
    return ky_relative_passes(host->bodies->parameters, host->bodies->has_acceleration, pass,
                              &passes, error);
}
