/* What block steps gain: block [--engine NAME] [MODEL [N [SOFTENING [SPAN [ETA]]]]] (default
 * hernquist 131072 0.002 1 0.2). Over SPAN times √(a³/(G M)) of the model: steps of bodies,
 * seconds, |dE/E|, and the seconds that shared steps equal to the shortest one take, from some of
 * them; with a sixth word they are all made, and their |dE/E| is printed. Then the blocks by their
 * size: how many, and where their time goes, from a second run that stops after each. KYOHO_ENGINE
 * chooses the engine where no option does. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "engine/engine.h"
#include "integrate/integrate.h"

enum { CLASSES = 5, SHARED_STEPS = 5, STRIDE = 1 << 20 };
static struct ky_error error;

static void stop_if(enum ky_status status)
{
    if (!status)
        return;
    fprintf(stderr, "%s\n", error.text);
    exit(1);
}

/* Blocks of at most some share of the bodies. */
struct class
{
    double most, blocks, bodies, pairs, tree, walk, total;
};
static struct class classes[CLASSES] = {
    {.most = 1e-3}, {.most = 1e-2}, {.most = 0.1}, {.most = 0.5}, {.most = 1}};

static struct ky_engine *open_with(const struct ky_parameters *parameters,
                                   const struct ky_bodies *bodies)
{
    struct ky_engine *engine;
    stop_if(ky_engine_open(parameters, bodies->n, &engine, &error));
    stop_if(ky_engine_put(engine, bodies, &error));
    stop_if(ky_engine_forces(engine, &error));
    return engine;
}

static double energy_of(struct ky_engine *engine)
{
    struct ky_sums sums = {0};
    stop_if(ky_engine_sums(engine, &sums, &error));
    return sums.kinetic + sums.potential;
}

static void count(double share, const struct ky_force_report *r, double bodies, double seconds)
{
    struct class *c = classes;
    while (share > c->most && c < classes + CLASSES - 1)
        c++;
    c->blocks++;
    c->bodies += bodies;
    c->pairs += r->body_interactions + r->cell_interactions;
    c->tree += r->keys + r->sort + r->build + r->moments;
    c->walk += r->walk;
    c->total += seconds;
}

/* `steps` longest steps in one call. Returns the seconds. */
static double go_at_once(struct ky_engine *engine, double longest, uint64_t steps, double eta,
                         struct ky_advance *way)
{
    struct ky_sums sums = {0};
    *way = (struct ky_advance){.scheme = KY_SCHEME_BLOCK,
                               .tick = longest / STRIDE,
                               .stride = STRIDE,
                               .until = steps * STRIDE,
                               .most = UINT64_MAX,
                               .eta = eta,
                               .length = (double)NAN};
    stop_if(ky_engine_columns(engine, 1U << KY_COLUMN_STEP, &error));
    stop_if(ky_engine_sums(engine, &sums, &error)); /* the first forces are there */
    const double start = ky_clock();
    stop_if(ky_engine_advance(engine, way, &error));
    return ky_clock() - start;
}

/* The same a block at a time, which are counted by their size. */
static void go_in_blocks(struct ky_engine *engine, size_t n, double longest, uint64_t steps,
                         double eta)
{
    struct ky_advance whole, *way = &whole;
    *way = (struct ky_advance){.scheme = KY_SCHEME_BLOCK,
                               .tick = longest / STRIDE,
                               .stride = STRIDE,
                               .until = steps * STRIDE,
                               .most = 1,
                               .eta = eta,
                               .length = (double)NAN};
    stop_if(ky_engine_columns(engine, 1U << KY_COLUMN_STEP, &error));
    while (way->now < way->until) {
        struct ky_force_report report = {0};
        const double before = way->body_steps, start = ky_clock();
        stop_if(ky_engine_advance(engine, way, &error));
        const double seconds = ky_clock() - start;
        ky_engine_report(engine, &report);
        count((way->body_steps - before) / (double)n, &report, way->body_steps - before, seconds);
    }
}

int main(int argc, char **argv)
{
    const char *engine_name = getenv("KYOHO_ENGINE");
    if (argc > 2 && !strcmp(argv[1], "--engine")) {
        engine_name = argv[2];
        argc -= 2;
        argv += 2;
    }
    const char *name = argc > 1 ? argv[1] : "hernquist";
    const size_t n = argc > 2 ? (size_t)atof(argv[2]) : 131072;
    const double softening = argc > 3 ? atof(argv[3]) : 0.002, span = argc > 4 ? atof(argv[4]) : 1,
                 eta = argc > 5 ? atof(argv[5]) : 0.2, longest = 1.0 / 16;
    struct ky_model_parameters model;
    struct ky_snapshot s;
    struct ky_parameters given, parameters;
    struct ky_advance way;
    ky_model_parameters_defaults(&model);
    ky_parameters_defaults(&given);
    ky_snapshot_clear(&s);
    model.n = n;
    model.softening = given.softening = softening;
    stop_if(ky_model_make(name, &model, &s, &error));
    given.engine = engine_name ? engine_name : "cpu";
    stop_if(ky_parameters_resolve(&given, &parameters, &error));
    struct ky_engine *engine = open_with(&parameters, &s.bodies);
    const double e0 = energy_of(engine),
                 seconds = go_at_once(engine, longest, (uint64_t)ceil(span / longest), eta, &way);
    const double shortest = longest / STRIDE * (double)way.shortest;
    printf("%s, n %zu, softening %g, eta %g: %.2f s, %.3g blocks of %.0f bodies, |dE/E| %.2e\n",
           name, n, softening, eta, seconds, (double)way.steps, way.body_steps / (double)way.steps,
           fabs(energy_of(engine) / e0 - 1));
    ky_engine_close(engine);
    engine = open_with(&parameters, &s.bodies);
    go_in_blocks(engine, n, longest, (uint64_t)ceil(span / longest), eta);
    ky_engine_close(engine);
    engine = open_with(&parameters, &s.bodies);
    struct ky_integrator_state *leapfrog;
    parameters.step = shortest;
    stop_if(ky_integrator_create(engine, n, &parameters, &leapfrog, &error));
    const uint64_t steps = (uint64_t)(ceil(span / longest) * longest / shortest);
    const uint64_t made = argc > 6 ? steps : SHARED_STEPS;
    const double start = ky_clock();
    stop_if(leapfrog->verbs->advance(leapfrog, made, &error));
    const double drift = energy_of(engine);
    const double shared = (ky_clock() - start) / (double)made * (double)steps;
    printf("all with %g: %.2f s for %.3g steps, %.2f times as long; steps of bodies %.2f", shortest,
           shared, (double)steps, shared / seconds, (double)steps * (double)n / way.body_steps);
    printf(argc > 6 ? "; |dE/E| %.2e\n" : "\n", fabs(drift / e0 - 1));
    for (const struct class *c = classes; c < classes + CLASSES; c++)
        if (c->blocks > 0)
            printf("blocks up to %5.1f %%: %6.0f of %8.0f bodies, %7.0f pairs a body, ms a block: "
                   "tree %8.3f, walk "
                   "%8.3f, rest %8.3f; %.2f s\n",
                   100 * c->most, c->blocks, c->bodies / c->blocks, c->pairs / c->bodies,
                   1e3 * c->tree / c->blocks, 1e3 * c->walk / c->blocks,
                   1e3 * (c->total - c->tree - c->walk) / c->blocks, c->total);
    ky_integrator_free(leapfrog);
    ky_engine_close(engine);
    ky_snapshot_free(&s);
    return 0;
}
