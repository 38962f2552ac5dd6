/* What is asked of a simulation whose bodies ranks share, beside motion: fields and tides at
 * points, and searches. The same bits for any number of ranks, and no trace in later steps. */
#include "test.h"

#include "domain/domain.h"
#include "engine/force_options.h"
#include "placed_points.h"
#include "ranked.h"

static struct ky_error error;

enum { MOST = 1500 };

/* What points are given, and what comes. */
struct answers {
    size_t count;
    double position[MOST][3], softenings[MOST];
    double acceleration[MOST][3], potential[MOST], tide[MOST][6];
};

static void place_points(struct answers *answers, const struct ky_bodies *bodies, size_t count)
{
    memset(answers, 0, sizeof *answers);
    answers->count = count;
    for (size_t k = 0; k < count; k++) {
        place_point(k, bodies, answers->position[k]);
        answers->softenings[k] = softening_of_point(k);
    }
}

static void ask(struct ky_sim *sim, struct answers *answers, int own_softenings)
{
    const struct ky_field_points points = {
        .size = sizeof points,
        .count = answers->count,
        .position = (const double(*)[3])answers->position,
        .softening = 0.02,
        .softenings = own_softenings ? answers->softenings : NULL,
        .acceleration = answers->acceleration,
        .potential = answers->potential,
        .tide = answers->tide,
    };
    assert_ok(ky_sim_field_fill(sim, &points, &error));
}

static void expect_same_answers(const struct answers *a, const struct answers *b, const char *what)
{
    for (size_t k = 0; k < a->count; k++)
        if (memcmp(a->acceleration[k], b->acceleration[k], sizeof a->acceleration[k]) != 0 ||
            memcmp(a->tide[k], b->tide[k], sizeof a->tide[k]) != 0 ||
            a->potential[k] != b->potential[k])
            fail_msg("%s: point %zu (%g %g %g): potential %.17g and %.17g", what, k,
                     a->position[k][0], a->position[k][1], a->position[k][2], a->potential[k],
                     b->potential[k]);
}

static void try_points(enum shape shape, size_t n, const char *options, size_t count)
{
    static const int ranks[] = {1, 2, 3, 4, 8};
    static struct answers one[2], got;
    const struct ky_parameters parameters = parameters_of(options);
    struct ky_bodies bodies = make(shape, n), last = {0};
    char what[160];
    for (size_t r = 0; r < 5; r++) {
        if (!is_compared(ranks[r], n))
            continue;
        struct ky_sim *sim = open_ranks(&parameters, ranks[r], &bodies);
        snprintf(what, sizeof what, "shape %d, %zu bodies, %zu points, '%s', %d ranks", (int)shape,
                 n, count, options, ranks[r]);
        for (int after = 0; after < 2; after++) {
            place_points(&got, &bodies, count);
            ask(sim, &got, after);
            ask(sim, &got, after); /* again, where a tree stands */
            if (r == 0)
                one[after] = got;
            expect_same_answers(&got, &one[after], what);
            assert_ok(ky_sim_advance(sim, 1, &error));
        }
        struct ky_bodies now = state_of(sim);
        if (last.n)
            expect_same(&now, &last, what);
        ky_bodies_free(&last);
        last = now;
        ky_sim_close(sim);
    }
    ky_bodies_free(&last);
    ky_bodies_free(&bodies);
}

