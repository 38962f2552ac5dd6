/* The kernels of one precision as CUDA, and the table of their addresses; the body of single.cu,
 * extended.cu and double.cu, which say KY_PRECISION and KY_PRECISION_NAME. */
#include "engine/device/cuda/cuda.h"
#include "engine/device/kernels/block.k"
#if !KY_IN_SINGLE
#include "engine/device/kernels/board.k"
#include "engine/device/kernels/hermite.k"
#include "engine/device/kernels/hermite_correct.k"
#endif
#include "engine/device/kernels/bodies.k"
#include "engine/device/kernels/direct.k"
#include "engine/device/kernels/external.k"
#include "engine/device/kernels/general.k"
#include "engine/device/kernels/group_walk.k"
#include "engine/device/kernels/lists.k"
#include "engine/device/kernels/relative.k"
#include "engine/device/kernels/sources.k"
#include "engine/device/kernels/walk.k"
#include "engine/device/kernels/walk_sources.k"

#define KY_K(unit, name, lanes, arguments) (const void *)name,
#define KY_TABLE_(p) ky_cuda_##p
#define KY_TABLE(p) KY_TABLE_(p)
#define KY_ALL_(p) KY_KERNELS_OF(p, 0)
#define KY_ALL(p) KY_ALL_(p)

static const void *const kernels[] = {KY_ALL(KY_PRECISION_NAME)};

extern const struct ky_cuda_table KY_TABLE(KY_PRECISION_NAME) = {kernels,
                                                                 sizeof kernels / sizeof *kernels};
