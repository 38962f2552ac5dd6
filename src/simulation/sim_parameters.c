/* The parameters of a simulation: their current values, and changes between two steps. A table
 * gives for each the function that changes it. */
#include "simulation/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sizes.h"
#include "base/status.h"
#include "engine/common/external.h"
#include "engine/common/integrator_columns.h"
#include "integrate/friction.h"
#include "octree/opening_kinds.h"

enum ky_status ky_sim_parameters(const struct ky_sim *sim, struct ky_parameters *parameters,
                                 struct ky_error *error)
{
    KY_NEED(sim, error);
    KY_NEED(parameters, error);
    const struct ky_parameters given = ky_sim_given(sim);
    ky_size_give(parameters, &given, sizeof given);
    if (!parameters->size)
        parameters->size = sizeof *parameters;
    return KY_OK;
}

/* ---- how they change ---- */

/* Sets steps of bodies that do not fit the clock to 0: the next advance chooses them. */
static enum ky_status fit_steps(struct ky_sim *sim, struct ky_error *error)
{
    const struct ky_integrator_state *own = sim->integrator;
    const double stride = (double)own->stride, longest = own->tick * stride;
    double *step;
    int exponent;
    if (!ky_column_is_in(own->verbs->columns, KY_COLUMN_STEP))
        return KY_OK;
    if (!(step = ky_allocate(sim->n, sizeof *step)))
        return ky_no_memory(error, "steps", sim->n, sizeof *step);
    enum ky_status status = ky_engine_get_column(sim->engine, KY_COLUMN_STEP, step, error);
    for (size_t i = 0; i < sim->n && !status; i++) {
        const double parts = longest / step[i];
        if (!(parts >= 1 && parts <= stride && frexp(parts, &exponent) == 0.5))
            step[i] = 0;
    }
    if (!status)
        status = ky_engine_put_column(sim->engine, KY_COLUMN_STEP, step, error);
    free(step);
    return status;
}

/* For another length of steps: restarts the clock at the current time. The default of late_step
 * ends, as it is only for a run without a step. */
static enum ky_status change_clock(struct ky_sim *sim, const struct ky_parameters *changed,
                                   struct ky_error *error)
{
    const double time = ky_sim_time(sim), step = changed->step;
    const struct ky_parameters before = sim->parameters;
    char wanted[KY_QUANTITY_TEXT], now[KY_QUANTITY_TEXT];
    struct ky_timeline line;
    enum ky_status status = ky_timeline_make(changed, time, step, &line, error);
    if (status)
        return status;
    if (!isfinite(step) || step == 0 || !ky_timeline_advances(&line, 1))
        return ky_fail(error, KY_USAGE,
                       "step %s; it must be finite, not 0, and more than the rounding of the time "
                       "%s",
                       ky_step_words(&line, step, wanted), ky_time_words(&line, time, now));
    status = ky_sim_check_time(sim, error);
    if (status)
        return status;
    sim->parameters = *changed;
    if (step != before.step && changed->late_step == sim->integrator->verbs->late_step)
        sim->parameters.late_step = (double)NAN;
    status = ky_sim_renew_integrator(sim, error);
    if (status) {
        sim->parameters = before;
        return status;
    }
    line.tick = sim->integrator->tick;
    sim->line = line;
    sim->now = (struct ky_instant){0};
    status = fit_steps(sim, error);
    sim->has_failed |= status != KY_OK;
    return status;
}

/* Parameters that only the integrator reads, when steps are chosen. */
static enum ky_status change_criterion(struct ky_sim *sim, const struct ky_parameters *changed,
                                       struct ky_error *error)
{
    const struct ky_parameters before = sim->parameters;
    sim->parameters = *changed;
    enum ky_status status = ky_sim_renew_integrator(sim, error);
    if (status)
        sim->parameters = before;
    return status;
}

/* Parameters of few bodies: their state is made anew. */
static enum ky_status change_few(struct ky_sim *sim, const struct ky_parameters *changed,
                                 struct ky_error *error)
{
    KY_TRY(change_criterion(sim, changed, error));
    enum ky_status status = ky_engine_columns(sim->engine, 0, error);
    if (!status)
        status = ky_engine_columns(sim->engine, ky_integrator_columns(&sim->parameters), error);
    sim->has_failed |= status != KY_OK;
    return status;
}

/* Parameters of the engine. */
static enum ky_status change_force(struct ky_sim *sim, const struct ky_parameters *changed,
                                   struct ky_error *error)
{
    struct ky_bodies bodies = {0};
    enum ky_status status = ky_sim_take(sim, 0, 0, &bodies, error);
    if (!status)
        return ky_sim_put_with(sim, changed, &bodies, error);
    ky_bodies_free(&bodies);
    return status;
}

