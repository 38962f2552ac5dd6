/* Steps on several cards: cards ENGINE [N,N… [MODEL [weak] [WORDS…]]], with an engine such as
 * cuda:0,1 (default 1048576,16777216 plummer; words are parameters, as in multipole=1
 * alpha=0.0078). A row
 * for each number of bodies: milliseconds of a step with its drift, the mean of ten by the wall
 * clock, on the first card; on all cards as one engine, each of which makes the whole tree; and
 * with ranks, a card each, of which each has a part of the bodies. Then the ratios to one card; and
 * weak scaling: one card with N bodies over ranks with N bodies each. */
#include <string.h>

#include "common.h"

enum { STEPS = 10, WARM = 4 };

static struct ky_parameters parameters_for(char **words, int count)
{
    struct ky_error error;
    struct ky_parameters parameters;
    ky_parameters_defaults(&parameters);
    parameters.force = KY_TREE;
    parameters.integrator = KY_LEAPFROG;
    parameters.softening = 0.01;
    parameters.step = 0.001;
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

static double wall(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
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
        const double start = wall();
        status = steps(sim, STEPS, &error);
        seconds = wall() - start;
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
                 shared = processes ? none : step_of(parameters, engine, 1, &whole.bodies),
                 ranks =
                     step_of(parameters, engine, processes ? ky_mpi_ranks() : cards, &whole.bodies);
    ky_snapshot_free(&whole);
    printf("%10zu %-10s %9.3f %9.3f %9.3f   %5.2f %5.2f\n", n, name, one, shared, ranks,
           one / shared, one / ranks);
    fflush(stdout);
    if (!weak || processes)
        return;
    struct ky_snapshot more = model(name, n * (size_t)cards);
    const double all = step_of(parameters, engine, cards, &more.bodies);
    ky_snapshot_free(&more);
    printf("%10zu %-10s %9s %9s %9.3f   weak %5.3f\n", n * (size_t)cards, name, "", "", all,
           one / all);
    fflush(stdout);
}

struct call {
    int argc;
    char **argv;
};

static int lead(void *context)
{
    const struct call *call = context;
    char **argv = call->argv, numbers[100];
    const int argc = call->argc, weak = argc > 4 && !strcmp(argv[4], "weak"), words = 4 + weak;
    const char *engine = argc > 1 ? argv[1] : "cuda:0,1", *name = argc > 3 ? argv[3] : "plummer";
    snprintf(numbers, sizeof numbers, "%s", argc > 2 ? argv[2] : "1048576,16777216");
    const struct ky_parameters parameters =
        parameters_for(argv + words, argc > words ? argc - words : 0);
    printf("# N, model; ms of a step on the first of %s, on all as one engine, with ranks; times\n",
           engine);
    for (char *n = strtok(numbers, ","); n; n = strtok(NULL, ","))
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
