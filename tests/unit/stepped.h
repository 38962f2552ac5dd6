/* Simulations on several ranks whose bodies have steps of their own: a comparison of their bits,
 * and changes between their steps. */
#ifndef KY_TEST_STEPPED_H
#define KY_TEST_STEPPED_H

#include "domain/domain.h"
#include "engine/force_options.h"
#include "ranked_cases.h"

/* ---- what is compared ---- */

/* The bodies and their steps. */
struct state {
    struct ky_bodies bodies;
    double *step;
};

static inline struct state take_state(struct ky_sim *sim)
{
    struct ky_error error;
    struct state state = {.bodies = state_of(sim)};
    state.step = calloc(state.bodies.n + 1, sizeof *state.step);
    assert_ok(ky_sim_column(sim, "step", NULL, state.bodies.n, state.step, &error));
    return state;
}

static inline void free_state(struct state *state)
{
    ky_bodies_free(&state->bodies);
    free(state->step);
    state->step = NULL;
}

static inline void expect_same_state(const struct state *a, const struct state *b, const char *what)
{
    expect_same(&a->bodies, &b->bodies, what);
    const size_t i = first_other(a->step, b->step, a->bodies.n, sizeof *a->step);
    if (i < a->bodies.n)
        fail_msg("%s: body %zu has a step of %g and of %g", what, i, a->step[i], b->step[i]);
}

/* The state after `steps` longest steps, with a change before the last of them (or NULL), has the
 * same bits on each of `ranks`, which ends with 0. */
static inline void expect_same_on(const int *ranks, const struct ky_parameters *parameters,
                                  const struct ky_bodies *bodies, uint64_t steps,
                                  void (*change)(struct ky_sim *), const char *what)
{
    struct state one = {.step = NULL};
    for (size_t r = 0; ranks[r]; r++) {
        struct ky_error error;
        char text[320];
        if (!is_compared(ranks[r], bodies->n))
            continue;
        struct ky_sim *sim = open_ranks(parameters, ranks[r], bodies);
        snprintf(text, sizeof text, "%s, %d ranks", what, ranks[r]);
        if (change) {
            assert_ok(ky_sim_advance(sim, steps - 1, &error));
            change(sim);
        }
        assert_ok(ky_sim_advance(sim, change ? 1 : steps, &error));
        struct state got = take_state(sim);
        ky_sim_close(sim);
        if (!r) {
            one = got;
            continue;
        }
        expect_same_state(&got, &one, text);
        free_state(&got);
    }
    free_state(&one);
}

/* ---- changes between steps ---- */

static inline void kick_some(struct ky_sim *sim)
{
    struct ky_error error;
    static const size_t index[] = {4096, 3, 5999};
    static const double by[3][3] = {{1, 0, 0}, {0, -2, 0}, {0.5, 0.5, 0.5}};
    assert_ok(ky_sim_kick(sim, index, 3, by, &error));
}

static inline void replace_one(struct ky_sim *sim)
{
    struct ky_error error;
    static const size_t index[] = {5000};
    double mass[1] = {0.05}, position[1][3] = {{1, 2, 3}};
    const struct ky_bodies some = {.n = 1, .mass = mass, .position = position};
    assert_ok(ky_sim_replace(sim, index, &some, &error));
}

/* Ranks of a CPU do not divide massless bodies: then each has all bodies, and these keep their
 * steps. */
static inline void replace_by_massless(struct ky_sim *sim)
{
    struct ky_error error;
    static const size_t index[] = {5000};
    double none[1] = {0}, heavy[1] = {0.001};
    struct ky_bodies some = {.n = 1, .mass = none};
    assert_ok(ky_sim_replace(sim, index, &some, &error));
    assert_ok(ky_sim_advance(sim, 1, &error));
    some.mass = heavy;
    assert_ok(ky_sim_replace(sim, index, &some, &error));
}

