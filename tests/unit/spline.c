/* Spline softening: pairs against the published formula, sums with every instruction set and
 * engine, trees with cells within the reach of splines, fields, runs and models. */
#include "test.h"

#include "clouds.h"
#include "engine/force_options.h"
#include "engines.h"
#include "models/profile.h"
#include "physics/softening.h"
#include "softened_pair.h"

static struct ky_error error;

static struct ky_parameters splined(const char *engine, int force, int precision)
{
    struct ky_parameters parameters = cloud_parameters();
    parameters.engine = engine;
    parameters.force = force;
    parameters.precision = precision;
    parameters.softening_kind = KY_SPLINE;
    return parameters;
}

/* ---- the kernel ---- */

enum { STEPS = 130 };

/* A body of mass 1, and bodies without mass on a line from it, at u = r/h = 0, 0.01 … 1.29. A pair
 * takes the larger ε, so that bodies with ε = 0, 0.1 and 0.25 feel the same spline, with ε =
 * 0.25. */
static struct ky_bodies ray(void)
{
    struct ky_bodies bodies;
    assert_ok(ky_bodies_allocate(
        &bodies, STEPS + 1, KY_WITH_ACCELERATION | KY_WITH_POTENTIAL | KY_WITH_SOFTENING, &error));
    bodies.mass[STEPS] = 1;
    bodies.softening[STEPS] = 0.25;
    for (int k = 0; k < STEPS; k++) {
        bodies.position[k][0] = 0.6 * 0.7 * 0.01 * k;
        bodies.position[k][2] = -0.8 * 0.7 * 0.01 * k;
        bodies.softening[k] = k % 3 == 0 ? 0 : k % 3 == 1 ? 0.1 : 0.25;
    }
    return bodies;
}

static void pairs_are_those_of_gadget(void **state)
{
    (void)state;
    static const double bound[] = {2e-4, 1e-6, 1e-13}; /* floats are measured from the mean */
    for (int isa = KY_ISA_PLAIN; isa <= KY_ISA_NEON; isa++)
        for (int precision = KY_SINGLE; cloud_has_isa(isa) && precision <= KY_DOUBLE; precision++) {
            struct ky_bodies bodies = ray();
            struct ky_parameters parameters = splined("cpu", KY_DIRECT, precision);
            parameters.isa = isa;
            parameters.softening = (double)NAN;
            assert_ok(cloud_forces(&parameters, &bodies, NULL, NULL, &error));
            for (int k = 0; k < STEPS; k++) {
                const double r = 0.7 * 0.01 * k;
                struct softened_pair pair = splined_pair(r, 0.7);
                assert_between(bodies.potential[k] / pair.potential - 1, -bound[precision],
                               bound[precision]);
                assert_between(bodies.acceleration[k][0] + 0.6 * r * pair.force,
                               -bound[precision] * r * pair.force,
                               bound[precision] * r * pair.force);
                assert_between(bodies.acceleration[k][2] - 0.8 * r * pair.force,
                               -bound[precision] * r * pair.force,
                               bound[precision] * r * pair.force);
            }
            assert_between(bodies.potential[0], -4 * (1 + bound[precision]),
                           -4 * (1 - bound[precision])); /* -m/ε */
            ky_bodies_free(&bodies);
        }
}

/* The force and the potential are the same on both sides of u = 1/2, and of u = 1. */
static void pieces_meet(void **state)
{
    (void)state;
    static const double meet[] = {0.5, 1};
    for (int k = 0; k < 2; k++) {
        double value[2][2];
        for (int side = 0; side < 2; side++) {
            struct ky_parameters parameters = splined("cpu", KY_DIRECT, KY_DOUBLE);
            struct ky_bodies bodies = cloud_make(PLUMMER, 2);
            parameters.softening = 1 / 2.8;
            bodies.mass[0] = bodies.mass[1] = 1;
            memset(bodies.position, 0, 2 * sizeof *bodies.position);
            bodies.position[1][1] = meet[k] + (side ? 1e-12 : -1e-12);
            assert_ok(cloud_forces(&parameters, &bodies, NULL, NULL, &error));
            value[side][0] = bodies.acceleration[0][1];
            value[side][1] = bodies.potential[0];
            assert_true(bodies.acceleration[1][1] == -value[side][0]);
            ky_bodies_free(&bodies);
        }
        for (int c = 0; c < 2; c++)
            assert_between(value[1][c] / value[0][c] - 1, -1e-11, 1e-11);
    }
}

