/* The kernels in single precision; see precision.h. */
#define KY_PRECISION 0
#define KY_PRECISION_NAME single
#include "engine/device/driver/cuda/precision.h"
