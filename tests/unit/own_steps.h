/* Cases for every integrator whose bodies have steps of their own. Each takes the parameters of
 * one. */
#ifndef KY_TEST_OWN_STEPS_H
#define KY_TEST_OWN_STEPS_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine/engine.h"
#include "engines.h"
#include "integrate/integrate.h"
#include "simulation/sim.h"
#include "systems.h"

static struct ky_error error;
static const char *engine_name; /* the engine under test */
static int takes_all;           /* 0: a device that takes long */

/* ---- parts of cases ---- */

static inline struct ky_integrator_report report_of(const struct ky_sim *sim)
{
    struct ky_integrator_report report;
    sim->integrator->verbs->report(sim->integrator, &report);
    return report;
}

static inline struct ky_sums sums_of(struct ky_sim *sim)
{
    struct ky_sums sums = {0};
    assert_ok(ky_sim_sums(sim, &sums, &error));
    return sums;
}

static inline double total(struct ky_sim *sim)
{
    const struct ky_sums sums = sums_of(sim);
    return sums.kinetic + sums.potential + sums.external;
}

/* Advances `steps` longest steps in `calls` calls. *energy, unless NULL, is (E − E₀)/|E₀|. */
static inline struct ky_integrator_report go(const struct ky_parameters *parameters,
                                             struct ky_bodies *bodies, uint64_t steps,
                                             uint64_t calls, double *energy)
{
    struct ky_sim *sim = NULL;
    assert_ok(ky_sim_open(parameters, bodies, 0, &sim, &error));
    const double start = energy ? total(sim) : 0;
    for (uint64_t call = 0; call < calls; call++)
        assert_ok(ky_sim_advance(sim, steps / calls, &error));
    assert_ok(ky_sim_bodies(sim, bodies, &error));
    if (energy)
        *energy = (total(sim) - start) / fabs(start);
    const struct ky_integrator_report report = report_of(sim);
    ky_sim_close(sim);
    return report;
}

/* Opens an engine for the steps of the integrator and gives it the bodies. It has no columns and no
 * forces yet. *resolved has to stay until it is closed. */
static inline struct ky_engine *engine_with(const struct ky_parameters *given,
                                            struct ky_parameters *resolved,
                                            const struct ky_bodies *bodies)
{
    static const unsigned schemes[] = {
        [KY_BLOCK_STEPS] = 1U << KY_SCHEME_BLOCK, [KY_HERMITE4] = 1U << KY_SCHEME_HERMITE};
    struct ky_engine *engine;
    assert_ok(ky_parameters_resolve(given, resolved, &error));
    ky_integrator_settle(resolved, bodies);
    const struct ky_engine_use use = {.n = bodies->n, .schemes = schemes[resolved->integrator]};
    assert_ok(ky_engine_open_for(resolved, bodies->n, &use, &engine, &error));
    assert_ok(ky_engine_put(engine, bodies, &error));
    return engine;
}

/* Whether the engine under test can make these steps. */
static inline int engine_leads(const struct ky_parameters *given, enum ky_scheme scheme)
{
    const struct ky_bodies none = {0};
    struct ky_parameters parameters;
    struct ky_engine *engine = engine_with(given, &parameters, &none);
    const int leads = ky_engine_advances(engine, scheme);
    ky_engine_close(engine);
    return leads;
}

static inline void refuse(struct ky_parameters parameters, enum ky_status status, const char *words)
{
    struct ky_bodies bodies = {0};
    struct ky_sim *sim = NULL;
    two_bodies(1, 1, &bodies);
    assert_int_equal(ky_sim_open(&parameters, &bodies, 0, &sim, &error), status);
    if (!strstr(error.text, words))
        fail_msg("%s", error.text);
    ky_bodies_free(&bodies);
}

