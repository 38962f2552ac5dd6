/* Forces and fields of arrays of the host or of a device, with an engine that is kept. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/force_error.h"
#include "base/bodies.h"
#include "base/memory.h"
#include "base/phases.h"
#include "base/sizes.h"
#include "base/status.h"
#include "domain/domain.h"
#include "engine/common/external.h"
#include "engine/engine.h"
#include "engine/force_options.h"
#include "simulation/sim.h"

enum { NAME = 64 };

struct ky_evaluator {
    struct ky_engine *engine;             /* NULL: none */
    size_t n;                             /* its number of bodies */
    int own_eps;                          /* 1: they have their own softenings */
    char name[NAME];                      /* parameters.engine */
    struct ky_parameters given, resolved; /* of the engine */
    struct ky_halt halt;
};

enum ky_status ky_evaluator_open(struct ky_evaluator **evaluator, struct ky_error *error)
{
    KY_NEED(evaluator, error);
    *evaluator = ky_allocate_zeroed(1, sizeof **evaluator);
    return *evaluator ? KY_OK : ky_no_memory(error, "an evaluator", 1, sizeof **evaluator);
}

static void drop(struct ky_evaluator *evaluator)
{
    ky_engine_close(evaluator->engine);
    evaluator->engine = NULL;
}

void ky_evaluator_close(struct ky_evaluator *evaluator)
{
    if (!evaluator)
        return;
    drop(evaluator);
    free(evaluator);
}

/* ---- which engine ---- */

/* Clears the members that may differ between calls with the same engine. */
static void forget_callers(struct ky_parameters *parameters)
{
    parameters->engine = NULL;
    parameters->log = NULL;
    parameters->log_context = NULL;
    parameters->stop = NULL;
}

/* 1 if an engine with these parameters depends on nothing else, and is on a device. */
static int can_keep(const struct ky_parameters *own)
{
    return isnan(own->error) && !(own->box > 0) && !own->field && !own->expansion &&
           !own->field_function && !own->field_places && own->ranks <= 1 &&
           own->precision != KY_MIXED && !ky_engine_is_named(own->engine, "cpu") &&
           !strchr(own->engine, ',') && strlen(own->engine) < NAME;
}

static int is_the_same(const struct ky_evaluator *evaluator, const struct ky_parameters *own,
                       const struct ky_array_bodies *bodies)
{
    struct ky_parameters plain = *own;
    forget_callers(&plain);
    return evaluator->engine && evaluator->n == bodies->n &&
           evaluator->own_eps == (bodies->softening.data != NULL) &&
           !strcmp(evaluator->name, own->engine) &&
           !memcmp(&evaluator->given, &plain, sizeof plain);
}

/* Opens an engine for so many bodies, from which nothing but their number is known. */
static enum ky_status open_for(struct ky_evaluator *evaluator, const struct ky_parameters *own,
                               const struct ky_array_bodies *bodies, struct ky_error *error)
{
    struct ky_parameters *resolved = &evaluator->resolved;
    struct ky_choice choice = {.text = ""};
    const struct ky_bodies outline = {.n = bodies->n};
    const struct ky_engine_use use = {.n = bodies->n};
    strcpy(evaluator->name, own->engine);
    evaluator->given = *own;
    forget_callers(&evaluator->given);
    evaluator->n = bodies->n;
    evaluator->own_eps = bodies->softening.data != NULL;
    KY_TRY(ky_force_resolve_later(own, resolved, error));
    KY_TRY(ky_engine_check_alone(resolved, error));
    resolved->engine = evaluator->name;
    KY_TRY(ky_force_settle(resolved, &outline, &use, &choice, &evaluator->halt, error));
    if (*choice.text)
        ky_log(resolved, KY_LOG_DETAIL, "%s", choice.text);
    KY_TRY(ky_engine_open_for(resolved, bodies->n, &use, &evaluator->engine, error));
    return ky_externals_cover(&evaluator->engine->externals, resolved->time, resolved->time, error);
}

