/* The host octree: keys along a space-filling curve, sort, cells, moments, links and groups.
 *
 * The arrays are laid out so that they serve the CPU engine's group walk and pointer walk as they
 * are, and can be copied to a device as they are. Cells are stored breadth first: the children of a
 * cell are consecutive, and children come after their parent. Bodies are addressed by their place
 * along the curve; order[k] is the caller's index of the k-th. The same bodies give the same tree
 * for any number of threads; equal keys are ordered by the caller's index. */
#ifndef KY_OCTREE_OCTREE_H
#define KY_OCTREE_OCTREE_H

#include "base/status.h"

/* A cell as the walk reads it: one cache line. */
struct ky_node {
    double com[3]; /* centre of mass (of the box, if the cell has no mass) */
    float mass;
    float open2; /* squared distance under which the cell must be opened, by the opening test; the
                    distance is to com (geometric, offset) or to the cell's box (minimum) */
    float second[6]; /* raw second moments Σ m x xᵀ about com: xx yy zz xy xz yz */
    uint32_t first;  /* of its children (index of cell) or, for a leaf, of its bodies */
    uint32_t count;  /* number of children, or KY_LEAF | number of bodies */
};
#define KY_LEAF 0x80000000u

/* What the walk seldom reads. */
struct ky_cell_box {
    float low[3], high[3]; /* tight box of the cell's bodies, rounded outwards */
    uint32_t body, bodies; /* all bodies of the cell: first and number */
};

/* Links for one body's walk (N09, N12): `more` = first child, or KY_NO_LINK for a leaf; `next` =
 * the cell to go to when this one is done with, KY_NO_LINK at the end. */
#define KY_NO_LINK 0xffffffffu
struct ky_links {
    uint32_t next, more;
};

/* Consecutive bodies that are walked for together. */
struct ky_group {
    uint32_t body, bodies;
};

struct ky_octree_seconds {
    double keys, sort, build, moments;
};

struct ky_octree {
    size_t n;
    uint32_t *order;          /* [n] */
    double *x, *y, *z, *mass; /* [n] along the curve */
    double *softening2;       /* [n] squared, or NULL when no body has its own */
    size_t nodes, groups, levels;
    struct ky_node *node;              /* [nodes]; node[0] is the root; none if n = 0 */
    struct ky_cell_box *box;           /* [nodes] */
    float *node_softening2;            /* [nodes] mass-weighted mean, or NULL */
    uint32_t *level;                   /* [levels + 1]: first cell of each level */
    struct ky_links *links;            /* [nodes], made by ky_octree_link, else NULL */
    struct ky_group *group;            /* [groups] */
    struct ky_octree_seconds seconds;  /* of the last build */
    struct ky_octree_scratch *scratch; /* capacities and work space, kept from build to build */
};

/* The bodies to build over, in the caller's order. */
struct ky_octree_bodies {
    size_t n;
    const double *x, *y, *z, *mass;
    const double *softening; /* or NULL */
};

/* Clears the struct; every later build reuses the memory. */
void ky_octree_init(struct ky_octree *tree);
void ky_octree_free(struct ky_octree *tree);

/* Everything from keys to groups, with the parameters' curve, leaf, group, opening, cell, theta,
 * multipole. */
enum ky_status ky_octree_build(struct ky_octree *tree, const struct ky_octree_bodies *bodies,
                               const struct ky_parameters *parameters, struct ky_error *error);
enum ky_status ky_octree_link(struct ky_octree *tree, struct ky_error *error);
/* Bytes for n bodies with these parameters, an upper bound for ordinary distributions. */
double ky_octree_memory(const struct ky_parameters *parameters, size_t n);

#endif
