/* Interaction counts of a tree that block steps keep, since its last rebuild. */
#include <stdlib.h>

#include "base/memory.h"
#include "engine/cpu/forces/forces.h"

static enum ky_status find_groups(struct ky_cpu_sinks *set, struct ky_error *error)
{
    const struct ky_octree *tree = &set->tree;
    if (!set->kept.group && !(set->kept.group = ky_allocate(set->columns, sizeof *set->kept.group)))
        return ky_no_memory(error, "groups of bodies", set->columns, sizeof *set->kept.group);
#pragma omp parallel for num_threads(set->cpu->team)
    for (size_t g = 0; g < tree->groups; g++)
        for (uint32_t k = 0; k < tree->group[g].bodies; k++)
            set->kept.group[tree->order[tree->group[g].body + k]] = (uint32_t)g;
    return KY_OK;
}

enum ky_status ky_cpu_start_work(struct ky_cpu_sinks *set, struct ky_error *error)
{
    const int in_groups = ky_force_kind(set->parameters->force)->in_groups;
    const size_t units = in_groups ? set->tree.groups : set->tree.n;
    free(set->kept.first);
    set->kept.first = ky_allocate_zeroed(units, sizeof *set->kept.first);
    set->kept.more = 0;
    enum ky_status status =
        set->kept.first ? KY_OK : ky_no_memory(error, "work of groups", units, sizeof(uint32_t));
    if (!status && in_groups)
        status = find_groups(set, error);
    set->tree_serves = !status;
    return status;
}

void ky_cpu_free_work(struct ky_cpu_sinks *set)
{
    free(set->kept.group);
    free(set->kept.first);
    set->kept = (struct ky_cpu_kept){0};
}
