/* Groups of bodies that are sinks together: their active bodies, the precision that they need, and
 * their results. */
#ifndef KY_CPU_GROUPS_H
#define KY_CPU_GROUPS_H

#include "engine/cpu/state/cpu.h"

/* Lists the bodies of the group that are active. */
void ky_cpu_choose_sinks(const struct ky_cpu_sinks *set, const struct ky_group *group,
                         struct ky_group_sinks *sinks);
/* In a box, adds the far field to their results. */
void ky_cpu_add_far_to_sinks(const struct ky_cpu_sinks *set, const struct ky_group *group,
                             struct ky_group_sinks *sinks);
/* Stores the accelerations and potentials of the listed bodies. */
void ky_cpu_store_sinks(struct ky_cpu_sinks *set, const struct ky_group *group,
                        const struct ky_group_sinks *sinks);
/* The precision of the lanes for a group, given half its longest side: the precision of the
 * parameters, or KY_DOUBLE if that is not accurate enough. */
int ky_cpu_group_precision(const struct ky_cpu_sinks *set, const struct ky_group *group,
                           double half);
/* The same for several consecutive groups. */
int ky_cpu_groups_precision(const struct ky_cpu_sinks *set, const struct ky_group *group,
                            size_t groups);

/* The groups of a cell that is divided into groups: first ≤ number < end. */
struct ky_cpu_range {
    uint32_t first, end;
};
struct ky_cpu_range ky_cpu_groups_of(const struct ky_octree *tree, uint32_t cell);
/* Lists the largest cells with at most this many bodies, and leaves above them. Returns their
 * number, at most the number of cells. */
size_t ky_cpu_cut(const struct ky_octree *tree, uint32_t bodies, uint32_t *branch);

#endif
