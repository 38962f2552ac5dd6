/* The table of initial models, their options, and what is common to all of them. */
#include "models/models.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "base/sums.h"
#include "base/units.h"
#include "models/equilibrium.h"
#include "physics/recommended.h"

const struct ky_model ky_models[] = {
    {"plummer", "Plummer sphere in equilibrium; cut at 38.7 scale radii (99.9 % of the mass)",
     "radius softening softening-kind cutoff ", 0, ky_profile_plummer, NULL, NULL, 0},
    {"uniform-sphere", "homogeneous sphere, cold or with Maxwellian velocities",
     "radius softening softening-kind virial-ratio ", 0, NULL, ky_make_uniform_sphere,
     ky_half_mass_uniform_sphere, 0},
    {"uniform-cube", "homogeneous cube, cold or with Maxwellian velocities",
     "radius softening softening-kind virial-ratio ", 0, NULL, ky_make_uniform_cube,
     ky_half_mass_uniform_cube, 0},
    {"hernquist", "Hernquist sphere in equilibrium; cut at 100 scale radii (98 % of the mass)",
     "radius softening softening-kind cutoff ", 0, ky_profile_hernquist, NULL, NULL, 1},
    {"king", "King sphere in equilibrium, out to its tidal radius",
     "radius softening softening-kind w0 ", 0, ky_profile_king, NULL, NULL, 0},
    {"two-body", "two bodies on a bound orbit, at its apocentre",
     "softening softening-kind eccentricity mass-ratio semi-major-axis ", 2, NULL, ky_make_two_body,
     NULL, 0},
};
const size_t ky_model_count = sizeof ky_models / sizeof *ky_models;

#define FIELD(name) offsetof(struct ky_model_parameters, name)

const struct ky_option ky_model_options[] = {
    {"bodies", KY_OPTION_COUNT, FIELD(n), NULL, KY_NO_RANGE, NULL, "N", "number of bodies"},
    {"seed", KY_OPTION_COUNT, FIELD(seed), "1", KY_NO_RANGE, NULL, NULL,
     "seed of the random numbers; the same seed gives the same bodies"},
    {"softening", KY_OPTION_REAL, FIELD(softening), NULL, 0, 1e6, NULL, "LENGTH",
     "softening that the velocities are in balance with; it is stored with the bodies, for the "
     "run. Positions and E = −1/4 are those of the Newtonian system. Without --softening it is "
     "0.75 "
     "r_h N^−0.26, or 0 for two-body [length]"},
    {"softening-kind", KY_OPTION_CHOICE, FIELD(softening_kind), "plummer", KY_NO_RANGE,
     "plummer|symmetric", NULL, "kind of that softening; with symmetric, equal ε act as √2 ε"},
    {"cutoff", KY_OPTION_REAL, FIELD(cutoff), "0", 0, 1e6, NULL, "LENGTH",
     "plummer, hernquist: outermost radius; 0: the default of the model [scale radius]"},
    {"virial-ratio", KY_OPTION_REAL, FIELD(virial_ratio), "0", 0, 1.99, NULL, NULL,
     "uniform-sphere, uniform-cube: 2T/|Σ m x·a|; 0 is cold, 1 is in balance"},
    {"w0", KY_OPTION_REAL, FIELD(w0), "6", 0.1, 16, NULL, NULL,
     "king: central potential in units of the velocity parameter squared"},
    {"eccentricity", KY_OPTION_REAL, FIELD(eccentricity), "0", 0, 0.999999, NULL, NULL,
     "two-body: eccentricity of the orbit"},
    {"mass-ratio", KY_OPTION_REAL, FIELD(mass_ratio), "1", 0, 1e6, NULL, NULL,
     "two-body: mass of the second body over that of the first"},
    {"semi-major-axis", KY_OPTION_REAL, FIELD(semi_major_axis), "1", 1e-6, 1e6, NULL, "LENGTH",
     "two-body: semi-major axis of the relative orbit [length]"},
    {"mass", KY_OPTION_REAL, FIELD(mass), "1", 1e-300, 1e300, NULL, NULL,
     "total mass of the bodies [mass]"},
    {"radius", KY_OPTION_REAL, FIELD(radius), NULL, 1e-300, 1e300, NULL, "LENGTH",
     "all but two-body: half-mass radius of the smooth model; without it the virial radius G M²/(4 "
     "|E|) is 1 "
     "[length]"},
    {"g", KY_OPTION_REAL, FIELD(units.g), NULL, 1e-300, 1e300, NULL, NULL,
     "constant of gravity that the velocities are for; without it that of the units, 1 for N-body "
     "units"},
};
const size_t ky_model_option_count = sizeof ky_model_options / sizeof *ky_model_options;

static struct ky_option_set options_of(struct ky_model_parameters *parameters)
{
    return (struct ky_option_set){"model", ky_model_options, ky_model_option_count, parameters,
                                  NULL};
}

void ky_model_parameters_defaults(struct ky_model_parameters *parameters)
{
    memset(parameters, 0, sizeof *parameters);
    parameters->size = sizeof *parameters;
    struct ky_option_set set = options_of(parameters);
    ky_options_defaults(&set);
}

const char *ky_model_name(size_t index)
{
    return index < ky_model_count ? ky_models[index].name : NULL;
}

const struct ky_model *ky_model_find(const char *name, struct ky_error *error)
{
    char names[256] = "";
    for (size_t k = 0; k < ky_model_count; k++) {
        if (!strcmp(name, ky_models[k].name))
            return &ky_models[k];
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", k ? ", " : "", ky_models[k].name);
    }
    ky_fail(error, KY_USAGE, "unknown model '%s'; the models are %s", name, names);
    return NULL;
}

