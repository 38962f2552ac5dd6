/* The GRAPE-5 calls on every engine that opens, against nested loops in double. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "grape_settings.h"
#include "kyoho/grape5.h"
#include "moving_bodies.h"

static const char *const engines[] = {"cpu", "cpu:0,1", "opencl", "cuda"};
static const char *engine;

enum { MOST = 1000 };
static double x[MOST][3], m[MOST], a[MOST][3], p[MOST];

static void make_bodies(int n)
{
    uint64_t seed = 5;
    for (int i = 0; i < n; i++) {
        const struct moving_body b = moving_body(&seed, (size_t)n, (size_t)i);
        memcpy(x[i], b.x, sizeof x[i]);
        m[i] = b.mass;
    }
}

/* The first ni bodies as sinks, on which they act themselves; without softening they do not. */
static void check(int nj, int ni, double eps)
{
    static struct moving_body all[MOST];
    for (int j = 0; j < nj; j++) {
        all[j] = (struct moving_body){.mass = m[j], .label = 1};
        memcpy(all[j].x, x[j], sizeof x[j]);
    }
    for (int i = 0; i < ni; i++) {
        struct moving_body me = {.label = 0};
        memcpy(me.x, x[i], sizeof me.x);
        const struct moving_sums e = moving_sum(all, (size_t)nj, &me, eps * eps, 0, 0);
        assert_true(moving_error(a[i], e.a) < 2e-6);
        assert_true(fabs(p[i] + e.potential) <= 2e-6 * (1 - e.potential)); /* positive */
    }
}

static void agrees(void **state)
{
    (void)state;
    static const int counts[] = {0, 1, 47, 48, 49, 1000}, bodies[] = {0, 1, 2, 48, 1000};
    make_bodies(MOST);
    for (int which = 0; which < 60; which++) {
        const int ni = counts[which % 6], nj = bodies[which / 6 % 5];
        const double eps = which / 30 ? 0.01 : 0;
        assert_int_equal(g5_set_range(-1, 1, 1e-3), 0);
        assert_int_equal(g5_set_eps_to_all(eps), 0);
        assert_int_equal(g5_set_n(nj), 0);
        assert_int_equal(g5_set_xmj(0, nj, x, m), 0);
        assert_int_equal(g5_set_xi(ni, x), 0);
        assert_int_equal(g5_run(), 0);
        assert_int_equal(g5_get_force(ni, a, p), 0);
        check(nj, ni, eps);
        memset(a, 0x55, sizeof a);
        assert_int_equal(g5_calculate_force_on_x(x, a, p, ni), 0);
        check(nj, ni, eps);
    }
}

/* Parts of the bodies, by their own places; the older calls; the Fortran names. */
static void bodies_by_parts(void **state)
{
    (void)state;
    int first = 300, some = 700, n = MOST, ni = 60;
    double eps2 = 1e-4;
    make_bodies(MOST);
    assert_int_equal(g5_set_jp(0, 300, m, x), 0);
    assert_int_equal(g5_set_xj_(&first, &some, x), 0);
    assert_int_equal(g5_set_mj(300, 700, m), 0);
    assert_int_equal(g5_set_n_(&n), 0);
    assert_int_equal(g5_set_eps2_to_all_(&eps2), 0);
    assert_int_equal(g5_calculate_force_on_x_(x, a, p, &ni), 0);
    check(n, ni, 0.01);
}

static void errors(void **state)
{
    (void)state;
    assert_int_equal(g5_get_number_of_pipelines(), 48);
    assert_true(g5_get_jmemsize() > 1 << 24);
    assert_int_not_equal(g5_set_n(-1), 0);
    assert_int_not_equal(g5_set_xmj(-1, 3, x, m), 0);
    assert_int_not_equal(g5_set_xi(-1, x), 0);
    assert_int_equal(g5_set_xi(5, x), 0);
    assert_int_equal(g5_run(), 0);
    assert_int_not_equal(g5_get_force(4, a, p), 0);
    assert_int_equal(g5_get_force(5, a, p), 0);
    assert_int_equal(g5_close(), 0);
    assert_int_not_equal(g5_run(), 0);
    assert_int_not_equal(g5_set_xmj(0, 3, x, m), 0);
}

static int set_up(void **state)
{
    (void)state;
    setenv("KYOHO_ENGINE", engine, 1);
    return g5_open();
}

static int tear_down(void **state)
{
    (void)state;
    return g5_close();
}

static void settings(void **state)
{
    (void)state;
    wrong_values(g5_open);
}

#define OPEN(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {OPEN(agrees), OPEN(bodies_by_parts), OPEN(errors)};
    const struct CMUnitTest closed[] = {cmocka_unit_test(settings)};
    int failed = cmocka_run_group_tests_name("settings", closed, NULL, NULL);
    for (size_t k = 0; k < sizeof engines / sizeof *engines; k++) {
        engine = engines[k];
        if (set_up(NULL)) {
            failed += run_without_boards(engine);
            continue;
        }
        g5_close();
        failed += cmocka_run_group_tests_name(engine, tests, NULL, NULL);
    }
    return failed;
}
