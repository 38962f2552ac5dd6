/* The sweep of unrollings of the exact sum: every one on every device against the CPU engine in
 * double, unrollings that are the same kernel, and the error where there is none. */
#include "test.h"

#include "clouds.h"
#include "engines.h"

/* Calls `test` for every usable device but the CPU engine. */
static void on_devices(void (*test)(const char *engine))
{
    need_a_device();
    for (int k = 0; k < engine_count; k++)
        if (!is_cpu_engine(k))
            test(engines[k].engine);
}

/* Whether the sweep is tested on this device. Its 16 kernels take 20 s to compile for a processor;
 * there oclgrind compares the forces of each (tests/command/oclgrind.sh). */
static int has_the_sweep(const char *engine)
{
    for (int k = 0; k < engine_count; k++)
        if (!strcmp(engines[k].engine, engine) && is_slow(k) && !test_everything()) {
            printf("# %s: skipped; make check-all runs the sweep of unrollings\n", engine);
            return 0;
        }
    return 1;
}

static struct ky_parameters parameters_of(const char *engine, int unroll)
{
    struct ky_parameters p = cloud_parameters();
    p.engine = engine;
    p.force = KY_DIRECT;
    p.unroll = unroll;
    p.precision = KY_SINGLE;
    p.softening = 0.05;
    p.g = 2.5;
    return p;
}

static struct ky_bodies cloud_of(size_t n, int own_softening)
{
    struct ky_bodies bodies = cloud_make(PLUMMER, n);
    if (own_softening)
        bodies.softening = malloc((n + 1) * sizeof *bodies.softening);
    for (size_t i = 0; own_softening && i < n; i++)
        bodies.softening[i] = 0.01 * (double)(1 + i % 7);
    return bodies;
}

static void compare_sizes(const char *engine)
{
    static const size_t sizes[] = {0, 1, 2, 63, 64, 65, 1000};
    if (!has_the_sweep(engine))
        return;
    for (int s = 0; s < 7; s++)
        for (int own = 0; own < 2; own++) {
            struct ky_error error = {0};
            struct ky_bodies exact = cloud_of(sizes[s], own), bodies = cloud_of(sizes[s], own);
            struct ky_parameters reference = parameters_of("cpu", KY_UNROLL_TUNED);
            reference.precision = KY_DOUBLE;
            assert_ok(cloud_forces(&reference, &exact, NULL, NULL, &error));
            for (int u = 0; u < 16; u++) {
                const struct ky_parameters p = parameters_of(engine, KY_UNROLL_NONE);
                const int sinks = 1 << u / 4, sources = 1 << u % 4;
                memset(bodies.potential, 0, sizes[s] * sizeof *bodies.potential);
                assert_ok(cloud_unrolled(&p, sinks, sources, &bodies, NULL, NULL, &error));
                struct cloud_error e = cloud_compare(&bodies, &exact);
                if (!(e.p99 <= 2e-5 && e.potential_p99 <= 2e-5))
                    fail_msg("%s, %d x %d, n %zu, own softening %d: error %g, of the potential %g",
                             engine, sinks, sources, sizes[s], own, e.p99, e.potential_p99);
            }
            ky_bodies_free(&bodies);
            ky_bodies_free(&exact);
        }
}

static void every_unrolling(void **state)
{
    (void)state;
    on_devices(compare_sizes);
}

/* 1x1, 4x1 and 4x4 are the unrollings none, simple and double, in every precision. */
static void compare_names(const char *engine)
{
    static const struct {
        int name, sinks, sources;
    } pairs[] = {{KY_UNROLL_NONE, 1, 1}, {KY_UNROLL_SIMPLE, 4, 1}, {KY_UNROLL_DOUBLE, 4, 4}};
    for (int k = 0; k < 3; k++)
        for (int extended = 0; extended < 2; extended++) {
            struct ky_error error = {0};
            struct ky_bodies bodies[2] = {{0}};
            for (int b = 0; b < 2; b++) {
                struct ky_parameters p = parameters_of(engine, b ? KY_UNROLL_TUNED : pairs[k].name);
                p.precision = extended ? KY_EXTENDED : KY_SINGLE;
                p.softening = extended ? 0 : 0.05;
                bodies[b] = cloud_make(PLUMMER, 300);
                assert_ok(cloud_unrolled(&p, b ? pairs[k].sinks : 0, pairs[k].sources, &bodies[b],
                                         NULL, NULL, &error));
            }
            assert_memory_equal(bodies[0].acceleration, bodies[1].acceleration,
                                300 * sizeof *bodies[0].acceleration);
            ky_bodies_free(&bodies[0]);
            ky_bodies_free(&bodies[1]);
        }
}

static void names_of_the_same_unrolling(void **state)
{
    (void)state;
    on_devices(compare_names);
}

static void refuse(const char *engine)
{
    struct ky_bodies plain = cloud_of(100, 0), own = cloud_of(100, 1);
    struct ky_parameters extended = parameters_of(engine, KY_UNROLL_NONE);
    struct ky_parameters hard = extended, symmetric = extended;
    extended.precision = KY_EXTENDED;
    hard.softening = 0;
    symmetric.softening_kind = KY_SYMMETRIC;
    const struct {
        const struct ky_parameters *parameters;
        struct ky_bodies *bodies;
        enum ky_status status;
    } cases[] = {{&extended, &plain, KY_UNSUPPORTED},
                 {&hard, &plain, KY_UNSUPPORTED},
                 {&symmetric, &own, KY_UNSUPPORTED},
                 {&symmetric, &plain, KY_OK}};
    for (int k = 0; k < 3 + has_the_sweep(engine); k++) {
        struct ky_error error = {0};
        assert_int_equal(
            cloud_unrolled(cases[k].parameters, 8, 2, cases[k].bodies, NULL, NULL, &error),
            cases[k].status);
        if (cases[k].status)
            assert_non_null(strstr(error.text, "none, simple, double and tuned"));
    }
    ky_bodies_free(&plain);
    ky_bodies_free(&own);
}

static void unrollings_that_are_not_compiled_are_refused(void **state)
{
    (void)state;
    on_devices(refuse);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_unrolling),
        cmocka_unit_test(names_of_the_same_unrolling),
        cmocka_unit_test(unrollings_that_are_not_compiled_are_refused),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
