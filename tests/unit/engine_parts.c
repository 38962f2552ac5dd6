/* What integrators and parts of larger systems ask of an engine, for every engine that opens.
 * Forces of some bodies have the bits of an evaluation of all bodies, except with the exact sum,
 * and change nothing else. Fields at points agree with sums in double over all bodies. */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clouds.h"
#include "engine/common/units.h"
#include "engine/force_options.h"
#include "engines.h"
#include "kernels.h"

enum { N = 900 };
static struct ky_error error;

/* The size of a system comes from all of its components, also if two take turns in the file. */
static void units_are_those_of_all_components(void **state)
{
    (void)state;
    const struct ky_engine_frame none = {0};
    struct ky_parameters parameters = cloud_parameters();
    struct ky_engine_units units[2];
    for (size_t k = 4; k < 18; k++) {
        const size_t period = k / 2;
        struct ky_bodies bodies = cloud_make(CUBE, 1023 * period - k % 2 * 500);
        for (int c = 0; c < 3; c++)
            for (size_t i = 0; i < bodies.n; i += period)
                bodies.position[i][c] *= 1e-3;
        assert_ok(ky_engine_units(&bodies, &parameters, &none, &units[0], &error));
        for (size_t i = 0; i < bodies.n; i += period)
            bodies.position[i][0] += 0.1;
        assert_ok(ky_engine_units(&bodies, &parameters, &none, &units[1], &error));
        assert_true(units[0].length == 0x1p-11 && units[1].length == 0x1p-11);
        ky_bodies_free(&bodies);
    }
}

static struct ky_engine *open_with(const struct ky_parameters *parameters,
                                   const struct ky_bodies *bodies)
{
    struct ky_engine *engine;
    assert_ok(ky_engine_open(parameters, bodies->n, &engine, &error));
    assert_ok(ky_engine_put(engine, bodies, &error));
    return engine;
}

static struct ky_bodies forces_in(struct ky_engine *engine, size_t n)
{
    struct ky_bodies bodies = {0};
    assert_ok(ky_bodies_allocate(&bodies, n, KY_WITH_ACCELERATION | KY_WITH_POTENTIAL, &error));
    assert_ok(ky_engine_get(engine, &bodies, &error));
    return bodies;
}

/* Whether two forces differ by no more than a sum in another order. */
static int near(const struct ky_bodies *a, const struct ky_bodies *b, size_t i)
{
    double size = 0, miss = 0;
    for (int c = 0; c < 3; c++) {
        size += fabs(b->acceleration[i][c]);
        miss += fabs(a->acceleration[i][c] - b->acceleration[i][c]);
    }
    return miss <= 1e-5 * size &&
           fabs(a->potential[i] - b->potential[i]) <= 1e-6 * fabs(b->potential[i]);
}

static int same(const struct ky_bodies *a, const struct ky_bodies *b, size_t i)
{
    return !memcmp(a->acceleration[i], b->acceleration[i], sizeof a->acceleration[i]) &&
           a->potential[i] == b->potential[i];
}

static void compare(const struct ky_parameters *parameters, const struct ky_bodies *bodies,
                    const struct ky_active *active)
{
    struct ky_engine *some = open_with(parameters, bodies), *all = open_with(parameters, bodies);
    if (bodies->n > 0) /* the first forces are of all bodies */
        assert_int_equal(ky_engine_forces_of(some, active, &error), KY_USAGE);
    assert_ok(ky_engine_forces(some, &error));
    assert_ok(ky_engine_forces(all, &error));
    struct ky_bodies before = forces_in(some, bodies->n);
    assert_ok(ky_engine_drift(some, 0.1, &error));
    assert_ok(ky_engine_drift(all, 0.1, &error));
    assert_ok(ky_engine_forces_of(some, active, &error));
    assert_ok(ky_engine_forces(all, &error));
    struct ky_bodies part = forces_in(some, bodies->n), whole = forces_in(all, bodies->n);
    struct ky_force_report report;
    ky_engine_report(some, &report);
    assert_true((report.body_interactions > 0) == (active->count > 0 && bodies->n > 1));
    size_t next = 0;
    for (size_t i = 0; i < bodies->n; i++) {
        int is_active = next < active->count && active->body[next] == i;
        next += (size_t)is_active;
        int exact = parameters->force == KY_DIRECT && is_active;
        if (!(exact ? near : same)(&part, is_active ? &whole : &before, i))
            fail_msg("body %zu, %s: %.17g %.17g", i, is_active ? "active" : "not active",
                     part.acceleration[i][0], (is_active ? &whole : &before)->acceleration[i][0]);
        if (!is_active && bodies->n > 1)
            assert_false(same(&part, &whole, i)); /* the drift was long enough */
    }
    assert_int_equal(next, active->count);
    ky_bodies_free(&before);
    ky_bodies_free(&part);
    ky_bodies_free(&whole);
    ky_engine_close(some);
    ky_engine_close(all);
}

