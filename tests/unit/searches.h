/* Searches of an engine with ranks or without, and a comparison of what they find. */
#ifndef KY_TEST_SEARCHES_H
#define KY_TEST_SEARCHES_H

#include "domain/domain.h"
#include "engine/force_options.h"
#include "ranked.h"

/* An engine of `count` ranks; 0: without ranks. It keeps a pointer to the parameters. */
static inline struct ky_engine *open_engine(struct ky_parameters *parameters, int count,
                                            const struct ky_bodies *bodies)
{
    struct ky_error error;
    struct ky_engine *engine = NULL;
    struct ky_parameters own = *parameters;
    assert_ok(ky_force_resolve(&own, parameters, &error));
    parameters->ranks = count ? count : 1;
    const struct ky_engine_use use = {.n = bodies->n};
    if (count)
        assert_ok(ky_domain_open(parameters, bodies->n, &use, &engine, &error));
    else
        assert_ok(ky_engine_open(parameters, bodies->n, &engine, &error));
    assert_ok(ky_engine_put(engine, bodies, &error));
    return engine;
}

/* ---- what is asked, and what is found ---- */

/* A search with one of three radii, or the bodies' own. */
struct asked {
    double radius; /* < 0: of the bodies, up to this one */
    size_t k;
};

struct found {
    double *results[KY_ACTION_COUNT];
    uint32_t *group, *list;
    size_t *offset;
};

static inline void free_found(struct found *found)
{
    for (int k = 0; k < KY_ACTION_COUNT; k++)
        free(found->results[k]);
    free(found->group);
    free(found->list);
    free(found->offset);
}

static inline double *radii_of(const struct asked *asked, size_t n)
{
    double *radius = calloc(n + 1, sizeof *radius);
    for (size_t i = 0; i < n; i++)
        radius[i] =
            asked->radius >= 0 ? asked->radius : -asked->radius * (double)(i * i % 101) / 100;
    return radius;
}

static inline struct found search(struct ky_engine *engine, size_t n, const struct asked *asked)
{
    struct ky_error error;
    struct found found = {.group = NULL};
    double *radius = radii_of(asked, n);
    found.offset = calloc(n + 1, sizeof *found.offset);
    found.group = calloc(n + 1, sizeof *found.group);
    for (int id = 0; id < KY_ACTION_COUNT; id++) {
        const struct ky_action *about = &ky_actions[id].about;
        const int has_end = about->needs_radius || about->needs_k;
        struct ky_walk_request request = {.action = (enum ky_action_id)id, .n = n};
        request.results = found.results[id] = calloc(n * about->columns + 1, sizeof(double));
        request.radius = about->needs_radius ? radius : NULL;
        request.radii = !about->needs_radius ? 0 : asked->radius >= 0 ? 1 : n;
        request.k = about->needs_k ? asked->k : 0;
        request.group = about->joins ? found.group : NULL;
        for (size_t i = 0; i < n && about->needs_lists; i++)
            found.offset[i + 1] = found.offset[i] + (size_t)found.results[KY_ACTION_count][i];
        if (about->needs_lists) {
            request.offset = found.offset;
            request.list = found.list = calloc(found.offset[n] + 1, sizeof *found.list);
        }
        if ((has_end || !engine->in_box) && (!about->needs_k || (asked->k && asked->k < n)))
            assert_ok(ky_engine_walk(engine, &request, &error));
    }
    free(radius);
    return found;
}

static inline void expect_same_found(const struct found *a, const struct found *b, size_t n,
                                     const char *what)
{
    for (int id = 0; id < KY_ACTION_COUNT; id++) {
        const size_t bytes = ky_actions[id].about.columns * sizeof(double),
                     i = first_other(a->results[id], b->results[id], n, bytes);
        if (i < n)
            fail_msg("%s: %s of body %zu is %.17g and %.17g", what, ky_actions[id].about.name, i,
                     a->results[id][i * bytes / sizeof(double)],
                     b->results[id][i * bytes / sizeof(double)]);
    }
    if (memcmp(a->group, b->group, n * sizeof *a->group) != 0)
        fail_msg("%s: other groups", what);
    if (memcmp(a->list, b->list, a->offset[n] * sizeof *a->list) != 0)
        fail_msg("%s: other lists", what);
}

