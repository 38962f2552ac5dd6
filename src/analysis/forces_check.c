/* The cost of the forces for given parameters, and their errors compared with exact sums: see
 * kyoho.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/dominant.h"
#include "analysis/force_error.h"
#include "base/bodies.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/phases.h"
#include "base/sizes.h"
#include "base/status.h"
#include "domain/domain.h"
#include "engine/common/external.h"
#include "engine/common/force_kinds.h"
#include "engine/engine.h"
#include "engine/force_options.h"
#include "octree/opening_kinds.h"
#include "octree/sample.h"

void ky_check_parameters_defaults_sized(struct ky_check_parameters *parameters, size_t size)
{
    static const struct ky_check_parameters own = {.size = sizeof own, .repeat = 1};
    ky_size_fill(parameters, size, &own, sizeof own);
}

/* ---- times ---- */

/* Takes the median of each phase over the repetitions. */
static void take_medians(struct ky_force_report *reports, size_t count, double *work,
                         struct ky_force_report *median)
{
    *median = reports[0];
#define TAKE(phase)                                                                                \
    for (size_t r = 0; r < count; r++)                                                             \
        work[r] = reports[r].phase;                                                                \
    median->phase = ky_median_mean(work, count);
    KY_PHASES(TAKE)
}

/* Evaluates the forces until there are `repeat` reports. If `done` is 1, *median contains the first
 * report. *median becomes the median of each time. */
static enum ky_status repeat_forces(struct ky_engine *engine, size_t repeat, int done,
                                    struct ky_force_report *median, struct ky_error *error)
{
    struct ky_force_report *reports = ky_allocate(repeat, sizeof *reports);
    double *work = ky_allocate(repeat, sizeof *work);
    if (!reports || !work)
        return ky_no_memory(error, "times", repeat, sizeof *reports);
    if (done)
        reports[0] = *median;
    for (size_t r = (size_t)done; r < repeat; r++) {
        KY_TRY(ky_engine_forces(engine, error));
        ky_engine_report(engine, &reports[r]);
    }
    take_medians(reports, repeat, work, median);
    free(reports);
    free(work);
    return KY_OK;
}

/* ---- errors ---- */

struct check {
    size_t count, *sinks;
    double (*place)[3], (*exact)[3], (*got)[3], *exact_potential, *got_potential;
    double (*field)[3]; /* accelerations by external fields or by the dominant body */
    double *softening;  /* softenings of the samples */
    struct ky_dominant dominant;
};

/* Allocates the check of `count` bodies and selects them. Some arrays are NULL if memory runs
 * out. */
static struct check begin_check(const struct ky_bodies *bodies,
                                const struct ky_parameters *parameters, size_t count)
{
    struct check check = {
        .count = count,
        .sinks = ky_allocate(count, sizeof *check.sinks),
        .place = ky_allocate(count, sizeof *check.place),
        .exact = ky_allocate(count, sizeof *check.exact),
        .got = ky_allocate(count, sizeof *check.got),
        .exact_potential = ky_allocate(count, sizeof *check.exact_potential),
        .got_potential = ky_allocate(count, sizeof *check.got_potential),
        .field = ky_allocate_zeroed(count, sizeof *check.field),
        .softening = ky_allocate(count, sizeof *check.softening),
        .dominant = {.body = SIZE_MAX},
    };
    if (check.sinks)
        ky_sample(bodies->n, count, check.sinks);
    /* Bodies without positions are rejected later. */
    if (!bodies->position || !check.sinks || !check.place || !check.softening || !count)
        return check;
    for (size_t k = 0; k < count; k++) {
        const size_t i = check.sinks[k];
        memcpy(check.place[k], bodies->position[i], sizeof check.place[k]);
        check.softening[k] = bodies->softening ? bodies->softening[i] : parameters->softening;
    }
    check.dominant = ky_dominant_find(bodies, parameters);
    return check;
}

static void end_check(struct check *check)
{
    free(check->sinks);
    free(check->place);
    free(check->exact);
    free(check->got);
    free(check->exact_potential);
    free(check->got_potential);
    free(check->field);
    free(check->softening);
}

