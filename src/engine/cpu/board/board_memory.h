/* The bodies of the CPU's board: as the program put them, and predicted, in columns for the
 * lanes. */
#ifndef KY_CPU_BOARD_MEMORY_H
#define KY_CPU_BOARD_MEMORY_H

#include "engine/board.h"
#include "engine/cpu/lanes/table.h"

struct ky_board_memory {
    const struct ky_lanes *lanes;
    int precision; /* KY_EXTENDED or KY_DOUBLE */
    double scale;  /* divisor of the masses for the lanes */
    struct ky_slots *block;
    size_t slots, room, empty; /* slots in use, slots with memory, slots not set */
    /* The origin of floats: a position at a time, and a velocity; 0 in double. */
    double middle[3], drift[3], middle_time;
    /* The prediction to at.time, valid if `stands`: `used` slots gave `sources` sources. */
    int stands;
    struct ky_prediction at;
    size_t used, sources;
    uint32_t *slot_of;       /* slot of each source if some slots are empty; otherwise not used */
    struct ky_moving moving; /* the caller sets .what */
};

/* The verb `put`. KY_FAULT if memory runs out. */
enum ky_status ky_board_memory_put(struct ky_board_memory *memory, size_t count,
                                   const uint32_t *slot, const struct ky_board_body *body,
                                   struct ky_error *error);
/* Fills `moving`, unless it is valid for this time, this number of slots and the current bodies.
 * KY_FAULT if memory runs out. */
enum ky_status ky_board_memory_predict(struct ky_board_memory *memory, double time, size_t slots,
                                       int threads, struct ky_error *error);
/* The slot of a source, and the label of the body there. */
static inline uint32_t ky_board_memory_slot(const struct ky_board_memory *memory, uint32_t source)
{
    return memory->empty ? memory->slot_of[source] : source;
}
static inline int32_t ky_board_memory_label(const struct ky_board_memory *memory, uint32_t slot)
{
    return memory->block[slot / KY_SLOTS].label[slot % KY_SLOTS];
}
void ky_board_memory_free(struct ky_board_memory *memory);

#endif
