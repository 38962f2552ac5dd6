/* The tree of a system whose bodies lie in several parts, on several machines for example.
 *
 * A part holds a range of the curve. Ranges end where the largest cells of at most KY_PART_BODIES
 * bodies end (or a key, if more have the same), so that the largest cells that lie in one part
 * alone, the roots of the part's tree, are cells of the system's tree, with all that is below them.
 * The cells above are made of all parts' roots, and are the same in every part. A part gets of the
 * others' trees what its own groups need, and grafts all of it into one tree. A walk of its groups
 * then takes the same cells and bodies in the same order as in the tree of the whole system, and
 * has the same bits. */
#ifndef KY_OCTREE_PARTS_H
#define KY_OCTREE_PARTS_H

#include "octree/octree.h"
#include "physics/cell.h"

enum { KY_PART_BODIES = KY_SHARED_BODIES };

/* What a build has to know of the whole system. */
struct ky_octree_part {
    size_t system;          /* bodies of all parts */
    const uint64_t *number; /* [n] of each body among all: the order of bodies with equal keys */
    /* The last key before this part's and the first one after them, if there are bodies there. */
    int is_after, is_before;
    uint64_t before, after;
};

/* The bodies that a cell has in ranges: the limit for these parameters. */
size_t ky_octree_part_bodies(const struct ky_parameters *parameters);

/* A cell's sums while its parent still needs them. */
struct ky_octree_sums {
    struct ky_cell_sums plain;
    struct ky_cell_second second;
};

/* A root as the other parts see it: the keys of its first and its last body. */
struct ky_octree_root {
    uint64_t first, last;
    struct ky_octree_sums sums;
    float least; /* where cells act on cells: the smallest last |a| of its bodies (sinks.h) */
};

/* Writes the roots of a part's tree to root[0 … tree->roots), without `least`. */
void ky_octree_tell_roots(const struct ky_octree *tree, struct ky_octree_root *root);

/* ---- what a part needs of another one ---- */

/* Some groups of a part, as sinks: the tight box of their bodies relative to the tree's origin, and
 * the factor of the opening test for the smallest |a| among them. */
struct ky_octree_box {
    double middle[3], half[3];
    double factor;
    double eps2;  /* ε² of the sinks, which splines look at */
    int by_reach; /* 1: the sinks need what is within `reach` of the box, whatever the opening test
                     says */
    double reach;
};

/* The groups of a tree that are sinks. */
struct ky_octree_sinks {
    const struct ky_octree *tree;
    const unsigned char *wanted; /* [groups] 1 for those that are; NULL: all */
    double eps2;                 /* of their bodies, the largest */
    /* The factor of the opening test for consecutive bodies along the curve; several threads may
     * call it at a time. NULL: 1. */
    double (*factor)(const void *context, uint32_t first, uint32_t bodies);
    /* In place of the test: how far these bodies reach. NULL: the test decides. */
    double (*reach)(const void *context, uint32_t first, uint32_t bodies);
    const void *context;
};

/* Makes their boxes: *box is to be freed, also after a failure. KY_FAULT when memory is out. */
enum ky_status ky_octree_boxes(const struct ky_octree_sinks *sinks, struct ky_octree_box **box,
                               size_t *count, struct ky_error *error);

/* Cells that were copied from a tree, breadth first as in the layout. `next` of the links need not
 * be made. */
#define KY_CELL_COPIED(p, type, name, count, what) const type *name;
struct ky_given_cells {
    size_t count;
    KY_CELL_COLUMNS(KY_CELL_COPIED, )
};

/* Cells and bodies of a part's tree in one piece of memory: the roots first. There is no cell below
 * a closed one (KY_CLOSED_CELL). */
struct ky_octree_parcel {
    size_t roots, bytes;
    struct ky_given_cells cells;
    size_t n;
    const double *x, *y, *z, *mass;
    const uint32_t *number; /* where the tree has them, else NULL */
    void *data;             /* [bytes] */
};

/* Makes the parcel of what groups in these boxes may need of the tree, in walks with moments of
 * this order; parcel->data is to be freed. KY_FAULT when memory is out. */
enum ky_status ky_octree_prune(const struct ky_octree *tree, const struct ky_octree_box *box,
                               size_t boxes, int order, struct ky_octree_parcel *parcel,
                               struct ky_error *error);
/* Copies to (*openers)[0 … *count), to be freed, those of the boxes whose groups may need more of a
 * part's tree than a parcel of its closed roots, which ky_octree_prune makes without boxes.
 * `opening` is that of the trees. KY_FAULT when memory is out. */
enum ky_status ky_octree_openers(const struct ky_octree_parcel *parcel, unsigned opening,
                                 const struct ky_octree_box *box, size_t boxes,
                                 struct ky_octree_box **openers, size_t *count,
                                 struct ky_error *error);
/* Sets the members of a parcel whose data have come from another part, for trees with so many
 * moments a cell. KY_BAD_DATA if it is none: parcel->data is set also then. */
enum ky_status ky_octree_unwrap(void *data, size_t bytes, size_t moments,
                                struct ky_octree_parcel *parcel, struct ky_error *error);

/* What a part knows of all parts. */
struct ky_octree_all {
    /* How many, and the number of this one, whose tree is grafted; own = parts: all have sent a
     * parcel. */
    size_t parts, own;
    const struct ky_octree_parcel
        *parcel;                       /* [parts] what the others have sent; not read of `own` */
    const size_t *roots;               /* [parts] how many roots each has */
    const struct ky_octree_root *root; /* those of all, one part after the other */
};

/* Makes `to` the tree of the system for the groups of this part: its own tree, what the others have
 * sent, and the cells above. The order of `to` is that of the part's own bodies, and not defined
 * for others. Where the part's own tree has numbers, `to` has them too; then the links of all cells
 * tell which bodies are here: they follow each other, and a closed cell has none. KY_FAULT when
 * memory is out, KY_BAD_DATA for links that do not fit. */
enum ky_status ky_octree_graft(struct ky_octree *to, const struct ky_octree *tree,
                               const struct ky_octree_all *all,
                               const struct ky_parameters *parameters, struct ky_error *error);

#endif
