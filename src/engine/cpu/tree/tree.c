/* The tree over the bodies of the engine: building, linking and refreshing it. */
#include "engine/cpu/tree/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "octree/opening_kinds.h"

static struct ky_octree_bodies bodies_of(const struct ky_cpu *cpu)
{
    struct ky_octree_bodies bodies = {.n = cpu->n,
                                      .x = cpu->x[0],
                                      .y = cpu->x[1],
                                      .z = cpu->x[2],
                                      .mass = cpu->mass,
                                      .softening = cpu->softening};
    ky_tree_frame(&cpu->frame, cpu->length, &bodies);
    return bodies;
}

void ky_cpu_mark_groups(const struct ky_cpu *cpu, unsigned char *wanted)
{
    const struct ky_octree *tree = &cpu->tree;
    memset(wanted, 0, tree->groups);
    for (size_t k = 0; cpu->in_block && k < cpu->active->count; k++)
        wanted[cpu->kept.group[cpu->active->body[k]]] = 1;
    for (size_t g = 0; g < tree->groups && !cpu->in_block; g++)
        for (uint32_t k = 0; k < tree->group[g].bodies; k++)
            wanted[g] |= cpu->is_active[tree->order[tree->group[g].body + k]];
}

/* Makes the tree with the trees of other ranks grafted. */
static enum ky_status share(struct ky_cpu *cpu, struct ky_shared_tree *wanted,
                            struct ky_error *error)
{
    const struct ky_shared *shared = cpu->base.shared;
    const int by_alpha =
        !wanted->reach && !wanted->points && ky_opening_kind(wanted->parameters->opening)->by_alpha;
    const struct ky_relative relative = by_alpha ? ky_cpu_relative(cpu) : (struct ky_relative){0};
    wanted->relative = by_alpha ? &relative : wanted->relative;
    wanted->is_active = cpu->active ? cpu->is_active : NULL;
    return shared->tree(shared->context, wanted, &cpu->tree, error);
}

/* Makes a tree for some sinks only; it is not valid for others. */
static enum ky_status share_once(struct ky_cpu *cpu, struct ky_shared_tree *wanted,
                                 struct ky_error *error)
{
    cpu->tree_stands = cpu->tree_serves = cpu->tree_linked = 0;
    KY_TRY(share(cpu, wanted, error));
    ky_octree_link(&cpu->tree);
    return KY_OK;
}

/* Builds everything from keys to groups for the current positions; adds the time to the report. */
static enum ky_status build(struct ky_cpu *cpu, const struct ky_parameters *parameters,
                            struct ky_error *error)
{
    const struct ky_octree_bodies bodies = bodies_of(cpu);
    struct ky_shared_tree wanted = {.own = &bodies,
                                    .parameters = parameters,
                                    .has_cells = ky_force_kind(parameters->force)->expands};
    cpu->kept.per_mass = 0;
    enum ky_status status = ky_cpu_is_divided(cpu)
                                ? share(cpu, &wanted, error)
                                : ky_octree_build(&cpu->tree, &bodies, parameters, error);
    ky_tree_seconds(&cpu->tree, &cpu->report);
    cpu->tree_stands = !status;
    cpu->tree_serves = 0;
    cpu->tree_opening = ky_opening_key(parameters);
    cpu->tree_linked = 0;
    return status;
}

void ky_cpu_link_tree(struct ky_cpu *cpu)
{
    if (!cpu->tree_linked)
        ky_octree_link(&cpu->tree);
    cpu->tree_linked = 1;
}

enum ky_status ky_cpu_stand_tree(struct ky_cpu *cpu, const struct ky_parameters *parameters,
                                 struct ky_error *error)
{
    if (!cpu->tree_stands || cpu->tree_opening != ky_opening_key(parameters) ||
        cpu->tree.moments < KY_MOMENTS(parameters->multipole))
        KY_TRY(build(cpu, parameters, error));
    ky_cpu_link_tree(cpu);
    return KY_OK;
}

enum ky_status ky_cpu_stand_tree_for(struct ky_cpu *cpu, struct ky_shared_tree *wanted,
                                     struct ky_error *error)
{
    const struct ky_octree_bodies bodies = bodies_of(cpu);
    wanted->own = &bodies;
    return ky_cpu_is_divided(cpu) ? share_once(cpu, wanted, error)
                                  : ky_cpu_stand_tree(cpu, wanted->parameters, error);
}

enum ky_status ky_cpu_stand_tree_to_walk(struct ky_cpu *cpu, const struct ky_parameters *parameters,
                                         double (*reach)(void *context, const struct ky_octree *own,
                                                         uint32_t first, uint32_t bodies),
                                         void *context, struct ky_error *error)
{
    const struct ky_octree_bodies bodies = bodies_of(cpu);
    struct ky_shared_tree wanted = {.own = &bodies,
                                    .parameters = parameters,
                                    .has_numbers = 1,
                                    .reach = reach,
                                    .reach_context = context};
    return share_once(cpu, &wanted, error);
}

/* The same for the tree that is kept. */
static enum ky_status share_kept(struct ky_cpu *cpu, const struct ky_parameters *parameters,
                                 struct ky_error *error)
{
    unsigned char *marks = cpu->active ? ky_allocate(cpu->tree.groups, 1) : NULL;
    struct ky_shared_tree wanted = {.parameters = parameters,
                                    .moved = cpu->at,
                                    .has_active = marks,
                                    .has_cells = ky_force_kind(parameters->force)->expands};
    if (cpu->active && !marks)
        return ky_no_memory(error, "groups with active bodies", cpu->tree.groups, 1);
    if (marks)
        ky_cpu_mark_groups(cpu, marks);
    const enum ky_status status = share(cpu, &wanted, error);
    cpu->tree_linked = 0;
    free(marks);
    return status;
}

/* Moves the tree that is kept to the current positions. */
static enum ky_status refresh_tree(struct ky_cpu *cpu, const struct ky_parameters *parameters,
                                   struct ky_error *error)
{
    enum ky_status status = ky_cpu_is_divided(cpu)
                                ? share_kept(cpu, parameters, error)
                                : ky_octree_refresh(&cpu->tree, cpu->at, parameters, error);
    cpu->report.moments += cpu->tree.seconds.moments;
    return status;
}

enum ky_status ky_cpu_renew_tree(struct ky_cpu *cpu, const struct ky_parameters *parameters,
                                 struct ky_error *error)
{
    return cpu->in_block && cpu->tree_serves ? refresh_tree(cpu, parameters, error)
                                             : build(cpu, parameters, error);
}
