/* Status, memory, random numbers, bodies and units. */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/opened.h"
#include "base/quantity.h"
#include "base/random.h"
#include "base/split.h"
#include "base/units.h"

static void allocation_refuses_overflow(void **state)
{
    (void)state;
    assert_null(ky_allocate(SIZE_MAX / 2, 3));
    void *empty = ky_allocate(0, 8);
    assert_non_null(empty);
    free(empty);
}

static void errors_are_prefixed(void **state)
{
    (void)state;
    struct ky_error error = {0};
    ky_fail(&error, KY_BAD_DATA, "mass is %d", -1);
    assert_int_equal(ky_fail_in(&error, KY_BAD_DATA, "%s: ", "a.csv"), KY_BAD_DATA);
    assert_string_equal(error.text, "a.csv: mass is -1");
    assert_int_equal(ky_fail(NULL, KY_USAGE, "nobody listens"), KY_USAGE);

    char value[5000]; /* "aéé…é": no cut may split a character */
    memset(value, 0, sizeof value);
    value[0] = 'a';
    for (size_t k = 1; k + 2 < sizeof value; k += 2)
        memcpy(value + k, "é", 2);
    for (int shift = 0; shift < 2; shift++) { /* both ends are kept */
        ky_fail(&error, KY_USAGE, "--theta: '%s' is not a number", value + shift);
        assert_true(strlen(error.text) < 400);
        assert_int_equal(strncmp(error.text, shift ? "--theta: 'é" : "--theta: 'a", 11), 0);
        assert_non_null(strstr(error.text, "é' is not a number"));
        assert_null(strchr(error.text, '?'));
    }
    ky_fail(&error, KY_BAD_DATA, "mass is %d", -1);
    ky_fail_in(&error, KY_BAD_DATA, "%s: ", value);
    assert_true(strlen(error.text) < 400 && strstr(error.text, "é: mass is -1"));
}

/* Uniform and normal numbers have the right moments, in any order of the calls. */
static void random_numbers_have_their_moments(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    double sum = 0, square = 0, normal = 0, normal2 = 0;
    for (uint64_t i = 0; i < COUNT; i++) {
        struct ky_random random = ky_random_at(7, 1, i);
        double u = ky_random_uniform(&random), g = ky_random_normal(&random);
        sum += u;
        square += u * u;
        normal += g;
        normal2 += g * g;
    }
    assert_between(sum / COUNT, 0.5 - 0.004, 0.5 + 0.004);
    assert_between(square / COUNT, 1.0 / 3 - 0.004, 1.0 / 3 + 0.004);
    assert_between(normal / COUNT, -0.015, 0.015);
    assert_between(normal2 / COUNT, 0.98, 1.02);
    struct ky_random a = ky_random_at(7, 1, 5), b = ky_random_at(7, 1, 5),
                     c = ky_random_at(8, 1, 5);
    double first = ky_random_uniform(&a);
    assert_true(first == ky_random_uniform(&b));
    assert_true(first != ky_random_uniform(&c));
    assert_true(first != ky_random_uniform(&a));
}

/* Philox 4x32 with 10 rounds gives the vectors that its authors publish (tests/kat_vectors of
 * Random123). Of each output these are the first two words, which make a uniform number. */
static void philox_gives_the_published_words(void **state)
{
    (void)state;
    static const struct {
        uint32_t counter[4], key[2], out[2];
    } known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb}},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        const uint32_t *c = known[k].counter, *key = known[k].key, *out = known[k].out;
        struct ky_random random = {.seed = (uint64_t)key[1] << 32 | key[0],
                                   .index = (uint64_t)c[1] << 32 | c[0],
                                   .stream = c[2],
                                   .draw = c[3]};
        uint64_t bits = ((uint64_t)out[0] << 32 | out[1]) >> 11;
        assert_true(ky_random_uniform(&random) == ((double)bits + 0.5) * 0x1p-53);
    }
}

static void bodies_are_checked(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_bodies bodies = {0};
    assert_ok(ky_bodies_allocate(&bodies, 3, KY_WITH_ID | KY_WITH_SOFTENING, &error));
    bodies.id[0] = 3, bodies.id[1] = 1, bodies.id[2] = 2;
    assert_ok(ky_bodies_check(&bodies, &error));
    bodies.id[2] = 3;
    assert_int_equal(ky_bodies_check(&bodies, &error), KY_BAD_DATA);
    assert_non_null(strstr(error.text, "id 3"));
    bodies.id[2] = 2;
    bodies.position[1][2] = (double)NAN;
    assert_int_equal(ky_bodies_check(&bodies, &error), KY_BAD_DATA);
    assert_non_null(strstr(error.text, "body 1: position z"));
    bodies.position[1][2] = 0;
    bodies.mass[2] = -1;
    assert_int_equal(ky_bodies_check(&bodies, &error), KY_BAD_DATA);
    ky_bodies_free(&bodies);
    assert_int_equal(bodies.n, 0);
}

