/* The tree of the bodies: the two groups that pull each other most, by M/r³, become one, until one
 * group is left. The host and kernels compile it. */
#ifndef KY_FEW_TREE_H
#define KY_FEW_TREE_H

#include "few/pairs.h"
#include "few/system.h"

KY_FEW_FN void ky_few_positions(const struct ky_few_system_one *system, double (*x)[3],
                                double (*v)[3])
{
    ky_few_clear(system->shape.n, x, v);
    for (int k = 0; k < system->shape.n - 1; k++)
        ky_few_leave_node(system, k, x, v);
}

/* ---- grouping ---- */

/* A group that is not yet in another one. Bodies have the numbers 0 to n - 1, joined groups the
 * numbers from n on. */
struct ky_few_group {
    int number;
    double mass, x[3];
};
/* Groups and the two sides of each that was joined. */
struct ky_few_grouping {
    int n, count;
    struct ky_few_group group[KY_FEW_SHAPES];
    int side[KY_FEW_SHAPES][2];
#ifdef KY_FEW_TEAM
    KY_LOCAL_POINTER struct ky_few_shared *team;
#endif
};

/* M/r³ of two groups; at the same place it is infinite if one of them has mass. */
KY_FN double ky_few_strength(const struct ky_few_group *one, const struct ky_few_group *other)
{
    const double mass = one->mass + other->mass;
    double r2 = 0;
    for (int c = 0; c < 3; c++)
        r2 += (other->x[c] - one->x[c]) * (other->x[c] - one->x[c]);
    return mass > 0 ? mass / (r2 * sqrt(r2)) : 0;
}

/* Replaces groups i < j by one of both. */
KY_FN void ky_few_join(struct ky_few_grouping *all, int i, int j)
{
    struct ky_few_group *one = &all->group[i];
    const struct ky_few_group *other = &all->group[j];
    const int made = all->n - all->count;
    const double mass = one->mass + other->mass, part = mass > 0 ? other->mass / mass : 0;
    all->side[made][0] = one->number;
    all->side[made][1] = other->number;
    one->number = all->n + made;
    one->mass = mass;
    for (int c = 0; c < 3; c++)
        one->x[c] += part * (other->x[c] - one->x[c]);
    all->group[j] = all->group[--all->count];
}

/* Looks for the strongest pair of group i and a later group, if it is stronger than *most. */
KY_FN void ky_few_stronger_with(const struct ky_few_grouping *all, int i, double *most, int best[2])
{
    for (int j = i + 1; j < all->count; j++) {
        const double now = ky_few_strength(&all->group[i], &all->group[j]);
        if (now > *most) {
            *most = now;
            best[0] = i;
            best[1] = j;
        }
    }
}

/* The two groups with the largest M/r³, the earlier one first. */
#ifndef KY_FEW_STRONGEST
#define KY_FEW_STRONGEST ky_few_strongest
KY_FN void ky_few_strongest(const struct ky_few_grouping *all, int best[2])
{
    double most = -1;
    best[0] = 0;
    best[1] = 1;
    for (int i = 0; i < all->count; i++)
        ky_few_stronger_with(all, i, &most, best);
}
#endif

KY_FN void ky_few_join_all(struct ky_few_grouping *all)
{
    while (all->count > 1) {
        int best[2];
        KY_FEW_STRONGEST(all, best);
        ky_few_join(all, best[0], best[1]);
    }
}

/* Where a joined group begins, and where its right side does; `sides`: number of written sides. */
struct ky_few_written {
    int begin, middle, sides;
};

/* Writes the last group to the shape, and in `order` the number of the body at each place. A node
 * follows both of its sides. */
KY_FN void ky_few_write(const struct ky_few_grouping *all, int *order, struct ky_few_shape *shape)
{
    struct ky_few_written written[KY_FEW_SHAPES];
    int path[KY_FEW_SHAPES], depth = 1, nodes = 0; /* the groups around the present one */
    for (int k = 0; k < all->n; k++)
        written[k].sides = 0;
    path[0] = all->group[0].number;
    while (depth > 0) {
        const int number = path[depth - 1], k = number - all->n;
        if (k < 0) {
            order[shape->n++] = number;
            depth--;
        } else if (written[k].sides < 2) {
            if (written[k].sides == 0)
                written[k].begin = shape->n;
            else
                written[k].middle = shape->n;
            path[depth++] = all->side[k][written[k].sides++];
        } else {
            struct ky_few_node *node = &shape->node[nodes++];
            node->begin = (unsigned char)written[k].begin;
            node->middle = (unsigned char)written[k].middle;
            node->end = (unsigned char)shape->n;
            depth--;
        }
    }
}

