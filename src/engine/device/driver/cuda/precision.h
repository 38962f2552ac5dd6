/* The kernels of one precision as CUDA, and the table of their addresses; included by single.cu,
 * extended.cu and double.cu, which define KY_PRECISION and KY_PRECISION_NAME. */
#include "engine/device/driver/cuda/cuda.h"
#include "engine/device/kernels/steps/block.k"
#include "engine/device/kernels/steps/comoving.k"
#if KY_IN_EXTENDED
#include "engine/device/kernels/forces/boxes.k"
#include "engine/device/kernels/forces/matrix.k"
#endif
#if !KY_IN_SINGLE
#include "engine/device/kernels/board/lists.k"
#include "engine/device/kernels/board/reduce.k"
#include "engine/device/kernels/board/slots.k"
#include "engine/device/kernels/board/sum.k"
#include "engine/device/kernels/steps/hermite.k"
#include "engine/device/kernels/steps/hermite_correct.k"
#include "engine/device/kernels/steps/hermite_sum.k"
#endif
#include "engine/device/kernels/forces/direct.k"
#include "engine/device/kernels/forces/fmm.k"
#include "engine/device/kernels/forces/general.k"
#include "engine/device/kernels/forces/joins.k"
#include "engine/device/kernels/forces/list.k"
#include "engine/device/kernels/forces/nearest.k"
#include "engine/device/kernels/forces/sources.k"
#include "engine/device/kernels/forces/tree.k"
#include "engine/device/kernels/forces/walk.k"
#include "engine/device/kernels/tree/walk_sources.k"

#define KY_K(unit, name, lanes) ky_cuda_kernel_of(name),
#define KY_TABLE_(p) ky_cuda_##p
#define KY_TABLE(p) KY_TABLE_(p)
#define KY_ALL_OF(list, p) list(p, 0)
#define KY_ALL(list, p) KY_ALL_OF(list, p)

/* The kernels that units instantiate from the templates in these files. */
#define KY_U(unit, file, precision, made) made
KY_ALL(KY_UNITS_OF, KY_PRECISION_NAME)

KY_CUDA_TABLE(KY_TABLE(KY_PRECISION_NAME), KY_ALL(KY_KERNELS_OF, KY_PRECISION_NAME))
