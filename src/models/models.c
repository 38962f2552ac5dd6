/* The table of initial models and their options: options that all models share, and each model's
 * own. */
#include "models/models.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/status.h"
#include "base/text.h"
#include "base/units.h"
#include "models/binaries.h"
#include "models/place.h"
#include "models/population.h"
#include "physics/softening.h"

const struct ky_model *const ky_models[] = {
    &ky_plummer,    &ky_uniform_sphere, &ky_uniform_cube,  &ky_hernquist, &ky_jaffe,  &ky_nfw,
    &ky_king,       &ky_two_body,       &ky_random_sphere, &ky_figure8,   &ky_super8, &ky_cosmic,
    &ky_cosmic_box, &ky_galaxy,         &ky_cartwheel,     &ky_merger,
};
const size_t ky_model_count = sizeof ky_models / sizeof *ky_models;

#define FIELD(name) offsetof(struct ky_model_parameters, name)

#define WORD(value, word) "|" word
#define CHOICES(rows) (&(rows(WORD))[1])

const struct ky_option ky_model_options[] = {
    {"bodies", KY_OPTION_COUNT, FIELD(n), NULL, 1, (double)INFINITY, NULL, "N", "number of bodies"},
    {"seed", KY_OPTION_COUNT, FIELD(seed), "1", KY_NO_RANGE, NULL, NULL,
     "seed of the random numbers; the same seed gives the same bodies"},
    {"softening", KY_OPTION_REAL, FIELD(softening), NULL, 0, 1e6, NULL, "LENGTH",
     "softening length for which the velocities are computed; it is stored with the bodies and "
     "does not change positions. Without --softening it is 0.75 r_h N^−0.26, for galaxy with r_h "
     "of the disk; 0 for two-body and with --binaries, 0.1 for figure8 and super8, 0.01 for random "
     "and cartwheel, 0.1 "
     "for merger, 4 for cosmic, a 30th of the spacing for cosmic-box [length]"},
    {"softening-kind", KY_OPTION_CHOICE, FIELD(softening_kind), "plummer", KY_NO_RANGE,
     KY_SOFTENING_CHOICES, NULL,
     "softening law for which the velocities are computed; with symmetric, equal ε act as √2 ε; "
     "with spline, the velocities of disks, figure8, super8, two-body and uniform-cube are "
     "computed for plummer"},
    {"mass", KY_OPTION_REAL, FIELD(mass), NULL, 1e-300, 1e300, NULL, "MASS",
     "total mass of the bodies. The default is 1, but with --units and a --mass-function the mass "
     "of the stars that are drawn; with all three, the number of bodies is derived from it unless "
     "it is given [mass]"},
    {"radius", KY_OPTION_REAL, FIELD(radius), NULL, 1e-300, 1e300, NULL, "LENGTH",
     "half-mass radius of the smooth model (for galaxy 1.678 scale lengths of its disk), to which "
     "all lengths are scaled; without it the virial radius G M²/(4 |E|) is 1, and galaxy has the "
     "lengths of its own options [length]"},
    {"g", KY_OPTION_REAL, FIELD(units.g), NULL, 1e-300, 1e300, NULL, NULL,
     "gravitational constant; without --g it is the one of the units, 1 for N-body units"},
    {"mass-function", KY_OPTION_CHOICE, FIELD(mass_function), "equal", KY_NO_RANGE,
     CHOICES(KY_MASS_FUNCTION_ROWS), NULL,
     "masses of the bodies of a sphere: salpeter (0.1 to 100 Msun), kroupa (0.08 to 100 Msun), or "
     "equal. Without --units only their ratios count"},
    {"rotation", KY_OPTION_REAL, FIELD(rotation), "0", 0, 1, NULL, NULL,
     "spheres: fraction of the bodies with L_z < 0 whose velocity about the z axis is reversed; 1: "
     "all bodies rotate in the same sense"},
    {"binaries", KY_OPTION_REAL, FIELD(binaries), "0", 0, 1, NULL, "FRACTION",
     "spheres: fraction of the systems, pairs and single stars, that are pairs. --bodies counts "
     "stars; pair k has the ids 2k and 2k + 1. The softening is 0"},
    {"binary-periods", KY_OPTION_CHOICE, FIELD(binary_periods), "mixed", KY_NO_RANGE,
     CHOICES(KY_PERIOD_ROWS), NULL,
     "periods of pairs: kroupa (1995), sana (2012), sana above 5 Msun and else kroupa (mixed), or "
     "log-uniform. Only log-uniform needs no --units"},
    {"binary-axis-min", KY_OPTION_REAL, FIELD(binary_axis_min), NULL, KY_ABOVE_0, NULL, "LENGTH",
     "smallest semi-major axis of log-uniform pairs [length]"},
    {"binary-axis-max", KY_OPTION_REAL, FIELD(binary_axis_max), NULL, KY_ABOVE_0, NULL, "LENGTH",
     "largest semi-major axis of log-uniform pairs [length]"},
    {"binary-eccentricities", KY_OPTION_CHOICE, FIELD(binary_eccentricities), "by-periods",
     KY_NO_RANGE, CHOICES(KY_ECCENTRICITY_ROWS), NULL,
     "eccentricities of pairs: thermal, sana (2012), circular, or sana with periods of sana and "
     "else thermal (by-periods)"},
    {"binary-ratios", KY_OPTION_CHOICE, FIELD(binary_ratios), "massive", KY_NO_RANGE,
     CHOICES(KY_RATIO_ROWS), NULL,
     "mass ratios of pairs: random companions, or uniform from 0.1 to 1 above 5 Msun and else "
     "random (massive). The stars have the same masses as without pairs"},
    {"eigenevolution", KY_OPTION_FLAG, FIELD(eigenevolution), NULL, KY_NO_RANGE, NULL, NULL,
     "tides between young stars circularise close pairs (Kroupa 1995); masses do not change"},
    KY_OPTIONS_OF_PLACE(FIELD(position), FIELD(velocity), FIELD(orientation)),
};
const size_t ky_model_option_count = sizeof ky_model_options / sizeof *ky_model_options;

