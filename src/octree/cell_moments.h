/* The moments of a node, scaled as ky_add_cell takes them in double. */
#ifndef KY_OCTREE_CELL_MOMENTS_H
#define KY_OCTREE_CELL_MOMENTS_H

#include "octree/octree.h"
#include "physics/gravity.h"

/* `quadrupole` 0: the mass alone. */
static inline struct ky_moments ky_octree_moments(const struct ky_node *node, int quadrupole)
{
    double P[6] = {0}, trace = 0;
    for (int k = 0; quadrupole && k < 6; k++) {
        P[k] = KY_SCALE_SECOND(1) * (double)node->second[k];
        trace += k < 3 ? (double)node->second[k] : 0;
    }
    return (struct ky_moments){
        (double)node->mass,        P[0], P[1], P[2], P[3], P[4], P[5], KY_SCALE_TRACE(1) * trace,
        KY_SCALE_TRACE3(1) * trace};
}

#endif
