/* The models of Fujiwara & Nakasato (2009): galaxies on the figure eight and on the super-eight,
 * with orbits that are solved for softened spheres, and random bodies. */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "models/choreography.h"
#include "models/models.h"

static struct ky_error error;

enum { ACCURATE = 20000 }; /* steps of a period */

static struct ky_dance solved(int count, double size, double eps)
{
    const struct ky_dance_law law = {eps * eps, 0.004};
    struct ky_dance dance;
    assert_ok(ky_dance_solve(count, size, &law, &dance, &error));
    return dance;
}

/* The largest distance of a body i of `a` from the body i + shift of `b`. */
static double apart(const struct ky_dance *a, const struct ky_dance *b, int shift)
{
    double most = 0;
    for (int i = 0; i < a->count; i++) {
        const int j = (i + shift) % a->count;
        most = fmax(most, hypot(a->x[i][0] - b->x[j][0], a->x[i][1] - b->x[j][1]));
    }
    return most;
}

/* ---- orbits of points ---- */

static void without_softening_they_are_the_known_ones(void **state)
{
    (void)state;
    const struct ky_dance three = solved(3, 1, 0), four = solved(4, 1, 0), large = solved(4, 4, 0);
    assert_between(three.period, 6.32591, 6.32592);
    assert_between(three.v[2][0], -0.932408, -0.932407);
    assert_between(three.v[2][1], -0.864732, -0.864731);
    assert_between(four.period, 6.28318, 6.28319);
    assert_between(four.x[1][1], 0.157029, 0.157031);
    assert_between(four.v[1][0], 1.871934, 1.871936);
    assert_between(large.period / four.period, 8 - 1e-6, 8 + 1e-6);
}

/* After a period all bodies are where they began. After a part of it each is where the next one
 * was. */
