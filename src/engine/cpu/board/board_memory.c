/* Slots of bodies, and their prediction. */
#include "engine/cpu/board/board_memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "base/status.h"
#include "octree/sample.h"

/* Number of bodies whose median is the origin; number of blocks of slots for which threads are
 * worth their start; blocks per turn of a thread. */
enum { SAMPLE = 15, FEW = 1024, SHARE = 64 };

/* Allocates this many slots; new ones are empty. */
static enum ky_status grow(struct ky_board_memory *memory, size_t slots, struct ky_error *error)
{
    if (slots > memory->room) {
        const size_t blocks = (slots + slots / 4) / KY_SLOTS + 16, room = blocks * KY_SLOTS,
                     used = (memory->slots + KY_SLOTS - 1) / KY_SLOTS;
        struct ky_slots *block = ky_allocate_zeroed(blocks, sizeof *block);
        uint32_t *slot_of = ky_allocate(room, sizeof *slot_of);
        if (!block || !slot_of) {
            free(block);
            free(slot_of);
            return ky_no_memory(error, "bodies of the board", blocks, sizeof *block);
        }
        if (used)
            memcpy(block, memory->block, used * sizeof *block);
        free(memory->block);
        free(memory->slot_of);
        memory->block = block;
        memory->slot_of = slot_of;
        memory->room = room;
    }
    if (slots > memory->slots) {
        memory->empty += slots - memory->slots;
        memory->slots = slots;
    }
    return KY_OK;
}

static void put(struct ky_board_memory *memory, uint32_t slot, const struct ky_board_body *body)
{
    struct ky_slots *to = &memory->block[slot / KY_SLOTS];
    const size_t k = slot % KY_SLOTS;
    memory->empty += (size_t)!body->set - (size_t)!to->set[k];
    to->label[k] = body->label;
    to->set[k] = body->set;
    to->time[k] = body->time;
    to->mass[k] = body->mass;
    for (int c = 0; c < 3; c++) {
        to->x[c][k] = body->x[c];
        to->v[c][k] = body->v[c];
        to->a2[c][k] = body->a2[c];
        to->j6[c][k] = body->j6[c];
        to->s18[c][k] = body->s18[c];
        to->snaps |= body->s18[c] != 0;
    }
}

enum ky_status ky_board_memory_put(struct ky_board_memory *memory, size_t count,
                                   const uint32_t *slot, const struct ky_board_body *body,
                                   struct ky_error *error)
{
    if (count == 0)
        return KY_OK;
    KY_TRY(grow(memory, (size_t)slot[count - 1] + 1, error));
    for (size_t k = 0; k < count; k++)
        put(memory, slot[k], &body[k]);
    memory->stands = 0;
    return KY_OK;
}

/* The sources among the first `used` slots. */
static void list_sources(struct ky_board_memory *memory)
{
    memory->sources = memory->used;
    if (memory->empty == 0)
        return;
    memory->sources = 0;
    for (size_t k = 0; k < memory->used; k++)
        if (memory->block[k / KY_SLOTS].set[k % KY_SLOTS])
            memory->slot_of[memory->sources++] = (uint32_t)k;
}

static size_t element_size(const struct ky_board_memory *memory)
{
    return memory->precision == KY_DOUBLE ? sizeof(double) : sizeof(float);
}

static enum ky_status need_columns(struct ky_board_memory *memory, struct ky_error *error)
{
    const size_t size = element_size(memory);
    if (memory->used > memory->at.stride) {
        const size_t stride = memory->room;
        free(memory->at.column);
        memory->at.stride = 0;
        KY_TRY(ky_array(&memory->at.column, stride, KY_PREDICTED_COLUMNS * size, "predicted bodies",
                        error));
        memory->at.stride = stride;
    }
    const void *at[KY_PREDICTED_COLUMNS];
    for (size_t c = 0; c < KY_PREDICTED_COLUMNS; c++)
        at[c] = (const char *)memory->at.column + c * memory->at.stride * size;
    memory->moving =
        (struct ky_moving){.mass = at[KY_PREDICTED_MASS], .label = at[KY_PREDICTED_LABEL]};
    for (int c = 0; c < 3; c++) {
        memory->moving.x[c] = at[c];
        memory->moving.low[c] = at[KY_PREDICTED_LOW + c];
        memory->moving.v[c] = at[KY_PREDICTED_SPEED + c];
    }
    return KY_OK;
}

/* Finds the middle: the median position, velocity and time of a sample of the bodies, to which
 * floats are relative. A distant body does not shift it. It depends only on the current bodies, so
 * the same bodies give the same bits whatever happened before. */
static void find_middle(struct ky_board_memory *memory)
{
    enum { TIME = 6, NUMBERS = 7 };
    double number[NUMBERS][SAMPLE];
    size_t index[SAMPLE];
    if (memory->precision == KY_DOUBLE)
        return;
    const size_t count = ky_sample(memory->sources, SAMPLE, index);
    for (size_t k = 0; k < count; k++) {
        const uint32_t slot = ky_board_memory_slot(memory, (uint32_t)index[k]);
        const struct ky_slots *b = &memory->block[slot / KY_SLOTS];
        const size_t i = slot % KY_SLOTS;
        for (int c = 0; c < 3; c++) {
            number[c][k] = b->x[c][i];
            number[3 + c][k] = b->v[c][i];
        }
        number[TIME][k] = b->time[i];
    }
    for (int c = 0; c < 3; c++) {
        memory->middle[c] = ky_median(number[c], count);
        memory->drift[c] = ky_median(number[3 + c], count);
    }
    memory->middle_time = ky_median(number[TIME], count);
}

/* Removes gaps: moves sources from the indices of their slots to consecutive ones. */
static void close_gaps(struct ky_board_memory *memory)
{
    const size_t size = element_size(memory);
    for (size_t c = 0; c < KY_PREDICTED_COLUMNS; c++) {
        char *column = (char *)memory->at.column + c * memory->at.stride * size;
        for (size_t k = 0; k < memory->sources; k++)
            memmove(column + k * size, column + memory->slot_of[k] * size, size);
    }
}

enum ky_status ky_board_memory_predict(struct ky_board_memory *memory, double time, size_t slots,
                                       int threads, struct ky_error *error)
{
    struct ky_prediction *at = &memory->at;
    if (memory->stands && time == at->time && slots == memory->used)
        return KY_OK;
    at->time = time;
    at->per_mass = 1 / memory->scale;
    memory->used = slots < memory->slots ? slots : memory->slots;
    memory->stands = 0;
    list_sources(memory);
    const enum ky_status status = need_columns(memory, error);
    if (status)
        return status;
    find_middle(memory);
    for (int c = 0; c < 3; c++) {
        at->velocity[c] = memory->drift[c];
        at->origin[c] = memory->middle[c] + memory->drift[c] * (time - memory->middle_time);
    }
    const size_t blocks = (memory->used + KY_SLOTS - 1) / KY_SLOTS;
    ky_predict_function *predict = memory->lanes->predict[memory->precision];
    (void)threads; /* without OpenMP */
#pragma omp parallel for num_threads(threads) if (blocks > FEW)
    for (size_t first = 0; first < blocks; first += SHARE)
        predict(memory->block, first, first + SHARE < blocks ? first + SHARE : blocks, at);
    if (memory->empty)
        close_gaps(memory);
    memory->used = slots;
    memory->stands = 1;
    return KY_OK;
}

void ky_board_memory_free(struct ky_board_memory *memory)
{
    free(memory->block);
    free(memory->slot_of);
    free(memory->at.column);
    memset(memory, 0, sizeof *memory);
}
