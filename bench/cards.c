/* Steps on several cards: cards ENGINE [N,N… [MODEL [weak | blocks] [WORDS…]]], with an engine such
 * as cuda:0,1 (default 1048576,16777216 plummer; words are parameters, as in multipole=1
 * alpha=0.0078). A row
 * for each number of bodies: milliseconds of a step with its drift, the mean of ten by the wall
 * clock, on the first card, and with ranks, a card each, of which each has a part of the bodies.
 * Then the ratio to one card; and weak scaling: one card with N bodies over ranks with N bodies
 * each.
 *
 * blocks: block steps (η 0.2, longest step 1/16, ε 0.001, as in bench/block.c), on the first card
 * and with ranks: two simulations that make one longest step after the other in turns, the first
 * one untimed, and then four. Milliseconds of a longest step on one card and with ranks, the ratio,
 * |dE/E| of both over all of them, and how many bodies have other bits in the end. */
#include <string.h>

#include "base/clock.h"
#include "common.h"

enum { STEPS = 10, WARM = 4, LONGEST = 4 };

static struct ky_parameters parameters_for(int blocks, char **words, int count)
{
    struct ky_error error;
    struct ky_parameters parameters;
    ky_parameters_defaults(&parameters);
    parameters.force = KY_TREE;
    parameters.integrator = KY_LEAPFROG;
    parameters.softening = 0.01;
    parameters.step = 0.001;
    if (blocks) {
        parameters.integrator = KY_BLOCK_STEPS;
        parameters.softening = 0.001;
        parameters.step = 1.0 / 16;
    }
    for (int k = 0; k < count; k++) {
        char *value = strchr(words[k], '=');
        if (!value) {
            fprintf(stderr, "%s: give NAME=VALUE\n", words[k]);
            exit(2);
        }
        *value = 0;
        stop_if(ky_parameters_set(&parameters, words[k], value + 1, &error), &error);
        *value = '=';
    }
    return parameters;
}

/* Makes some steps, and waits for the cards. */
static enum ky_status steps(struct ky_sim *sim, uint64_t count, struct ky_error *error)
{
    struct ky_force_report report = {.size = sizeof report};
    const enum ky_status status = ky_sim_advance(sim, count, error);
    if (!status)
        ky_sim_report(sim, &report);
    return status;
}

/* Milliseconds of a step; NaN where it cannot be made, with the reason. */
static double step_of(const struct ky_parameters *given, const char *engine, int ranks,
                      const struct ky_bodies *bodies)
{
    struct ky_error error;
    struct ky_parameters parameters = *given;
    struct ky_sim *sim;
    double seconds = 0;
    parameters.engine = engine;
    parameters.ranks = ranks;
    enum ky_status status = ky_sim_open(&parameters, bodies, 0, &sim, &error);
    if (!status)
        status = steps(sim, WARM, &error);
    if (!status) {
        const double start = ky_clock();
        status = steps(sim, STEPS, &error);
        seconds = ky_clock() - start;
    }
    if (status)
        fprintf(stderr, "%s, %d ranks: %s\n", engine, ranks, error.text);
    ky_sim_close(sim);
    return status ? (double)NAN : 1e3 * seconds / STEPS;
}

static int cards_of(const char *engine)
{
    int cards = 1;
    for (; *engine; engine++)
        cards += *engine == ',';
    return cards;
}

static void bench(const char *engine, size_t n, const char *name, int weak,
                  const struct ky_parameters *parameters)
{
    const int cards = cards_of(engine), processes = ky_mpi_ranks() > 1;
    char first[32];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(engine, ","), engine);
    struct ky_snapshot whole = model(name, n);
    const double none = (double)NAN,
                 one = processes ? none : step_of(parameters, first, 1, &whole.bodies),
                 ranks =
                     step_of(parameters, engine, processes ? ky_mpi_ranks() : cards, &whole.bodies);
    ky_snapshot_free(&whole);
    printf("%10zu %-10s %9.3f %9.3f   %5.2f\n", n, name, one, ranks, one / ranks);
    fflush(stdout);
    if (!weak || processes)
        return;
    struct ky_snapshot more = model(name, n * (size_t)cards);
    const double all = step_of(parameters, engine, cards, &more.bodies);
    ky_snapshot_free(&more);
    printf("%10zu %-10s %9s %9.3f   weak %5.3f\n", n * (size_t)cards, name, "", all, one / all);
    fflush(stdout);
}

/* ---- block steps ---- */

/* A simulation in turns with another one. */
struct run {
    struct ky_sim *sim;
    double energy, seconds;
};

