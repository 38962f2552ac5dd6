/* Fields at many points on devices by --force fmm: against sums in double, the CPU, and forces. */
#include "test.h"

#include <stdio.h>

#include "clouds.h"
#include "drivers.h"
#include "engine/force_options.h"
#include "engines.h"
#include "kernels.h"

enum { N = 3000, POINTS = 2000 };
static struct ky_error error;

static struct ky_parameters parameters_for(int engine)
{
    return cloud_expansions(engines[engine].engine, 1e-4);
}

/* Results at points, as those of bodies. */
static struct ky_bodies results_for(size_t count)
{
    struct ky_bodies results;
    assert_ok(
        ky_bodies_allocate(&results, count, KY_WITH_ACCELERATION | KY_WITH_POTENTIAL, &error));
    return results;
}

/* `parameters` outlive the engine. */
static struct ky_engine *open_with(const struct ky_parameters *given,
                                   struct ky_parameters *parameters, const struct ky_bodies *bodies)
{
    struct ky_engine *engine;
    assert_ok(ky_force_resolve(given, parameters, &error));
    assert_ok(ky_engine_open(parameters, bodies->n, &engine, &error));
    assert_ok(ky_engine_put(engine, bodies, &error));
    return engine;
}

static void field_in(struct ky_engine *engine, const struct ky_points *points,
                     struct ky_bodies *results)
{
    assert_ok(ky_engine_field(engine, points, results->acceleration, results->potential, &error));
}

static struct ky_bodies field_of(const struct ky_parameters *given, const struct ky_bodies *bodies,
                                 const struct ky_points *points)
{
    struct ky_parameters parameters;
    struct ky_bodies results = results_for(points->count);
    struct ky_engine *engine = open_with(given, &parameters, bodies);
    field_in(engine, points, &results);
    ky_engine_close(engine);
    return results;
}

/* Sums in double over all bodies. */
static struct ky_bodies exact_field(const struct ky_parameters *given,
                                    const struct ky_bodies *bodies, const struct ky_points *points)
{
    struct ky_parameters direct = *given;
    direct.engine = "cpu";
    direct.force = KY_DIRECT;
    direct.precision = KY_DOUBLE;
    return field_of(&direct, bodies, points);
}

static struct cloud_error errors_at(const struct ky_parameters *given,
                                    const struct ky_bodies *bodies, const struct ky_points *points)
{
    struct ky_bodies exact = exact_field(given, bodies, points),
                     own = field_of(given, bodies, points);
    const struct cloud_error errors = cloud_compare(&own, &exact);
    ky_bodies_free(&own);
    ky_bodies_free(&exact);
    return errors;
}

/* Points at the bodies of a cloud behind its first `n`. */
static struct ky_points points_behind(const struct ky_bodies *all, size_t n, double softening)
{
    return (struct ky_points){all->n - n, (const double(*)[3])all->position + n, softening, NULL,
                              NULL};
}

static void errors_are_those_of_forces(void **state)
{
    (void)state;
    struct ky_bodies all = cloud_make(PLUMMER, N + POINTS), bodies = cloud_make(PLUMMER, N);
    const struct ky_points points = points_behind(&all, N, 0.01);
    need_a_device();
    FOR_DEVICES(e, 1)
    for (int precision = KY_SINGLE; precision <= KY_DOUBLE; precision++) {
        struct ky_parameters parameters = parameters_for(e);
        parameters.precision = precision;
        if (!is_taken(&parameters))
            continue;
        const struct cloud_error own = errors_at(&parameters, &bodies, &points),
                                 forces = cloud_errors_of(&parameters, PLUMMER, N, NULL);
        parameters.engine = "cpu";
        const struct cloud_error its = errors_at(&parameters, &bodies, &points);
        assert_between(own.p99, 5e-5, 2e-4); /* of single walks by θ: 1.4e-2 */
        /* the groups of a GPU are larger: 1.47, 1.82 and 1.37 on an H200, where PoCL has 0.81 of
         * the forces' error, and 1.5 without the half of α */
        const int slow = is_slow(e);
        assert_between(own.p99 / forces.p99, 0.6, slow ? 1.2 : 1.6);
        assert_between(own.p99 / its.p99, 0.6, slow ? 1.5 : 2);
        assert_between(own.potential_p99 / forces.potential_p99, 0.4, slow ? 1 : 1.5);
    }
    ky_bodies_free(&all);
    ky_bodies_free(&bodies);
}

