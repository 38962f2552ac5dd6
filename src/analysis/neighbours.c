/* Neighbours within a radius. A first walk counts them; lists of the right length are allocated; a
 * second walk fills the lists. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/walker.h"
#include "base/memory.h"

void ky_neighbour_lists_free(struct ky_neighbour_lists *lists)
{
    if (!lists)
        return;
    free(lists->offset);
    free(lists->body);
    memset(lists, 0, sizeof *lists);
}

/* The memory of the machine in bytes. A system that overcommits memory kills the process when the
 * memory is used. */
static double machine_memory(void)
{
    return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

/* Computes the offsets from the counts and allocates the list. KY_FAULT if the machine lacks the
 * memory. */
static enum ky_status make_room(const double *counts, size_t n, struct ky_neighbour_lists *lists,
                                struct ky_error *error)
{
    double total = 0;
    lists->n = n;
    KY_TRY(ky_array(&lists->offset, n + 1, sizeof *lists->offset, "offsets of the neighbour lists",
                    error));
    lists->offset[0] = 0;
    for (size_t i = 0; i < n; i++) {
        lists->offset[i + 1] = lists->offset[i] + (size_t)counts[i];
        total += counts[i];
    }
    if (total * sizeof *lists->body < machine_memory())
        lists->body = ky_allocate(lists->offset[n], sizeof *lists->body);
    if (!lists->body)
        return ky_fail(error, KY_FAULT,
                       "out of memory: lists of %.0f neighbours (%.1f a body) need %.3g bytes; "
                       "take a smaller radius, or only counts",
                       total, total / (double)n, total * sizeof *lists->body);
    return KY_OK;
}

/* One walk that counts; with `lists` it also fills the lists. `count` may be NULL. */
static enum ky_status find(struct ky_walker *walker, struct ky_walk_request *request,
                           double *counts, uint32_t *count, struct ky_neighbour_lists *lists,
                           struct ky_error *error)
{
    request->action = KY_ACTION_count;
    request->results = counts;
    enum ky_status status = ky_walker_walk(walker, request, error);
    for (size_t i = 0; i < request->n && count && !status; i++)
        count[i] = (uint32_t)counts[i];
    if (!status && lists)
        status = make_room(counts, request->n, lists, error);
    if (status || !lists || !lists->offset[request->n]) /* no neighbours */
        return status;
    request->action = KY_ACTION_list;
    request->results = NULL;
    request->offset = lists->offset;
    request->list = lists->body;
    return ky_walker_walk(walker, request, error);
}

enum ky_status ky_walker_neighbours(struct ky_walker *walker, const double *radius, size_t radii,
                                    uint32_t *count, struct ky_neighbour_lists *lists,
                                    struct ky_error *error)
{
    if (lists)
        memset(lists, 0, sizeof *lists);
    KY_TRY(ky_walker_check_radii(walker, radius, radii, error));
    return ky_walker_neighbours_of_any(walker, radius, radii, count, lists, error);
}

enum ky_status ky_walker_neighbours_of_any(struct ky_walker *walker, const double *radius,
                                           size_t radii, uint32_t *count,
                                           struct ky_neighbour_lists *lists, struct ky_error *error)
{
    const size_t n = walker->engine->n;
    struct ky_walk_request request = {.n = n, .radius = radius, .radii = radii};
    if (lists)
        memset(lists, 0, sizeof *lists);
    double *counts;
    KY_TRY(ky_array(&counts, n, sizeof *counts, "counts of neighbours", error));
    enum ky_status status = find(walker, &request, counts, count, lists, error);
    free(counts);
    if (status && lists)
        ky_neighbour_lists_free(lists);
    return status;
}

enum ky_status ky_neighbours(const struct ky_parameters *parameters, const struct ky_bodies *bodies,
                             const double *radius, size_t radii, uint32_t *count,
                             struct ky_neighbour_lists *lists, struct ky_force_report *report,
                             struct ky_error *error)
{
    KY_NEED(parameters, error);
    KY_NEED(bodies, error);
    if (bodies->n)
        KY_NEED(radius, error);
    struct ky_walker walker;
    if (lists)
        memset(lists, 0, sizeof *lists);
    enum ky_status status = ky_walker_open(parameters, bodies, NULL, &walker, error);
    if (!status)
        status = ky_walker_neighbours(&walker, radius, radii, count, lists, error);
    ky_walker_close(&walker, report);
    return status;
}
