/* Radii that hold given fractions of the mass, by selection. The bodies are divided about a radius
 * until the wanted body is among a few, which are sorted. */
#include <math.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "base/bodies.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/sums.h"
#include "octree/sample.h"

const double ky_lagrangian_fractions[KY_LAGRANGIAN_FRACTIONS] = {0.01, 0.02, 0.05, 0.1,
                                                                 0.25, 0.5,  0.75, 0.9};

enum { FEW = 64 }; /* sorted */

struct shell {
    double r2, mass;
};

/* The fractions first … last − 1 as masses, and where their radii go. */
struct goals {
    const double *fractions;
    double total, *radii;
    size_t first, last;
};

/* The mass of a fraction, a little less: a sum over many bodies may fall short by its rounding. */
static double goal(const struct goals *goals, size_t k)
{
    return goals->fractions[k] * goals->total * (1 - 1e-12);
}

static int outwards(const void *a, const void *b)
{
    const struct shell *x = a, *y = b;
    if (x->r2 != y->r2)
        return x->r2 > y->r2 ? 1 : -1;
    return (x->mass > y->mass) - (x->mass < y->mass);
}

/* The radius of the first body at which the mass inside reaches the goal, or of the last one. */
static void read_radii(struct shell *shells, size_t n, double inside, struct goals goals)
{
    size_t k = goals.first;
    qsort(shells, n, sizeof *shells, outwards);
    for (size_t i = 0; i < n; i++) {
        inside += shells[i].mass;
        for (; k < goals.last && (inside >= goal(&goals, k) || i + 1 == n); k++)
            goals.radii[k] = sqrt(shells[i].r2);
    }
}

/* Divides the shells into three parts: r² below the pivot, equal to it, above it. Returns where the
 * second part begins; *above is where the third begins. mass[0] and mass[1] become the masses of
 * the first two. */
static size_t divide(struct shell *shells, size_t n, double pivot, size_t *above, double mass[2])
{
    size_t low = 0, i = 0, high = n;
    mass[0] = mass[1] = 0;
    while (i < high) {
        struct shell here = shells[i];
        if (here.r2 > pivot) {
            shells[i] = shells[--high];
            shells[high] = here;
            continue;
        }
        if (here.r2 < pivot) {
            shells[i] = shells[low];
            shells[low++] = here;
            mass[0] += here.mass;
        } else {
            mass[1] += here.mass;
        }
        i++;
    }
    *above = high;
    return low;
}

/* The median of the r² of three shells. Their places are scattered, so that no order of the bodies
 * is slow. */
static double choose_pivot(const struct shell *shells, size_t n, uint64_t *mix)
{
    double r2[3];
    for (int k = 0; k < 3; k++) {
        *mix = *mix * 6364136223846793005u + 1442695040888963407u;
        r2[k] = shells[(size_t)(*mix >> 33) % n].r2;
    }
    return fmax(fmin(r2[0], r2[1]), fmin(fmax(r2[0], r2[1]), r2[2]));
}

/* Finds the radii of the goals among these shells. `inside` is the mass of all bodies nearer than
 * these. */
static void find_radii(struct shell *shells, size_t n, double inside, struct goals goals)
{
    uint64_t mix = n;
    while (n > FEW && goals.first < goals.last) {
        double mass[2], pivot = choose_pivot(shells, n, &mix);
        size_t above, equal = divide(shells, n, pivot, &above, mass), k = goals.first;
        struct goals nearer = goals;
        while (k < goals.last && goal(&goals, k) <= inside + mass[0])
            k++;
        nearer.last = equal ? k : goals.first;
        find_radii(shells, equal, inside, nearer);
        inside += mass[0] + mass[1];
        for (k = nearer.last; k < goals.last && (goal(&goals, k) <= inside || above == n); k++)
            goals.radii[k] = sqrt(pivot);
        goals.first = k;
        shells += above, n -= above;
    }
    if (goals.first < goals.last)
        read_radii(shells, n, inside, goals);
}

/* All threads divide many bodies into bins of radius; one thread then divides the bins that hold a
 * goal. Few bodies have one bin. */
enum { MANY = 1 << 20, BINS = 256, SAMPLE = 16 * BINS };

struct bins {
    const struct ky_bodies *bodies;
    const double *centre;
    size_t edges;          /* there is one bin more */
    double edge[BINS - 1]; /* r², ascending */
    struct part {
        double mass;
        size_t n; /* bodies that have mass */
    } * part;     /* [KY_BLOCKS][edges + 1]: for each block of the bodies (base/sums.h), each bin */
};

static double r2_of(const struct bins *bins, size_t i)
{
    double r2 = 0;
    for (int k = 0; k < 3; k++) {
        double d = bins->bodies->position[i][k] - bins->centre[k];
        r2 += d * d;
    }
    return r2;
}

/* How many edges are not above r2. */
static size_t bin_of(const struct bins *bins, double r2)
{
    size_t low = 0;
    for (size_t half = (bins->edges + 1) / 2; half; half /= 2) /* without a branch */
        low += bins->edge[low + half - 1] <= r2 ? half : 0;
    return low;
}

