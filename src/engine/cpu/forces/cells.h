/* What the methods in which cells act on cells have in common. */
#ifndef KY_CPU_CELLS_H
#define KY_CPU_CELLS_H

#include "engine/cpu/state/cpu.h"

/* Sets the local coefficients of `to` to those of `from`, about the middle of `to`; `from` NULL: to
 * 0. */
void ky_cpu_inherit(const struct ky_fmm_sinks *from, struct ky_fmm_sinks *to, int order);

/* Divides the seconds since `start` in the report as the seconds that all threads were at cells and
 * at groups. */
void ky_cpu_divide_walk(struct ky_cpu *cpu, double start, double cells, double groups);

#endif
