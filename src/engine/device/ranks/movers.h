/* Bodies that move from rank to rank: the verb `move` of struct ky_part_verbs. */
#ifndef KY_DEVICE_MOVERS_H
#define KY_DEVICE_MOVERS_H

#include "engine/device/ranks/ranks.h"

enum ky_status ky_ranks_move(struct ky_device_state *state, const struct ky_part_move *move,
                             struct ky_error *error);

#endif
