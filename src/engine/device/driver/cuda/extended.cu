/* The kernels in extended precision; see precision.h. */
#define KY_PRECISION 1
#define KY_PRECISION_NAME extended
#include "engine/device/driver/cuda/precision.h"
