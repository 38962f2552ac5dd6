/* The exact sum on matrix units (--precision mixed) against sums in double: on CUDA cards that have
 * such units, and with the portable products of tiles on OpenCL devices. */
#include "test.h"

#include "analysis/force_error.h"
#include "clouds.h"
#include "engine/common/force_kinds.h"
#include "engines.h"
#ifdef KY_HAVE_OPENCL
#include "engine/device/driver/opencl/opencl.h"
#include "engine/force_options.h"
#endif

/* What the precision promises for 99 % of the accelerations; and twice the error of potentials. */
static const double promised = 2e-5, of_potentials = 2e-6;

enum { many = 60007 };

static struct ky_error error;

/* The devices that have products of tiles. */
static int find_tiles(void **state)
{
    const int failed = find_engines(state), all = engine_count;
    engine_count = 0;
    for (int k = 0; k < all; k++)
        if (!is_cpu_engine(k) && !strstr(engines[k].name, "compute capability 7."))
            engines[engine_count++] = engines[k];
    ky_direct_least_on_units = 1;
#ifdef KY_HAVE_OPENCL
    ky_opencl_show_tiles = 1;
#endif
    return failed;
}

static struct ky_parameters mixed(int k, double softening)
{
    struct ky_parameters parameters = cloud_parameters();
    parameters.engine = engines[k].engine;
    parameters.force = KY_DIRECT;
    parameters.precision = KY_MIXED;
    parameters.softening = softening;
    return parameters;
}

/* A body much heavier than the others, far from them: with few bodies of equal masses all would be
 * heavy, and go through the ordinary loop. */
static void with_weight(struct ky_bodies *bodies, double factor)
{
    const size_t i = bodies->n / 3;
    bodies->mass[i] *= factor;
    bodies->position[i][0] += 40;
}

/* Whether the first bodies' numbers differ from those of extended precision, so that matrix units
 * were at work. */
static int differs(struct ky_parameters parameters, const struct ky_bodies *bodies)
{
    struct ky_bodies other = cloud_make(PLUMMER, bodies->n);
    int differ = 0;
    memcpy(other.position, bodies->position, bodies->n * sizeof *other.position);
    memcpy(other.mass, bodies->mass, bodies->n * sizeof *other.mass);
    parameters.precision = KY_EXTENDED;
    assert_ok(cloud_forces(&parameters, &other, NULL, NULL, &error));
    for (size_t i = 0; i < bodies->n; i++)
        differ += bodies->acceleration[i][0] != other.acceleration[i][0];
    ky_bodies_free(&other);
    return differ > 0;
}

static void check_within(const struct ky_parameters *parameters, struct ky_bodies *bodies,
                         double bound)
{
    const struct cloud_error e = cloud_errors(parameters, bodies, NULL);
    if (!(e.p99 <= bound && e.potential_p99 <= of_potentials))
        fail_msg("%zu bodies on %s: errors of 99 %%: %g of accelerations, %g of potentials",
                 bodies->n, parameters->engine, e.p99, e.potential_p99);
    printf("# %zu bodies on %s: errors %.1e, 99 %% %.1e, largest %.1e; potentials 99 %% %.1e\n",
           bodies->n, parameters->engine, e.median, e.p99, e.max, e.potential_p99);
}

static void check(const struct ky_parameters *parameters, struct ky_bodies *bodies)
{
    check_within(parameters, bodies, promised);
}

/* Every length of the last span and tile; with fewer bodies than a team has sinks. */
static void any_number_of_bodies(void **state)
{
    (void)state;
    need_a_device();
    static const size_t few[] = {0,   1,   2,   31,  32,  33,  64,  65,
                                 127, 128, 129, 255, 256, 257, 300, 385};
    FOR_DEVICES(k, 1)
    {
        const struct ky_parameters parameters = mixed(k, 0.02);
        for (size_t c = 0; c < sizeof few / sizeof *few; c++) {
            if (is_slow(k) && !test_everything() && few[c] % 100 != 0)
                continue;
            struct ky_bodies bodies = cloud_make(PLUMMER, few[c]);
            if (few[c] > 2)
                with_weight(&bodies, 20000);
            check(&parameters, &bodies);
            if (few[c] == 300)
                assert_true(differs(parameters, &bodies));
            ky_bodies_free(&bodies);
        }
    }
}

