/* The tree walks of the CPU engine against sums in double: every instruction set, precision,
 * opening test and order of multipole; awkward sizes and shapes; softenings, units, threads. */
#include "test.h"

#include "clouds.h"
#include "models/models.h"

static struct ky_parameters tree_parameters(int force)
{
    struct ky_parameters parameters = cloud_parameters();
    parameters.force = force;
    parameters.theta = 0.5;
    parameters.threads = 2;
    return parameters;
}

static void every_variant_is_as_good_as_its_theta(void **state)
{
    (void)state;
    /* The 99th percentile by opening test and multipole, with θ = 0.5 and α = 0.001. */
    static const double bound[4][2] = {{1.2e-2, 2e-3}, {6e-3, 1e-3}, {6e-3, 1e-3}, {6e-3, 2.5e-3}};
    enum { N = 3000 };
    struct ky_error error = {0};
    struct ky_bodies bodies = cloud_make(PLUMMER, N), exact = cloud_make(PLUMMER, N);
    struct ky_parameters direct = tree_parameters(KY_DIRECT);
    assert_ok(cloud_forces(&direct, &bodies, &exact, NULL, &error));
    int tried = 0;
    for (int isa = KY_ISA_PLAIN; isa <= KY_ISA_NEON; isa++) {
        if (!cloud_has_isa(isa))
            continue;
        for (int k = 0; k < 3 * 4 * 2; k++) {
            struct ky_parameters parameters = tree_parameters(KY_TREE);
            parameters.isa = isa;
            parameters.precision = k / 8;
            parameters.opening = k / 2 % 4;
            parameters.alpha = parameters.opening == KY_RELATIVE ? 0.001 : (double)NAN;
            parameters.multipole = 1 + k % 2;
            struct ky_force_report report = {0};
            assert_ok(cloud_forces(&parameters, &bodies, NULL, &report, &error));
            struct cloud_error e = cloud_compare(&bodies, &exact);
            double most = bound[parameters.opening][parameters.multipole - 1];
            assert_between(e.p99, 0.02 * most, most);
            assert_between(e.potential_p99, 0, 0.3 * most);
            assert_true(report.cell_interactions > N * 10);
            tried++;
        }
    }
    assert_true(tried >= 24);
    ky_bodies_free(&bodies);
    ky_bodies_free(&exact);
}

/* With these settings the far list and the frontier of some groups are longer than their memory. A
 * body that is lost or counted twice would show as an error of its share of the mass. */
static void long_lists_lose_nothing(void **state)
{
    (void)state;
    struct ky_parameters parameters = tree_parameters(KY_TREE);
    parameters.theta = 0.12;
    parameters.leaf = 1;
    parameters.group = 16;
    struct ky_force_report report = {0};
    struct cloud_error e = cloud_errors_of(&parameters, PLUMMER, 30000, &report);
    assert_true(report.body_interactions + report.cell_interactions > 30000 * 6000.0);
    assert_between(e.potential_max, 0, 1e-5);
}

/* All instruction sets walk the same lists: counts are the same, and results differ by rounding. */
static void instruction_sets_agree(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_force_report first = {0}, report = {0};
    struct ky_bodies plain = cloud_make(PLUMMER, 2000), bodies = cloud_make(PLUMMER, 2000);
    struct ky_parameters parameters = tree_parameters(KY_TREE);
    parameters.isa = KY_ISA_PLAIN;
    assert_ok(cloud_forces(&parameters, &plain, NULL, &first, &error));
    for (int isa = KY_ISA_PLAIN; isa <= KY_ISA_NEON; isa++) {
        if (!cloud_has_isa(isa))
            continue;
        parameters.isa = isa;
        assert_ok(cloud_forces(&parameters, &bodies, NULL, &report, &error));
        assert_true(report.body_interactions == first.body_interactions);
        assert_true(report.cell_interactions == first.cell_interactions);
        assert_between(cloud_compare(&bodies, &plain).p99, 0, 2e-5);
    }
    ky_bodies_free(&plain);
    ky_bodies_free(&bodies);
}

