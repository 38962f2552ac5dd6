/* The tree of a system of few bodies. The bodies of a node are neighbours in the order of the tree,
 * and a node comes after all nodes within it, so that the nodes of a subtree are neighbours too. */
#ifndef KY_FEW_SHAPE_H
#define KY_FEW_SHAPE_H

#include "physics/dialect.h"

/* bodies of a system, at most; kernels define a smaller number */
#ifndef KY_FEW_SHAPES
enum { KY_FEW_MOST = 100 };
#define KY_FEW_SHAPES KY_FEW_MOST
#endif

struct ky_few_node {
    unsigned char begin, middle,
        end; /* bodies on the left: [begin, middle), on the right: [middle, end) */
};
struct ky_few_shape {
    int n;                                  /* bodies */
    struct ky_few_node node[KY_FEW_SHAPES]; /* [n - 1] */
};

KY_FN int ky_few_is_pair(const struct ky_few_shape *shape, int k)
{
    return shape->node[k].end - shape->node[k].begin == 2;
}

#endif
