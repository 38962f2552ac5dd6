/* Common code of the methods in which cells act on cells. */
#ifndef KY_CPU_CELLS_H
#define KY_CPU_CELLS_H

#include "engine/cpu/state/cpu.h"

/* Copies the local coefficients of `from`, shifted to the middle of `to`; `from` NULL: sets them to
 * 0. */
void ky_cpu_inherit(const struct ky_fmm_sinks *from, struct ky_fmm_sinks *to, int order);

/* Splits the time since `start` in the report in proportion to the thread time spent on cells and
 * on groups. */
void ky_cpu_divide_walk(struct ky_cpu *cpu, double start, double cells, double groups);

#endif
