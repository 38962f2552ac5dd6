/* Changes to a simulation between two steps. The result is that of a simulation that is opened with
 * the changed bodies. */
#include "snapshot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engines.h"
#include "sims.h"
#include "simulation/sim.h"

enum { N = 300 };
static struct ky_error error;

/* Bodies and forces of a simulation. Free with ky_bodies_free. */
static struct ky_bodies state_of(struct ky_sim *sim)
{
    return sim_state(sim, KY_WITH_ID | KY_WITH_ACCELERATION | KY_WITH_POTENTIAL);
}

/* Fails unless the forces are those of a new simulation of the same bodies: with the same bits for
 * exact sums, else to within the error of the method. */
static void assert_as_new(struct ky_sim *sim, const struct ky_parameters *parameters, double within)
{
    struct ky_sim *fresh;
    struct ky_bodies now = state_of(sim);
    assert_ok(ky_sim_open(parameters, &now, ky_sim_time(sim), &fresh, &error));
    struct ky_bodies expected = state_of(fresh);
    double largest = 0, worst = 0;
    for (size_t i = 0; i < now.n; i++)
        for (int c = 0; c < 3; c++) {
            largest = fmax(largest, fabs(expected.acceleration[i][c]));
            worst = fmax(worst, fabs(now.acceleration[i][c] - expected.acceleration[i][c]));
        }
    assert_between(worst / largest, 0, within);
    ky_bodies_free(&now);
    ky_bodies_free(&expected);
    ky_sim_close(fresh);
}

static void bodies_come_and_go(const char *engine, int force, double within)
{
    struct ky_parameters parameters = sim_parameters(engine, force);
    struct ky_snapshot snapshot = plummer(N), more = plummer(3);
    struct ky_sim *sim;
    assert_ok(ky_sim_open(&parameters, &snapshot.bodies, 0, &sim, &error));
    assert_ok(ky_sim_advance(sim, 2, &error));
    static const uint64_t gone[] = {299, 0, 17}, twice[] = {5, 5}, nobody[] = {5, 300};
    assert_int_equal(ky_sim_remove(sim, twice, 2, &error), KY_BAD_DATA);
    assert_int_equal(ky_sim_remove(sim, nobody, 2, &error), KY_BAD_DATA);
    assert_true(ky_sim_n(sim) == N);
    assert_ok(ky_sim_remove(sim, gone, 3, &error));
    struct ky_bodies bodies = state_of(sim);
    assert_true(bodies.n == N - 3 && bodies.id[0] == 1 && bodies.id[16] == 18 &&
                bodies.id[296] == 298);
    ky_bodies_free(&bodies);
    assert_as_new(sim, &parameters, within);
    assert_int_equal(ky_sim_add(sim, &more.bodies, &error), KY_BAD_DATA); /* ids 1 and 2 exist */
    assert_non_null(strstr(error.text, "occurs twice"));
    struct ky_bodies unnamed = more.bodies;
    unnamed.id = NULL;
    assert_ok(ky_sim_add(sim, &unnamed, &error));
    bodies = state_of(sim);
    assert_true(bodies.n == N && bodies.id[297] == 299 && bodies.id[299] == 301);
    assert_true(bodies.position[299][1] == more.bodies.position[2][1]);
    ky_bodies_free(&bodies);
    assert_as_new(sim, &parameters, within);
    assert_ok(ky_sim_advance_to(sim, 0.25, 0, &error));
    assert_true(ky_sim_steps(sim) == 4);
    ky_sim_close(sim);
    ky_snapshot_free(&snapshot);
    ky_snapshot_free(&more);
}

static void bodies_come_and_go_everywhere(void **state)
{
    (void)state;
    bodies_come_and_go("cpu", KY_DIRECT, 0);
    bodies_come_and_go("cpu", KY_TREE, 1e-2);
    for (int k = 0; k < engine_count; k++)
        if (!is_cpu_engine(k))
            bodies_come_and_go(engines[k].engine, KY_DIRECT, 1e-6);
}