/* ---- sums ---- */

enum { NONE, ONE, OWN, SOFTENINGS };

static struct ky_bodies softened_cloud(enum cloud cloud, size_t n, int softening,
                                       struct ky_parameters *parameters)
{
    struct ky_bodies bodies = cloud_make(cloud, n);
    parameters->softening = softening == NONE ? 0 : softening == ONE ? 0.05 : (double)NAN;
    if (softening != OWN)
        return bodies;
    assert_ok(ky_bodies_extend(&bodies, KY_WITH_SOFTENING, &error));
    for (size_t i = 0; i < n; i++)
        bodies.softening[i] = 0.02 * (double)(i % 7);
    return bodies;
}

static struct cloud_error errors_by_hand(struct ky_parameters *parameters, enum cloud cloud,
                                         size_t n, int softening)
{
    struct ky_bodies bodies = softened_cloud(cloud, n, softening, parameters),
                     exact = cloud_make(cloud, n);
    softened_sum(parameters, &bodies, &exact);
    assert_ok(cloud_forces(parameters, &bodies, NULL, NULL, &error));
    struct cloud_error e = cloud_compare(&bodies, &exact);
    ky_bodies_free(&bodies);
    ky_bodies_free(&exact);
    return e;
}

static const size_t sizes[] = {0, 1, 2, 15, 16, 17, 63, 64, 65, 127, 128, 129, 500};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Sums agree with a plain loop, also for twins at one place. */
static void sums_agree_with_a_plain_loop(void **state)
{
    (void)state;
    static const double bound[] = {1e-5, 2e-6, 1e-12};
    for (int e = 0; e < engine_count; e++)
        for (int isa = is_cpu_engine(e) ? KY_ISA_PLAIN : KY_ISA_NEON; isa <= KY_ISA_NEON; isa++) {
            if (is_cpu_engine(e) && !cloud_has_isa(isa))
                continue;
            for (int which = 0; which < 2 * SIZES * SOFTENINGS * 3; which++) {
                const int precision = which % 3, softening = which / 3 % SOFTENINGS;
                /* a slow device compiles a kernel for each precision */
                if (is_slow(e) && precision != KY_EXTENDED && !test_everything())
                    continue;
                struct ky_parameters parameters = splined(engines[e].engine, KY_DIRECT, precision);
                parameters.g = 2.5;
                if (is_cpu_engine(e))
                    parameters.isa = isa;
                const enum cloud cloud = which / 9 / SIZES ? PAIRS : PLUMMER;
                const size_t n = sizes[which / 9 % SIZES];
                struct cloud_error by = errors_by_hand(&parameters, cloud, n, softening);
                if (!(by.p99 <= bound[precision] && by.max <= 20 * bound[precision] &&
                      by.potential_max <= bound[precision]))
                    fail_msg("%s, isa %d, precision %d, softening %d, cloud %d, n %zu: %g %g %g",
                             engines[e].engine, isa, precision, softening, (int)cloud, n, by.p99,
                             by.max, by.potential_max);
            }
        }
}

static void action_is_reaction(void **state)
{
    (void)state;
    struct ky_parameters parameters = splined("cpu", KY_DIRECT, KY_DOUBLE);
    struct ky_bodies bodies = softened_cloud(PLUMMER, 500, OWN, &parameters);
    double sum[3] = {0}, size = 0;
    assert_ok(cloud_forces(&parameters, &bodies, NULL, NULL, &error));
    for (size_t i = 0; i < bodies.n; i++)
        for (int c = 0; c < 3; c++) {
            sum[c] += bodies.mass[i] * bodies.acceleration[i][c];
            size += bodies.mass[i] * fabs(bodies.acceleration[i][c]);
        }
    for (int c = 0; c < 3; c++)
        assert_between(sum[c], -1e-14 * size, 1e-14 * size);
    ky_bodies_free(&bodies);
}

/* ---- trees ---- */

