/* Makes a model: resolves its parameters, calls its own verb, and then does the steps that it
 * selects. */
#include <math.h>
#include <stdlib.h>

#include <string.h>

#include "base/block_sums.h"
#include "base/memory.h"
#include "base/status.h"
#include "models/balance.h"
#include "models/binaries.h"
#include "models/equilibrium.h"
#include "models/place.h"
#include "models/population.h"
#include "models/recipe.h"
#include "physics/recommended.h"

/* Moves the bodies so that the origin is the centre that the model selects, with zero total
 * momentum. */
static enum ky_status centre(int centring, const struct ky_portion *portion,
                             struct ky_bodies *bodies, struct ky_error *error)
{
    double mean[3], mass;
    enum ky_status status = KY_OK;
    if (centring == KY_NOT_CENTRED)
        return KY_OK;
    if (centring == KY_CENTRE_MASS || portion->n == 1) {
        status = ky_portion_mean(portion, bodies->mass, bodies->position, mean, &mass, error);
        ky_subtract(bodies->n, bodies->position, mean);
    }
    if (!status)
        status = ky_portion_mean(portion, bodies->mass, bodies->velocity, mean, &mass, error);
    ky_subtract(bodies->n, bodies->velocity, mean);
    return status;
}

/* Scales the bodies from G = M = 1 to the mass and the units of the snapshot. `length`: the unit of
 * length of `make`. */
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

/* Half-mass radius and bodies, from the model's own verbs or from its profile. */
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

/* Finds the length of the model's verb `make` in units of the snapshot, and the softening in such
 * lengths. */
static enum ky_status soften(const struct ky_model *model, const void *own,
                             const struct ky_model_parameters *parameters,
                             struct ky_model_common *common, struct ky_error *error)
{
    double radius;
    enum ky_status status = half_mass_of(model, own, &radius, error);
    int scaled = model->scaling == KY_SCALE_RADIUS && !isnan(parameters->radius) && radius > 0;
    common->length = scaled ? parameters->radius / radius : 1;
    if (model->own_softenings)
        common->softening = (double)NAN;
    else if (isnan(parameters->softening) && model->softening < 0)
        common->softening = (double)NAN;
    else if (isnan(parameters->softening) && model->softening > 0)
        common->softening = model->softening;
    else if (isnan(parameters->softening))
        common->softening = ky_recommended_softening(radius, (double)parameters->n);
    else
        common->softening = parameters->softening / common->length;
    return status;
}

static struct ky_model_common common_of(const struct ky_model *model,
                                        const struct ky_model_parameters *parameters)
{
    return (struct ky_model_common){
        .n = parameters->n,
        .seed = parameters->seed,
        .softening_kind = parameters->softening_kind,
        .mass_function = ky_model_is_sphere(model) ? parameters->mass_function : KY_MASS_EQUAL,
        .log = parameters->log,
        .log_context = parameters->log_context};
}

/* 1 if stars of the model are pairs. */
static int has_pairs(const struct ky_model *model, const struct ky_model_parameters *parameters)
{
    return ky_model_is_sphere(model) && parameters->binaries > 0;
}

/* Rotates, centres, scales and places the finished bodies. */
static enum ky_status finish(const struct ky_model *model, const struct ky_model_common *common,
                             const struct ky_model_parameters *parameters,
                             struct ky_snapshot *snapshot, struct ky_error *error)
{
    const struct ky_portion portion = ky_model_portion(common);
    struct ky_bodies *bodies = &snapshot->bodies;
    if (ky_model_is_sphere(model))
        ky_population_rotate(parameters->rotation, parameters->seed, portion.first, bodies);
    KY_TRY(centre(model->centring, &portion, bodies, error));
    KY_TRY(ky_balance_check(model, common, bodies, error));
    if (model->scaling != KY_NOT_SCALED)
        scale(parameters->mass, common->length, snapshot);
    if (common->systems)
        KY_TRY(ky_binaries_put(parameters, common->systems, snapshot, error));
    return ky_bodies_place(bodies, parameters->position, parameters->velocity,
                           parameters->orientation, &snapshot->units, error);
}

/* Fills the members that are known before the bodies are made. Softenings are in the lengths of
 * `make`. */
static void describe(const struct ky_model *model, const struct ky_model_parameters *parameters,
                     const struct ky_model_common *common, struct ky_snapshot *snapshot)
{
    snapshot->units = parameters->units;
    if (!model->own_softenings) {
        snapshot->softening = common->softening;
        snapshot->softening_kind = common->softening_kind;
    }
}

/* ky_model_make_one for the bodies of a portion (NULL: all), with resolved parameters. */
static enum ky_status make(const struct ky_model *model, const void *own,
                           const struct ky_model_parameters *parameters,
                           const struct ky_portion *portion, const struct ky_systems *systems,
                           struct ky_snapshot *snapshot, struct ky_error *error)
{
    struct ky_halt halt = {.flag = parameters->stop};
    struct ky_model_common common = common_of(model, parameters);
    common.portion = portion;
    common.halt = &halt;
    common.systems = systems;
    KY_TRY(ky_halt_check(&halt, error));
    KY_TRY(soften(model, own, parameters, &common, error));
    describe(model, parameters, &common, snapshot);
    if (systems) {
        common.n = systems->stars - systems->pairs;
        common.masses = systems->system;
    }
    KY_TRY(make_bodies(model, own, &common, snapshot, error));
    KY_TRY(ky_halt_check(&halt, error));
    return finish(model, &common, parameters, snapshot, error);
}

