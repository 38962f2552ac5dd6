/* The device engines: the same cases for every engine and device that opens, against a sum that is
 * written out here; memory that runs out; two engines at once. */
#include "test.h"

#include <stdio.h>

#include "base/drivers.h"

#if KY_DRIVERS_COUNT

#include <pthread.h>

#include "clouds.h"
#include "engines.h"
#include "guard.h"
#include "kernels.h"
#include "softened_pair.h"

#include "engine/device/driver/driver.h"
#ifdef KY_HAVE_OPENCL
#include "engine/device/driver/opencl/opencl.h"
#include "engine/force_options.h"
#endif

/* ---- cases: what is varied ---- */

enum factor { METHOD, PRECISION, SOFTENING, CLOUD, MULTIPOLE, OPENING, CURVE, FACTORS };
/* The methods of devices, each with the method of the CPU that it is compared with. The exact sum
 * comes first; it is compared with the sum that is written out here. */
static const struct {
    int force, tree, on_cpu;
    double same; /* largest difference from the CPU's method; 0: that of the precision */
} methods[] = {
    {KY_DIRECT, KY_TREE_BY_ENGINE, KY_DIRECT, 0},
    {KY_WALK, KY_TREE_OF_HOST, KY_WALK, 0},
    /* the CPU takes the smallest leaves body by body; lists do not */
    {KY_LIST, KY_TREE_OF_HOST, KY_TREE, 1e-4},
    /* its groups are others, and so are the cells that are opened */
    {KY_TREE, KY_TREE_OF_DEVICE, KY_TREE, 1e-3},
    {KY_WALK, KY_TREE_BY_ENGINE, KY_WALK, 0},
};
enum { METHODS = sizeof methods / sizeof *methods };
static const int levels[FACTORS] = {METHODS, 3, 5, CLOUDS, 2, 4, 3};

struct test_case {
    int level[FACTORS];
    size_t n;
};

/* OWN_SPLINE has kernels of its own, and only some cases. */
enum { ZERO, ONE, SYMMETRIC, OWN, OWN_SYMMETRIC, OWN_SPLINE };

static struct ky_parameters parameters_of(const struct test_case *test, const char *engine)
{
    struct ky_parameters p = cloud_parameters();
    p.engine = engine;
    p.force = methods[test->level[METHOD]].force;
    p.tree = methods[test->level[METHOD]].tree;
    p.multipole = 1 + test->level[MULTIPOLE];
    p.opening = test->level[OPENING];
    p.curve = test->level[CURVE];
    p.theta = 0.4;
    p.alpha = p.opening == KY_RELATIVE ? 1e-4 : (double)NAN;
    p.leaf = 4;
    p.group = 16;
    p.cell = KY_EDGE;
    if (p.force == KY_TREE && takes_few_kernels(engine))
        p.multipole = 2; /* walks and lists have moments of the first order */
    p.precision = test->level[PRECISION];
    p.g = 2.5;
    p.softening = test->level[SOFTENING] == ZERO ? 0 : 0.05;
    p.softening_kind =
        test->level[SOFTENING] == SYMMETRIC || test->level[SOFTENING] == OWN_SYMMETRIC
            ? KY_SYMMETRIC
        : test->level[SOFTENING] == OWN_SPLINE ? KY_SPLINE
                                               : KY_PLUMMER;
    return p;
}

static struct ky_bodies bodies_of(const struct test_case *test)
{
    struct ky_bodies bodies = cloud_make((enum cloud)test->level[CLOUD], test->n);
    if (test->level[SOFTENING] >= OWN) {
        bodies.softening = malloc((test->n + 1) * sizeof *bodies.softening);
        for (size_t i = 0; i < test->n; i++)
            bodies.softening[i] = 0.01 * (double)(i % 7);
    }
    return bodies;
}

static void fail_case(const struct test_case *test, const char *engine, const struct cloud_error *e)
{
    char text[200] = "";
    static const char *const names[FACTORS] = {"method",    "precision", "softening", "cloud",
                                               "multipole", "opening",   "curve"};
    for (int f = 0; f < FACTORS; f++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s %d ", names[f],
                 test->level[f]);
    fail_msg("%s, %sn %zu: error %g %g %g, of the potential %g %g", engine, text, test->n,
             e->median, e->p99, e->max, e->potential_p99, e->potential_max);
}

/* Along a line the forces from both sides cancel, and close pairs decide. The worst body has a
 * bound of its own, since no percentile shows a single body that a kernel leaves out. */
