/* The links of the walk for one body: N09 and N12 call them `more` and `next`. */
#include "octree/work.h"

#include <stddef.h>

enum { PARALLEL_FROM = 4096 };

static void link_children(struct ky_octree *tree, size_t cell)
{
    const struct ky_node *node = &tree->node[cell];
    struct ky_links *links = tree->links;
    if (node->count & KY_LEAF) {
        links[cell].more = KY_NO_LINK;
        return;
    }
    links[cell].more = node->first;
    uint32_t last = node->first + node->count - 1;
    for (uint32_t child = node->first; child < last; child++)
        links[child].next = child + 1;
    links[last].next = links[cell].next;
}

enum ky_status ky_octree_link(struct ky_octree *tree, struct ky_error *error)
{
    if (tree->nodes == 0)
        return KY_OK;
    enum ky_status status = ky_octree_reserve(&tree->links, &tree->scratch->links, tree->nodes,
                                              sizeof *tree->links, "links of the tree", error);
    if (status)
        return status;
    tree->links[0].next = KY_NO_LINK;
    for (size_t level = 0; level < tree->levels; level++) {
        size_t begin = tree->level[level], end = tree->level[level + 1];
        int threads = tree->scratch->threads;
        (void)threads;
#pragma omp parallel for num_threads(threads) if (threads > 1 && end - begin >= PARALLEL_FROM)
        for (size_t cell = begin; cell < end; cell++)
            link_children(tree, cell);
    }
    return KY_OK;
}
