/* The sweep of unrollings of the exact sum, as CUDA. */
#define KY_PRECISION 0
#include "engine/device/driver/cuda/cuda.h"
#include "engine/device/kernels/forces/unroll.k"

#define KY_K(unit, name, lanes) ky_cuda_kernel_of(name),
KY_CUDA_TABLE(ky_cuda_unroll, KY_KERNELS_UNROLL)
