/* Keys, for the kernels of the tree. */
#ifndef KY_KERNELS_KEYS_H
#define KY_KERNELS_KEYS_H

#include "engine/device/kernels/driver/dialect.h"
#include "engine/device/kernels/driver/shared.h"

#include "physics/frame.h"

/* The index of the number of cells in the scanned counts of grow.k. Its first KY_KEY_LEVELS + 1
 * rows are the first cells of each level for each team of bodies. */
KY_FN ky_ulong ky_level_row(ky_uint n, ky_uint level)
{
    return (ky_ulong)level * ((n + KY_TEAM - 1) / KY_TEAM);
}

/* The first body after i whose key differs from body i's key within `level` digits. */
KY_FN ky_uint ky_run_end(KY_GLOBAL const ky_ulong *keys, ky_uint n, ky_uint i, int level)
{
    if (level == 0)
        return n;
    int shift = 3 * (KY_KEY_LEVELS - level);
    ky_ulong digits = keys[i] >> shift, step = 1, low = i;
    while (low + step < n && keys[low + step] >> shift == digits) {
        low += step;
        step *= 2;
    }
    ky_ulong high = low + step < n ? low + step : n;
    while (high - low > 1) {
        ky_ulong middle = (low + high) / 2;
        if (keys[middle] >> shift == digits)
            low = middle;
        else
            high = middle;
    }
    return (ky_uint)high;
}

/* The level of the largest cube around the key that no neighbour of the part shares: `before` is
 * the last key before the part, `after` the first one after it. 0 without neighbours. */
KY_FN int ky_level_alone(ky_ulong key, ky_uint neighbours, ky_ulong before, ky_ulong after)
{
    const int lower = (neighbours & KY_IS_BEFORE) ? ky_key_common(key, before) + 1 : 0;
    const int upper = (neighbours & KY_IS_AFTER) ? ky_key_common(key, after) + 1 : 0;
    return lower > upper ? lower : upper;
}

#endif
