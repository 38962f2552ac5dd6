/* A disk in a halo with another softening, of the symmetric kind. With every method that has cells,
 * every opening test and every engine, the errors are those of bodies with one softening. */
#include "test.h"

#include "clouds.h"
#include "engines.h"

enum { N = 5000 };

/* A Plummer halo with ε = 0.2 and a disk of the same mass with ε = 0.02; with `one` > 0 all have
 * this softening. */
static struct ky_bodies disk_in_halo(double one)
{
    struct ky_error error = {0};
    struct ky_bodies bodies = cloud_make(PLUMMER, N);
    assert_ok(ky_bodies_extend(&bodies, KY_WITH_SOFTENING, &error));
    for (int i = 0; i < N; i++) {
        struct ky_random random = ky_random_at(7, 0, (uint64_t)i);
        double *x = bodies.position[i];
        bodies.softening[i] = one > 0 ? one : i % 2 ? 0.02 : 0.2;
        if (i % 2 == 0)
            continue;
        double u = (1 - ky_random_uniform(&random)) * (1 - ky_random_uniform(&random)),
               r = -0.15 * log(u), /* surface density exp(-r/0.15) */
            phase = 2 * 3.14159265358979323846 * ky_random_uniform(&random);
        x[0] = r * cos(phase);
        x[1] = r * sin(phase);
        x[2] = 0.015 * ky_random_normal(&random);
    }
    return bodies;
}

/* Bodies and their exact forces. */
struct system {
    struct ky_bodies bodies, exact;
};

static struct system make_system(double one)
{
    struct ky_error error = {0};
    struct system system = {disk_in_halo(one), disk_in_halo(one)};
    struct ky_parameters parameters = cloud_parameters();
    parameters.force = KY_DIRECT;
    parameters.precision = KY_DOUBLE;
    parameters.softening_kind = KY_SYMMETRIC;
    assert_ok(cloud_forces(&parameters, &system.exact, NULL, NULL, &error));
    return system;
}

static void free_system(struct system *system)
{
    ky_bodies_free(&system->bodies);
    ky_bodies_free(&system->exact);
}

enum { GENERAL = KY_FMM + 1, METHODS };

static struct cloud_error errors_of(const char *engine, int method, int opening,
                                    struct system *system)
{
    struct ky_error error = {0};
    struct ky_parameters parameters = cloud_parameters();
    parameters.engine = engine;
    parameters.force = method == GENERAL ? KY_WALK : method;
    parameters.opening = opening;
    parameters.softening_kind = KY_SYMMETRIC;
    memset(system->bodies.acceleration, 0, N * sizeof *system->bodies.acceleration);
    if (method == GENERAL)
        assert_ok(cloud_walk(&parameters, &system->bodies, NULL, &error));
    else
        assert_ok(cloud_forces(&parameters, &system->bodies, NULL, NULL, &error));
    return cloud_compare(&system->bodies, &system->exact);
}

/* The errors that 99 % of the bodies keep, and the largest ones, are the same but for their
 * scatter. */
static void a_disk_in_a_halo_is_as_exact_as_one_softening(void **state)
{
    (void)state;
    struct system mixed = make_system(0), one = make_system(0.02);
    for (int e = 0; e < engine_count; e++)
        for (int method = KY_WALK; method < METHODS; method++)
            for (int opening = KY_GEOMETRIC; opening <= KY_RELATIVE; opening++) {
                const char *engine = engines[e].engine;
                if ((is_cpu_engine(e) && method == KY_LIST) ||
                    (method == KY_FMM && opening != KY_RELATIVE) ||
                    (method == GENERAL && opening == KY_RELATIVE))
                    continue;
                struct cloud_error with = errors_of(engine, method, opening, &mixed),
                                   without = errors_of(engine, method, opening, &one);
                if (!(with.p99 <= 1.6 * without.p99 && with.max <= 2 * without.max &&
                      with.potential_p99 <= 1.6 * without.potential_p99 &&
                      with.potential_max <= 2 * without.potential_max))
                    fail_msg("%s, method %d, opening %d: error %g %g, of one softening %g %g; "
                             "of the potential %g %g, %g %g",
                             engine, method, opening, with.p99, with.max, without.p99, without.max,
                             with.potential_p99, with.potential_max, without.potential_p99,
                             without.potential_max);
            }
    free_system(&mixed);
    free_system(&one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_disk_in_a_halo_is_as_exact_as_one_softening),
    };
    return cmocka_run_group_tests(tests, find_quick_engines, NULL);
}
