/* --mutual: cells act on each other, and the net force on all bodies vanishes. */
#include "test.h"

#include "clouds.h"
#include "engine/force_options.h"
#include "simulation/sim.h"

static struct ky_error error;

static struct ky_parameters mutual_parameters(void)
{
    struct ky_parameters parameters = cloud_parameters();
    parameters.force = KY_FMM;
    parameters.mutual = 1;
    parameters.alpha = 0.005;
    return parameters;
}

/* |Σ m a| / Σ m |a|. */
static double net_force(const struct ky_bodies *bodies)
{
    double sum[3] = {0}, all = 0;
    for (size_t i = 0; i < bodies->n; i++) {
        double a2 = 0;
        for (int c = 0; c < 3; c++) {
            const double a = bodies->acceleration[i][c];
            sum[c] += bodies->mass[i] * a;
            a2 += a * a;
        }
        all += bodies->mass[i] * sqrt(a2);
    }
    return all > 0 ? sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]) / all : 0;
}

/* A cloud of unequal masses, one of which is a tenth of all. */
static struct ky_bodies unequal(enum cloud kind, size_t n)
{
    struct ky_bodies bodies = cloud_make(kind, n);
    for (size_t i = 0; i < n; i++)
        bodies.mass[i] *= i % 3 ? 1 : 4;
    if (n > 3)
        bodies.mass[n / 3] = 0.2;
    return bodies;
}

/* Evaluates, and compares net force and errors with bounds. */
static void expect(const struct ky_parameters *parameters, struct ky_bodies *bodies, double net,
                   double p99, double largest)
{
    struct ky_bodies exact = cloud_make(PLUMMER, bodies->n);
    assert_ok(cloud_forces(parameters, bodies, &exact, NULL, &error));
    const struct cloud_error e = cloud_compare(bodies, &exact);
    assert_between(net_force(bodies), 0, net);
    assert_between(e.p99, 0, p99);
    assert_between(e.max, 0, largest);
    assert_between(e.potential_p99, 0, p99);
    ky_bodies_free(&exact);
}

static void the_net_force_vanishes(void **state)
{
    (void)state;
    static const size_t sizes[] = {2, 3, 33, 1000, 5000};
    for (int k = 0; k < 5 * 5 * 2; k++) {
        struct ky_parameters parameters = mutual_parameters();
        const size_t n = sizes[k % 5];
        const int is_double = k >= 25;
        parameters.order = 2 + k / 5 % 5;
        parameters.precision = is_double ? KY_DOUBLE : KY_SINGLE;
        const double bound = parameters.order == 2 ? 4e-2 : parameters.order == 3 ? 1.5e-2 : 5e-3;
        struct ky_bodies bodies = unequal(PLUMMER, n);
        expect(&parameters, &bodies, is_double && n < 4 ? 1e-15 : 1e-7, bound, 8 * bound);
        ky_bodies_free(&bodies);
    }
}

static void with_every_instruction_set_and_cloud(void **state)
{
    (void)state;
    for (int isa = KY_ISA_PLAIN; isa <= KY_ISA_NEON; isa++)
        for (int kind = PLUMMER; kind < CLOUDS && cloud_has_isa(isa); kind++) {
            struct ky_parameters parameters = mutual_parameters();
            parameters.isa = isa;
            struct ky_bodies bodies = unequal((enum cloud)kind, 2000);
            expect(&parameters, &bodies, 1e-7, 1e-2,
                   kind == LINE ? (double)INFINITY : 5e-2); /* in its middle forces cancel */
            ky_bodies_free(&bodies);
        }
}

/* Softenings of one length, and of the bodies' own where forces are mutual. */
static void with_every_softening(void **state)
{
    (void)state;
    enum { N = 3000 };
    static const int kinds[] = {KY_PLUMMER, KY_SYMMETRIC, KY_SPLINE};
    double own[N];
    cloud_softenings(own, N);
    for (int k = 1; k < 6; k++) {
        struct ky_parameters parameters = mutual_parameters();
        parameters.softening_kind = kinds[k / 2];
        parameters.softening = 0.1;
        struct ky_bodies bodies = unequal(PLUMMER, N);
        bodies.softening = k % 2 ? NULL : own;
        expect(&parameters, &bodies, 1e-7, 4e-3, 3e-2);
        bodies.softening = NULL;
        ky_bodies_free(&bodies);
    }
}

