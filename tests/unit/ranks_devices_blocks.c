/* Block steps of ranks with devices: the bits and the steps of one device, for any number of ranks,
 * also after changes between them and after restarts. All ranks may use one device. */
#include "test.h"

#include "engines.h"
#include "ranked_cases.h"
#include "stepped.h"

static struct ky_error error;

/* tree/tree_groups.h and ranks/copies.h, whose arrays have names of domain.h */
extern uint32_t ky_device_tree_top;
extern double ky_copies_few;

static struct ky_parameters parameters_for(int device, const char *options)
{
    char all[200];
    snprintf(all, sizeof all, "integrator=block step=0.0625 %s", options);
    struct ky_parameters parameters = parameters_of(all);
    parameters.engine = engines[device].engine;
    return parameters;
}

/* ---- systems and options ---- */

static void try_on(int device, const struct ky_bodies *bodies, const char *options, uint64_t steps,
                   const char *shape)
{
    int ranks[DEVICE_RUNS];
    const size_t runs = device_runs(engines[device].engine, ranks);
    const struct ky_parameters parameters = parameters_for(device, options);
    struct state one = {0};
    struct ky_sums sums[2] = {{0}, {0}};
    for (size_t r = 0; r < runs; r++) {
        char what[200];
        struct ky_sim *sim = open_ranks(&parameters, ranks[r], bodies);
        snprintf(what, sizeof what, "%s, %zu bodies, '%s', %d ranks on %s", shape, bodies->n,
                 options, ranks[r], engines[device].engine);
        assert_ok(ky_sim_advance(sim, steps, &error));
        assert_ok(ky_sim_sums(sim, &sums[r > 1], &error));
        struct state got = take_state(sim);
        ky_sim_close(sim);
        if (r > 1 && memcmp(&sums[0].mass, &sums[1].mass,
                            sizeof *sums - offsetof(struct ky_sums, mass)) != 0)
            fail_msg("%s: the sums have other bits", what);
        if (r == 0) {
            one = got;
            continue;
        }
        expect_same_state(&got, &one, what);
        free_state(&got);
    }
    free_state(&one);
}

static void try_ranks(enum shape shape, size_t n, const char *options, uint64_t steps)
{
    char name[32];
    struct ky_bodies bodies = make(shape, n);
    snprintf(name, sizeof name, "shape %d", (int)shape);
    FOR_DEVICES(k, 1)
    try_on(k, &bodies, options, steps, name);
    ky_bodies_free(&bodies);
}

static void systems_have_the_same_bits(void **state)
{
    (void)state;
    static const struct ranked_case cases[] = {
        SYSTEMS_IN_BLOCKS{SPHERE, 9001, "precision=extended", 0},
        {SPHERE, 9001, "eta=0.02 opening=relative alpha=0.001 multipole=1", 0}};
    need_a_device();
    TRY_CASES(cases, ON_DEVICES, "", try_ranks, 2);
}

/* Cells that act on cells, with two cuts of the tree, whose sinks are only the cells that contain
 * active bodies. In a strong field all bodies have half of the longest step, at the end of which
 * all are active in a tree that is kept. */
static void cells_on_cells_have_the_same_bits(void **state)
{
    (void)state;
    static const struct ranked_case cases[] = {
        {SPHERE, 9001, "", ON_DEVICES},
        {COLLISION, 8193, "step=0.25 softening=0.1", 0},
        {TWINS, 8193, "field=point:mass=1,x=3", 0},
        {LATTICE, 9261, "eta=4.5 field=point:mass=1e8,x=1000", ON_DEVICES},
        {FAR, 8193, "curve=morton eta=0.1", 0},
        {DISK, 8193, "opening=geometric theta=0.5", 0},
        {SPHERE, 8193, "order=6 precision=extended", 0},
        {TWO, 20011, "softening=0.1 order=3", 0}};
    const uint32_t usual = ky_device_tree_top;
    need_a_device();
    ky_device_tree_top = 1;
    TRY_CASES(cases, ON_DEVICES, "force=fmm", try_ranks, 2);
    ky_device_tree_top = usual;
}

