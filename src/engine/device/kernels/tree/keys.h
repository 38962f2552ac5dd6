/* Keys as the kernels of the tree read them. */
#ifndef KY_KERNELS_KEYS_H
#define KY_KERNELS_KEYS_H

#include "engine/device/kernels/driver/dialect.h"
#include "engine/device/kernels/driver/shared.h"

#include "physics/frame.h"

/* The place of the number of cells among the scanned counts of grow.k. Its first KY_KEY_LEVELS + 1
 * rows are the first cells of each level for each team of bodies. */
KY_FN ky_ulong ky_level_row(ky_uint n, ky_uint level)
{
    return (ky_ulong)level * ((n + KY_TEAM - 1) / KY_TEAM);
}

#endif
