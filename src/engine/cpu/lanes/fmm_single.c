/* Cells act on cells, with sums in float. */
#define KY_LANE_DOUBLE 0
#define KY_CELL_NAME ky_fmm_cell_single
#define KY_GROUP_NAME ky_fmm_group_single
#define KY_SPACE_NAME ky_fmm_space_single
#include "engine/cpu/lanes/fmm.h"
