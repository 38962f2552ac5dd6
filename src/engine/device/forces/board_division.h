/* How a board divides a force among the groups of a launch (kernels/forces/jerk.h). */
#ifndef KY_DEVICE_BOARD_DIVISION_H
#define KY_DEVICE_BOARD_DIVISION_H

#include "engine/device/driver/card.h"

/* Each group takes one of `blocks` blocks of sinks and one of `slices` slices of the slots; a slice
 * has `length` slots. `lanes` lanes of a group stand side by side over the sinks. */
struct ky_board_division {
    uint32_t lanes, blocks, slices, length;
};

/* The division of `slots` slots and `count` sinks, both above 0, that should be fastest if
 * `resident` groups run at once. */
struct ky_board_division ky_board_divide(const struct ky_card *card, size_t resident, size_t slots,
                                         size_t count);

#endif
