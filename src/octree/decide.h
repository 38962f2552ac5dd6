/* Whether a walk on the host opens a cell; the rule stands in octree.h, "How a walk decides". In
 * the header, since the walk for each body asks it 10⁸ times a second. */
#ifndef KY_OCTREE_DECIDE_H
#define KY_OCTREE_DECIDE_H

#include "octree/host_cells.h"
#include "physics/opening.h"

/* The box of the sinks that walk together, relative to the tree's origin; a point has half-sides of
 * 0. */
struct ky_sinks_box {
    double centre[3], half[3];
};

/* 1 if the cell is to be opened by the test of the tree. `d` leads from the middle of the sinks to
 * the cell's centre of mass. `factor` is that of the relative test for these sinks, 1 for the other
 * tests. Whether a sink lies in the cell is for the caller. */
static inline int ky_octree_must_open(const struct ky_octree *tree, uint32_t cell,
                                      const double d[3], const struct ky_sinks_box *box,
                                      double factor)
{
    const double slack = 1 + 1e-6; /* for the rounding of the box to float */
    const struct ky_opening_apart apart = {(float)d[0],
                                           (float)d[1],
                                           (float)d[2],
                                           (float)(box->half[0] * slack),
                                           (float)(box->half[1] * slack),
                                           (float)(box->half[2] * slack)};
    const float *a = tree->box[cell].below, *b = tree->box[cell].above;
    const struct ky_opening_sides sides = {a[0], a[1], a[2], b[0], b[1], b[2]};
    if (tree->link[cell].bodies == 1) /* one body needs no cell */
        return 1;
    return ky_opening_opens(apart, sides, ky_opening_distance2(apart),
                            (float)((double)tree->centre[cell].open2 * factor), tree->opening);
}

#endif
