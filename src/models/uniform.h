/* Code that homogeneous models share: a virial ratio, and Maxwellian velocities for it. Such models
 * start a collapse; none is an equilibrium. */
#ifndef KY_MODELS_UNIFORM_H
#define KY_MODELS_UNIFORM_H

#include "models/models.h"

/* The parameters of a homogeneous model. */
struct ky_uniform {
    double virial_ratio; /* Q = 2T/|Σ m x·a| */
};
enum { KY_UNIFORM_OPTIONS = 1 };
extern const struct ky_option ky_uniform_options[KY_UNIFORM_OPTIONS];
/* The members of a row of struct ky_model for such a model. */
#define KY_UNIFORM_OWN                                                                             \
    .options = ky_uniform_options, .option_count = KY_UNIFORM_OPTIONS,                             \
    .own_size = sizeof(struct ky_uniform)

/* Draws the positions of a homogeneous sphere, at rest. *virial becomes −Σ m x·a with the bodies'
 * softening. */
enum ky_status ky_uniform_sphere_place(const struct ky_uniform *uniform,
                                       const struct ky_model_common *common,
                                       struct ky_snapshot *snapshot, double *virial,
                                       struct ky_error *error);

/* The potential energy W of such a system with E = −1/4 and this virial ratio. */
double ky_uniform_potential(const struct ky_uniform *uniform);
/* Draws isotropic velocities with the same dispersion everywhere, for the virial ratio. `virial` is
 * −Σ m x·a of the bodies with their softening. A ratio of 0 leaves the bodies at rest. */
void ky_uniform_velocities(const struct ky_uniform *uniform, const struct ky_model_common *common,
                           double virial, struct ky_bodies *bodies);
/* The same with velocities uniform in a sphere of velocity space. */
void ky_uniform_speeds(const struct ky_uniform *uniform, const struct ky_model_common *common,
                       double virial, struct ky_bodies *bodies);

#endif
