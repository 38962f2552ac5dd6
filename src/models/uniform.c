/* The virial ratio of homogeneous models: see uniform.h. */
#include "models/uniform.h"

#include <math.h>

#include "base/random.h"

const struct ky_option ky_uniform_options[KY_UNIFORM_OPTIONS] = {
    {"virial-ratio", KY_OPTION_REAL, offsetof(struct ky_uniform, virial_ratio), "0", 0, 1.99, NULL,
     NULL, "uniform-sphere, uniform-cube: virial ratio 2T/|Σ m x·a|; 0 is cold, 1 is in balance"},
};

/* From E = W + T = W (1 − Q/2). */
double ky_uniform_potential(const struct ky_uniform *uniform)
{
    return -0.25 / (1 - 0.5 * uniform->virial_ratio);
}

struct motion {
    double scale; /* σ of a component, or the largest speed */
    uint64_t seed;
    size_t first; /* index in the model of the portion's first body */
    double (*velocity)[3];
};

static void draw_normal(const void *context, size_t first, size_t last)
{
    const struct motion *motion = context;
    for (size_t i = first; i < last; i++) {
        struct ky_random random = ky_random_at(motion->seed, KY_STREAM_VELOCITY, motion->first + i);
        for (int k = 0; k < 3; k++)
            motion->velocity[i][k] = motion->scale * ky_random_normal(&random);
    }
}

/* v = v_max u^(1/3) for u uniform in (0, 1). */
static void draw_speeds(const void *context, size_t first, size_t last)
{
    const struct motion *motion = context;
    for (size_t i = first; i < last; i++) {
        struct ky_random random = ky_random_at(motion->seed, KY_STREAM_VELOCITY, motion->first + i);
        const double v = motion->scale * cbrt(ky_random_uniform(&random));
        ky_random_direction(&random, motion->velocity[i]);
        for (int k = 0; k < 3; k++)
            motion->velocity[i][k] *= v;
    }
}

/* Draws velocities so that ⟨v²⟩ = 2T = Q |Σ m x·a|, which is `times` scale². */
static void draw(const struct ky_uniform *uniform, const struct ky_model_common *common,
                 double virial, double times, struct ky_bodies *bodies,
                 void (*each)(const void *context, size_t first, size_t last))
{
    const struct motion motion = {sqrt(uniform->virial_ratio * virial / times), common->seed,
                                  ky_model_portion(common).first, bodies->velocity};
    if (motion.scale > 0)
        ky_model_fill(common, "velocities", each, &motion);
}

void ky_uniform_velocities(const struct ky_uniform *uniform, const struct ky_model_common *common,
                           double virial, struct ky_bodies *bodies)
{
    draw(uniform, common, virial, 3, bodies, draw_normal);
}

void ky_uniform_speeds(const struct ky_uniform *uniform, const struct ky_model_common *common,
                       double virial, struct ky_bodies *bodies)
{
    draw(uniform, common, virial, 0.6, bodies, draw_speeds);
}
