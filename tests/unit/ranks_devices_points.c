/* Fields and tides at points, of bodies that ranks with devices share: what one device without
 * ranks finds, bit for bit, whatever the number of ranks. */
#include "test.h"

#include "engines.h"
#include "placed_points.h"
#include "ranked_cases.h"
#include "searches.h"

#include "engine/device/ranks/copies.h"

static struct ky_error error;

/* Of the points of `place_point` at most one in 61 is not near the bodies. */
enum { MOST = 17000, NEAR_1023 = 1036, EXACT = 40 };

static double position[MOST][3], softenings[MOST];

struct answers {
    double acceleration[MOST][3], potential[MOST], tide[MOST][6];
    double exact_acceleration[EXACT][3], exact_potential[EXACT];
};

static void ask(struct ky_engine *engine, const struct ky_points *points, struct answers *answers)
{
    memset(answers, 0, sizeof *answers);
    assert_ok(ky_engine_field(engine, points, answers->acceleration, answers->potential, &error));
    assert_ok(ky_engine_tides(engine, points, answers->tide, &error));
    static double potential[MOST];
    assert_ok(ky_engine_field(engine, points, NULL, potential, &error));
    assert_memory_equal(potential, answers->potential, points->count * sizeof *potential);
    size_t sinks[EXACT], count = engine->n < EXACT ? engine->n : EXACT;
    for (size_t k = 0; k < count; k++)
        sinks[k] = k * engine->n / count;
    assert_ok(ky_engine_exact(engine, sinks, count, answers->exact_acceleration,
                              answers->exact_potential, &error));
}

static void expect_same_answers(const struct answers *a, const struct answers *b, size_t count,
                                const char *what)
{
    if (memcmp(a->exact_acceleration, b->exact_acceleration, sizeof a->exact_acceleration) != 0 ||
        memcmp(a->exact_potential, b->exact_potential, sizeof a->exact_potential) != 0)
        fail_msg("%s: exact sums have other bits", what);
    for (size_t k = 0; k < count; k++)
        if (memcmp(a->acceleration[k], b->acceleration[k], sizeof a->acceleration[k]) != 0 ||
            memcmp(a->tide[k], b->tide[k], sizeof a->tide[k]) != 0 ||
            a->potential[k] != b->potential[k])
            fail_msg("%s: point %zu (%g %g %g): potential %.17g and %.17g, tide %.17g and %.17g",
                     what, k, position[k][0], position[k][1], position[k][2], a->potential[k],
                     b->potential[k], a->tide[k][0], b->tide[k][0]);
}

static void try_points(enum shape shape, size_t n, const char *options, size_t count)
{
    static struct answers first[3], got;
    const double usual = ky_copies_few;
    ky_copies_few = 0;
    FOR_DEVICES(e, 1)
    {
        struct ky_bodies bodies = make(shape, n);
        int ranks[1 + DEVICE_RUNS] = {0}; /* 0: an engine without ranks */
        const size_t runs = 1 + device_runs(engines[e].engine, ranks + 1);
        for (size_t k = 0; k < count; k++) {
            place_point(k, &bodies, position[k]);
            softenings[k] = softening_of_point(k);
        }
        for (size_t r = 0; r < runs; r++) {
            struct ky_parameters parameters = parameters_of(options);
            parameters.engine = engines[e].engine;
            struct ky_engine *engine = open_engine(&parameters, ranks[r], &bodies);
            for (int k = 0; k < 3; k++) { /* the last time after forces */
                char what[200];
                const struct ky_points points = {count, (const double(*)[3])position, 0.02,
                                                 k == 1 ? softenings : NULL, NULL};
                snprintf(what, sizeof what, "%s, shape %d, %zu bodies, %zu points, '%s', %d ranks",
                         engines[e].engine, (int)shape, n, count, options, ranks[r]);
                if (k == 2)
                    assert_ok(ky_engine_forces(engine, &error));
                ask(engine, &points, r ? &got : &first[k]);
                if (r)
                    expect_same_answers(&got, &first[k], count, what);
            }
            ky_engine_close(engine);
        }
        ky_bodies_free(&bodies);
    }
    ky_copies_few = usual;
}

