/* The same bits for any number of ranks: a simulation on 1 to 8 of them. */
#ifndef KY_TEST_SAME_BITS_H
#define KY_TEST_SAME_BITS_H

#include "ranked.h"

/* The bodies and sums after the first forces, and after some steps, on any number of ranks. */
static inline void try_all_ranks(const struct ky_parameters *parameters,
                                 const struct ky_bodies *bodies, uint64_t steps, const char *what)
{
    static const int ranks[] = {1, 2, 3, 4, 8};
    struct ky_error error;
    struct ky_sums one[2];
    struct ky_bodies state[2];
    for (size_t k = 0; k < 5; k++) {
        const int now = ranks[k];
        if (!is_compared(now, bodies->n))
            continue;
        struct ky_sim *sim = open_ranks(parameters, now, bodies);
        char text[300];
        snprintf(text, sizeof text, "%s, %d ranks", what, now);
        for (int after = 0; after < 2; after++) {
            struct ky_sums sums = {0};
            assert_ok(ky_sim_advance(sim, after ? steps : 0, &error));
            assert_ok(ky_sim_sums(sim, &sums, &error));
            struct ky_bodies got = state_of(sim);
            if (k == 0) {
                one[after] = sums;
                state[after] = got;
                continue;
            }
            expect_same(&got, &state[after], text);
            if (memcmp(&sums, &one[after], sizeof sums) != 0)
                fail_msg("%s: the sums have other bits", text);
            ky_bodies_free(&got);
        }
        ky_sim_close(sim);
    }
    ky_bodies_free(&state[0]);
    ky_bodies_free(&state[1]);
}

static inline void try_case(enum shape shape, size_t n, const char *options, uint64_t steps)
{
    char what[260];
    const struct ky_parameters parameters = parameters_of(options);
    struct ky_bodies bodies = make(shape, n);
    snprintf(what, sizeof what, "shape %d, %zu bodies, '%s'", (int)shape, n, options);
    try_all_ranks(&parameters, &bodies, steps, what);
    ky_bodies_free(&bodies);
}

/* Errors against exact sums in double. */
static inline void compare_with_exact_sum(enum shape shape, size_t n, const char *options)
{
    struct ky_parameters parameters = parameters_of(options),
                         direct = parameters_of("precision=double");
    struct ky_bodies bodies = make(shape, n);
    direct.force = KY_DIRECT;
    struct ky_sim *exact = open_ranks(&direct, 1, &bodies),
                  *sim = open_ranks(&parameters, 3, &bodies);
    struct ky_bodies sums = state_of(exact), got = state_of(sim);
    const struct cloud_error e = cloud_compare(&got, &sums);
    assert_between(e.p99, 1e-6, 4e-3);
    assert_between(e.potential_p99, 1e-8, 1e-3);
    ky_sim_close(exact);
    ky_sim_close(sim);
    ky_bodies_free(&sums);
    ky_bodies_free(&got);
    ky_bodies_free(&bodies);
}

#endif
