/* Fields of the public structs by name: the only file that knows the tables of all of them. */
#include "base/options.h"

#include "analysis/analysis.h"
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
    return ky_kind_set(&kinds, kind, values, name, value, units, error);
}

enum ky_status ky_options_text(int kind, const void *values, const char *name, char *text,
                               size_t size, struct ky_error *error)
{
    KY_NEED(values, error);
    KY_NEED(name, error);
    KY_NEED(text, error);
    return ky_kind_text(&kinds, kind, values, name, text, size, error);
}