static void compare_case(const struct test_case *test, const char *engine,
                         const struct cloud_error *e)
{
    static const double bound[] = {2e-5, 3e-6, 1e-12};
    double limit = bound[test->level[PRECISION]] * (test->level[CLOUD] == LINE ? 10 : 1);
    if (!strcmp(engine, "cpu") && test->level[CLOUD] == OUTLIER && test->level[PRECISION] == 0)
        limit = 0.1; /* its floats are measured from the mean, which one body shifts */
    if (!(e->p99 <= limit && e->potential_p99 <= limit && e->max <= 100 * limit &&
          e->potential_max <= 100 * limit))
        fail_case(test, engine, e);
}

/* A walk does what the same walk of the CPU engine does, and lists do what its group walk does.
 * Only cells at the edge of the opening test may differ, by rounding. The forces are near the exact
 * ones. */
static void compare_walk(const struct test_case *test, const char *engine,
                         const struct cloud_error *same, const struct cloud_error *e)
{
    static const double bound[] = {4e-6, 2e-6, 1e-6};
    const double own = methods[test->level[METHOD]].same;
    const double limit = own > 0 ? own : bound[test->level[PRECISION]];
    /* Where the CPU's walk has a large error for one body, the device's need not have it. */
    int worst = (same->max <= 0.05 && same->potential_max <= 0.01) ||
                (e->max <= 0.05 && e->potential_max <= 0.01);
    if (!(same->median <= limit && worst && e->median < 0.02 && e->potential_median < 0.01))
        fail_case(test, engine, same->median <= limit && worst ? e : same);
}

static void run_case(const struct test_case *wanted, const char *engine)
{
    struct ky_error error = {0};
    struct test_case taken = *wanted, *test = &taken;
    struct ky_parameters p = parameters_of(test, engine);
    p.precision = test->level[PRECISION] = taken_precision(&p);
    struct ky_bodies bodies = bodies_of(test), exact = cloud_make(PLUMMER, test->n);
    const int on_cpu = methods[test->level[METHOD]].on_cpu;
    if (!strcmp(engine, "cpu")) {
        p.force = on_cpu;
        p.tree = KY_TREE_BY_ENGINE;
    }
    softened_sum(&p, &bodies, &exact);
    assert_ok(cloud_forces(&p, &bodies, NULL, NULL, &error));
    struct cloud_error e = cloud_compare(&bodies, &exact);
    if (on_cpu == KY_DIRECT) {
        compare_case(test, engine, &e);
    } else {
        struct ky_bodies same = bodies_of(test);
        p.engine = "cpu";
        p.force = on_cpu;
        p.tree = KY_TREE_BY_ENGINE;
        assert_ok(cloud_forces(&p, &same, NULL, NULL, &error));
        struct cloud_error as = cloud_compare(&bodies, &same);
        compare_walk(test, engine, &as, &e);
        ky_bodies_free(&same);
    }
    ky_bodies_free(&bodies);
    ky_bodies_free(&exact);
}

/* ---- every pair of levels in as few cases as a greedy search finds ---- */

enum { MOST_LEVELS = 8, MOST_CASES = 100 };
static unsigned char covered[FACTORS][MOST_LEVELS][FACTORS][MOST_LEVELS];

static int new_pairs(const struct test_case *test, int mark)
{
    int count = 0;
    for (int a = 0; a < FACTORS; a++)
        for (int b = a + 1; b < FACTORS; b++) {
            unsigned char *seen = &covered[a][test->level[a]][b][test->level[b]];
            count += !*seen;
            if (mark)
                *seen = 1;
        }
    return count;
}

static size_t make_cases(struct test_case cases[MOST_CASES])
{
    static const size_t sizes[] = {63, 64, 65, 1000, 2, 513};
    size_t count = 0, all = 1;
    memset(covered, 0, sizeof covered);
    for (int f = 0; f < FACTORS; f++)
        all *= (size_t)levels[f];
    while (count < MOST_CASES) {
        struct test_case best = {.n = 0};
        int most = 0;
        for (size_t k = 0; k < all; k++) {
            struct test_case test = {.n = sizes[count % 6]};
            size_t rest = (k * 7919 + count) % all;
            for (int f = 0; f < FACTORS; f++) {
                test.level[f] = (int)(rest % (size_t)levels[f]);
                rest /= (size_t)levels[f];
            }
            int fresh = new_pairs(&test, 0);
            if (fresh > most) {
                most = fresh;
                best = test;
            }
        }
        if (most == 0)
            break;
        new_pairs(&best, 1);
        cases[count++] = best;
    }
    return count;
}

static void every_pair_of_options(void **state)
{
    (void)state;
    struct test_case cases[MOST_CASES];
    size_t count = make_cases(cases);
    need_a_device();
    assert_in_range(count, 20, MOST_CASES - 1);
    for (int k = 0; k < engine_count; k++)
        for (size_t c = 0; c < count; c++)
            run_case(&cases[c], engines[k].engine);
}

