/* Ranks with devices that divide the bodies where cells act on cells (--force fmm): the same bits
 * for any number of ranks and without ranks. All ranks may use one device. */
#include "test.h"

#include "engine/device/tree/tree_groups.h"
#include "same_bits_devices.h"

/* With the usual limit of cells 500,000 bodies have one cut, and with a limit of 1 40,000 have two,
 * of which the upper one may have cells above the ranks' roots. With 0 there are six, all of which
 * but two have the root of the tree. */
static void try_cuts(uint32_t top, enum shape shape, size_t n, const char *options, uint64_t steps)
{
    const uint32_t usual = ky_device_tree_top;
    ky_device_tree_top = top;
    try_case(shape, n, options, steps);
    ky_device_tree_top = usual;
}

static void try_two_cuts(enum shape shape, size_t n, const char *options, uint64_t steps)
{
    try_cuts(1, shape, n, options, steps);
}

static void try_all_cuts(enum shape shape, size_t n, const char *options, uint64_t steps)
{
    try_cuts(0, shape, n, options, steps);
}

/* Every kernel of ranks with fmm, also for tools under which a kernel takes long: with several
 * cuts, and cells that have bodies on both ranks. */
static void every_kernel_in_small(void **state)
{
    (void)state;
    const uint32_t usual = ky_device_tree_top;
    struct ky_error error = {0};
    struct ky_bodies bodies = make(COLLISION, 6007);
    need_a_device();
    ky_device_tree_top = 0;
    FOR_DEVICES(k, 1)
    {
        struct ky_parameters parameters = parameters_of("force=fmm step=0.125");
        parameters.engine = engines[k].engine;
        struct ky_bodies got[2];
        for (int r = 0; r < 2; r++) {
            struct ky_sim *sim = open_ranks(&parameters, 1 + r, &bodies);
            assert_ok(ky_sim_advance(sim, 1, &error));
            got[r] = state_of(sim);
            ky_sim_close(sim);
        }
        expect_same(&got[1], &got[0], parameters.engine);
        ky_bodies_free(&got[0]);
        ky_bodies_free(&got[1]);
    }
    ky_device_tree_top = usual;
    ky_bodies_free(&bodies);
}

static void systems_have_the_same_bits(void **state)
{
    (void)state;
    need_a_device();
    try_systems("force=fmm", try_two_cuts);
}

static void few_bodies_have_the_same_bits(void **state)
{
    (void)state;
    need_a_device();
    try_few_bodies_on_devices("force=fmm");
}

static void options_have_the_same_bits(void **state)
{
    (void)state;
    static const struct device_options cases[] = {
        {"force=fmm order=2 alpha=0.01", 0},
        {"force=fmm order=3", 0},
        {"force=fmm order=5", 0},
        {"force=fmm order=6 alpha=1e-6", 1},
        {"force=fmm alpha=0.5", 0},
        {"force=fmm group=1 leaf=1", 0},
        {"force=fmm group=16 leaf=1", 0},
        {"force=fmm opening=geometric theta=0.5 curve=morton", 0},
        {"force=fmm precision=double", 0},
        {"force=fmm precision=extended", 0},
        {"force=fmm softening=0", 0},
        {"force=fmm softening=0.3 softening-kind=spline", 0},
        {"force=fmm softening=0.1 softening-kind=symmetric", 0},
        {"force=fmm g=43009", 0},
        {"force=fmm step=-0.01", 0},
        {"force=fmm field=plummer:mass=3,scale=2,x=3", 0},
    };
    need_a_device();
    try_options(cases, sizeof cases / sizeof *cases, try_all_cuts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_in_small),
        cmocka_unit_test(systems_have_the_same_bits),
        cmocka_unit_test(few_bodies_have_the_same_bits),
        cmocka_unit_test(options_have_the_same_bits),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
