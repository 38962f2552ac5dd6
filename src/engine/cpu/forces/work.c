/* The work of the walks through a tree that block steps keep: what is noted when it is new. */
#include <stdlib.h>

#include "base/memory.h"
#include "engine/cpu/state/cpu.h"

static void find_groups(struct ky_cpu *cpu)
{
    const struct ky_octree *tree = &cpu->tree;
#pragma omp parallel for num_threads(cpu->team)
    for (size_t g = 0; g < tree->groups; g++)
        for (uint32_t k = 0; k < tree->group[g].bodies; k++)
            cpu->blocks.group[tree->order[tree->group[g].body + k]] = (uint32_t)g;
}

enum ky_status ky_cpu_start_work(struct ky_cpu *cpu, struct ky_error *error)
{
    const int in_groups = ky_force_kind(cpu->parameters->force)->in_groups;
    const size_t units = in_groups ? cpu->tree.groups : cpu->tree.n;
    free(cpu->blocks.first);
    cpu->blocks.first = ky_allocate_zeroed(units, sizeof *cpu->blocks.first);
    cpu->blocks.more = 0;
    cpu->blocks.relative.a[0] = NULL;
    cpu->tree_serves = cpu->blocks.first != NULL;
    if (in_groups)
        find_groups(cpu);
    return cpu->blocks.first ? KY_OK
                             : ky_no_memory(error, "work of groups", units, sizeof(uint32_t));
}
