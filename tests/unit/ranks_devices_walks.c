/* Searches of ranks with devices: what one device finds, bit for bit, whatever the number of ranks.
 */
#include "test.h"

#include "boxes.h"
#include "engines.h"
#include "ranked_cases.h"
#include "searches.h"

static int ranks[1 + DEVICE_RUNS]; /* 0: an engine without ranks */

static struct sharers sharers_of(int e)
{
    return (struct sharers){engines[e].engine, ranks,
                            1 + device_runs(engines[e].engine, ranks + 1)};
}

static void try_walks(enum shape shape, size_t n, const char *options, struct asked asked)
{
    struct ky_bodies bodies = make(shape, n);
    FOR_DEVICES(e, 1)
    {
        const struct sharers sharers = sharers_of(e);
        try_searches(&sharers, &bodies, options, &asked);
    }
    ky_bodies_free(&bodies);
}

static void every_action_finds_the_same(void **state)
{
    (void)state;
    static const struct {
        enum shape shape;
        size_t n;
        const char *options;
        struct asked asked;
        int always;
    } cases[] = {
        {SPHERE, 9001, "", {0.05, 6}, 1},
        {COLLISION, 6007, "", {-0.05, 40}, 1},
        {SPHERE, 1501, "", {1e6, 1500}, 1},         /* all bodies of all ranks */
        {SPHERE, 6007, "force=fmm", {-0.1, 12}, 1}, /* whose own tree is another one */
        {COLLISION, 9007, "force=fmm order=6 opening=geometric theta=0.6", {0.1, 12}, 0},
        {HEAP, 2000, "", {0, 7}, 1},
        {NODE, 6001, "", {0.01, 3}, 1},        /* more neighbours at one place than asked for */
        {LATTICE, 9261, "", {1.0 / 21, 6}, 0}, /* neighbours at just the radius */
        {FAR, 6001, "", {-0.2, 9}, 0},
        {SPHERE, 20011, "", {0.05, 6}, 0},
        {SPHERE, 9007, "leaf=1 curve=morton opening=minimum", {-0.2, 40}, 0},
        {SPHERE, 9007, "group=16", {0.2, 20}, 0},
        {TWO, 12007, "precision=double", {0.3, 5}, 0},
        {SPHERE, 12007, "precision=extended", {0.1, 12}, 0},
        {TWINS, 9000, "", {0, 1}, 0},
        {CHAIN, 9000, "", {0.01, 2}, 0},
        {MASSES, 9001, "g=43009", {-1, 9}, 0},
        {DISK, 50021, "", {0.03, 8}, 0},
    };
    need_a_device();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        if (cases[k].always || test_everything())
            try_walks(cases[k].shape, cases[k].n, cases[k].options, cases[k].asked);
}

/* Over the faces of a periodic box. */
static void boxes_are_searched_alike(void **state)
{
    (void)state;
    static const struct {
        enum set set;
        size_t n;
        const char *options;
        struct asked asked;
        int always;
    } cases[] = {
        {CLUMPS, 6007, "force=fmm", {0.1, 6}, 1},
        {UNIFORM, 6007, "force=tree", {-0.3, 40}, 1},
        {FACES, 5003, "force=tree precision=double", {0.25, 12}, 0},
        {WAVES, 4913, "force=fmm", {0.2, 32}, 0},
        {CORNER, 6007, "force=fmm", {0.01, 9}, 0},
        {TOGETHER, 3000, "force=tree", {0, 7}, 0},
        {UNIFORM, 1501, "force=tree", {1.25, 1500}, 1}, /* all bodies of all ranks */
        {UNIFORM, 12007, "force=tree precision=extended leaf=1 curve=morton", {-0.2, 20}, 0},
        {UNIFORM, 0, "force=fmm", {0.1, 0}, 1},
        {UNIFORM, 5, "force=tree", {-1.25, 4}, 1},
    };
    need_a_device();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char options[200];
        snprintf(options, sizeof options, "box=2.5 %s", cases[k].options);
        struct ky_bodies bodies = make_box(cases[k].set, cases[k].n);
        FOR_DEVICES(e, 1)
        if (cases[k].always || test_everything()) {
            const struct sharers sharers = sharers_of(e);
            try_searches(&sharers, &bodies, options, &cases[k].asked);
        }
        ky_bodies_free(&bodies);
    }
}

/* Every kernel of these searches, also for tools under which a kernel takes long. */
static void small_systems_find_the_same(void **state)
{
    (void)state;
    static const size_t few[] = {0, 1, 2, 5};
    need_a_device();
    for (size_t k = 0; k < sizeof few / sizeof *few; k++) /* ranks without bodies */
        try_walks(SPHERE, few[k], "", (struct asked){-1, few[k] > 1 ? few[k] - 1 : 0});
    try_walks(CHAIN, 700, "group=1 leaf=1", (struct asked){0.01, 3});
}

static void walks_leave_no_trace(void **state)
{
    (void)state;
    need_a_device();
    FOR_DEVICES(e, 1)
    {
        try_traces(engines[e].engine, 9001, "");
        try_traces(engines[e].engine, 9001, "integrator=block step-length=0.05");
    }
}

static void a_list_that_is_too_short_is_told(void **state)
{
    (void)state;
    static const int two[] = {0, 3};
    need_a_device();
    FOR_DEVICES(e, 1)
    try_short_lists(&(struct sharers){engines[e].engine, two, 2}, 9001, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_systems_find_the_same),
        cmocka_unit_test(every_action_finds_the_same),
        cmocka_unit_test(boxes_are_searched_alike),
        cmocka_unit_test(walks_leave_no_trace),
        cmocka_unit_test(a_list_that_is_too_short_is_told),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
