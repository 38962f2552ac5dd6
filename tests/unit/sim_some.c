/* Some bodies of a simulation: found, sampled, read, replaced and kicked; several changes at once;
 * walks over the bodies of a simulation. */
#include "snapshot.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "engines.h"
#include "sims.h"
#include "simulation/sim.h"

enum { N = 300, SOME = 4 };
static struct ky_error error;

/* Makes bodies of several types, whose ids are not their indices. */
static struct ky_snapshot labelled(size_t n)
{
    struct ky_snapshot snapshot = plummer(n);
    assert_ok(ky_bodies_extend(&snapshot.bodies, KY_WITH_TYPE, &error));
    for (size_t i = 0; i < n; i++) {
        snapshot.bodies.id[i] = 1000 - 3 * i;
        snapshot.bodies.type[i] = (uint8_t)(i % 6);
    }
    return snapshot;
}

static const unsigned everything =
    KY_WITH_ID | KY_WITH_TYPE | KY_WITH_SOFTENING | KY_WITH_ACCELERATION | KY_WITH_POTENTIAL;

static struct ky_bodies state_of(struct ky_sim *sim)
{
    return sim_state(sim, everything);
}

/* Fails unless all arrays of both have the same bits. */
static void assert_same(struct ky_sim *one, struct ky_sim *other)
{
    struct ky_bodies a = state_of(one), b = state_of(other);
    assert_true(a.n == b.n);
    assert_memory_equal(a.position, b.position, a.n * sizeof *a.position);
    assert_memory_equal(a.velocity, b.velocity, a.n * sizeof *a.velocity);
    assert_memory_equal(a.mass, b.mass, a.n * sizeof *a.mass);
    assert_memory_equal(a.acceleration, b.acceleration, a.n * sizeof *a.acceleration);
    assert_memory_equal(a.softening, b.softening, a.n * sizeof *a.softening);
    assert_memory_equal(a.id, b.id, a.n * sizeof *a.id);
    assert_memory_equal(a.type, b.type, a.n);
    ky_bodies_free(&a);
    ky_bodies_free(&b);
}

/* ---- found and sampled ---- */

static void bodies_are_found_by_their_ids(void **state)
{
    (void)state;
    static const uint64_t some[] = {1000, 997, 997, 103}, nobody[] = {5, 1000, 999, 1000};
    size_t index[SOME];
    struct ky_parameters parameters = sim_parameters("cpu", KY_DIRECT);
    struct ky_snapshot snapshot = labelled(N);
    struct ky_sim *sim;
    assert_ok(ky_sim_open(&parameters, &snapshot.bodies, 0, &sim, &error));
    assert_ok(ky_sim_find(sim, some, SOME, index, &error));
    assert_true(index[0] == 0 && index[1] == 1 && index[2] == 1 && index[3] == 299);
    assert_int_equal(ky_sim_find(sim, nobody, SOME, index, &error), KY_BAD_DATA);
    assert_non_null(strstr(error.text, "the id 5"));
    assert_true(index[0] == SIZE_MAX && index[1] == 0 && index[2] == SIZE_MAX && index[3] == 0);
    assert_ok(ky_sim_find(sim, NULL, 0, NULL, &error));
    assert_ok(ky_sim_remove(sim, some, 1, &error));
    assert_ok(ky_sim_find(sim, some + 1, SOME - 1, index, &error));
    assert_true(index[0] == 0 && index[2] == 298);
    ky_sim_close(sim);
    free(snapshot.bodies.id); /* now the index is the id */
    snapshot.bodies.id = NULL;
    assert_ok(ky_sim_open(&parameters, &snapshot.bodies, 0, &sim, &error));
    static const uint64_t last[] = {N - 1, N};
    assert_int_equal(ky_sim_find(sim, last, 2, index, &error), KY_BAD_DATA);
    assert_true(index[0] == N - 1 && index[1] == SIZE_MAX);
    ky_sim_close(sim);
    ky_snapshot_free(&snapshot);
}