/* Provides the engine. Its parameters have the caller's log and flag during the call. */
static enum ky_status provide(struct ky_evaluator *evaluator, const struct ky_parameters *own,
                              const struct ky_array_bodies *bodies, struct ky_error *error)
{
    evaluator->halt = (struct ky_halt){.flag = own->stop};
    KY_TRY(ky_halt_check(&evaluator->halt, error));
    if (!is_the_same(evaluator, own, bodies)) {
        drop(evaluator);
        KY_TRY(open_for(evaluator, own, bodies, error));
    }
    evaluator->resolved.log = own->log;
    evaluator->resolved.log_context = own->log_context;
    evaluator->resolved.stop = own->stop;
    evaluator->engine->halt = &evaluator->halt;
    return KY_OK;
}

/* After a failure, and with an engine that is not worth keeping, there is none. */
static void finish(struct ky_evaluator *evaluator, enum ky_status status)
{
    if (!evaluator->engine)
        return;
    if (status || !evaluator->engine->verbs->put_arrays) {
        drop(evaluator);
        return;
    }
    evaluator->engine->halt = NULL;
    evaluator->resolved.log = NULL;
    evaluator->resolved.stop = NULL;
}

/* ---- bodies on the host ---- */

/* Numbers of an array of the caller. */
struct span {
    const struct ky_numbers *array;
    size_t count;
    int on_device;
};

/* An array as doubles of the host. `engine` reads arrays that are on its device. */
static enum ky_status to_host(struct ky_engine *engine, struct span from, double *to,
                              struct ky_error *error)
{
    const struct ky_numbers *array = from.array;
    if (!array->data)
        return KY_OK;
    if (from.on_device)
        return ky_engine_read_array(engine, array, from.count, to, error);
    for (size_t k = 0; k < from.count; k++)
        to[k] = array->number == KY_FLOAT32 ? (double)((const float *)array->data)[k]
                                            : ((const double *)array->data)[k];
    return KY_OK;
}

static enum ky_status from_host(struct ky_engine *engine, struct span to, const double *from,
                                struct ky_error *error)
{
    const struct ky_numbers *array = to.array;
    if (!array->data)
        return KY_OK;
    if (to.on_device)
        return ky_engine_write_array(engine, array, to.count, from, error);
    for (size_t k = 0; k < to.count; k++)
        if (array->number == KY_FLOAT32)
            ((float *)array->data)[k] = (float)from[k];
        else
            ((double *)array->data)[k] = from[k];
    return KY_OK;
}

/* Bodies of the host: arrays of the caller where they are doubles of the host, otherwise copies. */
struct on_host {
    struct ky_bodies bodies, copies;
};

/* An array of the caller, the pointer to its numbers on the host, and to a copy if one is needed.
 */
struct array_on_host {
    const struct ky_numbers *array;
    size_t columns;
    int is_input;
    double **to, **copy;
};

/* Sets an array of the bodies of `columns` numbers for each. `is_input`: it has the numbers. */
static enum ky_status set_array(struct ky_engine *engine, const struct ky_array_bodies *given,
                                const struct array_on_host *own, struct ky_error *error)
{
    const struct span span = {own->array, given->n * own->columns, given->on_device};
    if (!own->array->data)
        return KY_OK;
    if (!given->on_device && own->array->number == KY_FLOAT64) {
        *own->to = own->array->data;
        return KY_OK;
    }
    *own->to = *own->copy = ky_allocate(span.count, sizeof **own->to);
    if (!*own->copy)
        return ky_no_memory(error, "copies of arrays", span.count, sizeof **own->to);
    return own->is_input ? to_host(engine, span, *own->to, error) : KY_OK;
}

/* Masses and velocities that the caller does not have. */
static enum ky_status set_missing(const struct ky_array_bodies *given, struct on_host *host,
                                  struct ky_error *error)
{
    struct ky_bodies *copies = &host->copies;
    host->bodies.velocity = copies->velocity = ky_allocate_zeroed(given->n, 3 * sizeof(double));
    if (!given->mass.data)
        host->bodies.mass = copies->mass = ky_allocate(given->n, sizeof(double));
    if (!host->bodies.velocity || !host->bodies.mass)
        return ky_no_memory(error, "velocities and masses", given->n, 4 * sizeof(double));
    for (size_t i = 0; i < given->n && !given->mass.data; i++)
        host->bodies.mass[i] = given->equal_mass;
    return KY_OK;
}

