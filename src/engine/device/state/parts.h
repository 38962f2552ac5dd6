/* Copies of the first part's arrays in the other parts, in the order of the bodies there. Cards
 * that make the same tree from them get the same new order. So only positions are copied, as long
 * as nothing else changes. */
#ifndef KY_DEVICE_PARTS_H
#define KY_DEVICE_PARTS_H

#include "engine/device/state/state.h"

/* The arrays that a tree and its walk need. */
#define KY_PART_OF_TREES (1U << KY_ARRAY_POSITION | 1U << KY_ARRAY_MASS | 1U << KY_ARRAY_SOFTENING)
#define KY_PART_WHOLE (~0U)

/* Copies to the part those of the arrays `wanted` that the first part has, unless the part has the
 * same already. The first card continues while its positions are read; it waits before it reorders
 * them. KY_DEVICE where the card has no memory. */
enum ky_status ky_part_follow(struct ky_device_bodies *own, unsigned wanted,
                              struct ky_error *error);
/* Lets the first card wait, before it writes positions, until the others have read them. Does
 * nothing for another part. */
enum ky_status ky_part_await(struct ky_device_bodies *bodies, struct ky_error *error);
/* Marks the copies of all parts as not valid: after work that not all of them have finished, and if
 * other arrays than positions may have changed. */
void ky_parts_forget(struct ky_device_state *state);

#endif
