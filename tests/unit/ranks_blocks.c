/* Block steps of a simulation whose bodies ranks share: the same bits, and the same steps, for any
 * number of ranks, also after changes between them and after restarts. */
#include "test.h"

#include "ranked_cases.h"
#include "stepped.h"

static struct ky_error error;

/* ---- systems and options ---- */

static void try_ranks(enum shape shape, size_t n, const char *options, uint64_t steps)
{
    static const int ranks[] = {1, 2, 3, 4, 8, 0};
    char what[260], all[200];
    snprintf(all, sizeof all, "integrator=block step=0.0625 %s", options);
    const struct ky_parameters parameters = parameters_of(all);
    struct ky_bodies bodies = make(shape, n);
    snprintf(what, sizeof what, "shape %d, %zu bodies, '%s'", (int)shape, n, options);
    expect_same_on(ranks, &parameters, &bodies, steps, NULL, what);
    ky_bodies_free(&bodies);
}

static void systems_have_the_same_bits(void **state)
{
    (void)state;
    static const struct ranked_case cases[] = {SYSTEMS_IN_BLOCKS};
    TRY_CASES(cases, ON_CPU, "", try_ranks, 2);
}

/* Fewer bodies than ranks, and so few that one rank has all of them. */
static void few_bodies_have_the_same_bits(void **state)
{
    (void)state;
    try_few_bodies_in_blocks("", try_ranks);
}

/* ---- changes, fields and restarts between steps ---- */

static void changes_have_the_same_bits(void **state)
{
    (void)state;
    static void (*const changes[])(struct ky_sim *) = {
        kick_some,           replace_one,        remove_and_add, shorter_step,
        replace_by_massless, undivided_and_back, look_at_field};
    const struct ky_parameters parameters = parameters_of("integrator=block step=0.0625");
    struct ky_bodies bodies = make(SPHERE, 6007);
    for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
        struct state one = {0};
        for (int ranks = 1; ranks <= 3; ranks += 2) {
            char what[64];
            struct ky_sim *sim = open_ranks(&parameters, ranks, &bodies);
            assert_ok(ky_sim_advance(sim, 1, &error));
            changes[k](sim);
            assert_ok(ky_sim_advance(sim, 1, &error));
            struct state got = take_state(sim);
            snprintf(what, sizeof what, "change %zu, %d ranks", k, ranks);
            if (ranks == 1)
                one = got;
            else
                expect_same_state(&got, &one, what);
            if (ranks != 1)
                free_state(&got);
            ky_sim_close(sim);
        }
        free_state(&one);
    }
    ky_bodies_free(&bodies);
}

static void undivided_bodies_have_the_same_bits(void **state)
{
    (void)state;
    expect_same_undivided("cpu", ON_CPU);
}

/* A simulation goes on with another number of ranks, or without, as if nothing had been. */
static void restarts_take_any_number_of_ranks(void **state)
{
    (void)state;
    static const int path[] = {2, 1, 5, 3};
    const struct ky_parameters parameters = parameters_of("integrator=block step=0.0625");
    struct ky_bodies bodies = make(COLLISION, 6007);
    struct ky_sim *whole = open_ranks(&parameters, 1, &bodies),
                  *sim = open_ranks(&parameters, 8, &bodies);
    for (int k = 0; k < 4; k++) {
        assert_ok(ky_sim_advance(sim, 1, &error));
        sim = restored(sim, "cpu", path[k]);
    }
    assert_ok(ky_sim_advance(sim, 1, &error));
    assert_ok(ky_sim_advance(whole, 5, &error));
    struct state got = take_state(sim), expected = take_state(whole);
    expect_same_state(&got, &expected, "a simulation with four restarts");
    free_state(&got);
    free_state(&expected);
    ky_sim_close(sim);
    ky_sim_close(whole);
    ky_bodies_free(&bodies);
}

/* ---- the numbers of steps ---- */

static void calls_count_the_steps_of_all_ranks(void **state)
{
    (void)state;
    expect_same_counts("cpu");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(systems_have_the_same_bits),
        cmocka_unit_test(few_bodies_have_the_same_bits),
        cmocka_unit_test(undivided_bodies_have_the_same_bits),
        cmocka_unit_test(changes_have_the_same_bits),
        cmocka_unit_test(restarts_take_any_number_of_ranks),
        cmocka_unit_test(calls_count_the_steps_of_all_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
