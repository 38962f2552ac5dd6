/* The tree that a device makes, as an engine uses it. Forces do not depend on where the bodies lay
 * before, on calls between two evaluations, or on memory that ran out. Memory does not grow. */
#include "test.h"

#include "base/drivers.h"

#if KY_DRIVERS_COUNT

#include "device_trees.h"
#include "engine/force_options.h"
#include "guard.h"

/* ---- an engine with bodies ---- */

struct use {
    struct ky_parameters p;
    struct ky_engine *engine;
    struct ky_bodies bodies;
};

static struct use *use_of(int k, int force, int kind, size_t n)
{
    struct ky_error error = {0};
    struct use *use = calloc(1, sizeof *use);
    struct ky_parameters given = cloud_parameters();
    given.engine = engines[k].engine;
    given.force = force;
    given.softening = 0.02;
    given.g = 43009.1727;
    given.leaf = 4;
    use->bodies = tree_bodies(kind, n);
    for (size_t i = 0; kind == POINT && i < n; i += 3) /* so that the system has a size */
        use->bodies.position[i][0] += 1e-3 * (double)i;
    assert_ok(ky_force_resolve(&given, &use->p, &error));
    assert_ok(ky_engine_open(&use->p, n, &use->engine, &error));
    assert_ok(ky_engine_put(use->engine, &use->bodies, &error));
    return use;
}

static void end_use(struct use *use)
{
    ky_engine_close(use->engine);
    ky_bodies_free(&use->bodies);
    free(use);
}

static void step(struct use *use, int steps)
{
    struct ky_error error = {0};
    for (int s = 0; s < steps; s++) {
        assert_ok(ky_engine_kick(use->engine, 1e-5, &error));
        assert_ok(ky_engine_drift(use->engine, 2e-5, &error));
        assert_ok(ky_engine_forces(use->engine, &error));
        assert_ok(ky_engine_kick(use->engine, 1e-5, &error));
    }
}

static void assert_same(struct use *a, struct use *b)
{
    struct ky_error error = {0};
    const size_t n = a->bodies.n;
    assert_ok(ky_engine_get(a->engine, &a->bodies, &error));
    assert_ok(ky_engine_get(b->engine, &b->bodies, &error));
    assert_memory_equal(a->bodies.position, b->bodies.position, n * sizeof *a->bodies.position);
    assert_memory_equal(a->bodies.velocity, b->bodies.velocity, n * sizeof *a->bodies.velocity);
    assert_memory_equal(a->bodies.acceleration, b->bodies.acceleration,
                        n * sizeof *a->bodies.acceleration);
    assert_memory_equal(a->bodies.potential, b->bodies.potential, n * sizeof(double));
    assert_memory_equal(a->bodies.mass, b->bodies.mass, n * sizeof(double));
}

/* ---- history ---- */

/* Moves the bodies away and back. Twins, bodies at one place, and escapers at the edge of the keys'
 * cube then have the same keys as before, but lie in another order. */
static void go_and_return(struct use *use)
{
    struct ky_error error = {0};
    static const double way[] = {0.5, -1, 0.5};
    for (int turn = 0; turn < 3; turn++) {
        assert_ok(ky_engine_forces(use->engine, &error));
        assert_ok(ky_engine_drift(use->engine, way[turn], &error));
    }
}

/* Bodies that lie along an older curve get the forces of the same bodies put anew. Many bodies at
 * one place have equal keys, which are ordered in a way of their own. */
static void history_leaves_no_trace(void **state)
{
    (void)state;
    enum { N = 1203 };
    assert_true(N > KY_LONG_TIE);
    struct ky_error error = {0};
    need_a_device();
    for (int which = 0; which < engine_count * KINDS; which++) {
        const int k = which / KINDS, kind = which % KINDS;
        if (is_cpu_engine(k))
            continue;
        struct use *old = use_of(k, KY_TREE, kind, N), *fresh = use_of(k, KY_TREE, kind, N);
        go_and_return(old);
        go_and_return(fresh);
        assert_ok(ky_engine_get(fresh->engine, &fresh->bodies, &error));
        assert_ok(ky_engine_put(fresh->engine, &fresh->bodies, &error));
        assert_ok(ky_engine_forces(old->engine, &error));
        assert_ok(ky_engine_forces(fresh->engine, &error));
        step(old, 2);
        step(fresh, 2);
        assert_same(old, fresh);
        end_use(old);
        end_use(fresh);
    }
}

/* ---- what may be asked between two evaluations ---- */

enum { ASKED = 700 };
typedef void question(struct use *use, double *answer); /* at most 4 numbers for each body */

