/* Block steps of a simulation whose bodies ranks share: the same bits, and the same steps, for any
 * number of ranks, also after changes between them and after restarts. */
#include "test.h"

#include "domain/domain.h"
#include "ranked.h"

static struct ky_error error;

/* ---- what is compared ---- */

/* The bodies and their steps. */
struct state {
    struct ky_bodies bodies;
    double *step;
};

static struct state take_state(struct ky_sim *sim)
{
    struct state state = {.bodies = state_of(sim)};
    state.step = calloc(state.bodies.n + 1, sizeof *state.step);
    assert_ok(ky_sim_column(sim, "step", NULL, state.bodies.n, state.step, &error));
    return state;
}

static void free_state(struct state *state)
{
    ky_bodies_free(&state->bodies);
    free(state->step);
    state->step = NULL;
}

static void expect_same_state(const struct state *a, const struct state *b, const char *what)
{
    expect_same(&a->bodies, &b->bodies, what);
    const size_t i = first_other(a->step, b->step, a->bodies.n, sizeof *a->step);
    if (i < a->bodies.n)
        fail_msg("%s: body %zu has a step of %g and of %g", what, i, a->step[i], b->step[i]);
}

/* ---- systems and options ---- */

static void try_ranks(enum shape shape, size_t n, const char *options, uint64_t steps)
{
    static const int ranks[] = {1, 2, 3, 4, 8};
    char what[200], all[200];
    snprintf(all, sizeof all, "integrator=block step=0.0625 %s", options);
    const struct ky_parameters parameters = parameters_of(all);
    struct ky_bodies bodies = make(shape, n);
    struct state one = {0};
    for (size_t r = 0; r < 5; r++) {
        if (ranks[r] == 4 && !test_everything())
            continue;
        struct ky_sim *sim = open_ranks(&parameters, ranks[r], &bodies);
        snprintf(what, sizeof what, "shape %d, %zu bodies, '%s', %d ranks", (int)shape, n, options,
                 ranks[r]);
        assert_ok(ky_sim_advance(sim, steps, &error));
        struct state got = take_state(sim);
        if (r)
            expect_same_state(&got, &one, what);
        else
            one = got;
        if (r)
            free_state(&got);
        ky_sim_close(sim);
    }
    free_state(&one);
    ky_bodies_free(&bodies);
}

