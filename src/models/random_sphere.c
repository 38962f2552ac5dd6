/* Fujiwara & Nakasato's (2009) "random" bodies: random places and velocities in a sphere. The paper
 * says no more than that, N = 100,000, dt = 0.01 and ε = 0.01. Chosen here: both are uniform,
 * places in a sphere of radius R and velocities in a sphere of speeds up to √(5/3 |W|/M), W the
 * virial. So the system is in virial balance as a whole, and no equilibrium. Without softening R
 * = 1.2 in Hénon units, and the largest speed is √(G M/R). */
#include <math.h>

#include "base/random.h"
#include "models/uniform.h"

static const struct ky_uniform balance = {1};

static enum ky_status half_mass(const void *own, double *radius, struct ky_error *error)
{
    (void)own;
    return ky_uniform_sphere.half_mass(&balance, radius, error);
}

struct motion {
    double most; /* speed */
    uint64_t seed;
    double (*velocity)[3];
};

/* v = v_max u^(1/3) for u uniform in (0, 1). */
static void draw(const void *context, size_t first, size_t last)
{
    const struct motion *motion = context;
    for (size_t i = first; i < last; i++) {
        struct ky_random random = ky_random_at(motion->seed, KY_STREAM_VELOCITY, i);
        const double v = motion->most * cbrt(ky_random_uniform(&random));
        ky_random_direction(&random, motion->velocity[i]);
        for (int k = 0; k < 3; k++)
            motion->velocity[i][k] *= v;
    }
}

/* ⟨v²⟩ = 3/5 v_max² is the virial. */
static enum ky_status make(const void *own, const struct ky_model_common *common,
                           struct ky_snapshot *snapshot, struct ky_error *error)
{
    (void)own;
    double virial = 0;
    enum ky_status status = ky_uniform_sphere_place(&balance, common, snapshot, &virial, error);
    const struct motion motion = {sqrt(5 * virial / 3), common->seed, snapshot->bodies.velocity};
    if (!status)
        ky_model_fill(common, "velocities", draw, &motion);
    return status;
}

const struct ky_model ky_random_sphere = {
    .name = "random",
    .help = "uniform places in a sphere, uniform velocities in a sphere of speeds; 100000 bodies",
    .own_size = sizeof balance,
    .usual = 100000,
    .softening = 0.01,
    .sphere = 1,
    .scaling = KY_SCALE_RADIUS,
    .centring = KY_CENTRE_MASS,
    .half_mass = half_mass,
    .make = make,
};
