/* Two bodies about each other for very many steps. The energy oscillates and does not drift, the
 * angular momentum stays, and the phase is that of the leap-frog. Engines make many steps by
 * themselves where they can. KYOHO_TEST_STEPS is the number of steps; tests/command/orbit.sh takes
 * a million. */
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "engines.h"

#include "integrate/integrate.h"

/* The relative orbit of two bodies of mass 1/2: x'' = −x/|x|³, semi-major axis 1. */
struct orbit {
    double x[2], v[2];
};

static void accelerate(const struct orbit *orbit, double a[2])
{
    const double r = hypot(orbit->x[0], orbit->x[1]);
    for (int c = 0; c < 2; c++)
        a[c] = -orbit->x[c] / (r * r * r);
}

/* Makes a step of the leap-frog in double. */
static void leap(struct orbit *orbit, double a[2], double dt)
{
    for (int c = 0; c < 2; c++) {
        orbit->v[c] += 0.5 * dt * a[c];
        orbit->x[c] += dt * orbit->v[c];
    }
    accelerate(orbit, a);
    for (int c = 0; c < 2; c++)
        orbit->v[c] += 0.5 * dt * a[c];
}

/* The energy of the two bodies, whose reduced mass is 1/4. */
static double energy_of(const struct orbit *orbit)
{
    const double v2 = orbit->v[0] * orbit->v[0] + orbit->v[1] * orbit->v[1];
    return 0.25 * (0.5 * v2 - 1 / hypot(orbit->x[0], orbit->x[1]));
}

/* The largest |E − E₀|/|E₀| of the leap-frog over some orbits. */
static double oscillation(struct orbit orbit, double dt)
{
    double a[2], most = 0;
    const double before = energy_of(&orbit);
    accelerate(&orbit, a);
    for (int k = 0; k < (int)(60 / dt); k++) {
        leap(&orbit, a, dt);
        most = fmax(most, fabs(energy_of(&orbit) / before - 1));
    }
    return most;
}

/* ---- an engine with the two bodies ---- */

struct pair {
    struct ky_parameters parameters;
    struct ky_engine *engine;
    struct ky_integrator_state *leapfrog;
    struct ky_advance way; /* of block steps, without `leapfrog` */
};

static struct ky_error error;

/* With block steps the criterion gives the circular orbit steps of 1.5 ticks. */
static void begin(struct pair *pair, int k, int precision, int blocks, double dt,
                  const struct orbit *orbit)
{
    struct ky_parameters given;
    double x[2][3] = {{0}}, v[2][3] = {{0}}, m[2] = {0.5, 0.5};
    const struct ky_bodies bodies = {.n = 2, .position = x, .velocity = v, .mass = m};
    for (int c = 0; c < 2; c++) {
        x[0][c] = -(x[1][c] = 0.5 * orbit->x[c]);
        v[0][c] = -(v[1][c] = 0.5 * orbit->v[c]);
    }
    ky_parameters_defaults(&given);
    given.engine = engines[k].engine;
    given.force = KY_DIRECT;
    given.precision = precision;
    given.softening = 0;
    given.step = dt;
    given.threads = 1;
    given.integrator = blocks ? KY_BLOCK_STEPS : KY_LEAPFROG;
    *pair = (struct pair){.way = {.scheme = KY_SCHEME_BLOCK,
                                  .tick = dt,
                                  .stride = 4,
                                  .most = UINT64_MAX,
                                  .eta = 1.5 * dt,
                                  .length = 0.5}};
    assert_ok(ky_parameters_resolve(&given, &pair->parameters, &error));
    assert_ok(ky_integrator_engine(&pair->parameters, 2, 2, &pair->engine, &error));
    assert_ok(ky_engine_put(pair->engine, &bodies, &error));
    if (blocks)
        assert_ok(ky_engine_columns(pair->engine, 1U << KY_COLUMN_STEP, &error));
    else
        assert_ok(
            ky_integrator_create(pair->engine, 2, &pair->parameters, &pair->leapfrog, &error));
    assert_ok(ky_engine_forces(pair->engine, &error));
}

