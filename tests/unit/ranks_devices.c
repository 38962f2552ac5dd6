/* Ranks with devices (--ranks with --engine cuda:0,1 or opencl:0): each has a part of the bodies on
 * its card, and the bits do not depend on how many there are, nor whether there are any. All ranks
 * may use one device. */
#include "test.h"

#include "boxes.h"
#include "same_bits_devices.h"

static struct ky_error error;

/* With fewer bodies a GPU divides its heaviest groups. */
enum { MANY = 2600000 };

static void systems_have_the_same_bits(void **state)
{
    (void)state;
    need_a_device();
    try_systems("", try_case);
    if (next_device(-1, 0) >= 0 && !is_slow(next_device(-1, 0)))
        try_case(SPHERE, MANY, "", 3);
}

static void few_bodies_have_the_same_bits(void **state)
{
    (void)state;
    need_a_device();
    try_few_bodies_on_devices("");
}

static void options_have_the_same_bits(void **state)
{
    (void)state;
    static const struct device_options cases[] = {
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
    try_options(cases, sizeof cases / sizeof *cases, try_case);
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

/* The field of a sphere that grows in time. */
static void growing(void *context, const struct ky_field_places *at)
{
    const double m = 2 + at->time;
    ++*(size_t *)context;
    for (size_t k = 0; k < at->count; k++) {
        const double *x = at->position[k], s2 = 0.25 + x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
        for (int c = 0; c < 3; c++)
            at->acceleration[k][c] = -m * x[c] / (s2 * sqrt(s2));
        at->potential[k] = -m / sqrt(s2);
    }
}

/* The same for one place, which a device alone cannot call. */
static void growing_at_one(void *context, struct ky_field_place *at)
{
    size_t calls;
    (void)context;
    growing(&calls, &(struct ky_field_places){.count = 1,
                                              .time = at->time,
                                              .position = (const double(*)[3])at->position,
                                              .acceleration = (double(*)[3])at->acceleration,
                                              .potential = &at->potential});
}

/* After some steps. Returns the energy in the field. */
static double advance_in_field(const struct ky_parameters *parameters, int ranks,
                               const struct ky_bodies *bodies, struct ky_bodies *got)
{
    struct ky_sums sums = {0};
    struct ky_sim *sim = open_ranks(parameters, ranks, bodies);
    assert_ok(ky_sim_advance(sim, 3, &error));
    assert_ok(ky_sim_sums(sim, &sums, &error));
    *got = state_of(sim);
    ky_sim_close(sim);
    return sums.external;
}

/* All bodies begin at one place, and so on one rank: the others get some when they have left it.
 * The opening test then has to read accelerations without the field on these ranks too. */
static void an_empty_rank_gets_bodies_in_a_field(void **state)
{
    (void)state;
    need_a_device();
    FOR_DEVICES(k, 1)
    {
        struct ky_parameters parameters =
            parameters_of("opening=relative field=point:mass=1,x=3 softening=0.1 step=0.0625");
        struct ky_bodies bodies = make(SPHERE, 8193);
        for (size_t i = 0; i < bodies.n; i++)
            for (int c = 0; c < 3; c++)
                bodies.position[i][c] = 0.125;
        parameters.engine = engines[k].engine;
        try_ranks(&parameters, &bodies, 4, "bodies that leave one place in a field");
        ky_bodies_free(&bodies);
    }
}

static void a_function_as_field_has_the_same_bits(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        size_t n;
    } cases[] = {{"", 5000},
                 {"integrator=block step-length=0.05 field=point:mass=1,x=4", 3000},
                 {"force=direct", 500},
                 {"", 3}};
    need_a_device();
    FOR_DEVICES(k, 1)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ky_bodies bodies = make(SPHERE, cases[i].n), alone, got;
        struct ky_parameters parameters = parameters_of(cases[i].options);
        size_t calls = 0;
        parameters.engine = engines[k].engine;
        parameters.field_places = growing;
        parameters.field_context = &calls;
        const double external = advance_in_field(&parameters, 1, &bodies, &alone);
        const size_t calls_alone = calls;
        assert_true(external < 0);
        for (int ranks = 2; ranks <= 4; ranks++) {
            calls = 0;
            if (ranks == 4) {
                parameters.field_function = growing_at_one;
                parameters.field_places = NULL;
            }
            const double now = advance_in_field(&parameters, ranks, &bodies, &got);
            expect_same(&got, &alone, cases[i].options);
            assert_true(fabs(now / external - 1) < 1e-13);
            assert_int_equal(calls, ranks == 4 ? 0 : calls_alone);
            ky_bodies_free(&got);
        }
        ky_bodies_free(&alone);
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

/* More cases are in ranks_devices_boxes.c. */
static void a_periodic_box_has_the_same_bits(void **state)
{
    (void)state;
    static const char *const options[] = {
        "box=2.5 force=fmm", "box=2.5 force=fmm integrator=block softening=0.1 step=0.0625"};
    need_a_device();
    FOR_DEVICES(k, 1)
    for (int c = 0; c < 3; c++) {
        struct ky_parameters parameters = parameters_of(options[c % 2]);
        struct ky_bodies bodies = make_box(CLUMPS, 4409);
        for (size_t i = 0; i < bodies.n && c == 2; i++)
            bodies.mass[i] = bodies.position[i][0] < SIDE / 2 ? 0 : bodies.mass[i];
        parameters.engine = engines[k].engine;
        try_ranks(&parameters, &bodies, 1, c == 2 ? "half without mass" : options[c]);
        ky_bodies_free(&bodies);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(systems_have_the_same_bits),
        cmocka_unit_test(few_bodies_have_the_same_bits),
        cmocka_unit_test(options_have_the_same_bits),
        cmocka_unit_test(a_periodic_box_has_the_same_bits),
        cmocka_unit_test(simulations_can_be_changed),
        cmocka_unit_test(an_empty_rank_gets_bodies_in_a_field),
        cmocka_unit_test(a_function_as_field_has_the_same_bits),
        cmocka_unit_test(what_ranks_with_devices_cannot_do),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
