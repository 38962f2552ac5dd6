/* The tree of a part of a system: order of equal keys, and roots. See parts.h. */
#include "octree/work.h"

#include <string.h>

#include "base/order.h"

size_t ky_octree_part_bodies(const struct ky_parameters *parameters)
{
    const size_t groups = (size_t)KY_GROUPS_IN_CELL * (size_t)parameters->group;
    return groups > KY_PART_BODIES ? groups : KY_PART_BODIES;
}

/* The body at place i of a heap, of which every body has a larger number than the two at 2 i + 1
 * and 2 i + 2, sinks until that holds again. */
static void sink(uint32_t *order, uint32_t i, uint32_t count, const uint64_t *number)
{
    const uint32_t moving = order[i];
    for (uint32_t below; (below = 2 * i + 1) < count; i = below) {
        if (below + 1 < count && number[order[below + 1]] > number[order[below]])
            below++;
        if (number[order[below]] < number[moving])
            break;
        order[i] = order[below];
    }
    order[i] = moving;
}

/* By a heap, which needs no memory: bodies at one place may be many, and in any order after they
 * have come from several parts. */
static void order_run(uint32_t *order, uint32_t count, const uint64_t *number)
{
    uint32_t first = 1;
    while (first < count && number[order[first - 1]] < number[order[first]])
        first++;
    if (first == count) /* most runs are in order */
        return;
    for (uint32_t i = count / 2; i-- > 0;)
        sink(order, i, count, number);
    for (uint32_t last = count - 1; last > 0; last--) {
        const uint32_t largest = order[0];
        order[0] = order[last];
        order[last] = largest;
        sink(order, 0, last, number);
    }
}

void ky_octree_order_ties(struct ky_octree *tree, const uint64_t *number)
{
    const uint64_t *key = tree->scratch->key;
    for (size_t i = 0, end; i < tree->n; i = end) {
        for (end = i + 1; end < tree->n && key[end] == key[i];)
            end++;
        if (end - i > 1)
            order_run(tree->order + i, (uint32_t)(end - i), number);
    }
}

struct roots {
    const uint64_t *key;
    const struct ky_octree_part *part;
    struct ky_octree_root *root;
    struct ky_sprout *sprout;
    size_t count, room;
};

/* Keys that agree in their first `level` levels lie in the same cube. */
static int is_shared(const struct roots *roots, uint64_t key, int level)
{
    const int shift = 3 * (KY_KEY_LEVELS - level);
    const struct ky_octree_part *part = roots->part;
    return (part->is_before && part->before >> shift == key >> shift) ||
           (part->is_after && part->after >> shift == key >> shift);
}

/* The bodies from `begin` on lie in one cube of this level; no other bodies of the part do. */
static void root_below(struct roots *roots, uint32_t begin, uint32_t end, int level)
{
    const uint64_t *key = roots->key;
    if (level == KY_KEY_LEVELS || !is_shared(roots, key[begin], level)) {
        if (roots->count < roots->room) {
            roots->sprout[roots->count] = (struct ky_sprout){0, begin, end - begin, 0, 0, 0};
            roots->root[roots->count].first = key[begin];
            roots->root[roots->count].last = key[end - 1];
        }
        roots->count++;
        return;
    }
    const int shift = 3 * (KY_KEY_LEVELS - level - 1);
    while (begin < end) {
        const uint64_t next = ((key[begin] >> shift) + 1)
                              << shift; /* the first key after the cube */
        const uint32_t bodies = (uint32_t)ky_count_below(key + begin, end - begin, next);
        root_below(roots, begin, begin + bodies, level + 1);
        begin += bodies;
    }
}

size_t ky_octree_roots(struct ky_octree *tree, const struct ky_octree_part *part, size_t room,
                       struct ky_sprout *sprout)
{
    struct ky_octree_scratch *scratch = tree->scratch;
    struct roots roots = {scratch->key, part, scratch->root, sprout, 0, room};
    root_below(&roots, 0, (uint32_t)tree->n, 0);
    return roots.count;
}

void ky_octree_tell_roots(const struct ky_octree *tree, struct ky_octree_root *root)
{
    if (tree->n)
        memcpy(root, tree->scratch->root, tree->roots * sizeof *root);
}
