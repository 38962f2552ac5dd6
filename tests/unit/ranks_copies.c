/* Ranks with devices that each have all bodies: exact sums, Hermite steps, block steps of exact
 * sums, lists, individual softenings, also of massless bodies, and periodic boxes. Results have the
 * same bits as on one device without ranks. Several ranks may share a device. */
#include "test.h"

#include "same_bits_devices.h"

#include "engine/device/ranks/copies.h"

static struct ky_error error;

/* few: pairs below which ranks do not divide the work. */
static void try_copies(enum shape shape, size_t n, int kind, const char *options, double few)
{
    FOR_DEVICES(k, 1)
    {
        char what[200];
        struct ky_parameters parameters = parameters_of(options);
        if (n > 2000 && is_slow(k) && !test_everything()) { /* a fourth of the pairs */
            n /= 2;
            few /= 4;
        }
        struct ky_bodies bodies = make_kind(shape, n, kind);
        if (kind & OWN_SOFTENINGS)
            parameters.softening = (double)NAN;
        parameters.engine = engines[k].engine;
        snprintf(what, sizeof what, "shape %d, %zu bodies, kind %d, '%s', from %g pairs",
                 (int)shape, n, kind, options, few);
        const double usual = ky_copies_few;
        ky_copies_few = few;
        try_ranks(&parameters, &bodies, 4, what);
        ky_copies_few = usual;
        ky_bodies_free(&bodies);
    }
}

/* In one precision, whatever the number of bodies, since kernels take long to compile; hermite.c
 * has the other one. */
#define HERMITE "force=direct integrator=hermite4 precision=double step-max=0.0078125 eta=0.1"
#define BLOCK "force=direct integrator=block step-max=0.0078125 eta=0.05"

static void few_bodies_have_the_bits_of_one(void **state)
{
    (void)state;
    static const size_t few[] = {0, 1, 2, 63, 65, 1000};
    static const char *const options[] = {"force=direct", HERMITE, BLOCK};
    need_a_device();
    for (size_t o = 0; o < sizeof options / sizeof *options; o++)
        for (size_t k = 0; k < sizeof few / sizeof *few; k++)
            try_copies(SPHERE, few[k], 0, options[o], 0);
}

static void systems_have_the_bits_of_one(void **state)
{
    (void)state;
    static const struct {
        enum shape shape;
        size_t n;
        int kind;
        const char *options;
        double few;
        int always;
    } cases[] = {
        {COLLISION, 3001, 0, "force=direct", 0, 1},
        {COLLISION, 3001, 0, HERMITE, 0, 1},
        {COLLISION, 3001, 0, HERMITE, 3e6, 1}, /* large blocks alone are divided */
        {COLLISION, 3001, 0, BLOCK, 0, 1},
        {SPHERE, 3001, SOME_MASSLESS, "force=direct", 0, 1},
        {SPHERE, 3001, SOME_MASSLESS, BLOCK, 0, 1},
        {SPHERE, 2001, SOME_MASSLESS, HERMITE, 0, 1},
        {SPHERE, 1001, ALL_MASSLESS, HERMITE, 0, 0},
        {SPHERE, 3001, OWN_SOFTENINGS, "force=direct softening-kind=symmetric", 0, 1},
        {SPHERE, 2001, OWN_SOFTENINGS | SOME_MASSLESS, "force=direct softening-kind=symmetric", 0,
         0},
        {SPHERE, 2001, OWN_SOFTENINGS, HERMITE " softening-kind=symmetric", 0, 0},
        {HEAP, 700, 0, "force=direct softening=0", 0, 0},
        {NODE, 1200, 0, HERMITE, 0, 0},
        {SPHERE, 2001, 0, "force=direct precision=double", 0, 0},
        {SPHERE, 5001, 0, "force=direct precision=single", 0, 0},
        {SPHERE, 2001, 0, HERMITE " precision=extended", 0, 0},
        {SPHERE, 2001, 0, HERMITE " field=plummer:mass=3,scale=2,x=3", 0, 0},
        {SPHERE, 4001, OWN_SOFTENINGS, "force=tree softening-kind=symmetric", 0, 1},
        {SPHERE, 4001, OWN_SOFTENINGS | SOME_MASSLESS, "force=tree", 0, 1},
        {SPHERE, 4001, 0, "force=tree curve=none", 0, 0},
        {SPHERE, 4001, 0, "force=tree cell=edge", 0, 0},
        {SPHERE, 4001, 0, "force=list", 0, 0},
        {SPHERE, 20011, 0, "force=list theta=1", 0, 0},
        {SPHERE, 4001, OWN_SOFTENINGS, "force=fmm", 0, 1},
        {COLLISION, 20011, OWN_SOFTENINGS | SOME_MASSLESS, "force=fmm", 0, 0},
        {SPHERE, 1001, OWN_SOFTENINGS | SOME_MASSLESS, "force=fmm integrator=block", 0, 1},
    };
    need_a_device();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        if (cases[k].always || test_everything())
            try_copies(cases[k].shape, cases[k].n, cases[k].kind, cases[k].options, cases[k].few);
}

