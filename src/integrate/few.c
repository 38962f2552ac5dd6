/* Few bodies without softening (src/few), on the CPU. The system takes its own steps; a step of the
 * run only shows it at a time: the engine then receives the bodies at this time and computes their
 * forces and potentials. The path of the bodies does not depend on these times. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/bodies.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/status.h"
#include "engine/common/force_kinds.h"
#include "few/few.h"
#include "integrate/few_systems.h"
#include "integrate/integrate.h"

struct few_bodies {
    struct ky_integrator_state base;
    struct ky_engine *engine;
    size_t n;
    int has_softenings; /* 1: the engine wants a softening of each body, which is 0 */
    struct ky_few_settings settings;
    struct ky_integrator_report report;
    struct ky_few system, before;
    struct ky_bodies bodies; /* mass, position, velocity */
    uint32_t *all;           /* [n] 0, 1, … */
    double (*row)[KY_FEW_NUMBERS];
};

static const struct ky_stored_field fields[] = {
    {"body steps", offsetof(struct few_bodies, report.body_steps), 1, KY_STORED_SIZE},
    {"pairs", offsetof(struct few_bodies, report.pairs), 1, KY_STORED_SIZE},
};

static const struct ky_option options[] = {
    KY_OPTION_STEP,
    {"orbit-steps", KY_OPTION_REAL, offsetof(struct ky_parameters, orbit_steps), "16", KY_ABOVE_0,
     NULL, NULL,
     "few: steps of the quickest orbit; 16 give it a phase error of 1e-9 an orbit, 32 of 4e-12"},
    {"tolerance", KY_OPTION_REAL, offsetof(struct ky_parameters, tolerance), "1e-11", KY_ABOVE_0,
     NULL, NULL,
     "few: a step is taken again at half its length while its relative error of the energy is "
     "above "
     "this"},
    {"slow-down", KY_OPTION_FLAG, offsetof(struct ky_parameters, slow_down), "no", KY_NO_RANGE,
     NULL, NULL,
     "few: bound pairs whose period is less than 1/60 of the orbit around them move a power of two "
     "times more slowly. Mean orbits are right to 1e-4, positions within the orbit are not"},
};

/* Steps of the system between two looks at `is_over`. */
enum { STEPS_A_LOOK = 512 };

/* ---- the engine's side ---- */

/* Takes the state from the engine's column, or a new one from its bodies at `time`. */
static enum ky_status take(struct few_bodies *own, double time, struct ky_error *error)
{
    const int n = (int)own->n;
    if (own->engine->externals.count)
        return ky_fail(error, KY_UNSUPPORTED,
                       "--integrator few takes no external fields: use another integrator");
    KY_TRY(ky_engine_get(own->engine, &own->bodies, error));
    KY_TRY(ky_engine_get_column(own->engine, KY_COLUMN_FEW, own->row[0], error));
    return ky_few_is_packed(n, (const double(*)[KY_FEW_NUMBERS])own->row)
               ? ky_few_unpack(&own->system, &own->settings, n,
                               (const double(*)[KY_FEW_NUMBERS])own->row, error)
               : ky_few_start(&own->system, &own->settings, &own->bodies, time, error);
}

/* Puts all bodies, for positions so far out that the engine needs other units. */
static enum ky_status put_all(struct few_bodies *own, struct ky_error *error)
{
    struct ky_bodies bodies = own->bodies;
    if (own->has_softenings &&
        !(bodies.softening = ky_allocate_zeroed(own->n, sizeof *bodies.softening)))
        return ky_no_memory(error, "softenings", own->n, sizeof *bodies.softening);
    const enum ky_status status = ky_engine_put(own->engine, &bodies, error);
    free(bodies.softening);
    return status;
}

/* Gives the bodies at `time`, as `shown` has them, and the state to the engine. */
static enum ky_status give(struct few_bodies *own, const struct ky_few *shown, double time,
                           struct ky_error *error)
{
    const struct ky_some some = {.count = own->n,
                                 .body = own->all,
                                 .position = (const double(*)[3])own->bodies.position,
                                 .velocity = (const double(*)[3])own->bodies.velocity};
    ky_few_at(shown, time, own->bodies.position, own->bodies.velocity);
    enum ky_status status = ky_engine_put_some(own->engine, &some, error);
    if (status == KY_BAD_DATA)
        status = put_all(own, error);
    KY_TRY(status);
    ky_few_pack(&own->system, own->row);
    KY_TRY(ky_engine_put_column(own->engine, KY_COLUMN_FEW, own->row[0], error));
    ky_engine_set_time(own->engine, time);
    return ky_engine_forces(own->engine, error);
}

