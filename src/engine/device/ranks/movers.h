/* Bodies that move from rank to rank: the verb `move` of struct ky_part_verbs. The tree has the
 * keys that ky_places_leavers has computed; its next build uses the keys of the bodies that
 * stay. */
#ifndef KY_DEVICE_MOVERS_H
#define KY_DEVICE_MOVERS_H

#include "engine/device/ranks/ranks.h"
#include "engine/device/tree/device_tree.h"

enum ky_status ky_ranks_move(struct ky_device_state *state, struct ky_device_tree *tree,
                             const struct ky_part_move *move, struct ky_error *error);

#endif
