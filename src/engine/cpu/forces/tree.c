/* --force tree: the walk for groups of bodies (the method of B12, with lanes instead of a warp).
 * With --force walk each body walks separately (walk.c). */
#include "engine/cpu/forces/forces.h"
#include "engine/cpu/forces/groups.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/threads.h"
#include "engine/cpu/tree/tree.h"
#include "octree/opening_kinds.h"

/* 1 if one of these groups is marked; `wanted` NULL: all are. */
static int any_wanted(const unsigned char *wanted, size_t groups)
{
    size_t g = 0;
    while (wanted && g < groups && !wanted[g])
        g++;
    return g < groups;
}

/* Data of all shares of a walk. */
struct shares {
    struct ky_group_walk walk;
    const struct ky_relative *relative; /* only for an opening test by α */
    const unsigned char *wanted;        /* [groups] marks; NULL: all groups */
};

/* Consecutive groups that share a walk, and the wanted ones among them. */
struct share {
    const struct ky_group *group;
    size_t first, groups;
    const unsigned char *wanted; /* NULL: all */
    int precision;
    double factor[KY_SHARED_GROUPS], least, largest;
};

/* Replaces the forces on the wanted groups by the sources' acceleration and potential. */
static void walk_sources(struct ky_cpu_sinks *set, const struct ky_group_walk *walk,
                         const struct share *share, void *space, struct ky_cpu_work *work)
{
    const struct ky_lanes *lanes = set->cpu->lanes;
    lanes->shared[share->precision](walk, share->group, share->groups, (float)share->least,
                                    (float)share->largest, space);
    for (size_t g = 0; g < share->groups; g++) {
        const struct ky_group *group = &share->group[g];
        struct ky_group_sinks sinks;
        if (share->wanted && !share->wanted[g])
            continue;
        ky_cpu_choose_sinks(set, group, &sinks);
        lanes->group[share->precision](walk, group, (float)share->factor[g], space, &sinks);
        ky_cpu_add_far_to_sinks(set, group, &sinks);
        ky_cpu_store_sinks(set, group, &sinks);
        work->bodies += sinks.bodies * sinks.count;
        work->cells += sinks.cells * sinks.count;
        work->more +=
            ky_cpu_note_work(set, share->first + g, sinks.bodies + sinks.cells, sinks.count);
    }
}

static void walk_share(struct ky_cpu_sinks *set, const struct shares *shares, size_t number,
                       void *space, struct ky_cpu_work *work)
{
    const struct ky_octree *tree = &set->tree;
    struct share share = {.first = tree->share[number], .least = (double)INFINITY};
    share.wanted = shares->wanted ? shares->wanted + share.first : NULL;
    share.group = tree->group + share.first;
    share.groups = tree->share[number + 1] - share.first;
    if (!any_wanted(share.wanted, share.groups) || ky_halted(set->cpu->base.halt))
        return;
    share.precision = ky_cpu_groups_precision(set, share.group, share.groups);
    for (size_t g = 0; g < share.groups; g++) {
        const struct ky_group *group = &share.group[g];
        share.factor[g] =
            !shares->relative
                ? 1
                : ky_relative_factor(shares->relative, tree->order + group->body, group->bodies);
        share.least = fmin(share.least, share.factor[g]);
        share.largest = fmax(share.largest, share.factor[g]);
    }
    if (shares->walk.sources->nodes > 0)
        walk_sources(set, &shares->walk, &share, space, work);
}

/* The bodies of the groups of a share. */
static struct ky_group bodies_of_share(const void *of, size_t share)
{
    const struct ky_octree *tree = of;
    const struct ky_group *first = &tree->group[tree->share[share]],
                          *last = &tree->group[tree->share[share + 1] - 1];
    return (struct ky_group){first->body, last->body + last->bodies - first->body};
}

