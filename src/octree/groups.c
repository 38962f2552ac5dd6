/* Cuts the curve at the ends of cells, and makes the groups of bodies that share one walk. No group
 * reaches across the end of a cell of KY_GROUPS_IN_CELL groups. Groups that are whole cells would
 * be too small to fill the lanes. If groups ignored cells, a few would span a jump of the curve,
 * and cost as much as all others. */
#include "octree/work.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { LANES = 16 };

struct cut {
    const struct ky_octree *tree;
    size_t limit, count, capacity;
    uint32_t *cell; /* NULL: only count */
};

static void cut_below(struct cut *cut, uint32_t cell)
{
    const struct ky_cell_link *link = &cut->tree->link[cell];
    const uint32_t children = cut->tree->children[cell];
    if (link->bodies <= cut->limit || children == 0) {
        if (cut->count < cut->capacity)
            cut->cell[cut->count] = cell;
        cut->count++;
        return;
    }
    for (uint32_t child = 0; child < children; child++)
        cut_below(cut, link->more + child);
}

enum ky_status ky_octree_cut(struct ky_octree *tree, size_t limit, size_t *count,
                             struct ky_error *error)
{
    struct ky_octree_scratch *scratch = tree->scratch;
    struct cut cut = {tree, limit, 0, scratch->cuts, scratch->cut};
    cut_below(&cut, 0);
    *count = cut.count;
    if (cut.count <= scratch->cuts)
        return KY_OK;
    enum ky_status status = ky_octree_reserve(&scratch->cut, &scratch->cuts, cut.count,
                                              sizeof *scratch->cut, "cut of the tree", error);
    if (status)
        return status;
    cut.cell = scratch->cut, cut.capacity = scratch->cuts, cut.count = 0;
    cut_below(&cut, 0);
    return KY_OK;
}

/* Bodies of each group of a cell: as few groups as possible, about equal, in whole lanes. */
static size_t group_size(size_t bodies, size_t largest)
{
    size_t groups = (bodies + largest - 1) / largest;
    size_t size = (bodies + groups - 1) / groups;
    size = (size + LANES - 1) / LANES * LANES;
    return size < largest ? size : largest;
}

enum ky_status ky_octree_groups(struct ky_octree *tree, const struct ky_parameters *parameters,
                                struct ky_error *error)
{
    size_t largest = (size_t)parameters->group, cuts = 0, groups = 0;
    enum ky_status status = ky_octree_cut(tree, KY_GROUPS_IN_CELL * largest, &cuts, error);
    if (status)
        return status;
    const uint32_t *cut = tree->scratch->cut;
    for (size_t i = 0; i < cuts; i++) {
        size_t bodies = tree->link[cut[i]].bodies, size = group_size(bodies, largest);
        groups += (bodies + size - 1) / size;
    }
    status = ky_octree_reserve(&tree->group, &tree->scratch->groups, groups, sizeof *tree->group,
                               "groups of bodies", error);
    if (status)
        return status;
    for (size_t i = 0; i < cuts; i++) {
        const struct ky_cell_link *cell = &tree->link[cut[i]];
        uint32_t end = cell->body + cell->bodies;
        uint32_t size = (uint32_t)group_size(cell->bodies, largest);
        for (uint32_t body = cell->body; body < end; body += size) {
            uint32_t bodies = end - body < size ? end - body : size;
            tree->group[tree->groups++] = (struct ky_group){body, bodies};
        }
    }
    return KY_OK;
}
