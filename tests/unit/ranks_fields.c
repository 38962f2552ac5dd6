/* A function of the caller as a field on bodies that ranks share: the same bits for any number of
 * ranks, asked once for all bodies, in their order, from the thread of the caller. */
#include "test.h"

#include <pthread.h>

#include "ranked.h"

static struct ky_error error;

/* What the function for many places saw. */
static struct seen {
    pthread_t caller;
    const struct ky_bodies *bodies; /* where they are at the first call; NULL afterwards */
    size_t calls, most;
    int is_wrong;
} seen;

/* The field of a sphere that grows in time. */
static void pull(const double x[3], double time, double a[3], double *potential)
{
    const double s2 = 0.25 + x[0] * x[0] + x[1] * x[1] + x[2] * x[2], m = 2 + time;
    for (int c = 0; c < 3; c++)
        a[c] = -m * x[c] / (s2 * sqrt(s2));
    *potential = -m / sqrt(s2);
}

static void one_place(void *context, struct ky_field_place *at)
{
    (void)context;
    pull(at->position, at->time, at->acceleration, &at->potential);
}

static void many_places(void *context, const struct ky_field_places *at)
{
    struct seen *own = context;
    own->calls++;
    own->most = at->count > own->most ? at->count : own->most;
    own->is_wrong |= !pthread_equal(own->caller, pthread_self());
    for (size_t k = 0; k < at->count; k++) {
        for (int c = 0; c < 3 && own->bodies; c++)
            own->is_wrong |= at->position[k][c] != own->bodies->position[k][c];
        pull(at->position[k], at->time, at->acceleration[k], &at->potential[k]);
    }
    own->bodies = NULL;
}

/* A simulation that has been advanced, and its energy in the field. */
static struct ky_bodies after(const struct ky_parameters *parameters, int ranks,
                              const struct ky_bodies *bodies, double *external)
{
    struct ky_sums sums = {0};
    struct ky_sim *sim = open_ranks(parameters, ranks, bodies);
    assert_ok(ky_sim_advance(sim, 3, &error));
    assert_ok(ky_sim_sums(sim, &sums, &error));
    struct ky_bodies got = state_of(sim);
    ky_sim_close(sim);
    *external = sums.external;
    return got;
}

static void functions_have_the_same_bits(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        size_t n;
    } cases[] = {{"", 5000},
                 {"field=point:mass=1,x=4", 3001},
                 {"integrator=block step-length=0.05", 3000},
                 {"force=direct", 500},
                 {"curve=none", 3000},
                 {"", 3}};
    static const int ranks[] = {2, 3, 8};
    for (size_t k = 0; k < 2 * sizeof cases / sizeof *cases; k++) {
        struct ky_bodies bodies = make(SPHERE, cases[k / 2].n);
        struct ky_parameters parameters = parameters_of(cases[k / 2].options);
        double external, now;
        char what[120];
        parameters.field_function = k % 2 ? NULL : one_place;
        parameters.field_places = k % 2 ? many_places : NULL;
        parameters.field_context = &seen;
        seen = (struct seen){.caller = pthread_self()};
        struct ky_bodies alone = after(&parameters, 1, &bodies, &external);
        assert_true(external < 0);
        const size_t calls = seen.calls;
        for (int r = 0; r < 3; r++) {
            seen = (struct seen){.caller = pthread_self(), .bodies = &bodies};
            snprintf(what, sizeof what, "'%s', %zu, %d ranks", cases[k / 2].options, k, ranks[r]);
            struct ky_bodies got = after(&parameters, ranks[r], &bodies, &now);
            expect_same(&got, &alone, what);
            if (now != external || seen.calls != calls || seen.is_wrong ||
                (k % 2 && seen.most != bodies.n))
                fail_msg("%s: %.17g and %.17g, %zu and %zu calls, at most %zu places, wrong: %d",
                         what, now, external, seen.calls, calls, seen.most, seen.is_wrong);
            ky_bodies_free(&got);
        }
        ky_bodies_free(&alone);
        ky_bodies_free(&bodies);
    }
}

static void nothing(void *context, struct ky_field_place *at)
{
    (void)context;
    (void)at;
}

static void what_cannot_be_is_told(void **state)
{
    (void)state;
    struct ky_bodies bodies = make(SPHERE, 5000);
    struct ky_parameters parameters = parameters_of("force=direct integrator=hermite4");
    struct ky_sums sums = {0};
    struct ky_sim *sim = NULL;
    parameters.ranks = 3;
    parameters.field_function = one_place;
    assert_int_equal(ky_sim_open(&parameters, &bodies, 0, &sim, &error), KY_UNSUPPORTED);
    assert_non_null(strstr(error.text, "use another integrator"));
    parameters = parameters_of("");
    parameters.ranks = 3;
    parameters.field_function = nothing;
    assert_ok(ky_sim_open(&parameters, &bodies, 0, &sim, &error));
    assert_ok(ky_sim_advance(sim, 2, &error));
    assert_int_equal(ky_sim_sums(sim, &sums, &error), KY_BAD_DATA);
    ky_sim_close(sim);
    ky_bodies_free(&bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_have_the_same_bits),
        cmocka_unit_test(what_cannot_be_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
