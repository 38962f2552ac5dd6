/* External fields: the formulas against differences in space and time, and the fields of every
 * engine that opens. Bodies and points feel the sum of bodies and fields, active bodies alone
 * change, energies stay apart, and an orbit about a fixed mass is Kepler's. */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "engine/common/external.h"
#include "engine/device/driver/driver.h"
#include "engine/force_options.h"
#include "engines.h"
#include "kernels.h"

static struct ky_error error;

/* Large numbers, so that units matter. */
#define LENGTH 3e19
#define VELOCITY 2e5
#define ACCELERATION (VELOCITY * VELOCITY / LENGTH)
#define TIME (2.3 * LENGTH / VELOCITY) /* of the bodies */

static const struct ky_external some[] = {
    {.kind = KY_EXTERNAL_POINT,
     .centre = {0.3 * LENGTH, -0.2 * LENGTH, 0.1 * LENGTH},
     .number = {1.7 * VELOCITY * VELOCITY * LENGTH, 0.05 * LENGTH}},
    {.kind = KY_EXTERNAL_TIDAL,
     .centre = {-0.1 * LENGTH, 0, 0.2 * LENGTH},
     .number = {ACCELERATION / LENGTH, -0.4 * ACCELERATION / LENGTH, 0.3 * ACCELERATION / LENGTH,
                0.2 * ACCELERATION / LENGTH, -0.5 * ACCELERATION / LENGTH,
                0.1 * ACCELERATION / LENGTH}},
    {.kind = KY_EXTERNAL_POINT,
     .centre = {LENGTH, LENGTH, LENGTH},
     .number = {-0.3 * VELOCITY * VELOCITY * LENGTH, 0}},
    {.kind = KY_EXTERNAL_PLUMMER,
     .centre = {0, 0.4 * LENGTH, 0.3 * LENGTH},
     .number = {0.8 * VELOCITY * VELOCITY * LENGTH, 0.6 * LENGTH}},
    {.kind = KY_EXTERNAL_NFW,
     .centre = {0.2 * LENGTH, 0, 0},
     .number = {1.4 * VELOCITY * VELOCITY * LENGTH, 0.7 * LENGTH, 0}},
    {.kind = KY_EXTERNAL_NFW, /* where its series is used */
     .centre = {-0.3 * LENGTH, 0.1 * LENGTH, 0},
     .number = {200 * VELOCITY * VELOCITY * LENGTH, 12 * LENGTH, 0.1 * LENGTH}},
    {.kind = KY_EXTERNAL_LOGARITHMIC,
     .centre = {0, 0, 0.1 * LENGTH},
     .number = {VELOCITY * VELOCITY, 0.3 * LENGTH, 0.7}},
    {.kind = KY_EXTERNAL_LAMBDA,
     .centre = {0, -0.3 * LENGTH, 0},
     .number = {0.7, ACCELERATION / LENGTH}},
    {.kind = KY_EXTERNAL_HERNQUIST,
     .centre = {0, -0.1 * LENGTH, 0.3 * LENGTH},
     .number = {1.2 * VELOCITY * VELOCITY * LENGTH, 0.8 * LENGTH, 0.1 * LENGTH}},
    {.kind = KY_EXTERNAL_ISOCHRONE,
     .centre = {0.2 * LENGTH, 0, 0.1 * LENGTH},
     .number = {1.5 * VELOCITY * VELOCITY * LENGTH, 0.6 * LENGTH}},
    {.kind = KY_EXTERNAL_POWER_LAW_CUTOFF, /* its series near the slope's point */
     .centre = {0.1 * LENGTH, -0.2 * LENGTH, 0},
     .number = {1.1 * VELOCITY * VELOCITY * LENGTH, 1.8, 1.3 * LENGTH}},
    {.kind = KY_EXTERNAL_POWER_LAW_CUTOFF, /* its fraction there */
     .centre = {-0.2 * LENGTH, 0, 0.3 * LENGTH},
     .number = {0.6 * VELOCITY * VELOCITY * LENGTH, 0.7, 0.6 * LENGTH}},
    {.kind = KY_EXTERNAL_MIYAMOTO_NAGAI,
     .centre = {0, 0.1 * LENGTH, -0.2 * LENGTH},
     .number = {1.3 * VELOCITY * VELOCITY * LENGTH, 0.6 * LENGTH, 0.3 * LENGTH}},
    {.kind = KY_EXTERNAL_TRIAXIAL_LOGARITHMIC,
     .centre = {0.1 * LENGTH, 0, 0},
     .number = {0.8 * VELOCITY * VELOCITY, 0.4 * LENGTH, 0.8, 0.6}},
    {.kind = KY_EXTERNAL_BAR, /* beyond its ends */
     .centre = {0.1 * LENGTH, 0, 0.1 * LENGTH},
     .number = {1.4 * VELOCITY * VELOCITY * LENGTH, 0.7 * LENGTH, 0.1 * LENGTH, 0.2 * LENGTH,
                0.9 * VELOCITY / LENGTH, 0.4}},
    {.kind = KY_EXTERNAL_BAR, /* between them */
     .centre = {0, -0.1 * LENGTH, 0},
     .number = {0.7 * VELOCITY * VELOCITY * LENGTH, 2 * LENGTH, 0, 0.3 * LENGTH,
                -0.3 * VELOCITY / LENGTH, 2}},
};
enum { SOME = sizeof some / sizeof *some };

