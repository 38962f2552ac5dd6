/* Several devices in the name of an engine: calls without a simulation, and simulations, open a
 * rank for each where that takes less time, else the first device works alone and the log says why.
 * On a machine with one device it is named twice. */
#include "test.h"

#include "engines.h"
#include "kernels.h"
#include "ranked.h"

#include "domain/domain.h"

static struct ky_error error;
extern double ky_copies_few; /* engine/device/ranks/copies.h, whose arrays have names of domain.h */

/* The last line of the log about devices. */
static char told[256];
static void take_line(void *context, enum ky_log_level level, const char *line)
{
    (void)context;
    (void)level;
    if (strstr(line, "only the first of") || strstr(line, "one for each device"))
        snprintf(told, sizeof told, "%s", line);
}

/* ---- the choice, for which no device is needed ---- */

static void ranks_are_chosen(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        unsigned schemes;
        size_t n;
        int ranks;
        const char *text;
    } cases[] = {
        {"engine=cuda:7,8 force=tree", 0, 4000000, 2, "2 ranks, one for each device"},
        {"engine=cuda:7,8 force=tree", 0, 3999999, 1,
         "only the first of the 2 devices: it is faster than several below 4000000 bodies"},
        {"engine=cuda:7,8,9 force=fmm", 0, 4000000, 3, "3 ranks, one for each device"},
        {"engine=cuda:7,8", 0, 4000000, 2, "2 ranks, one for each device"},
        {"engine=cuda:7,8 force=direct", 0, 65536, 2, "2 ranks, one for each device"},
        {"engine=cuda:7,8 force=direct", 0, 65535, 1, "below 65536 bodies"},
        {"engine=cuda:7,8 force=direct", 1U << KY_SCHEME_HERMITE, 131071, 1, "below 131072"},
        {"engine=cuda:7,8 force=direct", 1U << KY_SCHEME_HERMITE, 131072, 2, "2 ranks"},
        {"engine=cuda:7,8 force=tree", 1U << KY_SCHEME_BLOCK, 8000000, 2, "2 ranks"},
        {"engine=cuda:7,8 force=tree", 1U << KY_SCHEME_BLOCK, 7999999, 1, "below 8000000"},
        {"engine=cuda:7,8 force=list", 0, 4000000, 1, "ranks do not share --force list"},
        {"engine=cuda:7,8 force=walk", 0, 4000000, 1, "ranks do not share --force walk"},
        {"engine=cuda:7,8 force=fmm mutual=1", 0, 4000000, 1, "ranks do not share --mutual"},
        {"engine=cuda:7,8 force=tree curve=none", 0, 4000000, 1, "--curve none"},
        {"engine=cuda:7 force=tree", 0, 4000000, 1, ""},
        {"engine=cuda force=tree", 0, 4000000, 1, ""},
        {"engine=cpu force=tree", 0, 4000000, 1, ""},
        {"engine=cuda:7,8 force=tree ranks=3", 0, 4000000, 3, ""},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct ky_parameters parameters = parameters_of(cases[k].options);
        const struct ky_bodies bodies = {.n = cases[k].n};
        char remark[KY_RANKS_REMARK];
        ky_domain_choose_ranks(&parameters, cases[k].schemes, &bodies, remark);
        if (parameters.ranks != cases[k].ranks || !strstr(remark, cases[k].text) ||
            !*remark != !*cases[k].text)
            fail_msg("%s, %zu bodies: %d ranks, '%s'", cases[k].options, cases[k].n,
                     parameters.ranks, remark);
    }
}

static void own_softenings_need_one_device(void **state)
{
    (void)state;
    struct ky_parameters parameters = parameters_of("engine=cuda:7,8 force=tree");
    static double mass[] = {1, 0, 1}, softening[] = {1, 1, 1};
    struct ky_bodies bodies = {.n = 3, .mass = mass};
    char remark[KY_RANKS_REMARK];
    ky_domain_choose_ranks(&parameters, 0, &bodies, remark);
    assert_non_null(strstr(remark, "below 4000000 bodies"));
    bodies.softening = softening;
    ky_domain_choose_ranks(&parameters, 0, &bodies, remark);
    assert_non_null(strstr(remark, "ranks do not share bodies' own softenings"));
    assert_int_equal(parameters.ranks, 1);
}

/* ---- calls ---- */

enum { N = 1500, POINTS = 1100 };

/* What calls return for the same bodies on one device and on two. */
struct results {
    struct ky_bodies forces;
    struct ky_force_report report;
    double field[POINTS][3], tide[POINTS][6];
};

static void compute(const struct ky_parameters *parameters, const struct ky_bodies *bodies,
                    struct results *results)
{
    const struct ky_field_points points = {.size = sizeof points,
                                           .count = POINTS,
                                           .position = (const double(*)[3])bodies->velocity,
                                           .softening = 0.01,
                                           .acceleration = results->field,
                                           .tide = results->tide};
    results->forces = make(SPHERE, bodies->n);
    results->report = (struct ky_force_report){.size = sizeof results->report};
    ky_bodies_extend(&results->forces, KY_WITH_ACCELERATION | KY_WITH_POTENTIAL, &error);
    assert_ok(ky_forces(parameters, &results->forces, &results->report, &error));
    assert_ok(ky_field_fill(parameters, bodies, &points, &error));
}

