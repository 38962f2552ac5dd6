/* The direct sum in single precision: positions rounded to float. */
#define KY_LANE_DOUBLE 0
#define KY_BASE 0
#define KY_NAME ky_direct_single
#include "engine/cpu/lanes/direct.h"