static struct ky_external_pull moving_at(const struct ky_external *field, size_t count,
                                         const double x[3], const double v[3], double time)
{
    struct ky_external now[SOME];
    for (size_t k = 0; k < count; k++)
        now[k] = ky_external_in(&field[k], 1, 1, time);
    return ky_externals_at(now, count, x, v);
}

static void pull_at_time(const struct ky_external *field, size_t count, const double x[3],
                         double time, double pull[4])
{
    struct ky_external_pull p = moving_at(field, count, x, NULL, time);
    pull[0] = p.x, pull[1] = p.y, pull[2] = p.z, pull[3] = p.potential;
}

static void pull_at(const struct ky_external *field, size_t count, const double x[3],
                    double pull[4])
{
    pull_at_time(field, count, x, TIME, pull);
}

static void acceleration_is_the_slope_and_jerk_the_change(void **state)
{
    (void)state;
    const double x[3] = {0.9 * LENGTH, 0.4 * LENGTH, -0.7 * LENGTH},
                 v[3] = {0.3 * VELOCITY, -VELOCITY, 0.6 * VELOCITY}, h = 1e-4 * LENGTH,
                 dt = 1e-4 * LENGTH / VELOCITY;
    for (size_t k = 0; k <= SOME; k++) { /* one at a time, then all */
        const struct ky_external *field = k < SOME ? &some[k] : some;
        const size_t count = k < SOME ? 1 : SOME;
        struct ky_external_pull at = moving_at(field, count, x, v, TIME);
        const double a[3] = {at.x, at.y, at.z}, j[3] = {at.jx, at.jy, at.jz};
        double before[4], after[4], past[3], next[3];
        for (int c = 0; c < 3; c++) {
            double low[3] = {x[0], x[1], x[2]}, high[3] = {x[0], x[1], x[2]};
            low[c] -= h, high[c] += h;
            pull_at(field, count, low, before);
            pull_at(field, count, high, after);
            double slope = -(after[3] - before[3]) / (2 * h);
            assert_between(a[c] - slope, -1e-6 * ACCELERATION, 1e-6 * ACCELERATION);
            past[c] = x[c] - v[c] * dt, next[c] = x[c] + v[c] * dt;
        }
        pull_at_time(field, count, past, TIME - dt, before);
        pull_at_time(field, count, next, TIME + dt, after);
        for (int c = 0; c < 3; c++) {
            double jerk = ACCELERATION * VELOCITY / LENGTH;
            assert_between(j[c] - (after[c] - before[c]) / (2 * dt), -1e-6 * jerk, 1e-6 * jerk);
        }
    }
}

