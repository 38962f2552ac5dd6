/* Searches of ranks with devices: what one device finds, bit for bit, whatever the number of ranks.
 */
#ifndef KY_TEST_SEARCHES_DEVICES_H
#define KY_TEST_SEARCHES_DEVICES_H

#include "engines.h"
#include "ranked_cases.h"
#include "searches.h"

static inline void try_searches(int e, const struct ky_bodies *bodies, const char *options,
                                const struct asked *asked)
{
    struct ky_error error;
    struct found first = {.group = NULL};
    char what[280];
    int ranks[1 + DEVICE_RUNS] = {0}; /* 0: an engine without ranks */
    const size_t runs = 1 + device_runs(engines[e].engine, ranks + 1);
    for (size_t r = 0; r < runs; r++) {
        struct ky_parameters parameters = parameters_of(options);
        parameters.engine = engines[e].engine;
        struct ky_engine *engine = open_engine(&parameters, ranks[r], bodies);
        snprintf(what, sizeof what, "%s, %zu bodies, '%s', radius %g, %zu nearest, %d ranks",
                 engines[e].engine, bodies->n, options, asked->radius, asked->k, ranks[r]);
        struct found found = search(engine, bodies->n, asked);
        if (strstr(options, "fmm")) /* whose cells have more moments than those searched */
            assert_ok(ky_engine_forces(engine, &error));
        ky_engine_close(engine);
        if (r == 0) {
            first = found;
            continue;
        }
        expect_same_found(&found, &first, bodies->n, what);
        free_found(&found);
    }
    free_found(&first);
}

#endif