/* What lies between steps: masses taken away, bodies moved, a field and exact sums in between. */
static void simulations_can_be_changed(void **state)
{
    (void)state;
    static const char *const options[] = {"force=direct", HERMITE, BLOCK, "force=tree"};
    const double usual = ky_copies_few;
    need_a_device();
    ky_copies_few = 0;
    FOR_DEVICES(k, 1)
    for (size_t o = 0; o < sizeof options / sizeof *options; o++) {
        struct ky_parameters parameters = parameters_of(options[o]);
        struct ky_bodies bodies =
            make_kind(SPHERE, 2007, o == 3 ? OWN_SOFTENINGS | SOME_MASSLESS : 0);
        struct ky_bodies got[2];
        double field[2][2][3];
        parameters.engine = engines[k].engine;
        parameters.softening = o == 3 ? (double)NAN : parameters.softening;
        for (int s = 0; s < 2; s++) {
            const double point[2][3] = {{0.1, 0.2, 0.3}, {9, -8, 7}};
            const double kick[2][3] = {{1, 2, 3}, {-3, 2, -1}};
            const size_t some[2] = {5, 2000};
            const uint64_t gone[2] = {bodies.id ? bodies.id[7] : 7, bodies.id ? bodies.id[90] : 90};
            struct ky_sim *sim = open_ranks(&parameters, s + 1, &bodies);
            assert_ok(ky_sim_advance(sim, 2, &error));
            assert_ok(ky_sim_field(sim, 2, point, 0.01, field[s], NULL, &error));
            assert_ok(ky_sim_kick(sim, some, 2, kick, &error));
            assert_ok(ky_sim_advance(sim, 2, &error));
            assert_ok(ky_sim_remove(sim, gone, 2, &error));
            assert_ok(ky_sim_advance(sim, 1, &error));
            got[s] = state_of(sim);
            ky_sim_close(sim);
        }
        expect_same(&got[0], &got[1], options[o]);
        assert_memory_equal(field[0], field[1], sizeof field[0]);
        for (int s = 0; s < 2; s++)
            ky_bodies_free(&got[s]);
        ky_bodies_free(&bodies);
    }
    ky_copies_few = usual;
}

/* Bodies that are divided at first, some of them without mass, then all on every device, and
 * divided again. */
