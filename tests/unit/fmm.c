/* Cells act on cells: the expansions of physics/taylor.h against sums over the bodies, and the
 * forces of --force fmm on the CPU against sums in double. */
#include "test.h"

#include "clouds.h"
#include "engine/force_options.h"
#include "octree/cell_moments.h"
#include "physics/taylor.h"

/* ---- expansions ---- */

enum { BODIES = 20 };

/* Bodies within a cube of the given size about 0. */
struct cluster {
    double x[BODIES][3], m[BODIES];
};

static struct cluster make_cluster(double size, uint64_t number)
{
    struct cluster cluster;
    for (int i = 0; i < BODIES; i++) {
        struct ky_random random = ky_random_at(number, 0, (uint64_t)i);
        for (int c = 0; c < 3; c++)
            cluster.x[i][c] = size * (ky_random_uniform(&random) - 0.5);
        cluster.m[i] = 0.5 + ky_random_uniform(&random);
    }
    return cluster;
}

#define EVERY_ORDER(CALL)                                                                          \
    switch (order) {                                                                               \
        KY_TAYLOR_ORDERS(CALL, )                                                                   \
    }

/* tⁿ/n! of the vector from b to a. */
static void powers(const double a[3], const double b[3], double *power, int order)
{
    const double t[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
#define POWERS(p, its)                                                                             \
    case its:                                                                                      \
        ky_taylor_powers(power, t, its);                                                           \
        break;
    EVERY_ORDER(POWERS)
}

/* The moments of some of the bodies about `at`; for cells of which `at` is no centre of mass they
 * lack those of degree 1. */
static void moments_of(const struct cluster *cluster, int first, int count, const double at[3],
                       double moment[KY_TAYLOR_TERMS], int order)
{
    memset(moment, 0, KY_TAYLOR_TERMS * sizeof *moment);
    for (int i = first; i < first + count; i++) {
        double power[KY_TAYLOR_TERMS];
        powers(cluster->x[i], at, power, order);
        moment[0] += cluster->m[i];
#define ADD_BODY(p, its)                                                                           \
    case its:                                                                                      \
        ky_taylor_add_body(moment, cluster->m[i], power, its);                                     \
        break;
        EVERY_ORDER(ADD_BODY)
    }
}

static void centre_of(const struct cluster *cluster, int first, int count, double at[3])
{
    double mass = 0;
    at[0] = at[1] = at[2] = 0;
    for (int i = first; i < first + count; i++) {
        mass += cluster->m[i];
        for (int c = 0; c < 3; c++)
            at[c] += cluster->m[i] * cluster->x[i][c];
    }
    for (int c = 0; c < 3; c++)
        at[c] /= mass;
}

/* The moments of two halves, moved to the common centre, are those of all bodies. */
static void moved_moments_are_those_of_all_bodies(void **state)
{
    (void)state;
    const struct cluster cluster = make_cluster(1, 3);
    for (int order = 2; order <= KY_TAYLOR_MOST; order++) {
        double at[3], all[KY_TAYLOR_TERMS], sum[KY_TAYLOR_TERMS] = {0};
        centre_of(&cluster, 0, BODIES, at);
        moments_of(&cluster, 0, BODIES, at, all, order);
        for (int half = 0; half < 2; half++) {
            double own[3], part[KY_TAYLOR_TERMS], power[KY_TAYLOR_TERMS];
            centre_of(&cluster, half * BODIES / 2, BODIES / 2, own);
            moments_of(&cluster, half * BODIES / 2, BODIES / 2, own, part, order);
            powers(own, at, power, order);
#define ADD_CELL(p, its)                                                                           \
    case its:                                                                                      \
        ky_taylor_add_cell(sum, part, power, its);                                                 \
        break;
            EVERY_ORDER(ADD_CELL)
        }
        for (int n = KY_TAYLOR_SECOND; n < KY_TAYLOR_COUNT(order); n++)
            assert_between(fabs(sum[n] - all[n]), 0, 1e-14);
    }
}

struct errors {
    double acceleration, potential;
};

/* The relative errors of a field at a sink, against the sum over the bodies of the cluster. */
static struct errors errors_of(const struct cluster *cluster, const double sink[3], double eps2,
                               struct ky_field field)
{
    struct ky_field exact = {0, 0, 0, 0};
    for (int i = 0; i < BODIES; i++) {
        const double dx = cluster->x[i][0] - sink[0], dy = cluster->x[i][1] - sink[1],
                     dz = cluster->x[i][2] - sink[2];
        exact = ky_add_body(exact, dx, dy, dz, ky_soften(dx, dy, dz, eps2, 0, 0), cluster->m[i]);
    }
    return (struct errors){hypot(hypot(field.x - exact.x, field.y - exact.y), field.z - exact.z) /
                               hypot(hypot(exact.x, exact.y), exact.z),
                           fabs(field.p - exact.p) / exact.p};
}

/* A cluster acts through its moments on local coefficients, which are moved and then evaluated. The
 * relative errors against the sum over its bodies. */
static struct errors expand(double size, double eps2, uint64_t number, int order)
{
    const struct cluster cluster = make_cluster(size, number);
    const double middle[3] = {1, 0.3, -0.5},
                 own[3] = {1 + 0.2 * size, 0.3 - 0.1 * size, -0.5 + 0.15 * size},
                 sink[3] = {1 - 0.3 * size, 0.3 + 0.4 * size, -0.5 - 0.2 * size};
    double at[3], moment[KY_TAYLOR_TERMS], d[KY_TAYLOR_DERIVATIVES] = {0}, r[3], s2 = eps2;
    double power[KY_TAYLOR_TERMS], local[KY_TAYLOR_TERMS] = {0}, moved[KY_TAYLOR_TERMS] = {0};
    struct ky_field field = {0, 0, 0, 0};
    centre_of(&cluster, 0, BODIES, at);
    moments_of(&cluster, 0, BODIES, at, moment, order);
    for (int c = 0; c < 3; c++) {
        r[c] = at[c] - middle[c];
        s2 += r[c] * r[c];
    }
#define ACT(p, its)                                                                                \
    case its:                                                                                      \
        ky_taylor_derivatives(d, r, 1 / sqrt(s2), its);                                            \
        ky_taylor_act(local, moment, d, its);                                                      \
        powers(middle, own, power, its);                                                           \
        ky_taylor_shift(moved, local, power, its);                                                 \
        powers(own, sink, power, its);                                                             \
        field = ky_taylor_field(field, moved, power, its);                                         \
        break;
    EVERY_ORDER(ACT)
    return errors_of(&cluster, sink, eps2, field);
}

/* With half the size errors of the potential are 2^(p + 1) times smaller, those of the acceleration
 * 2^p times, softened or not. */
static void expansions_converge_with_their_order(void **state)
{
    (void)state;
    for (int order = 2; order <= KY_TAYLOR_MOST; order++)
        for (int soft = 0; soft < 2; soft++) {
            struct errors wide = {0, 0}, narrow = {0, 0};
            for (uint64_t number = 0; number < 20; number++) {
                const struct errors a = expand(0.1, 0.2 * soft, number, order),
                                    b = expand(0.05, 0.2 * soft, number, order);
                wide.acceleration = fmax(wide.acceleration, a.acceleration);
                wide.potential = fmax(wide.potential, a.potential);
                narrow.acceleration = fmax(narrow.acceleration, b.acceleration);
                narrow.potential = fmax(narrow.potential, b.potential);
            }
            assert_between(log2(wide.acceleration / narrow.acceleration), order - 0.3, order + 0.3);
            assert_between(log2(wide.potential / narrow.potential), order + 0.7, order + 1.3);
            assert_between(wide.acceleration, 0, 0.6 * pow(0.15, order));
        }
}

/* Without its moments of the highest degree a cell adds the same to all coefficients but K_0. */
static void highest_moments_act_on_the_potential_alone(void **state)
{
    (void)state;
    const struct cluster cluster = make_cluster(1, 5);
    const double r[3] = {2, 1, -1.5};
    for (int order = 3; order <= KY_TAYLOR_MOST; order++) {
        double at[3], moment[KY_TAYLOR_TERMS], d[KY_TAYLOR_DERIVATIVES] = {0};
        double all[KY_TAYLOR_TERMS] = {0}, some[KY_TAYLOR_TERMS] = {0};
        centre_of(&cluster, 0, BODIES, at);
        moments_of(&cluster, 0, BODIES, at, moment, order);
#define ACT_TO(p, its)                                                                             \
    case its:                                                                                      \
        ky_taylor_derivatives(d, r, 1 / sqrt(7.25), its);                                          \
        ky_taylor_act(all, moment, d, its);                                                        \
        ky_taylor_act_to(some, moment, d, its, (its)-1);                                           \
        break;
        EVERY_ORDER(ACT_TO)
        assert_true(some[0] != all[0]);
        assert_memory_equal(some + 1, all + 1, (KY_TAYLOR_TERMS - 1) * sizeof *all);
    }
}

/* ---- cells that act on single sinks ---- */

/* The same for a cell that acts on one sink by its moments up to a degree, 2 or 3. */
static struct errors act_on_one(double size, double eps2, uint64_t number, int degree)
{
    static const double factorial[10] = {6, 2, 2, 2, 1, 2, 6, 2, 2, 6};
    const struct cluster cluster = make_cluster(size, number);
    const double sink[3] = {1, 0.3, -0.5};
    double at[3], m[KY_TAYLOR_TERMS];
    struct ky_field field = {0, 0, 0, 0};
    struct ky_third third;
    centre_of(&cluster, 0, BODIES, at);
    moments_of(&cluster, 0, BODIES, at, m, 3);
    for (int k = 0; k < 10; k++)
        third.o[k] = KY_SCALE_THIRD(1) * factorial[k] * m[10 + k];
    for (int c = 0; c < 3; c++) {
        static const int trace[3][3] = {{0, 3, 5}, {1, 6, 8}, {2, 7, 9}};
        const double sum = third.o[trace[c][0]] + third.o[trace[c][1]] + third.o[trace[c][2]];
        third.t[c] = sum * KY_SCALE_TRACE_OF_THIRD(1) / KY_SCALE_THIRD(1);
    }
    for (int n = 4; n < 10; n++)
        m[n] /= KY_TAYLOR_FACTOR(n);
    const double d[3] = {at[0] - sink[0], at[1] - sink[1], at[2] - sink[2]};
    const struct ky_softened pair = ky_soften(d[0], d[1], d[2], eps2, 0, 0);
    const struct ky_moments moments = ky_cell_moments(m[0], m[4], m[5], m[6], m[7], m[8], m[9]);
    field = degree == 3 ? ky_add_octupole(field, d[0], d[1], d[2], pair, moments, third)
                        : ky_add_cell(field, d[0], d[1], d[2], pair, moments);
    return errors_of(&cluster, sink, eps2, field);
}

/* With half the size errors are 2^(degree + 1) times smaller. */
static void single_cells_converge_with_their_degree(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * 2; k++) {
        const int degree = 2 + k / 2;
        const double eps2 = 0.2 * (k % 2);
        struct errors wide = {0, 0}, narrow = {0, 0};
        for (uint64_t number = 0; number < 20; number++) {
            const struct errors a = act_on_one(0.1, eps2, number, degree),
                                b = act_on_one(0.05, eps2, number, degree);
            wide.acceleration = fmax(wide.acceleration, a.acceleration);
            wide.potential = fmax(wide.potential, a.potential);
            narrow.acceleration = fmax(narrow.acceleration, b.acceleration);
            narrow.potential = fmax(narrow.potential, b.potential);
        }
        assert_between(log2(wide.acceleration / narrow.acceleration), degree + 0.7, degree + 1.3);
        assert_between(log2(wide.potential / narrow.potential), degree + 0.7, degree + 1.3);
    }
}

