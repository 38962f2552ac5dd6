/* External fields as a user has them: their centres, orbits in each field with each integrator on
 * each engine, fields that change in time, and a field that is a function of the program. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/common/external.h"
#include "engines.h"
#include "integrate/integrate.h"
#include "resumed.h"
#include "simulation/sim.h"

static struct ky_error error;
static const struct ky_units none; /* no scales */
static const double pi = 3.14159265358979323846;

/* ---- at and near the centre ---- */

static void fields_are_finite_and_right_at_their_centre(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double potential, gradient, near; /* near the centre the force is gradient × near */
    } some[] = {
        {"point:mass=2,eps=0.5", -4, -16, 1e-4},
        {"point:mass=2", 0, 0, 0},
        {"plummer:mass=2,scale=0.5", -4, -16, 1e-4},
        {"nfw:mass=2,scale=0.5", -4, 0, 0},
        {"nfw:mass=2,scale=0.5,eps=1e-2", -3.9605255, -390.0, 1e-6},
        {"logarithmic:speed=2,core=0.5", 0, -16, 1e-4},
        {"hernquist:mass=2,scale=0.5", -4, 0, 0},
        {"hernquist:mass=2,scale=0.5,eps=1e-2", -3.9215686, -768.93503, 1e-6},
        {"isochrone:mass=2,scale=0.5", -2, -4, 1e-4},
        {"power-law-cutoff:mass=2,alpha=1,cutoff=0.5", -7.0898154, 0, 0},
        {"power-law-cutoff:mass=2,alpha=0,cutoff=0.5", -4.5135167, -12.036044, 1e-4},
        {"miyamoto-nagai:mass=2,scale=0.3,height=0.2", -4, -16, 1e-4},
        {"triaxial-logarithmic:speed=2,core=0.5,p=0.9,q=0.8", 0, -16, 1e-4},
        {"bar:mass=2,length=1,scale=0.1,height=0.3", -3.2944623, -1.6008219, 1e-4},
        {"lambda:omega=0.5,h0=2", 0, 2, 1e-4},
        {"tidal:xx=3,yy=-1,zz=-2,xy=0.3", 0, 3, 1e-4},
    };
    const double v[3] = {1, 2, -1};
    for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
        struct ky_externals own = {0};
        const double at[3] = {0, 0, 0}, near[3] = {some[k].near, 0, 0};
        assert_ok(ky_externals_read(some[k].text, 1, &none, &own, &error));
        const struct ky_external_pull pull = ky_externals_at(own.field, 1, at, v);
        assert_true(pull.x == 0 && pull.y == 0 && pull.z == 0);
        assert_true(isfinite(pull.jx) && isfinite(pull.jy) && isfinite(pull.jz));
        assert_between(pull.potential - some[k].potential, -1e-6, 1e-6);
        const double x = ky_externals_at(own.field, 1, near, v).x;
        if (some[k].near > 0)
            assert_between(x / (some[k].gradient * some[k].near), 1 - 3e-3, 1 + 3e-3);
    }
}

/* A body in the centre of all fields feels no force, and a body beside it the force of the law. */
static void bodies_in_centres_are_not_pulled(void **state)
{
    (void)state;
    for (int e = 0; e < engine_count; e++)
        for (int precision = KY_SINGLE; precision <= KY_DOUBLE; precision++) {
            struct ky_bodies bodies = {0};
            struct ky_parameters p;
            ky_parameters_defaults(&p);
            p.engine = engines[e].engine;
            p.force = KY_DIRECT;
            p.precision = precision;
            p.softening = 1;
            p.field = "point:mass=1,x=3 plummer:mass=1,scale=2,x=3 nfw:mass=3,scale=2,x=3 "
                      "logarithmic:speed=1,core=1,x=3 lambda:omega=1,h0=1,x=3 "
                      "hernquist:mass=1,scale=2,eps=1,x=3 isochrone:mass=1,scale=2,x=3 "
                      "power-law-cutoff:mass=1,alpha=0,cutoff=2,x=3 "
                      "miyamoto-nagai:mass=1,scale=2,height=1,x=3 "
                      "triaxial-logarithmic:speed=1,core=1,p=0.9,q=0.8,x=3 "
                      "bar:mass=1,length=2,height=1,speed=1,x=3 tidal:xx=1,yy=-1,zz=1,x=3";
            assert_ok(ky_bodies_allocate(&bodies, 3, KY_WITH_ACCELERATION, &error));
            bodies.position[0][0] = 3;
            bodies.position[1][0] = 3 + 2e-9; /* the cusp of nfw: mass/(2 scale²) */
            bodies.position[2][2] = 1;
            p.field += precision == KY_SINGLE ? 16 : 0; /* without the point, the cusp alone */
            assert_ok(ky_forces(&p, &bodies, NULL, &error));
            for (int c = 0; c < 3; c++)
                assert_true(bodies.acceleration[0][c] == 0);
            if (precision == KY_SINGLE)
                assert_between(bodies.acceleration[1][0] / (-3. / 8), 1 - 1e-5, 1 + 1e-5);
            else
                assert_true(isfinite(bodies.acceleration[1][0]));
            ky_bodies_free(&bodies);
        }
}

