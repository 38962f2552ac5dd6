/* A tolerance is relative to the pull of the other bodies on each body. So bodies far outside a
 * system, diffuse parts of compact systems, and clusters in strong fields are as exact as other
 * bodies, with every method and engine. */
#include "test.h"

#include "clouds.h"
#include "engine/force_options.h"
#include "engines.h"
#include "kernels.h"

enum { N = 2000 };

static struct ky_error error;

/* Scales the bodies from `first` to `end` about the origin, and moves them along x. */
static void place(struct ky_bodies *bodies, size_t first, size_t end, double size, double x)
{
    for (size_t i = first; i < end; i++) {
        for (int c = 0; c < 3; c++)
            bodies->position[i][c] *= size;
        bodies->position[i][0] += x;
    }
}

/* Two bodies of a hundred escape, at these distances and up to three times as far. */
static struct ky_bodies escapers(double distance)
{
    struct ky_bodies bodies = cloud_make(PLUMMER, N);
    for (size_t k = 0; k < 2 * N / 100; k++) {
        double *x = bodies.position[25 * k], r = 0;
        for (int c = 0; c < 3; c++)
            r += x[c] * x[c];
        for (int c = 0; c < 3; c++)
            x[c] *= distance * (1 + (double)(k % 5) / 2) / sqrt(r);
    }
    return bodies;
}

/* `halo` of every 1000 bodies around or beside a core of the size `core`. */
static struct ky_bodies core_and_halo(size_t halo, double core, double apart)
{
    struct ky_bodies bodies = cloud_make(PLUMMER, N);
    place(&bodies, N * halo / 1000, N, core, apart);
    return bodies;
}

/* Two compact clusters with diffuse matter midway. */
static struct ky_bodies binary_of_clusters(double core)
{
    struct ky_bodies bodies = cloud_make(PLUMMER, N);
    place(&bodies, 0, 9 * N / 20, core, 30);
    place(&bodies, 9 * N / 20, 18 * N / 20, core, -30);
    return bodies;
}

static const char *const systems[] = {"escapers at 10",
                                      "escapers at 1e3",
                                      "escapers at 1e6",
                                      "a halo of 1 % around a core",
                                      "a halo of 30 % around a core",
                                      "8 % beside a core",
                                      "a binary of clusters"};
enum { SYSTEMS = sizeof systems / sizeof *systems };

static struct ky_bodies system_of(int k)
{
    return k < 3    ? escapers(k == 0   ? 10
                               : k == 1 ? 1e3
                                        : 1e6)
           : k == 3 ? core_and_halo(10, 1e-3, 0)
           : k == 4 ? core_and_halo(300, 1e-4, 0)
           : k == 5 ? core_and_halo(80, 1e-3, 30)
                    : binary_of_clusters(1e-2);
}

static const struct method {
    const char *name;
    int force, mutual, on_cpu, on_devices;
    double p99;
} methods[] = {{"fmm", KY_FMM, 0, 1, 1, 2e-3},       {"tree", KY_TREE, 0, 1, 1, 2.5e-3},
               {"walk", KY_WALK, 0, 1, 1, 6e-3},     {"list", KY_LIST, 0, 0, 1, 6e-3},
               {"direct", KY_DIRECT, 0, 1, 1, 1e-6}, {"fmm --mutual", KY_FMM, 1, 1, 0, 2e-3}};
enum { METHODS = sizeof methods / sizeof *methods };

/* The parameters of a method on engine e, or 0. */
static int has_method(const struct method *method, int e, struct ky_parameters *parameters)
{
    *parameters = cloud_parameters();
    parameters->engine = engines[e].engine;
    parameters->softening = 1e-5;
    parameters->force = method->force;
    parameters->mutual = method->mutual;
    parameters->precision = taken_precision(parameters);
    return is_cpu_engine(e) ? method->on_cpu : method->on_devices;
}