static inline void undivided_and_back(struct ky_sim *sim)
{
    struct ky_error error;
    assert_ok(ky_sim_set_parameter(sim, "cell", "edge", &error));
    assert_ok(ky_sim_advance(sim, 1, &error));
    assert_ok(ky_sim_set_parameter(sim, "cell", "box", &error));
}

static inline void remove_and_add(struct ky_sim *sim)
{
    struct ky_error error;
    static const uint64_t gone[] = {0, 17, 5999};
    struct ky_bodies more = make(BLOCK, 3001);
    assert_ok(ky_sim_remove(sim, gone, 3, &error));
    assert_ok(ky_sim_add(sim, &more, &error));
    ky_bodies_free(&more);
}

static inline void shorter_step(struct ky_sim *sim)
{
    struct ky_error error;
    assert_ok(ky_sim_set_step(sim, 0.03125, &error));
    assert_ok(ky_sim_advance_to(sim, ky_sim_time(sim) + 0.04, 1, &error));
}

static inline void look_at_field(struct ky_sim *sim)
{
    struct ky_error error;
    static const double at[3][3] = {{1, 0, 0}, {5, 5, 5}, {0, 0.1, 0}};
    double a[3][3], p[3];
    assert_ok(ky_sim_field(sim, 3, at, 0.01, a, p, &error));
}

/* The simulation from its restart data, on another number of ranks; `sim` is closed. */
static inline struct ky_sim *restored(struct ky_sim *sim, const char *engine, int ranks)
{
    struct ky_error error;
    struct ky_sim *again = NULL;
    struct ky_parameters parameters = parameters_of("");
    size_t bytes = 0;
    parameters.engine = engine;
    parameters.ranks = ranks;
    assert_ok(ky_sim_save_memory(sim, NULL, &bytes, &error));
    void *data = malloc(bytes);
    assert_ok(ky_sim_save_memory(sim, data, &bytes, &error));
    assert_ok(ky_sim_restore_memory(data, bytes, &parameters, &again, &error));
    free(data);
    ky_sim_close(sim);
    return again;
}

/* A simulation that begins on path[0] ranks, and is restored on path[1], path[2] and path[3] ranks
 * of `engine` after a longest step each, has the bits of one on 1 rank. */
static inline void expect_same_restarts(const struct ky_parameters *parameters,
                                        const struct ky_bodies *bodies, const char *engine,
                                        const int path[4])
{
    struct ky_error error;
    struct ky_sim *whole = open_ranks(parameters, 1, bodies),
                  *sim = open_ranks(parameters, path[0], bodies);
    for (int k = 1; k < 4; k++) {
        assert_ok(ky_sim_advance(sim, 1, &error));
        sim = restored(sim, engine, path[k]);
    }
    assert_ok(ky_sim_advance(sim, 1, &error));
    assert_ok(ky_sim_advance(whole, 4, &error));
    struct state got = take_state(sim), expected = take_state(whole);
    expect_same_state(&got, &expected, "a simulation with three restarts");
    free_state(&got);
    free_state(&expected);
    ky_sim_close(sim);
    ky_sim_close(whole);
}

/* ---- massless bodies and own softenings, which ranks of a CPU do not divide ---- */

/* Parameters of block steps for these bodies, with NAME=VALUE …; an expansion begins at a = 0.2. */
static inline struct ky_parameters undivided_parameters(const char *engine, int kind,
                                                        const char *options)
{
    char all[240];
    snprintf(all, sizeof all, "integrator=block step=0.0625 %s", options);
    struct ky_parameters parameters = parameters_of(all);
    parameters.engine = engine;
    parameters.time = parameters.expansion ? 0.2 : 0;
    if (kind & OWN_SOFTENINGS)
        parameters.softening = (double)NAN;
    return parameters;
}

/* Another mass and position, so that ranks divide the forces on the bodies that each has moved. */
static inline void replace_first(struct ky_sim *sim)
{
    struct ky_error error;
    static const size_t index[] = {0};
    double mass[1] = {0.05}, position[1][3] = {{0.5, 0.25, 0.125}};
    const struct ky_bodies some = {.n = 1, .mass = mass, .position = position};
    assert_ok(ky_sim_replace(sim, index, &some, &error));
}