/* ---- forces ---- */

static struct ky_parameters fmm_parameters(void)
{
    struct ky_parameters parameters = cloud_parameters();
    parameters.force = KY_FMM;
    parameters.alpha = 0.002;
    parameters.threads = 2;
    return parameters;
}

/* Every instruction set and precision with every order. */
static void every_variant_is_as_good_as_its_tolerance(void **state)
{
    (void)state;
    enum { N = 3000 };
    struct ky_error error = {0};
    struct ky_bodies bodies = cloud_make(PLUMMER, N), exact = cloud_make(PLUMMER, N);
    struct ky_parameters direct = fmm_parameters();
    direct.force = KY_DIRECT;
    direct.precision = KY_DOUBLE;
    assert_ok(cloud_forces(&direct, &exact, NULL, NULL, &error));
    for (int isa = KY_ISA_PLAIN; isa <= KY_ISA_NEON; isa++)
        for (int k = 0; k < 5 * 3 && cloud_has_isa(isa); k++) {
            struct ky_parameters parameters = fmm_parameters();
            struct ky_force_report report = {0};
            parameters.isa = isa;
            parameters.precision = k / 5;
            parameters.order = 2 + k % 5;
            assert_ok(cloud_forces(&parameters, &bodies, NULL, &report, &error));
            const struct cloud_error e = cloud_compare(&bodies, &exact);
            assert_between(e.p99, 2e-4, parameters.order == 2 ? 5e-3 : 3e-3);
            assert_between(e.potential_p99, 0, 5e-4);
            assert_true(report.cell_interactions > N);
            assert_true(report.body_interactions < N * (double)N);
        }
    ky_bodies_free(&bodies);
    ky_bodies_free(&exact);
}

