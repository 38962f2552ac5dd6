/* Large systems on devices: every kernel of the forces once with 100,003 bodies, of which some are
 * compared with the exact sum in double; the number of the host's threads; more bodies than a
 * device can hold. In `make check` a device that is a CPU has fewer bodies in walks. */
#include "test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "clouds.h"
#include "engine/force_options.h"
#include "engines.h"
#include "tasks.h"

enum { LARGE = 100003, FEWER = 30011, SINKS = 200 };

/* ---- against the exact sum ---- */

/* The softenings for which there are separate kernels. */
enum { SOFT, NOT_AT_ALL, OF_PAIRS, SOFTENINGS };

/* A system, and the exact sums of the CPU engine for some of its bodies. */
struct system {
    struct ky_bodies bodies, exact, some;
    size_t sinks[SINKS];
    double softening;
    int kind;
};

static enum ky_status exact_of(const char *engine, struct system *system, struct ky_bodies *out)
{
    struct ky_error error = {0};
    struct ky_parameters given = cloud_parameters(), p;
    struct ky_engine *opened;
    given.engine = engine;
    given.force = KY_DIRECT;
    given.softening = system->softening;
    given.softening_kind = system->kind;
    assert_ok(ky_force_resolve(&given, &p, &error));
    assert_ok(ky_engine_open(&p, system->bodies.n, &opened, &error));
    assert_ok(ky_engine_put(opened, &system->bodies, &error));
    enum ky_status status =
        ky_engine_exact(opened, system->sinks, SINKS, out->acceleration, out->potential, &error);
    ky_engine_close(opened);
    return status;
}

static struct system make_system(size_t n, int softening)
{
    struct system system = {.bodies = cloud_make(PLUMMER, n),
                            .exact = cloud_make(PLUMMER, SINKS),
                            .some = cloud_make(PLUMMER, SINKS),
                            .softening = softening == NOT_AT_ALL ? 0 : 0.01,
                            .kind = softening == OF_PAIRS ? KY_SYMMETRIC : KY_PLUMMER};
    for (size_t s = 0; s < SINKS; s++) /* with the first and the last body */
        system.sinks[s] = s * (n - 1) / (SINKS - 1);
    if (softening == OF_PAIRS)
        system.bodies.softening = malloc(n * sizeof *system.bodies.softening);
    for (size_t i = 0; system.bodies.softening && i < n; i++)
        system.bodies.softening[i] = 0.003 * (double)(1 + i % 5);
    assert_int_equal(exact_of("cpu", &system, &system.exact), KY_OK);
    return system;
}

static void free_system(struct system *system)
{
    ky_bodies_free(&system->bodies);
    ky_bodies_free(&system->exact);
    ky_bodies_free(&system->some);
}

/* The errors of the chosen bodies in one evaluation. The system keeps its results. */
static struct cloud_error evaluate(struct system *system, const struct ky_parameters *given,
                                   struct ky_force_report *report)
{
    struct ky_error error = {0};
    struct ky_parameters p = *given;
    p.softening = system->softening;
    p.softening_kind = system->kind;
    memset(system->bodies.potential, 0, system->bodies.n * sizeof(double));
    assert_ok(cloud_forces(&p, &system->bodies, NULL, report, &error));
    for (size_t k = 0; k < SINKS; k++) {
        size_t i = system->sinks[k];
        memcpy(system->some.acceleration[k], system->bodies.acceleration[i], 3 * sizeof(double));
        system->some.potential[k] = system->bodies.potential[i];
    }
    return cloud_compare(&system->some, &system->exact);
}

/* ---- the exact sum ---- */

static void all_direct_kernels(const char *engine, size_t n)
{
    static const double bound[] = {1e-6, 3e-7, 1e-13};
    for (int softening = 0; softening < SOFTENINGS; softening++) {
        struct system system = make_system(n, softening);
        struct ky_parameters p = cloud_parameters();
        p.engine = engine;
        p.force = KY_DIRECT;
        for (p.precision = KY_SINGLE; p.precision <= KY_DOUBLE; p.precision++) {
            struct cloud_error e = evaluate(&system, &p, NULL);
            if (!(e.median <= bound[p.precision] && e.potential_median <= bound[p.precision] &&
                  e.max <= 1e-2 && e.potential_max <= 1e-4))
                fail_msg("%s, n %zu, softening %d, precision %d: error %g %g, of the potential "
                         "%g %g",
                         engine, n, softening, p.precision, e.median, e.max, e.potential_median,
                         e.potential_max);
        }
        free_system(&system);
    }
}