/* The methods of an engine: its forces, and the walk through a tree of the host. */
enum { METHODS = 6, WALK_OF_HOST = KY_FMM + 1 };
static int force_of(int engine, int method)
{
    static const int on_cpu[METHODS] = {KY_DIRECT, KY_WALK, KY_FMM, KY_TREE, KY_WALK, KY_TREE},
                     on_device[METHODS] = {KY_DIRECT, KY_WALK,      KY_LIST,
                                           KY_TREE,   WALK_OF_HOST, KY_FMM};
    return (is_cpu_engine(engine) ? on_cpu : on_device)[method];
}

/* In the precision that is wanted, or in that of the kernels that are taken. */
static struct ky_parameters parameters_of(int engine, int force, int precision)
{
    struct ky_parameters given;
    ky_force_defaults(&given);
    given.engine = engines[engine].engine;
    given.force = force == WALK_OF_HOST ? KY_WALK : force;
    given.tree = force == WALK_OF_HOST ? KY_TREE_OF_HOST : KY_TREE_BY_ENGINE;
    given.precision = precision;
    given.precision = taken_precision(&given);
    given.softening = 0.01;
    return given;
}

static struct ky_parameters resolved(const struct ky_parameters *given)
{
    struct ky_parameters parameters;
    assert_ok(ky_force_resolve(given, &parameters, &error));
    return parameters;
}

static struct ky_bodies moving_cloud(size_t n, int own_softening)
{
    struct ky_bodies bodies = cloud_make(PLUMMER, n);
    for (size_t i = 0; i < n; i++)
        for (int c = 0; c < 3; c++)
            bodies.velocity[i][c] = 0.3 * ((double)((i * 7 + (size_t)c) % 11) - 5);
    bodies.acceleration = (free(bodies.acceleration), NULL);
    bodies.potential = (free(bodies.potential), NULL);
    bodies.softening = own_softening ? malloc((n + 1) * sizeof *bodies.softening) : NULL;
    for (size_t i = 0; i < n && own_softening; i++)
        bodies.softening[i] = 0.01 + 0.002 * (double)(i % 7);
    return bodies;
}

/* Compares all, some, one and none of the bodies. */
static void compare_strides(const struct ky_parameters *parameters, const struct ky_bodies *bodies)
{
    const size_t n = bodies->n, strides[] = {1, 3, 97, n + 1};
    uint32_t *list = malloc((n + 1) * sizeof *list);
    for (int s = 0; s < 4; s++) {
        struct ky_active active = {0, list};
        for (size_t i = strides[s] > n ? n : 0; i < n; i += strides[s])
            list[active.count++] = (uint32_t)i;
        compare(parameters, bodies, &active);
    }
    free(list);
}

static void some_bodies_of_every_method(void **state)
{
    (void)state;
    static const int openings[] = {KY_OFFSET, KY_RELATIVE};
    for (int k = 0; k < 2 * 2 * METHODS * engine_count; k++) {
        const int symmetric = k % 4 == 3; /* with softenings of their own */
        struct ky_bodies bodies = moving_cloud(N, symmetric);
        struct ky_parameters given = parameters_of(
            k / (4 * METHODS), force_of(k / (4 * METHODS), k / 4 % METHODS), k / 2 % 2 * KY_DOUBLE);
        given.opening = openings[k % 2];
        given.softening_kind = symmetric ? KY_SYMMETRIC : KY_PLUMMER;
        given.curve = k % 4 == 1 && given.force == KY_WALK ? KY_CURVE_NONE : given.curve;
        const struct ky_parameters parameters = resolved(&given);
        compare_strides(&parameters, &bodies);
        ky_bodies_free(&bodies);
    }
}

/* Numbers of bodies near the sizes of groups and tiles, with every method. */
static void some_bodies_of_few(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 127, 128, 129, 257};
    for (int k = 0; k < engine_count; k++)
        for (int method = 0; method < METHODS; method++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                struct ky_bodies bodies = moving_cloud(sizes[s], 0);
                struct ky_parameters given = parameters_of(k, force_of(k, method), KY_EXTENDED);
                const struct ky_parameters parameters = resolved(&given);
                compare_strides(&parameters, &bodies);
                ky_bodies_free(&bodies);
            }
}

/* ---- fields ---- */