/* Along a softened line the forces cancel to some 1e-3 of the forces of its halves, and the
 * rounding errors of weights do not. */
static void every_cloud(void **state)
{
    (void)state;
    need_a_quick_device();
    FOR_DEVICES(k, 0)
    for (int kind = PLUMMER; kind < CLOUDS; kind++)
        for (int soft = 0; soft < 2; soft++) {
            const struct ky_parameters parameters = mixed(k, soft ? 0.05 : 0);
            struct ky_bodies bodies = cloud_make((enum cloud)kind, is_slow(k) ? 300 : many);
            with_weight(&bodies, is_slow(k) ? 20000 : 1);
            check_within(&parameters, &bodies, kind == LINE && soft ? 1e-3 : promised);
            ky_bodies_free(&bodies);
        }
}

/* Clumps of 1e-3, 1e-6 and 1e-9 of the system, bodies at 1e6 of its size, and far from the origin.
 */
static void every_scale(void **state)
{
    (void)state;
    need_a_quick_device();
    FOR_DEVICES(k, 0)
    {
        const size_t n = is_slow(k) ? 300 : many;
        const struct ky_parameters parameters = mixed(k, 0);
        for (int scale = 0; scale < 5; scale++) {
            struct ky_bodies bodies = scale < 3    ? cloud_with_clump(n, pow(1e-3, scale + 1))
                                      : scale == 3 ? cloud_with_outliers(n, 1e6)
                                                   : cloud_make(PLUMMER, n);
            for (size_t i = 0; scale == 4 && i < n; i++)
                bodies.position[i][1] += 1e6;
            with_weight(&bodies, is_slow(k) ? 20000 : 1);
            check(&parameters, &bodies);
            ky_bodies_free(&bodies);
        }
    }
}

static void every_softening(void **state)
{
    (void)state;
    need_a_quick_device();
    static const struct {
        enum ky_softening_kind kind;
        int own;
    } cases[] = {
        {KY_PLUMMER, 1}, {KY_SYMMETRIC, 0}, {KY_SYMMETRIC, 1}, {KY_SPLINE, 0}, {KY_SPLINE, 1}};
    FOR_DEVICES(k, 0)
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        if (is_slow(k) && !test_everything() && c % 2 == 1)
            continue;
        const size_t n = is_slow(k) ? 300 : many;
        struct ky_parameters parameters = mixed(k, cases[c].own ? (double)NAN : 0.05);
        struct ky_bodies bodies, *made = &bodies;
        assert_ok(ky_bodies_allocate(made, n,
                                     KY_WITH_ACCELERATION | KY_WITH_POTENTIAL |
                                         (cases[c].own ? KY_WITH_SOFTENING : 0),
                                     &error));
        struct ky_bodies from = cloud_make(PLUMMER, n);
        memcpy(bodies.position, from.position, n * sizeof *bodies.position);
        memcpy(bodies.mass, from.mass, n * sizeof *bodies.mass);
        if (cases[c].own)
            cloud_softenings(bodies.softening, n);
        with_weight(&bodies, is_slow(k) ? 20000 : 1);
        parameters.softening_kind = cases[c].kind;
        check(&parameters, &bodies);
        ky_bodies_free(&from);
        ky_bodies_free(&bodies);
    }
}

/* Masses of 0, and masses 1e12 times as large as others: of one body, and of one in ten. */
static void every_mass(void **state)
{
    (void)state;
    need_a_quick_device();
    FOR_DEVICES(k, 0)
    for (int c = 0; c < 4; c++) {
        const size_t n = is_slow(k) ? 300 : many;
        const struct ky_parameters parameters = mixed(k, 0.01);
        struct ky_bodies bodies = cloud_make(PLUMMER, n);
        for (size_t i = 0; i < n; i++)
            bodies.mass[i] *= c == 0   ? i == 7 ? 1e12 : 1
                              : c == 1 ? i % 10 == 0 ? 1e12 : 1
                              : c == 2 ? (double)(i % 3 > 0)
                                       : pow(1e-3, (double)(i % 5));
        check(&parameters, &bodies);
        ky_bodies_free(&bodies);
    }
}

