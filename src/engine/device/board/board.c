/* The boards of devices (engine/board.h): one device over any driver. A force is a copy of the
 * sinks, two launches and a copy of the results. A third launch predicts the bodies if the sinks
 * need several groups; a fourth makes lists. The kernels are in kernels/board. */
#include "engine/board.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/drivers.h"
#include "base/memory.h"
#include "base/status.h"
#include "engine/device/board/board_slots.h"
#include "engine/device/driver/names.h"
#include "engine/device/forces/board_division.h"

#include "physics/jerk.h"

/* The force that was started and is not yet finished. */
struct task {
    int is_on;
    struct ky_board_request request; /* without its arrays */
    size_t slots, capacity;          /* 0 as long as there are none */
};

struct ky_device_board {
    struct ky_board base;
    struct ky_opened opened;
    int precision;
    struct ky_board_slots slots;
    struct ky_buffer predicted, sinks, partial, run, results, list, found, whole;
    struct ky_pinned up, down, entries;
    struct {
        int is_there;
        double time;
        size_t slots;
    } present;          /* the request for which `predicted` is valid */
    size_t resident[3]; /* groups of the summing kernels that run at once; 0: not queried yet */
    struct task task;
};

static struct ky_device_board *device_board(struct ky_board *base)
{
    return (struct ky_device_board *)base;
}

/* ---- open and close ---- */

static void close_board(struct ky_board *base)
{
    struct ky_device_board *board = device_board(base);
    if (!board)
        return;
    struct ky_card *card = board->opened.card;
    struct ky_buffer *const buffers[] = {&board->predicted, &board->sinks,   &board->partial,
                                         &board->run,       &board->results, &board->list,
                                         &board->found,     &board->whole};
    if (card) {
        card->driver->wait(card, NULL);
        for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
            ky_buffer_release(card, buffers[k]);
        ky_board_slots_release(&board->slots, card);
        ky_pinned_release(card, &board->up);
        ky_pinned_release(card, &board->down);
        ky_pinned_release(card, &board->entries);
    }
    if (card)
        card->driver->close(card);
    free(board);
}

static enum ky_status connect(struct ky_device_board *board, const struct ky_parameters *parameters,
                              struct ky_error *error)
{
    KY_TRY(ky_card_open(&board->opened, parameters->engine, error));
    if (parameters->precision == KY_SINGLE)
        return ky_fail(error, KY_UNSUPPORTED,
                       "a board computes in extended or double precision, not in single");
    if (parameters->precision == KY_DOUBLE && !board->opened.card->has_double)
        return ky_fail(error, KY_UNSUPPORTED, "%s has no double, which these sums need",
                       board->opened.card->name);
    board->precision = parameters->precision == KY_DOUBLE ? KY_DOUBLE : KY_EXTENDED;
    snprintf(board->base.name, sizeof board->base.name, "%s:%zu", board->base.verbs->name,
             board->opened.index);
    snprintf(board->base.device, sizeof board->base.device, "%.120s", board->opened.card->name);
    return KY_OK;
}

static enum ky_status open_board(const struct ky_board_verbs *verbs, const struct ky_driver *driver,
                                 const struct ky_parameters *parameters, struct ky_board **base,
                                 struct ky_error *error)
{
    *base = NULL;
    struct ky_device_board *board;
    KY_TRY(ky_array_zeroed(&board, 1, sizeof *board, "board", error));
    board->base.verbs = verbs;
    board->opened.driver = ky_device_wrap ? ky_device_wrap(driver) : driver;
    enum ky_status status = connect(board, parameters, error);
    if (status)
        close_board(&board->base);
    else
        *base = &board->base;
    return status;
}

static enum ky_status put(struct ky_board *base, size_t count, const uint32_t *slot,
                          const struct ky_board_body *body, struct ky_error *error)
{
    struct ky_device_board *board = device_board(base);
    board->present.is_there = 0;
    return ky_board_slots_put(&board->slots, board->opened.card, board->precision, count, slot,
                              body, error);
}

/* The kernel of the sums, and the division of its work. */
enum sum { SOFT, GUARD, LISTS };

struct division {
    enum sum sum;
    struct ky_board_division of;
    uint32_t flags; /* of the kernels */
};