/* Where the error allows it AVX-512 takes an estimate of 1/s with 14 bits. */
static void instruction_sets_agree(void **state)
{
    (void)state;
    static const struct {
        double alpha, bound;
    } rows[] = {{1e-3, 1e-4}, {0.99e-3, 2e-6}};
    for (int k = 0; k < 2; k++) {
        struct ky_error error = {0};
        struct ky_force_report first = {0}, report = {0};
        struct ky_bodies plain = cloud_make(PLUMMER, 2000);
        struct ky_parameters parameters = fmm_parameters();
        parameters.alpha = rows[k].alpha;
        parameters.isa = KY_ISA_PLAIN;
        assert_ok(cloud_forces(&parameters, &plain, NULL, &first, &error));
        for (int isa = KY_ISA_PLAIN; isa <= KY_ISA_NEON; isa++) {
            if (!cloud_has_isa(isa))
                continue;
            struct ky_bodies bodies = cloud_make(PLUMMER, 2000);
            parameters.isa = isa;
            assert_ok(cloud_forces(&parameters, &bodies, NULL, &report, &error));
            assert_between(report.body_interactions / first.body_interactions, 0.999, 1.001);
            const struct cloud_error difference = cloud_compare(&bodies, &plain);
            assert_between(difference.p99, 0, rows[k].bound);
            ky_bodies_free(&bodies);
        }
        ky_bodies_free(&plain);
    }
}

