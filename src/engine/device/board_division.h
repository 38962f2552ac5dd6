/* How a board divides a force among the groups of a launch (kernels/jerk.h). */
#ifndef KY_DEVICE_BOARD_DIVISION_H
#define KY_DEVICE_BOARD_DIVISION_H

#include "engine/device/card.h"

/* `lanes` of a group stand side by side over the sinks. A group is one of `blocks` of sinks and one
 * of `slices` of the slots, each `length` of them. */
struct ky_board_division {
    uint32_t lanes, blocks, slices, length;
};

/* The division of `slots` and `count`, both above 0, that is thought to be the fastest where so
 * many groups run at once. */
struct ky_board_division ky_board_divide(const struct ky_card *card, size_t resident, size_t slots,
                                         size_t count);

#endif