/* ---- advancing ---- */

/* Steps to `until`. *ended is 1 if is_over ended them earlier. */
static enum ky_status step_to(struct few_bodies *own, double until, struct ky_few_contact *contact,
                              int *ended, struct ky_error *error)
{
    const struct ky_integrator_state *base = &own->base;
    double asked = (double)NAN;
    enum ky_status status = KY_OK;
    while (!status && contact->body[0] < 0 && ky_few_ahead(&own->system, until) > 0 && !*ended) {
        status = ky_few_go(&own->system, until, &own->before, contact, error);
        if (!base->is_over || !base->is_over(base->is_over_context))
            continue;
        if (isnan(asked))
            asked = ky_clock();
        *ended = ky_few_ahead(&own->system, until) > 0 && ky_clock() - asked >= base->patience;
    }
    return status;
}

/* The end of a call before `until`: at a contact, or because it was asked for. */
static enum ky_status stop(struct few_bodies *own, double from,
                           const struct ky_few_contact *contact, struct ky_error *error)
{
    const int touch = contact->body[0] >= 0;
    const double time = touch ? contact->time : own->system.system.t[0];
    own->report.ended = touch ? KY_ENDED_BY_CONTACT : KY_ENDED_AS_ASKED;
    own->report.apart = contact->distance;
    for (int k = 0; k < 2 && touch; k++)
        own->report.close[k] = (size_t)contact->body[k];
    own->base.reached = time - from;
    KY_TRY(give(own, touch ? &own->before : &own->system, time, error));
    return ky_fail(error, KY_STOPPED, "stopped within a step");
}

static enum ky_status go(struct few_bodies *own, double from, double until, struct ky_error *error)
{
    struct ky_few_contact contact = {.body = {-1, -1}};
    int ended = 0;
    own->settings.radius = own->base.radius;
    own->settings.radii = own->base.radii;
    KY_TRY(take(own, from, error));
    const double steps = own->system.steps, kicks = own->system.kicks;
    KY_TRY(step_to(own, until, &contact, &ended, error));
    const double n = (double)own->n;
    own->report.body_steps += n * (own->system.steps - steps);
    own->report.pairs += n * (n - 1) * (own->system.kicks - kicks);
    if (contact.body[0] >= 0 && (own->settings.backwards ? -1 : 1) * (contact.time - until) > 0) {
        own->system = own->before; /* the next call takes this step again */
        contact.body[0] = -1;
    }
    if (ended || contact.body[0] >= 0)
        return stop(own, from, &contact, error);
    return give(own, &own->system, until, error);
}

static enum ky_status advance(struct ky_integrator_state *base, uint64_t ticks,
                              struct ky_error *error)
{
    struct few_bodies *own = (struct few_bodies *)base;
    const enum ky_status status = go(own, ky_tick_time(base, 0), ky_tick_time(base, ticks), error);
    own->report.steps += status == KY_STOPPED ? (uint64_t)ceil(base->reached / base->tick)
                         : status             ? 0
                                              : ticks;
    return status;
}

static enum ky_status short_step(struct ky_integrator_state *base, double dt,
                                 struct ky_error *error)
{
    struct few_bodies *own = (struct few_bodies *)base;
    const enum ky_status status = go(own, base->origin, base->origin + dt, error);
    own->report.steps += !status || status == KY_STOPPED;
    return status;
}

/* ---- parameters ---- */

static void settle(struct ky_parameters *parameters, const struct ky_bodies *bodies, size_t massive)
{
    (void)bodies;
    (void)massive;
    if (parameters->precision == KY_PRECISION_BY_INTEGRATOR)
        parameters->precision = KY_DOUBLE;
}

/* The time between two looks, on which the path does not depend: many orbits of the closest pair,
 * so that looks cost little; 1 for bodies without a scale. */
static double suggest(const struct ky_parameters *parameters, const struct ky_scales *scales)
{
    enum { STEPS = 1024 };
    const double longer = fmax(scales->crossing_time, STEPS * scales->step);
    (void)parameters;
    return longer > 0 && isfinite(longer) ? longer : 1;
}

static enum ky_status check_range(const char *name, double value, double low, double high,
                                  struct ky_error *error)
{
    return value >= low && value <= high
               ? KY_OK
               : ky_fail(error, KY_USAGE, "%s %g; it must be from %g to %g", name, value, low,
                         high);
}

