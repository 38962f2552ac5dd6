/* The kernels in double precision; see precision.h. */
#define KY_PRECISION 2
#define KY_PRECISION_NAME double
#include "engine/device/driver/cuda/precision.h"
