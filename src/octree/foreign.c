/* Trees that were made elsewhere: cells and bodies are copied, links and numbers are checked, and
 * links completed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "octree/work.h"

enum { MOST_CHILDREN = 8 };

static enum ky_status wrong(size_t cell, const char *why, struct ky_error *error)
{
    return ky_fail(error, KY_BAD_DATA, "cell %zu of another tree %s", cell, why);
}

/* The children of one cell follow those of the cell before it that has any. All cells but the first
 * are children. */
static enum ky_status check_links(const struct ky_octree *tree, struct ky_error *error)
{
    size_t end = 1;
    for (size_t cell = 0; cell < tree->nodes; cell++) {
        const struct ky_cell_link *link = &tree->link[cell];
        const unsigned children = tree->children[cell];
        if (cell >= end)
            return wrong(cell, "has no parent", error);
        if (link->more != (children ? end : KY_NO_LINK) || children > MOST_CHILDREN ||
            children > tree->nodes - end)
            return wrong(cell, "has children where they are not", error);
        if (!children && link->bodies != KY_CLOSED_CELL &&
            (link->body > tree->n || link->bodies > tree->n - link->body))
            return wrong(cell, "has bodies that are not there", error);
        end += children;
    }
    return KY_OK;
}

/* 1 if all `count` floats are finite. */
static int are_finite(const float *x, size_t count)
{
    float sum = 0;
    for (size_t k = 0; k < count; k++)
        sum += 0 * x[k];
    return !isnan(sum);
}

static enum ky_status check_numbers(const struct ky_octree *tree, struct ky_error *error)
{
    for (size_t cell = 0; cell < tree->nodes; cell++)
        if (!are_finite(tree->centre[cell].x, 3) || isnan(tree->centre[cell].open2) ||
            !are_finite(tree->low[cell].x, 3) || !isfinite(tree->low[cell].eps2) ||
            !are_finite(tree->moment + cell * tree->moments, tree->moments) ||
            !are_finite(tree->box[cell].below, 4) || !are_finite(tree->box[cell].above, 4))
            return wrong(cell, "has numbers that are not finite", error);
    return KY_OK;
}

static enum ky_status find_levels(struct ky_octree *tree, struct ky_error *error)
{
    size_t begin = 0, end = 1;
    enum ky_status status = KY_OK;
    tree->levels = 0;
    while (begin < end && !status) {
        size_t next = end;
        status = ky_octree_end_level(tree, end, error);
        for (; begin < end; begin++)
            if (tree->children[begin])
                next = tree->link[begin].more + tree->children[begin];
        end = next;
    }
    return status;
}

static void copy_bodies(struct ky_octree *tree, const struct ky_octree_bodies *bodies)
{
    const size_t bytes = bodies->n * sizeof(double);
    tree->n = bodies->n;
    if (bodies->n == 0)
        return;
    memcpy(tree->x, bodies->x, bytes);
    memcpy(tree->y, bodies->y, bytes);
    memcpy(tree->z, bodies->z, bytes);
    memcpy(tree->mass, bodies->mass, bytes);
    for (size_t i = 0; bodies->softening && i < bodies->n; i++)
        tree->softening2[i] = bodies->softening[i] * bodies->softening[i];
    ky_octree_pad(tree);
}

static void copy_cells(struct ky_octree *tree, const struct ky_given_cells *cells)
{
    const size_t moments = tree->moments;
#define KY_CELL_COPY(p, type, name, count_of, what)                                                \
    memcpy(tree->name, cells->name, cells->count *(count_of) * sizeof *tree->name);
    KY_CELL_COLUMNS(KY_CELL_COPY, )
    tree->link[0].next = KY_NO_LINK;
}

static enum ky_status take(struct ky_octree *tree, const struct ky_given_cells *cells,
                           const struct ky_octree_bodies *bodies,
                           const struct ky_parameters *parameters, struct ky_error *error)
{
    enum ky_status status =
        ky_octree_reserve_bodies(tree, bodies->n, bodies->softening != NULL, parameters, error);
    tree->nodes = cells->count;
    if (!status)
        status = ky_octree_reserve_cells(tree, parameters->multipole, error);
    if (status || cells->count == 0)
        return status;
    copy_bodies(tree, bodies);
    copy_cells(tree, cells);
    tree->opening = ky_octree_opening(parameters);
    for (int c = 0; c < 3; c++)
        tree->origin[c] = bodies->origin[c];
    status = check_links(tree, error);
    if (!status)
        status = check_numbers(tree, error);
    if (!status)
        status = find_levels(tree, error);
    if (!status)
        ky_octree_link(tree);
    return status;
}

enum ky_status ky_octree_take(struct ky_octree *tree, const struct ky_given_cells *cells,
                              const struct ky_octree_bodies *bodies,
                              const struct ky_parameters *parameters, struct ky_error *error)
{
    ky_octree_empty(tree);
    tree->roots = 1;
    if (bodies->n > INT32_MAX || cells->count >= KY_NO_LINK)
        return ky_fail(error, KY_BAD_DATA, "%zu cells and %zu bodies of another tree", cells->count,
                       bodies->n);
    enum ky_status status = take(tree, cells, bodies, parameters, error);
    if (status)
        ky_octree_empty(tree);
    return status;
}
