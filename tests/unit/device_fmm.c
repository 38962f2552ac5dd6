/* Cells act on cells on devices: --force fmm against sums in double, and against the CPU. */
#include "test.h"

#include "clouds.h"
#include "drivers.h"
#include "engine/device/tree/tree_groups.h"
#include "engines.h"
#include "kernels.h"

static struct ky_parameters parameters_for(int engine)
{
    return cloud_expansions(engines[engine].engine, 0.002);
}

static void forces_keep_their_tolerance(const struct ky_parameters *parameters, size_t n)
{
    struct ky_error error = {0};
    struct ky_force_report report = {0};
    struct ky_bodies bodies = cloud_make(PLUMMER, n), exact = cloud_make(PLUMMER, n);
    assert_ok(cloud_forces(parameters, &bodies, &exact, &report, &error));
    const struct cloud_error e = cloud_compare(&bodies, &exact);
    if (!(e.p99 <= (parameters->order == 2 ? 5e-3 : 3.5e-3) && e.potential_p99 <= 5e-4))
        fail_msg("%s, order %d, precision %d, softening %d: error %g, of the potential %g",
                 parameters->engine, parameters->order, parameters->precision,
                 parameters->softening_kind, e.p99, e.potential_p99);
    ky_bodies_free(&bodies);
    ky_bodies_free(&exact);
}

/* For GPUs, and for tools under which a kernel takes long (oclgrind.sh, compute-sanitizer): with
 * these fewer bodies, and on a processor a few kernels unless make check-all runs it. */
static void every_kernel_in_small(void **state)
{
    (void)state;
    static const int kinds[] = {KY_PLUMMER, KY_SYMMETRIC, KY_SPLINE};
    enum { ORDERS = 5, OTHERS = 7, FEW_BODIES = 200, BODIES = 700 };
    const int asked = getenv("KYOHO_TEST_ONLY") != NULL;
    need_a_device();
    FOR_DEVICES(e, asked)
    for (int k = 0; k < ORDERS + OTHERS; k++) {
        struct ky_parameters parameters = parameters_for(e);
        const int other = k - ORDERS, few = is_slow(e) && !test_everything();
        if (few && k != 2 && other != 0)
            continue;
        parameters.order = other < 0 ? 2 + k : 3;
        parameters.precision = other < 0 ? KY_SINGLE : other % 3;
        parameters.softening_kind = other < 0 ? KY_PLUMMER : kinds[1 + other / 3 % 2];
        parameters.softening = other == OTHERS - 1 ? 0 : parameters.softening;
        forces_keep_their_tolerance(&parameters, asked ? FEW_BODIES : BODIES);
    }
}

/* From order 5 on the CPU has larger leaves. */
static void errors_are_those_of_the_cpu(void **state)
{
    (void)state;
    enum { N = 3000 };
    need_a_device();
    FOR_DEVICES(e, 1)
    for (int order = 2; order <= 6; order++) {
        struct ky_parameters parameters = parameters_for(e);
        struct ky_force_report report = {0}, cpu = {0};
        if (order != 4 && is_slow(e) && !test_everything())
            continue;
        parameters.order = order;
        const struct cloud_error own = cloud_errors_of(&parameters, PLUMMER, N, &report);
        parameters.engine = "cpu";
        const struct cloud_error its = cloud_errors_of(&parameters, PLUMMER, N, &cpu);
        const double more = order < 5 ? 1 : 1.25, fewer = order < 5 ? 0.6 : 0.3;
        assert_between(own.p99 / its.p99, 0.5, 1.6 * more);
        assert_between(own.potential_p99 / its.potential_p99, 0.5, 1.8 * more);
        assert_between(report.body_interactions / cpu.body_interactions, fewer, 1.4);
    }
}

/* With a tolerance that no cell meets the forces are exact: no body is missed or counted twice. */
static void a_tiny_tolerance_gives_the_exact_sum(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 511, 512, 513, 1500};
    static const int leaves[] = {16, 1, 100}, groups[] = {64, 7};
    need_a_device();
    FOR_DEVICES(e, 1)
    for (size_t k = 0; k < 14 * 3 * 2; k++) {
        struct ky_parameters parameters = parameters_for(e);
        if (k >= 14 && is_slow(e) && !test_everything())
            continue;
        parameters.alpha = 1e-12;
        parameters.precision = k == 13 ? KY_DOUBLE : KY_SINGLE;
        parameters.precision = taken_precision(&parameters);
        parameters.leaf = leaves[k / 14 % 3];
        parameters.group = groups[k / 14 / 3];
        const struct cloud_error error = cloud_errors_of(&parameters, PLUMMER, sizes[k % 14], NULL);
        assert_between(error.p99, 0, 1e-5);
        assert_between(error.potential_p99, 0, 1e-5);
    }
}

static void awkward_shapes_are_served(void **state)
{
    (void)state;
    static const size_t sizes[] = {2, 65, 4000};
    need_a_device();
    FOR_DEVICES(e, 1)
    for (int k = 0; k < CLOUDS * 3; k++) {
        struct ky_parameters parameters = parameters_for(e);
        if (k % 3 == 0 && k / 3 > 1 && is_slow(e) && !test_everything())
            continue;
        const struct cloud_error error =
            cloud_errors_of(&parameters, (enum cloud)(k / 3), sizes[k % 3], NULL);
        assert_between(error.median, 0, 2e-3);
        assert_between(error.p99, 0, 1e-2);
        assert_between(error.potential_p99, 0, 5e-3);
    }
}

