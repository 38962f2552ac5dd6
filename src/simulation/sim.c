/* ky_sim: bodies on an engine, an integrator and a clock. */
#include "simulation/sim.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/force_error.h"
#include "base/bodies.h"
#include "base/memory.h"
#include "base/named_numbers.h"
#include "base/phases.h"
#include "base/status.h"
#include "domain/domain.h"
#include "engine/common/external.h"

const struct ky_stop ky_not_stopped = {
    .distance = (double)NAN, .time = (double)NAN, .step = (double)NAN};
static const struct ky_choice no_choice = {.force = KY_FORCE_AUTO,
                                           .precision = KY_PRECISION_BY_INTEGRATOR,
                                           .alpha = (double)NAN,
                                           .asked = (double)NAN,
                                           .measured = (double)NAN};

static void *copy_of(const void *data, size_t count, size_t size)
{
    void *copy = ky_allocate(count, size);
    if (copy && count)
        memcpy(copy, data, count * size);
    return copy;
}

/* 1 if each id is the index of its body, as in ky_sim_bodies for bodies without ids. */
static int counts_up(const uint64_t *id, size_t n)
{
    size_t i = 0;
    while (i < n && id[i] == i)
        i++;
    return i == n;
}

enum ky_status ky_sim_keep_labels(struct ky_sim *sim, const struct ky_bodies *bodies,
                                  struct ky_error *error)
{
    free(sim->id);
    free(sim->type);
    free(sim->radius);
    sim->id = NULL;
    sim->type = NULL;
    sim->radius = NULL;
    sim->with = ky_bodies_with(bodies) & KY_SIM_LABELS;
    if (bodies->id && !counts_up(bodies->id, bodies->n) &&
        !(sim->id = copy_of(bodies->id, bodies->n, sizeof *sim->id)))
        return ky_no_memory(error, "ids", bodies->n, sizeof *sim->id);
    if (bodies->type && !(sim->type = copy_of(bodies->type, bodies->n, sizeof *sim->type)))
        return ky_no_memory(error, "types", bodies->n, sizeof *sim->type);
    if (bodies->radius && !(sim->radius = copy_of(bodies->radius, bodies->n, sizeof *sim->radius)))
        return ky_no_memory(error, "radii", bodies->n, sizeof *sim->radius);
    return KY_OK;
}

/* Copies a text of the parameters and makes them point to the copy. */
static enum ky_status keep_text(const char *text, char **copy, const char **parameter,
                                struct ky_error *error)
{
    char *own = copy_of(text, strlen(text) + 1, 1);
    if (!own)
        return ky_no_memory(error, "text of a parameter", strlen(text) + 1, 1);
    free(*copy);
    *parameter = *copy = own;
    return KY_OK;
}

enum ky_status ky_sim_keep_field(struct ky_sim *sim, const char *field, struct ky_error *error)
{
    char plain[KY_EXTERNALS_TEXT];
    const struct ky_parameters *own = &sim->parameters;
    enum ky_status status = KY_OK;
    if (field && !ky_externals_are_plain(field)) {
        status = ky_externals_plain(field, own->g, &own->units, plain, sizeof plain, error);
        field = plain;
    }
    if (field && !status)
        return keep_text(field, &sim->field, &sim->parameters.field, error);
    sim->parameters.field = NULL;
    return status;
}

/* Converts all numbers in fields and cosmology to the units of the bodies, the only units that a
 * restart has. */
static enum ky_status keep_texts(struct ky_sim *sim, struct ky_error *error)
{
    struct ky_parameters *own = &sim->parameters;
    struct ky_expansion expansion;
    char told[KY_EXPANSION_TEXT];
    const char *universe = own->expansion;
    enum ky_status status = ky_sim_keep_field(sim, own->field, error);
    if (universe && !status && ky_named_numbers_have_units(universe)) {
        status = ky_expansion_read(universe, &own->units, &expansion, error);
        ky_expansion_write(&expansion, told);
        universe = told;
    }
    if (universe && !status)
        status = keep_text(universe, &sim->expansion, &own->expansion, error);
    return status;
}

static enum ky_status name_engine(struct ky_sim *sim, const char *name, struct ky_error *error)
{
    return keep_text(name, &sim->engine_name, &sim->parameters.engine, error);
}