static void samples_are_of_distinct_bodies(void **state)
{
    (void)state;
    enum { MOST = 100 };
    size_t index[N + 1], again[MOST], count = 7;
    int drawn[N] = {0};
    struct ky_parameters parameters = sim_parameters("cpu", KY_DIRECT);
    struct ky_snapshot snapshot = labelled(N);
    struct ky_bodies none = {0};
    struct ky_sim *sim;
    assert_ok(ky_sim_open(&parameters, &snapshot.bodies, 0, &sim, &error));
    for (uint64_t draw = 0; draw < 3; draw++) {
        assert_ok(ky_sim_sample(sim, MOST, draw, index, &count, &error));
        assert_ok(ky_sim_sample(sim, MOST, draw + 3 * (UINT64_MAX / 9), again, &count, &error));
        assert_true(count == MOST);
        assert_memory_equal(index, again, sizeof again);
        for (size_t k = 0; k < count; k++)
            drawn[index[k]]++;
    }
    for (int i = 0; i < N; i++)
        assert_int_equal(drawn[i], 1);
    assert_ok(ky_sim_sample(sim, N + 1, 5, index, &count, &error));
    assert_true(count == N && index[0] == 0 && index[N - 1] == N - 1);
    assert_ok(ky_sim_sample(sim, 0, 5, NULL, &count, &error));
    assert_true(count == 0);
    ky_sim_close(sim);
    assert_ok(ky_sim_open(&parameters, &none, 0, &sim, &error));
    assert_ok(ky_sim_sample(sim, 5, UINT64_MAX, NULL, &count, &error));
    assert_true(count == 0);
    ky_sim_close(sim);
    ky_snapshot_free(&snapshot);
}

/* ---- read ---- */

static const size_t few[SOME] = {17, 299, 0, 17};

static void assert_rows(struct ky_sim *sim)
{
    struct ky_bodies all = state_of(sim), some = {0};
    assert_ok(ky_bodies_allocate(&some, SOME, everything, &error));
    assert_ok(ky_sim_read(sim, few, &some, &error));
    for (size_t k = 0; k < SOME; k++) {
        const size_t i = few[k];
        assert_memory_equal(some.position[k], all.position[i], sizeof *all.position);
        assert_memory_equal(some.velocity[k], all.velocity[i], sizeof *all.velocity);
        assert_memory_equal(some.acceleration[k], all.acceleration[i], sizeof *all.position);
        assert_true(some.mass[k] == all.mass[i] && some.potential[k] == all.potential[i]);
        assert_true(some.softening[k] == all.softening[i] && some.id[k] == all.id[i] &&
                    some.type[k] == all.type[i]);
    }
    const size_t past = N;
    struct ky_bodies one = {.n = 1, .mass = some.mass};
    assert_int_equal(ky_sim_read(sim, &past, &one, &error), KY_USAGE);
    assert_int_equal(ky_sim_read(sim, NULL, &one, &error), KY_USAGE);
    all.mass[3] = 0;
    assert_ok(ky_sim_read(sim, NULL, &all, &error));
    assert_true(all.mass[3] > 0);
    one.n = 0;
    assert_ok(ky_sim_read(sim, few, &one, &error));
    assert_ok(ky_sim_read(sim, NULL, &one, &error));
    assert_ok(ky_sim_replace(sim, NULL, &one, &error));
    ky_bodies_free(&all);
    ky_bodies_free(&some);
}