static void go_on(struct pair *pair, uint64_t steps)
{
    if (pair->leapfrog) {
        assert_ok(pair->leapfrog->verbs->advance(pair->leapfrog, steps, &error));
        return;
    }
    pair->way.until += steps;
    assert_ok(ky_engine_advance(pair->engine, &pair->way, &error));
    assert_int_equal(pair->way.steps, pair->way.now); /* one block of both bodies a tick */
    assert_true(pair->way.body_steps == 2 * (double)pair->way.steps);
}

static struct ky_sums sums_of(struct pair *pair)
{
    struct ky_sums sums = {0};
    assert_ok(ky_engine_sums(pair->engine, &sums, &error));
    for (int c = 0; c < 3; c++) {
        assert_between(sums.momentum[c], -1e-10, 1e-10);
        assert_between(sums.centre[c], -1e-7, 1e-7);
    }
    return sums;
}

static struct orbit finish(struct pair *pair)
{
    double x[2][3], v[2][3];
    struct ky_bodies bodies = {.n = 2, .position = x, .velocity = v};
    assert_ok(ky_engine_get(pair->engine, &bodies, &error));
    ky_integrator_free(pair->leapfrog);
    ky_engine_close(pair->engine);
    return (struct orbit){{x[1][0] - x[0][0], x[1][1] - x[0][1]},
                          {v[1][0] - v[0][0], v[1][1] - v[0][1]}};
}

/* ---- the tests ---- */

/* The steps are made in so many calls, each of a multiple of four steps. */
enum { CALLS = 50 };

/* A processor that serves as a device makes a twentieth of the steps. */
static uint64_t steps_of(int k)
{
    const char *given = getenv("KYOHO_TEST_STEPS");
    const uint64_t steps = (given ? strtoull(given, NULL, 10) : 60000) / (is_slow(k) ? 20 : 1);
    return steps / (4 * CALLS) * 4 * CALLS;
}

/* Errors of rounding after so many steps: relative ones of the energy and the angular momentum, and
 * that of the mean motion. In double they are a random walk. Forces in float are wrong by up to
 * 2e-7, always by the same at the same position, so that errors do not average out. If a force is
 * stronger by δ, the mean motion of a body with this speed is faster by 2 δ. If the energy changes
 * by δ, the mean motion changes by 1.5 δ. */
struct rounding {
    double conserved, motion;
};
static struct rounding rounding_of(int precision, double steps, double dt)
{
    const double walk = 1e-15 * sqrt(steps);
    return precision == KY_DOUBLE ? (struct rounding){walk, 0}
                                  : (struct rounding){1e-6 + 2e-10 * steps * dt, 5e-7};
}

/* The error of the phase after so many steps, if the error of the energy is `energy` at most. */
static double phase_of(struct rounding most, double steps, double dt, double energy)
{
    return 1e-10 + (most.motion + 1.5 * energy) * steps * dt;
}

static const int precisions[] = {KY_DOUBLE, KY_EXTENDED};

/* A circle of radius 1 solves the leap-frog's equations, x₊ − 2x + x₋ = dt² a, with the speed sin
 * φ/dt. Each step goes on by the angle φ = 2 asin(dt/2). This is dt³/24 more than in continuous
 * time. */