/* The chosen engine replaces `auto` in the parameters, so that a restart continues with it. */
static enum ky_status open_engine(struct ky_sim *sim, struct ky_error *error)
{
    enum ky_status status =
        ky_integrator_engine(&sim->parameters, sim->n, sim->n, &sim->engine, error);
    return status || strcmp(sim->engine_name, "auto") != 0
               ? status
               : name_engine(sim, sim->engine->name, error);
}

enum ky_status ky_sim_make_integrator(const struct ky_sim *sim,
                                      struct ky_integrator_state **integrator,
                                      struct ky_error *error)
{
    KY_TRY(ky_integrator_create(sim->engine, sim->n, &sim->parameters, integrator, error));
    (*integrator)->id = sim->id;
    return KY_OK;
}

/* Puts the bodies on the engine, or lets its ranks keep the bodies that they have taken. */
static enum ky_status place_bodies(struct ky_engine *engine, const struct ky_bodies *bodies,
                                   struct ky_error *error)
{
    KY_TRY(bodies->n && !bodies->mass ? ky_engine_take(engine, error)
                                      : ky_engine_put(engine, bodies, error));
    return ky_engine_set_frame(engine, NULL, error);
}

/* A simulation without an engine. */
static enum ky_status allocate(const struct ky_parameters *resolved, size_t n, struct ky_sim **made,
                               struct ky_error *error)
{
    struct ky_sim *sim = *made = ky_allocate_zeroed(1, sizeof *sim);
    if (!sim)
        return ky_no_memory(error, "simulation", 1, sizeof *sim);
    sim->parameters = *resolved;
    sim->n = n;
    KY_TRY(name_engine(sim, resolved->engine, error));
    return keep_texts(sim, error);
}

enum ky_status ky_sim_begin(const struct ky_parameters *resolved, size_t n, struct ky_sim **sim,
                            struct ky_error *error)
{
    enum ky_status status = allocate(resolved, n, sim, error);
    if (!status)
        status = open_engine(*sim, error);
    if (status) {
        ky_sim_close(*sim);
        *sim = NULL;
    }
    return status;
}

/* Replaces the parameters by the resolved ones, with the simulation's texts. */
static void go_on(struct ky_sim *sim, const struct ky_parameters *resolved)
{
    struct ky_parameters own = *resolved;
    own.engine = sim->parameters.engine;
    own.field = sim->parameters.field;
    own.expansion = sim->parameters.expansion;
    sim->parameters = own;
}

void ky_sim_soften(struct ky_sim *sim, double a)
{
    struct ky_parameters *own = &sim->parameters;
    if (!isnan(own->softening_max))
        own->softening = ky_comoving_softening(sim->softening, own->softening_max, a);
}

struct ky_parameters ky_sim_given(const struct ky_sim *sim)
{
    struct ky_parameters given = sim->parameters;
    if (!isnan(given.softening_max))
        given.softening = sim->softening;
    return given;
}

enum ky_status ky_sim_create(const struct ky_parameters *resolved, const struct ky_bodies *bodies,
                             double time, struct ky_sim **made, struct ky_error *error)
{
    enum ky_status status = ky_stopping_check_bodies(resolved, bodies, error);
    if (!status && !*made)
        status = ky_sim_begin(resolved, bodies->n, made, error);
    struct ky_sim *sim = *made;
    if (!status)
        status = ky_sim_keep_labels(sim, bodies, error);
    if (!status)
        go_on(sim, resolved);
    if (!status && !isnan(resolved->softening_max) && isnan(resolved->softening))
        status = ky_fail(error, KY_UNSUPPORTED,
                         "--softening-max bounds one softening of all bodies, and these have "
                         "softenings of their own: give --softening");
    if (!status) {
        sim->softening = resolved->softening;
        ky_sim_soften(sim, time);
    }
    if (!status)
        status = ky_sim_make_watch(sim, error);
    if (!status)
        status = ky_externals_cover(&sim->engine->externals, time, time, error);
    if (!status && bodies->mass) /* bodies of ranks have softenings above 0 and no friction */
        status = ky_integrator_check_bodies(&sim->parameters, bodies, error);
    if (!status)
        status = place_bodies(sim->engine, bodies, error);
    if (!status)
        status = ky_sim_make_integrator(sim, &sim->integrator, error);
    if (!status)
        status = ky_timeline_make(&sim->parameters, time, sim->integrator->tick, &sim->line, error);
    if (status) {
        ky_sim_close(sim);
        *made = NULL;
        return status;
    }
    ky_engine_set_time(sim->engine, time);
    sim->stop = ky_not_stopped;
    sim->choice = no_choice;
    return KY_OK;
}

