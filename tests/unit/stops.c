/* Conditions that stop a simulation: in the right step, for the right bodies, on every engine; and
 * what happens to the next call. */
#include "snapshot.h"

#include <math.h>
#include <string.h>

#include "engines.h"
#include "sims.h"
#include "snapshot/restart.h"
#include "systems.h"

static struct ky_error error;

static struct ky_stop reason_of(const struct ky_sim *sim)
{
    struct ky_stop stop = {.size = sizeof stop};
    ky_sim_stop_reason(sim, &stop);
    return stop;
}

static struct ky_parameters exact_parameters(const char *engine, double step)
{
    struct ky_parameters parameters = sim_parameters(engine, KY_DIRECT);
    parameters.softening = 0;
    parameters.step = step;
    return parameters;
}

/* n bodies at rest in the origin, without mass. */
static struct ky_bodies bodies_of(size_t n, unsigned with)
{
    struct ky_bodies bodies = {0};
    assert_ok(ky_bodies_allocate(&bodies, n, with, &error));
    return bodies;
}

static struct ky_sim *opened(const struct ky_parameters *parameters, const struct ky_bodies *bodies)
{
    struct ky_sim *sim;
    assert_ok(ky_sim_open(parameters, bodies, 0, &sim, &error));
    return sim;
}

/* ---- an orbit ---- */

enum { ECCENTRIC = 1 }; /* unit of the semi-major axis */
static const double eccentricity = 0.9, pi = 3.14159265358979323846;

/* The time from the apocentre to the distance r, on the way in: Kepler's equation. */
static double time_of(double r)
{
    const double angle = acos((1 - r / ECCENTRIC) / eccentricity);
    return pi - (angle - eccentricity * sin(angle));
}

/* Two bodies at the apocentre, with ids 70 and 30; a = G M = 1. */
static struct ky_bodies apocentre(void)
{
    struct ky_bodies bodies;
    two_bodies(1 + eccentricity, sqrt((1 - eccentricity) / (1 + eccentricity)), &bodies);
    assert_ok(ky_bodies_extend(&bodies, KY_WITH_ID | KY_WITH_RADIUS, &error));
    bodies.id[0] = 70;
    bodies.id[1] = 30;
    bodies.radius[0] = 0.05; /* with the other one 0.3: the second one is the larger */
    bodies.radius[1] = 0.25;
    return bodies;
}

/* The stop comes in the step in which the distance falls below 0.3, by both conditions, on the
 * first and on the second orbit, and not between. */
static void stops_on_an_orbit(const char *engine, int integrator, int kind)
{
    struct ky_parameters parameters = exact_parameters(engine, 0x1p-10);
    struct ky_bodies bodies = apocentre();
    parameters.integrator = integrator;
    parameters.precision = KY_DOUBLE;
    if (integrator == KY_BLOCK_STEPS)
        parameters.step_length = 0.01;
    if (kind == KY_STOP_PAIR)
        parameters.stop_pair = 0.3;
    else
        parameters.stop_collision = 1;
    struct ky_sim *sim = opened(&parameters, &bodies);
    for (int orbit = 0; orbit < 2; orbit++) {
        assert_int_equal(ky_sim_advance(sim, 10000, &error), KY_STOPPED);
        const double expected = time_of(0.3) + 2 * pi * orbit;
        const struct ky_stop stop = reason_of(sim);
        assert_int_equal(stop.kind, kind);
        assert_true(stop.id[0] == 70 && stop.id[1] == 30);
        assert_true(stop.index[0] == 0 && stop.index[1] == 1);
        assert_true(stop.count == 1 && stop.time == ky_sim_time(sim));
        assert_between(stop.distance, 0.29, 0.3);
        if (!orbit) /* later the error of the orbit is larger than a step */
            assert_true(ky_sim_time(sim) == ceil(expected / parameters.step) * parameters.step);
        assert_between(ky_sim_time(sim), expected - 0.02, expected + 0.02);
        assert_non_null(strstr(error.text, "bodies 70 and 30"));
    }
    ky_sim_close(sim);
    ky_bodies_free(&bodies);
}