/* The error names the first wrong body, for any number of threads. Equal ids are found among
 * rising, shuffled and widely spread ids. */
static void many_bodies_are_checked(void **state)
{
    (void)state;
    enum { N = 200000 };
    struct ky_error error = {0};
    struct ky_bodies bodies = {0};
    assert_ok(ky_bodies_allocate(&bodies, N, KY_WITH_ID, &error));
    for (int order = 0; order < 3; order++) {
        for (size_t i = 0; i < N; i++)
            bodies.id[i] = order == 0 ? i : (uint64_t)((i * 77773) % N) << (order == 2 ? 40 : 0);
        assert_ok(ky_bodies_check(&bodies, &error));
        bodies.id[N - 1] = bodies.id[N / 2];
        assert_int_equal(ky_bodies_check(&bodies, &error), KY_BAD_DATA);
        assert_non_null(strstr(error.text, "occurs twice"));
    }
    for (size_t i = 0; i < N; i++)
        bodies.id[i] = i;
    bodies.velocity[N - 1][0] = bodies.mass[150001] = (double)INFINITY;
    bodies.position[150000][1] = (double)NAN;
    assert_int_equal(ky_bodies_check(&bodies, &error), KY_BAD_DATA);
    assert_non_null(strstr(error.text, "body 150000: position y"));
    ky_bodies_free(&bodies);
}

/* The split of doubles agrees with conversions that the compiler cannot leave out, also for
 * ties. */
static void doubles_are_split_into_floats(void **state)
{
    (void)state;
    enum { COUNT = 4003 };
    static double x[COUNT];
    static float low[COUNT];
    for (int k = 0; k < COUNT; k++) {
        struct ky_random random = ky_random_at(3, 1, (uint64_t)k);
        double tie = ldexp(k % 2 ? 0x1000001 : 0x1000003, -30);
        x[k] = k % 8 ? ldexp(ky_random_uniform(&random) - 0.5, k % 200 - 100) : tie;
    }
    for (int k = 0; k < COUNT; k++)
        low[k] = ky_low_part(x[k]);
    for (int k = 0; k < COUNT; k++) {
        volatile float high = (float)x[k];
        volatile double rest = x[k] - (double)high;
        assert_true(ky_high_part(x[k]) == (double)high);
        assert_true(low[k] == (float)rest);
    }
    assert_true(ky_high_part(0) == 0 && ky_high_part(-1) == -1);
}