static void ranks_go_from_parts_to_copies_and_back(void **state)
{
    (void)state;
    const double usual = ky_copies_few;
    need_a_device();
    ky_copies_few = 0;
    FOR_DEVICES(k, 1)
    {
        struct ky_parameters parameters = parameters_of("force=tree");
        struct ky_bodies bodies = make(SPHERE, 3007), light = make(SPHERE, 2), got[3];
        const uint64_t gone[2] = {3007, 3008};
        parameters.engine = engines[k].engine;
        light.mass[0] = light.mass[1] = 0;
        light.id = NULL;
        for (int s = 0; s < 3; s++) {
            struct ky_sim *sim = open_ranks(&parameters, s + 1, &bodies);
            assert_ok(ky_sim_advance(sim, 1, &error));
            assert_ok(ky_sim_add(sim, &light, &error));
            assert_ok(ky_sim_advance(sim, 2, &error));
            assert_ok(ky_sim_remove(sim, gone, 2, &error));
            assert_ok(ky_sim_advance(sim, 1, &error));
            assert_ok(ky_sim_set_parameter(sim, "curve", "none", &error));
            assert_ok(ky_sim_advance(sim, 1, &error));
            assert_ok(ky_sim_set_parameter(sim, "curve", "hilbert", &error));
            assert_ok(ky_sim_advance(sim, 1, &error));
            got[s] = state_of(sim);
            ky_sim_close(sim);
        }
        expect_same(&got[1], &got[0], "2 ranks");
        expect_same(&got[2], &got[0], "3 ranks");
        for (int s = 0; s < 3; s++)
            ky_bodies_free(&got[s]);
        ky_bodies_free(&light);
        ky_bodies_free(&bodies);
    }
    ky_copies_few = usual;
}

/* The pairs of all ranks are those of one device. */
static void reports_count_all_pairs(void **state)
{
    (void)state;
    static const char *const options[] = {"force=direct", "force=tree"};
    const double usual = ky_copies_few;
    need_a_device();
    FOR_DEVICES(k, 1)
    for (size_t o = 0; o < sizeof options / sizeof *options; o++)
        for (int divides = 0; divides < 2; divides++) {
            struct ky_parameters parameters = parameters_of(options[o]);
            struct ky_bodies bodies = make_kind(SPHERE, 3001, o ? OWN_SOFTENINGS : SOME_MASSLESS);
            struct ky_force_report report[2] = {{.size = sizeof *report}, {.size = sizeof *report}};
            parameters.engine = engines[k].engine;
            parameters.softening = o ? (double)NAN : parameters.softening;
            ky_copies_few = divides ? 0 : usual;
            for (int s = 0; s < 2; s++) {
                struct ky_sim *sim = open_ranks(&parameters, s + 1, &bodies);
                assert_ok(ky_sim_advance(sim, 1, &error));
                ky_sim_report(sim, &report[s]);
                ky_sim_close(sim);
            }
            ky_bodies_free(&bodies);
            assert_true(report[0].body_interactions > 0);
            assert_true(report[0].body_interactions == report[1].body_interactions);
            assert_true(report[0].cell_interactions == report[1].cell_interactions);
        }
    ky_copies_few = usual;
}

static void what_ranks_with_devices_cannot_do(void **state)
{
    (void)state;
    struct ky_bodies bodies = make(SPHERE, 100);
    need_a_device();
    FOR_DEVICES(k, 1)
    expect_refused(engines[k].engine, "force=walk", &bodies);
    ky_bodies_free(&bodies);
}

/* Bodies in a periodic box that ranks with devices do not divide. */
static void boxes_have_the_bits_of_one(void **state)
{
    (void)state;
    try_copies(SPHERE, 801, OWN_SOFTENINGS | SOME_MASSLESS, "box=3 force=fmm", 0);
    if (test_everything()) {
        try_copies(SPHERE, 3001, OWN_SOFTENINGS, "box=3 force=tree", 0);
        try_copies(SPHERE, 3001, 0, "box=3 force=direct", 0);
        try_copies(SPHERE, 3001, 0, "box=3 force=direct integrator=block", 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_bodies_have_the_bits_of_one),
        cmocka_unit_test(boxes_have_the_bits_of_one),
        cmocka_unit_test(systems_have_the_bits_of_one),
        cmocka_unit_test(simulations_can_be_changed),
        cmocka_unit_test(ranks_go_from_parts_to_copies_and_back),
        cmocka_unit_test(reports_count_all_pairs),
        cmocka_unit_test(what_ranks_with_devices_cannot_do),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