/* The sum over all bodies, except the body that the point stands for. Coincident bodies without
 * softening exert no force. */
static void field_by_hand(const struct ky_bodies *bodies, const struct ky_parameters *parameters,
                          const struct ky_points *points, size_t k, double sum[4])
{
    memset(sum, 0, 4 * sizeof *sum);
    for (size_t j = 0; j < bodies->n; j++) {
        const double eps = bodies->softening ? bodies->softening[j] : parameters->softening;
        double d[3], r2 = points->softening * points->softening +
                          (parameters->softening_kind == KY_SYMMETRIC ? eps * eps : 0);
        for (int c = 0; c < 3; c++) {
            d[c] = bodies->position[j][c] - points->position[k][c];
            r2 += d[c] * d[c];
        }
        if (r2 == 0 || (points->body && points->body[k] == j))
            continue;
        for (int c = 0; c < 3; c++)
            sum[c] += bodies->mass[j] * d[c] / (r2 * sqrt(r2));
        sum[3] -= bodies->mass[j] / sqrt(r2);
    }
}

/* Compares a field with sums by hand, by the largest error of the accelerations over the largest
 * acceleration, and so for the potentials. */
static void check_field(const struct ky_parameters *parameters, const struct ky_bodies *bodies,
                        const struct ky_points *points, double limit)
{
    double(*a)[3] = malloc((points->count + 1) * sizeof *a), size = 0, miss = 0, deep = 0, off = 0;
    double *p = malloc((points->count + 1) * sizeof *p);
    struct ky_engine *engine = open_with(parameters, bodies);
    assert_ok(ky_engine_forces(engine, &error));
    struct ky_bodies before = forces_in(engine, bodies->n);
    assert_ok(ky_engine_field(engine, points, a, p, &error));
    for (size_t k = 0; k < points->count; k++) {
        double sum[4];
        field_by_hand(bodies, parameters, points, k, sum);
        for (int c = 0; c < 3; c++) {
            size = fmax(size, fabs(sum[c]));
            miss = fmax(miss, fabs(a[k][c] - sum[c]));
        }
        deep = fmax(deep, fabs(sum[3]));
        off = fmax(off, fabs(p[k] - sum[3]));
    }
    if (!(miss <= limit * size) || !(off <= limit * deep))
        fail_msg("%s, force %d, precision %d, %zu bodies, %zu points: %g of %g, %g of %g",
                 parameters->engine, parameters->force, parameters->precision, bodies->n,
                 points->count, miss, size, off, deep);
    assert_ok(ky_engine_field(engine, points, NULL, NULL, &error));
    struct ky_bodies after = forces_in(engine, bodies->n); /* the bodies' forces stay */
    for (size_t i = 0; i < bodies->n; i++)
        assert_true(same(&before, &after, i));
    ky_bodies_free(&before);
    ky_bodies_free(&after);
    ky_engine_close(engine);
    free(a);
    free(p);
}

/* Points of a field. Every third one lies on a body, and stands for it if `labelled`. */
static struct ky_points make_points(const struct ky_bodies *bodies, size_t count, double softening,
                                    int labelled)
{
    double(*x)[3] = malloc((count + 1) * sizeof *x);
    uint32_t *body = malloc((count + 1) * sizeof *body);
    for (size_t k = 0; k < count; k++) {
        const size_t j = bodies->n ? (k * 37 + 5) % bodies->n : 0; /* in irregular order */
        const int on = k % 3 == 0 && bodies->n > 0;
        for (size_t c = 0; c < 3; c++)
            x[k][c] = on ? bodies->position[j][c] : sin(1.3 * (double)k + 2 * (double)c);
        body[k] = on ? (uint32_t)j : KY_NO_BODY;
    }
    if (!labelled)
        body = (free(body), NULL);
    return (struct ky_points){count, (const double(*)[3])x, softening, NULL, body};
}

static void fields_of_every_method(void **state)
{
    (void)state;
    static const double limits[] = {2e-5, 2e-6, 1e-11};
    static const struct {
        size_t bodies, points;
    } sizes[] = {{N, 300}, {1, 1}, {2, 129}, {127, 2}, {128, 128}, {129, 257}, {0, 3}, {5, 0}};
    for (int k = 0; k < METHODS * 3 * engine_count; k++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            const int engine = k / (3 * METHODS);
            const int force = force_of(engine, k / 3 % METHODS), kind = (int)(s + (size_t)k) % 3;
            if (!test_everything() && (int)(s % 3) != k % 3) /* each number with one precision */
                continue;
            struct ky_bodies bodies = moving_cloud(sizes[s].bodies, kind == 2);
            struct ky_parameters given = parameters_of(engine, force, k % 3);
            given.softening_kind = kind ? KY_SYMMETRIC : KY_PLUMMER;
            given.theta = 0.25;
            given.opening = s % 2 ? KY_OFFSET : KY_RELATIVE; /* both are the same for points */
            if (force == KY_FMM)
                given.alpha = 1e-3;
            struct ky_points points = make_points(&bodies, sizes[s].points, 0.02, 0);
            const struct ky_parameters parameters = resolved(&given);
            check_field(&parameters, &bodies, &points,
                        force == KY_DIRECT ? limits[parameters.precision] : 1e-3);
            free((void *)(uintptr_t)points.position);
            ky_bodies_free(&bodies);
        }
}