/* ---- the same on any number of ranks ---- */

/* An engine, and numbers of ranks that share its bodies; 0: an engine without ranks. */
struct sharers {
    const char *engine; /* NULL: the CPU */
    const int *ranks;
    size_t runs;
};

static inline struct ky_engine *open_shared(const struct sharers *with, size_t run,
                                            struct ky_parameters *parameters,
                                            const struct ky_bodies *bodies)
{
    if (with->engine)
        parameters->engine = with->engine;
    return open_engine(parameters, with->ranks[run], bodies);
}

/* All find what the first finds, bit for bit. */
static inline void try_searches(const struct sharers *with, const struct ky_bodies *bodies,
                                const char *options, const struct asked *asked)
{
    struct ky_error error;
    struct found first = {.group = NULL};
    char what[280];
    for (size_t r = 0; r < with->runs; r++) {
        if (!with->engine && !is_compared(with->ranks[r], bodies->n))
            continue;
        struct ky_parameters parameters = parameters_of(options);
        struct ky_engine *engine = open_shared(with, r, &parameters, bodies);
        snprintf(what, sizeof what, "%s, %zu bodies, '%s', radius %g, %zu nearest, %d ranks",
                 parameters.engine, bodies->n, options, asked->radius, asked->k, with->ranks[r]);
        struct found found = search(engine, bodies->n, asked);
        if (with->engine &&
            strstr(options, "fmm")) /* cells have more moments than those searched */
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

/* Walks between steps leave no trace in them, also where block steps keep a tree. */
static inline void try_traces(const char *engine, size_t n, const char *options)
{
    struct ky_error error;
    struct ky_bodies bodies = make(SPHERE, n), expected = {0};
    double *density[2];
    for (int r = 0; r < 2; r++) {
        struct ky_parameters parameters = parameters_of(options);
        if (engine)
            parameters.engine = engine;
        struct ky_sim *sim = open_ranks(&parameters, r ? 3 : 1, &bodies);
        density[r] = calloc(n, sizeof *density[r]);
        for (int step = 0; step < 2; step++) {
            if (r) /* those of the last positions are compared, and all bodies */
                assert_ok(ky_sim_sph_density(sim, 8, density[r], NULL, NULL, &error));
            assert_ok(ky_sim_advance(sim, 1, &error));
        }
        assert_ok(ky_sim_sph_density(sim, 8, density[r], NULL, NULL, &error));
        struct ky_bodies got = state_of(sim);
        ky_sim_close(sim);
        if (r)
            expect_same(&got, &expected, options);
        ky_bodies_free(&expected);
        expected = got;
    }
    assert_memory_equal(density[0], density[1], n * sizeof *density[0]);
    free(density[0]);
    free(density[1]);
    ky_bodies_free(&expected);
    ky_bodies_free(&bodies);
}

/* The error of a list with `room` for each body names the longest list, whichever rank has it; and
 * the ranks go on. */
static inline void try_short_lists(const struct sharers *with, size_t n, size_t room)
{
    struct ky_bodies bodies = make(SPHERE, n);
    struct ky_error error;
    char first[sizeof error.text] = "";
    const double radius = 0.1;
    uint32_t *list = calloc(n * room, sizeof *list);
    size_t *offset = calloc(n + 1, sizeof *offset);
    double *counts = calloc(n, sizeof *counts);
    for (size_t i = 0; i < n; i++)
        offset[i + 1] = offset[i] + room;
    for (size_t r = 0; r < with->runs; r++) {
        struct ky_parameters parameters = parameters_of("");
        struct ky_engine *engine = open_shared(with, r, &parameters, &bodies);
        struct ky_walk_request request = {.action = KY_ACTION_list,
                                          .n = n,
                                          .radius = &radius,
                                          .radii = 1,
                                          .offset = offset,
                                          .list = list};
        assert_int_equal(ky_engine_walk(engine, &request, &error), KY_USAGE);
        if (r == 0)
            memcpy(first, error.text, sizeof first);
        assert_string_equal(error.text, first);
        request.action = KY_ACTION_count;
        request.results = counts;
        assert_ok(ky_engine_walk(engine, &request, &error));
        ky_engine_close(engine);
    }
    free(list);
    free(offset);
    free(counts);
    ky_bodies_free(&bodies);
}

#endif
