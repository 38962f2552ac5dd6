/* Moving bodies on moving sinks: distances in double-single, everything else in float. */
#define KY_LANE_DOUBLE 0
#define KY_RESTING 0
#define KY_NAME ky_moving_extended
#include "engine/cpu/lanes/moving.h"
