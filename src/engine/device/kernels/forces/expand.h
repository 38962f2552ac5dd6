/* Data of acting cells and of sinks that the kernels of --force fmm and the host share. */
#ifndef KY_KERNELS_EXPAND_H
#define KY_KERNELS_EXPAND_H

#include "engine/device/kernels/driver/shared.h"
#include "engine/device/kernels/tree/sources.h"

/* Sinks that share local coefficients: a cell or a group. The middle of their box, relative to the
 * origin of the cells, and its half-sides; the root of the sum of their squares; the middle of the
 * range of the sinks' ε²; α a, or KY_INFINITY if no last acceleration is known; the smallest
 * distance of a cell that acts on all of them at once. `parent`: the sinks of the cut above that
 * contain them. Bodies `begin` to `end` - 1 along the curve; empty if no sink is wanted. */
struct ky_expanded {
    float high[3], radius;
    float low[3], eps2;
    float side[3], error;
    float least;
    unsigned int parent, begin, end;
} KY_LAID_OUT;
#define KY_NO_PARENT 0xffffffffU
/* The number of cells is smaller, so that two more bits of a word can describe a cell. */
#define KY_EXPAND_MOST_CELLS 0x40000000U

/* In a periodic box a cell stands for its nearest images: the number of the image (physics/space.h)
 * times KY_EXPAND_IMAGE is added to the number of the cell. */
#define KY_EXPAND_IMAGE 0x08000000U
#define KY_EXPAND_MOST_CELLS_IN_BOX KY_EXPAND_IMAGE
#define KY_CELL_OF(word, boxed) ((boxed) ? (word) % KY_EXPAND_IMAGE : (word))

/* The factor of α for cells that act on large sinks: their errors are correlated over many bodies,
 * and were the largest of all (Plummer spheres, 16,777,216 bodies, order 4: 99 % of the
 * accelerations within 2.7e-3 instead of 3.3e-3 with one half, in the same time). */
#define KY_EXPAND_PART_OF_ALPHA 0.25F

/* Data of the sinks in a cell: the largest 1/(α a) and ε², the inverted bits of the smallest ε²,
 * and 1 if there are any sinks. Bits of non-negative floats have the order of the floats, so atomic
 * maxima starting from 0 find them. */
struct ky_expand_range {
    unsigned int most, high2, not_low2, wanted;
} KY_LAID_OUT;
/* Number of a cell's bodies that one team reads. */
#define KY_EXPAND_PART 512

/* Numbers of the kernels, their last argument. Sinks are among the bodies sinks_from … sinks_to -
 * 1, since ranks divide the sinks. `first` and `count`: of the cells or groups of a launch;
 * `stride`: offset of the second half of counts; `listed`: number of listed wanted bodies
 * (KY_FLAG_LISTED); `list`: maximum number of cells that wait for the sinks of the next cut (if
 * there are more, a cell is not opened yet); `acting`: maximum number of cells that act on a group
 * at once (any more act on its sinks one by one). The limits of physics/fmm.h for all sinks: angle,
 * least, most; `teams`: teams for each sink, which share the grandchildren of the root with
 * everything below, or the images of the root; `above`: the same for the cut above. `start`: the
 * root. `part`: factor of α; per_spread: squared distance per range of ε²; eps2: for bodies without
 * their own; side and side_low: the parts of the side of a periodic box. */
struct ky_expand_numbers {
    unsigned int n, first, count, stride, sinks_from, sinks_to, list, acting, listed, teams, above,
        start, flags;
    int order;
    float angle, least, most, part, per_spread, eps2, side, side_low;
};

/* A flag in addition to the flags of walks (shared.h): the spline. */
#define KY_FLAG_SPLINED 0x200000

#endif
