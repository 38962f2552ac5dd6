/* Pairs of bodies that are nearer than the sum of their radii. A few bodies are compared directly.
 * For many, a general walk finds candidates, which are then compared. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/walker.h"
#include "base/memory.h"
#include "base/status.h"

/* Up to this number of bodies all pairs are compared: 32,640 distances take less time than a
 * walk. */
enum { FEW = 256 };

void ky_pairs_free(struct ky_pairs *pairs)
{
    if (!pairs)
        return;
    free(pairs->index);
    free(pairs->distance);
    pairs->index = NULL;
    pairs->distance = NULL;
    pairs->count = 0;
}

struct pair {
    size_t index[2];
    double distance;
};

struct search {
    const struct ky_walker *walker;
    const double (*position)[3];
    const double *radius;
    size_t radii, n;
    struct pair *pair; /* the pairs found */
    size_t count, room;
};

static double radius_of(const struct search *search, size_t i)
{
    return search->radius[search->radii > 1 ? i : 0];
}

/* Adds the pair i and j if they are near enough. */
static enum ky_status compare(struct search *search, size_t i, size_t j, struct ky_error *error)
{
    const double reach = radius_of(search, i) + radius_of(search, j);
    const double r2 = ky_walker_distance2(search->walker, search->position[i], search->position[j]);
    if (!(r2 < reach * reach))
        return KY_OK;
    if (!ky_room_for_one(&search->pair, search->count, &search->room, sizeof *search->pair))
        return ky_no_memory(error, "pairs of bodies", search->count + 1, sizeof *search->pair);
    search->pair[search->count++] = (struct pair){{i < j ? i : j, i < j ? j : i}, sqrt(r2)};
    return KY_OK;
}

static enum ky_status compare_all(struct search *search, struct ky_error *error)
{
    for (size_t i = 0; i < search->n; i++)
        for (size_t j = i + 1; j < search->n; j++)
            KY_TRY(compare(search, i, j, error));
    return KY_OK;
}

/* The search radius of each body, or of all. A pair is found from its larger body, with twice the
 * body's radius, slightly increased: a walk in single precision may be wrong by 256 units in the
 * last place of a float for a body near the surface (docs/general-walk.md). */
static void look_far(const struct search *search, double *reach)
{
    static const double margin = 0x1p-14;
    for (size_t i = 0; i < search->radii; i++)
        reach[i] = fmin(2 * radius_of(search, i) * (1 + margin), DBL_MAX);
}

/* Compares the candidates, each pair once: from the larger body, or from the first if both are
 * equal. */
static enum ky_status compare_lists(struct search *search, const struct ky_neighbour_lists *lists,
                                    struct ky_error *error)
{
    enum ky_status status = KY_OK;
    for (size_t i = 0; i < search->n; i++)
        for (size_t k = lists->offset[i]; k < lists->offset[i + 1] && !status; k++) {
            const size_t j = lists->body[k];
            const double mine = radius_of(search, i), other = radius_of(search, j);
            if (mine > other || (!(mine < other) && i < j))
                status = compare(search, i, j, error);
        }
    return status;
}

static enum ky_status walk(struct ky_walker *walker, struct search *search, struct ky_error *error)
{
    struct ky_neighbour_lists lists = {0};
    double *reach;
    KY_TRY(ky_array(&reach, search->radii, sizeof *reach, "radii of the search for pairs", error));
    look_far(search, reach);
    enum ky_status status =
        ky_walker_neighbours_of_any(walker, reach, search->radii, NULL, &lists, error);
    if (!status)
        status = compare_lists(search, &lists, error);
    ky_neighbour_lists_free(&lists);
    free(reach);
    return status;
}

static int in_order(const void *one, const void *other)
{
    const struct pair *a = one, *b = other;
    for (int k = 0; k < 2; k++)
        if (a->index[k] != b->index[k])
            return a->index[k] < b->index[k] ? -1 : 1;
    return 0;
}

/* Moves the pairs that were found, in order, to *pairs. */
static enum ky_status give(struct search *search, struct ky_pairs *pairs, struct ky_error *error)
{
    const size_t count = search->count;
    if (count)
        qsort(search->pair, count, sizeof *search->pair, in_order);
    pairs->index = ky_allocate(count, sizeof *pairs->index);
    pairs->distance = ky_allocate(count, sizeof *pairs->distance);
    if (!pairs->index || !pairs->distance) {
        ky_pairs_free(pairs);
        return ky_no_memory(error, "pairs of bodies", count, sizeof *search->pair);
    }
    for (size_t k = 0; k < count; k++) {
        memcpy(pairs->index[k], search->pair[k].index, sizeof *pairs->index);
        pairs->distance[k] = search->pair[k].distance;
    }
    pairs->count = count;
    return KY_OK;
}

enum ky_status ky_walker_pairs(struct ky_walker *walker, size_t n, const double (*position)[3],
                               const double *radius, size_t radii, struct ky_pairs *pairs,
                               struct ky_error *error)
{
    struct search search = {
        .walker = walker, .position = position, .radius = radius, .radii = radii, .n = n};
    double most = 0;
    *pairs = (struct ky_pairs){.size = sizeof *pairs};
    for (size_t i = 0; i < radii && n; i++) {
        if (!(radius[i] >= 0 && isfinite(radius[i])))
            return ky_fail(error, KY_USAGE, "radius %zu is %g; it must be finite and not negative",
                           i, radius[i]);
        most = fmax(most, radius[i]);
    }
    enum ky_status status = ky_walker_check_radii(walker, &(const double){2 * most}, 1, error);
    if (!status && most > 0)
        status = n <= FEW ? compare_all(&search, error) : walk(walker, &search, error);
    if (!status)
        status = give(&search, pairs, error);
    free(search.pair);
    return status;
}
