/* Ranks that share a simulation (--ranks, src/domain): the same bits for any number of ranks, for
 * systems of many shapes, and with every option of the tree, every force and integrator.
 * ranks_changes.c has what is done to such a simulation. */
#include "test.h"

#include "ranked_cases.h"
#include "same_bits.h"

static struct ky_error error;

/* ---- the same bits ---- */

static void systems_have_the_same_bits(void **state)
{
    (void)state;
    static const struct ranked_case cases[] = {SYSTEMS};
    TRY_CASES(cases, ON_CPU, "", try_case, 2);
}

static void few_bodies_have_the_same_bits(void **state)
{
    (void)state;
    try_few_bodies("", try_case);
}

static void options_have_the_same_bits(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        int always;
    } cases[] = {
        {"opening=offset theta=0.7", 1},
        {"opening=minimum theta=0.8 multipole=1", 1},
        {"opening=geometric theta=0.5 curve=morton", 1},
        {"opening=relative alpha=0.001 multipole=1", 0},
        {"opening=relative alpha=0.05", 0},
        {"curve=morton", 0},
        {"group=1 leaf=1", 1},
        {"group=16 leaf=1", 0},
        {"group=256 leaf=16", 1},
        {"group=256 leaf=256 opening=offset", 0},
        {"precision=double", 1},
        {"precision=extended", 1},
        {"precision=extended opening=offset multipole=1", 0},
        {"softening=0", 0},
        {"softening=0.3 softening-kind=spline", 1},
        {"softening=0.1 softening-kind=symmetric", 0},
        {"threads=5", 1},
        {"g=43009", 0},
        {"isa=plain", 0},
        {"step=-0.01", 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        if (cases[k].always || test_everything())
            try_case(k % 2 ? DISK : SPHERE, 6007, cases[k].options, 2);
}

/* Forces and steps for which every rank has all bodies. */
static void every_force_has_the_same_bits(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        size_t n;
        uint64_t steps;
        int always;
    } cases[] = {
        {"field=plummer:mass=3,scale=2,x=3", 8193, 2, 1},
        {"force=direct field=logarithmic:speed=1,core=0.5", 2100, 2, 1},
        {"force=walk", 3001, 1, 1},
        {"force=walk cell=box opening=offset", 3001, 1, 0},
        {"force=direct", 3001, 2, 1},
        {"force=direct precision=double", 2100, 1, 0},
        {"cell=edge", 4097, 2, 1},
        {"curve=none", 4097, 1, 0},
        {"integrator=block step=0.0625 force=tree", 6007, 2, 1},
        {"integrator=block step=0.0625 force=walk", 3001, 1, 0},
        {"integrator=block step=0.0625 force=direct", 2100, 1, 0},
        {"integrator=hermite4 force=direct step=0.03125", 2100, 1, 1},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        if (cases[k].always || test_everything())
            try_case(SPHERE, cases[k].n, cases[k].options, cases[k].steps);
}

/* Massless bodies, and softenings of the bodies' own, are not divided either. */
static void every_body_has_the_same_bits(void **state)
{
    (void)state;
    static const char *const options[] = {"", "force=fmm", "force=direct"};
    for (size_t k = 0; k < 3; k++) {
        const struct ky_parameters parameters = parameters_of(options[k]);
        struct ky_bodies bodies = make(SPHERE, 9001);
        for (size_t i = 0; i < bodies.n; i += 2)
            bodies.mass[i] = 0;
        try_all_ranks(&parameters, &bodies, 1, "massless bodies");
        ky_bodies_free(&bodies);
    }
    struct ky_parameters parameters = parameters_of("softening-kind=symmetric");
    struct ky_bodies bodies = make(SPHERE, 6007);
    parameters.softening = (double)NAN;
    bodies.softening = malloc(bodies.n * sizeof *bodies.softening);
    for (size_t i = 0; i < bodies.n; i++)
        bodies.softening[i] = 0.01 * (1 + (double)(i % 7));
    try_all_ranks(&parameters, &bodies, 2, "softenings of their own");
    ky_bodies_free(&bodies);
}

/* More bodies at one place than a cell has that is not divided among ranks. Those of other places
 * stand between them in the list, so that numbers of a place come from several ranks. */
static void bodies_at_one_place(void **state)
{
    (void)state;
    try_case(HEAP, 5000, "", 1);
    try_case(NODE, 12000, "", 2);
    if (test_everything())
        try_case(NODE, 60000, "", 1);
}

/* ---- long motion ---- */

/* Without forces bodies pass through each other: half of them to the left, half to the right, all
 * of them through the centre. Each stays the same body, and arrives where it must. */
static void bodies_wander_through_all_ranks(void **state)
{
    (void)state;
    enum { SIDE = 18, N = SIDE * SIDE * SIDE };
    const int steps = test_everything() ? 100 : 30;
    struct ky_parameters parameters = parameters_of("g=1e-30 opening=offset theta=0.9 group=256");
    struct ky_bodies bodies = make(LATTICE, N), last = {0};
    parameters.step = 0.03125 * 100 / steps;
    for (size_t i = 0; i < N; i++)
        for (int c = 0; c < 3; c++)
            bodies.velocity[i][c] = i % 3 == 0 ? -bodies.position[i][c]
                                    : c == 0   ? (i % 3 == 1 ? 1 : -1)
                                               : 0.25;
    for (int ranks = 1; ranks <= 8; ranks = ranks == 1 ? 3 : ranks == 3 ? 8 : 9) {
        struct ky_sim *sim = open_ranks(&parameters, ranks, &bodies);
        assert_ok(ky_sim_advance(sim, (uint64_t)steps, &error));
        struct ky_bodies got = state_of(sim);
        if (last.n)
            expect_same(&got, &last, "bodies that wander");
        for (size_t i = 0; i < N; i++) {
            assert_true(got.id[i] == i);
            for (int c = 0; c < 3; c++)
                assert_between(got.position[i][c] - bodies.position[i][c] -
                                   bodies.velocity[i][c] * parameters.step * steps,
                               -1e-11, 1e-11);
        }
        ky_bodies_free(&last);
        last = got;
        ky_sim_close(sim);
    }
    ky_bodies_free(&last);
    ky_bodies_free(&bodies);
}

/* Errors against exact sums in double are those of one tree. */
static void forces_are_those_of_the_exact_sum(void **state)
{
    (void)state;
    compare_with_exact_sum(TWO, 6007, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(systems_have_the_same_bits),
        cmocka_unit_test(few_bodies_have_the_same_bits),
        cmocka_unit_test(options_have_the_same_bits),
        cmocka_unit_test(every_force_has_the_same_bits),
        cmocka_unit_test(every_body_has_the_same_bits),
        cmocka_unit_test(bodies_at_one_place),
        cmocka_unit_test(bodies_wander_through_all_ranks),
        cmocka_unit_test(forces_are_those_of_the_exact_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
