/* Factors of an opening test by α. */
#include "engine/common/relative.h"

#include "octree/opening_kinds.h"

struct ky_parameters ky_without_relative(const struct ky_parameters *parameters)
{
    struct ky_parameters without = *parameters;
    if (ky_opening_kind(without.opening)->by_alpha)
        without.opening = KY_OPENING_AT_FIRST;
    return without;
}

struct ky_parameters ky_for_points(const struct ky_parameters *parameters)
{
    struct ky_parameters once = ky_without_relative(parameters);
    if (once.opening != parameters->opening)
        once.theta = fmin(once.theta, 0.4);
    return once;
}

uint64_t ky_relative_mass(const double *mass, size_t n, int threads)
{
    uint64_t sum = 0;
    (void)threads; /* without OpenMP */
#pragma omp parallel for num_threads(threads) reduction(+ : sum) if (threads > 1)
    for (size_t i = 0; i < n; i++)
        sum += (uint64_t)(mass[i] * (double)KY_OPENING_MASS_PART);
    return sum;
}

double ky_relative_per_mass(uint64_t mass)
{
    return mass ? (double)KY_OPENING_MASS_PART / (double)mass : 0;
}

double ky_relative_least(const struct ky_relative *relative, const uint32_t *sink, size_t count)
{
    double least = (double)INFINITY;
    for (size_t k = 0; k < count; k++) { /* gcc 12 for AArch64 fails at -O3 with fmin here */
        const double pull = ky_relative_pull(relative, sink[k]);
        least = pull < least ? pull : least;
    }
    return least;
}

double ky_relative_factor(const struct ky_relative *relative, const uint32_t *sink, size_t count)
{
    const struct ky_parameters *parameters = relative->parameters;
    return ky_opening_relative_factor(parameters->alpha, ky_relative_least(relative, sink, count),
                                      parameters->multipole);
}
