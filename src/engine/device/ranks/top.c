/* The cells above the roots: as in octree/graft.c. */
#include "engine/device/ranks/top.h"

#include <stdlib.h>

#include "base/memory.h"
#include "physics/frame.h"

/* Appends the children of a node: the system's tree splits it at the first digit in which keys
 * differ. */
static void divide(struct ky_top *top, const struct ky_part_root *root, size_t at, size_t *end)
{
    struct ky_top_node *node = &top->node[at];
    const size_t first = node->first, last = first + node->roots - 1;
    if (node->roots == 1)
        return;
    const int shift = 3 * (KY_KEY_LEVELS - 1 - ky_key_common(root[first].first, root[last].last));
    node->child = (uint32_t)*end;
    for (size_t k = first, next; k <= last; k = next) {
        for (next = k + 1; next <= last && root[next].first >> shift == root[k].first >> shift;)
            next++;
        top->node[(*end)++] = (struct ky_top_node){(uint32_t)k, (uint32_t)(next - k), 0};
    }
}

enum ky_status ky_top_make(struct ky_top *top, const struct ky_part_root *root, size_t roots,
                           struct ky_error *error)
{
    const size_t most = ky_part_top_cells(roots);
    *top = (struct ky_top){.node = ky_allocate(most, sizeof *top->node)};
    if (!top->node)
        return ky_no_memory(error, "cells above all parts", most, sizeof *top->node);
    for (size_t k = 0; k + 1 < roots; k++)
        if (root[k].last >= root[k + 1].first)
            return ky_fail(error, KY_BAD_DATA, "roots %zu and %zu of all parts overlap", k, k + 1);
    top->node[0] = (struct ky_top_node){0, (uint32_t)roots, 0};
    for (size_t begin = 0, end = 1; begin < end;) {
        size_t next = end;
        top->level[top->levels++] = (uint32_t)begin;
        for (size_t at = begin; at < end; at++)
            divide(top, root, at, &next);
        top->level[top->levels] = (uint32_t)end;
        begin = end;
        end = next;
        top->nodes = begin;
    }
    return KY_OK;
}

void ky_top_release(struct ky_top *top)
{
    free(top->node);
    *top = (struct ky_top){.node = NULL};
}