static enum ky_kernel_id kernel_of(const struct ky_device_board *board, enum sum sum)
{
    const enum ky_kernel_id kernels[] = {KY_IN_EITHER(ky_board_sum_soft, board->precision),
                                         KY_IN_EITHER(ky_board_sum_guard, board->precision),
                                         KY_IN_EITHER(ky_board_sum_lists, board->precision)};
    return kernels[sum];
}

static enum ky_status divide(struct ky_device_board *board, struct division *division,
                             struct ky_error *error)
{
    const struct ky_board_request *request = &board->task.request;
    const double close2 = KY_JERK_CLOSE2_OF(board->precision == KY_DOUBLE);
    struct ky_card *card = board->opened.card;
    division->sum = request->what & KY_BOARD_LISTS ? LISTS : request->eps2 > close2 ? SOFT : GUARD;
    size_t *resident = &board->resident[division->sum];
    if (*resident == 0) {
        const enum ky_kernel_id kernel = kernel_of(board, division->sum);
        KY_TRY(card->driver->load(card, kernel, error));
        *resident = card->driver->resident(card, kernel);
    }
    division->of = ky_board_divide(card, *resident, board->task.slots, request->count);
    division->flags = division->of.blocks == 1 ? KY_BOARD_FUSED : 0;
    return KY_OK;
}

/* ---- start ---- */

/* Bytes of a predicted body. */
static size_t predicted_bytes(int precision)
{
    return (precision == KY_DOUBLE ? 2 : 4) * ky_real4_bytes(precision);
}

static double memory(const struct ky_board *base, size_t slots)
{
    const struct ky_device_board *board = (const struct ky_device_board *)base;
    return ky_board_slots_memory(slots) + (double)slots * (double)predicted_bytes(board->precision);
}

/* Allocates all memory for a force; lists have at most one entry for each slot. */
static enum ky_status need(struct ky_device_board *board, const struct division *division,
                           struct ky_error *error)
{
    struct ky_card *card = board->opened.card;
    const struct task *task = &board->task;
    const size_t count = task->request.count, parts = division->of.slices * count,
                 words = sizeof(uint32_t), fused = division->flags & KY_BOARD_FUSED;
    const int lists = division->sum == LISTS;
    const struct ky_need wanted[] = {
        {&board->predicted, "predicted bodies", fused ? 0 : task->slots,
         predicted_bytes(board->precision)},
        {&board->sinks, "sinks", count, KY_BOARD_SINK * KY_STATE_BYTES + words},
        {&board->partial, "partial sums", parts, KY_JERK_NUMBERS * KY_STATE_BYTES},
        {&board->run, "nearest bodies of parts", parts, words},
        {&board->results, "results", count,
         KY_BOARD_SUMS * KY_STATE_BYTES + KY_BOARD_WORDS_WITH_LISTS * words},
        {&board->list, "lists of neighbours", lists ? count * task->capacity : 0, words},
        {&board->whole, "lists of neighbours without gaps", lists ? count * task->capacity : 0,
         words},
        {&board->found, "counts of neighbours", count + 1, words},
    };
    KY_TRY(ky_buffers_need(card, wanted, sizeof wanted / sizeof *wanted, error));
    KY_TRY(ky_pinned_need(card, &board->up, "sinks", board->sinks.bytes, error));
    return ky_pinned_need(card, &board->down, "results", board->results.bytes, error);
}

/* Copies vectors to three columns; NULL: zeros. */
static void fill_columns(const struct ky_card *card, const double (*from)[3], size_t n,
                         union ky_state_value *to)
{
    for (size_t c = 0; c < 3; c++, to += n)
        for (size_t k = 0; k < n; k++)
            to[k] = ky_to_state(card, from ? from[k][c] : 0);
}

/* Sends the sinks to the device in the layout of kernels/driver/shared.h. An h² that is not a
 * radius becomes −1; one beyond all bodies is kept within the range of the kernel's numbers. */