static void an_orbit_on_every_engine(void **state)
{
    (void)state;
    for (int k = 0; k < engine_count; k++)
        for (int integrator = KY_LEAPFROG; integrator <= KY_HERMITE4; integrator++) {
            stops_on_an_orbit(engines[k].engine, integrator, KY_STOP_PAIR);
            if (is_cpu_engine(k) || integrator == KY_LEAPFROG)
                stops_on_an_orbit(engines[k].engine, integrator, KY_STOP_COLLISION);
        }
}

/* Calls that end at times of their own stop in divided steps too. */
static void a_divided_step_stops(void **state)
{
    (void)state;
    struct ky_parameters parameters = exact_parameters("cpu", 1);
    struct ky_bodies bodies = bodies_of(2, KY_WITH_RADIUS);
    parameters.stop_collision = 1;
    bodies.position[1][0] = 2;
    bodies.velocity[1][0] = -1;
    bodies.radius[1] = 1.6; /* touches from time 0.4 on */
    struct ky_sim *sim = opened(&parameters, &bodies);
    assert_int_equal(ky_sim_advance_to(sim, 0.5, 1, &error), KY_STOPPED);
    assert_true(ky_sim_time(sim) == 0.5);
    assert_ok(ky_sim_advance_to(sim, 3, 0, &error));
    ky_sim_close(sim);
    bodies.radius[1] = 1.2; /* from time 0.8 on: the rest of the divided step */
    sim = opened(&parameters, &bodies);
    assert_ok(ky_sim_advance_to(sim, 0.5, 1, &error));
    assert_int_equal(ky_sim_advance(sim, 3, &error), KY_STOPPED);
    assert_true(ky_sim_time(sim) == 1);
    ky_sim_close(sim);
    ky_bodies_free(&bodies);
}

/* ---- many bodies ---- */

/* Bodies of a Plummer sphere about a place, with radii from 1e-6 to 0.3, some of them 0. */
static struct ky_snapshot crowd(size_t n, double x)
{
    struct ky_snapshot snapshot = plummer(n);
    struct ky_bodies *bodies = &snapshot.bodies;
    assert_ok(ky_bodies_extend(bodies, KY_WITH_RADIUS, &error));
    for (size_t i = 0; i < n; i++) {
        bodies->position[i][0] += x;
        bodies->radius[i] = i % 5 == 4 ? 0 : pow(10, -6 + 5.5 * (double)(i * i % 101) / 100);
    }
    for (size_t i = 1; i < n; i += 10) { /* pairs that barely touch, near and farther apart */
        const double distance = (i % 20 > 10 ? 1e-7 : 0.02) * (double)(i % 7 + 1);
        memcpy(bodies->position[i], bodies->position[i - 1], sizeof *bodies->position);
        bodies->position[i][0] += distance;
        bodies->radius[i] = bodies->radius[i - 1] = (0.5 + 1e-8) * distance;
    }
    return snapshot;
}

/* With the bits of the library: pow(x, 2) is not x * x with every compiler and option. */
static double distance_squared(const double a[3], const double b[3])
{
    double r2 = 0;
    for (int c = 0; c < 3; c++)
        r2 += (a[c] - b[c]) * (a[c] - b[c]);
    return r2;
}

/* All pairs, one after the other, in the order of ky_pairs. */
static void check_pairs(struct ky_sim *sim, const double *radius, int same,
                        const struct ky_pairs *pairs)
{
    struct ky_bodies now = sim_state(sim, 0);
    size_t found = 0;
    for (size_t i = 0; i < now.n; i++)
        for (size_t j = i + 1; j < now.n; j++) {
            const double reach = radius[same ? 0 : i] + radius[same ? 0 : j];
            const double r2 = distance_squared(now.position[i], now.position[j]);
            if (!(r2 < reach * reach))
                continue;
            assert_true(found < pairs->count);
            if (pairs->index[found][0] != i || pairs->index[found][1] != j)
                fail_msg("pair %zu is %zu, %zu and not %zu, %zu (distance %g, reach %g)", found,
                         pairs->index[found][0], pairs->index[found][1], i, j, sqrt(r2), reach);
            assert_true(pairs->distance[found++] == sqrt(r2));
        }
    assert_true(found == pairs->count);
    ky_bodies_free(&now);
}

