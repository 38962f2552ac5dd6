/* The direct sum on the CPU: every instruction set and precision against a plain loop that is
 * written out here, with awkward sizes, softenings, coincident bodies, units, threads, and
 * momentum. */
#include "test.h"

#include "clouds.h"
#include "engine/force_options.h"

/* The sum by two nested loops. */
static void plain_sum(const struct ky_parameters *parameters, const struct ky_bodies *bodies,
                      struct ky_bodies *out)
{
    for (size_t i = 0; i < bodies->n; i++) {
        double a[3] = {0}, p = 0;
        for (size_t j = 0; j < bodies->n; j++) {
            double ei = bodies->softening ? bodies->softening[i] : parameters->softening;
            double ej = bodies->softening ? bodies->softening[j] : parameters->softening;
            double d[3], s2 = ei * ei + (parameters->softening_kind == KY_SYMMETRIC ? ej * ej : 0);
            for (int c = 0; c < 3; c++) {
                d[c] = bodies->position[j][c] - bodies->position[i][c];
                s2 += d[c] * d[c];
            }
            if (j == i || s2 == 0)
                continue;
            double mr = parameters->g * bodies->mass[j] / sqrt(s2);
            for (int c = 0; c < 3; c++)
                a[c] += mr / s2 * d[c];
            p -= mr;
        }
        memcpy(out->acceleration[i], a, sizeof a);
        out->potential[i] = p;
    }
}

/* Every instruction set, precision, kind of softening and awkward size agrees with a plain loop. */
static void agrees_with_a_plain_loop(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 3, 15, 16, 17, 63, 64, 65, 129, 1000};
    static const double bound[] = {1e-5, 2e-6, 1e-13};
    struct ky_error error = {0};
    int tried = 0;
    for (int isa = KY_ISA_PLAIN; isa <= KY_ISA_NEON; isa++) {
        if (!cloud_has_isa(isa))
            continue;
        for (int which = 0; which < 3 * 12 * 6; which++) {
            struct ky_parameters parameters = cloud_parameters();
            int kind = which % 6;
            size_t n = sizes[which / 6 % 12];
            parameters.force = KY_DIRECT;
            parameters.isa = isa;
            parameters.precision = which / 72;
            parameters.g = 2.5;
            parameters.softening_kind = kind % 2 ? KY_SYMMETRIC : KY_PLUMMER;
            parameters.softening = kind < 2 ? 0 : 0.05;
            struct ky_bodies bodies = cloud_make(PLUMMER, n), exact = cloud_make(PLUMMER, n);
            double own[1000];
            for (size_t i = 0; i < n; i++)
                own[i] = 0.01 * (double)(i % 7);
            bodies.softening = kind >= 4 ? own : NULL;
            plain_sum(&parameters, &bodies, &exact);
            assert_ok(cloud_forces(&parameters, &bodies, NULL, NULL, &error));
            struct cloud_error e = cloud_compare(&bodies, &exact);
            assert_between(e.p99, 0, bound[parameters.precision]);
            assert_between(e.potential_max, 0, 0.5 * bound[parameters.precision]);
            bodies.softening = NULL;
            ky_bodies_free(&bodies);
            ky_bodies_free(&exact);
            tried++;
        }
    }
    assert_true(tried >= 216);
}

/* Single precision keeps the median errors that it promises, where sums are long. */
static void single_precision_is_good_to_1e6(void **state)
{
    (void)state;
    enum { N = 6000 };
    struct ky_error error = {0};
    struct ky_bodies bodies = cloud_make(PLUMMER, N), exact = cloud_make(PLUMMER, N);
    struct ky_parameters parameters = cloud_parameters();
    parameters.force = KY_DIRECT;
    for (int isa = KY_ISA_PLAIN; isa <= KY_ISA_NEON; isa++) {
        parameters.isa = isa;
        if (!cloud_has_isa(isa))
            continue;
        assert_ok(
            cloud_forces(&parameters, &bodies, isa == KY_ISA_PLAIN ? &exact : NULL, NULL, &error));
        struct cloud_error e = cloud_compare(&bodies, &exact);
        assert_between(e.median, 1e-9, 1e-6);
        assert_between(e.potential_median, 1e-10, 1e-6);
    }
    ky_bodies_free(&bodies);
    ky_bodies_free(&exact);
}

