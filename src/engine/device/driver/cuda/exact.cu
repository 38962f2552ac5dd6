/* What takes the state of the bodies in double: the exact sum, and the first steps of the Hermite
 * scheme. */
#define KY_PRECISION 2
#include "engine/device/driver/cuda/cuda.h"
#include "engine/device/kernels/forces/exact.k"
#include "engine/device/kernels/steps/hermite_start.k"

#define KY_U(unit, file, precision, made) made
KY_SOFTENED(KY_EXACT_UNIT, , )

#define KY_K(unit, name, lanes, arguments) (const void *)name,
static const void *const kernels[] = {KY_KERNELS_EXACT};

extern const struct ky_cuda_table ky_cuda_exact = {kernels, sizeof kernels / sizeof *kernels};
