/* Sources that other engines hold, as the CPU engine takes them: the verb `foreign`. */
#ifndef KY_CPU_FOREIGN_H
#define KY_CPU_FOREIGN_H

#include <stddef.h>

#include "engine/engine.h"

struct ky_cpu;

/* In the units of the engine's bodies (cpu.h). All 0: none. */
struct ky_cpu_foreign {
    /* For the exact sum: the bodies of all other engines one after another. */
    size_t n;
    double *room;      /* the columns that follow */
    double *at[6];     /* x, v; velocities and their changes in the engine's lengths */
    double *change[6]; /* a, j */
    double *mass;
    double *eps2; /* as ky_cpu_sink_eps2 */
    void *column; /* of steps/hermite_sums.c: the same for the lanes; NULL: no memory yet */
    /* For forces with a tree: those of the other engines. */
    size_t trees;
    struct ky_octree *tree;
};

enum ky_status ky_cpu_foreign(struct ky_cpu *cpu, const struct ky_foreign *others, size_t count,
                              struct ky_error *error);
void ky_cpu_free_foreign(struct ky_cpu *cpu);

#endif