/* To be freed by free_on_host, also after a failure. */
static enum ky_status make_on_host(struct ky_engine *engine, const struct ky_array_bodies *given,
                                   struct on_host *host, struct ky_error *error)
{
    struct ky_bodies *to = &host->bodies, *copy = &host->copies;
    const struct array_on_host arrays[] = {
        {&given->position, 3, 1, (double **)&to->position, (double **)&copy->position},
        {&given->mass, 1, 1, &to->mass, &copy->mass},
        {&given->softening, 1, 1, &to->softening, &copy->softening},
        {&given->acceleration, 3, 0, (double **)&to->acceleration, (double **)&copy->acceleration},
        {&given->potential, 1, 0, &to->potential, &copy->potential}};
    *host = (struct on_host){.bodies = {.n = given->n}, .copies = {.n = given->n}};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        KY_TRY(set_array(engine, given, &arrays[k], error));
    return set_missing(given, host, error);
}

static void free_on_host(struct on_host *host)
{
    ky_bodies_free(&host->copies);
}

/* Copies all numbers of bodies to the caller's arrays. */
static enum ky_status give_all(struct ky_engine *engine, const struct ky_array_bodies *wanted,
                               const struct ky_bodies *from, struct ky_error *error)
{
    const struct {
        const struct ky_numbers *to;
        const double *from;
        size_t columns;
    } arrays[] = {{&wanted->position, (const double *)from->position, 3},
                  {&wanted->velocity, (const double *)from->velocity, 3},
                  {&wanted->mass, from->mass, 1},
                  {&wanted->acceleration, (const double *)from->acceleration, 3},
                  {&wanted->potential, from->potential, 1}};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        KY_TRY(from_host(
            engine, (struct span){arrays[k].to, arrays[k].columns * wanted->n, wanted->on_device},
            arrays[k].from, error));
    return KY_OK;
}

/* Copies results to arrays of the caller unless the bodies have these arrays themselves. */
static enum ky_status give_results(struct ky_engine *engine, const struct ky_array_bodies *given,
                                   const struct on_host *host, struct ky_error *error)
{
    const struct span acceleration = {&given->acceleration, 3 * given->n, given->on_device},
                      potential = {&given->potential, given->n, given->on_device};
    if (host->copies.acceleration)
        KY_TRY(from_host(engine, acceleration, (const double *)host->copies.acceleration, error));
    return host->copies.potential ? from_host(engine, potential, host->copies.potential, error)
                                  : KY_OK;
}

/* ---- calls ---- */

static enum ky_status check_types(const struct ky_array_bodies *bodies, struct ky_error *error)
{
    const struct ky_numbers *arrays[] = {&bodies->position,     &bodies->mass,
                                         &bodies->softening,    &bodies->velocity,
                                         &bodies->acceleration, &bodies->potential};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        if (arrays[k]->number != KY_FLOAT64 && arrays[k]->number != KY_FLOAT32)
            return ky_fail(error, KY_USAGE, "%d is no type of numbers", arrays[k]->number);
    return KY_OK;
}

/* The caller's structs as this version knows them. */
static enum ky_status adopt(const struct ky_parameters *parameters,
                            const struct ky_array_bodies *given, struct ky_parameters *own,
                            struct ky_array_bodies *bodies, struct ky_error *error)
{
    ky_force_defaults(own);
    KY_TRY(ky_size_adopt(own, sizeof *own, parameters, "ky_parameters_defaults", error));
    if (!given)
        return ky_fail(error, KY_USAGE, "no bodies were given");
    *bodies = *given;
    KY_TRY(check_types(bodies, error));
    if (bodies->n && !bodies->position.data)
        return ky_fail(error, KY_USAGE, "the bodies have no positions");
    if (!isnan(own->softening))
        bodies->softening.data = NULL;
    else if (!bodies->softening.data && bodies->n)
        return ky_fail(error, KY_USAGE, "the softening of these bodies is unknown: give softening");
    return KY_OK;
}