/* Bodies in a cube of side LENGTH, which attract about as much as the fields do. */
static struct ky_bodies some_bodies(size_t n)
{
    struct ky_bodies bodies = {0};
    struct ky_random random = ky_random_at(5, 0, n);
    assert_ok(ky_bodies_allocate(&bodies, n, KY_WITH_ACCELERATION | KY_WITH_POTENTIAL, &error));
    for (size_t i = 0; i < n; i++) {
        bodies.mass[i] = VELOCITY * VELOCITY * LENGTH / (double)n;
        for (int c = 0; c < 3; c++) {
            bodies.position[i][c] = LENGTH * (ky_random_uniform(&random) - 0.5);
            bodies.velocity[i][c] = VELOCITY * (ky_random_uniform(&random) - 0.5);
        }
    }
    return bodies;
}

static struct ky_parameters parameters_of(const char *engine, int force, int precision)
{
    struct ky_parameters parameters, given;
    ky_force_defaults(&given);
    given.engine = engine;
    given.force = force;
    given.precision = precision;
    given.opening = KY_OFFSET;
    given.softening = 0.02 * LENGTH;
    given.threads = 2;
    assert_ok(ky_force_resolve(&given, &parameters, &error));
    return parameters;
}

static struct ky_bodies state_of(struct ky_engine *engine, size_t n)
{
    struct ky_bodies bodies = {0};
    assert_ok(ky_bodies_allocate(&bodies, n, KY_WITH_ACCELERATION | KY_WITH_POTENTIAL, &error));
    assert_ok(ky_engine_get(engine, &bodies, &error));
    return bodies;
}

/* Fails unless `with` differs from `without` by the fields for the bodies in `on` (NULL: all), and
 * is the same for the others. */
static void differ_by_fields(const struct ky_bodies *with, const struct ky_bodies *without,
                             const unsigned char *on, double tolerance)
{
    for (size_t i = 0; i < with->n; i++) {
        double pull[4], size = 0;
        pull_at(some, SOME, with->position[i], pull);
        for (int c = 0; c < 3; c++)
            size += fabs(pull[c]) + fabs(without->acceleration[i][c]);
        for (int c = 0; c < 3; c++) {
            double wanted = without->acceleration[i][c] + (!on || on[i] ? pull[c] : 0);
            assert_between(with->acceleration[i][c] - wanted, -tolerance * size, tolerance * size);
        }
        assert_true(with->potential[i] == without->potential[i]);
    }
}

static void check_sums(struct ky_engine *engine, const struct ky_bodies *at, double tolerance)
{
    struct ky_sums sums;
    double energy = 0, size = 0, virial = 0, centre[3] = {0}, mass = 0;
    assert_ok(ky_engine_sums(engine, &sums, &error));
    for (size_t i = 0; i < at->n; i++) {
        double pull[4];
        pull_at(some, SOME, at->position[i], pull);
        energy += at->mass[i] * pull[3];
        size += fabs(at->mass[i] * pull[3]);
        mass += at->mass[i];
        for (int c = 0; c < 3; c++)
            centre[c] += at->mass[i] * at->position[i][c];
    }
    for (size_t i = 0; i < at->n; i++)
        for (int c = 0; c < 3; c++)
            virial +=
                at->mass[i] * (at->position[i][c] - centre[c] / mass) * at->acceleration[i][c];
    assert_between(sums.external - energy, -tolerance * size, tolerance * size);
    assert_between(sums.virial - virial, -tolerance * size, tolerance * size);
}

static void check_points(struct ky_engine *engine, double tolerance)
{
    enum { POINTS = 3 };
    const double at[POINTS][3] = {
        {0, 0, 0}, {0.4 * LENGTH, 0.2 * LENGTH, -0.3 * LENGTH}, {-LENGTH, 0.1 * LENGTH, 0}};
    const struct ky_points points = {POINTS, at, 0.02 * LENGTH, NULL, NULL};
    double with[POINTS][3], without[POINTS][3], deep[POINTS], shallow[POINTS];
    assert_ok(ky_engine_field(engine, &points, with, deep, &error));
    assert_ok(ky_engine_set_fields(engine, NULL, 0, &error));
    assert_ok(ky_engine_field(engine, &points, without, shallow, &error));
    assert_ok(ky_engine_set_fields(engine, some, SOME, &error));
    for (int k = 0; k < POINTS; k++) {
        double pull[4];
        pull_at(some, SOME, at[k], pull);
        for (int c = 0; c < 3; c++)
            assert_between(with[k][c] - without[k][c] - pull[c], -tolerance * ACCELERATION,
                           tolerance * ACCELERATION);
        assert_between(deep[k] - shallow[k] - pull[3], -tolerance * VELOCITY * VELOCITY,
                       tolerance * VELOCITY * VELOCITY);
    }
}