static void some_bodies_are_read(void **state)
{
    (void)state;
    static const struct {
        int force, precision, integrator;
    } ways[] = {{KY_TREE, KY_SINGLE, KY_LEAPFROG},
                {KY_DIRECT, KY_DOUBLE, KY_LEAPFROG},
                {KY_DIRECT, KY_EXTENDED, KY_HERMITE4}};
    struct ky_snapshot snapshot = labelled(N);
    for (int k = 0; k < engine_count; k++)
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
            struct ky_sim *sim;
            struct ky_parameters parameters = sim_parameters(engines[k].engine, ways[w].force);
            parameters.precision = ways[w].precision;
            parameters.integrator = ways[w].integrator;
            assert_ok(ky_sim_open(&parameters, &snapshot.bodies, 0, &sim, &error));
            assert_ok(ky_sim_advance(sim, 1, &error));
            assert_rows(sim);
            ky_sim_close(sim);
        }
    ky_snapshot_free(&snapshot);
}

/* ---- replaced ---- */

/* Replacing some bodies gives the same bits as replacing all bodies by the same numbers. Numbers
 * that are refused change nothing. */
static void replaced_on(const char *engine)
{
    struct ky_parameters parameters = sim_parameters(engine, KY_DIRECT);
    struct ky_snapshot snapshot = labelled(N);
    struct ky_bodies some = {0};
    struct ky_sim *sim, *other;
    assert_ok(ky_bodies_allocate(&some, SOME - 1, KY_WITH_TYPE, &error));
    assert_ok(ky_sim_open(&parameters, &snapshot.bodies, 0, &sim, &error));
    assert_ok(ky_sim_open(&parameters, &snapshot.bodies, 0, &other, &error));
    for (size_t k = 0; k < some.n; k++) {
        some.mass[k] = 0.01 * (double)(k + 1);
        some.position[k][0] = 0.25 * (double)k;
        some.velocity[k][2] = -0.5 * (double)k;
        some.type[k] = (uint8_t)(5 - k);
    }
    assert_int_equal(ky_sim_replace(sim, (const size_t[]){1, 2, 1}, &some, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "twice"));
    some.position[2][1] = (double)NAN;
    assert_int_equal(ky_sim_replace(sim, few, &some, &error), KY_BAD_DATA);
    assert_non_null(strstr(error.text, "given, body 2"));
    some.position[2][1] = 1e20; /* too far to be computed with */
    assert_int_equal(ky_sim_replace(sim, few, &some, &error), KY_BAD_DATA);
    some.position[2][1] = 0;
    assert_same(sim, other);
    assert_ok(ky_sim_replace(sim, few, &some, &error));
    struct ky_bodies all = state_of(other);
    for (size_t k = 0; k < some.n; k++) {
        all.mass[few[k]] = some.mass[k];
        all.type[few[k]] = some.type[k];
        memcpy(all.position[few[k]], some.position[k], sizeof *all.position);
        memcpy(all.velocity[few[k]], some.velocity[k], sizeof *all.velocity);
    }
    free(all.softening);
    all.softening = NULL;
    assert_ok(ky_sim_write(other, &all, &error));
    assert_ok(ky_sim_advance(sim, 2, &error));
    assert_ok(ky_sim_advance(other, 2, &error));
    assert_same(sim, other);
    ky_bodies_free(&some);
    ky_bodies_free(&all);
    ky_sim_close(sim);
    ky_sim_close(other);
    ky_snapshot_free(&snapshot);
}

static void some_bodies_are_replaced(void **state)
{
    (void)state;
    for (int k = 0; k < engine_count; k++)
        replaced_on(engines[k].engine);
}

