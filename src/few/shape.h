/* The tree of a system of few bodies. The bodies of a node are neighbours in the order of the tree,
 * and a node comes after all nodes within it, so that the nodes of a subtree are neighbours too. */
#ifndef KY_FEW_SHAPE_H
#define KY_FEW_SHAPE_H

#include <stdint.h>

enum { KY_FEW_MOST = 100 /* bodies of a system */ };

struct ky_few_node {
    uint8_t begin, middle,
        end; /* bodies on the left: [begin, middle), on the right: [middle, end) */
};
struct ky_few_shape {
    int n;                                /* bodies */
    struct ky_few_node node[KY_FEW_MOST]; /* [n - 1] */
};

/* The node that is the left side of node k, if this side has more than one body. The right one is
 * k - 1. */
static inline int ky_few_left(const struct ky_few_shape *shape, int k)
{
    return k - shape->node[k].end + shape->node[k].middle;
}

static inline int ky_few_is_pair(const struct ky_few_shape *shape, int k)
{
    return shape->node[k].end - shape->node[k].begin == 2;
}

#endif
