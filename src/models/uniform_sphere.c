/* A homogeneous sphere, cold or with Maxwellian velocities of one dispersion: a start for a
 * collapse, not an equilibrium. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"
#include "models/models.h"
#include "models/profile.h"

static double virial(const struct ky_profile *profile, double softening)
{
    double force[KY_PROFILE_NODES];
    ky_profile_force(profile, softening, force);
    return ky_profile_virial(profile, force);
}

/* W = −3/5 M²/R */
static double radius_of(const struct ky_model_parameters *parameters)
{
    return 0.6 / -ky_henon_potential(parameters);
}

double ky_half_mass_uniform_sphere(const struct ky_model_parameters *parameters)
{
    return radius_of(parameters) * cbrt(0.5);
}

enum ky_status ky_make_uniform_sphere(const struct ky_model_parameters *parameters,
                                      struct ky_bodies *bodies, struct ky_error *error)
{
    struct ky_profile *profile = ky_allocate(1, sizeof *profile);
    if (!profile)
        return ky_no_memory(error, "the model's tables", 1, sizeof *profile);
    ky_profile_homogeneous(profile);
    const double radius = radius_of(parameters);
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < bodies->n; i++) {
        struct ky_random place = ky_random_at(parameters->seed, KY_STREAM_POSITION, i);
        double r = radius * cbrt(ky_random_uniform(&place));
        ky_random_direction(&place, bodies->position[i]);
        for (int k = 0; k < 3; k++)
            bodies->position[i][k] *= r;
    }
    ky_maxwellian(parameters, virial(profile, ky_pair_softening(parameters) / radius) / radius,
                  bodies);
    free(profile);
    return KY_OK;
}
