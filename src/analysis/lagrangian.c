/* Radii that contain given fractions of the mass, by selection. The bodies are partitioned about a
 * radius until the wanted body is among a few, which are sorted. */
#include <math.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "base/block_sums.h"
#include "base/bodies.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/status.h"
#include "octree/sample.h"

const double ky_lagrangian_fractions[KY_LAGRANGIAN_FRACTIONS] = {0.01, 0.02, 0.05, 0.1,
                                                                 0.25, 0.5,  0.75, 0.9};

enum { FEW = 64 }; /* sorted */

struct shell {
    double r2, mass;
};

/* The fractions first … last − 1 as masses, and the array for their radii. */
struct goals {
    const double *fractions;
    double total, *radii;
    size_t first, last;
};

/* The mass of a fraction, slightly reduced: a sum over many bodies may fall short by rounding
 * errors. */
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

/* The radius of the first body at which the mass inside reaches the goal, or the radius of the last
 * body. */
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

/* Partitions the shells into three parts: r² below the pivot, equal to it, above it. Returns the
 * start of the second part; *above is the start of the third. mass[0] and mass[1] become the masses
 * of the first two. */
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

/* The median of the r² of three shells at pseudorandom indices, so that no order of the bodies is
 * slow. */
static double choose_pivot(const struct shell *shells, size_t n, uint64_t *mix)
{
    double r2[3];
    for (int k = 0; k < 3; k++) {
        *mix = *mix * 6364136223846793005u + 1442695040888963407u;
        r2[k] = shells[(size_t)(*mix >> 33) % n].r2;
    }
    return fmax(fmin(r2[0], r2[1]), fmin(fmax(r2[0], r2[1]), r2[2]));
}

/* Finds the radii of the goals among these shells. `inside` is the mass of all bodies at smaller
 * radii. */
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

/* If there are many bodies, all threads first sort them into bins of radius; one thread then
 * searches the bins that contain a goal. Few bodies have one bin. */
enum { MANY = 1 << 20, BINS = 256, SAMPLE = 16 * BINS };