static void awkward_numbers_of_bodies(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 63, 64, 65, 127, 128, 129, 1000};
    need_a_device();
    for (int k = 0; k < engine_count; k++)
        for (int s = 0; s < 10; s++)
            for (int method = 0; method < METHODS; method++) {
                struct test_case test = {{method, KY_SINGLE, ONE, PLUMMER}, sizes[s]};
                run_case(&test, engines[k].engine);
            }
}

/* Whether a case of the exact sum is taken where `make check` takes a part of them: each precision
 * once, in turn with the other choices. */
static int direct_in_turn(int which)
{
    return which % 13 == 0;
}

static int tree_in_turn(int method, int which)
{
    return which == method % 3 + 3 * (method % 2) + 6 * (method / 2 % 2);
}

static void kernels_of(const char *engine, int all)
{
    static const int softenings[] = {ONE, ZERO, OWN_SYMMETRIC};
    for (int which = 0; which < 3 * 3; which++) {
        int precision = which % 3, softening = softenings[which / 3];
        struct test_case test = {{0, precision, softening, PLUMMER}, KY_DIRECT_LANES + 2};
        if (all || direct_in_turn(which))
            run_case(&test, engine);
    }
    for (int which = 0; which < 3 * 2 * 2 * (METHODS - 1); which++) {
        int method = 1 + which / 12, softening = which / 3 % 2 ? OWN_SYMMETRIC : ONE;
        struct test_case tree = {{method, which % 3, softening, PLUMMER, which / 6 % 2}, .n = 70};
        if ((all || tree_in_turn(method, which % 12)) &&
            (softening == ONE || methods[method].force != KY_LIST))
            run_case(&tree, engine);
    }
    for (int which = 0; which < 3 * 2 * METHODS; which++) {
        int method = which / 6;
        struct test_case test = {{method, which % 3, OWN_SPLINE, PLUMMER, which / 3 % 2},
                                 .n = method ? 70 : KY_DIRECT_LANES + 2};
        if (all || which % 13 == 0)
            run_case(&test, engine);
    }
}

/* For GPUs, and for tools under which a kernel takes long (oclgrind.sh). On a device that is a CPU
 * some kernels that no other test needs take a minute to compile; there this test runs only when it
 * is asked for by its name, or in make check-all. */
static void every_kernel_in_small(void **state)
{
    (void)state;
    int done = 0;
    need_a_device();
    for (int k = 0; k < engine_count; k++)
        if (!is_cpu_engine(k) && (!is_slow(k) || test_everything() || getenv("KYOHO_TEST_ONLY"))) {
            kernels_of(engines[k].engine, !is_slow(k) || test_everything());
            done++;
        }
    if (!done) {
        printf("# skipped on processors: oclgrind.sh and make check-all run every kernel\n");
        skip();
    }
}

/* ---- motion and sums against the CPU engine ---- */

static void steps_of(const char *engine, struct ky_bodies *bodies, int precision,
                     struct ky_sums *sums)
{
    struct ky_error error = {0};
    struct ky_parameters given = cloud_parameters(), p;
    struct ky_engine *opened;
    given.engine = engine;
    given.force = KY_DIRECT;
    given.precision = precision;
    given.softening = 0.05;
    given.g = 3;
    assert_ok(ky_force_resolve(&given, &p, &error));
    assert_ok(ky_engine_open(&p, bodies->n, &opened, &error));
    assert_ok(ky_engine_put(opened, bodies, &error));
    assert_ok(ky_engine_forces(opened, &error));
    for (int step = 0; step < 5; step++) {
        assert_ok(ky_engine_kick(opened, 0.005, &error));
        assert_ok(ky_engine_drift(opened, 0.01, &error));
        assert_ok(ky_engine_forces(opened, &error));
        assert_ok(ky_engine_kick(opened, 0.005, &error));
    }
    assert_ok(ky_engine_sums(opened, sums, &error));
    assert_ok(ky_engine_get(opened, bodies, &error));
    ky_engine_close(opened);
}

static double farthest(const struct ky_bodies *a, const struct ky_bodies *b)
{
    double most = 0;
    for (size_t i = 0; i < a->n; i++)
        for (int c = 0; c < 3; c++) {
            most = fmax(most, fabs(a->position[i][c] - b->position[i][c]));
            most = fmax(most, fabs(a->velocity[i][c] - b->velocity[i][c]));
        }
    return most;
}

