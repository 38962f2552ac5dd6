/* Leap-frog with a step of each body's own: the longest one divided by powers of two (B12, section
 * 3; physics/block.h has the equations). The engine goes on alone from block to block. The longest
 * step is parameters->step; at its multiples all bodies are at one time. */
#include "integrate/integrate.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/memory.h"
#include "physics/block.h"

struct block {
    struct ky_integrator_state base;
    struct ky_engine *engine;
    double eta, length; /* of the criterion; length NaN: the softening of the body */
    struct ky_integrator_report report;
};

#define AT(member) offsetof(struct block, report.member)
static const struct ky_stored_field fields[] = {
    {"body steps", AT(body_steps), 1},
    {"blocks", AT(blocks), 1},
    {"shortest", AT(shortest), 1},
    {"cut", AT(cut), 1},
};

#define PARAMETER(member) offsetof(struct ky_parameters, member)
static const struct ky_option options[] = {
    KY_OPTION_STEP,
    {"eta", KY_OPTION_REAL, PARAMETER(eta), "0.2", 1e-6, 10, NULL, NULL,
     "block: the step of a body is eta sqrt(softening/|a|), rounded down to the longest step over "
     "a "
     "power of two (GADGET's ErrTolIntAccuracy is eta^2/2)"},
    {"step-max", KY_OPTION_REAL, PARAMETER(step_max), NULL, KY_NO_RANGE, NULL, "TIME",
     "block: the longest step that the program may choose where --step is not given; all bodies "
     "are "
     "at one time, and output is possible, at its multiples (default: a 16th of the crossing time) "
     "[time]"},
    {"step-min", KY_OPTION_REAL, PARAMETER(step_min), NULL, KY_NO_RANGE, NULL, "TIME",
     "block: no step is shorter than this; the report of the run says how many should have been "
     "(default: the longest step over 2^20) [time]"},
    {"step-length", KY_OPTION_REAL, PARAMETER(step_length), NULL, KY_NO_RANGE, NULL, "LENGTH",
     "block: stands for the softening in the criterion of steps, and is needed where the softening "
     "is 0 [length]"},
};

/* Levels without --step-min. */
enum { LEVELS = 20 };

/* Ticks of the longest step: the tick is the shortest step that is not below --step-min. */
static uint64_t stride(const struct ky_parameters *parameters, double step)
{
    uint64_t ticks = 1;
    if (isnan(parameters->step_min) || isnan(step))
        return (uint64_t)1 << LEVELS;
    while (ticks >> KY_MOST_LEVELS == 0 &&
           fabs(step) / (double)(2 * ticks) >= parameters->step_min * (1 - 1e-12))
        ticks *= 2;
    return ticks;
}

static double suggest(const struct ky_parameters *parameters, const struct ky_scales *scales)
{
    const double sixteenth = scales->crossing_time / 16;
    if (!isnan(parameters->step_max))
        return parameters->step_max;
    return sixteenth > 0 && isfinite(sixteenth) ? exp2(floor(log2(sixteenth))) : scales->step;
}

static enum ky_status check_lengths(const struct ky_parameters *parameters, struct ky_error *error)
{
    const struct {
        const char *name;
        double value;
    } lengths[] = {{"--step-max", parameters->step_max},
                   {"--step-min", parameters->step_min},
                   {"--step-length", parameters->step_length}};
    for (int k = 0; k < 3; k++)
        if (!isnan(lengths[k].value) && !(lengths[k].value > 0 && isfinite(lengths[k].value)))
            return ky_fail(error, KY_USAGE, "%s %g; it must be more than 0", lengths[k].name,
                           lengths[k].value);
    return KY_OK;
}

static enum ky_status check(const struct ky_parameters *parameters, struct ky_error *error)
{
    const double step = fabs(parameters->step), least = parameters->step_min,
                 most = isnan(step) ? parameters->step_max : step;
    enum ky_status status = check_lengths(parameters, error);
    if (status)
        return status;
    if (step > parameters->step_max * (1 + 1e-12))
        return ky_fail(error, KY_USAGE, "the longest step %g is above --step-max %g", step,
                       parameters->step_max);
    if (least > most)
        return ky_fail(error, KY_USAGE, "--step-min %g is above the longest step %g", least, most);
    if (most / least > ldexp(1, KY_MOST_LEVELS))
        return ky_fail(error, KY_USAGE, "--step-min %g is less than the longest step %g over 2^%d",
                       least, most, KY_MOST_LEVELS);
    return KY_OK;
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
    own->base = (struct ky_integrator_state){&ky_block, parameters->step / (double)ticks, ticks};
    own->engine = engine;
    own->eta = parameters->eta;
    own->length = parameters->step_length;
    *integrator = &own->base;
    return KY_OK;
}

/* From one multiple of the longest step to another, with ticks of this length. */
static enum ky_status go(struct block *own, double tick, uint64_t ticks, struct ky_error *error)
{
    struct ky_integrator_report *report = &own->report;
    struct ky_advance way = {.scheme = KY_SCHEME_BLOCK,
                             .tick = tick,
                             .stride = own->base.stride,
                             .until = ticks,
                             .most = UINT64_MAX,
                             .eta = own->eta,
                             .length = own->length};
    enum ky_status status = ky_engine_advance(own->engine, &way, error);
    const double shortest = fabs(tick) * (double)way.shortest;
    report->steps += way.now / way.stride;
    report->body_steps += way.body_steps;
    report->blocks += way.steps;
    report->cut += way.cut;
    if (way.shortest && !(report->shortest <= shortest && report->shortest > 0))
        report->shortest = shortest;
    return status;
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
    .columns = 1U << KY_COLUMN_STEP,
    .schemes = 1U << KY_SCHEME_BLOCK,
    .stride = stride,
    .suggest = suggest,
    .check = check,
    .create = create,
    .advance = advance,
    .short_step = short_step,
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .report = report,
    .free = free_block,
};