/* Gives two devices the calls, and fails unless they do what one does. */
static void expect_calls(int k, const char *options, const char *text, int ranks)
{
    struct ky_parameters parameters = parameters_of(options);
    struct ky_bodies bodies = make(SPHERE, N);
    struct results one, two;
    char name[40];
    parameters.engine = engines[k].engine;
    compute(&parameters, &bodies, &one);
    parameters.engine = with_another(k, name, sizeof name);
    parameters.log = take_line;
    told[0] = '\0';
    compute(&parameters, &bodies, &two);
    if (!strstr(told, text) || !strstr(two.report.device, ranks > 1 ? "2 ranks" : "1 ×"))
        fail_msg("%s: '%s' on '%s'", options, told, two.report.device);
    assert_memory_equal(two.forces.acceleration, one.forces.acceleration,
                        N * sizeof *one.forces.acceleration);
    assert_memory_equal(two.forces.potential, one.forces.potential,
                        N * sizeof *one.forces.potential);
    assert_memory_equal(two.field, one.field, sizeof one.field);
    assert_memory_equal(two.tide, one.tide, sizeof one.tide);
    ky_device_twice = 0;
    ky_bodies_free(&one.forces);
    ky_bodies_free(&two.forces);
    ky_bodies_free(&bodies);
}

static size_t ranks_from[2];
static double copies_few;

/* Few bodies become ranks during a test. */
static int lower_limits(void **state)
{
    (void)state;
    copies_few = ky_copies_few;
    ky_copies_few = 0;
    for (int exact = 0; exact < 2; exact++) {
        ranks_from[exact] = ky_domain_ranks_from[exact][0];
        ky_domain_ranks_from[exact][0] = N;
    }
    return 0;
}

static int restore_limits(void **state)
{
    (void)state;
    ky_copies_few = copies_few;
    for (int exact = 0; exact < 2; exact++)
        ky_domain_ranks_from[exact][0] = ranks_from[exact];
    return 0;
}

static void calls_open_ranks(void **state)
{
    (void)state;
    need_a_device();
    FOR_DEVICES(k, 1)
    {
        /* the field comes last */
        expect_calls(k, "force=tree", "it is faster than several for fields at many points", 2);
        expect_calls(k, "force=direct", "it is faster than several for exact sums at so few", 2);
        ky_domain_ranks_from[1][0] = POINTS;
        expect_calls(k, "force=direct", "2 ranks, one for each device", 2);
        ky_domain_ranks_from[1][0] = N;
        if (!is_slow(k) || test_everything())
            expect_calls(k, "force=fmm", "it is faster than several for fields at many points", 2);
        expect_calls(k, "force=list", "devices: ranks do not share --force list", 1);
        ky_domain_ranks_from[0][0] = N + 1;
        expect_calls(k, "force=tree", "it is faster than several for fields at many points", 1);
        ky_domain_ranks_from[0][0] = N;
    }
}

static void checks_of_forces_open_ranks(void **state)
{
    (void)state;
    need_a_device();
    FOR_DEVICES(k, 1)
    {
        struct ky_parameters parameters = parameters_of("force=tree");
        struct ky_bodies bodies = make(SPHERE, N);
        struct ky_check_results results[2] = {{.size = sizeof *results}, {.size = sizeof *results}};
        struct ky_check_parameters wanted;
        struct ky_check_memory memory[2] = {{.size = sizeof *memory}, {.size = sizeof *memory}};
        char name[40];
        ky_check_parameters_defaults(&wanted);
        wanted.samples = 100;
        for (int several = 0; several < 2; several++) {
            parameters.engine = several ? with_another(k, name, sizeof name) : engines[k].engine;
            parameters.log = take_line;
            told[0] = '\0';
            assert_ok(ky_forces_check(&parameters, &bodies, &wanted, &results[several], &error));
            assert_true(!several == !strstr(told, "2 ranks, one for each device"));
            assert_ok(ky_forces_memory(&parameters, N, &wanted, &memory[several], &error));
        }
        ky_device_twice = 0;
        assert_memory_equal(&results[0].acceleration, &results[1].acceleration,
                            sizeof results[0].acceleration);
        assert_true(memory[1].device < memory[0].device); /* of each of the two */
        ky_bodies_free(&bodies);
    }
}

/* Neighbours, densities and groups. */
struct searched {
    struct ky_neighbour_lists lists;
    double density[N], gravity[N][4];
};

static void search(const struct ky_parameters *parameters, const struct ky_bodies *bodies,
                   struct searched *got)
{
    const double radius = 0.2;
    const struct ky_walk_input input = {.size = sizeof input};
    const struct ky_parameters by_radius = for_search(parameters, NEIGHBOURS),
                               by_number = for_search(parameters, DENSITIES);
    struct ky_parameters own = for_search(parameters, GRAVITY);
    assert_ok(ky_neighbours(&by_radius, bodies, &radius, 1, NULL, &got->lists, NULL, &error));
    assert_ok(ky_sph_density(&by_number, bodies, 8, got->density, NULL, NULL, &error));
    own.log = NULL;
    assert_ok(ky_walk(&own, bodies, "gravity", &input, got->gravity[0], NULL, &error));
}

