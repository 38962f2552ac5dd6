/* How ranks with devices make one tree of their parts: each rank keeps its own tree, and appends
 * the cells above all roots and the cells of other parts that its groups may open. */
#ifndef KY_DEVICE_MEETING_H
#define KY_DEVICE_MEETING_H

#include "engine/device/ranks/ranks.h"
#include "engine/device/ranks/top.h"
#include "engine/device/tree/device_tree.h"

/* The roots of all parts, and the cells above them. */
struct ky_ranks_above {
    size_t *first;             /* [ranks + 1] the first root of each part */
    struct ky_part_root *root; /* of all parts */
    struct ky_part_cell *cell;
    float *moment; /* [roots][moments] */
    struct ky_top top;
    size_t start, missing; /* the root of the tree, and the leaf in place of missing cells */
};

/* Requests other than forces; bodies come with their numbers. */
struct ky_ranks_search {
    /* A search: boxes of the sinks of this rank, which need all bodies within their reaches
     * (kernels/tree/cut_box.h). NULL: the opening test decides. */
    const struct ky_buffer *box;
    /* Sinks that are points, each of which walks by itself, by an opening test without factors:
     * their boxes. The cells get the links of such walks: `next`, and as many bodies as a walk has
     * to know of. NULL: the sinks are the rank's bodies. */
    const struct ky_part_box *points;
    size_t boxes;
};

/* A meeting of all ranks. */
struct ky_ranks_meeting {
    struct ky_device_state *state;
    struct ky_device_tree *tree; /* of this rank's bodies, with groups and factors */
    const struct ky_evaluation *evaluation;
    const struct ky_parameters *parameters;
    const struct ky_ranks_search *search; /* NULL: forces */
    const struct ky_shared *shared;
    int expands;                /* cells act on cells */
    int by_alpha;               /* each body has its factor of the opening test */
    size_t sinks;               /* of this rank */
    size_t boxes;               /* of their groups */
    size_t cells;               /* that are sinks, where cells act on cells */
    struct ky_ranks_offer *box; /* [ranks] boxes of each, and where they are */
    struct ky_ranks_offer *out; /* [ranks] where the parcels of each are */
    uint64_t
        *given;    /* [ranks][ranks][2] cells and bodies in the parcel of each rank for each one */
    size_t *roots; /* [ranks] */
    struct ky_ranks_above above;
    size_t *place; /* [ranks] where its parcel begins in `out`, in bytes */
};

/* Makes the tree of all for the groups of this rank: tree->start is where walks begin, and
 * tree->reached how many cells there are. Ranks without sinks call it too, and get nothing.
 * `search` is NULL for forces. */
enum ky_status ky_ranks_meet(struct ky_device_state *state, struct ky_device_tree *tree,
                             const struct ky_evaluation *evaluation,
                             const struct ky_parameters *parameters,
                             const struct ky_ranks_search *search, struct ky_error *error);

/* ---- prune.c ---- */

/* Sends the boxes of this rank's groups to all ranks, and finds the cells that other ranks may
 * open: the parcels for them lie in the slot of parcels, and meeting->given has the sizes of all
 * ranks' parcels. */
enum ky_status ky_ranks_prune(struct ky_ranks_meeting *meeting, struct ky_error *error);

/* ---- above.c ---- */

/* Has the card tell the numbers of the part's roots, which have arrived when the queue has come so
 * far. KY_DEVICE where it has no memory. */
enum ky_status ky_ranks_tell_roots(struct ky_ranks_meeting *meeting, struct ky_error *error);
/* Has all ranks tell each other how many roots they have: meeting->roots. A call of all ranks. */
enum ky_status ky_ranks_count_roots(struct ky_ranks_meeting *meeting, struct ky_error *error);
/* Gathers the roots of all parts, which meeting->roots counts, and makes the cells above them, on
 * the card behind its own. KY_BAD_DATA where roots overlap, KY_FAULT and KY_DEVICE when memory is
 * out. */
enum ky_status ky_ranks_make_above(struct ky_ranks_meeting *meeting, struct ky_error *error);
void ky_ranks_release_above(struct ky_ranks_meeting *meeting);

/* ---- cuts.c ---- */

/* Where cells act on cells, once the cells above all roots are there: makes the cuts of the tree,
 * whose cells are sinks, and counts them in meeting->cells. KY_DEVICE where the card has no memory,
 * KY_FAULT when memory is out. */
enum ky_status ky_ranks_make_cuts(struct ky_ranks_meeting *meeting, struct ky_error *error);
/* Makes the boxes of the cells of all cuts, behind the boxes of groups. */
enum ky_status ky_ranks_box_cuts(const struct ky_ranks_meeting *meeting, struct ky_error *error);

/* ---- graft.c ---- */

/* Sends the parcels, and adds the received parcels to the tree. */
enum ky_status ky_ranks_graft(struct ky_ranks_meeting *meeting, struct ky_error *error);

#endif