static void compare_motion(const char *engine, int precision, double bound)
{
    enum { N = 5000 };
    struct ky_bodies here = cloud_make(PLUMMER, N), there = cloud_make(PLUMMER, N);
    struct ky_sums mine = {0}, reference = {0};
    steps_of("cpu", &here, KY_DOUBLE, &reference);
    steps_of(engine, &there, precision, &mine);
    assert_between(farthest(&here, &there), 0, bound);
    assert_between(mine.mass / reference.mass, 1 - 1e-12, 1 + 1e-12);
    assert_between(mine.kinetic / reference.kinetic, 1 - bound, 1 + bound);
    assert_between(mine.potential / reference.potential, 1 - bound, 1 + bound);
    assert_between(mine.virial / reference.virial, 1 - bound, 1 + bound);
    for (int c = 0; c < 3; c++) {
        assert_between(mine.centre[c] - reference.centre[c], -bound, bound);
        assert_between(mine.momentum[c] - reference.momentum[c], -bound, bound);
        assert_between(mine.angular_momentum[c] - reference.angular_momentum[c], -bound, bound);
    }
    ky_bodies_free(&here);
    ky_bodies_free(&there);
}

static void a_device_is_named_once(void **state)
{
    (void)state;
    char name[40];
    need_a_device();
    for (int k = 0; k < engine_count; k++) {
        struct ky_error error = {0};
        struct ky_parameters p = cloud_parameters();
        struct ky_bodies none = {0};
        if (is_cpu_engine(k))
            continue;
        snprintf(name, sizeof name, "%.15s,%s", engines[k].engine,
                 strchr(engines[k].engine, ':') + 1);
        p.engine = name;
        p.force = KY_DIRECT;
        ky_device_twice = 0;
        assert_int_equal(cloud_forces(&p, &none, NULL, NULL, &error), KY_USAGE);
        assert_non_null(strstr(error.text, "is named twice"));
    }
}

static void step(struct ky_engine *engine, int steps)
{
    struct ky_error error = {0};
    for (int k = 0; k < steps; k++) {
        assert_ok(ky_engine_kick(engine, 1e-5, &error));
        assert_ok(ky_engine_drift(engine, 2e-5, &error));
        assert_ok(ky_engine_forces(engine, &error));
        assert_ok(ky_engine_kick(engine, 1e-5, &error));
    }
}

/* As in a restart, the bodies and their accelerations go from one engine to another. G is not a
 * power of two, and the opening test `relative` reads the accelerations. */
static void resumed_to_the_last_bit(void **state)
{
    (void)state;
    enum { N = 400 };
    need_a_device();
    for (int k = 0; k < engine_count; k++)
        for (int f = 0; f < METHODS; f++) {
            struct ky_error error = {0};
            struct ky_parameters given = cloud_parameters(), p;
            struct ky_bodies a = cloud_make(PLUMMER, N), b = cloud_make(PLUMMER, N);
            struct ky_engine *first, *second;
            given.engine = engines[k].engine;
            given.force = is_cpu_engine(k) ? methods[f].on_cpu : methods[f].force;
            given.tree = is_cpu_engine(k) ? KY_TREE_BY_ENGINE : methods[f].tree;
            given.opening = KY_RELATIVE;
            given.softening = 0.02;
            given.g = 43009.1727;
            assert_ok(ky_force_resolve(&given, &p, &error));
            assert_ok(ky_engine_open(&p, N, &first, &error));
            assert_ok(ky_engine_open(&p, N, &second, &error));
            assert_ok(ky_engine_put(first, &a, &error));
            assert_ok(ky_engine_forces(first, &error));
            step(first, 3);
            assert_ok(ky_engine_get(first, &b, &error));
            assert_ok(ky_engine_put(second, &b, &error));
            step(first, 3);
            step(second, 3);
            assert_ok(ky_engine_get(first, &a, &error));
            assert_ok(ky_engine_get(second, &b, &error));
            assert_memory_equal(a.position, b.position, N * sizeof *a.position);
            assert_memory_equal(a.velocity, b.velocity, N * sizeof *a.velocity);
            assert_memory_equal(a.acceleration, b.acceleration, N * sizeof *a.acceleration);
            assert_memory_equal(a.potential, b.potential, N * sizeof *a.potential);
            ky_engine_close(first);
            ky_engine_close(second);
            ky_bodies_free(&a);
            ky_bodies_free(&b);
        }
}

/* In a long series some evaluations are measured. The report of another one has no seconds, rather
 * than those of an earlier evaluation. The evaluation after a report is measured. */
