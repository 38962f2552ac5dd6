/* Sort, scan and sum of CUB behind a C interface: the only C++ of the project. */
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

#include "engine/device/driver/cuda/cuda.h"

cudaError_t ky_cuda_sort(void *work, size_t *bytes, struct ky_cuda_pairs *pairs, size_t n, int bits,
                         cudaStream_t stream)
{
    const int now = pairs->now;
    cub::DoubleBuffer<unsigned long long> key(pairs->key[now], pairs->key[1 - now]);
    cub::DoubleBuffer<unsigned> value(pairs->value[now], pairs->value[1 - now]);
    cudaError_t code =
        cub::DeviceRadixSort::SortPairs(work, *bytes, key, value, n, 0, bits, stream);
    if (work && key.selector)
        pairs->now = 1 - now;
    return code;
}

cudaError_t ky_cuda_scan(void *work, size_t *bytes, const unsigned *from, unsigned *to, size_t n,
                         cudaStream_t stream)
{
    return cub::DeviceScan::ExclusiveSum(work, *bytes, from, to, n, stream);
}

cudaError_t ky_cuda_reduce(void *work, size_t *bytes, const unsigned long long *from,
                           unsigned long long *to, size_t n, cudaStream_t stream)
{
    return cub::DeviceReduce::Sum(work, *bytes, from, to, n, stream);
}
