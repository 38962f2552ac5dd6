/* Measuring a force evaluation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/bodies.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/order.h"
#include "command/force.h"
#include "octree/sample.h"

/* The k-th time of a report, or NULL past the last. */
static double *phase(struct ky_force_report *report, int k)
{
    double *const phases[] = {&report->keys,    &report->sort, &report->build,
                              &report->moments, &report->walk, &report->total};
    return k < (int)(sizeof phases / sizeof *phases) ? phases[k] : NULL;
}

/* Every phase's median over the repetitions. */
static void take_medians(struct ky_force_report *reports, size_t count, double *work,
                         struct ky_force_report *median)
{
    *median = reports[0];
    for (int k = 0; phase(median, k); k++) {
        for (size_t r = 0; r < count; r++)
            work[r] = *phase(&reports[r], k);
        qsort(work, count, sizeof *work, ky_order_reals);
        *phase(median, k) =
            count % 2 ? work[count / 2] : 0.5 * (work[count / 2 - 1] + work[count / 2]);
    }
}

/* Evaluates the forces `repeat` times; *median has the median of each time. */
static enum ky_status repeat_forces(struct ky_engine *engine, size_t repeat,
                                    struct ky_force_report *median, struct ky_error *error)
{
    struct ky_force_report *reports = ky_allocate(repeat, sizeof *reports);
    double *work = ky_allocate(repeat, sizeof *work);
    enum ky_status status =
        reports && work ? KY_OK : ky_no_memory(error, "times", repeat, sizeof *reports);
    for (size_t r = 0; r < repeat && !status; r++) {
        status = ky_engine_forces(engine, error);
        if (!status)
            ky_engine_report(engine, &reports[r]);
    }
    if (!status)
        take_medians(reports, repeat, work, median);
    free(reports);
    free(work);
    return status;
}

struct check {
    size_t count, *sinks;
    double (*place)[3], (*exact)[3], (*got)[3], *exact_potential, *got_potential;
};

/* The rms error against the rms of the exact accelerations, and of what is peculiar to a body in
 * them. Leaves errors in `got`. */
static void compare_rms(struct check *check, struct force_result *result)
{
    const size_t count = check->count;
    for (size_t k = 0; k < count; k++)
        for (int c = 0; c < 3; c++)
            check->got[k][c] -= check->exact[k][c];
    const double error = ky_rms(count, (const double(*)[3])check->got),
                 all = ky_rms(count, (const double(*)[3])check->exact);
    ky_subtract_linear(count, check->place, check->exact);
    const double peculiar = ky_rms(count, (const double(*)[3])check->exact);
    result->of_rms = all > 0 ? error / all : 0;
    result->of_peculiar = peculiar > 1e-9 * all ? error / peculiar : (double)NAN;
}

/* The sums of the samples beside what the engine found. */
static enum ky_status compare(struct ky_engine *engine, const struct ky_bodies *forces,
                              struct check *check, struct force_result *result,
                              struct ky_error *error)
{
    size_t count = check->count;
    if (!check->sinks || !check->place || !check->exact || !check->got || !check->exact_potential ||
        !check->got_potential)
        return ky_no_memory(error, "samples", count, 12 * sizeof(double));
    for (size_t k = 0; k < count; k++) {
        size_t i = check->sinks[k];
        memcpy(check->got[k], forces->acceleration[i], sizeof check->got[k]);
        check->got_potential[k] = forces->potential[i];
    }
    enum ky_status status =
        ky_engine_exact(engine, check->sinks, count, check->exact, check->exact_potential, error);
    if (!status)
        status = ky_vector_errors(count, check->got, check->exact, &result->acceleration, error);
    if (!status)
        status = ky_scalar_errors(count, check->got_potential, check->exact_potential,
                                  &result->potential, error);
    if (!status)
        compare_rms(check, result);
    return status;
}

/* Room for the check of `count` of the bodies, and their places. Some of it is NULL when memory is
 * out. */
static struct check begin_check(const struct ky_bodies *bodies, size_t count)
{
    struct check check = {
        .count = count,
        .sinks = ky_allocate(count, sizeof *check.sinks),
        .place = ky_allocate(count, sizeof *check.place),
        .exact = ky_allocate(count, sizeof *check.exact),
        .got = ky_allocate(count, sizeof *check.got),
        .exact_potential = ky_allocate(count, sizeof *check.exact_potential),
        .got_potential = ky_allocate(count, sizeof *check.got_potential),
    };
    if (check.sinks)
        ky_sample(bodies->n, count, check.sinks);
    for (size_t k = 0; check.sinks && check.place && k < count; k++)
        memcpy(check.place[k], bodies->position[check.sinks[k]], sizeof check.place[k]);
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
}

