/* The tree of a rank's bodies, a part of the system's (octree/parts.h), on its card. */
#ifndef KY_DEVICE_TREE_PART_H
#define KY_DEVICE_TREE_PART_H

#include "engine/device/kernels/ranks/layout.h"
#include "engine/device/state/state.h"

/* More roots than a part can have: 7 a level on either side. */
enum { KY_PART_ROOTS = 512 };
/* So many roots and the cells above them are more: each of these has two children at least. */
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

/* `bytes` bytes of each rank, to each rank: a call of all ranks. */
enum ky_status ky_ranks_gather(const struct ky_shared *shared, const void *own, size_t bytes,
                               void *all, struct ky_error *error);

/* Has all ranks tell each other the keys of their first and last bodies; `keys` are sorted. Also a
 * rank without bodies calls it. */
enum ky_status ky_tree_part_neighbours(struct ky_tree_part *part,
                                       const struct ky_device_bodies *bodies,
                                       const struct ky_buffer *keys, struct ky_error *error);
/* Finds the roots by the sorted keys. */
enum ky_status ky_tree_part_roots(struct ky_tree_part *part, const struct ky_device_bodies *bodies,
                                  const struct ky_buffer *keys, struct ky_error *error);
/* Reads the roots, and finds their cells: `facts` has the first cell of each level. */
enum ky_status ky_tree_part_cells(struct ky_tree_part *part, const struct ky_device_bodies *bodies,
                                  const struct ky_buffer *link, const struct ky_buffer *facts,
                                  struct ky_error *error);
void ky_tree_part_release(struct ky_tree_part *part, const struct ky_device_bodies *bodies);

#endif