/* The cusp pulls with G mass/(2 scale²) (1 − 4u/3 + 3u²/2 …). Where the series ends, both formulas
 * agree. The mass agrees with the law in double, where that loses no digits. */
static void an_nfw_field_keeps_its_digits(void **state)
{
    (void)state;
    struct ky_externals own = {0};
    const double v[3] = {1, 0, 0};
    assert_ok(ky_externals_read("nfw:mass=2,scale=1", 1, &none, &own, &error));
    for (double u = 1e-8; u < 1e-3; u *= 10) {
        const double x[3] = {u, 0, 0};
        const struct ky_external_pull pull = ky_externals_at(own.field, 1, x, v);
        assert_between(pull.x / -(1 - 4 * u / 3 + 1.5 * u * u - 1.6 * u * u * u), 1 - 1e-11,
                       1 + 1e-11);
        assert_between(pull.jx / (4. / 3 - 3 * u + 4.8 * u * u), 1 - 1e-7, 1 + 1e-7);
    }
    for (int k = 0; k <= 40; k++) {
        const double u = 0.05 * exp(0.25 * k), x[3] = {u, 0, 0}, inside = log1p(u) - u / (1 + u);
        const struct ky_external_pull pull = ky_externals_at(own.field, 1, x, v);
        assert_between(pull.x / (-2 * inside / (u * u)), 1 - 2e-13, 1 + 2e-13);
        assert_between(pull.potential / (-2 * log1p(u) / u), 1 - 1e-14, 1 + 1e-14);
    }
}

/* For α = 1 and 0 the incomplete gamma functions are exponentials and error functions: below and
 * above the radius where the series ends, all digits are right. */
static void a_cut_off_power_law_keeps_its_digits(void **state)
{
    (void)state;
    const double v[3] = {1, 0, 0}, root = sqrt(pi);
    for (int alpha = 0; alpha < 2; alpha++) {
        struct ky_externals own = {0};
        assert_ok(ky_externals_read(alpha ? "power-law-cutoff:mass=2,alpha=1,cutoff=1"
                                          : "power-law-cutoff:mass=2,alpha=0,cutoff=1",
                                    1, &none, &own, &error));
        for (double r = 0.1; r < 30; r *= 1.07) {
            const double x[3] = {r, 0, 0}, tail = exp(-r * r),
                         inside = alpha ? -expm1(-r * r) : erf(r) - 2 * r * tail / root,
                         outside = alpha ? root * erfc(r) : 2 * tail / root,
                         density = alpha ? 2 * r * tail : 4 * r * r * tail / root;
            const struct ky_external_pull pull = ky_externals_at(own.field, 1, x, v);
            assert_between(pull.x / (-2 * inside / (r * r)), 1 - 1e-12, 1 + 1e-12);
            assert_between(pull.potential / (-2 * (inside / r + outside)), 1 - 1e-13, 1 + 1e-13);
            assert_between(pull.jx - 2 * (2 * inside / r - density) / (r * r), -1e-12, 1e-12);
        }
    }
}

/* ---- orbits ---- */