/* Opens an engine that only copies arrays from and to its device. */
static enum ky_status open_carrier(const struct ky_parameters *own, struct ky_parameters *plain,
                                   char name[NAME], struct ky_engine **carrier,
                                   struct ky_error *error)
{
    const struct ky_engine_use use = {.n = 0};
    const size_t length = strcspn(own->engine, ",");
    if (ky_engine_is_named(own->engine, "cpu") || length >= NAME)
        return ky_fail(error, KY_UNSUPPORTED,
                       "the arrays are in the memory of a CUDA device, which engine %s cannot "
                       "read: use engine cuda",
                       own->engine);
    memcpy(name, own->engine, length);
    name[length] = '\0';
    ky_force_defaults(plain);
    plain->engine = name;
    plain->force = KY_DIRECT;
    plain->softening = 0;
    KY_TRY(ky_force_resolve(plain, plain, error));
    return ky_engine_open_for(plain, 0, &use, carrier, error);
}

/* The work of a call. */
struct work {
    const struct ky_array_bodies *points; /* NULL: forces on the bodies */
    double softening;                     /* of the points */
    struct ky_force_report *report;
};

/* The field at the points, whose positions and results cross to the host. `of_host`: bodies, for
 * an engine that is opened for this field alone; or `engine` has the bodies. */
static enum ky_status field_at(struct ky_engine *engine, const struct ky_parameters *parameters,
                               const struct ky_bodies *of_host, struct ky_engine *carrier,
                               const struct work *work, struct ky_error *error)
{
    const struct ky_array_bodies *points = work->points;
    struct on_host own;
    enum ky_status status = make_on_host(carrier, points, &own, error);
    const struct ky_field_points wanted = {.size = sizeof wanted,
                                           .count = points->n,
                                           .position = (const double(*)[3])own.bodies.position,
                                           .softening = work->softening,
                                           .softenings = own.bodies.softening,
                                           .acceleration = own.bodies.acceleration,
                                           .potential = own.bodies.potential};
    struct ky_field_points adopted;
    if (!status && of_host)
        status = ky_field_fill(parameters, of_host, &wanted, error);
    else if (!status)
        status = ky_field_adopt(&adopted, &wanted, error);
    if (!status && !of_host)
        status = ky_field_on(engine, &adopted, error);
    if (!status)
        status = give_results(carrier, points, &own, error);
    free_on_host(&own);
    return status;
}

/* With an engine for this call alone. */
static enum ky_status compute_once(const struct ky_parameters *own,
                                   const struct ky_array_bodies *given, const struct work *work,
                                   struct ky_error *error)
{
    struct ky_parameters plain;
    struct ky_engine *carrier = NULL;
    struct on_host host = {.copies = {.n = 0}};
    char name[NAME];
    const int there = given->on_device || (work->points && work->points->on_device);
    enum ky_status status = there ? open_carrier(own, &plain, name, &carrier, error) : KY_OK;
    if (!status)
        status = make_on_host(carrier, given, &host, error);
    if (!status && work->points)
        status = field_at(NULL, own, &host.bodies, carrier, work, error);
    else if (!status)
        status = ky_forces(own, &host.bodies, work->report, error);
    if (!status && !work->points)
        status = give_results(carrier, given, &host, error);
    free_on_host(&host);
    ky_engine_close(carrier);
    return status;
}

/* Puts bodies on the engine that it does not take as arrays, and gets the forces from there. */
static enum ky_status compute_from_host(struct ky_evaluator *evaluator,
                                        const struct ky_array_bodies *given,
                                        const struct work *work, struct ky_error *error)
{
    struct ky_engine *engine = evaluator->engine;
    struct on_host host;
    enum ky_status status = make_on_host(engine, given, &host, error);
    struct ky_bodies input = host.bodies, results = {.n = given->n,
                                                     .acceleration = host.bodies.acceleration,
                                                     .potential = host.bodies.potential};
    input.acceleration = NULL;
    input.potential = NULL;
    if (!status)
        status = ky_bodies_check_by(evaluator->resolved.threads, &input, error);
    if (!status)
        status = ky_engine_put(engine, &input, error);
    if (!status && work->points)
        status = field_at(engine, NULL, NULL, engine, work, error);
    else if (!status)
        status = ky_engine_forces(engine, error);
    if (!status && !work->points) {
        engine->halt = NULL; /* too late for the flag: the results change whole or not */
        status = ky_engine_get(engine, &results, error);
        if (!status)
            status = give_results(engine, given, &host, error);
    }
    free_on_host(&host);
    return status;
}