static void reports_have_their_own_seconds(void **state)
{
    (void)state;
    need_a_device();
    for (int k = 0; k < engine_count; k++) {
        struct ky_error error = {0};
        struct ky_parameters given = cloud_parameters(), p;
        struct ky_bodies bodies = cloud_make(CUBE, 64);
        struct ky_engine *engine;
        struct ky_force_report report = {0};
        given.engine = engines[k].engine;
        given.force = KY_DIRECT;
        assert_ok(ky_force_resolve(&given, &p, &error));
        assert_ok(ky_engine_open(&p, 64, &engine, &error));
        assert_ok(ky_engine_put(engine, &bodies, &error));
        for (int e = 1; e <= 20; e++)
            assert_ok(ky_engine_forces(engine, &error));
        ky_engine_report(engine, &report);
        assert_true(is_cpu_engine(k) ? report.walk > 0 : isnan(report.walk) && isnan(report.total));
        assert_ok(ky_engine_forces(engine, &error));
        ky_engine_report(engine, &report);
        assert_true(report.walk > 0 && report.total > 0);
        ky_engine_close(engine);
        ky_bodies_free(&bodies);
    }
}

static void motion_and_sums(void **state)
{
    (void)state;
    need_a_device();
    for (int k = 0; k < engine_count; k++)
        if (!is_cpu_engine(k)) {
            compare_motion(engines[k].engine, KY_SINGLE, 1e-5);
            compare_motion(engines[k].engine, KY_DOUBLE, 1e-11);
        }
}

/* The forces in a field are those of the CPU for 99 % of the bodies. */
static void compare_field(const char *engine, double within)
{
    struct ky_error error = {0};
    struct ky_parameters p = cloud_parameters();
    struct ky_bodies here = cloud_make(PLUMMER, 1000), there = cloud_make(PLUMMER, 1000);
    p.force = KY_DIRECT;
    p.softening = 0.01;
    p.field = "plummer:mass=3,scale=0.7 point:mass=100,x=10";
    p.precision = KY_DOUBLE;
    assert_ok(cloud_forces(&p, &there, NULL, NULL, &error));
    p.engine = engine;
    p.precision = KY_EXTENDED;
    assert_ok(cloud_forces(&p, &here, NULL, NULL, &error));
    assert_between(cloud_compare(&here, &there).p99, 0, within);
    ky_bodies_free(&here);
    ky_bodies_free(&there);
}

/* Devices without double keep the state in pairs of floats. */
static void without_double(void **state)
{
    (void)state;
#ifdef KY_HAVE_OPENCL
    struct ky_error error = {0};
    struct ky_device device = {0};
    if (ky_opencl_driver.list(0, &device) != KY_OK || !device.usable)
        skip();
    ky_opencl_hide_double = 1;
    if (test_everything())
        compare_motion("opencl", KY_SINGLE, 1e-5);
    compare_motion("opencl", KY_EXTENDED, 2e-6);
    compare_field("opencl", 1e-6);
    struct ky_parameters p = cloud_parameters();
    struct ky_bodies bodies = cloud_make(PLUMMER, 10);
    p.engine = "opencl";
    p.force = KY_DIRECT;
    p.precision = KY_DOUBLE;
    assert_int_equal(cloud_forces(&p, &bodies, NULL, NULL, &error), KY_UNSUPPORTED);
    assert_non_null(strstr(error.text, "no double"));
    struct ky_engine *engine;
    p.precision = KY_EXTENDED;
    assert_ok(ky_force_resolve(&p, &p, &error));
    assert_int_equal(
        ky_engine_open_for(&p, 10,
                           &(struct ky_engine_use){.n = 10, .schemes = 1U << KY_SCHEME_HERMITE},
                           &engine, &error),
        KY_UNSUPPORTED);
    assert_non_null(strstr(error.text, "no double, which Hermite steps need"));
    ky_bodies_free(&bodies);
    ky_opencl_hide_double = 0;
#else
    skip();
#endif
}

/* Bodies that are put into an engine come back with the same bits, whatever is done to
 * accelerations. */
static void bodies_come_back_as_they_went(void **state)
{
    (void)state;
    enum { N = 1001 };
    struct ky_error error = {0};
    need_a_device();
    for (int k = 0; k < engine_count; k++) {
        struct ky_parameters given = cloud_parameters(), p;
        struct ky_engine *engine;
        struct ky_bodies bodies = cloud_make(OUTLIER, N), same = cloud_make(OUTLIER, N);
        given.engine = engines[k].engine;
        given.force = KY_DIRECT;
        assert_ok(ky_force_resolve(&given, &p, &error));
        assert_ok(ky_engine_open(&p, N, &engine, &error));
        assert_ok(ky_engine_put(engine, &bodies, &error));
        assert_ok(ky_engine_forces(engine, &error));
        assert_ok(ky_engine_get(engine, &bodies, &error));
        ky_engine_close(engine);
        assert_memory_equal(bodies.position, same.position, N * sizeof *bodies.position);
        assert_memory_equal(bodies.velocity, same.velocity, N * sizeof *bodies.velocity);
        assert_memory_equal(bodies.mass, same.mass, N * sizeof *bodies.mass);
        ky_bodies_free(&bodies);
        ky_bodies_free(&same);
    }
}

