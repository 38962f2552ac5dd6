/* Cuts the curve at the ends of cells, and makes the groups of bodies that share one walk. No group
 * reaches across the end of a cell of KY_GROUPS_IN_CELL groups. Groups that are whole cells would
 * be too small to fill the lanes. If groups ignored cells, a few would span a jump of the curve,
 * and cost as much as all other groups. */
#include "octree/work.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"

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
    for (size_t r = 0; r < tree->roots; r++)
        cut_below(&cut, (uint32_t)r);
    *count = cut.count;
    if (cut.count <= scratch->cuts)
        return KY_OK;
    KY_TRY(ky_octree_reserve(&scratch->cut, &scratch->cuts, cut.count, sizeof *scratch->cut,
                             "cut of the tree", error));
    cut.cell = scratch->cut, cut.capacity = scratch->cuts, cut.count = 0;
    for (size_t r = 0; r < tree->roots; r++)
        cut_below(&cut, (uint32_t)r);
    return KY_OK;
}

/* Bodies of each group of a cell: as few groups as possible, about equal, in whole lanes. */
static uint32_t group_size(size_t bodies, size_t largest)
{
    size_t groups = (bodies + largest - 1) / largest;
    size_t size = (bodies + groups - 1) / groups;
    size = (size + LANES - 1) / LANES * LANES;
    return (uint32_t)(size < largest ? size : largest);
}

/* Groups and shares under construction, or their numbers. */
struct grouping {
    const struct ky_octree *tree;
    size_t largest, limit, shared; /* bodies of a group, of its cell, of the cell of a share */
    size_t groups, shares, last;   /* last: groups of the last share */
    struct ky_group *group;        /* NULL: only count */
    uint32_t *share;
};

static void add_group(struct grouping *g, uint32_t body, uint32_t bodies)
{
    if (g->last == KY_SHARED_GROUPS) {
        if (g->share)
            g->share[g->shares] = (uint32_t)g->groups;
        g->shares++;
        g->last = 0;
    }
    if (g->group)
        g->group[g->groups] = (struct ky_group){body, bodies};
    g->groups++;
    g->last++;
}

static void group_below(struct grouping *g, uint32_t cell, int is_shared)
{
    const struct ky_cell_link *link = &g->tree->link[cell];
    const uint32_t children = g->tree->children[cell];
    if (!is_shared && (link->bodies <= g->shared || children == 0)) {
        g->last = KY_SHARED_GROUPS; /* the next group begins a share */
        is_shared = 1;
    }
    if (link->bodies > g->limit && children) {
        for (uint32_t child = 0; child < children; child++)
            group_below(g, link->more + child, is_shared);
        return;
    }
    const uint32_t end = link->body + link->bodies, size = group_size(link->bodies, g->largest);
    for (uint32_t body = link->body; body < end; body += size)
        add_group(g, body, end - body < size ? end - body : size);
}

static void group_all(struct grouping *g)
{
    g->groups = g->shares = 0;
    for (size_t r = 0; r < g->tree->roots; r++)
        group_below(g, (uint32_t)r, 0);
}

enum ky_status ky_octree_groups(struct ky_octree *tree, const struct ky_parameters *parameters,
                                struct ky_error *error)
{
    const size_t largest = (size_t)parameters->group;
    struct grouping g = {.tree = tree,
                         .largest = largest,
                         .limit = KY_GROUPS_IN_CELL * largest,
                         .shared = ky_octree_part_bodies(parameters)};
    group_all(&g);
    KY_TRY(ky_octree_reserve(&tree->group, &tree->scratch->groups, g.groups, sizeof *tree->group,
                             "groups of bodies", error));
    KY_TRY(ky_octree_reserve(&tree->share, &tree->scratch->shares, g.shares + 1,
                             sizeof *tree->share, "shares of groups", error));
    g.group = tree->group, g.share = tree->share;
    group_all(&g);
    tree->share[g.shares] = (uint32_t)g.groups;
    tree->groups = g.groups;
    tree->shares = g.shares;
    return KY_OK;
}

int ky_group_next_run(const struct ky_octree *tree, const unsigned char *wanted, size_t end,
                      struct ky_group_run *run)
{
    enum { MOST = 256 }; /* bodies */
    size_t g = run->end, bodies = 0;
    while (g < end && !ky_group_is_wanted(wanted, g))
        g++;
    *run = (struct ky_group_run){g, g};
    for (; g < end; g++) {
        if (!ky_group_is_wanted(wanted, g))
            continue;
        bodies += tree->group[g].bodies;
        if (run->end > run->first && bodies > MOST)
            break;
        run->end = g + 1;
    }
    return run->end > run->first;
}