static void check_exact(struct ky_engine *engine, const struct ky_bodies *without, double tolerance)
{
    const size_t sinks[] = {without->n - 1, 0};
    double exact[2][3];
    if (without->n < 2 || ky_engine_exact(engine, sinks, 2, exact, NULL, &error) == KY_UNSUPPORTED)
        return;
    for (int c = 0; c < 3; c++) /* exact sums contain no external fields */
        assert_between(exact[1][c] - without->acceleration[0][c], -tolerance * ACCELERATION,
                       tolerance * ACCELERATION);
}

/* Checks forces of every third body alone. */
static void check_active(struct ky_engine *engine, const struct ky_bodies *without,
                         double tolerance)
{
    size_t n = without->n;
    uint32_t *body = calloc(n + 1, sizeof *body);
    unsigned char *on = calloc(n + 1, 1);
    struct ky_active active = {0, body};
    for (size_t i = 0; i < n; i += 3)
        body[active.count++] = (uint32_t)i, on[i] = 1;
    assert_ok(ky_engine_set_fields(engine, NULL, 0, &error));
    assert_ok(ky_engine_forces(engine, &error));
    assert_ok(ky_engine_set_fields(engine, some, SOME, &error));
    assert_ok(ky_engine_forces_of(engine, &active, &error));
    struct ky_bodies with = state_of(engine, n);
    for (size_t i = 0; i < n; i++) /* active bodies may be summed in another order */
        if (on[i] && fabs(with.potential[i] / without->potential[i] - 1) < 1e-5)
            with.potential[i] = without->potential[i];
    differ_by_fields(&with, without, on, tolerance);
    ky_bodies_free(&with);
    free(body);
    free(on);
}

static void the_fields_add_to_what_the_bodies_do(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 255, 256, 257, 4097};
    static const int forces[] = {KY_DIRECT, KY_WALK, KY_TREE, KY_LIST};
    for (int e = 0; e < engine_count; e++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes * 4; k++) {
            const size_t n = sizes[k / 4];
            const int force = forces[k % 4];
            if (is_cpu_engine(e) && force == KY_LIST)
                continue;
            if (is_slow(e) && force != KY_DIRECT && n != 257) /* each is a kernel to compile */
                continue;
            struct ky_parameters parameters = parameters_of(engines[e].engine, force, (int)(k % 3));
            parameters.precision = taken_precision(&parameters);
            const double tolerance =
                parameters.precision == KY_DOUBLE && force != KY_LIST ? 1e-9 : 1e-5;
            struct ky_bodies bodies = some_bodies(n);
            struct ky_engine *engine;
            assert_ok(ky_engine_open(&parameters, n, &engine, &error));
            assert_ok(ky_engine_put(engine, &bodies, &error));
            assert_ok(ky_engine_forces(engine, &error));
            struct ky_bodies without = state_of(engine, n);
            assert_ok(ky_engine_set_fields(engine, some, SOME, &error));
            ky_engine_set_time(engine, TIME);
            assert_ok(ky_engine_forces(engine, &error));
            struct ky_bodies with = state_of(engine, n);
            differ_by_fields(&with, &without, NULL, tolerance);
            check_points(engine, tolerance);
            check_exact(engine, &without, force == KY_DIRECT ? tolerance : 0.1);
            if (n > 0)
                check_sums(engine, &with, 10 * tolerance);
            check_active(engine, &without, tolerance);
            ky_bodies_free(&bodies);
            ky_bodies_free(&with);
            ky_bodies_free(&without);
            ky_engine_close(engine);
        }
}

