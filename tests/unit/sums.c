/* Energies, momenta and other sums over the bodies: the same bits for any order of the bodies, any
 * number of threads and any instruction set, and those of exact terms. */
#include "test.h"

#include "clouds.h"
#include "engine/force_options.h"
#include "engines.h"

static struct ky_error error;

enum { N = 3 * KY_SUM_CHUNK + 777 };

/* Bodies whose terms have sizes and signs of all kinds. */
static struct ky_bodies make(void)
{
    struct ky_bodies bodies = cloud_make(PLUMMER, N);
    for (size_t i = 0; i < N; i++) {
        bodies.mass[i] *= ldexp(1, (int)(i % 41) - 20);
        for (int c = 0; c < 3; c++) {
            bodies.velocity[i][c] *= i % 1000 == 7 ? 1e6 : 1;
            bodies.acceleration[i][c] = -bodies.position[i][c] * (1 + 0.1 * c) / (1 + (double)i);
        }
        bodies.potential[i] = -1 - 0.5 * bodies.position[i][0];
    }
    return bodies;
}

static struct ky_sums sums_of(const char *name, const struct ky_bodies *bodies, int isa,
                              int threads)
{
    struct ky_parameters parameters = cloud_parameters();
    struct ky_engine *engine;
    struct ky_sums sums = {0};
    const struct ky_external field = {.kind = KY_EXTERNAL_POINT, .number = {2, 0.1}};
    parameters.engine = name;
    parameters.force = KY_DIRECT;
    parameters.isa = isa;
    parameters.threads = threads;
    assert_ok(ky_force_resolve(&parameters, &parameters, &error));
    assert_ok(ky_engine_open(&parameters, bodies->n, &engine, &error));
    assert_ok(ky_engine_set_fields(engine, &field, 1, &error));
    assert_ok(ky_engine_put(engine, bodies, &error));
    assert_ok(ky_engine_sums(engine, &sums, &error));
    ky_engine_close(engine);
    return sums;
}

/* Body (7 i) mod n takes the place of body i. */
static void shuffle(struct ky_bodies *bodies)
{
    struct ky_bodies old = make();
    for (size_t i = 0; i < N; i++) {
        const size_t from = 7 * i % N;
        bodies->mass[i] = old.mass[from];
        bodies->potential[i] = old.potential[from];
        memcpy(bodies->position[i], old.position[from], sizeof *old.position);
        memcpy(bodies->velocity[i], old.velocity[from], sizeof *old.velocity);
        memcpy(bodies->acceleration[i], old.acceleration[from], sizeof *old.acceleration);
    }
    ky_bodies_free(&old);
}

static void order_threads_and_instructions_leave_no_trace(void **state)
{
    (void)state;
    struct ky_bodies bodies = make(), other = make();
    const struct ky_sums first = sums_of("cpu", &bodies, KY_ISA_PLAIN, 1);
    shuffle(&other);
    for (int isa = KY_ISA_PLAIN; isa <= KY_ISA_NEON; isa++)
        for (int threads = 1; threads <= 3 && cloud_has_isa(isa); threads++) {
            const struct ky_sums now = sums_of("cpu", &bodies, isa, threads),
                                 shuffled = sums_of("cpu", &other, isa, threads);
            assert_memory_equal(&now, &first, sizeof now);
            assert_memory_equal(&shuffled, &first, sizeof shuffled);
        }
    ky_bodies_free(&bodies);
    ky_bodies_free(&other);
}

/* A device has the bits of its own for any order, and the digits of the CPU. */
static void the_order_on_devices_leaves_no_trace(void **state)
{
    (void)state;
    need_a_device();
    struct ky_bodies bodies = make(), other = make();
    shuffle(&other);
    const struct ky_sums cpu = sums_of("cpu", &bodies, KY_ISA_PLAIN, 1);
    FOR_DEVICES(e, 1)
    {
        const char *name = engines[e].engine;
        const struct ky_sums first = sums_of(name, &bodies, KY_ISA_PLAIN, 1),
                             shuffled = sums_of(name, &other, KY_ISA_PLAIN, 1);
        assert_memory_equal(&shuffled, &first, sizeof shuffled);
        assert_between(first.kinetic / cpu.kinetic, 1 - 1e-13, 1 + 1e-13);
        assert_between(first.potential / cpu.potential, 1 - 1e-13, 1 + 1e-13);
        assert_between(first.external / cpu.external, 1 - 1e-13, 1 + 1e-13);
    }
    ky_bodies_free(&bodies);
    ky_bodies_free(&other);
}

/* The sums have the digits of one in long double over the same terms. */
static void expect(double sum, long double exact, long double size)
{
    assert_between(sum, (double)(exact - 2e-16L * (fabsl(exact) + 1e-3L * size)),
                   (double)(exact + 2e-16L * (fabsl(exact) + 1e-3L * size)));
}

static void no_digit_is_lost(void **state)
{
    (void)state;
    struct ky_bodies bodies = make();
    const struct ky_sums sums = sums_of("cpu", &bodies, KY_ISA_PLAIN, 2);
    long double mass = 0, momentum = 0, size = 0, kinetic = 0, potential = 0;
    for (size_t i = 0; i < N; i++) {
        const double m = bodies.mass[i], *v = bodies.velocity[i];
        mass += m;
        momentum += m * v[1];
        size += fabs(m * v[1]);
        kinetic += 0.5 * m * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        potential += 0.5 * m * bodies.potential[i];
    }
    expect(sums.mass, mass, 0);
    expect(sums.momentum[1], momentum, size);
    expect(sums.kinetic, kinetic, kinetic);
    expect(sums.potential, potential, 0);
    ky_bodies_free(&bodies);
}

static void a_sum_that_is_not_finite_is_told(void **state)
{
    (void)state;
    struct ky_parameters parameters = cloud_parameters();
    struct ky_bodies bodies = make();
    struct ky_engine *engine;
    struct ky_sums sums = {0};
    parameters.force = KY_DIRECT;
    assert_ok(ky_force_resolve(&parameters, &parameters, &error));
    assert_ok(ky_engine_open(&parameters, N, &engine, &error));
    for (int wrong = 0; wrong < 2; wrong++) { /* m v² is beyond the largest number, but not m v */
        bodies.velocity[N / 2][0] = wrong ? 1e200 : 1e140;
        assert_ok(ky_engine_put(engine, &bodies, &error));
        assert_int_equal(ky_engine_sums(engine, &sums, &error), wrong ? KY_BAD_DATA : KY_OK);
    }
    assert_non_null(strstr(error.text, "kinetic energy is not finite"));
    ky_engine_close(engine);
    ky_bodies_free(&bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_threads_and_instructions_leave_no_trace),
        cmocka_unit_test(the_order_on_devices_leaves_no_trace),
        cmocka_unit_test(no_digit_is_lost),
        cmocka_unit_test(a_sum_that_is_not_finite_is_told),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