static void fields_have_the_same_bits(void **state)
{
    (void)state;
    static const struct {
        enum shape shape;
        size_t n, count;
        const char *options;
        int always;
    } cases[] = {
        {SPHERE, 9001, MOST, "", 1},
        {SPHERE, 9001, 1, "", 1},
        {SPHERE, 9001, 0, "", 1},
        {TWO, 8193, 700, "opening=minimum theta=0.8 multipole=1", 1},
        {FAR, 8193, 300, "opening=geometric curve=morton precision=double", 0},
        {DISK, 6007, 700, "softening=0.3 softening-kind=spline opening=offset", 1},
        {SPHERE, 6007, 300, "softening=0.1 softening-kind=symmetric g=43009", 1},
        {SPHERE, 0, 40, "", 1},
        {SPHERE, 1, 40, "", 1},
        {SPHERE, 5, 40, "", 1},
        {HEAP, 5000, 200, "", 1},
        {NODE, 12000, 700, "threads=5", 0},
        {SPHERE, 6007, 200, "field=plummer:mass=3,scale=2,x=3 leaf=1 group=16", 1},
        {SPHERE, 50021, MOST, "alpha=0.0005", 0},
        {SPHERE, 9001, MOST, "force=fmm", 1},
        {SPHERE, 9001, 1, "force=fmm", 1},
        {SPHERE, 9001, 0, "force=fmm", 1},
        {TWO, 8193, 700, "force=fmm order=5", 1},
        {COLLISION, 8193, MOST, "force=fmm order=2 alpha=1e-6 group=16 leaf=1", 0},
        {FAR, 8193, 300, "force=fmm order=6 precision=double curve=morton", 0},
        {DISK, 6007, 700, "force=fmm softening=0.3 softening-kind=spline", 1},
        {SPHERE, 6007, 300, "force=fmm softening=0.1 softening-kind=symmetric g=43009", 1},
        {SPHERE, 6007, 300, "force=fmm g=0", 0},
        {SPHERE, 0, 40, "force=fmm", 1},
        {SPHERE, 1, 40, "force=fmm", 1},
        {SPHERE, 5, 40, "force=fmm", 1},
        {HEAP, 5000, 200, "force=fmm", 1},
        {NODE, 12000, 700, "force=fmm threads=5", 0},
        {SPHERE, 50021, MOST, "force=fmm alpha=0.00005", 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        if (cases[k].always || test_everything())
            try_points(cases[k].shape, cases[k].n, cases[k].options, cases[k].count);
}

/* At points in all places the field is near that of a sum over all bodies. */
static void fields_are_those_of_the_exact_sum(void **state)
{
    (void)state;
    static struct answers sums, got;
    struct ky_parameters parameters = parameters_of("opening=offset theta=0.4"),
                         direct = parameters_of("precision=double");
    struct ky_bodies bodies = make(TWO, 6007);
    direct.force = KY_DIRECT;
    struct ky_sim *exact = open_ranks(&direct, 1, &bodies),
                  *sim = open_ranks(&parameters, 3, &bodies);
    place_points(&sums, &bodies, MOST);
    got = sums;
    ask(exact, &sums, 1);
    ask(sim, &got, 1);
    for (size_t k = 0; k < MOST; k++) {
        double a2 = 0, d2 = 0;
        for (int c = 0; c < 3; c++) {
            const double d = got.acceleration[k][c] - sums.acceleration[k][c];
            a2 += sums.acceleration[k][c] * sums.acceleration[k][c];
            d2 += d * d;
        }
        assert_true(d2 <= 1e-4 * (a2 + 1e-6));
        assert_between(got.potential[k] / sums.potential[k], 0.999, 1.001);
    }
    ky_sim_close(exact);
    ky_sim_close(sim);
    ky_bodies_free(&bodies);
}

/* ---- searches ---- */

/* All searches of a simulation, as bytes. */
struct found {
    uint32_t *neighbours;
    double *density, *smoothing, *gravity;
    struct ky_catalogue groups;
};

static struct found search(struct ky_sim *sim, size_t n)
{
    static const double radius = 0.05;
    struct found found = {calloc(n + 1, sizeof(uint32_t)),
                          calloc(n + 1, sizeof(double)),
                          calloc(n + 1, sizeof(double)),
                          calloc(4 * n + 1, sizeof(double)),
                          {.size = sizeof found.groups}};
    const struct ky_walk_input input = {.size = sizeof input};
    struct ky_catalogue_parameters wanted = {.size = sizeof wanted};
    ky_catalogue_parameters_defaults(&wanted);
    wanted.linking_length = 0.05;
    wanted.minimum = 2;
    assert_ok(ky_sim_neighbours(sim, &radius, 1, found.neighbours, NULL, NULL, &error));
    if (n > 40)
        assert_ok(ky_sim_sph_density(sim, 32, found.density, found.smoothing, NULL, &error));
    assert_ok(ky_sim_walk(sim, "gravity", &input, found.gravity, NULL, &error));
    assert_ok(ky_sim_catalogue_make(sim, &wanted, &found.groups, NULL, &error));
    return found;
}

static void expect_same_found(const struct found *a, const struct found *b, size_t n)
{
    assert_memory_equal(a->neighbours, b->neighbours, n * sizeof *a->neighbours);
    assert_memory_equal(a->density, b->density, n * sizeof *a->density);
    assert_memory_equal(a->smoothing, b->smoothing, n * sizeof *a->smoothing);
    assert_memory_equal(a->gravity, b->gravity, 4 * n * sizeof *a->gravity);
    assert_true(a->groups.groups == b->groups.groups);
    assert_memory_equal(a->groups.offset, b->groups.offset,
                        (a->groups.groups + 1) * sizeof *a->groups.offset);
    assert_memory_equal(a->groups.body, b->groups.body,
                        a->groups.offset[a->groups.groups] * sizeof *a->groups.body);
}

static void free_found(struct found *found)
{
    free(found->neighbours);
    free(found->density);
    free(found->smoothing);
    free(found->gravity);
    ky_catalogue_free(&found->groups);
}

static void searches_have_the_same_bits(void **state)
{
    (void)state;
    static const size_t sizes[] = {6007, 3};
    for (int k = 0; k < 2; k++) {
        const size_t n = sizes[k];
        struct ky_bodies bodies = make(SPHERE, n);
        const struct ky_parameters parameters = parameters_of("");
        struct ky_sim *sim[2] = {open_ranks(&parameters, 1, &bodies),
                                 open_ranks(&parameters, 3, &bodies)};
        for (int step = 0; step < 2; step++) {
            struct found one = search(sim[0], n), three = search(sim[1], n);
            expect_same_found(&one, &three, n);
            free_found(&one);
            free_found(&three);
            assert_ok(ky_sim_advance(sim[0], 1, &error));
            assert_ok(ky_sim_advance(sim[1], 1, &error));
            struct ky_bodies a = state_of(sim[0]), b = state_of(sim[1]);
            expect_same(&a, &b, "after searches");
            ky_bodies_free(&a);
            ky_bodies_free(&b);
        }
        ky_sim_close(sim[0]);
        ky_sim_close(sim[1]);
        ky_bodies_free(&bodies);
    }
}

/* ---- exact sums, which only an engine gives ---- */

static void sum_exactly(const struct ky_bodies *bodies, const char *options, int ranks,
                        const size_t *sinks, size_t count, double (*a)[3], double *p)
{
    struct ky_parameters parameters = parameters_of(options), resolved;
    const struct ky_engine_use use = {.n = bodies->n};
    struct ky_engine *engine = NULL;
    assert_ok(ky_force_resolve(&parameters, &resolved, &error));
    resolved.ranks = ranks;
    if (ranks > 1)
        assert_ok(ky_domain_open(&resolved, bodies->n, &use, &engine, &error));
    else
        assert_ok(ky_engine_open(&resolved, bodies->n, &engine, &error));
    assert_ok(ky_engine_put(engine, bodies, &error));
    if (ranks % 2) /* also where bodies are on their ranges */
        assert_ok(ky_engine_forces(engine, &error));
    assert_ok(ky_engine_exact(engine, sinks, count, a, p, &error));
    ky_engine_close(engine);
}

/* The sinks are some bodies, runs of bodies that follow each other, and some of them twice. */
static size_t choose_sinks(size_t n, size_t *sinks)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        const int times = i % 1000 < 70 || i > 4000 ? 1 : i % 97 == 3 ? 2 : i % 61 == 5;
        for (int k = 0; k < times; k++)
            sinks[count++] = i;
    }
    for (size_t k = 0; 2 * k < count; k++) { /* in no order */
        const size_t other = (k * 7919) % count, sink = sinks[k];
        sinks[k] = sinks[other];
        sinks[other] = sink;
    }
    return count;
}