/* A tight pair far from the centre: extended precision resolves its distance, single does not. */
static void extended_resolves_close_pairs(void **state)
{
    (void)state;
    struct ky_error error = {0};
    double worst[3];
    for (int precision = KY_SINGLE; precision <= KY_DOUBLE; precision++) {
        struct ky_bodies bodies = cloud_make(PLUMMER, 100), exact = cloud_make(PLUMMER, 100);
        struct ky_parameters parameters = cloud_parameters();
        parameters.force = KY_DIRECT;
        parameters.precision = precision;
        memcpy(bodies.position[1], bodies.position[0], sizeof bodies.position[0]);
        bodies.position[1][0] += 1e-6 / 3;
        assert_ok(cloud_forces(&parameters, &bodies, &exact, NULL, &error));
        worst[precision] = cloud_compare(&bodies, &exact).max;
        ky_bodies_free(&bodies);
        ky_bodies_free(&exact);
    }
    assert_between(worst[KY_SINGLE], 1e-4, 1e9);
    assert_between(worst[KY_EXTENDED], 0, 1e-6);
    assert_between(worst[KY_DOUBLE], 0, 1e-12);
}

static void coincident_bodies_exert_nothing(void **state)
{
    (void)state;
    struct ky_error error = {0};
    for (int precision = KY_SINGLE; precision <= KY_DOUBLE; precision++) {
        struct ky_parameters parameters = cloud_parameters();
        parameters.force = KY_DIRECT;
        parameters.precision = precision;
        struct ky_bodies bodies = cloud_make(POINT, 100);
        assert_ok(cloud_forces(&parameters, &bodies, NULL, NULL, &error));
        for (int i = 0; i < 100; i++)
            assert_true(bodies.acceleration[i][0] == 0 && bodies.potential[i] == 0);
        ky_bodies_free(&bodies);
        struct ky_bodies twins = cloud_make(PAIRS, 200), exact = cloud_make(PAIRS, 200);
        plain_sum(&parameters, &twins, &exact);
        assert_ok(cloud_forces(&parameters, &twins, NULL, NULL, &error));
        assert_between(cloud_compare(&twins, &exact).p99, 0, 1e-5);
        ky_bodies_free(&twins);
        ky_bodies_free(&exact);
    }
}

static void units_leave_no_trace(void **state)
{
    (void)state;
    for (int precision = KY_SINGLE; precision <= KY_DOUBLE; precision++) {
        struct ky_parameters parameters = cloud_parameters();
        parameters.force = KY_DIRECT;
        parameters.precision = precision;
        parameters.softening = 0.01;
        cloud_units_leave_no_trace(&parameters, 300);
    }
}

static void threads_leave_no_trace(void **state)
{
    (void)state;
    enum { N = 9000 };
    struct ky_error error = {0};
    struct ky_sums sums[3] = {{0}};
    struct ky_bodies first = {0};
    for (int threads = 1; threads <= 3; threads++) {
        struct ky_parameters given = cloud_parameters(), parameters;
        given.force = KY_DIRECT;
        given.threads = threads;
        struct ky_bodies bodies = cloud_make(PLUMMER, N);
        struct ky_engine *engine;
        assert_ok(ky_force_resolve(&given, &parameters, &error));
        assert_ok(ky_engine_open(&parameters, N, &engine, &error));
        assert_ok(ky_engine_put(engine, &bodies, &error));
        assert_ok(ky_engine_forces(engine, &error));
        assert_ok(ky_engine_kick(engine, 0.1, &error));
        assert_ok(ky_engine_drift(engine, 0.1, &error));
        assert_ok(ky_engine_sums(engine, &sums[threads - 1], &error));
        assert_ok(ky_engine_get(engine, &bodies, &error));
        ky_engine_close(engine);
        if (threads == 1) {
            first = bodies;
            continue;
        }
        assert_memory_equal(bodies.acceleration, first.acceleration, N * 3 * sizeof(double));
        assert_memory_equal(bodies.potential, first.potential, N * sizeof(double));
        assert_memory_equal(bodies.position, first.position, N * 3 * sizeof(double));
        assert_memory_equal(&sums[threads - 1], &sums[0], sizeof sums[0]);
        ky_bodies_free(&bodies);
    }
    ky_bodies_free(&first);
}

/* Sums agree with their definitions. Without softening the virial is the potential energy, and the
 * forces of the direct sum add up to zero. */
