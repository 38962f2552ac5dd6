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

#endif
