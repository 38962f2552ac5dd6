/* What the bodies of a sphere may have beside its density: masses that differ, and rotation. Both
 * leave a sphere in isotropic equilibrium in equilibrium: masses do not depend on the place, and f
 * stays a function of the energy and |L_z|. */
#ifndef KY_MODELS_POPULATION_H
#define KY_MODELS_POPULATION_H

#include "models/models.h"

/* One row each: the constant of kyoho.h, the word of the option. */
#define KY_MASS_FUNCTION_ROWS(X)                                                                   \
    X(KY_MASS_EQUAL, "equal")                                                                      \
    X(KY_MASS_SALPETER, "salpeter")                                                                \
    X(KY_MASS_KROUPA, "kroupa")

/* Gives the bodies masses of the function, drawn for each of them, with the sum 1. */
void ky_population_masses(int mass_function, uint64_t seed, struct ky_bodies *bodies);

/* The sum of the masses that the first n bodies draw, in those of the Sun. */
double ky_population_total(int mass_function, uint64_t seed, uint64_t n);
/* The number of bodies, one or more, whose masses have a sum nearest to `total` suns, which becomes
 * *sum. 0 where they would be more than 2^40. */
uint64_t ky_population_number(int mass_function, uint64_t seed, double total, double *sum);

/* Of the bodies that turn clockwise about the z axis, L_z < 0, this fraction, drawn by chance,
 * turns the other way: the sign of the velocity around the axis changes. */
void ky_population_rotate(double fraction, uint64_t seed, struct ky_bodies *bodies);

#endif
