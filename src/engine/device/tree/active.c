/* Active bodies and last accelerations in the order of the host's tree. */
#include "engine/device/tree/active.h"

#include <stdlib.h>

#include "base/memory.h"
#include "engine/common/active.h"

enum ky_status ky_device_active_places(const struct ky_host_tree *host,
                                       const struct ky_active *active, unsigned char **is_active,
                                       struct ky_error *error)
{
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

enum ky_status ky_device_last_accelerations(const struct ky_host_tree *host,
                                            struct ky_relative *relative, double **columns,
                                            struct ky_error *error)
{
    struct ky_device_bodies *bodies = host->bodies;
    struct ky_device_state *state = bodies->state;
    const size_t n = bodies->n;
    const int threads = n > 65536 ? state->threads : 1, is_kept = ky_device_reads_pull(state);
    double *a = ky_allocate(4 * n, sizeof *a), *const potential = a ? a + 3 * n : NULL;
    *columns = a;
    if (!a)
        return ky_no_memory(error, "accelerations for the opening test", n, 4 * sizeof *a);
    double *const column[3] = {a, a + n, a + 2 * n};
    enum ky_status status = ky_device_bodies_columns(
        bodies, is_kept ? KY_ARRAY_COLUMN + KY_COLUMN_PULL : KY_ARRAY_ACCELERATION, column, error);
    if (!status)
        status = ky_device_bodies_columns(bodies, KY_ARRAY_POTENTIAL, &potential, error);
    const double strength = ky_device_scale(state).strength;
    *relative = (struct ky_relative){
        .a = {a, a + n, a + 2 * n},
        .pull = is_kept ? a : NULL,
        .potential = potential,
        .per_unit = strength > 0 ? 1 / strength : 0,
        .per_potential = strength > 0 ? 1 / strength : 0,
        .per_mass = ky_relative_per_mass(ky_relative_mass(host->mass, n, threads)),
        .parameters = state->parameters};
    return status;
}