/* All bodies can be removed, and the first ones added. */
static void from_none_to_some(void **state)
{
    (void)state;
    static const uint64_t both[] = {0, 1};
    struct ky_parameters parameters = sim_parameters("cpu", KY_TREE);
    struct ky_snapshot two = plummer(2);
    struct ky_sim *sim;
    assert_ok(ky_sim_open(&parameters, &two.bodies, 0, &sim, &error));
    assert_ok(ky_sim_remove(sim, both, 2, &error));
    assert_true(ky_sim_n(sim) == 0);
    assert_ok(ky_sim_advance(sim, 1, &error));
    assert_ok(ky_sim_add(sim, &two.bodies, &error));
    assert_ok(ky_sim_advance(sim, 1, &error));
    assert_true(ky_sim_n(sim) == 2);
    ky_sim_close(sim);
    ky_snapshot_free(&two);
}

/* A body that is too far away and a softening that is too large are refused, and change nothing. */
static void refused_changes_on(const char *engine)
{
    struct ky_parameters parameters = sim_parameters(engine, KY_DIRECT);
    struct ky_snapshot snapshot = plummer(N);
    struct ky_sim *sim, *other;
    assert_ok(ky_sim_open(&parameters, &snapshot.bodies, 0, &sim, &error));
    assert_ok(ky_sim_open(&parameters, &snapshot.bodies, 0, &other, &error));
    double mass[1] = {1}, far[1][3] = {{1e20, 0, 0}}, velocity[1][3] = {{0}};
    const struct ky_bodies one = {.n = 1, .mass = mass, .position = far, .velocity = velocity};
    assert_int_equal(ky_sim_add(sim, &one, &error), KY_BAD_DATA);
    assert_non_null(strstr(error.text, "remove it"));
    assert_int_equal(ky_sim_set_softening(sim, 1e30, &error), KY_USAGE);
    assert_ok(ky_sim_advance(sim, 2, &error));
    assert_ok(ky_sim_advance(other, 2, &error));
    struct ky_bodies now = state_of(sim), expected = state_of(other);
    assert_memory_equal(now.position, expected.position, N * sizeof *now.position);
    assert_memory_equal(now.acceleration, expected.acceleration, N * sizeof *now.acceleration);
    ky_bodies_free(&now);
    ky_bodies_free(&expected);
    ky_sim_close(sim);
    ky_sim_close(other);
    ky_snapshot_free(&snapshot);
}

static void refused_changes_leave_all_as_it_was(void **state)
{
    (void)state;
    for (int k = 0; k < engine_count; k++)
        refused_changes_on(engines[k].engine);
}

/* The first bodies bring the softening. Bodies that are added later need one too. */
static void the_first_bodies_bring_softenings(void **state)
{
    (void)state;
    static const double own[2] = {0.1, 0.3};
    struct ky_parameters parameters = sim_parameters("cpu", KY_DIRECT);
    parameters.softening = (double)NAN;
    struct ky_snapshot two = plummer(2);
    struct ky_bodies none = {0}, now = {0}, soft = two.bodies, hard = two.bodies;
    struct ky_sim *sim;
    soft.id = hard.id = NULL;
    soft.softening = (double[2]){own[0], own[1]};
    hard.softening = NULL;
    assert_ok(ky_sim_open(&parameters, &none, 0, &sim, &error));
    assert_int_equal(ky_sim_add(sim, &hard, &error), KY_USAGE);
    assert_ok(ky_sim_add(sim, &soft, &error));
    assert_int_equal(ky_sim_add(sim, &hard, &error), KY_USAGE);
    assert_ok(ky_bodies_allocate(&now, 2, KY_WITH_SOFTENING, &error));
    assert_ok(ky_sim_bodies(sim, &now, &error));
    assert_memory_equal(now.softening, own, sizeof own);
    ky_bodies_free(&now);
    ky_sim_close(sim);
    ky_snapshot_free(&two);
}

/* New ids are above the largest one, wherever it is. If there is none above, this is an error. */
static void new_ids_continue_from_the_largest(void **state)
{
    (void)state;
    struct ky_parameters parameters = sim_parameters("cpu", KY_DIRECT);
    struct ky_snapshot three = plummer(3), one = plummer(1);
    struct ky_sim *sim;
    struct ky_bodies unnamed = one.bodies;
    unnamed.id = NULL;
    for (int most = 0; most < 2; most++) {
        memcpy(three.bodies.id, ((const uint64_t[3]){5, most ? UINT64_MAX : UINT64_MAX - 1, 4}),
               3 * sizeof(uint64_t));
        assert_ok(ky_sim_open(&parameters, &three.bodies, 0, &sim, &error));
        assert_int_equal(ky_sim_add(sim, &unnamed, &error), most ? KY_USAGE : KY_OK);
        struct ky_bodies now = state_of(sim);
        assert_true(now.n == (most ? 3 : 4) && now.id[now.n - 1] == (most ? 4 : UINT64_MAX));
        ky_bodies_free(&now);
        ky_sim_close(sim);
    }
    ky_snapshot_free(&three);
    ky_snapshot_free(&one);
}