/* No body is missed or counted twice, also where wide cells are divided and leaves are large. */
/* Σ m r/(r² + ε²)^1.5 over the others: what the rounding of a sum is proportional to, also where
 * forces nearly cancel. */
static double all_pulls(const struct ky_parameters *parameters, const struct ky_bodies *bodies,
                        size_t i)
{
    double sum = 0;
    for (size_t j = 0; j < bodies->n; j++) {
        double r2 = 0;
        for (int c = 0; c < 3; c++) {
            const double d = bodies->position[j][c] - bodies->position[i][c];
            r2 += d * d;
        }
        if (j != i && r2 > 0)
            sum += bodies->mass[j] * sqrt(r2) /
                   pow(r2 + parameters->softening * parameters->softening, 1.5);
    }
    return sum;
}

/* Every acceleration is that of the exact sum but for the rounding of floats. */
static void expect_sums(const struct ky_parameters *parameters, struct ky_bodies *bodies)
{
    struct ky_bodies exact = cloud_make(PLUMMER, bodies->n);
    expect(parameters, bodies, 1e-7, 1e-5, (double)INFINITY); /* nearly none may be left of a sum */
    assert_ok(cloud_forces(parameters, bodies, &exact, NULL, &error));
    for (size_t i = 0; i < bodies->n; i++) {
        double d2 = 0;
        for (int c = 0; c < 3; c++) {
            const double d = bodies->acceleration[i][c] - exact.acceleration[i][c];
            d2 += d * d;
        }
        const double pulls = all_pulls(parameters, bodies, i);
        assert_between(sqrt(d2), 0, 5e-6 * pulls);
    }
    ky_bodies_free(&exact);
}

static void a_tiny_tolerance_gives_the_exact_sum(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 3, 4, 5, 31, 32, 33, 257, 1000};
    static const int groups[] = {1, 7, 64};
    for (int k = 0; k < 11 * 3; k++) {
        struct ky_parameters parameters = mutual_parameters();
        parameters.alpha = 1e-12;
        parameters.group = groups[k / 11];
        for (int kind = PLUMMER; kind <= PAIRS; kind++) {
            if (kind == POINT && sizes[k % 11] > 0)
                continue;
            struct ky_bodies bodies = cloud_make((enum cloud)kind, sizes[k % 11]);
            expect_sums(&parameters, &bodies);
            ky_bodies_free(&bodies);
        }
    }
}

/* Many small cells that act on one wide cell of few bodies have errors of one sign. */
static void wide_cells_have_small_errors(void **state)
{
    (void)state;
    struct ky_parameters parameters = mutual_parameters();
    struct ky_force_report report = {0};
    struct ky_bodies bodies = cloud_make(PLUMMER, 20000);
    expect(&parameters, &bodies, 1e-7, 4e-3, 3e-2);
    assert_ok(cloud_forces(&parameters, &bodies, NULL, &report, &error));
    assert_between(report.cell_interactions, 20000, 20000 * 50.0);
    assert_between(report.body_interactions, 20000, 20000 * 2000.0);
    ky_bodies_free(&bodies);
}

static void threads_leave_no_trace(void **state)
{
    (void)state;
    const struct ky_parameters parameters = mutual_parameters();
    cloud_threads_leave_no_trace(&parameters, 30000);
}

static void test_particles_are_legal(void **state)
{
    (void)state;
    const struct ky_parameters parameters = mutual_parameters();
    for (int all = 0; all < 2; all++) {
        struct ky_bodies bodies = cloud_of_test_particles(1000, all);
        expect(&parameters, &bodies, 1e-7, 8e-3, 3e-2);
        ky_bodies_free(&bodies);
    }
}

