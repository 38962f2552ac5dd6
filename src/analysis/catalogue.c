/* The catalogue of groups: their members, and means over these. Every group is summed in the order
 * of its bodies by one thread. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/halos.h"
#include "analysis/linking.h"
#include "analysis/walker.h"
#include "base/memory.h"
#include "base/sizes.h"
#include "base/threads.h"
#include "physics/space.h"

/* The size of the struct without the members for periodic boxes. */
#define KY_FIRST_CATALOGUE offsetof(struct ky_catalogue, box)

/* 1 if the caller's struct has the members for periodic boxes. */
static int has_halos(const struct ky_catalogue *catalogue)
{
    return catalogue->size >= sizeof *catalogue;
}

static void give(struct ky_catalogue *catalogue, const struct ky_catalogue *own)
{
    ky_size_give_grown(catalogue, own, sizeof *own, KY_FIRST_CATALOGUE);
}

void ky_catalogue_free(struct ky_catalogue *catalogue)
{
    if (!catalogue)
        return;
    free(catalogue->offset);
    free(catalogue->body);
    free(catalogue->mass);
    free(catalogue->centre);
    free(catalogue->velocity);
    free(catalogue->radius);
    free(catalogue->dispersion);
    if (has_halos(catalogue)) {
        free(catalogue->peak);
        free(catalogue->m200m);
        free(catalogue->r200m);
        free(catalogue->m200c);
        free(catalogue->r200c);
    }
    give(catalogue, &(struct ky_catalogue){0});
}

/* ---- members ---- */

struct rank {
    uint32_t root, bodies;
};

/* For qsort: larger groups first; of groups of equal size the smaller root first. */
static int larger_first(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;
    if (x->bodies != y->bodies)
        return x->bodies < y->bodies ? 1 : -1;
    return (x->root > y->root) - (x->root < y->root);
}

/* The groups with at least `minimum` bodies, sorted by size; the caller frees them. `count`, [n],
 * has the number of bodies of each root. NULL if memory runs out. */
static struct rank *rank_groups(struct ky_catalogue *catalogue, const uint32_t *count, size_t n)
{
    size_t groups = 0;
    for (size_t i = 0; i < n; i++)
        groups += count[i] >= catalogue->minimum;
    struct rank *rank = ky_allocate(groups, sizeof *rank);
    for (size_t i = 0; i < n && rank; i++)
        if (count[i] >= catalogue->minimum) {
            rank[catalogue->groups++] = (struct rank){(uint32_t)i, count[i]};
            catalogue->members += count[i];
        }
    if (rank)
        qsort(rank, groups, sizeof *rank, larger_first);
    return rank;
}

/* Makes room for the spheres of a catalogue in a box. */
static enum ky_status make_spheres(struct ky_catalogue *catalogue, struct ky_error *error)
{
    const size_t groups = catalogue->groups;
    catalogue->peak = ky_allocate(groups, sizeof *catalogue->peak);
    catalogue->m200m = ky_allocate(groups, sizeof *catalogue->m200m);
    catalogue->r200m = ky_allocate(groups, sizeof *catalogue->r200m);
    catalogue->m200c = ky_allocate(groups, sizeof *catalogue->m200c);
    catalogue->r200c = ky_allocate(groups, sizeof *catalogue->r200c);
    return catalogue->peak && catalogue->m200m && catalogue->r200m && catalogue->m200c &&
                   catalogue->r200c
               ? KY_OK
               : ky_no_memory(error, "spheres about groups", groups, 7 * sizeof(double));
}

static enum ky_status make_room(struct ky_catalogue *catalogue, struct ky_error *error)
{
    const size_t groups = catalogue->groups;
    if (catalogue->box > 0)
        KY_TRY(make_spheres(catalogue, error));
    catalogue->offset = ky_allocate(groups + 1, sizeof *catalogue->offset);
    catalogue->body = ky_allocate(catalogue->members, sizeof *catalogue->body);
    catalogue->mass = ky_allocate(groups, sizeof *catalogue->mass);
    catalogue->centre = ky_allocate(groups, sizeof *catalogue->centre);
    catalogue->velocity = ky_allocate(groups, sizeof *catalogue->velocity);
    catalogue->radius = ky_allocate(groups, sizeof *catalogue->radius);
    catalogue->dispersion = ky_allocate(groups, sizeof *catalogue->dispersion);
    if (!catalogue->offset || !catalogue->body || !catalogue->mass || !catalogue->centre ||
        !catalogue->velocity || !catalogue->radius || !catalogue->dispersion)
        return ky_no_memory(error, "catalogue of groups", 10 * groups + catalogue->members,
                            sizeof(double));
    return KY_OK;
}

