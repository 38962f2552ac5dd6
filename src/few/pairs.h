/* A walk over all pairs of bodies of a system, node by node of its tree. */
#ifndef KY_FEW_PAIRS_H
#define KY_FEW_PAIRS_H

#include "few/system.h"

/* Two bodies on the two sides of node k, by their places in the tree, and their difference (j minus
 * i). */
struct ky_few_pair {
    int k, i, j;
    double x[3], v[3];
};

struct ky_few_walk {
    struct ky_few_pair pair;
    /* of bodies, from the centre of mass of the largest group that the walk has left */
    double x[KY_FEW_SHAPES][3], v[KY_FEW_SHAPES][3];
};

/* The node on whose two sides places i < j are. */
KY_FN int ky_few_node_of(const struct ky_few_shape *shape, int i, int j)
{
    int k = 0;
    while (shape->node[k].begin > i || shape->node[k].end <= j)
        k++;
    return k;
}

/* Place and velocity of body i from the centre of mass of its side of node k become ones from the
 * centre of the node. */
KY_FN void ky_few_leave_side(const struct ky_few_system_one *s, int k, int i, double *x, double *v)
{
    const double part = i < s->shape.node[k].middle ? -s->right[k][0] : s->left[k][0];
    for (int c = 0; c < 3; c++) {
        x[c] += part * s->x[k][c][0];
        v[c] += part * s->v[k][c][0];
    }
}

/* The same for all bodies of the node. */
KY_FN void ky_few_leave_node(const struct ky_few_system_one *s, int k, double (*x)[3],
                             double (*v)[3])
{
    for (int i = s->shape.node[k].begin; i < s->shape.node[k].end; i++)
        ky_few_leave_side(s, k, i, x[i], v[i]);
}

KY_FN void ky_few_clear(int n, double (*x)[3], double (*v)[3])
{
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 3; c++)
            x[i][c] = v[i][c] = 0;
}

KY_FN void ky_few_enter_node(const struct ky_few_system_one *s, int k, struct ky_few_pair *pair)
{
    pair->k = k;
    pair->i = s->shape.node[k].begin;
    pair->j = s->shape.node[k].middle;
}

/* Before the first pair. */
KY_FN void ky_few_start_walk(const struct ky_few_system_one *s, struct ky_few_walk *walk)
{
    ky_few_clear(s->shape.n, walk->x, walk->v);
    ky_few_enter_node(s, 0, &walk->pair);
}

/* Gives the vectors of the present pair; 0: there is none. */
KY_FN int ky_few_see_pair(const struct ky_few_system_one *s, struct ky_few_walk *walk)
{
    struct ky_few_pair *pair = &walk->pair;
    if (pair->k >= s->shape.n - 1)
        return 0;
    for (int c = 0; c < 3; c++) {
        pair->x[c] = s->x[pair->k][c][0] + (walk->x[pair->j][c] - walk->x[pair->i][c]);
        pair->v[c] = s->v[pair->k][c][0] + (walk->v[pair->j][c] - walk->v[pair->i][c]);
    }
    return 1;
}

KY_FN void ky_few_next_pair(const struct ky_few_system_one *s, struct ky_few_walk *walk)
{
    struct ky_few_pair *pair = &walk->pair;
    const struct ky_few_node *node = &s->shape.node[pair->k];
    if (++pair->j < node->end)
        return;
    pair->j = node->middle;
    if (++pair->i < node->middle)
        return;
    ky_few_leave_node(s, pair->k, walk->x, walk->v);
    if (++pair->k < s->shape.n - 1)
        ky_few_enter_node(s, pair->k, pair);
}

/* The head of a loop over all pairs. */
#define KY_FEW_EACH_PAIR(system, walk)                                                             \
    for (ky_few_start_walk(system, walk); ky_few_see_pair(system, walk);                           \
         ky_few_next_pair(system, walk))

#endif
