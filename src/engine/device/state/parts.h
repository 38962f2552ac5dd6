/* What parts but the first have: copies of the first part's arrays, in the order that the bodies
 * have there. Cards that make the same tree from them bring them into the same new order; so only
 * positions go over, as long as nothing else changes. */
#ifndef KY_DEVICE_PARTS_H
#define KY_DEVICE_PARTS_H

#include "engine/device/state/state.h"

/* The arrays that a tree and its walk need. */
#define KY_PART_OF_TREES (1U << KY_ARRAY_POSITION | 1U << KY_ARRAY_MASS | 1U << KY_ARRAY_SOFTENING)
#define KY_PART_WHOLE (~0U)

/* Brings the part to the state of the first: those of the arrays `wanted` that the first has, as
 * far as the part has no others and not the same already. The first card continues while its
 * positions are read; it waits before it reorders them. KY_DEVICE where the card has no memory. */
enum ky_status ky_part_follow(struct ky_device_bodies *own, unsigned wanted,
                              struct ky_error *error);
/* The first card waits, before it writes to the positions, until the others have read them. Does
 * nothing for another part. */
enum ky_status ky_part_await(struct ky_device_bodies *bodies, struct ky_error *error);
/* The parts but the first have nothing that can be relied on: after work that not all of them have
 * finished, and where other arrays than positions may have changed. */
void ky_parts_forget(struct ky_device_state *state);

#endif
