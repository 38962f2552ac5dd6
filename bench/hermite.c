/* Speed of the Hermite scheme: hermite [--engine NAME] [--precision P] [--eta X] [--corrections K]
 * [--softening X] [--span X] N... (default: the CPU, extended, η 0.02, 1, 4/N, 1/4)
 * KYOHO_ENGINE names the engine where the option does not.
 *
 * Plummer spheres over SPAN time units, a row each: blocks and the mean of their bodies, µs a
 * block, Gflop/s at 60 operations a pair, and |dE/E| from sums in double. The steps are made twice,
 * and the second time counts, since kernels are compiled during the first.
 *
 * The last two columns compare the blocks with a board (bench/board.c) of the same engine with as
 * many bodies; of several devices it is the first. `board us` is the time of a force on as many
 * sinks as the mean block has, the least of CALLS calls. It includes the copies of sinks and
 * results, which blocks do not make. `of its rate` is the rate of the blocks over that of the board
 * with 16,384 sinks, or with all bodies if they are fewer. */
#include <string.h>

#include "base/clock.h"
#include "common.h"
#include "engine/board.h"
#include "integrate/integrate.h"

enum { STRIDE_BITS = 32, SINKS = 16384, CALLS = 20 };
static struct ky_error error;

struct options {
    const char *engine, *precision;
    double eta, corrections, softening, span;
};

/* Returns the index in argv of the first N. */
static int read_options(int argc, char **argv, struct options *o)
{
    const char *engine = getenv("KYOHO_ENGINE");
    *o = (struct options){engine ? engine : "cpu", "extended", 0.02, 1, (double)NAN, 0.25};
    const struct {
        const char *name, **text;
        double *number;
    } named[] = {{"--engine", &o->engine, NULL},
                 {"--precision", &o->precision, NULL},
                 {"--eta", NULL, &o->eta},
                 {"--corrections", NULL, &o->corrections},
                 {"--softening", NULL, &o->softening},
                 {"--span", NULL, &o->span}};
    enum { NAMED = sizeof named / sizeof *named };
    int k = 1;
    for (; k < argc && argv[k][0] == '-'; k += 2) {
        int which = 0;
        while (which < NAMED && strcmp(argv[k], named[which].name))
            which++;
        if (which == NAMED || k + 1 == argc) {
            fprintf(stderr, "%s: read the first lines of bench/hermite.c\n", argv[k]);
            exit(2);
        }
        if (named[which].text)
            *named[which].text = argv[k + 1];
        else
            *named[which].number = atof(argv[k + 1]);
    }
    return k;
}

/* ---- the steps ---- */

static double energy_of(struct ky_engine *engine)
{
    struct ky_sums sums = {0};
    stop_if(ky_engine_sums(engine, &sums, &error), &error);
    return sums.kinetic + sums.potential;
}

/* Goes over the span. Returns the counts of blocks and steps; *seconds is the time that they took,
 * and *energy |dE/E|. */
static struct ky_advance go(const struct options *o, const struct ky_parameters *parameters,
                            const struct ky_bodies *bodies, double *seconds, double *energy)
{
    struct ky_engine *engine;
    const struct ky_engine_use use = {.n = bodies->n, .schemes = 1U << KY_SCHEME_HERMITE};
    stop_if(ky_engine_open_for(parameters, bodies->n, &use, &engine, &error), &error);
    stop_if(ky_engine_put(engine, bodies, &error), &error);
    stop_if(ky_engine_columns(engine, 1U << KY_COLUMN_STEP | 1U << KY_COLUMN_JERK, &error), &error);
    stop_if(ky_engine_forces(engine, &error), &error);
    const double longest = 1.0 / 16, e0 = energy_of(engine);
    struct ky_advance way = {.scheme = KY_SCHEME_HERMITE,
                             .tick = ldexp(longest, -STRIDE_BITS),
                             .stride = (uint64_t)1 << STRIDE_BITS,
                             .most = UINT64_MAX,
                             .eta = o->eta,
                             .corrections = (int)o->corrections,
                             .passed = {KY_NO_BODY, KY_NO_BODY}};
    stop_if(ky_engine_advance(engine, &way, &error), &error); /* first steps alone */
    way.until = (uint64_t)ceil(o->span / longest) << STRIDE_BITS;
    const double begin = ky_clock();
    stop_if(ky_engine_advance(engine, &way, &error), &error);
    *seconds = ky_clock() - begin;
    *energy = fabs(energy_of(engine) / e0 - 1);
    ky_engine_close(engine);
    if (way.now < way.until)
        printf("a close encounter ended the steps\n");
    return way;
}