/* A circle of radius 1 about the centre (0.5, -0.25, 0): ω² = |a|. */
static const struct orbit {
    const char *text;
    double omega2;
} orbits[] = {
    {"point:mass=1.5,x=0.5,y=-0.25", 1.5},
    {"plummer:mass=2,scale=0.7,x=0.5,y=-0.25", 2 / (1.49 * 1.2206555615733703)},
    {"nfw:mass=3,scale=0.5,x=0.5,y=-0.25", 3 * (1.0986122886681098 - 2. / 3)},
    {"logarithmic:speed=1.2,core=0.3,flattening=0.8,x=0.5,y=-0.25", 1.44 / 1.09},
    {"hernquist:mass=2,scale=0.7,x=0.5,y=-0.25", 2 / 2.89},
    {"isochrone:mass=2,scale=0.7,x=0.5,y=-0.25", 2 / (1.2206555615733703 * 3.6889177862027183)},
    {"power-law-cutoff:mass=2,alpha=1,cutoff=0.8,x=0.5,y=-0.25", 2 * 0.7903886128489022},
    {"miyamoto-nagai:mass=2,scale=0.7,height=0.2,x=0.5,y=-0.25", 2 / (1.81 * 1.3453624047073710)},
    {"triaxial-logarithmic:speed=1.2,core=0.3,p=1,q=0.7,x=0.5,y=-0.25", 1.44 / 1.09},
    {"tidal:xx=-1.1,yy=-1.1,zz=-0.3,x=0.5,y=-0.25", 1.1},
    {"point:mass=2,x=0.5,y=-0.25 lambda:omega=0.1,h0=0.8,x=0.5,y=-0.25", 2 - 0.1 * 0.64},
};
enum { ORBITS = sizeof orbits / sizeof *orbits, STEPS = 256 };

static double energy_of(struct ky_sim *sim)
{
    struct ky_sums sums = {0};
    assert_ok(ky_sim_sums(sim, &sums, &error));
    return sums.kinetic + sums.potential + sums.external;
}

/* One body with hardly any mass, and on the other side one without mass. */
static struct ky_bodies circling(double omega2)
{
    struct ky_bodies bodies = {0};
    assert_ok(ky_bodies_allocate(&bodies, 2, 0, &error));
    bodies.mass[0] = 1e-12;
    for (int k = 0; k < 2; k++) {
        const double side = k ? -1 : 1;
        bodies.position[k][0] = 0.5 + side;
        bodies.position[k][1] = -0.25;
        bodies.velocity[k][1] = side * sqrt(omega2);
    }
    return bodies;
}

static struct ky_parameters parameters_of(const char *engine, int integrator, int precision)
{
    struct ky_parameters p;
    ky_parameters_defaults(&p);
    p.engine = engine;
    p.integrator = integrator;
    p.force = KY_DIRECT;
    p.precision = precision;
    p.softening = 1e-3;
    p.threads = 2;
    if (integrator == KY_HERMITE4)
        p.eta = 0.01;
    if (integrator == KY_BLOCK_STEPS)
        p.step_length = 3e-3;
    return p;
}

/* After whole periods the body is where it began, but for the phase error of the steps, and its
 * energy is the same. */
static void goes_around(const struct orbit *orbit, const struct ky_parameters *parameters,
                        uint64_t periods)
{
    struct ky_parameters p = *parameters;
    const double period = 2 * pi / sqrt(orbit->omega2), energy = 0.5e-12 * orbit->omega2;
    const int exact = p.precision == KY_DOUBLE || !strcmp(p.engine, "cpu");
    struct ky_bodies bodies = circling(orbit->omega2), after = circling(0);
    struct ky_sim *sim = NULL;
    p.field = orbit->text;
    p.step = period / STEPS;
    if (p.integrator == KY_HERMITE4)
        p.step_min = p.step / 1024;
    assert_ok(ky_sim_open(&p, &bodies, 0, &sim, &error));
    const double start = energy_of(sim), tolerance = exact ? 1e-6 : 3e-6,
                 miss = p.integrator == KY_HERMITE4 ? 1e-5 : 8e-3;
    assert_ok(ky_sim_advance(sim, periods * STEPS, &error));
    assert_between(energy_of(sim) - start, -tolerance * energy, tolerance * energy);
    assert_ok(ky_sim_bodies(sim, &after, &error));
    for (int k = 0; k < 2; k++)
        for (int c = 0; c < 3; c++)
            assert_between(after.position[k][c] - bodies.position[k][c], -miss, miss);
    ky_sim_close(sim);
    ky_bodies_free(&bodies);
    ky_bodies_free(&after);
}