static enum ky_status send_sinks(struct ky_device_board *board,
                                 const struct ky_board_request *request, struct ky_error *error)
{
    struct ky_card *card = board->opened.card;
    const double most =
        board->precision == KY_DOUBLE ? KY_JERK_FAR2_DOUBLE : (double)KY_JERK_FAR2_FLOAT;
    const size_t n = request->count;
    union ky_state_value *column = board->up.data;
    fill_columns(card, request->x, n, column + KY_SINK_X * n);
    fill_columns(card, request->v, n, column + KY_SINK_V * n);
    for (size_t k = 0; k < n; k++) {
        const double h2 = request->what & KY_BOARD_LISTS ? request->h2[k] : -1;
        column[KY_SINK_H2 * n + k] = ky_to_state(card, h2 > 0 ? fmin(h2, most) : -1);
    }
    memcpy(column + KY_BOARD_SINK * n, request->label, n * sizeof *request->label);
    return card->driver->write_later(card, &board->sinks, 0, column,
                                     n * (KY_BOARD_SINK * KY_STATE_BYTES + sizeof(uint32_t)),
                                     error);
}

/* Predicts the bodies to the time of the request, unless that has been done. */
static enum ky_status predict(struct ky_device_board *board, union ky_state_value time,
                              struct ky_error *error)
{
    const uint32_t slots = (uint32_t)board->task.slots;
    const double at = board->task.request.time;
    if (board->present.is_there && board->present.time == at && board->present.slots == slots)
        return KY_OK;
    board->present.is_there = 1;
    board->present.time = at;
    board->present.slots = slots;
    return ky_launch_over(
        board->opened.card, KY_IN_EITHER(ky_board_predict_all, board->precision), slots,
        KY_ARGUMENTS(KY_BUFFER(board->slots.state), KY_BUFFER(board->slots.word),
                     KY_BUFFER(board->predicted), KY_VALUE(time), KY_VALUE(slots)),
        error);
}

/* The first arguments of most kernels. */
#define KY_BOARD_GIVEN(board)                                                                      \
    KY_BUFFER((board)->slots.state), KY_BUFFER((board)->slots.word),                               \
        KY_BUFFER((board)->predicted), KY_BUFFER((board)->sinks), KY_BUFFER((board)->sinks)

static enum ky_status sum(struct ky_device_board *board, const struct division *d,
                          union ky_state_value time, struct ky_error *error)
{
    struct ky_card *card = board->opened.card;
    const double whole = board->task.request.eps2;
    const float part = (float)whole;
    const uint32_t slots = (uint32_t)board->task.slots, count = (uint32_t)board->task.request.count,
                   capacity = (uint32_t)board->task.capacity;
    const uint32_t each = count < KY_JERK_LANES * KY_JERK_SINKS ? 1 : KY_JERK_LANES / KY_JERK_RUN;
    KY_TRY(ky_launch(card, kernel_of(board, d->sum), (size_t)d->of.blocks * d->of.slices,
                     KY_ARGUMENTS(KY_BOARD_GIVEN(board), KY_BUFFER(board->partial),
                                  KY_BUFFER(board->run), KY_BUFFER(board->list),
                                  KY_BUFFER(board->found), KY_VALUE(time), KY_VALUE(slots),
                                  KY_VALUE(count), KY_VALUE(d->of.length), KY_VALUE(d->of.lanes),
                                  KY_VALUE(capacity), KY_VALUE(d->flags),
                                  board->precision == KY_DOUBLE ? KY_VALUE(whole) : KY_VALUE(part)),
                     error));
    return ky_launch(card, KY_IN_EITHER(ky_board_reduce, board->precision), ky_groups(count, each),
                     KY_ARGUMENTS(KY_BOARD_GIVEN(board), KY_BUFFER(board->partial),
                                  KY_BUFFER(board->run), KY_BUFFER(board->results),
                                  KY_BUFFER(board->results), KY_VALUE(time), KY_VALUE(slots),
                                  KY_VALUE(count), KY_VALUE(d->of.slices), KY_VALUE(each),
                                  KY_VALUE(d->flags)),
                     error);
}

static enum ky_status make_lists(struct ky_device_board *board, const struct division *d,
                                 union ky_state_value time, struct ky_error *error)
{
    const uint32_t slots = (uint32_t)board->task.slots, count = (uint32_t)board->task.request.count,
                   capacity = (uint32_t)board->task.capacity;
    const uint64_t sums = 2 * KY_BOARD_SUMS * (uint64_t)count,
                   found = sums + KY_RESULT_FOUND * (uint64_t)count,
                   begin = sums + KY_RESULT_BEGIN * (uint64_t)count;
    KY_TRY(ky_launch_teams(
        board->opened.card, KY_IN_EITHER(ky_board_lists, board->precision), count,
        KY_ARGUMENTS(KY_BOARD_GIVEN(board), KY_BUFFER(board->list), KY_BUFFER(board->found),
                     KY_BUFFER(board->whole), KY_BUFFER(board->results), KY_VALUE(time),
                     KY_VALUE(slots), KY_VALUE(count), KY_VALUE(capacity), KY_VALUE(d->flags)),
        error));
    return ky_launch_teams(board->opened.card, KY_KERNEL_ky_order_parts, count,
                           KY_ARGUMENTS(KY_BUFFER(board->whole), KY_BUFFER(board->results),
                                        KY_VALUE(begin), KY_VALUE(found), KY_VALUE(capacity),
                                        KY_VALUE(count)),
                           error);
}