static void sums_agree_with_their_definitions(void **state)
{
    (void)state;
    enum { N = 5000 };
    struct ky_error error = {0};
    struct ky_parameters given = cloud_parameters(), parameters;
    given.force = KY_DIRECT;
    given.precision = KY_DOUBLE;
    given.g = 3;
    struct ky_bodies bodies = cloud_make(PLUMMER, N);
    double mass = 0, kinetic = 0, centre = 0, spin = 0, push = 0, size = 0;
    for (int i = 0; i < N; i++) {
        double m = bodies.mass[i] *= 1e10, *x = bodies.position[i], *v = bodies.velocity[i];
        x[0] += 100;
        mass += m;
        kinetic += 0.5 * m * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        centre += m * x[0];
        spin += m * (x[0] * v[1] - x[1] * v[0]);
    }
    struct ky_engine *engine;
    struct ky_sums sums = {0};
    assert_ok(ky_force_resolve(&given, &parameters, &error));
    assert_ok(ky_engine_open(&parameters, N, &engine, &error));
    assert_ok(ky_engine_put(engine, &bodies, &error));
    assert_ok(ky_engine_forces(engine, &error));
    assert_ok(ky_engine_sums(engine, &sums, &error));
    assert_ok(ky_engine_get(engine, &bodies, &error));
    ky_engine_close(engine);
    for (int i = 0; i < N; i++) {
        push += bodies.mass[i] * bodies.acceleration[i][1];
        size += bodies.mass[i] * fabs(bodies.acceleration[i][1]);
    }
    assert_between(sums.mass / mass, 1 - 1e-13, 1 + 1e-13);
    assert_between(sums.kinetic / kinetic, 1 - 1e-13, 1 + 1e-13);
    assert_between(sums.centre[0] / (centre / mass), 1 - 1e-13, 1 + 1e-13);
    assert_between(sums.angular_momentum[2] / spin, 1 - 1e-11, 1 + 1e-11);
    assert_between(sums.virial / sums.potential, 1 - 1e-11, 1 + 1e-11);
    assert_between(fabs(push) / size, 0, 1e-13);
    ky_bodies_free(&bodies);
}

static void chosen_sums_come_in_any_order(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_parameters given = cloud_parameters(), parameters;
    given.force = KY_DIRECT;
    given.precision = KY_DOUBLE;
    assert_ok(ky_force_resolve(&given, &parameters, &error));
    struct ky_bodies bodies = cloud_make(PLUMMER, 500);
    static const size_t sinks[] = {499, 7, 7, 0, 250};
    double a[5][3], p[5];
    struct ky_engine *engine;
    assert_ok(ky_engine_open(&parameters, 500, &engine, &error));
    assert_ok(ky_engine_put(engine, &bodies, &error));
    assert_ok(ky_engine_forces(engine, &error));
    assert_ok(ky_engine_get(engine, &bodies, &error));
    assert_ok(ky_engine_exact(engine, sinks, 5, a, p, &error));
    for (int k = 0; k < 5; k++) {
        assert_between(p[k] / bodies.potential[sinks[k]], 1 - 1e-14, 1 + 1e-14);
        assert_between(a[k][0] / bodies.acceleration[sinks[k]][0], 1 - 1e-11, 1 + 1e-11);
    }
    static const size_t wrong[] = {500};
    assert_int_equal(ky_engine_exact(engine, wrong, 1, a, p, &error), KY_USAGE);
    ky_engine_close(engine);
    ky_bodies_free(&bodies);
}

static void a_missing_instruction_set_is_an_error(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_parameters parameters = cloud_parameters();
    struct ky_bodies none = {0};
    int missing = 0;
    parameters.force = KY_DIRECT;
    for (int isa = KY_ISA_PLAIN; isa <= KY_ISA_NEON; isa++) {
        parameters.isa = isa;
        if (cloud_has_isa(isa))
            continue;
        missing++;
        assert_int_equal(cloud_forces(&parameters, &none, NULL, NULL, &error), KY_UNSUPPORTED);
        assert_non_null(strstr(error.text, "has no")); /* the build, or the processor, has it not */
    }
    assert_true(missing >= 1); /* no processor has both SSE2 and NEON */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_a_plain_loop),
        cmocka_unit_test(single_precision_is_good_to_1e6),
        cmocka_unit_test(extended_resolves_close_pairs),
        cmocka_unit_test(coincident_bodies_exert_nothing),
        cmocka_unit_test(units_leave_no_trace),
        cmocka_unit_test(threads_leave_no_trace),
        cmocka_unit_test(sums_agree_with_their_definitions),
        cmocka_unit_test(chosen_sums_come_in_any_order),
        cmocka_unit_test(a_missing_instruction_set_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