/* The points have a softening that no body has. */
static void softenings_are_those_of_the_direct_sum(void **state)
{
    (void)state;
    static const int kinds[] = {KY_PLUMMER, KY_SYMMETRIC, KY_SPLINE};
    static const double softenings[] = {0, 0.02, 0.5};
    double own[N];
    struct ky_bodies all = cloud_make(PLUMMER, N + POINTS), bodies = cloud_make(PLUMMER, N);
    cloud_softenings(own, N);
    need_a_device();
    FOR_DEVICES(e, 1)
    for (int k = 0; k < 3 * 2 * 3; k++) {
        struct ky_parameters parameters = parameters_for(e);
        parameters.softening_kind = kinds[k / 6];
        if (kinds[k / 6] == KY_SPLINE && is_slow(e) && !test_everything())
            continue;
        parameters.softening = 0.1;
        bodies.softening = k / 3 % 2 ? own : NULL;
        const struct ky_points points = points_behind(&all, N, softenings[k % 3]);
        const struct cloud_error errors = errors_at(&parameters, &bodies, &points);
        if (!(errors.p99 <= 4e-4 && errors.potential_p99 <= 2e-4))
            fail_msg("%s, softening %d, own %d, points %g: error %g, of the potential %g",
                     parameters.engine, kinds[k / 6], k / 3 % 2, softenings[k % 3], errors.p99,
                     errors.potential_p99);
    }
    bodies.softening = NULL;
    ky_bodies_free(&all);
    ky_bodies_free(&bodies);
}

/* For oclgrind: the fewest points and bodies that make a set, and tidal tensors of a few. */
static void every_kernel_in_small(void **state)
{
    (void)state;
    enum { LEAST = 1030, TIDES = 5 };
    static const int kinds[] = {KY_SYMMETRIC, KY_SPLINE};
    static double tide[TIDES][6];
    double own[LEAST];
    struct ky_bodies all = cloud_make(PLUMMER, 2 * LEAST), bodies = cloud_make(PLUMMER, LEAST);
    struct ky_points points = points_behind(&all, LEAST, 0.01);
    cloud_softenings(own, LEAST);
    points.softenings = bodies.softening = own;
    need_a_device();
    FOR_DEVICES(e, 1)
    for (int k = 0; k < 2; k++) {
        struct ky_parameters given = parameters_for(e), parameters;
        struct ky_bodies results = results_for(LEAST);
        given.force = k ? KY_DIRECT : KY_FMM;
        given.order = 2;
        given.softening_kind = kinds[k];
        struct ky_engine *engine = open_with(&given, &parameters, &bodies);
        if (!k)
            field_in(engine, &points, &results);
        points.count = TIDES;
        assert_ok(ky_engine_tides(engine, &points, tide, &error));
        assert_true(tide[TIDES - 1][0] != 0);
        points.count = LEAST;
        ky_engine_close(engine);
        ky_bodies_free(&results);
    }
    bodies.softening = NULL;
    ky_bodies_free(&all);
    ky_bodies_free(&bodies);
}

/* Points on bodies without softening, many at one place, and far out: each alone, or so far that
 * all walk by themselves. */
static void awkward_places_are_served(void **state)
{
    (void)state;
    struct ky_bodies all = cloud_make(PLUMMER, N + POINTS), bodies = cloud_make(PLUMMER, N);
    need_a_device();
    for (int i = 0; i < POINTS / 4; i++)
        for (int c = 0; c < 3; c++) {
            all.position[N + 4 * i][c] = bodies.position[i][c];
            all.position[N + 4 * i + 1][c] = 0.3 + c;
        }
    FOR_DEVICES(e, 1)
    for (int k = 0; k < 3; k++) {
        struct ky_parameters parameters = parameters_for(e);
        parameters.softening = 0; /* some far away, the last time too far for expansions */
        for (int i = 0; i < POINTS / 20 && k > 0; i++)
            all.position[N + 20 * i + 2][i % 3] = (i % 2 ? 1 : -1) * (k > 1 ? 1e12 : 1e6);
        const struct ky_points points = points_behind(&all, N, 0);
        const struct cloud_error errors = errors_at(&parameters, &bodies, &points);
        assert_between(errors.p99, 0, 4e-4);
        assert_between(errors.potential_max, 0, 5e-4);
    }
    ky_bodies_free(&all);
    ky_bodies_free(&bodies);
}