/* For options that decide the errors of forces: the caller's value stays, and errors are unknown.
 */
static enum ky_status change_errors(struct ky_sim *sim, const struct ky_parameters *changed,
                                    struct ky_error *error)
{
    KY_TRY(change_force(sim, changed, error));
    ky_sim_end_tunings(sim);
    sim->choice.measured = (double)NAN;
    return KY_OK;
}

static enum ky_status change_stops(struct ky_sim *sim, const struct ky_parameters *changed,
                                   struct ky_error *error)
{
    const struct ky_bodies bodies = {.n = sim->n, .radius = sim->radius};
    const struct ky_parameters before = sim->parameters;
    enum ky_status status = ky_stopping_check_bodies(changed, &bodies, error);
    if (status)
        return status;
    sim->parameters = *changed;
    status = ky_sim_make_watch(sim, error);
    if (status)
        sim->parameters = before;
    return status;
}

static enum ky_status change_fields(struct ky_sim *sim, const struct ky_parameters *changed,
                                    struct ky_error *error)
{
    struct ky_externals fields = {0};
    enum ky_status status = ky_externals_of(changed, &fields, error);
    if (!status)
        status = ky_externals_cover(&fields, ky_sim_time(sim), ky_sim_time(sim), error);
    struct ky_bodies bodies = {0};
    if (!status)
        status = ky_integrator_check(changed, error);
    if (!status)
        status = ky_sim_take(sim, 0, 0, &bodies, error);
    if (!status)
        status = ky_friction_check_bodies(changed, &bodies, error);
    ky_bodies_free(&bodies);
    if (!status)
        status = ky_engine_set_fields(sim->engine, fields.field, fields.count, error);
    ky_externals_release(&fields);
    if (status)
        return status;
    status = ky_sim_keep_field(sim, changed->field, error);
    if (!status) /* steps that follow from the old forces are chosen again */
        status = ky_engine_columns(sim->engine, 0, error);
    if (!status)
        status = ky_sim_renew_integrator(sim, error);
    sim->has_failed |= status != KY_OK;
    return status ? status : ky_sim_changed(sim, error);
}

/* ---- which can change ---- */

typedef enum ky_status change_function(struct ky_sim *sim, const struct ky_parameters *changed,
                                       struct ky_error *error);
#define OPENED "the engine was opened with it"
#define CLOCK "the integrator and its clock were made with it"
static const struct row {
    const char *name;
    change_function *change; /* NULL: it cannot change */
    const char *why;         /* it cannot change */
} rows[] = {
    {"step", change_clock, NULL},
    {"step-min", change_clock, NULL},
    {"late-step", change_clock, NULL},
    {"step-a", change_clock, NULL},
    {"eta", change_criterion, NULL},
    {"corrections", change_criterion, NULL},
    {"step-length", change_criterion, NULL},
    {"orbit-steps", change_few, NULL},
    {"tolerance", change_few, NULL},
    {"slow-down", change_few, NULL},
    {"softening", change_force, NULL},
    {"softening-kind", change_force, NULL},
    {"opening", change_errors, NULL},
    {"theta", change_errors, NULL},
    {"alpha", change_errors, NULL},
    {"cell", change_errors, NULL},
    {"multipole", change_errors, NULL},
    {"order", change_errors, NULL},
    {"curve", change_force, NULL},
    {"leaf", change_force, NULL},
    {"group", change_force, NULL},
    {"field", change_fields, NULL},
    {"stop-collision", change_stops, NULL},
    {"stop-pair", change_stops, NULL},
    {"stop-escape", change_stops, NULL},
    {"stop-box", change_stops, NULL},
    {"body-radius", change_stops, NULL},
    {"engine", NULL, OPENED},
    {"isa", NULL, OPENED},
    {"threads", NULL, OPENED},
    {"ranks", NULL, OPENED},
    {"tree", NULL, OPENED},
    {"force", NULL, OPENED},
    {"mutual", NULL, OPENED},
    {"box", NULL, OPENED},
    {"softening-max", NULL, CLOCK},
    {"error", NULL, "it chose the force when the simulation was opened; set alpha"},
    {"precision", NULL, OPENED},
    {"g", NULL, "it belongs to the units of the bodies"},
    {"integrator", NULL, CLOCK},
    {"groups", NULL, CLOCK},
    {"group-radius", NULL, CLOCK},
    {"expansion", NULL, CLOCK},
    {"step-max", NULL, "it limits the step that is chosen at the start of a run; set step"},
};