static void expect(const struct method *method, const char *what, const char *engine,
                   const struct ky_bodies *bodies, const struct ky_bodies *exact)
{
    const struct cloud_error e = cloud_compare(bodies, exact);
    if (!(e.p99 <= method->p99 && e.max <= 1e-2 && e.potential_max <= 4e-3))
        fail_msg(
            "%s, %s, %s: 99 %% of the errors within %.2g, the largest %.2g, of potentials %.2g",
            engine, method->name, what, e.p99, e.max, e.potential_max);
}

/* Also in the first evaluation, before which no pulls are known. */
static void every_body_is_as_exact(void **state)
{
    (void)state;
    for (int k = 0; k < SYSTEMS; k++) {
        struct ky_bodies bodies = system_of(k), exact = cloud_make(PLUMMER, N),
                         *sums = &exact; /* for the first forces alone: they are the same for all */
        for (int run = 0; run < engine_count * METHODS * 2; run++) {
            const int e = run / 2 / METHODS;
            const struct method *method = &methods[run / 2 % METHODS];
            struct ky_parameters parameters;
            if (!has_method(method, e, &parameters))
                continue;
            if (run % 2 == 0)
                memset(bodies.acceleration, 0, N * sizeof *bodies.acceleration);
            assert_ok(cloud_forces(&parameters, &bodies, sums, NULL, &error));
            sums = NULL;
            expect(method, systems[k], engines[e].engine, &bodies, &exact);
        }
        ky_bodies_free(&bodies);
        ky_bodies_free(&exact);
    }
}

enum { FAR = 100 };

/* Takes the acceleration by a mass at x = FAR, which is `pull` in the origin, from a body's. */
static void take_field(double pull, const double *x, double *a)
{
    const double d[3] = {FAR - x[0], -x[1], -x[2]}, r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    for (int c = 0; c < 3; c++)
        a[c] -= pull * FAR * FAR * d[c] / (r2 * sqrt(r2));
}

/* Evaluates the forces in the field of a distant mass on an open engine, and compares the forces
 * without the field. */
static void expect_in_field(struct ky_engine *engine, const struct method *method, double pull,
                            const char *field, const struct ky_bodies *exact)
{
    struct ky_bodies bodies = cloud_make(PLUMMER, N);
    struct ky_bodies forces = {
        .n = N, .acceleration = bodies.acceleration, .potential = bodies.potential};
    assert_ok(ky_engine_forces(engine, &error));
    assert_ok(ky_engine_get(engine, &forces, &error));
    for (size_t i = 0; i < N; i++)
        take_field(pull, bodies.position[i], bodies.acceleration[i]);
    expect(method, field, engine->verbs->name, &bodies, exact);
    ky_bodies_free(&bodies);
}

/* A field up to 10^6 times the pull of the bodies does not change the errors of the forces between
 * bodies, in the first evaluation and in the next, which uses the pulls of the first. */
static void fields_loosen_no_forces(void **state)
{
    (void)state;
    static const double pulls[] = {10, 1e3, 1e6};
    struct ky_bodies bodies = cloud_make(PLUMMER, N), exact = cloud_make(PLUMMER, N);
    for (int e = 0; e < engine_count; e++)
        for (int k = 0; k < METHODS * 3; k++) {
            struct ky_parameters given, parameters;
            struct ky_engine *engine;
            const struct method *method = &methods[k / 3];
            const double pull = pulls[k % 3];
            char field[60];
            snprintf(field, sizeof field, "point:mass=%.17g,x=%d", pull * FAR * FAR, FAR);
            if (!has_method(method, e, &given))
                continue;
            if (e + k == 0)
                assert_ok(cloud_forces(&given, &bodies, &exact, NULL, &error));
            given.field = field;
            memset(bodies.acceleration, 0, N * sizeof *bodies.acceleration);
            assert_ok(ky_force_resolve(&given, &parameters, &error));
            assert_ok(ky_engine_open(&parameters, N, &engine, &error));
            assert_ok(ky_engine_put(engine, &bodies, &error));
            for (int again = 0; again < 2; again++)
                expect_in_field(engine, method, pull, field, &exact);
            ky_engine_close(engine);
        }
    ky_bodies_free(&bodies);
    ky_bodies_free(&exact);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_body_is_as_exact),
                                       cmocka_unit_test(fields_loosen_no_forces)};
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