struct bins {
    const struct ky_portion *portion;
    const struct ky_bodies *bodies;
    const double *centre;
    size_t edges;          /* number of edges, one less than bins */
    double edge[BINS - 1]; /* r², ascending */
    struct part {
        double mass;
        uint64_t n; /* number of bodies with mass */
    } * part; /* [KY_BLOCKS][edges + 1]: each bin for each block of bodies (base/block_sums.h) */
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

/* The number of edges that are at most r2. */
static size_t bin_of(const struct bins *bins, double r2)
{
    size_t low = 0;
    for (size_t half = (bins->edges + 1) / 2; half; half /= 2) /* without a branch */
        low += bins->edge[low + half - 1] <= r2 ? half : 0;
    return low;
}

/* Chooses the edges from a sample, so that the bins contain similar numbers of bodies. */
static enum ky_status place_edges(struct bins *bins, struct ky_error *error)
{
    const struct ky_portion *portion = bins->portion;
    double sample[SAMPLE] = {0};
    size_t index[SAMPLE];
    bins->edges = portion->n < MANY ? 0 : BINS - 1;
    if (!bins->edges)
        return KY_OK;
    ky_sample(portion->n, SAMPLE, index);
    for (size_t k = 0; k < SAMPLE; k++)
        if (ky_portion_has(portion, index[k]))
            sample[k] = r2_of(bins, index[k] - portion->first);
    const enum ky_status status = ky_portion_add_up(portion, sample, SAMPLE, error);
    qsort(sample, SAMPLE, sizeof *sample, ky_order_reals);
    for (size_t k = 0; k < bins->edges; k++)
        bins->edge[k] = sample[(k + 1) * (SAMPLE / BINS)];
    return status;
}

/* Computes mass and number of the bins in each block. */
static enum ky_status weigh(struct bins *bins, struct ky_error *error)
{
    const struct ky_portion *portion = bins->portion;
    const struct ky_bodies *bodies = bins->bodies;
#pragma omp parallel for schedule(static) if (ky_portion_is_long(portion))
    for (size_t b = portion->from; b < portion->to; b++) {
        struct part *part = bins->part + b * (bins->edges + 1);
        const size_t end = ky_portion_start(portion, b + 1);
        for (size_t i = ky_portion_start(portion, b); i < end; i++) {
            if (!(bodies->mass[i] > 0))
                continue;
            size_t bin = bin_of(bins, r2_of(bins, i));
            part[bin].mass += bodies->mass[i];
            part[bin].n++;
        }
    }
    return ky_portion_add_up(
        portion, bins->part,
        KY_BLOCKS * (bins->edges + 1) * (sizeof *bins->part / sizeof(uint64_t)), error);
}

static int is_in_bin(const struct bins *bins, size_t bin, double r2)
{
    return (!bin || bins->edge[bin - 1] <= r2) && (bin == bins->edges || r2 < bins->edge[bin]);
}

/* Copies this rank's bodies of a bin, in order. */
static void fill(const struct bins *bins, size_t bin, struct shell *shells)
{
    const struct ky_portion *portion = bins->portion;
    const struct ky_bodies *bodies = bins->bodies;
    size_t start[KY_BLOCKS + 1] = {0};
    for (size_t b = portion->from; b < portion->to; b++)
        start[b + 1] = start[b] + bins->part[b * (bins->edges + 1) + bin].n;
#pragma omp parallel for schedule(static) if (ky_portion_is_long(portion))
    for (size_t b = portion->from; b < portion->to; b++) {
        size_t at = start[b];
        for (size_t i = ky_portion_start(portion, b); at < start[b + 1]; i++) {
            double r2 = r2_of(bins, i);
            if (bodies->mass[i] > 0 && is_in_bin(bins, bin, r2))
                shells[at++] = (struct shell){r2, bodies->mass[i]};
        }
    }
}

/* Finds the radii of the goals among the bodies of a bin, which are collected on the leading rank.
 * `inside` is the mass of all bodies at smaller radii. */
static enum ky_status search_bin(const struct bins *bins, size_t bin, double inside,
                                 struct goals goals, struct ky_error *error)
{
    const struct ky_portion *portion = bins->portion;
    const size_t count = goals.last - goals.first;
    size_t here = 0;
    for (size_t b = portion->from; b < portion->to; b++)
        here += bins->part[b * (bins->edges + 1) + bin].n;
    void *shells;
    KY_TRY(ky_array(&shells, here, sizeof(struct shell), "radii of bodies", error));
    fill(bins, bin, shells);
    enum ky_status status =
        ky_portion_collect(portion, &shells, &here, sizeof(struct shell), error);
    for (size_t k = goals.first; k < goals.last; k++)
        goals.radii[k] = 0;
    if (!status && portion->leads)
        find_radii(shells, here, inside, goals);
    free(shells);
    return status ? status : ky_portion_add_up(portion, goals.radii + goals.first, count, error);
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

/* Goes outwards through the bins and searches the bins that contain a goal. `n`: number of bodies
 * with mass. */
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
        if (k > goals.first)
            KY_TRY(search_bin(bins, bin, inside, nearer, error));
        goals.first = k;
        inside += here.mass;
    }
    return KY_OK;
}

enum ky_status ky_portion_radii(const struct ky_portion *portion, const struct ky_bodies *bodies,
                                const double centre[3], size_t count, const double *fractions,
                                double *radii, struct ky_error *error)
{
    struct goals goals = {.fractions = fractions, .radii = radii, .last = count};
    struct bins bins = {.portion = portion, .bodies = bodies, .centre = centre};
    size_t n, before;
    enum ky_status status = ky_portion_positive(portion, bodies->mass, &n, &before, error);
    if (!status && !n)
        return ky_fail(error, KY_BAD_DATA, "no body has mass: there are no mass fractions");
    if (!status)
        status = ky_portion_sum(portion, bodies->mass, &goals.total, error);
    for (; goals.first < count && fractions[goals.first] <= 0; goals.first++)
        radii[goals.first] = 0;
    if (!status)
        status = place_edges(&bins, error);
    if (status)
        return status;
    KY_TRY(ky_array_zeroed(&bins.part, KY_BLOCKS * (bins.edges + 1), sizeof *bins.part,
                           "bins of radius", error));
    status = weigh(&bins, error);
    if (!status)
        status = search_bins(&bins, n, goals, error);
    free(bins.part);
    return status;
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
    KY_TRY(ky_places_check(bodies, error));
    for (size_t k = 0; k < count; k++)
        if (!(fractions[k] >= 0 && fractions[k] <= 1) || (k && fractions[k] < fractions[k - 1]))
            return ky_fail(error, KY_USAGE, "mass fraction %zu is %g; fractions ascend from 0 to 1",
                           k, fractions[k]);
    const struct ky_portion all = ky_portion_of_all(bodies->n);
    return ky_portion_radii(&all, bodies, centre, count, fractions, radii, error);
}
