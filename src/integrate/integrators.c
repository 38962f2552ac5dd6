/* The table of integrators, and all options of struct ky_parameters. */
#include "integrate/integrate.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/bodies.h"
#include "base/status.h"
#include "domain/domain.h"
#include "engine/force_options.h"
#include "integrate/expansion.h"
#include "integrate/friction.h"

static const struct ky_integrator_verbs *const integrators[] = {
    [KY_LEAPFROG] = &ky_leapfrog,
    [KY_BLOCK_STEPS] = &ky_block,
    [KY_HERMITE4] = &ky_hermite4,
    [KY_FEW] = &ky_few_bodies,
};
_Static_assert(sizeof integrators / sizeof *integrators == KY_INTEGRATORS, "one row each");

static const struct ky_option common[] = {
    {"integrator", KY_OPTION_CHOICE, offsetof(struct ky_parameters, integrator), "leapfrog",
     KY_NO_RANGE, "leapfrog|block|hermite4|few", NULL,
     "leapfrog: kick-drift-kick with one step for all bodies; block: the same with individual "
     "steps, the longest one divided by powers of two; hermite4: the fourth-order Hermite scheme "
     "with such steps, for --force direct; few: up to 100 bodies without softening, in relative "
     "coordinates, by a leap-frog of order 8 that is regular in close encounters"},
    {"expansion", KY_OPTION_TEXT, offsetof(struct ky_parameters, expansion), NULL, KY_NO_RANGE,
     NULL, "bodies|omega-m=VALUE,...",
     "leapfrog, and block in a box: steps equal in ln a, where a is the scale factor of a universe "
     "with the density "
     "parameters omega-m and omega-lambda (0) and the Hubble constant h0 [1/time]. --step, --every "
     "and --energy-every are then intervals of ln a. With --box coordinates are comoving, and all "
     "times are scale factors; the universe may also have radiation, omega-r (0), and dark energy "
     "with w = w0 + wa (1 - a), w0 (-1) and wa (0). In open space they are physical, and the time "
     "of the bodies is the age of the universe. bodies: the universe of the model or file"},
};

void ky_integrator_settle(struct ky_parameters *parameters, const struct ky_bodies *bodies)
{
    const struct ky_integrator_verbs *verbs = integrators[parameters->integrator];
    const size_t massless = bodies->mass ? ky_bodies_massless(bodies) : 0;
    if (!verbs->settle)
        return;
    verbs->settle(parameters, bodies, bodies->n - massless);
}

static enum ky_status check_engine(const struct ky_engine *engine,
                                   const struct ky_integrator_verbs *verbs, unsigned schemes,
                                   struct ky_error *error)
{
    if ((schemes >> KY_SCHEME_GROUPS & 1U) && !ky_engine_advances(engine, KY_SCHEME_GROUPS))
        return ky_fail(error, KY_UNSUPPORTED,
                       "engine %s has no groups of close bodies: give --engine cpu, or leave out "
                       "--groups and --group-radius, and give a --softening",
                       engine->verbs->name);
    for (int scheme = 0; schemes >> scheme; scheme++)
        if ((schemes >> scheme & 1U) && !ky_engine_advances(engine, (enum ky_scheme)scheme))
            return ky_fail(error, KY_UNSUPPORTED,
                           "engine %s cannot run --integrator %s%s; choose another --engine, "
                           "--force or --integrator",
                           engine->verbs->name, verbs->name,
                           scheme == KY_SCHEME_COMOVING ? " in a comoving box" : "");
    return KY_OK;
}

enum ky_status ky_integrator_check(const struct ky_parameters *parameters, struct ky_error *error)
{
    const struct ky_integrator_verbs *verbs = integrators[parameters->integrator];
    if (verbs->check)
        KY_TRY(verbs->check(parameters, error));
    return ky_friction_check(parameters, verbs, error);
}

enum ky_status ky_integrator_create(struct ky_engine *engine, size_t n,
                                    const struct ky_parameters *parameters,
                                    struct ky_integrator_state **integrator, struct ky_error *error)
{
    const struct ky_integrator_verbs *verbs = integrators[parameters->integrator];
    struct ky_parameters settled = *parameters;
    ky_integrator_settle(&settled, &(struct ky_bodies){.n = n});
    *integrator = NULL;
    KY_TRY(ky_integrator_check(parameters, error));
    KY_TRY(check_engine(engine, verbs, ky_integrator_use(&settled, n).schemes, error));
    KY_TRY(ky_engine_columns(engine, ky_integrator_columns(&settled), error));
    return verbs->create(engine, n, &settled, integrator, error);
}

enum ky_status ky_integrator_check_bodies(const struct ky_parameters *parameters,
                                          const struct ky_bodies *bodies, struct ky_error *error)
{
    const struct ky_integrator_verbs *verbs = integrators[parameters->integrator];
    if (verbs->check_bodies)
        KY_TRY(verbs->check_bodies(parameters, bodies, error));
    return ky_friction_check_bodies(parameters, bodies, error);
}

void ky_integrator_free(struct ky_integrator_state *integrator)
{
    if (integrator)
        integrator->verbs->free(integrator);
}

