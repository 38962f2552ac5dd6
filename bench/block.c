/* What block steps gain: block [--engine NAME] [--eta X] [--alpha X] [--longest X] [--steps K]
 * [MODEL [N [SOFTENING [SPAN]]]] (default hernquist 131072 0.002 1, η 0.2, longest step 1/16, 5
 * steps). KYOHO_ENGINE names the engine where the option does not.
 *
 * The first line is of block steps over SPAN time units of the model: seconds, blocks, ideal gain,
 * and dE/|E|, with the potentials of the run and with those of a tree 30 times as strict. The ideal
 * gain is the ratio of two numbers of body steps: with shared steps as long as the shortest step of
 * the run, and in the run.
 *
 * The second line has K of these shared steps, and the seconds that all of them would take. With
 * --steps all they are all made, and |dE/E| is printed; with --steps 0 none is made.
 *
 * The table has the blocks by the longest step that ends there: how many, how large, and where
 * their time goes. It is of a second run, which stops after each block. */
#include <string.h>

#include "base/clock.h"
#include "common.h"
#include "integrate/integrate.h"

enum { LEVELS = 21, STRIDE = 1 << (LEVELS - 1), STRICTER = 30 };
static struct ky_error error;

struct options {
    const char *engine, *model, *steps;
    double n, softening, span, eta, alpha, longest;
};

static struct options read_options(int argc, char **argv)
{
    const char *engine = getenv("KYOHO_ENGINE");
    struct options o = {
        engine ? engine : "cpu", "hernquist", "5", 131072, 0.002, 1, 0.2, (double)NAN, 1.0 / 16};
    const struct {
        const char *name, **text;
        double *number;
    } named[] = {{"--engine", &o.engine, NULL},
                 {"--steps", &o.steps, NULL},
                 {"--eta", NULL, &o.eta},
                 {"--alpha", NULL, &o.alpha},
                 {"--longest", NULL, &o.longest},
                 {NULL, &o.model, NULL},
                 {NULL, NULL, &o.n},
                 {NULL, NULL, &o.softening},
                 {NULL, NULL, &o.span}};
    enum { NAMED = 5, ALL = sizeof named / sizeof *named };
    int next = NAMED;
    for (int k = 1; k < argc; k++) {
        int which = 0;
        while (which < NAMED && strcmp(argv[k], named[which].name))
            which++;
        which = which < NAMED ? which : next++;
        k += which < NAMED;
        if (which >= ALL || k >= argc) {
            fprintf(stderr, "%s: read the first lines of bench/block.c\n", argv[k - (k >= argc)]);
            exit(2);
        }
        if (named[which].text)
            *named[which].text = argv[k];
        else
            *named[which].number = atof(argv[k]);
    }
    return o;
}

/* ---- engines ---- */

static struct ky_engine *open_with(const struct ky_parameters *parameters,
                                   const struct ky_bodies *bodies)
{
    struct ky_engine *engine;
    const struct ky_engine_use use = {.n = bodies->n, .schemes = 1U << KY_SCHEME_BLOCK};
    stop_if(ky_engine_open_for(parameters, bodies->n, &use, &engine, &error), &error);
    stop_if(ky_engine_put(engine, bodies, &error), &error);
    stop_if(ky_engine_forces(engine, &error), &error);
    return engine;
}

static double energy_of(struct ky_engine *engine)
{
    struct ky_sums sums = {0};
    stop_if(ky_engine_sums(engine, &sums, &error), &error);
    return sums.kinetic + sums.potential;
}

static double strict_energy(const struct ky_parameters *parameters, const struct ky_bodies *bodies)
{
    struct ky_parameters strict = *parameters;
    strict.alpha /= STRICTER;
    struct ky_engine *engine = open_with(&strict, bodies);
    const double energy = energy_of(engine);
    ky_engine_close(engine);
    return energy;
}

/* ---- blocks ---- */

static struct ky_advance begin(struct ky_engine *engine, const struct options *o, uint64_t most)
{
    struct ky_sums sums = {0};
    stop_if(ky_engine_columns(engine, 1U << KY_COLUMN_STEP, &error), &error);
    stop_if(ky_engine_sums(engine, &sums, &error), &error); /* computes the first forces */
    return (struct ky_advance){.scheme = KY_SCHEME_BLOCK,
                               .tick = o->longest / STRIDE,
                               .stride = STRIDE,
                               .until = (uint64_t)ceil(o->span / o->longest) * STRIDE,
                               .most = most,
                               .eta = o->eta,
                               .length = (double)NAN};
}