/* The rms error relative to the rms of the exact accelerations, and relative to the rms of their
 * peculiar part. Leaves errors in `got`. */
static void compare_rms(struct check *check, struct ky_check_results *results)
{
    const size_t count = check->count;
    for (size_t k = 0; k < count; k++)
        for (int c = 0; c < 3; c++)
            check->got[k][c] -= check->exact[k][c];
    const double error = ky_rms(count, (const double(*)[3])check->got),
                 all = ky_rms(count, (const double(*)[3])check->exact);
    ky_subtract_linear(count, check->place, check->exact);
    const double peculiar = ky_rms(count, (const double(*)[3])check->exact);
    results->of_rms = all > 0 ? error / all : 0;
    results->of_peculiar = peculiar > 1e-9 * all ? error / peculiar : (double)NAN;
}

static void add_field(struct check *check, double (*to)[3], double factor)
{
    for (size_t k = 0; k < check->count; k++)
        for (int c = 0; c < 3; c++)
            to[k][c] += factor * check->field[k][c];
}

/* If there are external fields: computes the errors with the fields, and then subtracts the fields
 * from `got`. */
static enum ky_status compare_with_fields(struct ky_engine *engine, struct check *check,
                                          struct ky_check_results *results, struct ky_error *error)
{
    const struct ky_points places = {.count = check->count,
                                     .position = (const double(*)[3])check->place};
    if (!engine->externals.count)
        return KY_OK;
    enum ky_status status =
        ky_externals_add_at(&engine->externals, &places, check->field, NULL, error);
    add_field(check, check->exact, 1);
    if (!status)
        status = ky_vector_errors(check->count, check->got, check->exact, &results->total, error);
    add_field(check, check->exact, -1);
    add_field(check, check->got, -1);
    return status;
}

/* The errors relative to the acceleration by all bodies except the dominant one. */
static enum ky_status compare_without_dominant(struct ky_engine *engine,
                                               const struct ky_parameters *parameters,
                                               struct check *check,
                                               struct ky_check_results *results,
                                               struct ky_error *error)
{
    const struct ky_engine_frame units = ky_engine_units_of(engine);
    if (check->dominant.body == SIZE_MAX)
        return KY_OK;
    for (size_t k = 0; k < check->count; k++) {
        double *pull = check->field[k];
        pull[0] = pull[1] = pull[2] = 0;
        if (check->sinks[k] != check->dominant.body)
            ky_dominant_pull(&check->dominant, parameters, &units, check->place[k],
                             check->softening[k], pull);
    }
    add_field(check, check->exact, -1);
    add_field(check, check->got, -1);
    const enum ky_status status =
        ky_vector_errors(check->count, check->got, check->exact, &results->without_dominant, error);
    add_field(check, check->exact, 1);
    add_field(check, check->got, 1);
    return status;
}

/* In a periodic box: the errors over the rms of the exact accelerations. */
static enum ky_status compare_in_box(const struct check *check, double box,
                                     struct ky_check_results *results, struct ky_error *error)
{
    const struct ky_compared compared = {check->count, 3, (const double *)check->got,
                                         (const double *)check->exact,
                                         ky_rms(check->count, (const double(*)[3])check->exact)};
    return box > 0 ? ky_errors_of(&compared, &results->over_rms, error) : KY_OK;
}

/* Computes exact sums of the samples and compares the engine's results with them. */
static enum ky_status compare(struct ky_engine *engine, const struct ky_parameters *parameters,
                              const struct ky_bodies *forces, struct check *check,
                              struct ky_check_results *results, struct ky_error *error)
{
    size_t count = check->count;
    if (!check->sinks || !check->place || !check->exact || !check->got || !check->exact_potential ||
        !check->got_potential || !check->field || !check->softening)
        return ky_no_memory(error, "samples", count, 15 * sizeof(double));
    for (size_t k = 0; k < count; k++) {
        size_t i = check->sinks[k];
        memcpy(check->got[k], forces->acceleration[i], sizeof check->got[k]);
        check->got_potential[k] = forces->potential[i];
    }
    KY_TRY(
        ky_engine_exact(engine, check->sinks, count, check->exact, check->exact_potential, error));
    KY_TRY(compare_with_fields(engine, check, results, error));
    KY_TRY(ky_vector_errors(count, check->got, check->exact, &results->acceleration, error));
    KY_TRY(ky_scalar_errors(count, check->got_potential, check->exact_potential,
                            &results->potential, error));
    KY_TRY(compare_without_dominant(engine, parameters, check, results, error));
    KY_TRY(compare_in_box(check, parameters->box, results, error));
    compare_rms(check, results);
    return KY_OK;
}

