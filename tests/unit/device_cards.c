/* A tree on several cards: forces with the same bits as on one card, memory that runs out, and the
 * division of the work. On a machine with one device, it is opened several times. */
#include "test.h"

#include "clouds.h"
#include "drivers.h"
#include "engines.h"
#include "guard.h"

#include "engine/device/forces/division.h"

/* ---- the same bits ---- */

enum { STAGES = 4 };
struct course {
    struct ky_bodies after[STAGES];
    struct ky_force_report report[STAGES];
};

/* Computes forces at a stage: at first, after a step, after two more steps during which the bodies
 * are not read, and for every third body. */
static void forces_at(struct ky_engine *engine, int stage, size_t n)
{
    struct ky_error error = {0};
    uint32_t *list = calloc(n + 1, sizeof *list);
    struct ky_active active = {0, list};
    for (size_t i = 0; i < n; i += 3)
        list[active.count++] = (uint32_t)i;
    for (int k = 0; k < stage && stage < 3; k++) {
        assert_ok(ky_engine_kick(engine, 0.01, &error));
        assert_ok(ky_engine_drift(engine, 0.3, &error));
        if (k + 1 < stage)
            assert_ok(ky_engine_forces(engine, &error));
    }
    if (stage == 3) {
        assert_ok(ky_engine_drift(engine, 0.1, &error));
        assert_ok(ky_engine_forces_of(engine, &active, &error));
    } else
        assert_ok(ky_engine_forces(engine, &error));
    free(list);
}

static struct course course_of(const char *name, const struct ky_parameters *given,
                               const struct ky_bodies *start)
{
    static const struct ky_external field = {
        .kind = KY_EXTERNAL_POINT, .centre = {1, 2, 3}, .number = {0.5, 0.1}};
    struct ky_error error = {0};
    struct ky_parameters named = *given, p;
    struct ky_engine *engine;
    struct course course = {0};
    named.engine = name;
    assert_ok(ky_force_resolve(&named, &p, &error));
    assert_ok(ky_engine_open(&p, start->n, &engine, &error));
    assert_ok(ky_engine_put(engine, start, &error));
    assert_ok(ky_engine_set_fields(engine, &field, 1, &error));
    for (int stage = 0; stage < STAGES; stage++) {
        course.after[stage] = cloud_make(PLUMMER, start->n);
        forces_at(engine, stage, start->n);
        ky_engine_report(engine, &course.report[stage]);
        assert_ok(ky_engine_get(engine, &course.after[stage], &error));
    }
    ky_engine_close(engine);
    return course;
}

static void course_free(struct course *course)
{
    for (int stage = 0; stage < STAGES; stage++)
        ky_bodies_free(&course->after[stage]);
}

static void assert_same(const struct course *a, const struct course *b)
{
    for (int stage = 0; stage < STAGES; stage++) {
        const struct ky_bodies *mine = &a->after[stage], *other = &b->after[stage];
        const size_t n = mine->n;
        const struct ky_force_report *my = &a->report[stage], *its = &b->report[stage];
        assert_int_equal(other->n, n);
        if (n == 0)
            continue;
        assert_memory_equal(mine->position, other->position, n * sizeof *mine->position);
        assert_memory_equal(mine->acceleration, other->acceleration,
                            n * sizeof *mine->acceleration);
        assert_memory_equal(mine->potential, other->potential, n * sizeof *mine->potential);
        assert_true(my->body_interactions == its->body_interactions);
        assert_true(my->cell_interactions == its->cell_interactions);
    }
}

