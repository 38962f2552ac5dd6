/* The exchange in which ranks with devices make one tree of their parts: each rank keeps its own
 * tree, and appends the cells above all roots and the cells of other parts that its groups may
 * open. */
#ifndef KY_DEVICE_MEETING_H
#define KY_DEVICE_MEETING_H

#include "engine/device/ranks/ranks.h"
#include "engine/device/ranks/top.h"
#include "engine/device/tree/device_tree.h"
#include "engine/device/tree/tree_groups.h"

/* The roots of all parts, and the cells above them. */
struct ky_ranks_above {
    size_t *first;             /* [ranks + 1] index of the first root of each part */
    struct ky_part_root *root; /* the roots of all parts */
    struct ky_part_cell *cell;
    float *moment; /* [roots][moments] */
    struct ky_top top;
    size_t start, missing; /* the root of the tree, and the leaf that stands for missing cells */
};

/* Requests other than forces; bodies are sent with their numbers. */
struct ky_ranks_search {
    /* For a search: boxes of this rank's sinks, which need all bodies within their reaches
     * (kernels/tree/cut_box.h). NULL: the opening test decides. */
    const struct ky_buffer *box;
    /* For points as sinks, each of which walks separately, with an opening test without factors:
     * their boxes. The cells get the links of such walks: `next`, and the number of bodies that
     * such a walk needs. NULL: the sinks are the rank's bodies. */
    const struct ky_part_box *points;
    size_t boxes;
};

/* The state of one exchange. */
struct ky_exchange {
    struct ky_device_state *state;
    struct ky_device_tree *tree; /* this rank's, with groups and factors */
    const struct ky_evaluation *evaluation;
    const struct ky_parameters *parameters;
    const struct ky_ranks_search *search; /* NULL: forces */
    const struct ky_shared *shared;
    int expands;                /* 1: cells act on cells */
    int by_alpha;               /* 1: each body has its opening factor */
    size_t sinks;               /* number on this rank */
    size_t boxes;               /* number of boxes of their groups */
    size_t cells;               /* number of sink cells, if cells act on cells */
    struct ky_ranks_offer *box; /* [ranks] number of boxes of each rank, and their buffers */
    struct ky_ranks_offer *out; /* [ranks] the buffers of the parcels */
    uint64_t *given; /* [ranks][ranks][2] number of cells and bodies in each parcel, by sender and
                        receiver */
    size_t *roots;   /* [ranks] number of roots */
    struct ky_ranks_above above;
    size_t *place; /* [ranks] byte offset of its parcel in `out` */
};

/* The sinks of this rank; without a list, any buffer stands for it. */
static inline struct ky_listed_sinks ky_ranks_sinks(const struct ky_exchange *exchange)
{
    const int in_list = ky_evaluation_is_listed(exchange->evaluation);
    return (struct ky_listed_sinks){
        in_list ? &exchange->state->bodies.active_list : &exchange->tree->before,
        in_list ? (uint32_t)exchange->sinks : 0, in_list ? KY_FLAG_LISTED : 0};
}

/* Makes the tree of all ranks for this rank's groups: tree->start is the cell where walks begin,
 * and tree->reached the number of cells. Ranks without sinks also call it, and receive nothing.
 * `search` is NULL for forces. Collective. */
enum ky_status ky_ranks_exchange(struct ky_device_state *state, struct ky_device_tree *tree,
                                 const struct ky_evaluation *evaluation,
                                 const struct ky_parameters *parameters,
                                 const struct ky_ranks_search *search, struct ky_error *error);

/* ---- prune.c ---- */

/* Sends the boxes of this rank's groups to all ranks, and finds the cells that other ranks may
 * open: the parcels for them are in the slot of parcels, and exchange->given has the sizes of all
 * ranks' parcels. */
enum ky_status ky_ranks_prune(struct ky_exchange *exchange, struct ky_error *error);

/* ---- above.c ---- */

/* Queues the copy of the roots' data to the host; it is complete when the queue has passed this
 * point. KY_DEVICE if the card lacks the memory. */
enum ky_status ky_ranks_tell_roots(struct ky_exchange *exchange, struct ky_error *error);
/* All-gathers the number of roots of each rank to exchange->roots. Collective. */
enum ky_status ky_ranks_count_roots(struct ky_exchange *exchange, struct ky_error *error);
/* Gathers the roots of all parts, counted in exchange->roots, and makes the cells above them on the
 * card, behind its own. KY_BAD_DATA if roots overlap, KY_FAULT or KY_DEVICE if memory runs out. */
enum ky_status ky_ranks_make_above(struct ky_exchange *exchange, struct ky_error *error);
void ky_ranks_release_above(struct ky_exchange *exchange);

/* ---- cuts.c ---- */

/* If cells act on cells, called after the cells above all roots have been made: makes the cuts of
 * the tree, whose cells are sinks, and counts them in exchange->cells. KY_DEVICE or KY_FAULT if
 * memory runs out. */
enum ky_status ky_ranks_make_cuts(struct ky_exchange *exchange, struct ky_error *error);
/* Makes the boxes of the cells of all cuts, behind the boxes of groups. */
enum ky_status ky_ranks_box_cuts(const struct ky_exchange *exchange, struct ky_error *error);

/* ---- graft.c ---- */

/* Exchanges the parcels, and adds the received parcels to the tree. */
enum ky_status ky_ranks_graft(struct ky_exchange *exchange, struct ky_error *error);

#endif
