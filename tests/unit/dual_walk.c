/* The dual walk of the CPU engine for searches: the same bits as walks from the root, and the
 * results of loops over all pairs, for numbers of bodies around the sizes of groups and branches.
 */
#include "test.h"

#include "all_pairs.h"
#include "clouds.h"
#include "enclosed.h"
#include "engine/cpu/forces/action.h"
#include "engine/force_options.h"

KY_ACTIONS(KY_CPU_ACTION)
KY_CPU_ACTION(enclosed, KY_NEEDS_RADIUS | KY_DUAL)

/* Some bodies in an engine, and what is searched for. */
struct search {
    const struct ky_bodies *bodies;
    struct ky_parameters *resolved; /* the engine keeps the address */
    struct ky_engine *engine;
    struct ky_walk_request request;
    double *dual, *root; /* results */
};

static struct search search_begin(const struct ky_bodies *bodies,
                                  const struct ky_parameters *parameters)
{
    struct ky_error error = {0};
    struct search search = {.bodies = bodies, .request = {.n = bodies->n}};
    search.resolved = malloc(sizeof *search.resolved);
    search.dual = malloc((bodies->n + 1) * sizeof(double));
    search.root = malloc((bodies->n + 1) * sizeof(double));
    assert_ok(ky_force_resolve(parameters, search.resolved, &error));
    assert_ok(ky_engine_open(search.resolved, bodies->n, &search.engine, &error));
    assert_ok(ky_engine_put(search.engine, bodies, &error));
    return search;
}

static void search_end(struct search *search)
{
    ky_engine_close(search->engine);
    free(search->dual);
    free(search->root);
    free(search->resolved);
}

/* The walk as the action wants it, or from the root. */
static void walk(struct search *search, struct ky_cpu_action action, int is_dual, double *results,
                 uint32_t *list)
{
    struct ky_error error = {0};
    assert_int_equal(action.facts.is_dual, 1);
    action.facts.is_dual = is_dual;
    search->request.results = results;
    search->request.list = list;
    assert_ok(
        ky_cpu_walk_action((struct ky_cpu *)search->engine, &action, &search->request, &error));
}

static void check_both(struct search *search, const struct ky_cpu_action *action)
{
    memset(search->dual, 1, search->bodies->n * sizeof(double));
    memset(search->root, 2, search->bodies->n * sizeof(double));
    walk(search, *action, 1, search->dual, NULL);
    walk(search, *action, 0, search->root, NULL);
    assert_memory_equal(search->dual, search->root, search->bodies->n * sizeof(double));
}

static double radius_of(const struct search *search, size_t i)
{
    return search->request.radius[search->request.radii == 1 ? 0 : i];
}

/* Sinks that are compared with loops over all pairs: the first, the last, and some between. */
static size_t step_of(size_t n)
{
    return n < 30 ? 1 : n < 10000 ? (n - 1) / 15 : (n - 1) / 3;
}

static void check_counts(struct search *search)
{
    const size_t n = search->bodies->n;
    check_both(search, &ky_cpu_count);
    for (size_t i = 0; i < n; i += step_of(n)) {
        double count = 0;
        for (size_t j = 0; j < n; j++)
            count += j != i && pair2(search->bodies, i, j) <= pow(radius_of(search, i), 2);
        assert_true(search->dual[i] == count);
    }
}

/* Takes the counts of `dual`. */
static void check_lists(struct search *search)
{
    const size_t n = search->bodies->n;
    size_t *offset = malloc((n + 1) * sizeof *offset);
    offset[0] = 0;
    for (size_t i = 0; i < n; i++)
        offset[i + 1] = offset[i] + (size_t)search->dual[i];
    uint32_t *dual = malloc((offset[n] + 1) * sizeof *dual),
             *root = malloc((offset[n] + 1) * sizeof *root);
    search->request.offset = offset;
    walk(search, ky_cpu_list, 1, NULL, dual);
    walk(search, ky_cpu_list, 0, NULL, root);
    search->request.offset = NULL;
    assert_memory_equal(dual, root, offset[n] * sizeof *dual);
    for (size_t i = 0; i < n; i += step_of(n))
        for (size_t k = offset[i]; k < offset[i + 1]; k++) {
            assert_true(k == offset[i] || dual[k] > dual[k - 1]);
            assert_true(dual[k] != i &&
                        pair2(search->bodies, i, dual[k]) <= pow(radius_of(search, i), 2));
        }
    free(dual);
    free(root);
    free(offset);
}

static void check_densities(struct search *search)
{
    const size_t n = search->bodies->n;
    check_both(search, &ky_cpu_density);
    for (size_t i = 0; i < n; i += step_of(n)) {
        const double exact = density_at(search->bodies, i, radius_of(search, i));
        assert_between(search->dual[i], exact * (1 - 1e-12), exact * (1 + 1e-12));
    }
}

