/* The fourth-order Hermite scheme with a step of each body's own (physics/hermite.h): the engine
 * goes on alone from block to block. The longest step is parameters->step; at its multiples all
 * bodies are at one time. Where two bodies without softening come so close that a step would be
 * shorter than a tick, the way ends, once for each pair: it would be a crawl. */
#include "integrate/integrate.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/memory.h"

struct hermite {
    struct ky_integrator_state base;
    struct ky_engine *engine;
    double eta, bodies;
    int corrections;
    struct ky_integrator_report report;
    uint64_t passed[2]; /* the last pair that stopped the way, which goes on in too long steps */
};

static const struct ky_stored_field fields[] = {
    KY_FIELDS_OF_OWN_STEPS(hermite),
    {"pairs", offsetof(struct hermite, report.pairs), 1},
    {"passed", offsetof(struct hermite, passed[0]), 1},
    {"passed by", offsetof(struct hermite, passed[1]), 1},
};

static const struct ky_option options[] = {
    KY_OPTIONS_OF_OWN_STEPS{
        "corrections", KY_OPTION_INTEGER, offsetof(struct ky_parameters, corrections), "1", 1, 16,
        NULL, NULL,
        "hermite4: how often forces are computed in a step, and the body corrected: n of P(EC)^n"},
};

/* Levels without --step-min: hard binaries of many thousand bodies need 25. */
enum { LEVELS = 32 };

static uint64_t stride(const struct ky_parameters *parameters, double step)
{
    return ky_own_steps_stride(parameters, step, LEVELS);
}

static enum ky_status check(const struct ky_parameters *parameters, struct ky_error *error)
{
    if (parameters->force != KY_DIRECT)
        return ky_fail(
            error, KY_USAGE,
            "--integrator hermite4 needs the change of the force in time, which only the "
            "exact sum has: give --force direct");
    if (parameters->precision == KY_SINGLE)
        return ky_fail(error, KY_USAGE,
                       "--integrator hermite4 takes differences of forces, for which --precision "
                       "single is too coarse: take extended or double");
    return ky_own_steps_check(parameters, error);
}

static enum ky_status create(struct ky_engine *engine, size_t n,
                             const struct ky_parameters *parameters,
                             struct ky_integrator_state **integrator, struct ky_error *error)
{
    struct hermite *own = ky_allocate_zeroed(1, sizeof *own);
    if (!own)
        return ky_no_memory(error, "integrator", 1, sizeof *own);
    const uint64_t ticks = stride(parameters, parameters->step);
    own->base = (struct ky_integrator_state){
        .verbs = &ky_hermite4, .tick = parameters->step / (double)ticks, .stride = ticks};
    own->engine = engine;
    own->bodies = (double)n;
    own->eta = parameters->eta;
    own->corrections = parameters->corrections;
    own->passed[0] = own->passed[1] = KY_NO_BODY;
    *integrator = &own->base;
    return KY_OK;
}

/* The body that pulls most at body i, whose force is softened by nothing of its own. */
static size_t partner(const struct ky_bodies *bodies, size_t i)
{
    size_t best = i;
    double most = -1;
    for (size_t j = 0; j < bodies->n; j++) {
        double r2 = 0;
        for (int c = 0; c < 3; c++)
            r2 += pow(bodies->position[j][c] - bodies->position[i][c], 2);
        const double pull = bodies->mass[j] / r2;
        if (j != i && pull > most)
            most = pull, best = j;
    }
    return best;
}

/* Notes the pair to which body i belongs. */
static enum ky_status note_pair(struct hermite *own, size_t i, struct ky_error *error)
{
    struct ky_bodies bodies = {0};
    enum ky_status status = ky_bodies_allocate(&bodies, (size_t)own->bodies, 0, error);
    if (!status)
        status = ky_engine_get(own->engine, &bodies, error);
    if (!status) {
        own->report.close[0] = own->passed[0] = i;
        own->report.close[1] = own->passed[1] = partner(&bodies, i);
    }
    ky_bodies_free(&bodies);
    return status;
}

/* From a time at which all bodies are, with ticks of this length. */
static enum ky_status go(struct hermite *own, double tick, uint64_t ticks, struct ky_error *error)
{
    struct ky_advance way = {.scheme = KY_SCHEME_HERMITE,
                             .eta = own->eta,
                             .corrections = own->corrections,
                             .passed = {(uint32_t)own->passed[0], (uint32_t)own->passed[1]},
                             .close = KY_NO_BODY};
    enum ky_status status =
        ky_own_steps_go(own->engine, &way, tick, own->base.stride, ticks, &own->report, error);
    own->report.pairs += way.body_steps * own->corrections * (own->bodies - 1);
    if (status || way.close == KY_NO_BODY)
        return status;
    own->base.reached = tick * (double)way.now;
    status = note_pair(own, way.close, error);
    return status ? status
                  : ky_fail(error, KY_STOPPED, "bodies %zu and %zu are too close to each other",
                            own->report.close[0], own->report.close[1]);
}

static enum ky_status advance(struct ky_integrator_state *integrator, uint64_t ticks,
                              struct ky_error *error)
{
    return go((struct hermite *)integrator, integrator->tick, ticks, error);
}

/* The short step is the longest one of the bodies' steps within it. */
static enum ky_status short_step(struct ky_integrator_state *integrator, double dt,
                                 struct ky_error *error)
{
    return go((struct hermite *)integrator, dt / (double)integrator->stride, integrator->stride,
              error);
}

static void report(const struct ky_integrator_state *integrator,
                   struct ky_integrator_report *report)
{
    *report = ((const struct hermite *)integrator)->report;
}

static void free_hermite(struct ky_integrator_state *integrator)
{
    free(integrator);
}

const struct ky_integrator_verbs ky_hermite4 = {
    .name = "hermite4",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .eta = 0.02,
    .columns = 1U << KY_COLUMN_STEP | 1U << KY_COLUMN_JERK,
    .schemes = 1U << KY_SCHEME_HERMITE,
    .stride = stride,
    .suggest = ky_own_steps_suggest,
    .check = check,
    .create = create,
    .advance = advance,
    .short_step = short_step,
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .report = report,
    .free = free_hermite,
};
