/* The balance of a model: see balance.h. */
#include "models/balance.h"

#include <math.h>

#include "base/bodies.h"
#include "base/number.h"
#include "models/equilibrium.h"
#include "physics/softening.h"

enum { SAMPLE = 2048, FEWEST = 100 };

/* m x·a of a pair of unit masses, with the sign reversed. */
static double pull_together(const struct ky_model_common *common, const struct ky_bodies *bodies,
                            size_t i, size_t j)
{
    const double *x = bodies->position[i], *y = bodies->position[j];
    const double a = bodies->softening ? bodies->softening[i] : common->softening,
                 b = bodies->softening ? bodies->softening[j] : common->softening;
    const double eps2 = ky_softening_eps2(a * a, b * b, ky_softening_how(common->softening_kind));
    double d2 = 0;
    for (int c = 0; c < 3; c++)
        d2 += (x[c] - y[c]) * (x[c] - y[c]);
    return d2 > 0 ? d2 / ((d2 + eps2) * sqrt(d2 + eps2)) : 0;
}

/* 2T/|Σ m x·a| of at most 2,048 bodies, a sample of all. They feel the softened forces of the
 * sample alone (G = 1). NaN for fewer than two. *noise is the statistical error. */
static double balance_ratio(const struct ky_model_common *common, const struct ky_bodies *bodies,
                            double *noise)
{
    const size_t count = bodies->n < SAMPLE ? bodies->n : SAMPLE;
    double mass = 0, square = 0, twice = 0, virial = 0;
    for (size_t k = 0; k < count; k++) {
        const size_t i = (size_t)((double)k * (double)bodies->n / (double)count);
        const double *v = bodies->velocity[i], m = bodies->mass[i];
        mass += m;
        square += m * m;
        twice += m * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        for (size_t l = 0; l < k; l++) {
            const size_t j = (size_t)((double)l * (double)bodies->n / (double)count);
            virial += m * bodies->mass[j] * pull_together(common, bodies, i, j);
        }
    }
    *noise = mass > 0 ? sqrt(square) / mass : 1;
    /* Pairs have two different bodies, so the squares are taken out of all products of masses. */
    return twice / mass / (virial / (mass * mass - square));
}

enum ky_status ky_balance_check(const struct ky_model *model, const struct ky_model_common *common,
                                const struct ky_bodies *bodies, struct ky_error *error)
{
    const double refused = 0.5, told = 0.25, chance = 5;
    double noise;
    if (ky_bodies_check(bodies, NULL))
        return ky_fail(error, KY_USAGE,
                       "%s: with these options bodies have places or speeds that are not finite; "
                       "the softening, %g, or a length is out of proportion to the system",
                       model->name, common->softening);
    if (!(model->balanced || ky_model_in_equilibrium(model)) || bodies->n < FEWEST)
        return KY_OK;
    const double ratio = balance_ratio(common, bodies, &noise), off = fabs(log(ratio));
    if (!(off < refused + chance * noise))
        return ky_fail(error, KY_USAGE,
                       "%s: with these options it is not in equilibrium, its virial ratio is %.3g; "
                       "a softening or a length is out of proportion to the system",
                       model->name, ratio);
    if (off > told + chance * noise && common->log) {
        char line[160];
        ky_format(line, sizeof line,
                  "%s: with these options it is not in equilibrium, its virial ratio is %.3g",
                  model->name, ratio);
        common->log(common->log_context, KY_LOG_WARNING, line);
    }
    return KY_OK;
}
