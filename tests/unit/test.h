/* Headers and helpers for every unit test, in the order that cmocka wants. */
#ifndef KY_TEST_H
#define KY_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "kyoho/draw.h"

/* Whether every case is taken (`make check-all`), where `make check` takes a part of them. */
static inline int test_everything(void)
{
    return getenv("KYOHO_TEST_ALL") != NULL;
}

/* KYOHO_TEST_ONLY and KYOHO_TEST_SKIP are patterns with *, for the tests of a program that are run
 * and those that are left out. */
__attribute__((constructor)) static void choose_tests(void)
{
    const char *only = getenv("KYOHO_TEST_ONLY"), *skip = getenv("KYOHO_TEST_SKIP");
    if (only)
        cmocka_set_test_filter(only);
    if (skip && *skip)
        cmocka_set_skip_filter(skip);
}

/* The program where this build lacks what it tests: its one test skips and says why. */
#define MAIN_THAT_SKIPS(test, why)                                                                 \
    static void test(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        printf("# %s\n", why);                                                                     \
        skip();                                                                                    \
    }                                                                                              \
    int main(void)                                                                                 \
    {                                                                                              \
        const struct CMUnitTest tests[] = {cmocka_unit_test(test)};                                \
        return cmocka_run_group_tests(tests, NULL, NULL);                                          \
    }

/* Fails with the library's own error text. */
#define assert_ok(call)                                                                            \
    do {                                                                                           \
        enum ky_status status_ = (call);                                                           \
        if (status_ != KY_OK)                                                                      \
            fail_msg("%s: %s: %s", #call, ky_status_name(status_), error.text);                    \
    } while (0)

#define assert_between(value, low, high)                                                           \
    do {                                                                                           \
        double value_ = (value);                                                                   \
        if (!(value_ >= (low) && value_ <= (high)))                                                \
            fail_msg("%s = %.17g is not in [%g, %g]", #value, value_, (double)(low),               \
                     (double)(high));                                                              \
    } while (0)

#endif
