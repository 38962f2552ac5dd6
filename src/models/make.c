/* Making a model: its parameters, its own verb, and then the steps that it chooses. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/sums.h"
#include "models/balance.h"
#include "models/equilibrium.h"
#include "models/place.h"
#include "models/population.h"
#include "physics/recommended.h"

/* Moves the bodies so that the model's choice of centre is the origin; the total momentum becomes
 * 0. */
static void centre(int centring, struct ky_bodies *bodies)
{
    double mean[3];
    if (centring == KY_NOT_CENTRED)
        return;
    if (centring == KY_CENTRE_MASS || bodies->n == 1) {
        ky_mean(bodies->n, bodies->mass, bodies->position, mean);
        ky_subtract(bodies->n, bodies->position, mean);
    }
    ky_mean(bodies->n, bodies->mass, bodies->velocity, mean);
    ky_subtract(bodies->n, bodies->velocity, mean);
}

/* `length`: the unit of length of `make`. */
static void scale(double mass, double length, struct ky_snapshot *snapshot)
{
    struct ky_bodies *bodies = &snapshot->bodies;
    const double speed = sqrt(snapshot->units.g * mass / length);
    snapshot->softening *= length;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < bodies->n; i++) {
        bodies->mass[i] *= mass;
        if (bodies->softening)
            bodies->softening[i] *= length;
        for (int k = 0; k < 3; k++) {
            bodies->position[i][k] *= length;
            bodies->velocity[i][k] *= speed;
        }
    }
}

/* Half-mass radius and bodies: the model's own verbs, or those of its profile. */
static enum ky_status half_mass_of(const struct ky_model *model, const void *own, double *radius,
                                   struct ky_error *error)
{
    *radius = 0;
    if (ky_model_in_equilibrium(model))
        return ky_equilibrium_half_mass(model, own, radius, error);
    return model->half_mass ? model->half_mass(own, radius, error) : KY_OK;
}

static enum ky_status make_bodies(const struct ky_model *model, const void *own,
                                  const struct ky_model_common *common,
                                  struct ky_snapshot *snapshot, struct ky_error *error)
{
    return ky_model_in_equilibrium(model) ? ky_equilibrium_make(model, own, common, snapshot, error)
                                          : model->make(own, common, snapshot, error);
}

/* The softening that the model is given, in the lengths of its verb `make`. *length becomes one
 * such length in the unit of length. */
static enum ky_status soften(const struct ky_model *model, const void *own,
                             const struct ky_model_parameters *parameters, double *softening,
                             double *length, struct ky_error *error)
{
    double radius;
    enum ky_status status = half_mass_of(model, own, &radius, error);
    int scaled = model->scaling == KY_SCALE_RADIUS && !isnan(parameters->radius) && radius > 0;
    *length = scaled ? parameters->radius / radius : 1;
    if (model->own_softenings)
        *softening = (double)NAN;
    else if (isnan(parameters->softening) && model->softening > 0)
        *softening = model->softening;
    else if (isnan(parameters->softening))
        *softening = ky_recommended_softening(radius, (double)parameters->n);
    else
        *softening = parameters->softening / *length;
    return status;
}

/* ky_model_make_one, once the parameters are resolved. */
static enum ky_status make(const struct ky_model *model, const void *own,
                           const struct ky_model_parameters *parameters,
                           struct ky_snapshot *snapshot, struct ky_error *error)
{
    const int sphere = ky_model_is_sphere(model);
    struct ky_halt halt = {.flag = parameters->stop};
    struct ky_model_common common = {.n = parameters->n,
                                     .seed = parameters->seed,
                                     .softening_kind = parameters->softening_kind,
                                     .mass_function =
                                         sphere ? parameters->mass_function : KY_MASS_EQUAL,
                                     .log = parameters->log,
                                     .log_context = parameters->log_context,
                                     .halt = &halt};
    double length;
    enum ky_status status = ky_halt_check(&halt, error);
    if (!status)
        status = soften(model, own, parameters, &common.softening, &length, error);
    if (status)
        return status;
    common.length = length;
    snapshot->units = parameters->units;
    if (!model->own_softenings) {
        snapshot->softening = common.softening;
        snapshot->softening_kind = common.softening_kind;
    }
    status = make_bodies(model, own, &common, snapshot, error);
    if (!status)
        status = ky_halt_check(&halt, error);
    if (status)
        return status;
    if (sphere)
        ky_population_rotate(parameters->rotation, parameters->seed, &snapshot->bodies);
    centre(model->centring, &snapshot->bodies);
    status = ky_balance_check(model, &common, &snapshot->bodies, error);
    if (status)
        return status;
    if (model->scaling != KY_NOT_SCALED)
        scale(parameters->mass, length, snapshot);
    return ky_bodies_place(&snapshot->bodies, parameters->position, parameters->velocity,
                           parameters->orientation, &snapshot->units, error);
}

enum ky_status ky_model_make_one(const struct ky_model *model,
                                 const struct ky_model_parameters *given,
                                 struct ky_snapshot *snapshot, struct ky_error *error)
{
    struct ky_model_parameters parameters;
    ky_snapshot_clear(snapshot);
    void *own = ky_allocate_zeroed(1, model->own_size);
    if (!own)
        return ky_no_memory(error, "the model's parameters", 1, model->own_size);
    enum ky_status status = ky_model_resolve(model, given, &parameters, own, error);
    if (!status)
        status = make(model, own, &parameters, snapshot, error);
    if (status)
        ky_snapshot_free(snapshot);
    free(own);
    return status;
}

enum ky_status ky_model_make(const char *name, const struct ky_model_parameters *parameters,
                             struct ky_snapshot *snapshot, struct ky_error *error)
{
    KY_NEED(name, error);
    KY_NEED(parameters, error);
    KY_NEED(snapshot, error);
    const struct ky_model *model = ky_model_find(name, error);
    ky_snapshot_clear(snapshot);
    return model ? ky_model_make_one(model, parameters, snapshot, error) : KY_USAGE;
}