/* Some bodies get softenings of their own; the others keep the softening that they had. */
static void some_softenings_are_replaced(void **state)
{
    (void)state;
    struct ky_parameters parameters = sim_parameters("cpu", KY_TREE);
    struct ky_snapshot snapshot = labelled(N);
    double own[2] = {0.3, 0};
    struct ky_bodies some = {.n = 2, .softening = own};
    struct ky_sim *sim;
    assert_ok(ky_sim_open(&parameters, &snapshot.bodies, 0, &sim, &error));
    assert_ok(ky_sim_replace(sim, few, &some, &error));
    struct ky_bodies now = state_of(sim);
    assert_true(now.softening[17] == 0.3 && now.softening[299] == 0 && now.softening[5] == 0.1);
    ky_bodies_free(&now);
    assert_ok(ky_sim_parameters(sim, &parameters, &error));
    assert_true(isnan(parameters.softening));
    ky_sim_close(sim);
    parameters = sim_parameters("cpu", KY_TREE);
    parameters.integrator = KY_BLOCK_STEPS; /* its steps need softenings above 0 */
    assert_ok(ky_sim_open(&parameters, &snapshot.bodies, 0, &sim, &error));
    assert_int_equal(ky_sim_replace(sim, few, &some, &error), KY_USAGE);
    assert_ok(ky_sim_advance(sim, 1, &error));
    now = state_of(sim);
    assert_true(now.softening[17] == 0.1);
    ky_bodies_free(&now);
    ky_sim_close(sim);
    ky_snapshot_free(&snapshot);
}

/* ---- kicks, and how often forces are computed ---- */

/* A field without a force, which counts its calls. */
static atomic_int asked;
static void count(void *context, struct ky_field_place *place)
{
    (void)context;
    asked++;
    for (int c = 0; c < 3; c++)
        place->acceleration[c] = place->jerk[c] = 0;
    place->potential = 0;
}

/* A kick by zero leaves the bits of later steps as they are. Any kick changes velocities alone;
 * positions and forces stay. */
static void kicked_on(const char *engine, int force, int integrator)
{
    struct ky_parameters parameters = sim_parameters(engine, force);
    parameters.integrator = integrator;
    struct ky_snapshot snapshot = labelled(N);
    const double none[SOME - 1][3] = {{0}}, some[SOME - 1][3] = {{0.5, 0, 0}, {0, 0.25, 0}};
    struct ky_sim *sim, *other;
    assert_ok(ky_sim_open(&parameters, &snapshot.bodies, 0, &sim, &error));
    assert_ok(ky_sim_open(&parameters, &snapshot.bodies, 0, &other, &error));
    assert_ok(ky_sim_advance(sim, 1, &error));
    assert_ok(ky_sim_advance(other, 1, &error));
    assert_ok(ky_sim_kick(sim, few, SOME - 1, none, &error));
    if (integrator != KY_LEAPFROG) /* others choose their steps anew */
        assert_ok(ky_sim_kick(other, few + 1, 1, none, &error));
    assert_ok(ky_sim_advance(sim, 2, &error));
    assert_ok(ky_sim_advance(other, 2, &error));
    assert_same(sim, other);
    struct ky_bodies before = state_of(sim);
    assert_ok(ky_sim_kick(sim, few, SOME - 1, some, &error));
    struct ky_bodies after = state_of(sim);
    assert_true(after.velocity[17][0] == before.velocity[17][0] + 0.5 &&
                after.velocity[299][1] == before.velocity[299][1] + 0.25 &&
                after.velocity[5][0] == before.velocity[5][0]);
    assert_memory_equal(after.position, before.position, N * sizeof *after.position);
    assert_memory_equal(after.acceleration, before.acceleration, N * sizeof *after.position);
    assert_memory_equal(after.potential, before.potential, N * sizeof *after.potential);
    ky_bodies_free(&before);
    ky_bodies_free(&after);
    ky_sim_close(sim);
    ky_sim_close(other);
    ky_snapshot_free(&snapshot);
}

static void kicks_change_velocities_alone(void **state)
{
    (void)state;
    for (int k = 0; k < engine_count; k++) {
        kicked_on(engines[k].engine, KY_TREE, KY_LEAPFROG);
        kicked_on(engines[k].engine, KY_DIRECT, KY_LEAPFROG);
        kicked_on(engines[k].engine, KY_TREE, KY_BLOCK_STEPS);
        kicked_on(engines[k].engine, KY_DIRECT, KY_HERMITE4);
    }
}

/* How often the forces of n bodies were computed since the last call. */
static int evaluations(int n)
{
    const int all = asked;
    asked = 0;
    assert_true(all % n == 0);
    return all / n;
}

