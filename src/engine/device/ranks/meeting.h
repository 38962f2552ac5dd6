/* How ranks with devices make one tree of their parts: each keeps its own tree, and gets behind it
 * the cells above all roots, and of the other parts what its groups may need. */
#ifndef KY_DEVICE_MEETING_H
#define KY_DEVICE_MEETING_H

#include "engine/device/ranks/ranks.h"
#include "engine/device/tree/device_tree.h"

/* A meeting of all ranks. */
struct ky_ranks_meeting {
    struct ky_device_state *state;
    struct ky_device_tree *tree; /* of this rank's bodies, with groups and factors */
    const struct ky_parameters *parameters;
    const struct ky_shared *shared;
    size_t boxes;               /* of this rank's groups */
    struct ky_ranks_offer *box; /* [ranks] boxes of each, and where they are */
    struct ky_ranks_offer *out; /* [ranks] where the parcels of each are */
    uint64_t
        *given;    /* [ranks][ranks][2] cells and bodies in the parcel of each rank for each one */
    size_t *roots; /* [ranks] */
    size_t *place; /* [ranks] where its parcel begins in `out`, in bytes */
};

/* Makes the tree of all for the groups of this rank: tree->start is where walks begin. Ranks
 * without bodies call it too. */
enum ky_status ky_ranks_meet(struct ky_device_state *state, struct ky_device_tree *tree,
                             const struct ky_parameters *parameters, struct ky_error *error);

/* ---- prune.c ---- */

/* Tells all ranks the boxes of this one's groups, and finds what the others need: the parcels for
 * them lie in ranks->out, and meeting->given says how large those of all ranks are. */
enum ky_status ky_ranks_prune(struct ky_ranks_meeting *meeting, struct ky_error *error);

/* ---- graft.c ---- */

/* Sends the parcels, and adds those that come to the tree. */
enum ky_status ky_ranks_graft(struct ky_ranks_meeting *meeting, struct ky_error *error);

#endif