static void circular_orbits_have_their_period(void **state)
{
    (void)state;
    static const int integrators[] = {KY_LEAPFROG, KY_BLOCK_STEPS, KY_HERMITE4};
    for (int e = 0; e < engine_count; e++)
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < ORBITS; k++) {
                const int precision = k % 2 ? KY_DOUBLE : KY_EXTENDED;
                const struct ky_parameters p =
                    parameters_of(engines[e].engine, integrators[i], precision);
                goes_around(&orbits[k], &p, is_slow(e) ? 1 : 3);
            }
}

/* ---- time ---- */

static const char turning[] = "bar:mass=0.6,length=0.8,scale=0.1,height=0.2,speed=0.7,angle=40 "
                              "miyamoto-nagai:mass=1,scale=0.9,height=0.3";
static const double turn = 0.7; /* its speed */

/* Jacobi's integral of the body: E − Ω L_z. */
static double jacobi_of(struct ky_sim *sim, struct ky_bodies *bodies)
{
    assert_ok(ky_sim_bodies(sim, bodies, &error));
    const double *x = bodies->position[0], *v = bodies->velocity[0];
    return energy_of(sim) - turn * bodies->mass[0] * (x[0] * v[1] - x[1] * v[0]);
}

static struct ky_sim *open_turning(const struct ky_parameters *parameters, double time,
                                   struct ky_bodies *bodies)
{
    struct ky_parameters p = *parameters;
    struct ky_sim *sim = NULL;
    p.field = turning;
    p.step = 1. / 128;
    if (p.integrator == KY_HERMITE4)
        p.step_min = p.step / 1024;
    *bodies = circling(1);
    bodies->velocity[0][2] = 0.3;
    assert_ok(ky_sim_open(&p, bodies, time, &sim, &error));
    return sim;
}

/* Jacobi's integral is constant and the energy is not; all engines and integrators end at one
 * place. */
static void a_turning_bar_keeps_jacobis_integral(void **state)
{
    (void)state;
    static const int integrators[] = {KY_HERMITE4, KY_BLOCK_STEPS, KY_LEAPFROG};
    double end[3] = {0}; /* of the first of them */
    for (int e = 0; e < engine_count; e++)
        for (int i = 0; i < 3; i++)
            for (int precision = KY_EXTENDED; precision <= KY_DOUBLE; precision++) {
                struct ky_bodies bodies;
                const struct ky_parameters p =
                    parameters_of(engines[e].engine, integrators[i], precision);
                const int is_hermite = integrators[i] == KY_HERMITE4;
                const double tolerance = is_hermite ? 1e-6 : 2e-4, miss = is_hermite ? 1e-4 : 2e-3;
                struct ky_sim *sim = open_turning(&p, 5, &bodies);
                const double start = jacobi_of(sim, &bodies), energy = energy_of(sim);
                assert_ok(ky_sim_advance(sim, 512, &error));
                assert_between(jacobi_of(sim, &bodies) / start, 1 - tolerance, 1 + tolerance);
                assert_true(fabs(energy_of(sim) / energy - 1) > 0.01);
                for (int c = 0; c < 3; c++) {
                    if (e == 0 && i == 0 && precision == KY_EXTENDED)
                        end[c] = bodies.position[0][c];
                    assert_between(bodies.position[0][c] - end[c], -miss, miss);
                }
                ky_sim_close(sim);
                ky_bodies_free(&bodies);
            }
}

/* The bits depend neither on how a run is cut into calls, nor on a restart in the middle. */
static void time_has_no_seams(void **state)
{
    (void)state;
    static const char *const path = "fields-time.kyo", *const before = "fields-time.kyo.previous";
    static const int integrators[] = {KY_LEAPFROG, KY_BLOCK_STEPS, KY_HERMITE4};
    for (int e = 0; e < engine_count; e++)
        for (int i = 0; i < 3; i++) {
            struct ky_bodies whole, parts;
            struct ky_parameters p = parameters_of(engines[e].engine, integrators[i], KY_DOUBLE);
            struct ky_sim *sim = open_turning(&p, 1. / 3, &whole);
            assert_ok(ky_sim_advance(sim, 60, &error));
            assert_ok(ky_sim_bodies(sim, &whole, &error));
            ky_sim_close(sim);
            sim = open_turning(&p, 1. / 3, &parts);
            for (int k = 0; k < 3; k++)
                assert_ok(ky_sim_advance(sim, 7, &error));
            goes_on_as(sim, &p, path, &whole, &parts);
        }
    remove(path);
    remove(before);
}