/* ---- the call ---- */

/* The state of one call. */
struct call {
    struct ky_parameters parameters; /* resolved; the engine keeps a pointer to it */
    struct ky_check_parameters wanted;
    struct check check;
    struct ky_engine *engine;
    struct ky_halt halt;
    struct ky_force_report report;
    struct ky_check_results results;
    struct ky_choice choice;
};

/* Fills in defaults. KY_USAGE for a request that is not possible. */
static enum ky_status adopt(struct call *call, const struct ky_parameters *parameters,
                            const struct ky_check_parameters *wanted, struct ky_error *error)
{
    struct ky_check_parameters *own = &call->wanted;
    ky_check_parameters_defaults(own);
    if (wanted)
        KY_TRY(ky_size_adopt(own, sizeof *own, wanted, "ky_check_parameters_defaults", error));
    if (!own->repeat)
        return ky_fail(error, KY_USAGE, "repeat is 0; it must be 1 or more");
    if (own->fill && own->release)
        return ky_fail(
            error, KY_USAGE,
            "the forces cannot be stored in bodies that are freed; set only one of the two");
    KY_TRY(ky_force_resolve_later(parameters, &call->parameters, error));
    return ky_engine_check_alone(&call->parameters, error);
}

/* Opens an engine for the bodies and puts them there. */
static enum ky_status put(struct call *call, const struct ky_bodies *bodies, struct ky_error *error)
{
    struct ky_bodies input = *bodies;
    input.acceleration = NULL; /* from another evaluation */
    input.potential = NULL;
    KY_TRY(ky_bodies_check_by(call->parameters.threads, &input, error));
    KY_TRY(ky_softening_need(&call->parameters, &input, error));
    KY_TRY(ky_force_settle(&call->parameters, &input, &(struct ky_engine_use){.n = bodies->n},
                           &call->choice, &call->halt, error));
    KY_TRY(ky_halt_check(&call->halt, error));
    KY_TRY(ky_domain_open_chosen(&call->parameters, NULL, &input, &call->engine, error));
    call->engine->halt = &call->halt;
    ky_announce(&call->parameters, bodies->n, "bodies to the engine");
    return ky_engine_put(call->engine, &input, error);
}

/* Reads the forces and compares them. `forces` has arrays for them, or gets new ones. */
static enum ky_status look(struct call *call, struct ky_bodies *forces, struct ky_error *error)
{
    ky_engine_trim(call->engine);
    enum ky_status status =
        ky_bodies_extend(forces, KY_WITH_ACCELERATION | KY_WITH_POTENTIAL, error);
    if (!status) {
        struct ky_bodies output = {
            .n = forces->n, .acceleration = forces->acceleration, .potential = forces->potential};
        status = ky_engine_get(call->engine, &output, error);
    }
    if (status || !call->check.count)
        return status;
    ky_announce(&call->parameters, forces->n, "exact sums for the check");
    return compare(call->engine, &call->parameters, forces, &call->check, &call->results, error);
}

/* Evaluates the forces for the caller, and the sums; then measures the times. The first evaluation
 * may take two passes. A step of a run takes one pass, so only evaluations with one pass are
 * measured. */
