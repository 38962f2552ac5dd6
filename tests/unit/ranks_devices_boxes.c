/* Ranks with devices that divide the bodies of a periodic box: the same bits for any number of
 * ranks and without ranks, in comoving boxes and block steps too, also after restarts; errors
 * against exact sums, and motion beside the CPU; and fields at points. All ranks may use one
 * device. */
#include "test.h"

#include "base/order.h"
#include "boxes.h"
#include "same_bits_devices.h"
#include "stepped.h"

static struct ky_error error;

extern uint32_t ky_device_tree_top; /* tree/tree_groups.h, whose arrays have names of domain.h */

/* ---- the same bits ---- */

#define BLOCKS "integrator=block softening=0.1 step=0.125"

/* More than 4,096 bodies, which ranks do not divide (KY_PART_BODIES). */
struct box_case {
    enum set set;
    size_t n;
    const char *options;
    uint64_t steps;
    uint32_t top; /* ky_device_tree_top, which makes more cuts the smaller it is; 0: as usual */
    int always;
};

static void try_box(const struct box_case *its)
{
    const uint32_t usual = ky_device_tree_top;
    ky_device_tree_top = its->top ? its->top - 1 : usual;
    FOR_DEVICES(k, 1)
    {
        char what[120], all[200];
        snprintf(all, sizeof all, "box=2.5 %s", its->options);
        struct ky_parameters parameters = parameters_of(all);
        struct ky_bodies bodies = make_box(its->set, its->n);
        parameters.engine = engines[k].engine;
        snprintf(what, sizeof what, "set %d, %zu bodies, '%.60s'", (int)its->set, its->n,
                 its->options);
        try_ranks(&parameters, &bodies, its->steps, what);
        ky_bodies_free(&bodies);
    }
    ky_device_tree_top = usual;
}

static void systems_have_the_same_bits(void **state)
{
    (void)state;
    static const struct box_case cases[] = {
        {CLUMPS, 4409, "force=fmm", 2, 1, 1},
        {CLUMPS, 4409, "force=tree", 1, 0, 0},
        /* boxes of cells that are far from symmetric about their centres, and narrow groups */
        {CLUMPS, 7001, "force=tree group=4", 0, 0, 1},
        {UNIFORM, 9001, "force=fmm", 2, 1, 0},
        {CLUMPS, 20011, "force=fmm", 2, 2, 0},
        {WAVES, 4913, "force=fmm", 2, 1, 0},
        {CORNER, 6007, "force=fmm", 2, 1, 0},
        {FACES, 4409, "force=fmm", 2, 1, 0},
        {TOGETHER, 5000, "force=fmm", 2, 0, 0},
        {UNIFORM, 6007, "force=fmm step=0.2", 2, 1, 0}, /* across a quarter of the box in a step */
        {CLUMPS, 6007, "force=fmm order=4 alpha=5e-5 precision=double", 2, 1, 0},
        {CLUMPS, 6007, "force=fmm softening=0.2 softening-kind=spline group=16", 2, 1, 0},
        {CLUMPS, 6007, "force=fmm opening=geometric theta=0.5 curve=morton", 2, 1, 0},
        {UNIFORM, 6007, "force=fmm g=43009", 2, 0, 0},
        {WAVES, 5832, "force=tree", 2, 0, 0},
        {CORNER, 6007, "force=tree", 2, 0, 0},
        {FACES, 6007, "force=tree precision=double", 2, 0, 0},
        {UNIFORM, 6007, "force=tree opening=offset theta=0.6 multipole=1", 2, 0, 0},
        {UNIFORM, 6007, "force=tree softening=0.2 softening-kind=spline", 2, 0, 0},
        /* bodies leave the box by more than a tree is kept for */
        {CLUMPS, 4409, "force=fmm " BLOCKS " step=0.5 eta=0.6", 1, 1, 1},
        {CLUMPS, 4409, "force=tree " BLOCKS, 2, 0, 1},
        {CLUMPS, 9001, "force=fmm " BLOCKS, 2, 1, 0},
        {WAVES, 4913, "force=fmm eta=10 " BLOCKS, 2, 1, 0}, /* the longest step for all */
        {FACES, 6007, "force=fmm " BLOCKS, 2, 1, 0},
        {TOGETHER, 5000, "force=fmm " BLOCKS, 2, 0, 0},
        {CORNER, 6007, "force=fmm " BLOCKS " order=4 alpha=5e-5 precision=double", 2, 1, 0},
        {UNIFORM, 6007, "force=tree " BLOCKS " step=0.5", 1, 0, 0},
    };
    need_a_device();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        if (cases[k].always || test_everything())
            try_box(&cases[k]);
}