static void direct_kernels_on_gpus(void **state)
{
    (void)state;
    int tested = 0;
    need_a_device();
    for (int k = 0; k < engine_count; k++)
        if (!is_cpu_engine(k) && !is_slow(k)) {
            all_direct_kernels(engines[k].engine, LARGE);
            tested++;
        }
    if (tested == 0) {
        printf("# skipped: 10¹⁰ pairs a kernel take minutes on a device that is a CPU\n");
        skip();
    }
}

/* What a CPU does in seconds: fewer bodies, and sums in double for some of
 * all bodies. */
static void direct_kernels_on_fewer_bodies(void **state)
{
    (void)state;
    need_a_device();
    for (int k = 0; k < engine_count; k++) {
        if (is_cpu_engine(k))
            continue;
        all_direct_kernels(engines[k].engine, 6007);
        for (int softening = 0; softening < SOFTENINGS; softening++) {
            struct system system = make_system(LARGE, softening);
            if (exact_of(engines[k].engine, &system, &system.some) == KY_OK)
                assert_between(cloud_compare(&system.some, &system.exact).max, 0, 1e-12);
            free_system(&system);
        }
    }
}

/* ---- walks and lists ---- */

/* One kernel has the error of the multipole, and does what the same walk of the CPU engine does.
 * Only cells at the edge of the opening test may differ, by rounding, and small leaves, which the
 * CPU's group walk takes body by body. */
static void tree_kernel(struct system *system, struct ky_parameters p, const struct ky_bodies *same,
                        const struct ky_force_report *of_same)
{
    /* Cells have 48 bits, which in two trees are rounded from different sums. */
    static const double bound[] = {1e-6, 5e-7, 3e-8}, truncation[] = {0.012, 0.009};
    struct ky_force_report report = {0};
    struct cloud_error e = evaluate(system, &p, &report);
    struct cloud_error as = cloud_compare(&system->bodies, same);
    double limit = p.force == KY_LIST ? 1e-5 : bound[p.precision];
    double bodies = report.body_interactions / of_same->body_interactions;
    double cells = report.cell_interactions / of_same->cell_interactions;
    int counts = fabs(bodies - 1) < 1e-3 && fabs(cells - 1) < 1e-3;
    if (!(as.median <= limit && as.max <= 0.05 && as.potential_max <= 0.01 &&
          e.median <= truncation[p.multipole - 1] && (counts || p.force == KY_LIST)))
        fail_msg("%s, force %d, precision %d, multipole %d, softening kind %d: error %g, against "
                 "the CPU engine %g, at most %g; pairs %g and %g of its",
                 p.engine, p.force, p.precision, p.multipole, system->kind, e.median, as.median,
                 as.max, bodies, cells);
}

static void tree_kernels_of(int k, int force, int general, int multipole)
{
    size_t n = is_slow(k) && !test_everything() ? FEWER : LARGE;
    struct system system = make_system(n, general ? OF_PAIRS : SOFT);
    struct ky_bodies same = cloud_make(PLUMMER, n);
    struct ky_force_report report = {0};
    struct ky_parameters p = cloud_parameters();
    p.theta = 1;
    p.cell = KY_EDGE;
    p.opening = KY_GEOMETRIC;
    p.multipole = multipole;
    p.force = force == KY_LIST ? KY_TREE : force; /* the CPU engine does not have KY_LIST */
    evaluate(&system, &p, &report);
    memcpy(same.acceleration, system.bodies.acceleration, n * sizeof *same.acceleration);
    memcpy(same.potential, system.bodies.potential, n * sizeof *same.potential);
    p.engine = engines[k].engine;
    p.force = force;
    if (force == KY_WALK) /* the cells are the CPU's; cells of two bodies are very small */
        p.tree = KY_TREE_OF_HOST;
    for (p.precision = KY_SINGLE; p.precision <= KY_DOUBLE; p.precision++)
        tree_kernel(&system, p, &same, &report);
    ky_bodies_free(&same);
    free_system(&system);
}

static void tree_kernels(int force)
{
    for (int k = 0; k < engine_count; k++)
        for (int general = 0; general < (force == KY_WALK ? 2 : 1) && !is_cpu_engine(k); general++)
            for (int multipole = 1; multipole <= 2; multipole++)
                tree_kernels_of(k, force, general, multipole);
}

static void walk_kernels(void **state)
{
    (void)state;
    need_a_device();
    tree_kernels(KY_WALK);
}

static void list_kernels(void **state)
{
    (void)state;
    need_a_device();
    tree_kernels(KY_LIST);
}

/* ---- threads of the host ---- */

enum { TREE_METHODS = 3, MANY = 70001 }; /* enough for loops with threads */
enum { WISHED = 2, DEFAULT = 23 };       /* threads */

