/* Fields of the public structs by name: the only file that knows the option tables of all of them.
 */
#include "base/options.h"

#include "analysis/analysis.h"
#include "base/status.h"
#include "integrate/integrate.h"
#include "models/models.h"
#include "simulation/run.h"

static size_t parameter_sets(struct ky_option_set sets[KY_KIND_SETS])
{
    _Static_assert((int)KY_PARAMETER_SETS <= (int)KY_KIND_SETS, "tables of struct ky_parameters");
    ky_parameter_sets(NULL, sets);
    return KY_PARAMETER_SETS;
}

/* A struct that one table describes. */
#define ROW(kind, title, name, type)                                                               \
    {                                                                                              \
        kind, title, ky_##name##_options, &ky_##name##_option_count, sizeof(struct ky_##type),     \
            "ky_" #type "_defaults", NULL                                                          \
    }

static const struct ky_options_row rows[] = {
    {KY_OPTIONS_PARAMETERS, NULL, NULL, NULL, sizeof(struct ky_parameters),
     "ky_parameters_defaults", parameter_sets},
    ROW(KY_OPTIONS_RUN, "run", run, run_parameters),
    ROW(KY_OPTIONS_MODEL, "model", model, model_parameters),
    ROW(KY_OPTIONS_MERGE, "merge", merge, merge_parameters),
    ROW(KY_OPTIONS_GROUPS, "groups", catalogue, catalogue_parameters),
    ROW(KY_OPTIONS_PROFILE, "profile", profile, profile_parameters),
    ROW(KY_OPTIONS_TUNE, "tune", tune, tune_parameters),
};
static const struct ky_options_rows kinds = {rows, sizeof rows / sizeof *rows};

enum ky_status ky_options_get(int kind, size_t index, struct ky_option_about *about)
{
    return ky_kind_get(&kinds, kind, index, about);
}

enum ky_status ky_options_set(int kind, void *values, const char *name, const char *value,
                              const struct ky_units *units, struct ky_error *error)
{
    KY_NEED(values, error);
    KY_NEED(name, error);
    KY_NEED(value, error);
    const struct ky_units none = {0};
    const struct ky_option *option = ky_kind_find(&kinds, kind, values, name, error);
    return option ? ky_option_set_in(option, values, value, units ? units : &none, name, error)
                  : KY_USAGE;
}

enum ky_status ky_options_text(int kind, const void *values, const char *name, char *text,
                               size_t size, struct ky_error *error)
{
    KY_NEED(values, error);
    KY_NEED(name, error);
    KY_NEED(text, error);
    const struct ky_option *option = ky_kind_find(&kinds, kind, values, name, error);
    return option ? ky_option_give_text(option, values, text, size, error) : KY_USAGE;
}

/* ---- struct ky_parameters alone ---- */

enum { SETS = KY_PARAMETER_SETS + 1 };

static void all_sets(struct ky_parameters *parameters, struct ky_run_parameters *run,
                     struct ky_option_set sets[SETS])
{
    ky_parameter_sets(parameters, sets);
    sets[SETS - 1] =
        (struct ky_option_set){"run", ky_run_options, ky_run_option_count, run, NULL, NULL};
}

enum ky_status ky_option_get(size_t index, struct ky_option_about *about)
{
    struct ky_parameters parameters;
    struct ky_run_parameters run;
    struct ky_option_set sets[SETS];
    all_sets(&parameters, &run, sets);
    for (int s = 0; s < SETS; s++)
        for (size_t k = 0; k < sets[s].count; k++) {
            const struct ky_option *option = &sets[s].options[k];
            if (!ky_options_is_first(sets, SETS, &sets[s], option) || index--)
                continue;
            ky_option_describe(sets[s].title, option, about);
            return KY_OK;
        }
    return KY_USAGE;
}

/* 1 if the program that filled the struct knows its member `units`. */
static int has_units(const struct ky_parameters *parameters)
{
    return parameters->size >= offsetof(struct ky_parameters, units) + sizeof parameters->units;
}

enum ky_status ky_parameters_set(struct ky_parameters *parameters, const char *name,
                                 const char *value, struct ky_error *error)
{
    KY_NEED(parameters, error);
    KY_NEED(name, error);
    KY_NEED(value, error);
    const struct ky_units none = {0};
    struct ky_option_set sets[KY_PARAMETER_SETS];
    ky_parameter_sets(parameters, sets);
    const struct ky_option *option =
        ky_option_by_name(sets, KY_PARAMETER_SETS, parameters, name, error);
    return option
               ? ky_option_set_in(option, parameters, value,
                                  has_units(parameters) ? &parameters->units : &none, name, error)
               : KY_USAGE;
}

enum ky_status ky_parameters_get(const struct ky_parameters *parameters, const char *name,
                                 char *value, size_t size, struct ky_error *error)
{
    KY_NEED(parameters, error);
    KY_NEED(name, error);
    KY_NEED(value, error);
    struct ky_parameters own;
    struct ky_option_set sets[KY_PARAMETER_SETS];
    KY_TRY(ky_size_adopt(&own, sizeof own, parameters, "ky_parameters_defaults", error));
    ky_parameter_sets(&own, sets);
    const struct ky_option *option =
        ky_option_by_name(sets, KY_PARAMETER_SETS, parameters, name, error);
    return option ? ky_option_give_text(option, &own, value, size, error) : KY_USAGE;
}
