/* A homogeneous sphere, cold or with Maxwellian velocities. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/status.h"
#include "models/profile.h"
#include "models/uniform.h"
#include "physics/softening.h"

/* −Σ m x·a of the sphere of radius 1, with the softening ε of a pair. */
static double virial(const struct ky_profile *profile, double softening, int how)
{
    double force[KY_PROFILE_NODES];
    ky_profile_force(profile, softening, how, force);
    return ky_profile_virial(profile, force);
}

/* From W = −3/5 M²/R. */
static double radius_of(const struct ky_uniform *uniform)
{
    return 0.6 / -ky_uniform_potential(uniform);
}

static enum ky_status half_mass(const void *own, double *radius, struct ky_error *error)
{
    (void)error;
    *radius = radius_of(own) * cbrt(0.5);
    return KY_OK;
}

struct sphere {
    double radius;
    uint64_t seed;
    size_t first; /* index in the model of the portion's first body */
    double (*position)[3];
};

/* Draws positions in the sphere: r = R u^(1/3) for u uniform in (0, 1). */
static void place(const void *context, size_t first, size_t last)
{
    const struct sphere *sphere = context;
    for (size_t i = first; i < last; i++) {
        struct ky_random random = ky_random_at(sphere->seed, KY_STREAM_POSITION, sphere->first + i);
        double r = sphere->radius * cbrt(ky_random_uniform(&random));
        ky_random_direction(&random, sphere->position[i]);
        for (int k = 0; k < 3; k++)
            sphere->position[i][k] *= r;
    }
}

/* Draws bodies in a sphere with the radius for which E = −1/4 with the virial ratio. */
enum ky_status ky_uniform_sphere_place(const struct ky_uniform *uniform,
                                       const struct ky_model_common *common,
                                       struct ky_snapshot *snapshot, double *sum,
                                       struct ky_error *error)
{
    const double radius = radius_of(uniform);
    struct ky_profile *profile;
    KY_TRY(ky_array(&profile, 1, sizeof *profile, "the model's tables", error));
    enum ky_status status = ky_model_allocate(common, 0, snapshot, error);
    if (!status) {
        ky_profile_homogeneous(profile);
        const struct sphere sphere = {radius, common->seed, ky_model_portion(common).first,
                                      snapshot->bodies.position};
        ky_model_fill(common, "positions", place, &sphere);
        *sum = virial(profile, ky_pair_softening(common) / radius,
                      ky_softening_how(common->softening_kind)) /
               radius;
    }
    free(profile);
    return status;
}

static enum ky_status make(const void *own, const struct ky_model_common *common,
                           struct ky_snapshot *snapshot, struct ky_error *error)
{
    double sum = 0;
    KY_TRY(ky_uniform_sphere_place(own, common, snapshot, &sum, error));
    ky_uniform_velocities(own, common, sum, &snapshot->bodies);
    return KY_OK;
}

const struct ky_model ky_uniform_sphere = {
    .name = "uniform-sphere",
    .help = "homogeneous sphere, cold or with Maxwellian velocities",
    KY_UNIFORM_OWN,
    .in_parts = 1,
    .sphere = 1,
    .scaling = KY_SCALE_RADIUS,
    .centring = KY_CENTRE_MASS,
    .half_mass = half_mass,
    .make = make,
};