/* Parameters of the k-th method: lists with the opening test that uses accelerations, walks along
 * the curve, and walks in the caller's order. */
static struct ky_parameters tree_method(const char *engine, int k, int threads)
{
    struct ky_parameters p = cloud_parameters();
    p.engine = engine;
    p.force = k == 0 ? KY_LIST : KY_WALK;
    p.opening = k == 0 ? KY_RELATIVE : KY_OFFSET;
    p.curve = k == 2 ? KY_CURVE_NONE : KY_MORTON;
    p.theta = 1;
    p.alpha = k == 0 ? 0.1 : (double)NAN;
    p.softening = 0.01;
    p.threads = threads;
    return p;
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    static const int threads[] = {1, 3};
    struct ky_error error = {0};
    need_a_device();
    for (int k = 0; k < engine_count; k++)
        for (int m = 0; m < TREE_METHODS && !is_cpu_engine(k); m++) {
            struct ky_bodies first = {0};
            for (int t = 0; t < 2; t++) {
                struct ky_parameters p = tree_method(engines[k].engine, m, threads[t]);
                struct ky_bodies bodies = cloud_make(PLUMMER, MANY);
                assert_ok(cloud_forces(&p, &bodies, NULL, NULL, &error));
                if (t == 0) {
                    first = bodies;
                    continue;
                }
                assert_memory_equal(bodies.acceleration, first.acceleration,
                                    MANY * sizeof *bodies.acceleration);
                assert_memory_equal(bodies.potential, first.potential,
                                    MANY * sizeof *bodies.potential);
                ky_bodies_free(&bodies);
            }
            ky_bodies_free(&first);
        }
}

#ifdef _OPENMP
static atomic_int watching, most_threads;

/* Counts at least once, also where a busy machine gives it no turn during the work: threads of
 * loops stay after it. */
static void *watch_threads(void *unused)
{
    const struct timespec pause = {0, 200000};
    do {
        int now = threads_now();
        most_threads = now > most_threads ? now : most_threads;
        nanosleep(&pause, NULL);
    } while (watching);
    return unused;
}

static enum ky_status compute(const struct ky_parameters *p, struct ky_bodies *bodies,
                              struct ky_error *error)
{
    return cloud_forces(p, bodies, NULL, NULL, error);
}

/* Opens a simulation, adds a body, reads all bodies, and restores it from its restart file. */
static enum ky_status simulate(const struct ky_parameters *p, struct ky_bodies *bodies,
                               struct ky_error *error)
{
    double mass = 0, place[1][3] = {{1, 2, 3}}, velocity[1][3] = {{0}};
    const struct ky_bodies more = {
        .size = sizeof more, .n = 1, .mass = &mass, .position = place, .velocity = velocity};
    struct ky_sim *sim = NULL, *again = NULL;
    char folder[] = "/tmp/kyoho-large-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/restart.kyo", folder);
    enum ky_status status = ky_sim_open(p, bodies, 0, &sim, error);
    if (!status)
        status = ky_sim_bodies(sim, bodies, error);
    if (!status)
        status = ky_sim_add(sim, &more, error);
    if (!status)
        status = ky_sim_save(sim, path, error);
    if (!status)
        status = ky_sim_restore(path, p, &again, error);
    (void)remove(path);
    (void)remove(folder);
    ky_sim_close(sim);
    ky_sim_close(again);
    return status;
}

/* The largest number of threads that the process had at a time during the work. */
static int threads_during(const struct ky_parameters *p, struct ky_bodies *bodies,
                          enum ky_status (*work)(const struct ky_parameters *, struct ky_bodies *,
                                                 struct ky_error *))
{
    struct ky_error error = {0};
    pthread_t watcher;
    watching = 1;
    most_threads = 0;
    pthread_create(&watcher, NULL, watch_threads, NULL);
    enum ky_status status = work(p, bodies, &error);
    watching = 0;
    pthread_join(watcher, NULL);
    assert_ok(status);
    return most_threads;
}
#endif

/* With threads = 2 no loop of a simulation takes more. The arrays are so large that several threads
 * clear them. */
static void simulations_take_no_more_threads_either(void **state)
{
    (void)state;
#ifdef _OPENMP
    enum { CLEARED = 180001 };
    struct ky_parameters p = tree_method("cpu", 1, WISHED);
    int usual = omp_get_max_threads(), with_watcher = threads_now() + 1;
    if (with_watcher == 1)
        skip();
    omp_set_num_threads(WISHED);
    struct ky_bodies bodies = cloud_make(PLUMMER, CLEARED);
    omp_set_num_threads(DEFAULT);
    int most = threads_during(&p, &bodies, simulate);
    omp_set_num_threads(usual);
    ky_bodies_free(&bodies);
    assert_true(most < with_watcher + WISHED);
#else
    skip();
#endif
}

