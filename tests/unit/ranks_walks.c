/* Walks with actions over bodies that ranks share: what one engine finds, bit for bit, whatever the
 * number of ranks. */
#include "test.h"

#include "analysis/analysis.h"
#include "boxes.h"
#include "searches.h"

static struct ky_error error;

static const int ranks[] = {0, 1, 2, 3, 4, 8}; /* 0: an engine without ranks */
enum { RANKS = sizeof ranks / sizeof *ranks };
static const struct sharers sharers = {NULL, ranks, RANKS};

static void try_walks(enum shape shape, size_t n, const char *options, struct asked asked)
{
    struct ky_bodies bodies = make(shape, n);
    try_searches(&sharers, &bodies, options, &asked);
    ky_bodies_free(&bodies);
}

static void every_action_finds_the_same(void **state)
{
    (void)state;
    static const struct {
        enum shape shape;
        size_t n;
        const char *options;
        struct asked asked;
        int always;
    } cases[] = {
        {SPHERE, 6007, "", {0.05, 6}, 1},
        {SPHERE, 6007, "leaf=1 group=16 curve=morton", {-0.2, 40}, 1},
        {SPHERE, 5000, "precision=double", {0, 1}, 1},
        {SPHERE, 1201, "", {1e6, 1200}, 1}, /* all bodies of all ranks */
        {SPHERE, 5000, "force=fmm", {0.1, 12}, 1},
        {TWO, 4099, "threads=5 opening=minimum", {0.3, 5}, 1},
        {FAR, 3001, "multipole=1", {0.1, 32}, 1},
        {LATTICE, 4096, "leaf=8", {0.0625, 6}, 1}, /* neighbours at just the radius */
        {HEAP, 2000, "", {0, 7}, 1},
        {NODE, 3001, "", {0.01, 3}, 1}, /* more neighbours at one place than asked for */
        {TWINS, 3000, "", {0, 1}, 1},
        {CHAIN, 3000, "", {0.01, 2}, 1},
        {MASSES, 2003, "g=43009", {-1, 9}, 1},
        {SPHERE, 0, "", {0.1, 0}, 1},
        {SPHERE, 1, "", {0.1, 0}, 1},
        {SPHERE, 2, "", {9, 1}, 1},
        {SPHERE, 5, "", {-1, 4}, 1}, /* ranks without bodies */
        {DISK, 50021, "", {0.03, 8}, 0},
        {COLLISION, 20011, "", {-0.05, 16}, 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        if (cases[k].always || test_everything())
            try_walks(cases[k].shape, cases[k].n, cases[k].options, cases[k].asked);
}

/* Over the faces of a periodic box. */
static void boxes_are_searched_alike(void **state)
{
    (void)state;
    static const struct {
        enum set set;
        size_t n;
        const char *options;
        struct asked asked;
        int always;
    } cases[] = {
        {CLUMPS, 4409, "force=fmm", {0.1, 6}, 1},
        {UNIFORM, 3001, "force=tree", {-0.3, 40}, 1},
        {FACES, 3001, "force=tree leaf=1 group=16 curve=morton", {0.25, 12}, 1},
        {WAVES, 4913, "force=direct", {0.2, 32}, 0},
        {CORNER, 6007, "force=fmm", {0.01, 9}, 0},
        {TOGETHER, 2000, "force=tree", {0, 7}, 0},
        {UNIFORM, 801, "force=tree", {1.25, 800}, 1}, /* all bodies of all ranks */
        {UNIFORM, 0, "force=fmm", {0.1, 0}, 1},
        {UNIFORM, 1, "force=fmm", {0.1, 0}, 1},
        {UNIFORM, 2, "force=fmm", {1.25, 1}, 1},
        {UNIFORM, 5, "force=tree", {-1.25, 4}, 1}, /* ranks without bodies */
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char options[200];
        snprintf(options, sizeof options, "box=2.5 %s", cases[k].options);
        struct ky_bodies bodies = make_box(cases[k].set, cases[k].n);
        if (cases[k].always || test_everything())
            try_searches(&sharers, &bodies, options, &cases[k].asked);
        ky_bodies_free(&bodies);
    }
}

/* ---- groups ---- */

/* A line of bodies, numbered at random, that is one group from end to end, or breaks between any
 * two. */
static void a_chain_through_all_ranks_is_one_group(void **state)
{
    (void)state;
    enum { N = 20000 };
    struct ky_bodies bodies = make(SPHERE, N);
    for (size_t i = 0; i < N; i++) {
        bodies.position[i][0] = (double)(i * 7919 % N) / 1024;
        bodies.position[i][1] = bodies.position[i][2] = 0;
    }
    for (int is_near = 0; is_near < 2; is_near++) {
        const double radius = is_near ? 1.0 / 1024 : 0.999 / 1024;
        uint32_t *group = calloc(N, sizeof *group);
        struct ky_parameters parameters = parameters_of("");
        struct ky_engine *engine = open_engine(&parameters, 8, &bodies);
        const struct ky_walk_request request = {
            .action = KY_ACTION_friends, .n = N, .radius = &radius, .radii = 1, .group = group};
        assert_ok(ky_engine_walk(engine, &request, &error));
        ky_engine_close(engine);
        for (size_t i = 0; i < N; i++)
            assert_int_equal(group[i], is_near ? 0 : i);
        free(group);
    }
    ky_bodies_free(&bodies);
}

/* One body joins all that its own large radius reaches, on every rank; the others join none. */
static void the_radius_of_one_body_is_enough(void **state)
{
    (void)state;
    enum { N = 5000, LARGE = 4321 };
    struct ky_bodies bodies = make(SPHERE, N);
    double radius[N] = {[LARGE] = 1.5};
    uint32_t group[N], expected = N;
    struct ky_parameters parameters = parameters_of("");
    struct ky_engine *engine = open_engine(&parameters, 4, &bodies);
    const struct ky_walk_request request = {
        .action = KY_ACTION_friends, .n = N, .radius = radius, .radii = N, .group = group};
    assert_ok(ky_engine_walk(engine, &request, &error));
    ky_engine_close(engine);
    unsigned char near[N];
    for (size_t i = N; i-- > 0;) {
        double r2 = 0;
        for (int c = 0; c < 3; c++)
            r2 += pow(bodies.position[i][c] - bodies.position[LARGE][c], 2);
        near[i] = r2 <= 1.5 * 1.5;
        expected = near[i] ? (uint32_t)i : expected;
    }
    for (size_t i = 0; i < N; i++)
        assert_int_equal(group[i], near[i] ? expected : i);
    ky_bodies_free(&bodies);
}

/* ---- the core ---- */

/* Of bodies with unlike masses at one distance, of bodies at one place, and of few. */
static void the_core_is_the_same(void **state)
{
    (void)state;
    static const struct {
        enum shape shape;
        size_t n;
    } cases[] = {{SPHERE, 6007}, {LATTICE, 4096}, {NODE, 2001}, {HEAP, 1000},
                 {FAR, 3000},    {SPHERE, 7},     {SPHERE, 6},  {SPHERE, 1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct ky_bodies bodies = make(cases[k].shape, cases[k].n);
        struct ky_core alone, core;
        for (size_t i = 0; i < bodies.n; i++)
            bodies.mass[i] *= 1 + (double)(i * 7919 % 101) / 10;
        assert_ok(ky_measure_core(&bodies, NULL, &alone, &error));
        for (size_t r = 1; r < RANKS; r++) {
            struct ky_parameters parameters = parameters_of("");
            struct ky_engine *engine = open_engine(&parameters, ranks[r], &bodies);
            engine->finds_crowds = 1; /* as those of processes do */
            assert_ok(ky_measure_core(&bodies, engine, &core, &error));
            ky_engine_close(engine);
            if (memcmp(&core, &alone, sizeof core) != 0)
                fail_msg("shape %d, %zu bodies, %d ranks: radius %.17g and %.17g",
                         (int)cases[k].shape, bodies.n, ranks[r], core.radius, alone.radius);
        }
        ky_bodies_free(&bodies);
    }
}

/* ---- what goes wrong ---- */

static void a_list_that_is_too_short_is_told(void **state)
{
    (void)state;
    try_short_lists(&sharers, 6007, 4);
}

/* Where a body has left all bounds there is nothing to be found, and the ranks take the next call.
 */
static void a_place_that_is_no_number_is_told(void **state)
{
    (void)state;
    enum { N = 1000 };
    struct ky_bodies bodies = make(SPHERE, N);
    double counts[N];
    const double radius = 0.1;
    const struct ky_walk_request request = {
        .action = KY_ACTION_count, .n = N, .radius = &radius, .radii = 1, .results = counts};
    struct ky_parameters parameters = parameters_of("");
    bodies.velocity[17][0] = 1e300;
    struct ky_engine *engine = open_engine(&parameters, 3, &bodies);
    assert_ok(ky_engine_drift(engine, 1e10, &error));
    for (int k = 0; k < 2; k++) {
        assert_int_equal(ky_engine_walk(engine, &request, &error), KY_BAD_DATA);
        assert_non_null(strstr(error.text, "the position of body 17 is not finite"));
    }
    bodies.velocity[17][0] = 0;
    assert_ok(ky_engine_put(engine, &bodies, &error));
    assert_ok(ky_engine_walk(engine, &request, &error));
    ky_engine_close(engine);
    ky_bodies_free(&bodies);
}

/* ---- in a simulation ---- */

static void walks_leave_no_trace(void **state)
{
    (void)state;
    static const char *const options[] = {"", "integrator=block step-length=0.05", "force=fmm",
                                          "force=fmm integrator=block step-length=0.05"};
    for (size_t k = 0; k < sizeof options / sizeof *options; k++)
        try_traces(NULL, 6007, options[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_action_finds_the_same),
        cmocka_unit_test(boxes_are_searched_alike),
        cmocka_unit_test(a_chain_through_all_ranks_is_one_group),
        cmocka_unit_test(the_radius_of_one_body_is_enough),
        cmocka_unit_test(the_core_is_the_same),
        cmocka_unit_test(a_list_that_is_too_short_is_told),
        cmocka_unit_test(a_place_that_is_no_number_is_told),
        cmocka_unit_test(walks_leave_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
