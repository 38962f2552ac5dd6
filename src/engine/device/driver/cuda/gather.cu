/* Parts in the memory of several devices brought together on one device; a number on the device
 * says how much. */
#include "engine/device/driver/cuda/cuda.h"

enum { LANES = 256, GROUPS = 64 }; /* groups for each of the devices */

static __global__ void __launch_bounds__(LANES)
    gather(const struct ky_cuda_parts parts, uint4 *to, const unsigned long long *number,
           size_t words)
{
    const size_t all = (size_t)*number * words;
    const uint4 *from = (const uint4 *)parts.of[blockIdx.y];
    to += blockIdx.y * all;
#pragma unroll 4
    for (size_t k = blockIdx.x * LANES + threadIdx.x; k < all; k += LANES * GROUPS)
        to[k] = from[k];
}

cudaError_t ky_cuda_gather(const struct ky_cuda_parts *parts, size_t count, void *to,
                           const unsigned long long *number, size_t words, cudaStream_t stream)
{
    const dim3 groups(GROUPS, (unsigned)count);
    gather<<<groups, LANES, 0, stream>>>(*parts, (uint4 *)to, number, words);
    return cudaGetLastError();
}
