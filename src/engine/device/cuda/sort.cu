/* Sort, scan and sum of CUB behind a C interface: the only C++ of the project. */
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

#include "engine/device/cuda/cuda.h"

cudaError_t ky_cuda_sort(void *work, size_t *bytes, const unsigned long long *keys,
                         unsigned long long *keys_out, const unsigned *values, unsigned *values_out,
                         size_t n, int bits, cudaStream_t stream)
{
    return cub::DeviceRadixSort::SortPairs(work, *bytes, keys, keys_out, values, values_out, n, 0,
                                           bits, stream);
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