struct ky_engine_use ky_integrator_use(const struct ky_parameters *parameters, size_t n)
{
    const struct ky_integrator_verbs *verbs = integrators[parameters->integrator];
    const unsigned more = verbs->more_schemes ? verbs->more_schemes(parameters) : 0;
    return (struct ky_engine_use){.n = n, .schemes = verbs->schemes | more};
}

enum ky_status ky_integrator_engine(const struct ky_parameters *parameters, size_t n, size_t room,
                                    struct ky_engine **engine, struct ky_error *error)
{
    const struct ky_integrator_verbs *verbs = integrators[parameters->integrator];
    const struct ky_engine_use use = ky_integrator_use(parameters, n);
    enum ky_status status = parameters->ranks > 1
                                ? ky_domain_open(parameters, room, &use, engine, error)
                                : ky_engine_open_for(parameters, room, &use, engine, error);
    if (!status)
        status = check_engine(*engine, verbs, use.schemes, error);
    if (status) {
        ky_engine_close(*engine);
        *engine = NULL;
    }
    return status;
}

int ky_integrator_takes_any_length(const struct ky_parameters *parameters)
{
    return integrators[parameters->integrator]->any_length;
}

uint64_t ky_integrator_stride(const struct ky_parameters *parameters, double step)
{
    const struct ky_integrator_verbs *verbs = integrators[parameters->integrator];
    return verbs->stride ? verbs->stride(parameters, step) : 1;
}

double ky_integrator_suggest(const struct ky_parameters *parameters, const struct ky_scales *scales)
{
    const struct ky_integrator_verbs *verbs = integrators[parameters->integrator];
    return verbs->suggest ? verbs->suggest(parameters, scales) : scales->step;
}

double ky_integrator_early_step(const struct ky_parameters *parameters)
{
    const struct ky_integrator_verbs *verbs = integrators[parameters->integrator];
    return parameters->late_step * (KY_EARLY_STEP / verbs->late_step);
}

unsigned ky_integrator_columns(const struct ky_parameters *parameters)
{
    const struct ky_integrator_verbs *verbs = integrators[parameters->integrator];
    return verbs->columns | (verbs->more_columns ? verbs->more_columns(parameters) : 0);
}

/* ---- options ---- */

void ky_parameter_sets(struct ky_parameters *parameters,
                       struct ky_option_set sets[KY_PARAMETER_SETS])
{
    static const char *const title = "integrator";
    ky_force_sets(parameters, sets);
    sets[KY_FORCE_SETS] = (struct ky_option_set){title,      common, sizeof common / sizeof *common,
                                                 parameters, NULL,   NULL};
    for (int k = 0; k < KY_INTEGRATORS; k++)
        sets[KY_FORCE_SETS + 1 + k] = (struct ky_option_set){
            title, integrators[k]->options, integrators[k]->option_count, parameters, NULL, NULL};
    sets[KY_PARAMETER_SETS - 1] = (struct ky_option_set){
        "stopping", ky_stopping_options, ky_stopping_option_count, parameters, NULL, NULL};
}

void ky_parameters_defaults_sized(struct ky_parameters *parameters, size_t size)
{
    struct ky_option_set sets[KY_PARAMETER_SETS];
    struct ky_parameters own = {.size = sizeof own};
    ky_parameter_sets(&own, sets);
    for (int k = 0; k < KY_PARAMETER_SETS; k++)
        ky_options_defaults(&sets[k]);
    ky_size_fill(parameters, size, &own, sizeof own);
}

/* Fields with a different meaning for each integrator get their default here. */
static void complete(struct ky_parameters *parameters, const struct ky_integrator_verbs *verbs)
{
    if (isnan(parameters->eta))
        parameters->eta = verbs->eta;
    if (isnan(parameters->step) && isnan(parameters->late_step) && isnan(parameters->step_a) &&
        verbs->late_step > 0 && ky_is_comoving(parameters))
        parameters->late_step = verbs->late_step;
}

/* Whether the option has the default value of any integrator, in this version or an earlier one. */
static int is_initial(const struct ky_option *option, const struct ky_parameters *parameters)
{
    char given[64], initial[64];
    int same = 0;
    ky_option_text(option, parameters, given, sizeof given);
    for (int k = 0; k < 2 * KY_INTEGRATORS && !same; k++) {
        struct ky_parameters defaults;
        ky_parameters_defaults(&defaults);
        defaults.integrator = k / 2;
        complete(&defaults, integrators[k / 2]);
        if (k % 2)
            ky_integrator_settle(&defaults, &(struct ky_bodies){.n = SIZE_MAX});
        ky_option_text(option, &defaults, initial, sizeof initial);
        same = !strcmp(given, initial);
    }
    return same;
}

/* 1 for an option that the integrator has only in comoving boxes. */
static int is_for_boxes(const struct ky_integrator_verbs *verbs, const char *name)
{
    size_t b = 0;
    while (verbs->in_comoving_box[b] && strcmp(name, verbs->in_comoving_box[b]) != 0)
        b++;
    return verbs->in_comoving_box[b] != NULL;
}

