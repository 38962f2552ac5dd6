/* Conditions that stop a simulation whose bodies ranks share: the same events, in the same steps
 * and with the same bits, as without ranks. */
#include "test.h"

#include "ranked.h"

static struct ky_error error;

enum { STOPS = 4, STEPS = 40 };

/* What a simulation told until its last step. */
struct told {
    int count;
    uint64_t steps[STOPS];
    char text[STOPS][sizeof error.text];
    struct ky_stop stop[STOPS];
};

/* Goes on after each stop. */
static struct told advance(struct ky_sim *sim)
{
    struct told told = {0};
    while (ky_sim_steps(sim) < STEPS && told.count < STOPS) {
        const enum ky_status status = ky_sim_advance(sim, STEPS - ky_sim_steps(sim), &error);
        if (status != KY_STOPPED) {
            assert_ok(status);
            break;
        }
        struct ky_stop *stop = &told.stop[told.count];
        stop->size = sizeof *stop;
        ky_sim_stop_reason(sim, stop);
        snprintf(told.text[told.count], sizeof told.text[0], "%s", error.text);
        told.steps[told.count++] = ky_sim_steps(sim);
    }
    return told;
}

static void try_stops(enum shape shape, size_t n, const char *options, int own_radii)
{
    static const int ranks[] = {1, 2, 3, 8};
    const struct ky_parameters parameters = parameters_of(options);
    struct ky_bodies bodies = make(shape, n), first = {0};
    struct told expected = {0};
    bodies.radius = own_radii ? calloc(n, sizeof *bodies.radius) : NULL;
    for (size_t i = 0; i < n && own_radii; i++)
        bodies.radius[i] = i % 100 == 7 ? 0.05 : 1e-5;
    for (size_t r = 0; r < sizeof ranks / sizeof *ranks; r++) {
        if (!is_compared(ranks[r], n))
            continue;
        struct ky_sim *sim = open_ranks(&parameters, ranks[r], &bodies);
        const struct told told = advance(sim);
        struct ky_bodies got = state_of(sim);
        ky_sim_close(sim);
        if (!r) {
            expected = told;
            first = got;
            if (!told.count)
                fail_msg("'%s': nothing stops", options);
            continue;
        }
        for (int k = 0; k < told.count; k++)
            if (told.steps[k] != expected.steps[k] || strcmp(told.text[k], expected.text[k]) != 0 ||
                memcmp(&told.stop[k], &expected.stop[k], sizeof told.stop[k]) != 0)
                fail_msg("'%s', %d ranks: stop %d is '%s', and not '%s'", options, ranks[r], k,
                         told.text[k], expected.text[k]);
        assert_int_equal(told.count, expected.count);
        expect_same(&got, &first, options);
        ky_bodies_free(&got);
    }
    ky_bodies_free(&first);
    ky_bodies_free(&bodies);
}

static void the_same_events(void **state)
{
    (void)state;
    try_stops(SPHERE, 5000, "stop-pair=0.01", 0); /* divided */
    try_stops(SPHERE, 3000, "stop-collision=on body-radius=0.004", 0);
    try_stops(MASSES, 3000, "stop-collision=on", 1);
    try_stops(SPHERE, 200, "stop-pair=0.08", 0); /* so few that pairs need no walk */
    try_stops(SPHERE, 1000, "force=direct stop-pair=0.004", 0);
    try_stops(SPHERE, 3000, "cell=edge stop-pair=0.008", 0);
    try_stops(SPHERE, 5000, "integrator=block step-length=0.05 stop-pair=0.004", 0);
}

/* A condition may be set and given up between steps. */
static void conditions_may_change(void **state)
{
    (void)state;
    const struct ky_parameters parameters = parameters_of("");
    struct ky_bodies bodies = make(SPHERE, 5000);
    struct ky_sim *sim = open_ranks(&parameters, 3, &bodies);
    assert_ok(ky_sim_advance(sim, 1, &error));
    assert_ok(ky_sim_set_parameter(sim, "stop-pair", "0.02", &error));
    assert_int_equal(ky_sim_advance(sim, 1, &error), KY_STOPPED);
    assert_non_null(strstr(error.text, "--stop-pair 0.02"));
    ky_sim_close(sim);
    ky_bodies_free(&bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_events),
        cmocka_unit_test(conditions_may_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