/* ---- a board ---- */

static void *room(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory)
        exit(1);
    return memory;
}

static struct ky_board *open_board(const struct ky_parameters *given,
                                   const struct ky_bodies *bodies)
{
    const size_t n = bodies->n;
    char first[64];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(given->engine, ","), given->engine);
    struct ky_parameters one = *given;
    one.engine = first;
    struct ky_board *board;
    struct ky_board_body *body = room(n, sizeof *body);
    uint32_t *slot = room(n, sizeof *slot);
    for (size_t i = 0; i < n; i++) {
        body[i] =
            (struct ky_board_body){.mass = bodies->mass[i], .label = (int32_t)i + 1, .set = 1};
        memcpy(body[i].x, bodies->position[i], sizeof body[i].x);
        memcpy(body[i].v, bodies->velocity[i], sizeof body[i].v);
        slot[i] = (uint32_t)i;
    }
    stop_if(ky_board_open(&one, &board, &error), &error);
    stop_if(board->verbs->put(board, n, slot, body, &error), &error);
    free(body);
    free(slot);
    return board;
}

/* Seconds of a force on `count` sinks, the least of CALLS calls, each at a time of its own. */
static double force(struct ky_board *board, const struct ky_bodies *bodies, double softening,
                    size_t count)
{
    double best = (double)INFINITY;
    int32_t *label = room(count, sizeof *label);
    double(*a)[3] = room(count, sizeof *a), (*j)[3] = room(count, sizeof *j);
    for (size_t k = 0; k < count; k++)
        label[k] = (int32_t)k + 1;
    for (int call = 0; call < CALLS; call++) {
        const struct ky_board_request request = {.time = call / 1024.0,
                                                 .slots = bodies->n,
                                                 .count = count,
                                                 .what = KY_BOARD_JERK,
                                                 .eps2 = softening * softening,
                                                 .label = label,
                                                 .x = (const double(*)[3])bodies->position,
                                                 .v = (const double(*)[3])bodies->velocity};
        const struct ky_board_results results = {.acceleration = a, .jerk = j};
        const double begin = ky_clock();
        stop_if(board->verbs->start(board, &request, &error), &error);
        stop_if(board->verbs->finish(board, &results, &error), &error);
        best = fmin(best, ky_clock() - begin);
    }
    free(label);
    free(a);
    free(j);
    return best;
}

/* ---- a row ---- */

static void measure(const struct options *o, size_t n)
{
    struct ky_parameters given, parameters;
    struct ky_snapshot s = model("plummer", n);
    double seconds, energy;
    ky_parameters_defaults(&given);
    given.engine = o->engine;
    given.force = KY_DIRECT;
    given.precision = strcmp(o->precision, "double") ? KY_EXTENDED : KY_DOUBLE;
    given.integrator = KY_HERMITE4;
    given.softening = isnan(o->softening) ? 4 / (double)n : o->softening;
    stop_if(ky_parameters_resolve(&given, &parameters, &error), &error);
    go(o, &parameters, &s.bodies, &seconds, &energy);
    const struct ky_advance way = go(o, &parameters, &s.bodies, &seconds, &energy);
    const double blocks = (double)way.steps, mean = way.body_steps / blocks,
                 pairs = way.body_steps * o->corrections * (double)(n - 1);
    struct ky_board *board = open_board(&parameters, &s.bodies);
    const size_t sinks = n < SINKS ? n : SINKS;
    const double rate = (double)sinks * (double)n / force(board, &s.bodies, given.softening, sinks);
    const double alike = force(board, &s.bodies, given.softening, (size_t)ceil(mean));
    board->verbs->close(board);
    printf("%8zu %8.2g %8.2g %9.0f %8.1f %9.2f %9.1f %9.1e %9.2f %8.1f %%\n", n, o->eta,
           given.softening, blocks, mean, 1e6 * seconds / blocks, 60e-9 * pairs / seconds, energy,
           1e6 * alike, 100 * pairs / seconds / rate);
    ky_snapshot_free(&s);
}

int main(int argc, char **argv)
{
    struct options o;
    setvbuf(stdout, NULL, _IOLBF, 1 << 10);
    int k = read_options(argc, argv, &o);
    printf("%s, %s\n", o.engine, o.precision);
    printf("  bodies      eta      eps    blocks   bodies  us/block   Gflop/s   |dE/E|  board us  "
           "of its rate\n");
    for (; k < argc; k++)
        measure(&o, (size_t)atof(argv[k]));
    return 0;
}
