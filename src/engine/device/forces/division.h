/* The division of replicated bodies (ranks/copies.h) among ranks along the curve, by the number of
 * pairs in the last walk of all bodies. This number depends only on the bodies, so the division is
 * the same in every run. */
#ifndef KY_DEVICE_DIVISION_H
#define KY_DEVICE_DIVISION_H

#include "engine/device/state/bodies.h"

/* Cleared at first. */
struct ky_division {
    struct ky_buffer work; /* two words for each of KY_WORK_BINS bins: kernels/tree/groups.k */
    struct ky_pinned pinned;
    int is_counted; /* 1: there was a walk, and its counts are on the host or being copied */
};

/* Divides the sinks (ky_copies_begin). Collective. */
enum ky_status ky_division_find(struct ky_division *division, struct ky_device_state *state,
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
enum ky_status ky_division_count(struct ky_division *division, const struct ky_walked *walked,
                                 struct ky_error *error);
void ky_division_release(struct ky_division *division, struct ky_card *card);

#endif
