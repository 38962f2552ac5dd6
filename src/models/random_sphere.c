/* Fujiwara & Nakasato's (2009) "random" bodies: random positions and velocities in a sphere. The
 * paper gives only N = 100,000, dt = 0.01 and ε = 0.01. Our choice: both are uniform, positions in
 * a sphere of radius R and velocities in a sphere up to the speed √(5/3 |W|/M), where W is the
 * virial. So the system as a whole is in virial balance, but not in equilibrium. Without softening
 * R = 1.2 in Hénon units, and the largest speed is √(G M/R). */
#include "models/uniform.h"

#include "base/status.h"

static const struct ky_uniform balance = {1};

static enum ky_status half_mass(const void *own, double *radius, struct ky_error *error)
{
    (void)own;
    return ky_uniform_sphere.half_mass(&balance, radius, error);
}

static enum ky_status make(const void *own, const struct ky_model_common *common,
                           struct ky_snapshot *snapshot, struct ky_error *error)
{
    (void)own;
    double virial = 0;
    KY_TRY(ky_uniform_sphere_place(&balance, common, snapshot, &virial, error));
    ky_uniform_speeds(&balance, common, virial, &snapshot->bodies);
    return KY_OK;
}

const struct ky_model ky_random_sphere = {
    .name = "random",
    .help = "positions and velocities distributed uniformly, each in a sphere; 100000 bodies",
    .own_size = sizeof balance,
    .usual = 100000,
    .softening = 0.01,
    .in_parts = 1,
    .sphere = 1,
    .scaling = KY_SCALE_RADIUS,
    .centring = KY_CENTRE_MASS,
    .half_mass = half_mass,
    .make = make,
};
