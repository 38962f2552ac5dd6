/* Fields at points with softenings of their own, and tidal tensors: against sums, differences, and
 * the law of gravity. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "clouds.h"
#include "engines.h"

enum { N = 2000, POINTS = 1500, TIDES = 40 };
static struct ky_error error;

static struct ky_parameters parameters_for(int e, int force, int kind)
{
    struct ky_parameters p = cloud_parameters();
    p.engine = engines[e].engine;
    p.force = force;
    p.softening_kind = kind;
    p.softening = 0.03;
    return p;
}

/* Places among the bodies, and softenings from 0 to 0.2. */
struct points {
    double x[POINTS][3], softening[POINTS], a[POINTS][3], potential[POINTS], tide[POINTS][6];
};

static struct ky_field_points points_of(struct points *own, const struct ky_bodies *bodies)
{
    for (int k = 0; k < POINTS; k++) {
        own->softening[k] = 0.05 * (k % 5);
        for (int c = 0; c < 3; c++)
            own->x[k][c] = 1.03 * bodies->position[k][c] + 0.01 * (c - 1);
    }
    return (struct ky_field_points){.size = sizeof(struct ky_field_points),
                                    .count = POINTS,
                                    .position = (const double(*)[3])own->x,
                                    .softenings = own->softening,
                                    .acceleration = own->a,
                                    .potential = own->potential};
}

/* The sum in double, with ε² of a pair by the kind, Plummer or symmetric. */
static void sum_at(const struct ky_bodies *bodies, double one, int kind, const double x[3],
                   double softening, double sum[4])
{
    memset(sum, 0, 4 * sizeof *sum);
    for (size_t j = 0; j < bodies->n; j++) {
        const double its = bodies->softening ? bodies->softening[j] : one;
        double d[3], s2 = softening * softening + (kind == KY_SYMMETRIC ? its * its : 0);
        for (int c = 0; c < 3; c++) {
            d[c] = bodies->position[j][c] - x[c];
            s2 += d[c] * d[c];
        }
        const double m = bodies->mass[j] / sqrt(s2);
        for (int c = 0; c < 3; c++)
            sum[c] += m / s2 * d[c];
        sum[3] -= m;
    }
}

static void points_have_their_own_softenings(void **state)
{
    (void)state;
    static const int forces[] = {KY_DIRECT, KY_WALK, KY_TREE, KY_FMM};
    static struct points own;
    for (int e = 0; e < engine_count; e++)
        for (int k = 0; k < 4 * 2 * 2; k++) {
            const int force = forces[k / 4], kind = k / 2 % 2 ? KY_SYMMETRIC : KY_PLUMMER;
            struct ky_parameters p = parameters_for(e, force, kind);
            struct ky_bodies bodies = cloud_make(PLUMMER, N);
            double worst = 0;
            if (k % 2) {
                assert_ok(ky_bodies_extend(&bodies, KY_WITH_SOFTENING, &error));
                cloud_softenings(bodies.softening, N);
                p.softening = (double)NAN;
            }
            const struct ky_field_points points = points_of(&own, &bodies);
            assert_ok(ky_field_fill(&p, &bodies, &points, &error));
            for (int i = 0; i < POINTS; i++) {
                double sum[4], d2 = 0, a2 = 0;
                sum_at(&bodies, p.softening, kind, own.x[i], own.softening[i], sum);
                for (int c = 0; c < 3; c++) {
                    d2 += (own.a[i][c] - sum[c]) * (own.a[i][c] - sum[c]);
                    a2 += sum[c] * sum[c];
                }
                worst = fmax(worst, fmax(sqrt(d2 / a2), fabs(own.potential[i] / sum[3] - 1)));
            }
            if (!(worst <= (force == KY_DIRECT ? 1e-4 : 3e-2)))
                fail_msg("%s, force %d, kind %d, own softenings %d: error %g", p.engine, force,
                         kind, k % 2, worst);
            ky_bodies_free(&bodies);
        }
}

static void wrong_softenings_are_refused(void **state)
{
    (void)state;
    static struct points own;
    struct ky_bodies bodies = cloud_make(PLUMMER, N);
    struct ky_parameters p = parameters_for(0, KY_DIRECT, KY_PLUMMER);
    const struct ky_field_points points = points_of(&own, &bodies);
    p.engine = "cpu";
    own.softening[7] = -1;
    assert_int_equal(ky_field_fill(&p, &bodies, &points, &error), KY_USAGE);
    own.softening[7] = (double)NAN;
    assert_int_equal(ky_field_fill(&p, &bodies, &points, &error), KY_USAGE);
    ky_bodies_free(&bodies);
}

/* ---- tidal tensors ---- */

static const char *const with_field = "plummer:mass=2,scale=0.5,x=0.3 miyamoto-nagai:mass=1,"
                                      "scale=1,height=0.2";

static struct ky_parameters tidal(int force, int kind, double softening, const char *field)
{
    struct ky_parameters p = cloud_parameters();
    p.force = force;
    p.softening_kind = kind;
    p.precision = KY_DOUBLE;
    p.theta = 0.3;
    p.softening = softening;
    p.field = field;
    return p;
}

/* Differences of accelerations over 2h, by exact sums. */
static void difference(struct ky_parameters p, const struct ky_bodies *bodies,
                       const struct ky_field_points *points, double (*tide)[6])
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    static double x[TIDES][3], a[2][TIDES][3];
    const double h = 1e-5;
    p.force = KY_DIRECT;
    for (int j = 0; j < 3; j++) {
        for (int side = 0; side < 2; side++) {
            struct ky_field_points moved = *points;
            memcpy(x, points->position, sizeof x);
            for (int k = 0; k < TIDES; k++)
                x[k][j] += side ? h : -h;
            moved.position = (const double(*)[3])x;
            moved.acceleration = a[side];
            moved.potential = NULL;
            moved.tide = NULL;
            assert_ok(ky_field_fill(&p, bodies, &moved, &error));
        }
        for (int k = 0; k < TIDES; k++)
            for (int c = 0; c < 6; c++)
                if (column[c] == j)
                    tide[k][c] = (a[1][k][row[c]] - a[0][k][row[c]]) / (2 * h);
    }
}

