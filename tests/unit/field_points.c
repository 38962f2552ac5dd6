/* Fields at points with softenings of their own, and tidal tensors: against sums, differences, and
 * the law of gravity. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "clouds.h"
#include "engine/force_options.h"
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
    p.engine = "cpu";
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

static double difference_of(const double a[6], const double b[6])
{
    double d[6];
    for (int c = 0; c < 6; c++)
        d[c] = a[c] - b[c];
    return size_of(d);
}

static const struct {
    int force;
    double most;
} methods[] = {
    {KY_DIRECT, 1e-6}, {KY_WALK, 0.02}, {KY_LIST, 0.02}, {KY_TREE, 0.02}, {KY_FMM, 0.02}};
enum { METHODS = sizeof methods / sizeof *methods };

/* Half of the bodies are massless; with `own` bodies have softenings of their own. */
static struct ky_bodies cloud_of_halves(int own)
{
    struct ky_bodies bodies = cloud_make(PLUMMER, N);
    for (int i = 0; i < N; i += 2)
        bodies.mass[i] = 0;
    if (own) {
        assert_ok(ky_bodies_extend(&bodies, KY_WITH_SOFTENING, &error));
        cloud_softenings(bodies.softening, N);
    }
    return bodies;
}

static void tides_are_differences_of_accelerations(void **state)
{
    (void)state;
    static struct points own;
    static const int kinds[] = {KY_PLUMMER, KY_SYMMETRIC, KY_SPLINE};
    for (int k = 0; k < 3 * 2; k++) {
        static double expected[TIDES][6];
        struct ky_bodies bodies = cloud_of_halves(k % 2);
        struct ky_parameters p =
            tidal(KY_DIRECT, kinds[k / 2], k % 2 ? (double)NAN : 0.1, k % 2 ? NULL : with_field);
        struct ky_field_points points = points_of(&own, &bodies);
        points.count = TIDES;
        points.tide = own.tide;
        points.acceleration = NULL;
        difference(p, &bodies, &points, expected);
        for (int e = 0; e < engine_count; e++)
            for (int m = 0; m < METHODS; m++) {
                p.engine = engines[e].engine;
                p.force = methods[m].force;
                const enum ky_status status = ky_field_fill(&p, &bodies, &points, &error);
                if (status == KY_UNSUPPORTED && p.force == KY_LIST && is_cpu_engine(e))
                    continue; /* lists are a device's */
                assert_ok(status);
                for (int i = 0; i < TIDES; i++)
                    if (!(difference_of(own.tide[i], expected[i]) <=
                          methods[m].most * size_of(expected[i])))
                        fail_msg("%s, force %d, kind %d, own %d, point %d: %g of %g", p.engine,
                                 p.force, kinds[k / 2], k % 2, i,
                                 difference_of(own.tide[i], expected[i]), size_of(expected[i]));
            }
        ky_bodies_free(&bodies);
    }
}