/* The unit of each quantity, and numbers with the unit that suits their size. */
static void numbers_have_units(void **state)
{
    (void)state;
    const struct {
        const char *preset;
        struct ky_dimension dimension;
        double value;
        const char *one, *text;
    } cases[] = {
        {"nbody", KY_TIME_UNIT, 2.5, "", "2.5"},
        {"cluster", KY_NO_UNIT, 2.5, "", "2.5"},
        {"cluster", KY_TIME_UNIT, 51.1356, "0.977792 Myr", "50 Myr"},
        {"cluster", KY_TIME_UNIT, -5113.56, "0.977792 Myr", "-5 Gyr"},
        {"cluster", KY_TIME_UNIT, 0.03, "0.977792 Myr", "29.3338 kyr"},
        {"cluster", KY_LENGTH_UNIT, 1500, "pc", "1.5 kpc"},
        {"cluster", KY_LENGTH_UNIT, 0.05, "pc", "0.05 pc"},
        {"cluster", KY_LENGTH_UNIT, 0, "pc", "0 pc"},
        {"cluster", KY_LENGTH_UNIT, 1e-4, "pc", "20.6265 AU"},
        {"galaxy", KY_TIME_UNIT, 1, "0.977792 Gyr", "0.977792 Gyr"},
        {"galaxy", KY_MASS_UNIT, 45, "1e+10 Msun", "4.5e+11 Msun"},
        {"galaxy", KY_VELOCITY_UNIT, 220, "km/s", "220 km/s"},
        {"galaxy", KY_ENERGY_UNIT, 3, "1e+10 Msun km²/s²", "3e+10 Msun km²/s²"},
        {"cluster", KY_DIMENSION(-2, 1, 0), 3, "Msun/pc²", "3 Msun/pc²"},
        {"cluster", KY_DIMENSION(2, 1, -1), 3, "Msun pc km/s", "3 Msun pc km/s"},
        {"cluster", KY_DIMENSION(1, 0, -2), 3, "km²/s²/pc", "3 km²/s²/pc"},
        {"galaxy", KY_DIMENSION(0, 0, -1), 0.07, "km/s/kpc", "0.07 km/s/kpc"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char one[KY_UNIT_TEXT], text[KY_QUANTITY_TEXT];
        struct ky_units units;
        struct ky_error error;
        assert_ok(ky_units_preset(cases[k].preset, &units, &error));
        assert_string_equal(ky_unit_text(&units, cases[k].dimension, one), cases[k].one);
        ky_quantity_text(&units, cases[k].dimension, cases[k].value, 6, text);
        assert_string_equal(text, cases[k].text);
        /* 0 has the unit of an unknown number, and not the smallest one */
        assert_true(ky_unit_shown(&units, cases[k].dimension, 0, text) ==
                    ky_unit_shown(&units, cases[k].dimension, (double)NAN, one));
        assert_string_equal(text, one);
    }
}

static void numbers_with_units_are_read(void **state)
{
    (void)state;
    const struct {
        const char *preset, *text;
        struct ky_dimension dimension;
        double value;
        const char *rest;
    } right[] = {
        {"nbody", "-1.5e1", KY_TIME_UNIT, -15, ""},
        {"cluster", "3pc", KY_LENGTH_UNIT, 3, ""},
        {"cluster", "3,4pc", KY_LENGTH_UNIT, 3, ",4pc"},
        {"cluster", "3 pc", KY_LENGTH_UNIT, 3, ""},
        {"cluster", "3 pc,4", KY_LENGTH_UNIT, 3, ",4"},
        {"planets", "2 yr", KY_TIME_UNIT, 2, ""},
        {"planets", "1AU", KY_LENGTH_UNIT, 1, ""},
        {"cluster", "-0.25kpc,4", KY_LENGTH_UNIT, -250, ",4"},
        {"cluster", "977792Myr", KY_TIME_UNIT, 1e6, ""},
        {"galaxy", "1e5Msun", KY_MASS_UNIT, 1e-5, ""},
        {"galaxy", "220km/s", KY_VELOCITY_UNIT, 220, ""},
        {"galaxy", "70km/s/Mpc", KY_DIMENSION(0, 0, -1), 0.07, ""},
        {"cluster", "4kpc^3", KY_DIMENSION(3, 0, 0), 4e9, ""},
        {"cluster", "4kpc³", KY_DIMENSION(3, 0, 0), 4e9, ""},
        {"galaxy", "100Msun/pc2", KY_DIMENSION(-2, 1, 0), 0.01, ""},
    };
    static const struct {
        const char *preset, *text, *error;
    } wrong[] = {
        {"cluster", "50Mry", "--end: 'Mry' is not a unit here; it takes s, yr, kyr, Myr, Gyr"},
        {"cluster", "3pc", "--end: pc is a unit of another kind; it takes s, yr"},
        {"cluster", "50Myr/", "--end: 'Myr/' is not a unit here"},
        {"cluster", "Myr", "--end: 'Myr' is not a number"},
        {"cluster", "nan", "--end: 'nan' is not a number"},
        {"nbody", "50Myr", "--end: 50Myr, but the bodies are in N-body units"},
    };
    const struct {
        const char *one, *other;
        struct ky_dimension dimension;
    } same[] = {
        {"1m", "100cm", KY_LENGTH_UNIT},       {"1km", "1000m", KY_LENGTH_UNIT},
        {"1Rsun", "695700km", KY_LENGTH_UNIT}, {"1AU", "149597870.7km", KY_LENGTH_UNIT},
        {"1au", "1AU", KY_LENGTH_UNIT},        {"1pc", "206264.8062AU", KY_LENGTH_UNIT},
        {"1kpc", "1000pc", KY_LENGTH_UNIT},    {"1Mpc", "1000kpc", KY_LENGTH_UNIT},
        {"1kg", "1000g", KY_MASS_UNIT},        {"1Msun", "1.989e30kg", KY_MASS_UNIT},
        {"1min", "60s", KY_TIME_UNIT},         {"1h", "60min", KY_TIME_UNIT},
        {"1d", "24h", KY_TIME_UNIT},           {"1yr", "365.25d", KY_TIME_UNIT},
        {"1kyr", "1000yr", KY_TIME_UNIT},      {"1Myr", "1000kyr", KY_TIME_UNIT},
        {"1Gyr", "1000Myr", KY_TIME_UNIT},
    };
    struct ky_units units;
    struct ky_error error;
    double value;
    const char *end;
    for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
        double one, other;
        assert_ok(ky_units_preset("cluster", &units, &error));
        assert_ok(ky_quantity_read(same[k].one,
                                   &(struct ky_quantity_form){&units, same[k].dimension, ""}, &one,
                                   NULL, &error));
        assert_ok(ky_quantity_read(same[k].other,
                                   &(struct ky_quantity_form){&units, same[k].dimension, ""},
                                   &other, NULL, &error));
        assert_between(one / other, 1 - 1e-5, 1 + 1e-5);
    }
    for (size_t k = 0; k < sizeof right / sizeof *right; k++) {
        assert_ok(ky_units_preset(right[k].preset, &units, &error));
        assert_ok(ky_quantity_read(right[k].text,
                                   &(struct ky_quantity_form){&units, right[k].dimension, "--end"},
                                   &value, &end, &error));
        assert_between(value / right[k].value, 1 - 1e-6, 1 + 1e-6);
        assert_string_equal(end, right[k].rest);
    }
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        assert_ok(ky_units_preset(wrong[k].preset, &units, &error));
        assert_int_equal(ky_quantity_read(wrong[k].text,
                                          &(struct ky_quantity_form){&units, KY_TIME_UNIT, "--end"},
                                          &value, NULL, &error),
                         KY_USAGE);
        assert_non_null(strstr(error.text, wrong[k].error));
    }
    assert_ok(ky_units_preset("galaxy", &units, &error)); /* without noise in the last digits */
    assert_ok(ky_quantity_read("1e5Msun", &(struct ky_quantity_form){&units, KY_MASS_UNIT, ""},
                               &value, NULL, &error));
    assert_true(value == 1e-5);
    assert_ok(ky_quantity("3e10 Msun", "mass", &units, &value, &error));
    assert_true(value == 3);
    assert_int_equal(ky_quantity("1kpc,2kpc", "length", &units, &value, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "length: '1kpc,2kpc' is not one number"));
    assert_int_equal(ky_quantity("1", "colour", &units, &value, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "'colour' is no kind of unit"));
}

