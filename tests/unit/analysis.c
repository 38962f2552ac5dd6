/* Density centre, Lagrangian radii, scales and error statistics. */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "analysis/analysis.h"
#include "base/order.h"
#include "base/random.h"

static struct ky_error error;

static struct ky_bodies plummer(uint64_t n)
{
    struct ky_model_parameters parameters;
    struct ky_snapshot snapshot;
    ky_model_parameters_defaults(&parameters);
    parameters.n = n;
    assert_ok(ky_model_make("plummer", &parameters, &snapshot, &error));
    return snapshot.bodies;
}

static void shift(struct ky_bodies *bodies, double by)
{
    for (size_t i = 0; i < bodies->n; i++)
        for (int k = 0; k < 3; k++)
            bodies->position[i][k] += by * (k + 1);
}

/* Casertano & Hut's sum as it is published, in N² log N operations. */
static void plain_density_centre(const struct ky_bodies *bodies, double centre[3])
{
    double total = 0, sum[3] = {0};
    double(*near)[2] = malloc(bodies->n * sizeof *near);
    for (size_t i = 0; i < bodies->n; i++) {
        for (size_t j = 0; j < bodies->n; j++) {
            near[j][0] = 0;
            near[j][1] = bodies->mass[j];
            for (int k = 0; k < 3; k++)
                near[j][0] += pow(bodies->position[j][k] - bodies->position[i][k], 2);
        }
        near[i][0] = -1;
        qsort(near, bodies->n, sizeof *near, ky_order_reals);
        double density = 0;
        for (int j = 1; j <= 5; j++)
            density += near[j][1];
        density /= pow(near[6][0], 1.5);
        total += density;
        for (int k = 0; k < 3; k++)
            sum[k] += density * bodies->position[i][k];
    }
    for (int k = 0; k < 3; k++)
        centre[k] = sum[k] / total;
    free(near);
}

static void density_centre_is_the_sum_of_its_paper(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {7, 8, 9, 20, 100, 777};
    for (int s = 0; s < 6; s++) {
        struct ky_bodies bodies = plummer(sizes[s]);
        double centre[3], plain[3];
        for (size_t i = 0; i < bodies.n; i++)
            bodies.mass[i] *= 1 + (double)(i % 7);
        shift(&bodies, 1);
        assert_ok(ky_density_centre(&bodies, centre, &error));
        plain_density_centre(&bodies, plain);
        for (int k = 0; k < 3; k++)
            assert_between(centre[k] - plain[k], -1e-11, 1e-11);
        ky_bodies_free(&bodies);
    }
}

/* Moving a tenth of the bodies away shifts the centre of mass, and not the density centre. */
static void density_centre_ignores_a_far_clump(void **state)
{
    (void)state;
    struct ky_bodies bodies = plummer(20000);
    double centre[3];
    for (size_t i = 0; i < 2000; i++)
        for (int k = 0; k < 3; k++)
            bodies.position[i][k] = 30 + 3 * bodies.position[i][k];
    assert_ok(ky_density_centre(&bodies, centre, &error));
    for (int k = 0; k < 3; k++)
        assert_between(centre[k], -0.3, 0.3);
    ky_bodies_free(&bodies);
}

static void density_centre_of_odd_systems(void **state)
{
    (void)state;
    struct ky_bodies bodies = plummer(5000), few = bodies, none = {0};
    double centre[3], again[3];
    assert_int_equal(ky_density_centre(&none, centre, &error), KY_BAD_DATA);
    few.n = 1;
    assert_ok(ky_density_centre(&few, centre, &error));
    assert_memory_equal(centre, bodies.position[0], sizeof centre);
    few.n = 2;
    assert_ok(ky_density_centre(&few, centre, &error));
    assert_between(centre[0] - 0.5 * (bodies.position[0][0] + bodies.position[1][0]), -1e-15,
                   1e-15);
    for (size_t i = 0; i < 3000; i++) /* a line, then a point: infinite density there */
        bodies.position[i][0] = bodies.position[i][1] = 0;
    assert_ok(ky_density_centre(&bodies, centre, &error));
    assert_true(isfinite(centre[0]) && isfinite(centre[1]) && isfinite(centre[2]));
    for (size_t i = 0; i < 3000; i++)
        for (int k = 0; k < 3; k++)
            bodies.position[i][k] = 7;
    assert_ok(ky_density_centre(&bodies, centre, &error));
    for (int k = 0; k < 3; k++)
        assert_between(centre[k], 7, 7);
    for (size_t i = 0; i < bodies.n; i++) /* without mass: the plain mean */
        bodies.mass[i] = 0;
    assert_ok(ky_density_centre(&bodies, again, &error));
    assert_between(again[0], 4, 4.4);
    bodies.position[4000][2] = (double)NAN;
    assert_int_equal(ky_density_centre(&bodies, again, &error), KY_BAD_DATA);
    assert_non_null(strstr(error.text, "body 4000"));
    ky_bodies_free(&bodies);
}