/* Forces on devices take the number of threads that is asked for, whatever OMP_NUM_THREADS is. */
static void threads_are_as_many_as_asked(void **state)
{
    (void)state;
#ifdef _OPENMP
    int usual = omp_get_max_threads();
    need_a_device();
    if (threads_now() == 0)
        skip();
    const int methods =
        test_everything() ? TREE_METHODS : 1; /* one tree is enough for the threads */
    for (int all = 0; all < 2; all++)         /* all threads last, since OpenMP may keep threads */
        for (int k = 0; k < engine_count; k++)
            for (int m = 0; m < methods && !is_cpu_engine(k); m++) {
                struct ky_bodies bodies = cloud_make(PLUMMER, MANY);
                struct ky_parameters p = tree_method(engines[k].engine, m, all ? 0 : WISHED);
                struct ky_parameters alone = tree_method(engines[k].engine, m, 1);
                omp_set_num_threads(1); /* drivers have threads too */
                int without = threads_during(&alone, &bodies, compute);
                omp_set_num_threads(DEFAULT);
                int most = threads_during(&p, &bodies, compute);
                omp_set_num_threads(usual);
                ky_bodies_free(&bodies);
                if (all)
                    assert_true(most > DEFAULT);
                else
                    assert_true(most < without + WISHED);
            }
#else
    skip();
#endif
}

/* ---- more bodies than there is memory for ---- */

static struct ky_engine *open_with(const char *name, size_t n, struct ky_parameters *resolved,
                                   enum ky_status *status, struct ky_error *error)
{
    struct ky_parameters given = cloud_parameters();
    struct ky_engine *engine = NULL;
    given.engine = name;
    given.force = KY_DIRECT;
    given.softening = 0.01;
    assert_int_equal(ky_force_resolve(&given, resolved, error), KY_OK);
    *status = ky_engine_open(resolved, n, &engine, error);
    return engine;
}

/* The refusal names the buffer and its size. An open engine can be used on, and others can be
 * opened. */
static void refused_by(const char *name, struct ky_bodies *before, struct ky_bodies *after)
{
    struct ky_error error = {0};
    struct ky_parameters p, q;
    enum ky_status status;
    assert_int_equal(before->n, after->n);
    struct ky_engine *open = open_with(name, before->n, &p, &status, &error);
    assert_ok(status);
    assert_ok(ky_engine_put(open, before, &error));
    assert_ok(ky_engine_forces(open, &error));
    assert_ok(ky_engine_get(open, before, &error));
    struct ky_engine *beyond = open_with(name, INT32_MAX, &q, &status, &error);
    if (status == KY_OK) {
        printf("# %s has room for %d bodies\n", name, INT32_MAX);
    } else {
        printf("# %s: %s\n", name, error.text);
        assert_int_equal(status, KY_DEVICE);
        assert_true(strstr(error.text, " of positions, 51539636224 bytes: ") ||
                    strstr(error.text, " of velocities, 51539636224 bytes: ") ||
                    strstr(error.text, " of masses, 17179869176 bytes: ") ||
                    strstr(error.text, " of accelerations, 51539607528 bytes: ") ||
                    strstr(error.text, " of potentials, 17179869176 bytes: "));
    }
    ky_engine_close(beyond);
    assert_ok(ky_engine_forces(open, &error));
    assert_ok(ky_engine_get(open, after, &error));
    assert_memory_equal(before->acceleration, after->acceleration,
                        before->n * sizeof *before->acceleration);
    ky_engine_close(open);
    assert_ok(cloud_forces(&p, after, NULL, NULL, &error));
    assert_memory_equal(before->acceleration, after->acceleration,
                        before->n * sizeof *before->acceleration);
}

static void more_bodies_than_memory(void **state)
{
    (void)state;
    need_a_device();
    for (int k = 0; k < engine_count; k++) {
        if (is_cpu_engine(k))
            continue;
        struct ky_bodies before = cloud_make(PLUMMER, 1000), after = cloud_make(PLUMMER, 1000);
        refused_by(engines[k].engine, &before, &after);
        ky_bodies_free(&before);
        ky_bodies_free(&after);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(direct_kernels_on_gpus),
        cmocka_unit_test(direct_kernels_on_fewer_bodies),
        cmocka_unit_test(walk_kernels),
        cmocka_unit_test(list_kernels),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(simulations_take_no_more_threads_either),
        cmocka_unit_test(threads_are_as_many_as_asked),
        cmocka_unit_test(more_bodies_than_memory),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
