/* Dynamical friction: its rate, the density of fields, the decay of a circular orbit in an
 * isothermal sphere against the published time, and what is refused. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "engine/common/external.h"
#include "engines.h"
#include "physics/friction.h"
#include "resumed.h"
#include "simulation/sim.h"

static struct ky_error error;
static const struct ky_units none; /* no scales */
static const double pi = 3.14159265358979323846;

/* The rate against Chandrasekhar's integral of the velocities below v, and where the series ends.
 */
static void the_rate_is_chandrasekhars(void **state)
{
    (void)state;
    const double sigma2 = 0.49, mu = 0.3, density = 1.7; /* 4π G ρ */
    for (double v = 0.003; v < 5; v *= 1.3) {
        double inside = 0, step = v / 20000;
        for (double u = step / 2; u < v; u += step) /* the share of slower bodies */
            inside += step * 4 * pi * u * u * exp(-u * u / (2 * sigma2));
        inside /= pow(2 * pi * sigma2, 1.5);
        const double wanted = mu * density * inside / (v * v * v);
        assert_between(ky_friction_rate(mu, density, sigma2, v * v) / wanted, 1 - 1e-7, 1 + 1e-7);
    }
    const double x = 0.05, v2 = 2 * sigma2 * x * x;
    assert_between(ky_friction_rate(mu, density, sigma2, v2 * (1 - 1e-9)) /
                       ky_friction_rate(mu, density, sigma2, v2 * (1 + 1e-9)),
                   1 - 1e-10, 1 + 1e-10);
    assert_true(isfinite(ky_friction_rate(mu, density, sigma2, 0)));
}

/* Poisson's equation: a Plummer sphere, a uniform one by `lambda`, fields that have no mass. */
static void fields_have_their_densities(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double density; /* 4π G ρ at (0.3, 0.4, 1.2) */
    } some[] = {
        {"plummer:mass=2,scale=0.5", 2 * 3 * 0.25 / (1.94 * 1.94 * 1.3928388277184119)},
        {"plummer:mass=2,scale=0.5,reflex=1", 2 * 3 * 0.25 / (1.94 * 1.94 * 1.3928388277184119)},
        {"point:mass=3", 0},
        {"lambda:omega=0.5,h0=2", -6},
        {"tidal:xx=1,yy=1,zz=-2,xy=3", 0},
        {"logarithmic:speed=2,core=0.1", 4 * (3 * 0.01 + 1.69) / (1.7 * 1.7)},
        {"triaxial-logarithmic:speed=2,core=0.1,p=1,q=1,turn=3,angle=20",
         4 * (3 * 0.01 + 1.69) / (1.7 * 1.7)},
        {"friction:body=0,log=1,sigma=1", 0},
    };
    const double x[3] = {0.3, 0.4, 1.2};
    for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
        struct ky_externals own = {0};
        assert_ok(ky_externals_read(some[k].text, 1, &none, &own, &error));
        const struct ky_external now = ky_external_in(&own.field[0], 1, 1, 3);
        const struct ky_external_state at = {.x = x[0], .y = x[1], .z = x[2]};
        double distance2;
        assert_between(ky_external_density(&now, at, &distance2) - some[k].density, -1e-12, 1e-12);
        assert_between(distance2, 1.69 - 1e-12, 1.69 + 1e-12);
    }
}

