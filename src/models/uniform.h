/* What homogeneous models share: a virial ratio, and Maxwellian velocities for it. They are starts
 * for a collapse, not equilibria. */
#ifndef KY_MODELS_UNIFORM_H
#define KY_MODELS_UNIFORM_H

#include "models/models.h"

/* Their own parameters. */
struct ky_uniform {
    double virial_ratio; /* Q = 2T/|Σ m x·a| */
};
enum { KY_UNIFORM_OPTIONS = 1 };
extern const struct ky_option ky_uniform_options[KY_UNIFORM_OPTIONS];

/* W of such a system of E = −1/4. */
double ky_uniform_potential(const struct ky_uniform *uniform);
/* Isotropic velocities of one dispersion everywhere; `virial` is −Σ m x·a. */
void ky_uniform_velocities(const struct ky_uniform *uniform, uint64_t seed, double virial,
                           struct ky_bodies *bodies);

#endif
