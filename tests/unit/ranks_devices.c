/* Ranks with devices (--ranks with --engine cuda:0,1 or opencl:0): each has a part of the bodies on
 * its card, and the bits do not depend on how many there are, nor whether there are any. All ranks
 * may use one device. */
#include "test.h"

#include "engines.h"
#include "ranked_cases.h"

static struct ky_error error;

/* With fewer bodies a GPU divides its heaviest groups. */
enum { MANY = 2600000 };

struct outcome {
    struct ky_bodies bodies;
    struct ky_sums sums;
};

static struct outcome run(const struct ky_parameters *parameters, int ranks,
                          const struct ky_bodies *bodies, uint64_t steps)
{
    struct outcome outcome = {.sums = {0}};
    struct ky_sim *sim = open_ranks(parameters, ranks, bodies);
    assert_ok(ky_sim_advance(sim, steps, &error));
    assert_ok(ky_sim_sums(sim, &outcome.sums, &error));
    outcome.bodies = state_of(sim);
    ky_sim_close(sim);
    return outcome;
}

static void try_ranks(const struct ky_parameters *parameters, const struct ky_bodies *bodies,
                      uint64_t steps, const char *what)
{
    int ranks[DEVICE_RUNS];
    const size_t runs = device_runs(parameters->engine, ranks);
    struct outcome one, two;
    for (size_t k = 0; k < runs; k++) {
        char text[200];
        struct outcome now = run(parameters, ranks[k], bodies, steps);
        snprintf(text, sizeof text, "%s, %d ranks on %s", what, ranks[k], parameters->engine);
        if (k == 0) {
            one = now;
            continue;
        }
        expect_same(&now.bodies, &one.bodies, text);
        if (k == 1) {
            two = now;
            continue;
        }
        expect_same(&now.bodies, &two.bodies, text);
        if (memcmp(&now.sums.mass, &two.sums.mass,
                   sizeof now.sums - offsetof(struct ky_sums, mass)) != 0)
            fail_msg("%s: the sums have other bits", text);
        ky_bodies_free(&now.bodies);
    }
    ky_bodies_free(&one.bodies);
    ky_bodies_free(&two.bodies);
}

static void try_case(enum shape shape, size_t n, const char *options, uint64_t steps)
{
    FOR_DEVICES(k, 1)
    {
        char what[120];
        struct ky_parameters parameters = parameters_of(options);
        struct ky_bodies bodies = make(shape, n);
        parameters.engine = engines[k].engine;
        snprintf(what, sizeof what, "shape %d, %zu bodies, '%s'", (int)shape, n, options);
        try_ranks(&parameters, &bodies, steps, what);
        ky_bodies_free(&bodies);
    }
}

static void systems_have_the_same_bits(void **state)
{
    (void)state;
    static const struct {
        enum shape shape;
        size_t n;
        uint64_t steps;
        int always;
    } cases[] = {
        {SPHERE, 40009, 2, 1}, {COLLISION, 8193, 4, 1}, {LATTICE, 9261, 2, 0}, {TWO, 8193, 2, 0},
        {MASSES, 8193, 2, 0},  {DISK, 20011, 2, 0},     {FAR, 8193, 2, 1},     {CHAIN, 8193, 1, 0},
        {TWINS, 8193, 2, 0},   {NODE, 12000, 2, 0},     {BLOCK, 100003, 1, 0}, {TWO, 40009, 2, 0},
    };
    need_a_device();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        if (cases[k].always || test_everything())
            try_case(cases[k].shape, cases[k].n, "", cases[k].steps);
    if (next_device(-1, 0) >= 0 && !is_slow(next_device(-1, 0)))
        try_case(SPHERE, MANY, "", 3);
}

/* Fewer bodies than ranks, ranks without bodies, and all bodies at one place. */
static void few_bodies_have_the_same_bits(void **state)
{
    (void)state;
    static const size_t few[] = {0, 1, 2, 3, 100, 4096};
    need_a_device();
    for (size_t k = 0; k < sizeof few / sizeof *few; k++)
        try_case(SPHERE, few[k], "", 1);
    try_case(HEAP, 700, "", 2);
}

static void options_have_the_same_bits(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        int always;
    } cases[] = {
        {"opening=offset theta=0.7", 1},
        {"opening=minimum theta=0.8 multipole=1", 0},
        {"opening=geometric theta=0.5 curve=morton", 0},
        {"opening=relative alpha=0.001 multipole=1", 0},
        {"group=16 leaf=1", 0},
        {"precision=double", 0},
        {"precision=extended", 0},
        {"softening=0", 0},
        {"softening=0.3 softening-kind=spline", 0},
        {"g=43009", 0},
        {"step=-0.01", 0},
        {"field=plummer:mass=3,scale=2,x=3", 0},
    };
    need_a_device();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        if (cases[k].always || test_everything())
            try_case(SPHERE, 9007, cases[k].options, 2);
}

/* Kicks, a field at points, and bodies that are taken out. */
static void simulations_can_be_changed(void **state)
{
    (void)state;
    need_a_device();
    FOR_DEVICES(k, 1)
    {
        struct ky_parameters parameters = parameters_of("");
        struct ky_bodies bodies = make(SPHERE, 6007);
        parameters.engine = engines[k].engine;
        struct ky_sim *sim[2] = {open_ranks(&parameters, 2, &bodies),
                                 open_ranks(&parameters, 3, &bodies)};
        struct ky_bodies got[2];
        double field[2][2][3];
        const double point[2][3] = {{0.1, 0.2, 0.3}, {9, -8, 7}};
        const size_t some[2] = {5, 6000};
        const double kick[2][3] = {{1, 2, 3}, {-3, 2, -1}};
        const uint64_t gone[2] = {bodies.id ? bodies.id[7] : 7, bodies.id ? bodies.id[90] : 90};
        for (int s = 0; s < 2; s++) {
            assert_ok(ky_sim_advance(sim[s], 2, &error));
            assert_ok(ky_sim_field(sim[s], 2, point, 0.01, field[s], NULL, &error));
            assert_ok(ky_sim_kick(sim[s], some, 2, kick, &error));
            assert_ok(ky_sim_advance(sim[s], 2, &error));
            assert_ok(ky_sim_remove(sim[s], gone, 2, &error));
            assert_ok(ky_sim_advance(sim[s], 1, &error));
            got[s] = state_of(sim[s]);
            ky_sim_close(sim[s]);
        }
        expect_same(&got[0], &got[1], "after changes");
        assert_memory_equal(field[0], field[1], sizeof field[0]);
        for (int s = 0; s < 2; s++)
            ky_bodies_free(&got[s]);
        ky_bodies_free(&bodies);
    }
}

static void what_ranks_with_devices_cannot_do(void **state)
{
    (void)state;
    struct ky_bodies bodies = make(SPHERE, 100);
    need_a_device();
    FOR_DEVICES(k, 1)
    {
        expect_refused(engines[k].engine, "tree=host", &bodies);
        expect_refused(engines[k].engine, "force=walk", &bodies);
    }
    ky_bodies_free(&bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(systems_have_the_same_bits),
        cmocka_unit_test(few_bodies_have_the_same_bits),
        cmocka_unit_test(options_have_the_same_bits),
        cmocka_unit_test(simulations_can_be_changed),
        cmocka_unit_test(what_ranks_with_devices_cannot_do),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
