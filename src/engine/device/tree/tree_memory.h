/* The buffers of the tree of a card, and their memory. */
#ifndef KY_DEVICE_TREE_MEMORY_H
#define KY_DEVICE_TREE_MEMORY_H

#include "engine/device/state/bodies.h"
#include "engine/device/tree/columns.h"
#include "engine/device/tree/tree_part.h"

/* Cuts of the tree, for forces whose cells act on cells: cells of at most `limit` bodies, or
 * leaves, whose parents have more; together they hold all bodies. The last cut consists of the
 * groups. Cells first[k] to first[k + 1] - 1 of the buffer `cut` are cut k. */
enum { KY_MOST_CUTS = 6 };
struct ky_cuts {
    size_t count; /* 0: the force has none */
    uint32_t first[KY_MOST_CUTS + 1];
    /* Of an engine of ranks: how many of the last cells of each cut have bodies in several parts;
     * and the largest factors of the opening test below all of these, cut after cut. */
    uint32_t shared[KY_MOST_CUTS];
    struct ky_buffer most;
};

struct ky_device_tree {
    struct ky_buffer curve, partial, frame;          /* kernels/tree/keys.k */
    struct ky_buffer first, facts;                   /* kernels/tree/grow.k */
    struct ky_cell_columns column;                   /* octree/layout.h */
    struct ky_buffer mass;                           /* kernels/tree/relative.k */
    struct ky_buffer weights, starts, starts_of_all; /* kernels/tree/groups.k */
    struct ky_buffer scratch;                        /* of sort and scan */
    struct ky_buffer cut, cut_first;                 /* of struct ky_cuts: kernels/tree/groups.k */
    struct ky_pinned pinned; /* the number of groups; the ends of the cuts */
    /* Parts of bodies->curve.room: before the bodies lie along the curve, and after. */
    struct ky_two_buffers keys;
    struct ky_buffer masks, at;
    struct ky_buffer group, turn, weight, before, factor,
        wanted; /* kernels/tree/groups.k, relative.k */
    struct ky_cuts cuts;
    struct ky_tree_part part; /* of an engine of ranks */
    uint32_t start;           /* the cell with which walks begin */
    /* All cells; on ranks, after the exchange, with the cells of other ranks behind the tree's own.
     * Then the places of all bodies, and the first place behind the own bodies along the curve. */
    size_t reached, places, later;
    size_t cells, turns;
    size_t groups; /* in `group`; the last of them may be empty if they hold active bodies */
    size_t whole;  /* number of groups of all bodies */
    size_t all;    /* the same of all ranks */
    size_t full;   /* the groups of all ranks if all were full */
    size_t listed; /* active bodies in `group`; 0: it holds all bodies */
    int serves;    /* 1: block steps keep it: it is from an earlier tick, and good enough */
    int refreshed; /* 1: the last tree was not built but moved */
    int has_mass;  /* 1: `mass` has the mass of all bodies, found when the tree was built */
    int few; /* 1: there are only a few groups for each team that runs at once: the heaviest are
                divided */
    uint32_t level[KY_FACT_CELLS + 1]; /* the first cell of each */
    uint64_t builds;                   /* trees that were built so far */
    uint64_t built;                    /* bodies->place of the cells; 0: there are none */
    double opening;                    /* ky_opening_key with which they were built */
    int order, leaf;                   /* of their moments; bodies of a leaf at most */
    int is_wide; /* 1: their boxes have been widened for walks that round positions (links.c) */
};

enum {
    KY_GROUPS_IN_CUT = 32, /* full groups of a cell that is divided into groups, at most */
    KY_HEAVY_GROUPS = 16   /* one of this many groups is divided, if any are */
};

/* Bodies of a group at most, with so many lanes of a team. Walks of single bodies have no groups;
 * the number is the same. */
uint32_t ky_device_tree_group(size_t team, const struct ky_parameters *parameters);
/* Bodies of a cell that is divided into groups, at most. */
uint32_t ky_device_tree_divided(size_t team, const struct ky_parameters *parameters);
/* Teams that the card runs at once. */
size_t ky_device_tree_teams(const struct ky_card *card);
/* Groups for which there is memory: of all bodies, or of active ones. */
size_t ky_device_tree_groups_room(const struct ky_device_bodies *bodies,
                                  const struct ky_parameters *parameters);
/* Counts of cells: of each level and team of n bodies, and their sum. */
size_t ky_device_tree_counts(size_t team, size_t n);

/* The calls below return KY_DEVICE where the card has no memory. */

/* Buffers whose size follows from the number of bodies. */
enum ky_status ky_device_tree_need_bodies(struct ky_device_tree *tree,
                                          struct ky_device_bodies *bodies, struct ky_error *error);
/* Buffers of the cells, which have been counted. */
enum ky_status ky_device_tree_need_cells(struct ky_device_tree *tree,
                                         const struct ky_device_bodies *bodies,
                                         const struct ky_parameters *parameters,
                                         struct ky_error *error);
/* Takes parts of bodies->curve.room: parts until the bodies lie along the curve, and parts after.
 * The latter may be larger than the room was, if groups are small or cells many. */
enum ky_status ky_device_tree_parts_before(struct ky_device_tree *tree,
                                           const struct ky_device_bodies *bodies,
                                           struct ky_error *error);
enum ky_status ky_device_tree_parts_after(struct ky_device_tree *tree,
                                          struct ky_device_bodies *bodies,
                                          const struct ky_parameters *parameters,
                                          struct ky_error *error);
/* Releases the parts of the room: groups and factors are no longer needed. */
void ky_device_tree_done(struct ky_device_tree *tree, const struct ky_device_bodies *bodies);
/* Releases everything. */
void ky_device_tree_release(struct ky_device_tree *tree, const struct ky_device_bodies *bodies);
/* Bytes on the card for n bodies. */
double ky_device_tree_memory(const struct ky_parameters *parameters, size_t n);

#endif