/* ½ ln(1 + (d/b)²): far out ln(d/b), near the centre d²/2b², and 0 for a body at rest. */
static void the_logarithm_falls_towards_a_centre(void **state)
{
    (void)state;
    const double mu = 0.02, v2 = 0.25, b = mu / v2;
    assert_between(ky_friction_logarithm(mu, 0, 1, v2), 0.5 * log(1 + 1 / (b * b)) - 1e-14,
                   0.5 * log(1 + 1 / (b * b)) + 1e-14);
    assert_between(ky_friction_logarithm(mu, 0, 1e16, v2) / log(1e8 / b), 1 - 1e-14, 1 + 1e-14);
    assert_between(ky_friction_logarithm(mu, 0, 1e-20, v2) * 2e20 * b * b, 1 - 1e-14, 1 + 1e-14);
    assert_true(ky_friction_logarithm(mu, 0, 1, 0) == 0);
    assert_true(ky_friction_logarithm(mu, b / 2, 1, v2) == ky_friction_logarithm(mu, 0, 1, v2));
    assert_between(ky_friction_logarithm(mu, 0.5, 1, v2) - 0.5 * log(5), -1e-14, 1e-14);
}

static struct ky_parameters parameters_of(const char *engine, const char *field, double step)
{
    struct ky_parameters p;
    ky_parameters_defaults(&p);
    p.engine = engine;
    p.integrator = KY_LEAPFROG;
    p.force = KY_DIRECT;
    p.softening = 1e-3;
    p.threads = 2;
    p.step = step;
    p.field = field;
    return p;
}

/* Three bodies without mutual forces that matter; the one with the id 7 is in the middle of the
 * list. */
static struct ky_bodies circling(void)
{
    static const uint64_t id[3] = {3, 7, 5};
    struct ky_bodies bodies = {0};
    assert_ok(ky_bodies_allocate(&bodies, 3, KY_WITH_ID, &error));
    for (int k = 0; k < 3; k++) {
        bodies.id[k] = id[k];
        bodies.mass[k] = 1e-9;
        bodies.position[k][0] = k ? 1 : 1.5;
        bodies.position[k][2] = 0.1 * k - 0.1;
        bodies.velocity[k][1] = 1;
    }
    return bodies;
}

static double radius2(const double x[3])
{
    return x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
}

/* Binney & Tremaine (2008), section 8.1.1: in a singular isothermal sphere the radius of a circular
 * orbit falls as r² = r₀² (1 − t/t_fric), t_fric = 1.17 r₀² v_c/(G M ln Λ), where 1.17 is 1/(2 ×
 * 0.428), and 0.428 the bracket at X = 1. */
static void a_circular_orbit_decays_in_the_published_time(void **state)
{
    (void)state;
    const double bracket = erf(1) - 2 * exp(-1) / sqrt(pi), mu = 0.004 * 2.5,
                 time = 1 / (2 * bracket * mu);
    assert_between(1 / (2 * bracket), 1.165, 1.175);
    for (int e = 0; e < engine_count; e++) {
        struct ky_parameters p =
            parameters_of(engines[e].engine,
                          "logarithmic:speed=1,core=0.001 "
                          "friction:body=7,log=2.5,sigma=0.70710678118654752,mass=0.004",
                          time / 16384);
        struct ky_bodies bodies = circling();
        struct ky_sim *sim = NULL;
        assert_ok(ky_sim_open(&p, &bodies, 0, &sim, &error));
        for (int k = 1; k <= 3; k++) {
            double mean = 0;
            assert_ok(ky_sim_advance(sim, 4096 - 8 * 32, &error));
            for (int s = -8; s < 8; s++) { /* about one revolution */
                assert_ok(ky_sim_advance(sim, 16, &error));
                assert_ok(ky_sim_bodies(sim, &bodies, &error));
                mean += radius2(bodies.position[1]) / 16;
            }
            assert_between(mean - (1 - (k - 8. / 256) / 4), -0.01, 0.01);
        }
        assert_between(radius2(bodies.position[2]), 0.95, 1.05);
        assert_between(radius2(bodies.position[0]), 0.5, 2.5);
        ky_sim_close(sim);
        ky_bodies_free(&bodies);
    }
}

