/* Cells act on cells, with sums over pairs in float. */
#define KY_LANE_DOUBLE 0
#define KY_GROUP_NAME ky_fmm_group_single
#define KY_SPACE_NAME ky_fmm_space_single
#include "engine/cpu/lanes/fmm.h"
