/* The memory of a board on a device: slots with the bodies that exert forces
 * (kernels/board/slots.k). */
#ifndef KY_DEVICE_BOARD_SLOTS_H
#define KY_DEVICE_BOARD_SLOTS_H

#include "engine/board.h"
#include "engine/device/driver/staging.h"

/* Cleared at first. */
struct ky_board_slots {
    struct ky_buffer state, word; /* blocks of columns: kernels/driver/shared.h */
    struct ky_buffer sent;        /* bodies to be put into their slots */
    struct ky_staging staging;
    size_t room; /* slots that fit into the buffers */
    size_t end;  /* one past the last slot that was ever used */
};

/* The verb `put` of a board, in the precision of its kernels. */
enum ky_status ky_board_slots_put(struct ky_board_slots *slots, struct ky_card *card, int precision,
                                  size_t count, const uint32_t *slot,
                                  const struct ky_board_body *body, struct ky_error *error);
/* Bytes on the device, while the memory grows to this number of slots, which doubles it. */
double ky_board_slots_memory(size_t slots);
/* No upload may be in progress. */
void ky_board_slots_release(struct ky_board_slots *slots, struct ky_card *card);

#endif
