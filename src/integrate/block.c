/* Leap-frog with a step of each body's own: the longest one divided by powers of two (B12, section
 * 3; physics/block.h has the equations). The engine goes on alone from block to block. The longest
 * step is parameters->step; at its multiples all bodies are at one time. */
#include "integrate/integrate.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/memory.h"

struct block {
    struct ky_integrator_state base;
    struct ky_engine *engine;
    double eta, length; /* of the criterion; length NaN: the softening of the body */
    struct ky_integrator_report report;
};

static const struct ky_stored_field fields[] = {KY_FIELDS_OF_OWN_STEPS(block)};

static const struct ky_option options[] = {
    KY_OPTIONS_OF_OWN_STEPS{"step-length", KY_OPTION_REAL,
                            offsetof(struct ky_parameters, step_length), NULL, KY_NO_RANGE, NULL,
                            "LENGTH",
                            "block: stands for the softening in the criterion of steps, and is "
                            "needed where the softening "
                            "is 0 [length]"},
};

/* Levels without --step-min. */
enum { LEVELS = 20 };

static uint64_t stride(const struct ky_parameters *parameters, double step)
{
    return ky_own_steps_stride(parameters, step, LEVELS);
}

static enum ky_status check(const struct ky_parameters *parameters, struct ky_error *error)
{
    const double length = parameters->step_length;
    if (!isnan(length) && !(length > 0 && isfinite(length)))
        return ky_fail(error, KY_USAGE, "--step-length %g; it must be more than 0", length);
    return ky_own_steps_check(parameters, error);
}

/* KY_USAGE for a body without a length for the criterion. */
static enum ky_status check_softenings(struct ky_engine *engine, size_t n, struct ky_error *error)
{
    double *softening = ky_allocate(n, sizeof *softening);
    if (!softening)
        return ky_no_memory(error, "softenings", n, sizeof *softening);
    struct ky_bodies bodies = {.n = n, .softening = softening};
    enum ky_status status = ky_engine_get(engine, &bodies, error);
    for (size_t i = 0; i < n && !status; i++)
        if (!(softening[i] > 0))
            status =
                ky_fail(error, KY_USAGE,
                        "block steps follow from the softening, and that of body %zu is %g: give "
                        "--step-length, or --softening",
                        i, softening[i]);
    free(softening);
    return status;
}

static enum ky_status create(struct ky_engine *engine, size_t n,
                             const struct ky_parameters *parameters,
                             struct ky_integrator_state **integrator, struct ky_error *error)
{
    enum ky_status status =
        isnan(parameters->step_length) ? check_softenings(engine, n, error) : KY_OK;
    if (status)
        return status;
    struct block *own = ky_allocate_zeroed(1, sizeof *own);
    if (!own)
        return ky_no_memory(error, "integrator", 1, sizeof *own);
    const uint64_t ticks = stride(parameters, parameters->step);
    own->base = (struct ky_integrator_state){
        .verbs = &ky_block, .tick = parameters->step / (double)ticks, .stride = ticks};
    own->engine = engine;
    own->eta = parameters->eta;
    own->length = parameters->step_length;
    *integrator = &own->base;
    return KY_OK;
}

/* From one multiple of the longest step to another, with ticks of this length. */
static enum ky_status go(struct block *own, double tick, uint64_t ticks, struct ky_error *error)
{
    struct ky_advance way = {.scheme = KY_SCHEME_BLOCK, .eta = own->eta, .length = own->length};
    return ky_own_steps_go(own->engine, &way, tick, own->base.stride, ticks, &own->report, error);
}

static enum ky_status advance(struct ky_integrator_state *integrator, uint64_t ticks,
                              struct ky_error *error)
{
    return go((struct block *)integrator, integrator->tick, ticks, error);
}

/* The short step is the longest one of the bodies' steps within it. */
static enum ky_status short_step(struct ky_integrator_state *integrator, double dt,
                                 struct ky_error *error)
{
    return go((struct block *)integrator, dt / (double)integrator->stride, integrator->stride,
              error);
}

static void report(const struct ky_integrator_state *integrator,
                   struct ky_integrator_report *report)
{
    *report = ((const struct block *)integrator)->report;
}

static void free_block(struct ky_integrator_state *integrator)
{
    free(integrator);
}

const struct ky_integrator_verbs ky_block = {
    .name = "block",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .eta = 0.2,
    .columns = 1U << KY_COLUMN_STEP,
    .schemes = 1U << KY_SCHEME_BLOCK,
    .stride = stride,
    .suggest = ky_own_steps_suggest,
    .check = check,
    .create = create,
    .advance = advance,
    .short_step = short_step,
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .report = report,
    .free = free_block,
};