static void pairs_of_a_crowd(const char *engine, int precision, size_t n, double x)
{
    struct ky_parameters parameters = sim_parameters(engine, KY_TREE);
    struct ky_snapshot snapshot = crowd(n, x);
    struct ky_pairs pairs = {0};
    parameters.precision = precision;
    struct ky_sim *sim = opened(&parameters, &snapshot.bodies);
    static const double half = 0.004;
    for (int step = 0; step < 2; step++) {
        assert_ok(ky_sim_pairs(sim, NULL, 0, &pairs, NULL, &error));
        check_pairs(sim, snapshot.bodies.radius, 0, &pairs);
        assert_true(pairs.count > 0);
        ky_pairs_free(&pairs);
        assert_ok(ky_sim_pairs(sim, &half, 1, &pairs, NULL, &error));
        check_pairs(sim, &half, 1, &pairs);
        ky_pairs_free(&pairs);
        assert_ok(ky_sim_advance(sim, 1, &error));
    }
    ky_sim_close(sim);
    ky_snapshot_free(&snapshot);
}

static void pairs_are_exact_on_every_engine(void **state)
{
    (void)state;
    for (int k = 0; k < engine_count; k++)
        for (int precision = KY_SINGLE; precision <= KY_DOUBLE; precision++) {
            if (is_slow(k) && precision != KY_SINGLE && !test_everything())
                continue; /* kernels take long to compile */
            pairs_of_a_crowd(engines[k].engine, precision, 256, 0);
            pairs_of_a_crowd(engines[k].engine, precision, 2000, 0);
            pairs_of_a_crowd(engines[k].engine, precision, 2000, 1000);
        }
}

static void wrong_searches_are_refused(void **state)
{
    (void)state;
    struct ky_parameters parameters = exact_parameters("cpu", 1);
    struct ky_bodies bodies = bodies_of(3, 0);
    struct ky_pairs pairs = {0};
    struct ky_sim *sim = opened(&parameters, &bodies);
    static const double wrong[] = {-1, 1, (double)INFINITY};
    assert_int_equal(ky_sim_pairs(sim, NULL, 0, &pairs, NULL, &error), KY_USAGE);
    assert_int_equal(ky_sim_pairs(sim, wrong, 1, &pairs, NULL, &error), KY_USAGE);
    assert_int_equal(ky_sim_pairs(sim, wrong + 2, 1, &pairs, NULL, &error), KY_USAGE);
    assert_int_equal(ky_sim_pairs(sim, wrong + 1, 2, &pairs, NULL, &error), KY_USAGE);
    assert_int_equal(ky_sim_pairs(NULL, wrong + 1, 1, &pairs, NULL, &error), KY_USAGE);
    assert_int_equal(ky_sim_pairs(sim, wrong + 1, 1, NULL, NULL, &error), KY_USAGE);
    assert_true(!pairs.count && !pairs.index);
    assert_ok(ky_sim_pairs(sim, wrong + 1, 1, &pairs, NULL, &error));
    assert_true(pairs.count == 3 && pairs.distance[2] == 0);
    ky_pairs_free(&pairs);
    ky_pairs_free(NULL);
    ky_sim_close(sim);
    ky_bodies_free(&bodies);
}

/* ---- escape and box ---- */