static double size_of(const double t[6])
{
    double sum = 0;
    for (int c = 0; c < 6; c++)
        sum += (c < 3 ? 1 : 2) * t[c] * t[c];
    return sqrt(sum);
}

static void tides_are_differences_of_accelerations(void **state)
{
    (void)state;
    static struct points own;
    static const struct {
        int force;
        double most;
    } methods[] = {{KY_DIRECT, 1e-6}, {KY_WALK, 0.02}, {KY_TREE, 0.02}, {KY_FMM, 0.02}};
    for (int k = 0; k < 4 * 2 * 2; k++) {
        static double expected[TIDES][6];
        const int kind = k / 2 % 2 ? KY_SYMMETRIC : KY_PLUMMER;
        struct ky_bodies bodies = cloud_make(PLUMMER, N);
        struct ky_parameters p = tidal(methods[k / 4].force, kind, 0.1, k % 2 ? with_field : NULL);
        struct ky_field_points points = points_of(&own, &bodies);
        for (int i = 0; i < N; i += 2) /* massless bodies exert none */
            bodies.mass[i] = 0;
        points.count = TIDES;
        points.tide = own.tide;
        points.acceleration = NULL;
        assert_ok(ky_field_fill(&p, &bodies, &points, &error));
        difference(p, &bodies, &points, expected);
        for (int i = 0; i < TIDES; i++) {
            double d[6];
            for (int c = 0; c < 6; c++)
                d[c] = own.tide[i][c] - expected[i][c];
            if (!(size_of(d) <= methods[k / 4].most * size_of(expected[i])))
                fail_msg("force %d, kind %d, field %d, point %d: %g of %g", p.force, kind, k % 2, i,
                         size_of(d), size_of(expected[i]));
        }
        ky_bodies_free(&bodies);
    }
}

/* Where there is no matter the trace of Newton's tensor vanishes, that of cells too. */
static void the_trace_vanishes_outside_of_matter(void **state)
{
    (void)state;
    static struct points own;
    static const int forces[] = {KY_DIRECT, KY_WALK, KY_TREE, KY_FMM};
    for (int k = 0; k < 4; k++) {
        struct ky_bodies bodies = cloud_make(PLUMMER, N);
        const struct ky_parameters p = tidal(forces[k], KY_PLUMMER, 0, NULL);
        struct ky_field_points points = points_of(&own, &bodies);
        points.softenings = NULL;
        points.tide = own.tide;
        points.acceleration = NULL;
        points.potential = NULL;
        assert_ok(ky_field_fill(&p, &bodies, &points, &error));
        for (int i = 0; i < POINTS; i++)
            assert_between((own.tide[i][0] + own.tide[i][1] + own.tide[i][2]) /
                               size_of(own.tide[i]),
                           -1e-9, 1e-9);
        ky_bodies_free(&bodies);
    }
}

static void what_has_no_tides_says_so(void **state)
{
    (void)state;
    static struct points own;
    struct ky_bodies bodies = cloud_make(PLUMMER, N);
    struct ky_parameters p = tidal(KY_TREE, KY_SPLINE, 0.1, NULL);
    struct ky_field_points points = points_of(&own, &bodies);
    points.tide = own.tide;
    assert_int_equal(ky_field_fill(&p, &bodies, &points, &error), KY_UNSUPPORTED);
    assert_non_null(strstr(error.text, "--softening-kind plummer or symmetric"));
    FOR_DEVICES(e, 1)
    {
        p = parameters_for(e, KY_TREE, KY_PLUMMER);
        assert_int_equal(ky_field_fill(&p, &bodies, &points, &error), KY_UNSUPPORTED);
        assert_non_null(strstr(error.text, "engine cpu does"));
    }
    ky_bodies_free(&bodies);
}

/* A simulation gives the same as one call. */
static void simulations_have_them_too(void **state)
{
    (void)state;
    static struct points own, its;
    struct ky_bodies bodies = cloud_make(PLUMMER, N);
    struct ky_parameters p = tidal(KY_TREE, KY_PLUMMER, 0.1, with_field);
    struct ky_field_points points = points_of(&own, &bodies), again = points_of(&its, &bodies);
    struct ky_sim *sim;
    points.tide = own.tide;
    again.tide = its.tide;
    p.opening = KY_OFFSET;
    p.step = 0.1;
    assert_ok(ky_field_fill(&p, &bodies, &points, &error));
    assert_ok(ky_sim_open(&p, &bodies, 0, &sim, &error));
    assert_ok(ky_sim_field_fill(sim, &again, &error));
    assert_memory_equal(own.a, its.a, sizeof own.a);
    assert_memory_equal(own.potential, its.potential, sizeof own.potential);
    assert_memory_equal(own.tide, its.tide, sizeof own.tide);
    ky_sim_close(sim);
    ky_bodies_free(&bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_have_their_own_softenings),
        cmocka_unit_test(wrong_softenings_are_refused),
        cmocka_unit_test(tides_are_differences_of_accelerations),
        cmocka_unit_test(the_trace_vanishes_outside_of_matter),
        cmocka_unit_test(what_has_no_tides_says_so),
        cmocka_unit_test(simulations_have_them_too),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