/* Fewer bodies than ranks, and so few that one rank has all of them. */
static void few_bodies_have_the_same_bits(void **state)
{
    (void)state;
    static const size_t few[] = {0, 1, 2, 8, 5, 100};
    need_a_device();
    for (size_t k = 0; k < (test_everything() ? 6 : 3); k++)
        try_box(&(struct box_case){UNIFORM, few[k], "force=fmm", 2, 0, 1});
    for (size_t k = 0; k < 6; k++)
        try_box(&(struct box_case){UNIFORM, few[k], "force=fmm " BLOCKS, 2, 0, 1});
    for (size_t k = 0; k < 6; k++)
        if (test_everything())
            try_box(&(struct box_case){FACES, few[k], "force=tree softening=0", 2, 0, 1});
}

/* Slow bodies of a comoving box, at the scale factor of the parameters. */
static struct ky_bodies make_comoving(enum set set, size_t n, const char *options,
                                      struct ky_parameters *parameters)
{
    char all[160];
    struct ky_bodies bodies = make_box(set, n);
    snprintf(all, sizeof all, "box=2.5 step=0.05 expansion=omega-m=0.3,omega-lambda=0.7,h0=1 %s",
             options);
    *parameters = parameters_of(all);
    parameters->time = 0.2;
    for (size_t i = 0; i < bodies.n; i++)
        for (int c = 0; c < 3; c++)
            bodies.velocity[i][c] *= 0.03;
    return bodies;
}

/* Comoving steps, which are divided by the rms velocity; and block steps, with exact sums of which
 * each rank has all bodies. Some with a softening that follows the scale factor. */
static void comoving_steps_have_the_same_bits(void **state)
{
    (void)state;
    static const struct {
        enum set set;
        const char *options;
        size_t n;
        int always;
    } cases[] = {
        {WAVES, "force=fmm softening=0.05 softening-max=0.005", 4913, 1},
        {WAVES, "force=direct integrator=block eta=0.05", 343, 1},
        {CLUMPS, "force=fmm integrator=block eta=0.3 softening=0.05 softening-max=0.0105", 4409, 1},
        {CLUMPS, "force=tree integrator=block eta=0.3 softening=0.05", 4409, 0}};
    need_a_device();
    FOR_DEVICES(k, 1)
    for (size_t which = 0; which < sizeof cases / sizeof *cases; which++) {
        struct ky_parameters parameters;
        if (!cases[which].always && !test_everything())
            continue;
        struct ky_bodies bodies =
            make_comoving(cases[which].set, cases[which].n, cases[which].options, &parameters);
        parameters.engine = engines[k].engine;
        try_ranks(&parameters, &bodies, 2, cases[which].options);
        ky_bodies_free(&bodies);
    }
}

/* Block steps in a comoving box go on with another number of ranks, or without. */
static void restarts_take_any_number_of_ranks(void **state)
{
    (void)state;
    static const int path[] = {2, 1, 3, 2};
    need_a_device();
    FOR_DEVICES(k, 1)
    {
        struct ky_parameters parameters;
        struct ky_bodies bodies = make_comoving(
            CLUMPS, 4409, "force=fmm integrator=block eta=0.3 softening=0.05", &parameters);
        parameters.engine = engines[k].engine;
        expect_same_restarts(&parameters, &bodies, engines[k].engine, path);
        ky_bodies_free(&bodies);
    }
}

/* ---- errors ---- */

/* Errors of all bodies on two ranks relative to the rms acceleration, in ascending order. */
static double *errors_of(const struct ky_parameters *parameters, const struct ky_bodies *bodies)
{
    const struct ky_parameters direct = parameters_of("box=2.5 force=direct precision=double");
    struct ky_sim *exact = open_ranks(&direct, 1, bodies), *sim = open_ranks(parameters, 2, bodies);
    struct ky_bodies sums = state_of(exact), got = state_of(sim);
    double *e = calloc(bodies->n, sizeof *e), a2 = 0;
    for (size_t i = 0; i < bodies->n; i++)
        for (int c = 0; c < 3; c++) {
            const double a = sums.acceleration[i][c], d = got.acceleration[i][c] - a;
            a2 += a * a / (double)bodies->n;
            e[i] += d * d;
        }
    for (size_t i = 0; i < bodies->n; i++)
        e[i] = sqrt(e[i] / a2);
    qsort(e, bodies->n, sizeof *e, ky_order_reals);
    ky_sim_close(exact);
    ky_sim_close(sim);
    ky_bodies_free(&sums);
    ky_bodies_free(&got);
    return e;
}