static void several_cards_give_the_bits_of_one(void **state)
{
    (void)state;
    static const struct {
        size_t n;
        int opening, multipole, precision, kind;
        double softening;
        enum cloud cloud;
    } cases[] = {
        {0, KY_RELATIVE, 2, KY_SINGLE, 0, 0.01, PLUMMER},
        {1, KY_RELATIVE, 2, KY_SINGLE, 0, 0.01, PLUMMER},
        {2, KY_OFFSET, 2, KY_SINGLE, 0, 0.01, PLUMMER},
        {33, KY_RELATIVE, 2, KY_SINGLE, 0, 0.01, PLUMMER},
        {3001, KY_RELATIVE, 2, KY_SINGLE, 0, 0.01, PLUMMER},
        {3001, KY_OFFSET, 2, KY_SINGLE, 0, 0.01, OUTLIER},
        {1000, KY_RELATIVE, 1, KY_EXTENDED, 0, 0, PAIRS}, /* equal keys */
        {1000, KY_RELATIVE, 1, KY_EXTENDED, 1, 0, CUBE},  /* softenings of their own */
    };
    char name[60];
    need_a_device();
    for (int k = 0; k < engine_count; k++)
        for (size_t c = 0; c < sizeof cases / sizeof *cases && !is_cpu_engine(k); c++) {
            struct ky_parameters p = cloud_parameters();
            struct ky_bodies bodies = cloud_make(cases[c].cloud, cases[c].n);
            p.force = KY_TREE;
            p.opening = cases[c].opening;
            p.multipole = cases[c].multipole;
            p.precision = cases[c].precision;
            p.softening = cases[c].softening;
            if (cases[c].kind) {
                p.softening_kind = KY_SYMMETRIC;
                bodies.softening = calloc(bodies.n + 1, sizeof *bodies.softening);
                for (size_t i = 0; i < bodies.n; i++)
                    bodies.softening[i] = 0.01 + 0.01 * (double)(i % 5);
            }
            struct course one = course_of(engines[k].engine, &p, &bodies),
                          two = course_of(with_another(k, name, sizeof name), &p, &bodies),
                          three = course_of(with_two_others(k, name, sizeof name), &p, &bodies);
            ky_device_twice = 0;
            assert_same(&one, &two);
            assert_same(&one, &three);
            course_free(&one);
            course_free(&two);
            course_free(&three);
            ky_bodies_free(&bodies);
        }
}

/* ---- memory ---- */

/* Each allocation of an evaluation fails once, on either card. The next evaluation is right. */
static void memory_that_runs_out_on_either(void **state)
{
    (void)state;
    enum { N = 500, MANY = 40 };
    char name[40];
    struct ky_error error = {0};
    need_a_device();
    for (int k = 0; k < engine_count; k++) {
        if (is_cpu_engine(k))
            continue;
        struct ky_parameters given = cloud_parameters(), p;
        struct ky_bodies alone = cloud_make(PLUMMER, N), bodies = cloud_make(PLUMMER, N);
        int failed = 0;
        given.engine = engines[k].engine;
        given.force = KY_TREE;
        given.softening = 0.01;
        assert_ok(cloud_forces(&given, &alone, NULL, NULL, &error));
        given.engine = with_another(k, name, sizeof name);
        assert_ok(ky_force_resolve(&given, &p, &error));
        guard_begin(0);
        for (int number = 0, reached = 1; reached; number += is_slow(k) ? 3 : 1) {
            struct ky_engine *engine;
            assert_ok(ky_engine_open(&p, N, &engine, &error));
            assert_ok(ky_engine_put(engine, &bodies, &error));
            guard.fail = number;
            enum ky_status status = ky_engine_forces(engine, &error);
            reached = guard.fail < 0;
            guard.fail = -1;
            failed += reached;
            assert_int_equal(status, reached ? KY_DEVICE : KY_OK);
            if (reached)
                assert_non_null(strstr(error.text, "no memory for"));
            assert_ok(ky_engine_forces(engine, &error));
            assert_ok(ky_engine_get(engine, &bodies, &error));
            ky_engine_close(engine);
            assert_int_equal(guard.buffers, 0);
            if (reached)
                assert_memory_equal(bodies.acceleration, alone.acceleration,
                                    N * sizeof *bodies.acceleration);
            ky_bodies_free(&bodies);
            bodies = cloud_make(PLUMMER, N);
        }
        guard_end();
        ky_device_twice = 0;
        assert_true(failed * (is_slow(k) ? 3 : 1) > MANY);
        ky_bodies_free(&alone);
        ky_bodies_free(&bodies);
    }
}