/* ---- a function of the program ---- */

/* A Plummer sphere, with G mass and scale² in the context. */
static void own_plummer(void *context, struct ky_field_place *at)
{
    const double *number = context, *x = at->position, *v = at->velocity,
                 s2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + number[1],
                 force = -number[0] / (s2 * sqrt(s2)),
                 along = 3 * (x[0] * v[0] + x[1] * v[1] + x[2] * v[2]) / s2;
    for (int c = 0; c < 3; c++) {
        at->acceleration[c] = force * x[c];
        at->jerk[c] = force * (v[c] - along * x[c]);
    }
    at->potential = -number[0] / sqrt(s2);
}

/* The same for many places; notes how many were asked for at once. */
static size_t most_places;
static void own_plummers(void *context, const struct ky_field_places *at)
{
    most_places = at->count > most_places ? at->count : most_places;
    for (size_t k = 0; k < at->count; k++) {
        struct ky_field_place one = {.size = sizeof one, .time = at->time};
        memcpy(one.position, at->position[k], sizeof one.position);
        if (at->velocity)
            memcpy(one.velocity, at->velocity[k], sizeof one.velocity);
        own_plummer(context, &one);
        if (at->acceleration)
            memcpy(at->acceleration[k], one.acceleration, sizeof one.acceleration);
        if (at->jerk)
            memcpy(at->jerk[k], one.jerk, sizeof one.jerk);
        if (at->potential)
            at->potential[k] = one.potential;
    }
}

static void nothing_at_many(void *context, const struct ky_field_places *at)
{
    (void)context;
    (void)at;
}

static void nothing(void *context, struct ky_field_place *at)
{
    (void)context;
    (void)at;
}

/* Many bodies, whose units and position are not the engine's own. */
static struct ky_bodies cloud(void)
{
    struct ky_model_parameters model;
    struct ky_snapshot snapshot = {0};
    ky_model_parameters_defaults(&model);
    model.n = 60;
    model.mass = 1e-3;
    model.radius = 3e4;
    assert_ok(ky_model_make("plummer", &model, &snapshot, &error));
    return snapshot.bodies;
}

static void run_cloud(const struct ky_parameters *p, struct ky_bodies *bodies, double energy[2])
{
    struct ky_sim *sim = NULL;
    assert_ok(ky_sim_open(p, bodies, 0, &sim, &error));
    energy[0] = energy_of(sim);
    assert_ok(ky_sim_advance(sim, 40, &error));
    energy[1] = energy_of(sim);
    assert_ok(ky_sim_bodies(sim, bodies, &error));
    ky_sim_close(sim);
}

static void a_function_acts_as_the_field_that_it_is(void **state)
{
    (void)state;
    double number[2] = {2000, 4e8};
    for (int i = 0; i < 3; i++) {
        static const int integrators[] = {KY_LEAPFROG, KY_BLOCK_STEPS, KY_HERMITE4};
        struct ky_parameters p = parameters_of("cpu", integrators[i], KY_DOUBLE);
        struct ky_bodies named = cloud(), called = cloud();
        double of_named[2], of_called[2];
        p.softening = 3e3;
        p.step_length = i == 1 ? 3e3 : (double)NAN;
        p.step = 512;
        p.field = "plummer:mass=2000,scale=20000";
        run_cloud(&p, &named, of_named);
        p.field = NULL;
        p.field_function = own_plummer;
        p.field_context = number;
        run_cloud(&p, &called, of_called);
        for (size_t k = 0; k < named.n; k++)
            for (int c = 0; c < 3; c++)
                assert_between(named.position[k][c] - called.position[k][c], -1e-6, 1e-6);
        for (int k = 0; k < 2; k++)
            assert_between(of_named[k] / of_called[k], 1 - 1e-11, 1 + 1e-11);
        assert_between(of_called[1] / of_called[0], 1 - 1e-4, 1 + 1e-4);
        ky_bodies_free(&named);
        ky_bodies_free(&called);
    }
}