static void a_state_is_written(void **state)
{
    (void)state;
    struct ky_parameters parameters = sim_parameters("cpu", KY_DIRECT);
    struct ky_snapshot snapshot = plummer(N);
    double(*position)[3] = snapshot.bodies.position, kept = position[7][1];
    struct ky_sim *sim;
    assert_ok(ky_sim_open(&parameters, &snapshot.bodies, 0, &sim, &error));
    struct ky_bodies some = {.n = N, .mass = snapshot.bodies.mass, .position = position};
    for (int i = 0; i < N; i++)
        some.mass[i] *= 1 + i % 3, position[i][0] += 0.5;
    assert_ok(ky_sim_write(sim, &some, &error));
    struct ky_bodies now = state_of(sim);
    assert_memory_equal(now.velocity, snapshot.bodies.velocity, N * sizeof *now.velocity);
    assert_true(now.mass[2] == some.mass[2] && now.position[7][1] == kept);
    ky_bodies_free(&now);
    assert_as_new(sim, &parameters, 0);
    position[3][0] = (double)NAN;
    assert_int_equal(ky_sim_write(sim, &some, &error), KY_BAD_DATA);
    assert_as_new(sim, &parameters, 0); /* as before */
    some.n = 2;
    assert_int_equal(ky_sim_write(sim, &some, &error), KY_USAGE);
    double own[N];
    for (int i = 0; i < N; i++)
        own[i] = i % 2 ? 0.2 : 0.05;
    struct ky_bodies softenings = {.n = N, .softening = own};
    assert_ok(ky_sim_write(sim, &softenings, &error));
    struct ky_bodies soft = {0};
    assert_ok(ky_bodies_allocate(&soft, N, KY_WITH_SOFTENING | KY_WITH_ACCELERATION, &error));
    assert_ok(ky_sim_bodies(sim, &soft, &error));
    assert_memory_equal(soft.softening, own, sizeof own);
    parameters.softening = (double)NAN;
    struct ky_sim *fresh;
    assert_ok(ky_sim_open(&parameters, &soft, 0, &fresh, &error));
    struct ky_bodies expected = state_of(fresh);
    assert_memory_equal(soft.acceleration, expected.acceleration,
                        N * sizeof *expected.acceleration);
    ky_sim_close(fresh);
    assert_ok(ky_sim_set_softening(sim, 0.3, &error));
    assert_int_equal(ky_sim_set_softening(sim, -1, &error), KY_USAGE);
    parameters.softening = 0.3;
    assert_as_new(sim, &parameters, 0);
    ky_bodies_free(&soft);
    ky_bodies_free(&expected);
    ky_sim_close(sim);
    ky_snapshot_free(&snapshot);
}

static void the_step_changes(void **state)
{
    (void)state;
    struct ky_parameters parameters = sim_parameters("cpu", KY_DIRECT);
    struct ky_snapshot snapshot = plummer(N);
    struct ky_sim *sim, *other;
    assert_ok(ky_sim_open(&parameters, &snapshot.bodies, 1, &sim, &error));
    assert_ok(ky_sim_advance(sim, 3, &error));
    assert_ok(ky_sim_set_step(sim, 0.03125, &error));
    assert_int_equal(ky_sim_set_step(sim, 0, &error), KY_USAGE);
    assert_int_equal(ky_sim_set_step(sim, 1e-20, &error), KY_USAGE);
    assert_int_equal(ky_sim_advance(sim, UINT64_MAX, &error), KY_USAGE);
    assert_ok(ky_sim_advance(sim, 2, &error));
    assert_true(ky_sim_time(sim) == 1.25 && ky_sim_steps(sim) == 5);
    assert_ok(ky_sim_open(&parameters, &snapshot.bodies, 1, &other, &error));
    assert_ok(ky_sim_advance(other, 3, &error));
    struct ky_bodies middle = state_of(other);
    ky_sim_close(other);
    parameters.step = 0.03125;
    assert_ok(ky_sim_open(&parameters, &middle, 1.1875, &other, &error));
    assert_ok(ky_sim_advance(other, 2, &error));
    struct ky_bodies now = state_of(sim), expected = state_of(other);
    assert_memory_equal(now.position, expected.position, N * sizeof *now.position);
    ky_bodies_free(&middle);
    ky_bodies_free(&now);
    ky_bodies_free(&expected);
    ky_sim_close(sim);
    ky_sim_close(other);
    ky_snapshot_free(&snapshot);
}

