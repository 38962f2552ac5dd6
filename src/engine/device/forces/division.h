/* How the bodies along the curve are divided among cards, or among ranks that all have all bodies
 * (ranks/copies.h): by the numbers of pairs in the last walk
 * of all bodies. These follow from the bodies alone, so that the division is the same in every run.
 */
#ifndef KY_DEVICE_DIVISION_H
#define KY_DEVICE_DIVISION_H

#include "engine/device/state/bodies.h"

/* Cleared at first. */
struct ky_division {
    struct {
        struct ky_buffer work; /* two words for each of KY_WORK_BINS parts: kernels/tree/groups.k */
        struct ky_pinned pinned;
    } card[KY_MOST_CARDS];
    int is_counted; /* 1: there was a walk, and its counts are on the host or on their way */
    size_t edge[KY_MOST_CARDS + 1]; /* card k walks for bodies edge[k] … edge[k + 1] - 1 */
};

/* Chooses the edges. */
enum ky_status ky_division_find(struct ky_division *division, const struct ky_device_state *state,
                                struct ky_error *error);
/* The same where the ranks have divided the sinks (ky_copies_begin), with the part of this card. A
 * call of all ranks. */
enum ky_status ky_division_find_of_ranks(struct ky_division *division,
                                         struct ky_device_state *state, struct ky_error *error);
/* The groups that card k walked for, and what each of them counted. */
struct ky_walked {
    struct ky_card *card;
    const struct ky_buffer *group, *counts;
    size_t n, groups; /* bodies in all; groups of this card */
    size_t stride;    /* the second half of the counts */
    uint32_t cell;    /* what a cell costs in pairs */
};
/* Takes the counts of card k. When those of all cards have been taken, set is_counted. */
enum ky_status ky_division_count(struct ky_division *division, size_t k,
                                 const struct ky_walked *walked, struct ky_error *error);
void ky_division_release(struct ky_division *division, const struct ky_device_state *state);

#endif
