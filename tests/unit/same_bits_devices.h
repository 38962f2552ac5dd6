/* Simulations of ranks with devices: the same bits for any number of ranks and without ranks. */
#ifndef KY_TEST_SAME_BITS_DEVICES_H
#define KY_TEST_SAME_BITS_DEVICES_H

#include "engines.h"
#include "ranked.h"

struct outcome {
    struct ky_bodies bodies;
    struct ky_sums sums;
};

static inline struct outcome run(const struct ky_parameters *parameters, int ranks,
                                 const struct ky_bodies *bodies, uint64_t steps)
{
    struct outcome outcome = {.sums = {0}};
    struct ky_error error = {0};
    struct ky_sim *sim = open_ranks(parameters, ranks, bodies);
    assert_ok(ky_sim_advance(sim, steps, &error));
    assert_ok(ky_sim_sums(sim, &outcome.sums, &error));
    outcome.bodies = state_of(sim);
    ky_sim_close(sim);
    return outcome;
}

static inline void try_ranks(const struct ky_parameters *parameters, const struct ky_bodies *bodies,
                             uint64_t steps, const char *what)
{
    /* PoCL 3.1 ends the process now and then where 4 or more contexts have the same program */
    static const int ranks[] = {1, 2, 3, 4, 8};
    const size_t runs = strncmp(parameters->engine, "cuda", 4) ? 3 : 5;
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

static inline void try_case(enum shape shape, size_t n, const char *options, uint64_t steps)
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

#endif
