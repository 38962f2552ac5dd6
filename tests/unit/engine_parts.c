/* What an integrator or a part of a larger system asks of an engine. Forces of some bodies alone:
 * those that an evaluation of all gives, to the last bit but for the exact sum, and nothing else
 * changes. */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clouds.h"
#include "engines.h"

enum { N = 900 };
static struct ky_error error;

static struct ky_engine *open_with(const struct ky_parameters *parameters,
                                   const struct ky_bodies *bodies)
{
    struct ky_engine *engine;
    assert_ok(ky_engine_open(parameters, bodies->n, &engine, &error));
    assert_ok(ky_engine_put(engine, bodies, &error));
    return engine;
}

static struct ky_bodies forces_in(struct ky_engine *engine, size_t n)
{
    struct ky_bodies bodies = {0};
    assert_ok(ky_bodies_allocate(&bodies, n, KY_WITH_ACCELERATION | KY_WITH_POTENTIAL, &error));
    assert_ok(ky_engine_get(engine, &bodies, &error));
    return bodies;
}

/* As near as a sum in another order. */
static int near(const struct ky_bodies *a, const struct ky_bodies *b, size_t i)
{
    double size = 0, miss = 0;
    for (int c = 0; c < 3; c++) {
        size += fabs(b->acceleration[i][c]);
        miss += fabs(a->acceleration[i][c] - b->acceleration[i][c]);
    }
    return miss < 1e-5 * size && fabs(a->potential[i] / b->potential[i] - 1) < 1e-6;
}

static int same(const struct ky_bodies *a, const struct ky_bodies *b, size_t i)
{
    return !memcmp(a->acceleration[i], b->acceleration[i], sizeof a->acceleration[i]) &&
           a->potential[i] == b->potential[i];
}

static void compare(const struct ky_parameters *parameters, const struct ky_bodies *bodies,
                    const struct ky_active *active)
{
    struct ky_engine *some = open_with(parameters, bodies), *all = open_with(parameters, bodies);
    assert_int_equal(ky_engine_forces_of(some, active, &error), KY_USAGE); /* not the first ones */
    assert_ok(ky_engine_forces(some, &error));
    assert_ok(ky_engine_forces(all, &error));
    struct ky_bodies before = forces_in(some, bodies->n);
    assert_ok(ky_engine_drift(some, 0.1, &error));
    assert_ok(ky_engine_drift(all, 0.1, &error));
    assert_ok(ky_engine_forces_of(some, active, &error));
    assert_ok(ky_engine_forces(all, &error));
    struct ky_bodies part = forces_in(some, bodies->n), whole = forces_in(all, bodies->n);
    struct ky_force_report report;
    ky_engine_report(some, &report);
    assert_true((report.body_interactions > 0) == (active->count > 0));
    size_t next = 0;
    for (size_t i = 0; i < bodies->n; i++) {
        int is_active = next < active->count && active->body[next] == i;
        next += (size_t)is_active;
        int exact = parameters->force == KY_DIRECT && is_active;
        if (!(exact ? near : same)(&part, is_active ? &whole : &before, i))
            fail_msg("body %zu, %s: %.17g %.17g", i, is_active ? "active" : "not active",
                     part.acceleration[i][0], (is_active ? &whole : &before)->acceleration[i][0]);
        if (!is_active)
            assert_false(same(&part, &whole, i)); /* the drift was long enough to see */
    }
    assert_int_equal(next, active->count);
    ky_bodies_free(&before);
    ky_bodies_free(&part);
    ky_bodies_free(&whole);
    ky_engine_close(some);
    ky_engine_close(all);
}

static void some_bodies_of_every_method(void **state)
{
    (void)state;
    static const int forces[] = {KY_DIRECT, KY_WALK, KY_TREE},
                     openings[] = {KY_OFFSET, KY_RELATIVE};
    struct ky_bodies bodies = cloud_make(PLUMMER, N);
    for (size_t i = 0; i < N; i++)
        for (int c = 0; c < 3; c++)
            bodies.velocity[i][c] = 0.3 * ((double)((i * 7 + (size_t)c) % 11) - 5);
    bodies.acceleration = (free(bodies.acceleration), NULL);
    bodies.potential = (free(bodies.potential), NULL);
    uint32_t *list = malloc(N * sizeof *list);
    for (int k = 0; k < 12; k++) {
        struct ky_parameters given, parameters;
        ky_force_defaults(&given);
        given.engine = "cpu";
        given.force = forces[k % 3];
        given.opening = openings[k / 3 % 2];
        given.precision = k < 6 ? KY_SINGLE : KY_DOUBLE;
        given.softening = 0.01;
        assert_ok(ky_force_resolve(&given, &parameters, &error));
        static const size_t strides[] = {1, 3, 97, N + 1};
        for (int s = 0; s < 4; s++) {
            struct ky_active active = {0, list};
            for (size_t i = strides[s] > N ? N : 0; i < N; i += strides[s])
                list[active.count++] = (uint32_t)i;
            compare(&parameters, &bodies, &active);
        }
    }
    free(list);
    ky_bodies_free(&bodies);
}