/* A distant compact cluster acts on bodies that have the same distance from all of it. The errors
 * of its weights must not be the same. */
static void equal_distances_have_different_errors(void **state)
{
    (void)state;
    need_a_quick_device();
    FOR_DEVICES(k, 0)
    {
        const size_t n = 2048;
        const struct ky_parameters parameters = mixed(k, 0);
        struct ky_bodies bodies = cloud_make(PLUMMER, n);
        for (size_t i = 0; i < n; i++) {
            for (int c = 0; c < 3; c++)
                bodies.position[i][c] *= 1e-6;
            if (i >= n / 2) {
                bodies.position[i][0] += 1 + 1e-3 * (double)i;
                bodies.mass[i] *= 1e-9;
            }
        }
        bodies.mass[n - 1] = 1e4 * bodies.mass[0]; /* the others are not heavy */
        bodies.position[n - 1][1] = 1e5;
        check(&parameters, &bodies);
        ky_bodies_free(&bodies);
    }
}

/* The accelerations are neither too small nor too large on average, or a sphere would expand or
 * contract. */
static void no_bias(void **state)
{
    (void)state;
    need_a_quick_device();
    FOR_DEVICES(k, 0)
    {
        const size_t n = 100003;
        const struct ky_parameters parameters = mixed(k, 0.01);
        struct ky_bodies bodies = cloud_make(PLUMMER, n), exact = cloud_make(PLUMMER, n);
        double bias = 0;
        assert_ok(cloud_forces(&parameters, &bodies, &exact, NULL, &error));
        for (size_t i = 0; i < n; i++) {
            double along = 0, a2 = 0;
            for (int c = 0; c < 3; c++) {
                const double a = exact.acceleration[i][c];
                along += (bodies.acceleration[i][c] - a) * a;
                a2 += a * a;
            }
            bias += along / a2 / (double)n;
        }
        assert_between(bias, -1e-6, 1e-6);
        assert_true(differs(parameters, &bodies));
        ky_bodies_free(&bodies);
        ky_bodies_free(&exact);
    }
}

/* Units of length and mass leave no trace in the digits. */
static void any_units(void **state)
{
    (void)state;
    need_a_quick_device();
    FOR_DEVICES(k, 0)
    {
        const struct ky_parameters parameters = mixed(k, 0.01);
        cloud_units_leave_no_trace(&parameters, is_slow(k) ? 300 : many);
    }
}

static void several_devices_have_the_same_bits(void **state)
{
    (void)state;
    need_a_quick_device();
    FOR_DEVICES(k, 0)
    {
        char name[40];
        const size_t n = is_slow(k) ? 700 : many;
        struct ky_parameters parameters = mixed(k, 0.01);
        struct ky_bodies one = cloud_make(LINE, n), two = cloud_make(LINE, n);
        assert_ok(cloud_forces(&parameters, &one, NULL, NULL, &error));
        parameters.engine = with_another(k, name, sizeof name);
        assert_ok(cloud_forces(&parameters, &two, NULL, NULL, &error));
        assert_memory_equal(one.acceleration, two.acceleration, n * sizeof *one.acceleration);
        assert_memory_equal(one.potential, two.potential, n * sizeof *one.potential);
        ky_bodies_free(&one);
        ky_bodies_free(&two);
    }
}

static void not_a_number_is_an_error(void **state)
{
    (void)state;
    need_a_quick_device();
    FOR_DEVICES(k, 0)
    for (int c = 0; c < 2; c++) {
        struct ky_parameters parameters = mixed(k, 0);
        struct ky_bodies bodies = cloud_make(PLUMMER, 300);
        bodies.position[17][1] = c ? (double)INFINITY : (double)NAN;
        const enum ky_status status = cloud_forces(&parameters, &bodies, NULL, NULL, &error);
        parameters.precision = KY_EXTENDED;
        assert_int_equal(status, cloud_forces(&parameters, &bodies, NULL, NULL, &error));
        ky_bodies_free(&bodies);
    }
}

