/* The integrator and the engine: a run has the same bits whether the engine goes on by itself or is
 * led from verb to verb, and however the way is cut. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "clouds.h"
#include "engines.h"
#include "integrate/integrate.h"

enum { N = 300, TICKS = 12 };
static struct ky_error error;

static struct ky_parameters parameters_of(int engine, int force)
{
    struct ky_parameters given, parameters;
    ky_parameters_defaults(&given);
    given.engine = engines[engine].engine;
    given.force = force;
    given.softening = 0.05;
    given.step = 1.0 / 64;
    assert_ok(ky_parameters_resolve(&given, &parameters, &error));
    return parameters;
}

/* The engine's verbs, with some of them exchanged. */
static struct ky_engine_verbs changed;
static const struct ky_engine_verbs *real;
static uint64_t calls;

static enum ky_status counted_advance(struct ky_engine *engine, struct ky_advance *advance,
                                      struct ky_error *why)
{
    calls++;
    return real->advance(engine, advance, why);
}

struct end {
    struct ky_bodies bodies;
    struct ky_integrator_report report;
};

/* TICKS steps in pieces. `alone`: 0 takes the verb from the engine, 1 counts its calls. */
static struct end run(const struct ky_parameters *parameters, uint64_t piece, int alone)
{
    struct end end = {.bodies = cloud_make(PLUMMER, N)};
    struct ky_integrator_state *integrator;
    struct ky_engine *engine;
    assert_ok(ky_engine_open(parameters, N, &engine, &error));
    real = engine->verbs;
    changed = *real;
    changed.advance = alone && real->advance ? counted_advance : NULL;
    engine->verbs = &changed;
    assert_int_equal(ky_engine_advances(engine, KY_SCHEME_LEAPFROG), alone && real->advance);
    assert_ok(ky_engine_put(engine, &end.bodies, &error));
    assert_ok(ky_engine_forces(engine, &error));
    assert_ok(ky_integrator_create(engine, N, parameters, &integrator, &error));
    for (uint64_t tick = 0; tick < TICKS; tick += piece)
        assert_ok(integrator->verbs->advance(integrator, piece, &error));
    assert_ok(ky_engine_get(engine, &end.bodies, &error));
    integrator->verbs->report(integrator, &end.report);
    ky_integrator_free(integrator);
    ky_engine_close(engine);
    return end;
}

static void assert_same(const struct end *a, const struct end *b)
{
    assert_memory_equal(a->bodies.position, b->bodies.position, N * sizeof *a->bodies.position);
    assert_memory_equal(a->bodies.velocity, b->bodies.velocity, N * sizeof *a->bodies.velocity);
    assert_memory_equal(a->bodies.acceleration, b->bodies.acceleration,
                        N * sizeof *a->bodies.acceleration);
    assert_memory_equal(a->bodies.potential, b->bodies.potential, N * sizeof *a->bodies.potential);
    assert_int_equal(a->report.steps, b->report.steps);
    assert_true(a->report.body_steps == b->report.body_steps);
}

static void same_bits_led_or_alone(void **state)
{
    (void)state;
    static const int forces[] = {KY_DIRECT, KY_WALK, KY_LIST};
    static const uint64_t pieces[] = {TICKS, 1, 4};
    for (int k = 0; k < 3 * engine_count; k++) {
        if (is_cpu_engine(k / 3) && forces[k % 3] == KY_LIST)
            continue;
        const struct ky_parameters parameters = parameters_of(k / 3, forces[k % 3]);
        struct end led = run(&parameters, TICKS, 0);
        assert_int_equal(led.report.steps, TICKS);
        assert_true(led.report.body_steps == (double)TICKS * N);
        for (int p = 0; p < 3; p++) {
            calls = 0;
            struct end other = run(&parameters, pieces[p], 1);
            assert_int_equal(calls, real->advance ? TICKS / pieces[p] : 0);
            assert_same(&led, &other);
            ky_bodies_free(&other.bodies);
        }
        ky_bodies_free(&led.bodies);
    }
}

/* An engine stops after the most steps, at or before the tick. */
static void an_engine_counts_its_steps(void **state)
{
    (void)state;
    for (int k = 0; k < engine_count; k++) {
        const struct ky_parameters parameters = parameters_of(k, KY_DIRECT);
        struct ky_bodies bodies = cloud_make(PLUMMER, N);
        struct ky_advance way = {.scheme = KY_SCHEME_LEAPFROG,
                                 .tick = 1.0 / 128,
                                 .stride = 2,
                                 .now = 10,
                                 .until = 20,
                                 .most = 3};
        struct ky_engine *engine;
        assert_ok(ky_engine_open(&parameters, N, &engine, &error));
        assert_ok(ky_engine_put(engine, &bodies, &error));
        assert_ok(ky_engine_forces(engine, &error));
        if (!ky_engine_advances(engine, way.scheme)) {
            assert_int_equal(ky_engine_advance(engine, &way, &error), KY_UNSUPPORTED);
        } else {
            assert_ok(ky_engine_advance(engine, &way, &error));
            assert_int_equal(way.now, 16);
            assert_ok(ky_engine_advance(engine, &way, &error));
            assert_int_equal(way.now, 20);
            assert_int_equal(way.steps, 5);
            assert_true(way.body_steps == 5.0 * N);
            assert_ok(ky_engine_advance(engine, &way, &error));
            assert_int_equal(way.steps, 5);
        }
        ky_engine_close(engine);
        ky_bodies_free(&bodies);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits_led_or_alone),
        cmocka_unit_test(an_engine_counts_its_steps),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
