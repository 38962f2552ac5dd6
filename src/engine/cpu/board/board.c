/* The CPU as a board: a thread of its own computes while the caller continues. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "base/status.h"
#include "base/threads.h"
#include "engine/cpu/board/board_memory.h"
#include "engine/cpu/board/board_rest.h"
#include "engine/cpu/forces/moving.h"
#include "engine/cpu/state/cpu.h"
#include "physics/jerk.h"

_Static_assert((int)KY_BOARD_JERK == KY_MOVING_JERK && (int)KY_BOARD_NEAREST == KY_MOVING_NEAREST &&
                   (int)KY_BOARD_LISTS == KY_MOVING_LISTS,
               "what is wanted has the same bits in both");

/* A force with fewer pairs takes no longer than waking a thread. */
enum { FEW_PAIRS = 50000 };

enum turn { IDLE, ASKED, DONE, LEAVING };

struct board {
    struct ky_board base;
    const struct ky_lanes *lanes;
    int threads;
    struct ky_board_memory memory;
    /* The request, with copies of its arrays. */
    struct ky_board_request request;
    double (*x)[3], (*v)[3], *h2;
    int32_t *label;
    size_t sinks_room;
    struct ky_moving_sinks *block;
    size_t blocks, blocks_room;
    uint32_t *list;
    size_t list_room;
    /* The computing thread, and whose turn it is. */
    int has_thread, started;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    enum turn turn;
    enum ky_status status;
    struct ky_error error;
};

/* ---- the thread ---- */

static void load_sink(const struct board *board, size_t i)
{
    struct ky_moving_sinks *to = &board->block[i / KY_MOVING_BLOCK];
    const size_t k = i % KY_MOVING_BLOCK;
    const struct ky_prediction *at = &board->memory.at;
    const double far = KY_JERK_FAR_OF(board->memory.precision == KY_DOUBLE);
    for (int c = 0; c < 3; c++) {
        to->x[c][k] = KY_JERK_WITHIN(board->x[i][c] - at->origin[c], far);
        to->v[c][k] = KY_JERK_WITHIN(board->v[i][c] - at->velocity[c], far);
    }
    to->eps2[k] = fmin(board->request.eps2, far * far);
    to->label[k] = board->label[i];
    to->h2[k] = board->h2[i] > 0 ? board->h2[i] : -1;
}

static void load_sinks(struct board *board)
{
    const size_t count = board->request.count, capacity = board->request.capacity;
    for (size_t b = 0; b < board->blocks; b++) {
        const size_t left = count - b * KY_MOVING_BLOCK;
        board->block[b].count = left < KY_MOVING_BLOCK ? left : KY_MOVING_BLOCK;
        board->block[b].capacity = capacity;
        board->block[b].list = board->list + b * KY_MOVING_BLOCK * capacity;
    }
    for (size_t i = 0; i < count; i++)
        load_sink(board, i);
}

static void compute(struct board *board)
{
    board->status = ky_board_memory_predict(&board->memory, board->request.time,
                                            board->request.slots, board->threads, &board->error);
    if (board->status != KY_OK)
        return;
    load_sinks(board);
    board->memory.moving.what = board->request.what | KY_MOVING_MENDED;
    const struct ky_moving_task task = {
        board->lanes,          board->memory.precision, board->threads, &board->memory.moving,
        board->memory.sources, board->blocks,           board->block};
    board->status = ky_moving_run(&task, &board->error);
}

static void *work(void *context)
{
    struct board *board = context;
    pthread_mutex_lock(&board->lock);
    while (board->turn != LEAVING) {
        if (board->turn == ASKED) {
            pthread_mutex_unlock(&board->lock);
            compute(board);
            pthread_mutex_lock(&board->lock);
            board->turn = board->turn == LEAVING ? LEAVING : DONE;
            pthread_cond_broadcast(&board->changed);
        } else {
            pthread_cond_wait(&board->changed, &board->lock);
        }
    }
    pthread_mutex_unlock(&board->lock);
    return NULL;
}