static void analysis_does_not_depend_on_threads(void **state)
{
    (void)state;
#ifdef _OPENMP
    struct ky_bodies bodies = plummer(150000);
    struct ky_scales scales[3] = {{0}};
    int threads = omp_get_max_threads();
    for (int t = 0; t < 3; t++) {
        omp_set_num_threads(t + 1);
        memset(&scales[t], 0, sizeof scales[t]);
        scales[t].size = sizeof scales[t];
        assert_ok(ky_system_scales(&bodies, 1, 0.01, &scales[t], &error));
        assert_memory_equal(&scales[0], &scales[t], sizeof scales[0]);
    }
    omp_set_num_threads(threads);
    ky_bodies_free(&bodies);
#else
    skip();
#endif
}

static int outwards(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

/* Compares radii with those of sorted bodies, in orders that are bad for a selection, with ties and
 * unequal masses. The masses are small whole numbers, so that sums are exact in any order. */
static void compare_with_sorted(size_t n, int order)
{
    enum { K = 40 };
    struct ky_bodies bodies = plummer(n);
    double fractions[K], radii[K], centre[3] = {0.1, 0, -0.2}, total = 0, inside = 0;
    double(*sorted)[2] = malloc(n * sizeof *sorted);
    for (size_t i = 0; i < n; i++) {
        double x[] = {(double)i, (double)(n - i), (double)(i % 7), 3,
                      (double)(i < n / 2 ? i : n - i)};
        if (order < 5)
            memset(bodies.position[i], 0, sizeof bodies.position[i]);
        if (order < 5)
            bodies.position[i][0] = x[order];
        bodies.mass[i] = i % 5 ? (double)(1 + i % 3) : 0;
        sorted[i][0] = 0;
        for (int k = 0; k < 3; k++)
            sorted[i][0] += pow(bodies.position[i][k] - centre[k], 2);
        sorted[i][1] = bodies.mass[i];
        total += bodies.mass[i];
    }
    for (int k = 0; k < K; k++)
        fractions[k] = k / (K - 1.0);
    qsort(sorted, n, sizeof sorted[0], outwards);
    assert_ok(ky_lagrangian_radii(&bodies, centre, K, fractions, radii, &error));
    assert_true(radii[0] == 0);
    for (long k = 1, i = -1; k < K; k++) {
        while (inside < fractions[k] * total * (1 - 1e-12))
            inside += sorted[++i][1];
        if (radii[k] != sqrt(sorted[i][0]))
            fail_msg("%zu bodies, order %d, fraction %g: %.17g, not %.17g", n, order, fractions[k],
                     radii[k], sqrt(sorted[i][0]));
    }
    free(sorted);
    ky_bodies_free(&bodies);
}

static void lagrangian_radii_are_those_of_sorted_bodies(void **state)
{
    (void)state;
    static const int of_many[] = {0, 2, 5};
    for (int order = 0; order < 6; order++)
        compare_with_sorted(3000, order);
    for (size_t k = 0; k < 3; k++) /* many bodies go into bins first */
        compare_with_sorted(((size_t)1 << 20) + k, of_many[k]);
}

/* The centre of a sample is near the centre of all bodies, also if there are massless bodies or
 * pairs, or if the bodies are sorted by radius. */
static void scales_of_many_bodies_come_from_a_sample(void **state)
{
    (void)state;
    struct ky_bodies bodies = plummer(150000);
    struct ky_scales all = {0}, scales = {0};
    double centre[3], r2;
    for (size_t i = 0; i < bodies.n; i += 2) { /* every other body far away, without mass */
        bodies.mass[i] = 0;
        bodies.position[i][0] += 100;
    }
    assert_ok(ky_density_centre(&bodies, centre, &error));
    assert_ok(ky_system_scales(&bodies, 1, (double)NAN, &scales, &error));
    r2 = pow(scales.centre[0] - centre[0], 2) + pow(scales.centre[1] - centre[1], 2);
    assert_between(sqrt(r2), 1e-9, 0.02);
    assert_between(scales.half_mass_radius, 0.76, 0.78);
    bodies.n = 60000; /* so few are all taken */
    assert_ok(ky_system_scales(&bodies, 1, (double)NAN, &all, &error));
    assert_ok(ky_density_centre(&bodies, centre, &error));
    assert_memory_equal(centre, all.centre, sizeof centre);
    ky_bodies_free(&bodies);
}

static void lagrangian_radii_of_a_row(void **state)
{
    (void)state;
    struct ky_bodies bodies = {0};
    assert_ok(ky_bodies_allocate(&bodies, 11, 0, &error));
    for (size_t i = 0; i < 10; i++) {
        bodies.mass[i] = 0.1;
        bodies.position[i][1] = 3 + (i % 2 ? 1.0 : -1.0) * (double)(10 - i);
    }
    bodies.position[10][1] = 1000; /* without mass */
    const double centre[3] = {0, 3, 0}, fractions[] = {0, 0.01, 0.1, 0.11, 0.5, 0.9, 1};
    static const double expected[] = {0, 1, 1, 2, 5, 9, 10};
    double radii[7];
    assert_ok(ky_lagrangian_radii(&bodies, centre, 7, fractions, radii, &error));
    for (int k = 0; k < 7; k++)
        assert_between(radii[k], expected[k] - 1e-14, expected[k] + 1e-14);
    const double wrong[] = {0.5, 0.1}, beyond[] = {1.5};
    assert_int_equal(ky_lagrangian_radii(&bodies, centre, 2, wrong, radii, &error), KY_USAGE);
    assert_int_equal(ky_lagrangian_radii(&bodies, centre, 1, beyond, radii, &error), KY_USAGE);
    assert_int_equal(ky_lagrangian_radii(&bodies, centre, 7, NULL, radii, &error), KY_USAGE);
    assert_int_equal(ky_lagrangian_radii(&bodies, centre, 7, fractions, NULL, &error), KY_USAGE);
    bodies.position[10][1] = (double)NAN;
    assert_int_equal(ky_lagrangian_radii(&bodies, centre, 7, fractions, radii, &error),
                     KY_BAD_DATA);
    bodies.position[10][1] = 1000;
    memset(bodies.mass, 0, 11 * sizeof *bodies.mass);
    assert_int_equal(ky_lagrangian_radii(&bodies, centre, 7, fractions, radii, &error),
                     KY_BAD_DATA);
    ky_bodies_free(&bodies);
}

/* M(r) = (1 + a²/r²)^(−3/2) with a = 3π/16. The relative noise of a radius is about 1/√(N
 * fraction). */
static void lagrangian_radii_of_a_plummer_sphere(void **state)
{
    (void)state;
    struct ky_bodies bodies = plummer(40000);
    double centre[3], radii[KY_LAGRANGIAN_FRACTIONS];
    assert_ok(ky_density_centre(&bodies, centre, &error));
    for (int k = 0; k < 3; k++)
        assert_between(centre[k], -0.03, 0.03);
    assert_ok(ky_lagrangian_radii(&bodies, centre, KY_LAGRANGIAN_FRACTIONS, ky_lagrangian_fractions,
                                  radii, &error));
    for (int k = 0; k < KY_LAGRANGIAN_FRACTIONS; k++) {
        double fraction = ky_lagrangian_fractions[k];
        double exact = 3 * acos(-1.0) / 16 / sqrt(pow(fraction, -2.0 / 3) - 1);
        double noise = 3 / sqrt(40000 * fraction) + 0.005;
        assert_between(radii[k] / exact, 1 - noise, 1 + noise);
    }
    ky_bodies_free(&bodies);
}

static void scales_of_a_plummer_sphere(void **state)
{
    (void)state;
    struct ky_bodies bodies = plummer(40000);
    struct ky_scales scales = {0};
    assert_ok(ky_system_scales(&bodies, 1, (double)NAN, &scales, &error));
    /* r_h = 0.766 a 1.305…; 2T = 1/2 */
    assert_between(scales.half_mass_radius, 0.755, 0.78);
    assert_between(scales.velocity_dispersion, 0.70, 0.715);
    assert_between(scales.speed, scales.velocity_dispersion, 0.73);
    assert_between(scales.crossing_time, 2.08, 2.2);
    /* 0.138 × 40000 × 0.769^1.5/ln 4400 = 443.7 */
    assert_between(scales.relaxation_time, 430, 455);
    assert_between(scales.softening, 0.0355, 0.0378); /* 0.58 N^−0.26 = 0.0369 */
    assert_between(scales.step, 0.0078125, 0.0078125);
    assert_ok(ky_system_scales(&bodies, 1, 0.1, &scales, &error));
    assert_between(scales.step, 0.03125, 0.03125);
    /* Other units of time: G = 100, and ten times the speed. */
    struct ky_scales fast = {0};
    for (size_t i = 0; i < bodies.n; i++)
        for (int k = 0; k < 3; k++)
            bodies.velocity[i][k] = 10 * bodies.velocity[i][k] + 3;
    assert_ok(ky_system_scales(&bodies, 100, 0.1, &fast, &error));
    assert_between(fast.crossing_time / scales.crossing_time, 0.1 - 1e-12, 0.1 + 1e-12);
    assert_between(fast.relaxation_time / scales.relaxation_time, 0.1 - 1e-12, 0.1 + 1e-12);
    assert_int_equal(ky_system_scales(&bodies, 0, 0.1, &fast, &error), KY_USAGE);
    memset(bodies.mass, 0, bodies.n * sizeof *bodies.mass);
    assert_int_equal(ky_system_scales(&bodies, 1, 0.1, &fast, &error), KY_BAD_DATA);
    ky_bodies_free(&bodies);
}

/* The recommended step follows from random speeds. Expansion, rotation and the fall of a part are
 * not among them. One escaper changes nothing, and is named. */
static void steps_follow_random_speeds(void **state)
{
    (void)state;
    struct ky_bodies bodies = plummer(4000);
    struct ky_scales quiet = {.size = sizeof quiet}, scales = {.size = sizeof scales};
    assert_ok(ky_system_scales(&bodies, 1, 0.01, &quiet, &error));
    assert_between(quiet.random_speed / quiet.velocity_dispersion, 0.9, 1);
    assert_int_equal(quiet.escapers, 0);
    double *own = bodies.velocity[17], kept = own[1];
    own[1] = -1e6;
    assert_ok(ky_system_scales(&bodies, 1, 0.01, &scales, &error));
    assert_true(scales.step == quiet.step && scales.escapers == 1 && scales.fastest == 17);
    assert_between(scales.random_speed / quiet.random_speed, 0.97, 1.03);
    assert_between(scales.crossing_time / quiet.crossing_time, 0.99, 1.01);
    own[1] = kept;
    for (size_t i = 0; i < bodies.n; i++) { /* an expansion and a rotation */
        double *v = bodies.velocity[i], *x = bodies.position[i];
        for (int c = 0; c < 3; c++)
            v[c] = 0.01 * v[c] + 2 * x[c] + (c == 0 ? -3 * x[1] : c == 1 ? 3 * x[0] : 0);
    }
    assert_ok(ky_system_scales(&bodies, 1, 0.01, &scales, &error));
    assert_between(scales.random_speed / quiet.random_speed, 0.009, 0.011);
    assert_true(scales.velocity_dispersion > 3);
    assert_between(scales.step, scales.crossing_time / 128, scales.crossing_time / 64);
    for (size_t i = 0; i < bodies.n; i++)
        for (int c = 0; c < 3; c++)
            bodies.velocity[i][c] = c == 2 && i % 4 == 0 ? -50 : 0,
            bodies.position[i][c] += c == 2 && i % 4 == 0 ? 100 : 0;
    assert_ok(ky_system_scales(&bodies, 1, 0.01, &scales, &error)); /* a quarter falls */
    assert_between(scales.random_speed, 0, 1e-9);
    memset(bodies.position, 0, bodies.n * sizeof *bodies.position);
    assert_ok(ky_system_scales(&bodies, 1, 0.01, &scales, &error));
    assert_true(isfinite(scales.step) && isfinite(scales.random_speed));
    ky_bodies_free(&bodies);
}

/* Vectors that are linear in the position leave nothing, also in a plane. Other vectors stay. */
static void linear_parts_are_taken_away(void **state)
{
    (void)state;
    enum { N = 50 };
    for (int flat = 0; flat < 2; flat++) {
        double x[N][3], v[N][3], kept[N];
        for (int k = 0; k < N; k++) {
            struct ky_random random = ky_random_at(3, 0, (uint64_t)k);
            for (int c = 0; c < 3; c++)
                x[k][c] = 1e3 + (flat && c == 2 ? 0 : ky_random_uniform(&random));
            for (int c = 0; c < 3; c++)
                v[k][c] = 7 + c + 3 * x[k][c] - 2 * x[k][(c + 1) % 3];
            kept[k] = k % 2 ? 1e-3 : -1e-3;
        }
        double again[N][3], places[N][3];
        memcpy(again, v, sizeof v), memcpy(places, x, sizeof x);
        ky_subtract_linear(N, x, v);
        assert_between(ky_rms(N, (const double(*)[3])v), 0, 1e-6);
        for (int k = 0; k < N; k++)
            again[k][1] += kept[k];
        ky_subtract_linear(N, places, again);
        assert_between(ky_rms(N, (const double(*)[3])again), 0.85e-3, 1e-3);
    }
    assert_between(ky_rms(0, NULL), 0, 0);
    const double small[2][3] = {{3e-200, 0, 4e-200}, {0, 5e-200, 0}},
                 large[2][3] = {{3e200, 0, 4e200}, {0, -5e200, 0}};
    assert_between(ky_rms(2, small), 4.999e-200, 5.001e-200);
    assert_between(ky_rms(2, large), 4.999e200, 5.001e200);
}

/* Without softening the recommended step is 1/32 of √(q³/(G m)), with the pericentre q of the only
 * binary. It is the same with any number of bodies farther away and in any unit of time, and
 * follows from the free fall of bodies at rest. */
static void step_without_softening(void **state)
{
    (void)state;
    struct ky_scales scales = {0};
    struct ky_snapshot pair;
    struct ky_model_parameters parameters;
    static const double eccentricities[] = {0, 0.5, 0.9};
    for (int k = 0; k < 3; k++) {
        ky_model_parameters_defaults(&parameters);
        parameters.eccentricity = eccentricities[k];
        parameters.mass_ratio = 0.3;
        assert_ok(ky_model_make("two-body", &parameters, &pair, &error));
        double t = pow(1 - eccentricities[k], 1.5) / 32;
        assert_ok(ky_system_scales(&pair.bodies, 1, 0, &scales, &error));
        assert_between(scales.step, t / 2, t * (1 + 1e-9));
        ky_snapshot_free(&pair);
    }
    struct ky_bodies bodies = plummer(1000);
    double least = (double)INFINITY;
    for (size_t i = 0; i < bodies.n; i++)
        for (size_t j = 0; j < i; j++) {
            double r2 = 0;
            for (int k = 0; k < 3; k++)
                r2 += pow(bodies.position[i][k] - bodies.position[j][k], 2);
            least = fmin(least, sqrt(r2 * sqrt(r2) * 1000 / 2)); /* m = 2/1000 */
        }
    memset(bodies.velocity, 0, bodies.n * sizeof *bodies.velocity);
    assert_ok(ky_system_scales(&bodies, 1, 0, &scales, &error));
    assert_between(scales.step, least / 64, least / 32);
    assert_ok(ky_system_scales(&bodies, 1e4, 0, &scales, &error));
    assert_between(scales.step, least / 6400, least / 3200);
    memset(bodies.position, 0, bodies.n * sizeof *bodies.position);
    assert_ok(ky_system_scales(&bodies, 1, 0, &scales, &error));
    assert_between(scales.step, 0, 0);
    ky_bodies_free(&bodies);
}

/* A cold system has the crossing time of the speed that it will reach. A single body with mass has
 * no scale, and its numbers are finite. */
static void scales_of_cold_and_single_bodies(void **state)
{
    (void)state;
    struct ky_bodies bodies = plummer(1000);
    struct ky_scales scales = {0};
    memset(bodies.velocity, 0, bodies.n * sizeof *bodies.velocity);
    assert_ok(ky_system_scales(&bodies, 1, (double)NAN, &scales, &error));
    assert_between(scales.velocity_dispersion, 0, 0);
    assert_between(scales.crossing_time, 2, 2.5);
    bodies.n = 1;
    assert_ok(ky_system_scales(&bodies, 1, (double)NAN, &scales, &error));
    assert_between(scales.half_mass_radius, 0, 0);
    assert_between(scales.crossing_time, 0, 0);
    assert_between(scales.relaxation_time, 0, 0);
    assert_between(scales.softening, 0, 0);
    assert_between(scales.step, 0, 0);
    bodies.n = 3; /* the centre has a rounding error */
    bodies.mass[0] = 3;
    bodies.mass[1] = bodies.mass[2] = 0;
    bodies.position[0][0] = 0.1;
    assert_ok(ky_system_scales(&bodies, 1, (double)NAN, &scales, &error));
    assert_between(scales.half_mass_radius, 0, 0);
    assert_between(scales.crossing_time, 0, 0);
    ky_bodies_free(&bodies);
}

static void error_statistics(void **state)
{
    (void)state;
    enum { N = 200 };
    double values[N][3] = {{0}}, references[N][3] = {{0}}, numbers[3] = {-1.1, 2, 0},
           exact[3] = {-1, 2, 0};
    struct ky_error_statistics statistics;
    for (int i = 0; i < N; i++) { /* errors 1 … 200 in units of 1e-3, in a scattered order */
        int e = i * 77 % N + 1;
        references[i][1] = 3;
        references[i][2] = 4;
        values[i][0] = 5e-3 * e;
        values[i][1] = 3;
        values[i][2] = 4;
    }
    assert_ok(ky_vector_errors(N, values, references, &statistics, &error));
    assert_between(statistics.median, 0.1 - 1e-12, 0.1 + 1e-12);
    assert_between(statistics.p90, 0.18 - 1e-12, 0.18 + 1e-12);
    assert_between(statistics.p99, 0.198 - 1e-12, 0.198 + 1e-12);
    assert_between(statistics.max, 0.2 - 1e-12, 0.2 + 1e-12);
    double rms = 1e-3 * sqrt(201.0 * 401 / 6); /* Σ k² = n(n + 1)(2n + 1)/6 */
    assert_between(statistics.rms, rms - 1e-12, rms + 1e-12);
    assert_between(statistics.mean, 1e-3 * 100.5 - 1e-12, 1e-3 * 100.5 + 1e-12);
    assert_int_equal(statistics.samples, N);
    assert_ok(ky_scalar_errors(3, numbers, exact, &statistics, &error));
    assert_between(statistics.max, 0.1 - 1e-12, 0.1 + 1e-12);
    assert_between(statistics.median, 0, 0);
    numbers[2] = sqrt(5.0 / 3); /* a reference of 0: in units of the rms of all */
    assert_ok(ky_scalar_errors(3, numbers, exact, &statistics, &error));
    assert_between(statistics.max, 1 - 1e-12, 1 + 1e-12);
    numbers[1] = (double)NAN;
    assert_int_equal(ky_scalar_errors(3, numbers, exact, &statistics, &error), KY_BAD_DATA);
    assert_non_null(strstr(error.text, "sample 1"));
    assert_int_equal(ky_scalar_errors(0, numbers, exact, &statistics, &error), KY_USAGE);
}

static void virial_ratio(void **state)
{
    (void)state;
    struct ky_sums sums = {.kinetic = 0.25, .virial = -0.4};
    assert_between(ky_virial_ratio(&sums), 1.25 - 1e-15, 1.25 + 1e-15);
    sums.mass = 2; /* all move with (3, 0, −4): T is 25 larger */
    sums.momentum[0] = 6, sums.momentum[2] = -8, sums.kinetic += 25;
    assert_between(ky_virial_ratio(&sums), 1.25 - 1e-13, 1.25 + 1e-13);
    sums.virial = 0;
    assert_true(isnan(ky_virial_ratio(&sums)));
}

/* The sample of few bodies is all of them, so that its density centre is the same. */
static void a_sampled_centre_is_near_the_other(void **state)
{
    (void)state;
    struct ky_bodies bodies = plummer(2000), none = {0};
    double centre[3], sampled[3];
    shift(&bodies, 2);
    assert_ok(ky_density_centre(&bodies, centre, &error));
    assert_ok(ky_sampled_centre(&bodies, sampled, &error));
    for (int k = 0; k < 3; k++)
        assert_between(sampled[k] - centre[k], -1e-12, 1e-12);
    assert_int_equal(ky_sampled_centre(&none, sampled, &error), KY_BAD_DATA);
    assert_int_equal(ky_sampled_centre(NULL, sampled, &error), KY_USAGE);
    assert_int_equal(ky_sampled_centre(&bodies, NULL, &error), KY_USAGE);
    ky_bodies_free(&bodies);
}

/* ---- ky_forces_check ---- */

/* A coarse opening, for the errors of a small sphere. */
static struct ky_parameters coarse(void)
{
    struct ky_parameters parameters;
    ky_parameters_defaults(&parameters);
    parameters.engine = "cpu";
    parameters.threads = 1;
    parameters.softening = 0.05;
    parameters.theta = 1;
    return parameters;
}

static void forces_are_measured(void **state)
{
    (void)state;
    enum { N = 500 };
    const struct ky_parameters parameters = coarse();
    struct ky_bodies bodies = plummer(N);
    struct ky_force_report report = {0};
    struct ky_sums sums = {0};
    struct ky_parameters resolved, exact = parameters;
    struct ky_check_parameters wanted;
    struct ky_check_results results = {0}, again = {0};
    ky_parameters_defaults(&resolved);
    ky_check_parameters_defaults(&wanted);
    assert_ok(ky_forces_check(&parameters, &bodies, NULL, NULL, &error)); /* no results wanted */
    wanted.repeat = 2;
    wanted.samples = 2 * N; /* all */
    wanted.report = &report;
    wanted.sums = &sums;
    wanted.resolved = &resolved;
    assert_ok(ky_forces_check(&parameters, &bodies, &wanted, &results, &error));
    assert_null(bodies.acceleration);
    assert_int_equal(results.acceleration.samples, N);
    assert_between(results.acceleration.median, 1e-5, 0.02);
    assert_true(results.acceleration.p90 >= results.acceleration.median);
    assert_true(results.acceleration.max >= results.acceleration.p99 && results.of_rms > 0);
    assert_between(results.of_peculiar / results.of_rms, 1, 10);
    assert_true(results.potential.max > 0 && results.potential.max < 0.1);
    assert_true(report.total > 0 && report.cell_interactions > 0);
    assert_between(ky_virial_ratio(&sums), 0.8, 1.2);
    assert_between(ky_total_energy(&sums), -0.3, -0.2);
    assert_true(resolved.opening == KY_OFFSET && resolved.precision == KY_SINGLE);
    wanted.fill = 1;
    wanted.samples = 0;
    assert_ok(ky_forces_check(&parameters, &bodies, &wanted, &again, &error));
    assert_true(bodies.acceleration && bodies.potential && bodies.potential[N - 1] < 0);
    assert_int_equal(again.acceleration.samples, 0);
    exact.force = KY_DIRECT;
    exact.theta = (double)NAN;
    wanted = (struct ky_check_parameters){.size = sizeof wanted, .repeat = 1, .samples = 100};
    wanted.release = 1;
    assert_ok(ky_forces_check(&exact, &bodies, &wanted, &results, &error));
    assert_true(bodies.n == N && !bodies.mass && !bodies.acceleration);
    assert_true(results.acceleration.samples == 100 && results.acceleration.max < 1e-5);
}

static void wrong_measurements_are_refused(void **state)
{
    (void)state;
    const struct ky_parameters parameters = coarse();
    struct ky_parameters no_softening = parameters;
    struct ky_bodies bodies = plummer(4), none = {0};
    struct ky_check_parameters wanted;
    struct ky_check_results results = {0};
    ky_check_parameters_defaults(&wanted);
    wanted.fill = wanted.release = 1;
    assert_int_equal(ky_forces_check(&parameters, &bodies, &wanted, &results, &error), KY_USAGE);
    ky_check_parameters_defaults(&wanted);
    wanted.repeat = 0;
    assert_int_equal(ky_forces_check(&parameters, &bodies, &wanted, &results, &error), KY_USAGE);
    ky_check_parameters_defaults(&wanted);
    wanted.size = 1;
    assert_int_equal(ky_forces_check(&parameters, &bodies, &wanted, &results, &error), KY_USAGE);
    wanted.size = sizeof wanted;
    no_softening.softening = (double)NAN;
    assert_int_equal(ky_forces_check(&no_softening, &bodies, &wanted, &results, &error), KY_USAGE);
    assert_int_equal(ky_forces_check(NULL, &bodies, &wanted, &results, &error), KY_USAGE);
    assert_int_equal(ky_forces_check(&parameters, NULL, &wanted, &results, &error), KY_USAGE);
    wanted.samples = 10;
    struct ky_bodies without = {.n = 3}; /* without arrays, as after `release` */
    assert_int_equal(ky_forces_check(&parameters, &without, &wanted, &results, &error), KY_USAGE);
    assert_ok(ky_forces_check(&parameters, &none, &wanted, &results, &error));
    assert_int_equal(results.acceleration.samples, 0);
    bodies.position[1][0] = (double)NAN;
    assert_int_equal(ky_forces_check(&parameters, &bodies, &wanted, &results, &error), KY_BAD_DATA);
    ky_bodies_free(&bodies);
}

static void memory_of_a_measurement_grows_with_the_bodies(void **state)
{
    (void)state;
    const struct ky_parameters parameters = coarse();
    struct ky_check_parameters wanted;
    struct ky_check_memory small = {0}, large = {0}, freed = {0};
    ky_check_parameters_defaults(&wanted);
    wanted.samples = 1;
    assert_ok(ky_forces_memory(&parameters, 1000, &wanted, &small, &error));
    assert_ok(ky_forces_memory(&parameters, 1000000, &wanted, &large, &error));
    wanted.release = 1;
    assert_ok(ky_forces_memory(&parameters, 1000000, &wanted, &freed, &error));
    assert_true(small.host > 1000 * 56 && large.host > 1e6 * 56 && large.device == 0);
    assert_true(freed.host < large.host);
    assert_ok(ky_forces_memory(&parameters, 0, NULL, NULL, &error));
    wanted.fill = 1;
    assert_int_equal(ky_forces_memory(&parameters, 1, &wanted, &small, &error), KY_USAGE);
    assert_int_equal(ky_forces_memory(NULL, 1, NULL, &small, &error), KY_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(density_centre_is_the_sum_of_its_paper),
        cmocka_unit_test(density_centre_ignores_a_far_clump),
        cmocka_unit_test(density_centre_of_odd_systems),
        cmocka_unit_test(analysis_does_not_depend_on_threads),
        cmocka_unit_test(lagrangian_radii_are_those_of_sorted_bodies),
        cmocka_unit_test(scales_of_many_bodies_come_from_a_sample),
        cmocka_unit_test(lagrangian_radii_of_a_row),
        cmocka_unit_test(lagrangian_radii_of_a_plummer_sphere),
        cmocka_unit_test(scales_of_a_plummer_sphere),
        cmocka_unit_test(step_without_softening),
        cmocka_unit_test(steps_follow_random_speeds),
        cmocka_unit_test(linear_parts_are_taken_away),
        cmocka_unit_test(scales_of_cold_and_single_bodies),
        cmocka_unit_test(error_statistics),
        cmocka_unit_test(a_sampled_centre_is_near_the_other),
        cmocka_unit_test(forces_are_measured),
        cmocka_unit_test(wrong_measurements_are_refused),
        cmocka_unit_test(memory_of_a_measurement_grows_with_the_bodies),
        cmocka_unit_test(virial_ratio),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