/* Makes leap-frog steps. */
static void go(struct ky_engine *engine, double dt, uint64_t steps)
{
    for (uint64_t k = 0; k < steps; k++) {
        assert_ok(ky_engine_kick(engine, 0.5 * dt, &error));
        assert_ok(ky_engine_drift(engine, dt, &error));
        assert_ok(ky_engine_forces(engine, &error));
        assert_ok(ky_engine_kick(engine, 0.5 * dt, &error));
    }
}

/* One revolution from the apocentre at a (1 + e), with the speed √(μ/a (1 − e)/(1 + e)). A second
 * body, without mass, is on the other side of the same orbit. */
static void an_orbit_about_a_fixed_mass_is_keplers(void **state)
{
    (void)state;
    enum { STEPS = 4000 };
    const double mu = 1.7 * VELOCITY * VELOCITY * LENGTH, a = LENGTH, e = 0.5,
                 period = 2 * acos(-1.0) * sqrt(a * a * a / mu);
    const struct ky_external mass = {
        .kind = KY_EXTERNAL_POINT, .centre = {LENGTH, 0, -LENGTH}, .number = {mu, 0}};
    for (int k = 0; k < engine_count; k++)
        for (int precision = KY_SINGLE; precision <= KY_DOUBLE; precision++) {
            const struct ky_parameters parameters =
                parameters_of(engines[k].engine, KY_DIRECT, precision);
            struct ky_bodies bodies = {0};
            struct ky_engine *engine;
            struct ky_sums start, end;
            const int exact = precision == KY_DOUBLE || is_cpu_engine(k);
            assert_ok(ky_bodies_allocate(&bodies, 2, 0, &error));
            bodies.mass[0] = 1e-20 * mu;
            for (size_t i = 0; i < 2; i++) {
                const double side = i ? -1 : 1;
                memcpy(bodies.position[i], mass.centre, sizeof mass.centre);
                bodies.position[i][0] += side * a * (1 + e);
                bodies.velocity[i][1] = side * sqrt(mu / a * (1 - e) / (1 + e));
            }
            assert_ok(ky_engine_open(&parameters, 2, &engine, &error));
            assert_ok(ky_engine_set_fields(engine, &mass, 1, &error));
            assert_ok(ky_engine_put(engine, &bodies, &error));
            assert_ok(ky_engine_forces(engine, &error));
            assert_ok(ky_engine_sums(engine, &start, &error));
            const double energy = start.kinetic + start.potential + start.external;
            assert_between(energy / (-0.5 * bodies.mass[0] * mu / a), 1 - 1e-6, 1 + 1e-6);
            go(engine, period / STEPS, STEPS / 2);
            assert_ok(ky_engine_sums(engine, &end, &error)); /* sums at the pericentre */
            assert_between((end.kinetic + end.potential + end.external) / energy, 1 - 3e-5,
                           1 + 3e-5);
            go(engine, period / STEPS, STEPS / 2);
            struct ky_bodies after = state_of(engine, 2);
            assert_ok(ky_engine_sums(engine, &end, &error));
            assert_between((end.kinetic + end.potential + end.external) / energy,
                           1 - (exact ? 1e-9 : 1e-6), 1 + (exact ? 1e-9 : 1e-6));
            for (size_t i = 0; i < 2; i++)
                for (int c = 0; c < 3; c++) /* the phase error is of order dt² */
                    assert_between((after.position[i][c] - bodies.position[i][c]) / a, -1e-4, 1e-4);
            ky_bodies_free(&bodies);
            ky_bodies_free(&after);
            ky_engine_close(engine);
        }
}

#ifdef KY_HAVE_OPENCL
/* A driver that counts how often a list of active bodies, or a part of it, is sent to a device. */
static struct ky_driver counting;
static int lists_sent;

static enum ky_status open_counting(size_t index, struct ky_card **card, struct ky_error *failure)
{
    enum ky_status status = ky_opencl_driver.open(index, card, failure);
    if (status == KY_OK)
        (*card)->driver = &counting;
    return status;
}

static enum ky_status write_counting(struct ky_card *card, struct ky_buffer *buffer, size_t offset,
                                     const void *data, size_t bytes, struct ky_error *failure)
{
    lists_sent +=
        !strcmp(buffer->what, "active bodies") || !strcmp(buffer->what, "labels of sinks");
    return ky_opencl_driver.write(card, buffer, offset, data, bytes, failure);
}

