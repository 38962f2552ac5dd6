/* What the tree of a card consists of, and its memory. */
#ifndef KY_DEVICE_TREE_ROOM_H
#define KY_DEVICE_TREE_ROOM_H

#include "engine/device/state/bodies.h"
#include "engine/device/tree/columns.h"

struct ky_device_tree {
    struct ky_buffer curve, partial, frame; /* kernels/tree/keys.k */
    struct ky_buffer first, facts;          /* kernels/tree/grow.k */
    struct ky_cell_columns column;          /* octree/layout.h */
    struct ky_buffer exponents, floor;      /* kernels/tree/relative.k */
    struct ky_buffer weights, starts;       /* kernels/tree/groups.k */
    struct ky_buffer scratch;               /* of sort and scan */
    struct ky_pinned pinned;                /* the number of groups */
    /* Parts of bodies->curve.room. Before the bodies lie along the curve, and after. */
    struct ky_two_buffers keys;
    struct ky_buffer masks, at;
    struct ky_buffer group, turn, weight, before, factor,
        wanted; /* kernels/tree/groups.k, relative.k */
    size_t cells, turns;
    size_t groups; /* in `group`: the last of them may be empty where they are of active bodies */
    size_t whole;  /* of all bodies */
    size_t full;   /* as many as there would be if all were full */
    size_t listed; /* active bodies of which `group` is; 0: it is of all */
    int serves;    /* block steps: it is that of an earlier tick, and good enough */
    int refreshed; /* the last one was not built: it served */
    int has_floor; /* of the accelerations when it was new */
    int few;       /* a few groups for each that runs at once: the heaviest of them are divided */
    uint32_t level[KY_FACT_CELLS + 1]; /* the first cell of each */
    uint64_t builds;                   /* trees until now */
    uint64_t built;                    /* bodies->place of the cells; 0: there are none */
    int opening;                       /* with which they were built: enum ky_opening */
    int is_wide; /* their boxes have been widened for walks that round positions (links.c) */
};

enum {
    KY_GROUPS_IN_CUT = 32, /* full groups of a cell that is divided into groups, at most */
    KY_HEAVY_GROUPS = 16   /* of this many groups one is divided, if any are */
};

/* Bodies of a group at most. Walks of single bodies have no groups; the number is the same. */
uint32_t ky_device_tree_group(const struct ky_parameters *parameters);
/* Teams that the card runs at once. */
size_t ky_device_tree_teams(const struct ky_card *card);
/* Groups that there is room for: of all bodies, or of active ones. */
size_t ky_device_tree_groups_room(const struct ky_device_bodies *bodies,
                                  const struct ky_parameters *parameters);
/* Counts of cells: of each level and team of n bodies, and their sum. */
size_t ky_device_tree_counts(size_t n);

/* The calls below return KY_DEVICE where the card has no memory for it. */

/* Buffers whose size follows from the number of bodies. */
enum ky_status ky_device_tree_need_bodies(struct ky_device_tree *tree,
                                          struct ky_device_bodies *bodies, struct ky_error *error);
/* Buffers of the cells, which have been counted. */
enum ky_status ky_device_tree_need_cells(struct ky_device_tree *tree,
                                         const struct ky_device_bodies *bodies,
                                         const struct ky_parameters *parameters,
                                         struct ky_error *error);
/* Parts of bodies->curve.room until the bodies lie along the curve, and after. The parts of after
 * may be larger than the room was, where groups are small or cells many. */
enum ky_status ky_device_tree_parts_before(struct ky_device_tree *tree,
                                           const struct ky_device_bodies *bodies,
                                           struct ky_error *error);
enum ky_status ky_device_tree_parts_after(struct ky_device_tree *tree,
                                          struct ky_device_bodies *bodies,
                                          const struct ky_parameters *parameters,
                                          struct ky_error *error);
/* Gives back the parts of the room: groups and factors are no longer needed. */
void ky_device_tree_done(struct ky_device_tree *tree, const struct ky_device_bodies *bodies);
/* Gives back everything. */
void ky_device_tree_release(struct ky_device_tree *tree, const struct ky_device_bodies *bodies);
/* Bytes on the card for n bodies. */
double ky_device_tree_memory(const struct ky_parameters *parameters, size_t n);

#endif