static void changes_are_collected(void **state)
{
    (void)state;
    static const uint64_t gone[] = {1000, 997};
    static const double kick[1][3] = {{1, 0, 0}};
    struct ky_parameters parameters = sim_parameters("cpu", KY_DIRECT);
    struct ky_snapshot snapshot = labelled(N);
    struct ky_bodies one = {.n = 1, .mass = (double[]){0.1}};
    struct ky_sums sums = {0}, expected = {0};
    struct ky_sim *sim, *other;
    parameters.field_function = count;
    assert_ok(ky_sim_open(&parameters, &snapshot.bodies, 0, &sim, &error));
    assert_ok(ky_sim_open(&parameters, &snapshot.bodies, 0, &other, &error));
    assert_int_equal(evaluations(N), 2);
    assert_int_equal(ky_sim_change_end(sim, 1, &error), KY_USAGE);
    assert_ok(ky_sim_change_begin(sim, &error));
    assert_int_equal(ky_sim_change_begin(sim, &error), KY_USAGE);
    for (int k = 0; k < 2; k++) {
        struct ky_sim *which = k ? other : sim;
        assert_ok(ky_sim_remove(which, gone, 2, &error));
        assert_ok(ky_sim_replace(which, few, &one, &error));
        assert_ok(ky_sim_set_softening(which, 0.2, &error));
        assert_ok(ky_sim_kick(which, few, 1, kick, &error));
        assert_int_equal(evaluations(N - 2), k ? 3 : 0);
    }
    assert_ok(ky_sim_change_end(sim, 1, &error));
    assert_int_equal(evaluations(N - 2), 1);
    assert_same(sim, other);
    assert_ok(ky_sim_change_begin(sim, &error)); /* a kick alone */
    assert_ok(ky_sim_kick(sim, few, 1, kick, &error));
    assert_ok(ky_sim_change_end(sim, 1, &error));
    assert_int_equal(evaluations(N - 2), 0);
    assert_ok(ky_sim_change_begin(sim, &error)); /* forces wait until they are needed */
    assert_ok(ky_sim_replace(sim, few + 2, &one, &error));
    assert_ok(ky_sim_change_end(sim, 0, &error));
    assert_int_equal(evaluations(N - 2), 0);
    assert_ok(ky_sim_sums(sim, &sums, &error));
    assert_ok(ky_sim_replace(other, few + 2, &one, &error));
    assert_ok(ky_sim_sums(other, &expected, &error));
    assert_true(sums.potential == expected.potential);
    asked = 0; /* the sums ask for the field too */
    assert_ok(ky_sim_change_begin(sim, &error));
    assert_ok(ky_sim_replace(sim, few + 2, &one, &error));
    assert_ok(ky_sim_advance(sim, 1, &error)); /* forces before the step and after it */
    assert_int_equal(evaluations(N - 2), 2);
    assert_ok(ky_sim_change_end(sim, 1, &error));
    assert_int_equal(evaluations(N - 2), 0);
    ky_sim_close(sim);
    ky_sim_close(other);
    ky_snapshot_free(&snapshot);
}

/* ---- columns ---- */

/* How far the steps of the bodies are from `longest` over powers of two. Fails unless the level of
 * each body is log₂(parameter/step). */
static double off_halves(struct ky_sim *sim, double parameter, double longest)
{
    double step[N], level[N], most = 0;
    assert_ok(ky_sim_column(sim, "step", NULL, N, step, &error));
    assert_ok(ky_sim_column(sim, "level", NULL, N, level, &error));
    for (int i = 0; i < N; i++) {
        const double halvings = log2(longest / step[i]);
        most = fmax(most, fabs(halvings - round(halvings)));
        assert_true(level[i] == log2(parameter / step[i]));
    }
    return most;
}

/* In a part of a divided step the steps of bodies are the part over powers of two. In the next
 * whole step their levels are whole numbers. */
