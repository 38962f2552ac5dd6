/* Whether a walk on the host opens a cell; the rule stands in octree.h, "How a walk decides". In
 * the header, since the walk for each body asks it 10⁸ times a second. */
#ifndef KY_OCTREE_DECIDE_H
#define KY_OCTREE_DECIDE_H

#include "octree/host_cells.h"
#include "physics/opening.h"

/* 1 if the cell is to be opened by the test of the tree. `d` leads from the middle of the sinks to
 * the cell's centre of mass, `half` has the half-sides of their box, widened by 1e-6 for the
 * rounding to float; NULL for one sink. `factor` is that of the relative test for these sinks, 1
 * for the other tests. Whether a sink lies in the cell is for the caller. */
static inline __attribute__((always_inline)) int
ky_octree_must_open(const struct ky_octree *tree, uint32_t cell, const double d[3],
                    const float half[3], double factor)
{
    struct ky_opening_apart apart = {(float)d[0], (float)d[1], (float)d[2], 0, 0, 0};
    struct ky_opening_sides sides = {0, 0, 0, 0, 0, 0};
    const unsigned how = tree->opening;
    const float open2 = (float)((double)tree->centre[cell].open2 * factor);
    if (tree->link[cell].bodies == 1) /* one body needs no cell */
        return 1;
    float d2 = (float)(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    if (half) {
        apart.hx = half[0], apart.hy = half[1], apart.hz = half[2];
        d2 = ky_opening_distance2(apart);
    }
    if (!(how & KY_OPENING_TO_BOX) && ky_opening_opens(apart, sides, d2, open2, 0))
        return 1; /* most are known before their box is read */
    if (!(how & KY_OPENING_BOXES))
        return 0;
    const float *a = tree->box[cell].below, *b = tree->box[cell].above;
    sides = (struct ky_opening_sides){a[0], a[1], a[2], b[0], b[1], b[2]};
    return ky_opening_opens(apart, sides, d2, open2, how);
}

#endif
