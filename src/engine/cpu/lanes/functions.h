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

#define KY_DECLARE_EACH(type, member, single, extended, real)                                      \
    type KY_LANE_NAME(single), KY_LANE_NAME(extended), KY_LANE_NAME(real);
#define KY_DECLARE_ONE(type, member, function) type KY_LANE_NAME(function);
KY_LANE_FUNCTIONS(KY_DECLARE_EACH, KY_DECLARE_ONE)

/* Lets `count` cells act on the local coefficients; the list has KY_BATCH more elements. */
void KY_LANE_NAME(ky_fmm_act)(const struct ky_fmm_walk *walk, struct ky_fmm_sinks *sinks,
                              const uint32_t *cell, size_t count);

#endif