static void points_have_the_same_bits(void **state)
{
    (void)state;
    static const struct {
        enum shape shape;
        size_t n, count;
        const char *options;
        int always;
    } cases[] = {
        {SPHERE, 9001, 700, "", 1},
        {SPHERE, 9001, 1, "", 1},
        {SPHERE, 9001, 0, "", 1},
        {SPHERE, 3001, NEAR_1023, "", 0},
        {SPHERE, 3001, NEAR_1023 + 1, "", 1},
        {SPHERE, 3001, NEAR_1023 + 2, "opening=geometric", 0},
        {SPHERE, 1023, 1500, "", 0},
        {COLLISION, 1024, 5000, "force=fmm", 0},
        {COLLISION, 1024, MOST, "", 0}, /* two sets of points */
        {SPHERE, 900, 1500, "", 1},
        {DISK, 3001, 1500, "softening=0.3 softening-kind=spline", 0},
        {TWINS, 2501, 1500, "softening=0.1 softening-kind=symmetric g=43009", 0},
        {HEAP, 1300, 1500, "softening=0", 0},
        {MASSES, 3001, 1500, "leaf=1 group=16 precision=extended", 0},
        {FAR, 3001, 1500, "multipole=1", 0},
        {SPHERE, 1300, 1100, "box=8", 0},
        {COLLISION, 1300, 1100, "box=8 force=fmm", 0},
        {SPHERE, 1300, 200, "box=8 force=fmm", 0},
        {SPHERE, 3001, 1500, "force=direct", 1}, /* from here on each rank has all bodies */
        {SPHERE, 3001, 1500, "force=list", 0},
        {SPHERE, 3001, 1500, "force=fmm curve=none", 1},
        {DISK, 3001, 1500, "curve=none", 0},
        {SPHERE, 3001, 300, "curve=none", 0},
        {SPHERE, 1300, 1100, "box=8 curve=none", 0},
        /* and here a part of them */
        {TWO, 8193, 700, "opening=minimum theta=0.8 multipole=1", 1},
        {COLLISION, 8193, 700, "opening=offset theta=0.5", 0},
        {FAR, 8193, 300, "opening=geometric curve=morton precision=double", 1},
        {SPHERE, 9001, 300, "precision=extended", 1},
        {DISK, 6007, 700, "softening=0.3 softening-kind=spline", 1},
        {SPHERE, 6007, 300, "softening=0.1 softening-kind=symmetric g=43009", 0},
        {SPHERE, 6007, 300, "softening=0", 0},
        {MASSES, 8193, 500, "leaf=1 group=16", 0},
        {LATTICE, 9261, 500, "", 0},
        {TWINS, 8193, 500, "", 0},
        {CHAIN, 8193, 500, "", 0},
        {NODE, 12000, 500, "", 1},
        {HEAP, 5000, 200, "", 1},
        {SPHERE, 50021, 1000, "", 0},
        {SPHERE, 9001, 700, "force=fmm", 0}, /* tides alone */
        {SPHERE, 3001, 1500, "force=fmm", 1},
        {NODE, 3001, 1500, "force=fmm order=5 precision=double", 0},
        {CHAIN, 2501, 1500, "force=fmm alpha=0.01", 0},
    };
    need_a_device();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        if (cases[k].always || test_everything())
            try_points(cases[k].shape, cases[k].n, cases[k].options, cases[k].count);
}

/* The field at points within the bodies, by an engine of this name with so many ranks. */
static void find_field(const char *engine, int ranks, const char *options,
                       const struct ky_bodies *bodies, double (*acceleration)[3])
{
    struct ky_parameters parameters = parameters_of(options);
    parameters.engine = engine;
    struct ky_engine *opened = open_engine(&parameters, ranks, bodies);
    const struct ky_points points = {bodies->n, (const double(*)[3])position, 0.02, NULL, NULL};
    assert_ok(ky_engine_field(opened, &points, acceleration, NULL, &error));
    ky_engine_close(opened);
}

