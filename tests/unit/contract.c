/* The contract of an engine: on every engine each verb gives the results, or the status, of the CPU
 * engine with exact sums in double. Each verb meets each set of bodies. `check` tries the layers
 * above engines on the CPU alone, and relies on this test for devices. */
#include "test.h"

#include "clouds.h"
#include "engine/common/external.h"
#include "engine/force_options.h"
#include "engines.h"
#include "kernels.h"

static struct ky_error error;

enum { MOST = 300, ROOM = 8 * MOST };

/* ---- sets of bodies ---- */

static struct ky_bodies plummer(size_t n)
{
    struct ky_bodies bodies = cloud_make(PLUMMER, n);
    for (size_t i = 0; i < n; i++)
        for (int c = 0; c < 3; c++)
            bodies.acceleration[i][c] = 0.1 * bodies.velocity[i][c] - bodies.position[i][c];
    return bodies;
}

static void a_third_is_massless(struct ky_bodies *bodies)
{
    for (size_t i = 0; i < bodies->n; i += 3)
        bodies->mass[i] = 0;
}

static void all_are_massless(struct ky_bodies *bodies)
{
    memset(bodies->mass, 0, bodies->n * sizeof *bodies->mass);
}

static void pairs_coincide(struct ky_bodies *bodies)
{
    for (size_t i = 1; i < bodies->n; i += 2)
        memcpy(bodies->position[i], bodies->position[i - 1], sizeof *bodies->position);
}

static void one_is_far(struct ky_bodies *bodies)
{
    bodies->position[bodies->n / 2][1] = 1e5;
}

static const struct {
    const char *name;
    size_t n;
    void (*change)(struct ky_bodies *bodies);
} sets[] = {{"no body", 0, NULL},
            {"one body", 1, NULL},
            {"two bodies", 2, NULL},
            {"two at one place", 2, pairs_coincide},
            {"300 bodies", MOST, NULL},
            {"pairs at one place", 129, pairs_coincide},
            {"an outlier", 255, one_is_far},
            {"massless bodies", MOST, a_third_is_massless},
            {"no mass", 33, all_are_massless}};
enum { SETS = sizeof sets / sizeof *sets };

/* ---- verbs: each writes numbers to `out` and returns how many ---- */

/* Room for what an engine gives back. */
static double room[4][MOST][3], scalars[2][MOST];

static size_t copy_rows(size_t n, double (*rows)[3], const double *numbers, double *out)
{
    for (size_t i = 0; i < n; i++) {
        memcpy(out + 4 * i, rows[i], sizeof *rows);
        out[4 * i + 3] = numbers[i];
    }
    return 4 * n;
}

/* Positions and masses, or accelerations and potentials, in rows of four. */
static size_t get(struct ky_engine *engine, int forces, double *out)
{
    struct ky_bodies to = {.n = engine->n,
                           .position = room[0],
                           .velocity = room[1],
                           .acceleration = room[2],
                           .mass = scalars[0],
                           .potential = scalars[1]};
    assert_ok(ky_engine_get(engine, &to, &error));
    return copy_rows(engine->n, room[forces ? 2 : 0], scalars[forces], out);
}

static size_t come_back(struct ky_engine *engine, double *out)
{
    return get(engine, 0, out);
}

static size_t have_forces(struct ky_engine *engine, double *out)
{
    assert_ok(ky_engine_forces(engine, &error));
    return get(engine, 1, out);
}

/* The forces on some bodies; the others keep theirs. */
static size_t have_forces_on_some(struct ky_engine *engine, double *out)
{
    uint32_t body[MOST];
    struct ky_active active = {0, body};
    assert_ok(ky_engine_forces(engine, &error));
    for (uint32_t i = 1; i < engine->n; i += 7)
        body[active.count++] = i;
    assert_ok(ky_engine_drift(engine, 0.01, &error));
    assert_ok(ky_engine_forces_of(engine, &active, &error));
    return get(engine, 1, out);
}

static size_t are_kicked_and_drift(struct ky_engine *engine, double *out)
{
    assert_ok(ky_engine_kick(engine, 0.25, &error));
    assert_ok(ky_engine_drift(engine, 0.5, &error));
    assert_ok(ky_engine_kick(engine, -0.125, &error));
    assert_ok(ky_engine_drift(engine, -0.25, &error));
    return get(engine, 0, out);
}