static struct ky_option_set shared_set(struct ky_model_parameters *parameters)
{
    return (struct ky_option_set){
        "model", ky_model_options, ky_model_option_count, parameters, NULL, NULL};
}

static struct ky_option_set own_set(const struct ky_model *model, void *own)
{
    return (struct ky_option_set){"model", model->options, model->option_count, own, NULL, NULL};
}

/* The field of the parameters with the name of a model's option, or NULL; all such fields are
 * reals. */
static double *field_of(struct ky_model_parameters *parameters, const char *name)
{
    const struct {
        const char *name;
        double *field;
    } fields[] = {
        {"cutoff", &parameters->cutoff},
        {"virial-ratio", &parameters->virial_ratio},
        {"w0", &parameters->w0},
        {"eccentricity", &parameters->eccentricity},
        {"mass-ratio", &parameters->mass_ratio},
        {"semi-major-axis", &parameters->semi_major_axis},
    };
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
        if (!strcmp(name, fields[k].name))
            return fields[k].field;
    return NULL;
}

void ky_model_parameters_defaults_sized(struct ky_model_parameters *parameters, size_t size)
{
    struct ky_model_parameters own = {.size = sizeof own};
    struct ky_option_set set = shared_set(&own);
    ky_options_defaults(&set);
    for (size_t m = 0; m < ky_model_count; m++)
        for (size_t k = 0; k < ky_models[m]->option_count; k++) {
            struct ky_option option = ky_models[m]->options[k];
            double *field = field_of(&own, option.name);
            option.offset = 0;
            set = (struct ky_option_set){"model", &option, 1, field, NULL, NULL};
            if (field)
                ky_options_defaults(&set);
        }
    ky_size_fill(parameters, size, &own, sizeof own);
}

const char *ky_model_name(size_t index)
{
    return index < ky_model_count ? ky_models[index]->name : NULL;
}

enum ky_status ky_model_get(size_t index, struct ky_model_about *about)
{
    if (index >= ky_model_count)
        return KY_USAGE;
    const struct ky_model_about own = {.name = ky_models[index]->name,
                                       .help = ky_models[index]->help};
    ky_size_give(about, &own, sizeof own);
    return KY_OK;
}

const struct ky_model *ky_model_find(const char *name, struct ky_error *error)
{
    char names[256] = "";
    for (size_t k = 0; k < ky_model_count; k++) {
        if (!strcmp(name, ky_models[k]->name))
            return ky_models[k];
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", k ? ", " : "", ky_models[k]->name);
    }
    ky_fail(error, KY_USAGE, "unknown model '%s'; the models are %s", name, names);
    return NULL;
}

int ky_model_in_equilibrium(const struct ky_model *model)
{
    return model->profile || model->shell;
}

int ky_model_in_parts(const struct ky_model *model)
{
    return model->in_parts || ky_model_in_equilibrium(model);
}

