/* Whether a walk on the host opens a cell: the rule in octree.h, "How a walk decides". It is inline
 * because the walk for single bodies calls it 10⁸ times a second. */
#ifndef KY_OCTREE_DECIDE_H
#define KY_OCTREE_DECIDE_H

#include "octree/host_cells.h"
#include "physics/opening.h"

/* 1 if the tree's test opens the cell. `d` is the vector from the middle of the sinks to the cell's
 * centre of mass, `half` has the half-sides of their box, widened by KY_OPENING_SLACK for the
 * rounding to float; NULL for one sink. `factor` is the factor of the relative test for these
 * sinks, 1 for the other tests; `eps2` their largest ε². The caller has to check whether a sink
 * lies in the cell. */
static inline __attribute__((always_inline)) int
ky_octree_must_open(const struct ky_octree *tree, uint32_t cell, const double d[3],
                    const float half[3], double factor, double eps2)
{
    const unsigned how = tree->opening;
    const double open2 = (double)tree->centre[cell].open2 * factor;
    if (tree->link[cell].bodies == 1) /* one body needs no cell */
        return 1;
    /* Without a box the test needs no rounding to float, and it decides most cells. */
    if (!(how & KY_OPENING_TO_BOX)) {
        const double close2 = (double)KY_OPENING_CLOSE2;
        double d2 = 0;
        for (int c = 0; c < 3; c++) {
            double gap = half ? fabs(d[c]) - (double)half[c] : fabs(d[c]);
            d2 += gap > 0 ? gap * gap : 0;
        }
        if (d2 <= (open2 > close2 ? open2 : close2))
            return 1;
    }
    if (!(how & KY_OPENING_BOXES))
        return 0;
    const float *a = tree->box[cell].below, *b = tree->box[cell].above;
    struct ky_opening_apart apart = {(float)d[0], (float)d[1], (float)d[2], 0, 0, 0};
    const struct ky_opening_sides sides = {
        a[0], a[1], a[2], b[0], b[1], b[2], ky_opening_reach2((float)eps2, b[3])};
    if (half)
        apart.hx = half[0], apart.hy = half[1], apart.hz = half[2];
    /* The distance to the centre was too large; the distance to the box, or its touch, decides. */
    return ky_opening_opens(apart, sides, INFINITY, (float)open2, how);
}

#endif