static void levels_of_a_divided_step(void **state)
{
    (void)state;
    struct ky_snapshot snapshot = labelled(N);
    for (int integrator = KY_BLOCK_STEPS; integrator <= KY_HERMITE4; integrator++) {
        struct ky_sim *sim;
        struct ky_parameters parameters = sim_parameters("cpu", KY_DIRECT);
        const double step = parameters.step;
        parameters.integrator = integrator;
        assert_ok(ky_sim_open(&parameters, &snapshot.bodies, 0, &sim, &error));
        assert_ok(ky_sim_advance_to(sim, 0.3 * step, 1, &error));
        assert_true(off_halves(sim, step, 0.3 * step) < 1e-6);
        assert_true(off_halves(sim, step, step) > 0.1);
        assert_ok(ky_sim_advance_to(sim, 2 * step, 0, &error));
        assert_true(off_halves(sim, step, step) == 0);
        ky_sim_close(sim);
    }
    ky_snapshot_free(&snapshot);
}

/* Jerks are 0 until the next advance computes them. */
static void assert_no_jerks(struct ky_sim *sim)
{
    double jerk[N][3];
    assert_ok(ky_sim_column(sim, "jerk", NULL, N, &jerk[0][0], &error));
    for (int i = 0; i < N; i++)
        assert_true(jerk[i][0] == 0 && jerk[i][1] == 0 && jerk[i][2] == 0);
}

static void steps_and_jerks_are_read(void **state)
{
    (void)state;
    struct ky_snapshot snapshot = labelled(N);
    static const double none[1][3] = {{0}};
    double step[N], level[SOME], jerk[N][3], some[SOME][3];
    for (int k = 0; k < engine_count; k++) {
        struct ky_sim *sim;
        struct ky_parameters parameters = sim_parameters(engines[k].engine, KY_DIRECT);
        parameters.integrator = KY_HERMITE4;
        assert_ok(ky_sim_open(&parameters, &snapshot.bodies, 0, &sim, &error));
        assert_ok(ky_sim_column(sim, "level", few, SOME, level, &error));
        assert_true(level[0] == -1);
        assert_no_jerks(sim);
        assert_ok(ky_sim_advance(sim, 1, &error));
        assert_ok(ky_sim_column(sim, "step", NULL, N, step, &error));
        assert_ok(ky_sim_column(sim, "level", few, SOME, level, &error));
        assert_ok(ky_sim_column(sim, "jerk", NULL, N, &jerk[0][0], &error));
        assert_ok(ky_sim_column(sim, "jerk", few, SOME, &some[0][0], &error));
        for (int i = 0; i < SOME; i++) {
            assert_true(level[i] >= 0 && step[few[i]] == ldexp(parameters.step, -(int)level[i]));
            assert_memory_equal(some[i], jerk[few[i]], sizeof *some);
            assert_true(jerk[few[i]][0] != 0);
        }
        assert_ok(ky_sim_set_parameter(sim, "eta", "0.01", &error)); /* changes no jerk */
        assert_ok(ky_sim_column(sim, "jerk", few, SOME, &some[0][0], &error));
        assert_memory_equal(some[0], jerk[few[0]], sizeof *some);
        assert_ok(ky_sim_kick(sim, few, 1, none, &error));
        assert_no_jerks(sim);
        assert_ok(ky_sim_advance(sim, 1, &error));
        assert_ok(ky_sim_set_softening(sim, 0.2, &error));
        assert_no_jerks(sim);
        assert_ok(ky_sim_advance(sim, 1, &error));
        assert_ok(ky_sim_set_fields(sim, "point:mass=0.5", &error));
        assert_no_jerks(sim);
        assert_int_equal(ky_sim_column(sim, "mass", few, SOME, level, &error), KY_USAGE);
        assert_int_equal(ky_sim_column(sim, "step", NULL, 1, step, &error), KY_USAGE);
        assert_int_equal(ky_sim_column(sim, "step", few, 1, NULL, &error), KY_USAGE);
        assert_ok(ky_sim_column(sim, "step", NULL, 0, NULL, &error));
        assert_ok(ky_sim_column(sim, "step", few, 0, NULL, &error));
        ky_sim_close(sim);
    }
    struct ky_parameters parameters = sim_parameters("cpu", KY_TREE);
    struct ky_sim *sim;
    assert_ok(ky_sim_open(&parameters, &snapshot.bodies, 0, &sim, &error));
    assert_int_equal(ky_sim_column(sim, "step", NULL, N, step, &error), KY_UNSUPPORTED);
    ky_sim_close(sim);
    parameters.integrator = KY_BLOCK_STEPS;
    assert_ok(ky_sim_open(&parameters, &snapshot.bodies, 0, &sim, &error));
    assert_int_equal(ky_sim_column(sim, "jerk", few, 1, some[0], &error), KY_UNSUPPORTED);
    ky_sim_close(sim);
    ky_snapshot_free(&snapshot);
}

