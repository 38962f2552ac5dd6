/* The cells of a tree as walks on the host take them, in double. */
#ifndef KY_OCTREE_HOST_CELLS_H
#define KY_OCTREE_HOST_CELLS_H

#include <math.h>

#include "octree/cell_moments.h"
#include "octree/octree.h"
#include "physics/space.h"

/* The vector from `from` to the cell's centre of mass; `from` is relative to the tree's origin. */
static inline void ky_cell_apart(const struct ky_octree *tree, uint32_t cell, const double from[3],
                                 double d[3])
{
    const struct ky_cell_centre *high = &tree->centre[cell];
    const struct ky_low *low = &tree->low[cell];
    for (int c = 0; c < 3; c++)
        d[c] = KY_APART((double)high->x[c] + (double)low->x[c], from[c]);
}

/* The box of a cell: its middle, relative to the tree's origin, and half sides, wider by the
 * rounding of the middle. */
#define KY_MIDDLE_DIGIT 0x1p-50
static inline void ky_cell_middle(const struct ky_octree *tree, uint32_t cell, double middle[3],
                                  double half_side[3])
{
    static const double origin[3] = {0, 0, 0};
    const struct ky_cell_box *box = &tree->box[cell];
    double mass[3];
    ky_cell_apart(tree, cell, origin, mass);
    for (int c = 0; c < 3; c++) {
        double below = (double)box->below[c], above = (double)box->above[c];
        middle[c] = mass[c] + 0.5 * (above - below);
        half_side[c] = 0.5 * (above + below) + KY_MIDDLE_DIGIT * fabs(mass[c]);
    }
}

/* The half sides of a cell's box where its bodies are sinks: of a float, rounded outwards. */
static inline void ky_cell_half(const struct ky_cell_box *box, float half[3])
{
    for (int c = 0; c < 3; c++)
        half[c] = 0.500001F * (box->above[c] + box->below[c]);
}

/* The tight box of consecutive bodies along the curve. */
static inline void ky_bodies_box(const struct ky_octree *tree, const struct ky_group *group,
                                 double low[3], double high[3])
{
    const double *const x[3] = {tree->x, tree->y, tree->z};
    for (int c = 0; c < 3; c++) {
        low[c] = high[c] = x[c][group->body];
        for (uint32_t k = 1; k < group->bodies; k++) {
            const double at = x[c][group->body + k];
            low[c] = at < low[c] ? at : low[c];
            high[c] = at > high[c] ? at : high[c];
        }
    }
}

/* The index of the first group at or after a body. */
static inline size_t ky_group_from(const struct ky_octree *tree, uint32_t body)
{
    size_t low = 0, high = tree->groups;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (tree->group[middle].body < body)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The moments of a cell. A tree without quadrupoles has only the mass; the other moments are 0. */
static inline struct ky_moments ky_host_moments(const struct ky_octree *tree, uint32_t cell)
{
    const float *m = tree->moment + cell * tree->moments, *p = m + KY_MOMENT_SECOND;
    if (tree->moments <= KY_MOMENT_SECOND)
        return ky_cell_moments((double)m[KY_MOMENT_MASS], 0, 0, 0, 0, 0, 0);
    return ky_cell_moments((double)m[KY_MOMENT_MASS], (double)p[0], (double)p[1], (double)p[2],
                           (double)p[3], (double)p[4], (double)p[5]);
}

#endif
