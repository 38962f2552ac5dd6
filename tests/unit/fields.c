/* External fields as a user has them: the text of --field, orbits in each field with each
 * integrator on each engine, the centres of fields, and a field that is a function of the
 * program. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/common/external.h"
#include "engines.h"
#include "integrate/integrate.h"
#include "simulation/sim.h"

static struct ky_error error;
static const struct ky_units none; /* no scales */
static const double pi = 3.14159265358979323846;

/* ---- the text ---- */

static void a_text_names_fields_and_their_numbers(void **state)
{
    (void)state;
    struct ky_externals own = {0};
    assert_ok(ky_externals_read("  nfw:mass=3,scale=2,x=-1\tlambda:h0=0.1,omega=0.7 "
                                "logarithmic:core=1e-1,speed=2",
                                10, &none, &own, &error));
    assert_int_equal(own.count, 3);
    assert_int_equal(own.field[0].kind, KY_EXTERNAL_NFW);
    assert_true(own.field[0].number[0] == 30 && own.field[0].number[1] == 2);
    assert_true(own.field[0].number[2] == 0 && own.field[0].centre[0] == -1);
    assert_int_equal(own.field[1].kind, KY_EXTERNAL_LAMBDA);
    assert_true(own.field[1].number[0] == 0.7 && own.field[1].number[1] == 0.1 * 0.1);
    assert_true(own.field[2].number[0] == 4 && own.field[2].number[1] == 0.1);
    assert_true(own.field[2].number[2] == 1); /* flattening: the default */
    assert_ok(ky_externals_read("", 1, &none, &own, &error));
    assert_int_equal(own.count, 0);
}

static void wrong_texts_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *line;
    } wrong[] = {
        {"plumer:mass=1", "did you mean plummer"},
        {"point", "mass is missing"},
        {"plummer:mass=1", "scale is missing, the scale radius [length]"},
        {"plummer:mass=1,scale=0", "scale must be positive"},
        {"plummer:mass=1,scale=-1", "scale must be positive"},
        {"plummer:mass=-1,scale=1", "mass must be 0 or more"},
        {"nfw:mass=nan,scale=1", "mass must be 0 or more"},
        {"nfw:mass=1,scale=inf", "scale must be positive"},
        {"nfw:mass=1,scale=1,eps=-1", "eps must be 0 or more"},
        {"logarithmic:speed=1,core=0", "core must be positive"},
        {"logarithmic:speed=1,core=1,flattening=0", "flattening must be positive"},
        {"lambda:omega=x,h0=1", "omega must be finite"},
        {"tidal:xx=1,yy=1", "zz is missing"},
        {"point:mass=1,mass=2", "mass is given twice"},
        {"point:mass=", "mass must be"},
        {"point:mass", "must be name=value"},
        {"point:mass=1,", "must be name=value"},
        {"point:weight=1", "it has mass, eps, x, y, z"},
        {"lambda:omega=1,h0=1e200", "not finite"},
        {"a b", "`kyoho help run` lists them"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        struct ky_parameters parameters, resolved;
        ky_parameters_defaults(&parameters);
        assert_ok(ky_parameters_set(&parameters, "field", wrong[k].text, &error));
        assert_int_equal(ky_parameters_resolve(&parameters, &resolved, &error), KY_USAGE);
        if (!strstr(error.text, wrong[k].line))
            fail_msg("%s: %s", wrong[k].text, error.text);
    }
    char many[KY_MOST_EXTERNALS * 16 + 16] = "";
    struct ky_externals own = {0};
    for (int k = 0; k < KY_MOST_EXTERNALS; k++)
        strcat(many, "point:mass=1 ");
    assert_ok(ky_externals_read(many, 1, &none, &own, &error));
    strcat(many, "point:mass=1");
    assert_int_equal(ky_externals_read(many, 1, &none, &own, &error), KY_USAGE);
}

/* If the parameters have the units of the bodies, numbers of a field and of a universe may have
 * units, as on the command line. A simulation keeps the numbers without units. */
static void numbers_of_fields_take_units(void **state)
{
    (void)state;
    struct ky_parameters with, plain;
    struct ky_external_pull pull[2];
    const double x[3] = {3, 1, -2};
    ky_parameters_defaults(&with);
    assert_ok(ky_parameters_set(&with, "field", "nfw:mass=1e12Msun,scale=20kpc,x=1Mpc", &error));
    assert_int_equal(ky_parameters_resolve(&with, &plain, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "N-body units"));
    assert_ok(ky_units_preset("galaxy", &with.units, &error));
    with.g = with.units.g;
    plain = with;
    plain.field = "nfw:mass=100,scale=20,x=1000";
    const struct ky_parameters *const both[] = {&with, &plain};
    for (int k = 0; k < 2; k++) {
        struct ky_externals own = {0};
        assert_ok(ky_externals_of(both[k], &own, &error));
        pull[k] = ky_externals_at(own.field, own.count, x, x);
    }
    assert_true(pull[0].x == pull[1].x && pull[0].potential == pull[1].potential);

    struct ky_bodies bodies;
    struct ky_sim *sim;
    assert_ok(ky_bodies_allocate(&bodies, 2, 0, &error));
    bodies.mass[0] = bodies.mass[1] = 1;
    bodies.position[1][0] = 1;
    with.softening = 0.1;
    with.step = 0.001;
    with.engine = "cpu";
    with.expansion = "omega-m=0.3,omega-lambda=0.7,h0=70km/s/Mpc";
    assert_ok(ky_sim_open(&with, &bodies, 13.4, &sim, &error));
    assert_non_null(strstr(sim->parameters.field, "nfw:mass=100,scale=20,"));
    assert_null(strstr(sim->parameters.expansion, "km"));
    ky_sim_close(sim);
    with.expansion = "omega-m=0.3,h0=70kpc";
    assert_int_equal(ky_sim_open(&with, &bodies, 13.4, &sim, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "h0: kpc is a unit of another kind"));
    ky_bodies_free(&bodies);
}

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
                      "tidal:xx=1,yy=-1,zz=1,x=3";
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
            assert_non_null(strstr(error.text, "use engine cpu"));
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
    assert_non_null(strstr(error.text, "field_function"));
    remove(path);
    ky_bodies_free(&bodies);
    ky_bodies_free(&whole);
    ky_bodies_free(&parts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_fields_take_units),
        cmocka_unit_test(a_text_names_fields_and_their_numbers),
        cmocka_unit_test(wrong_texts_are_refused),
        cmocka_unit_test(fields_are_finite_and_right_at_their_centre),
        cmocka_unit_test(bodies_in_centres_are_not_pulled),
        cmocka_unit_test(an_nfw_field_keeps_its_digits),
        cmocka_unit_test(circular_orbits_have_their_period),
        cmocka_unit_test(a_function_acts_as_the_field_that_it_is),
        cmocka_unit_test(other_engines_refuse_a_function),
        cmocka_unit_test(what_a_function_leaves_out_is_no_result),
        cmocka_unit_test(a_restart_has_the_fields_and_asks_for_the_function),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
