/* The kernels of expansions, as CUDA. */
#define KY_PRECISION 0
#include "engine/device/driver/cuda/cuda.h"
#include "engine/device/kernels/forces/expand.k"
#include "engine/device/kernels/tree/higher.k"

/* The kernels that units instantiate from the templates in these files. */
#define KY_U(unit, file, precision, made) made
KY_EXPAND_UNITS

#define KY_K(unit, name, lanes) ky_cuda_kernel_of(name),
KY_CUDA_TABLE(ky_cuda_expand, KY_KERNELS_EXPAND)