static void place_after(uint64_t steps, double mass, double place[3])
{
    struct ky_parameters p = parameters_of("cpu",
                                           "logarithmic:speed=1,core=0.2 "
                                           "friction:body=7,sigma=0.6,mass=0.2",
                                           2. / (double)steps);
    struct ky_bodies bodies = circling();
    struct ky_sim *sim = NULL;
    p.precision = KY_DOUBLE;
    p.softening = 0.3;
    bodies.mass[0] = bodies.mass[2] = mass;
    assert_ok(ky_sim_open(&p, &bodies, 0, &sim, &error));
    assert_ok(ky_sim_advance(sim, steps, &error));
    assert_ok(ky_sim_bodies(sim, &bodies, &error));
    memcpy(place, bodies.position[1], 3 * sizeof *place);
    ky_sim_close(sim);
    ky_bodies_free(&bodies);
}

/* With half the step the error of the pull of other bodies is a quarter. */
static void friction_is_of_second_order(void **state)
{
    (void)state;
    double coarse[3], fine[3], exact[3];
    place_after(64, 0.1, coarse);
    place_after(128, 0.1, fine);
    place_after(4096, 0.1, exact);
    for (int c = 0; c < 2; c++)
        assert_between((coarse[c] - exact[c]) / (fine[c] - exact[c]), 3.7, 4.3);
}

/* Fields with friction have no error of the step. */
static void no_step_is_too_long_for_friction(void **state)
{
    (void)state;
    double coarse[3], exact[3];
    place_after(1, 0, coarse);
    place_after(4096, 0, exact);
    for (int c = 0; c < 3; c++)
        assert_between(coarse[c] - exact[c], -1e-9, 1e-9);
}

/* ---- a body that has sunk to the centre of a cusp ---- */

enum { HERNQUIST_STEPS = 200000 };
static const double sink_mass = 0.05, sink_sigma = 0.4, sink_end = 60;

/* The derivatives of position and velocity in a Hernquist sphere of mass 1 and scale 1, with
 * formulas of this test. */
static void sink_change(const double y[6], double to[6])
{
    const double r = sqrt(radius2(y)), v2 = radius2(y + 3), x = sqrt(v2 / 2) / sink_sigma,
                 density = 2 / (r * pow(1 + r, 3)), /* 4π G ρ */
        lambda = r * v2 / sink_mass, logarithm = fmin(0.5 * log1p(lambda * lambda), 3),
                 rate = density * sink_mass * logarithm *
                        (erf(x) - 2 * x * exp(-x * x) / sqrt(pi)) / pow(v2, 1.5);
    for (int c = 0; c < 3; c++) {
        to[c] = y[3 + c];
        to[3 + c] = -y[c] / (r * (1 + r) * (1 + r)) - rate * y[3 + c];
    }
}

/* Runge-Kutta steps of the fourth order, enough of them: with half as many the position changes by
 * less than the tolerance below. */
static void sink_reference(double y[6])
{
    const double h = sink_end / HERNQUIST_STEPS;
    for (int s = 0; s < HERNQUIST_STEPS; s++) {
        double k[4][6], at[6];
        for (int part = 0; part < 4; part++) {
            for (int c = 0; c < 6; c++)
                at[c] = y[c] + (part ? h * (part == 3 ? 1 : 0.5) * k[part - 1][c] : 0);
            sink_change(at, k[part]);
        }
        for (int c = 0; c < 6; c++)
            y[c] += h / 6 * (k[0][c] + 2 * k[1][c] + 2 * k[2][c] + k[3][c]);
    }
}

/* Friction ends near the centre, and the body stays there. Its orbit is the orbit with far shorter
 * steps, whatever the steps of the run are. */