/* Bodies in a line: a heavy one, one bound to it that goes far, and two that leave. */
static struct ky_bodies leaving(void)
{
    struct ky_bodies bodies = bodies_of(4, 0);
    static const double x[] = {0, 9, 1, 2}, v[] = {0, 0.2, 2, -3};
    bodies.mass[0] = 1;
    for (size_t i = 0; i < 4; i++) {
        bodies.position[i][i % 2] = x[i];
        bodies.velocity[i][i % 2] = v[i];
    }
    return bodies;
}

static double from_heavy(struct ky_sim *sim, size_t i)
{
    struct ky_bodies now = sim_state(sim, 0);
    const double r2 = distance_squared(now.position[i], now.position[0]);
    ky_bodies_free(&now);
    return sqrt(r2);
}

/* The first call ends with the first escaper, the second with the other one, and the third at its
 * end: body 1 is as far and bound, and no body escapes twice. */
static void escapers_stop_once_each(const char *engine)
{
    struct ky_parameters parameters = exact_parameters(engine, 0x1p-5);
    struct ky_bodies bodies = leaving();
    bodies.position[3][1] = 8; /* comes in, passes, and leaves at 5 on the other side */
    parameters.softening = 0.5;
    parameters.stop_escape = 10;
    struct ky_sim *sim = opened(&parameters, &bodies);
    static const size_t expected[] = {2, 3};
    for (int k = 0; k < 2; k++) {
        assert_int_equal(ky_sim_advance(sim, 1000, &error), KY_STOPPED);
        const struct ky_stop stop = reason_of(sim);
        assert_true(stop.kind == KY_STOP_ESCAPE && stop.index[0] == expected[k] && !stop.index[1]);
        assert_between(stop.distance, 10, 10.13);
        assert_between(from_heavy(sim, expected[k]) - stop.distance, -1e-9, 1e-9);
    }
    assert_ok(ky_sim_advance(sim, 500, &error));
    assert_int_equal(reason_of(sim).kind, KY_STOP_NONE);
    assert_between(from_heavy(sim, 1), 7, 11);
    ky_sim_close(sim);
    ky_bodies_free(&bodies);
}

/* Free bodies leave the cube of side 4 in steps that are known. One that comes back and leaves
 * again stops again. */
static void bodies_leave_the_box(const char *engine)
{
    struct ky_parameters parameters = exact_parameters(engine, 0.125);
    struct ky_bodies bodies = bodies_of(3, 0);
    parameters.stop_box = 4;
    bodies.position[1][1] = 1;
    bodies.velocity[1][1] = 1; /* 2.125 after 9 steps */
    bodies.position[2][2] = -1;
    bodies.velocity[2][2] = -0.5; /* −2.0625 after 17 */
    struct ky_sim *sim = opened(&parameters, &bodies);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(ky_sim_advance(sim, 100, &error), KY_STOPPED);
        const struct ky_stop stop = reason_of(sim);
        assert_true(stop.kind == KY_STOP_BOX && stop.index[0] == (size_t)k + 1);
        assert_true(ky_sim_steps(sim) == (k ? 17 : 9));
        assert_true(stop.distance == (k ? 2.0625 : 2.125));
    }
    static const size_t back = 1;
    struct ky_bodies some = bodies_of(1, 0);
    some.mass[0] = 0;
    assert_ok(ky_sim_replace(sim, &back, &some, &error)); /* at rest in the middle */
    assert_ok(ky_sim_advance(sim, 1, &error));
    some.velocity[0][0] = 17;
    assert_ok(ky_sim_replace(sim, &back, &some, &error));
    assert_int_equal(ky_sim_advance(sim, 1, &error), KY_STOPPED);
    assert_true(reason_of(sim).index[0] == 1);
    ky_bodies_free(&some);
    ky_sim_close(sim);
    ky_bodies_free(&bodies);
}

static void bodies_leave_on_every_engine(void **state)
{
    (void)state;
    for (int k = 0; k < engine_count; k++) {
        escapers_stop_once_each(engines[k].engine);
        bodies_leave_the_box(engines[k].engine);
    }
}