static double energy_of(struct ky_sim *sim)
{
    struct ky_error error;
    struct ky_sums sums = {.size = sizeof sums};
    stop_if(ky_sim_sums(sim, &sums, &error), &error);
    return sums.kinetic + sums.potential;
}

static struct run open_run(const struct ky_parameters *given, const char *engine, int ranks,
                           const struct ky_bodies *bodies)
{
    struct ky_error error;
    struct ky_parameters parameters = *given;
    struct run run = {NULL, 0, 0};
    parameters.engine = engine;
    parameters.ranks = ranks;
    stop_if(ky_sim_open(&parameters, bodies, 0, &run.sim, &error), &error);
    run.energy = energy_of(run.sim);
    return run;
}

static void make_step(struct run *run, int is_timed)
{
    struct ky_error error;
    const double start = ky_clock();
    stop_if(steps(run->sim, 1, &error), &error);
    run->seconds += is_timed ? ky_clock() - start : 0;
}

static struct ky_bodies bodies_of(const struct run *run)
{
    struct ky_error error;
    struct ky_bodies bodies;
    stop_if(ky_bodies_allocate(&bodies, ky_sim_n(run->sim), 0, &error), &error);
    stop_if(ky_sim_bodies(run->sim, &bodies, &error), &error);
    return bodies;
}

static size_t count_others(const struct run *a, const struct run *b)
{
    struct ky_bodies of_a = bodies_of(a), of_b = bodies_of(b);
    size_t others = 0;
    for (size_t i = 0; i < of_a.n; i++)
        others += memcmp(of_a.position[i], of_b.position[i], sizeof *of_a.position) ||
                  memcmp(of_a.velocity[i], of_b.velocity[i], sizeof *of_a.velocity);
    ky_bodies_free(&of_a);
    ky_bodies_free(&of_b);
    return others;
}

static void bench_blocks(const char *engine, size_t n, const char *name,
                         const struct ky_parameters *parameters)
{
    char first[32];
    struct ky_snapshot s = model(name, n);
    snprintf(first, sizeof first, "%.*s", (int)strcspn(engine, ","), engine);
    struct run one = open_run(parameters, first, 1, &s.bodies),
               ranks = open_run(parameters, engine, cards_of(engine), &s.bodies);
    ky_snapshot_free(&s);
    for (int k = 0; k <= LONGEST; k++) {
        make_step(&one, k > 0);
        make_step(&ranks, k > 0);
    }
    printf("%10zu %-10s %9.1f %9.1f   %5.2f   %.1e %.1e   %zu\n", n, name,
           1e3 * one.seconds / LONGEST, 1e3 * ranks.seconds / LONGEST, one.seconds / ranks.seconds,
           fabs(energy_of(one.sim) / one.energy - 1), fabs(energy_of(ranks.sim) / ranks.energy - 1),
           count_others(&one, &ranks));
    fflush(stdout);
    ky_sim_close(one.sim);
    ky_sim_close(ranks.sim);
}

struct call {
    int argc;
    char **argv;
};

static int lead(void *context)
{
    const struct call *call = context;
    char **argv = call->argv, numbers[100];
    const int argc = call->argc, weak = argc > 4 && !strcmp(argv[4], "weak"),
              blocks = argc > 4 && !strcmp(argv[4], "blocks"), words = 4 + weak + blocks;
    const char *engine = argc > 1 ? argv[1] : "cuda:0,1", *name = argc > 3 ? argv[3] : "plummer";
    snprintf(numbers, sizeof numbers, "%s", argc > 2 ? argv[2] : "1048576,16777216");
    const struct ky_parameters parameters =
        parameters_for(blocks, argv + words, argc > words ? argc - words : 0);
    printf(blocks ? "# N, model; ms of a longest step on the first of %s, with ranks; times; dE/E "
                    "of both; bodies with other bits\n"
                  : "# N, model; ms of a step on the first of %s, with ranks; times\n",
           engine);
    for (char *n = strtok(numbers, ","); n; n = strtok(NULL, ","))
        if (blocks)
            bench_blocks(engine, (size_t)strtoull(n, NULL, 10), name, &parameters);
        else
            bench(engine, (size_t)strtoull(n, NULL, 10), name, weak, &parameters);
    return 0;
}

int main(int argc, char **argv)
{
    struct ky_error error;
    struct call call = {argc, argv};
    int code = 0;
    stop_if(ky_mpi_lead(lead, &call, &code, &error), &error);
    return code;
}