static void refused(const struct ky_parameters *parameters, enum ky_status status, const char *text)
{
    struct ky_bodies bodies = cloud_make(PLUMMER, 10);
    assert_int_equal(cloud_forces(parameters, &bodies, NULL, NULL, &error), status);
    if (!strstr(error.text, text))
        fail_msg("\"%s\" does not say \"%s\"", error.text, text);
    ky_bodies_free(&bodies);
}

static void refused_without_matrix_units(void **state)
{
    (void)state;
    struct ky_parameters parameters = cloud_parameters();
    parameters.force = KY_DIRECT;
    parameters.precision = KY_MIXED;
    refused(&parameters, KY_UNSUPPORTED, "engine cpu does not have");
    parameters.force = KY_TREE;
    refused(&parameters, KY_USAGE, "is for --force direct");
#ifdef KY_HAVE_OPENCL
    ky_opencl_show_tiles = 0;
    FOR_DEVICES(k, 1)
    {
        const struct ky_parameters other = mixed(k, 0);
        if (!strncmp(engines[k].engine, "opencl", 6))
            refused(&other, KY_UNSUPPORTED, "needs matrix units");
    }
    ky_opencl_show_tiles = 1;
#endif
}

/* The precision with which --force direct keeps the error. */
static int precision_for(struct ky_parameters parameters, double asked, unsigned schemes, size_t n)
{
    struct ky_choice choice = {.size = sizeof choice};
    const struct ky_engine_use use = {.n = n, .schemes = schemes};
    parameters.error = asked;
    assert_ok(ky_force_resolve_later(&parameters, &parameters, &error));
    assert_ok(
        ky_force_settle(&parameters, &(struct ky_bodies){.n = n}, &use, &choice, NULL, &error));
    assert_int_equal(choice.precision, parameters.precision);
    assert_int_equal(strstr(choice.text, "--precision mixed") != NULL,
                     parameters.precision == KY_MIXED);
    return parameters.precision;
}

static void an_error_takes_it_where_it_is_fastest(void **state)
{
    (void)state;
    enum { LEAST = 500 };
    struct ky_parameters parameters = cloud_parameters();
    parameters.force = KY_DIRECT;
    assert_int_equal(precision_for(parameters, 1e-3, 0, LEAST), KY_EXTENDED); /* the CPU */
    ky_direct_least_on_units = LEAST;
    FOR_DEVICES(k, 1)
    {
        parameters.engine = engines[k].engine;
        parameters.precision = KY_PRECISION_BY_INTEGRATOR;
        assert_int_equal(precision_for(parameters, 1e-3, 0, LEAST), KY_MIXED);
        assert_int_equal(precision_for(parameters, 2e-5, 0, LEAST), KY_MIXED);
        assert_int_equal(precision_for(parameters, 1.9e-5, 0, LEAST), KY_DOUBLE);
        assert_int_equal(precision_for(parameters, 1e-3, 0, LEAST - 1), KY_EXTENDED);
        assert_int_equal(precision_for(parameters, 1e-3, 1U << KY_SCHEME_BLOCK, LEAST),
                         KY_EXTENDED);
#ifdef KY_HAVE_OPENCL
        ky_opencl_show_tiles = 0;
        if (!strncmp(engines[k].engine, "opencl", 6))
            assert_int_equal(precision_for(parameters, 1e-3, 0, LEAST), KY_EXTENDED);
        ky_opencl_show_tiles = 1;
#endif
        parameters.precision = KY_EXTENDED;
        assert_int_equal(precision_for(parameters, 1e-3, 0, LEAST), KY_EXTENDED);
    }
    ky_direct_least_on_units = 1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_bodies),
        cmocka_unit_test(every_cloud),
        cmocka_unit_test(every_scale),
        cmocka_unit_test(every_softening),
        cmocka_unit_test(every_mass),
        cmocka_unit_test(equal_distances_have_different_errors),
        cmocka_unit_test(no_bias),
        cmocka_unit_test(any_units),
        cmocka_unit_test(several_devices_have_the_same_bits),
        cmocka_unit_test(not_a_number_is_an_error),
        cmocka_unit_test(refused_without_matrix_units),
        cmocka_unit_test(an_error_takes_it_where_it_is_fastest),
    };
    return cmocka_run_group_tests(tests, find_tiles, NULL);
}
