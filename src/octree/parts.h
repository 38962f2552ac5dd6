/* The tree of a system whose bodies lie in several parts, on several machines for example.
 *
 * A part holds a range of the curve. A range ends at the end of a largest cell of at most
 * KY_PART_BODIES bodies, or at the end of a key if more bodies have the same key. So the largest
 * cells that lie in only one part are cells of the system's tree, and so are all cells below them.
 * They are the roots of the part's tree. The cells above are made from the roots of all parts, and
 * are the same in every part. A part receives from the trees of other parts the cells and bodies
 * that its own groups need, and grafts them into one tree. A walk of its groups then uses the same
 * cells and bodies in the same order as in the tree of the whole system, and gives the same
 * bits. */
#ifndef KY_OCTREE_PARTS_H
#define KY_OCTREE_PARTS_H

#include "octree/octree.h"
#include "physics/cell.h"

enum { KY_PART_BODIES = KY_SHARED_BODIES };

/* Properties of the whole system for the build of a part. */
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

/* The description of a root for other parts: the keys of its first and its last body. */
struct ky_octree_root {
    uint64_t first, last;
    struct ky_octree_sums sums;
    float least; /* where cells act on cells: the smallest last |a| of its bodies (sinks.h) */
};

/* Writes the roots of a part's tree to root[0 … tree->roots), without `least`. */
void ky_octree_tell_roots(const struct ky_octree *tree, struct ky_octree_root *root);

/* ---- cells and bodies that a part needs from another part ---- */

/* Some groups of a part, as sinks: the tight box of their bodies relative to the tree's origin, and
 * the factor of the opening test for the smallest |a| among them. */
struct ky_octree_box {
    double middle[3], half[3];
    double factor;
    double eps2;  /* ε² of the sinks, used by splines */
    int by_reach; /* 1: the sinks need all bodies within `reach` of the box; the opening test does
                     not count */
    double reach;
};

/* The groups of a tree that are sinks. */
struct ky_octree_sinks {
    const struct ky_octree *tree;
    const unsigned char *wanted; /* [groups] 1 for groups that are sinks; NULL: all */
    double eps2;                 /* of their bodies, the largest */
    /* The factor of the opening test for consecutive bodies along the curve; several threads may
     * call it at a time. NULL: 1. */
    double (*factor)(const void *context, uint32_t first, uint32_t bodies);
    /* Replaces the test: the reach of these bodies. NULL: the test decides. */
    double (*reach)(const void *context, uint32_t first, uint32_t bodies);
    const void *context;
};

/* Makes their boxes: *box is to be freed, also after a failure. KY_FAULT if memory runs out. */
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

/* Makes the parcel of the cells and bodies of the tree that groups in these boxes may need, in
 * walks with moments of this order; parcel->data is to be freed. KY_FAULT if memory runs out. */
enum ky_status ky_octree_prune(const struct ky_octree *tree, const struct ky_octree_box *box,
                               size_t boxes, int order, struct ky_octree_parcel *parcel,
                               struct ky_error *error);
/* Copies to (*openers)[0 … *count), to be freed, the boxes whose groups may need more of a part's
 * tree than a parcel of its closed roots, which ky_octree_prune makes if it gets no boxes.
 * `opening` is the opening of the trees. KY_FAULT if memory runs out. */
enum ky_status ky_octree_openers(const struct ky_octree_parcel *parcel, unsigned opening,
                                 const struct ky_octree_box *box, size_t boxes,
                                 struct ky_octree_box **openers, size_t *count,
                                 struct ky_error *error);
/* Sets the members of a parcel whose data have come from another part, for trees with `moments`
 * moments in each cell. KY_BAD_DATA if the data are not a parcel: parcel->data is set also then. */
enum ky_status ky_octree_unwrap(void *data, size_t bytes, size_t moments,
                                struct ky_octree_parcel *parcel, struct ky_error *error);

/* A part's data about all parts. */
struct ky_octree_all {
    /* The number of parts, and the index of this one, whose tree is grafted; own = parts: all parts
     * have sent a parcel. */
    size_t parts, own;
    const struct ky_octree_parcel *parcel; /* [parts] the parcels of the other parts; [own] is not
                                              read */
    const size_t *roots;                   /* [parts] how many roots each has */
    const struct ky_octree_root *root;     /* the roots of all parts, in the order of the parts */
};

/* Makes `to` the tree of the system for the groups of this part: its own tree, the parcels of the
 * other parts, and the cells above. `order` of `to` is defined only for the part's own bodies. If
 * the part's own tree has numbers, `to` has them too; then the links of each cell give the bodies
 * that are present: they are consecutive, and a closed cell has none. KY_FAULT if memory runs out,
 * KY_BAD_DATA for links that do not fit. */
enum ky_status ky_octree_graft(struct ky_octree *to, const struct ky_octree *tree,
                               const struct ky_octree_all *all,
                               const struct ky_parameters *parameters, struct ky_error *error);

#endif