/* Points at the positions of bodies without softening, and points that stand for bodies. */
static void fields_on_top_of_bodies(void **state)
{
    (void)state;
    static const double limits[] = {2e-5, 2e-6, 1e-11};
    for (int k = 0; k < 3 * 4 * engine_count; k++) {
        const int engine = k / 12, labelled = k / 3 % 2, soft = k / 6 % 2;
        struct ky_bodies bodies = moving_cloud(N, 0);
        struct ky_parameters given = parameters_of(engine, KY_DIRECT, k % 3);
        given.softening = soft ? 0.01 : 0;
        struct ky_points points = make_points(&bodies, 300, given.softening, labelled);
        const struct ky_parameters parameters = resolved(&given);
        check_field(&parameters, &bodies, &points, limits[parameters.precision]);
        if (is_cpu_engine(engine)) {
            given.force = KY_FMM;
            given.alpha = 1e-3;
            const struct ky_parameters cells = resolved(&given);
            check_field(&cells, &bodies, &points, 1e-3);
            given.alpha = (double)NAN;
        }
        if (labelled) {
            given.force = force_of(engine, 1);
            const struct ky_parameters tree = resolved(&given);
            struct ky_engine *other = open_with(&tree, &bodies);
            assert_int_equal(ky_engine_field(other, &points, NULL, NULL, &error), KY_UNSUPPORTED);
            ky_engine_close(other);
        }
        free((void *)(uintptr_t)points.position);
        free((void *)(uintptr_t)points.body);
        ky_bodies_free(&bodies);
    }
}

/* While the bodies do not move, forces, fields and general walks share a tree if they have the same
 * opening. Each gives what it gives by itself. */
static void a_tree_serves_all_at_one_place(void **state)
{
    (void)state;
    enum { POINTS = 20 };
    static double found[N];
    const double radius = 0.5;
    const struct ky_walk_request count = {
        .action = KY_ACTION_count, .n = N, .radius = &radius, .radii = 1, .results = found};
    struct ky_bodies bodies = moving_cloud(N, 1);
    struct ky_points points = make_points(&bodies, POINTS, 0.02, 0);
    for (int k = 0; k < 4 * METHODS * engine_count; k++) {
        const int force = force_of(k / 4 / METHODS, k / 4 % METHODS),
                  relative = force == KY_FMM || k / 2 % 2;
        double a[POINTS][3], alone[POINTS][3];
        struct ky_parameters given = parameters_of(k / 4 / METHODS, force, KY_DOUBLE);
        given.opening = relative ? KY_RELATIVE : KY_OFFSET;
        given.alpha = relative ? 0.005 : (double)NAN;
        const struct ky_parameters parameters = resolved(&given);
        struct ky_force_report report;
        if (force == KY_DIRECT)
            continue;
        struct ky_engine *engine = open_with(&parameters, &bodies);
        if (k % 2)
            assert_ok(ky_engine_field(engine, &points, alone, NULL, &error));
        assert_ok(ky_engine_forces(engine, &error));
        if (!(k % 2)) { /* with the other tree in between */
            assert_ok(ky_engine_walk(engine, &count, &error));
            ky_engine_report(engine, &report);
            /* on devices the tree of fmm has moments that the other walks do not read */
            assert_true((report.build == 0) == (force != KY_FMM || is_cpu_engine(k / 4 / METHODS)));
        }
        assert_ok(ky_engine_field(engine, &points, a, NULL, &error));
        assert_ok(ky_engine_walk(engine, &count, &error));
        ky_engine_report(engine, &report);
        /* on devices a field by fmm has bodies of its own: the walk before left its tree */
        assert_true((report.build == 0) ==
                    (force == KY_FMM ? is_cpu_engine(k / 4 / METHODS) || !(k % 2) : !relative));
        ky_engine_close(engine);
        engine = open_with(&parameters, &bodies);
        if (k % 2)
            assert_ok(ky_engine_walk(engine, &count, &error));
        assert_ok(ky_engine_field(engine, &points, alone, NULL, &error));
        assert_memory_equal(a, alone, sizeof a);
        ky_engine_close(engine);
    }
    free((void *)(uintptr_t)points.position);
    ky_bodies_free(&bodies);
}

