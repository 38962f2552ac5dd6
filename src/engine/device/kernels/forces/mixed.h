/* Cells of bodies with very unequal softenings. */
#ifndef KY_KERNELS_MIXED_H
#define KY_KERNELS_MIXED_H

#include "engine/device/kernels/driver/dialect.h"

/* 1 if the mean ε² of a cell's bodies is too inaccurate for a sink at this squared distance. */
KY_FN int ky_is_mixed(struct ky_cell_box its, float d2)
{
    return d2 <= KY_MIXED_REACH2 * (its.above[3] - its.below[3]);
}

#endif