/* The same without ranks, also with pairs. */
static enum ky_status make_all(const struct ky_model *model, const void *own,
                               const struct ky_model_parameters *parameters,
                               struct ky_snapshot *snapshot, struct ky_error *error)
{
    struct ky_systems systems;
    if (!has_pairs(model, parameters))
        return make(model, own, parameters, NULL, NULL, snapshot, error);
    enum ky_status status = ky_binaries_choose(parameters, &systems, error);
    if (!status)
        status = make(model, own, parameters, NULL, &systems, snapshot, error);
    ky_systems_free(&systems);
    return status;
}

enum ky_status ky_model_make_one(const struct ky_model *model,
                                 const struct ky_model_parameters *given,
                                 struct ky_snapshot *snapshot, struct ky_error *error)
{
    struct ky_model_parameters parameters;
    ky_snapshot_clear(snapshot);
    void *own;
    KY_TRY(ky_array_zeroed(&own, 1, model->own_size, "the model's parameters", error));
    enum ky_status status = ky_model_resolve(model, given, &parameters, own, error);
    if (!status)
        status = make_all(model, own, &parameters, snapshot, error);
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

/* ---- recipes ---- */

/* The texts for position, velocity and orientation. */
static void find_texts(struct ky_model_parameters *parameters, const char **text[KY_RECIPE_TEXTS])
{
    text[0] = &parameters->position;
    text[1] = &parameters->velocity;
    text[2] = &parameters->orientation;
}

/* KY_UNSUPPORTED for texts that do not fit into a recipe. */
static enum ky_status keep_texts(struct ky_model_recipe *recipe, struct ky_error *error)
{
    const char **text[KY_RECIPE_TEXTS];
    find_texts(&recipe->parameters, text);
    for (int k = 0; k < KY_RECIPE_TEXTS; k++) {
        const size_t length = *text[k] ? strlen(*text[k]) : 1;
        if (!length || length >= KY_RECIPE_TEXT)
            return ky_fail(error, KY_UNSUPPORTED,
                           "a text for position, velocity or orientation has %zu characters",
                           length);
        if (*text[k])
            memcpy(recipe->text[k], *text[k], length + 1);
    }
    return KY_OK;
}

enum ky_status ky_recipe_write(const char *name, const struct ky_model_parameters *given,
                               struct ky_model_recipe *recipe, struct ky_snapshot *snapshot,
                               struct ky_error *error)
{
    const struct ky_model *model = ky_model_find(name, error);
    memset(recipe, 0, sizeof *recipe);
    ky_snapshot_clear(snapshot);
    if (!model)
        return KY_USAGE;
    if (!ky_model_in_parts(model) || model->own_size > sizeof recipe->own)
        return ky_fail(
            error, KY_UNSUPPORTED,
            "the bodies of the model %s depend on each other: make them with ky_model_make", name);
    KY_TRY(ky_model_resolve(model, given, &recipe->parameters, recipe->own, error));
    KY_TRY(keep_texts(recipe, error));
    if (has_pairs(model, &recipe->parameters))
        return ky_fail(error, KY_UNSUPPORTED,
                       "pairs are chosen from all stars: make them with ky_model_make");
    while (ky_models[recipe->model] != model)
        recipe->model++;
    struct ky_model_common common = common_of(model, &recipe->parameters);
    enum ky_status status = soften(model, recipe->own, &recipe->parameters, &common, error);
    describe(model, &recipe->parameters, &common, snapshot);
    if (model->scaling != KY_NOT_SCALED)
        snapshot->softening *= common.length;
    snapshot->bodies.n = recipe->parameters.n;
    return status;
}

enum ky_status ky_recipe_make(const struct ky_model_recipe *recipe,
                              const struct ky_portion *portion, struct ky_snapshot *snapshot,
                              struct ky_error *error)
{
    struct ky_model_parameters own = recipe->parameters;
    const char **text[KY_RECIPE_TEXTS];
    find_texts(&own, text);
    for (int k = 0; k < KY_RECIPE_TEXTS; k++)
        *text[k] = *recipe->text[k] ? recipe->text[k] : NULL;
    if (portion && !portion->leads)
        own.log = NULL;
    if (portion)
        own.stop = NULL; /* ranks could see it at different points */
    ky_snapshot_clear(snapshot);
    const enum ky_status status =
        make(ky_models[recipe->model], recipe->own, &own, portion, NULL, snapshot, error);
    if (status)
        ky_snapshot_free(snapshot);
    return status;
}

enum ky_status ky_model_describe(const char *name, const struct ky_model_parameters *parameters,
                                 struct ky_snapshot *snapshot, struct ky_error *error)
{
    KY_NEED(name, error);
    KY_NEED(parameters, error);
    KY_NEED(snapshot, error);
    struct ky_model_recipe recipe;
    struct ky_model_parameters own;
    ky_model_parameters_defaults(&own);
    enum ky_status status =
        ky_size_adopt(&own, sizeof own, parameters, "ky_model_parameters_defaults", error);
    own.log = NULL;
    return status ? status : ky_recipe_write(name, &own, &recipe, snapshot, error);
}