static const struct ky_driver *count_lists(const struct ky_driver *driver)
{
    counting = *driver;
    counting.open = open_counting;
    counting.write = write_counting;
    return driver == &ky_opencl_driver ? &counting : driver;
}

/* The exact sum and the fields use one list of active bodies. */
static void a_list_of_active_bodies_goes_up_once(void **state)
{
    (void)state;
    static const uint32_t body[] = {1, 7, 40, 41, 90};
    const struct ky_active active = {5, body};
    struct ky_bodies bodies = some_bodies(100);
    struct ky_engine *engine;
    const struct ky_parameters parameters = parameters_of("opencl:0", KY_DIRECT, KY_SINGLE);
    need_a_device();
    ky_device_wrap = count_lists;
    assert_ok(ky_engine_open(&parameters, bodies.n, &engine, &error));
    assert_ok(ky_engine_put(engine, &bodies, &error));
    assert_ok(ky_engine_set_fields(engine, some, SOME, &error));
    assert_ok(ky_engine_forces(engine, &error));
    for (int k = 0; k < 2; k++) {
        lists_sent = 0;
        assert_ok(ky_engine_forces_of(engine, &active, &error));
        assert_int_equal(lists_sent, 1);
    }
    ky_engine_close(engine);
    ky_device_wrap = NULL;
    ky_bodies_free(&bodies);
}
#endif

static void wrong_fields_are_refused(void **state)
{
    (void)state;
    const struct ky_parameters parameters = parameters_of("cpu", KY_DIRECT, KY_DOUBLE);
    struct ky_external fields[KY_MOST_EXTERNALS + 1] = {{0}}, wrong = some[0];
    struct ky_engine *engine;
    assert_ok(ky_engine_open(&parameters, 0, &engine, &error));
    assert_ok(ky_engine_set_fields(engine, fields, KY_MOST_EXTERNALS, &error));
    assert_int_equal(ky_engine_set_fields(engine, fields, KY_MOST_EXTERNALS + 1, &error), KY_USAGE);
    wrong.number[0] = wrong.number[1] = 1e308; /* finite, but not their sum */
    assert_ok(ky_engine_set_fields(engine, &wrong, 1, &error));
    assert_ok(ky_engine_set_fields(engine, fields, KY_MOST_EXTERNALS, &error));
    wrong.number[1] = (double)NAN;
    assert_int_equal(ky_engine_set_fields(engine, &wrong, 1, &error), KY_USAGE);
    wrong = some[0];
    wrong.kind = KY_EXTERNAL_KIND_COUNT;
    assert_int_equal(ky_engine_set_fields(engine, &wrong, 1, &error), KY_USAGE);
    assert_int_equal(engine->externals.count, KY_MOST_EXTERNALS); /* the fields before */
    ky_engine_close(engine);
}

