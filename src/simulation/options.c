/* The tables of options for programs: which there are, and setting fields by name. */
#include "base/options.h"
#include "base/status.h"
#include "simulation/run.h"

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
    const struct ky_option *option;
    KY_TRY(ky_option_by_name(sets, KY_PARAMETER_SETS, parameters, name, &option, error));
    return ky_option_set_in(option, parameters, value,
                            has_units(parameters) ? &parameters->units : &none, name, error);
}

enum ky_status ky_parameters_get(const struct ky_parameters *parameters, const char *name,
                                 char *value, size_t size, struct ky_error *error)
{
    KY_NEED(parameters, error);
    KY_NEED(name, error);
    KY_NEED(value, error);
    struct ky_parameters own;
    const struct ky_option *option;
    struct ky_option_set sets[KY_PARAMETER_SETS];
    enum ky_status status =
        ky_size_adopt(&own, sizeof own, parameters, "ky_parameters_defaults", error);
    ky_parameter_sets(&own, sets);
    if (!status)
        status = ky_option_by_name(sets, KY_PARAMETER_SETS, parameters, name, &option, error);
    return status ? status : ky_option_give_text(option, &own, value, size, error);
}
