/* The host octree: keys along a space-filling curve, sort, cells, moments, links and groups.
 *
 * The arrays of cells (layout.h) are used without conversion by the CPU engine's walks and by
 * devices. order[k] is the caller's index of the k-th body along the curve. The same bodies give
 * the same tree for any number of threads; equal keys are ordered by the caller's index. */
#ifndef KY_OCTREE_OCTREE_H
#define KY_OCTREE_OCTREE_H

#include "base/status.h"
#include "octree/layout.h"

/* How a walk decides: it calls ky_opening_opens (physics/opening.h) with the box of the sinks (a
 * point for one body), with the cell's open2 and box, and with tree->opening as `how`. open2 is
 * multiplied by ky_opening_relative_factor of the smallest |a| of the sinks for `relative`. Where
 * tree->opening has no KY_OPENING_TOUCH, a cell that passes cannot hold a sink. An opened leaf
 * gives its bodies one by one. A cell never acts on a body that lies in it, so comparing places
 * along the curve is enough to leave a body out of its own sum. A walk that rounds distances to
 * float widens the sinks' box by KY_OPENING_SLACK of its size. For the first pass of a test by α
 * build with opening = KY_OPENING_AT_FIRST. */

/* Consecutive bodies that share one walk. The largest cells of at most KY_GROUPS_IN_CELL times the
 * most bodies of a group, and leaves, are divided into groups. */
enum { KY_GROUPS_IN_CELL = 16 };
struct ky_group {
    uint32_t body, bodies;
};

/* Consecutive groups that may begin a walk together: at most KY_SHARED_GROUPS of a cell of at most
 * KY_SHARED_BODIES bodies, or of KY_GROUPS_IN_CELL groups if that is more. If the system is divided
 * among ranks at the ends of these cells, the shares of groups stay the same. */
enum { KY_SHARED_GROUPS = 8, KY_SHARED_BODIES = 4096 };

struct ky_octree_seconds {
    double keys, sort, build, moments; /* moments: with the copy of the bodies along the curve */
};

/* Elements after the last of x, y, z, mass and softening2: copies of the last body, without mass.
 */
#define KY_OCTREE_PADDING 16

#define KY_CELL_POINTER(p, type, name, count, what) type *name;

/* In a tree of several parts (parts.h): a root of a part's tree, its number there, and the smallest
 * last |a| of its bodies. */
struct ky_grafted_root {
    uint32_t cell, part, root;
    float least;
};

struct ky_octree {
    size_t n;
    uint32_t *order;          /* [n] */
    double *x, *y, *z, *mass; /* [n] along the curve; KY_OCTREE_PADDING more can be read */
    double *softening2;       /* [n] squared, or NULL when no body has its own; padded too */
    uint32_t *number;         /* [n] along the curve, of a part of a system that walks with actions
                                 (parts.h): the bodies' numbers among all. NULL: `order` has them */
    unsigned opening;         /* KY_OPENING_…, see "How a walk decides" */
    size_t nodes, groups, levels;
    size_t roots;     /* cells of the first level: 1, but in the tree of a part (parts.h) */
    double origin[3]; /* of the places in centre and low; each a float */
    /* centre, low, link, moment, box, children: [nodes] of layout.h, `moment` [nodes × moments].
     * Cell 0 is the root; none if n = 0. `next` of links is made by ky_octree_link. */
    KY_CELL_COLUMNS(KY_CELL_POINTER, )
    size_t moments;         /* KY_MOMENTS of a cell */
    unsigned char *depth;   /* [nodes], level of the cell's cube, 255: it has none */
    uint32_t *level;        /* [levels + 1]: first cell of each level */
    struct ky_group *group; /* [groups] */
    uint32_t *share;        /* [shares + 1] first group of each share, and `groups` */
    size_t shares;
    struct ky_grafted_root *grafted_root; /* [grafted_roots] the roots of all parts; NULL if the
                                             tree is not grafted */
    size_t grafted_roots, part;           /* part: the number of this one */
    struct ky_octree_seconds seconds;     /* of the last build */
    struct ky_octree_scratch *scratch;    /* capacities and workspace, kept between builds */
};