/* ---- what the next call does ---- */

/* Bodies on a line, of radius 0.5: 1 moves through 0, and 3 through 2 while those still overlap. */
static struct ky_bodies passing(void)
{
    struct ky_bodies bodies = bodies_of(4, KY_WITH_RADIUS);
    static const double x[] = {0, 1.75, 10, 12.25};
    for (size_t i = 0; i < 4; i++) {
        bodies.position[i][0] = x[i];
        bodies.velocity[i][0] = i % 2 ? -1 : 0;
        bodies.radius[i] = 0.5;
    }
    return bodies;
}

static void the_same_pair_stops_once(void **state)
{
    (void)state;
    struct ky_parameters parameters = exact_parameters("cpu", 0.125);
    struct ky_bodies bodies = passing();
    parameters.stop_collision = 1;
    struct ky_sim *sim = opened(&parameters, &bodies), *restored;
    assert_int_equal(ky_sim_advance(sim, 100, &error), KY_STOPPED);
    assert_true(ky_sim_steps(sim) == 7 && reason_of(sim).index[1] == 1);
    const char *path = in_folder("state");
    assert_ok(ky_sim_save(sim, path, &error));
    assert_ok(ky_sim_restore(path, &parameters, &restored, &error));
    for (struct ky_sim *k = sim; k; k = k == sim ? restored : NULL) {
        assert_int_equal(ky_sim_advance(k, 100, &error), KY_STOPPED);
        const struct ky_stop stop = reason_of(k);
        assert_true(ky_sim_steps(k) == 11 && stop.index[0] == 2 && stop.index[1] == 3);
        assert_ok(ky_sim_advance(k, 60, &error));
    }
    ky_sim_close(restored);
    assert_ok(ky_sim_write(sim, &bodies, &error)); /* apart again, and together */
    assert_int_equal(ky_sim_advance(sim, 100, &error), KY_STOPPED);
    assert_true(reason_of(sim).index[1] == 1);
    ky_sim_close(sim);
    ky_bodies_free(&bodies);
}

/* A restart file whose pairs were changed is refused, and one without the section is read. */
static void pairs_in_wrong_order_are_refused(void **state)
{
    (void)state;
    struct ky_parameters parameters = exact_parameters("cpu", 0.125);
    struct ky_bodies bodies = bodies_of(3, 0); /* all in one place: three pairs */
    struct ky_restart restart;
    parameters.stop_pair = 1;
    struct ky_sim *sim = opened(&parameters, &bodies);
    assert_int_equal(ky_sim_advance(sim, 1, &error), KY_STOPPED);
    const char *path = in_folder("changed");
    for (int change = 0; change < 2; change++) {
        assert_ok(ky_sim_save(sim, path, &error));
        assert_ok(ky_restart_read(path, &restart, NULL, &error));
        size_t k = 0;
        while (strcmp(restart.section[k].name, "told") != 0)
            k++;
        assert_true(restart.section[k].bytes == 3 * 3 * sizeof(uint64_t));
        if (change)
            snprintf(restart.section[k].name, sizeof restart.section[k].name, "other");
        else
            ((uint64_t *)restart.section[k].data)[0] = 99;
        assert_ok(ky_restart_write(&(struct ky_restart_to){.path = path}, restart.section,
                                   restart.count, &error));
        ky_restart_free(&restart);
        struct ky_sim *restored;
        assert_int_equal(ky_sim_restore(path, &parameters, &restored, &error),
                         change ? KY_OK : KY_BAD_DATA);
        assert_true(change || strstr(error.text, "told"));
        if (change)
            assert_int_equal(ky_sim_advance(restored, 1, &error), KY_STOPPED);
        ky_sim_close(restored);
    }
    ky_sim_close(sim);
    ky_bodies_free(&bodies);
}

