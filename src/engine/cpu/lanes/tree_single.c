/* The group walk with sums over pairs in float. */
#define KY_LANE_DOUBLE 0
#define KY_NAME ky_group_single
#define KY_SHARED_NAME ky_shared_single
#define KY_SPACE_NAME ky_group_space_single
#include "engine/cpu/lanes/tree.h"
