/* The k nearest other bodies of each body. A walk finds the distance of the k-th, another lists the
 * bodies within it, and these are sorted. */
#include <math.h>
#include <stdlib.h>

#include "analysis/walker.h"
#include "base/memory.h"
#include "engine/common/finite.h"

struct near {
    double distance;
    uint32_t body;
};

static int by_distance(const void *a, const void *b)
{
    const struct near *x = a, *y = b;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return (x->body > y->body) - (x->body < y->body);
}

/* 1 if each body has at least k neighbours in the lists. */
static int are_enough(const struct ky_neighbour_lists *lists, size_t k)
{
    for (size_t i = 0; i < lists->n; i++)
        if (lists->offset[i + 1] - lists->offset[i] < k)
            return 0;
    return 1;
}

/* Lists the bodies within the distances of the k-th. The distances are rounded, in single precision
 * with some engines, and are multiplied by a little more until each list has k bodies. */
static enum ky_status list_near(struct ky_walker *walker, size_t n, size_t k, double *reach,
                                struct ky_neighbour_lists *lists, struct ky_error *error)
{
    for (double more = 1e-12; more < 1; more *= 1e3) {
        for (size_t i = 0; i < n; i++)
            reach[i] *= 1 + more;
        ky_neighbour_lists_free(lists);
        KY_TRY(ky_walker_neighbours_of_any(walker, reach, n, NULL, lists, error));
        if (are_enough(lists, k))
            return KY_OK;
    }
    return ky_fail(error, KY_FAULT, "the %zu nearest bodies are not within their distances", k);
}

/* Sorts the bodies of each list by distance, and keeps the first k. */
static enum ky_status sort(const struct ky_walker *walker, const struct ky_neighbour_lists *lists,
                           const double (*position)[3], size_t k, uint32_t *index, double *distance,
                           struct ky_error *error)
{
    const size_t n = lists->n, all = lists->offset[n];
    struct near *near;
    KY_TRY(ky_array(&near, all, sizeof *near, "the nearest bodies", error));
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i++) {
        const size_t first = lists->offset[i], end = lists->offset[i + 1];
        for (size_t l = first; l < end; l++) {
            const uint32_t j = lists->body[l];
            const double r2 = ky_walker_distance2(walker, position[i], position[j]);
            near[l] = (struct near){sqrt(r2), j};
        }
        qsort(near + first, end - first, sizeof *near, by_distance);
        for (size_t m = 0; m < k; m++) {
            if (index)
                index[i * k + m] = near[first + m].body;
            if (distance)
                distance[i * k + m] = near[first + m].distance;
        }
    }
    free(near);
    return KY_OK;
}

enum ky_status ky_walker_nearest(struct ky_walker *walker, const struct ky_bodies *bodies, size_t k,
                                 uint32_t *index, double *distance, struct ky_error *error)
{
    const size_t n = bodies->n;
    struct ky_neighbour_lists lists = {0};
    double *reach;
    KY_TRY(ky_array(&reach, n, sizeof *reach, "distances", error));
    const struct ky_walk_request request = {
        .action = KY_ACTION_nearest, .n = n, .k = k, .results = reach};
    enum ky_status status = ky_walker_walk(walker, &request, error);
    if (!status)
        status = ky_finite_results(walker->parameters.threads, KY_ACTION_nearest, reach, n, error);
    if (!status && n)
        status = list_near(walker, n, k, reach, &lists, error);
    if (!status && n)
        status =
            sort(walker, &lists, (const double(*)[3])bodies->position, k, index, distance, error);
    ky_neighbour_lists_free(&lists);
    free(reach);
    return status;
}

enum ky_status ky_nearest(const struct ky_parameters *parameters, const struct ky_bodies *bodies,
                          size_t k, uint32_t *index, double *distance,
                          struct ky_force_report *report, struct ky_error *error)
{
    KY_NEED(parameters, error);
    KY_NEED(bodies, error);
    struct ky_walker walker;
    enum ky_status status = ky_walker_open(parameters, bodies, NULL, &walker, error);
    if (!status)
        status = ky_walker_nearest(&walker, bodies, k, index, distance, error);
    ky_walker_close(&walker, report);
    return status;
}
