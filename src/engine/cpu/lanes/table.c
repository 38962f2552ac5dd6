/* The table of one instruction set. */
#define KY_LANE_DOUBLE 0
#include "engine/cpu/lanes/lanes.h"

#include "engine/cpu/lanes/table.h"

#define EACH(type, member, single, extended, real)                                                 \
    .member = {KY_LANE_NAME(single), KY_LANE_NAME(extended), KY_LANE_NAME(real)},
#define ONE(type, member, function) .member = KY_LANE_NAME(function),

const struct ky_lanes KY_LANE_NAME(ky_lanes) = {.single_scale = KY_RSQRT_SCALE,
                                                KY_LANE_FUNCTIONS(EACH, ONE)};