static enum ky_status evaluate(struct call *call, struct ky_bodies *forces, struct ky_error *error)
{
    const int has_passes = ky_opening_kind(call->parameters.opening)->by_alpha &&
                           ky_force_kind(call->parameters.force)->has_tree;
    ky_announce(&call->parameters, forces->n, "forces");
    KY_TRY(ky_engine_forces(call->engine, error));
    if (!has_passes)
        ky_engine_report(call->engine, &call->report);
    if (call->wanted.sums) {
        struct ky_sums sums;
        KY_TRY(ky_engine_sums(call->engine, &sums, error));
        ky_size_give(call->wanted.sums, &sums, sizeof sums);
    }
    if (call->wanted.fill || call->check.count)
        KY_TRY(look(call, forces, error));
    return repeat_forces(call->engine, (size_t)call->wanted.repeat, !has_passes, &call->report,
                         error);
}

static enum ky_status run(struct call *call, struct ky_bodies *bodies, struct ky_error *error)
{
    const size_t n = bodies->n;
    const struct ky_check_parameters *wanted = &call->wanted;
    struct ky_bodies own = {.n = n}; /* receives the forces if the bodies do not keep them */
    enum ky_status status = put(call, bodies, error);
    if (!status && wanted->release) {
        ky_bodies_free(bodies);
        bodies->n = n;
    }
    if (!status)
        status = evaluate(call, wanted->fill ? bodies : &own, error);
    ky_bodies_free(&own);
    return status;
}

enum ky_status ky_forces_check(const struct ky_parameters *parameters, struct ky_bodies *bodies,
                               const struct ky_check_parameters *wanted,
                               struct ky_check_results *results, struct ky_error *error)
{
    KY_NEED(parameters, error);
    KY_NEED(bodies, error);
    struct call call = {.engine = NULL};
    KY_TRY(adopt(&call, parameters, wanted, error));
    call.halt.flag = call.parameters.stop;
    const size_t samples = (size_t)call.wanted.samples;
    call.check = begin_check(bodies, &call.parameters,
                             call.wanted.samples < bodies->n ? samples : bodies->n);
    enum ky_status status = run(&call, bodies, error);
    end_check(&call.check);
    ky_engine_close(call.engine);
    if (status)
        return status;
    ky_size_give_grown(call.wanted.report, &call.report, sizeof call.report, KY_FIRST_REPORT);
    ky_size_give(call.wanted.resolved, &call.parameters, sizeof call.parameters);
    ky_size_give(call.wanted.choice, &call.choice, sizeof call.choice);
    ky_size_give_grown(results, &call.results, sizeof call.results,
                       offsetof(struct ky_check_results, total));
    return KY_OK;
}

enum ky_status ky_forces_memory(const struct ky_parameters *parameters, size_t n,
                                const struct ky_check_parameters *wanted,
                                struct ky_check_memory *memory, struct ky_error *error)
{
    KY_NEED(parameters, error);
    struct call call = {.engine = NULL};
    const struct ky_engine_use use = {.n = n};
    enum ky_status status = adopt(&call, parameters, wanted, error);
    const int measures = !status && !isnan(call.parameters.error);
    if (!status)
        status = ky_force_settle(&call.parameters, &(struct ky_bodies){.n = n}, &use, &call.choice,
                                 NULL, error);
    if (!status)
        status = ky_domain_open_chosen(&call.parameters, NULL, &(struct ky_bodies){.n = n},
                                       &call.engine, error);
    if (status)
        return status;
    struct ky_memory needs;
    ky_engine_memory(call.engine, 0, n, call.wanted.massless, &needs);
    ky_engine_close(call.engine);
    const double given = ky_bodies_bytes(n, KY_WITH_ID, 1),
                 kept = call.wanted.release && !measures ? 0 : given,
                 results = ky_bodies_bytes(n, KY_WITH_ACCELERATION | KY_WITH_POTENTIAL, 0);
    /* The system gives memory for results as they are written, when the tree of the last evaluation
     * is gone. */
    const double after = call.wanted.samples || call.wanted.fill ? kept + needs.kept + results : 0;
    const struct ky_check_memory own = {
        .host = fmax(given + needs.kept, fmax(kept + needs.host, after)), .device = needs.device};
    ky_size_give(call.wanted.choice, &call.choice, sizeof call.choice);
    ky_size_give(memory, &own, sizeof own);
    return KY_OK;
}