/* With a tolerance that no cell meets the forces are exact: no body is missed or counted twice. */
static void a_tiny_tolerance_gives_the_exact_sum(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 3, 15, 16, 17, 63, 64, 65, 300, 1000};
    static const int leaves[] = {1, 5, 16, 100}, groups[] = {1, 7, 64, 100, 256};
    for (int k = 0; k < 12 * 5; k++) {
        const size_t n = sizes[k % 12];
        struct ky_parameters parameters = fmm_parameters();
        struct ky_force_report report = {0};
        parameters.alpha = 1e-12;
        parameters.leaf = leaves[k / 12 % 4];
        parameters.group = groups[k / 12];
        parameters.order = 2 + k % 2;
        parameters.precision = k % 3 ? KY_DOUBLE : KY_SINGLE;
        const struct cloud_error e = cloud_errors_of(&parameters, PLUMMER, n, &report);
        assert_between(e.p99, 0, parameters.precision == KY_DOUBLE ? 1e-7 : 1e-5);
    }
}

static void awkward_shapes_are_served(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 65, 1000, 4000};
    for (int kind = CUBE; kind < CLOUDS; kind++)
        for (int k = 0; k < 5 * 2; k++) {
            struct ky_parameters parameters = fmm_parameters();
            parameters.precision = k & 1 ? KY_DOUBLE : KY_SINGLE;
            const struct cloud_error e =
                cloud_errors_of(&parameters, (enum cloud)kind, sizes[k / 2], NULL);
            assert_between(e.median, 0, 2e-3);
            assert_between(e.p99, 0, 1e-2);
            assert_between(e.potential_p99, 0, 5e-3);
        }
}

