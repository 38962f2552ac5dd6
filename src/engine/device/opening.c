/* Flags, factors and passes of the opening test. */
#include "engine/device/opening.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "physics/opening.h"

uint32_t ky_device_walk_flags(const struct ky_host_tree *host,
                              const struct ky_parameters *parameters)
{
    int own_eps = host->bodies->own_eps;
    int source_eps = own_eps && parameters->softening_kind == KY_SYMMETRIC;
    return (own_eps ? KY_WALK_OWN_EPS : 0U) | (source_eps ? KY_WALK_SOURCE_EPS : 0U) |
           (parameters->opening == KY_MINIMUM ? KY_WALK_MINIMUM : 0U) |
           (parameters->opening == KY_RELATIVE ? KY_WALK_RELATIVE : 0U) |
           (host->tree.test_box ? KY_WALK_TEST_BOX : 0U) |
           (parameters->curve == KY_CURVE_NONE ? KY_WALK_LISTED : 0U);
}

/* ---- the factor of the relative opening test, for each sink ---- */

static double floor_of(const double *size, size_t n)
{
    unsigned long long count[KY_OPENING_EXPONENTS] = {0};
    for (size_t i = 0; i < n; i++)
        count[ky_opening_place(size[i])] += size[i] > 0;
    return ky_opening_floor(count);
}

/* From the columns of n accelerations in `a`, behind which there is room for n numbers. */
static void make_factors(struct ky_host_tree *host, double *a, size_t n)
{
    const struct ky_parameters *parameters = host->bodies->parameters;
    double strength = ky_device_scale(host->bodies).strength;
    double *size = a + 3 * n, per = strength > 0 ? 1 / strength : 0; /* to G = 1 */
#pragma omp parallel for num_threads(host->bodies->threads) if (n > 65536)
    for (size_t i = 0; i < n; i++)
        size[i] = per * sqrt(a[i] * a[i] + a[n + i] * a[n + i] + a[2 * n + i] * a[2 * n + i]);
    double floor = floor_of(size, n);
#pragma omp parallel for num_threads(host->bodies->threads) if (n > 65536)
    for (size_t k = 0; k < n; k++)
        host->factor[k] = (float)fmin(
            ky_opening_relative_factor(parameters->alpha, fmax(size[host->tree.order[k]], floor),
                                       parameters->multipole),
            1e30);
}

enum ky_status ky_device_factors(struct ky_host_tree *host, struct ky_error *error)
{
    struct ky_device_bodies *bodies = host->bodies;
    size_t n = bodies->n;
    double *a = ky_allocate(4 * n, sizeof *a);
    if (!host->factor)
        host->factor = ky_allocate(n, sizeof *host->factor);
    if (!a || !host->factor) {
        free(a);
        return ky_no_memory(error, "accelerations for the opening test", n, 4 * sizeof *a);
    }
    double *const column[3] = {a, a + n, a + 2 * n};
    enum ky_status status =
        ky_device_bodies_columns(bodies, &bodies->acceleration, 3, column, error);
    if (status == KY_OK)
        make_factors(host, a, n);
    free(a);
    return status;
}

/* ---- passes ---- */

enum ky_status ky_device_relative(struct ky_host_tree *host, void *own,
                                  ky_evaluate_function *evaluate, struct ky_error *error)
{
    struct ky_device_bodies *bodies = host->bodies;
    const struct ky_cards *cards = &bodies->cards;
    const struct ky_parameters *parameters = bodies->parameters;
    if (parameters->opening != KY_RELATIVE || bodies->has_acceleration)
        return evaluate(host, own, parameters, error);
    struct ky_parameters first = *parameters;
    first.opening = KY_OFFSET;
    enum ky_status status = evaluate(host, own, &first, error);
    if (status != KY_OK)
        return status;
    /* The marks and counts are of one pass; the report is of both. */
    bodies->report.walk += cards->driver->between(cards->card[0], 0, 1);
    status = ky_pair_counts_add(&host->counts, bodies, &bodies->report, error);
    host->counts.groups = 0;
    return status == KY_OK ? evaluate(host, own, parameters, error) : status;
}