/* Sizes about the number of lanes of a group; the softenings of points are not the bodies'. */
static void devices_have_the_tides_of_the_cpu(void **state)
{
    (void)state;
    enum { MANY = 100003, FEW_BODIES = 300 };
    static const size_t counts[] = {0, 1, 127, 128, 129, MANY};
    static const int kinds[] = {KY_SPLINE, KY_PLUMMER, KY_SYMMETRIC};
    double(*x)[3] = malloc(MANY * sizeof *x), (*tide)[2][6] = malloc(MANY * sizeof *tide);
    double(*found)[6] = malloc(MANY * sizeof *found), *softening = malloc(MANY * sizeof *softening);
    assert_true(x && tide && found && softening);
    struct ky_bodies bodies = cloud_make(PLUMMER, FEW_BODIES);
    for (int k = 0; k < MANY; k++) {
        softening[k] = 0.02 * (k % 7);
        for (int c = 0; c < 3; c++)
            x[k][c] = bodies.position[k % FEW_BODIES][c] * (1 + 1e-5 * (k % 1001)) + 0.01 * (c - 1);
    }
    for (int m = 0; m < METHODS; m += 3) /* direct and tree */
        for (size_t s = 0; s < sizeof counts / sizeof *counts; s++) {
            struct ky_parameters p = tidal(methods[m].force, kinds[s % 3], 0.05, NULL);
            struct ky_field_points points = {.size = sizeof points,
                                             .count = counts[s],
                                             .position = (const double(*)[3])x,
                                             .softening = 0.05,
                                             .softenings = s % 2 ? softening : NULL,
                                             .tide = found};
            p.opening = methods[m].force == KY_TREE ? KY_OFFSET : p.opening;
            p.engine = "cpu";
            assert_ok(ky_field_fill(&p, &bodies, &points, &error));
            for (size_t k = 0; k < counts[s]; k++)
                memcpy(tide[k][0], found[k], sizeof found[k]);
            FOR_DEVICES(e, 1)
            {
                memset(found, 0xff, MANY * sizeof *found);
                p.engine = engines[e].engine;
                assert_ok(ky_field_fill(&p, &bodies, &points, &error));
                for (size_t k = 0; k < counts[s]; k++)
                    if (!(difference_of(found[k], tide[k][0]) <=
                          (m ? 1e-4 : 1e-12) * size_of(tide[k][0])))
                        fail_msg("%s, force %d, point %zu of %zu: %g of %g", p.engine, p.force, k,
                                 counts[s], difference_of(found[k], tide[k][0]),
                                 size_of(tide[k][0]));
            }
        }
    ky_bodies_free(&bodies);
    free(x);
    free(tide);
    free(found);
    free(softening);
}

