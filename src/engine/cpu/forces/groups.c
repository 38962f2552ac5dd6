/* Common code of the methods that walk in groups (groups.h). */
#include "engine/cpu/forces/groups.h"

#include <math.h>

#include "engine/cpu/forces/forces.h"
#include "octree/host_cells.h"

void ky_cpu_choose_sinks(const struct ky_cpu_sinks *set, const struct ky_group *group,
                         struct ky_group_sinks *sinks)
{
    const uint32_t *order = set->tree.order + group->body;
    sinks->count = 0;
    for (uint32_t k = 0; k < group->bodies; k++)
        if (ky_cpu_is_active(set, order[k]))
            sinks->own[sinks->count++] = (uint8_t)k;
}

void ky_cpu_add_far_to_sinks(const struct ky_cpu_sinks *set, const struct ky_group *group,
                             struct ky_group_sinks *sinks)
{
    const struct ky_octree *tree = &set->tree;
    for (uint32_t k = 0; set->cpu->box > 0 && k < sinks->count; k++) {
        const uint32_t i = group->body + sinks->own[k];
        const double x[3] = {tree->x[i], tree->y[i], tree->z[i]};
        double field[4] = {0};
        ky_cpu_add_far(set->cpu, x, field);
        for (int c = 0; c < 4; c++)
            sinks->field[c][k] += field[c];
    }
}

void ky_cpu_store_sinks(struct ky_cpu_sinks *set, const struct ky_group *group,
                        const struct ky_group_sinks *sinks)
{
    const struct ky_cpu_scale scale = ky_cpu_scale(set->cpu);
    const uint32_t *order = set->tree.order + group->body;
    for (uint32_t k = 0; k < sinks->count; k++) {
        const uint32_t i = order[sinks->own[k]];
        for (int c = 0; c < 3; c++)
            set->a[c][i] = scale.acceleration * sinks->field[c][k];
        set->potential[i] = scale.potential * sinks->field[3][k];
    }
}

/* 1 if floats relative to the group's centre are too coarse for its closest pairs: half the group's
 * extent exceeds WIDE times the distance of neighbours along the curve (the smallest eighth of
 * these distances). This happens in a group with some bodies of the bulk and an outlier. Float
 * resolves half × 6e-8, which is then 6e-5 of that distance. */
static int is_wide(const struct ky_octree *tree, const struct ky_group *group, double half)
{
    enum { WIDE = 1000, SHARE = 8 };
    const double *const x = tree->x, *const y = tree->y, *const z = tree->z;
    const uint32_t wanted = group->bodies / SHARE + 1, pairs = group->bodies - 1;
    const double least = half / WIDE;
    uint32_t close = 0;
    for (uint32_t i = group->body + 1; i < group->body + group->bodies; i++)
        close += (fabs(x[i] - x[i - 1]) < least) & (fabs(y[i] - y[i - 1]) < least) &
                 (fabs(z[i] - z[i - 1]) < least);
    return pairs > 0 && close >= (wanted < pairs ? wanted : pairs);
}

int ky_cpu_group_precision(const struct ky_cpu_sinks *set, const struct ky_group *group,
                           double half)
{
    const int precision = set->parameters->precision;
    return precision != KY_DOUBLE && is_wide(&set->tree, group, half) ? KY_DOUBLE : precision;
}

int ky_cpu_groups_precision(const struct ky_cpu_sinks *set, const struct ky_group *group,
                            size_t groups)
{
    int precision = set->parameters->precision;
    for (size_t g = 0; g < groups && precision != KY_DOUBLE; g++) {
        double low[3], high[3];
        ky_bodies_box(&set->tree, &group[g], low, high);
        precision = ky_cpu_group_precision(
            set, &group[g], 0.5 * fmax(fmax(high[0] - low[0], high[1] - low[1]), high[2] - low[2]));
    }
    return precision;
}

struct ky_cpu_range ky_cpu_groups_of(const struct ky_octree *tree, uint32_t cell)
{
    const struct ky_cell_link *link = &tree->link[cell];
    struct ky_cpu_range range = {(uint32_t)ky_group_from(tree, link->body), 0};
    range.end = range.first;
    while (range.end < tree->groups && tree->group[range.end].body < link->body + link->bodies)
        range.end++;
    return range;
}

size_t ky_cpu_cut(const struct ky_octree *tree, uint32_t bodies, uint32_t *branch)
{
    size_t count = 0;
#define IS_BRANCH(cell) (tree->children[cell] == 0 || tree->link[cell].bodies <= bodies)
    if (IS_BRANCH(0))
        branch[count++] = 0;
    for (uint32_t cell = 0; cell < tree->nodes; cell++)
        for (uint32_t k = 0; k < tree->children[cell] && !IS_BRANCH(cell); k++)
            if (IS_BRANCH(tree->link[cell].more + k))
                branch[count++] = tree->link[cell].more + k;
#undef IS_BRANCH
    return count;
}
