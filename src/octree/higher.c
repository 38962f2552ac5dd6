/* Moments of degree 3 and more, for trees whose cells act on cells (physics/taylor.h): of a cell
 * from its bodies, or from its children as they are stored. */
#include <string.h>

#include "octree/host_cells.h"
#include "octree/work.h"
#include "physics/taylor.h"

/* A cell in double: its moments, and where it is. */
struct higher {
    double moment[KY_TAYLOR_TERMS], at[3];
};

static const double none[3] = {0};

static void read(const struct ky_octree *tree, uint32_t cell, struct higher *its, int order)
{
    const float *moment = tree->moment + cell * tree->moments;
    ky_cell_apart(tree, cell, none, its->at);
    its->moment[0] = (double)moment[KY_MOMENT_MASS];
    for (int n = KY_TAYLOR_SECOND; n < KY_TAYLOR_COUNT(order); n++)
        its->moment[n] = KY_TAYLOR_FACTOR(n) * (double)moment[KY_TAYLOR_PLACE(n)];
}

static inline __attribute__((always_inline)) void add_bodies(const struct ky_octree *tree,
                                                             const struct ky_cell_link *link,
                                                             struct higher *sums, const int order)
{
    const double *const x[3] = {tree->x, tree->y, tree->z};
    for (uint32_t i = link->body; i < link->body + link->bodies; i++) {
        double power[KY_TAYLOR_TERMS], t[3];
        for (int c = 0; c < 3; c++)
            t[c] = x[c][i] - tree->origin[c] - sums->at[c];
        ky_taylor_powers(power, t, order);
        ky_taylor_add_body(sums->moment, tree->mass[i], power, order);
    }
}

static inline __attribute__((always_inline)) void
add_children(const struct ky_octree *tree, uint32_t cell, struct higher *sums, const int order)
{
    const uint32_t first = tree->link[cell].more;
    for (uint32_t child = first; child < first + tree->children[cell]; child++) {
        struct higher its;
        double power[KY_TAYLOR_TERMS], t[3];
        read(tree, child, &its, order);
        for (int c = 0; c < 3; c++)
            t[c] = its.at[c] - sums->at[c];
        ky_taylor_powers(power, t, order);
        ky_taylor_add_cell(sums->moment, its.moment, power, order);
    }
}

void ky_octree_higher(struct ky_octree *tree, uint32_t cell, int order)
{
    const int is_leaf = tree->children[cell] == 0;
    float *moment = tree->moment + cell * tree->moments;
    struct higher sums;
    memset(sums.moment, 0, sizeof sums.moment);
    ky_cell_apart(tree, cell, none, sums.at);
    switch (order) {
#define ORDER(p, its)                                                                              \
    case its:                                                                                      \
        if (is_leaf)                                                                               \
            add_bodies(tree, &tree->link[cell], &sums, its);                                       \
        else                                                                                       \
            add_children(tree, cell, &sums, its);                                                  \
        break;
        KY_TAYLOR_HIGHER(ORDER, )
    default:
        return;
    }
    for (int n = KY_TAYLOR_COUNT(2); n < KY_TAYLOR_COUNT(order); n++)
        moment[KY_TAYLOR_PLACE(n)] = (float)sums.moment[n];
    for (size_t k = KY_RAW_MOMENTS(order); k < tree->moments; k++)
        moment[k] = 0;
}