/* With every cell opened a tree is a direct sum: no body is missed or counted twice. */
static void an_open_tree_is_the_direct_sum(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 3, 15, 16, 17, 63, 64, 65, 300, 1000};
    static const int leaves[] = {1, 5, 16, 100}, groups[] = {1, 7, 64, 100, 256};
    for (int k = 0; k < 12 * 5; k++) {
        size_t n = sizes[k % 12];
        for (int force = KY_WALK; force <= KY_TREE; force += KY_TREE - KY_WALK) {
            struct ky_parameters parameters = tree_parameters(force);
            parameters.theta = 1e-3;
            parameters.leaf = leaves[k / 12 % 4];
            parameters.group = groups[k / 12];
            parameters.opening = k % 3;
            parameters.precision = k % 2 ? KY_DOUBLE : KY_SINGLE;
            struct ky_force_report report = {0};
            struct cloud_error e = cloud_errors_of(&parameters, PLUMMER, n, &report);
            assert_between(e.p99, 0, parameters.precision == KY_DOUBLE ? 1e-12 : 1e-5);
            assert_true(report.cell_interactions == 0);
            assert_true(report.body_interactions == (double)n * (double)(n ? n - 1 : 0));
        }
    }
}

/* Systems of awkward shapes. The bound holds for all but the few bodies on which forces cancel. */
static void awkward_shapes_are_served(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 65, 1000, 4000};
    for (int kind = CUBE; kind < CLOUDS; kind++)
        for (int k = 0; k < 5 * 4; k++) {
            struct ky_parameters parameters = tree_parameters(k & 1 ? KY_TREE : KY_WALK);
            parameters.precision = k & 2 ? KY_DOUBLE : KY_SINGLE;
            struct cloud_error e =
                cloud_errors_of(&parameters, (enum cloud)kind, sizes[k / 4], NULL);
            assert_between(e.median, 0, 2e-3);
            assert_between(e.p99, 0, 3e-2);
            assert_between(e.potential_p99, 0, 5e-3);
        }
}

/* Bodies far outside share a group with other bodies, and cost them no digits: every body's error
 * is bounded. */
static void outliers_cost_no_digits(void **state)
{
    (void)state;
    static const size_t sizes[] = {21, 1000, 5000};
    static const double distances[] = {1e6, 1e9};
    for (int k = 0; k < 3 * 2 * 2; k++) {
        struct ky_parameters parameters = tree_parameters(k % 2 ? KY_TREE : KY_DIRECT);
        struct ky_error error = {0};
        size_t n = sizes[k / 4];
        parameters.precision = KY_SINGLE;
        parameters.theta = 0.3;
        struct ky_bodies bodies = cloud_make(PLUMMER, n), exact = cloud_make(PLUMMER, n);
        for (size_t i = 0; i < n / 20; i++)
            bodies.position[i * 20][i % 3] = (i % 2 ? 1 : -1) * distances[k / 2 % 2];
        assert_ok(cloud_forces(&parameters, &bodies, &exact, NULL, &error));
        struct cloud_error e = cloud_compare(&bodies, &exact);
        assert_between(e.max, 0, 2e-3);
        assert_between(e.potential_max, 0, 2e-4);
        ky_bodies_free(&bodies);
        ky_bodies_free(&exact);
    }
}

/* Bodies near a lattice cost as much in the lattice's order, as in files of initial conditions, as
 * in any other order. */
static void a_lattice_may_have_its_order(void **state)
{
    (void)state;
    enum { SIDE = 32, N = SIDE * SIDE * SIDE };
    struct ky_error error = {0};
    double pairs[2];
    for (size_t mixed = 0; mixed < 2; mixed++) {
        struct ky_parameters parameters = cloud_parameters();
        struct ky_bodies bodies = cloud_make(CUBE, N);
        struct ky_force_report report;
        for (size_t i = 0; i < N; i++) {
            const size_t place[] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
            for (int c = 0; c < 3; c++)
                bodies.position[i][c] = (double)place[c] + 0.1 * bodies.position[i][c];
            bodies.mass[i] = 1.0 / N;
        }
        for (size_t i = N - 1; i > 0 && mixed; i--) {
            struct ky_random random = ky_random_at(1, 0, i);
            const size_t other = (size_t)(ky_random_uniform(&random) * (double)(i + 1));
            double own[3];
            memcpy(own, bodies.position[i], sizeof own);
            memcpy(bodies.position[i], bodies.position[other], sizeof own);
            memcpy(bodies.position[other], own, sizeof own);
        }
        assert_ok(cloud_forces(&parameters, &bodies, NULL, &report, &error));
        pairs[mixed] = report.body_interactions / N;
        ky_bodies_free(&bodies);
    }
    assert_between(pairs[0] / pairs[1], 0.9, 1.1);
}