static void bodies_follow_each_other(void **state)
{
    (void)state;
    static const struct {
        int count;
        double size, eps;
    } cases[] = {{3, 1, 0}, {3, 1, 0.1}, {3, 1, 0.2}, {3, 2, 0.1}, {4, 1.5, 0.1}, {4, 3, 0.1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const struct ky_dance_law law = {cases[k].eps * cases[k].eps, 0.004};
        const struct ky_dance start = solved(cases[k].count, cases[k].size, cases[k].eps);
        struct ky_dance at = start;
        double nearest = 1e9;
        ky_dance_go(&at, &law, start.period / start.count, ACCURATE / start.count);
        for (int shift = 1; shift < start.count; shift++)
            nearest = fmin(nearest, apart(&at, &start, shift));
        assert_between(nearest, 0, 1e-6 * cases[k].size);
        assert_true(apart(&at, &start, 0) > 0.1 * cases[k].size);
        at = start;
        ky_dance_go(&at, &law, start.period, ACCURATE);
        assert_between(apart(&at, &start, 0), 0, 1e-5 * cases[k].size);
    }
}

/* Newton's solution breaks up with ε = 0.1. The solution for this ε stays, also after a small
 * push. */
static void the_solved_figure_eight_lasts_and_the_known_one_does_not(void **state)
{
    (void)state;
    const struct ky_dance_law law = {0.01, 0.004};
    const struct ky_dance start = solved(3, 1, 0.1);
    struct ky_dance known = solved(3, 1, 0), at = start, off = start;
    off.v[0][0] *= 1.001, off.v[2][1] *= 0.999;
    double worst = 0;
    for (int period = 1; period <= 10; period++) {
        ky_dance_go(&known, &law, start.period, ACCURATE / 4);
        ky_dance_go(&at, &law, start.period, ACCURATE / 4);
        ky_dance_go(&off, &law, start.period, ACCURATE / 4);
        worst = fmax(worst, apart(&known, &start, 0));
    }
    assert_between(apart(&at, &start, 0), 0, 1e-6);
    assert_between(apart(&off, &start, 0), 1e-4, 0.2);
    assert_true(worst > 0.5);
}

static void too_large_a_softening_is_refused(void **state)
{
    (void)state;
    const struct ky_dance_law law = {0.04, 0.004};
    struct ky_dance dance;
    struct ky_snapshot snapshot;
    struct ky_model_parameters parameters;
    assert_int_equal(ky_dance_solve(4, 1, &law, &dance, &error), KY_USAGE);
    ky_model_parameters_defaults(&parameters);
    parameters.n = 400;
    parameters.softening = 1;
    assert_int_equal(ky_model_make("super8", &parameters, &snapshot, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "softening 1"));
    parameters.n = 3;
    assert_int_equal(ky_model_make("super8", &parameters, &snapshot, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "at least 4"));
}

/* ---- galaxies ---- */

/* Makes the model. `words` are its options, or NULL. */
static struct ky_snapshot made(const char *name, size_t n, const char *const *words)
{
    struct ky_model_parameters parameters;
    struct ky_snapshot snapshot;
    ky_model_parameters_defaults(&parameters);
    parameters.n = n;
    parameters.options = words;
    assert_ok(ky_model_make(name, &parameters, &snapshot, &error));
    return snapshot;
}

/* The mean of an array over the n bodies of galaxy g. */
static void mean_of(const double (*array)[3], size_t n, int g, double mean[3])
{
    mean[0] = mean[1] = mean[2] = 0;
    for (size_t i = (size_t)g * n; i < (size_t)(g + 1) * n; i++)
        for (int c = 0; c < 3; c++)
            mean[c] += array[i][c] / (double)n;
}

static void galaxies_stand_on_their_orbit(void **state)
{
    (void)state;
    enum { EACH = 500 };
    static const char *const names[] = {"figure8", "super8"};
    for (int k = 0; k < 2; k++) {
        const int count = 3 + k;
        const char *const words[] = {"galaxy-radius=0.07", "size=2", NULL};
        struct ky_snapshot s = made(names[k], (size_t)count * EACH, words);
        double kappa = 0, radius[EACH];
        for (int g = 0; g < count; g++) {
            double x[3];
            mean_of((const double(*)[3])s.bodies.position, EACH, g, x);
            for (size_t i = 0; i < EACH; i++) {
                const double *at = s.bodies.position[(size_t)g * EACH + i];
                radius[i] = sqrt(pow(at[0] - x[0], 2) + pow(at[1] - x[1], 2) + pow(at[2], 2));
                kappa += radius[i] * radius[i] / (count * EACH);
                assert_between(s.bodies.mass[i], (1 - 1e-12) / (count * EACH),
                               (1 + 1e-12) / (count * EACH));
            }
            qsort(radius, EACH, sizeof *radius, ky_order_reals);
            assert_between(radius[EACH / 2], 0.065, 0.075);
            assert_true(radius[EACH - 1] < 0.3);
        }
        const struct ky_dance_law law = {0.01, kappa};
        struct ky_dance dance;
        assert_ok(ky_dance_solve(count, 2, &law, &dance, &error));
        for (int g = 0; g < count; g++) {
            double x[3], v[3];
            mean_of((const double(*)[3])s.bodies.position, EACH, g, x);
            mean_of((const double(*)[3])s.bodies.velocity, EACH, g, v);
            for (int c = 0; c < 2; c++) {
                assert_between(x[c] - dance.x[g][c], -1e-4, 1e-4);
                assert_between(v[c] - dance.v[g][c] / sqrt(count), -1e-4, 1e-4);
            }
        }
        ky_snapshot_free(&s);
    }
}

/* The potential of two thin shells of radius s. At the distance r the first one has −(√((r + s)² +
 * ε²) − √((r − s)² + ε²))/(2 r s). The mean of this over the second shell is a second difference of
 * ∫ √(x² + ε²) dx. The law for points is ten times as far off. */
static double primitive(double x, double eps)
{
    return (x * hypot(x, eps) + eps * eps * asinh(x / eps)) / 2;
}

static double shells(double d, double s, double eps)
{
    return -(primitive(d + 2 * s, eps) - 2 * primitive(d, eps) + primitive(d - 2 * s, eps)) /
           (4 * d * s * s);
}

static void the_law_is_that_of_spheres(void **state)
{
    (void)state;
    const double eps = 0.1, s = 0.06, h = 1e-4;
    for (double d = 0.6; d < 2; d += 0.2) {
        const double pull = (shells(d + h, s, eps) - shells(d - h, s, eps)) / (2 * h),
                     s2 = d * d + eps * eps, point = d / (s2 * sqrt(s2)),
                     law = point * (1 - 5 * s * s * eps * eps / (s2 * s2));
        assert_between(law / pull - 1, -1e-4, 1e-4);
        assert_true(fabs(point - pull) > 10 * fabs(law - pull));
    }
    /* ky_dance_go follows this law: two bodies fall from rest. */
    const struct ky_dance_law law = {eps * eps, s * s};
    struct ky_dance pair = {2, {{0, 0}, {0.6, 0}}, {{0, 0}, {0, 0}}, 0};
    const double pull = (shells(0.6 + h, s, eps) - shells(0.6 - h, s, eps)) / (2 * h);
    ky_dance_go(&pair, &law, 1e-3, 1);
    assert_between(pair.v[0][0] / (1e-3 * pull), 1 - 1e-4, 1 + 1e-4);
}

/* Follows the model in leap-frog steps of about 1/64, as in the paper. Returns the largest distance
 * of a galaxy's centre from where it began, at the end of any period. */
static double wander(const char *name, size_t n, const char *const *words, double size, int periods)
{
    struct ky_snapshot s = made(name, n, words);
    struct ky_parameters p;
    struct ky_sim *sim = NULL;
    const int count = name[0] == 'f' ? 3 : 4;
    const double period = solved(count, size, 0.1).period * sqrt(count);
    const uint64_t steps = (uint64_t)(64 * period);
    double start[4][3], at[3], worst = 0;
    for (int g = 0; g < count; g++)
        mean_of((const double(*)[3])s.bodies.position, n / (size_t)count, g, start[g]);
    ky_parameters_defaults(&p);
    p.engine = "cpu";
    p.force = KY_DIRECT;
    p.precision = KY_SINGLE;
    p.softening = 0.1;
    p.step = period / (double)steps;
    assert_ok(ky_sim_open(&p, &s.bodies, 0, &sim, &error));
    for (int k = 0; k < periods; k++) {
        assert_ok(ky_sim_advance(sim, steps, &error));
        assert_ok(ky_sim_bodies(sim, &s.bodies, &error));
        for (int g = 0; g < count; g++) {
            mean_of((const double(*)[3])s.bodies.position, n / (size_t)count, g, at);
            worst = fmax(worst, hypot(at[0] - start[g][0], at[1] - start[g][1]));
        }
    }
    print_message("# %s of %zu bodies: %.4f after %d periods\n", name, n, worst, periods);
    ky_sim_close(sim);
    ky_snapshot_free(&s);
    return worst;
}

/* Galaxies of few bodies have to be small, because the noise of their shapes grows along the
 * orbit. */
static void galaxies_keep_their_orbit(void **state)
{
    (void)state;
    const char *const three[] = {"galaxy-radius=0.02", NULL};
    assert_between(wander("figure8", 300, three, 1, 10), 0, 0.1);
    assert_between(wander("super8", 400, NULL, 2, 1), 0, 0.2); /* an unstable orbit */
}

/* ---- random ---- */

static void random_speeds_are_uniform_in_a_sphere(void **state)
{
    (void)state;
    struct ky_snapshot s = made("random", 0, NULL);
    const size_t n = s.bodies.n;
    double most = 0, v2 = 0, *cube = malloc(n * sizeof *cube);
    assert_int_equal(n, 100000);
    assert_true(s.softening == 0.01);
    for (size_t i = 0; i < n; i++) {
        const double *v = s.bodies.velocity[i], own = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        most = fmax(most, own);
        v2 += own / (double)n;
        cube[i] = pow(own, 1.5);
    }
    /* without softening ⟨v²⟩ = |W| = 1/2, and ε is 1 % of the radius */
    assert_between(v2, 0.495, 0.502);
    assert_between(most, 1 / 1.2 - 0.01, 1 / 1.2 + 0.01);
    qsort(cube, n, sizeof *cube, ky_order_reals);
    for (size_t i = 0; i < n; i++) /* Kolmogorov's test */
        assert_between(cube[i] / pow(5 * v2 / 3, 1.5) - (double)i / (double)n, -0.01, 0.01);
    free(cube);
    ky_snapshot_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_softening_they_are_the_known_ones),
        cmocka_unit_test(bodies_follow_each_other),
        cmocka_unit_test(the_solved_figure_eight_lasts_and_the_known_one_does_not),
        cmocka_unit_test(too_large_a_softening_is_refused),
        cmocka_unit_test(galaxies_stand_on_their_orbit),
        cmocka_unit_test(the_law_is_that_of_spheres),
        cmocka_unit_test(galaxies_keep_their_orbit),
        cmocka_unit_test(random_speeds_are_uniform_in_a_sphere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
