/* How ranks with replicated bodies (ranks/copies.h) share them along the curve: by the number of
 * pairs in the last walk of all bodies. This number depends only on the bodies, so the shares are
 * the same in every run. */
#ifndef KY_DEVICE_WORK_SHARES_H
#define KY_DEVICE_WORK_SHARES_H

#include "engine/device/state/bodies.h"

/* Cleared at first. */
struct ky_work_shares {
    struct ky_buffer work; /* two words for each of KY_WORK_BINS bins: kernels/tree/groups.k */
    struct ky_pinned pinned;
    int is_counted; /* 1: there was a walk, and its counts are on the host or being copied */
};

/* Divides the sinks (ky_copies_begin). Collective. */
enum ky_status ky_work_shares_find(struct ky_work_shares *shares, struct ky_device_state *state,
                                   struct ky_error *error);
/* The groups for which the card walked, and the count of each. */
struct ky_walked {
    struct ky_card *card;
    const struct ky_buffer *group, *counts;
    size_t n, groups; /* number of bodies; groups of this rank */
    size_t stride;    /* index at which the second half of the counts begins */
    uint32_t cell;    /* cost of a cell, in pairs */
};
/* Adds up the counts of the walk. */
enum ky_status ky_work_shares_count(struct ky_work_shares *shares, const struct ky_walked *walked,
                                    struct ky_error *error);
void ky_work_shares_release(struct ky_work_shares *shares, struct ky_card *card);

#endif