/* Many more points than bodies, all of them in a small part of the system: some at a time. If all
 * had one tree, its cells would not divide the bodies, and the sums would be exact, which takes
 * long. */
static void many_points_in_a_small_part_have_the_tolerance(void **state)
{
    (void)state;
    enum { FEW = 1030, MANY = 70 * FEW };
    struct ky_bodies all = cloud_make(PLUMMER, FEW + MANY), bodies = cloud_make(PLUMMER, FEW);
    need_a_device();
    for (int i = FEW; i < FEW + MANY; i++)
        for (int c = 0; c < 3; c++)
            all.position[i][c] = 0.4 + 1e-5 * all.position[i][c];
    FOR_DEVICES(e, 1)
    {
        const struct ky_parameters parameters = parameters_for(e);
        const struct ky_points points = points_behind(&all, FEW, 0.01);
        const struct cloud_error errors = errors_at(&parameters, &bodies, &points);
        assert_between(errors.median, 1e-5, 2e-4);
        assert_between(errors.max, 0, 3e-4);
        assert_between(errors.potential_max, 1e-6, 1e-4);
    }
    ky_bodies_free(&all);
    ky_bodies_free(&bodies);
}

/* Whatever the tolerance; here it is a large one. */
static void fewer_than_1024_points_or_bodies_have_exact_sums(void **state)
{
    (void)state;
    static const struct {
        size_t bodies, points;
        int is_exact;
    } cases[] = {{3000, 1, 1},    {3000, 2, 1},    {3000, 1023, 1}, {3000, 1024, 0},
                 {1023, 1500, 1}, {1024, 1500, 0}, {2, 1500, 1},    {1, 1500, 1}};
    need_a_device();
    FOR_DEVICES(e, 1)
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct ky_parameters parameters = parameters_for(e);
        const size_t n = cases[k].bodies;
        struct ky_bodies all = cloud_make(PLUMMER, n + cases[k].points),
                         bodies = cloud_make(PLUMMER, n);
        const struct ky_points points = points_behind(&all, n, 0.01);
        parameters.alpha = 0.5;
        const struct cloud_error errors = errors_at(&parameters, &bodies, &points);
        if (cases[k].is_exact) {
            assert_between(errors.max, 0, 3e-5);
            assert_between(errors.potential_max, 0, 3e-6);
        } else {
            assert_between(errors.median, 1e-4, 0.1);
            assert_between(errors.potential_median, 1e-5, 0.1);
        }
        ky_bodies_free(&all);
        ky_bodies_free(&bodies);
    }
}

/* Adds the field plummer:mass=5,scale=2,x=0.5. */
static void add_plummer(struct ky_bodies *results, const struct ky_points *points)
{
    for (size_t k = 0; k < points->count; k++) {
        const double *const x = points->position[k], d[3] = {x[0] - 0.5, x[1], x[2]},
                            s = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 4);
        for (int c = 0; c < 3; c++)
            results->acceleration[k][c] -= 5 * d[c] / (s * s * s);
        results->potential[k] -= 5 / s;
    }
}

/* Once, however the field of the bodies comes about. */
/* Too far for exact sums in float: 1/s³ would be 0. */
static void far_points_of_small_calls_are_served(void **state)
{
    (void)state;
    static const size_t bodies_of[] = {3000, 3000, 10, 2}, points_of[] = {1, 40, 40, 1};
    need_a_device();
    FOR_DEVICES(e, 1)
    for (int k = 0; k < 4; k++) {
        const struct ky_parameters parameters = parameters_for(e);
        const size_t n = bodies_of[k];
        struct ky_bodies all = cloud_make(PLUMMER, n + points_of[k]),
                         bodies = cloud_make(PLUMMER, n);
        for (size_t i = 0; i < points_of[k]; i += 2)
            all.position[n + i][0] = 1e13;
        const struct ky_points points = points_behind(&all, n, 0.01);
        const struct cloud_error errors = errors_at(&parameters, &bodies, &points);
        assert_between(errors.max, 0, 3e-5);
        assert_between(errors.potential_max, 0, 3e-6);
        ky_bodies_free(&all);
        ky_bodies_free(&bodies);
    }
}