/* The same for bodies that the engine takes as arrays; *taken 0: it does not. */
static enum ky_status compute_from_arrays(struct ky_engine *engine,
                                          const struct ky_array_bodies *given,
                                          const struct work *work, int *taken,
                                          struct ky_error *error)
{
    KY_TRY(ky_engine_put_arrays(engine, given, taken, error));
    if (!*taken)
        return KY_OK;
    if (work->points)
        return field_at(engine, NULL, NULL, engine, work, error);
    KY_TRY(ky_engine_forces(engine, error));
    engine->halt = NULL;
    const struct ky_array_bodies results = {.n = given->n,
                                            .on_device = given->on_device,
                                            .acceleration = given->acceleration,
                                            .potential = given->potential};
    return ky_engine_get_arrays(engine, &results, error);
}

static enum ky_status compute_kept(struct ky_evaluator *evaluator, const struct ky_parameters *own,
                                   const struct ky_array_bodies *given, const struct work *work,
                                   struct ky_error *error)
{
    int taken = 0;
    KY_TRY(provide(evaluator, own, given, error));
    KY_TRY(compute_from_arrays(evaluator->engine, given, work, &taken, error));
    if (!taken)
        KY_TRY(compute_from_host(evaluator, given, work, error));
    if (work->report) {
        struct ky_force_report report;
        ky_engine_report(evaluator->engine, &report);
        ky_size_give_grown(work->report, &report, sizeof report, KY_FIRST_REPORT);
    }
    return KY_OK;
}

static enum ky_status compute(struct ky_evaluator *evaluator,
                              const struct ky_parameters *parameters,
                              const struct ky_array_bodies *given, const struct work *work,
                              struct ky_error *error)
{
    struct ky_parameters own;
    struct ky_array_bodies bodies;
    KY_TRY(adopt(parameters, given, &own, &bodies, error));
    if (bodies.n == 0 || !can_keep(&own))
        return compute_once(&own, &bodies, work, error);
    const enum ky_status status = compute_kept(evaluator, &own, &bodies, work, error);
    finish(evaluator, status);
    return status;
}

enum ky_status ky_sim_arrays(struct ky_sim *sim, const struct ky_array_bodies *wanted,
                             struct ky_error *error)
{
    KY_NEED(wanted, error);
    KY_TRY(ky_sim_check_alive(sim, error));
    KY_TRY(ky_sim_check_length(sim, wanted->n, error));
    KY_TRY(check_types(wanted, error));
    if (wanted->acceleration.data || wanted->potential.data)
        KY_TRY(ky_sim_catch_up(sim, error));
    if (sim->engine->verbs->get_arrays &&
        (sim->parameters.integrator != KY_HERMITE4 || !wanted->potential.data))
        return ky_engine_get_arrays(sim->engine, wanted, error);
    struct ky_bodies found = {.n = wanted->n};
    enum ky_status status =
        ky_bodies_allocate(&found, wanted->n, KY_WITH_ACCELERATION | KY_WITH_POTENTIAL, error);
    if (!status)
        status = ky_engine_get(sim->engine, &found, error);
    if (!status)
        status = give_all(sim->engine, wanted, &found, error);
    ky_bodies_free(&found);
    return status;
}

enum ky_status ky_evaluator_forces(struct ky_evaluator *evaluator,
                                   const struct ky_parameters *parameters,
                                   const struct ky_array_bodies *bodies,
                                   struct ky_force_report *report, struct ky_error *error)
{
    KY_NEED(evaluator, error);
    KY_NEED(parameters, error);
    const struct work work = {.report = report};
    return compute(evaluator, parameters, bodies, &work, error);
}

enum ky_status ky_evaluator_field(struct ky_evaluator *evaluator,
                                  const struct ky_parameters *parameters,
                                  const struct ky_array_bodies *bodies,
                                  const struct ky_array_bodies *points, double softening,
                                  struct ky_error *error)
{
    KY_NEED(evaluator, error);
    KY_NEED(parameters, error);
    KY_NEED(points, error);
    KY_TRY(check_types(points, error));
    const struct work work = {.points = points, .softening = softening};
    return compute(evaluator, parameters, bodies, &work, error);
}
