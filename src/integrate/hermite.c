/* The fourth-order Hermite scheme with a step for each body. The engine makes the steps
 * (steps/hermite.c); physics/hermite.h has the equations. If two bodies without softening come so
 * close that a step would be shorter than a tick, the advance stops, once for each pair, since the
 * run would hardly progress. */
#include "integrate/own_steps.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "engine/common/external.h"
#include "engine/common/force_kinds.h"
#include "integrate/group_radius.h"
#include "physics/softening.h"

struct hermite {
    struct ky_own_steps own;
    int corrections;
    double group_radius;
    uint64_t has_passed; /* 1: a pair has stopped the advance; it may continue with steps that are
                            too long for it */
    uint64_t passed[2];  /* ids of the last such pair */
};

static const struct ky_stored_field fields[] = {
    KY_FIELDS_OF_OWN_STEPS,
    {"pairs", offsetof(struct hermite, own.report.pairs), 1, KY_STORED_SIZE},
    {"handover work", offsetof(struct hermite, own.report.handover_work), 1, KY_STORED_REAL},
    {"slow work", offsetof(struct hermite, own.report.slow_work), 1, KY_STORED_REAL},
    {"has passed", offsetof(struct hermite, has_passed), 1, KY_STORED_FLAG},
    {"passed id", offsetof(struct hermite, passed[0]), 1, KY_STORED_ANY},
    {"passed by id", offsetof(struct hermite, passed[1]), 1, KY_STORED_ANY},
};

static const struct ky_option options[] = {
    KY_OPTIONS_OF_OWN_STEPS{"corrections", KY_OPTION_INTEGER,
                            offsetof(struct ky_parameters, corrections), "0", 0, 16, NULL, NULL,
                            "hermite4: number n of force evaluations and corrections in a step, "
                            "P(EC)^n; 0: 2 for up to "
                            "64 bodies with mass, else 1"},
    {"groups", KY_OPTION_FLAG, offsetof(struct ky_parameters, groups), "no", KY_NO_RANGE, NULL,
     NULL,
     "hermite4: close systems of bodies without softening advance as one body, and within as a "
     "system of few bodies, so that clusters may have hard binaries. With a device the CPU "
     "advances all bodies, and the device computes the sums over pairs"},
    {"group-radius", KY_OPTION_REAL, offsetof(struct ky_parameters, group_radius), NULL, 0, 1e300,
     NULL, "LENGTH",
     "hermite4: bodies become a group if they are closer than this, and bound or about to pass "
     "each "
     "other closely. It implies --groups, and 0 is no groups (default with --groups: a tenth of "
     "the "
     "virial radius over the cube root of the number of bodies) [length]"},
};

/* Levels without --step-min: hard binaries of many thousand bodies need 25. */
enum { LEVELS = 32 };

static uint64_t stride(const struct ky_parameters *parameters, double step)
{
    return ky_own_steps_stride(parameters, step, LEVELS);
}

static int has_groups(const struct ky_parameters *parameters)
{
    return parameters->group_radius > 0 || (parameters->groups && isnan(parameters->group_radius));
}

/* Defaults of --eta by the number of bodies. Systems of few bodies, such as planets, are followed
 * for many orbits and cost little, so their steps are shorter. The coarser steps of larger systems
 * conserve the energy of clusters to 1e-7. bench/hermite_defaults.py measures the numbers. */
static void settle(struct ky_parameters *parameters, const struct ky_bodies *bodies, size_t massive)
{
    static const struct {
        size_t most; /* bodies with mass */
        double eta;
        int corrections, precision;
    } table[] = {
        {64, 0.001, 2, KY_DOUBLE}, {1024, 0.005, 1, KY_DOUBLE}, {SIZE_MAX, 0.02, 1, KY_EXTENDED}};
    size_t k = 0;
    while (massive > table[k].most)
        k++;
    if (isnan(parameters->eta))
        parameters->eta = table[k].eta;
    if (parameters->corrections == 0)
        parameters->corrections = table[k].corrections;
    if (parameters->precision == KY_PRECISION_BY_INTEGRATOR)
        parameters->precision = table[k].precision;
    if (isnan(parameters->group_radius) && bodies->position)
        parameters->group_radius = parameters->groups ? ky_group_radius(bodies) : 0;
}

static unsigned more_schemes(const struct ky_parameters *parameters)
{
    return has_groups(parameters) ? 1U << KY_SCHEME_GROUPS : 0;
}

static unsigned more_columns(const struct ky_parameters *parameters)
{
    return has_groups(parameters) ? 1U << KY_COLUMN_GROUP : 0;
}

static enum ky_status refuse_functions(struct ky_error *error)
{
    return ky_fail(error, KY_UNSUPPORTED,
                   "groups of close bodies feel fields by name, and no functions of a program: "
                   "leave out the function, or --groups and --group-radius");
}

/* KY_USAGE and KY_UNSUPPORTED for parameters that do not go with groups. */
static enum ky_status check_groups(const struct ky_parameters *parameters, struct ky_error *error)
{
    if (!has_groups(parameters))
        return KY_OK;
    if (parameters->softening > 0)
        return ky_fail(
            error, KY_USAGE,
            "--groups and --group-radius are for bodies without softening: give --softening 0, "
            "or leave them out");
    return ky_has_field_function(parameters) ? refuse_functions(error) : KY_OK;
}

