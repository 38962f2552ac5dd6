/* Moving bodies on moving sinks in double. */
#define KY_LANE_DOUBLE 1
#define KY_RESTING 0
#define KY_NAME ky_moving_double
#include "engine/cpu/lanes/moving.h"
