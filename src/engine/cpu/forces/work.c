/* Interaction counts of a tree that block steps keep, since its last rebuild. */
#include <stdlib.h>

#include "base/memory.h"
#include "engine/cpu/forces/forces.h"

static enum ky_status find_groups(struct ky_cpu *cpu, struct ky_error *error)
{
    const struct ky_octree *tree = &cpu->tree;
    if (!cpu->kept.group && !(cpu->kept.group = ky_allocate(cpu->n, sizeof *cpu->kept.group)))
        return ky_no_memory(error, "groups of bodies", cpu->n, sizeof *cpu->kept.group);
#pragma omp parallel for num_threads(cpu->team)
    for (size_t g = 0; g < tree->groups; g++)
        for (uint32_t k = 0; k < tree->group[g].bodies; k++)
            cpu->kept.group[tree->order[tree->group[g].body + k]] = (uint32_t)g;
    return KY_OK;
}

enum ky_status ky_cpu_start_work(struct ky_cpu *cpu, struct ky_error *error)
{
    const int in_groups = ky_force_kind(cpu->parameters->force)->in_groups;
    const size_t units = in_groups ? cpu->tree.groups : cpu->tree.n;
    free(cpu->kept.first);
    cpu->kept.first = ky_allocate_zeroed(units, sizeof *cpu->kept.first);
    cpu->kept.more = 0;
    enum ky_status status =
        cpu->kept.first ? KY_OK : ky_no_memory(error, "work of groups", units, sizeof(uint32_t));
    if (!status && in_groups)
        status = find_groups(cpu, error);
    cpu->tree_serves = !status;
    return status;
}

void ky_cpu_free_work(struct ky_cpu *cpu)
{
    free(cpu->kept.group);
    free(cpu->kept.first);
    cpu->kept = (struct ky_cpu_kept){0};
}
