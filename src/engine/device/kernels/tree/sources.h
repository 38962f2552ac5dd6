/* Cells as sources, for forces in which cells act on cells. For kernels and the host. */
#ifndef KY_KERNELS_SOURCES_H
#define KY_KERNELS_SOURCES_H

#include "octree/layout.h"

/* A cell as a source: the largest and the mean radius of its mass about its centre, and its number
 * of bodies, negative for a leaf. */
struct ky_acting {
    float radius, size, mass;
    int bodies;
} KY_LAID_OUT;

#endif