static enum ky_status compute(struct ky_device_board *board, const struct ky_board_request *request,
                              struct ky_error *error)
{
    struct ky_card *card = board->opened.card;
    const union ky_state_value time = ky_to_state(card, request->time);
    const size_t lists = request->what & KY_BOARD_LISTS;
    struct division division;
    KY_TRY(divide(board, &division, error));
    KY_TRY(need(board, &division, error));
    KY_TRY(send_sinks(board, request, error));
    if (lists)
        KY_TRY(card->driver->zero(card, &board->found, error));
    if (!(division.flags & KY_BOARD_FUSED))
        KY_TRY(predict(board, time, error));
    KY_TRY(sum(board, &division, time, error));
    if (lists)
        KY_TRY(make_lists(board, &division, time, error));
    return card->driver->read_later(
        card, &board->results, 0, board->down.data,
        request->count * (KY_BOARD_SUMS * KY_STATE_BYTES +
                          (lists ? KY_BOARD_WORDS_WITH_LISTS : KY_BOARD_WORDS) * sizeof(uint32_t)),
        error);
}

static enum ky_status start(struct ky_board *base, const struct ky_board_request *request,
                            struct ky_error *error)
{
    struct ky_device_board *board = device_board(base);
    struct task *task = &board->task;
    if (task->is_on)
        return ky_fail(error, KY_USAGE, "a force was started and is not finished");
    *task = (struct task){0, *request, request->slots, request->capacity};
    task->slots = task->slots < board->slots.end ? task->slots : board->slots.end;
    task->capacity = task->capacity < task->slots ? task->capacity : task->slots;
    if (request->what & KY_BOARD_LISTS && task->capacity > UINT32_MAX / (request->count + 1))
        return ky_fail(error, KY_UNSUPPORTED,
                       "%zu lists of %zu neighbours: a board supports at most 2^32 entries",
                       request->count, task->capacity);
    enum ky_status status = task->slots && request->count ? compute(board, request, error) : KY_OK;
    task->is_on = !status;
    return status;
}

/* ---- finish ---- */

/* The received results, in the layout of kernels/driver/shared.h. */
struct come {
    const struct ky_card *card;
    const union ky_state_value *column;
    const uint32_t *word;
    size_t count;
};

/* Writes a column of the sums, times `sign`, to an array with stride `apart`; NULL: not wanted. */
static void give_column(const struct come *come, size_t column, double sign, size_t apart,
                        double *to)
{
    const union ky_state_value *from = come->column + column * come->count;
    for (size_t k = 0; to && k < come->count; k++)
        to[k * apart] = sign * ky_from_state(come->card, from[k]);
}

static void give_vectors(const struct come *come, size_t column, double (*to)[3])
{
    for (size_t c = 0; c < 3 && to; c++)
        give_column(come, column + c, 1, 3, &to[0][c]);
}

/* Writes the sums and the nearest bodies. */
static void give(const struct come *come, const struct ky_board_results *results)
{
    const size_t count = come->count;
    const uint32_t *label = come->word + KY_RESULT_LABEL * count,
                   *slot = come->word + KY_RESULT_SLOT * count;
    give_vectors(come, KY_RESULT_A, results->acceleration);
    give_vectors(come, KY_RESULT_JERK, results->jerk);
    give_column(come, KY_RESULT_P, -1, 1, results->potential);
    give_column(come, KY_RESULT_NEAR2, 1, 1, results->nearest_r2);
    for (size_t k = 0; k < count; k++) {
        const int is_none = slot[k] == KY_NO_RUN;
        if (results->nearest)
            results->nearest[k] = is_none ? -1 : (int32_t)label[k];
        if (results->nearest_slot)
            results->nearest_slot[k] = slot[k];
        if (results->nearest_r2 && is_none)
            results->nearest_r2[k] = (double)INFINITY;
    }
}