/* Fails as forces in the middle of a step do. */
static enum ky_status fail_within(struct ky_integrator_state *integrator, uint64_t ticks,
                                  struct ky_error *told)
{
    (void)integrator;
    (void)ticks;
    (void)told;
    return KY_UNSUPPORTED;
}

/* An integrator that cannot divide its steps makes the whole steps before the wanted time, and
 * fails at the time of the last one. */
static void steps_that_cannot_be_divided(void **state)
{
    (void)state;
    struct ky_parameters parameters = sim_parameters("cpu", KY_DIRECT);
    struct ky_snapshot snapshot = plummer(10);
    struct ky_sim *sim;
    assert_ok(ky_sim_open(&parameters, &snapshot.bodies, 0, &sim, &error));
    const struct ky_integrator_verbs *whole = sim->integrator->verbs;
    struct ky_integrator_verbs verbs = *whole;
    verbs.short_step = NULL;
    sim->integrator->verbs = &verbs;
    assert_int_equal(ky_sim_advance_to(sim, 0.3, 1, &error), KY_UNSUPPORTED);
    assert_non_null(strstr(error.text, "cannot divide"));
    assert_true(ky_sim_time(sim) == 0.25 && ky_sim_steps(sim) == 4);
    assert_ok(ky_sim_advance(sim, 1, &error));
    assert_true(ky_sim_time(sim) == 0.3125);
    verbs.advance = fail_within;
    assert_int_equal(ky_sim_advance(sim, 1, &error), KY_UNSUPPORTED);
    sim->integrator->verbs = whole;
    assert_int_equal(ky_sim_advance(sim, 1, &error), KY_USAGE); /* it can only be closed */
    ky_sim_close(sim);
    ky_snapshot_free(&snapshot);
}

/* A simulation that is saved and restored goes on with the same bits, also from within a step. */
static void saved_and_restored(void **state)
{
    (void)state;
    struct ky_parameters parameters = sim_parameters("cpu", KY_TREE), defaults;
    struct ky_snapshot snapshot = plummer(N);
    struct ky_sim *sim, *again;
    ky_parameters_defaults(&defaults);
    assert_ok(ky_sim_open(&parameters, &snapshot.bodies, 0, &sim, &error));
    assert_ok(ky_sim_advance_to(sim, 0.3, 1, &error));
    assert_ok(ky_sim_save(sim, in_folder("state.kyo"), &error));
    assert_ok(ky_sim_restore(in_folder("state.kyo"), &defaults, &again, &error));
    assert_true(ky_sim_time(again) == ky_sim_time(sim) && ky_sim_steps(again) == 5);
    assert_ok(ky_sim_advance(sim, 3, &error));
    assert_ok(ky_sim_advance(again, 3, &error));
    struct ky_bodies one = state_of(sim), other = state_of(again);
    assert_memory_equal(one.position, other.position, N * sizeof *one.position);
    assert_memory_equal(one.velocity, other.velocity, N * sizeof *one.velocity);
    ky_bodies_free(&one);
    ky_bodies_free(&other);
    ky_sim_close(again);
    assert_int_equal(ky_sim_restore(in_folder("none.kyo"), &defaults, &again, &error), KY_BAD_DATA);
    assert_null(again);
    ky_sim_close(sim);
    ky_snapshot_free(&snapshot);
}

/* The same through memory. Memory that is too small is left alone, and what is damaged is refused.
 */