static void ask_get(struct use *use, double *answer)
{
    struct ky_error error = {0};
    assert_ok(ky_engine_get(use->engine, &use->bodies, &error));
    memcpy(answer, use->bodies.position, ASKED * sizeof *use->bodies.position);
    memcpy(answer + 3 * ASKED, use->bodies.mass, ASKED * sizeof(double));
}

static void ask_columns(struct use *use, double *answer)
{
    struct ky_error error = {0};
    double *numbers = malloc(3 * ASKED * sizeof *numbers);
    for (int i = 0; i < 3 * ASKED; i++)
        numbers[i] = i;
    assert_ok(ky_engine_columns(use->engine, 1U << KY_COLUMN_STEP | 1U << KY_COLUMN_JERK, &error));
    assert_ok(ky_engine_put_column(use->engine, KY_COLUMN_JERK, numbers, &error));
    assert_ok(ky_engine_forces(use->engine, &error));
    assert_ok(ky_engine_put_column(use->engine, KY_COLUMN_STEP, numbers, &error));
    assert_ok(ky_engine_forces(use->engine, &error));
    assert_ok(ky_engine_get_column(use->engine, KY_COLUMN_JERK, answer, &error));
    assert_ok(ky_engine_get_column(use->engine, KY_COLUMN_STEP, answer + 3 * ASKED, &error));
    free(numbers);
}

static void ask_exact(struct use *use, double *answer)
{
    struct ky_error error = {0};
    size_t sinks[ASKED];
    for (size_t i = 0; i < ASKED; i++)
        sinks[i] = ASKED - 1 - i;
    assert_ok(ky_engine_exact(use->engine, sinks, ASKED, (double(*)[3])(void *)answer,
                              answer + 3 * ASKED, &error));
}

/* The field at a point on every body, of all bodies. */
static void ask_field(struct use *use, double *answer)
{
    struct ky_error error = {0};
    struct ky_bodies same = tree_bodies(PLUMMER, ASKED);
    const struct ky_points points = {.count = ASKED,
                                     .position = (const double(*)[3])same.position,
                                     .softening = use->p.softening};
    assert_ok(ky_engine_field(use->engine, &points, (double(*)[3])(void *)answer,
                              answer + 3 * ASKED, &error));
    ky_bodies_free(&same);
}

static void ask_walk(struct use *use, double *answer)
{
    struct ky_error error = {0};
    const double radius = 0.3;
    const struct ky_walk_request request = {
        .action = KY_ACTION_count, .n = ASKED, .radius = &radius, .radii = 1, .results = answer};
    assert_ok(ky_engine_walk(use->engine, &request, &error));
}

/* Forces of some bodies alone; the others have to keep theirs. */
static void ask_active(struct use *use, double *answer)
{
    struct ky_error error = {0};
    uint32_t some[ASKED];
    const struct ky_active active = {ASKED / 3, some};
    for (uint32_t i = 0; i < ASKED / 3; i++)
        some[i] = 3 * i + 1;
    assert_ok(ky_engine_forces_of(use->engine, &active, &error));
    assert_ok(ky_engine_get(use->engine, &use->bodies, &error));
    memcpy(answer, use->bodies.acceleration, 3 * ASKED * sizeof *answer);
    memcpy(answer + 3 * ASKED, use->bodies.potential, ASKED * sizeof *answer);
}

static void ask_sums(struct use *use, double *answer)
{
    struct ky_error error = {0};
    struct ky_sums sums = {0};
    assert_ok(ky_engine_sums(use->engine, &sums, &error));
    memcpy(answer, sums.centre, sizeof sums.centre);
    answer[3] = sums.kinetic;
    answer[4] = sums.potential;
}

static void ask_in_fields(struct use *use, double *answer)
{
    struct ky_error error = {0};
    const struct ky_external sphere = {
        .kind = KY_EXTERNAL_POINT, .centre = {1, 0, 0}, .number = {1, 1}};
    assert_ok(ky_engine_set_fields(use->engine, &sphere, 1, &error));
    ask_active(use, answer);
    assert_ok(ky_engine_set_fields(use->engine, NULL, 0, &error));
}

/* Each question has the answer that it has with the exact sum, which leaves the bodies in the
 * caller's order, to within the tree's error. Afterwards the forces have the same bits. */