/* ---- new numbers for some bodies ---- */

enum { PLACE = 1, SPEED = 2, MASS = 4, CHANGED = 300, EVERY = 7 };

/* Gives every seventh body new numbers in `bodies`, and the same numbers in *some. */
static void change(struct ky_bodies *bodies, unsigned what, struct ky_some *some)
{
    static uint32_t body[CHANGED];
    static double position[CHANGED][3], velocity[CHANGED][3], mass[CHANGED];
    *some = (struct ky_some){.body = body};
    for (size_t i = 3; i < bodies->n; i += EVERY, some->count++) {
        const size_t k = some->count;
        body[k] = (uint32_t)i;
        for (int c = 0; c < 3; c++) {
            bodies->position[i][c] *= what & PLACE ? -1.25 : 1;
            bodies->velocity[i][c] += what & SPEED ? 0.5 : 0;
            position[k][c] = bodies->position[i][c];
            velocity[k][c] = bodies->velocity[i][c];
        }
        bodies->mass[i] *= what & MASS ? 1.5 : 1;
        mass[k] = bodies->mass[i];
    }
    some->position = what & PLACE ? (const double(*)[3])position : NULL;
    some->velocity = what & SPEED ? (const double(*)[3])velocity : NULL;
    some->mass = what & MASS ? mass : NULL;
}

static enum ky_scheme scheme_of(const struct ky_parameters *parameters)
{
    return parameters->force == KY_DIRECT ? KY_SCHEME_HERMITE : KY_SCHEME_BLOCK;
}

/* Makes a longest step, if the engine has the scheme. */
static void go_on(struct ky_engine *engine, enum ky_scheme scheme)
{
    struct ky_advance way = {.scheme = scheme,
                             .tick = 0x1p-9,
                             .stride = 16,
                             .until = 16,
                             .most = UINT64_MAX,
                             .eta = scheme == KY_SCHEME_BLOCK ? 0.2 : 0.02,
                             .length = (double)NAN,
                             .corrections = 1,
                             .passed = {KY_NO_BODY, KY_NO_BODY}};
    if (ky_engine_advances(engine, scheme))
        assert_ok(ky_engine_advance(engine, &way, &error));
}

/* Opens an engine with the bodies after some steps, where it keeps a tree or an order. */
static struct ky_engine *under_way(const struct ky_parameters *parameters,
                                   const struct ky_bodies *bodies)
{
    struct ky_engine *engine;
    const enum ky_scheme scheme = scheme_of(parameters);
    const struct ky_engine_use use = {.n = bodies->n, .schemes = 1U << scheme};
    assert_ok(ky_engine_open_for(parameters, bodies->n, &use, &engine, &error));
    assert_ok(ky_engine_columns(engine, 1U << KY_COLUMN_STEP | 1U << KY_COLUMN_JERK, &error));
    assert_ok(ky_engine_put(engine, bodies, &error));
    assert_ok(ky_engine_forces(engine, &error));
    go_on(engine, scheme);
    assert_ok(ky_engine_kick(engine, 0.01, &error));
    return engine;
}

static struct ky_bodies all_of(struct ky_engine *engine, const struct ky_bodies *like)
{
    struct ky_bodies bodies = {0};
    assert_ok(ky_bodies_allocate(&bodies, like->n,
                                 KY_WITH_ACCELERATION | KY_WITH_POTENTIAL |
                                     (like->softening ? KY_WITH_SOFTENING : 0),
                                 &error));
    assert_ok(ky_engine_get(engine, &bodies, &error));
    return bodies;
}

static void expect_same(struct ky_engine *one, struct ky_engine *other,
                        const struct ky_bodies *like)
{
    struct ky_bodies a = all_of(one, like), b = all_of(other, like);
    const size_t vectors = like->n * sizeof *a.position, numbers = like->n * sizeof *a.mass;
    assert_memory_equal(a.mass, b.mass, numbers);
    assert_memory_equal(a.position, b.position, vectors);
    assert_memory_equal(a.velocity, b.velocity, vectors);
    assert_memory_equal(a.acceleration, b.acceleration, vectors);
    assert_memory_equal(a.potential, b.potential, numbers);
    ky_bodies_free(&a);
    ky_bodies_free(&b);
}

