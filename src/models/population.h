/* Different masses, and rotation, for the bodies of a sphere. Both leave a sphere in isotropic
 * equilibrium in equilibrium: masses do not depend on the place, and f stays a function of the
 * energy and |L_z|. */
#ifndef KY_MODELS_POPULATION_H
#define KY_MODELS_POPULATION_H

#include "models/models.h"

/* One row each: the constant of kyoho.h, the word of the option. */
#define KY_MASS_FUNCTION_ROWS(X)                                                                   \
    X(KY_MASS_EQUAL, "equal")                                                                      \
    X(KY_MASS_SALPETER, "salpeter")                                                                \
    X(KY_MASS_KROUPA, "kroupa")

/* Draws the masses of the bodies of a portion from the function, each for itself, and scales the
 * sum of all to 1. Fails as ky_portion_tell does. */
enum ky_status ky_population_masses(int mass_function, uint64_t seed,
                                    const struct ky_portion *portion, struct ky_bodies *bodies,
                                    struct ky_error *error);

/* The sum of the masses that the first n bodies draw, in suns. */
double ky_population_total(int mass_function, uint64_t seed, uint64_t n);
/* The number of bodies, at least 1, whose sum of masses is nearest to `total` [suns]; the sum
 * becomes *sum. 0 where it would need more than 2^40 bodies. */
uint64_t ky_population_number(int mass_function, uint64_t seed, double total, double *sum);

/* Of the bodies with L_z < 0 (clockwise about the z axis) this fraction, drawn by chance, turns the
 * other way: the velocity around the axis changes its sign. `first`: the body of the model at the
 * place 0. */
void ky_population_rotate(double fraction, uint64_t seed, size_t first, struct ky_bodies *bodies);

#endif