static void check_radii(struct search *search, const double *radius, size_t radii)
{
    int positive = 1;
    search->request.radius = radius;
    search->request.radii = radii;
    for (size_t i = 0; i < radii; i++)
        positive &= radius[i] > 1e-100 && radius[i] < 1e100;
    check_counts(search);
    check_lists(search);
    if (positive)
        check_densities(search);
}

static void check_nearest(struct search *search, size_t k)
{
    const size_t n = search->bodies->n;
    double *r = malloc(n * sizeof *r);
    search->request.k = k;
    check_both(search, &ky_cpu_nearest);
    for (size_t i = 0; i < n; i += step_of(n)) {
        const double exact = kth_distance(search->bodies, i, k, r);
        assert_between(search->dual[i], exact * (1 - 1e-15), exact * (1 + 1e-15));
    }
    free(r);
}

/* The distance of about the 20th nearest of the first body. */
static double near_distance(const struct ky_bodies *bodies)
{
    double *r = malloc(bodies->n * sizeof *r);
    const double d = bodies->n > 1 ? kth_distance(bodies, 0, bodies->n < 21 ? 1 : 20, r) : 0;
    free(r);
    return d > 0 ? d : 1;
}

static void check_all(const struct ky_bodies *bodies, const struct ky_parameters *parameters)
{
    const size_t n = bodies->n;
    const double near = near_distance(bodies), radii[] = {near, 0, 8 * near, 1e150};
    double *own = malloc(n * sizeof *own);
    struct search search = search_begin(bodies, parameters);
    for (size_t i = 0; i < n; i++) /* from no neighbours to very many */
        own[i] = near * (i % 97 == 5 ? 10 : i % 11 == 3 ? 1e-5 : 0.1 + 0.3 * (double)(i % 7));
    for (int k = 0; k < (n < 2000 ? 4 : n < 10000 ? 2 : 1); k++)
        check_radii(&search, &radii[k], 1);
    check_radii(&search, own, n);
    const size_t nearest[] = {1, 8, 33, n - 1};
    for (int k = 0; k < (n < 2000 ? 4 : 3); k++)
        if (nearest[k] >= 1 && nearest[k] < n)
            check_nearest(&search, nearest[k]);
    search_end(&search);
    free(own);
}

static void searches_are_those_from_the_root(void **state)
{
    (void)state;
    const size_t sizes[] = {1, 2, 63, 64, 65, 1023, 1024, 1025, 8191, 8192, 8193};
    for (int kind = 0; kind < CLOUDS; kind++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            struct ky_parameters parameters = cloud_parameters();
            struct ky_bodies bodies = cloud_make((enum cloud)kind, sizes[k]);
            parameters.group = k % 2 ? 64 : 8; /* smaller groups make branches of more levels */
            parameters.curve = k % 3 ? KY_HILBERT : KY_MORTON;
            if (sizes[k] < 2000 || (kind == PLUMMER && (k == 9 || test_everything())))
                check_all(&bodies, &parameters);
            ky_bodies_free(&bodies);
        }
}

static void many_bodies_too(void **state)
{
    (void)state;
    const enum cloud kinds[] = {PLUMMER, CUBE};
    for (int kind = 0; kind < (test_everything() ? 2 : 1); kind++) {
        struct ky_parameters parameters = cloud_parameters();
        struct ky_bodies bodies = cloud_make(kinds[kind], test_everything() ? 100003 : 20011);
        parameters.group = kind ? 64 : 16;
        check_all(&bodies, &parameters);
        ky_bodies_free(&bodies);
    }
}

/* A sum whose bits depend on which cells act as a whole. */
static void threads_leave_no_trace(void **state)
{
    (void)state;
    enum { N = 30000 };
    struct ky_bodies bodies = cloud_make(PLUMMER, N);
    const double radius = 0.5;
    double *first = malloc(N * sizeof *first);
    for (int threads = 1; threads < 4; threads++) {
        struct ky_parameters parameters = cloud_parameters();
        parameters.threads = threads;
        struct search search = search_begin(&bodies, &parameters);
        search.request.radius = &radius;
        search.request.radii = 1;
        walk(&search, ky_cpu_enclosed, 1, search.dual, NULL);
        if (threads == 1)
            memcpy(first, search.dual, N * sizeof *first);
        assert_memory_equal(first, search.dual, N * sizeof *first);
        search_end(&search);
    }
    free(first);
    ky_bodies_free(&bodies);
}

/* Gravity, whose cells act on all sinks, begins with the root. */
static void gravity_wants_no_dual_walk(void **state)
{
    (void)state;
    assert_int_equal(ky_cpu_gravity.facts.is_dual, 0);
    assert_int_equal(ky_actions[KY_ACTION_gravity].is_dual, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(searches_are_those_from_the_root),
        cmocka_unit_test(many_bodies_too),
        cmocka_unit_test(threads_leave_no_trace),
        cmocka_unit_test(gravity_wants_no_dual_walk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