/* Ranks get more cells and bodies of others in a long step than when their tree was made, and then
 * all bodies are active in this tree: only the first places have room for factors. */
static void places_grow_while_a_tree_is_kept(void **state)
{
    (void)state;
    const uint32_t usual = ky_device_tree_top;
    struct ky_bodies bodies = make(SPHERE, 5001);
    need_a_device();
    ky_device_tree_top = 0;
    FOR_DEVICES(k, 1)
    {
        const struct ky_parameters parameters =
            parameters_for(k, "force=fmm step=8 softening=0.1 eta=0.4");
        struct state got[2];
        for (int r = 0; r < 2; r++) {
            struct ky_sim *sim = open_ranks(&parameters, r ? 8 : 1, &bodies);
            assert_ok(ky_sim_advance(sim, 1, &error));
            got[r] = take_state(sim);
            ky_sim_close(sim);
        }
        expect_same_state(&got[1], &got[0], "a long step on 8 ranks");
        free_state(&got[0]);
        free_state(&got[1]);
    }
    ky_device_tree_top = usual;
    ky_bodies_free(&bodies);
}

/* Every kernel of ranks, also for tools under which a kernel takes long (oclgrind.sh): bodies move
 * to other ranks, their trees are kept and made anew, and sums are added. */
static void every_kernel_in_small(void **state)
{
    (void)state;
    struct ky_sums sums = {0};
    struct ky_bodies bodies = make(COLLISION, 1201);
    need_a_device();
    FOR_DEVICES(k, 1)
    for (int force = 0; force < 2; force++) {
        const struct ky_parameters parameters =
            parameters_for(k, force ? "step=0.125 softening=0.1 group=8 leaf=4 force=fmm"
                                    : "step=0.125 softening=0.1 group=8 leaf=4");
        struct ky_sim *sim = open_ranks(&parameters, 2, &bodies);
        assert_ok(ky_sim_advance(sim, 2, &error));
        assert_ok(ky_sim_sums(sim, &sums, &error));
        ky_sim_close(sim);
    }
    ky_bodies_free(&bodies);
}

/* Fewer bodies than ranks, and so few that one rank has all of them. */
static void few_bodies_have_the_same_bits(void **state)
{
    (void)state;
    need_a_device();
    try_few_bodies_in_blocks("", try_ranks);
    try_few_bodies_in_blocks("force=fmm", try_ranks);
}

/* A cusp, in which steps go over many levels and most blocks concern the ranks of the centre alone:
 * there and back again. */
static void cusps_have_the_same_bits_and_energy(void **state)
{
    (void)state;
    struct ky_sums before, after;
    need_a_device();
    FOR_DEVICES(k, 1)
    {
        struct ky_snapshot jaffe = {0};
        const struct ky_parameters parameters =
            parameters_for(k, "step=0.03125 softening=0.002 eta=0.1");
        struct ky_model_parameters model;
        ky_model_parameters_defaults(&model);
        model.n = test_everything() ? 6001 : 2501;
        assert_ok(ky_model_make("jaffe", &model, &jaffe, &error));
        try_on(k, &jaffe.bodies, "step=0.03125 softening=0.002 eta=0.1", 2, "a Jaffe sphere");
        struct ky_sim *sim = open_ranks(&parameters, 2, &jaffe.bodies);
        assert_ok(ky_sim_sums(sim, &before, &error));
        assert_ok(ky_sim_advance(sim, 2, &error));
        assert_ok(ky_sim_sums(sim, &after, &error));
        const double change =
            (after.kinetic + after.potential) / (before.kinetic + before.potential) - 1;
        if (!(fabs(change) < 1e-3))
            fail_msg("the energy changes by %g: kinetic %g to %g, potential %g to %g", change,
                     before.kinetic, after.kinetic, before.potential, after.potential);
        ky_sim_close(sim);
        ky_snapshot_free(&jaffe);
    }
}

/* ---- changes and restarts between steps ---- */