static void external_fields_act_on_points(void **state)
{
    (void)state;
    static const size_t counts[] = {100, POINTS};
    struct ky_bodies all = cloud_make(PLUMMER, N + POINTS), bodies = cloud_make(PLUMMER, N);
    need_a_device();
    FOR_DEVICES(e, 1)
    for (int k = 0; k < 2; k++) {
        struct ky_points points = points_behind(&all, N, 0.01);
        struct ky_parameters parameters = parameters_for(e);
        points.count = counts[k];
        struct ky_bodies exact = exact_field(&parameters, &bodies, &points);
        add_plummer(&exact, &points);
        parameters.field = "plummer:mass=5,scale=2,x=0.5";
        struct ky_bodies own = field_of(&parameters, &bodies, &points);
        const struct cloud_error errors = cloud_compare(&own, &exact);
        assert_between(errors.max, 0, k ? 2e-4 : 1e-5);
        assert_between(errors.potential_max, 0, k ? 2e-5 : 1e-6);
        ky_bodies_free(&own);
        ky_bodies_free(&exact);
    }
    ky_bodies_free(&all);
    ky_bodies_free(&bodies);
}

/* The bits do not depend on the forces before. */
static void fields_depend_on_places_alone(void **state)
{
    (void)state;
    struct ky_bodies all = cloud_make(PLUMMER, N + POINTS), bodies = cloud_make(PLUMMER, N);
    const struct ky_points points = points_behind(&all, N, 0.03);
    need_a_device();
    FOR_DEVICES(e, 1)
    {
        struct ky_parameters given = parameters_for(e), parameters;
        struct ky_bodies first = field_of(&given, &bodies, &points), then = results_for(POINTS);
        struct ky_engine *engine = open_with(&given, &parameters, &bodies);
        assert_ok(ky_engine_forces(engine, &error));
        field_in(engine, &points, &then);
        assert_memory_equal(first.acceleration, then.acceleration, POINTS * sizeof *first.position);
        assert_memory_equal(first.potential, then.potential, POINTS * sizeof(double));
        assert_ok(ky_engine_field(engine, &points, NULL, then.potential, &error));
        assert_memory_equal(first.potential, then.potential, POINTS * sizeof(double));
        ky_engine_close(engine);
        ky_bodies_free(&first);
        ky_bodies_free(&then);
    }
    ky_bodies_free(&all);
    ky_bodies_free(&bodies);
}

/* Runs on; with `points` (else NULL) fields are asked for in between. */
static struct ky_bodies state_after(const struct ky_parameters *given,
                                    const struct ky_points *points, struct ky_force_report *report)
{
    struct ky_sim *sim;
    struct ky_bodies bodies = cloud_make(PLUMMER, N), after = results_for(N);
    struct ky_bodies found = results_for(points ? points->count : 1);
    assert_ok(ky_sim_open(given, &bodies, 0, &sim, &error));
    for (int k = 0; k < 3; k++) {
        assert_ok(ky_sim_advance(sim, 2, &error));
        if (points)
            assert_ok(ky_sim_field(sim, points->count, points->position, points->softening,
                                   found.acceleration, found.potential, &error));
    }
    assert_ok(ky_sim_bodies(sim, &after, &error));
    report->size = sizeof *report;
    ky_sim_report(sim, report);
    ky_sim_close(sim);
    ky_bodies_free(&bodies);
    ky_bodies_free(&found);
    return after;
}

static void runs_go_on_as_without_fields(void **state)
{
    (void)state;
    struct ky_bodies all = cloud_make(PLUMMER, N + POINTS);
    const struct ky_points points = points_behind(&all, N, 0.03);
    need_a_device();
    FOR_DEVICES(e, 1)
    for (int k = 0; k < 2; k++) {
        struct ky_parameters parameters = parameters_for(e);
        struct ky_force_report one = {0}, other = {0};
        parameters.integrator = k ? KY_BLOCK_STEPS : KY_LEAPFROG;
        parameters.step = 0.0625;
        struct ky_bodies without = state_after(&parameters, NULL, &one),
                         with = state_after(&parameters, &points, &other);
        assert_memory_equal(without.position, with.position, N * sizeof *with.position);
        assert_memory_equal(without.velocity, with.velocity, N * sizeof *with.velocity);
        assert_memory_equal(without.acceleration, with.acceleration, N * sizeof *with.position);
        assert_true(one.body_interactions == other.body_interactions);
        assert_true(one.cell_interactions == other.cell_interactions);
        ky_bodies_free(&without);
        ky_bodies_free(&with);
    }
    ky_bodies_free(&all);
}