static void compare_put(const struct ky_parameters *parameters, const struct ky_bodies *bodies,
                        unsigned what)
{
    enum { POINTS = 5 };
    double field[2][POINTS][3];
    struct ky_some some;
    struct ky_engine *engine = under_way(parameters, bodies), *all = under_way(parameters, bodies);
    struct ky_bodies now = all_of(engine, bodies);
    struct ky_points points = make_points(&now, POINTS, 0.02, 0);
    const struct ky_engine_frame units = ky_engine_units_of(engine);
    change(&now, what, &some);
    assert_ok(ky_engine_field(engine, &points, field[0], NULL, &error)); /* builds a tree */
    assert_ok(ky_engine_put_some(engine, &some, &error));
    assert_ok(ky_engine_set_frame(all, &units, &error));
    assert_ok(ky_engine_put(all, &now, &error));
    assert_ok(ky_engine_field(engine, &points, field[0], NULL, &error));
    assert_ok(ky_engine_field(all, &points, field[1], NULL, &error));
    assert_memory_equal(field[0], field[1], sizeof field[0]);
    assert_ok(ky_engine_forces(engine, &error));
    assert_ok(ky_engine_forces(all, &error));
    go_on(engine, scheme_of(parameters));
    go_on(all, scheme_of(parameters));
    expect_same(engine, all, bodies);
    free((void *)(uintptr_t)points.position);
    ky_bodies_free(&now);
    ky_engine_close(engine);
    ky_engine_close(all);
}

/* New numbers of some bodies give the bits of a put of all bodies. */
static void new_numbers_of_some_bodies(void **state)
{
    (void)state;
    static const unsigned changes[] = {PLACE | SPEED | MASS, SPEED, MASS, PLACE};
    for (int k = 0; k < 4 * METHODS * engine_count; k++) {
        const int engine = k / (4 * METHODS), force = force_of(engine, k / 4 % METHODS);
        struct ky_bodies bodies = moving_cloud(CHANGED, k % 4 == 1);
        struct ky_parameters given =
            parameters_of(engine, force, force == KY_DIRECT ? KY_EXTENDED : KY_SINGLE);
        given.opening = k % 2 ? KY_OFFSET : KY_RELATIVE;
        const struct ky_parameters parameters = resolved(&given);
        compare_put(&parameters, &bodies, changes[k % 4]);
        ky_bodies_free(&bodies);
    }
}

/* Wrong numbers of some bodies are refused, and nothing has changed. */
static void wrong_new_numbers(void **state)
{
    (void)state;
    static const uint32_t twice[] = {3, 3}, beyond[] = {1, 100}, fine[] = {1, 2};
    static const double places[][2][3] = {
        {{0}, {0, NAN, 0}}, {{0}, {0, 0, -1e20}}, {{INFINITY}, {0}}, {{1, 2, 3}, {4, 5, 6}}};
    struct ky_bodies bodies = cloud_make(PLUMMER, 100);
    for (int k = 0; k < engine_count; k++) {
        struct ky_parameters given = parameters_of(k, KY_DIRECT, KY_SINGLE),
                             parameters = resolved(&given);
        struct ky_engine *engine = open_with(&parameters, &bodies),
                         *other = open_with(&parameters, &bodies);
        const struct ky_some lists[] = {{2, twice, places[3], NULL, NULL},
                                        {2, beyond, places[3], NULL, NULL}};
        for (int w = 0; w < 2; w++)
            assert_int_equal(ky_engine_put_some(engine, &lists[w], &error), KY_USAGE);
        for (int w = 0; w < 3; w++) {
            const struct ky_some wrong = {2, fine, places[w], NULL, NULL};
            assert_int_equal(ky_engine_put_some(engine, &wrong, &error), KY_BAD_DATA);
        }
        assert_ok(ky_engine_put_some(engine, &(struct ky_some){.body = fine}, &error));
        assert_ok(ky_engine_put_some(engine, &(struct ky_some){2, fine, NULL, NULL, NULL}, &error));
        assert_ok(ky_engine_forces(engine, &error));
        assert_ok(ky_engine_forces(other, &error));
        expect_same(engine, other, &bodies);
        ky_engine_close(engine);
        ky_engine_close(other);
    }
    ky_bodies_free(&bodies);
}