/* The row of a parameter that exists and can change. */
static enum ky_status find(const char *name, const struct row **row, struct ky_error *error)
{
    const struct row *found = NULL;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (!strcmp(rows[k].name, name))
            found = &rows[k];
    *row = found;
    if (found && found->change)
        return KY_OK;
    return ky_fail(error, KY_USAGE, "'%s' cannot change between steps: %s", name,
                   found ? found->why : OPENED);
}

/* KY_USAGE for an option without effect on the forces of this simulation, or on its steps. */
static enum ky_status check_use(const struct ky_sim *sim, const struct row *row,
                                struct ky_error *error)
{
    const struct ky_integrator_verbs *verbs = sim->integrator->verbs;
    const char *const ignored = ky_parameters_ignore(&sim->parameters, row->name);
    if (ignored)
        return ky_fail(error, KY_USAGE, "%s has no effect on forces with %s", row->name, ignored);
    if ((!strcmp(row->name, "late-step") || !strcmp(row->name, "step-a")) &&
        !ky_integrator_has(&sim->parameters, row->name))
        return ky_fail(error, KY_USAGE,
                       "'%s' cannot change between steps: it is for comoving boxes", row->name);
    if (row->change == change_criterion && !ky_integrator_has(&sim->parameters, row->name))
        return ky_fail(error, KY_USAGE, "%s is not an option of integrator %s", row->name,
                       verbs->name);
    return KY_OK;
}

/* KY_USAGE for a change of a softening that --softening-max bounds. */
static enum ky_status refuse_bounded(const struct ky_sim *sim, const char *name,
                                     struct ky_error *error)
{
    if (isnan(sim->parameters.softening_max) || strcmp(name, "softening") != 0)
        return KY_OK;
    return ky_fail(error, KY_USAGE, "softening cannot change between steps with softening-max");
}

/* Checks the changed parameters as at the opening, and makes the change. */
static enum ky_status change(struct ky_sim *sim, change_function *how,
                             const struct ky_parameters *changed, struct ky_error *error)
{
    struct ky_parameters resolved;
    enum ky_status status = ky_parameters_resolve(changed, &resolved, error);
    if (!status)
        status = how(sim, &resolved, error);
    sim->has_new_parameters |= !status;
    return status;
}

enum ky_status ky_sim_set_parameter(struct ky_sim *sim, const char *name, const char *value,
                                    struct ky_error *error)
{
    KY_TRY(ky_sim_check_alive(sim, error));
    const struct row *row;
    struct ky_parameters changed = sim->parameters;
    KY_TRY(ky_parameters_set(&changed, name, value, error));
    KY_TRY(find(name, &row, error));
    KY_TRY(check_use(sim, row, error));
    KY_TRY(refuse_bounded(sim, name, error));
    /* Values that resolving has filled in for the old opening. */
    if (changed.opening != sim->parameters.opening)
        changed.theta = changed.alpha = (double)NAN;
    const struct ky_opening_kind *opening = ky_opening_kind(changed.opening);
    if (!strcmp(name, "theta") && opening->by_alpha)
        return ky_fail(
            error, KY_USAGE,
            "theta has no effect with opening %s, which uses alpha; set the opening first",
            opening->name);
    return change(sim, row->change, &changed, error);
}

enum ky_status ky_sim_set_step(struct ky_sim *sim, double step, struct ky_error *error)
{
    KY_TRY(ky_sim_check_alive(sim, error));
    struct ky_parameters changed = sim->parameters;
    changed.step = step;
    return change(sim, change_clock, &changed, error);
}

enum ky_status ky_sim_check_softening(double softening, struct ky_error *error)
{
    if (softening >= 0 && isfinite(softening))
        return KY_OK;
    return ky_fail(error, KY_USAGE, "softening %g; it must be finite and not negative", softening);
}

enum ky_status ky_sim_set_softening(struct ky_sim *sim, double softening, struct ky_error *error)
{
    KY_TRY(ky_sim_check_alive(sim, error));
    KY_TRY(refuse_bounded(sim, "softening", error));
    KY_TRY(ky_sim_check_softening(softening, error));
    struct ky_parameters changed = sim->parameters;
    changed.softening = softening;
    return change(sim, change_force, &changed, error);
}

enum ky_status ky_sim_set_fields(struct ky_sim *sim, const char *field, struct ky_error *error)
{
    KY_TRY(ky_sim_check_alive(sim, error));
    struct ky_parameters changed = sim->parameters;
    changed.field = field;
    return change(sim, change_fields, &changed, error);
}
