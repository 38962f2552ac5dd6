/* Bound pairs among the nearest neighbours of each body: see kyoho.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/softened_orbit.h"
#include "analysis/walker.h"
#include "base/memory.h"
#include "base/threads.h"
#include "engine/common/finite.h"
#include "engine/force_options.h"
#include "physics/softening.h"

static const uint32_t nobody = UINT32_MAX;

/* The data of the search for all bodies. */
struct search {
    const struct ky_bodies *bodies;
    double g, softening; /* softening: of all bodies; NaN: each has its own */
    int how;
    struct ky_neighbour_lists near;
    uint32_t *partner; /* [n]; `nobody`: bound to none of its neighbours */
};

static double softening_of(const struct search *search, size_t i)
{
    return isnan(search->softening) ? search->bodies->softening[i] : search->softening;
}

/* Computes the elements and the distance of two bodies; 0 if they are not bound. */
static int elements_of(const struct search *search, size_t i, size_t j, double *r,
                       struct ky_elements *elements)
{
    const struct ky_bodies *bodies = search->bodies;
    const struct ky_pair pair = {{search->g * bodies->mass[i], search->g * bodies->mass[j]},
                                 {softening_of(search, i), softening_of(search, j)},
                                 search->how};
    double r2 = 0, v2 = 0, rv = 0;
    for (int c = 0; c < 3; c++) {
        const double x = bodies->position[j][c] - bodies->position[i][c];
        const double v = bodies->velocity[j][c] - bodies->velocity[i][c];
        r2 += x * x;
        v2 += v * v;
        rv += x * v;
    }
    *r = sqrt(r2);
    if (elements)
        return ky_pair_elements(&pair, *r, v2, rv, elements);
    return 0.5 * v2 + ky_pair_potential(&pair, *r) < 0;
}

/* The nearest body to which body i is bound; at equal distances the smaller index. */
static uint32_t nearest_partner(const struct search *search, size_t i)
{
    double least = (double)INFINITY, r;
    uint32_t partner = nobody;
    for (size_t k = search->near.offset[i]; k < search->near.offset[i + 1]; k++) {
        const uint32_t j = search->near.body[k];
        const int bound = elements_of(search, i, j, &r, NULL);
        if (bound && r < least)
            least = r, partner = j;
    }
    return partner;
}

/* Finds the neighbours of each body, up to the distance of the farthest of its nearest ones. */
static enum ky_status find_neighbours(const struct ky_parameters *parameters, struct search *search,
                                      struct ky_force_report *report, struct ky_error *error)
{
    const struct ky_bodies *bodies = search->bodies;
    const size_t n = bodies->n, k = n - 1 < KY_BINARY_NEIGHBOURS ? n - 1 : KY_BINARY_NEIGHBOURS;
    struct ky_walker walker;
    double *distance;
    KY_TRY(ky_array(&distance, n, sizeof *distance, "distances", error));
    const struct ky_walk_request request = {
        .action = KY_ACTION_nearest, .n = n, .k = k, .results = distance};
    enum ky_status status = ky_walker_open(parameters, bodies, NULL, &walker, error);
    if (!status)
        status = ky_walker_need_open_space(&walker, "binaries", error);
    if (!status)
        status = ky_walker_walk(&walker, &request, error);
    ky_walker_close(&walker, NULL);
    if (!status)
        status =
            ky_finite_results(walker.parameters.threads, KY_ACTION_nearest, distance, n, error);
    for (size_t i = 0; i < n && !status; i++)
        distance[i] *= 1 + 1e-12; /* for rounding: it is a square root, squared again */
    if (!status)
        status = ky_neighbours(parameters, bodies, distance, n, NULL, &search->near, report, error);
    free(distance);
    return status;
}

/* ---- the arrays ---- */

struct found {
    uint32_t body[2];
    double separation;
    struct ky_elements elements;
};

static int by_energy(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    if (x->elements.energy != y->elements.energy)
        return x->elements.energy < y->elements.energy ? -1 : 1;
    return (x->body[0] > y->body[0]) - (x->body[0] < y->body[0]);
}

static size_t count_pairs(const struct search *search)
{
    size_t count = 0;
    for (size_t i = 0; i < search->bodies->n; i++) {
        const uint32_t j = search->partner[i];
        count += j != nobody && j > i && search->partner[j] == i;
    }
    return count;
}

/* Fills the pairs in ascending order of energy. The energy per reduced mass of the elements becomes
 * the energy. */