/* 1 if the bodies of a cell are divided into groups, of at most `most` bodies each. */
static inline int ky_octree_has_groups(const struct ky_octree *tree, uint32_t cell, int most)
{
    return tree->children[cell] == 0 ||
           tree->link[cell].bodies <= KY_GROUPS_IN_CELL * (uint32_t)most;
}

/* The bodies of a build, in the caller's order. */
struct ky_octree_bodies {
    size_t n;
    const uint32_t *member; /* [n] indices of the bodies in the columns, ascending, which become the
                               tree's order; NULL: the first n */
    const double *x, *y, *z, *mass;
    const double *softening; /* or NULL */
    /* The cube that the keys divide: its lowest corner and its edge. It is given where trees over
     * parts of one system have to agree. edge 0: the cube of the bulk of these bodies. */
    double low[3], edge;
    int has_origin;   /* 0: the origin is the median of some bodies */
    double origin[3]; /* each a float */
    /* The relative rounding error of a position (of its distance from the origin) in the code that
     * reads the tree; boxes are wider by it. 0: it reads doubles. */
    double digit;
    const struct ky_octree_part *part; /* the system of which these bodies are a part (parts.h), or
                                          NULL */
};

/* Clears the struct. Every later build uses the memory of the one before. */
void ky_octree_init(struct ky_octree *tree);
/* Frees the memory and clears the struct. */
void ky_octree_free(struct ky_octree *tree);

/* Builds everything from keys to groups, with the parameters' curve, leaf, group, opening, cell,
 * theta, multipole, softening_kind and threads; `cell` must be KY_BOX or KY_EDGE. `curve none`
 * builds over Morton keys, with the groups of `morton`; a walk for each body should then take the
 * bodies in the caller's order. Positions that are not finite do no harm, but give no useful tree.
 * KY_USAGE for 2^31 bodies or more, KY_FAULT if memory runs out; the tree is empty then. */
enum ky_status ky_octree_build(struct ky_octree *tree, const struct ky_octree_bodies *bodies,
                               const struct ky_parameters *parameters, struct ky_error *error);
/* Moves the bodies of the last build to `position`, in the caller's order. Order, cells, groups and
 * origin stay; boxes, opening radii and moments are recomputed. With `cell edge` a cell keeps its
 * edge; where its box has left the cube, the cube is placed about the box. The parameters must be
 * the parameters of the build. Only `moments` of the seconds changes. KY_FAULT if memory runs
 * out. */
enum ky_status ky_octree_refresh(struct ky_octree *tree, const double (*position)[3],
                                 const struct ky_parameters *parameters, struct ky_error *error);
/* KY_OPENING_… for these parameters: the quantities that the opening test needs in addition to the
 * distance. */
unsigned int ky_octree_opening(const struct ky_parameters *parameters);
/* Makes `next` of all links, which the walk for one body needs. */
void ky_octree_link(struct ky_octree *tree);
/* Makes (*place)[i], the place of the caller's i-th body along the curve, for indices i below
 * `columns`; to be freed. KY_FAULT if memory runs out. */
enum ky_status ky_octree_places(const struct ky_octree *tree, size_t columns, uint32_t **place,
                                struct ky_error *error);
/* About how many cells n bodies have: a little more than for a Plummer sphere. */
double ky_octree_cells(const struct ky_parameters *parameters, size_t n);
/* Bytes of a cell in all columns. */
size_t ky_octree_cell_bytes(const struct ky_parameters *parameters);
/* The bytes that a tree of n bodies takes with these parameters, to a tenth for ordinary
 * distributions of bodies and leaves of 16. Softenings of the bodies' own take 8 more a body. */
double ky_octree_memory(const struct ky_parameters *parameters, size_t n);

#endif