/* Fields at points, without bodies: the sum of the formulas at the time of the parameters. */
static void fields_alone_are_found_at_points(void **state)
{
    (void)state;
    const double x[2][3] = {{0.3, 0.4, 1.2}, {-2, 0.5, 0}}, r2[2] = {1.69, 4.25};
    double a[2][3], potential[2], tide[2][6];
    struct ky_field_points points = {.size = sizeof points,
                                     .count = 2,
                                     .position = x,
                                     .acceleration = a,
                                     .potential = potential,
                                     .tide = tide};
    struct ky_parameters p;
    ky_parameters_defaults(&p);
    p.g = 2;
    p.time = 0.5;
    p.field = "plummer:mass=1.5,scale=0.5 uniform:ax=1";
    assert_ok(ky_external_field(&p, &points, &error));
    for (int k = 0; k < 2; k++) {
        const double s2 = r2[k] + 0.25, pull = 3 / (s2 * sqrt(s2));
        for (int c = 0; c < 3; c++)
            assert_between(a[k][c] - ((c == 0) - pull * x[k][c]), -1e-14, 1e-14);
        assert_between(potential[k] + 3 / sqrt(s2) + x[k][0], -1e-14, 1e-14);
        assert_between(tide[k][0] + tide[k][1] + tide[k][2] + 3 * 3 * 0.25 / (s2 * s2 * sqrt(s2)),
                       -1e-14, 1e-14);
    }
    points.tide = NULL, points.potential = NULL;
    p.field = "bar:mass=1,length=1,height=0.1,speed=1,angle=-28.64788975654116";
    assert_ok(ky_external_field(&p, &points, &error)); /* at 0.5 the bar is along x */
    const double wanted[3] = {a[1][0], a[1][1], a[1][2]};
    p.time = 0;
    p.field = "bar:mass=1,length=1,height=0.1";
    assert_ok(ky_external_field(&p, &points, &error));
    for (int c = 0; c < 3; c++)
        assert_between(a[1][c] - wanted[c], -1e-12, 1e-12);
    p.field = NULL;
    assert_ok(ky_external_field(&p, &points, &error));
    assert_true(a[1][0] == 0 && a[0][2] == 0);
    p.field = "point:mas=1";
    assert_int_equal(ky_external_field(&p, &points, &error), KY_USAGE);
    p.field = "friction:body=0,log=3,sigma=0.4,mass=0.05"; /* nothing acts on points at rest */
    assert_int_equal(ky_external_field(&p, &points, &error), KY_USAGE);
    p.field = "hernquist:mass=1,scale=1 friction:body=0,log=3,sigma=0.4,mass=0.05";
    assert_ok(ky_external_field(&p, &points, &error));
    p.field = "point:mass=1";
    points.position = NULL;
    assert_int_equal(ky_external_field(&p, &points, &error), KY_USAGE);
    const double far[1][3] = {{(double)INFINITY, 0, 0}};
    points.position = far, points.count = 1;
    assert_int_equal(ky_external_field(&p, &points, &error), KY_BAD_DATA);
}

/* Near a centre the pull follows the formula in all units, for bodies with mass and massless
 * bodies. At the centre it is 0. */
static void a_centre_pulls_what_is_near(void **state)
{
    (void)state;
    static const struct {
        const char *field;
        double power, factor; /* the pull is factor d^power near the centre */
    } some_kinds[] = {
        {"point:mass=1", -2, 1},
        {"nfw:mass=1,scale=2", 0, 0.125},
        {"hernquist:mass=1,scale=2", 0, 0.25},
        {"isochrone:mass=1,scale=1", 1, 0.25},
    };
    struct ky_bodies body = {0};
    assert_ok(ky_bodies_allocate(&body, 1, 0, &error));
    body.position[0][0] = 1;
    struct ky_parameters p;
    ky_parameters_defaults(&p);
    p.softening = 0;
    p.force = KY_DIRECT;
    p.precision = KY_DOUBLE;
    for (size_t k = 0; k < sizeof some_kinds / sizeof *some_kinds; k++)
        for (double d = 1e-6; d > 1e-60; d *= 1e-9)
            for (int mass = 0; mass < 2; mass++) {
                const double x[1][3] = {{0, d, 0}}, centre[1][3] = {{0}};
                double a[1][3], wanted = some_kinds[k].factor * pow(d, some_kinds[k].power);
                const double of_body = mass ? 1e-80 : 0;
                body.mass[0] = of_body;
                p.field = some_kinds[k].field;
                assert_ok(ky_field(&p, &body, 1, x, 0, a, NULL, &error));
                assert_between(-a[0][1] / wanted, 1 - 4e-6, 1 + 1e-12);
                assert_ok(ky_field(&p, &body, 1, centre, 0, a, NULL, &error));
                assert_true(fabs(a[0][1]) == 0);
            }
    ky_bodies_free(&body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(acceleration_is_the_slope_and_jerk_the_change),
        cmocka_unit_test(the_fields_add_to_what_the_bodies_do),
        cmocka_unit_test(an_orbit_about_a_fixed_mass_is_keplers),
        cmocka_unit_test(fields_alone_are_found_at_points),
        cmocka_unit_test(a_centre_pulls_what_is_near),
        cmocka_unit_test(wrong_fields_are_refused),
#ifdef KY_HAVE_OPENCL
        cmocka_unit_test(a_list_of_active_bodies_goes_up_once),
#endif
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