/* Fields of every kind that engines compute by themselves, turning and on a falling frame too. */
static const char *const fields[] = {
    "uniform:ax=1,ay=-2 point:mass=1,eps=0.1,x=3 plummer:mass=2,scale=0.7,x=0.5",
    "hernquist:mass=2,scale=0.7,reflex=1 nfw:mass=2,scale=3 isochrone:mass=1,scale=0.5,y=1",
    "triaxial-logarithmic:speed=1,core=0.3,p=0.9,q=0.7,turn=0.8,angle=25,x=2 lambda:omega=0.7,h0=1",
    "power-law-cutoff:mass=1,alpha=1.8,cutoff=2 logarithmic:speed=1,core=0.3,flattening=0.8",
    "miyamoto-nagai:mass=2,scale=0.7,height=0.2 tidal:xx=1,yy=-0.6,zz=-0.4,xy=0.2,turn=-0.3",
    "bar:mass=1,length=2,scale=0.3,height=0.2,speed=1,angle=25"};

/* The place of the fields in the table. */
static int which;

static size_t feel(struct ky_engine *engine, double *out)
{
    struct ky_externals given = {0};
    assert_ok(ky_externals_read(fields[which], 1, &(struct ky_units){0}, &given, &error));
    assert_ok(ky_engine_set_fields(engine, given.field, given.count, &error));
    assert_ok(ky_engine_columns(engine, 0, &error));
    ky_engine_set_time(engine, 0.7);
    const size_t count = have_forces(engine, out);
    struct ky_sums sums;
    assert_ok(ky_engine_sums(engine, &sums, &error));
    out[count] = sums.external;
    ky_externals_release(&given);
    return count + 1;
}
static size_t have_sums(struct ky_engine *engine, double *out)
{
    struct ky_sums sums;
    assert_ok(ky_engine_forces(engine, &error));
    assert_ok(ky_engine_sums(engine, &sums, &error));
    const double numbers[] = {sums.mass,     sums.kinetic,     sums.potential,
                              sums.virial,   sums.momentum[0], sums.angular_momentum[2],
                              sums.centre[1]};
    memcpy(out, numbers, sizeof numbers);
    return sizeof numbers / sizeof *numbers;
}

static const double at[4][3] = {{0.5, -1, 2}, {0, 0, 0}, {1e3, 0, 0}, {-0.2, 0.1, 0}};
static const struct ky_points points = {4, at, 0.05, NULL, NULL};

static size_t have_a_field(struct ky_engine *engine, double *out)
{
    assert_ok(ky_engine_field(engine, &points, room[0], scalars[0], &error));
    return copy_rows(points.count, room[0], scalars[0], out);
}

static size_t have_tides(struct ky_engine *engine, double *out)
{
    double tide[4][6];
    assert_ok(ky_engine_tides(engine, &points, tide, &error));
    memcpy(out, tide, sizeof tide);
    return sizeof tide / sizeof **tide;
}

static size_t get_new_numbers(struct ky_engine *engine, double *out)
{
    static const double x[2][3] = {{0.1, 0.2, 0.3}, {-1, 0, 0}}, m[2] = {0.25, 0};
    static const uint32_t body[2] = {0, 1};
    const struct ky_some some = {
        .count = engine->n < 2 ? engine->n : 2, .body = body, .position = x, .mass = m};
    assert_ok(ky_engine_put_some(engine, &some, &error));
    return have_forces(engine, out);
}

static size_t keep_columns(struct ky_engine *engine, double *out)
{
    double steps[MOST] = {0}, jerks[MOST][3];
    for (size_t i = 0; i < engine->n; i++)
        steps[i] = jerks[i][0] = jerks[i][2] = (double)i / 3, jerks[i][1] = -1;
    assert_ok(ky_engine_columns(engine, 1U << KY_COLUMN_STEP | 1U << KY_COLUMN_JERK, &error));
    assert_ok(ky_engine_put_column(engine, KY_COLUMN_STEP, steps, &error));
    assert_ok(ky_engine_put_column(engine, KY_COLUMN_JERK, &jerks[0][0], &error));
    assert_ok(ky_engine_get_column(engine, KY_COLUMN_STEP, scalars[0], &error));
    assert_ok(ky_engine_get_column(engine, KY_COLUMN_JERK, &room[0][0][0], &error));
    return copy_rows(engine->n, room[0], scalars[0], out);
}