/* Fills offset and body. place[root] is the index for the next body of that group, or NO_GROUP for
 * groups that are too small. */
#define NO_GROUP UINT32_MAX
static void fill(struct ky_catalogue *catalogue, const struct rank *rank, const uint32_t *root,
                 uint32_t *place, size_t n)
{
    memset(place, 0xff, n * sizeof *place);
    catalogue->offset[0] = 0;
    for (size_t g = 0; g < catalogue->groups; g++) {
        place[rank[g].root] = (uint32_t)catalogue->offset[g];
        catalogue->offset[g + 1] = catalogue->offset[g] + rank[g].bodies;
    }
    for (size_t i = 0; i < n; i++)
        if (place[root[i]] != NO_GROUP)
            catalogue->body[place[root[i]]++] = (uint32_t)i;
}

/* Sorts the bodies by group. `root`: root of each body; `work`: n elements. */
static enum ky_status sort_bodies(struct ky_catalogue *catalogue, const uint32_t *root,
                                  uint32_t *work, size_t n, struct ky_error *error)
{
    memset(work, 0, n * sizeof *work);
    for (size_t i = 0; i < n; i++)
        work[root[i]]++;
    struct rank *rank = rank_groups(catalogue, work, n);
    enum ky_status status =
        rank ? make_room(catalogue, error) : ky_no_memory(error, "groups", n, sizeof *rank);
    if (!status)
        fill(catalogue, rank, root, work, n);
    free(rank);
    return status;
}

/* ---- means ---- */

struct members {
    const uint32_t *body;
    size_t count;
    const double *mass; /* weights, or NULL: all bodies have equal weights */
    double side;        /* of the periodic box in which the vectors are positions, or 0 */
};

static double weight(const struct members *of, size_t k)
{
    return of->mass ? of->mass[of->body[k]] : 1;
}

/* A difference of two coordinates, in a box of the nearest images. */
static double apart(const struct members *of, double to, double from)
{
    return of->side > 0 ? remainder(to - from, of->side) : to - from;
}

/* The mean of vectors, and their rms distance from it. Sums differences from the first vector,
 * which keeps the digits of a small group far from the origin, and in a box the group together. */
static double mean_and_spread(const struct members *of, double (*x)[3], double mean[3])
{
    const double *first = x[of->body[0]];
    double sum[3] = {0}, all = 0, square = 0;
    for (size_t k = 0; k < of->count; k++) {
        for (int c = 0; c < 3; c++)
            sum[c] += weight(of, k) * apart(of, x[of->body[k]][c], first[c]);
        all += weight(of, k);
    }
    for (int c = 0; c < 3; c++)
        mean[c] = first[c] + sum[c] / all;
    for (size_t k = 0; k < of->count; k++)
        for (int c = 0; c < 3; c++) {
            double d = apart(of, x[of->body[k]][c], mean[c]);
            square += weight(of, k) * d * d;
        }
    for (int c = 0; c < 3 && of->side > 0; c++)
        mean[c] = ky_wrap(mean[c], of->side);
    return sqrt(square / all);
}

/* `side`: of the periodic box, or 0. */
static void measure(struct ky_catalogue *catalogue, const struct ky_bodies *bodies, double side,
                    size_t g)
{
    struct members of = {.body = catalogue->body + catalogue->offset[g],
                         .count = catalogue->offset[g + 1] - catalogue->offset[g]};
    double mass = 0;
    for (size_t k = 0; k < of.count; k++)
        mass += bodies->mass[of.body[k]];
    of.mass = mass > 0 ? bodies->mass : NULL;
    catalogue->mass[g] = mass;
    of.side = side;
    catalogue->radius[g] = mean_and_spread(&of, bodies->position, catalogue->centre[g]);
    of.side = 0;
    catalogue->dispersion[g] = mean_and_spread(&of, bodies->velocity, catalogue->velocity[g]);
}

