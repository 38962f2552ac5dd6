/* Encounters of a body with a pair, for tests of systems of few bodies: arrays of systems, and of
 * their results. */
#ifndef FEW_ENCOUNTERS_H
#define FEW_ENCOUNTERS_H

#include "test.h"

#include <math.h>
#include <string.h>

enum { COUNT = 60, BODIES = 3, TIMES = 4, STATES = TIMES * COUNT * BODIES };

static double mass[COUNT * BODIES], x[COUNT * BODIES][3], v[COUNT * BODIES][3];
struct results {
    double x[STATES][3], v[STATES][3], ended[COUNT], change[COUNT], steps[COUNT];
    int end[COUNT], touching[COUNT][2];
};

static inline double uniform(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005U + 1442695040888963407U;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

/* A pair with a = 1 and a third body that comes from a distance of 20. */
static inline void make_encounters(void)
{
    uint64_t seed = 3;
    memset(x, 0, sizeof x);
    memset(v, 0, sizeof v);
    for (int s = 0; s < COUNT; s++) {
        const double phase = 6.28 * uniform(&seed), up = uniform(&seed), c = cos(phase),
                     w = sin(phase);
        const double side = sqrt(1 - up * up), b = 4 * sqrt(uniform(&seed));
        for (int i = 0; i < BODIES; i++) {
            const int k = BODIES * s + i;
            const double half = i ? 0.5 : -0.5;
            const double place[3] = {half * c, half * w * up, half * w * side},
                         speed[3] = {-half * w, half * c * up, half * c * side},
                         far[3] = {-20, b, 0};
            mass[k] = 0.5;
            memcpy(x[k], i < 2 ? place : far, sizeof x[k]);
            if (i < 2)
                memcpy(v[k], speed, sizeof v[k]);
            else
                v[k][0] = sqrt(0.375 + 3 / sqrt(400 + b * b));
        }
    }
}

static inline struct ky_few_systems systems_of(struct results *to, const double *time, size_t times)
{
    return (struct ky_few_systems){.size = sizeof(struct ky_few_systems),
                                   .count = COUNT,
                                   .bodies = BODIES,
                                   .mass = mass,
                                   .position = (const double(*)[3])x,
                                   .velocity = (const double(*)[3])v,
                                   .times = times,
                                   .time = time,
                                   .positions = to->x,
                                   .velocities = to->v,
                                   .ended = to->ended,
                                   .end = to->end,
                                   .touching = to->touching,
                                   .energy_change = to->change,
                                   .steps = to->steps};
}

static inline struct ky_parameters parameters_of(int threads)
{
    struct ky_parameters parameters;
    ky_parameters_defaults(&parameters);
    parameters.threads = threads;
    return parameters;
}

static inline void integrate(const struct ky_parameters *parameters,
                             const struct ky_few_systems *systems)
{
    struct ky_error error;
    assert_ok(ky_few_integrate(parameters, systems, &error));
}

static const double times[TIMES] = {10, 55.5, 55.75, 90};
static struct results all, other;

/* Systems of two bodies, bound and unbound, or three, to one time, with one of four options. */
static inline struct ky_few_systems some_of(struct results *to, size_t bodies, int option,
                                            struct ky_parameters *parameters)
{
    static const double ends[2] = {60, -60};
    struct ky_few_systems systems = systems_of(to, &ends[option == 3], 1);
    systems.bodies = bodies;
    systems.count = 37; /* no multiple of a batch */
    *parameters = parameters_of(2);
    parameters->stop_escape = option == 1 ? 15 : (double)NAN;
    parameters->slow_down = option == 2;
    return systems;
}

#endif
