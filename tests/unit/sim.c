/* The physics of a simulation: Kepler orbits, the order of convergence, the exact solution of the
 * discrete equations, time reversal, conserved quantities, and the same bits for any number of
 * threads. */
#include "test.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

#include "systems.h"

static struct ky_error error;
static const double pi = 3.14159265358979323846;

static struct ky_parameters exact_parameters(double step)
{
    struct ky_parameters parameters;
    ky_parameters_defaults(&parameters);
    parameters.force = KY_DIRECT;
    parameters.precision = KY_DOUBLE;
    parameters.engine = "cpu";
    parameters.softening = 0;
    parameters.step = step;
    return parameters;
}

static void advance(const struct ky_parameters *parameters, struct ky_bodies *bodies,
                    uint64_t steps)
{
    struct ky_sim *sim = NULL;
    assert_ok(ky_sim_open(parameters, bodies, 0, &sim, &error));
    assert_ok(ky_sim_advance(sim, steps, &error));
    assert_true(ky_sim_steps(sim) == steps);
    assert_ok(ky_sim_bodies(sim, bodies, &error));
    ky_sim_close(sim);
}

static double separation(const struct ky_bodies *b, double d[3])
{
    for (int k = 0; k < 3; k++)
        d[k] = b->position[1][k] - b->position[0][k];
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

/* With the start velocity r sin(α)/dt, where sin(α/2) = ω dt/2, kick-drift-kick moves a body on a
 * circle of radius r, by the angle α in each step. This follows from x₊ − 2x + x₋ = −ω² dt² x and v
 * = (x₊ − x₋)/(2 dt). With softening ω² = GM/(r² + ε²)^(3/2). */
static void circular_orbit_is_the_discrete_solution(void **state)
{
    (void)state;
    static const double softenings[] = {0, 0.3};
    for (int s = 0; s < 2; s++) {
        const double r = 1.5, dt = 0.1;
        double e2 = softenings[s] * softenings[s];
        double angle = 2 * asin(0.5 * dt * sqrt(pow(r * r + e2, -1.5)));
        struct ky_bodies bodies = {0};
        two_bodies(r, r * sin(angle) / dt, &bodies);
        struct ky_parameters parameters = exact_parameters(dt);
        parameters.softening = softenings[s];
        enum { STEPS = 2000 };
        advance(&parameters, &bodies, STEPS);
        double d[3];
        assert_between(separation(&bodies, d), r - 1e-11, r + 1e-11);
        assert_between(d[0] - r * cos(STEPS * angle), -1e-10, 1e-10);
        assert_between(d[1] - r * sin(STEPS * angle), -1e-10, 1e-10);
        ky_bodies_free(&bodies);
    }
}

/* Distance from the start after one Kepler period of an orbit with e = 0.5, a = 1. */
static double miss_after_period(uint64_t steps)
{
    struct ky_bodies bodies = {0};
    two_bodies(1.5, sqrt(1 / 3.0), &bodies); /* apocentre: v² = (1 − e)/(1 + e)/a */
    struct ky_parameters parameters = exact_parameters(2 * pi / (double)steps);
    advance(&parameters, &bodies, steps);
    double d[3];
    separation(&bodies, d);
    ky_bodies_free(&bodies);
    return sqrt(pow(d[0] - 1.5, 2) + d[1] * d[1]);
}

static void kepler_period_and_second_order(void **state)
{
    (void)state;
    double coarse = miss_after_period(500), middle = miss_after_period(1000),
           fine = miss_after_period(2000);
    assert_between(fine, 0, 1e-4);
    assert_between(coarse / middle, 3.8, 4.2);
    assert_between(middle / fine, 3.9, 4.1);
}

static void plummer(size_t n, struct ky_snapshot *snapshot)
{
    model("plummer", n, 0.05, snapshot);
}

static void motion_reverses_with_time(void **state)
{
    (void)state;
    struct ky_snapshot there, start;
    plummer(1000, &there);
    plummer(1000, &start);
    struct ky_parameters parameters = exact_parameters(0.01);
    parameters.softening = 0.05;
    advance(&parameters, &there.bodies, 100);
    double moved = 0, left = 0;
    for (size_t i = 0; i < 1000; i++)
        moved = fmax(moved, fabs(there.bodies.position[i][0] - start.bodies.position[i][0]));
    parameters.step = -0.01;
    advance(&parameters, &there.bodies, 100);
    for (size_t i = 0; i < 1000; i++)
        for (int k = 0; k < 3; k++) {
            left = fmax(left, fabs(there.bodies.position[i][k] - start.bodies.position[i][k]));
            left = fmax(left, fabs(there.bodies.velocity[i][k] - start.bodies.velocity[i][k]));
        }
    assert_between(moved, 0.5, 10);
    assert_between(left, 0, 1e-10);
    ky_snapshot_free(&there);
    ky_snapshot_free(&start);
}

static void energy_and_momenta_are_conserved(void **state)
{
    (void)state;
    struct ky_snapshot snapshot;
    plummer(1000, &snapshot);
    struct ky_parameters parameters = exact_parameters(1.0 / 128);
    parameters.softening = 0.05;
    struct ky_sim *sim = NULL;
    struct ky_sums before = {0}, after = {0};
    assert_ok(ky_sim_open(&parameters, &snapshot.bodies, 2.5, &sim, &error));
    assert_ok(ky_sim_sums(sim, &before, &error));
    assert_ok(ky_sim_advance(sim, 128, &error));
    assert_ok(ky_sim_sums(sim, &after, &error));
    assert_true(ky_sim_time(sim) == 3.5);
    for (int k = 0; k < 3; k++) {
        assert_between(after.momentum[k] - before.momentum[k], -1e-14, 1e-14);
        assert_between(after.centre[k] - before.centre[k], -1e-13, 1e-13);
        assert_between(after.angular_momentum[k] - before.angular_momentum[k], -1e-12, 1e-12);
    }
    double e0 = before.kinetic + before.potential, e1 = after.kinetic + after.potential;
    assert_between(fabs((e1 - e0) / e0), 1e-12, 1e-4); /* 0 would mean that nothing moved */
    assert_between(-2 * before.kinetic / before.virial, 0.9, 1.1);
    ky_sim_close(sim);
    ky_snapshot_free(&snapshot);
}

/* With units in the parameters, errors give times in these units. */
static void errors_have_units(void **state)
{
    (void)state;
    struct ky_bodies bodies = {0};
    struct ky_parameters parameters = exact_parameters(0.125);
    struct ky_sim *sim = NULL;
    two_bodies(1.5, sqrt(1 / 3.0), &bodies);
    assert_ok(ky_units_preset("cluster", &parameters.units, &error));
    assert_ok(ky_sim_open(&parameters, &bodies, 2, &sim, &error));
    assert_int_equal(ky_sim_advance_to(sim, 2.7, 0, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "no step ends at time 2.64003"));
    assert_non_null(strstr(error.text, " Myr (step 122.224 kyr); the nearest are 2.566"));
    assert_int_equal(ky_sim_advance_to(sim, 1, 0, &error), KY_USAGE);
    assert_non_null(strstr(error.text, " Myr is not ahead"));
    assert_int_equal(ky_sim_set_step(sim, 0, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "rounding of the time 1.955"));
    ky_sim_close(sim);
    ky_bodies_free(&bodies);
}

/* Whole steps reach the times of the grid. Other times are reached only if a step may be divided.
 * The divided step is completed later, so that the times of the grid stay. */
static void times_are_counted(void **state)
{
    (void)state;
    struct ky_bodies bodies = {0}, there = {0};
    two_bodies(1.5, sqrt(1 / 3.0), &bodies);
    two_bodies(1.5, sqrt(1 / 3.0), &there);
    struct ky_parameters parameters = exact_parameters(0.125);
    struct ky_sim *sim = NULL, *whole = NULL;
    assert_ok(ky_sim_open(&parameters, &bodies, 2, &sim, &error));
    assert_ok(ky_sim_open(&parameters, &bodies, 2, &whole, &error));
    assert_ok(ky_sim_advance_to(sim, 2.5, 0, &error));
    assert_ok(ky_sim_advance(whole, 4, &error));
    assert_ok(ky_sim_bodies(sim, &bodies, &error));
    assert_ok(ky_sim_bodies(whole, &there, &error));
    assert_memory_equal(bodies.position, there.position, 2 * sizeof *bodies.position);
    assert_ok(ky_sim_advance_to(sim, 2.5, 0, &error)); /* nothing to do */
    assert_true(ky_sim_steps(sim) == 4);
    assert_int_equal(ky_sim_advance_to(sim, 2.7, 0, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "no step ends at time 2.7 (step 0.125); the nearest are "
                                       "2.625 and 2.75"));
    assert_int_equal(ky_sim_advance_to(sim, 2.4, 1, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "is not ahead"));
    assert_int_equal(ky_sim_advance_to(sim, (double)NAN, 1, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "not a number"));
    assert_int_equal(ky_sim_advance_to(sim, 1e300, 1, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "more steps away than can be counted"));
    assert_true(ky_sim_time(sim) == 2.5);
    assert_ok(ky_sim_advance_to(sim, 2.65, 1, &error)); /* one step and a part */
    assert_ok(ky_sim_advance_to(sim, 2.7, 1, &error));  /* another part of this step */
    assert_between(ky_sim_time(sim), 2.7 - 1e-15, 2.7 + 1e-15);
    assert_true(ky_sim_steps(sim) == 7);
    assert_int_equal(ky_sim_advance_to(sim, 2.66, 1, &error), KY_USAGE);
    assert_ok(ky_sim_advance_to(sim, 3, 0, &error));
    assert_true(ky_sim_time(sim) == 3 && ky_sim_steps(sim) == 10);
    assert_ok(ky_sim_advance(whole, 4, &error));
    assert_ok(ky_sim_bodies(sim, &bodies, &error));
    assert_ok(ky_sim_bodies(whole, &there, &error));
    double left = 0;
    for (int k = 0; k < 3; k++)
        left = fmax(left, fabs(bodies.position[0][k] - there.position[0][k]));
    assert_between(left, 1e-12, 1e-3); /* other steps, the same orbit */
    ky_sim_close(sim);
    ky_sim_close(whole);
    parameters.step = (double)NAN;
    assert_ok(ky_sim_open(&parameters, &bodies, 2, &sim, &error));
    assert_int_equal(ky_sim_advance_to(sim, 3, 1, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "no step is known"));
    ky_sim_close(sim);
    ky_bodies_free(&bodies);
    ky_bodies_free(&there);
}

/* A program that was built with a shorter struct of results gets the results that the struct holds,
 * and no others. */
static void results_of_older_programs(void **state)
{
    (void)state;
    struct {
        struct ky_sums sums;
        double behind;
    } now = {{0}, 7};
    struct {
        size_t size;
        double mass, behind;
    } older = {offsetof(struct ky_sums, mass) + sizeof(double), 0, 7};
    struct ky_bodies bodies = {0};
    struct ky_sim *sim = NULL;
    two_bodies(1.5, 0.5, &bodies);
    struct ky_parameters parameters = exact_parameters(0.125);
    assert_ok(ky_sim_open(&parameters, &bodies, 0, &sim, &error));
    assert_ok(ky_sim_sums(sim, (struct ky_sums *)&older, &error));
    assert_ok(ky_sim_sums(sim, &now.sums, &error));
    assert_true(older.mass == 1 && older.behind == 7 && older.size == 2 * sizeof(double));
    assert_true(now.sums.mass == 1 && now.sums.kinetic > 0 && now.sums.virial < 0);
    assert_true(now.behind == 7 && now.sums.size == 0);
    struct ky_force_report report = {0};
    ky_sim_report(sim, &report);
    assert_string_equal(report.engine, "cpu");
    assert_true(report.total > 0 && report.body_interactions == 2);
    ky_sim_close(sim);
    const size_t first = offsetof(struct ky_scales, random_speed);
    struct {
        uint64_t before;
        struct ky_scales scales;
        uint64_t behind;
    } guarded;
    memset(&guarded, 0x5a, sizeof guarded);
    memset(&guarded.scales, 0, first); /* as a program of the first version knows it */
    assert_ok(ky_system_scales(&bodies, 1, 0.1, &guarded.scales, &error));
    assert_true(guarded.scales.size == 0 && guarded.scales.step > 0);
    assert_true(guarded.before == 0x5a5a5a5a5a5a5a5a && guarded.behind == guarded.before);
    for (size_t k = first; k < sizeof guarded.scales; k++)
        assert_int_equal(((const unsigned char *)&guarded.scales)[k], 0x5a);
    ky_bodies_free(&bodies);
}

/* The tree conserves energy too, and gives the same bits for any number of threads and of calls. */
static void threads_and_calls_leave_no_trace(void **state)
{
    (void)state;
    static const int forces[] = {KY_TREE, KY_WALK, KY_DIRECT, KY_FMM};
    for (int f = 0; f < 4; f++) {
        struct ky_snapshot results[3];
        for (int t = 0; t < 3; t++) {
            plummer(1500, &results[t]);
            struct ky_parameters parameters;
            ky_parameters_defaults(&parameters);
            parameters.force = forces[f];
            parameters.step = 1.0 / 64;
            parameters.softening = 0.05;
            parameters.threads = t + 1;
            struct ky_sim *sim = NULL;
            struct ky_sums before = {0}, after = {0};
            assert_ok(ky_sim_open(&parameters, &results[t].bodies, 0, &sim, &error));
            assert_ok(ky_sim_sums(sim, &before, &error));
            for (int call = 0; call <= t; call++)
                assert_ok(ky_sim_advance(sim, 6 / ((uint64_t)t + 1), &error));
            assert_ok(ky_sim_sums(sim, &after, &error));
            assert_ok(ky_sim_bodies(sim, &results[t].bodies, &error));
            double e0 = before.kinetic + before.potential;
            assert_between((after.kinetic + after.potential - e0) / e0, -1e-3, 1e-3);
            ky_sim_close(sim);
        }
        for (int t = 1; t < 3; t++)
            assert_true(same_bits(&results[0].bodies, &results[t].bodies));
        for (int t = 0; t < 3; t++)
            ky_snapshot_free(&results[t]);
    }
}

/* The size of two bodies is their distance, also where they lie nearly along an axis. */
static volatile int stop;

static void stop_now(int signal)
{
    (void)signal;
    stop = 1;
}

/* Opens a simulation that heeds `stop`, and advances it by `steps` steps in calls that end after
 * one step each. */
static void advance_by_stops(const struct ky_parameters *parameters, struct ky_bodies *bodies,
                             uint64_t steps)
{
    struct ky_parameters own = *parameters;
    struct ky_sim *sim = NULL;
    struct ky_stop why = {sizeof why, .kind = 0};
    own.stop = &stop;
    stop = 0;
    assert_ok(ky_sim_open(&own, bodies, 0, &sim, &error));
    assert_ok(ky_sim_advance(sim, 2, &error));
    stop = 1;
    for (uint64_t done = 3; done < steps; done++) {
        assert_int_equal(ky_sim_advance(sim, steps - done + 1, &error), KY_STOPPED);
        assert_true(ky_sim_steps(sim) == done);
        ky_sim_stop_reason(sim, &why);
        assert_int_equal(why.kind, KY_STOP_ASKED);
        assert_between(why.time - (double)done * own.step, -1e-12, 1e-12);
    }
    assert_ok(ky_sim_advance(sim, 1, &error)); /* nothing is left to be stopped */
    ky_sim_stop_reason(sim, &why);
    assert_int_equal(why.kind, KY_STOP_NONE);
    assert_ok(ky_sim_bodies(sim, bodies, &error));
    ky_sim_close(sim);
}

static void a_stop_ends_a_call_after_its_step(void **state)
{
    (void)state;
    static const struct {
        int integrator;
        double softening;
        size_t n;
    } ways[] = {{KY_LEAPFROG, 0.05, 100},
                {KY_BLOCK_STEPS, 0.05, 100},
                {KY_HERMITE4, 0.05, 100},
                {KY_FEW, 0, 12}};
    for (int k = 0; k < 4; k++) {
        struct ky_snapshot a, b;
        struct ky_parameters parameters = exact_parameters(0.01);
        parameters.integrator = ways[k].integrator;
        parameters.softening = ways[k].softening;
        plummer(ways[k].n, &a);
        plummer(ways[k].n, &b);
        advance(&parameters, &a.bodies, 12);
        advance_by_stops(&parameters, &b.bodies, 12);
        assert_memory_equal(a.bodies.position, b.bodies.position,
                            ways[k].n * sizeof *a.bodies.position);
        ky_snapshot_free(&a);
        ky_snapshot_free(&b);
    }
}

/* With few a step of the system may end behind the call and have a contact there. */
static void a_contact_waits_for_its_call(void **state)
{
    (void)state;
    const double a = 1 / (2 - 0.04), e = 1 / a - 1, anomaly = acos((1 - 0.2 / a) / e),
                 contact = pow(a, 1.5) * (pi - (anomaly - e * sin(anomaly)));
    struct ky_bodies bodies = {0};
    struct ky_sim *sim = NULL;
    struct ky_stop why = {sizeof why, .kind = 0};
    struct ky_parameters parameters = exact_parameters(0.01);
    parameters.integrator = KY_FEW;
    parameters.stop_collision = 1;
    parameters.body_radius = 0.1;
    assert_ok(ky_bodies_allocate(&bodies, 2, 0, &error));
    for (int i = 0; i < 2; i++) {
        bodies.mass[i] = 0.5;
        bodies.position[i][0] = i - 0.5;
        bodies.velocity[i][1] = 0.2 * (i - 0.5);
    }
    assert_ok(ky_sim_open(&parameters, &bodies, 0, &sim, &error));
    for (int k = 1; k <= (int)(contact / 0.01); k++) {
        assert_ok(ky_sim_advance(sim, 1, &error));
        assert_between(ky_sim_time(sim) - 0.01 * k, -1e-12, 1e-12);
    }
    assert_int_equal(ky_sim_advance(sim, 1, &error), KY_STOPPED);
    ky_sim_stop_reason(sim, &why);
    assert_int_equal(why.kind, KY_STOP_COLLISION);
    assert_between(ky_sim_time(sim) - contact, -1e-9, 1e-9);
    ky_sim_close(sim);
    ky_bodies_free(&bodies);
}

/* A call that would take days. */
static void a_signal_ends_a_call(void **state)
{
    (void)state;
    struct ky_snapshot snapshot;
    struct ky_sim *sim = NULL;
    struct ky_parameters parameters = exact_parameters(0.01);
    const struct itimerval soon = {.it_value = {.tv_usec = 50000}};
    plummer(100, &snapshot);
    parameters.softening = 0.05;
    parameters.stop = &stop;
    stop = 0;
    assert_ok(ky_sim_open(&parameters, &snapshot.bodies, 0, &sim, &error));
    signal(SIGALRM, stop_now);
    assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
    assert_int_equal(ky_sim_advance(sim, 1000000000, &error), KY_STOPPED);
    assert_true(ky_sim_steps(sim) > 0);
    ky_sim_close(sim);
    ky_snapshot_free(&snapshot);
}

static void a_pair_nearly_along_an_axis(void **state)
{
    (void)state;
    static const double off[] = {0, 1e-300, 1e-22, 1e-16, 1e-12, 1e-6, 0.1};
    for (int k = 0; k < 7; k++)
        for (int first = 0; first < 2; first++) {
            struct ky_bodies bodies = {0};
            struct ky_parameters parameters = exact_parameters(1e-8);
            double d[3];
            two_bodies(3e-4, 0, &bodies);
            bodies.position[first][1] = off[k];
            const double before = separation(&bodies, d);
            advance(&parameters, &bodies, 1);
            /* a = M/r² in the first step from rest */
            assert_between((before - separation(&bodies, d)) * 2 * before * before / 1e-16, 0.98,
                           1.02);
            ky_bodies_free(&bodies);
        }
}

static void few_and_no_bodies(void **state)
{
    (void)state;
    for (size_t n = 0; n < 3; n++)
        for (int force = 0; force < 4; force++) {
            struct ky_bodies bodies = {0};
            struct ky_parameters parameters;
            struct ky_sim *sim = NULL;
            ky_parameters_defaults(&parameters);
            if (force == KY_LIST)
                continue; /* for devices alone */
            parameters.force = force;
            parameters.step = 0.1;
            parameters.softening = 0;
            assert_ok(ky_bodies_allocate(&bodies, n, 0, &error));
            for (size_t i = 0; i < n; i++)
                bodies.mass[i] = 1; /* all at the origin, without softening */
            assert_ok(ky_sim_open(&parameters, &bodies, 0, &sim, &error));
            assert_ok(ky_sim_advance(sim, 3, &error));
            assert_ok(ky_sim_bodies(sim, &bodies, &error));
            for (size_t i = 0; i < n; i++)
                assert_true(bodies.position[i][0] == 0);
            ky_sim_close(sim);
            ky_bodies_free(&bodies);
        }
}

/* Bodies that lack a required array are refused, and so is NULL for the bodies. */
static void missing_arrays_are_refused(void **state)
{
    (void)state;
    struct ky_parameters parameters = exact_parameters(0.1);
    struct ky_sim *sim = NULL;
    for (int left_out = 0; left_out < 3; left_out++) {
        struct ky_bodies bodies, given;
        two_bodies(1, 1, &bodies);
        given = bodies;
        given.mass = left_out == 0 ? NULL : bodies.mass;
        given.position = left_out == 1 ? NULL : bodies.position;
        given.velocity = left_out == 2 ? NULL : bodies.velocity;
        assert_int_equal(ky_sim_open(&parameters, &given, 0, &sim, &error), KY_USAGE);
        assert_null(sim);
        ky_bodies_free(&bodies);
    }
    assert_int_equal(ky_sim_open(&parameters, NULL, 0, &sim, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "bodies is NULL"));
}

/* Two simulations side by side do not disturb each other. */
static void handles_are_independent(void **state)
{
    (void)state;
    struct ky_snapshot a, b, alone;
    plummer(300, &a);
    plummer(200, &b);
    plummer(300, &alone);
    struct ky_parameters parameters = exact_parameters(0.01);
    parameters.softening = 0.05;
    struct ky_sim *first = NULL, *second = NULL;
    assert_ok(ky_sim_open(&parameters, &a.bodies, 0, &first, &error));
    assert_ok(ky_sim_open(&parameters, &b.bodies, 0, &second, &error));
    for (int k = 0; k < 5; k++) {
        assert_ok(ky_sim_advance(first, 1, &error));
        assert_ok(ky_sim_advance(second, 2, &error));
    }
    assert_ok(ky_sim_bodies(first, &a.bodies, &error));
    advance(&parameters, &alone.bodies, 5);
    assert_memory_equal(a.bodies.position, alone.bodies.position, 300 * 3 * sizeof(double));
    ky_sim_close(first);
    ky_sim_close(second);
    ky_snapshot_free(&a);
    ky_snapshot_free(&b);
    ky_snapshot_free(&alone);
}

/* φ of body 0 of two bodies of mass 1 at distance 1: −1/√(1 + ε²), or −1/√(1 + ε₀² + ε₁²). */
static double potential_of_pair(const struct ky_parameters *parameters, struct ky_bodies *bodies)
{
    struct ky_sim *sim = NULL;
    double out[2][4], again;
    struct ky_walk_input input = {.size = sizeof input};
    assert_ok(ky_forces(parameters, bodies, NULL, &error));
    again = bodies->potential[0];
    assert_ok(ky_sim_open(parameters, bodies, 0, &sim, &error));
    assert_ok(ky_sim_bodies(sim, bodies, &error));
    assert_true(bodies->potential[0] == again);
    ky_sim_close(sim);
    assert_ok(ky_walk(parameters, bodies, "gravity", &input, &out[0][0], NULL, &error));
    assert_between(out[0][3], again - 1e-12, again + 1e-12);
    return again;
}

/* The softening is that of the parameters, else each body's own, else that of the snapshot. Without
 * any of them there is an error. */
static void softening_by_the_rule(void **state)
{
    (void)state;
    struct ky_parameters parameters = exact_parameters(0.1), chosen;
    struct ky_snapshot snapshot;
    char remark[KY_REMARK];
    ky_snapshot_clear(&snapshot);
    struct ky_bodies *bodies = &snapshot.bodies;
    assert_ok(ky_bodies_allocate(bodies, 2, KY_WITH_POTENTIAL, &error));
    bodies->mass[0] = bodies->mass[1] = bodies->position[1][0] = 1;

    /* No softening is known: every call refuses, and recommends a value. */
    parameters.softening = (double)NAN;
    chosen = parameters;
    double out[2][4];
    struct ky_walk_input input = {.size = sizeof input};
    struct ky_sim *sim = NULL;
    assert_int_equal(ky_forces(&parameters, bodies, NULL, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "--softening (0.3"));
    assert_int_equal(ky_sim_open(&parameters, bodies, 0, &sim, &error), KY_USAGE);
    assert_int_equal(ky_walk(&parameters, bodies, "gravity", &input, &out[0][0], NULL, &error),
                     KY_USAGE);
    assert_int_equal(ky_softening_choose(&chosen, &snapshot, remark, &error), KY_USAGE);

    /* The softening that is stored with the bodies. */
    snapshot.softening = 0.75;
    snapshot.softening_kind = KY_SYMMETRIC;
    assert_ok(ky_softening_choose(&chosen, &snapshot, remark, &error));
    assert_true(chosen.softening == 0.75 && chosen.softening_kind == KY_SYMMETRIC);
    assert_non_null(strstr(remark, "0.75 (symmetric)"));

    /* Each body's own comes before the stored one. */
    assert_ok(ky_bodies_extend(bodies, KY_WITH_SOFTENING, &error));
    bodies->softening[0] = bodies->softening[1] = 1;
    chosen = parameters;
    chosen.softening_kind = KY_PLUMMER;
    assert_ok(ky_softening_choose(&chosen, &snapshot, remark, &error));
    assert_true(isnan(chosen.softening) && chosen.softening_kind == KY_PLUMMER);
    assert_non_null(strstr(remark, "plummer replaces symmetric"));
    assert_between(potential_of_pair(&chosen, bodies), -sqrt(0.5) - 1e-7, -sqrt(0.5) + 1e-7);

    /* The softening of the parameters comes before all others. */
    chosen.softening = 0.5;
    assert_ok(ky_softening_choose(&chosen, &snapshot, remark, &error));
    assert_true(chosen.softening == 0.5);
    assert_non_null(strstr(remark, "0.5 replaces the bodies' own, from 1 to 1"));
    assert_between(potential_of_pair(&chosen, bodies), -sqrt(0.8) - 1e-7, -sqrt(0.8) + 1e-7);
    ky_snapshot_free(&snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_have_units),
        cmocka_unit_test(circular_orbit_is_the_discrete_solution),
        cmocka_unit_test(kepler_period_and_second_order),
        cmocka_unit_test(motion_reverses_with_time),
        cmocka_unit_test(energy_and_momenta_are_conserved),
        cmocka_unit_test(times_are_counted),
        cmocka_unit_test(results_of_older_programs),
        cmocka_unit_test(threads_and_calls_leave_no_trace),
        cmocka_unit_test(a_stop_ends_a_call_after_its_step),
        cmocka_unit_test(a_signal_ends_a_call),
        cmocka_unit_test(a_pair_nearly_along_an_axis),
        cmocka_unit_test(a_contact_waits_for_its_call),
        cmocka_unit_test(few_and_no_bodies),
        cmocka_unit_test(softening_by_the_rule),
        cmocka_unit_test(missing_arrays_are_refused),
        cmocka_unit_test(handles_are_independent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