static void softenings_are_those_of_the_direct_sum(void **state)
{
    (void)state;
    enum { N = 2000 };
    struct ky_error error = {0};
    double own[N];
    cloud_softenings(own, N);
    for (int k = 0; k < 2 * 2 * 2 * 2; k++) {
        struct ky_parameters parameters = tree_parameters(k & 1 ? KY_TREE : KY_WALK);
        parameters.softening_kind = k & 2 ? KY_SYMMETRIC : KY_PLUMMER;
        parameters.softening = 0.3;
        parameters.multipole = k & 8 ? 1 : 2;
        parameters.theta = 0.3;
        struct ky_bodies bodies = cloud_make(PLUMMER, N), exact = cloud_make(PLUMMER, N);
        bodies.softening = k & 4 ? own : NULL;
        assert_ok(cloud_forces(&parameters, &bodies, &exact, NULL, &error));
        struct cloud_error e = cloud_compare(&bodies, &exact);
        assert_between(e.p99, 0, parameters.multipole > 1 ? 5e-4 : 3e-3);
        bodies.softening = NULL;
        ky_bodies_free(&bodies);
        ky_bodies_free(&exact);
    }
}

static void units_leave_no_trace(void **state)
{
    (void)state;
    for (int opening = KY_GEOMETRIC; opening <= KY_RELATIVE; opening++) {
        struct ky_parameters parameters = tree_parameters(KY_TREE);
        parameters.opening = opening;
        parameters.alpha = opening == KY_RELATIVE ? 0.001 : (double)NAN;
        cloud_units_leave_no_trace(&parameters, 1500);
    }
}

static void threads_leave_no_trace(void **state)
{
    (void)state;
    enum { N = 6000 };
    struct ky_error error = {0};
    for (int k = 0; k < 2 * 2; k++) {
        struct ky_bodies first = {0};
        for (int threads = 1; threads <= 3; threads++) {
            struct ky_parameters parameters = tree_parameters(k & 1 ? KY_TREE : KY_WALK);
            parameters.threads = threads;
            parameters.opening = k & 2 ? KY_RELATIVE : KY_OFFSET;
            struct ky_bodies bodies = cloud_make(PLUMMER, N);
            assert_ok(cloud_forces(&parameters, &bodies, NULL, NULL, &error));
            if (threads == 1) {
                first = bodies;
                continue;
            }
            assert_memory_equal(bodies.acceleration, first.acceleration, N * 3 * sizeof(double));
            assert_memory_equal(bodies.potential, first.potential, N * sizeof(double));
            ky_bodies_free(&bodies);
        }
        ky_bodies_free(&first);
    }
}

/* The curve of the walks changes only the time. The tree's own curve changes only roundings. */
static void curves_agree(void **state)
{
    (void)state;
    enum { N = 2000 };
    struct ky_error error = {0};
    struct ky_bodies bodies[3] = {{0}};
    for (int curve = KY_CURVE_NONE; curve <= KY_HILBERT; curve++) {
        struct ky_parameters parameters = tree_parameters(KY_WALK);
        parameters.curve = curve;
        bodies[curve] = cloud_make(PLUMMER, N);
        assert_ok(cloud_forces(&parameters, &bodies[curve], NULL, NULL, &error));
    }
    assert_memory_equal(bodies[0].acceleration, bodies[1].acceleration, N * 3 * sizeof(double));
    assert_between(cloud_compare(&bodies[1], &bodies[2]).max, 0, 1e-11);
    for (int curve = 0; curve < 3; curve++)
        ky_bodies_free(&bodies[curve]);
}