/* The bounds are those of unit/ranks_boxes for the CPU, and for the median those of fmm on
 * devices. */
static void forces_are_those_of_the_exact_sum(void **state)
{
    (void)state;
    need_a_device();
    FOR_DEVICES(k, 1)
    {
        struct ky_parameters parameters = parameters_of("box=2.5 force=fmm");
        struct ky_bodies bodies = make_box(CLUMPS, 5003);
        parameters.engine = engines[k].engine;
        double *e = errors_of(&parameters, &bodies);
        assert_between(e[bodies.n / 2], 1e-9, 3e-4);
        assert_between(e[bodies.n - 1 - bodies.n / 100], 0, 1e-3);
        free(e);
        ky_bodies_free(&bodies);
    }
}

/* Block steps on three ranks beside those of the CPU: the rms difference of velocities over their
 * rms change. Errors of the forces of both are below 1e-3 of the rms acceleration. */
static void blocks_move_bodies_as_the_cpu_does(void **state)
{
    (void)state;
    need_a_device();
    FOR_DEVICES(k, 1)
    {
        struct ky_parameters parameters;
        struct ky_bodies bodies = make_comoving(
            CLUMPS, 4409, "force=fmm integrator=block eta=0.3 softening=0.05", &parameters);
        struct outcome cpu = run(&parameters, 1, &bodies, 1);
        parameters.engine = engines[k].engine;
        struct outcome device = run(&parameters, 3, &bodies, 1);
        double off = 0, change = 0;
        for (size_t i = 0; i < bodies.n; i++)
            for (int c = 0; c < 3; c++) {
                off += pow(device.bodies.velocity[i][c] - cpu.bodies.velocity[i][c], 2);
                change += pow(cpu.bodies.velocity[i][c] - bodies.velocity[i][c], 2);
            }
        assert_between(sqrt(off / change), 1e-9, 1e-3);
        ky_bodies_free(&cpu.bodies);
        ky_bodies_free(&device.bodies);
        ky_bodies_free(&bodies);
    }
}

/* ---- points ---- */

enum { POINTS = 40 };

/* For fields and tides at points one rank gets all bodies. */
static void points_have_the_same_bits(void **state)
{
    (void)state;
    static double a[2][POINTS][3], p[2][POINTS], tide[2][POINTS][6];
    double at[POINTS][3];
    struct ky_bodies bodies = make_box(CLUMPS, 4409);
    need_a_device();
    for (size_t k = 0; k < POINTS; k++) {
        struct ky_random random = ky_random_at(4, 1, k);
        for (int c = 0; c < 3; c++)
            at[k][c] = SIDE * (3 * ky_random_uniform(&random) - 1);
    }
    FOR_DEVICES(k, 1)
    {
        struct ky_parameters parameters = parameters_of("box=2.5 force=fmm");
        parameters.engine = engines[k].engine;
        for (int r = 0; r < 2; r++) {
            const struct ky_field_points points = {.size = sizeof points,
                                                   .count = POINTS,
                                                   .position = (const double(*)[3])at,
                                                   .softening = 0.02,
                                                   .acceleration = a[r],
                                                   .potential = p[r],
                                                   .tide = tide[r]};
            struct ky_sim *sim = open_ranks(&parameters, 1 + r, &bodies);
            assert_ok(ky_sim_field_fill(sim, &points, &error));
            ky_sim_close(sim);
        }
        assert_memory_equal(a[0], a[1], sizeof a[0]);
        assert_memory_equal(p[0], p[1], sizeof p[0]);
        assert_memory_equal(tide[0], tide[1], sizeof tide[0]);
    }
    ky_bodies_free(&bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(systems_have_the_same_bits),
        cmocka_unit_test(few_bodies_have_the_same_bits),
        cmocka_unit_test(comoving_steps_have_the_same_bits),
        cmocka_unit_test(restarts_take_any_number_of_ranks),
        cmocka_unit_test(forces_are_those_of_the_exact_sum),
        cmocka_unit_test(blocks_move_bodies_as_the_cpu_does),
        cmocka_unit_test(points_have_the_same_bits),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
