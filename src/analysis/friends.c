/* Friends of friends by rounds of the general walk. The label of a body is the smallest index among
 * the bodies that it is joined with so far. A walk tells each body the smallest and the largest
 * other label among its friends, and these are joined with its own. A body that finds at most one
 * other label is then joined with all of its friends, and is left out of later walks. So the first
 * walk costs most.
 *
 * Wherever two joined parts touch, each of them finds the other's label or another one. So every
 * round at least halves the number of parts that are not whole groups. No lists are made, and the
 * labels at the end do not depend on the order of joining. */
#include "analysis/friends.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"

struct search {
    size_t n;
    double *radius;     /* [n] the linking length, or 0 for bodies that are done */
    double (*found)[2]; /* [n] smallest and largest other label, or −1 */
    uint32_t *label;    /* [n] index of a body that it is joined to: itself, or a smaller one */
};

static uint32_t root_of(uint32_t *label, uint32_t i)
{
    while (label[i] != i)
        i = label[i] = label[label[i]];
    return i;
}

static void join(uint32_t *label, uint32_t i, uint32_t j)
{
    i = root_of(label, i);
    j = root_of(label, j);
    label[i > j ? i : j] = i > j ? j : i;
}

/* Joins what the walk has found. Returns how many bodies may have friends with other labels. */
static size_t join_found(struct search *search)
{
    size_t left = 0;
    for (size_t i = 0; i < search->n; i++) {
        const double *found = search->found[i];
        if (search->radius[i] > 0 && found[0] >= 0) {
            join(search->label, (uint32_t)i, (uint32_t)found[0]);
            join(search->label, (uint32_t)i, (uint32_t)found[1]);
        }
        if (found[0] == found[1])
            search->radius[i] = 0;
        left += search->radius[i] > 0;
    }
    for (size_t i = 0; i < search->n; i++) /* smaller indices have their roots already */
        search->label[i] = search->label[search->label[i]];
    return left;
}

static enum ky_status search_rounds(struct search *search, struct ky_walker *walker,
                                    struct ky_error *error)
{
    const struct ky_walk_request request = {.action = KY_ACTION_friends,
                                            .n = search->n,
                                            .radius = search->radius,
                                            .radii = search->n,
                                            .results = search->found[0],
                                            .label = search->label};
    const double start = ky_clock();
    enum ky_status status = KY_OK;
    size_t left = search->n;
    for (int round = 1; left > 0 && !status; round++) {
        status = ky_walker_walk(walker, &request, error);
        left = status ? left : join_found(search);
        if (left > 0 && !status && ky_clock() - start > 1)
            ky_log(&walker->parameters, KY_LOG_INFO,
                   "friends of friends: %zu bodies are left after round %d", left, round);
    }
    return status;
}

enum ky_status ky_friends_find(struct ky_walker *walker, size_t n, double length, uint32_t *root,
                               struct ky_error *error)
{
    struct search search = {.n = n,
                            .radius = ky_allocate(n, sizeof *search.radius),
                            .found = ky_allocate(n, sizeof *search.found),
                            .label = root};
    enum ky_status status = KY_OK;
    if (!search.radius || !search.found)
        status = ky_no_memory(error, "labels of friends", n, 3 * sizeof(double));
    for (size_t i = 0; i < n && !status; i++) {
        search.radius[i] = length;
        root[i] = (uint32_t)i;
    }
    if (!status)
        status = search_rounds(&search, walker, error);
    free(search.radius);
    free(search.found);
    return status;
}
