/* Leap-frog in kick-drift-kick form with one step for all bodies (F09, equations 1 to 3): second
 * order, symplectic and reversible. The two half kicks between steps are not merged, so that the
 * bits of a run do not depend on its division into calls. In comoving coordinates the drift is an
 * exact integral over the expansion, and with the kicks small waves grow exactly
 * (physics/expansion.h). */
#include "integrate/integrate.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "integrate/expansion.h"
#include "integrate/friction.h"

struct leapfrog {
    struct ky_integrator_state base;
    struct ky_engine *engine;
    struct ky_integrator_report report;
    double bodies, g;
    struct ky_expansion expansion; /* of comoving coordinates; h0 = 0: there are none */
};

static const struct ky_stored_field fields[] = {
    {"body steps", offsetof(struct leapfrog, report.body_steps), 1, KY_STORED_SIZE},
};

static const struct ky_option options[] = {
    KY_OPTION_STEP, KY_OPTION_ETA, KY_OPTION_SOFTENING_MAX, KY_OPTION_LATE_STEP, KY_OPTION_STEP_A,
};

static enum ky_status check(const struct ky_parameters *parameters, struct ky_error *error)
{
    const int divides = ky_is_comoving(parameters) && !isnan(parameters->eta);
    if (!divides || parameters->softening > 0 || isnan(parameters->softening))
        return KY_OK;
    return ky_fail(error, KY_USAGE, "--eta needs a --softening, from which the steps follow");
}

static enum ky_status create(struct ky_engine *engine, size_t n,
                             const struct ky_parameters *parameters,
                             struct ky_integrator_state **integrator, struct ky_error *error)
{
    struct leapfrog *own;
    KY_TRY(ky_array_zeroed(&own, 1, sizeof *own, "integrator", error));
    own->base =
        (struct ky_integrator_state){.verbs = &ky_leapfrog, .tick = parameters->step, .stride = 1};
    own->engine = engine;
    own->bodies = (double)n;
    own->g = parameters->g;
    *integrator = &own->base;
    return ky_is_comoving(parameters) ? ky_expansion_read(parameters->expansion, &parameters->units,
                                                          &own->expansion, error)
                                      : KY_OK;
}

/* v += a dt/2; x += v dt; a = a(x) at `to`; v += a dt/2. Without friction none of the four calls
 * waits for a device. */
static enum ky_status full_step(struct leapfrog *own, double dt, double from, double to,
                                struct ky_error *error)
{
    const struct ky_step_factors parts = ky_step_factors_of(&own->expansion, dt, from, to);
    enum ky_status status = ky_engine_kick(own->engine, parts.kick, error);
    if (!status)
        status = ky_friction_is_there(own->engine)
                     ? ky_friction_drift(own->engine, &own->base, own->g, from, dt, error)
                     : ky_engine_drift(own->engine, parts.drift, error);
    ky_engine_set_time(own->engine, to);
    if (!status)
        status = ky_engine_forces(own->engine, error);
    if (!status)
        status = ky_engine_kick(own->engine, parts.last_kick, error);
    own->report.steps++;
    own->report.body_steps += own->bodies;
    return status;
}

static enum ky_status advance(struct ky_integrator_state *integrator, uint64_t ticks,
                              struct ky_error *error)
{
    for (uint64_t k = 0; k < ticks; k++)
        KY_TRY(full_step((struct leapfrog *)integrator, integrator->tick,
                         ky_tick_time(integrator, k), ky_tick_time(integrator, k + 1), error));
    return KY_OK;
}

static enum ky_status short_step(struct ky_integrator_state *integrator, double dt,
                                 struct ky_error *error)
{
    return full_step((struct leapfrog *)integrator, dt, integrator->origin, integrator->origin + dt,
                     error);
}

static void report(const struct ky_integrator_state *integrator,
                   struct ky_integrator_report *report)
{
    *report = ((const struct leapfrog *)integrator)->report;
}

static void free_leapfrog(struct ky_integrator_state *integrator)
{
    free(integrator);
}

const struct ky_integrator_verbs ky_leapfrog = {
    .name = "leapfrog",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .in_comoving_box = {"eta", "softening-max", "late-step", "step-a"},
    .eta = (double)NAN,
    .any_step = 1,
    .late_step = KY_LATE_STEP,
    .friction = 1,
    .check = check,
    .create = create,
    .advance = advance,
    .short_step = short_step,
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .report = report,
    .free = free_leapfrog,
};