/* in DONE only the caller waits */
static void give_turn(struct board *board, enum turn turn)
{
    pthread_mutex_lock(&board->lock);
    board->turn = turn;
    if (turn != DONE)
        pthread_cond_broadcast(&board->changed);
    pthread_mutex_unlock(&board->lock);
}

/* ---- the verbs ---- */

static void close_board(struct ky_board *base)
{
    struct board *board = (struct board *)base;
    if (board->has_thread) {
        give_turn(board, LEAVING);
        pthread_join(board->thread, NULL);
    }
    pthread_cond_destroy(&board->changed);
    pthread_mutex_destroy(&board->lock);
    ky_board_memory_free(&board->memory);
    free(board->x);
    free(board->v);
    free(board->h2);
    free(board->label);
    free(board->block);
    free(board->list);
    free(board);
}

static enum ky_status open_board(const struct ky_parameters *parameters, struct ky_board **opened,
                                 struct ky_error *error)
{
    const char *isa;
    struct board *board;
    KY_TRY(ky_array_zeroed(&board, 1, sizeof *board, "board", error));
    board->base.verbs = &ky_cpu_board;
    snprintf(board->base.name, sizeof board->base.name, "%s", ky_cpu_board.name);
    snprintf(board->base.device, sizeof board->base.device, "CPU");
    board->threads = ky_threads(parameters->threads);
    const enum ky_status status = ky_cpu_lanes(parameters->isa, &board->lanes, &isa, error);
    if (status) {
        free(board);
        return status;
    }
    board->memory.lanes = board->lanes;
    board->memory.precision = parameters->precision == KY_DOUBLE ? KY_DOUBLE : KY_EXTENDED;
    board->memory.scale = board->memory.precision == KY_DOUBLE ? 1.0 : board->lanes->single_scale;
    pthread_mutex_init(&board->lock, NULL);
    pthread_cond_init(&board->changed, NULL);
    board->has_thread = !pthread_create(&board->thread, NULL, work, board);
    *opened = &board->base;
    return KY_OK;
}

static enum ky_status put(struct ky_board *base, size_t count, const uint32_t *slot,
                          const struct ky_board_body *body, struct ky_error *error)
{
    return ky_board_memory_put(&((struct board *)base)->memory, count, slot, body, error);
}

/* Replaces the memory by memory for `count` elements if `room` is smaller; its content is lost. */
static int need(void *array, size_t *room, size_t count, size_t size)
{
    void *old;
    memcpy(&old, array, sizeof old);
    if (count <= *room)
        return 1;
    free(old);
    old = ky_allocate(count, size);
    memcpy(array, &old, sizeof old);
    *room = old ? count : 0;
    return old != NULL;
}

static enum ky_status need_sinks(struct board *board, size_t count, struct ky_error *error)
{
    size_t x = board->sinks_room, v = x, h2 = x, label = x;
    const size_t capacity = board->request.what & KY_BOARD_LISTS ? board->request.capacity : 0;
    board->blocks = (count + KY_MOVING_BLOCK - 1) / KY_MOVING_BLOCK;
    const int fits = need(&board->x, &x, count, sizeof *board->x) &
                     need(&board->v, &v, count, sizeof *board->v) &
                     need(&board->h2, &h2, count, sizeof *board->h2) &
                     need(&board->label, &label, count, sizeof *board->label);
    board->sinks_room = fits ? x : 0;
    if (fits && need(&board->block, &board->blocks_room, board->blocks, sizeof *board->block) &&
        need(&board->list, &board->list_room, board->blocks * KY_MOVING_BLOCK * capacity,
             sizeof *board->list))
        return KY_OK;
    return ky_no_memory(error, "sinks of the board", count,
                        sizeof *board->x + capacity * sizeof *board->list);
}

