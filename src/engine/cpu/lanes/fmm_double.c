/* Cells act on cells, with sums over pairs in double. */
#define KY_LANE_DOUBLE 1
#define KY_GROUP_NAME ky_fmm_group_double
#define KY_SPACE_NAME ky_fmm_space_double
#include "engine/cpu/lanes/fmm.h"