/* ---- memory ---- */

/* Each allocation of the method fails once. No failure leaves anything behind. */
static void memory_that_runs_out_for(int method)
{
    struct ky_error error = {0};
    for (int k = 0; k < engine_count; k++) {
        if (is_cpu_engine(k))
            continue;
        struct ky_parameters p = cloud_parameters();
        struct ky_bodies bodies = cloud_make(PLUMMER, 300);
        int failed = 0, before = guard.buffers;
        p.engine = engines[k].engine;
        p.force = methods[method].force;
        p.tree = methods[method].tree;
        for (int number = 0;; number++) {
            guard.fail = number;
            enum ky_status status = cloud_forces(&p, &bodies, NULL, NULL, &error);
            int reached = guard.fail < 0;
            guard.fail = -1;
            if (!reached) {
                assert_int_equal(status, KY_OK);
                break;
            }
            failed++;
            assert_int_equal(status, KY_DEVICE);
            assert_non_null(strstr(error.text, "no memory for"));
            assert_non_null(strstr(error.text, "bytes"));
            assert_int_equal(guard.buffers, before);
        }
        assert_in_range(failed, 6, 40);
        assert_int_equal(guard.buffers, before);
        ky_bodies_free(&bodies);
    }
}

static void memory_that_runs_out(void **state)
{
    (void)state;
    need_a_device();
    guard_begin(0);
    for (int method = 0; method < METHODS; method++)
        memory_that_runs_out_for(method);
    guard_end();
}

/* Exact sums for some bodies read the state in its place, without a copy of all bodies. */
static void exact_sums_copy_nothing(void **state)
{
    (void)state;
    enum { N = 20000, SOME = 3 };
    struct ky_error error = {0};
    size_t sinks[SOME] = {0, N / 2, N - 1};
    double a[SOME][3], potential[SOME];
    need_a_device();
    guard_begin(0);
    for (int k = 0; k < engine_count; k++) {
        struct ky_parameters given = cloud_parameters(), parameters;
        struct ky_bodies bodies = cloud_make(PLUMMER, N);
        struct ky_engine *engine;
        given.engine = engines[k].engine;
        given.force = KY_WALK;
        assert_ok(ky_force_resolve(&given, &parameters, &error));
        if (is_cpu_engine(k) || ky_engine_open(&parameters, N, &engine, &error) != KY_OK) {
            ky_bodies_free(&bodies);
            continue;
        }
        assert_ok(ky_engine_put(engine, &bodies, &error));
        guard.largest = 0;
        enum ky_status status = ky_engine_exact(engine, sinks, SOME, a, potential, &error);
        assert_true(status == KY_OK || status == KY_UNSUPPORTED);
        assert_true(guard.largest < N * sizeof(double));
        ky_engine_close(engine);
        ky_bodies_free(&bodies);
    }
    guard_end();
}

static void nothing_is_written_around_buffers(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 63, 129, 1000};
    need_a_device();
    guard_begin(1);
    for (int k = 0; k < engine_count; k++)
        for (int s = 0; s < 4 && !is_cpu_engine(k); s++)
            for (int method = 0; method < METHODS; method++) {
                struct test_case test = {{method, s % 3, OWN_SYMMETRIC, PLUMMER}, sizes[s]};
                run_case(&test, engines[k].engine);
            }
    guard_end();
    assert_int_equal(guard.overruns, 0);
    assert_int_equal(guard.changes, 0);
}

/* A tree that the force cannot use is refused, and any choice of a tree on the CPU. */
static void trees_that_a_force_cannot_use_are_refused(void **state)
{
    (void)state;
    static const struct {
        int force, tree;
        const char *text;
    } wrong[] = {{KY_TREE, KY_TREE_OF_HOST, "--tree host is for --force walk and list"},
                 {KY_FMM, KY_TREE_OF_HOST, "--tree host is for --force walk and list"},
                 {KY_LIST, KY_TREE_OF_DEVICE, "--tree device is for --force walk, tree and fmm"}},
      on_cpu[] = {{KY_TREE, KY_TREE_OF_HOST, "--tree is for devices"},
                  {KY_WALK, KY_TREE_OF_HOST, "--tree is for devices"},
                  {KY_TREE, KY_TREE_OF_DEVICE, "--tree is for devices"}};
    struct ky_bodies bodies = cloud_make(PLUMMER, 10);
    need_a_device();
    for (int k = 0; k < engine_count; k++)
        for (int w = 0; w < 3; w++) {
            struct ky_error error = {0};
            struct ky_parameters p = cloud_parameters();
            p.engine = engines[k].engine;
            p.force = is_cpu_engine(k) ? on_cpu[w].force : wrong[w].force;
            p.tree = is_cpu_engine(k) ? on_cpu[w].tree : wrong[w].tree;
            assert_int_equal(cloud_forces(&p, &bodies, NULL, NULL, &error), KY_UNSUPPORTED);
            assert_non_null(strstr(error.text, is_cpu_engine(k) ? on_cpu[w].text : wrong[w].text));
        }
    ky_bodies_free(&bodies);
}

