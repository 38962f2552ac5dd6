/* Leap-frog in kick-drift-kick form with one step for all bodies (F09, equations 1 to 3): second
 * order, symplectic and reversible. The two half kicks between steps are not merged, so that the
 * bits of a run do not depend on its division into calls. */
#include "integrate/integrate.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "integrate/friction.h"

struct leapfrog {
    struct ky_integrator_state base;
    struct ky_engine *engine;
    struct ky_integrator_report report;
    double bodies, g;
};

static const struct ky_stored_field fields[] = {
    {"body steps", offsetof(struct leapfrog, report.body_steps), 1, KY_STORED_SIZE},
};

static const struct ky_option options[] = {
    KY_OPTION_STEP,
};

static enum ky_status create(struct ky_engine *engine, size_t n,
                             const struct ky_parameters *parameters,
                             struct ky_integrator_state **integrator, struct ky_error *error)
{
    struct leapfrog *own = ky_allocate_zeroed(1, sizeof *own);
    if (!own)
        return ky_no_memory(error, "integrator", 1, sizeof *own);
    own->base =
        (struct ky_integrator_state){.verbs = &ky_leapfrog, .tick = parameters->step, .stride = 1};
    own->engine = engine;
    own->bodies = (double)n;
    own->g = parameters->g;
    *integrator = &own->base;
    return KY_OK;
}

/* v += a dt/2; x += v dt; a = a(x) at `to`; v += a dt/2. Without friction none of the four calls
 * waits for a device. */
static enum ky_status full_step(struct leapfrog *own, double dt, double from, double to,
                                struct ky_error *error)
{
    enum ky_status status = ky_engine_kick(own->engine, 0.5 * dt, error);
    if (!status)
        status = ky_friction_is_there(own->engine)
                     ? ky_friction_drift(own->engine, &own->base, own->g, from, dt, error)
                     : ky_engine_drift(own->engine, dt, error);
    ky_engine_set_time(own->engine, to);
    if (!status)
        status = ky_engine_forces(own->engine, error);
    if (!status)
        status = ky_engine_kick(own->engine, 0.5 * dt, error);
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
    .eta = (double)NAN,
    .any_step = 1,
    .friction = 1,
    .create = create,
    .advance = advance,
    .short_step = short_step,
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .report = report,
    .free = free_leapfrog,
};
