/* The functions of every instruction set, each with the name of the set (ky_direct_single_avx512).
 */
#ifndef KY_CPU_LANES_FUNCTIONS_H
#define KY_CPU_LANES_FUNCTIONS_H

#include "engine/cpu/lanes/table.h"

/* mk/isa.mk defines KY_LANES. */
#define KY_ISA_plain 1
#define KY_ISA_sse2 2
#define KY_ISA_avx2 3
#define KY_ISA_avx512 4
#define KY_ISA_neon 5
#define KY_PASTE_(a, b) a##b
#define KY_PASTE(a, b) KY_PASTE_(a, b)
#define KY_LANES_ISA KY_PASTE(KY_ISA_, KY_LANES)
#define KY_LANE_NAME(name) KY_PASTE(KY_PASTE(name, _), KY_LANES)

typedef void ky_direct_function(const struct ky_direct *direct, struct ky_direct_sinks *sinks);
ky_direct_function KY_LANE_NAME(ky_direct_single), KY_LANE_NAME(ky_direct_extended),
    KY_LANE_NAME(ky_direct_double);
typedef uint64_t ky_bits_function(void);
ky_bits_function KY_LANE_NAME(ky_direct_single_bits), KY_LANE_NAME(ky_direct_extended_bits),
    KY_LANE_NAME(ky_direct_double_bits);

ky_moving_function KY_LANE_NAME(ky_moving_extended), KY_LANE_NAME(ky_moving_double),
    KY_LANE_NAME(ky_resting_single);
ky_change_function KY_LANE_NAME(ky_change);
ky_largest_function KY_LANE_NAME(ky_largest);
ky_sum_function KY_LANE_NAME(ky_sum);
ky_rest_function KY_LANE_NAME(ky_rest);
ky_predict_function KY_LANE_NAME(ky_predict_extended), KY_LANE_NAME(ky_predict_double);

typedef void ky_group_function(const struct ky_group_walk *walk, const struct ky_group *group,
                               float factor, void *space, struct ky_group_sinks *result);
typedef void ky_shared_function(const struct ky_group_walk *walk, const struct ky_group *group,
                                size_t groups, float least_factor, float largest_factor,
                                void *space);
typedef size_t ky_group_space_function(const struct ky_octree *tree);
ky_group_function KY_LANE_NAME(ky_group_single), KY_LANE_NAME(ky_group_double);
ky_shared_function KY_LANE_NAME(ky_shared_single), KY_LANE_NAME(ky_shared_double);
ky_group_space_function KY_LANE_NAME(ky_group_space_single), KY_LANE_NAME(ky_group_space_double);

typedef int ky_fmm_cell_function(const struct ky_fmm_walk *walk, struct ky_fmm_sinks *sinks,
                                 const struct ky_fmm_list *from, struct ky_fmm_list *to,
                                 void *space, struct ky_fmm_counts *counts);
typedef void ky_fmm_group_function(const struct ky_fmm_walk *walk, struct ky_fmm_sinks *sinks,
                                   const struct ky_fmm_list *from, const struct ky_group *group,
                                   void *space, struct ky_group_sinks *result,
                                   struct ky_fmm_counts *counts);
ky_fmm_cell_function KY_LANE_NAME(ky_fmm_cell);
int KY_LANE_NAME(ky_mutual_cell)(const struct ky_fmm_walk *walk, uint32_t cell,
                                 struct ky_fmm_sinks *sinks, const struct ky_fmm_list *from,
                                 struct ky_fmm_list *to, void *space, struct ky_fmm_counts *counts);
/* Lets `count` cells act on the local coefficients; the list has KY_BATCH more elements. */
void KY_LANE_NAME(ky_fmm_act)(const struct ky_fmm_walk *walk, struct ky_fmm_sinks *sinks,
                              const uint32_t *cell, size_t count);
ky_fmm_group_function KY_LANE_NAME(ky_fmm_group_single), KY_LANE_NAME(ky_fmm_group_double);
ky_group_space_function KY_LANE_NAME(ky_fmm_space_single), KY_LANE_NAME(ky_fmm_space_double);

size_t KY_LANE_NAME(ky_reach)(const struct ky_reach *reach, size_t first, size_t count,
                              uint32_t *found, double *found2);
double KY_LANE_NAME(ky_bound2)(const struct ky_reach *reach, size_t first, size_t count, size_t k,
                               double *work);

#endif
