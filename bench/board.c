/* Speed of a board (engine/board.h) with a Plummer sphere: board [ENGINE [MOST [CALLS
 * [OPERATIONS]]]] (default auto, 1048576 bodies at most, 200 calls of each small block, 3.2e13).
 *
 * First all bodies act on all, in calls of 16,384 sinks, as GRAPE's calls with that many pipes; the
 * time is the least of three. OPERATIONS is the number of float operations that the device can do a
 * second (3.2e13: an H200). `used` is the part of them that pairs take, 38 operations a pair in
 * extended precision and 68 in double. Errors are those of accelerations and jerks against the same
 * board in double: median, 99 %, largest.
 *
 * Then come small blocks. Each is at a time of its own, so that the bodies are predicted. They have
 * the least and the median time of a call, without and with 64 bodies that are sent before it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/order.h"
#include "engine/board.h"

enum { SINKS = 16384, REPEAT = 3, SAMPLE = 1024, CAPACITY = 256 };

struct bench {
    const char *engine;
    size_t most, calls;
    double operations;
    struct ky_snapshot snapshot;
    struct ky_board_body *body;
    uint32_t *slot;
    int32_t *label;
    double (*a)[3], (*j)[3], *potential, *h2;
    int32_t *nearest, *list;
    size_t *begin;
    uint32_t *found;
};

static const char *const names[] = {[KY_EXTENDED] = "extended", [KY_DOUBLE] = "double"};

static int failed(const struct ky_error *error)
{
    fprintf(stderr, "%s\n", error->text);
    exit(1);
}

static void *room(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory)
        exit(1);
    return memory;
}

static void make_bodies(struct bench *b)
{
    struct ky_model_parameters about;
    struct ky_error error = {0};
    ky_model_parameters_defaults(&about);
    about.n = b->most;
    ky_snapshot_clear(&b->snapshot);
    if (ky_model_make("plummer", &about, &b->snapshot, &error))
        failed(&error);
    const struct ky_bodies *bodies = &b->snapshot.bodies;
    b->body = room(b->most, sizeof *b->body);
    b->slot = room(b->most, sizeof *b->slot);
    b->label = room(b->most, sizeof *b->label);
    b->h2 = room(b->most, sizeof *b->h2);
    for (size_t i = 0; i < b->most; i++) {
        b->body[i] = (struct ky_board_body){.mass = bodies->mass[i], .set = 1};
        memcpy(b->body[i].x, bodies->position[i], sizeof b->body[i].x);
        memcpy(b->body[i].v, bodies->velocity[i], sizeof b->body[i].v);
        b->body[i].label = b->label[i] = (int32_t)i + 1;
        b->slot[i] = (uint32_t)i;
    }
    b->a = room(SINKS, sizeof *b->a);
    b->j = room(SINKS, sizeof *b->j);
    b->potential = room(SINKS, sizeof *b->potential);
    b->nearest = room(SINKS, sizeof *b->nearest);
    b->found = room(SINKS, sizeof *b->found);
    b->begin = room(SINKS, sizeof *b->begin);
    b->list = room((size_t)SINKS * CAPACITY, sizeof *b->list);
}

static struct ky_board *open_board(const struct bench *b, int precision, size_t n)
{
    struct ky_parameters parameters;
    struct ky_error error = {0};
    struct ky_board *board;
    ky_parameters_defaults(&parameters);
    parameters.engine = b->engine;
    parameters.precision = precision;
    if (ky_board_open(&parameters, &board, &error) ||
        board->verbs->put(board, n, b->slot, b->body, &error))
        failed(&error);
    return board;
}

/* Seconds of one call. */
static double call(struct bench *b, struct ky_board *board, size_t n, size_t first, size_t count,
                   double time, int lists)
{
    struct ky_error error = {0};
    const struct ky_bodies *bodies = &b->snapshot.bodies;
    const struct ky_board_request request = {time,
                                             n,
                                             count,
                                             KY_BOARD_JERK | KY_BOARD_NEAREST |
                                                 (lists ? KY_BOARD_LISTS : 0),
                                             16.0 / ((double)n * (double)n),
                                             b->label + first,
                                             (const double(*)[3])(bodies->position + first),
                                             (const double(*)[3])(bodies->velocity + first),
                                             b->h2,
                                             CAPACITY};
    const struct ky_board_results results = {.acceleration = b->a,
                                             .jerk = b->j,
                                             .potential = b->potential,
                                             .nearest = b->nearest,
                                             .found = b->found,
                                             .list = lists ? b->list : NULL,
                                             .begin = b->begin};
    double begin = ky_clock();
    if (board->verbs->start(board, &request, &error) ||
        board->verbs->finish(board, &results, &error))
        failed(&error);
    return ky_clock() - begin;
}

/* ---- all on all ---- */

