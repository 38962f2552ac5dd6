/* Counts of a group's pairs with bodies and with cells. */
#ifndef KY_KERNELS_COUNTS_H
#define KY_KERNELS_COUNTS_H

#include "engine/device/kernels/driver/dialect.h"
#include "engine/device/kernels/driver/shared.h"

/* Adds the counts over the group of KY_WALK_LANES to counts[0] and [stride]; every lane must call
 * it. */
KY_FN void ky_count_pairs(KY_GLOBAL ky_ulong *counts, ky_uint stride,
                          KY_LOCAL_POINTER ky_ulong *bodies, KY_LOCAL_POINTER ky_ulong *cells,
                          ky_uint lane_bodies, ky_uint lane_cells)
{
    bodies[KY_LANE] = lane_bodies;
    cells[KY_LANE] = lane_cells;
    KY_REDUCE(KY_WALK_LANES,
              (bodies[KY_LANE] += bodies[KY_LANE + step], cells[KY_LANE] += cells[KY_LANE + step]));
    if (KY_LANE == 0) {
        counts[0] = bodies[0];
        counts[stride] = cells[0];
    }
}

#endif