static enum ky_status check(const struct ky_parameters *parameters, struct ky_error *error)
{
    if (!ky_force_kind(parameters->force)->is_exact)
        return ky_fail(error, KY_USAGE,
                       "--integrator hermite4 needs the time derivative of the force, which only "
                       "the exact sum has: give --force direct");
    if (parameters->precision == KY_SINGLE || parameters->precision == KY_MIXED)
        return ky_fail(
            error, KY_USAGE,
            "--integrator hermite4 uses differences of forces, for which %s precision is "
            "not accurate enough: give --precision extended or double",
            parameters->precision == KY_SINGLE ? "single" : "mixed");
    if (ky_softening_how(parameters->softening_kind) & KY_SPLINED)
        return ky_fail(error, KY_UNSUPPORTED,
                       "--integrator hermite4 has no formula for the time derivative of a spline's "
                       "force: use --softening-kind plummer or symmetric, or --integrator block");
    KY_TRY(check_groups(parameters, error));
    return ky_own_steps_check(parameters, error);
}

static enum ky_status check_bodies(const struct ky_parameters *parameters,
                                   const struct ky_bodies *bodies, struct ky_error *error)
{
    for (size_t i = 0; has_groups(parameters) && bodies->softening && i < bodies->n; i++)
        if (bodies->softening[i] > 0)
            return ky_fail(
                error, KY_USAGE,
                "--groups and --group-radius are for bodies without softening, and body %zu "
                "has one: give --softening 0, or leave them out",
                i);
    return KY_OK;
}

static uint64_t id_of(const struct hermite *own, size_t i)
{
    return own->own.base.id ? own->own.base.id[i] : i;
}

/* Stores body i and its partner as the pair that has stopped the advance. */
static enum ky_status note_pair(struct hermite *own, size_t i, struct ky_error *error)
{
    enum ky_status status = ky_own_steps_note(&own->own, i, error);
    own->has_passed = !status;
    for (int k = 0; k < 2; k++)
        own->passed[k] = id_of(own, own->own.report.close[k]);
    return status;
}

/* The indices of the pair that has passed, if both bodies still exist. */
static void find_passed(const struct hermite *own, uint32_t passed[2])
{
    const size_t n = own->own.n;
    passed[0] = passed[1] = KY_NO_BODY;
    for (size_t i = 0; own->has_passed && i < n; i++)
        for (int k = 0; k < 2; k++)
            if (id_of(own, i) == own->passed[k])
                passed[k] = (uint32_t)i;
    if (passed[0] == KY_NO_BODY || passed[1] == KY_NO_BODY)
        passed[0] = passed[1] = KY_NO_BODY;
}

static enum ky_status go(struct ky_own_steps *steps, double tick, uint64_t ticks,
                         struct ky_error *error)
{
    struct hermite *own = (struct hermite *)steps;
    const size_t *close = steps->report.close;
    struct ky_advance way = {.scheme = KY_SCHEME_HERMITE,
                             .corrections = own->corrections,
                             .close = KY_NO_BODY,
                             .group_radius = own->group_radius,
                             .radius = steps->base.radius,
                             .radii = steps->base.radii,
                             .near = steps->base.near,
                             .handover_work = steps->report.handover_work,
                             .slow_work = steps->report.slow_work};
    for (size_t k = 0; own->group_radius > 0 && k < steps->engine->externals.count; k++)
        if (steps->engine->externals.field[k].kind == KY_EXTERNAL_FUNCTION)
            return refuse_functions(error);
    find_passed(own, way.passed);
    enum ky_status status = ky_own_steps_go(steps, &way, tick, ticks, error);
    steps->report.pairs += way.body_steps * own->corrections * ((double)steps->n - 1);
    steps->report.handover_work = way.handover_work;
    steps->report.slow_work = way.slow_work;
    if (status || way.close == KY_NO_BODY)
        return status;
    steps->base.reached = tick * (double)way.now;
    status = note_pair(own, way.close, error);
    return status ? status
                  : ky_fail(error, KY_STOPPED, "bodies %zu and %zu are too close to each other",
                            close[0], close[1]);
}

static enum ky_status create(struct ky_engine *engine, size_t n,
                             const struct ky_parameters *parameters,
                             struct ky_integrator_state **integrator, struct ky_error *error)
{
    const struct ky_own_steps own = {
        .base.verbs = &ky_hermite4, .engine = engine, .n = n, .go = go};
    KY_TRY(ky_own_steps_create(&own, sizeof(struct hermite), parameters, integrator, error));
    struct hermite *made = (struct hermite *)*integrator;
    made->corrections = parameters->corrections;
    made->group_radius = parameters->group_radius > 0 ? parameters->group_radius : 0;
    return KY_OK;
}

const struct ky_integrator_verbs ky_hermite4 = {
    .name = "hermite4",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .eta = (double)NAN,
    .settle = settle,
    .columns = 1U << KY_COLUMN_STEP | 1U << KY_COLUMN_JERK,
    .more_columns = more_columns,
    .more_schemes = more_schemes,
    .schemes = 1U << KY_SCHEME_HERMITE,
    .stride = stride,
    .check = check,
    .check_bodies = check_bodies,
    .create = create,
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    KY_VERBS_OF_OWN_STEPS,
};