static void a_sunken_body_stays(void **state)
{
    (void)state;
    static const char *const field =
        "hernquist:mass=1,scale=1 friction:body=7,log=3,sigma=0.4,mass=0.05";
    double exact[6] = {1, 0, 0, 0, 0.3, 0};
    sink_reference(exact);
    assert_between(sqrt(radius2(exact)), 0.001, 0.1);
    for (int e = 0; e < engine_count; e++)
        for (int steps = 30; steps <= 960; steps *= 32) {
            struct ky_parameters p = parameters_of(engines[e].engine, field, sink_end / steps);
            struct ky_bodies bodies = circling();
            struct ky_sim *sim = NULL;
            memset(bodies.mass, 0, 3 * sizeof *bodies.mass);
            bodies.velocity[1][1] = 0.3;
            bodies.position[1][2] = 0;
            assert_ok(ky_sim_open(&p, &bodies, 0, &sim, &error));
            assert_ok(ky_sim_advance(sim, (uint64_t)steps, &error));
            assert_ok(ky_sim_bodies(sim, &bodies, &error));
            for (int c = 0; c < 3; c++)
                assert_between(bodies.position[1][c] - exact[c], -2e-4, 2e-4);
            ky_sim_close(sim);
            ky_bodies_free(&bodies);
        }
}

/* ky_orbit follows the same path in one part or in many, and backwards to its beginning. */
static void an_orbit_has_friction(void **state)
{
    (void)state;
    enum { ROWS = 1000 };
    static double time[ROWS], x[ROWS][3], v[ROWS][3], potential[ROWS];
    double exact[6] = {1, 0, 0, 0, 0.3, 0};
    struct ky_parameters p = parameters_of("cpu",
                                           "hernquist:mass=1,scale=1 "
                                           "friction:body=0,log=3,sigma=0.4,mass=0.05",
                                           1);
    sink_reference(exact);
    for (int rows = 2; rows <= ROWS; rows += ROWS - 2) {
        for (int k = 0; k < rows; k++)
            time[k] = sink_end * k / (rows - 1);
        memcpy(x[0], (double[3]){1, 0, 0}, sizeof x[0]);
        memcpy(v[0], (double[3]){0, 0.3, 0}, sizeof v[0]);
        assert_ok(ky_orbit(&p, (size_t)rows, time, x, v, potential, &error));
        for (int c = 0; c < 3; c++)
            assert_between(x[rows - 1][c] - exact[c], -1e-6, 1e-6);
        assert_between(potential[0], -0.5 - 1e-15, -0.5 + 1e-15);
    }
    time[0] = 1, time[1] = 4, time[2] = 1;
    memcpy(x[0], (double[3]){1, 0, 0}, sizeof x[0]);
    memcpy(v[0], (double[3]){0, 0.3, 0}, sizeof v[0]);
    assert_ok(ky_orbit(&p, 3, time, x, v, NULL, &error));
    for (int c = 0; c < 3; c++)
        assert_between(x[2][c] - x[0][c], -1e-9, 1e-9);
}

/* An orbit into a point mass is refused, and an orbit close to it is followed. Times that the
 * fields do not cover are refused. */
static void wrong_orbits_are_refused(void **state)
{
    (void)state;
    double time[2] = {0, 3}, x[2][3] = {{1, 0, 0}}, v[2][3] = {{0}};
    const int stop = 1;
    struct ky_parameters p = parameters_of("cpu", "point:mass=1", 1);
    assert_int_equal(ky_orbit(&p, 2, time, x, v, NULL, &error), KY_BAD_DATA);
    assert_non_null(strstr(error.text, "falls into the centre of a field"));
    v[0][1] = 1e-2; /* once around, with a pericentre of 5e-5 */
    time[1] = 2 * pi * pow(2 - 1e-4, -1.5);
    assert_ok(ky_orbit(&p, 2, time, x, v, NULL, &error));
    for (int c = 0; c < 3; c++)
        assert_between(x[1][c] - x[0][c], -1e-6, 1e-6);
    p.stop = &stop;
    assert_int_equal(ky_orbit(&p, 2, time, x, v, NULL, &error), KY_STOPPED);
    p.stop = NULL;
    p.field = "plummer:mass=1,scale=1 friction:body=0,sigma=1";
    assert_int_equal(ky_orbit(&p, 2, time, x, v, NULL, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "the body has no mass"));
    p.field = "plummer:mass=1,scale=1 friction:body=1,sigma=1,mass=1";
    assert_int_equal(ky_orbit(&p, 2, time, x, v, NULL, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "no body has the id 1"));
    time[1] = (double)NAN;
    p.field = "plummer:mass=1,scale=1";
    assert_int_equal(ky_orbit(&p, 2, time, x, v, NULL, &error), KY_USAGE);
    time[1] = 1;
    x[0][0] = (double)INFINITY;
    assert_int_equal(ky_orbit(&p, 2, time, x, v, NULL, &error), KY_BAD_DATA);
    assert_int_equal(ky_orbit(&p, 2, NULL, x, v, NULL, &error), KY_USAGE);
    assert_int_equal(ky_orbit(NULL, 2, time, x, v, NULL, &error), KY_USAGE);
    assert_ok(ky_orbit(&p, 0, NULL, NULL, NULL, NULL, &error));
}

