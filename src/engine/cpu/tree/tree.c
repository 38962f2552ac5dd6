/* The tree of a set of bodies: building, linking and refreshing it. */
#include "engine/cpu/tree/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "octree/opening_kinds.h"

static struct ky_octree_bodies bodies_of(const struct ky_cpu_sinks *set)
{
    const struct ky_cpu *cpu = set->cpu;
    struct ky_octree_bodies bodies = {.n = set->n,
                                      .member = set->member,
                                      .x = cpu->x[0],
                                      .y = cpu->x[1],
                                      .z = cpu->x[2],
                                      .mass = cpu->mass,
                                      .softening = cpu->softening};
    const double side = cpu->parameters->box;
    const struct ky_engine_frame box = ky_tree_frame_of_box(side);
    ky_tree_frame(side > 0 ? &box : &cpu->frame, cpu->length, &bodies);
    return bodies;
}

void ky_cpu_mark_groups(const struct ky_cpu_sinks *set, unsigned char *wanted)
{
    const struct ky_octree *tree = &set->tree;
    const int in_block = set->cpu->in_block;
    memset(wanted, 0, tree->groups);
    for (size_t k = 0; in_block && k < set->active->count; k++)
        wanted[set->kept.group[set->active->body[k]]] = 1;
    for (size_t g = 0; g < tree->groups && !in_block; g++)
        for (uint32_t k = 0; k < tree->group[g].bodies; k++)
            wanted[g] |= set->is_active[tree->order[tree->group[g].body + k]];
}

/* Makes the tree with the trees of other ranks grafted. */
static enum ky_status share(struct ky_cpu_sinks *set, struct ky_shared_tree *wanted,
                            struct ky_error *error)
{
    const struct ky_shared *shared = set->cpu->base.shared;
    const int by_alpha =
        !wanted->reach && !wanted->points && ky_opening_kind(wanted->parameters->opening)->by_alpha;
    const struct ky_relative relative = by_alpha ? ky_cpu_relative(set) : (struct ky_relative){0};
    wanted->relative = by_alpha ? &relative : wanted->relative;
    wanted->is_active = set->active ? set->is_active : NULL;
    return shared->tree(shared->context, wanted, &set->tree, error);
}

/* Makes a tree for some sinks only; it is not valid for others. */
static enum ky_status share_once(struct ky_cpu_sinks *set, struct ky_shared_tree *wanted,
                                 struct ky_error *error)
{
    set->tree_stands = set->tree_serves = set->tree_linked = 0;
    KY_TRY(share(set, wanted, error));
    ky_octree_link(&set->tree);
    return KY_OK;
}

/* The positions of a block as columns, if they are rows, since the tree of another set is kept. The
 * caller frees *room. */
static enum ky_status find_positions(const struct ky_cpu_sinks *set,
                                     struct ky_octree_bodies *bodies, double **room,
                                     struct ky_error *error)
{
    const struct ky_cpu *cpu = set->cpu;
    const size_t n = cpu->n;
    *room = NULL;
    if (!cpu->in_block || !cpu->bodies.tree_serves)
        return KY_OK;
    double *x = *room = ky_allocate(3 * n, sizeof *x);
    if (!x)
        return ky_no_memory(error, "positions in a block", n, 3 * sizeof *x);
    for (size_t k = 0; k < set->n; k++)
        for (size_t c = 0, i = set->member[k]; c < 3; c++)
            x[c * n + i] = cpu->at[i][c];
    bodies->x = x;
    bodies->y = x + n;
    bodies->z = x + 2 * n;
    return KY_OK;
}

