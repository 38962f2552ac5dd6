/* Radii that hold given fractions of the mass. */
#include <math.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "base/memory.h"

const double ky_lagrangian_fractions[KY_LAGRANGIAN_FRACTIONS] = {0.01, 0.02, 0.05, 0.1,
                                                                 0.25, 0.5,  0.75, 0.9};

struct shell {
    double r2, mass;
};

static int outwards(const void *a, const void *b)
{
    const struct shell *x = a, *y = b;
    if (x->r2 != y->r2)
        return x->r2 > y->r2 ? 1 : -1;
    return (x->mass > y->mass) - (x->mass < y->mass);
}

/* The radius of the first body at which the mass inside reaches the fraction; the sum may fall
 * short of it by rounding. */
static void read_radii(const struct shell *shells, size_t n, size_t count, const double *fractions,
                       double *radii)
{
    size_t k = 0;
    double inside = 0, total = 0;
    for (size_t i = 0; i < n; i++)
        total += shells[i].mass;
    for (; k < count && fractions[k] <= 0; k++)
        radii[k] = 0;
    for (size_t i = 0; i < n && k < count; i++) {
        inside += shells[i].mass;
        for (; k < count && inside >= fractions[k] * total * (1 - 1e-13); k++)
            radii[k] = sqrt(shells[i].r2);
    }
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
    size_t n = 0;
    for (size_t i = 0; i < bodies->n; i++)
        if (bodies->mass[i] > 0) {
            double r2 = 0;
            for (int k = 0; k < 3; k++)
                r2 += pow(bodies->position[i][k] - centre[k], 2);
            shells[n++] = (struct shell){r2, bodies->mass[i]};
        }
    qsort(shells, n, sizeof *shells, outwards);
    if (n)
        read_radii(shells, n, count, fractions, radii);
    free(shells);
    return n ? KY_OK : ky_fail(error, KY_BAD_DATA, "no body has mass: there are no mass fractions");
}
