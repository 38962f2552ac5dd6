/* The balance of a model: see balance.h. */
#include "models/balance.h"

#include <math.h>

#include "base/bodies.h"
#include "base/number.h"
#include "models/equilibrium.h"
#include "physics/softening.h"

enum { SAMPLE = 2048, FEWEST = 100 };

/* −m x·a of a pair of unit masses. */
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

/* 2T/|Σ m x·a| of the bodies of a sample, with the softened forces of the sample only (G = 1). NaN
 * for fewer than two bodies. *noise is the statistical error. */
static double balance_ratio(const struct ky_model_common *common, const struct ky_bodies *sample,
                            double *noise)
{
    double mass = 0, square = 0, twice = 0, virial = 0;
    for (size_t k = 0; k < sample->n; k++) {
        const double *v = sample->velocity[k], m = sample->mass[k];
        mass += m;
        square += m * m;
        twice += m * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        for (size_t l = 0; l < k; l++)
            virial += m * sample->mass[l] * pull_together(common, sample, k, l);
    }
    *noise = mass > 0 ? sqrt(square) / mass : 1;
    /* A pair has two different bodies, so subtract the squares from the sum over all products of
     * masses. */
    return twice / mass / (virial / (mass * mass - square));
}

/* Allocates a sample of at most 2,048 of all bodies; bodies of other ranks are broadcast. The
 * caller frees it. */
static enum ky_status take_sample(const struct ky_model_common *common,
                                  const struct ky_bodies *bodies, struct ky_bodies *sample,
                                  struct ky_error *error)
{
    const struct ky_portion portion = ky_model_portion(common);
    const size_t count = common->n < SAMPLE ? common->n : SAMPLE;
    KY_TRY(ky_bodies_allocate(sample, count, bodies->softening ? KY_WITH_SOFTENING : 0,
                              error)); /* zeroed */
    for (size_t k = 0; k < count; k++) {
        const size_t i = (size_t)((double)k * (double)common->n / (double)count);
        if (!ky_portion_has(&portion, i))
            continue;
        sample->mass[k] = bodies->mass[i - portion.first];
        if (bodies->softening)
            sample->softening[k] = bodies->softening[i - portion.first];
        for (int c = 0; c < 3; c++) {
            sample->position[k][c] = bodies->position[i - portion.first][c];
            sample->velocity[k][c] = bodies->velocity[i - portion.first][c];
        }
    }
    KY_TRY(ky_portion_add_up(&portion, sample->mass, count, error));
    KY_TRY(ky_portion_add_up(&portion, sample->position, 3 * count, error));
    return ky_portion_add_up(&portion, sample->velocity, 3 * count, error);
}

/* KY_USAGE if a number of any body is not finite. */
static enum ky_status check_finite(const struct ky_model *model,
                                   const struct ky_model_common *common,
                                   const struct ky_bodies *bodies, struct ky_error *error)
{
    const struct ky_portion portion = ky_model_portion(common);
    uint64_t wrong = ky_bodies_check(bodies, NULL) != KY_OK;
    const enum ky_status status = ky_portion_add_up(&portion, &wrong, 1, error);
    if (status || !wrong)
        return status;
    return ky_fail(error, KY_USAGE,
                   "%s: with these options bodies have positions or speeds that are not finite; "
                   "the softening, %g, or a length is out of proportion to the system",
                   model->name, common->softening);
}

enum ky_status ky_balance_check(const struct ky_model *model, const struct ky_model_common *common,
                                const struct ky_bodies *bodies, struct ky_error *error)
{
    const double refused = 0.5, told = 0.25, chance = 5;
    double noise = 1, ratio = 1;
    struct ky_bodies sample = {0};
    enum ky_status status = check_finite(model, common, bodies, error);
    if (status || !(model->balanced || ky_model_in_equilibrium(model)) || common->n < FEWEST)
        return status;
    status = take_sample(common, bodies, &sample, error);
    if (!status)
        ratio = balance_ratio(common, &sample, &noise);
    ky_bodies_free(&sample);
    if (status)
        return status;
    const double off = fabs(log(ratio));
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
