/* The group walk with sums over pairs in double. */
#define KY_LANE_DOUBLE 1
#define KY_NAME ky_group_double
#define KY_SHARED_NAME ky_shared_double
#define KY_SPACE_NAME ky_group_space_double
#include "engine/cpu/lanes/tree.h"