static void questions_are_answered_in_the_callers_order(void **state)
{
    (void)state;
    static const struct {
        question *ask;
        double error;
    } all[] = {{ask_get, 0},  {ask_columns, 0},   {ask_exact, 0},   {ask_field, 0.03},
               {ask_walk, 0}, {ask_active, 0.03}, {ask_sums, 1e-3}, {ask_in_fields, 0.03}};
    static double answer[2][4 * ASKED];
    need_a_device();
    for (int which = 0; which < engine_count * 8; which++) {
        const int k = which / 8, q = which % 8;
        struct ky_error error = {0};
        if (is_cpu_engine(k))
            continue;
        struct use *tree = use_of(k, KY_TREE, PLUMMER, ASKED),
                   *direct = use_of(k, KY_DIRECT, PLUMMER, ASKED),
                   *quiet = use_of(k, KY_TREE, PLUMMER, ASKED);
        memset(answer, 0, sizeof answer);
        assert_ok(ky_engine_forces(tree->engine, &error));
        assert_ok(ky_engine_forces(direct->engine, &error));
        assert_ok(ky_engine_forces(quiet->engine, &error));
        all[q].ask(tree, answer[0]);
        all[q].ask(direct, answer[1]);
        for (int i = 0; i < 4 * ASKED; i++) {
            double size = i < 3 * ASKED
                              ? fabs(answer[1][i / 3 * 3]) + fabs(answer[1][i / 3 * 3 + 1]) +
                                    fabs(answer[1][i / 3 * 3 + 2])
                              : fabs(answer[1][i]);
            if (!(fabs(answer[0][i] - answer[1][i]) <= all[q].error * size))
                fail_msg("question %d, number %d: %g, not %g", q, i, answer[0][i], answer[1][i]);
        }
        if (all[q].ask == ask_in_fields) { /* the fields stay in the accelerations */
            end_use(quiet);
            quiet = use_of(k, KY_TREE, PLUMMER, ASKED);
            assert_ok(ky_engine_get(tree->engine, &quiet->bodies, &error));
            assert_ok(ky_engine_put(quiet->engine, &quiet->bodies, &error));
        }
        if (all[q].ask == ask_columns) { /* this question evaluates twice */
            assert_ok(ky_engine_forces(quiet->engine, &error));
            assert_ok(ky_engine_forces(quiet->engine, &error));
        } else if (all[q].ask == ask_active) {
            ask_active(quiet, answer[1]);
        }
        step(tree, 1);
        step(quiet, 1);
        assert_same(tree, quiet);
        end_use(tree);
        end_use(direct);
        end_use(quiet);
    }
}

/* ---- memory ---- */

/* Every allocation of an evaluation fails once. The error names the buffer, and the next evaluation
 * works. */
static void evaluations_after_memory_ran_out(void **state)
{
    (void)state;
    enum { N = 600 };
    need_a_device();
    guard_begin(0);
    for (int k = 0; k < engine_count; k++) {
        if (is_cpu_engine(k))
            continue;
        struct use *good = use_of(k, KY_TREE, PLUMMER, N);
        struct ky_error error = {0};
        assert_ok(ky_engine_forces(good->engine, &error));
        step(good, 1);
        int reached = 1, failed = 0;
        for (; reached; failed++) {
            struct use *use = use_of(k, KY_TREE, PLUMMER, N);
            guard.fail = failed;
            enum ky_status status = ky_engine_forces(use->engine, &error);
            reached = guard.fail < 0;
            guard.fail = -1;
            assert_int_equal(status, reached ? KY_DEVICE : KY_OK);
            assert_true(!reached || strstr(error.text, "no memory for "));
            if (reached) { /* the bodies can still be read */
                assert_ok(ky_engine_get(use->engine, &use->bodies, &error));
                assert_ok(ky_engine_put(use->engine, &use->bodies, &error));
                assert_ok(ky_engine_forces(use->engine, &error));
            }
            step(use, 1);
            assert_same(good, use);
            end_use(use);
        }
        assert_in_range(failed, 15, 40);
        end_use(good);
    }
    assert_int_equal(guard.buffers, 0);
    assert_int_equal(guard.bytes, 0);
    guard_end();
}

static void rebuilds_take_no_more_memory(void **state)
{
    (void)state;
    enum { N = 500, FIRST = 20 };
    const char *many = getenv("KYOHO_TEST_REBUILDS");
    struct ky_error error = {0};
    need_a_device();
    guard_begin(0);
    for (int k = 0; k < engine_count; k++) {
        if (is_cpu_engine(k))
            continue;
        struct use *use = use_of(k, KY_TREE, PLUMMER, N);
        const int rebuilds = many ? atoi(many) / (is_slow(k) ? 5 : 1) : 300;
        struct ky_sums sums = {0};
        size_t buffers = 0, bytes = 0;
        assert_ok(ky_engine_forces(use->engine, &error));
        for (int r = 0; r < rebuilds; r++) {
            step(use, 1);
            if (r % 7 == 0)
                assert_ok(ky_engine_sums(use->engine, &sums, &error));
            if (r == FIRST)
                buffers = (size_t)guard.buffers, bytes = guard.bytes;
        }
        assert_int_equal(guard.buffers, buffers);
        assert_int_equal(guard.bytes, bytes);
        end_use(use);
    }
    guard_end();
}

