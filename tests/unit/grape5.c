/* The GRAPE-5 calls on every engine that opens, against nested loops in double. */
#include "test.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "grape_settings.h"
#include "kyoho/grape5.h"
#include "moving_bodies.h"

#include "base/drivers.h"

#define NAME(own, name, ...) , #name
static const char *const engines[] = {"cpu", "cpu:0,1" KY_DRIVERS(NAME, )};
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

/* The bound of errors in single precision: distances of close bodies have errors of 1e-7 of the
 * system's size. */
static double bound = 2e-6;

/* Compares forces on the first ni bodies. With softening a body also acts on the sink at its own
 * place. */
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
        assert_true(moving_error(a[i], e.a) < bound);
        assert_true(fabs(p[i] + e.potential) <= 2e-6 * (1 - e.potential)); /* p is positive */
    }
}

static void agrees(void **state)
{
    (void)state;
    static const int counts[] = {0, 1, 47, 48, 49, 1000}, bodies[] = {0, 1, 2, 48, 1000};
    make_bodies(MOST);
    bound = getenv("KYOHO_PRECISION") || strcmp(engine, "cpu") != 0 ? 2e-6 : 3e-5;
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

/* Bodies that are sent in parts, to addresses of their own; older calls; the Fortran names. */
static void bodies_by_parts(void **state)
{
    (void)state;
    int first = 300, some = 700, n = MOST, ni = 60;
    double eps2 = 1e-4;
    make_bodies(MOST);
    bound = 3e-5;
    assert_int_equal(g5_set_jp(0, 300, m, x), 0);
    assert_int_equal(g5_set_xj_(&first, &some, x), 0);
    assert_int_equal(g5_set_mj(300, 700, m), 0);
    assert_int_equal(g5_set_n_(&n), 0);
    assert_int_equal(g5_set_eps2_to_all_(&eps2), 0);
    assert_int_equal(g5_calculate_force_on_x_(x, a, p, &ni), 0);
    check(n, ni, 0.01);
}

/* As in tree codes, each numbered device has its own group of bodies, its own list and its own
 * thread. Bodies of a group and near it lose no digits. */
static void devices_by_threads(void **state)
{
    (void)state;
    enum { GROUPS = 8, SINKS = 40, LIST = 300 };
    static double xj[GROUPS][LIST][3], ai[GROUPS][SINKS][3], pi[GROUPS][SINKS];
    int failed = 0;
    make_bodies(MOST);
    for (int g = 0; g < GROUPS; g++)
        for (int k = 0; k < LIST; k++)
            for (int c = 0; c < 3; c++) /* a small group, far from the origin */
                xj[g][k][c] = 1e-3 * x[(37 * g + k) % MOST][c] + (c == g % 3 ? 100 + g : -g);
    assert_int_equal(g5_set_eps_to_all(1e-5), 0);
#pragma omp parallel for num_threads(3) reduction(+ : failed)
    for (int g = 0; g < GROUPS; g++) {
        failed += g5_set_xmjMC(g, 0, LIST, xj[g], m) != 0;
        failed += g5_set_nMC(g, LIST - g) != 0;
        if (g % 2) {
            failed += g5_calculate_force_on_xMC(g, xj[g], ai[g], pi[g], SINKS) != 0;
        } else {
            failed += g5_set_xiMC(g, SINKS, xj[g]) != 0 || g5_runMC(g) != 0;
            failed += g5_get_forceMC(g, SINKS, ai[g], pi[g]) != 0;
        }
    }
    assert_int_equal(failed, 0);
    for (int g = 0; g < GROUPS; g++) {
        memcpy(x, xj[g], sizeof xj[g]);
        memcpy(a, ai[g], sizeof ai[g]);
        memcpy(p, pi[g], sizeof pi[g]);
        bound = 2e-6;
        check(LIST - g, SINKS, 1e-5);
    }
    assert_int_equal(g5_set_eta(0.1), 0);
    assert_int_not_equal(g5_set_nMC(-1, 3), 0);
    assert_int_not_equal(g5_set_xmjMC(100000, 0, 3, x, m), 0);
    assert_int_not_equal(g5_runMC(1 << 30), 0);
}

/* Numbers far from 1, and a body whose numbers float cannot hold. */
static void other_units(void **state)
{
    (void)state;
    enum { N = 100 };
    make_bodies(N);
    bound = 3e-5;
    for (int k = 0; k < 2; k++) {
        assert_int_equal(g5_set_eps_to_all(0.01), 0);
        for (int c = 0; c < 3; c++)
            x[N - 1][c] = k ? 1e40 : x[N - 1][c];
        assert_int_equal(g5_set_xmj(0, N, x, m), 0);
        assert_int_equal(g5_set_n(N), 0);
        assert_int_equal(g5_calculate_force_on_x(x, a, p, 30), 0);
        check(N, 30, 0.01);
    }
    make_bodies(N);
    const double L = 3e21, M = 2e38;
    for (int i = 0; i < N; i++) {
        m[i] *= M;
        for (int c = 0; c < 3; c++)
            x[i][c] *= L;
    }
    assert_int_equal(g5_set_eps_to_all(0.01 * L), 0);
    assert_int_equal(g5_set_xmj(0, N, x, m), 0);
    assert_int_equal(g5_calculate_force_on_x(x, a, p, 30), 0);
    make_bodies(N);
    for (int i = 0; i < 30; i++) {
        p[i] *= L / M;
        for (int c = 0; c < 3; c++)
            a[i][c] *= L / M * L;
    }
    check(N, 30, 0.01);
}

static void errors(void **state)
{
    (void)state;
    assert_int_equal(g5_get_number_of_pipelines(), 48);
    assert_true(g5_get_jmemsize() > 1 << 24);
    assert_int_not_equal(g5_set_n(-1), 0);
    assert_int_not_equal(g5_set_xmj(-1, 3, x, m), 0);
    assert_int_equal(g5_set_xmj(INT_MAX, 0, x, m), 0); /* takes no memory */
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
    wrong_values(g5_open, 1);
}

#define OPEN(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {OPEN(agrees), OPEN(bodies_by_parts),
                                       OPEN(devices_by_threads), OPEN(other_units), OPEN(errors)};
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
    setenv("KYOHO_PRECISION", "extended", 1);
    engine = engines[0];
    failed += cmocka_run_group_tests_name("cpu, extended", tests, NULL, NULL);
    return failed;
}
