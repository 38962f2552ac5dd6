/* Leap-frog where each body has its own step: the longest one divided by powers of two (B12,
 * section 3). This file has the options and hands the steps to the engine: its steps/block.c
 * chooses each step, and physics/block.h has the equations. In comoving boxes longest
 * steps have different lengths, and each is a call of the verb short_step. */
#include "integrate/own_steps.h"

#include <math.h>
#include <stddef.h>

#include "base/status.h"

struct block {
    struct ky_own_steps own;
    double length; /* the length in the criterion; NaN: the softening of the body */
};

static const struct ky_stored_field fields[] = {KY_FIELDS_OF_OWN_STEPS};

static const struct ky_option options[] = {
    KY_OPTIONS_OF_OWN_STEPS{"step-length", KY_OPTION_REAL,
                            offsetof(struct ky_parameters, step_length), NULL, KY_NO_RANGE, NULL,
                            "LENGTH",
                            "block: length that replaces the softening in the step criterion; "
                            "required if the softening is 0 [length]"},
    KY_OPTION_SOFTENING_MAX,
    KY_OPTION_LATE_STEP,
    KY_OPTION_STEP_A,
};

/* Levels without --step-min. */
enum { LEVELS = 20 };

static uint64_t stride(const struct ky_parameters *parameters, double step)
{
    return ky_own_steps_stride(parameters, step, LEVELS);
}

static unsigned more_schemes(const struct ky_parameters *parameters)
{
    return ky_is_comoving(parameters) ? 1U << KY_SCHEME_COMOVING : 0;
}

static enum ky_status check(const struct ky_parameters *parameters, struct ky_error *error)
{
    const double length = parameters->step_length;
    if (!isnan(length) && !(length > 0 && isfinite(length)))
        return ky_fail(error, KY_USAGE, "--step-length %g; it must be more than 0", length);
    if (ky_is_comoving(parameters) && !(isnan(parameters->step_min) && isnan(parameters->step_max)))
        return ky_fail(error, KY_USAGE,
                       "--step-min and --step-max are times; in a comoving box --late-step and "
                       "--step bound the longest steps");
    return ky_own_steps_check(parameters, error);
}

/* KY_USAGE for a body without a length for the criterion. */
static enum ky_status check_bodies(const struct ky_parameters *parameters,
                                   const struct ky_bodies *bodies, struct ky_error *error)
{
    for (size_t i = 0; i < bodies->n && isnan(parameters->step_length); i++) {
        const double softening = bodies->softening ? bodies->softening[i] : parameters->softening;
        if (!(softening > 0))
            return ky_fail(
                error, KY_USAGE,
                "block steps follow from the softening, and that of body %zu is %g: give "
                "--step-length, or --softening",
                i, softening);
    }
    return KY_OK;
}

static enum ky_status go(struct ky_own_steps *own, double tick, uint64_t ticks,
                         struct ky_error *error)
{
    struct ky_advance way = {
        .scheme = KY_SCHEME_BLOCK, .length = ((struct block *)own)->length, .close = KY_NO_BODY};
    return ky_own_steps_go(own, &way, tick, ticks, error);
}

static enum ky_status create(struct ky_engine *engine, size_t n,
                             const struct ky_parameters *parameters,
                             struct ky_integrator_state **integrator, struct ky_error *error)
{
    const struct ky_own_steps own = {.base.verbs = &ky_block, .engine = engine, .n = n, .go = go};
    KY_TRY(ky_own_steps_create(&own, sizeof(struct block), parameters, integrator, error));
    ((struct block *)*integrator)->length = parameters->step_length;
    return KY_OK;
}

const struct ky_integrator_verbs ky_block = {
    .name = "block",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .in_comoving_box = {"softening-max", "late-step", "step-a"},
    .any_step_in_box = 1,
    .late_step = KY_LATE_STEP_OF_BLOCKS,
    .eta = 0.2,
    .columns = 1U << KY_COLUMN_STEP,
    .schemes = 1U << KY_SCHEME_BLOCK,
    .more_schemes = more_schemes,
    .stride = stride,
    .check = check,
    .check_bodies = check_bodies,
    .create = create,
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    KY_VERBS_OF_OWN_STEPS,
};