/* The force and its parameters for these bodies. The flag ends measurements. */
static enum ky_status settle_force(struct ky_parameters *resolved, const struct ky_bodies *bodies,
                                   struct ky_choice *choice, struct ky_error *error)
{
    const struct ky_engine_use use = ky_integrator_use(resolved, bodies->n);
    struct ky_halt halt = {.flag = resolved->stop};
    KY_TRY(ky_force_settle(resolved, bodies, &use, choice, &halt, error));
    return ky_integrator_check(resolved, error);
}

enum ky_status ky_sim_place(const struct ky_parameters *resolved, const struct ky_bodies *bodies,
                            double time, struct ky_sim **made, struct ky_error *error)
{
    struct ky_timeline line;
    struct ky_bodies fresh = *bodies;
    struct ky_parameters settled = *resolved;
    struct ky_choice choice = no_choice;
    char step[KY_QUANTITY_TEXT], start[KY_QUANTITY_TEXT];
    /* The forces may come from a run with other parameters. */
    fresh.acceleration = NULL;
    fresh.potential = NULL;
    if (!isfinite(time))
        return ky_fail(error, KY_USAGE, "start time %g; it must be finite", time);
    KY_TRY(ky_timeline_make(resolved, time, resolved->step, &line, error));
    if (resolved->step != 0 && !ky_timeline_advances(&line, 1))
        return ky_fail(
            error, KY_USAGE,
            "the step %s is lost in the rounding of the start time %s: time cannot advance",
            ky_step_words(&line, resolved->step, step), ky_time_words(&line, time, start));
    KY_TRY(ky_softening_need(resolved, &fresh, error));
    ky_integrator_settle(&settled, &fresh);
    KY_TRY(settle_force(&settled, &fresh, &choice, error));
    KY_TRY(ky_sim_create(&settled, &fresh, time, made, error));
    (*made)->choice = choice;
    const enum ky_status status = ky_sim_begin_tunings(*made, error);
    if (status) {
        ky_sim_close(*made);
        *made = NULL;
        return status;
    }
    if (*choice.text) /* the engine exists */
        ky_log(resolved, KY_LOG_INFO, "%s", choice.text);
    return KY_OK;
}

enum ky_status ky_sim_open(const struct ky_parameters *parameters, const struct ky_bodies *bodies,
                           double time, struct ky_sim **sim, struct ky_error *error)
{
    KY_NEED(parameters, error);
    KY_NEED(bodies, error);
    KY_NEED(sim, error);
    *sim = NULL;
    struct ky_parameters resolved;
    char remark[KY_RANKS_REMARK] = "";
    enum ky_status status = ky_parameters_resolve(parameters, &resolved, error);
    if (!status && isnan(resolved.step) && !isnan(resolved.step_a))
        resolved.step = KY_EARLY_STEP;
    if (!status)
        status = ky_bodies_check_by(resolved.threads, bodies, error);
    if (!status)
        ky_domain_choose_ranks(&resolved, ky_integrator_use(&resolved, bodies->n).schemes, bodies,
                               remark);
    if (!status)
        status = ky_sim_place(&resolved, bodies, time, sim, error);
    if (!status && *remark) /* the devices exist */
        ky_log(&resolved, KY_LOG_INFO, "%s", remark);
    if (!status)
        status = ky_engine_forces((*sim)->engine, error);
    if (status) {
        ky_sim_close(*sim);
        *sim = NULL;
    }
    return status;
}

void ky_sim_close(struct ky_sim *sim)
{
    if (!sim)
        return;
    ky_integrator_free(sim->integrator);
    ky_engine_close(sim->engine);
    free(sim->engine_name);
    free(sim->field);
    free(sim->expansion);
    free(sim->id);
    free(sim->type);
    free(sim->radius);
    free(sim->passages.one);
    ky_sim_end_tunings(sim);
    ky_sim_free_watch(sim);
    ky_sim_watch_close(&sim->frames);
    free(sim);
}

