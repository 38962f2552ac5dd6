/* The octree that each card builds, from the positions in its memory to the arrays that walks read:
 * bounds, keys, sort, bodies along the curve, cells, moments and groups. */
#ifndef KY_DEVICE_DEVICE_TREE_H
#define KY_DEVICE_DEVICE_TREE_H

#include "engine/device/tree/tree_memory.h"

/* Builds the tree for the current positions, and reorders the bodies along the curve. Its parts of
 * bodies->curve.room are in use until ky_device_tree_done. */
enum ky_status ky_device_tree_build(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                    const struct ky_parameters *parameters, struct ky_error *error);
/* Makes the keys of the bodies, in their current order, in the first buffer of tree->keys, which is
 * valid until ky_device_tree_done. On ranks the cube comes from the frame. */
enum ky_status ky_device_tree_keys(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                   const struct ky_parameters *parameters, struct ky_error *error);
/* Sorts the bodies along the curve without moving them. *order has their indices, on the card, and
 * is valid until the bodies or their number change. */
enum ky_status ky_device_tree_order(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                    const struct ky_parameters *parameters,
                                    const struct ky_buffer **order, struct ky_error *error);
/* 1 if these keys exist and belong to the bodies in their current order. */
int ky_device_tree_has_keys(const struct ky_device_bodies *bodies);
/* Finds bounds of the bodies and this rank's part of the system's sample, in tree->partial: see
 * ky_tree_bounds of kernels/tree/keys.k. *groups: number of groups that have computed bounds. */
enum ky_status ky_device_tree_bounds(struct ky_device_tree *tree,
                                     const struct ky_device_bodies *bodies, size_t system,
                                     size_t samples, uint32_t *groups, struct ky_error *error);
/* Computes the data of the cells first … end - 1 (one level of a tree with this many cells) from
 * their children. Leaves are unchanged. */
struct ky_cell_range {
    uint32_t first, end, cells;
};
enum ky_status ky_device_tree_join(struct ky_device_tree *tree,
                                   const struct ky_device_bodies *bodies,
                                   const struct ky_parameters *parameters,
                                   const struct ky_cell_range *range, struct ky_error *error);
/* Recomputes moments, boxes and opening radii of the kept tree for the current positions. Puts the
 * bodies back into its order if necessary. */
enum ky_status ky_device_tree_refresh(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                      const struct ky_parameters *parameters,
                                      struct ky_error *error);
/* Computes the factors of the relative opening test into tree->factor, with the mass of all bodies
 * at the time when the tree was built. In a block they are for the active bodies, in the order of
 * their list. */
enum ky_status ky_device_tree_factors(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                      const struct ky_evaluation *evaluation,
                                      const struct ky_parameters *parameters,
                                      struct ky_error *error);
/* Takes part in the sum of the masses for a rank without bodies. */
enum ky_status ky_device_tree_no_factors(struct ky_device_tree *tree,
                                         const struct ky_device_bodies *bodies,
                                         struct ky_error *error);
/* Adds the times of the phases of the last tree, as the device measured them. */
void ky_device_tree_report(const struct ky_device_tree *tree, const struct ky_device_bodies *bodies,
                           struct ky_force_report *report);

#endif