/* ---- walks ---- */

/* Every action, neighbours, densities and groups give the bits of the calls that take parameters
 * and bodies. On devices gravity may differ by the rounding of cells. */
static void assert_walks(struct ky_sim *sim, const struct ky_parameters *parameters, int on_cpu)
{
    static const double radius = 0.3;
    struct ky_bodies now = state_of(sim);
    struct ky_force_report report = {0};
    const struct ky_walk_input input = {sizeof input, &radius, 1, 5};
    double results[4 * N], expected[4 * N];
    struct ky_action action = {0};
    for (size_t k = 0; ky_action_get(k, &action) == KY_OK; k++) {
        if (action.needs_lists) {
            assert_int_equal(ky_sim_walk(sim, action.name, &input, results, NULL, &error),
                             KY_USAGE);
            continue;
        }
        assert_true(action.columns <= 4);
        assert_ok(ky_sim_walk(sim, action.name, &input, results, &report, &error));
        assert_ok(ky_walk(parameters, &now, action.name, &input, expected, NULL, &error));
        if (strcmp(action.name, "gravity") != 0 || on_cpu)
            assert_memory_equal(results, expected, N * action.columns * sizeof *results);
        for (size_t i = 0; i < N * action.columns; i++) /* moments of cells are floats */
            assert_between(results[i] - expected[i], -1e-6, 1e-6);
        assert_true(report.body_interactions > 0);
    }
    struct ky_neighbour_lists lists, other;
    assert_ok(ky_sim_neighbours(sim, &radius, 1, NULL, &lists, NULL, &error));
    assert_ok(ky_neighbours(parameters, &now, &radius, 1, NULL, &other, NULL, &error));
    assert_memory_equal(lists.offset, other.offset, (N + 1) * sizeof *lists.offset);
    assert_memory_equal(lists.body, other.body, lists.offset[N] * sizeof *lists.body);
    assert_ok(ky_sim_sph_density(sim, 12, results, results + N, NULL, &error));
    assert_ok(ky_sph_density(parameters, &now, 12, expected, expected + N, NULL, &error));
    assert_memory_equal(results, expected, 2 * N * sizeof *results);
    assert_int_equal(ky_sim_sph_density(sim, N, results, NULL, NULL, &error), KY_USAGE);
    struct ky_catalogue_parameters wanted;
    struct ky_catalogue groups = {0}, others = {0};
    ky_catalogue_parameters_defaults(&wanted);
    wanted.minimum = 2;
    assert_ok(ky_sim_catalogue_make(sim, &wanted, &groups, NULL, &error));
    assert_ok(ky_catalogue_make(parameters, &wanted, &now, &others, NULL, &error));
    assert_true(groups.groups == others.groups && groups.groups > 0);
    assert_memory_equal(groups.body, others.body, groups.members * sizeof *groups.body);
    assert_memory_equal(groups.centre, others.centre, groups.groups * sizeof *groups.centre);
    ky_neighbour_lists_free(&lists);
    ky_neighbour_lists_free(&other);
    ky_catalogue_free(&groups);
    ky_catalogue_free(&others);
    ky_bodies_free(&now);
}