static void a_circle_stays_a_circle(int k, int precision, int blocks)
{
    const double dt = 1.0 / 16, angle = 2 * asin(dt / 2);
    const struct orbit start = {{1, 0}, {0, sin(angle) / dt}};
    const uint64_t steps = steps_of(k);
    const struct rounding most = rounding_of(precision, (double)steps, dt);
    struct pair pair;
    begin(&pair, k, precision, blocks, dt, &start);
    const struct ky_sums first = sums_of(&pair);
    double largest[2] = {0};
    assert_between(first.kinetic + first.potential - energy_of(&start), -1e-7, 1e-7);
    for (int call = 0; call < CALLS; call++) {
        go_on(&pair, steps / CALLS);
        const struct ky_sums now = sums_of(&pair);
        const double change = (now.kinetic + now.potential) / (first.kinetic + first.potential) - 1;
        const double turn = now.angular_momentum[2] / first.angular_momentum[2] - 1;
        largest[0] = fmax(largest[0], fabs(change));
        largest[1] = fmax(largest[1], fabs(turn));
    }
    const struct orbit end = finish(&pair);
    const double phase = atan2(end.x[1], end.x[0]);
    const double ahead = remainder(phase - (double)steps * angle, 2 * acos(-1.0));
    printf("# %s %s %s: %g steps, energy %.1e, angular momentum %.1e, phase %+.1e\n",
           engines[k].engine, precision == KY_DOUBLE ? "double" : "extended",
           blocks ? "block" : "leapfrog", (double)steps, largest[0], largest[1], ahead);
    assert_between(largest[0], 0, most.conserved);
    assert_between(largest[1], 0, most.conserved);
    const double phase_most = phase_of(most, (double)steps, dt, largest[0]);
    assert_between(ahead, -phase_most, phase_most);
    assert_between(hypot(end.x[0], end.x[1]) - 1, -4 * most.conserved, 4 * most.conserved);
}

static void circles(void **state)
{
    (void)state;
    for (int k = 0; k < engine_count; k++)
        for (int p = 0; p < 2; p++)
            for (int blocks = 0; blocks < 2; blocks++)
                a_circle_stays_a_circle(k, precisions[p], blocks);
}

/* On an eccentric orbit the energy stays within the oscillation of the first revolutions, and the
 * bodies are where the leap-frog in double has them. */
static void an_ellipse_only_oscillates(int k, int precision)
{
    const double dt = 1.0 / 64;
    const struct orbit start = {{1.5, 0}, {0, sqrt(1.0 / 3)}}; /* e = 0.5, from apocentre */
    const uint64_t steps = steps_of(k);
    const struct rounding most = rounding_of(precision, (double)steps, dt);
    const double amplitude = oscillation(start, dt);
    struct orbit expected = start;
    double a[2];
    struct pair pair;
    accelerate(&expected, a);
    begin(&pair, k, precision, 0, dt, &start);
    const struct ky_sums first = sums_of(&pair);
    double largest = 0;
    for (int call = 0; call < CALLS; call++) {
        go_on(&pair, steps / CALLS);
        for (uint64_t s = 0; s < steps / CALLS; s++)
            leap(&expected, a, dt);
        const struct ky_sums now = sums_of(&pair);
        const double change = (now.kinetic + now.potential) / (first.kinetic + first.potential) - 1;
        largest = fmax(largest, fabs(change));
        assert_between(now.angular_momentum[2] / first.angular_momentum[2] - 1, -most.conserved,
                       most.conserved);
    }
    const struct orbit end = finish(&pair);
    const double away = hypot(end.x[0] - expected.x[0], end.x[1] - expected.x[1]);
    printf("# %s %s: %g steps, energy within %.1e of %.1e, away %.1e\n", engines[k].engine,
           precision == KY_DOUBLE ? "double" : "extended", (double)steps, largest, amplitude, away);
    assert_between(largest, 0, amplitude + most.conserved);
    /* Positions are off three times as far at the pericentre, where the motion is fastest. */
    assert_between(away, 0, 3 * phase_of(most, (double)steps, dt, most.conserved));
}

static void ellipses(void **state)
{
    (void)state;
    for (int k = 0; k < engine_count; k++)
        for (int p = 0; p < 2; p++)
            an_ellipse_only_oscillates(k, precisions[p]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circles),
        cmocka_unit_test(ellipses),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