static void searches_open_ranks(void **state)
{
    (void)state;
    static struct searched got[2];
    need_a_device();
    FOR_DEVICES(k, 1)
    for (int massless = 0; massless < 2; massless++) {
        struct ky_parameters parameters = parameters_of("");
        struct ky_bodies bodies = make(SPHERE, N);
        const char *const text = "2 ranks, one for each device";
        char name[40];
        bodies.mass[7] = massless ? 0 : bodies.mass[7];
        parameters.log = take_line;
        for (int several = 0; several < 2; several++) {
            parameters.engine = several ? with_another(k, name, sizeof name) : engines[k].engine;
            told[0] = '\0';
            search(&parameters, &bodies, &got[several]);
            assert_true(several ? strstr(told, text) != NULL : !*told);
        }
        ky_device_twice = 0;
        const size_t all = (size_t)got[0].lists.offset[N];
        assert_int_equal(got[1].lists.offset[N], all);
        assert_memory_equal(got[0].lists.body, got[1].lists.body, all * sizeof(uint32_t));
        assert_memory_equal(got[0].density, got[1].density, sizeof got[0].density);
        assert_memory_equal(got[0].gravity, got[1].gravity, sizeof got[0].gravity);
        for (int several = 0; several < 2; several++)
            ky_neighbour_lists_free(&got[several].lists);
        ky_bodies_free(&bodies);
    }
}

static void simulations_open_ranks(void **state)
{
    (void)state;
    need_a_device();
    FOR_DEVICES(k, 1)
    {
        struct ky_parameters parameters = parameters_of("force=tree");
        struct ky_bodies bodies = make(SPHERE, N), got[2];
        char name[40];
        for (int several = 0; several < 2; several++) {
            struct ky_sim *sim;
            parameters.engine = several ? with_another(k, name, sizeof name) : engines[k].engine;
            parameters.log = take_line;
            told[0] = '\0';
            assert_ok(ky_sim_open(&parameters, &bodies, 0, &sim, &error));
            assert_true(!several == !strstr(told, "2 ranks, one for each device"));
            assert_ok(ky_sim_advance(sim, 2, &error));
            got[several] = state_of(sim);
            ky_sim_close(sim);
        }
        ky_device_twice = 0;
        expect_same(&got[1], &got[0], "two devices of a simulation");
        ky_bodies_free(&got[0]);
        ky_bodies_free(&got[1]);
        ky_bodies_free(&bodies);
    }
}

/* With steps of their own few bodies take one device, and the log says so; many take ranks. */
static void block_steps_take_ranks_of_many_bodies(void **state)
{
    (void)state;
    enum { FEW = 300 };
    const size_t usual = ky_domain_ranks_from[1][1];
    need_a_device();
    FOR_DEVICES(k, 1)
    for (int many = 0; many < 2; many++) {
        struct ky_parameters parameters = parameters_of("force=direct integrator=block");
        struct ky_bodies bodies = make(SPHERE, FEW), got[2];
        char name[40];
        ky_domain_ranks_from[1][1] = many ? FEW : usual;
        parameters.log = take_line;
        for (int several = 0; several < 2; several++) {
            struct ky_sim *sim;
            parameters.engine = several ? with_another(k, name, sizeof name) : engines[k].engine;
            told[0] = '\0';
            assert_ok(ky_sim_open(&parameters, &bodies, 0, &sim, &error));
            assert_ok(ky_sim_advance(sim, 1, &error));
            got[several] = state_of(sim);
            ky_sim_close(sim);
            const char *const text =
                many ? "2 ranks, one for each device"
                     : "only the first of the 2 devices: it is faster than several below 131072";
            if (several ? !strstr(told, text) : *told)
                fail_msg("block steps, %s bodies: '%s'", many ? "many" : "few", told);
        }
        ky_device_twice = 0;
        expect_same(&got[1], &got[0], "block steps of two devices");
        ky_bodies_free(&got[0]);
        ky_bodies_free(&got[1]);
        ky_bodies_free(&bodies);
    }
    ky_domain_ranks_from[1][1] = usual;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_are_chosen),
        cmocka_unit_test(own_softenings_need_one_device),
        cmocka_unit_test_setup_teardown(calls_open_ranks, lower_limits, restore_limits),
        cmocka_unit_test_setup_teardown(checks_of_forces_open_ranks, lower_limits, restore_limits),
        cmocka_unit_test_setup_teardown(searches_open_ranks, lower_limits, restore_limits),
        cmocka_unit_test_setup_teardown(simulations_open_ranks, lower_limits, restore_limits),
        cmocka_unit_test_setup_teardown(block_steps_take_ranks_of_many_bodies, lower_limits,
                                        restore_limits),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
