/* Whether a walk on the host opens a cell; the rule stands in octree.h, "How a walk decides". In
 * the header, since the walk for each body asks it 10⁸ times a second. */
#ifndef KY_OCTREE_DECIDE_H
#define KY_OCTREE_DECIDE_H

#include <math.h>

#include "octree/octree.h"
#include "physics/opening.h"

/* The box of the sinks that walk together; a point has half-sides of 0. */
struct ky_sinks_box {
    double centre[3], half[3];
};

/* The distances between box and cell as the float tests want them. */
static inline int ky_octree_touches(const struct ky_cell_box *cell, const double d[3],
                                    const struct ky_sinks_box *box, int relative)
{
    const double slack = 1 + 1e-6; /* for the rounding of the box to float */
    const float x = (float)d[0], y = (float)d[1], z = (float)d[2];
    const float hx = (float)(box->half[0] * slack), hy = (float)(box->half[1] * slack),
                hz = (float)(box->half[2] * slack);
    const float *a = cell->below, *b = cell->above;
    return relative
               ? ky_opening_cube_touches(x, y, z, a[0], a[1], a[2], b[0], b[1], b[2], hx, hy, hz)
               : ky_opening_box_touches(x, y, z, a[0], a[1], a[2], b[0], b[1], b[2], hx, hy, hz);
}

/* d² of the cell's box. */
static inline double ky_octree_box_distance2(const struct ky_cell_box *cell, const double d[3],
                                             const struct ky_sinks_box *box)
{
    const double slack = 1 + 1e-6;
    const float *a = cell->below, *b = cell->above;
    return (double)ky_opening_box_distance2((float)d[0], (float)d[1], (float)d[2], a[0], a[1], a[2],
                                            b[0], b[1], b[2], (float)(box->half[0] * slack),
                                            (float)(box->half[1] * slack),
                                            (float)(box->half[2] * slack));
}

/* 1 if the cell is to be opened by the parameters' `opening`. `d` leads from the middle of the
 * sinks to the cell's centre of mass. `factor` is that of the relative test for these sinks, 1 for
 * the other tests. Whether a sink lies in the cell is for the caller. */
static inline int ky_octree_must_open(const struct ky_octree *tree, uint32_t cell,
                                      const double d[3], const struct ky_sinks_box *box,
                                      int opening, double factor)
{
    const struct ky_node *node = &tree->node[cell];
    const double close2 = (double)KY_OPENING_CLOSE2, open2 = (double)node->open2 * factor;
    double d2 = 0;
    if (node->count == (KY_LEAF | 1)) /* one body needs no cell */
        return 1;
    for (int c = 0; c < 3 && opening != KY_MINIMUM; c++) {
        double gap = fabs(d[c]) - box->half[c];
        d2 += gap > 0 ? gap * gap : 0;
    }
    if (opening == KY_MINIMUM)
        d2 = ky_octree_box_distance2(&tree->box[cell], d, box);
    if (!(d2 > (open2 > close2 ? open2 : close2)))
        return 1;
    return tree->test_box && ky_octree_touches(&tree->box[cell], d, box, opening == KY_RELATIVE);
}

#endif