static void wrong_lists(void **state)
{
    (void)state;
    static const uint32_t twice[] = {3, 3}, falling[] = {4, 2}, beyond[] = {1, 100}, fine[] = {1};
    const struct ky_active wrong[] = {{2, twice}, {2, falling}, {2, beyond}}, one = {1, fine};
    struct ky_bodies bodies = cloud_make(PLUMMER, 100);
    for (int k = 0; k < engine_count; k++) {
        struct ky_parameters given = parameters_of(k, KY_DIRECT, KY_SINGLE),
                             parameters = resolved(&given);
        struct ky_engine *engine = open_with(&parameters, &bodies);
        assert_ok(ky_engine_forces(engine, &error));
        for (int w = 0; w < 3; w++)
            assert_int_equal(ky_engine_forces_of(engine, &wrong[w], &error), KY_USAGE);
        assert_ok(ky_engine_forces_of(engine, &one, &error));
        ky_engine_close(engine);
    }
    ky_bodies_free(&bodies);
}

/* Every engine refuses wrong numbers of bodies in the same words, and can be used on. */
static void wrong_numbers_of_bodies(void **state)
{
    (void)state;
    enum { FEW = 10 };
    struct ky_bodies bodies = cloud_make(PLUMMER, FEW + 1);
    const size_t no_body = FEW;
    double a[1][3];
    for (int k = 0; k < engine_count; k++) {
        struct ky_parameters given = parameters_of(k, KY_DIRECT, KY_DOUBLE),
                             parameters = resolved(&given);
        struct ky_engine *engine;
        assert_int_equal(ky_engine_open(&parameters, (size_t)INT32_MAX + 1, &engine, &error),
                         KY_UNSUPPORTED);
        assert_string_equal(error.text,
                            "2147483648 bodies: an engine takes up to 2147483647: take fewer, or "
                            "divide them among ranks (--ranks)");
        bodies.n = FEW;
        engine = open_with(&parameters, &bodies);
        bodies.n = FEW + 1;
        assert_int_equal(ky_engine_put(engine, &bodies, &error), KY_USAGE);
        assert_string_equal(error.text, "11 bodies for an engine that has room for 10");
        assert_int_equal(ky_engine_get(engine, &bodies, &error), KY_USAGE);
        assert_int_equal(ky_engine_exact(engine, &no_body, 1, a, NULL, &error), KY_USAGE);
        assert_int_equal(ky_engine_resize(engine, (size_t)INT32_MAX + 1, &error), KY_UNSUPPORTED);
        assert_ok(ky_engine_forces(engine, &error));
        bodies.n = FEW;
        assert_ok(ky_engine_get(engine, &bodies, &error));
        ky_engine_close(engine);
    }
    bodies.n = FEW + 1;
    ky_bodies_free(&bodies);
}

/* The mean relative difference of accelerations; *worst is the largest. */
static double difference(const struct ky_bodies *one, const struct ky_bodies *other, double *worst)
{
    double mean = 0;
    *worst = 0;
    for (size_t i = 0; i < one->n; i++) {
        double miss = 0, size = 0;
        for (int c = 0; c < 3; c++) {
            miss += fabs(one->acceleration[i][c] - other->acceleration[i][c]);
            size += fabs(one->acceleration[i][c]);
        }
        *worst = fmax(*worst, miss / size);
        mean += miss / size / (double)one->n;
    }
    return mean;
}

/* Gives the engine a frame without a cube, which sets the units alone. In place of units that are
 * too small for the bodies the engine takes its own. */
static void units_alone(struct ky_engine *engine, const struct ky_bodies *bodies)
{
    const struct ky_engine_frame units = {.length = 0x1p-13, .mass = 2},
                                 narrow = {.length = 0x1p-50, .mass = 2};
    assert_ok(ky_engine_set_frame(engine, &units, &error));
    assert_ok(ky_engine_put(engine, bodies, &error));
    struct ky_engine_frame got = ky_engine_units_of(engine);
    assert_memory_equal(&got, &units, sizeof got);
    assert_ok(ky_engine_set_frame(engine, &narrow, &error));
    assert_ok(ky_engine_put(engine, bodies, &error));
    got = ky_engine_units_of(engine);
    assert_true(got.length > 0x1p-15 && got.length < 1 && !(got.edge > 0));
}

/* With a frame from outside the exact sum has the same bits, since units are powers of two. The
 * tree divides another cube and is as exact as before. Bodies outside the cube get the keys of its
 * edge. */