#define COMOVING "box=3 expansion=omega-m=0.3,omega-lambda=0.7,h0=1 eta=0.3 "

/* Massless bodies and own softenings have the same bits on 1 to 4 ranks after two longest
 * steps. */
static inline void expect_same_undivided(const char *engine, unsigned where)
{
    static const int ranks[] = {1, 2, 3, 4, 0};
    enum { BOTH = OWN_SOFTENINGS | SOME_MASSLESS, ON_BOTH = ON_CPU | ON_DEVICES };
    static const struct {
        enum shape shape;
        size_t n;
        int kind;
        const char *options;
        unsigned always;
    } cases[] = {
        {SPHERE, 1201, SOME_MASSLESS, "force=fmm", ON_BOTH},
        {COLLISION, 1201, OWN_SOFTENINGS, "force=tree step=0.25", ON_BOTH},
        {SPHERE, 1201, BOTH, COMOVING "force=fmm step=0.05", ON_BOTH},
        {COLLISION, 1201, BOTH, COMOVING "force=tree step=0.05", 0},
        {COLLISION, 1201, SOME_MASSLESS, "force=tree step=0.25", 0},
        {SPHERE, 1201, OWN_SOFTENINGS, "force=fmm softening-kind=symmetric", 0},
        {SPHERE, 1201, BOTH, "force=tree softening-kind=spline", 0},
        {SPHERE, 1201, ALL_MASSLESS, "force=fmm field=plummer:mass=3,scale=2,x=3", 0},
        {SPHERE, 1201, SOME_MASSLESS, COMOVING "force=fmm step=0.05", 0},
        {COLLISION, 9001, BOTH, "force=fmm step=0.25", 0},
        {COLLISION, 5001, SOME_MASSLESS, "force=fmm step=0.25", ON_DEVICES},
        {TWO, 5001, HALF_MASSLESS, "force=tree", ON_DEVICES},
        {TWO, 5001, HALF_MASSLESS, COMOVING "force=fmm step=0.05", 0},
        {TWO, 5001, ALL_MASSLESS, "force=fmm", 0},
        {SPHERE, 1, SOME_MASSLESS, "force=fmm", ON_BOTH},
        {SPHERE, 2, SOME_MASSLESS, "force=tree", ON_BOTH},
        {SPHERE, 1, BOTH, "force=tree", ON_CPU},
        {SPHERE, 2, BOTH, COMOVING "force=fmm step=0.05", ON_BOTH},
        {SPHERE, 2, OWN_SOFTENINGS, "force=fmm", ON_BOTH},
        {SPHERE, 2, ALL_MASSLESS, "force=tree", ON_BOTH},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char what[200];
        if (!(cases[k].always & where) && !test_everything())
            continue;
        struct ky_bodies bodies = make_kind(cases[k].shape, cases[k].n, cases[k].kind);
        const struct ky_parameters parameters =
            undivided_parameters(engine, cases[k].kind, cases[k].options);
        snprintf(what, sizeof what, "case %zu on %s", k, engine);
        expect_same_on(ranks, &parameters, &bodies, 2, replace_first, what);
        ky_bodies_free(&bodies);
    }
}

/* ---- the numbers of steps ---- */

/* One call at a time through blocks of an engine: a call may end between any two, and its counts
 * are those of all ranks. */
static inline void expect_same_counts(const char *processor)
{
    enum { MOST = 400 };
    static struct ky_advance one[MOST];
    size_t calls = 0;
    struct ky_bodies bodies = make(COLLISION, 5001);
    for (int ranks = 1; ranks <= 3; ranks += 2) {
        struct ky_parameters parameters = parameters_of(""), resolved;
        struct ky_error error;
        struct ky_engine *engine = NULL;
        const struct ky_engine_use use = {.n = bodies.n, .schemes = 1U << KY_SCHEME_BLOCK};
        parameters.engine = processor;
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

#endif