int ky_model_is_sphere(const struct ky_model *model)
{
    return ky_model_in_equilibrium(model) || model->sphere;
}

/* 1 if the model uses the option of ky_model_options. */
static int takes_shared(const struct ky_model *model, const char *option)
{
    if (!strcmp(option, "radius"))
        return model->scaling == KY_SCALE_RADIUS;
    if (!strcmp(option, "seed"))
        return !model->certain;
    if (!strcmp(option, "mass"))
        return model->scaling != KY_NOT_SCALED;
    if (!strcmp(option, "softening") || !strcmp(option, "softening-kind"))
        return !model->own_softenings;
    if (!strcmp(option, "mass-function") || !strcmp(option, "rotation") ||
        !strncmp(option, "binar", 5) || !strcmp(option, "eigenevolution"))
        return ky_model_is_sphere(model);
    return 1;
}

/* The model's option at this index, or NULL past the last. */
static const struct ky_option *option_at(const struct ky_model *model, size_t index)
{
    for (size_t k = 0; k < ky_model_option_count; k++)
        if (takes_shared(model, ky_model_options[k].name) && index-- == 0)
            return &ky_model_options[k];
    return index < model->option_count ? &model->options[index] : NULL;
}

int ky_model_takes(const struct ky_model *model, const char *option)
{
    const struct ky_option *at;
    for (size_t k = 0; (at = option_at(model, k)); k++)
        if (!strcmp(at->name, option))
            return 1;
    return 0;
}

enum { NAMES = 512 };

/* The names of all options that the model uses, separated by blanks. */
static void list_names(const struct ky_model *model, char names[NAMES])
{
    const struct ky_option *at;
    size_t used = 0;
    for (size_t k = 0; (at = option_at(model, k)) && used < NAMES; k++)
        used += (size_t)snprintf(names + used, NAMES - used, "%s%s", k ? " " : "", at->name);
}

enum ky_status ky_model_option_get(const char *name, size_t index, struct ky_option_about *about)
{
    const struct ky_model *model = name ? ky_model_find(name, NULL) : NULL;
    const struct ky_option *option = model ? option_at(model, index) : NULL;
    if (!option)
        return KY_USAGE;
    ky_option_describe("model", option, about);
    return KY_OK;
}

/* Takes one "name=value" of struct ky_model_parameters. */
static enum ky_status take_word(const struct ky_model *model, const struct ky_option_set sets[2],
                                const char *word, const struct ky_units *units,
                                struct ky_error *error)
{
    char name[64], names[NAMES];
    const struct ky_option_set *owner = NULL;
    const size_t length = strcspn(word, "=");
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    const struct ky_option *option = ky_options_find(sets, 2, name, &owner);
    if (option && word[length] && ky_model_takes(model, name))
        return ky_option_set_in(option, owner->values, word + length + 1, units, name, error);
    list_names(model, names);
    return ky_fail(
        error, KY_USAGE,
        "'%s' is not an option of the model %s and its value, as in seed=1; it takes: %s", word,
        model->name, names);
}

/* Fills the values of the model's own set: first defaults, then fields of the parameters, then the
 * options by name. */
static enum ky_status fill(const struct ky_model *model, const struct ky_option_set sets[2],
                           struct ky_model_parameters *parameters, struct ky_error *error)
{
    struct ky_units units = parameters->units; /* for values such as 3pc */
    ky_options_defaults(&sets[1]);
    for (size_t k = 0; k < model->option_count; k++) {
        const double *field = field_of(parameters, model->options[k].name);
        if (field)
            *(double *)((char *)sets[1].values + model->options[k].offset) = *field;
    }
    if (model->units && model->units(&units, NULL) != KY_OK)
        units = parameters->units; /* values with units are then refused */
    for (const char *const *word = parameters->options; word && *word; word++)
        KY_TRY(take_word(model, sets, *word, &units, error));
    return KY_OK;
}

/* The units of the model's bodies if the caller asks for `units`. */
static enum ky_status settle_units(const struct ky_model *model, struct ky_units *units,
                                   struct ky_error *error)
{
    enum ky_status status = ky_units_check(units, error);
    return status || !model->units ? status : model->units(units, error);
}

enum ky_status ky_model_units(const char *name, struct ky_units *units, struct ky_error *error)
{
    KY_NEED(name, error);
    KY_NEED(units, error);
    const struct ky_model *model = ky_model_find(name, error);
    struct ky_units own = *units;
    KY_TRY(model ? settle_units(model, &own, error) : KY_USAGE);
    *units = own;
    return KY_OK;
}