/* On every engine; a device does not lead Hermite steps with it. */
static void a_function_of_many_places_acts_as_the_field(void **state)
{
    (void)state;
    static const int integrators[] = {KY_LEAPFROG, KY_BLOCK_STEPS, KY_HERMITE4};
    double number[2] = {2000, 4e8};
    for (int k = 0; k < 3 * engine_count; k++) {
        struct ky_parameters p =
            parameters_of(engines[k / 3].engine, integrators[k % 3], KY_DOUBLE);
        struct ky_bodies named = cloud(), called = cloud();
        struct ky_sim *sim = NULL;
        double of_named[2], of_called[2];
        p.softening = 3e3;
        p.step_length = k % 3 == 1 ? 3e3 : (double)NAN;
        p.step = 512;
        p.field = "plummer:mass=2000,scale=20000 point:mass=1,x=1e5";
        if (k % 3 < 2 || is_cpu_engine(k / 3))
            run_cloud(&p, &named, of_named);
        p.field = "point:mass=1,x=1e5";
        p.field_places = own_plummers;
        p.field_context = number;
        most_places = 0;
        if (k % 3 == 2 && !is_cpu_engine(k / 3)) {
            assert_int_equal(ky_sim_open(&p, &called, 0, &sim, &error), KY_UNSUPPORTED);
            assert_non_null(strstr(error.text, "use engine cpu"));
        } else {
            run_cloud(&p, &called, of_called);
            assert_true(most_places == called.n);
            for (size_t i = 0; i < named.n; i++)
                for (int c = 0; c < 3; c++)
                    assert_between(named.position[i][c] - called.position[i][c], -1e-6, 1e-6);
            for (int t = 0; t < 2; t++)
                assert_between(of_named[t] / of_called[t], 1 - 1e-11, 1 + 1e-11);
        }
        ky_bodies_free(&named);
        ky_bodies_free(&called);
    }
}

static void functions_are_asked_at_points(void **state)
{
    (void)state;
    double number[2] = {2, 0.25}, x[2][3] = {{1, 2, 3}, {0.5, 0, 0}}, a[2][3], potential[2],
           tide[2][6], named[2][6];
    struct ky_bodies empty = {.size = sizeof empty};
    struct ky_parameters p = parameters_of("cpu", KY_LEAPFROG, KY_DOUBLE);
    struct ky_field_points points = {.size = sizeof points,
                                     .count = 2,
                                     .position = (const double(*)[3])x,
                                     .acceleration = a,
                                     .potential = potential,
                                     .tide = tide};
    p.softening = 0.1;
    p.field_places = own_plummers;
    p.field_context = number;
    most_places = 0;
    assert_ok(ky_field_fill(&p, &empty, &points, &error));
    assert_true(most_places == 2);
    for (int k = 0; k < 2; k++) {
        struct ky_field_place at = {.position = {x[k][0], x[k][1], x[k][2]}};
        own_plummer(number, &at);
        for (int c = 0; c < 3; c++)
            assert_true(a[k][c] == at.acceleration[c]);
        assert_true(potential[k] == at.potential);
    }
    p.field_places = NULL;
    p.field = "plummer:mass=2,scale=0.5";
    points.tide = named;
    assert_ok(ky_field_fill(&p, &empty, &points, &error));
    for (int c = 0; c < 12; c++)
        assert_between(tide[c / 6][c % 6] - named[c / 6][c % 6], -1e-12, 1e-12);
    p.field_function = own_plummer;
    p.field_places = own_plummers;
    assert_int_equal(ky_field_fill(&p, &empty, &points, &error), KY_USAGE);
    p.field = NULL;
    p.field_function = NULL;
    p.field_places = nothing_at_many;
    assert_int_equal(ky_field_fill(&p, &empty, &points, &error), KY_BAD_DATA);
}

static void other_engines_refuse_a_function(void **state)
{
    (void)state;
    double number[2] = {2, 1};
    struct ky_bodies bodies = circling(1);
    for (int e = 0; e < engine_count; e++) {
        struct ky_parameters p = parameters_of(engines[e].engine, KY_LEAPFROG, KY_DOUBLE);
        struct ky_sim *sim = NULL;
        p.step = 0.1;
        p.field_function = own_plummer;
        p.field_context = number;
        const enum ky_status status = ky_sim_open(&p, &bodies, 0, &sim, &error);
        assert_int_equal(status, is_cpu_engine(e) ? KY_OK : KY_UNSUPPORTED);
        if (status)
            assert_non_null(strstr(error.text, "set field_places, or use engine cpu"));
        ky_sim_close(sim);
    }
    struct ky_parameters p = parameters_of("auto", KY_LEAPFROG, KY_DOUBLE);
    struct ky_force_report report = {0};
    bodies.acceleration = NULL;
    p.field_function = own_plummer;
    p.field_context = number;
    assert_ok(ky_forces(&p, &bodies, &report, &error));
    assert_string_equal(report.engine, "cpu");
    ky_bodies_free(&bodies);
}

