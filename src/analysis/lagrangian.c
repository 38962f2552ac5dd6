/* Radii that hold given fractions of the mass, by selection. The bodies are divided about a radius
 * until the body that is looked for is among a few, and these are sorted. */
#include <math.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "base/memory.h"
#include "base/sums.h"

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

/* A sum over many bodies may fall short by its rounding. */
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

/* Divides the shells into three parts: r² below that of the pivot, equal to it, above it. Returns
 * where the second part begins; *above is where the third begins. mass[0] and mass[1] are the
 * masses of the first two. */
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

/* The middle of the r² of three shells. Their places are mixed, so that no order of the bodies is
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

/* Squared radii of the bodies that have mass; returns how many they are. */
static size_t fill(const struct ky_bodies *bodies, const double centre[3], struct shell *shells)
{
    size_t n = 0;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < bodies->n; i++) {
        double r2 = 0;
        for (int k = 0; k < 3; k++) {
            double d = bodies->position[i][k] - centre[k];
            r2 += d * d;
        }
        shells[i] = (struct shell){r2, bodies->mass[i]};
    }
    for (size_t i = 0; i < bodies->n; i++)
        if (shells[i].mass > 0)
            shells[n++] = shells[i];
    return n;
}

enum ky_status ky_lagrangian_radii(const struct ky_bodies *bodies, const double centre[3],
                                   size_t count, const double *fractions, double *radii,
                                   struct ky_error *error)
{
    for (size_t k = 0; k < count; k++)
        if (!(fractions[k] >= 0 && fractions[k] <= 1) || (k && fractions[k] < fractions[k - 1]))
            return ky_fail(error, KY_USAGE, "mass fraction %zu is %g; fractions ascend from 0 to 1",
                           k, fractions[k]);
    struct shell *shells = ky_allocate(bodies->n, sizeof *shells);
    if (!shells)
        return ky_no_memory(error, "radii of bodies", bodies->n, sizeof *shells);
    struct goals goals = {fractions, ky_sum(bodies->n, bodies->mass), radii, 0, count};
    size_t n = fill(bodies, centre, shells);
    for (; n && goals.first < count && fractions[goals.first] <= 0; goals.first++)
        radii[goals.first] = 0;
    if (n)
        find_radii(shells, n, 0, goals);
    free(shells);
    return n ? KY_OK : ky_fail(error, KY_BAD_DATA, "no body has mass: there are no mass fractions");
}
