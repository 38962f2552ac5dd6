/* Factors of an opening test by α. */
#include "engine/common/relative.h"

#include <math.h>

#include "octree/opening_kinds.h"

struct ky_parameters ky_without_relative(const struct ky_parameters *parameters)
{
    struct ky_parameters without = *parameters;
    if (ky_opening_kind(without.opening)->by_alpha)
        without.opening = KY_OPENING_AT_FIRST;
    return without;
}

/* |a|² of a body. */
static double square_of(const struct ky_relative *relative, size_t i)
{
    double a2 = 0;
    for (int c = 0; c < 3; c++)
        a2 += relative->a[c][i] * relative->a[c][i];
    return a2;
}

/* |a| for G = 1. */
static double size_of(const struct ky_relative *relative, double a2)
{
    return relative->unit > 0 ? sqrt(a2) / relative->unit : 0;
}

void ky_relative_count(const struct ky_relative *relative, size_t n, int threads,
                       unsigned long long count[KY_OPENING_EXPONENTS])
{
    (void)threads; /* without OpenMP */
#pragma omp parallel for num_threads(threads) reduction(+ : count[:KY_OPENING_EXPONENTS]) if (threads > 1)
    for (size_t i = 0; i < n; i++) {
        double size = size_of(relative, square_of(relative, i));
        count[ky_opening_place(size)] += size > 0;
    }
}

struct ky_relative ky_relative_start(const double *const a[3], size_t n, double unit,
                                     const struct ky_parameters *parameters, int threads)
{
    struct ky_relative relative = {{a[0], a[1], a[2]}, unit, parameters, 0};
    unsigned long long count[KY_OPENING_EXPONENTS] = {0};
    ky_relative_count(&relative, n, threads, count);
    relative.floor = ky_opening_floor(count);
    return relative;
}

double ky_relative_least(const struct ky_relative *relative, const uint32_t *sink, size_t count)
{
    double least = (double)INFINITY;
    for (size_t k = 0; k < count; k++)
        least = fmin(least, square_of(relative, sink[k]));
    return fmax(size_of(relative, least), relative->floor);
}

double ky_relative_factor(const struct ky_relative *relative, const uint32_t *sink, size_t count)
{
    const struct ky_parameters *parameters = relative->parameters;
    return ky_opening_relative_factor(parameters->alpha, ky_relative_least(relative, sink, count),
                                      parameters->multipole);
}