static void changes_have_the_same_bits(void **state)
{
    (void)state;
    static void (*const changes[])(struct ky_sim *) = {
        kick_some,   remove_and_add, replace_by_massless, undivided_and_back,
        replace_one, shorter_step,   look_at_field};
    const size_t tried = test_everything() ? sizeof changes / sizeof *changes : 3;
    struct ky_bodies bodies = make(SPHERE, 6007);
    FOR_DEVICES(k, 1)
    {
        const struct ky_parameters parameters = parameters_for(k, "");
        for (size_t c = 0; c < tried; c++) {
            struct state one = {0};
            for (int r = 1; r <= 3; r += 2) {
                char what[64];
                struct ky_sim *sim = open_ranks(&parameters, r, &bodies);
                assert_ok(ky_sim_advance(sim, 1, &error));
                changes[c](sim);
                assert_ok(ky_sim_advance(sim, 1, &error));
                struct state got = take_state(sim);
                ky_sim_close(sim);
                snprintf(what, sizeof what, "change %zu, %d ranks", c, r);
                if (r == 1) {
                    one = got;
                    continue;
                }
                expect_same_state(&got, &one, what);
                free_state(&got);
            }
            free_state(&one);
        }
    }
    ky_bodies_free(&bodies);
}

/* A simulation goes on with another number of ranks, or without, as if nothing had been. */
static void restarts_take_any_number_of_ranks(void **state)
{
    (void)state;
    static const int path[] = {3, 2, 1, 3};
    struct ky_bodies bodies = make(COLLISION, 6007);
    need_a_device();
    FOR_DEVICES(k, 1)
    {
        const struct ky_parameters parameters = parameters_for(k, "");
        expect_same_restarts(&parameters, &bodies, engines[k].engine, path);
    }
    ky_bodies_free(&bodies);
}

/* ---- massless bodies and own softenings ---- */

/* All evaluations of all bodies are divided, with the bodies of all ranks. */
static void undivided_bodies_have_the_same_bits(void **state)
{
    (void)state;
    const double usual = ky_copies_few;
    need_a_device();
    ky_copies_few = 0;
    FOR_DEVICES(k, 1)
    expect_same_undivided(engines[k].engine, ON_DEVICES);
    ky_copies_few = usual;
}

static void undivided_bodies_restart_with_any_number_of_ranks(void **state)
{
    (void)state;
    static const int path[] = {3, 2, 1, 3}, kind = OWN_SOFTENINGS | SOME_MASSLESS;
    const double usual = ky_copies_few;
    struct ky_bodies bodies = make_kind(COLLISION, 1201, kind);
    need_a_device();
    ky_copies_few = 0;
    FOR_DEVICES(k, 1)
    for (int in_box = 0; in_box < (test_everything() ? 2 : 1); in_box++) {
        const struct ky_parameters parameters = undivided_parameters(
            engines[k].engine, kind, in_box ? COMOVING "force=fmm step=0.05" : "force=fmm");
        expect_same_restarts(&parameters, &bodies, engines[k].engine, path);
    }
    ky_copies_few = usual;
    ky_bodies_free(&bodies);
}

static void calls_count_the_steps_of_all_ranks(void **state)
{
    (void)state;
    need_a_device();
    FOR_DEVICES(k, 1)
    expect_same_counts(engines[k].engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_in_small),
        cmocka_unit_test(systems_have_the_same_bits),
        cmocka_unit_test(cells_on_cells_have_the_same_bits),
        cmocka_unit_test(places_grow_while_a_tree_is_kept),
        cmocka_unit_test(few_bodies_have_the_same_bits),
        cmocka_unit_test(cusps_have_the_same_bits_and_energy),
        cmocka_unit_test(changes_have_the_same_bits),
        cmocka_unit_test(restarts_take_any_number_of_ranks),
        cmocka_unit_test(undivided_bodies_have_the_same_bits),
        cmocka_unit_test(undivided_bodies_restart_with_any_number_of_ranks),
        cmocka_unit_test(calls_count_the_steps_of_all_ranks),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
