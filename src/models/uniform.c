/* The virial ratio of homogeneous models: see uniform.h. */
#include "models/uniform.h"

#include <math.h>

#include "base/random.h"

const struct ky_option ky_uniform_options[KY_UNIFORM_OPTIONS] = {
    {"virial-ratio", KY_OPTION_REAL, offsetof(struct ky_uniform, virial_ratio), "0", 0, 1.99, NULL,
     NULL, "uniform-sphere, uniform-cube: virial ratio 2T/|Σ m x·a|; 0 is cold, 1 is in balance"},
};

/* E = W + T = W (1 − Q/2) */
double ky_uniform_potential(const struct ky_uniform *uniform)
{
    return -0.25 / (1 - 0.5 * uniform->virial_ratio);
}

struct motion {
    double sigma;
    uint64_t seed;
    double (*velocity)[3];
};

static void draw(const void *context, size_t first, size_t last)
{
    const struct motion *motion = context;
    for (size_t i = first; i < last; i++) {
        struct ky_random random = ky_random_at(motion->seed, KY_STREAM_VELOCITY, i);
        for (int k = 0; k < 3; k++)
            motion->velocity[i][k] = motion->sigma * ky_random_normal(&random);
    }
}

/* 3 σ² = 2T = Q |Σ m x·a| */
void ky_uniform_velocities(const struct ky_uniform *uniform, const struct ky_model_common *common,
                           double virial, struct ky_bodies *bodies)
{
    const struct motion motion = {sqrt(uniform->virial_ratio * virial / 3), common->seed,
                                  bodies->velocity};
    if (motion.sigma > 0)
        ky_model_fill(common, "velocities", draw, &motion);
}