/* A body at rest in the centre of a field stays there, as a black hole does while nothing else
 * pulls it. */
static void a_body_rests_in_a_centre(void **state)
{
    (void)state;
    static const char *const fields[] = {
        "plummer:mass=1,scale=1",
        "hernquist:mass=1,scale=1",
        "point:mass=1",
        "uniform:ax=0",
        "plummer:mass=1,scale=1 friction:body=0,log=3,sigma=0.4,mass=0.05",
        "hernquist:mass=1,scale=1 friction:body=0,log=3,sigma=0.4,mass=0.05"};
    double time[2] = {0, 3}, x[2][3] = {{0}}, v[2][3] = {{0}};
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
        struct ky_parameters p = parameters_of("cpu", fields[k], 1);
        assert_ok(ky_orbit(&p, 2, time, x, v, NULL, &error));
        for (int c = 0; c < 3; c++)
            assert_between(fabs(x[1][c]) + fabs(v[1][c]), 0, 0);
    }
}

/* Where a light body pulls it out of the centre of a cusp, it stays near it: its orbit there is not
 * resolved, and the run ends. The light body keeps its own orbit. */
static void a_pulled_body_rests_in_a_cusp(void **state)
{
    (void)state;
    static const double offset[] = {0, 1e-12};
    for (int k = 0; k < 2; k++) {
        struct ky_parameters p =
            parameters_of("cpu", "nfw:mass=1,scale=1 friction:body=7,log=3,sigma=0.5", 1. / 128);
        struct ky_bodies bodies = circling();
        struct ky_sim *sim = NULL;
        for (int b = 0; b < 3; b++)
            bodies.mass[b] = b == 1 ? 0.01 : 1e-6;
        memset(bodies.position[1], 0, sizeof bodies.position[1]);
        memset(bodies.velocity[1], 0, sizeof bodies.velocity[1]);
        bodies.position[1][0] = offset[k];
        assert_ok(ky_sim_open(&p, &bodies, 0, &sim, &error));
        assert_ok(ky_sim_advance(sim, 16, &error));
        assert_ok(ky_sim_bodies(sim, &bodies, &error));
        assert_between(sqrt(radius2(bodies.position[1])), 0, 1e-8);
        assert_between(sqrt(radius2(bodies.velocity[1])), 0, 1e-4);
        ky_sim_close(sim);
        ky_bodies_free(&bodies);
    }
}

/* A body's own mass acts where none is given, times G. */
static void a_body_has_its_own_mass(void **state)
{
    (void)state;
    double place[2][3];
    for (int given = 0; given < 2; given++) {
        struct ky_parameters p =
            parameters_of("cpu",
                          given ? "plummer:mass=1,scale=1 friction:body=7,log=3,sigma=0.5,mass=1e-3"
                                : "plummer:mass=1,scale=1 friction:body=7,log=3,sigma=0.5",
                          1. / 64);
        struct ky_bodies bodies = circling();
        struct ky_sim *sim = NULL;
        bodies.mass[1] = 1e-3;
        p.g = 2;
        assert_ok(ky_sim_open(&p, &bodies, 0, &sim, &error));
        assert_ok(ky_sim_advance(sim, 64, &error));
        assert_ok(ky_sim_bodies(sim, &bodies, &error));
        memcpy(place[given], bodies.position[1], sizeof place[given]);
        ky_sim_close(sim);
        ky_bodies_free(&bodies);
    }
    for (int c = 0; c < 3; c++)
        assert_between(place[0][c] - place[1][c], -1e-12, 1e-12);
}