static void wrong_lists_and_engines(void **state)
{
    (void)state;
    static const uint32_t twice[] = {3, 3}, falling[] = {4, 2}, beyond[] = {1, 100}, fine[] = {1};
    const struct ky_active wrong[] = {{2, twice}, {2, falling}, {2, beyond}}, one = {1, fine};
    struct ky_bodies bodies = cloud_make(PLUMMER, 100);
    for (int k = 0; k < engine_count; k++) {
        struct ky_parameters given, parameters;
        ky_force_defaults(&given);
        given.engine = engines[k].engine;
        given.force = KY_DIRECT;
        given.softening = 0.01;
        assert_ok(ky_force_resolve(&given, &parameters, &error));
        struct ky_engine *engine = open_with(&parameters, &bodies);
        assert_ok(ky_engine_forces(engine, &error));
        for (int w = 0; w < 3 && is_cpu_engine(k); w++)
            assert_int_equal(ky_engine_forces_of(engine, &wrong[w], &error), KY_USAGE);
        assert_int_equal(ky_engine_forces_of(engine, &one, &error),
                         is_cpu_engine(k) ? KY_OK : KY_UNSUPPORTED);
        ky_engine_close(engine);
    }
    ky_bodies_free(&bodies);
}

/* With a frame from outside the exact sum has the same bits, for units are powers of two; the tree
 * divides another cube and is as exact as before. Escapers of the cube count as at its edge. */
static void a_frame_from_outside(void **state)
{
    (void)state;
    static const struct ky_engine_frame frames[] = {{0x1p-9, 0x1p-3, {-40, -50, -60}, 128},
                                                    {0x1p-11, 4, {-0.5, -0.5, -0.5}, 1}},
                                        wrong[] = {{3, 1, {0}, 1},
                                                   {1, 0, {0}, 1},
                                                   {1, 1, {0}, 0},
                                                   {1, 1, {HUGE_VAL}, 1},
                                                   {1, 1, {0}, -1}};
    struct ky_bodies bodies = cloud_make(PLUMMER, N);
    for (int k = 0; k < 4 * engine_count; k++) {
        struct ky_parameters given, parameters;
        ky_force_defaults(&given);
        given.engine = engines[k / 4].engine;
        given.force = k % 4 / 2 ? KY_WALK : KY_DIRECT;
        given.precision = KY_DOUBLE;
        given.opening = KY_OFFSET;
        given.softening = 0.01;
        assert_ok(ky_force_resolve(&given, &parameters, &error));
        struct ky_engine *own = open_with(&parameters, &bodies),
                         *framed = open_with(&parameters, &bodies);
        for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++)
            assert_int_equal(ky_engine_set_frame(framed, &wrong[w], &error), KY_USAGE);
        assert_ok(ky_engine_set_frame(framed, &frames[k % 2], &error));
        assert_ok(ky_engine_put(framed, &bodies, &error));
        assert_ok(ky_engine_forces(own, &error));
        assert_ok(ky_engine_forces(framed, &error));
        struct ky_bodies one = forces_in(own, N), other = forces_in(framed, N);
        double worst = 0, mean = 0;
        for (size_t i = 0; i < N; i++) {
            double miss = 0, size = 0;
            for (int c = 0; c < 3; c++) {
                miss += fabs(one.acceleration[i][c] - other.acceleration[i][c]);
                size += fabs(one.acceleration[i][c]);
            }
            worst = fmax(worst, miss / size);
            mean += miss / size / N;
        }
        assert_between(mean, k % 4 / 2 ? 1e-6 : 0, k % 4 / 2 ? 4e-3 : 0);
        assert_between(worst, 0, k % 4 / 2 ? 0.1 : 0);
        assert_memory_equal(one.position, other.position, N * sizeof *one.position);
        ky_bodies_free(&one);
        ky_bodies_free(&other);
        ky_engine_close(own);
        ky_engine_close(framed);
    }
    ky_bodies_free(&bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(some_bodies_of_every_method),
        cmocka_unit_test(wrong_lists_and_engines),
        cmocka_unit_test(a_frame_from_outside),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