/* The results for no slots. */
static void give_nothing(size_t count, const struct ky_board_results *results)
{
    for (size_t k = 0; k < count; k++) {
        for (size_t c = 0; c < 3 && results->acceleration; c++)
            results->acceleration[k][c] = 0;
        for (size_t c = 0; c < 3 && results->jerk; c++)
            results->jerk[k][c] = 0;
        if (results->potential)
            results->potential[k] = 0;
        if (results->nearest)
            results->nearest[k] = -1;
        if (results->nearest_slot)
            results->nearest_slot[k] = KY_NO_RUN;
        if (results->nearest_r2)
            results->nearest_r2[k] = (double)INFINITY;
        if (results->found)
            results->found[k] = 0;
        if (results->begin)
            results->begin[k] = 0;
    }
}

/* Starts the copy of the lists of all sinks, stored one after the other in any order. Returns the
 * number of their entries. */
static enum ky_status fetch_lists(struct ky_device_board *board, const struct come *come,
                                  size_t *entries, struct ky_error *error)
{
    struct ky_card *card = board->opened.card;
    const uint32_t *found = come->word + KY_RESULT_FOUND * come->count;
    const size_t capacity = board->task.capacity;
    for (size_t k = 0; k < come->count; k++)
        *entries += found[k] < capacity ? found[k] : capacity;
    const size_t bytes = *entries * sizeof(uint32_t);
    const enum ky_status status =
        ky_pinned_need(card, &board->entries, "lists of neighbours", bytes, error);
    return !status && *entries > 0
               ? card->driver->read_later(card, &board->whole, 0, board->entries.data, bytes, error)
               : status;
}

static void give_lists(const struct ky_device_board *board, const struct come *come, size_t entries,
                       const struct ky_board_results *results)
{
    const uint32_t *found = come->word + KY_RESULT_FOUND * come->count,
                   *begin = come->word + KY_RESULT_BEGIN * come->count,
                   *entry = board->entries.data;
    for (size_t k = 0; k < come->count; k++) {
        results->found[k] = found[k];
        results->begin[k] = begin[k];
    }
    for (size_t e = 0; e < entries; e++)
        results->list[e] = (int32_t)(entry[e] ^ KY_BOARD_LABEL_SIGN);
}

static enum ky_status finish(struct ky_board *base, const struct ky_board_results *results,
                             struct ky_error *error)
{
    struct ky_device_board *board = device_board(base);
    struct ky_card *card = board->opened.card;
    const size_t count = board->task.request.count;
    const int empty = board->task.slots == 0;
    if (!board->task.is_on)
        return ky_fail(error, KY_USAGE, "no force was started");
    board->task.is_on = 0;
    enum ky_status status = empty || count == 0 ? KY_OK : card->driver->wait(card, error);
    if (status || !results)
        return status;
    if (empty)
        give_nothing(count, results);
    if (empty || count == 0)
        return KY_OK;
    const union ky_state_value *column = board->down.data;
    const struct come come = {card, column, (const uint32_t *)(column + KY_BOARD_SUMS * count),
                              count};
    const int lists = board->task.request.what & KY_BOARD_LISTS && results->list;
    size_t entries = 0;
    if (lists)
        status = fetch_lists(board, &come, &entries, error);
    give(&come, results); /* while the lists are copied */
    if (!status && entries > 0)
        status = card->driver->wait(card, error);
    if (!status && lists)
        give_lists(board, &come, entries, results);
    return status;
}

#define BOARD(kind)                                                                                \
    static enum ky_status kind##_open(const struct ky_parameters *parameters,                      \
                                      struct ky_board **board, struct ky_error *error)             \
    {                                                                                              \
        return open_board(&ky_##kind##_board, &ky_##kind##_driver, parameters, board, error);      \
    }                                                                                              \
    const struct ky_board_verbs ky_##kind##_board = {                                              \
        .name = #kind,                                                                             \
        .open = kind##_open,                                                                       \
        .close = close_board,                                                                      \
        .put = put,                                                                                \
        .start = start,                                                                            \
        .finish = finish,                                                                          \
        .memory = memory,                                                                          \
    };

KY_DRIVERS_HERE(BOARD)
