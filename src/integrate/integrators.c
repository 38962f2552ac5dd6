/* The table of integrators, and the options of struct ky_parameters in all. */
#include "integrate/integrate.h"

#include <stddef.h>

static const struct ky_integrator_verbs *const integrators[] = {
    [KY_LEAPFROG] = &ky_leapfrog,
};
_Static_assert(sizeof integrators / sizeof *integrators == KY_INTEGRATORS, "one row each");

static const struct ky_option choice[] = {
    {"integrator", KY_OPTION_CHOICE, offsetof(struct ky_parameters, integrator), "leapfrog",
     KY_NO_RANGE, "leapfrog", NULL, "leapfrog: kick-drift-kick with one step for all"},
};

enum ky_status ky_integrator_create(struct ky_engine *engine, size_t n,
                                    const struct ky_parameters *parameters,
                                    struct ky_integrator_state **integrator, struct ky_error *error)
{
    const struct ky_integrator_verbs *verbs = integrators[parameters->integrator];
    *integrator = NULL;
    enum ky_status status = ky_engine_columns(engine, verbs->columns, error);
    return status ? status : verbs->create(engine, n, parameters, integrator, error);
}

void ky_integrator_free(struct ky_integrator_state *integrator)
{
    if (integrator)
        integrator->verbs->free(integrator);
}

uint64_t ky_integrator_stride(const struct ky_parameters *parameters)
{
    const struct ky_integrator_verbs *verbs = integrators[parameters->integrator];
    return verbs->stride ? verbs->stride(parameters) : 1;
}

unsigned ky_integrator_columns(const struct ky_parameters *parameters)
{
    return integrators[parameters->integrator]->columns;
}

/* ---- options ---- */

void ky_parameter_sets(struct ky_parameters *parameters,
                       struct ky_option_set sets[KY_PARAMETER_SETS])
{
    static const char *const title = "integrator";
    ky_force_sets(parameters, sets);
    sets[KY_FORCE_SETS] = (struct ky_option_set){title, choice, 1, parameters, NULL};
    for (int k = 0; k < KY_INTEGRATORS; k++)
        sets[KY_FORCE_SETS + 1 + k] = (struct ky_option_set){
            title, integrators[k]->options, integrators[k]->option_count, parameters, NULL};
}

void ky_parameters_defaults(struct ky_parameters *parameters)
{
    struct ky_option_set sets[KY_PARAMETER_SETS];
    *parameters = (struct ky_parameters){.size = sizeof *parameters};
    ky_parameter_sets(parameters, sets);
    for (int k = 0; k < KY_PARAMETER_SETS; k++)
        ky_options_defaults(&sets[k]);
}

enum ky_status ky_parameters_resolve(const struct ky_parameters *given,
                                     struct ky_parameters *resolved, struct ky_error *error)
{
    struct ky_parameters own;
    ky_parameters_defaults(&own);
    struct ky_option_set sets[KY_PARAMETER_SETS];
    enum ky_status status = ky_size_adopt(&own, sizeof own, given, "ky_parameters_defaults", error);
    if (!status)
        status = ky_force_resolve(&own, resolved, error);
    ky_parameter_sets(resolved, sets);
    for (int k = KY_FORCE_SETS; k < KY_PARAMETER_SETS && !status; k++)
        status = ky_options_check(&sets[k], error);
    return status;
}