/* Builds everything from keys to groups for the current positions; adds the time to the report. */
static enum ky_status build(struct ky_cpu_sinks *set, const struct ky_parameters *parameters,
                            struct ky_error *error)
{
    struct ky_cpu *cpu = set->cpu;
    struct ky_octree_bodies bodies = bodies_of(set);
    double *room;
    KY_TRY(find_positions(set, &bodies, &room, error));
    struct ky_shared_tree wanted = {.own = &bodies,
                                    .parameters = parameters,
                                    .has_cells = ky_force_kind(parameters->force)->expands};
    set->kept.per_mass = 0;
    enum ky_status status = ky_cpu_is_divided(cpu)
                                ? share(set, &wanted, error)
                                : ky_octree_build(&set->tree, &bodies, parameters, error);
    ky_tree_seconds(&set->tree, &cpu->report);
    set->tree_stands = !status;
    set->tree_serves = 0;
    set->tree_opening = ky_opening_key(parameters);
    set->tree_linked = 0;
    free(room);
    return status;
}

void ky_cpu_link_tree(struct ky_cpu_sinks *set)
{
    if (!set->tree_linked)
        ky_octree_link(&set->tree);
    set->tree_linked = 1;
}

enum ky_status ky_cpu_stand_tree(struct ky_cpu_sinks *set, const struct ky_parameters *parameters,
                                 struct ky_error *error)
{
    if (!set->tree_stands || set->tree_opening != ky_opening_key(parameters) ||
        set->tree.moments < KY_MOMENTS(parameters->multipole))
        KY_TRY(build(set, parameters, error));
    ky_cpu_link_tree(set);
    return KY_OK;
}

enum ky_status ky_cpu_stand_tree_for(struct ky_cpu_sinks *set, struct ky_shared_tree *wanted,
                                     struct ky_error *error)
{
    const struct ky_octree_bodies bodies = bodies_of(set);
    wanted->own = &bodies;
    return ky_cpu_is_divided(set->cpu) ? share_once(set, wanted, error)
                                       : ky_cpu_stand_tree(set, wanted->parameters, error);
}

enum ky_status ky_cpu_stand_tree_to_walk(struct ky_cpu_sinks *set,
                                         const struct ky_parameters *parameters,
                                         double (*reach)(void *context, const struct ky_octree *own,
                                                         uint32_t first, uint32_t bodies),
                                         void *context, struct ky_error *error)
{
    const struct ky_octree_bodies bodies = bodies_of(set);
    struct ky_shared_tree wanted = {.own = &bodies,
                                    .parameters = parameters,
                                    .has_numbers = 1,
                                    .reach = reach,
                                    .reach_context = context};
    return share_once(set, &wanted, error);
}

/* The same for the tree that is kept. */
static enum ky_status share_kept(struct ky_cpu_sinks *set, const struct ky_parameters *parameters,
                                 struct ky_error *error)
{
    unsigned char *marks = set->active ? ky_allocate(set->tree.groups, 1) : NULL;
    struct ky_shared_tree wanted = {.parameters = parameters,
                                    .moved = set->cpu->at,
                                    .has_active = marks,
                                    .has_cells = ky_force_kind(parameters->force)->expands};
    if (set->active && !marks)
        return ky_no_memory(error, "groups with active bodies", set->tree.groups, 1);
    if (marks)
        ky_cpu_mark_groups(set, marks);
    const enum ky_status status = share(set, &wanted, error);
    set->tree_linked = 0;
    free(marks);
    return status;
}

/* Moves the tree that is kept to the current positions. */
static enum ky_status refresh_tree(struct ky_cpu_sinks *set, const struct ky_parameters *parameters,
                                   struct ky_error *error)
{
    struct ky_cpu *cpu = set->cpu;
    enum ky_status status = ky_cpu_is_divided(cpu)
                                ? share_kept(set, parameters, error)
                                : ky_octree_refresh(&set->tree, cpu->at, parameters, error);
    cpu->report.moments += set->tree.seconds.moments;
    return status;
}

enum ky_status ky_cpu_renew_tree(struct ky_cpu_sinks *set, const struct ky_parameters *parameters,
                                 struct ky_error *error)
{
    return set->cpu->in_block && set->tree_serves ? refresh_tree(set, parameters, error)
                                                  : build(set, parameters, error);
}
