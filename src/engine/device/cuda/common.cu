/* The kernels that have no precision, as CUDA. */
#include "engine/device/cuda/cuda.h"
#include "engine/device/kernels/cells.k"
#include "engine/device/kernels/groups.k"
#include "engine/device/kernels/grow.k"
#include "engine/device/kernels/keys.k"
#include "engine/device/kernels/order.k"
#include "engine/device/kernels/reorder.k"
#include "engine/device/kernels/teams.k"

#define KY_K(unit, name, lanes, arguments) (const void *)name,
static const void *const kernels[] = {KY_KERNELS_COMMON};

extern const struct ky_cuda_table ky_cuda_common = {kernels, sizeof kernels / sizeof *kernels};