/* Conditions that are met in one step stop one call each; two pairs of one condition the same. */
static void nothing_is_lost_in_one_step(void **state)
{
    (void)state;
    struct ky_parameters parameters = exact_parameters("cpu", 0.125);
    struct ky_bodies bodies = passing();
    parameters.stop_collision = 1;
    parameters.stop_pair = 1;
    parameters.stop_box = 10;
    bodies.position[3][0] = 11.5; /* both pairs touch in step 7 or before; 10 is outside */
    struct ky_sim *sim = opened(&parameters, &bodies);
    static const int kinds[] = {KY_STOP_BOX, KY_STOP_COLLISION, KY_STOP_PAIR, KY_STOP_COLLISION,
                                KY_STOP_PAIR};
    static const uint64_t steps[] = {1, 5, 6, 7, 8};
    for (int k = 0; k < 5; k++) {
        assert_int_equal(ky_sim_advance(sim, 40, &error), KY_STOPPED);
        assert_int_equal(reason_of(sim).kind, kinds[k]);
        assert_true(ky_sim_steps(sim) == steps[k]);
        assert_true(reason_of(sim).count == (k ? 1 : 2));
    }
    assert_true(reason_of(sim).index[0] == 0);
    ky_sim_close(sim);
    ky_bodies_free(&bodies);
}

/* A simulation that looks, stops and goes on has the bits of one that does not look. */
static void looking_changes_no_bits(const char *engine, int force, int integrator)
{
    struct ky_parameters parameters = sim_parameters(engine, force);
    struct ky_snapshot snapshot = crowd(600, 0);
    parameters.integrator = integrator;
    struct ky_sim *plain = opened(&parameters, &snapshot.bodies);
    parameters.stop_collision = 1;
    parameters.stop_pair = 0.01;
    parameters.stop_escape = 3;
    parameters.stop_box = 8;
    struct ky_sim *watched = opened(&parameters, &snapshot.bodies);
    assert_ok(ky_sim_advance(plain, 8, &error));
    int stops = 0;
    while (ky_sim_steps(watched) < 8) {
        enum ky_status status = ky_sim_advance(watched, 8 - ky_sim_steps(watched), &error);
        assert_true(status == KY_OK || status == KY_STOPPED);
        stops += status == KY_STOPPED;
    }
    assert_true(stops >= 4);
    struct ky_bodies one = sim_state(plain, 0), other = sim_state(watched, 0);
    assert_true(same_bits(&one, &other));
    ky_bodies_free(&one);
    ky_bodies_free(&other);
    ky_sim_close(plain);
    ky_sim_close(watched);
    ky_snapshot_free(&snapshot);
}

static void looking_changes_no_bits_anywhere(void **state)
{
    (void)state;
    for (int k = 0; k < engine_count; k++) {
        looking_changes_no_bits(engines[k].engine, KY_TREE, KY_LEAPFROG);
        if (!is_slow(k) || test_everything()) {
            looking_changes_no_bits(engines[k].engine, KY_TREE, KY_BLOCK_STEPS);
            looking_changes_no_bits(engines[k].engine, KY_DIRECT, KY_HERMITE4);
        }
    }
}

/* ---- limits ---- */

static void few_bodies_and_points(void **state)
{
    (void)state;
    for (size_t n = 0; n <= 3; n++) {
        struct ky_parameters parameters = exact_parameters("cpu", 1);
        struct ky_bodies bodies = bodies_of(n, KY_WITH_RADIUS);
        parameters.stop_collision = 1;
        parameters.stop_escape = 0;
        parameters.stop_box = 1;
        struct ky_sim *sim = opened(&parameters, &bodies); /* all in one place, without radii */
        assert_ok(ky_sim_advance(sim, 2, &error));
        assert_ok(ky_sim_set_parameter(sim, "stop-pair", "1e-300", &error));
        assert_ok(ky_sim_advance(sim, 1, &error)); /* the squares of lengths are compared */
        assert_ok(ky_sim_set_parameter(sim, "stop-pair", "1e-100", &error));
        if (n > 1) {
            assert_int_equal(ky_sim_advance(sim, 1, &error), KY_STOPPED);
            assert_true(reason_of(sim).count == n * (n - 1) / 2 && reason_of(sim).distance == 0);
        }
        assert_ok(ky_sim_advance(sim, 2, &error));
        ky_sim_close(sim);
        ky_bodies_free(&bodies);
    }
}