/* With the bodies on the engine. `forces` gets arrays of its own unless it has them. */
static enum ky_status measure(struct ky_engine *engine, struct ky_bodies *forces,
                              const struct force_request *request, struct check *check,
                              struct force_result *result, struct ky_error *error)
{
    const size_t samples = check->count;
    const struct ky_parameters *parameters = &result->parameters;
    enum ky_status status = KY_OK;
    /* The first accelerations take a pass more: what counts is a step of a run. */
    ky_announce(parameters, forces->n, "forces");
    if (parameters->opening == KY_RELATIVE && parameters->force != KY_DIRECT)
        status = ky_engine_forces(engine, error);
    if (!status)
        status = repeat_forces(engine, (size_t)request->repeat, &result->report, error);
    if (!status && request->sums)
        status = ky_engine_sums(engine, &result->sums, error);
    if (status || (!samples && !request->keep))
        return status;
    ky_engine_trim(engine);
    status = ky_bodies_extend(forces, KY_WITH_ACCELERATION | KY_WITH_POTENTIAL, error);
    if (!status) {
        struct ky_bodies output = {
            .n = forces->n, .acceleration = forces->acceleration, .potential = forces->potential};
        status = ky_engine_get(engine, &output, error);
    }
    if (samples)
        ky_announce(parameters, forces->n, "exact sums for the check");
    if (!status && samples)
        status = compare(engine, forces, check, result, error);
    return status;
}

enum ky_status force_measure(const struct ky_parameters *parameters, struct ky_bodies *bodies,
                             const struct force_request *request, struct force_result *result,
                             struct ky_error *error)
{
    struct ky_engine *engine = NULL;
    size_t n = bodies->n;
    struct check check = begin_check(bodies, request->check < n ? (size_t)request->check : n);
    *result = (struct force_result){.n = n, .sums.mass = (double)NAN};
    enum ky_status status = ky_force_resolve(parameters, &result->parameters, error);
    result->sinks = request->sinks;
    result->sources = request->sources;
    if (!status)
        status = ky_engine_open(&result->parameters, n, &engine, error);
    if (!status && request->sinks)
        status = ky_engine_unroll(engine, request->sinks, request->sources, error);
    if (!status) {
        ky_announce(parameters, n, "bodies to the engine");
        struct ky_bodies input = *bodies;
        input.acceleration = NULL; /* of another evaluation */
        input.potential = NULL;
        status = ky_engine_put(engine, &input, error);
    }
    if (!status && !request->keep) {
        ky_bodies_free(bodies);
        bodies->n = n;
    }
    if (!status)
        status = measure(engine, bodies, request, &check, result, error);
    end_check(&check);
    ky_engine_close(engine);
    return status;
}

enum ky_status force_foresee(const struct ky_parameters *parameters, size_t n,
                             const struct force_request *request, struct force_memory *memory,
                             struct ky_error *error)
{
    const double program = 10e6, /* without bodies */
        given = ky_bodies_bytes(n, KY_WITH_ID, 1), kept = request->keep ? given : 0,
                 results = ky_bodies_bytes(n, KY_WITH_ACCELERATION | KY_WITH_POTENTIAL, 0);
    struct ky_parameters resolved;
    struct ky_engine *engine = NULL;
    struct ky_memory needs;
    enum ky_status status = ky_force_resolve(parameters, &resolved, error);
    if (!status)
        status = ky_engine_open_for(&resolved, 0, &(struct ky_engine_use){.n = n}, &engine, error);
    if (status)
        return status;
    ky_engine_memory(engine, 0, n, &needs);
    ky_engine_close(engine);
    double evaluation = kept + needs.host, after = kept + needs.kept + results;
    if (!request->check && !request->keep)
        after = 0;
    *memory = (struct force_memory){program + fmax(given + needs.kept, fmax(evaluation, after)),
                                    needs.device};
    return KY_OK;
}

enum ky_status force_measure_plummer(const struct ky_parameters *parameters, size_t n,
                                     const struct force_request *request,
                                     struct force_result *result, struct ky_error *error)
{
    struct ky_parameters own = *parameters;
    struct ky_model_parameters model;
    struct ky_snapshot snapshot;
    ky_model_parameters_defaults(&model);
    model.n = n;
    enum ky_status status = ky_model_make("plummer", &model, &snapshot, error);
    if (!status)
        status = ky_softening_choose(&own, &snapshot, NULL, error);
    if (!status)
        status = force_measure(&own, &snapshot.bodies, request, result, error);
    ky_snapshot_free(&snapshot);
    return status;
}