/* Walks give what they should, and leave the bits of later steps as they are. */
static void walks_go_over_the_bodies_of_a_simulation(void **state)
{
    (void)state;
    struct ky_snapshot snapshot = labelled(N);
    for (int k = 0; k < engine_count; k++)
        for (int integrator = KY_LEAPFROG; integrator <= KY_BLOCK_STEPS; integrator++) {
            struct ky_sim *sim, *other;
            struct ky_parameters parameters = sim_parameters(engines[k].engine, KY_TREE), own;
            parameters.integrator = integrator;
            if (!is_cpu_engine(k))
                parameters.precision = KY_DOUBLE;
            assert_ok(ky_sim_open(&parameters, &snapshot.bodies, 0, &sim, &error));
            assert_ok(ky_sim_open(&parameters, &snapshot.bodies, 0, &other, &error));
            assert_ok(ky_sim_advance(sim, 2, &error));
            assert_ok(ky_sim_advance(other, 2, &error));
            own.size = sizeof own;
            assert_ok(ky_sim_parameters(sim, &own, &error));
            own.opening = KY_OFFSET;
            own.alpha = (double)NAN;
            if (is_cpu_engine(k))
                own.precision = KY_PRECISION_BY_INTEGRATOR;
            assert_walks(sim, &own, is_cpu_engine(k));
            assert_ok(ky_sim_advance(sim, 2, &error));
            assert_ok(ky_sim_advance(other, 2, &error));
            assert_same(sim, other);
            ky_sim_close(sim);
            ky_sim_close(other);
        }
    ky_snapshot_free(&snapshot);
}

static void walks_over_no_bodies(void **state)
{
    (void)state;
    struct ky_bodies none = {0};
    struct ky_neighbour_lists lists;
    struct ky_catalogue_parameters wanted;
    struct ky_catalogue groups = {0};
    const struct ky_walk_input input = {.size = sizeof input};
    ky_catalogue_parameters_defaults(&wanted);
    for (int k = 0; k < engine_count; k++) {
        struct ky_parameters parameters = sim_parameters(engines[k].engine, KY_TREE);
        struct ky_sim *sim;
        assert_ok(ky_sim_open(&parameters, &none, 0, &sim, &error));
        assert_ok(ky_sim_walk(sim, "count", &input, NULL, NULL, &error));
        assert_ok(ky_sim_neighbours(sim, NULL, 0, NULL, &lists, NULL, &error));
        assert_ok(ky_sim_sph_density(sim, 1, NULL, NULL, NULL, &error));
        assert_ok(ky_sim_catalogue_make(sim, &wanted, &groups, NULL, &error));
        assert_ok(ky_sim_read(sim, NULL, &none, &error));
        assert_ok(ky_sim_replace(sim, NULL, &none, &error));
        assert_ok(ky_sim_kick(sim, NULL, 0, NULL, &error));
        assert_true(groups.groups == 0 && lists.n == 0);
        ky_neighbour_lists_free(&lists);
        ky_catalogue_free(&groups);
        ky_sim_close(sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_are_found_by_their_ids),
        cmocka_unit_test(samples_are_of_distinct_bodies),
        cmocka_unit_test(some_bodies_are_read),
        cmocka_unit_test(some_bodies_are_replaced),
        cmocka_unit_test(some_softenings_are_replaced),
        cmocka_unit_test(kicks_change_velocities_alone),
        cmocka_unit_test(changes_are_collected),
        cmocka_unit_test(steps_and_jerks_are_read),
        cmocka_unit_test(levels_of_a_divided_step),
        cmocka_unit_test(walks_go_over_the_bodies_of_a_simulation),
        cmocka_unit_test(walks_over_no_bodies),
    };
    return cmocka_run_group_tests(tests, find_quick_engines, NULL);
}
