/* The direct sum with distances in double-single, and then in float (G09). */
#define KY_LANE_DOUBLE 0
#define KY_BASE KY_LOW
#define KY_NAME ky_direct_extended
#include "engine/cpu/lanes/direct.h"
