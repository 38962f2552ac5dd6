/* Interaction lists; see lists.h. Distances are in double, the tests of boxes in float. */
#include "octree/lists.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "octree/decide.h"

/* Middle, relative to the origin, and half-sides of the tight box of a group. */
static void place_box(const struct ky_octree *tree, const struct ky_group *group, double middle[3],
                      float half[3])
{
    double low[3], high[3];
    ky_bodies_box(tree, group, low, high);
    for (int c = 0; c < 3; c++) {
        middle[c] = 0.5 * (low[c] + high[c]) - tree->origin[c];
        half[c] = (float)(0.5 * (high[c] - low[c]) * (1 + KY_OPENING_SLACK));
    }
}

/* The largest ε² of the sinks; `one` if they have none of their own. */
static double largest_eps2(const struct ky_octree *tree, const struct ky_group *group, double one)
{
    double largest = tree->softening2 ? 0 : one;
    for (uint32_t k = 0; tree->softening2 && k < group->bodies; k++)
        largest = fmax(largest, tree->softening2[group->body + k]);
    return largest;
}

/* Makes room for `more` elements behind `count`. */
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
                            const struct ky_group *group, double factor, double eps2,
                            struct ky_error *error)
{
    double middle[3];
    float half[3];
    place_box(tree, group, middle, half);
    const double largest = largest_eps2(tree, group, eps2);
    for (uint32_t cell = 0; cell != KY_NO_LINK;) {
        const struct ky_cell_link *link = &tree->link[cell];
        double d[3];
        ky_cell_apart(tree, cell, middle, d);
        int open = ky_octree_must_open(tree, cell, d, half, factor, largest);
        if (open && link->more != KY_NO_LINK) {
            cell = link->more;
            continue;
        }
        uint32_t bodies = open ? link->bodies : 0;
        if (grow(&lists->body, lists->bodies, &lists->body_room, bodies) ||
            grow(&lists->cell, lists->cells, &lists->cell_room, 1))
            return ky_no_memory(error, "interaction lists", lists->bodies + lists->cells,
                                sizeof *lists->body);
        for (uint32_t k = 0; k < bodies; k++)
            lists->body[lists->bodies++] = link->body + k;
        if (!open)
            lists->cell[lists->cells++] = cell;
        cell = link->next;
    }
    return KY_OK;
}

void ky_lists_free(struct ky_lists *lists)
{
    free(lists->cell);
    free(lists->body);
    memset(lists, 0, sizeof *lists);
}