static enum ky_status measure_all(struct ky_catalogue *catalogue, const struct ky_bodies *bodies,
                                  double side, struct ky_error *error)
{
#pragma omp parallel for schedule(dynamic)
    for (size_t g = 0; g < catalogue->groups; g++)
        measure(catalogue, bodies, side, g);
    for (size_t g = 0; g < catalogue->groups; g++) /* infinite coordinates: no finite mean */
        if (!isfinite(catalogue->radius[g]) || !isfinite(catalogue->dispersion[g]))
            return ky_fail(error, KY_BAD_DATA,
                           "group %zu, with body %u: the means over its bodies overflow", g,
                           (unsigned)catalogue->body[catalogue->offset[g]]);
    return KY_OK;
}

/* ---- the complete catalogue ---- */

/* Sorts the walker's results into groups, and measures these. */
static enum ky_status find_groups(struct ky_walker *walker, const struct ky_bodies *bodies,
                                  double omega_matter, struct ky_catalogue *catalogue,
                                  struct ky_error *error)
{
    size_t n = bodies->n;
    uint32_t *root = ky_allocate(n, sizeof *root), *work = NULL;
    const struct ky_walk_request request = {.action = KY_ACTION_friends,
                                            .n = n,
                                            .radius = &catalogue->linking_length,
                                            .radii = 1,
                                            .group = root};
    enum ky_status status = root ? ky_walker_walk(walker, &request, error)
                                 : ky_no_memory(error, "groups of bodies", n, sizeof *root);
    if (!status && !(work = ky_allocate(n, sizeof *work)))
        status = ky_no_memory(error, "sizes of groups", n, sizeof *work);
    if (!status)
        status = sort_bodies(catalogue, root, work, n, error);
    if (!status)
        status = measure_all(catalogue, bodies, walker->parameters.box, error);
    if (!status && catalogue->box > 0)
        status = ky_halos_measure(walker, bodies, omega_matter, catalogue, error);
    free(root);
    free(work);
    return status;
}

enum ky_status ky_walker_catalogue(struct ky_walker *walker,
                                   const struct ky_catalogue_parameters *wanted,
                                   const struct ky_bodies *bodies, struct ky_catalogue *catalogue,
                                   struct ky_error *error)
{
    struct ky_catalogue_parameters own;
    struct ky_catalogue made = {.size = sizeof made};
    enum ky_status status = ky_linking_adopt(wanted, &own, error);
    const int before = ky_threads_take(walker->parameters.threads);
    ky_announce(&walker->parameters, bodies->n, "friends of friends");
    if (walker->parameters.box > 0 && isnan(own.volume))
        own.volume = pow(walker->parameters.box, 3);
    made.box = has_halos(catalogue) ? walker->parameters.box : 0;
    if (!status)
        status = ky_linking_choose(&own, bodies, &made, error);
    if (!status)
        status = ky_walker_check_radii(walker, &made.linking_length, 1, error);
    if (!status)
        status = find_groups(walker, bodies, own.omega_matter, &made, error);
    ky_threads_restore(before);
    if (status)
        ky_catalogue_free(&made);
    give(catalogue, &made);
    return status;
}

enum ky_status ky_catalogue_make(const struct ky_parameters *parameters,
                                 const struct ky_catalogue_parameters *wanted,
                                 const struct ky_bodies *bodies, struct ky_catalogue *catalogue,
                                 struct ky_force_report *report, struct ky_error *error)
{
    KY_NEED(parameters, error);
    KY_NEED(wanted, error);
    KY_NEED(bodies, error);
    KY_NEED(catalogue, error);
    struct ky_walker walker;
    struct ky_catalogue none = {0};
    enum ky_status status = ky_walker_open(parameters, bodies, NULL, &walker, error);
    if (status)
        give(catalogue, &none);
    else
        status = ky_walker_catalogue(&walker, wanted, bodies, catalogue, error);
    ky_walker_close(&walker, report);
    return status;
}
