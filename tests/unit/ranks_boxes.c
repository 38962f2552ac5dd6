/* Ranks that divide the bodies of a periodic box: the same bits for any number of ranks and without
 * ranks, for systems of many shapes, shared and block steps, restarts, stops within a step, points
 * and searches; errors against exact sums; and which bodies are divided. */
#include "test.h"

#include "base/order.h"
#include "boxes.h"
#include "integrate/integrate.h"
#include "same_bits.h"
#include "simulation/sim.h"
#include "stepped.h"

static struct ky_error error;

/* ---- shared steps ---- */

static void try_box(enum set set, size_t n, const char *options, uint64_t steps)
{
    char what[260], all[200];
    snprintf(all, sizeof all, "box=2.5 %s", options);
    const struct ky_parameters parameters = parameters_of(all);
    struct ky_bodies bodies = make_box(set, n);
    snprintf(what, sizeof what, "set %d, %zu bodies, '%s'", (int)set, n, options);
    try_all_ranks(&parameters, &bodies, steps, what);
    ky_bodies_free(&bodies);
}

static void systems_have_the_same_bits(void **state)
{
    (void)state;
    static const struct {
        enum set set;
        size_t n;
        const char *options;
        int always;
    } cases[] = {
        {UNIFORM, 9001, "force=fmm", 0},
        {CLUMPS, 4409, "force=fmm", 1},
        {WAVES, 4913, "force=fmm", 1},
        {CORNER, 6007, "force=fmm", 0},
        {FACES, 4409, "force=fmm", 0},
        {TOGETHER, 5000, "force=fmm", 0},
        {CLUMPS, 6007, "force=fmm order=4 alpha=5e-5 precision=double", 0},
        {CLUMPS, 6007, "force=fmm softening=0.2 softening-kind=spline group=16", 0},
        {UNIFORM, 6007, "force=fmm g=43009 threads=5 curve=morton", 0},
        {UNIFORM, 6007, "force=fmm step=0.2", 1}, /* across a quarter of the box in a step */
        {UNIFORM, 40009, "force=fmm", 0},
        {CLUMPS, 4409, "force=tree", 1},
        {WAVES, 5832, "force=tree", 0},
        {CORNER, 6007, "force=tree", 0},
        {FACES, 6007, "force=tree precision=double", 0},
        {UNIFORM, 6007, "force=tree opening=offset theta=0.6 multipole=1", 0},
        {UNIFORM, 6007, "force=tree softening=0.2 softening-kind=spline", 0},
        {CLUMPS, 401, "force=direct", 1},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        if (cases[k].always || test_everything())
            try_box(cases[k].set, cases[k].n, cases[k].options, 2);
}

/* Fewer bodies than ranks, and so few that one rank has all of them. */
static void few_bodies_have_the_same_bits(void **state)
{
    (void)state;
    static const size_t few[] = {2, 1, 0, 8, 5, 100};
    for (size_t k = 0; k < (test_everything() ? 6 : 1); k++)
        try_box(UNIFORM, few[k], "force=fmm", 2);
    for (size_t k = 0; k < 6; k++)
        if (test_everything()) {
            try_box(FACES, few[k], "force=tree softening=0", 2);
            try_box(UNIFORM, few[k], "force=direct", 1);
        }
}

/* Forces on three ranks against exact sums of one. The default errors in a box are smaller than
 * these bounds. */
static void forces_are_those_of_the_exact_sum(void **state)
{
    (void)state;
    static const char *const forces[] = {"box=2.5 force=fmm", "box=2.5 force=tree"};
    static const enum set sets[] = {UNIFORM, CLUMPS};
    const struct ky_parameters direct = parameters_of("box=2.5 force=direct precision=double");
    for (size_t k = 0; k < (test_everything() ? 4 : 1); k++) {
        struct ky_bodies bodies = make_box(sets[k % 2], 5003);
        const struct ky_parameters parameters = parameters_of(forces[(k + k / 2) % 2]);
        struct ky_sim *exact = open_ranks(&direct, 1, &bodies),
                      *sim = open_ranks(&parameters, 3, &bodies);
        struct ky_bodies sums = state_of(exact), got = state_of(sim);
        double *e = calloc(bodies.n, sizeof *e), a2 = 0;
        for (size_t i = 0; i < bodies.n; i++) {
            for (int c = 0; c < 3; c++) {
                const double a = sums.acceleration[i][c], d = got.acceleration[i][c] - a;
                a2 += a * a / (double)bodies.n;
                e[i] += d * d;
            }
            e[i] = sqrt(e[i]);
        }
        qsort(e, bodies.n, sizeof *e, ky_order_reals);
        assert_between(e[bodies.n / 2] / sqrt(a2), 1e-9, 3e-4);
        assert_between(e[bodies.n - bodies.n / 100] / sqrt(a2), 0, 1e-3);
        free(e);
        ky_sim_close(exact);
        ky_sim_close(sim);
        ky_bodies_free(&sums);
        ky_bodies_free(&got);
        ky_bodies_free(&bodies);
    }
}

/* ---- comoving boxes ---- */

/* Comoving steps, which are divided by the rms velocity, and with eta by the largest acceleration;
 * with a softening that changes at each of them. */
static void comoving_steps_have_the_same_bits(void **state)
{
    (void)state;
    static const char *const options[] = {"", " eta=0.5 softening=0.05 softening-max=0.005"};
    for (size_t k = test_everything() ? 0 : 1; k < 2; k++) {
        char all[200];
        snprintf(all, sizeof all,
                 "box=2.5 force=fmm step=0.05 expansion=omega-m=0.3,omega-lambda=0.7,h0=1%s",
                 options[k]);
        struct ky_parameters parameters = parameters_of(all);
        struct ky_bodies bodies = make_box(WAVES, 5832);
        parameters.time = 0.2; /* the scale factor */
        for (size_t i = 0; i < bodies.n; i++)
            for (int c = 0; c < 3; c++)
                bodies.velocity[i][c] *= 0.03;
        try_all_ranks(&parameters, &bodies, 2, all);
        ky_bodies_free(&bodies);
    }
}

/* ---- block steps ---- */

/* Bodies with steps of several levels in a comoving box; `bodies` are slowed down. */
static struct ky_parameters comoving_blocks(struct ky_bodies *bodies, double softening_max)
{
    struct ky_parameters parameters =
        parameters_of("box=2.5 force=fmm integrator=block softening=0.05 eta=0.3 step=0.05 "
                      "expansion=omega-m=0.3,omega-lambda=0.7,h0=1");
    parameters.time = 0.2; /* the scale factor */
    parameters.softening_max = softening_max;
    for (size_t i = 0; i < bodies->n; i++)
        for (int c = 0; c < 3; c++)
            bodies->velocity[i][c] *= 0.03;
    return parameters;
}

/* With another longest step each time, and a softening that changes within each: it becomes
 * smaller, and in a run back in time larger, so that splines overlap more cells than at the build
 * of the tree. */
static void comoving_blocks_have_the_same_bits(void **state)
{
    (void)state;
    static const int ranks[] = {1, 3, 0}, all[] = {1, 2, 3, 5, 0};
    for (int k = 0; k < (test_everything() ? 3 : 1); k++) {
        struct ky_bodies bodies = make_box(CLUMPS, 4409);
        struct ky_parameters parameters = comoving_blocks(&bodies, k == 1 ? (double)NAN : 0.0105);
        if (k == 2)
            parameters.step = -0.1, parameters.softening_kind = KY_SPLINE;
        expect_same_on(test_everything() ? all : ranks, &parameters, &bodies, 2, NULL,
                       "block steps in a comoving box");
        ky_bodies_free(&bodies);
    }
}

/* With a flag that is always up and no patience a call ends between the parts of a step. A
 * simulation that goes on from there on another number of ranks has the bits of one that was never
 * stopped. */
static void stops_within_a_step_take_any_number_of_ranks(void **state)
{
    (void)state;
    static const int path[] = {2, 3, 1};
    const volatile int stop = 1;
    size_t stops = 0;
    struct ky_bodies bodies = make_box(CLUMPS, 4409);
    struct ky_parameters parameters = comoving_blocks(&bodies, 0.0105);
    parameters.step = 0.15;
    parameters.late_step = 0.02; /* three parts */
    const double end = 0.2 * exp(parameters.step);
    struct ky_sim *whole = open_ranks(&parameters, 1, &bodies);
    assert_ok(ky_sim_advance_to(whole, end, 0, &error));
    struct ky_sim *sim = open_ranks(&parameters, path[0], &bodies);
    for (;;) {
        sim->parameters.stop = &stop;
        sim->integrator->patience = 0;
        const enum ky_status status = ky_sim_advance_to(sim, end, 0, &error);
        if (!ky_sim_is_within(sim))
            break;
        assert_int_equal(status, KY_STOPPED);
        stops++;
        sim = restored(sim, "cpu", path[stops % 3]);
    }
    assert_true(stops >= 2);
    struct state got = take_state(sim), expected = take_state(whole);
    expect_same_state(&got, &expected, "a simulation that stopped within a step");
    assert_true(ky_sim_time(sim) == ky_sim_time(whole));
    free_state(&got);
    free_state(&expected);
    ky_sim_close(sim);
    ky_sim_close(whole);
    ky_bodies_free(&bodies);
}

static void try_blocks(enum set set, size_t n, const char *options, uint64_t steps)
{
    static const int ranks[] = {1, 2, 3, 5, 0};
    char what[260], all[200];
    struct ky_bodies bodies = make_box(set, n);
    snprintf(all, sizeof all, "box=2.5 integrator=block softening=0.05 step=0.125 %s", options);
    const struct ky_parameters parameters = parameters_of(all);
    snprintf(what, sizeof what, "set %d, %zu bodies, '%s'", (int)set, n, all);
    expect_same_on(ranks, &parameters, &bodies, steps, NULL, what);
    ky_bodies_free(&bodies);
}

static void blocks_have_the_same_bits(void **state)
{
    (void)state;
    /* bodies leave the box by more than a tree is kept for */
    try_blocks(CLUMPS, 4409, "force=fmm step=0.5 softening=0.1 eta=0.6", 1);
    try_blocks(UNIFORM, 0, "force=fmm", 1);
    if (test_everything()) {
        try_blocks(UNIFORM, 8, "force=fmm", 2);
        try_blocks(CLUMPS, 6007, "force=fmm", 2);
        try_blocks(CLUMPS, 6007, "force=tree step=0.5", 1);
        try_blocks(CLUMPS, 6007, "force=tree", 2);
        try_blocks(FACES, 6007, "force=fmm", 2);
        try_blocks(CLUMPS, 701, "force=direct", 2);
    }
}

/* A simulation goes on with another number of ranks, or without, as if nothing had been. */
static void restarts_take_any_number_of_ranks(void **state)
{
    (void)state;
    static const int path[] = {2, 1, 5, 3};
    const struct ky_parameters parameters =
        parameters_of("box=2.5 force=fmm integrator=block softening=0.1 eta=0.3 step=0.125");
    struct ky_bodies bodies = make_box(CLUMPS, 4409);
    expect_same_restarts(&parameters, &bodies, "cpu", path);
    ky_bodies_free(&bodies);
}

/* ---- points, massless bodies, and what is divided ---- */

enum { POINTS = 120 };

/* Field and tides at points within and without the box, and forces with massless bodies, of which
 * every rank has all. */
static void points_have_the_same_bits(void **state)
{
    (void)state;
    static const char *const options[] = {"box=2.5 force=fmm", "box=2.5 force=tree",
                                          "box=2.5 force=direct"};
    static double one[POINTS][10], got[POINTS][10];
    double at[POINTS][3], a[POINTS][3], p[POINTS], tide[POINTS][6];
    struct ky_bodies bodies = make_box(CLUMPS, 4409);
    for (size_t k = 0; k < POINTS; k++) {
        struct ky_random random = ky_random_at(4, 1, k);
        for (int c = 0; c < 3; c++)
            at[k][c] = k % 3 ? SIDE * (3 * ky_random_uniform(&random) - 1)
                             : bodies.position[k][c] + SIDE * (double)(k % 2);
    }
    const struct ky_field_points points = {.size = sizeof points,
                                           .count = POINTS,
                                           .position = (const double(*)[3])at,
                                           .softening = 0.02,
                                           .acceleration = a,
                                           .potential = p,
                                           .tide = tide};
    for (size_t k = 0; k < (test_everything() ? 6 : 4); k++) {
        const struct ky_parameters parameters = parameters_of(options[k / 2]);
        struct ky_sim *sim = open_ranks(&parameters, k % 2 ? 3 : 1, &bodies);
        assert_ok(ky_sim_field_fill(sim, &points, &error));
        for (size_t i = 0; i < POINTS; i++) {
            memcpy(got[i], a[i], sizeof a[i]);
            memcpy(got[i] + 3, tide[i], sizeof tide[i]);
            got[i][9] = p[i];
        }
        if (k % 2)
            assert_memory_equal(got, one, sizeof got);
        memcpy(one, got, sizeof got);
        ky_sim_close(sim);
    }
    for (size_t i = 0; i < bodies.n; i += 3)
        bodies.mass[i] = 0;
    const struct ky_parameters parameters = parameters_of(options[0]);
    try_all_ranks(&parameters, &bodies, 1, "massless bodies in a box");
    ky_bodies_free(&bodies);
}

/* Neighbours, nearest bodies and densities of a simulation with ranks, after bodies have moved. */
static void searches_have_the_same_bits(void **state)
{
    (void)state;
    enum { N = 900, K = 6 };
    static uint32_t count[2][N], index[2][N * K];
    static double distance[2][N * K], density[2][N];
    const struct ky_parameters parameters = parameters_of("box=2.5 force=fmm step=0.2");
    struct ky_bodies bodies = make_box(CLUMPS, N);
    const double radius = 0.2;
    for (int k = 0; k < 2; k++) {
        struct ky_sim *sim = open_ranks(&parameters, k ? 3 : 1, &bodies);
        assert_ok(ky_sim_advance(sim, 2, &error));
        assert_ok(ky_sim_neighbours(sim, &radius, 1, count[k], NULL, NULL, &error));
        assert_ok(ky_sim_nearest(sim, K, index[k], distance[k], NULL, &error));
        assert_ok(ky_sim_sph_density(sim, 16, density[k], NULL, NULL, &error));
        assert_ok(ky_sim_advance(sim, 1, &error));
        ky_sim_close(sim);
    }
    assert_memory_equal(count[0], count[1], sizeof count[0]);
    assert_memory_equal(index[0], index[1], sizeof index[0]);
    assert_memory_equal(distance[0], distance[1], sizeof distance[0]);
    assert_memory_equal(density[0], density[1], sizeof density[0]);
    ky_bodies_free(&bodies);
}

/* Each rank has a part of the bodies in all kinds of steps, on the CPU and on devices; also of the
 * bodies of comoving boxes, whose block steps are a scheme of their own. */
static void bodies_are_divided(void **state)
{
    (void)state;
    static const char *const engines[] = {"cpu", "opencl"}, *const steps[] = {"leapfrog", "block"},
                             *const forces[] = {"tree", "fmm", "direct"},
                             *const spaces[] = {
                                 "", "box=2.5",
                                 "box=2.5 expansion=omega-m=0.3,omega-lambda=0.7,h0=1"};
    for (int k = 0; k < 2 * 2 * 3 * 3; k++) {
        char options[160];
        const char *force = forces[k / 4 % 3];
        snprintf(options, sizeof options, "ranks=2 integrator=%s force=%s %s", steps[k / 2 % 2],
                 force, spaces[k / 12]);
        struct ky_parameters parameters = parameters_of(options);
        parameters.engine = engines[k % 2];
        const unsigned schemes = ky_integrator_use(&parameters, 0).schemes;
        const int wanted = strcmp(force, "direct") != 0;
        if (ky_domain_divides(&parameters, schemes) != wanted)
            fail_msg("%s, %s", options, parameters.engine);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(systems_have_the_same_bits),
        cmocka_unit_test(few_bodies_have_the_same_bits),
        cmocka_unit_test(forces_are_those_of_the_exact_sum),
        cmocka_unit_test(comoving_steps_have_the_same_bits),
        cmocka_unit_test(comoving_blocks_have_the_same_bits),
        cmocka_unit_test(blocks_have_the_same_bits),
        cmocka_unit_test(restarts_take_any_number_of_ranks),
        cmocka_unit_test(stops_within_a_step_take_any_number_of_ranks),
        cmocka_unit_test(points_have_the_same_bits),
        cmocka_unit_test(searches_have_the_same_bits),
        cmocka_unit_test(bodies_are_divided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
