/* The plan of a run and its memory and disk needs, before it starts. */
#include <math.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/force_error.h"
#include "base/bodies.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/threads.h"
#include "engine/common/force_kinds.h"
#include "simulation/run.h"

/* Bytes per body in a snapshot, and in a restart file, which also has its acceleration. */
enum { IN_SNAPSHOT = 72, IN_RESTART = 96 };
/* Bytes that the program takes without bodies. */
static const double program = 16e6;

/* Steps, times of snapshots and rows. */
struct course {
    double step; /* NaN: it depends on the bodies */
    double steps, snapshots, rows;
    int restarts; /* 1: there are restart files */
    int follows;  /* 1: rows have positions of bodies */
    int measures; /* 1: errors are measured at the start, for --error; 2: also during the run,
                     beside its engine */
};

/* The largest of four needs: the bodies and their copy on the engine; an evaluation of the forces;
 * the copy for a snapshot, if there are any; the copy for a row of energy.csv, which is kept if
 * there are few bodies, with distances from a centre. A restart file needs one array at a time,
 * which is less. Ids that count the bodies are not copied. */
static double host_bytes(const struct ky_memory *memory, const struct course *course, size_t n)
{
    double given = ky_bodies_bytes(n, KY_WITH_ID, 1);
    const double beside =
        (course->measures ? given + memory->host : 0) + (course->measures > 1 ? memory->kept : 0);
    double copied = course->snapshots > 0 ? ky_bodies_bytes(n, KY_WITH_POTENTIAL, 1) : 0;
    double row = ky_bodies_bytes(
        n, (unsigned)KY_WITH_POTENTIAL | (course->follows ? (unsigned)KY_WITH_ID : 0U), 1);
    if (n > KY_ROW_KEPT)
        return program +
               fmax(fmax(beside, memory->host), memory->kept + fmax(given, fmax(copied, row)));
    double distances = 16 * (double)n;
    return program + row +
           fmax(fmax(beside, memory->host + distances), memory->kept + fmax(given, copied));
}

static double device_bytes(const struct ky_memory *memory, const struct course *course)
{
    return course->measures > 1 ? 2 * memory->device : memory->device;
}

/* The largest number of bodies that fit, of which the fraction `massless` has no mass. For large n
 * the memory is linear in n, through two known points. `available` is the free memory; it includes
 * the memory of the given bodies. */
static double find_largest(const struct ky_engine *engine, unsigned columns, double massless,
                           const struct course *course, double available)
{
    static const size_t n[2] = {10000000, 20000000};
    struct ky_memory memory[2];
    double host[2], device[2];
    for (int k = 0; k < 2; k++) {
        ky_engine_memory(engine, columns, n[k], (size_t)(massless * (double)n[k]), &memory[k]);
        host[k] = host_bytes(&memory[k], course, n[k]);
        device[k] = device_bytes(&memory[k], course);
    }
    const double first = (double)n[0], more = (double)(n[1] - n[0]);
    double slope = (host[1] - host[0]) / more;
    double most = first + (available - host[0]) / slope;
    slope = (device[1] - device[0]) / more;
    if (memory[0].room > 0)
        most = fmin(most, first + (memory[0].room - device[0]) / slope);
    return floor(fmax(0, fmin(most, memory[0].most)));
}

/* Computes the needs of the run. */
static enum ky_status plan_memory(const struct ky_parameters *parameters,
                                  const struct ky_bodies *bodies, const struct course *course,
                                  struct ky_plan *plan, struct ky_error *error)
{
    const unsigned columns = ky_integrator_columns(parameters);
    const double n = (double)bodies->n,
                 given = bodies->mass ? ky_bodies_bytes(bodies->n, ky_bodies_with(bodies), 1) : 0;
    const size_t massless = ky_bodies_massless(bodies);
    double available = ky_memory_available();
    struct ky_engine *engine;
    struct ky_memory memory;
    KY_TRY(ky_integrator_engine(parameters, bodies->n, 0, &engine, error));
    ky_engine_memory(engine, columns, bodies->n, massless, &memory);
    plan->host_bytes = host_bytes(&memory, course, bodies->n);
    plan->device_bytes = device_bytes(&memory, course);
    plan->rank_bytes = memory.ranks ? memory.host / memory.ranks : 0;
    plan->disk_bytes = course->snapshots * IN_SNAPSHOT * n +
                       2 * course->restarts * (IN_RESTART * n + 4096) + 300 * course->rows;
    if (bodies->n)
        plan->largest_n =
            find_largest(engine, columns, (double)massless / n, course, available + given);
    ky_engine_close(engine);
    return KY_OK;
}

/* Plans a run whose bodies are known, or whose step is given. */
static enum ky_status plan_steps(const struct ky_parameters *parameters,
                                 const struct ky_run_parameters *given, double start,
                                 double suggested, struct course *course, struct ky_error *error)
{
    struct ky_schedule schedule;
    enum ky_status status = ky_schedule_make(parameters, given, start, suggested, &schedule, error);
    if (!status)
        *course = (struct course){ky_schedule_step(&schedule),
                                  (double)ky_schedule_steps(&schedule),
                                  (double)ky_schedule_snapshots(&schedule),
                                  (double)(schedule.end.ticks / schedule.energy_every + 1),
                                  given->restart_every > 0,
                                  given->follow != NULL,
                                  0};
    if (!status)
        ky_schedule_warn(&schedule, parameters);
    ky_schedule_free(&schedule);
    return status;
}

