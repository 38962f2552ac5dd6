/* What an opening test by α needs on every engine: other parameters where there are no last
 * accelerations, and the factor of the test for some sinks from their last accelerations. */
#ifndef KY_ENGINE_RELATIVE_H
#define KY_ENGINE_RELATIVE_H

#include <math.h>

#include "base/options.h"
#include "base/status.h"
#include "physics/opening.h"

/* The parameters with KY_OPENING_AT_FIRST in place of a test by α, for sinks without last
 * accelerations: for points, and for a first pass, which gives all bodies theirs. */
struct ky_parameters ky_without_relative(const struct ky_parameters *parameters);

/* The last accelerations: three columns, and their unit. Divided by it they are for G = 1 in the
 * engine's units of length and mass. The unit is 0 where G = 0. */
struct ky_relative {
    const double *a[3];
    double unit;
    const struct ky_parameters *parameters;
    double floor; /* the smallest |a| that counts: ky_opening_floor */
};

/* Finds the floor among all n bodies. */
struct ky_relative ky_relative_start(const double *const a[3], size_t n, double unit,
                                     const struct ky_parameters *parameters, int threads);
/* Adds to count[] how many of n bodies have which exponent, for ky_opening_floor. */
void ky_relative_count(const struct ky_relative *relative, size_t n, int threads,
                       unsigned long long count[KY_OPENING_EXPONENTS]);
/* The smallest |a| of these sinks, at least the floor, for G = 1. */
double ky_relative_least(const struct ky_relative *relative, const uint32_t *sink, size_t count);
/* |a| of a body for G = 1 as a float; `by` is 1/unit. */
static inline float ky_relative_size(const struct ky_relative *relative, double by, size_t i)
{
    const double *const *a = relative->a;
    return (float)(by * sqrt(a[0][i] * a[0][i] + a[1][i] * a[1][i] + a[2][i] * a[2][i]));
}
/* The factor by which open2 of a cell is multiplied for these `count` sinks, from the smallest |a|
 * among them (physics/opening.h). */
double ky_relative_factor(const struct ky_relative *relative, const uint32_t *sink, size_t count);

#endif