/* Bodies without mass feel forces, and exert none. */
static void test_particles_are_legal(void **state)
{
    (void)state;
    enum { N = 1000 };
    struct ky_error error = {0};
    for (int all = 0; all < 2; all++)
        for (int force = KY_DIRECT; force <= KY_TREE; force++) {
            if (force == KY_LIST)
                continue;
            struct ky_parameters parameters = tree_parameters(force);
            struct ky_bodies bodies = cloud_make(PLUMMER, N), exact = cloud_make(PLUMMER, N);
            for (int i = 0; i < N; i++)
                bodies.mass[i] = all || i % 3 ? 0 : bodies.mass[i];
            assert_ok(cloud_forces(&parameters, &bodies, &exact, NULL, &error));
            struct cloud_error e = cloud_compare(&bodies, &exact);
            assert_between(e.p99, 0, 3e-3);
            assert_true(!all || bodies.potential[0] == 0);
            ky_bodies_free(&bodies);
            ky_bodies_free(&exact);
        }
}

static void lists_are_for_devices(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_bodies none = {0};
    struct ky_parameters parameters = tree_parameters(KY_LIST);
    assert_int_equal(cloud_forces(&parameters, &none, NULL, NULL, &error), KY_UNSUPPORTED);
    assert_non_null(strstr(error.text, "--force tree"));
}

/* One close pair, whose accelerations are 10¹² times as large as the others, does not set the floor
 * of |a| in the relative test. */
static void a_close_pair_leaves_the_others_as_they_are(void **state)
{
    (void)state;
    enum { N = 4000 };
    static const int methods[] = {KY_TREE, KY_WALK};
    for (int m = 0; m < 2; m++) {
        struct ky_error error = {0};
        struct ky_parameters parameters = cloud_parameters(), plain;
        struct ky_bodies bodies = cloud_make(PLUMMER, N), exact = cloud_make(PLUMMER, N);
        parameters.force = methods[m];
        parameters.opening = KY_RELATIVE;
        plain = parameters;
        plain.force = KY_DIRECT;
        plain.precision = KY_DOUBLE;
        for (int c = 0; c < 3; c++) {
            bodies.position[N - 1][c] = bodies.position[N - 2][c] + 1e-7;
            exact.position[N - 1][c] = bodies.position[N - 1][c];
        }
        assert_ok(cloud_forces(&plain, &exact, NULL, NULL, &error));
        assert_ok(cloud_forces(&parameters, &bodies, NULL, NULL, &error));
        assert_between(cloud_compare(&bodies, &exact).median, 0, 3e-3);
        ky_bodies_free(&bodies);
        ky_bodies_free(&exact);
    }
}

/* ---- the defaults ---- */

/* A Plummer sphere, a Hernquist sphere, or both on their way to each other. */
static struct ky_bodies system_of_defaults(int which, size_t n)
{
    static const char *const names[] = {"plummer", "hernquist"};
    struct ky_error error = {0};
    struct ky_model_parameters model;
    struct ky_snapshot part[2];
    struct ky_bodies bodies = {0};
    ky_model_parameters_defaults(&model);
    for (int k = 0; k < 2; k++) {
        model.n = which == 2 ? n / 2 : n;
        model.seed = 5 + 2 * (uint64_t)k;
        assert_ok(ky_model_make(names[k], &model, &part[k], &error));
    }
    if (which == 2) {
        struct ky_merge_parameters orbit;
        ky_merge_parameters_defaults(&orbit);
        orbit.separation = 4;
        orbit.pericentre = 0.5;
        assert_ok(ky_merge(&part[0].bodies, &part[1].bodies, &orbit, &bodies, &error));
    } else {
        bodies = part[which].bodies;
        memset(&part[which].bodies, 0, sizeof part[which].bodies);
    }
    ky_snapshot_free(&part[0]);
    ky_snapshot_free(&part[1]);
    assert_ok(ky_bodies_extend(&bodies, KY_WITH_ACCELERATION | KY_WITH_POTENTIAL, &error));
    return bodies;
}