/* Where there is no matter the trace of Newton's tensor vanishes, that of cells too. */
static void the_trace_vanishes_outside_of_matter(void **state)
{
    (void)state;
    static struct points own;
    for (int e = 0; e < engine_count; e++)
        for (int m = 0; m < METHODS; m++) {
            if (methods[m].force == KY_LIST)
                continue;
            struct ky_bodies bodies = cloud_make(PLUMMER, N);
            struct ky_parameters p = tidal(methods[m].force, KY_PLUMMER, 0, NULL);
            struct ky_field_points points = points_of(&own, &bodies);
            p.engine = engines[e].engine;
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

/* Inside of one spline the trace is -4 pi G times its density. */
static void the_trace_of_a_spline_is_its_density(void **state)
{
    (void)state;
    const double h = 0.28, pi = 3.14159265358979;
    for (int e = 0; e < engine_count; e++) {
        double position[1][3] = {{0.2, -0.1, 0.3}}, velocity[1][3] = {{0, 0, 0}}, mass[1] = {2};
        struct ky_bodies body = {
            .size = sizeof body, .n = 1, .mass = mass, .position = position, .velocity = velocity};
        double x[40][3], tide[40][6];
        struct ky_parameters p = tidal(KY_DIRECT, KY_SPLINE, h / 2.8, NULL);
        const struct ky_field_points points = {.size = sizeof points,
                                               .count = 40,
                                               .position = (const double(*)[3])x,
                                               .softening = h / 2.8,
                                               .tide = tide};
        p.engine = engines[e].engine;
        for (int k = 0; k < 40; k++)
            for (int c = 0; c < 3; c++)
                x[k][c] = position[0][c] + (c == 0 ? 2 : c == 1 ? -1 : 2) / 3.0 * k / 32 * h;
        assert_ok(ky_field_fill(&p, &body, &points, &error));
        for (int k = 0; k < 40; k++) {
            const double u = k / 32.0, v = u < 1 ? 1 - u : 0,
                         shape = u < 0.5 ? 1 - 6 * u * u + 6 * u * u * u : 2 * v * v * v;
            assert_between((tide[k][0] + tide[k][1] + tide[k][2]) +
                               4 * pi * mass[0] * 8 / (pi * h * h * h) * shape,
                           -1e-9, 1e-9);
        }
    }
}

/* A device whose numbers are float. */
static struct ky_driver floats;
static const struct ky_driver *beneath;

static enum ky_status open_without_double(size_t index, struct ky_card **card,
                                          struct ky_error *whose)
{
    const enum ky_status status = beneath->open(index, card, whose);
    if (status == KY_OK)
        (*card)->has_double = 0;
    return status;
}

static const struct ky_driver *without_double(const struct ky_driver *driver)
{
    beneath = driver;
    floats = *driver;
    floats.open = open_without_double;
    return &floats;
}

static void what_has_no_tides_says_so(void **state)
{
    (void)state;
    static struct points own;
    need_a_device();
    struct ky_bodies bodies = cloud_make(PLUMMER, N);
    struct ky_field_points points = points_of(&own, &bodies);
    points.acceleration = NULL;
    points.potential = NULL;
    points.tide = own.tide;
    FOR_DEVICES(e, 1)
    {
        const struct ky_parameters p = parameters_for(e, KY_TREE, KY_PLUMMER);
        ky_device_wrap = without_double;
        assert_int_equal(ky_field_fill(&p, &bodies, &points, &error), KY_UNSUPPORTED);
        ky_device_wrap = NULL;
        assert_non_null(strstr(error.text, "has no double, which tidal tensors need"));
    }
    ky_bodies_free(&bodies);
}

/* A simulation gives the same as one call. */
static void simulations_have_them_too(void **state)
{
    (void)state;
    static struct points own, its;
    for (int e = 0; e < engine_count; e++) {
        struct ky_bodies bodies = cloud_make(PLUMMER, N);
        struct ky_parameters p = tidal(KY_TREE, KY_PLUMMER, 0.1, with_field);
        struct ky_field_points points = points_of(&own, &bodies), again = points_of(&its, &bodies);
        struct ky_sim *sim;
        points.tide = own.tide;
        again.tide = its.tide;
        p.engine = engines[e].engine;
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
}

/* The body for which a point stands does not act on it. */
static void points_stand_for_bodies(void **state)
{
    (void)state;
    enum { FEW = 130 };
    static double tide[FEW][6], apart[FEW][6];
    struct ky_bodies bodies = cloud_make(PLUMMER, FEW);
    uint32_t own[FEW];
    const struct ky_points points = {FEW, (const double(*)[3])bodies.position, 0.1, NULL, own};
    for (int e = 0; e < engine_count; e++) {
        struct ky_parameters given = tidal(KY_DIRECT, KY_PLUMMER, 0.1, NULL), p;
        struct ky_engine *engine;
        given.engine = engines[e].engine;
        for (uint32_t k = 0; k < FEW; k++)
            own[k] = k % 3 ? k : KY_NO_BODY;
        assert_ok(ky_force_resolve(&given, &p, &error));
        assert_ok(ky_engine_open(&p, FEW, &engine, &error));
        assert_ok(ky_engine_put(engine, &bodies, &error));
        assert_ok(ky_engine_tides(engine, &points, tide, &error));
        for (uint32_t k = 0; k < FEW; k++)
            own[k] = KY_NO_BODY;
        assert_ok(ky_engine_tides(engine, &points, apart, &error));
        for (int k = 0; k < FEW; k++) /* the body's own share is -m/eps³ in each direction */
            for (int c = 0; c < 6; c++)
                assert_between(tide[k][c] - apart[k][c] -
                                   (k % 3 && c < 3 ? bodies.mass[k] / 1e-3 : 0),
                               -1e-9, 1e-9);
        ky_engine_close(engine);
    }
    ky_bodies_free(&bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_have_their_own_softenings),
        cmocka_unit_test(wrong_softenings_are_refused),
        cmocka_unit_test(tides_are_differences_of_accelerations),
        cmocka_unit_test(devices_have_the_tides_of_the_cpu),
        cmocka_unit_test(the_trace_vanishes_outside_of_matter),
        cmocka_unit_test(the_trace_of_a_spline_is_its_density),
        cmocka_unit_test(points_stand_for_bodies),
        cmocka_unit_test(what_has_no_tides_says_so),
        cmocka_unit_test(simulations_have_them_too),
    };
    return cmocka_run_group_tests(tests, find_quick_engines, NULL);
}