enum { N = 1500, GENERAL = KY_FMM + 1, METHODS };

/* A cloud with a dense knot, and softenings whose splines reach over cells: ε = 0.15 for all
 * bodies; or mixed with 0.01, and for every 50th body, a heavy one, with 0. */
static struct ky_bodies knotted(int mixed)
{
    struct ky_bodies bodies = cloud_make(PLUMMER, N);
    assert_ok(ky_bodies_extend(&bodies, KY_WITH_SOFTENING, &error));
    for (size_t i = 0; i < N; i++) {
        bodies.softening[i] = !mixed ? 0.15 : i % 50 == 7 ? 0 : i % 2 ? 0.01 : 0.15;
        bodies.mass[i] *= mixed && i % 50 == 7 ? 30 : 1;
        for (int c = 0; c < 3 && i % 3 == 0; c++)
            bodies.position[i][c] = 0.5 + 0.02 * bodies.position[i][c];
    }
    return bodies;
}

/* Whether a case is taken. A device that is a CPU takes some, since it has to compile each
 * kernel. */
static int is_taken(int e, int method, int opening, int multipole)
{
    if ((is_cpu_engine(e) && method == KY_LIST) || (method == GENERAL && opening == KY_RELATIVE))
        return 0;
    if (method == KY_FMM)
        return opening == KY_RELATIVE && multipole == 2;
    return is_cpu_engine(e) || test_everything() || !is_slow(e) ||
           (method != KY_LIST && multipole == 2 && opening >= KY_MINIMUM);
}

static void check_tree(int e, int method, int opening, int multipole, struct ky_bodies *bodies,
                       const struct ky_bodies *exact)
{
    struct ky_parameters parameters =
        splined(engines[e].engine, method == GENERAL ? KY_WALK : method, KY_SINGLE);
    parameters.opening = opening;
    parameters.multipole = multipole;
    parameters.softening = (double)NAN;
    parameters.theta = opening == KY_RELATIVE ? (double)NAN : 0.6;
    memset(bodies->acceleration, 0, N * sizeof *bodies->acceleration);
    if (method == GENERAL)
        assert_ok(cloud_walk(&parameters, bodies, NULL, &error));
    else
        assert_ok(cloud_forces(&parameters, bodies, NULL, NULL, &error));
    struct cloud_error by = cloud_compare(bodies, exact);
    const double p99 = multipole == 2 ? 4e-3 : 2e-2;
    if (!(by.p99 <= p99 && by.potential_p99 <= p99 / 4 && by.potential_max <= p99))
        fail_msg("%s, method %d, opening %d, multipole %d: %g %g, of the potential %g %g",
                 engines[e].engine, method, opening, multipole, by.p99, by.max, by.potential_p99,
                 by.potential_max);
}

static void trees_open_what_splines_reach(void **state)
{
    (void)state;
    for (int mixed = 0; mixed < 2; mixed++) {
        struct ky_bodies bodies = knotted(mixed), exact = knotted(mixed);
        struct ky_parameters parameters = splined("cpu", KY_DIRECT, KY_DOUBLE);
        parameters.softening = (double)NAN;
        assert_ok(cloud_forces(&parameters, &exact, NULL, NULL, &error));
        for (int e = 0; e < engine_count; e++)
            for (int which = 0; which < 4 * 2 * (METHODS - KY_WALK); which++) {
                const int method = KY_WALK + which / 8, opening = which % 4,
                          multipole = 1 + which / 4 % 2;
                if (is_taken(e, method, opening, multipole))
                    check_tree(e, method, opening, multipole, &bodies, &exact);
            }
        ky_bodies_free(&bodies);
        ky_bodies_free(&exact);
    }
}

/* With ε as large as the system and θ = 1 a tree is the exact sum, since sinks open every cell
 * within the reach of a spline. */