/* The plan as far as it is known without the step. */
static enum ky_status plan_times(const struct ky_run_parameters *given, double start,
                                 struct course *course, struct ky_error *error)
{
    const double length = fabs(given->end - start);
    struct ky_times times;
    double end;
    KY_TRY(ky_schedule_end(given, 0, &end, error)); /* comoving runs know their steps */
    if (isnan(given->end) && !given->steps)
        return ky_fail(error, KY_USAGE, "the run has no end: give --end, or --steps of at least 1");
    enum ky_status status = ky_schedule_times(given, &times, error);
    const double count = (double)times.count;
    free(times.of);
    *course = (struct course){(double)NAN,
                              (double)given->steps,
                              (given->every == 0 ? 0 : 2) + count,
                              KY_ENERGY_ROWS,
                              given->restart_every > 0,
                              given->follow != NULL,
                              0};
    if (given->every > 0 && length > 0)
        course->snapshots = floor(length / given->every + 1e-6) + 1 + count;
    if (given->energy_every > 0 && length > 0)
        course->rows = length / given->energy_every;
    course->rows += course->snapshots;
    return status;
}

/* The plan as far as it is known: complete if the bodies are known or the step is given, otherwise
 * only times. */
static enum ky_status plan_course(const struct ky_parameters *parameters,
                                  const struct ky_run_parameters *given,
                                  const struct ky_snapshot *initial, struct course *course,
                                  struct ky_error *error)
{
    struct ky_parameters own = *parameters;
    struct ky_scales scales = {0};
    struct ky_followed followed;
    int there = !initial->bodies.n || initial->bodies.mass;
    KY_TRY(ky_run_follow(given->follow, &followed, error));
    if (there)
        KY_TRY(ky_run_check_followed(&followed, &initial->bodies, error));
    if (there)
        KY_TRY(ky_stopping_check_bodies(parameters, &initial->bodies, error));
    if (there)
        KY_TRY(ky_softening_choose(&own, initial, NULL, error));
    if (there)
        KY_TRY(ky_run_scales(&own, &initial->bodies, &scales, error));
    return there || !isnan(own.step) || ky_is_comoving(&own)
               ? plan_steps(&own, given, initial->time, ky_integrator_suggest(&own, &scales),
                            course, error)
               : plan_times(given, initial->time, course, error);
}

enum ky_status ky_run_plan(const struct ky_parameters *parameters,
                           const struct ky_run_parameters *run, const struct ky_snapshot *initial,
                           struct ky_plan *plan, struct ky_error *error)
{
    KY_NEED(parameters, error);
    KY_NEED(run, error);
    KY_NEED(initial, error);
    KY_NEED(plan, error);
    struct ky_parameters own_parameters, resolved;
    struct ky_run_parameters own_run;
    struct ky_run_universe universe = {.field = NULL};
    struct course course = {0};
    struct ky_snapshot own_initial;
    ky_snapshot_clear(&own_initial);
    enum ky_status status =
        ky_run_adopt_parameters(parameters, run, &own_parameters, &own_run, error);
    if (!status)
        status =
            ky_size_adopt(&own_initial, sizeof own_initial, initial, "ky_snapshot_clear", error);
    if (!status)
        status = ky_run_settle_universe(&own_parameters, &own_initial, &universe, error);
    own_parameters.units = own_initial.units;
    if (!status)
        status = ky_parameters_resolve(&own_parameters, &resolved, error);
    if (status) {
        free(universe.field);
        return status;
    }
    char remark[KY_RANKS_REMARK];
    ky_integrator_settle(&resolved, &own_initial.bodies);
    ky_run_choose_ranks(&own_run, &resolved, &own_initial.bodies, remark);
    if (*remark)
        ky_log(&resolved, KY_LOG_INFO, "%s", remark);
    int threads = ky_threads_take(resolved.threads);
    const int measures = !isnan(resolved.error);
    struct ky_choice choice = {.text = ""};
    const struct ky_engine_use use = ky_integrator_use(&resolved, own_initial.bodies.n);
    status = ky_force_settle(&resolved, &(struct ky_bodies){.n = own_initial.bodies.n}, &use,
                             &choice, NULL, error);
    if (!status && *choice.text)
        ky_log(&resolved, KY_LOG_INFO, "%s", choice.text);
    if (!status)
        status = ky_run_check_stars(&resolved, &own_run, &own_initial.units, error);
    if (!status)
        status = (resolved.ranks > 1 ? ky_domain_check_number
                                     : ky_engine_check_number)(own_initial.bodies.n, error);
    resolved.softening_kind = own_parameters.softening_kind;
    if (!status)
        status = plan_course(&resolved, &own_run, &own_initial, &course, error);
    struct ky_plan own = {.step = course.step,
                          .steps = (uint64_t)course.steps,
                          .snapshots = (uint64_t)course.snapshots};
    snprintf(own.choice, sizeof own.choice, "%s", choice.text);
    if (measures)
        course.measures =
            ky_is_comoving(&resolved) && !ky_force_kind(resolved.force)->is_exact ? 2 : 1;
    if (!status)
        status = plan_memory(&resolved, &own_initial.bodies, &course, &own, error);
    ky_threads_restore(threads);
    free(universe.field);
    if (!status)
        ky_size_give_grown(plan, &own, sizeof own, offsetof(struct ky_plan, choice));
    return status;
}
