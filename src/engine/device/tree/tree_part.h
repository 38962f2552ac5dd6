/* The tree of a rank's bodies, which is a part of the system's tree (octree/parts.h), on its
 * card. */
#ifndef KY_DEVICE_TREE_PART_H
#define KY_DEVICE_TREE_PART_H

#include "engine/device/kernels/ranks/layout.h"
#include "engine/device/state/state.h"

/* More roots than a part can have: 7 per level on either side. */
enum { KY_PART_ROOTS = 512 };
/* An upper limit for the number of these roots and of the cells above them, each of which has at
 * least two children. */
static inline size_t ky_part_top_cells(size_t roots)
{
    return 2 * roots;
}

struct ky_tree_part {
    /* KY_IS_BEFORE, KY_IS_AFTER; the last key before the part and the first one after it. */
    uint32_t neighbours;
    uint64_t before, after;
    struct ky_buffer root, count, cell; /* roots in any order, their number; cells of `known` */
    struct ky_part_root *known;         /* [roots] along the curve, on the host */
    size_t roots;
};

/* All-gathers the keys of each rank's first and last body; `keys` are sorted. Ranks without bodies
 * call it too. */
enum ky_status ky_tree_part_neighbours(struct ky_tree_part *part,
                                       const struct ky_device_bodies *bodies,
                                       const struct ky_buffer *keys, struct ky_error *error);
/* Finds the roots from the sorted keys. */
enum ky_status ky_tree_part_roots(struct ky_tree_part *part, const struct ky_device_bodies *bodies,
                                  const struct ky_buffer *keys, struct ky_error *error);
/* Reads the roots, and finds their cells: `facts` has the first cell of each level. */
enum ky_status ky_tree_part_cells(struct ky_tree_part *part, const struct ky_device_bodies *bodies,
                                  const struct ky_buffer *link, const struct ky_buffer *facts,
                                  struct ky_error *error);
void ky_tree_part_release(struct ky_tree_part *part, const struct ky_device_bodies *bodies);

#endif
