/* Peaks and spherical masses of groups in a periodic box. The peak of a group is the body with the
 * lowest potential by the group's own bodies, softened by a tenth of the linking length. The
 * potential of all bodies would not do: it has a slope near a heavier group. Only the densest
 * bodies of the group are tried, by the distance of the NEAREST-th neighbour.
 *
 * The mass M200 is the mass of all bodies, also of other groups, in the sphere about the peak with
 * 200 times a density, and r200 its radius: M200 = 4π/3 r200³ 200 ρ. For M200m the density ρ is the
 * mean density of the box, for M200c the critical one, ρ_m/Ω_m at the time of the bodies. Lengths
 * are the bodies': comoving in a comoving box, where Σm/side³ is the comoving mean density.
 *
 * There may be several such spheres. The search begins with 1.25 times the radius at which the
 * group's own mass has the wanted density, and widens until the density within is lower. Then the
 * largest sphere inside is taken. */
#include "analysis/halos.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/box_grid.h"
#include "base/memory.h"
#include "base/threads.h"

enum { NEAREST = 20, CANDIDATES = 1024 };
static const double softened = 0.1;                          /* in linking lengths */
static const double times = 200, ball = 4.18879020478639098; /* 4π/3 */

/* ---- peaks ---- */

struct candidate {
    double distance; /* of its nearest bodies */
    uint32_t body;
};

static int denser_first(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return (x->body > y->body) - (x->body < y->body);
}

/* Σ m/√(r² + ε²) over the group's bodies except this one. */
static double depth(const struct ky_catalogue *catalogue, const struct ky_bodies *bodies, size_t g,
                    uint32_t i)
{
    const double softening = catalogue->linking_length * softened;
    double sum = 0;
    for (size_t b = catalogue->offset[g]; b < catalogue->offset[g + 1]; b++) {
        const uint32_t j = catalogue->body[b];
        double square = softening * softening;
        for (int c = 0; c < 3; c++) {
            const double d =
                remainder(bodies->position[j][c] - bodies->position[i][c], catalogue->box);
            square += d * d;
        }
        sum += j == i ? 0 : bodies->mass[j] / sqrt(square);
    }
    return sum;
}

/* Finds the peak of the group g; `distance` has the distances of nearest bodies. 0 if memory runs
 * out. */
static int find_peak(struct ky_catalogue *catalogue, const struct ky_bodies *bodies, size_t g,
                     const double *distance)
{
    const size_t first = catalogue->offset[g], n = catalogue->offset[g + 1] - first;
    struct candidate *all = ky_allocate(n, sizeof *all);
    double deepest = -1;
    if (!all)
        return 0;
    for (size_t k = 0; k < n; k++) {
        const uint32_t body = catalogue->body[first + k];
        all[k] = (struct candidate){distance[body], body};
    }
    qsort(all, n, sizeof *all, denser_first);
    for (size_t k = 0; k < n && k < CANDIDATES; k++) {
        const double own = depth(catalogue, bodies, g, all[k].body);
        if (!(own > deepest))
            continue;
        deepest = own;
        for (int c = 0; c < 3; c++)
            catalogue->peak[g][c] = ky_wrap(bodies->position[all[k].body][c], catalogue->box);
    }
    free(all);
    return 1;
}

static enum ky_status find_peaks(struct ky_walker *walker, const struct ky_bodies *bodies,
                                 struct ky_catalogue *catalogue, struct ky_error *error)
{
    const size_t n = bodies->n, k = n - 1 < NEAREST ? n - 1 : NEAREST;
    int failed = 0;
    double *distance = ky_allocate_zeroed(n, sizeof *distance);
    const struct ky_walk_request request = {
        .action = KY_ACTION_nearest, .n = n, .k = k, .results = distance};
    if (!distance)
        return ky_no_memory(error, "distances of nearest bodies", n, sizeof *distance);
    const enum ky_status status = k ? ky_walker_walk(walker, &request, error) : KY_OK;
#pragma omp parallel for schedule(dynamic) reduction(| : failed)
    for (size_t g = 0; g < catalogue->groups; g++)
        failed |= !status && !find_peak(catalogue, bodies, g, distance);
    free(distance);
    return failed ? ky_no_memory(error, "bodies of a group", n, sizeof(struct candidate)) : status;
}

