/* Internal header of the files of the octree. */
#ifndef KY_OCTREE_WORK_H
#define KY_OCTREE_WORK_H

#include "octree/keys.h"
#include "octree/octree.h"
#include "octree/parts.h"

/* A cell of a tree under construction. */
struct ky_sprout {
    uint32_t first; /* first child */
    uint32_t body, bodies;
    uint8_t children; /* 0: a leaf */
    uint8_t level;    /* of the smallest cube of the frame that holds the bodies, or KY_OFF_FRAME */
    uint8_t one_softening; /* 1: known to need no division by softening */
};
enum { KY_OFF_FRAME = 255 };

struct ky_octree_scratch {
    size_t bodies, softenings, groups, nodes[KY_COLUMNS_OF_CELLS], depths; /* capacities */
    size_t levels, cuts;
    double *block; /* x, y, z and mass; before that, keys, sort space and sprouts */
    size_t stride; /* elements of block an array has */
    uint64_t *key; /* the sorted keys, in block */
    struct ky_sprout *sprout, *own_sprout; /* in block, or own_sprout when block is too small */
    size_t sprouts, sprout_capacity;
    uint32_t *cut;
    struct ky_octree_root *root; /* [parted] of the tree of a part */
    size_t parted, root_room, shares, grafted_roots;
    double digit; /* of the readers' places, see octree.h */
    struct ky_frame frame;
    struct ky_hilbert hilbert;
    int threads;
};

/* Makes room for `count` elements of `size` bytes at *array; its content is lost. KY_FAULT if
 * memory runs out. */
enum ky_status ky_octree_reserve(void *array, size_t *capacity, size_t count, size_t size,
                                 const char *what, struct ky_error *error);

/* A tree without bodies, that keeps its memory. */
void ky_octree_empty(struct ky_octree *tree);
/* Makes room for `n` bodies, with softenings of their own or without, and places their arrays.
 * KY_FAULT if memory runs out. */
enum ky_status ky_octree_reserve_bodies(struct ky_octree *tree, size_t n, int own_softening,
                                        const struct ky_parameters *parameters,
                                        struct ky_error *error);
/* Makes room for tree->nodes cells with moments of this order. KY_FAULT if memory runs out. */
enum ky_status ky_octree_reserve_cells(struct ky_octree *tree, int multipole,
                                       struct ky_error *error);
/* Fills the KY_OCTREE_PADDING elements behind the bodies, of which there is one at least. */
void ky_octree_pad(struct ky_octree *tree);
/* Appends a level that ends at `end`. */
enum ky_status ky_octree_end_level(struct ky_octree *tree, size_t end, struct ky_error *error);

/* Sorts n words by the bits that are set in `varying`. The sort is stable, so that words which
 * agree in these bits keep their order. `other` has room for n words. Returns `word` or `other`,
 * whichever holds the result. */
uint64_t *ky_octree_sort(size_t n, uint64_t *word, uint64_t *other, uint64_t varying, int threads);
/* Splits sorted words: the keys replace the words, and the indices go to `order`. */
void ky_octree_unpack(size_t n, struct ky_word_layout layout, uint64_t *word, uint32_t *order,
                      int threads);

/* The softenings of a cell's bodies: not decided yet; equal enough in this cell and all below; so
 * different that the cell has to be divided between them. */
enum ky_cell_softening { KY_SOFTENING_OPEN, KY_SOFTENING_ONE, KY_SOFTENING_MIXED };
/* The largest less the smallest ε² of the bodies that have mass [length²]; 0 if they have no
 * softenings of their own. */
double ky_softening_spread(const struct ky_octree_bodies *bodies);
/* Compares the bodies order[0 … n). `spread` is the spread of all bodies, more than 0. If the cell
 * has to be divided, *middle becomes the ε² at which it is divided. */
enum ky_cell_softening ky_cell_softening(const struct ky_octree_bodies *bodies,
                                         const uint32_t *order, size_t n, double spread,
                                         double *middle);
