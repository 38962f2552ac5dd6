/* Bodies at rest on sinks in float: acceleration and potential, without labels. */
#define KY_LANE_DOUBLE 0
#define KY_RESTING 1
#define KY_NAME ky_resting_single
#include "engine/cpu/lanes/moving.h"