static void a_frame_from_outside(void **state)
{
    (void)state;
    static const struct ky_engine_frame frames[] = {{0x1p-9, 0x1p-3, {-40, -50, -60}, 128, {0}},
                                                    {0x1p-11, 4, {-0.5, -0.5, -0.5}, 1, {0}}},
                                        wrong[] = {{3, 1, {0}, 1, {0}},
                                                   {1, 0, {0}, 1, {0}},
                                                   {1, 1, {0}, NAN, {0}},
                                                   {1, 1, {HUGE_VAL}, 1, {0}},
                                                   {1, 1, {0}, -1, {0}},
                                                   {1, 1, {0}, 1, {0, NAN, 0}},
                                                   {0x1p-60, 1, {0}, 1, {0}}, /* float does not */
                                                   {0x1p60, 1, {0}, 1, {0}}}, /* hold these */
        narrow = {0x1p-50, 1, {0}, 0x1p-40, {0}};
    struct ky_bodies bodies = cloud_make(PLUMMER, N);
    for (int k = 0; k < 4 * engine_count; k++) {
        struct ky_parameters given =
            parameters_of(k / 4, k % 4 / 2 ? KY_WALK : KY_DIRECT, KY_DOUBLE);
        given.opening = KY_OFFSET;
        const struct ky_parameters parameters = resolved(&given);
        struct ky_engine *own = open_with(&parameters, &bodies),
                         *framed = open_with(&parameters, &bodies);
        for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++)
            assert_int_equal(ky_engine_set_frame(framed, &wrong[w], &error), KY_USAGE);
        assert_ok(ky_engine_set_frame(framed, &narrow, &error));
        assert_int_equal(ky_engine_put(framed, &bodies, &error), KY_BAD_DATA);
        units_alone(framed, &bodies);
        assert_ok(ky_engine_set_frame(framed, &frames[k % 2], &error));
        assert_ok(ky_engine_put(framed, &bodies, &error));
        assert_ok(ky_engine_forces(own, &error));
        assert_ok(ky_engine_forces(framed, &error));
        struct ky_bodies one = forces_in(own, N), other = forces_in(framed, N);
        double worst, mean = difference(&one, &other, &worst);
        assert_between(mean, k % 4 / 2 ? 1e-6 : 0, k % 4 / 2 ? 4e-3 : 0);
        assert_between(worst, 0, k % 4 / 2 ? 0.1 : 0);
        assert_memory_equal(one.position, other.position, N * sizeof *one.position);
        ky_bodies_free(&one);
        ky_bodies_free(&other);
        ky_engine_close(own);
        ky_engine_close(framed);
    }
    ky_bodies_free(&bodies);
}

/* Floats in trees are measured from the origin of the frame. Where it is far away, walks of single
 * bodies on devices round in another way, but no digits are lost. */
static void an_origin_from_outside(void **state)
{
    (void)state;
    static const int forces[] = {KY_WALK, WALK_OF_HOST, KY_TREE};
    struct ky_bodies bodies = cloud_make(PLUMMER, N);
    for (int k = 0; k < 3 * engine_count; k++) {
        struct ky_parameters given = parameters_of(k / 3, forces[k % 3], KY_SINGLE);
        struct ky_engine_frame frame = {0x1p-9, 1, {-40, -50, -60}, 128, {0}};
        if (forces[k % 3] == WALK_OF_HOST && is_cpu_engine(k / 3))
            continue;
        given.opening = KY_OFFSET;
        const struct ky_parameters parameters = resolved(&given);
        struct ky_engine *engine = open_with(&parameters, &bodies);
        struct ky_bodies result[2];
        for (int far = 0; far < 2; far++) {
            frame.origin[0] = far ? 4096 : 0;
            assert_ok(ky_engine_set_frame(engine, &frame, &error));
            assert_ok(ky_engine_put(engine, &bodies, &error));
            assert_ok(ky_engine_forces(engine, &error));
            result[far] = forces_in(engine, N);
        }
        const int heard = !is_cpu_engine(k / 3) && forces[k % 3] != KY_TREE;
        double worst, mean = difference(&result[0], &result[1], &worst);
        assert_between(mean, heard ? 1e-9 : 0, 1e-5);
        ky_bodies_free(&result[0]);
        ky_bodies_free(&result[1]);
        ky_engine_close(engine);
    }
    ky_bodies_free(&bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(some_bodies_of_every_method),
        cmocka_unit_test(some_bodies_of_few),
        cmocka_unit_test(wrong_lists),
        cmocka_unit_test(new_numbers_of_some_bodies),
        cmocka_unit_test(wrong_new_numbers),
        cmocka_unit_test(wrong_numbers_of_bodies),
        cmocka_unit_test(a_tree_serves_all_at_one_place),
        cmocka_unit_test(fields_of_every_method),
        cmocka_unit_test(fields_on_top_of_bodies),
        cmocka_unit_test(a_frame_from_outside),
        cmocka_unit_test(an_origin_from_outside),
        cmocka_unit_test(units_are_those_of_all_components),
    };
    return cmocka_run_group_tests(tests, find_quick_engines, NULL);
}
