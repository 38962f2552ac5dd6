/* The sweep of unrollings of the exact sum, as CUDA. */
#define KY_PRECISION 0
#include "engine/device/driver/cuda/cuda.h"
#include "engine/device/kernels/forces/unroll.k"

#define KY_K(unit, name, lanes, arguments) (const void *)name,
static const void *const kernels[] = {KY_KERNELS_UNROLL};

extern const struct ky_cuda_table ky_cuda_unroll = {kernels, sizeof kernels / sizeof *kernels};
