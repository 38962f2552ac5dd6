/* The text of --field: its names, numbers and units, and fields that are sums of others. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "engine/common/external.h"
#include "simulation/sim.h"

static struct ky_error error;
static const struct ky_units none; /* no scales */

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
        {"triaxial-logarithmic:speed=1,core=1,p=0,q=1", "p must be positive"},
        {"triaxial-logarithmic:speed=1,core=1,p=1", "q is missing"},
        {"miyamoto-nagai:mass=1,scale=1,height=0", "height must be positive"},
        {"miyamoto-nagai:mass=1,scale=-1,height=1", "scale must be 0 or more"},
        {"miyamoto_nagai:mass=1,scale=1,height=1", "did you mean miyamoto-nagai"},
        {"power-law-cutoff:mass=1,alpha=2,cutoff=1", "alpha must be 0 or more and below 2"},
        {"power-law-cutoff:mass=1,alpha=-1,cutoff=1", "alpha must be 0 or more and below 2"},
        {"power-law-cutoff:mass=1,alpha=1,cutoff=0", "cutoff must be positive"},
        {"hernquist:mass=1,scale=0", "scale must be positive"},
        {"isochrone:mass=1,scale=0", "scale must be positive"},
        {"bar:mass=1,length=0,height=1", "length must be positive"},
        {"bar:mass=1,length=1,height=0", "height must be positive"},
        {"bar:mass=1,length=1,height=1,speed=inf", "speed must be finite"},
        {"exponential-disk:mass=1,scale=1", "height is missing"},
        {"exponential-disk:mass=1,scale=1,height=1.5", "height is 1.5 of scale"},
        {"mw14:mass=1", "it has x, y, z"},
        {"mw14", "sizes in kpc"},
        {"mcmillan17", "give --units galaxy"},
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
    struct ky_parameters with, blank, plain;
    struct ky_external_pull pull[3];
    const double x[3] = {3, 1, -2};
    ky_parameters_defaults(&with);
    assert_ok(ky_parameters_set(&with, "field", "nfw:mass=1e12Msun,scale=20kpc,x=1Mpc", &error));
    assert_int_equal(ky_parameters_resolve(&with, &plain, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "N-body units"));
    assert_ok(ky_units_preset("galaxy", &with.units, &error));
    with.g = with.units.g;
    blank = plain = with;
    blank.field = " nfw:mass=1e12 Msun,scale=20 \tkpc,x=1 Mpc  point:mass=0 Msun\tpoint:mass=0 ";
    plain.field = "nfw:mass=100,scale=20,x=1000";
    const struct ky_parameters *const all[] = {&with, &blank, &plain};
    for (int k = 0; k < 3; k++) {
        struct ky_externals own = {0};
        assert_ok(ky_externals_of(all[k], &own, &error));
        assert_int_equal(own.count, k == 1 ? 3 : 1);
        pull[k] = ky_externals_at(own.field, own.count, x, x);
    }
    assert_true(pull[0].x == pull[2].x && pull[0].potential == pull[2].potential);
    assert_true(pull[1].x == pull[2].x && pull[1].potential == pull[2].potential);

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

/* ---- sums of fields ---- */

/* The speed of a circular orbit at x, in the units of a preset. */
static double circular_speed(const char *field, const char *preset, double x)
{
    struct ky_units units;
    struct ky_externals own = {0};
    assert_ok(ky_units_preset(preset, &units, &error));
    assert_ok(ky_externals_read(field, units.g, &units, &own, &error));
    const struct ky_external_pull pull =
        ky_externals_at(own.field, own.count, (const double[3]){x, 0, 0}, NULL);
    return sqrt(-pull.x * x);
}

/* By definition mw14 has 220 km/s at 8 kpc; the model of McMillan has 232.8 km/s at the Sun's 8.2
 * kpc. */
static void galaxies_have_their_size_in_all_units(void **state)
{
    (void)state;
    assert_between(circular_speed("mw14", "galaxy", 8), 220 - 1e-10, 220 + 1e-10);
    assert_between(circular_speed("mw14", "cluster", 8000), 220 - 1e-10, 220 + 1e-10);
    const double speed = circular_speed("mcmillan17", "galaxy", 8.2);
    assert_between(speed, 0.995 * 232.8, 1.005 * 232.8);
    assert_between(circular_speed("mcmillan17", "cluster", 8200) / speed, 1 - 1e-12, 1 + 1e-12);
}

/* Without units, as a restart file has it, a sum consists of its parts, with the same numbers. */
static void a_plain_text_has_the_parts_of_sums(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "mw14:x=1 point:mass=1e9Msun", "mcmillan17",
        ("bar:mass=1e10Msun,length=4kpc,height=0.2kpc,angle=20,"
         "speed=40km/s/kpc exponential-disk:mass=1,scale=3,height=1")};
    struct ky_units units;
    const struct ky_units scaleless = {0};
    assert_ok(ky_units_preset("galaxy", &units, &error));
    assert_true(ky_externals_are_plain("exponential-disk:mass=1,scale=1,height=0.1"));
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        struct ky_externals own = {0}, again = {0};
        char plain[KY_EXTERNALS_TEXT];
        assert_false(ky_externals_are_plain(texts[k]));
        assert_ok(ky_externals_plain(texts[k], units.g, &units, plain, sizeof plain, &error));
        assert_true(ky_externals_are_plain(plain));
        assert_ok(ky_externals_read(texts[k], units.g, &units, &own, &error));
        assert_ok(ky_externals_read(plain, units.g, &scaleless, &again, &error));
        assert_int_equal(own.count, again.count);
        for (size_t f = 0; f < own.count; f++)
            assert_memory_equal(&own.field[f], &again.field[f], sizeof own.field[f]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_fields_take_units),
        cmocka_unit_test(a_text_names_fields_and_their_numbers),
        cmocka_unit_test(wrong_texts_are_refused),
        cmocka_unit_test(galaxies_have_their_size_in_all_units),
        cmocka_unit_test(a_plain_text_has_the_parts_of_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