/* ---- memory ---- */

static struct ky_driver counting;
static const struct ky_driver *counted;
static int held, left; /* buffers that there are; allocations that succeed */

static enum ky_status allocate(struct ky_card *card, size_t bytes, struct ky_buffer *buffer,
                               struct ky_error *whose)
{
    if (left-- == 0)
        return ky_fail(whose, KY_DEVICE, "no memory for %s", buffer->what);
    const enum ky_status status = counted->allocate(card, bytes, buffer, whose);
    held += status == KY_OK;
    return status;
}

static enum ky_status part(struct ky_card *card, const struct ky_buffer *whole, size_t offset,
                           size_t bytes, struct ky_buffer *buffer, struct ky_error *whose)
{
    const enum ky_status status = counted->part(card, whole, offset, bytes, buffer, whose);
    held += status == KY_OK;
    return status;
}

static void release(struct ky_card *card, struct ky_buffer *buffer)
{
    held--;
    counted->release(card, buffer);
}

static enum ky_status open_counting(size_t index, struct ky_card **card, struct ky_error *whose)
{
    const enum ky_status status = counted->open(index, card, whose);
    if (status == KY_OK)
        (*card)->driver = &counting;
    return status;
}

static const struct ky_driver *count(const struct ky_driver *driver)
{
    counted = driver;
    counting = *driver;
    counting.open = open_counting;
    counting.allocate = allocate;
    counting.part = part;
    counting.release = release;
    return &counting;
}

/* Without memory the call says so and keeps nothing. What it keeps after success is enough for
 * calls of as many points and of fewer, and `trim` gives it back. */
static void memory_stays_for_the_next_call(void **state)
{
    (void)state;
    struct ky_bodies all = cloud_make(PLUMMER, N + POINTS), bodies = cloud_make(PLUMMER, N);
    struct ky_bodies found = results_for(POINTS);
    const struct ky_points points = points_behind(&all, N, 0.01);
    need_a_device();
    FOR_DEVICES(e, 1)
    {
        const struct ky_parameters given = parameters_for(e);
        struct ky_parameters parameters;
        int ended = 0;
        ky_device_wrap = count;
        left = -1;
        struct ky_engine *engine = open_with(&given, &parameters, &bodies);
        assert_ok(ky_engine_forces(engine, &error));
        const int before = held;
        for (int k = 0; !ended; k += 5) {
            left = k;
            const enum ky_status status =
                ky_engine_field(engine, &points, found.acceleration, found.potential, &error);
            ended = status == KY_OK;
            if (!ended)
                assert_int_equal(status, KY_DEVICE);
            if (!ended)
                assert_non_null(strstr(error.text, "no memory for "));
            if (!ended)
                assert_int_equal(held, before);
            assert_true(k < 1000);
        }
        const struct ky_points fewer = points_behind(&all, N + 7, 0.01);
        left = 0; /* from now on no allocation succeeds */
        field_in(engine, &points, &found);
        field_in(engine, &fewer, &found);
        ky_engine_trim(engine);
        assert_int_equal(held, before);
        ky_engine_close(engine);
        ky_device_wrap = NULL;
        assert_int_equal(held, 0);
    }
    ky_bodies_free(&all);
    ky_bodies_free(&bodies);
    ky_bodies_free(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_in_small),
        cmocka_unit_test(errors_are_those_of_forces),
        cmocka_unit_test(softenings_are_those_of_the_direct_sum),
        cmocka_unit_test(awkward_places_are_served),
        cmocka_unit_test(many_points_in_a_small_part_have_the_tolerance),
        cmocka_unit_test(fewer_than_1024_points_or_bodies_have_exact_sums),
        cmocka_unit_test(far_points_of_small_calls_are_served),
        cmocka_unit_test(external_fields_act_on_points),
        cmocka_unit_test(fields_depend_on_places_alone),
        cmocka_unit_test(runs_go_on_as_without_fields),
        cmocka_unit_test(memory_stays_for_the_next_call),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
