/* The division of a board's force among the groups of a launch (kernels/forces/jerk.h). */
#ifndef KY_DEVICE_BOARD_DIVISION_H
#define KY_DEVICE_BOARD_DIVISION_H

#include "engine/device/driver/card.h"

/* Each group takes one of `blocks` blocks of sinks and one of `slices` slices of the slots; a slice
 * has `length` slots. `lanes` lanes of a group have different sinks. */
struct ky_board_division {
    uint32_t lanes, blocks, slices, length;
};

/* The division of `slots` slots and `count` sinks (both positive) with the lowest cost if
 * `resident` groups run at once. */
struct ky_board_division ky_board_divide(const struct ky_card *card, size_t resident, size_t slots,
                                         size_t count);

#endif
