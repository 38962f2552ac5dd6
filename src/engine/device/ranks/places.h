/* The verbs of struct ky_part_verbs: operations of ranks on bodies that are on a card. `tree` is
 * the engine's tree, whose buffers they use. */
#ifndef KY_DEVICE_PLACES_H
#define KY_DEVICE_PLACES_H

#include "engine/device/ranks/ranks.h"
#include "engine/device/tree/device_tree.h"

/* The capacity for this number of bodies, with space for arrivals and for bodies of other parts. */
size_t ky_places_room(size_t bodies);
/* Makes more places; the bodies stay where they are. Keys and groups are kept, too. KY_DEVICE where
 * the card has no memory. */
enum ky_status ky_places_widen(struct ky_device_state *state, size_t places,
                               struct ky_error *error);

enum ky_status ky_places_put_numbers(struct ky_device_state *state, size_t count,
                                     const uint64_t *number, struct ky_error *error);
enum ky_status ky_places_get_numbers(struct ky_device_state *state, uint64_t *number,
                                     struct ky_error *error);
enum ky_status ky_places_look(struct ky_device_state *state, struct ky_device_tree *tree,
                              const struct ky_part_look *look, struct ky_error *error);
enum ky_status ky_places_keys(struct ky_device_state *state, struct ky_device_tree *tree,
                              const struct ky_part_keys *keys, struct ky_error *error);
enum ky_status ky_places_count(struct ky_device_state *state, struct ky_device_tree *tree,
                               const uint64_t *at, size_t ends, uint64_t *count,
                               struct ky_error *error);
enum ky_status ky_places_leavers(struct ky_device_state *state, struct ky_device_tree *tree,
                                 const struct ky_part_leavers *leavers, struct ky_error *error);

#endif