static void within_reach_a_tree_is_the_exact_sum(void **state)
{
    (void)state;
    for (int e = 0; e < engine_count; e++)
        for (int method = KY_WALK; method < METHODS; method++) {
            if (!is_taken(e, method, KY_MINIMUM, 2))
                continue;
            struct ky_parameters parameters =
                splined(engines[e].engine, method == GENERAL ? KY_WALK : method, KY_SINGLE);
            struct ky_bodies bodies = cloud_make(CUBE, 1000), exact = cloud_make(CUBE, 1000);
            parameters.softening = 0.7;
            parameters.opening = KY_GEOMETRIC;
            parameters.theta = 1;
            softened_sum(&parameters, &bodies, &exact);
            if (method == GENERAL)
                assert_ok(cloud_walk(&parameters, &bodies, NULL, &error));
            else
                assert_ok(cloud_forces(&parameters, &bodies, NULL, NULL, &error));
            struct cloud_error by = cloud_compare(&bodies, &exact);
            if (!(by.p99 <= 1e-5 && by.potential_max <= 1e-5))
                fail_msg("%s, method %d: %g %g", engines[e].engine, method, by.p99,
                         by.potential_max);
            ky_bodies_free(&bodies);
            ky_bodies_free(&exact);
        }
}

/* ---- fields, runs ---- */

/* Points with an ε of their own, among bodies with one ε and among bodies with their own. */
static void fields_of_splines(void **state)
{
    (void)state;
    static const double place[2][3] = {{0.1, 0.2, 0.05}, {3, 1, 0}};
    for (int which = 0; which < 2 * engine_count; which++) {
        struct ky_parameters given = splined(engines[which / 2].engine, KY_DIRECT, KY_EXTENDED), p;
        struct ky_bodies bodies = softened_cloud(PLUMMER, 129, which % 2 ? OWN : ONE, &given);
        const struct ky_points points = {2, place, 0.08, NULL, NULL};
        struct ky_engine *engine = NULL;
        double a[2][3], potential[2];
        assert_ok(ky_force_resolve(&given, &p, &error));
        assert_ok(ky_engine_open(&p, bodies.n, &engine, &error));
        assert_ok(ky_engine_put(engine, &bodies, &error));
        assert_ok(ky_engine_field(engine, &points, a, potential, &error));
        for (int k = 0; k < 2; k++) {
            double sum = 0, along = 0;
            for (size_t j = 0; j < bodies.n; j++) {
                double r2 = 0;
                for (int c = 0; c < 3; c++)
                    r2 += pow(bodies.position[j][c] - place[k][c], 2);
                struct softened_pair pair = softened_pair(
                    KY_SPLINE, 0.08, which % 2 ? bodies.softening[j] : given.softening, r2);
                sum += bodies.mass[j] * pair.potential;
                along += bodies.mass[j] * pair.force * (bodies.position[j][0] - place[k][0]);
            }
            assert_between(potential[k] / sum - 1, -2e-6, 2e-6);
            assert_between(a[k][0] - along, -2e-6 * fabs(sum), 2e-6 * fabs(sum));
        }
        ky_engine_close(engine);
        ky_bodies_free(&bodies);
    }
}

static void energy_is_conserved(void **state)
{
    (void)state;
    for (int integrator = KY_LEAPFROG; integrator <= KY_BLOCK_STEPS; integrator++) {
        struct ky_parameters parameters = splined("cpu", KY_TREE, KY_SINGLE);
        struct ky_bodies bodies = softened_cloud(PLUMMER, 400, OWN, &parameters);
        struct ky_sim *sim = NULL;
        struct ky_sums before = {.size = sizeof before}, after = {.size = sizeof after};
        for (size_t i = 0; i < bodies.n; i++)
            for (int c = 0; c < 3; c++)
                bodies.velocity[i][c] *= 0.3;
        for (size_t i = 0; i < bodies.n; i++)
            bodies.softening[i] += 0.05; /* so that none is 0 */
        parameters.theta = 0.4;
        parameters.opening = KY_OFFSET;
        parameters.integrator = integrator;
        parameters.step = 0x1p-6;
        assert_ok(ky_sim_open(&parameters, &bodies, 0, &sim, &error));
        assert_ok(ky_sim_sums(sim, &before, &error));
        assert_ok(ky_sim_advance(sim, 64, &error));
        assert_ok(ky_sim_sums(sim, &after, &error));
        const double change =
            (after.kinetic + after.potential) / (before.kinetic + before.potential) - 1;
        assert_true(fabs(after.kinetic / before.kinetic - 1) > 0.05);
        assert_between(change, -5e-4, 5e-4);
        ky_sim_close(sim);
        ky_bodies_free(&bodies);
    }
}

