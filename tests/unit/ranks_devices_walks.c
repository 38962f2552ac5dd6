/* Searches of ranks with devices: what one device finds, bit for bit, whatever the number of ranks.
 */
#include "test.h"

#include "engines.h"
#include "searches.h"

/* 0: an engine without ranks. All may use one device. */
static const int ranks[] = {0, 1, 2, 3, 4, 8};
enum { RANKS = sizeof ranks / sizeof *ranks };

static void try_walks(enum shape shape, size_t n, const char *options, struct asked asked,
                      size_t count)
{
    FOR_DEVICES(e, 1)
    {
        struct ky_bodies bodies = make(shape, n);
        struct found first = {.group = NULL};
        char what[200];
        for (size_t r = 0; r < count; r++) {
            struct ky_parameters parameters = parameters_of(options);
            parameters.engine = engines[e].engine;
            struct ky_engine *engine = open_engine(&parameters, ranks[r], &bodies);
            snprintf(what, sizeof what,
                     "%s, shape %d, %zu bodies, '%s', radius %g, %zu nearest, %d ranks",
                     engines[e].engine, (int)shape, n, options, asked.radius, asked.k, ranks[r]);
            struct found found = search(engine, n, &asked);
            ky_engine_close(engine);
            if (r == 0) {
                first = found;
                continue;
            }
            expect_same_found(&found, &first, n, what);
            free_found(&found);
        }
        free_found(&first);
        ky_bodies_free(&bodies);
    }
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
        {SPHERE, 20011, "", {0.05, 6}, 1},
        {COLLISION, 12007, "", {-0.05, 40}, 1},
        {SPHERE, 3001, "", {1e6, 3000}, 1}, /* all bodies of all ranks */
        {HEAP, 2000, "", {0, 7}, 1},
        {NODE, 6001, "", {0.01, 3}, 1},        /* more neighbours at one place than asked for */
        {LATTICE, 9261, "", {1.0 / 21, 6}, 1}, /* neighbours at just the radius */
        {FAR, 6001, "", {-0.2, 9}, 1},
        {SPHERE, 0, "", {0.1, 0}, 1},
        {SPHERE, 1, "", {0.1, 0}, 1},
        {SPHERE, 5, "", {-1, 4}, 1}, /* ranks without bodies */
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
            try_walks(cases[k].shape, cases[k].n, cases[k].options, cases[k].asked, RANKS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_action_finds_the_same),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