/* The rms of the relative errors, with one device as with two: tree 2.75e-4 and fmm 1.12e-4 with
 * PoCL, and 6.71e-4 and 2.50e-4 with kernels as for a card with 132 processors, whose groups of
 * points are narrower. */
static void many_points_have_the_errors_of_forces(void **state)
{
    (void)state;
    static const char *const options[] = {"force=tree", "force=fmm"};
    enum { N = 2500 };
    static double exact[N][3], got[N][3];
    struct ky_bodies bodies = make(SPHERE, N);
    need_a_device();
    for (size_t k = 0; k < N; k++)
        for (int c = 0; c < 3; c++)
            position[k][c] = 0.9 * bodies.position[k][c] + 0.01;
    find_field("cpu", 0, "force=direct precision=double", &bodies, exact);
    FOR_DEVICES(e, 1)
    for (size_t o = 0; o < sizeof options / sizeof *options; o++) {
        double squares = 0;
        find_field(engines[e].engine, 2, options[o], &bodies, got);
        for (size_t k = 0; k < N; k++) {
            double difference = 0, size = 0;
            for (int c = 0; c < 3; c++) {
                difference += pow(got[k][c] - exact[k][c], 2);
                size += pow(exact[k][c], 2);
            }
            squares += difference / size;
        }
        printf("# %s: rms %.3g\n", options[o], sqrt(squares / N));
        if (!(sqrt(squares / N) < 1e-3))
            fail_msg("%s: rms error %g", options[o], sqrt(squares / N));
    }
    ky_bodies_free(&bodies);
}

/* Every kernel of these walks, also for tools under which a kernel takes long; and ranks without
 * bodies, or without points. */
static void small_systems_have_the_same_bits(void **state)
{
    (void)state;
    static const size_t few[] = {0, 1, 2, 5};
    need_a_device();
    for (size_t k = 0; k < sizeof few / sizeof *few; k++)
        try_points(SPHERE, few[k], "", 1 + few[k]);
    try_points(CHAIN, 700, "group=1 leaf=1", 2);
}

/* Points between steps leave no trace in them, also where block steps keep a tree. */
static void points_leave_no_trace(void **state)
{
    (void)state;
    static const char *const options[] = {"", "integrator=block step-length=0.05"};
    enum { N = 9001, POINTS = 100 };
    struct ky_bodies bodies = make(SPHERE, N);
    need_a_device();
    for (size_t k = 0; k < POINTS; k++)
        place_point(k, &bodies, position[k]);
    FOR_DEVICES(e, 1)
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        struct ky_bodies expected = {0};
        double acceleration[2][POINTS][3];
        for (int r = 0; r < 2; r++) {
            struct ky_parameters parameters = parameters_of(options[k]);
            parameters.engine = engines[e].engine;
            struct ky_sim *sim = open_ranks(&parameters, r ? 3 : 1, &bodies);
            for (int step = 0; step < 3; step++) {
                if (r || step == 2)
                    assert_ok(ky_sim_field(sim, POINTS, (const double(*)[3])position, 0.01,
                                           acceleration[r], NULL, &error));
                if (step < 2)
                    assert_ok(ky_sim_advance(sim, 1, &error));
            }
            struct ky_bodies got = state_of(sim);
            ky_sim_close(sim);
            if (r)
                expect_same(&got, &expected, options[k]);
            ky_bodies_free(&expected);
            expected = got;
        }
        assert_memory_equal(acceleration[0], acceleration[1], sizeof acceleration[0]);
        ky_bodies_free(&expected);
    }
    ky_bodies_free(&bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_systems_have_the_same_bits),
        cmocka_unit_test(points_have_the_same_bits),
        cmocka_unit_test(many_points_have_the_errors_of_forces),
        cmocka_unit_test(points_leave_no_trace),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