/* Makes all steps in one call. Returns the shortest step; *seconds is the time that they took. */
static double go(const struct options *o, const struct ky_parameters *parameters,
                 struct ky_bodies *bodies, double *seconds)
{
    struct ky_engine *engine = open_with(parameters, bodies);
    const double e0 = energy_of(engine), strict = strict_energy(parameters, bodies);
    struct ky_advance way = begin(engine, o, UINT64_MAX);
    const double start = ky_clock();
    stop_if(ky_engine_advance(engine, &way, &error), &error);
    struct ky_bodies there = *bodies;
    const double e1 = energy_of(engine);
    *seconds = ky_clock() - start;
    const double shortest = way.tick * (double)way.shortest, n = (double)bodies->n;
    there.position = malloc(3 * bodies->n * sizeof *there.position);
    there.velocity = malloc(3 * bodies->n * sizeof *there.velocity);
    there.acceleration = NULL;
    there.potential = NULL;
    stop_if(ky_engine_get(engine, &there, &error), &error);
    ky_engine_close(engine);
    printf("%s, n %.0f, softening %g, eta %g, alpha %g: %.3f s, %.0f blocks of %.0f bodies, ideal "
           "gain %.2f, dE/|E| %+.2e, strictly %+.2e\n",
           o->model, n, o->softening, o->eta, parameters->alpha, *seconds, (double)way.steps,
           way.body_steps / (double)way.steps,
           (double)way.until / (double)way.shortest * n / way.body_steps, 1 - e1 / e0,
           1 - strict_energy(parameters, &there) / strict);
    free(there.position);
    free(there.velocity);
    return shortest;
}

/* Blocks whose longest step has one level. */
struct row {
    double blocks, bodies, pairs, tree, walk, total;
};

/* Makes the same steps a block at a time, and counts the blocks by their level. */
static void go_in_blocks(const struct options *o, const struct ky_parameters *parameters,
                         const struct ky_bodies *bodies)
{
    struct row rows[LEVELS] = {{0}};
    struct ky_engine *engine = open_with(parameters, bodies);
    struct ky_advance way = begin(engine, o, 1);
    while (way.now < way.until) {
        struct ky_force_report report = {0};
        const double before = way.body_steps, start = ky_clock();
        stop_if(ky_engine_advance(engine, &way, &error), &error);
        ky_engine_report(engine, &report);
        int level = 0;
        while (way.now % (way.stride >> level))
            level++;
        struct row *row = rows + level;
        row->total += ky_clock() - start;
        row->blocks++;
        row->bodies += way.body_steps - before;
        row->pairs += report.body_interactions + report.cell_interactions;
        row->tree += report.keys + report.sort + report.build + report.moments;
        row->walk += report.walk;
    }
    ky_engine_close(engine);
    printf("   step blocks     bodies sources   ms: tree     walk     rest   all of them\n");
    for (int level = 0; level < LEVELS; level++) {
        const struct row *r = rows + level;
        if (r->blocks > 0)
            printf("2^-%-4d %6.0f %10.0f %7.0f %10.3f %8.3f %8.3f %8.3f s\n", level, r->blocks,
                   r->bodies / r->blocks, r->pairs / r->bodies, 1e3 * r->tree / r->blocks,
                   1e3 * r->walk / r->blocks, 1e3 * (r->total - r->tree - r->walk) / r->blocks,
                   r->total);
    }
}

/* ---- shared steps ---- */

static void go_shared(const struct options *o, const struct ky_parameters *given,
                      const struct ky_bodies *bodies, double shortest, double seconds)
{
    struct ky_parameters parameters = *given;
    struct ky_integrator_state *leapfrog;
    const int all = !strcmp(o->steps, "all");
    const double steps = ceil(o->span / o->longest) * o->longest / shortest;
    const uint64_t made = (uint64_t)(all ? steps : atof(o->steps));
    if (made == 0)
        return;
    struct ky_engine *engine = open_with(&parameters, bodies);
    const double e0 = energy_of(engine);
    parameters.step = shortest;
    stop_if(ky_integrator_create(engine, bodies->n, &parameters, &leapfrog, &error), &error);
    const double start = ky_clock();
    stop_if(leapfrog->verbs->advance(leapfrog, made, &error), &error);
    const double e1 = energy_of(engine);
    const double shared = (ky_clock() - start) / (double)made * steps;
    printf("all with %g: %.3f s for %.0f steps, %.2f times as long", shortest, shared, steps,
           shared / seconds);
    printf(all ? "; dE/|E| %+.2e\n" : "\n", 1 - e1 / e0);
    ky_integrator_free(leapfrog);
    ky_engine_close(engine);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 1 << 10); /* each line is written at once, also to a file */
    const struct options o = read_options(argc, argv);
    struct ky_model_parameters model;
    struct ky_snapshot s;
    struct ky_parameters given, parameters;
    double seconds;
    ky_model_parameters_defaults(&model);
    ky_parameters_defaults(&given);
    ky_snapshot_clear(&s);
    model.n = (size_t)o.n;
    model.softening = given.softening = o.softening;
    stop_if(ky_model_make(o.model, &model, &s, &error), &error);
    given.engine = o.engine;
    given.alpha = o.alpha;
    given.force = KY_TREE;
    stop_if(ky_parameters_resolve(&given, &parameters, &error), &error);
    const double shortest = go(&o, &parameters, &s.bodies, &seconds);
    go_shared(&o, &parameters, &s.bodies, shortest, seconds);
    go_in_blocks(&o, &parameters, &s.bodies);
    ky_snapshot_free(&s);
    return 0;
}
