#include "base/pairs.h"

#include "base/memory.h"
#include "base/status.h"

enum ky_status ky_pairs_add(struct ky_pairs *pairs, size_t i, size_t j, double distance,
                            struct ky_error *error)
{
    const size_t count = pairs->count;
    if (!ky_extend(&pairs->index, count, count + 1, sizeof *pairs->index) ||
        !ky_extend(&pairs->distance, count, count + 1, sizeof *pairs->distance))
        return ky_no_memory(error, "pairs of bodies", count + 1, sizeof *pairs->index);
    pairs->index[count][0] = i;
    pairs->index[count][1] = j;
    pairs->distance[pairs->count++] = distance;
    return KY_OK;
}