/* The memory that a run with energies allocates is near the prediction of --dry-run. With leaves of
 * 16 a tree takes up to 156 bytes a body, and a part that does not grow with the bodies. */
static void memory_is_foreseen(void **state)
{
    (void)state;
    enum { N = 200000 };
    need_a_device();
    guard_begin(0);
    for (int which = 0; which < 4 * engine_count; which++) {
        struct ky_error error = {0};
        struct ky_parameters given = cloud_parameters(), p;
        struct ky_bodies bodies = tree_bodies(which % 2 ? CUBE : PLUMMER, N);
        struct ky_engine *engine;
        struct ky_memory memory;
        struct ky_sums sums = {0};
        struct ky_force_report report;
        given.engine = engines[which / 4].engine;
        given.force = KY_TREE;
        given.softening = 0.01;
        given.multipole = 1 + which / 2 % 2;
        given.opening = KY_OFFSET;
        given.theta = 2;
        guard.peak = guard.bytes;
        assert_ok(ky_force_resolve(&given, &p, &error));
        assert_ok(ky_engine_open(&p, N, &engine, &error));
        ky_engine_memory(engine, 0, N, 0, &memory);
        assert_ok(ky_engine_put(engine, &bodies, &error));
        assert_ok(ky_engine_forces(engine, &error));
        assert_ok(ky_engine_sums(engine, &sums, &error));
        ky_engine_report(engine, &report);
        if (!is_cpu_engine(which / 4)) {
            assert_between(memory.device / (double)guard.peak, 0.95, 1.05);
            assert_between((double)guard.peak / N, 100, 156 + 3e5 / N);
        }
        ky_engine_close(engine);
        ky_bodies_free(&bodies);
    }
    guard_end();
}

static void numbers_that_are_not_finite(void **state)
{
    (void)state;
    need_a_device();
    for (int which = 0; which < 3 * engine_count; which++) {
        struct ky_error error = {0};
        if (is_cpu_engine(which / 3))
            continue;
        struct use *use = use_of(which / 3, KY_TREE, PLUMMER, 300);
        use->bodies.velocity[which % 3 * 149][1] = (double)(which % 2 ? INFINITY : NAN);
        enum ky_status status = ky_engine_put(use->engine, &use->bodies, &error);
        if (status == KY_OK)
            status = ky_engine_drift(use->engine, 1, &error);
        for (int turn = 0; turn < 2 && status == KY_OK; turn++)
            status = ky_engine_forces(use->engine, &error);
        if (status == KY_OK)
            status = ky_engine_get(use->engine, &use->bodies, &error);
        assert_int_equal(status, KY_BAD_DATA);
        end_use(use);
    }
}

/* With every cell opened every sink meets every body. In a lattice with large leaves all lanes of a
 * team have leaves at the same time. They are added one by one, and the mask of the lanes that have
 * one has all its bits. */
static void no_leaf_of_a_team_is_left_out(void **state)
{
    (void)state;
    enum { SIDE = 24, N = SIDE * SIDE * SIDE };
    need_a_device();
    for (int k = 0; k < engine_count; k++) {
        struct ky_error error = {0};
        struct ky_force_report report = {0};
        if (is_cpu_engine(k))
            continue;
        struct use *use = use_of(k, KY_TREE, PLUMMER, N);
        ky_engine_close(use->engine);
        for (size_t i = 0; i < N; i++) {
            const double place[3] = {(double)(i / SIDE / SIDE), (double)(i / SIDE % SIDE),
                                     (double)(i % SIDE)};
            memcpy(use->bodies.position[i], place, sizeof place);
        }
        use->p.opening = KY_GEOMETRIC;
        use->p.theta = 0.05;
        use->p.leaf = 32;
        assert_ok(ky_engine_open(&use->p, N, &use->engine, &error));
        assert_ok(ky_engine_put(use->engine, &use->bodies, &error));
        assert_ok(ky_engine_forces(use->engine, &error));
        ky_engine_report(use->engine, &report);
        assert_float_equal(report.body_interactions, (double)N * (N - 1), 0);
        assert_float_equal(report.cell_interactions, 0, 0);
        end_use(use);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_leaf_of_a_team_is_left_out),
        cmocka_unit_test(history_leaves_no_trace),
        cmocka_unit_test(questions_are_answered_in_the_callers_order),
        cmocka_unit_test(evaluations_after_memory_ran_out),
        cmocka_unit_test(rebuilds_take_no_more_memory),
        cmocka_unit_test(memory_is_foreseen),
        cmocka_unit_test(numbers_that_are_not_finite),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}

#else

MAIN_THAT_SKIPS(the_tree_of_a_device, "no driver of devices is in this build")

#endif
