/* Engines that share one system: each holds some of the bodies, and all together do what one engine
 * does that holds all of them. */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clouds.h"
#include "engine/common/sums.h"
#include "engines.h"

static struct ky_error error;

/* ---- parts of cases ---- */

/* The bodies from `first` on; the arrays are those of `all`. */
static struct ky_bodies part_of(const struct ky_bodies *all, size_t first, size_t n)
{
    return (struct ky_bodies){.size = sizeof *all,
                              .n = n,
                              .mass = all->mass + first,
                              .position = all->position + first,
                              .velocity = all->velocity + first,
                              .acceleration = all->acceleration + first,
                              .potential = all->potential + first};
}

/* An engine with some of the bodies, in the field of a fixed mass. */
static struct ky_engine *open_with(const struct ky_parameters *parameters,
                                   const struct ky_engine_frame *frame,
                                   const struct ky_bodies *bodies)
{
    const struct ky_external field = {.kind = KY_EXTERNAL_POINT, .number = {2, 0.1}};
    struct ky_engine *engine;
    assert_ok(ky_engine_open(parameters, bodies->n, &engine, &error));
    assert_ok(ky_engine_set_fields(engine, &field, 1, &error));
    assert_ok(ky_engine_set_frame(engine, frame, &error));
    assert_ok(ky_engine_put(engine, bodies, &error));
    return engine;
}

/* ---- sums ---- */

static void add_sums(struct ky_engine *engine, struct ky_raw_sums *raw)
{
    struct ky_partial_sums parts;
    assert_ok(ky_engine_partial_sums(engine, &parts, &error));
    ky_sums_add(raw, &parts);
    free(parts.of);
    ky_engine_close(engine);
}

/* The sums of all bodies, of which the first `cut` are on one engine and the others on another. */
static struct ky_sums of_two(const struct ky_parameters parameters[2],
                             const struct ky_engine_frame *frame, const struct ky_bodies *all,
                             size_t cut)
{
    struct ky_raw_sums raw = {.of = {0}};
    struct ky_sums sums;
    const struct ky_bodies one = part_of(all, 0, cut), other = part_of(all, cut, all->n - cut);
    add_sums(open_with(&parameters[0], frame, &one), &raw);
    add_sums(open_with(&parameters[1], frame, &other), &raw);
    ky_sums_finish(&raw, &sums);
    return sums;
}

static void expect_near(const struct ky_sums *a, const struct ky_sums *b, double limit)
{
    const double *x = &a->mass, *y = &b->mass;
    const size_t numbers = (sizeof *a - offsetof(struct ky_sums, mass)) / sizeof *x;
    for (size_t k = 0; k < numbers; k++)
        assert_between(x[k], y[k] - limit * (fabs(y[k]) + 1), y[k] + limit * (fabs(y[k]) + 1));
}

/* Sums of parts that begin at whole chunks have the bits of one engine, also in other units. */
static void sums_of_two_engines(void **state)
{
    (void)state;
    enum { N = 2 * KY_SUM_CHUNK + 300 };
    struct ky_bodies bodies = cloud_make(PLUMMER, N);
    for (size_t i = 0; i < N; i++) { /* sizes, so units, that differ between the parts */
        for (int c = 0; c < 3; c++) {
            bodies.position[i][c] *= i < KY_SUM_CHUNK ? 1 : 4;
            bodies.acceleration[i][c] = -bodies.position[i][c] * (1 + 0.1 * c);
        }
        bodies.potential[i] = -1 - 0.5 * bodies.position[i][0];
    }
    for (int k = 0; k < engine_count; k++) {
        struct ky_parameters parameters[2] = {cloud_parameters(), cloud_parameters()};
        parameters[0].engine = parameters[1].engine = engines[k].engine;
        parameters[0].precision = parameters[1].precision = KY_EXTENDED;
        parameters[0].force = parameters[1].force = KY_DIRECT;
        struct ky_engine *whole = open_with(&parameters[0], NULL, &bodies);
        const struct ky_engine_frame frame = ky_engine_units_of(whole);
        struct ky_sums one, two;
        assert_ok(ky_engine_sums(whole, &one, &error));
        ky_engine_close(whole);
        two = of_two(parameters, &frame, &bodies, KY_SUM_CHUNK);
        assert_memory_equal(&one, &two, sizeof one);
        two = of_two(parameters, NULL, &bodies, KY_SUM_CHUNK);
        assert_memory_equal(&one, &two, sizeof one);
        two = of_two(parameters, NULL, &bodies, 0);
        assert_memory_equal(&one, &two, sizeof one);
        two = of_two(parameters, NULL, &bodies, 1000);
        expect_near(&one, &two, 1e-11);
        parameters[1].engine = "cpu"; /* with units of another kind */
        two = of_two(parameters, NULL, &bodies, KY_SUM_CHUNK);
        expect_near(&one, &two, 1e-6);
    }
    ky_bodies_free(&bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_two_engines),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
