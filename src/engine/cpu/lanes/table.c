/* The table of one instruction set. */
#define KY_LANE_DOUBLE 0
#include "engine/cpu/lanes/lanes.h"

#include "engine/cpu/lanes/table.h"

const struct ky_lanes KY_LANE_NAME(ky_lanes) = {
    .single_scale = KY_RSQRT_SCALE,
    .direct = {KY_LANE_NAME(ky_direct_single), KY_LANE_NAME(ky_direct_extended),
               KY_LANE_NAME(ky_direct_double)},
    .bits = {KY_LANE_NAME(ky_direct_single_bits), KY_LANE_NAME(ky_direct_extended_bits),
             KY_LANE_NAME(ky_direct_double_bits)},
    .moving = {KY_LANE_NAME(ky_moving_extended), KY_LANE_NAME(ky_moving_extended),
               KY_LANE_NAME(ky_moving_double)},
    .rest = KY_LANE_NAME(ky_rest),
    .resting = KY_LANE_NAME(ky_resting_single),
    .predict = {KY_LANE_NAME(ky_predict_extended), KY_LANE_NAME(ky_predict_extended),
                KY_LANE_NAME(ky_predict_double)},
    .change = KY_LANE_NAME(ky_change),
    .largest = KY_LANE_NAME(ky_largest),
    .sum = KY_LANE_NAME(ky_sum),
    /* a group's sources are relative to its centre, computed in double: as accurate as
     * `extended` */
    .shared = {KY_LANE_NAME(ky_shared_single), KY_LANE_NAME(ky_shared_single),
               KY_LANE_NAME(ky_shared_double)},
    .group = {KY_LANE_NAME(ky_group_single), KY_LANE_NAME(ky_group_single),
              KY_LANE_NAME(ky_group_double)},
    .group_space = {KY_LANE_NAME(ky_group_space_single), KY_LANE_NAME(ky_group_space_single),
                    KY_LANE_NAME(ky_group_space_double)},
    .fmm_cell = KY_LANE_NAME(ky_fmm_cell),
    .mutual_cell = KY_LANE_NAME(ky_mutual_cell),
    .fmm_group = {KY_LANE_NAME(ky_fmm_group_single), KY_LANE_NAME(ky_fmm_group_single),
                  KY_LANE_NAME(ky_fmm_group_double)},
    .fmm_space = {KY_LANE_NAME(ky_fmm_space_single), KY_LANE_NAME(ky_fmm_space_single),
                  KY_LANE_NAME(ky_fmm_space_double)},
    .reach = KY_LANE_NAME(ky_reach),
    .bound2 = KY_LANE_NAME(ky_bound2),
};
