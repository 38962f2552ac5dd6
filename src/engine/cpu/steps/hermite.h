/* The parts of the Hermite scheme on the CPU: hermite.c leads from block to block, hermite_sums.c
 * sums over pairs, hermite_start.c once for the first steps, hermite_rate.c for a body on which
 * forces cancel. */
#ifndef KY_CPU_HERMITE_H
#define KY_CPU_HERMITE_H

#include "engine/cpu/state/cpu.h"
#include "physics/change.h"

/* Numbers of a body: three components each of two vectors. */
enum { KY_HERMITE_SUMS = 6 };

/* The positions and velocities cpu->hermite.at[] have been set. For the sinks, cpu->blocks.active[0
 * … count), or with `all` body after body: accelerations and jerks in the caller's units, with
 * external fields, to cpu->hermite.sum[c][k]. KY_FAULT when memory is out. */
enum ky_status ky_cpu_sum_jerks(struct ky_cpu *cpu, size_t count, int all, struct ky_error *error);
/* Sets softenings and the numbers of the lanes from the bodies at the ends of their steps. */
void ky_cpu_frame_hermite(struct ky_cpu *cpu);
/* For all bodies the second and third derivatives of their accelerations, which with the jerks are
 * those of the engine's columns, in the caller's units, to cpu->hermite.sum, and their rate2.
 * KY_FAULT when memory is out. */
enum ky_status ky_cpu_sum_changes(struct ky_cpu *cpu, struct ky_error *error);
/* How fast the other bodies, where they stand, and external fields can change the force on body i
 * [1/time²]. */
double ky_cpu_hermite_rate2(const struct ky_cpu *cpu, size_t i);
/* The same where the bodies' part is known. */
double ky_cpu_hermite_rate2_of(const struct ky_cpu *cpu, struct ky_hermite_rate rate, size_t i);
/* Room for these sums. KY_FAULT when memory is out. */
enum ky_status ky_cpu_reserve_hermite(struct ky_cpu *cpu, struct ky_error *error);

#endif