static void refuse(struct ky_parameters parameters, const struct ky_bodies *bodies,
                   const char *word)
{
    struct ky_sim *sim;
    assert_int_equal(ky_sim_open(&parameters, bodies, 0, &sim, &error), KY_USAGE);
    if (!strstr(error.text, word))
        fail_msg("%s lacks %s", error.text, word);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    struct ky_parameters plain = exact_parameters("cpu", 1), wrong;
    struct ky_bodies bodies = bodies_of(2, 0);
    bodies.position[1][0] = 1;
    static const double never[] = {0, -1, (double)INFINITY};
    for (int k = 0; k < 3; k++) {
        wrong = plain;
        wrong.stop_pair = never[k];
        refuse(wrong, &bodies, "stop-pair");
        wrong = plain;
        wrong.stop_box = never[k];
        refuse(wrong, &bodies, "stop-box");
        wrong = plain;
        wrong.stop_escape = k ? never[k] : -0.5;
        refuse(wrong, &bodies, "stop-escape");
    }
    wrong = plain;
    wrong.stop_collision = 1;
    refuse(wrong, &bodies, "--body-radius");
    wrong.body_radius = -1;
    refuse(wrong, &bodies, "body-radius");
    wrong = plain;
    wrong.body_radius = 1;
    refuse(wrong, &bodies, "--stop-collision");
    struct ky_sim *sim = opened(&plain, &bodies);
    assert_int_equal(ky_sim_set_parameter(sim, "stop-collision", "yes", &error), KY_USAGE);
    assert_ok(ky_sim_advance(sim, 1, &error));
    bodies.position[1][0] = 0.5;
    double radii[] = {0.1, 0.3};
    bodies.radius = radii;
    assert_ok(ky_sim_write(sim, &bodies, &error));
    assert_ok(ky_sim_set_parameter(sim, "stop-collision", "yes", &error));
    assert_ok(ky_sim_advance(sim, 1, &error));
    assert_ok(ky_sim_set_parameter(sim, "body-radius", "0.3", &error));
    assert_int_equal(ky_sim_advance(sim, 1, &error), KY_STOPPED);
    assert_non_null(strstr(error.text, "0.6"));
    ky_sim_close(sim);
    bodies.radius = NULL;
    ky_bodies_free(&bodies);
}

/* A program that knows no `count` gets a struct without it. */
static void an_older_struct_is_as_long_as_it_was(void **state)
{
    (void)state;
    struct ky_stop stop = {.size = offsetof(struct ky_stop, count), .count = 17};
    ky_sim_stop_reason(NULL, &stop);
    assert_true(stop.count == 17);
    stop.size = 0;
    ky_sim_stop_reason(NULL, &stop);
    assert_true(stop.count == 17 && stop.kind == KY_STOP_NONE);
}

static int begin(void **state)
{
    return make_folder(state) || find_quick_engines(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_orbit_on_every_engine),
        cmocka_unit_test(a_divided_step_stops),
        cmocka_unit_test(pairs_are_exact_on_every_engine),
        cmocka_unit_test(wrong_searches_are_refused),
        cmocka_unit_test(bodies_leave_on_every_engine),
        cmocka_unit_test(the_same_pair_stops_once),
        cmocka_unit_test(pairs_in_wrong_order_are_refused),
        cmocka_unit_test(nothing_is_lost_in_one_step),
        cmocka_unit_test(looking_changes_no_bits_anywhere),
        cmocka_unit_test(few_bodies_and_points),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(an_older_struct_is_as_long_as_it_was),
    };
    return cmocka_run_group_tests(tests, begin, remove_folder);
}