/* With every integrator a function that returns nothing gives an error, and no endless loop. */
static void what_a_function_leaves_out_is_no_result(void **state)
{
    (void)state;
    static const int integrators[] = {KY_LEAPFROG, KY_BLOCK_STEPS, KY_HERMITE4};
    for (int i = 0; i < 3; i++) {
        struct ky_parameters p = parameters_of("cpu", integrators[i], KY_DOUBLE);
        struct ky_bodies bodies = cloud();
        struct ky_sim *sim = NULL;
        struct ky_sums sums = {0};
        p.softening = 3e3;
        p.step_length = i == 1 ? 3e3 : (double)NAN;
        p.step = 512;
        p.field_function = nothing;
        enum ky_status status = ky_sim_open(&p, &bodies, 0, &sim, &error);
        if (!status)
            status = ky_sim_advance(sim, 2, &error);
        if (!status)
            status = ky_sim_sums(sim, &sums, &error);
        assert_int_equal(status, KY_BAD_DATA);
        ky_sim_close(sim);
        ky_bodies_free(&bodies);
    }
}

static void a_restart_has_the_fields_and_asks_for_the_function(void **state)
{
    (void)state;
    static const char *const path = "fields-restart.kyo";
    double number[2] = {2, 1};
    struct ky_bodies bodies = circling(1), whole = circling(1), parts = circling(1);
    struct ky_parameters p = parameters_of("cpu", KY_LEAPFROG, KY_DOUBLE), again = p;
    struct ky_sim *sim = NULL;
    char text[] = "nfw:mass=1,scale=0.5 lambda:omega=0.7,h0=0.1";
    p.step = 1. / 64;
    p.field = text;
    p.field_function = again.field_function = own_plummer;
    p.field_context = again.field_context = number;
    assert_ok(ky_sim_open(&p, &bodies, 0, &sim, &error));
    memset(text, ' ', sizeof text - 1); /* a copy has been made */
    assert_ok(ky_sim_advance(sim, 10, &error));
    assert_ok(ky_sim_save(sim, path, &error));
    assert_ok(ky_sim_advance(sim, 10, &error));
    assert_ok(ky_sim_bodies(sim, &whole, &error));
    ky_sim_close(sim);
    assert_ok(ky_sim_restore(path, &again, &sim, &error));
    assert_ok(ky_sim_advance(sim, 10, &error));
    assert_ok(ky_sim_bodies(sim, &parts, &error));
    ky_sim_close(sim);
    assert_memory_equal(whole.position, parts.position, 2 * sizeof *whole.position);
    assert_true(fabs(whole.position[0][0] - bodies.position[0][0]) > 0.01);
    again.field_function = NULL;
    assert_int_equal(ky_sim_restore(path, &again, &sim, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "function of the program"));
    remove(path);
    ky_bodies_free(&bodies);
    ky_bodies_free(&whole);
    ky_bodies_free(&parts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_finite_and_right_at_their_centre),
        cmocka_unit_test(bodies_in_centres_are_not_pulled),
        cmocka_unit_test(an_nfw_field_keeps_its_digits),
        cmocka_unit_test(a_cut_off_power_law_keeps_its_digits),
        cmocka_unit_test(circular_orbits_have_their_period),
        cmocka_unit_test(a_turning_bar_keeps_jacobis_integral),
        cmocka_unit_test(time_has_no_seams),
        cmocka_unit_test(a_function_acts_as_the_field_that_it_is),
        cmocka_unit_test(a_function_of_many_places_acts_as_the_field),
        cmocka_unit_test(functions_are_asked_at_points),
        cmocka_unit_test(other_engines_refuse_a_function),
        cmocka_unit_test(what_a_function_leaves_out_is_no_result),
        cmocka_unit_test(a_restart_has_the_fields_and_asks_for_the_function),
    };
    return cmocka_run_group_tests(tests, find_quick_engines, NULL);
}
