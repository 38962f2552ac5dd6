/* The functions that nvcc compiles for the CUDA driver, which is written in C. */
#ifndef KY_CUDA_H
#define KY_CUDA_H

#include <cuda_runtime_api.h>

#include "engine/device/driver/driver.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A kernel: its host address, and its arguments. */
struct ky_cuda_kernel {
    const void *address;
    struct ky_taken taken;
};

/* The kernels in a file: `count` of them, in the order of enum ky_kernel_id. */
struct ky_cuda_table {
    const struct ky_cuda_kernel *kernel;
    size_t count;
};
extern const struct ky_cuda_table ky_cuda_common, ky_cuda_single, ky_cuda_extended, ky_cuda_double,
    ky_cuda_exact, ky_cuda_expand, ky_cuda_few_large;

/* Keys with their values, in two buffers each; `now` says which holds them. */
struct ky_cuda_pairs {
    unsigned long long *key[2];
    unsigned *value[2];
    int now; /* 0 or 1 */
};

/* CUB's radix sort, scan and sum. With work = NULL they return the bytes of scratch that they need.
 */
cudaError_t ky_cuda_sort(void *work, size_t *bytes, struct ky_cuda_pairs *pairs, size_t n, int bits,
                         cudaStream_t stream);
cudaError_t ky_cuda_scan(void *work, size_t *bytes, const unsigned *from, unsigned *to, size_t n,
                         cudaStream_t stream);
cudaError_t ky_cuda_reduce(void *work, size_t *bytes, const unsigned long long *from,
                           unsigned long long *to, size_t n, cudaStream_t stream);

#ifdef __cplusplus
}

/* tests/cuda has another address. */
#ifndef KY_CUDA_ADDRESS
#define KY_CUDA_ADDRESS(kernel) ((const void *)kernel)
#endif

template <typename... Arguments>
static struct ky_cuda_kernel ky_cuda_kernel_of(void (*kernel)(Arguments...))
{
    static_assert(sizeof...(Arguments) <= KY_MOST_ARGUMENTS, "room in struct ky_taken");
    return {KY_CUDA_ADDRESS(kernel), {sizeof...(Arguments), {sizeof(Arguments)...}}};
}

/* The table of a file with the kernels of the list; their arguments follow from their
 * definitions. */
#define KY_CUDA_TABLE(name, list)                                                                  \
    static const struct ky_cuda_kernel kernels[] = {list};                                         \
    extern const struct ky_cuda_table name = {kernels, sizeof kernels / sizeof *kernels};
#endif

#endif
