/* Interaction lists of groups of bodies: the cells and the bodies that act on them. Made from the
 * links of a tree, for any evaluation of lists (N12 section 4.2: the method for GRAPE). */
#ifndef KY_OCTREE_LISTS_H
#define KY_OCTREE_LISTS_H

#include "octree/octree.h"

/* Lists that grow; cleared at first, freed by ky_lists_free. */
struct ky_lists {
    uint32_t *cell, *body; /* indices of cells; places of bodies along the curve */
    size_t cells, bodies, cell_room, body_room;
};

/* Appends the lists of one group. `factor` is the factor of the relative opening test, 1 for the
 * other tests; `eps2` is ε² of a sink, unless the tree has ε² for each body. The group's own bodies
 * are in its list of bodies. The tree must have its links. KY_FAULT if memory runs out. */
enum ky_status ky_lists_add(struct ky_lists *lists, const struct ky_octree *tree,
                            const struct ky_group *group, double factor, double eps2,
                            struct ky_error *error);
/* Frees the lists and clears the struct. */
void ky_lists_free(struct ky_lists *lists);

#endif