/* Logs properties of the model. */
static void tell(const struct ky_model_parameters *parameters, enum ky_log_level level,
                 const char *format, ...) __attribute__((format(printf, 3, 4)));
static void tell(const struct ky_model_parameters *parameters, enum ky_log_level level,
                 const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    ky_log_list((struct ky_log_to){parameters->log, parameters->log_context}, level, format,
                arguments);
    va_end(arguments);
}

/* Sets the total mass from the number of bodies or the number from the mass, for masses in solar
 * masses. */
static enum ky_status weigh_stars(const struct ky_model *model,
                                  struct ky_model_parameters *parameters, struct ky_error *error)
{
    const double sun = KY_SUN_G / parameters->units.mass_g, wanted = parameters->mass / sun;
    const int function = parameters->mass_function, given = !isnan(wanted);
    double sum;
    if (given && !(wanted > 0))
        return ky_fail(error, KY_USAGE, "mass: %g is out of range; it must be more than 0",
                       parameters->mass);
    if (!parameters->n && given) {
        parameters->n = ky_population_number(function, parameters->seed, wanted, &sum);
        if (!parameters->n)
            return ky_fail(error, KY_USAGE, "%s: --mass is %g Msun, too many stars to be counted",
                           model->name, wanted);
        const double far = 0.05; /* tolerance of the mass: few stars, or a heavy one at the end */
        tell(parameters, fabs(sum / wanted - 1) > far ? KY_LOG_WARNING : KY_LOG_INFO,
             "%s: %llu %s of %.6g Msun in all", model->name, (unsigned long long)parameters->n,
             ky_plural(parameters->n, "star", "stars"), sum);
    } else {
        sum = ky_population_total(function, parameters->seed, parameters->n);
        if (given && fabs(wanted / sum - 1) > 1e-6)
            tell(parameters, KY_LOG_WARNING,
                 "%s: %llu %s %.6g Msun, and --mass is %.6g Msun: all masses are "
                 "multiplied by %.6g. Without -n, or without --mass, they keep theirs",
                 model->name, (unsigned long long)parameters->n,
                 ky_plural(parameters->n, "star has", "stars have"), sum, wanted, wanted / sum);
        if (given)
            return KY_OK;
    }
    parameters->mass = sum * sun;
    return KY_OK;
}

static enum ky_status check_bodies(const struct ky_model *model, uint64_t n, struct ky_error *error)
{
    if (!n)
        return ky_fail(error, KY_USAGE, "%s: no number of bodies; give one, such as -n 10000",
                       model->name);
    if (model->bodies && n != model->bodies)
        return ky_fail(error, KY_USAGE,
                       "the model %s always has %zu bodies, not %llu; leave out -n", model->name,
                       model->bodies, (unsigned long long)n);
    if (n < model->least)
        return ky_fail(error, KY_USAGE, "%s with %llu bodies; it needs at least %zu", model->name,
                       (unsigned long long)n, model->least);
    return KY_OK;
}

enum ky_status ky_model_resolve(const struct ky_model *model,
                                const struct ky_model_parameters *given,
                                struct ky_model_parameters *parameters, void *own,
                                struct ky_error *error)
{
    const struct ky_option_set sets[] = {shared_set(parameters), own_set(model, own)};
    ky_model_parameters_defaults(parameters);
    enum ky_status status =
        ky_size_adopt(parameters, sizeof *parameters, given, "ky_model_parameters_defaults", error);
    if (!status)
        status = fill(model, sets, parameters, error);
    if (!status)
        status = settle_units(model, &parameters->units, error);
    const int stars = ky_model_is_sphere(model) && parameters->units.mass_g > 0 &&
                      parameters->mass_function > KY_MASS_EQUAL &&
                      parameters->mass_function <= KY_MASS_KROUPA;
    if (!status && !parameters->n && !(stars && !isnan(parameters->mass)))
        parameters->n = model->bodies ? model->bodies : model->usual;
    if (parameters->softening_kind == KY_SOFTENING_KIND_BY_SNAPSHOT)
        parameters->softening_kind = KY_PLUMMER;
    if (!status && stars)
        status = weigh_stars(model, parameters, error);
    if (isnan(parameters->mass))
        parameters->mass = 1;
    if (!status)
        status = check_bodies(model, parameters->n, error);
    if (!status && ky_model_is_sphere(model) && parameters->binaries > 0)
        status = ky_binaries_resolve(model->name, parameters, error);
    for (int s = 0; s < 2 && !status; s++)
        status = ky_options_check(&sets[s], error);
    return status;
}