static void friction_has_no_seams(void **state)
{
    (void)state;
    static const char *const path = "friction.kyo", *const before = "friction.kyo.previous";
    for (int e = 0; e < engine_count; e++) {
        struct ky_parameters p = parameters_of(engines[e].engine,
                                               "bar:mass=1,length=0.5,height=0.3,speed=0.4 "
                                               "friction:body=7,log=3,sigma=0.5,mass=1e-2",
                                               1. / 64);
        struct ky_bodies whole = circling(), parts = circling();
        struct ky_sim *sim = NULL;
        assert_ok(ky_sim_open(&p, &whole, 1. / 3, &sim, &error));
        assert_ok(ky_sim_advance(sim, 60, &error));
        assert_ok(ky_sim_bodies(sim, &whole, &error));
        ky_sim_close(sim);
        assert_ok(ky_sim_open(&p, &parts, 1. / 3, &sim, &error));
        assert_ok(ky_sim_advance(sim, 7, &error));
        assert_ok(ky_sim_advance(sim, 14, &error));
        goes_on_as(sim, &p, path, &whole, &parts);
    }
    remove(path);
    remove(before);
}

static void wrong_friction_is_refused(void **state)
{
    (void)state;
    static const char *const right = "friction:body=7,log=3,sigma=0.5";
    static const struct {
        const char *text, *line;
        int integrator;
    } wrong[] = {
        {"friction:body=8,log=3,sigma=0.5", "no body has the id 8", KY_LEAPFROG},
        {"friction:body=1.5,log=3,sigma=0.5", "no body has the id 1.5", KY_LEAPFROG},
        {"friction:body=7,log=3,sigma=0.5 friction:body=7,log=3,sigma=0.5",
         "friction of body 7 is given twice", KY_LEAPFROG},
        {"friction:body=7,log=3,sigma=0", "sigma must be positive", KY_LEAPFROG},
        {"friction:body=7,log=0,sigma=0.5", "log must be positive", KY_LEAPFROG},
        {"friction:body=7,log=3,sigma=1e-300,mass=1", "friction of body 7: the third power",
         KY_LEAPFROG},
        {"friction:body=7,log=3,sigma=1e-110,mass=1", "the third power", KY_LEAPFROG},
        {"friction:body=7,log=3,sigma=1e110", "the third power", KY_LEAPFROG},
        {"friction:body=7,log=3", "sigma is missing", KY_LEAPFROG},
        {"friction:body=7,log=3,sigma=1,x=1", "has no number 'x'", KY_LEAPFROG},
        {"friction:body=7,log=3,sigma=1,centre=@t.csv", "friction has no centre", KY_LEAPFROG},
        {right, "there is no other field", KY_LEAPFROG},
        {right, "use --integrator leapfrog", KY_BLOCK_STEPS},
        {right, "use --integrator leapfrog", KY_HERMITE4},
    };
    struct ky_bodies bodies = circling();
    struct ky_sim *sim = NULL;
    struct ky_parameters p;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        p = parameters_of("cpu", wrong[k].text, 1. / 64);
        p.integrator = wrong[k].integrator;
        p.step_length = p.integrator == KY_BLOCK_STEPS ? 0.1 : (double)NAN;
        assert_int_equal(ky_sim_open(&p, &bodies, 0, &sim, &error), KY_USAGE);
        if (!strstr(error.text, wrong[k].line))
            fail_msg("%s: %s", wrong[k].text, error.text);
    }
    p = parameters_of("cpu", NULL, 1. / 64);
    p.integrator = KY_HERMITE4;
    assert_ok(ky_sim_open(&p, &bodies, 0, &sim, &error));
    assert_int_equal(ky_sim_set_fields(sim, right, &error), KY_USAGE);
    assert_ok(ky_sim_advance(sim, 1, &error));
    ky_sim_close(sim);
    p.integrator = KY_LEAPFROG;
    assert_ok(ky_sim_open(&p, &bodies, 0, &sim, &error));
    assert_int_equal(ky_sim_set_fields(sim, wrong[0].text, &error), KY_USAGE);
    assert_int_equal(ky_sim_set_fields(sim, right, &error), KY_USAGE);
    assert_ok(
        ky_sim_set_fields(sim, "plummer:mass=1,scale=1 friction:body=7,log=3,sigma=0.5", &error));
    assert_ok(ky_sim_advance(sim, 1, &error));
    ky_sim_close(sim);
    ky_bodies_free(&bodies);
}