static void exact_sums_have_the_same_bits(void **state)
{
    (void)state;
    enum { ROOM = 2 * 20011 };
    static size_t sinks[ROOM];
    static double a[2][ROOM][3], p[2][ROOM];
    static const struct {
        enum shape shape;
        size_t n;
        const char *options;
    } cases[] = {
        {COLLISION, 6007, ""},
        {SPHERE, 20011, "g=43009"},
        {SPHERE, 5121, "force=fmm softening=0.3 softening-kind=spline"},
        {SPHERE, 5120, "softening=0.1 softening-kind=symmetric"},
        {HEAP, 3000, "softening=0"},
        {SPHERE, 0, ""},
        {SPHERE, 1, ""},
        {SPHERE, 5, "threads=5"},
    };
    static const int ranks[] = {1, 2, 3, 4, 8};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct ky_bodies bodies = make(cases[c].shape, cases[c].n);
        const size_t count = choose_sinks(bodies.n, sinks);
        for (int r = 0; r < 5; r++) {
            const int at = r > 0;
            if (!is_compared(ranks[r], bodies.n))
                continue;
            sum_exactly(&bodies, cases[c].options, ranks[r], sinks, count, a[at], p[at]);
            if (memcmp(a[at], a[0], count * sizeof *a[0]) != 0 ||
                memcmp(p[at], p[0], count * sizeof *p[0]) != 0)
                fail_msg("%zu of %zu bodies, '%s': other bits with %d ranks", count, bodies.n,
                         cases[c].options, ranks[r]);
        }
        sum_exactly(&bodies, cases[c].options, 3, sinks, count, NULL, p[1]);
        assert_memory_equal(p[1], p[0], count * sizeof *p[0]);
        ky_bodies_free(&bodies);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_have_the_same_bits),
        cmocka_unit_test(fields_are_those_of_the_exact_sum),
        cmocka_unit_test(searches_have_the_same_bits),
        cmocka_unit_test(exact_sums_have_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
