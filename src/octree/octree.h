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
    float
        open2; /* squared distance up to which the cell must be opened; see "How a walk decides" */
    float second[6]; /* raw second moments Σ m x xᵀ about com: xx yy zz xy xz yz */
    uint32_t first;  /* of its children (index of cell) or, for a leaf, of its bodies */
    uint32_t count;  /* number of children, or KY_LEAF | number of bodies */
};
#define KY_LEAF 0x80000000u

/* What the walk seldom reads. The tight box of the cell's bodies reaches from com − below to
 * com + above, both >= 0 and rounded outwards: relative to com, since absolute floats would not
 * resolve a cluster that is 1e-7 of its distance from the origin. */
struct ky_cell_box {
    float below[3], above[3];
    uint32_t body, bodies; /* all bodies of the cell: first and number */
};

/* How a walk decides (formulas: physics/opening.h). `box` is the box of the sinks about their
 * centre, a point for one body; let d2 be its squared distance to node.com (geometric, offset,
 * relative) or to the cell's box (minimum). The cell is opened if
 *     d2 <= open2 × factor,
 * with factor = 1, but ky_opening_relative_factor of the smallest |a| of the sinks for `relative`;
 * or if
 *     tree->test_box and ky_opening_box_touches (relative: ky_opening_cube_touches).
 * Where test_box is 0 the first test implies the second. An opened leaf gives its bodies one by
 * one; a cell never stands for a body that lies in it, so a body is left out of its own sum by its
 * place along the curve alone. A walk that rounds distances to float widens the sinks' box by
 * 1e-6 of its size. For the first pass of `relative` build with opening = KY_OFFSET. */

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
    double keys, sort, build, moments; /* moments: with the copy of the bodies along the curve */
};

/* Elements after the last of x, y, z, mass and softening2: copies of the last body, without mass.
 */
#define KY_OCTREE_PADDING 16

struct ky_octree {
    size_t n;
    uint32_t *order;          /* [n] */
    double *x, *y, *z, *mass; /* [n] along the curve; KY_OCTREE_PADDING more can be read */
    double *softening2;       /* [n] squared, or NULL when no body has its own; padded too */
    int test_box;             /* see "How a walk decides" */
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
    /* The cube that the keys divide, where trees over parts of one system are to agree: its lowest
     * corner and its edge. edge 0: the cube of the bulk of these bodies. */
    double low[3], edge;
};

/* Clears the struct; every later build reuses the memory. */
void ky_octree_init(struct ky_octree *tree);
void ky_octree_free(struct ky_octree *tree);

/* Everything from keys to groups, with the parameters' curve, leaf, group, opening, cell, theta,
 * multipole, softening_kind and threads. `curve none` builds over Morton keys: a per-body walk is
 * then to go through the bodies in the caller's order, groups are as for `morton`. The positions
 * must be finite; others do no harm but give no useful tree. KY_USAGE for 2^31 bodies or more.
 * After a failure the tree is empty. */
enum ky_status ky_octree_build(struct ky_octree *tree, const struct ky_octree_bodies *bodies,
                               const struct ky_parameters *parameters, struct ky_error *error);
/* Makes tree->links for the present tree. */
enum ky_status ky_octree_link(struct ky_octree *tree, struct ky_error *error);
/* Bytes for n bodies with these parameters, an upper bound for ordinary distributions, without own
 * softenings (8 more a body, 4 a cell). */
double ky_octree_memory(const struct ky_parameters *parameters, size_t n);

#endif
