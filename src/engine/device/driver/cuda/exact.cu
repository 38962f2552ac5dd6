/* Kernels in double: the exact sum, tidal tensors and the first steps of the Hermite scheme, which
 * read the state of the bodies, and systems of few bodies. */
#define KY_PRECISION 2
#include "engine/device/driver/cuda/cuda.h"
#include "engine/device/kernels/forces/exact.k"
#include "engine/device/kernels/forces/tides.k"
#include "engine/device/kernels/steps/few.k"
#include "engine/device/kernels/steps/few_small.k"
#include "engine/device/kernels/steps/hermite_start.k"

#define KY_U(unit, file, precision, made) made
KY_SOFTENED(KY_EXACT_UNIT, , )
KY_FEW_UNITS

#define KY_K(unit, name, lanes) ky_cuda_kernel_of(name),
KY_CUDA_TABLE(ky_cuda_exact, KY_KERNELS_EXACT)