/* Moves the bodies with ε² > middle to the end, and marks their keys with KY_UPPER_HALF, a bit that
 * no key has. KY_FAULT if memory runs out. */
#define KY_UPPER_HALF ((uint64_t)1 << 63)
enum ky_status ky_divide_by_softening(const struct ky_octree_bodies *bodies, double middle,
                                      uint64_t *key, uint32_t *order, size_t n);

/* Puts bodies with equal keys in the order of their numbers. */
void ky_octree_order_ties(struct ky_octree *tree, const uint64_t *number);
/* Makes the first sprouts of the sorted keys of a part, which are the roots, and notes their keys.
 * Returns their number. Where there is room for less than that, they are only counted. */
size_t ky_octree_roots(struct ky_octree *tree, const struct ky_octree_part *part, size_t room,
                       struct ky_sprout *sprout);
/* Makes sprouts and levels of the sorted keys. KY_FAULT if memory runs out. */
enum ky_status ky_octree_grow(struct ky_octree *tree, const struct ky_octree_bodies *bodies,
                              const struct ky_parameters *parameters, struct ky_error *error);
/* Fills scratch->cut with the largest cells of at most `limit` bodies (or leaves), along the curve.
 */
enum ky_status ky_octree_cut(struct ky_octree *tree, size_t limit, size_t *count,
                             struct ky_error *error);
/* Sets the origin, and the rounding of the readers' places. */
void ky_octree_set_origin(struct ky_octree *tree, const struct ky_octree_bodies *bodies);
/* Copies the bodies along the curve, and makes moments, boxes and opening radii of all cells. */
enum ky_status ky_octree_moments(struct ky_octree *tree, const struct ky_octree_bodies *bodies,
                                 const struct ky_parameters *parameters, struct ky_error *error);
/* The same for a tree that has moments. Only the positions of its bodies have changed. */
enum ky_status ky_octree_move(struct ky_octree *tree, const double (*position)[3],
                              const struct ky_parameters *parameters, struct ky_error *error);
/* Makes a cell from the sums of its children: its own sums, and its columns except the links. It
 * has no cube. */
void ky_octree_join(struct ky_octree *tree, uint32_t cell, const struct ky_octree_sums *child,
                    const struct ky_parameters *parameters, struct ky_octree_sums *sums);
/* Makes the moments of degree 3 and more of a cell that is stored, as are its children. Nothing is
 * done for orders up to 2. */
void ky_octree_higher(struct ky_octree *tree, uint32_t cell, int order);
/* The data of a cell that go into a parcel. */
enum ky_need {
    KY_NEED_NOTHING,
    KY_NEED_CELL,     /* it is closed */
    KY_NEED_CHILDREN, /* or, of a leaf, the bodies */
    KY_NEED_BODIES    /* all that is below */
};
/* Makes the parcel of the needed cells: need[nodes] is at least KY_NEED_CELL for roots, and for all
 * children of a cell whose children are needed. KY_FAULT if memory runs out. */
enum ky_status ky_octree_pack(const struct ky_octree *tree, const unsigned char *need,
                              struct ky_octree_parcel *parcel, struct ky_error *error);
/* Makes the groups. */
enum ky_status ky_octree_groups(struct ky_octree *tree, const struct ky_parameters *parameters,
                                struct ky_error *error);
/* Consecutive groups of which `wanted` is set; NULL: all. Finds the run after `run`, among the
 * groups before `end`, and returns 0 if none of them is wanted. Together they have up to 256 bodies
 * if they are several. With runs of 64 bodies the data that ranks send are 1.00 times the data that
 * the groups need; with 256 they are up to 1.3 times as large, with a quarter of the tests. */
struct ky_group_run {
    size_t first, end;
};
static inline int ky_group_is_wanted(const unsigned char *wanted, size_t group)
{
    return !wanted || wanted[group];
}
int ky_group_next_run(const struct ky_octree *tree, const unsigned char *wanted, size_t end,
                      struct ky_group_run *run);

#endif
