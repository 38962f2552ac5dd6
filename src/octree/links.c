/* The links of the walk for single bodies, which N09 and N12 call `more` and `next`, and the order
 * of such walks. */
#include "octree/work.h"

#include <stddef.h>

#include "base/memory.h"

enum { PARALLEL_FROM = 4096 };

static void link_children(struct ky_octree *tree, size_t cell)
{
    struct ky_cell_link *link = tree->link;
    if (tree->children[cell] == 0)
        return;
    uint32_t last = link[cell].more + tree->children[cell] - 1;
    for (uint32_t child = link[cell].more; child < last; child++)
        link[child].next = child + 1;
    link[last].next = link[cell].next;
}

void ky_octree_link(struct ky_octree *tree)
{
    for (size_t level = 0; level < tree->levels; level++) {
        size_t begin = tree->level[level], end = tree->level[level + 1];
        int threads = tree->scratch->threads;
        (void)threads;
#pragma omp parallel for num_threads(threads) if (threads > 1 && end - begin >= PARALLEL_FROM)
        for (size_t cell = begin; cell < end; cell++)
            link_children(tree, cell);
    }
}

enum ky_status ky_octree_places(const struct ky_octree *tree, size_t columns, uint32_t **place,
                                struct ky_error *error)
{
    KY_TRY(ky_array(place, columns, sizeof **place, "order of the walks", error));
    for (size_t k = 0; k < tree->n; k++)
        (*place)[tree->order[k]] = (uint32_t)k;
    return KY_OK;
}
