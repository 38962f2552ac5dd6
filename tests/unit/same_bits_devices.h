/* Simulations of ranks with devices: the same bits for any number of ranks and without ranks. */
#ifndef KY_TEST_SAME_BITS_DEVICES_H
#define KY_TEST_SAME_BITS_DEVICES_H

#include "engines.h"
#include "ranked_cases.h"

struct outcome {
    struct ky_bodies bodies;
    struct ky_sums sums;
};

/* Steps, with a look at the bodies half-way. */
static inline struct outcome run(const struct ky_parameters *parameters, int ranks,
                                 const struct ky_bodies *bodies, uint64_t steps)
{
    struct outcome outcome = {.sums = {0}};
    struct ky_error error = {0};
    struct ky_sim *sim = open_ranks(parameters, ranks, bodies);
    assert_ok(ky_sim_advance(sim, steps / 2, &error));
    outcome.bodies = state_of(sim);
    ky_bodies_free(&outcome.bodies);
    assert_ok(ky_sim_advance(sim, steps - steps / 2, &error));
    assert_ok(ky_sim_sums(sim, &outcome.sums, &error));
    outcome.bodies = state_of(sim);
    ky_sim_close(sim);
    return outcome;
}

static inline void try_ranks(const struct ky_parameters *parameters, const struct ky_bodies *bodies,
                             uint64_t steps, const char *what)
{
    int ranks[DEVICE_RUNS];
    const size_t runs = device_runs(parameters->engine, ranks);
    struct outcome one;
    for (size_t k = 0; k < runs; k++) {
        char text[240];
        struct outcome now = run(parameters, ranks[k], bodies, steps);
        snprintf(text, sizeof text, "%s, %d ranks on %s", what, ranks[k], parameters->engine);
        if (k == 0) {
            one = now;
            continue;
        }
        expect_same(&now.bodies, &one.bodies, text);
        if (memcmp(&now.sums.mass, &one.sums.mass,
                   sizeof now.sums - offsetof(struct ky_sums, mass)) != 0)
            fail_msg("%s: the sums have other bits", text);
        ky_bodies_free(&now.bodies);
    }
    ky_bodies_free(&one.bodies);
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

/* ---- systems that all forces try ---- */

static inline void try_systems(const char *options, try_function *try)
{
    static const struct {
        enum shape shape;
        size_t n;
        uint64_t steps;
        int always;
    } cases[] = {
        {SPHERE, 13011, 2, 1}, {SPHERE, 40009, 2, 0}, {COLLISION, 8193, 4, 1},
        {LATTICE, 9261, 2, 0}, {TWO, 8193, 2, 0},     {MASSES, 8193, 2, 0},
        {DISK, 20011, 2, 0},   {FAR, 8193, 2, 1},     {CHAIN, 8193, 1, 0},
        {TWINS, 8193, 2, 0},   {NODE, 12000, 2, 0},   {BLOCK, 100003, 1, 0},
        {TWO, 40009, 2, 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        if (cases[k].always || test_everything())
            try(cases[k].shape, cases[k].n, options, cases[k].steps);
}

/* Fewer bodies than ranks, ranks without bodies, and all bodies at one place. */
static inline void try_few_bodies_on_devices(const char *options)
{
    static const size_t few[] = {0, 1, 2, 3, 100, 4096};
    for (size_t k = 0; k < sizeof few / sizeof *few; k++)
        try_case(SPHERE, few[k], options, 1);
    try_case(HEAP, 700, options, 2);
}

/* Each of these options. */
struct device_options {
    const char *options;
    int always; /* 1: also without all cases */
};
static inline void try_options(const struct device_options *cases, size_t count, try_function *try)
{
    for (size_t k = 0; k < count; k++)
        if (cases[k].always || test_everything())
            try(SPHERE, 9007, cases[k].options, 2);
}

#endif
