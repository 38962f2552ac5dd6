/* Common code of the opening tests by α: the parameters of a pass without last accelerations, and
 * the factor of the test for a group of sinks from their last accelerations. */
#ifndef KY_ENGINE_RELATIVE_H
#define KY_ENGINE_RELATIVE_H

#include <math.h>

#include "base/status.h"
#include "physics/opening.h"

/* The parameters with KY_OPENING_AT_FIRST instead of a test by α, for a first pass, which finds the
 * pull on sinks whose pull is not known. */
struct ky_parameters ky_without_relative(const struct ky_parameters *parameters);
/* The same for points, which have only one walk. θ is at most 0.4, so that even in sheets and
 * lattices the errors at points are no larger than the errors of forces. */
struct ky_parameters ky_for_points(const struct ky_parameters *parameters);

/* The last accelerations and potentials of the sinks. If `pull` is not NULL, it is |a| by the
 * bodies without external fields, and `a` includes external fields. Accelerations times per_unit
 * and potentials times per_potential are for G = 1 in the engine's units of length and mass; both
 * factors are 0 if G = 0. per_mass: 1 over the mass of all bodies in the engine's unit, 0 if they
 * have none. */
struct ky_relative {
    const double *a[3], *pull, *potential;
    double per_unit, per_potential, per_mass;
    double least; /* of the pull: in a box, a tenth of the rms acceleration of all bodies */
    const struct ky_parameters *parameters;
};

/* The sum of n masses as an integer: masses are in the engine's unit and rounded to multiples of
 * 1/KY_OPENING_MASS_PART. */
uint64_t ky_relative_mass(const double *mass, size_t n, int threads);
/* 1 over the sum of such numbers. */
double ky_relative_per_mass(uint64_t mass);
/* The pull on a sink for G = 1: ky_opening_pull, but at least `least`. */
static inline double ky_relative_pull(const struct ky_relative *relative, size_t i)
{
    double a2 = 0;
    for (int c = 0; c < 3 && !relative->pull; c++) {
        const double a = relative->a[c][i] * relative->per_unit;
        a2 += a * a;
    }
    return fmax(ky_opening_pull(relative->pull ? relative->pull[i] * relative->per_unit : sqrt(a2),
                                relative->potential[i] * relative->per_potential,
                                relative->per_mass),
                relative->least);
}
/* The smallest pull on any of these sinks, for G = 1. */
double ky_relative_least(const struct ky_relative *relative, const uint32_t *sink, size_t count);
/* The factor by which open2 of a cell is multiplied for these `count` sinks, from the smallest pull
 * among them (physics/opening.h). */
double ky_relative_factor(const struct ky_relative *relative, const uint32_t *sink, size_t count);

#endif
