/* The tree: builds it over the engine's bodies and walks it for groups of them (B12's way, with
 * the lanes in place of a warp), or lets each body walk by itself (walk.c). */
#include "engine/cpu/cpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/threads.h"

/* The field of consecutive bodies of the tree back to the caller's order. */
static void store(struct ky_cpu *cpu, const struct ky_group *group, struct ky_cpu_scale scale,
                  const struct ky_group_result *result)
{
    for (uint32_t k = 0; k < group->bodies; k++) {
        uint32_t i = cpu->tree.order[group->body + k];
        if (!ky_cpu_is_active(cpu, i))
            continue;
        for (int c = 0; c < 3; c++)
            cpu->a[c][i] = scale.acceleration * result->field[c][k];
        cpu->potential[i] = scale.potential * result->field[3][k];
    }
}

/* Whether float, relative to the group's centre, is too coarse for the group's closest pairs: half
 * its extent is over WIDE times the distance of neighbours along the curve (the smallest eighth of
 * them). So it is where a group holds some of the bulk and an outlier. Float resolves half × 6e-8,
 * then 6e-5 of such a distance. */
static int is_wide(const struct ky_octree *tree, const struct ky_group *group)
{
    enum { WIDE = 1000, SHARE = 8 };
    double least[KY_MOST_SINKS / SHARE + 1], low[3], high[3];
    size_t room = group->bodies / SHARE + 1, kept = 0;
    const double *x[3] = {tree->x, tree->y, tree->z};
    for (int c = 0; c < 3; c++)
        low[c] = high[c] = x[c][group->body];
    for (uint32_t i = group->body + 1; i < group->body + group->bodies; i++) {
        double distance = 0;
        for (int c = 0; c < 3; c++) {
            distance = fmax(distance, fabs(x[c][i] - x[c][i - 1]));
            low[c] = fmin(low[c], x[c][i]);
            high[c] = fmax(high[c], x[c][i]);
        }
        if (kept == room && distance >= least[kept - 1])
            continue;
        size_t k = kept < room ? kept++ : kept - 1; /* ascending: insert from behind */
        for (; k > 0 && least[k - 1] > distance; k--)
            least[k] = least[k - 1];
        least[k] = distance;
    }
    double extent = fmax(fmax(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
    return kept && 0.5 * extent > WIDE * least[kept - 1];
}

/* The precision of the lanes for a part: float where it will do. */
static int part_precision(const struct ky_cpu *cpu, const struct ky_group *group, size_t groups)
{
    int precision = cpu->parameters->precision;
    for (size_t g = 0; g < groups && precision != KY_DOUBLE; g++)
        if (is_wide(&cpu->tree, &group[g]))
            precision = KY_DOUBLE;
    return precision;
}

/* Is the force of a body of these groups wanted? */
static int any_active(const struct ky_cpu *cpu, const struct ky_group *group, size_t groups)
{
    const size_t first = group->body;
    const size_t end = group[groups - 1].body + (size_t)group[groups - 1].bodies;
    size_t k = first;
    while (k < end && !ky_cpu_is_active(cpu, cpu->tree.order[k]))
        k++;
    return k < end;
}

/* Interactions, and those beyond the first walks (ky_cpu_note_work). */
struct work {
    uint64_t bodies, cells;
    int64_t more;
};

/* Some consecutive groups, which share a walk. */
static void walk_part(struct ky_cpu *cpu, const struct ky_group_walk *walk, size_t part,
                      const struct ky_relative *relative, void *space, struct work *work)
{
    const struct ky_octree *tree = walk->tree;
    const struct ky_group *group = tree->group + part * KY_SHARED_GROUPS;
    const struct ky_lanes *lanes = cpu->lanes;
    size_t groups = tree->groups - part * KY_SHARED_GROUPS;
    groups = groups < KY_SHARED_GROUPS ? groups : KY_SHARED_GROUPS;
    if (!any_active(cpu, group, groups))
        return;
    const int precision = part_precision(cpu, group, groups);
    double factor[KY_SHARED_GROUPS], least = (double)INFINITY, largest = 0;
    for (size_t g = 0; g < groups; g++) {
        factor[g] =
            !relative ? 1
                      : ky_relative_factor(relative, tree->order + group[g].body, group[g].bodies);
        least = fmin(least, factor[g]);
        largest = fmax(largest, factor[g]);
    }
    lanes->shared[precision](walk, group, groups, (float)least, (float)largest, space);
    for (size_t g = 0; g < groups; g++) {
        struct ky_group_result result;
        if (!any_active(cpu, &group[g], 1))
            continue;
        lanes->group[precision](walk, &group[g], (float)factor[g], space, &result);
        store(cpu, &group[g], ky_cpu_scale(cpu), &result);
        work->bodies += result.bodies * group[g].bodies;
        work->cells += result.cells * group[g].bodies;
        work->more += ky_cpu_note_work(cpu, part * KY_SHARED_GROUPS + g,
                                       result.bodies + result.cells, group[g].bodies);
    }
}

static enum ky_status walk_groups(struct ky_cpu *cpu, const struct ky_parameters *parameters,
                                  struct ky_error *error)
{
    const struct ky_octree *tree = &cpu->tree;
    const struct ky_group_walk walk = {
        .tree = tree,
        .eps2 = cpu->n ? ky_cpu_sink_eps2(cpu, 0) : 0,
        .how = cpu->how,
        .quadrupole = parameters->multipole > 1,
    };
    const int is_relative = parameters->opening == KY_RELATIVE;
    struct ky_relative relative = {0};
    if (is_relative)
        relative = ky_cpu_relative(cpu);
    const size_t space_bytes = cpu->lanes->group_space[KY_DOUBLE](tree); /* the larger one */
    char *space = ky_allocate((size_t)cpu->threads, space_bytes);
    if (!space)
        return ky_no_memory(error, "lists of the tree walk", (size_t)cpu->threads, space_bytes);
    uint64_t bodies = 0, cells = 0;
    int64_t more = 0;
    const size_t parts = (tree->groups + KY_SHARED_GROUPS - 1) / KY_SHARED_GROUPS;
#pragma omp parallel for schedule(dynamic) num_threads(cpu->threads)                               \
    reduction(+ : bodies, cells, more) if (parts > 1)
    for (size_t part = 0; part < parts; part++) {
        struct work work = {0};
        walk_part(cpu, &walk, part, is_relative ? &relative : NULL,
                  space + (size_t)ky_thread() * space_bytes, &work);
        bodies += work.bodies;
        cells += work.cells;
        more += work.more;
    }
    free(space);
    cpu->blocks.more += more;
    cpu->report.body_interactions += (double)bodies;
    cpu->report.cell_interactions += (double)cells;
    return KY_OK;
}

static struct ky_octree_bodies bodies_of(const struct ky_cpu *cpu)
{
    struct ky_octree_bodies bodies = {.n = cpu->n,
                                      .x = cpu->x[0],
                                      .y = cpu->x[1],
                                      .z = cpu->x[2],
                                      .mass = cpu->mass,
                                      .softening = cpu->softening};
    ky_tree_cube(&cpu->frame, cpu->length, &bodies);
    return bodies;
}

/* Keys to groups for the present positions; adds the seconds to the report. */
static enum ky_status build(struct ky_cpu *cpu, const struct ky_parameters *parameters,
                            struct ky_error *error)
{
    const struct ky_octree_bodies bodies = bodies_of(cpu);
    enum ky_status status = ky_octree_build(&cpu->tree, &bodies, parameters, error);
    ky_tree_seconds(&cpu->tree, &cpu->report);
    cpu->tree_stands = status == KY_OK;
    cpu->tree_serves = 0;
    cpu->tree_opening = parameters->opening;
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
    enum ky_status status = KY_OK;
    if (!cpu->tree_stands || cpu->tree_opening != parameters->opening)
        status = build(cpu, parameters, error);
    if (status == KY_OK)
        ky_cpu_link_tree(cpu);
    return status;
}

/* The tree that serves, with the bodies where they are now. */
static enum ky_status refresh_tree(struct ky_cpu *cpu, const struct ky_parameters *parameters,
                                   struct ky_error *error)
{
    const struct ky_octree_bodies bodies = bodies_of(cpu);
    enum ky_status status = ky_octree_refresh(&cpu->tree, &bodies, parameters, error);
    cpu->report.moments += cpu->tree.seconds.moments;
    return status;
}

static enum ky_status pass(void *engine, const struct ky_parameters *parameters,
                           struct ky_error *error)
{
    struct ky_cpu *cpu = engine;
    enum ky_status status = cpu->in_block && cpu->tree_serves ? refresh_tree(cpu, parameters, error)
                                                              : build(cpu, parameters, error);
    if (status == KY_OK && cpu->in_block && !cpu->tree_serves)
        status = ky_cpu_start_work(cpu, error);
    double start = ky_clock();
    if (status == KY_OK)
        status = parameters->force == KY_WALK ? ky_cpu_walk_bodies(cpu, parameters, error)
                                              : walk_groups(cpu, parameters, error);
    cpu->report.walk += ky_clock() - start;
    return status;
}

enum ky_status ky_cpu_tree(struct ky_cpu *cpu, struct ky_error *error)
{
    return ky_relative_passes(cpu->parameters, cpu->has_acceleration, pass, cpu, error);
}