static double all_on_all(struct bench *b, struct ky_board *board, size_t n, int lists,
                         double *neighbours)
{
    double best = INFINITY;
    for (int r = 0; r <= REPEAT; r++) {
        double seconds = 0;
        *neighbours = 0;
        for (size_t first = 0; first < n; first += SINKS) {
            size_t count = n - first < SINKS ? n - first : SINKS;
            seconds += call(b, board, n, first, count, r / 1024.0, lists);
            for (size_t i = 0; i < count && lists; i++)
                *neighbours += b->found[i] / (double)n;
        }
        best = r && seconds < best ? seconds : best; /* the first time compiles and allocates */
    }
    return best;
}

static void errors(struct bench *b, struct ky_board *board, size_t n)
{
    static double a[SAMPLE][3], j[SAMPLE][3], wrong[2][SAMPLE];
    size_t count = n < SAMPLE ? n : SAMPLE;
    struct ky_board *exact = open_board(b, KY_DOUBLE, n);
    call(b, exact, n, 0, count, 0, 0);
    memcpy(a, b->a, count * sizeof *a);
    memcpy(j, b->j, count * sizeof *j);
    exact->verbs->close(exact);
    call(b, board, n, 0, count, 0, 0);
    for (size_t i = 0; i < count; i++) {
        const double *is[] = {b->a[i], b->j[i]}, *be[] = {a[i], j[i]};
        for (int k = 0; k < 2; k++)
            wrong[k][i] =
                hypot(hypot(is[k][0] - be[k][0], is[k][1] - be[k][1]), is[k][2] - be[k][2]) /
                hypot(hypot(be[k][0], be[k][1]), be[k][2]);
    }
    for (int k = 0; k < 2; k++) {
        qsort(wrong[k], count, sizeof **wrong, ky_order_reals);
        printf("  %s %.1e %.1e %.1e", k ? "jerk" : "error", wrong[k][count / 2],
               wrong[k][count * 99 / 100], wrong[k][count - 1]);
    }
}

static void measure_all(struct bench *b, int precision)
{
    static const size_t sizes[] = {1024, 16384, 65536, 262144};
    for (size_t k = 0; k < 4 && sizes[k] <= b->most; k++) {
        const size_t n = sizes[k];
        double neighbours, pairs = (double)n * (double)n;
        struct ky_board *board = open_board(b, precision, n);
        double seconds = all_on_all(b, board, n, 0, &neighbours);
        printf("%-9s %8zu %10.3f ms %10.3e pairs/s  used %4.1f %%", names[precision], n,
               1e3 * seconds, pairs / seconds,
               100 * pairs / seconds * (precision == KY_DOUBLE ? 68 : 38) / b->operations);
        if (precision == KY_EXTENDED)
            errors(b, board, n);
        for (size_t i = 0; i < n; i++)
            b->h2[i] = pow(60.0 / (double)n, 2.0 / 3);
        double lists = all_on_all(b, board, n, 1, &neighbours);
        printf("  lists of %.0f: + %.1f %%\n", neighbours, 100 * (lists / seconds - 1));
        board->verbs->close(board);
    }
}

/* ---- small blocks ---- */

static void measure_blocks(struct bench *b, int precision)
{
    static const size_t sizes[] = {1024, 16384, 131072, 1048576}, sinks[] = {1, 64, 256, 1024};
    double *seconds = room(b->calls, sizeof *seconds);
    struct ky_error error = {0};
    for (size_t k = 0; k < 4 && sizes[k] <= b->most; k++) {
        struct ky_board *board = open_board(b, precision, sizes[k]);
        for (size_t s = 0; s < 4; s++) {
            printf("%-9s %8zu on %4zu", names[precision], sizes[k], sinks[s]);
            for (size_t sent = 0; sent <= 64; sent += 64) {
                for (size_t r = 0; r < b->calls; r++) {
                    double begin = ky_clock();
                    if (sent && board->verbs->put(board, sent, b->slot, b->body, &error))
                        failed(&error);
                    double before = ky_clock() - begin;
                    seconds[r] = before + call(b, board, sizes[k], 0, sinks[s],
                                               (double)(r + 1) / 1048576, 0);
                }
                qsort(seconds, b->calls, sizeof *seconds, ky_order_reals);
                printf("  %s %8.4f ms, median %8.4f", sent ? "with 64 sent" : "least",
                       1e3 * seconds[0], 1e3 * seconds[b->calls / 2]);
            }
            printf("\n");
        }
        board->verbs->close(board);
    }
    free(seconds);
}

int main(int argc, char **argv)
{
    struct bench b = {.engine = argc > 1 ? argv[1] : "auto",
                      .most = argc > 2 ? strtoull(argv[2], NULL, 10) : 1048576,
                      .calls = argc > 3 ? strtoull(argv[3], NULL, 10) : 200,
                      .operations = argc > 4 ? strtod(argv[4], NULL) : 3.2e13};
    make_bodies(&b);
    printf("all on all\n");
    measure_all(&b, KY_EXTENDED);
    measure_all(&b, KY_DOUBLE);
    printf("small blocks, predicted at each call\n");
    measure_blocks(&b, KY_EXTENDED);
    measure_blocks(&b, KY_DOUBLE);
    ky_snapshot_free(&b.snapshot);
    return 0;
}
