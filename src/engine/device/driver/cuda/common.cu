/* The kernels that do not depend on the precision, as CUDA. */
#include "engine/device/driver/cuda/cuda.h"
#include "engine/device/kernels/driver/order.k"
#include "engine/device/kernels/driver/reorder.k"
#include "engine/device/kernels/driver/teams.k"
#include "engine/device/kernels/forces/expand_sinks.k"
#include "engine/device/kernels/forces/far.k"
#include "engine/device/kernels/forces/forest.k"
#include "engine/device/kernels/ranks/curve.k"
#include "engine/device/kernels/ranks/graft.k"
#include "engine/device/kernels/ranks/prune.k"
#include "engine/device/kernels/ranks/rows.k"
#include "engine/device/kernels/state/bodies.k"
#include "engine/device/kernels/state/external.k"
#include "engine/device/kernels/state/outer.k"
#include "engine/device/kernels/state/sums.k"
#include "engine/device/kernels/tree/cells.k"
#include "engine/device/kernels/tree/groups.k"
#include "engine/device/kernels/tree/grow.k"
#include "engine/device/kernels/tree/keys.k"
#include "engine/device/kernels/tree/relative.k"

#define KY_K(unit, name, lanes) ky_cuda_kernel_of(name),
KY_CUDA_TABLE(ky_cuda_common, KY_KERNELS_COMMON)