/* The status of positions that are not finite. */
static size_t refuse_no_numbers(struct ky_engine *engine, double *out)
{
    static double x[MOST][3], m[MOST];
    const struct ky_bodies bodies = {.n = engine->n, .position = x, .velocity = x, .mass = m};
    x[0][1] = (double)NAN;
    out[0] = ky_engine_put(engine, &bodies, &error);
    return 1;
}

/* Tolerances are relative to the largest of four numbers that follow each other. Forces by a tree
 * have `by_tree` instead. */
static const struct {
    const char *name;
    size_t (*verb)(struct ky_engine *engine, double *out);
    int which;
    double tolerance, by_tree;
} verbs[] = {{"come back", come_back, 0, 1e-15, 1e-15},
             {"have forces", have_forces, 0, 3e-6, 2e-2},
             {"have forces on some", have_forces_on_some, 0, 3e-6, 2e-2},
             {"are kicked and drift", are_kicked_and_drift, 0, 1e-14, 1e-14},
             {"feel the fields 0", feel, 0, 3e-6, 2e-2},
             {"feel the fields 1", feel, 1, 3e-6, 2e-2},
             {"feel the fields 2", feel, 2, 3e-6, 2e-2},
             {"feel the fields 3", feel, 3, 3e-6, 2e-2},
             {"feel the fields 4", feel, 4, 3e-6, 2e-2},
             {"feel the fields 5", feel, 5, 3e-6, 2e-2},
             {"have sums", have_sums, 0, 3e-6, 1e-2},
             {"have a field at points", have_a_field, 0, 3e-6, 2e-2},
             {"have tides", have_tides, 0, 3e-6, 5e-2},
             {"get new numbers", get_new_numbers, 0, 3e-6, 2e-2},
             {"keep columns", keep_columns, 0, 1e-15, 1e-15},
             {"refuse what is no number", refuse_no_numbers, 0, 0, 0}};
enum { VERBS = sizeof verbs / sizeof *verbs };

/* ---- the test ---- */

static size_t call(const char *name, int force, int set, int verb, double *out)
{
    struct ky_parameters given = cloud_parameters(), parameters;
    struct ky_bodies bodies = plummer(sets[set].n);
    struct ky_engine *engine;
    if (sets[set].change)
        sets[set].change(&bodies);
    given.engine = name;
    given.softening = 0.05;
    given.force = force;
    given.precision = strcmp(name, "cpu") ? taken_precision(&given) : KY_DOUBLE;
    assert_ok(ky_force_resolve(&given, &parameters, &error));
    assert_ok(ky_engine_open(&parameters, bodies.n, &engine, &error));
    assert_ok(ky_engine_put(engine, &bodies, &error));
    which = verbs[verb].which;
    const size_t count = verbs[verb].verb(engine, out);
    ky_engine_close(engine);
    ky_bodies_free(&bodies);
    return count;
}

static void expect(const char *name, int force, int set, int verb, const double *wanted,
                   size_t count)
{
    static double out[ROOM];
    const int by_tree = force != KY_DIRECT;
    const double tolerance = by_tree ? verbs[verb].by_tree : verbs[verb].tolerance;
    assert_int_equal(call(name, force, set, verb, out), count);
    for (size_t k = 0; k < count; k++) {
        double size = 0;
        for (size_t j = k - k % 4; j < count && j < k - k % 4 + 4; j++)
            size = fmax(size, fabs(wanted[j]));
        if (!(fabs(out[k] - wanted[k]) <= tolerance * size))
            fail_msg("%s, %s: %s %s: number %zu is %.17g instead of %.17g", name,
                     by_tree ? "tree" : "direct", sets[set].name, verbs[verb].name, k, out[k],
                     wanted[k]);
    }
}

static void every_verb_with_every_set(void **state)
{
    (void)state;
    static double wanted[ROOM];
    for (int k = 0; k < VERBS * SETS; k++) {
        const size_t count = call("cpu", KY_DIRECT, k % SETS, k / SETS, wanted);
        for (int e = 0; e < engine_count; e++) {
            expect(engines[e].engine, KY_DIRECT, k % SETS, k / SETS, wanted, count);
            expect(engines[e].engine, KY_TREE, k % SETS, k / SETS, wanted, count);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_verb_with_every_set)};
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