/* Takes the edges from a sample, so that bins hold about as many bodies each. */
static void place_edges(struct bins *bins)
{
    double sample[SAMPLE];
    size_t index[SAMPLE];
    bins->edges = bins->bodies->n < MANY ? 0 : BINS - 1;
    if (bins->edges)
        ky_sample(bins->bodies->n, SAMPLE, index);
    for (size_t k = 0; k < SAMPLE && bins->edges; k++)
        sample[k] = r2_of(bins, index[k]);
    if (bins->edges)
        qsort(sample, SAMPLE, sizeof *sample, ky_order_reals);
    for (size_t k = 0; k < bins->edges; k++)
        bins->edge[k] = sample[(k + 1) * (SAMPLE / BINS)];
}

/* Finds the parts. */
static void weigh(struct bins *bins)
{
    const struct ky_bodies *bodies = bins->bodies;
#pragma omp parallel for schedule(static)
    for (size_t b = 0; b < KY_BLOCKS; b++) {
        struct part *part = bins->part + b * (bins->edges + 1);
        for (size_t i = ky_block_start(bodies->n, b); i < ky_block_start(bodies->n, b + 1); i++) {
            if (!(bodies->mass[i] > 0))
                continue;
            size_t bin = bin_of(bins, r2_of(bins, i));
            part[bin].mass += bodies->mass[i];
            part[bin].n++;
        }
    }
}

static int is_in_bin(const struct bins *bins, size_t bin, double r2)
{
    return (!bin || bins->edge[bin - 1] <= r2) && (bin == bins->edges || r2 < bins->edge[bin]);
}

/* The bodies of a bin, in their order. */
static void fill(const struct bins *bins, size_t bin, struct shell *shells)
{
    const struct ky_bodies *bodies = bins->bodies;
    size_t start[KY_BLOCKS + 1] = {0};
    for (size_t b = 0; b < KY_BLOCKS; b++)
        start[b + 1] = start[b] + bins->part[b * (bins->edges + 1) + bin].n;
#pragma omp parallel for schedule(static)
    for (size_t b = 0; b < KY_BLOCKS; b++) {
        size_t at = start[b];
        for (size_t i = ky_block_start(bodies->n, b); at < start[b + 1]; i++) {
            double r2 = r2_of(bins, i);
            if (bodies->mass[i] > 0 && is_in_bin(bins, bin, r2))
                shells[at++] = (struct shell){r2, bodies->mass[i]};
        }
    }
}

/* Sums a bin over all blocks. */
static struct part sum_bin(const struct bins *bins, size_t bin)
{
    struct part sum = {0, 0};
    for (size_t b = 0; b < KY_BLOCKS; b++) {
        const struct part *part = &bins->part[b * (bins->edges + 1) + bin];
        sum.mass += part->mass;
        sum.n += part->n;
    }
    return sum;
}

/* Goes outwards through the bins to those that hold a goal. `n` bodies have mass. */
static enum ky_status search_bins(const struct bins *bins, size_t n, struct goals goals,
                                  struct ky_error *error)
{
    double inside = 0;
    size_t seen = 0;
    for (size_t bin = 0; bin <= bins->edges && goals.first < goals.last; bin++) {
        const struct part here = sum_bin(bins, bin);
        struct goals nearer = goals;
        size_t k = goals.first;
        seen += here.n;
        while (here.n && k < goals.last && (goal(&goals, k) <= inside + here.mass || seen == n))
            k++;
        nearer.last = k;
        if (k > goals.first) {
            struct shell *shells = ky_allocate(here.n, sizeof *shells);
            if (!shells)
                return ky_no_memory(error, "radii of bodies", here.n, sizeof *shells);
            fill(bins, bin, shells);
            find_radii(shells, here.n, inside, nearer);
            free(shells);
        }
        goals.first = k;
        inside += here.mass;
    }
    return KY_OK;
}

enum ky_status ky_lagrangian_radii(const struct ky_bodies *bodies, const double centre[3],
                                   size_t count, const double *fractions, double *radii,
                                   struct ky_error *error)
{
    KY_NEED(bodies, error);
    KY_NEED(centre, error);
    if (count) {
        KY_NEED(fractions, error);
        KY_NEED(radii, error);
    }
    enum ky_status status = ky_places_check(bodies, error);
    if (status)
        return status;
    for (size_t k = 0; k < count; k++)
        if (!(fractions[k] >= 0 && fractions[k] <= 1) || (k && fractions[k] < fractions[k - 1]))
            return ky_fail(error, KY_USAGE, "mass fraction %zu is %g; fractions ascend from 0 to 1",
                           k, fractions[k]);
    const size_t n = ky_count_positive(bodies->n, bodies->mass);
    if (!n)
        return ky_fail(error, KY_BAD_DATA, "no body has mass: there are no mass fractions");
    struct goals goals = {fractions, ky_sum(bodies->n, bodies->mass), radii, 0, count};
    for (; goals.first < count && fractions[goals.first] <= 0; goals.first++)
        radii[goals.first] = 0;
    struct bins bins = {.bodies = bodies, .centre = centre};
    place_edges(&bins);
    bins.part = ky_allocate_zeroed(KY_BLOCKS * (bins.edges + 1), sizeof *bins.part);
    if (!bins.part)
        return ky_no_memory(error, "bins of radius", KY_BLOCKS * BINS, sizeof *bins.part);
    weigh(&bins);
    status = search_bins(&bins, n, goals, error);
    free(bins.part);
    return status;
}
