/* Status, memory, random numbers, bodies and units. */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/split.h"

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

    char value[5000]; /* "aéé…é": a cut may not go through a character */
    memset(value, 0, sizeof value);
    value[0] = 'a';
    for (size_t k = 1; k + 2 < sizeof value; k += 2)
        memcpy(value + k, "é", 2);
    for (int shift = 0; shift < 2; shift++) { /* both ends stay */
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

/* Moments of the uniform and normal numbers, and independence of the order of the calls. */
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

/* Philox 4x32 with 10 rounds: the vectors that its authors publish with Random123
 * (tests/kat_vectors there), of each output the first two words, which a uniform number is made of.
 */
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

/* The first body that is wrong is told, for any number of threads; ids twice are found in rising,
 * shuffled and thinly spread ones. */
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

/* Against conversions that the compiler cannot leave out; among the numbers are ties. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
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