/* ---- division ---- */

enum { BODIES = 40000, GROUP = 32, CARDS = 3, GROUPS = BODIES / GROUP };

/* Fills in the pairs that a group counted, with bodies and with cells, and returns its work. Sums
 * over some parts of the curve need 64 bits. */
static double work_of(size_t group, uint64_t pairs[2])
{
    pairs[0] = group < GROUPS / 8 ? 0xffffff00ULL * (group % 7) : 1000 + group;
    pairs[1] = group > GROUPS - 10 ? 0x1234567890ULL : 50;
    return (double)pairs[0] + 2 * (double)pairs[1];
}

static void count_for(struct ky_division *division, struct ky_card *card, size_t k)
{
    struct ky_error error = {0};
    struct ky_buffer group = {0}, counts = {0};
    uint32_t places[GROUPS][2] = {{0}};
    uint64_t pairs[2][GROUPS] = {{0}};
    for (size_t g = 0; g < GROUPS; g++) {
        uint64_t own[2];
        work_of(g, own);
        for (int c = 0; c < 2; c++) {
            places[g][c] = (uint32_t)((g + (size_t)c) * GROUP);
            pairs[c][g] = g % CARDS == k ? own[c] : 0;
        }
    }
    assert_ok(ky_buffer_fill(card, &group, "groups", places, GROUPS, sizeof *places, &error));
    assert_ok(ky_buffer_fill(card, &counts, "counts", pairs, 2, sizeof *pairs, &error));
    const struct ky_walked walked = {card, &group, &counts, BODIES, GROUPS, GROUPS, 2};
    assert_ok(ky_division_count(division, k, &walked, &error));
    assert_ok(card->driver->wait(card, &error));
    ky_buffer_release(card, &group);
    ky_buffer_release(card, &counts);
}

/* Fails unless each card gets its part of the work, to within a group. */
static void assert_divided(const struct ky_division *division)
{
    double total = 0, most = 0, before = 0;
    size_t k = 1;
    for (size_t g = 0; g < GROUPS; g++) {
        uint64_t pairs[2];
        double work = work_of(g, pairs);
        total += work;
        most = fmax(most, work);
    }
    for (size_t g = 0; g < GROUPS; g++) {
        uint64_t pairs[2];
        for (; k < CARDS && division->edge[k] < (g + 1) * GROUP; k++)
            assert_between(before - total * (double)k / CARDS, -2 * most, 2 * most);
        before += work_of(g, pairs);
    }
    assert_int_equal(k, CARDS);
    assert_int_equal(division->edge[0], 0);
    assert_int_equal(division->edge[CARDS], BODIES);
}

static void work_is_divided_by_counts(void **unused)
{
    (void)unused;
    struct ky_error error = {0};
    need_a_device();
    for (int k = 0; k < engine_count; k++) {
        struct ky_device_state state = {.n = BODIES};
        struct ky_division division = {0};
        const char *number = strchr(engines[k].engine, ':');
        if (is_cpu_engine(k))
            continue;
        state.cards.driver = driver_of(engines[k].engine);
        for (int c = 0; c < CARDS; c++, state.cards.count++)
            assert_ok(state.cards.driver->open(strtoul(number + 1, NULL, 10), &state.cards.card[c],
                                               &error));
        assert_ok(ky_division_find(&division, &state, &error));
        for (size_t c = 0; c <= CARDS; c++)
            assert_int_equal(division.edge[c], BODIES * c / CARDS);
        for (size_t c = 0; c < CARDS; c++)
            count_for(&division, state.cards.card[c], c);
        division.is_counted = 1;
        assert_ok(ky_division_find(&division, &state, &error));
        assert_divided(&division);
        ky_division_release(&division, &state);
        for (int c = 0; c < CARDS; c++)
            state.cards.driver->close(state.cards.card[c]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_cards_give_the_bits_of_one),
        cmocka_unit_test(memory_that_runs_out_on_either),
        cmocka_unit_test(work_is_divided_by_counts),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