double force_particles_per_s(const struct force_result *result)
{
    return (double)result->n / result->report.total;
}

double force_interactions_per_s(const struct force_result *result)
{
    return (result->report.body_interactions + result->report.cell_interactions) /
           result->report.total;
}

/* The statistics as an object, or null without samples. */
static void write_errors(struct ky_json *json, const char *name,
                         const struct ky_error_statistics *errors)
{
    if (!errors->samples) {
        ky_json_null(json, name);
        return;
    }
    ky_json_object(json, name);
    ky_json_real(json, "median", errors->median);
    ky_json_real(json, "p90", errors->p90);
    ky_json_real(json, "p99", errors->p99);
    ky_json_real(json, "max", errors->max);
    ky_json_real(json, "mean", errors->mean);
    ky_json_real(json, "rms", errors->rms);
    ky_json_count(json, "samples", errors->samples);
    ky_json_end_object(json);
}

void force_choice(const struct ky_parameters *parameters, const char *name, char text[FORCE_CHOICE])
{
    struct ky_parameters own = *parameters;
    struct ky_option_set sets[KY_FORCE_SETS];
    ky_force_sets(&own, sets);
    ky_option_text(ky_options_find(sets, KY_FORCE_SETS, name, NULL), &own, text, FORCE_CHOICE);
}

void force_unroll(const struct force_result *result, char text[FORCE_CHOICE])
{
    if (result->sinks)
        snprintf(text, FORCE_CHOICE, "%dx%d", result->sinks, result->sources);
    else
        force_choice(&result->parameters, "unroll", text);
}

/* A choice of the parameters as a member. */
static void write_choice(struct ky_json *json, const struct ky_parameters *parameters,
                         const char *name)
{
    char text[FORCE_CHOICE];
    force_choice(parameters, name, text);
    ky_json_text(json, name, text);
}

void force_json(struct ky_json *json, const char *name, const struct force_result *result)
{
    const struct ky_force_report *report = &result->report;
    double n = result->n ? (double)result->n : 1;
    ky_json_object(json, name);
    ky_json_text(json, "engine", report->engine);
    ky_json_text(json, "device", report->device);
    write_choice(json, &result->parameters, "force");
    ky_json_count(json, "n", result->n);
    ky_json_real(json, "softening", result->parameters.softening);
    write_choice(json, &result->parameters, "softening-kind");
    ky_json_real(json, "theta", result->parameters.theta);
    ky_json_real(json, "alpha", result->parameters.alpha);
    ky_json_integer(json, "multipole", result->parameters.multipole);
    write_choice(json, &result->parameters, "opening");
    write_choice(json, &result->parameters, "precision");
    char unroll[FORCE_CHOICE];
    force_unroll(result, unroll);
    ky_json_text(json, "unroll", unroll);
    ky_json_object(json, "seconds");
    ky_json_real(json, "keys", report->keys);
    ky_json_real(json, "sort", report->sort);
    ky_json_real(json, "build", report->build);
    ky_json_real(json, "moments", report->moments);
    ky_json_real(json, "walk", report->walk);
    ky_json_real(json, "total", report->total);
    ky_json_real(json, "upload", report->upload);
    ky_json_real(json, "download", report->download);
    ky_json_end_object(json);
    ky_json_object(json, "interactions");
    ky_json_real(json, "body", report->body_interactions / n);
    ky_json_real(json, "cell", report->cell_interactions / n);
    ky_json_end_object(json);
    ky_json_real(json, "particles_per_s", force_particles_per_s(result));
    ky_json_real(json, "interactions_per_s", force_interactions_per_s(result));
    write_errors(json, "error", &result->acceleration);
    write_errors(json, "error_potential", &result->potential);
    ky_json_real(json, "error_of_rms", result->acceleration.samples ? result->of_rms : (double)NAN);
    ky_json_real(json, "error_of_peculiar",
                 result->acceleration.samples ? result->of_peculiar : (double)NAN);
    if (!isnan(result->sums.mass)) {
        ky_json_real(json, "kinetic", result->sums.kinetic);
        ky_json_real(json, "potential", result->sums.potential);
        ky_json_real(json, "energy", ky_total_energy(&result->sums));
        ky_json_real(json, "virial_ratio", ky_virial_ratio(&result->sums));
    }
    ky_json_end_object(json);
}