static void hermite_has_no_spline(void **state)
{
    (void)state;
    struct ky_parameters parameters = splined("cpu", KY_DIRECT, KY_EXTENDED);
    struct ky_bodies bodies = softened_cloud(PLUMMER, 10, ONE, &parameters);
    struct ky_sim *sim = NULL;
    parameters.integrator = KY_HERMITE4;
    assert_int_equal(ky_sim_open(&parameters, &bodies, 0, &sim, &error), KY_UNSUPPORTED);
    assert_non_null(strstr(error.text, "spline"));
    ky_bodies_free(&bodies);
}

/* ---- models ---- */

/* The pull of a shell of splines against the mean over its rings: inside, across and outside of the
 * shell, for splines smaller and larger than the shell. */
static void shells_pull_as_their_bodies(void **state)
{
    (void)state;
    enum { RINGS = 20000 };
    static const double softenings[] = {0, 0.01, 0.2, 0.5, 3}, radii[] = {0.01, 0.3, 0.97, 1.2, 4};
    struct ky_profile *shell = calloc(1, sizeof *shell);
    shell->nodes = 2;
    shell->r[0] = 0.9;
    shell->r[1] = 1.1; /* the shell is in between */
    shell->mass[1] = 1;
    for (int e = 0; e < 5; e++) {
        double pull[5];
        ky_profile_pull(shell, softenings[e], ky_softening_how(KY_SPLINE), 5, radii, pull);
        for (int k = 0; k < 5; k++) {
            double sum = 0;
            const double r = radii[k], near = fabs(r - 1), step = (r + 1 - near) / RINGS;
            for (int ring = 0; ring < RINGS; ring++) { /* bodies of the ring are at d */
                const double d = near + (ring + 0.5) * step, mu = (r * r + 1 - d * d) / (2 * r);
                sum += softened_pair(KY_SPLINE, softenings[e], 0, d * d).force * (r - mu) * d *
                       step / (2 * r);
            }
            const double bound = 1e-4 * fabs(sum) + 1e-6;
            assert_between(pull[k] - sum, -bound, bound);
        }
    }
    free(shell);
}

/* 2T/|Σ m x·a| is 1, with a noise of T of about 1 %. With velocities for Plummer's law it would be
 * 0.91 to 0.93. */
static void models_are_in_balance_with_splines(void **state)
{
    (void)state;
    static const char *const names[] = {"plummer", "hernquist", "jaffe", "nfw", "king", "random"};
    for (int m = 0; m < 6; m++) {
        struct ky_parameters parameters = splined("cpu", KY_DIRECT, KY_SINGLE);
        struct ky_model_parameters model;
        struct ky_snapshot s;
        struct ky_sim *sim;
        struct ky_sums sums = {0};
        ky_model_parameters_defaults(&model);
        model.n = 10000;
        model.softening = parameters.softening = 0.2;
        model.softening_kind = KY_SPLINE;
        assert_ok(ky_model_make(names[m], &model, &s, &error));
        assert_ok(ky_sim_open(&parameters, &s.bodies, 0, &sim, &error));
        assert_ok(ky_sim_sums(sim, &sums, &error));
        assert_between(2 * sums.kinetic / -sums.virial, 0.97, 1.03);
        ky_sim_close(sim);
        ky_snapshot_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_those_of_gadget),
        cmocka_unit_test(pieces_meet),
        cmocka_unit_test(sums_agree_with_a_plain_loop),
        cmocka_unit_test(action_is_reaction),
        cmocka_unit_test(trees_open_what_splines_reach),
        cmocka_unit_test(within_reach_a_tree_is_the_exact_sum),
        cmocka_unit_test(fields_of_splines),
        cmocka_unit_test(energy_is_conserved),
        cmocka_unit_test(hermite_has_no_spline),
        cmocka_unit_test(shells_pull_as_their_bodies),
        cmocka_unit_test(models_are_in_balance_with_splines),
    };
    return cmocka_run_group_tests(tests, find_quick_engines, NULL);
}