static void saved_in_memory(void **state)
{
    (void)state;
    struct ky_parameters parameters = sim_parameters("cpu", KY_TREE), defaults;
    struct ky_snapshot snapshot = plummer(N);
    struct ky_sim *sim, *again;
    size_t bytes = 0, room;
    ky_parameters_defaults(&defaults);
    assert_ok(ky_sim_open(&parameters, &snapshot.bodies, 0, &sim, &error));
    assert_ok(ky_sim_advance_to(sim, 0.3, 1, &error));
    assert_ok(ky_sim_save_memory(sim, NULL, &bytes, &error));
    assert_true(bytes > N * 10 * sizeof(double));
    unsigned char *data = malloc(bytes + 1);
    memset(data, 7, bytes + 1);
    room = bytes - 1;
    assert_int_equal(ky_sim_save_memory(sim, data, &room, &error), KY_USAGE);
    assert_true(room == bytes && data[0] == 7);
    room = bytes + 1;
    assert_ok(ky_sim_save_memory(sim, data, &room, &error));
    assert_true(room == bytes && data[0] != 7 && data[bytes] == 7);

    /* It is what the file has. */
    assert_ok(ky_sim_save(sim, in_folder("same.kyo"), &error));
    FILE *file = fopen(in_folder("same.kyo"), "rb");
    unsigned char *read = malloc(bytes + 1);
    assert_int_equal(fread(read, 1, bytes + 1, file), bytes);
    assert_memory_equal(read, data, bytes);
    fclose(file);
    free(read);

    assert_ok(ky_sim_restore_memory(data, bytes, &defaults, &again, &error));
    assert_ok(ky_sim_advance(sim, 3, &error));
    assert_ok(ky_sim_advance(again, 3, &error));
    struct ky_bodies one = state_of(sim), other = state_of(again);
    assert_memory_equal(one.position, other.position, N * sizeof *one.position);
    assert_memory_equal(one.velocity, other.velocity, N * sizeof *one.velocity);
    ky_bodies_free(&one);
    ky_bodies_free(&other);
    ky_sim_close(again);
    for (size_t cut = 0; cut < bytes; cut += bytes / 7) {
        assert_int_equal(ky_sim_restore_memory(data, cut, &defaults, &again, &error), KY_BAD_DATA);
        assert_null(again);
        data[cut] ^= 1;
        assert_int_equal(ky_sim_restore_memory(data, bytes, &defaults, &again, &error),
                         KY_BAD_DATA);
        data[cut] ^= 1;
    }
    free(data);
    ky_sim_close(sim);
    ky_snapshot_free(&snapshot);
}

/* The field at a point is the force on a body without mass there. */
static void fields_at_points(void **state)
{
    (void)state;
    static const struct {
        int force, kind, own;
        double within;
    } cases[] = {{KY_DIRECT, KY_PLUMMER, 0, 1e-12},   {KY_DIRECT, KY_SYMMETRIC, 0, 1e-12},
                 {KY_DIRECT, KY_SYMMETRIC, 1, 1e-12}, {KY_TREE, KY_PLUMMER, 0, 1e-2},
                 {KY_WALK, KY_SYMMETRIC, 1, 1e-2},    {KY_TREE, KY_SYMMETRIC, 0, 1e-2},
                 {KY_FMM, KY_PLUMMER, 0, 1e-2},       {KY_FMM, KY_SYMMETRIC, 1, 1e-2}};
    enum { POINTS = 40 };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct ky_parameters parameters = sim_parameters("cpu", cases[c].force);
        parameters.softening_kind = cases[c].kind;
        parameters.precision = KY_DOUBLE;
        struct ky_snapshot all = plummer(N + POINTS);
        struct ky_bodies bodies = all.bodies;
        double own[N + POINTS], acceleration[POINTS][3], potential[POINTS], alone[POINTS][3];
        for (int i = 0; i < N + POINTS; i++)
            own[i] = i < N ? 0.05 + 0.001 * i : 0.1;
        if (cases[c].own)
            bodies.softening = own, parameters.softening = (double)NAN;
        bodies.n = N;
        struct ky_sim *sim;
        assert_ok(ky_sim_open(&parameters, &bodies, 0, &sim, &error));
        assert_ok(ky_sim_field(sim, POINTS, (const double(*)[3]) & bodies.position[N], 0.1,
                               acceleration, potential, &error));
        ky_sim_close(sim);
        assert_ok(ky_field(&parameters, &bodies, POINTS, (const double(*)[3]) & bodies.position[N],
                           0.1, alone, NULL, &error));
        assert_memory_equal(acceleration, alone, sizeof alone);
        for (int i = 0; i < POINTS; i++)
            bodies.mass[N + i] = 0;
        bodies.n = N + POINTS;
        assert_ok(ky_bodies_extend(&all.bodies, KY_WITH_ACCELERATION | KY_WITH_POTENTIAL, &error));
        bodies.acceleration = all.bodies.acceleration, bodies.potential = all.bodies.potential;
        parameters.force = KY_DIRECT;
        parameters.precision = KY_DOUBLE;
        assert_ok(ky_forces(&parameters, &bodies, NULL, &error));
        double squares = 0; /* relative errors; the largest of 40 points may be twice the bound */
        for (int i = 0; i < POINTS; i++) {
            double size = 0, miss = 0;
            for (int k = 0; k < 3; k++) {
                size += pow(bodies.acceleration[N + i][k], 2);
                miss += pow(bodies.acceleration[N + i][k] - acceleration[i][k], 2);
            }
            assert_between(sqrt(miss / size), 0, 2 * cases[c].within);
            squares += miss / size / POINTS;
            assert_between(potential[i] / bodies.potential[N + i], 1 - cases[c].within,
                           1 + cases[c].within);
        }
        assert_between(sqrt(squares), 0, cases[c].within / 2);
        ky_snapshot_free(&all);
    }
}