/* A large system: several levels of large cells, branches, and all orders of lists. */
static void a_large_system_keeps_the_tolerance(void **state)
{
    (void)state;
    enum { N = 100003, CHECKED = 300 };
    struct ky_error error = {0};
    struct ky_parameters parameters = fmm_parameters();
    struct ky_bodies bodies = cloud_make(PLUMMER, N);
    struct ky_check_parameters check;
    struct ky_check_results results = {0};
    ky_check_parameters_defaults(&check);
    check.samples = CHECKED;
    parameters.softening = 0.001;
    assert_ok(ky_forces_check(&parameters, &bodies, &check, &results, &error));
    assert_between(results.acceleration.p99, 1e-4, 2.5e-3);
    assert_between(results.potential.p99, 0, 2e-4);
    ky_bodies_free(&bodies);
}

static void awkward_places_are_served(void **state)
{
    (void)state;
    static const size_t sizes[] = {21, 1000, 5000};
    for (int k = 0; k < 3 * 2; k++) {
        struct ky_parameters parameters = fmm_parameters();
        parameters.order = k % 2 ? 6 : 3;
        cloud_awkward_places_are_served(&parameters, sizes[k / 2]);
    }
}

static void softenings_are_those_of_the_direct_sum(void **state)
{
    (void)state;
    const struct ky_parameters parameters = fmm_parameters();
    cloud_softenings_are_served(&parameters);
}

static void units_leave_no_trace(void **state)
{
    (void)state;
    const struct ky_parameters parameters = fmm_parameters();
    cloud_units_leave_no_trace(&parameters, 1500);
}

static void threads_leave_no_trace(void **state)
{
    (void)state;
    const struct ky_parameters parameters = fmm_parameters();
    cloud_threads_leave_no_trace(&parameters, 20000);
}

static void test_particles_are_legal(void **state)
{
    (void)state;
    const struct ky_parameters parameters = fmm_parameters();
    cloud_test_particles_are_served(&parameters);
}

/* The walk is divided in the report, but not in one of the first version, which has no room. */
static void the_report_divides_the_walk(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_bodies bodies = cloud_make(PLUMMER, 3000);
    for (int k = 0; k < 6; k++) {
        struct ky_parameters parameters = fmm_parameters();
        struct ky_force_report report = {.size = k % 2 ? sizeof report : 0};
        parameters.force = k / 2 == 2 ? KY_TREE : KY_FMM;
        parameters.mutual = k / 2 == 1;
        assert_ok(ky_forces(&parameters, &bodies, &report, &error));
        const int divided = k % 2 && parameters.force == KY_FMM;
        assert_true((report.cells > 0) == divided && (report.groups > 0) == divided);
        assert_between(report.cells + report.groups, 0, report.walk);
    }
    ky_bodies_free(&bodies);
}

/* ---- fields at points ---- */

static struct ky_engine *open_with(const struct ky_parameters *given,
                                   const struct ky_bodies *bodies)
{
    struct ky_engine *engine;
    static struct ky_parameters parameters; /* outlives the engine; one is open at a time */
    struct ky_error error = {0};
    assert_ok(ky_force_resolve(given, &parameters, &error));
    assert_ok(ky_engine_open(&parameters, bodies->n, &engine, &error));
    assert_ok(ky_engine_put(engine, bodies, &error));
    return engine;
}

/* Errors at points of another cloud are those of bodies, for few points and many, each with the
 * same bits for any number of threads. */
