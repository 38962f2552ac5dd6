/* The kernels of systems of few bodies with room for many of them; exact.cu has the others. */
#define KY_PRECISION 2
#include "engine/device/driver/cuda/cuda.h"
#include "engine/device/kernels/steps/few_large.k"

#define KY_U(unit, file, precision, made) made
KY_FEW_LARGE_UNITS

#define KY_K(unit, name, lanes) ky_cuda_kernel_of(name),
KY_CUDA_TABLE(ky_cuda_few_large, KY_KERNELS_FEW_LARGE)
