/* Slots of bodies, and their prediction. */
#include "engine/cpu/board_memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/split.h"
#include "octree/sample.h"
#include "physics/jerk.h"

/* Columns of a source: x y z, low parts, vx vy vz, mass, label. */
enum { LOW = 3, SPEED = 6, MASS = 9, LABEL = 10, COLUMNS = 11 };
enum { ALIGN = 16, SAMPLE = KY_MEDIAN_MOST, FEW = 4096 };

/* Room for so many slots; those that are new are empty. */
static enum ky_status grow(struct ky_board_memory *memory, size_t slots, struct ky_error *error)
{
    if (slots > memory->room) {
        const size_t room = slots + slots / 4 + 1024;
        struct ky_board_body *body = ky_allocate(room, sizeof *body);
        uint32_t *slot_of = ky_allocate(room, sizeof *slot_of);
        if (!body || !slot_of) {
            free(body);
            free(slot_of);
            return ky_no_memory(error, "bodies of the board", room, sizeof *body);
        }
        if (memory->slots)
            memcpy(body, memory->body, memory->slots * sizeof *body);
        free(memory->body);
        free(memory->slot_of);
        memory->body = body;
        memory->slot_of = slot_of;
        memory->room = room;
    }
    if (slots > memory->slots) {
        memset(memory->body + memory->slots, 0, (slots - memory->slots) * sizeof *memory->body);
        memory->empty += slots - memory->slots;
        memory->slots = slots;
    }
    return KY_OK;
}

enum ky_status ky_board_memory_put(struct ky_board_memory *memory, size_t count,
                                   const uint32_t *slot, const struct ky_board_body *body,
                                   struct ky_error *error)
{
    if (count == 0)
        return KY_OK;
    const enum ky_status status = grow(memory, (size_t)slot[count - 1] + 1, error);
    if (status != KY_OK)
        return status;
    for (size_t k = 0; k < count; k++) {
        struct ky_board_body *to = &memory->body[slot[k]];
        memory->empty -= !to->set;
        *to = body[k];
        memory->empty += !to->set;
    }
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
        if (memory->body[k].set)
            memory->slot_of[memory->sources++] = (uint32_t)k;
}

static enum ky_status need_columns(struct ky_board_memory *memory, struct ky_error *error)
{
    const size_t size = memory->precision == KY_DOUBLE ? sizeof(double) : sizeof(float);
    size_t stride = (memory->sources + ALIGN) / ALIGN * ALIGN;
    if (stride > memory->column_room) {
        stride += stride / 4;
        free(memory->column);
        memory->column_room = 0;
        memory->column = ky_allocate(stride, COLUMNS * sizeof(double));
        if (!memory->column)
            return ky_no_memory(error, "predicted bodies", stride, COLUMNS * sizeof(double));
        memory->column_room = stride;
    }
    const void *at[COLUMNS];
    for (size_t c = 0; c < COLUMNS; c++)
        at[c] = (const char *)memory->column + c * memory->column_room * size;
    memory->moving = (struct ky_moving){.x = {at[0], at[1], at[2]},
                                        .low = {at[LOW], at[LOW + 1], at[LOW + 2]},
                                        .v = {at[SPEED], at[SPEED + 1], at[SPEED + 2]},
                                        .mass = at[MASS],
                                        .label = at[LABEL]};
    return KY_OK;
}

struct predicted {
    double x[3], v[3];
};

static struct predicted predict(const struct ky_board_memory *memory, size_t source)
{
    const struct ky_board_body *b = &memory->body[ky_board_memory_slot(memory, (uint32_t)source)];
    const double dt = memory->time - b->time;
    struct predicted p;
    for (int c = 0; c < 3; c++) {
        p.x[c] = KY_PREDICTED_X(b->x[c], b->v[c], b->a2[c], b->j6[c], b->s18[c], dt);
        p.v[c] = KY_PREDICTED_V(b->v[c], b->a2[c], b->j6[c], b->s18[c], dt);
    }
    return p;
}

/* The median place and velocity of a sample of the sources: what floats are measured from. One
 * source that is far away does not move it. */
static void find_origin(struct ky_board_memory *memory)
{
    size_t index[SAMPLE];
    double x[3][SAMPLE], v[3][SAMPLE];
    memset(memory->origin, 0, sizeof memory->origin);
    memset(memory->velocity, 0, sizeof memory->velocity);
    if (memory->precision == KY_DOUBLE)
        return;
    const size_t count = ky_sample(memory->sources, SAMPLE, index);
    for (size_t k = 0; k < count; k++) {
        const struct predicted p = predict(memory, index[k]);
        for (int c = 0; c < 3; c++)
            x[c][k] = p.x[c], v[c][k] = p.v[c];
    }
    for (int c = 0; c < 3; c++) {
        memory->origin[c] = ky_sampled_median(x[c], 1, count, SAMPLE);
        memory->velocity[c] = ky_sampled_median(v[c], 1, count, SAMPLE);
    }
}

static void fill_extended(const struct ky_board_memory *memory, size_t k)
{
    const struct ky_board_body *b = &memory->body[ky_board_memory_slot(memory, (uint32_t)k)];
    const struct predicted p = predict(memory, k);
    float *column = memory->column;
    for (size_t c = 0; c < 3; c++) {
        const double x = p.x[c] - memory->origin[c];
        column[c * memory->column_room + k] = (float)x;
        column[(LOW + c) * memory->column_room + k] = ky_low_part(x);
        column[(SPEED + c) * memory->column_room + k] = (float)(p.v[c] - memory->velocity[c]);
    }
    column[MASS * memory->column_room + k] = (float)(b->mass / memory->scale);
    ((int32_t *)memory->column)[LABEL * memory->column_room + k] = b->label;
}

static void fill_double(const struct ky_board_memory *memory, size_t k)
{
    const struct ky_board_body *b = &memory->body[ky_board_memory_slot(memory, (uint32_t)k)];
    const struct predicted p = predict(memory, k);
    double *column = memory->column;
    for (size_t c = 0; c < 3; c++) {
        column[c * memory->column_room + k] = p.x[c];
        column[(SPEED + c) * memory->column_room + k] = p.v[c];
    }
    column[MASS * memory->column_room + k] = b->mass;
    ((int64_t *)memory->column)[LABEL * memory->column_room + k] = b->label;
}

enum ky_status ky_board_memory_predict(struct ky_board_memory *memory, double time, size_t slots,
                                       int threads, struct ky_error *error)
{
    if (memory->stands && time == memory->time && slots == memory->used)
        return KY_OK;
    memory->time = time;
    memory->used = slots < memory->slots ? slots : memory->slots;
    memory->stands = 0;
    list_sources(memory);
    const enum ky_status status = need_columns(memory, error);
    if (status != KY_OK)
        return status;
    find_origin(memory);
    const int in_double = memory->precision == KY_DOUBLE;
    (void)threads; /* without OpenMP */
#pragma omp parallel for num_threads(threads) if (memory->sources > FEW)
    for (size_t k = 0; k < memory->sources; k++)
        in_double ? fill_double(memory, k) : fill_extended(memory, k);
    memory->used = slots;
    memory->stands = 1;
    return KY_OK;
}

void ky_board_memory_free(struct ky_board_memory *memory)
{
    free(memory->body);
    free(memory->slot_of);
    free(memory->column);
    memset(memory, 0, sizeof *memory);
}