int ky_model_takes(const struct ky_model *model, const char *option)
{
    static const char *const common[] = {"bodies", "seed", "mass", "g"};
    for (size_t k = 0; k < sizeof common / sizeof *common; k++)
        if (!strcmp(option, common[k]))
            return 1;
    size_t length = strlen(option);
    for (const char *word = model->takes; *word; word = strchr(word, ' ') + 1)
        if (!strncmp(word, option, length) && word[length] == ' ')
            return 1;
    return 0;
}

double ky_pair_softening(const struct ky_model_parameters *parameters)
{
    return parameters->softening * (parameters->softening_kind == KY_SYMMETRIC ? sqrt(2.0) : 1.0);
}

/* E = W + T = W (1 − Q/2) */
double ky_henon_potential(const struct ky_model_parameters *parameters)
{
    return -0.25 / (1 - 0.5 * parameters->virial_ratio);
}

/* 3 σ² = 2T = Q |Σ m x·a| */
void ky_maxwellian(const struct ky_model_parameters *parameters, double virial,
                   struct ky_bodies *bodies)
{
    const double sigma = sqrt(parameters->virial_ratio * virial / 3);
    if (sigma > 0) {
#pragma omp parallel for schedule(static)
        for (size_t i = 0; i < bodies->n; i++) {
            struct ky_random motion = ky_random_at(parameters->seed, KY_STREAM_VELOCITY, i);
            for (int k = 0; k < 3; k++)
                bodies->velocity[i][k] = sigma * ky_random_normal(&motion);
        }
    }
}

/* The caller's struct may be of an older, shorter version. */
static enum ky_status resolve(const struct ky_model *model, const struct ky_model_parameters *given,
                              struct ky_model_parameters *parameters, struct ky_error *error)
{
    ky_model_parameters_defaults(parameters);
    if (!ky_size_adopt(parameters, sizeof *parameters, given))
        return ky_fail(error, KY_USAGE,
                       "model parameters of size %zu; fill them with ky_model_parameters_defaults",
                       given->size);
    if (!parameters->n)
        parameters->n = model->bodies;
    if (parameters->softening_kind == KY_SOFTENING_KIND_BY_SNAPSHOT)
        parameters->softening_kind = KY_PLUMMER;
    if (!parameters->n)
        return ky_fail(error, KY_USAGE, "%s of 0 bodies; give a number of bodies, such as -n 10000",
                       model->name);
    if (model->bodies && parameters->n != model->bodies)
        return ky_fail(error, KY_USAGE, "%s makes %zu bodies; %llu were asked for", model->name,
                       model->bodies, (unsigned long long)parameters->n);
    struct ky_option_set set = options_of(parameters);
    enum ky_status status = ky_options_check(&set, error);
    return status ? status : ky_units_check(&parameters->units, error);
}

/* Of the smooth model, in Hénon units; 0 for what is no smooth system. */
static enum ky_status half_mass(const struct ky_model *model,
                                const struct ky_model_parameters *parameters, double *radius,
                                struct ky_error *error)
{
    if (model->profile)
        return ky_equilibrium_half_mass(parameters, model->profile, radius, error);
    *radius = model->half_mass ? model->half_mass(parameters) : 0;
    return KY_OK;
}

/* From Hénon units, or those of two-body, to the parameters'; `length` is the unit of length. */
static void scale(const struct ky_model_parameters *parameters, double length,
                  struct ky_bodies *bodies)
{
    const double speed = sqrt(parameters->units.g * parameters->mass / length);
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < bodies->n; i++) {
        bodies->mass[i] *= parameters->mass;
        for (int k = 0; k < 3; k++) {
            bodies->position[i][k] *= length;
            bodies->velocity[i][k] *= speed;
        }
    }
}

/* The total momentum becomes 0. The origin is the centre of mass, or the cusp (one body has none).
 */
static void centre(const struct ky_model *model, struct ky_bodies *bodies)
{
    double mean[3];
    if (!model->cusp || bodies->n == 1) {
        ky_mean(bodies->n, bodies->mass, bodies->position, mean);
        ky_subtract(bodies->n, bodies->position, mean);
    }
    ky_mean(bodies->n, bodies->mass, bodies->velocity, mean);
    ky_subtract(bodies->n, bodies->velocity, mean);
}

enum ky_status ky_model_make(const char *name, const struct ky_model_parameters *given,
                             struct ky_snapshot *snapshot, struct ky_error *error)
{
    struct ky_model_parameters parameters;
    struct ky_bodies *bodies = &snapshot->bodies;
    double radius = 0;
    ky_snapshot_clear(snapshot);
    const struct ky_model *model = ky_model_find(name, error);
    enum ky_status status = model ? resolve(model, given, &parameters, error) : KY_USAGE;
    if (!status)
        status = half_mass(model, &parameters, &radius, error);
    if (status)
        return status;
    double length = isnan(parameters.radius) || !(radius > 0) ? 1 : parameters.radius / radius;
    parameters.softening = isnan(parameters.softening)
                               ? ky_recommended_softening(radius, (double)parameters.n)
                               : parameters.softening / length;
    snapshot->softening = parameters.softening * length;
    snapshot->units = parameters.units;
    snapshot->softening_kind = parameters.softening_kind;
    status = ky_bodies_allocate(bodies, parameters.n, KY_WITH_ID, error);
    if (status)
        return status;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < bodies->n; i++) {
        bodies->mass[i] = 1 / (double)bodies->n;
        bodies->id[i] = i;
    }
    status = model->profile ? ky_equilibrium_make(&parameters, model->profile, bodies, error)
                            : model->make(&parameters, bodies, error);
    if (status)
        ky_bodies_free(bodies);
    else
        centre(model, bodies);
    if (!status)
        scale(&parameters, length, bodies);
    return status;
}
