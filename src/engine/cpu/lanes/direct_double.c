/* The direct sum in double: the reference for all other forces (F09's `cpu-only`). */
#define KY_LANE_DOUBLE 1
#define KY_BASE 0
#define KY_NAME ky_direct_double
#include "engine/cpu/lanes/direct.h"