static void fields_of_odd_points(void **state)
{
    (void)state;
    struct ky_parameters parameters = sim_parameters("cpu", KY_TREE);
    parameters.softening = 0;
    struct ky_snapshot snapshot = plummer(2);
    struct ky_sim *sim;
    double acceleration[3][3], potential[3], wrong[1][3] = {{0, (double)INFINITY, 0}};
    double points[3][3] = {{0}, {1e6, 0, 0}};
    memcpy(points[2], snapshot.bodies.position[1],
           sizeof points[2]); /* at a body, the other one acts */
    assert_ok(ky_sim_open(&parameters, &snapshot.bodies, 0, &sim, &error));
    assert_ok(ky_sim_field(sim, 0, NULL, 0, NULL, NULL, &error));
    assert_ok(ky_sim_field(sim, 3, (const double(*)[3])points, 0, acceleration, NULL, &error));
    assert_ok(ky_sim_field(sim, 3, (const double(*)[3])points, 0, NULL, potential, &error));
    assert_between(acceleration[1][0] * 1e12, -1.01, -0.99);
    assert_between(potential[1] * 1e6, -1.01, -0.99);
    assert_true(isfinite(potential[2]) && potential[2] < 0);
    assert_int_equal(ky_sim_field(sim, 1, (const double(*)[3])wrong, 0, NULL, potential, &error),
                     KY_BAD_DATA);
    assert_string_equal(error.text, "the position of point 0 is not finite (inf)");
    assert_int_equal(ky_sim_field(sim, 1, (const double(*)[3])points, -1, NULL, potential, &error),
                     KY_USAGE);
    ky_sim_close(sim);
    ky_snapshot_free(&snapshot);
}

static void fields_without_a_simulation(void **state)
{
    (void)state;
    struct ky_parameters parameters = sim_parameters("cpu", KY_TREE);
    struct ky_snapshot snapshot = plummer(2);
    struct ky_bodies *bodies = &snapshot.bodies;
    double acceleration[2][3], potential[2], points[2][3] = {{0}, {1e6, 0, 0}};
    const double(*const at)[3] = (const double(*)[3])points;
    assert_ok(ky_field(&parameters, bodies, 0, NULL, 0, NULL, NULL, &error));
    assert_ok(ky_field(&parameters, bodies, 2, at, 0, acceleration, potential, &error));
    assert_between(acceleration[1][0] * 1e12, -1.01, -0.99);
    assert_int_equal(ky_field(&parameters, bodies, 1, NULL, 0, NULL, NULL, &error), KY_USAGE);
    assert_int_equal(ky_field(&parameters, bodies, 1, at, -1, NULL, potential, &error), KY_USAGE);
    assert_int_equal(ky_field(NULL, bodies, 1, at, 0, NULL, potential, &error), KY_USAGE);
    points[0][1] = (double)NAN;
    assert_int_equal(ky_field(&parameters, bodies, 1, at, 0, NULL, NULL, &error), KY_BAD_DATA);
    points[0][1] = 0;
    bodies->mass[1] = (double)INFINITY;
    assert_int_equal(ky_field(&parameters, bodies, 1, at, 0, NULL, NULL, &error), KY_BAD_DATA);
    bodies->n = 0;
    assert_ok(ky_field(&parameters, bodies, 2, at, 0, acceleration, potential, &error));
    assert_true(acceleration[1][0] == 0 && potential[0] == 0);
    bodies->n = 2;
    ky_snapshot_free(&snapshot);
}