/* Walks all shares; `space` is for all threads. */
static enum ky_status walk_shares(struct ky_cpu_sinks *set, const struct shares *shares,
                                  char *space, size_t space_bytes, struct ky_error *error)
{
    uint64_t bodies = 0, cells = 0;
    int64_t more = 0;
    const size_t count = set->tree.shares;
    const struct ky_cpu_turns turns = ky_cpu_turns(set);
#pragma omp parallel for schedule(dynamic) num_threads(set->cpu->threads)                               \
    reduction(+ : bodies, cells, more) if (count > 1)
    for (size_t share = 0; share < count; share++) {
        struct ky_cpu_work work = {0};
        if (ky_cpu_walks(&turns, share))
            walk_share(set, shares, share, space + (size_t)ky_thread() * space_bytes, &work);
        if (!ky_cpu_counts(&turns, share))
            continue;
        bodies += work.bodies;
        cells += work.cells;
        more += work.more;
    }
    const struct ky_cpu_work work = {bodies, cells, more};
    return ky_cpu_end_walk(set, &turns, work, count, bodies_of_share, &set->tree, error);
}

enum ky_status ky_cpu_walk_groups(struct ky_cpu_sinks *set, const struct ky_parameters *parameters,
                                  struct ky_error *error)
{
    const struct ky_cpu *cpu = set->cpu;
    const struct ky_octree *tree = &set->tree, *sources = &set->sources->tree;
    struct ky_relative relative = {0};
    struct shares shares = {.walk = {.tree = tree,
                                     .sources = sources,
                                     .eps2 = set->eps2,
                                     .how = set->how,
                                     .order = parameters->multipole,
                                     .images = ky_cpu_images(cpu),
                                     .box = cpu->box}};
    if (ky_opening_kind(parameters->opening)->by_alpha) {
        relative = ky_cpu_relative(set);
        shares.relative = &relative;
    }
    /* A thread's work space for double, which needs more than float. */
    const size_t space_bytes = cpu->lanes->group_space[KY_DOUBLE](sources),
                 marks = set->active ? tree->groups : 0;
    char *space = ky_allocate((size_t)cpu->threads, space_bytes);
    unsigned char *wanted = ky_allocate(marks, 1);
    enum ky_status status = KY_OK;
    if (!space || !wanted) {
        status = ky_no_memory(error, "lists of the tree walk", (size_t)cpu->threads, space_bytes);
        goto end;
    }
    if (set->active) {
        ky_cpu_mark_groups(set, wanted);
        shares.wanted = wanted;
    }
    status = walk_shares(set, &shares, space, space_bytes, error);
end:
    free(wanted);
    free(space);
    return status;
}

static enum ky_status pass(struct ky_cpu_sinks *set, const struct ky_parameters *parameters,
                           struct ky_error *error)
{
    struct ky_cpu *cpu = set->cpu;
    const struct ky_parameters built =
        set->sources == set ? *parameters : ky_cpu_sinks_tree(parameters, set->n, set->sources->n);
    enum ky_status status = ky_cpu_renew_tree(set, &built, error);
    if (!status && cpu->in_block && !set->tree_serves)
        status = ky_cpu_start_work(set, error);
    double start = ky_clock();
    if (!status)
        status = cpu->method->walk(set, parameters, error);
    if (!status)
        status = ky_halt_check(cpu->base.halt, error);
    cpu->report.walk += ky_clock() - start;
    return status;
}

enum ky_status ky_cpu_tree(struct ky_cpu *cpu, struct ky_error *error)
{
    int knows = 1;
    const struct ky_parameters parameters = ky_force_tree(cpu->parameters);
    const int by_alpha = ky_opening_kind(parameters.opening)->by_alpha;
    enum ky_status status = by_alpha ? ky_cpu_knows_pull(cpu, &knows, error) : KY_OK;
    if (!status && !knows) {
        const struct ky_parameters first = ky_without_relative(&parameters);
        status = ky_cpu_pass_all(cpu, pass, &first, error);
        ky_cpu_note_pull(cpu);
    }
    return status ? status : ky_cpu_pass_all(cpu, pass, &parameters, error);
}

const struct ky_cpu_method ky_cpu_tree_method = {
    .forces = ky_cpu_tree, .walk = ky_cpu_walk_groups, .memory = ky_octree_memory};