/* ---- spheres ---- */

/* The radius of a sphere with this mass and 200 times the density. */
static double radius_of(double mass, double density)
{
    return cbrt(mass / (ball * times * density));
}

static double mass_within(const struct ky_box_sphere *sphere, const struct ky_bodies *bodies)
{
    double mass = 0;
    for (size_t k = 0; k < sphere->count; k++)
        mass += bodies->mass[sphere->body[k].body];
    return mass;
}

/* The spheres about the peaks of groups within which the mean density is 200 times `density`, and
 * where their masses and radii go. */
struct spheres {
    const struct ky_box_grid *grid;
    const struct ky_catalogue *catalogue;
    double density, *mass, *radius;
};

/* The sphere of the group g: its mass and radius. 0 if memory runs out. */
static int measure(const struct spheres *own, size_t g, struct ky_box_sphere *sphere,
                   double found[2])
{
    static const double wider = 1.25;
    const struct ky_box_grid *grid = own->grid;
    const struct ky_catalogue *catalogue = own->catalogue;
    const struct ky_bodies *bodies = grid->bodies;
    const double density = own->density;
    double first = wider * radius_of(catalogue->mass[g], density), mass;
    found[0] = found[1] = 0;
    if (!(catalogue->mass[g] > 0))
        return 1;
    do {
        first = fmin(first, grid->side / 2);
        if (!ky_box_grid_find(grid, catalogue->peak[g], first, sphere))
            return 0;
        mass = mass_within(sphere, bodies);
        if (radius_of(mass, density) < first || first == grid->side / 2)
            break;
        first *= wider;
    } while (1);
    for (size_t k = sphere->count; k-- > 0;) { /* without the bodies beyond k */
        const double radius = radius_of(mass, density);
        if (radius >= sqrt(sphere->body[k].r2)) {
            found[0] = mass;
            found[1] = fmin(radius, first);
            return 1;
        }
        mass -= bodies->mass[sphere->body[k].body];
    }
    return 1;
}

/* Measures the spheres of all groups; without a density masses and radii are NaN. */
static enum ky_status measure_all(const struct spheres *own, struct ky_error *error)
{
    const int threads = ky_threads(0);
    int failed = 0;
    struct ky_box_sphere *sphere;
    KY_TRY(
        ky_array_zeroed(&sphere, (size_t)threads, sizeof *sphere, "spheres about groups", error));
#pragma omp parallel for schedule(dynamic) num_threads(threads) reduction(| : failed)
    for (size_t g = 0; g < own->catalogue->groups; g++) {
        double found[2] = {(double)NAN, (double)NAN};
        if (own->density > 0)
            failed |= !measure(own, g, &sphere[ky_thread()], found);
        own->mass[g] = found[0];
        own->radius[g] = found[1];
    }
    for (int k = 0; k < threads; k++)
        free(sphere[k].body);
    free(sphere);
    return failed ? ky_no_memory(error, "bodies in a sphere", own->grid->bodies->n,
                                 sizeof(struct ky_box_near))
                  : KY_OK;
}

enum ky_status ky_halos_measure(struct ky_walker *walker, const struct ky_bodies *bodies,
                                double omega_matter, struct ky_catalogue *catalogue,
                                struct ky_error *error)
{
    struct ky_box_grid grid = {0};
    double all = 0;
    if (!catalogue->groups)
        return KY_OK;
    const enum ky_status found = find_peaks(walker, bodies, catalogue, error);
    if (found)
        return found;
    for (size_t i = 0; i < bodies->n; i++)
        all += bodies->mass[i];
    const double mean = all / pow(catalogue->box, 3);
    enum ky_status status = ky_box_grid_open(bodies, catalogue->box, &grid, error);
    const struct spheres spheres[] = {
        {&grid, catalogue, mean, catalogue->m200m, catalogue->r200m},
        {&grid, catalogue, mean / omega_matter, catalogue->m200c, catalogue->r200c}};
    for (int k = 0; k < 2 && !status; k++)
        status = measure_all(&spheres[k], error);
    ky_box_grid_close(&grid);
    return status;
}