/* Sets the shape of *system for bodies at x, and order[p] to the number of the body at place p. */
KY_FN void ky_few_find_shape(struct ky_few_system_one *system, int n, const double *mass,
                             const double (*x)[3], int *order)
{
    struct ky_few_grouping all;
    all.n = all.count = n;
#ifdef KY_FEW_TEAM
    all.team = system->team;
#endif
    system->shape.n = 0;
    for (int i = 0; i < n; i++) {
        all.group[i].number = i;
        all.group[i].mass = mass[i];
        for (int c = 0; c < 3; c++)
            all.group[i].x[c] = x[i][c];
    }
    ky_few_join_all(&all);
    if (n)
        ky_few_write(&all, order, &system->shape);
}

/* ---- vectors of nodes ---- */

/* The new system, and the place in its tree of the body that the pairs call i. */
struct ky_few_filling {
    struct ky_few_system_one *system;
    int place[KY_FEW_SHAPES];
};

/* The part of a body of the mass of the side [begin, end). */
KY_FN double ky_few_share_of(const struct ky_few_system_one *system, int i, int begin, int end)
{
    double mass = 0;
    for (int j = begin; j < end; j++)
        mass += system->mass[j][0];
    return end - begin == 1 ? 1 : system->mass[i][0] / mass;
}

/* The vector of a node is the mean of the differences of its pairs, so that it has all
 * their digits. */
KY_FN void ky_few_add_pair(const struct ky_few_filling *filling, const struct ky_few_pair *pair)
{
    struct ky_few_system_one *system = filling->system;
    const int one = filling->place[pair->i], other = filling->place[pair->j],
              left = one < other ? one : other, right = one < other ? other : one;
    const int k = ky_few_node_of(&system->shape, left, right);
    const struct ky_few_node *node = &system->shape.node[k];
    const double sign = one < other ? 1 : -1,
                 weight = sign * ky_few_share_of(system, left, node->begin, node->middle) *
                          ky_few_share_of(system, right, node->middle, node->end);
    for (int c = 0; c < 3; c++) {
        system->x[k][c][0] += weight * pair->x[c];
        system->v[k][c][0] += weight * pair->v[c];
    }
}

KY_FEW_FN void ky_few_set_masses(struct ky_few_system_one *system)
{
    for (int k = 0; k < system->shape.n - 1; k++) {
        const struct ky_few_node *node = &system->shape.node[k];
        double left = 0, right = 0;
        for (int i = node->begin; i < node->middle; i++)
            left += system->mass[i][0];
        for (int i = node->middle; i < node->end; i++)
            right += system->mass[i][0];
        const double total = left + right;
        system->total[k][0] = total;
        system->left[k][0] = left / total;
        system->right[k][0] = right / total;
        system->slow[k][0] = 1;
        system->weight[k][0] = left * system->right[k][0];
    }
    system->inner = -1;
}

/* Gives *system the shape for bodies of these masses at x; `order` gets their places. */
KY_FN void ky_few_reshape(struct ky_few_filling *filling, int n, const double *mass,
                          const double (*x)[3], int *order)
{
    struct ky_few_system_one *system = filling->system;
    ky_few_find_shape(system, n, mass, x, order);
    for (int p = 0; p < n; p++) {
        filling->place[order[p]] = p;
        system->mass[p][0] = mass[order[p]];
    }
    for (int k = 0; k < n - 1; k++)
        for (int c = 0; c < 3; c++)
            system->x[k][c][0] = system->v[k][c][0] = 0;
    ky_few_set_masses(system);
}

KY_FEW_FN void ky_few_renew_tree(struct ky_few *few)
{
    const struct ky_few_system_one old = few->system;
    struct ky_few_filling filling;
    struct ky_few_walk walk;
    const int n = old.shape.n;
    double mass[KY_FEW_SHAPES];
    int order[KY_FEW_SHAPES], before[KY_FEW_SHAPES];
    filling.system = &few->system;
    ky_few_positions(&old, walk.x, walk.v);
    for (int p = 0; p < n; p++) {
        mass[p] = old.mass[p][0];
        before[p] = few->order[p];
    }
    ky_few_reshape(&filling, n, mass, (const double(*)[3])walk.x, order);
    for (int p = 0; p < n; p++)
        few->order[p] = before[order[p]];
    KY_FEW_EACH_PAIR(&old, &walk)
    ky_few_add_pair(&filling, &walk.pair);
    few->trees++;
}

#endif
