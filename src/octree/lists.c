/* Interaction lists; see lists.h. Distances are in double, the tests of boxes in float. */
#include "octree/lists.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "physics/opening.h"

/* The tight box of a group. */
struct box {
    double centre[3], half[3];
};

static struct box box_of(const struct ky_octree *tree, const struct ky_group *group)
{
    const double *const x[3] = {tree->x, tree->y, tree->z};
    struct box box;
    for (int c = 0; c < 3; c++) {
        double low = x[c][group->body], high = low;
        for (uint32_t k = 1; k < group->bodies; k++) {
            low = fmin(low, x[c][group->body + k]);
            high = fmax(high, x[c][group->body + k]);
        }
        box.centre[c] = 0.5 * (low + high);
        box.half[c] = 0.5 * (high - low);
    }
    return box;
}

/* See "How a walk decides" in octree.h. */
static int must_open(const struct ky_octree *tree, const struct ky_parameters *parameters,
                     const struct box *box, uint32_t cell, double factor)
{
    enum { SLACK = 1000000 }; /* for the rounding of boxes to float */
    const struct ky_node *node = &tree->node[cell];
    const struct ky_cell_box *own = &tree->box[cell];
    float d[3], h[3];
    double d2 = 0;
    if (node->count == (KY_LEAF | 1))
        return 1;
    for (int c = 0; c < 3; c++) {
        double dx = node->com[c] - box->centre[c], gap = fmax(fabs(dx) - box->half[c], 0);
        d2 += gap * gap;
        d[c] = (float)dx;
        h[c] = (float)(box->half[c] * (1 + 1.0 / SLACK));
    }
    const float *a = own->below, *b = own->above;
    if (parameters->opening == KY_MINIMUM)
        d2 = (double)ky_opening_box_distance2(d[0], d[1], d[2], a[0], a[1], a[2], b[0], b[1], b[2],
                                              h[0], h[1], h[2]);
    if (!(d2 > fmax((double)node->open2 * factor, (double)KY_OPENING_CLOSE2)))
        return 1;
    if (!tree->test_box)
        return 0;
    return parameters->opening == KY_RELATIVE
               ? ky_opening_cube_touches(d[0], d[1], d[2], a[0], a[1], a[2], b[0], b[1], b[2], h[0],
                                         h[1], h[2])
               : ky_opening_box_touches(d[0], d[1], d[2], a[0], a[1], a[2], b[0], b[1], b[2], h[0],
                                        h[1], h[2]);
}

/* Room for `more` elements behind `count`. */
static int grow(uint32_t **list, size_t count, size_t *room, size_t more)
{
    if (count + more <= *room)
        return 0;
    size_t wanted = 2 * (count + more) + 1024;
    uint32_t *grown = ky_allocate(wanted, sizeof *grown);
    if (!grown)
        return -1;
    if (count > 0)
        memcpy(grown, *list, count * sizeof *grown);
    free(*list);
    *list = grown;
    *room = wanted;
    return 0;
}

enum ky_status ky_lists_add(struct ky_lists *lists, const struct ky_octree *tree,
                            const struct ky_parameters *parameters, const struct ky_group *group,
                            double factor, struct ky_error *error)
{
    const struct box box = box_of(tree, group);
    for (uint32_t cell = 0; cell != KY_NO_LINK;) {
        const struct ky_node *node = &tree->node[cell];
        int open = must_open(tree, parameters, &box, cell, factor);
        if (open && !(node->count & KY_LEAF)) {
            cell = tree->links[cell].more;
            continue;
        }
        uint32_t bodies = open ? node->count & ~KY_LEAF : 0;
        if (grow(&lists->body, lists->bodies, &lists->body_room, bodies) ||
            grow(&lists->cell, lists->cells, &lists->cell_room, 1))
            return ky_no_memory(error, "interaction lists", lists->bodies + lists->cells,
                                sizeof *lists->body);
        for (uint32_t k = 0; k < bodies; k++)
            lists->body[lists->bodies++] = node->first + k;
        if (!open)
            lists->cell[lists->cells++] = cell;
        cell = tree->links[cell].next;
    }
    return KY_OK;
}

void ky_lists_free(struct ky_lists *lists)
{
    free(lists->cell);
    free(lists->body);
    memset(lists, 0, sizeof *lists);
}