/* The defaults are as exact as numerics.md and the help say. */
static void the_defaults_are_as_exact_as_documented(void **state)
{
    (void)state;
    enum { N = 10000 };
    for (int which = 0; which < 3; which++) {
        struct ky_bodies bodies = system_of_defaults(which, N),
                         exact = system_of_defaults(which, N);
        for (int walk = 0; walk < 2; walk++) {
            struct ky_error error = {0};
            struct ky_parameters parameters = cloud_parameters();
            parameters.softening = 0.045;
            parameters.force = walk ? KY_WALK : KY_TREE;
            assert_ok(cloud_forces(&parameters, &bodies, walk ? NULL : &exact, NULL, &error));
            struct cloud_error e = cloud_compare(&bodies, &exact);
            assert_between(e.p99, 3e-4, walk ? 3e-3 : 1.2e-3);
            assert_between(e.potential_p99, 0, 6e-4);
        }
        ky_bodies_free(&bodies);
        ky_bodies_free(&exact);
    }
}

/* README, numerics.md and the help say of all models: 99 % of the accelerations are within 0.25 %
 * (walk: 0.4 %), and 99 % of the potentials within 0.05 % (walk: 0.1 %). Where all mass is in a few
 * compact clumps, single cells make the error, which is then about α: 0.6 % and 0.3 %. */
static void check_defaults(const char *name, struct ky_snapshot *snapshot, struct ky_bodies *exact)
{
    const int clumps = !strcmp(name, "figure8"), eight = clumps || !strcmp(name, "super8");
    for (int walk = 0; walk < 2; walk++) {
        struct ky_error error = {0};
        struct ky_parameters parameters = cloud_parameters();
        parameters.softening = snapshot->softening;
        parameters.g = snapshot->units.g;
        parameters.force = walk ? KY_WALK : KY_TREE;
        assert_ok(cloud_forces(&parameters, &snapshot->bodies, walk ? NULL : exact, NULL, &error));
        const struct cloud_error e = cloud_compare(&snapshot->bodies, exact);
        if (!(e.p99 > 1e-4 && e.p99 < (clumps ? 6e-3
                                       : walk ? 4e-3
                                              : 2.5e-3)) ||
            !(e.potential_p99 < (eight  ? 3e-3
                                 : walk ? 1e-3
                                        : 5e-4)))
            fail_msg("%s, %s: errors %g and %g", name, walk ? "walk" : "tree", e.p99,
                     e.potential_p99);
    }
}

static void the_defaults_are_as_exact_for_every_model(void **state)
{
    (void)state;
    for (size_t m = 0; m < ky_model_count; m++) {
        const char *const name = ky_models[m]->name;
        struct ky_error error = {0};
        struct ky_model_parameters model;
        struct ky_snapshot snapshot;
        struct ky_bodies exact = {0};
        ky_model_parameters_defaults(&model);
        model.n = test_everything() ? 30000 : 2000;
        if (!strcmp(name, "two-body") || !strcmp(name, "cosmic-box")) /* periodic.c has boxes */
            continue;
        assert_ok(ky_model_make(name, &model, &snapshot, &error));
        const unsigned with = KY_WITH_ACCELERATION | KY_WITH_POTENTIAL;
        assert_ok(ky_bodies_extend(&snapshot.bodies, with, &error));
        assert_ok(ky_bodies_allocate(&exact, snapshot.bodies.n, with, &error));
        check_defaults(name, &snapshot, &exact);
        ky_bodies_free(&exact);
        ky_snapshot_free(&snapshot);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_variant_is_as_good_as_its_theta),
        cmocka_unit_test(long_lists_lose_nothing),
        cmocka_unit_test(instruction_sets_agree),
        cmocka_unit_test(an_open_tree_is_the_direct_sum),
        cmocka_unit_test(awkward_shapes_are_served),
        cmocka_unit_test(outliers_cost_no_digits),
        cmocka_unit_test(a_lattice_may_have_its_order),
        cmocka_unit_test(softenings_are_those_of_the_direct_sum),
        cmocka_unit_test(units_leave_no_trace),
        cmocka_unit_test(threads_leave_no_trace),
        cmocka_unit_test(curves_agree),
        cmocka_unit_test(test_particles_are_legal),
        cmocka_unit_test(lists_are_for_devices),
        cmocka_unit_test(a_close_pair_leaves_the_others_as_they_are),
        cmocka_unit_test(the_defaults_are_as_exact_as_documented),
        cmocka_unit_test(the_defaults_are_as_exact_for_every_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
