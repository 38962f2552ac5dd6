/* The direct sum with distances taken in double-single, then float (G09). */
#define KY_LANE_DOUBLE 0
#define KY_BASE KY_LOW
#define KY_NAME ky_direct_extended
#include "engine/cpu/lanes/direct.h"