int ky_integrator_has(const struct ky_parameters *parameters, const char *name)
{
    const struct ky_integrator_verbs *verbs = integrators[parameters->integrator];
    size_t k = 0;
    while (k < verbs->option_count && strcmp(verbs->options[k].name, name) != 0)
        k++;
    return k < verbs->option_count && (ky_is_comoving(parameters) || !is_for_boxes(verbs, name));
}

/* KY_USAGE for an option that the chosen integrator would not use. */
static enum ky_status refuse_others(const struct ky_parameters *parameters, struct ky_error *error)
{
    const struct ky_integrator_verbs *verbs = integrators[parameters->integrator];
    struct ky_parameters own = *parameters;
    struct ky_option_set sets[KY_PARAMETER_SETS];
    ky_parameter_sets(&own, sets);
    for (int s = KY_FORCE_SETS + 1; s <= KY_FORCE_SETS + KY_INTEGRATORS; s++)
        for (size_t k = 0; k < sets[s].count; k++) {
            const struct ky_option *option = &sets[s].options[k];
            if (!ky_integrator_has(parameters, option->name) && !is_initial(option, parameters))
                return ky_fail(error, KY_USAGE, "--%s is not an option of --integrator %s%s",
                               option->name, verbs->name,
                               is_for_boxes(verbs, option->name) ? " outside a comoving box" : "");
        }
    return KY_OK;
}

/* KY_USAGE for two kinds of steps in a comoving box. */
static enum ky_status check_kinds_of_steps(const struct ky_parameters *parameters,
                                           struct ky_error *error)
{
    const int has_other = !isnan(parameters->step) && fabs(parameters->step) != KY_EARLY_STEP;
    if (isnan(parameters->step_a) || !(has_other || !isnan(parameters->late_step)))
        return KY_OK;
    return ky_fail(error, KY_USAGE,
                   "--step-a and --%s are both given, but --step-a alone makes the steps, of at "
                   "most %g in ln a: give only one of them",
                   has_other ? "step" : "late-step", KY_EARLY_STEP);
}

/* KY_USAGE for an invalid text, and for an integrator whose steps are fractions of one length. */
static enum ky_status check_expansion(const struct ky_parameters *parameters,
                                      struct ky_error *error)
{
    struct ky_expansion expansion;
    const struct ky_integrator_verbs *verbs = integrators[parameters->integrator];
    if (!parameters->expansion)
        return KY_OK;
    KY_TRY(ky_expansion_read(parameters->expansion, &parameters->units, &expansion, error));
    const struct ky_universe *universe = &expansion.universe;
    const int is_plain = universe->radiation == 0 && universe->w0_and_1 == 0 && universe->wa == 0;
    if (!is_plain && !(parameters->box > 0))
        return ky_fail(
            error, KY_USAGE,
            "--expansion: omega-r, w0 and wa are for comoving coordinates, in a periodic "
            "box: leave them out, or give --box");
    if (verbs->any_step || (verbs->any_step_in_box && parameters->box > 0))
        return KY_OK;
    if (parameters->box > 0)
        return ky_fail(error, KY_USAGE,
                       "--integrator %s does not know periodic boxes: use --integrator leapfrog or "
                       "block",
                       verbs->name);
    return ky_fail(error, KY_USAGE,
                   "--expansion makes each step longer than the previous one, but the steps of "
                   "--integrator %s are fractions of one length; use --integrator leapfrog",
                   verbs->name);
}

enum ky_status ky_parameters_resolve(const struct ky_parameters *given,
                                     struct ky_parameters *resolved, struct ky_error *error)
{
    struct ky_parameters own;
    ky_parameters_defaults(&own);
    struct ky_option_set sets[KY_PARAMETER_SETS];
    enum ky_status status = ky_size_adopt(&own, sizeof own, given, "ky_parameters_defaults", error);
    if (!status)
        status = ky_force_resolve_later(&own, resolved, error);
    if (!status && resolved->integrator == KY_FEW && isnan(resolved->softening))
        resolved->softening = 0;
    if (!status && resolved->force == KY_FORCE_AUTO &&
        (resolved->integrator == KY_HERMITE4 || resolved->integrator == KY_FEW)) {
        resolved->force = KY_DIRECT;
        status = ky_force_resolve_later(resolved, resolved, error);
    }
    ky_parameter_sets(resolved, sets);
    for (int k = KY_FORCE_SETS; k < KY_PARAMETER_SETS && !status; k++)
        status = ky_options_check(&sets[k], error);
    if (!status)
        status = refuse_others(resolved, error);
    if (!status)
        status = check_kinds_of_steps(resolved, error);
    if (!status)
        status = check_expansion(resolved, error);
    if (!status)
        status = ky_stopping_check(resolved, error);
    const struct ky_integrator_verbs *verbs = status ? NULL : integrators[resolved->integrator];
    if (verbs)
        complete(resolved, verbs);
    if (verbs && verbs->settle) /* it may still be undecided */
        resolved->precision = own.precision;
    return status ? status : ky_integrator_check(resolved, error);
}