static void systems_have_the_same_bits(void **state)
{
    (void)state;
    static const struct {
        enum shape shape;
        size_t n;
        const char *options;
        int always;
    } cases[] = {
        {SPHERE, 9001, "", 1},
        {COLLISION, 8193, "step=0.25 softening=0.1", 1},
        {TWO, 8193, "opening=offset multipole=1", 1},
        {FAR, 8193, "curve=morton eta=0.1", 1},
        {NODE, 7001, "", 1},
        {MASSES, 6007, "step=0.000244140625 precision=double threads=5", 1},
        {LATTICE, 6859, "step=-0.125 leaf=1 group=16", 1},
        {CHAIN, 4097, "softening=0.1 softening-kind=spline", 1},
        {TWINS, 8193, "field=plummer:mass=3,scale=2,x=3", 1},
        {SPHERE, 50021, "alpha=0.0005", 0},
        {DISK, 20011, "softening=0.001", 0},
        {COLLISION, 50021, "step=0.5 softening=0.05", 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        if (cases[k].always || test_everything())
            try_ranks(cases[k].shape, cases[k].n, cases[k].options, 2);
}

/* Fewer bodies than ranks, and so few that one rank has all of them. */
static void few_bodies_have_the_same_bits(void **state)
{
    (void)state;
    static const size_t few[] = {0, 1, 2, 3, 5, 100, 3000};
    for (size_t k = 0; k < sizeof few / sizeof *few; k++) {
        try_ranks(SPHERE, few[k], "", 3);
        try_ranks(HEAP, few[k], "", 1);
    }
}

/* ---- changes, fields and restarts between steps ---- */

static void kick_some(struct ky_sim *sim)
{
    static const size_t index[] = {4096, 3, 5999};
    static const double by[3][3] = {{1, 0, 0}, {0, -2, 0}, {0.5, 0.5, 0.5}};
    assert_ok(ky_sim_kick(sim, index, 3, by, &error));
}

static void replace_one(struct ky_sim *sim)
{
    static const size_t index[] = {5000};
    double mass[1] = {0.05}, position[1][3] = {{1, 2, 3}};
    const struct ky_bodies some = {.n = 1, .mass = mass, .position = position};
    assert_ok(ky_sim_replace(sim, index, &some, &error));
}

static void remove_and_add(struct ky_sim *sim)
{
    static const uint64_t gone[] = {0, 17, 5999};
    struct ky_bodies more = make(BLOCK, 3001);
    assert_ok(ky_sim_remove(sim, gone, 3, &error));
    assert_ok(ky_sim_add(sim, &more, &error));
    ky_bodies_free(&more);
}

static void shorter_step(struct ky_sim *sim)
{
    assert_ok(ky_sim_set_step(sim, 0.03125, &error));
    assert_ok(ky_sim_advance_to(sim, ky_sim_time(sim) + 0.04, 1, &error));
}

/* Massless bodies are not divided: all ranks have all bodies, and the steps of those before. */
static void replace_by_massless(struct ky_sim *sim)
{
    static const size_t index[] = {5000};
    double none[1] = {0}, heavy[1] = {0.001};
    struct ky_bodies some = {.n = 1, .mass = none};
    assert_ok(ky_sim_replace(sim, index, &some, &error));
    assert_ok(ky_sim_advance(sim, 1, &error));
    some.mass = heavy;
    assert_ok(ky_sim_replace(sim, index, &some, &error));
}

static void undivided_and_back(struct ky_sim *sim)
{
    assert_ok(ky_sim_set_parameter(sim, "cell", "edge", &error));
    assert_ok(ky_sim_advance(sim, 1, &error));
    assert_ok(ky_sim_set_parameter(sim, "cell", "box", &error));
}

static void look_at_field(struct ky_sim *sim)
{
    static const double at[3][3] = {{1, 0, 0}, {5, 5, 5}, {0, 0.1, 0}};
    double a[3][3], p[3];
    assert_ok(ky_sim_field(sim, 3, at, 0.01, a, p, &error));
}

static struct ky_sim *restored(struct ky_sim *sim, int ranks)
{
    struct ky_sim *again = NULL;
    struct ky_parameters parameters = parameters_of("");
    size_t bytes = 0;
    parameters.ranks = ranks;
    assert_ok(ky_sim_save_memory(sim, NULL, &bytes, &error));
    void *data = malloc(bytes);
    assert_ok(ky_sim_save_memory(sim, data, &bytes, &error));
    assert_ok(ky_sim_restore_memory(data, bytes, &parameters, &again, &error));
    free(data);
    ky_sim_close(sim);
    return again;
}

static void changes_have_the_same_bits(void **state)
{
    (void)state;
    static void (*const changes[])(struct ky_sim *) = {
        kick_some,           replace_one,        remove_and_add, shorter_step,
        replace_by_massless, undivided_and_back, look_at_field};
    const struct ky_parameters parameters = parameters_of("integrator=block step=0.0625");
    struct ky_bodies bodies = make(SPHERE, 6007);
    for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
        struct state one = {0};
        for (int ranks = 1; ranks <= 3; ranks += 2) {
            char what[64];
            struct ky_sim *sim = open_ranks(&parameters, ranks, &bodies);
            assert_ok(ky_sim_advance(sim, 1, &error));
            changes[k](sim);
            assert_ok(ky_sim_advance(sim, 1, &error));
            struct state got = take_state(sim);
            snprintf(what, sizeof what, "change %zu, %d ranks", k, ranks);
            if (ranks == 1)
                one = got;
            else
                expect_same_state(&got, &one, what);
            if (ranks != 1)
                free_state(&got);
            ky_sim_close(sim);
        }
        free_state(&one);
    }
    ky_bodies_free(&bodies);
}

/* A simulation goes on with another number of ranks, or without, as if nothing had been. */
static void restarts_take_any_number_of_ranks(void **state)
{
    (void)state;
    static const int path[] = {2, 1, 5, 3};
    const struct ky_parameters parameters = parameters_of("integrator=block step=0.0625");
    struct ky_bodies bodies = make(COLLISION, 6007);
    struct ky_sim *whole = open_ranks(&parameters, 1, &bodies),
                  *sim = open_ranks(&parameters, 8, &bodies);
    for (int k = 0; k < 4; k++) {
        assert_ok(ky_sim_advance(sim, 1, &error));
        sim = restored(sim, path[k]);
    }
    assert_ok(ky_sim_advance(sim, 1, &error));
    assert_ok(ky_sim_advance(whole, 5, &error));
    struct state got = take_state(sim), expected = take_state(whole);
    expect_same_state(&got, &expected, "a simulation with four restarts");
    free_state(&got);
    free_state(&expected);
    ky_sim_close(sim);
    ky_sim_close(whole);
    ky_bodies_free(&bodies);
}

/* ---- the numbers of steps ---- */

/* One call at a time through blocks of an engine: a call may end between any two, and its counts
 * are those of all ranks. */
static void calls_count_the_steps_of_all_ranks(void **state)
{
    (void)state;
    enum { MOST = 400 };
    static struct ky_advance one[MOST];
    size_t calls = 0;
    struct ky_bodies bodies = make(COLLISION, 5001);
    for (int ranks = 1; ranks <= 3; ranks += 2) {
        struct ky_parameters parameters = parameters_of(""), resolved;
        struct ky_engine *engine = NULL;
        const struct ky_engine_use use = {.n = bodies.n, .schemes = 1U << KY_SCHEME_BLOCK};
        assert_ok(ky_force_resolve(&parameters, &resolved, &error));
        resolved.ranks = ranks;
        assert_ok(ranks > 1 ? ky_domain_open(&resolved, bodies.n, &use, &engine, &error)
                            : ky_engine_open_for(&resolved, bodies.n, &use, &engine, &error));
        assert_ok(ky_engine_put(engine, &bodies, &error));
        assert_ok(ky_engine_columns(engine, 1U << KY_COLUMN_STEP, &error));
        assert_ok(ky_engine_forces(engine, &error));
        struct ky_advance way = {.scheme = KY_SCHEME_BLOCK,
                                 .tick = 0.25 / 1024,
                                 .stride = 1024,
                                 .until = 1024,
                                 .eta = 0.2,
                                 .length = 0.01,
                                 .close = KY_NO_BODY};
        size_t k = 0;
        for (; way.now < way.until && k < MOST; k++) {
            way.most = 1 + k % 3;
            assert_ok(ky_engine_advance(engine, &way, &error));
            if (ranks == 1)
                one[k] = way;
            assert_true(way.now == one[k].now && way.steps == one[k].steps &&
                        way.shortest == one[k].shortest && way.body_steps == one[k].body_steps &&
                        way.cut == one[k].cut);
        }
        assert_true(k < MOST && k > 20 && way.body_steps > 2.0 * (double)bodies.n);
        assert_true(ranks == 1 || k == calls);
        calls = k;
        ky_engine_close(engine);
    }
    ky_bodies_free(&bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(systems_have_the_same_bits),
        cmocka_unit_test(few_bodies_have_the_same_bits),
        cmocka_unit_test(changes_have_the_same_bits),
        cmocka_unit_test(restarts_take_any_number_of_ranks),
        cmocka_unit_test(calls_count_the_steps_of_all_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
