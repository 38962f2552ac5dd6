/* The sinks of a cut of a search (general_cut.h) as one: the middle of a box around them, relative
 * to the origin of the cells, and its half-sides; the largest squared reach, rounded up, and the
 * smallest, rounded down; the largest ε²; their places along the curve. Read as C11, as OpenCL C
 * 1.2 and as CUDA C. */
#ifndef KY_KERNELS_CUT_BOX_H
#define KY_KERNELS_CUT_BOX_H

#include "octree/layout.h"

struct ky_cut_box {
    float x[3], most2;
    float side[3], least2;
    float most_eps2;
    unsigned int begin, end, none;
} KY_LAID_OUT;

#endif
