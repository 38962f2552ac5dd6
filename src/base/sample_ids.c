/* Samples of bodies by their ids. */
#include "base/sample_ids.h"

#include <math.h>

/* Bits of a number that look random (Steele, Lea & Flood 2014, as Stafford's mix 13). */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
    x = (x ^ x >> 27) * 0x94d049bb133111ebU;
    return x ^ x >> 31;
}

size_t ky_sample_ids(const uint64_t *id, size_t n, size_t most, size_t *index)
{
    /* The number of chosen ids scatters by its square root; if more than `most` were chosen, the
     * excess would be missing at the end of the array. */
    const double wanted = fmax(0.5 * (double)most, (double)most - 3 * sqrt((double)most));
    const double share = n > most ? wanted / (double)n : 1;
    size_t count = 0;
    for (size_t i = 0; i < n && count < most; i++)
        if (share >= 1 || 0x1p-64 * (double)mix(id ? id[i] : i) < share)
            index[count++] = i;
    return count;
}