size_t ky_sim_n(const struct ky_sim *sim)
{
    return sim ? sim->n : 0;
}

double ky_sim_time(const struct ky_sim *sim)
{
    return sim ? ky_instant_time(&sim->line, sim->now) : (double)NAN;
}

uint64_t ky_sim_steps(const struct ky_sim *sim)
{
    struct ky_integrator_report report;
    if (!sim)
        return 0;
    sim->integrator->verbs->report(sim->integrator, &report);
    return sim->steps_before + report.steps;
}

enum ky_status ky_sim_check_length(const struct ky_sim *sim, size_t n, struct ky_error *error)
{
    if (n == sim->n)
        return KY_OK;
    return ky_fail(error, KY_USAGE, "arrays of length %zu; the simulation has %zu bodies", n,
                   sim->n);
}

static enum ky_status write_on_engine(void *context, struct ky_write_plan *plan,
                                      struct ky_error *error)
{
    return ky_engine_write(context, plan, error);
}

struct ky_writers ky_sim_writers(const struct ky_sim *sim, unsigned arrays)
{
    return (struct ky_writers){arrays, 1, write_on_engine, sim->engine};
}

/* 1 if the engine has to be asked for arrays that the simulation lacks. */
static int asks_engine(const struct ky_bodies *bodies)
{
    const unsigned own = 1U << KY_ARRAY_ID | 1U << KY_ARRAY_TYPE | 1U << KY_ARRAY_RADIUS;
    int asks = 0;
    for (int k = 0; k < KY_ARRAYS; k++)
        asks |= !(own >> k & 1U) && ky_array_of(bodies, (enum ky_array_id)k);
    return asks;
}

enum ky_status ky_sim_bodies(struct ky_sim *sim, struct ky_bodies *bodies, struct ky_error *error)
{
    KY_NEED(bodies, error);
    KY_TRY(ky_sim_check_alive(sim, error));
    return ky_sim_get(sim, bodies, error);
}

enum ky_status ky_sim_get(struct ky_sim *sim, struct ky_bodies *bodies, struct ky_error *error)
{
    KY_TRY(ky_sim_check_length(sim, bodies->n, error));
    if (bodies->acceleration || bodies->potential)
        KY_TRY(ky_sim_catch_up(sim, error));
    for (size_t i = 0; bodies->id && i < sim->n; i++)
        bodies->id[i] = sim->id ? sim->id[i] : i;
    for (size_t i = 0; bodies->type && i < sim->n; i++)
        bodies->type[i] = sim->type ? sim->type[i] : 4;
    for (size_t i = 0; bodies->radius && i < sim->n; i++)
        bodies->radius[i] = sim->radius ? sim->radius[i] : 0;
    return asks_engine(bodies) ? ky_engine_get(sim->engine, bodies, error) : KY_OK;
}

enum ky_status ky_sim_sums(struct ky_sim *sim, struct ky_sums *sums, struct ky_error *error)
{
    KY_NEED(sums, error);
    struct ky_sums own;
    KY_TRY(ky_sim_check_alive(sim, error));
    KY_TRY(ky_sim_catch_up(sim, error));
    KY_TRY(ky_engine_sums(sim->engine, &own, error));
    ky_size_give(sums, &own, sizeof own);
    return KY_OK;
}

void ky_sim_stop_reason(const struct ky_sim *sim, struct ky_stop *stop)
{
    ky_size_give_grown(stop, sim ? &sim->stop : &ky_not_stopped, sizeof ky_not_stopped,
                       KY_FIRST_STOP);
}

void ky_sim_choice(const struct ky_sim *sim, struct ky_choice *choice)
{
    ky_size_give(choice, sim ? &sim->choice : &no_choice, sizeof no_choice);
}

void ky_sim_report(struct ky_sim *sim, struct ky_force_report *report)
{
    struct ky_force_report own = {0};
    if (sim)
        ky_engine_report(sim->engine, &own);
    ky_size_give_grown(report, &own, sizeof own, KY_FIRST_REPORT);
}
