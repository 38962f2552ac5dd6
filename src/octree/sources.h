/* Cells as sources where cells act on cells (physics/fmm.h). */
#ifndef KY_OCTREE_SOURCES_H
#define KY_OCTREE_SOURCES_H

#include <stdint.h>

#include "octree/octree.h"

/* The largest and the mean radius of a cell's mass about its centre, its mass, and its bodies,
 * negative in a leaf. */
struct ky_fmm_source {
    float radius, size, mass;
    int32_t bodies;
} KY_LAID_OUT;

/* Fills source[cell] for all cells of the tree, whose moments have this order at least; `order` is
 * the order of the expansions. */
void ky_octree_list_sources(const struct ky_octree *tree, int order, int threads,
                            struct ky_fmm_source *source);

#endif