static enum ky_status check(const struct ky_parameters *parameters, struct ky_error *error)
{
    if (!ky_force_kind(parameters->force)->is_exact)
        return ky_fail(error, KY_USAGE,
                       "--integrator few sums forces exactly: leave out --force, or give --force "
                       "direct");
    if (!isnan(parameters->error) ||
        (parameters->precision != KY_DOUBLE && parameters->precision != KY_PRECISION_BY_INTEGRATOR))
        return ky_fail(error, KY_USAGE,
                       "--integrator few sums forces in double: leave out --precision and --error");
    KY_TRY(check_range("--orbit-steps", parameters->orbit_steps, 4, 1024, error));
    KY_TRY(check_range("--tolerance", parameters->tolerance, 1e-15, 1e-3, error));
    if (parameters->softening > 0)
        return ky_fail(error, KY_USAGE,
                       "--integrator few is for bodies without softening: give --softening 0");
    if (parameters->ranks > 1)
        return ky_fail(error, KY_UNSUPPORTED,
                       "--integrator few advances at most %d bodies on one processor: leave out "
                       "--ranks",
                       KY_FEW_MOST);
    if (parameters->field || parameters->field_function || parameters->field_places)
        return ky_fail(error, KY_UNSUPPORTED,
                       "--integrator few takes no external fields: leave out --field, or use "
                       "another integrator");
    return KY_OK;
}

static enum ky_status check_bodies(const struct ky_parameters *parameters,
                                   const struct ky_bodies *bodies, struct ky_error *error)
{
    KY_TRY(ky_few_check(bodies, parameters->g, error));
    for (size_t i = 0; isnan(parameters->softening) && bodies->softening && i < bodies->n; i++)
        if (bodies->softening[i] > 0)
            return ky_fail(error, KY_USAGE,
                           "--integrator few is for bodies without softening, and body %zu has "
                           "one: give --softening 0",
                           i);
    return KY_OK;
}

struct ky_few_settings ky_few_settings_of(const struct ky_parameters *parameters)
{
    return (struct ky_few_settings){.g = parameters->g,
                                    .tolerance = parameters->tolerance,
                                    .angle = 2 * 3.14159265358979323846 / parameters->orbit_steps,
                                    .slow_down = parameters->slow_down};
}

static void free_few(struct ky_integrator_state *base)
{
    struct few_bodies *own = (struct few_bodies *)base;
    ky_bodies_free(&own->bodies);
    free(own->all);
    free(own->row);
    free(own);
}

static enum ky_status create(struct ky_engine *engine, size_t n,
                             const struct ky_parameters *parameters,
                             struct ky_integrator_state **integrator, struct ky_error *error)
{
    struct few_bodies *own = ky_allocate_zeroed(1, sizeof *own);
    if (!own)
        return ky_no_memory(error, "integrator", 1, sizeof *own);
    own->base = (struct ky_integrator_state){
        .verbs = &ky_few_bodies, .tick = parameters->step, .stride = 1, .patience = 0.25};
    own->engine = engine;
    own->n = n;
    own->has_softenings = isnan(parameters->softening);
    own->settings = ky_few_settings_of(parameters);
    own->settings.backwards = parameters->step < 0;
    own->settings.most = STEPS_A_LOOK;
    own->all = ky_allocate(n, sizeof *own->all);
    own->row = ky_allocate(n + 1, sizeof *own->row);
    enum ky_status status = own->all && own->row
                                ? ky_bodies_allocate(&own->bodies, n, 0, error)
                                : ky_no_memory(error, "state of few bodies", n, sizeof *own->row);
    for (size_t i = 0; own->all && i < n; i++)
        own->all[i] = (uint32_t)i;
    if (status)
        free_few(&own->base);
    else
        *integrator = &own->base;
    return status;
}

static void report(const struct ky_integrator_state *base, struct ky_integrator_report *report)
{
    *report = ((const struct few_bodies *)base)->report;
}

const struct ky_integrator_verbs ky_few_bodies = {
    .name = "few",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .eta = (double)NAN,
    .any_length = 1,
    .columns = 1U << KY_COLUMN_FEW,
    .schemes = 1U << KY_SCHEME_FEW,
    .settle = settle,
    .suggest = suggest,
    .check = check,
    .check_bodies = check_bodies,
    .create = create,
    .advance = advance,
    .short_step = short_step,
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .report = report,
    .free = free_few,
};
