/* The buffers of the tree of a card, and their memory. */
#ifndef KY_DEVICE_TREE_MEMORY_H
#define KY_DEVICE_TREE_MEMORY_H

#include "engine/device/state/bodies.h"
#include "engine/device/tree/cell_columns.h"
#include "engine/device/tree/tree_part.h"

/* Cuts of the tree, for forces in which cells act on cells: cells with at most `limit` bodies, or
 * leaves, whose parents have more; each cut contains all bodies. The last cut consists of the
 * groups. Cells first[k] … first[k + 1] - 1 of the buffer `cut` are cut k. */
enum { KY_MOST_CUTS = 6 };
struct ky_cuts {
    size_t count; /* 0: the force has no cuts */
    uint32_t first[KY_MOST_CUTS + 1];
    /* For ranks: number of cells, the last ones of each cut, that have bodies on several ranks; and
     * the largest opening factors below these, cut after cut. */
    uint32_t shared[KY_MOST_CUTS];
    struct ky_buffer most;
};

struct ky_device_tree {
    struct ky_buffer curve, partial, frame;          /* kernels/tree/keys.k */
    struct ky_buffer first, facts;                   /* kernels/tree/grow.k */
    struct ky_cell_columns column;                   /* octree/layout.h */
    struct ky_buffer mass, least;                    /* kernels/tree/relative.k */
    struct ky_buffer weights, starts, starts_of_all; /* kernels/tree/groups.k */
    struct ky_buffer scratch;                        /* for sort and scan */
    struct ky_buffer cut, cut_first;                 /* of struct ky_cuts: kernels/tree/groups.k */
    struct ky_pinned pinned; /* the number of groups; the ends of the cuts */
    /* Parts of bodies->curve.room: until the bodies lie along the curve, and afterwards. */
    struct ky_two_buffers keys;
    struct ky_buffer masks, at;
    struct ky_buffer group, turn, weight, before, factor,
        wanted; /* kernels/tree/groups.k, relative.k */
    struct ky_cuts cuts;
    struct ky_tree_part part; /* for ranks */
    uint32_t start;           /* the cell where walks begin */
    /* The number of all cells; on ranks, after the exchange, including the cells of other ranks
     * behind the tree's own. Then the number of places of all bodies, and the first place behind
     * the own bodies along the curve. */
    size_t reached, places, later;
    size_t cells, turns;
    size_t groups; /* number of groups in `group`; if they are of active bodies the last ones may be
                      empty */
    size_t whole;  /* number of groups of all bodies */
    size_t all;    /* the same on all ranks */
    size_t full;   /* number of groups of all ranks if all were full */
    size_t listed; /* number of active bodies in `group`; 0: the groups of all bodies */
    int serves;    /* 1: block steps keep it: it is from an earlier tick, but still valid */
    int refreshed; /* 1: the last tree was moved instead of built */
    int has_mass;  /* 1: `mass` has the total mass, computed when the tree was built */
    int few; /* 1: there are only a few groups for each team that runs at once, so the heaviest are
                divided */
    uint32_t level[KY_FACT_CELLS + 1]; /* the first cell of each level */
    uint64_t builds;                   /* number of trees built so far */
    uint64_t built;                    /* bodies->moves of the cells; 0: none */
    double opening;                    /* ky_opening_key for which they were built */
    int order, leaf; /* order of their moments; maximum number of bodies of a leaf */
    int is_wide;     /* 1: their boxes have been widened for walks that round positions (links.c) */
};

enum {
    KY_GROUPS_IN_CUT = 32, /* maximum number of full groups in a cell that is divided into groups */
    KY_HEAVY_GROUPS = 16   /* one of this many groups is divided, if any are */
};

/* Maximum number of bodies of a group, for teams of this many lanes: one for each, with fmm in a
 * periodic box two (KY_SINKS_OF). Walks of single bodies have no
 * groups, but the same number. */
uint32_t ky_device_tree_group(size_t team, const struct ky_parameters *parameters);
/* Maximum number of bodies of a cell that is divided into groups. */
uint32_t ky_device_tree_divided(size_t team, const struct ky_parameters *parameters);
/* The number of teams that the card runs at once. */
size_t ky_device_tree_teams(const struct ky_card *card);
/* The number of groups for which there is memory: of all bodies, or of active ones. */
size_t ky_device_tree_groups_room(const struct ky_device_bodies *bodies,
                                  const struct ky_parameters *parameters);
/* The number of counts of cells: for each level and team of n bodies, and the total. */
size_t ky_device_tree_counts(size_t team, size_t n);

/* The calls below return KY_DEVICE if the card lacks the memory. */

/* Allocates the buffers whose size depends on the number of bodies. */
enum ky_status ky_device_tree_need_bodies(struct ky_device_tree *tree,
                                          struct ky_device_bodies *bodies, struct ky_error *error);
/* Allocates the buffers of the cells, which have been counted. */
enum ky_status ky_device_tree_need_cells(struct ky_device_tree *tree,
                                         const struct ky_device_bodies *bodies,
                                         const struct ky_parameters *parameters,
                                         struct ky_error *error);
/* Takes parts of bodies->curve.room: parts used until the bodies lie along the curve, and parts
 * used afterwards. The latter may enlarge the room, if groups are small or there are many cells. */
enum ky_status ky_device_tree_parts_before(struct ky_device_tree *tree,
                                           const struct ky_device_bodies *bodies,
                                           struct ky_error *error);
enum ky_status ky_device_tree_parts_after(struct ky_device_tree *tree,
                                          struct ky_device_bodies *bodies,
                                          const struct ky_parameters *parameters,
                                          struct ky_error *error);
/* Releases the parts of the room; groups and factors become invalid. */
void ky_device_tree_done(struct ky_device_tree *tree, const struct ky_device_bodies *bodies);
/* Releases everything. */
void ky_device_tree_release(struct ky_device_tree *tree, const struct ky_device_bodies *bodies);
/* Bytes on the card for n bodies. */
double ky_device_tree_memory(const struct ky_parameters *parameters, size_t n);

#endif