static enum ky_status start(struct ky_board *base, const struct ky_board_request *request,
                            struct ky_error *error)
{
    struct board *board = (struct board *)base;
    const size_t count = request->count;
    board->request = *request;
    KY_TRY(need_sinks(board, count, error));
    for (size_t i = 0; i < count; i++) {
        const int lists = request->what & KY_BOARD_LISTS;
        for (int c = 0; c < 3; c++) {
            board->x[i][c] = request->x[i][c];
            board->v[i][c] = request->v ? request->v[i][c] : 0;
        }
        board->label[i] = request->label[i];
        board->h2[i] = lists ? request->h2[i] : 0;
    }
    board->started = 1;
    if (board->has_thread && (double)count * (double)request->slots >= (double)FEW_PAIRS) {
        give_turn(board, ASKED);
    } else {
        compute(board);
        give_turn(board, DONE);
    }
    return KY_OK;
}

/* ---- results ---- */

static void give_list(const struct board *board, size_t i, const struct ky_board_results *to)
{
    const struct ky_moving_sinks *from = &board->block[i / KY_MOVING_BLOCK];
    const size_t k = i % KY_MOVING_BLOCK, capacity = from->capacity;
    const size_t count = from->found[k] < capacity ? from->found[k] : capacity;
    int32_t *list = to->list + i * capacity;
    to->begin[i] = i * capacity;
    int sorted = 1;
    for (size_t e = 0; e < count; e++) {
        const uint32_t source = from->list[k * capacity + e];
        list[e] =
            ky_board_memory_label(&board->memory, ky_board_memory_slot(&board->memory, source));
        sorted &= e == 0 || list[e - 1] <= list[e];
    }
    if (!sorted)
        qsort(list, count, sizeof *list, ky_order_labels);
}

static void give_nearest(const struct board *board, size_t i, const struct ky_board_results *to)
{
    const struct ky_moving_sinks *from = &board->block[i / KY_MOVING_BLOCK];
    const size_t k = i % KY_MOVING_BLOCK;
    const uint32_t source = from->nearest[k],
                   slot =
                       source == UINT32_MAX ? source : ky_board_memory_slot(&board->memory, source);
    if (to->nearest)
        to->nearest[i] = source == UINT32_MAX ? -1 : ky_board_memory_label(&board->memory, slot);
    if (to->nearest_slot)
        to->nearest_slot[i] = slot;
    if (to->nearest_r2)
        to->nearest_r2[i] = from->nearest2[k];
}

static void give(const struct board *board, size_t i, const struct ky_board_results *to)
{
    const struct ky_moving_sinks *from = &board->block[i / KY_MOVING_BLOCK];
    const size_t k = i % KY_MOVING_BLOCK;
    for (int c = 0; c < 3; c++) {
        if (to->acceleration)
            to->acceleration[i][c] = from->sum[c][k];
        if (to->jerk)
            to->jerk[i][c] = from->sum[4 + c][k];
    }
    if (to->potential)
        to->potential[i] = -from->sum[3][k];
    if (board->request.what & KY_BOARD_NEAREST)
        give_nearest(board, i, to);
    if (board->request.what & KY_BOARD_LISTS && to->found)
        to->found[i] = from->found[k];
    if (board->request.what & KY_BOARD_LISTS && to->list)
        give_list(board, i, to);
}

static enum ky_status finish(struct ky_board *base, const struct ky_board_results *results,
                             struct ky_error *error)
{
    struct board *board = (struct board *)base;
    if (!board->started)
        return ky_fail(error, KY_USAGE, "nothing was started");
    pthread_mutex_lock(&board->lock);
    while (board->turn == ASKED)
        pthread_cond_wait(&board->changed, &board->lock);
    pthread_mutex_unlock(&board->lock);
    board->started = 0;
    if (board->status != KY_OK)
        return ky_fail(error, board->status, "%s", board->error.text);
    for (size_t i = 0; results && i < board->request.count; i++)
        give(board, i, results);
    return KY_OK;
}

static enum ky_status rest(struct ky_board *base, const struct ky_board_resting *resting,
                           struct ky_error *error)
{
    const struct board *board = (const struct board *)base;
    return ky_cpu_rest(board->lanes, board->threads, resting, error);
}

const struct ky_board_verbs ky_cpu_board = {
    .name = "cpu",
    .open = open_board,
    .close = close_board,
    .put = put,
    .start = start,
    .finish = finish,
    .rest = rest,
};