static void fields_have_the_errors_of_bodies(void **state)
{
    (void)state;
    enum { N = 5000, MOST = 6000 };
    static const size_t counts[] = {1, 33, 700, MOST};
    static double a[3][MOST][3], p[3][MOST];
    struct ky_error error = {0};
    struct ky_bodies bodies = cloud_make(PLUMMER, N), exact = cloud_make(PLUMMER, MOST),
                     cells = cloud_make(PLUMMER, MOST), at = cloud_make(PLUMMER, N + MOST);
    for (int k = 0; k < 4; k++) {
        const struct ky_points points = {counts[k], (const double(*)[3])at.position + N, 0, NULL,
                                         NULL};
        for (int threads = 0; threads <= 2; threads++) { /* 0: the exact sum */
            struct ky_parameters given = fmm_parameters();
            given.force = threads ? KY_FMM : KY_DIRECT;
            given.threads = threads;
            struct ky_engine *engine = open_with(&given, &bodies);
            assert_ok(ky_engine_field(engine, &points, a[threads], p[threads], &error));
            ky_engine_close(engine);
        }
        assert_memory_equal(a[1], a[2], counts[k] * sizeof *a[1]);
        assert_memory_equal(p[1], p[2], counts[k] * sizeof *p[1]);
        exact.n = cells.n = counts[k];
        memcpy(exact.acceleration, a[0], counts[k] * sizeof *a[0]);
        memcpy(exact.potential, p[0], counts[k] * sizeof *p[0]);
        memcpy(cells.acceleration, a[1], counts[k] * sizeof *a[1]);
        memcpy(cells.potential, p[1], counts[k] * sizeof *p[1]);
        const struct cloud_error e = cloud_compare(&cells, &exact);
        assert_between(e.p99, k < 2 ? 0 : 1e-4, k < 2 ? 8e-3 : 3e-3);
        assert_between(e.potential_p99, 0, 5e-4);
    }
    ky_bodies_free(&bodies);
    ky_bodies_free(&exact);
    ky_bodies_free(&cells);
    ky_bodies_free(&at);
}

/* Points at one place, on a body, and so far that float has no number for the distance squared. */
static void fields_of_odd_points(void **state)
{
    (void)state;
    enum { N = 300, POINTS = 200 };
    static double x[POINTS][3], a[POINTS][3], p[POINTS];
    struct ky_error error = {0};
    struct ky_bodies bodies = cloud_make(PLUMMER, N);
    double mass = 0;
    for (int i = 0; i < N; i++)
        mass += bodies.mass[i];
    for (int k = 0; k < POINTS; k++)
        for (int c = 0; c < 3; c++)
            x[k][c] = k < POINTS / 2 ? bodies.position[7][c] : c ? 0 : pow(10, k * 0.2);
    const struct ky_points points = {POINTS, (const double(*)[3])x, 0, NULL, NULL};
    const struct ky_parameters given = fmm_parameters();
    struct ky_engine *engine = open_with(&given, &bodies);
    assert_ok(ky_engine_field(engine, &points, a, p, &error));
    for (int k = 0; k < POINTS / 2; k++)
        assert_between(p[k] / p[0], 1 - 1e-4, 1 + 1e-4);
    for (int k = POINTS / 2; k < POINTS; k++) {
        assert_between(-p[k] * x[k][0] / mass, 1 - 1e-6, 1 + 1e-6);
        assert_between(-a[k][0] * x[k][0] * x[k][0] / mass, 1 - 1e-6, 1 + 1e-6);
    }
    ky_engine_close(engine);
    ky_bodies_free(&bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moved_moments_are_those_of_all_bodies),
        cmocka_unit_test(expansions_converge_with_their_order),
        cmocka_unit_test(highest_moments_act_on_the_potential_alone),
        cmocka_unit_test(single_cells_converge_with_their_degree),
        cmocka_unit_test(every_variant_is_as_good_as_its_tolerance),
        cmocka_unit_test(instruction_sets_agree),
        cmocka_unit_test(a_tiny_tolerance_gives_the_exact_sum),
        cmocka_unit_test(awkward_shapes_are_served),
        cmocka_unit_test(a_large_system_keeps_the_tolerance),
        cmocka_unit_test(awkward_places_are_served),
        cmocka_unit_test(softenings_are_those_of_the_direct_sum),
        cmocka_unit_test(units_leave_no_trace),
        cmocka_unit_test(threads_leave_no_trace),
        cmocka_unit_test(test_particles_are_legal),
        cmocka_unit_test(the_report_divides_the_walk),
        cmocka_unit_test(fields_have_the_errors_of_bodies),
        cmocka_unit_test(fields_of_odd_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
