/* Bodies on a card that is not the first: what a tree and its walk need of them, in the order that
 * they have on the first. Both cards make the same tree from them, which brings them into the same
 * new order; so only positions go over, as long as nothing else changes. */
#ifndef KY_DEVICE_REPLICA_H
#define KY_DEVICE_REPLICA_H

#include "engine/device/state/bodies.h"
#include "engine/device/state/results.h"

/* Cleared at first. */
struct ky_replica {
    struct ky_device_bodies bodies; /* of one card; no velocities, accelerations nor columns */
    struct ky_device_results results;
    uint64_t changes; /* those of the first card's order when both had the same; 0: never */
    uint64_t place;   /* the first card's number of the positions */
};

/* Copies all but the arrays from the first card's bodies to those of card k. */
void ky_replica_numbers(struct ky_device_bodies *own, const struct ky_device_bodies *first,
                        size_t k);
/* Brings the bodies of card k, 1 and up, to the state of the first. Until ky_replica_agrees they
 * count as different. The first card continues while its positions are read; it waits before it
 * reorders them. */
enum ky_status ky_replica_follow(struct ky_replica *replica, struct ky_device_bodies *first,
                                 size_t k, struct ky_error *error);
/* To be called when the same tree has been made on both cards. */
void ky_replica_agrees(struct ky_replica *replica, const struct ky_device_bodies *first);
void ky_replica_release(struct ky_replica *replica);

#endif