static void check_radii(struct ky_sim *sim, size_t n, const double *expected)
{
    struct ky_bodies now = sim_state(sim, KY_WITH_RADIUS);
    assert_true(now.n == n);
    for (size_t i = 0; i < n; i++)
        assert_true(now.radius[i] == expected[i]);
    ky_bodies_free(&now);
}

static void radii_go_with_the_bodies(void **state)
{
    (void)state;
    struct ky_parameters parameters = sim_parameters("cpu", KY_DIRECT);
    struct ky_bodies bodies = {0}, more = {0};
    assert_ok(ky_bodies_allocate(&bodies, 3, KY_WITH_RADIUS, &error));
    assert_ok(ky_bodies_allocate(&more, 1, 0, &error));
    static const uint64_t gone = 1;
    static const size_t place = 2;
    for (size_t i = 0; i < 3; i++)
        bodies.radius[i] = (double)i + 1;
    struct ky_sim *sim, *restored;
    assert_ok(ky_sim_open(&parameters, &bodies, 0, &sim, &error));
    check_radii(sim, 3, bodies.radius);
    assert_ok(ky_sim_add(sim, &more, &error));
    check_radii(sim, 4, (const double[]){1, 2, 3, 0});
    assert_ok(ky_sim_remove(sim, &gone, 1, &error));
    check_radii(sim, 3, (const double[]){1, 3, 0});
    struct ky_bodies some = {.n = 1, .radius = (double[]){7}};
    assert_ok(ky_sim_replace(sim, &place, &some, &error));
    const char *path = in_folder("state");
    assert_ok(ky_sim_save(sim, path, &error));
    assert_ok(ky_sim_restore(path, &parameters, &restored, &error));
    check_radii(restored, 3, (const double[]){1, 3, 7});
    some.radius[0] = 0;
    assert_ok(ky_sim_read(restored, &place, &some, &error));
    assert_true(some.radius[0] == 7);
    some.radius[0] = -1;
    assert_int_equal(ky_sim_replace(sim, &place, &some, &error), KY_BAD_DATA);
    assert_non_null(strstr(error.text, "radius"));
    ky_sim_close(restored);
    ky_sim_close(sim);
    bodies.radius[1] = (double)NAN;
    assert_int_equal(ky_sim_open(&parameters, &bodies, 0, &sim, &error), KY_BAD_DATA);
    ky_bodies_free(&bodies);
    assert_ok(ky_sim_open(&parameters, &more, 0, &sim, &error)); /* without radii */
    check_radii(sim, 1, (const double[]){0});
    more.radius = (double[]){4};
    assert_ok(ky_sim_add(sim, &more, &error));
    check_radii(sim, 2, (const double[]){0, 4});
    more.radius = NULL;
    ky_sim_close(sim);
    ky_bodies_free(&more);
}

static int prepare(void **state)
{
    return make_folder(state) || find_quick_engines(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_come_and_go_everywhere),
        cmocka_unit_test(from_none_to_some),
        cmocka_unit_test(refused_changes_leave_all_as_it_was),
        cmocka_unit_test(the_first_bodies_bring_softenings),
        cmocka_unit_test(new_ids_continue_from_the_largest),
        cmocka_unit_test(a_state_is_written),
        cmocka_unit_test(the_step_changes),
        cmocka_unit_test(steps_that_cannot_be_divided),
        cmocka_unit_test(saved_and_restored),
        cmocka_unit_test(saved_in_memory),
        cmocka_unit_test(fields_at_points),
        cmocka_unit_test(fields_of_odd_points),
        cmocka_unit_test(fields_without_a_simulation),
        cmocka_unit_test(radii_go_with_the_bodies),
    };
    return cmocka_run_group_tests(tests, prepare, remove_folder);
}