/* Scales that are given one by one have the G of the preset of these scales. */
static void planets_have_the_g_of_the_sun(void **state)
{
    (void)state;
    struct ky_units units;
    struct ky_error error;
    const double gauss = 0.01720209895 * 365.25; /* radians a Julian year at 1 AU */
    assert_ok(ky_units_preset("planets", &units, &error));
    assert_between(units.g / (gauss * gauss), 1 - 1e-8, 1 + 1e-8);
    assert_true(units.g ==
                ky_units_gravity(units.length_cm, units.mass_g, units.velocity_cm_s * (1 + 1e-15)));
}

/* Functions of the C library, which the process has, of a library that is not there, and one that
 * no library has. */
static void libraries_are_opened(void **state)
{
    (void)state;
    struct {
        size_t (*length)(const char *);
        char *(*find)(const char *, int);
    } calls = {NULL, NULL};
    const char *const here[] = {"strlen", "strchr"}, *const nowhere[] = {"strlen", "ky_no_call"};
    struct ky_opened library = {.file = "libnone-of-this-name.so.1",
                                .package = "libnone1",
                                .names = here,
                                .count = 2,
                                .calls = &calls};
    assert_null(ky_open_library(&library)); /* and is not asked for */
    assert_int_equal(calls.length("four"), 4);
    assert_string_equal(calls.find("a,b", ','), ",b");
    struct ky_opened absent = {
        .file = library.file, .package = "libnone1", .names = nowhere, .count = 2, .calls = &calls};
    assert_string_equal(ky_open_library(&absent), "libnone-of-this-name.so.1 is not on this "
                                                  "machine; install libnone1 (Debian and Ubuntu)");
    assert_string_equal(ky_open_library(&absent), absent.reason);
#ifdef __linux__
    struct ky_opened old = {.file = KY_SHARED_FILE("m", "6"),
                            .package = "libc6",
                            .names = nowhere,
                            .count = 2,
                            .calls = &calls};
    assert_string_equal(ky_open_library(&old),
                        "libm.so.6 of this machine is too old: it lacks ky_no_call");
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_units),
        cmocka_unit_test(numbers_with_units_are_read),
        cmocka_unit_test(planets_have_the_g_of_the_sun),
        cmocka_unit_test(libraries_are_opened),
        cmocka_unit_test(allocation_refuses_overflow),
        cmocka_unit_test(errors_are_prefixed),
        cmocka_unit_test(random_numbers_have_their_moments),
        cmocka_unit_test(philox_gives_the_published_words),
        cmocka_unit_test(doubles_are_split_into_floats),
        cmocka_unit_test(bodies_are_checked),
        cmocka_unit_test(many_bodies_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
