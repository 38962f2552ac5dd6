/* The tree of a set of bodies of the CPU engine, set->tree. Times are added to the report. */
#ifndef KY_CPU_TREE_H
#define KY_CPU_TREE_H

#include "engine/cpu/state/cpu.h"

/* Builds the tree for the current positions unless it is valid for them, with the opening test and
 * the moments of the parameters, and makes its links. */
enum ky_status ky_cpu_stand_tree(struct ky_cpu_sinks *set, const struct ky_parameters *parameters,
                                 struct ky_error *error);
/* The same for sinks that are not bodies, described by `wanted`, with the parameters. A single
 * engine needs only these two. */
enum ky_status ky_cpu_stand_tree_for(struct ky_cpu_sinks *set, struct ky_shared_tree *wanted,
                                     struct ky_error *error);
/* The same for a walk with an action, on an engine that shares a system: the tree has the indices
 * of bodies, and the bodies within `reach` (engine/shared.h); NULL: the cells that the opening test
 * opens. Collective. */
enum ky_status ky_cpu_stand_tree_to_walk(struct ky_cpu_sinks *set,
                                         const struct ky_parameters *parameters,
                                         double (*reach)(void *context, const struct ky_octree *own,
                                                         uint32_t first, uint32_t bodies),
                                         void *context, struct ky_error *error);
/* The tree for the next forces: the one that block steps keep, with the bodies at cpu->at, or a new
 * one. */
enum ky_status ky_cpu_renew_tree(struct ky_cpu_sinks *set, const struct ky_parameters *parameters,
                                 struct ky_error *error);
/* Marks the groups of the tree that have active bodies: wanted[groups]. */
void ky_cpu_mark_groups(const struct ky_cpu_sinks *set, unsigned char *wanted);
/* 1 if the bodies have last accelerations: on at least one engine, if several divide the system
 * (one may have no bodies). */
enum ky_status ky_cpu_knows_acceleration(const struct ky_cpu *cpu, int *knows,
                                         struct ky_error *error);
/* *knows: 1 if all bodies of all ranks have the last pulls that a test by α needs, else 0. */
enum ky_status ky_cpu_knows_pull(const struct ky_cpu *cpu, int *knows, struct ky_error *error);
/* Stores |a| of the active bodies for a test by α. Their accelerations must not contain external
 * fields yet. */
void ky_cpu_note_pull(struct ky_cpu *cpu);
/* Makes the links of the tree unless it has them. */
void ky_cpu_link_tree(struct ky_cpu_sinks *set);
/* The data for an opening test by α from the last accelerations. In blocks the mass is from the
 * time when the tree was built. */
struct ky_relative ky_cpu_relative(struct ky_cpu_sinks *set);

#endif
