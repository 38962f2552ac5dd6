/* Mass functions and rotation for the bodies of a sphere. Both keep isotropic equilibrium: masses
 * do not depend on the position, and f stays a function of the energy and |L_z|. */
#ifndef KY_MODELS_POPULATION_H
#define KY_MODELS_POPULATION_H

#include "models/models.h"

/* One row each: the constant of kyoho.h, the word of the option. */
#define KY_MASS_FUNCTION_ROWS(X)                                                                   \
    X(KY_MASS_EQUAL, "equal")                                                                      \
    X(KY_MASS_SALPETER, "salpeter")                                                                \
    X(KY_MASS_KROUPA, "kroupa")

/* Draws the masses of a portion's bodies from the function, each body independently, and scales the
 * total over all bodies to 1. Fails as ky_portion_add_up. */
enum ky_status ky_population_masses(int mass_function, uint64_t seed,
                                    const struct ky_portion *portion, struct ky_bodies *bodies,
                                    struct ky_error *error);

/* The total mass of the first n bodies, in solar masses. */
double ky_population_total(int mass_function, uint64_t seed, uint64_t n);
/* The number of bodies, at least 1, whose total mass is nearest to `total` [solar masses]; *sum
 * becomes their mass. 0 if it would exceed 2^40 bodies. */
uint64_t ky_population_number(int mass_function, uint64_t seed, double total, double *sum);

/* Reverses the rotation of this fraction (drawn at random) of the bodies with L_z < 0, which move
 * clockwise about the z axis: the sign of the velocity around the axis changes. `first`: index in
 * the model of the portion's first body. */
void ky_population_rotate(double fraction, uint64_t seed, size_t first, struct ky_bodies *bodies);

#endif