/* Makes a folder, and the path of a restart file in it. */
static inline const char *file_in(char folder[32], char path[64])
{
    snprintf(folder, 32, "/tmp/kyoho-own-steps-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, 64, "%s/restart.kyo", folder);
    return path;
}

static inline void remove_file(const char *folder)
{
    char path[64];
    snprintf(path, sizeof path, "%s/restart.kyo.previous", folder);
    remove(path);
    path[strlen(path) - 9] = '\0';
    remove(path);
    remove(folder);
}

/* ---- cases ---- */

/* Two longest steps of a model have the same bits with other numbers of threads and of calls. */
static inline void any_threads_and_calls(struct ky_parameters parameters, const char *name,
                                         size_t n)
{
    struct ky_snapshot results[3];
    for (int t = 0; t < 3; t++) {
        model(name, n, parameters.softening, &results[t]);
        parameters.threads = t + 1;
        go(&parameters, &results[t].bodies, 2, t == 1 ? 1 : 2, NULL);
        assert_true(same_bits(&results[0].bodies, &results[t].bodies));
    }
    for (int t = 0; t < 3; t++)
        ky_snapshot_free(&results[t]);
}

/* An engine that was opened for other steps refuses these. */
static inline void refuse_other_schemes(const struct ky_parameters *given, unsigned columns,
                                        const struct ky_bodies *bodies,
                                        const struct ky_advance *whole)
{
    struct ky_parameters resolved;
    struct ky_advance way = *whole;
    struct ky_engine *engine;
    assert_ok(ky_parameters_resolve(given, &resolved, &error));
    ky_integrator_settle(&resolved, bodies);
    assert_ok(ky_engine_open(&resolved, bodies->n, &engine, &error));
    assert_ok(ky_engine_put(engine, bodies, &error));
    assert_ok(ky_engine_columns(engine, columns, &error));
    assert_ok(ky_engine_forces(engine, &error));
    assert_int_equal(ky_engine_advance(engine, &way, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "not opened for"));
    ky_engine_close(engine);
}

/* Gives the engine the columns one by one, and then forces. Until it has all of them it refuses the
 * steps. */
static inline void prepare_way(struct ky_engine *engine, unsigned columns, struct ky_advance *way)
{
    unsigned known = 0;
    for (unsigned c = 0; columns >> c; c++) {
        if (!(columns >> c & 1))
            continue;
        assert_int_equal(ky_engine_advance(engine, way, &error), KY_USAGE);
        known |= 1U << c;
        assert_ok(ky_engine_columns(engine, known, &error));
    }
    assert_int_equal(ky_engine_advance(engine, way, &error), KY_USAGE); /* without forces */
    assert_ok(ky_engine_forces(engine, &error));
}

/* One block a call, some blocks, or all of them in one call: the bits are the same, also of steps
 * and jerks, and so are the counts. */
static inline void any_parts_of_a_way(const struct ky_parameters *given, const char *name, size_t n,
                                      unsigned columns, const struct ky_advance *whole)
{
    static const uint64_t most[] = {UINT64_MAX, 1, 7};
    struct ky_snapshot results[3];
    struct ky_advance ways[3];
    double *column[3];
    for (int t = 0; t < 3; t++) {
        struct ky_advance *way = &ways[t];
        *way = *whole;
        way->most = most[t];
        column[t] = calloc(4 * n, sizeof(double));
        model(name, n, given->softening, &results[t]);
        if (t == 0)
            refuse_other_schemes(given, columns, &results[t].bodies, way);
        struct ky_parameters parameters;
        struct ky_engine *engine = engine_with(given, &parameters, &results[t].bodies);
        prepare_way(engine, columns, way);
        while (way->now < way->until)
            assert_ok(ky_engine_advance(engine, way, &error));
        const uint64_t blocks = way->steps;
        assert_ok(ky_engine_advance(engine, way, &error));
        assert_true(way->steps == blocks && way->now == way->until);
        assert_ok(ky_engine_get(engine, &results[t].bodies, &error));
        assert_ok(ky_engine_get_column(engine, KY_COLUMN_STEP, column[t], &error));
        if (columns >> KY_COLUMN_JERK & 1)
            assert_ok(ky_engine_get_column(engine, KY_COLUMN_JERK, column[t] + n, &error));
        assert_true(same_bits(&results[0].bodies, &results[t].bodies));
        assert_memory_equal(column[0], column[t], 4 * n * sizeof(double));
        assert_true(way->steps == ways[0].steps && way->body_steps == ways[0].body_steps &&
                    way->shortest == ways[0].shortest && way->steps > 20);
        way->stride = 3; /* not a power of two */
        assert_int_equal(ky_engine_advance(engine, way, &error), KY_USAGE);
        ky_engine_close(engine);
    }
    for (int t = 0; t < 3; t++) {
        free(column[t]);
        ky_snapshot_free(&results[t]);
    }
}

/* A simulation is saved at the time `between`. Restored, it goes on with the same bits, and the one
 * that was saved goes on as if it had not been. Energies that are read leave no trace. */
static inline void on_from_a_file(const struct ky_parameters *parameters, const char *name,
                                  size_t n, double between, const char *path)
{
    struct ky_snapshot there, back, alone;
    struct ky_sim *sim = NULL, *other = NULL, *unwritten = NULL;
    model(name, n, parameters->softening, &there);
    model(name, n, parameters->softening, &alone);
    model(name, n, parameters->softening, &back);
    assert_ok(ky_sim_open(parameters, &there.bodies, 0, &sim, &error));
    assert_ok(ky_sim_open(parameters, &alone.bodies, 0, &unwritten, &error));
    assert_ok(ky_sim_advance_to(sim, between, 1, &error));
    assert_ok(ky_sim_advance_to(unwritten, between, 1, &error));
    assert_ok(ky_sim_advance_to(unwritten, 0.5, 0, &error));
    assert_ok(ky_sim_save(sim, path, &error));
    assert_ok(ky_sim_restore(path, parameters, &other, &error));
    assert_true(total(other) == total(sim));
    assert_ok(ky_sim_advance_to(sim, 0.5, 0, &error));
    assert_ok(ky_sim_advance_to(other, 0.5, 0, &error));
    assert_ok(ky_sim_bodies(sim, &there.bodies, &error));
    assert_ok(ky_sim_bodies(other, &back.bodies, &error));
    assert_true(same_bits(&there.bodies, &back.bodies));
    assert_ok(ky_sim_bodies(unwritten, &alone.bodies, &error));
    assert_true(same_bits(&there.bodies, &alone.bodies));
    const struct ky_integrator_report a = report_of(sim), b = report_of(other);
    assert_true(a.blocks == b.blocks && a.body_steps == b.body_steps && a.shortest == b.shortest &&
                a.pairs == b.pairs);
    ky_sim_close(sim);
    ky_sim_close(other);
    ky_sim_close(unwritten);
    ky_snapshot_free(&there);
    ky_snapshot_free(&back);
    ky_snapshot_free(&alone);
}

/* Makes a sphere with a tight pair: bodies 0 and 1 circle about each other at this distance. */
static inline void with_a_pair(size_t n, double distance, double softening, struct ky_snapshot *s)
{
    model("plummer", n, softening, s);
    const double speed = sqrt((s->bodies.mass[0] + s->bodies.mass[1]) / distance);
    for (int c = 0; c < 3; c++) {
        s->bodies.position[1][c] = s->bodies.position[0][c] + (c == 0 ? distance : 0);
        s->bodies.velocity[1][c] = s->bodies.velocity[0][c] + (c == 1 ? speed : 0);
    }
}

/* Tests which calls are allowed for `sim`, which a flag has stopped within a longest step. */
static inline void expect_within(struct ky_sim *sim)
{
    struct ky_bodies bodies = {.n = sim->n};
    struct ky_sums sums = {0};
    struct ky_stop stop = {.size = sizeof stop};
    ky_sim_stop_reason(sim, &stop);
    assert_int_equal(stop.kind, KY_STOP_ASKED);
    if (!ky_engine_writes(sim->engine)) { /* else ranks have a part of the bodies each */
        assert_true(stop.id[0] + stop.id[1] == 1 && stop.distance > 0 && stop.distance < 0.01);
        assert_true(stop.step > 0 && stop.step < 1.0 / 1024);
    }
    assert_true(ky_sim_time(sim) == 0 || ky_sim_time(sim) == 1.0 / 16);
    assert_int_equal(ky_sim_bodies(sim, &bodies, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "within a longest step"));
    assert_int_equal(ky_sim_sums(sim, &sums, &error), KY_USAGE);
    assert_int_equal(ky_sim_set_softening(sim, 1, &error), KY_USAGE);
    assert_int_equal(ky_sim_advance_to(sim, ky_sim_time(sim) + 1.0 / 50, 1, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "advance to the end of this step first"));
}

/* A flag stops a simulation with a tight pair within its longest steps. It continues, or is saved
 * and restored, with the bits of a simulation that was never stopped. */
static inline void stopped_within_steps(struct ky_parameters parameters, size_t n, double distance,
                                        const char *path)
{
    struct ky_snapshot whole, parts;
    struct ky_sim *sim = NULL;
    const volatile int stop = 1;
    int stops = 0, ended = 0;
    with_a_pair(n, distance, parameters.softening, &whole);
    with_a_pair(n, distance, parameters.softening, &parts);
    parameters.step = 1.0 / 16;
    const struct ky_integrator_report there = go(&parameters, &whole.bodies, 2, 1, NULL);
    parameters.stop = &stop;
    assert_ok(ky_sim_open(&parameters, &parts.bodies, 0, &sim, &error));
    while (ky_sim_time(sim) < 1.0 / 8) {
        sim->integrator->patience = 0;
        const enum ky_status status = ky_sim_advance_to(sim, 1.0 / 8, 0, &error);
        assert_int_equal(status, ky_sim_time(sim) < 1.0 / 8 ? KY_STOPPED : KY_OK);
        if (!sim->integrator->within) { /* the flag is up at the end of a longest step too */
            ended++;
            continue;
        }
        expect_within(sim);
        if (++stops % 2)
            continue;
        assert_ok(ky_sim_save(sim, path, &error));
        ky_sim_close(sim);
        assert_ok(ky_sim_restore(path, &parameters, &sim, &error));
    }
    const struct ky_integrator_report here = report_of(sim);
    printf("# %d stops within a step, %.0f blocks\n", stops, (double)here.blocks);
    assert_true(stops >= 4 && ended == 2);
    assert_ok(ky_sim_bodies(sim, &parts.bodies, &error));
    assert_true(same_bits(&whole.bodies, &parts.bodies));
    assert_true(here.blocks == there.blocks && here.body_steps == there.body_steps &&
                here.shortest == there.shortest && here.pairs == there.pairs);
    ky_sim_close(sim);
    ky_snapshot_free(&whole);
    ky_snapshot_free(&parts);
}

/* A time within a longest step is reached, and the orbit is as exact as without that stop.
 * Backwards the orbit returns. Positions differ by `most` at the most. */
static inline void within_a_step_and_backwards(const struct ky_parameters *parameters, size_t n,
                                               double most)
{
    struct ky_snapshot s, whole, start;
    struct ky_sim *sim = NULL;
    model("plummer", n, parameters->softening, &s);
    model("plummer", n, parameters->softening, &whole);
    model("plummer", n, parameters->softening, &start);
    assert_ok(ky_sim_open(parameters, &s.bodies, 3, &sim, &error));
    assert_int_equal(ky_sim_advance_to(sim, 3.2, 0, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "the nearest are 3.1875 and 3.25"));
    assert_ok(ky_sim_advance_to(sim, 3.2, 1, &error));
    assert_true(ky_sim_time(sim) == 3.2);
    assert_ok(ky_sim_advance_to(sim, 3.5, 0, &error));
    assert_true(ky_sim_time(sim) == 3.5 && ky_sim_steps(sim) == 9);
    assert_ok(ky_sim_bodies(sim, &s.bodies, &error));
    go(parameters, &whole.bodies, 8, 1, NULL);
    assert_between(apart(&s.bodies, &whole.bodies), 1e-15, most);
    assert_ok(ky_sim_set_step(sim, -1.0 / 16, &error));
    assert_ok(ky_sim_advance_to(sim, 3, 0, &error));
    assert_ok(ky_sim_bodies(sim, &s.bodies, &error));
    ky_sim_close(sim);
    assert_between(apart(&s.bodies, &start.bodies), 1e-15, most);
    ky_snapshot_free(&start);
    ky_snapshot_free(&s);
    ky_snapshot_free(&whole);
}

/* After bodies are written, added or removed, all bodies get new first steps. |dE/E| is `most` at
 * the most. */
static inline void coming_and_going(const struct ky_parameters *parameters, size_t n, double most)
{
    struct ky_snapshot s, more;
    struct ky_sim *sim = NULL;
    const uint64_t gone[] = {3, 4};
    double *step = calloc(n + 2, sizeof *step);
    model("plummer", n, parameters->softening, &s);
    model("plummer", 2, parameters->softening, &more);
    assert_ok(ky_sim_open(parameters, &s.bodies, 0, &sim, &error));
    assert_ok(ky_sim_advance(sim, 2, &error));
    struct ky_bodies given = more.bodies;
    given.id = NULL;
    given.position[0][0] += 3;
    given.position[1][1] += 3e-4;
    assert_ok(ky_sim_add(sim, &given, &error));
    double before = total(sim);
    assert_ok(ky_sim_advance(sim, 2, &error));
    assert_between(fabs(total(sim) / before - 1), 0, most);
    assert_ok(ky_sim_remove(sim, gone, 2, &error));
    assert_ok(ky_sim_set_softening(sim, 2 * parameters->softening, &error));
    assert_ok(ky_sim_set_step(sim, 1.0 / 48, &error));
    before = total(sim);
    assert_ok(ky_sim_advance(sim, 3, &error));
    assert_between(fabs(total(sim) / before - 1), 0, most);
    assert_true(ky_sim_steps(sim) == 7 && report_of(sim).blocks >= 7);
    assert_ok(ky_engine_get_column(sim->engine, KY_COLUMN_STEP, step, &error));
    for (size_t i = 0; i < n; i++)
        assert_true(step[i] > 0 && step[i] <= 1.0 / 48);
    ky_sim_close(sim);
    ky_snapshot_free(&s);
    ky_snapshot_free(&more);
    free(step);
}

/* No, one, two and three bodies, far from each other; only one has mass. */
static inline void few_bodies(const struct ky_parameters *parameters)
{
    for (size_t n = 0; n < 4; n++) {
        struct ky_bodies bodies = {0};
        assert_ok(ky_bodies_allocate(&bodies, n, 0, &error));
        for (size_t i = 0; i < n; i++) {
            bodies.mass[i] = i == 1;
            bodies.velocity[i][0] = i != 1;
            bodies.position[i][1] = 100 * (double)i;
        }
        const struct ky_integrator_report report = go(parameters, &bodies, 4, 2, NULL);
        assert_true(report.steps == 4 && report.body_steps >= 4.0 * (double)n);
        for (size_t i = 0; i < n; i++)
            assert_between(bodies.position[i][0], i == 1 ? 0 : 0.2499, i == 1 ? 0 : 0.25);
        ky_bodies_free(&bodies);
    }
}

#endif