static void fill(const struct search *search, struct found *found)
{
    const double *mass = search->bodies->mass;
    size_t count = 0;
    for (size_t i = 0; i < search->bodies->n; i++) {
        const uint32_t j = search->partner[i];
        if (j == nobody || j <= i || search->partner[j] != i)
            continue;
        struct found *pair = &found[count++];
        const int turned = mass[j] > mass[i];
        pair->body[turned] = (uint32_t)i;
        pair->body[!turned] = j;
        elements_of(search, i, j, &pair->separation, &pair->elements);
        pair->elements.energy *= mass[i] * (mass[j] / (mass[i] + mass[j]));
    }
    qsort(found, count, sizeof *found, by_energy);
}

static enum ky_status give(struct ky_binaries *own, const struct found *found, size_t count,
                           struct ky_error *error)
{
    own->body = ky_allocate(count, sizeof *own->body);
    double **const arrays[] = {&own->separation, &own->semi_major_axis, &own->eccentricity,
                               &own->period, &own->energy};
    int failed = !own->body;
    for (size_t a = 0; a < sizeof arrays / sizeof *arrays; a++) {
        *arrays[a] = ky_allocate(count, sizeof(double));
        failed |= !*arrays[a];
    }
    if (failed)
        return ky_no_memory(error, "binaries", count, sizeof *found);
    own->count = count;
    for (size_t k = 0; k < count; k++) {
        memcpy(own->body[k], found[k].body, sizeof own->body[k]);
        own->separation[k] = found[k].separation;
        own->semi_major_axis[k] = found[k].elements.semi_major_axis;
        own->eccentricity[k] = found[k].elements.eccentricity;
        own->period[k] = found[k].elements.period;
        own->energy[k] = found[k].elements.energy;
    }
    return KY_OK;
}

/* Finds the partners from the neighbours, and the pairs from the partners. */
static enum ky_status pair_up(struct search *search, struct ky_binaries *own,
                              struct ky_error *error)
{
    const size_t n = search->bodies->n;
    KY_TRY(ky_array(&search->partner, n, sizeof *search->partner, "partners", error));
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i++)
        search->partner[i] = nearest_partner(search, i);
    const size_t count = count_pairs(search);
    struct found *found = ky_allocate(count, sizeof *found);
    enum ky_status status = found ? KY_OK : ky_no_memory(error, "binaries", count, sizeof *found);
    if (!status)
        fill(search, found);
    if (!status)
        status = give(own, found, count, error);
    free(found);
    free(search->partner);
    return status;
}

enum ky_status ky_binaries_find(const struct ky_parameters *parameters,
                                const struct ky_bodies *bodies, struct ky_binaries *binaries,
                                struct ky_force_report *report, struct ky_error *error)
{
    KY_NEED(parameters, error);
    KY_NEED(bodies, error);
    KY_NEED(binaries, error);
    struct ky_parameters given, resolved;
    struct ky_bodies input = *bodies;
    struct ky_binaries own = {0};
    ky_force_defaults(&given);
    enum ky_status status =
        ky_size_adopt(&given, sizeof given, parameters, "ky_parameters_defaults", error);
    given.error = (double)NAN; /* no force evaluation */
    if (!status)
        status = ky_force_resolve_once(&given, &resolved, error);
    if (!status)
        status = ky_bodies_check(bodies, error);
    if (!status)
        status = ky_softening_need(&resolved, &input, error);
    struct search search = {.bodies = &input,
                            .g = resolved.g,
                            .softening = resolved.softening,
                            .how = status ? 0 : ky_softening_how(resolved.softening_kind)};
    const int before = ky_threads_take(given.threads);
    if (!status && input.n > 1)
        status = find_neighbours(&given, &search, report, error);
    if (!status && input.n > 1)
        status = pair_up(&search, &own, error);
    ky_threads_restore(before);
    ky_neighbour_lists_free(&search.near);
    if (status)
        ky_binaries_free(&own);
    ky_size_give(binaries, &own, sizeof own);
    return status;
}

void ky_binaries_free(struct ky_binaries *binaries)
{
    if (!binaries)
        return;
    free(binaries->body);
    free(binaries->separation);
    free(binaries->semi_major_axis);
    free(binaries->eccentricity);
    free(binaries->period);
    free(binaries->energy);
    ky_size_give(binaries, &(struct ky_binaries){0}, sizeof *binaries);
}