/* The change of the momentum in 20 steps, over the time and Σ m |a|. */
static double drift_of_momentum(int mutual)
{
    enum { N = 2000, STEPS = 20 };
    struct ky_parameters parameters = mutual_parameters();
    struct ky_bodies bodies = unequal(PLUMMER, N), end = cloud_make(PLUMMER, N);
    struct ky_sim *sim;
    double change[3] = {0}, size = 0;
    parameters.mutual = mutual;
    parameters.softening = 0.05;
    parameters.step = 0.01;
    assert_ok(ky_sim_open(&parameters, &bodies, 0, &sim, &error));
    assert_ok(ky_sim_advance(sim, STEPS, &error));
    assert_ok(ky_sim_bodies(sim, &end, &error));
    for (size_t i = 0; i < N; i++) {
        double a2 = 0;
        for (int c = 0; c < 3; c++) {
            change[c] += bodies.mass[i] * (end.velocity[i][c] - bodies.velocity[i][c]);
            a2 += end.acceleration[i][c] * end.acceleration[i][c];
        }
        size += bodies.mass[i] * sqrt(a2);
    }
    ky_sim_close(sim);
    ky_bodies_free(&bodies);
    ky_bodies_free(&end);
    return sqrt(change[0] * change[0] + change[1] * change[1] + change[2] * change[2]) / size /
           (STEPS * parameters.step);
}

static void a_run_keeps_its_momentum(void **state)
{
    (void)state;
    const double mutual = drift_of_momentum(1), other = drift_of_momentum(0);
    printf("# the momentum changes by %.1e with mutual interactions, %.1e without\n", mutual,
           other);
    assert_between(mutual, 0, 5e-8);
    assert_between(other, 1e-6, 1);
}

/* ---- what it does not go with ---- */

static void expect_refused(struct ky_parameters given, enum ky_status status, const char *words)
{
    struct ky_bodies bodies = cloud_make(PLUMMER, 5);
    given.step = 0.01;
    struct ky_sim *sim;
    assert_int_equal(ky_sim_open(&given, &bodies, 0, &sim, &error), status);
    assert_non_null(strstr(error.text, words));
    ky_bodies_free(&bodies);
}

static void other_methods_refuse_it(void **state)
{
    (void)state;
    static const int forces[] = {KY_DIRECT, KY_WALK, KY_LIST, KY_TREE},
                     integrators[] = {KY_BLOCK_STEPS, KY_HERMITE4};
    for (int k = 0; k < 4; k++) {
        struct ky_parameters given = mutual_parameters();
        given.force = forces[k];
        expect_refused(given, KY_USAGE, "use --force fmm");
    }
    for (int k = 0; k < 2; k++) {
        struct ky_parameters given = mutual_parameters();
        given.integrator = integrators[k];
        given.softening = 0.1;
        expect_refused(given, KY_USAGE, k ? "--force direct" : "use --integrator leapfrog");
    }
}

static void one_way_requests_are_refused(void **state)
{
    (void)state;
    enum { N = 100 };
    static double own[N];
    static const uint32_t some = 3;
    const struct ky_active active = {1, &some};
    struct ky_bodies bodies = cloud_make(PLUMMER, N);
    const struct ky_points points = {1, (const double(*)[3])bodies.position, 0.1, NULL, NULL};
    const struct ky_parameters given = mutual_parameters();
    struct ky_parameters parameters;
    struct ky_engine *engine;
    assert_ok(ky_force_resolve(&given, &parameters, &error));
    assert_ok(ky_engine_open(&parameters, N, &engine, &error));
    assert_ok(ky_engine_put(engine, &bodies, &error));
    assert_ok(ky_engine_forces(engine, &error));
    assert_int_equal(ky_engine_forces_of(engine, &active, &error), KY_UNSUPPORTED);
    assert_int_equal(ky_engine_field(engine, &points, NULL, NULL, &error), KY_UNSUPPORTED);
    assert_non_null(strstr(error.text, "leave out --mutual"));
    bodies.softening = own;
    assert_int_equal(ky_engine_put(engine, &bodies, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "symmetric or spline"));
    bodies.softening = NULL;
    ky_engine_close(engine);
    ky_bodies_free(&bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_net_force_vanishes),
        cmocka_unit_test(with_every_instruction_set_and_cloud),
        cmocka_unit_test(with_every_softening),
        cmocka_unit_test(a_tiny_tolerance_gives_the_exact_sum),
        cmocka_unit_test(wide_cells_have_small_errors),
        cmocka_unit_test(threads_leave_no_trace),
        cmocka_unit_test(test_particles_are_legal),
        cmocka_unit_test(a_run_keeps_its_momentum),
        cmocka_unit_test(other_methods_refuse_it),
        cmocka_unit_test(one_way_requests_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