static void awkward_places_are_served(void **state)
{
    (void)state;
    need_a_device();
    FOR_DEVICES(e, 1)
    {
        const struct ky_parameters parameters = parameters_for(e);
        cloud_awkward_places_are_served(&parameters, 3000);
    }
}

static void softenings_are_those_of_the_direct_sum(void **state)
{
    (void)state;
    need_a_device();
    FOR_DEVICES(e, 0)
    {
        const struct ky_parameters parameters = parameters_for(e);
        cloud_softenings_are_served(&parameters);
    }
}

static void test_particles_are_legal(void **state)
{
    (void)state;
    need_a_device();
    FOR_DEVICES(e, 1)
    {
        const struct ky_parameters parameters = parameters_for(e);
        cloud_test_particles_are_served(&parameters);
    }
}

/* With groups of one body there are two cuts, and several teams for each sink of the upper one: no
 * cell is missed. Each body has a tolerance of its own then, so that errors are larger. */
static void several_cuts_in_small(void **state)
{
    (void)state;
    enum { N = 17000 };
    need_a_device();
    FOR_DEVICES(e, 0)
    for (int order = 3; order <= 5; order += 2) {
        struct ky_parameters parameters = parameters_for(e);
        parameters.order = order;
        parameters.alpha = 1e-4;
        const struct cloud_error one = cloud_errors_of(&parameters, PLUMMER, N, NULL);
        parameters.group = 1;
        const struct cloud_error two = cloud_errors_of(&parameters, PLUMMER, N, NULL);
        assert_between(two.p99 / one.p99, 0.3, 8);
        assert_between(two.potential_p99 / one.potential_p99, 0.3, 8);
    }
}

/* Cubes far from each other: the tree has no cells of the second level. Of several cuts with
 * several teams for each sink of the uppermost, no cell acts more than once. */
static void far_cubes_are_counted_once(void **state)
{
    (void)state;
    enum { N = 3000 };
    need_a_device();
    FOR_DEVICES(e, 1)
    {
        struct ky_error error = {0};
        struct ky_parameters parameters = parameters_for(e);
        struct ky_bodies bodies = cloud_make(CUBE, N), exact = cloud_make(CUBE, N);
        const uint32_t usual = ky_device_tree_top;
        for (size_t i = 0; i < N; i++)
            for (int c = 0; c < 3; c++)
                bodies.position[i][c] = exact.position[i][c] =
                    0.2 * bodies.position[i][c] + (i % 2 ? 4 : -4);
        parameters.group = 1;
        ky_device_tree_top = 1;
        const enum ky_status status = cloud_forces(&parameters, &bodies, &exact, NULL, &error);
        ky_device_tree_top = usual;
        assert_ok(status);
        const struct cloud_error found = cloud_compare(&bodies, &exact);
        assert_between(found.p99, 0, 1e-2);
        assert_between(found.potential_p99, 0, 5e-3);
        ky_bodies_free(&bodies);
        ky_bodies_free(&exact);
    }
}

/* Several cuts, and groups in more than one launch. */
static void a_large_system_keeps_the_tolerance(void **state)
{
    (void)state;
    enum { N = 1500003, FEWER = 100003, CHECKED = 1000 };
    need_a_device();
    FOR_DEVICES(e, 0)
    for (int order = 3; order <= 6; order++) {
        struct ky_parameters parameters = parameters_for(e);
        struct ky_error error = {0};
        struct ky_bodies bodies = cloud_make(PLUMMER, is_slow(e) ? FEWER : N);
        struct ky_check_parameters check;
        struct ky_check_results results = {0};
        if (is_slow(e) && order != 4)
            continue;
        ky_check_parameters_defaults(&check);
        check.samples = CHECKED;
        parameters.order = order;
        parameters.alpha = order < 4 ? 0.002 : order < 5 ? 0.005 : order < 6 ? 2e-4 : 2e-5;
        assert_ok(ky_forces_check(&parameters, &bodies, &check, &results, &error));
        assert_between(results.acceleration.p99, 1e-5,
                       order < 4   ? 8e-3
                       : order < 5 ? 3e-3
                       : order < 6 ? 4e-4
                                   : 1e-4);
        assert_between(results.potential.p99, 0, 3e-4);
        ky_bodies_free(&bodies);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_in_small),
        cmocka_unit_test(errors_are_those_of_the_cpu),
        cmocka_unit_test(a_tiny_tolerance_gives_the_exact_sum),
        cmocka_unit_test(awkward_shapes_are_served),
        cmocka_unit_test(awkward_places_are_served),
        cmocka_unit_test(softenings_are_those_of_the_direct_sum),
        cmocka_unit_test(test_particles_are_legal),
        cmocka_unit_test(several_cuts_in_small),
        cmocka_unit_test(far_cubes_are_counted_once),
        cmocka_unit_test(a_large_system_keeps_the_tolerance),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