/* A walk finds as many pairs in the host's tree as in the device's, for all bodies and for some. */
static void both_trees_in_large(void **state)
{
    (void)state;
    enum { N = 100003, SOME = 5000 };
    static uint32_t some[SOME];
    need_a_device();
    for (uint32_t k = 0; k < SOME; k++)
        some[k] = 20 * k + k % 7;
    const struct ky_active active = {SOME, some};
    for (int k = 0; k < engine_count; k++) {
        struct ky_bodies bodies = cloud_make(PLUMMER, N), of[2];
        struct ky_force_report report[2][2] = {{{0}}};
        for (int t = 0; t < 2 && !is_cpu_engine(k); t++) {
            struct ky_error error = {0};
            struct ky_parameters given = cloud_parameters(), p;
            struct ky_engine *engine;
            given.engine = engines[k].engine;
            given.force = KY_WALK;
            given.tree = t ? KY_TREE_OF_DEVICE : KY_TREE_OF_HOST;
            given.curve = k % 2 ? KY_MORTON : KY_HILBERT;
            given.softening = 0.01;
            given.theta = 1.2;
            assert_ok(ky_force_resolve(&given, &p, &error));
            assert_ok(ky_engine_open(&p, N, &engine, &error));
            assert_ok(ky_engine_put(engine, &bodies, &error));
            assert_ok(ky_engine_forces(engine, &error));
            ky_engine_report(engine, &report[t][0]);
            of[t] = cloud_make(PLUMMER, N);
            assert_ok(ky_engine_get(engine, &of[t], &error));
            assert_ok(ky_engine_forces_of(engine, &active, &error));
            ky_engine_report(engine, &report[t][1]);
            ky_engine_close(engine);
        }
        if (!is_cpu_engine(k)) {
            struct cloud_error e = cloud_compare(&of[1], &of[0]);
            assert_between(e.median, 0, 1e-6);
            assert_between(e.p99, 0, 1e-4);
            for (int a = 0; a < 2; a++) {
                assert_between(report[1][a].cell_interactions / report[0][a].cell_interactions,
                               0.999, 1.001);
                assert_between(report[1][a].body_interactions / report[0][a].body_interactions,
                               0.999, 1.001);
            }
            assert_true(report[1][1].upload == report[1][0].upload);
            ky_bodies_free(&of[0]);
            ky_bodies_free(&of[1]);
        }
        ky_bodies_free(&bodies);
    }
}

/* Small groups need more memory on a device than the bodies do. Forces are as exact as with
 * others. */
static void groups_of_any_size(void **state)
{
    (void)state;
    enum { N = 5000 };
    static const int sizes[] = {1, 8, 16};
    struct ky_bodies bodies = cloud_make(PLUMMER, N), cpu = cloud_make(PLUMMER, N);
    struct ky_error error = {0};
    need_a_device();
    for (int k = 0; k < 3 * engine_count; k++) {
        struct ky_parameters p = cloud_parameters();
        if (is_cpu_engine(k / 3))
            continue;
        p.force = KY_TREE;
        p.theta = 1;
        p.softening = 0.01;
        p.group = sizes[k % 3];
        assert_ok(cloud_forces(&p, &cpu, NULL, NULL, &error));
        p.engine = engines[k / 3].engine;
        assert_ok(cloud_forces(&p, &bodies, NULL, NULL, &error));
        struct cloud_error e = cloud_compare(&bodies, &cpu);
        assert_between(e.median, 0, 5e-3);
        assert_between(e.max, 0, 0.3);
    }
    ky_bodies_free(&bodies);
    ky_bodies_free(&cpu);
}

/* With many batches of lists in one evaluation, forces are those of the CPU's group walk, as in
 * compare_walk. No batch is overwritten while it is still being sent. */
