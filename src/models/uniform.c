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

/* 3 σ² = 2T = Q |Σ m x·a| */
void ky_uniform_velocities(const struct ky_uniform *uniform, uint64_t seed, double virial,
                           struct ky_bodies *bodies)
{
    const double sigma = sqrt(uniform->virial_ratio * virial / 3);
    if (sigma > 0) {
#pragma omp parallel for schedule(static)
        for (size_t i = 0; i < bodies->n; i++) {
            struct ky_random motion = ky_random_at(seed, KY_STREAM_VELOCITY, i);
            for (int k = 0; k < 3; k++)
                bodies->velocity[i][k] = sigma * ky_random_normal(&motion);
        }
    }
}