/* A body without mass, whose friction would be none: when a simulation is opened, when it gets its
 * fields, and when it gets its mass. */
static void friction_without_mass_is_refused(void **state)
{
    (void)state;
    static const char *const right = "plummer:mass=1,scale=1 friction:body=7,log=3,sigma=0.5",
                             *const heavy =
                                 "plummer:mass=1,scale=1 friction:body=7,log=3,sigma=0.5,mass=1e-3",
                             *const line = "friction of body 7: the body has no mass";
    struct ky_bodies bodies = circling();
    double *mass = calloc(bodies.n, sizeof *mass);
    const struct ky_bodies light = {.n = bodies.n, .mass = mass};
    struct ky_sim *sim = NULL;
    struct ky_parameters p = parameters_of("cpu", right, 1. / 64);
    assert_ok(ky_sim_open(&p, &bodies, 0, &sim, &error));
    assert_int_equal(ky_sim_replace(sim, NULL, &light, &error), KY_USAGE);
    assert_non_null(strstr(error.text, line));
    assert_ok(ky_sim_advance(sim, 1, &error));
    ky_sim_close(sim);
    memset(bodies.mass, 0, bodies.n * sizeof *mass);
    assert_int_equal(ky_sim_open(&p, &bodies, 0, &sim, &error), KY_USAGE);
    assert_non_null(strstr(error.text, line));
    p.field = heavy;
    assert_ok(ky_sim_open(&p, &bodies, 0, &sim, &error));
    assert_int_equal(ky_sim_set_fields(sim, right, &error), KY_USAGE);
    assert_non_null(strstr(error.text, line));
    assert_ok(ky_sim_advance(sim, 1, &error));
    ky_sim_close(sim);
    free(mass);
    ky_bodies_free(&bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rate_is_chandrasekhars),
        cmocka_unit_test(fields_have_their_densities),
        cmocka_unit_test(the_logarithm_falls_towards_a_centre),
        cmocka_unit_test(a_circular_orbit_decays_in_the_published_time),
        cmocka_unit_test(friction_is_of_second_order),
        cmocka_unit_test(no_step_is_too_long_for_friction),
        cmocka_unit_test(a_sunken_body_stays),
        cmocka_unit_test(an_orbit_has_friction),
        cmocka_unit_test(wrong_orbits_are_refused),
        cmocka_unit_test(a_body_rests_in_a_centre),
        cmocka_unit_test(a_pulled_body_rests_in_a_cusp),
        cmocka_unit_test(a_body_has_its_own_mass),
        cmocka_unit_test(friction_has_no_seams),
        cmocka_unit_test(wrong_friction_is_refused),
        cmocka_unit_test(friction_without_mass_is_refused),
    };
    return cmocka_run_group_tests(tests, find_quick_engines, NULL);
}