static void batches_of_lists_take_turns(void **state)
{
    (void)state;
    enum { N = 20000 };
    struct ky_error error = {0};
    struct ky_parameters p = cloud_parameters();
    struct ky_bodies bodies = cloud_make(PLUMMER, N), cpu = cloud_make(PLUMMER, N);
    need_a_device();
    p.theta = 1;
    p.group = 4; /* more than 5,000 groups */
    p.softening = 0.01;
    p.opening = KY_OFFSET;
    p.cell = KY_EDGE;
    p.force = KY_TREE;
    assert_ok(cloud_forces(&p, &cpu, NULL, NULL, &error));
    p.force = KY_LIST;
    guard_begin(0);
    for (int k = 0; k < engine_count; k++) {
        if (is_cpu_engine(k))
            continue;
        p.engine = engines[k].engine;
        assert_ok(cloud_forces(&p, &bodies, NULL, NULL, &error));
        struct cloud_error e = cloud_compare(&bodies, &cpu);
        assert_between(e.median, 0, 1e-4);
        assert_between(e.max, 0, 0.05);
        assert_int_equal(guard.changes, 0);
    }
    guard_end();
    ky_bodies_free(&bodies);
    ky_bodies_free(&cpu);
}

/* ---- several at once ---- */

struct job {
    const char *engine;
    int force;
    size_t n;
    struct ky_bodies bodies;
    enum ky_status status;
};

static void *do_job(void *argument)
{
    struct job *job = argument;
    struct ky_parameters p = cloud_parameters();
    p.engine = job->engine;
    p.force = job->force;
    job->status = KY_OK;
    for (int k = 0; k < 5 && job->status == KY_OK; k++)
        job->status = cloud_forces(&p, &job->bodies, NULL, NULL, NULL);
    return NULL;
}

static void two_simulations_at_once(void **state)
{
    (void)state;
    need_a_device();
    for (int which = 0; which < METHODS * engine_count; which++) {
        int k = which / METHODS;
        struct job jobs[4];
        pthread_t threads[2];
        if (is_cpu_engine(k))
            continue;
        for (int j = 0; j < 4; j++) {
            jobs[j] = (struct job){.engine = engines[k].engine,
                                   .force = methods[which % METHODS].force,
                                   .n = 700 + 300 * (size_t)(j % 2)};
            jobs[j].bodies = cloud_make(PLUMMER, jobs[j].n);
        }
        for (int j = 0; j < 2; j++)
            do_job(&jobs[2 + j]);
        for (int j = 0; j < 2; j++)
            pthread_create(&threads[j], NULL, do_job, &jobs[j]);
        for (int j = 0; j < 2; j++)
            pthread_join(threads[j], NULL);
        for (int j = 0; j < 2; j++) {
            assert_int_equal(jobs[j].status, KY_OK);
            assert_memory_equal(jobs[j].bodies.acceleration, jobs[2 + j].bodies.acceleration,
                                jobs[j].n * sizeof *jobs[j].bodies.acceleration);
        }
        for (int j = 0; j < 4; j++)
            ky_bodies_free(&jobs[j].bodies);
    }
}

/* ---- names ---- */

static void names_of_engines(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum ky_status status;
    } wrong[] = {
        {"opencl:", KY_USAGE},   {"opencl:x", KY_USAGE},          {"opencl:0,", KY_USAGE},
        {"opencl:-1", KY_USAGE}, {"opencl:1000", KY_UNSUPPORTED}, {"cuda:1000", KY_UNSUPPORTED},
        {"openclx", KY_USAGE},   {"quantum", KY_USAGE},
    };
    struct ky_error error = {0};
    struct ky_bodies none = {0};
    struct ky_parameters p = cloud_parameters();
    p.force = KY_DIRECT;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        p.engine = wrong[k].name;
        enum ky_status status = cloud_forces(&p, &none, NULL, NULL, &error);
        if (status != KY_UNSUPPORTED) /* this error comes first */
            assert_int_equal(status, wrong[k].status);
    }
    p.engine = "auto";
    assert_ok(cloud_forces(&p, &none, NULL, NULL, &error));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_of_options),
        cmocka_unit_test(awkward_numbers_of_bodies),
        cmocka_unit_test(every_kernel_in_small),
        cmocka_unit_test(a_device_is_named_once),
        cmocka_unit_test(resumed_to_the_last_bit),
        cmocka_unit_test(reports_have_their_own_seconds),
        cmocka_unit_test(motion_and_sums),
        cmocka_unit_test(without_double),
        cmocka_unit_test(bodies_come_back_as_they_went),
        cmocka_unit_test(memory_that_runs_out),
        cmocka_unit_test(exact_sums_copy_nothing),
        cmocka_unit_test(nothing_is_written_around_buffers),
        cmocka_unit_test(trees_that_a_force_cannot_use_are_refused),
        cmocka_unit_test(both_trees_in_large),
        cmocka_unit_test(groups_of_any_size),
        cmocka_unit_test(batches_of_lists_take_turns),
        cmocka_unit_test(two_simulations_at_once),
        cmocka_unit_test(names_of_engines),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}

#else

MAIN_THAT_SKIPS(every_engine, "no driver of devices is in this build")

#endif
