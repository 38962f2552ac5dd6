/* Counts of the pairs of walks: the host side of kernels/forces/counts.h. */
#ifndef KY_DEVICE_COUNTS_H
#define KY_DEVICE_COUNTS_H

#include "engine/device/state/bodies.h"

/* The counts of a walk: of `groups` groups, which have `sinks` bodies in all, and of `cells` cells
 * that are sinks themselves. Several ranks may count the same cell. */
struct ky_counting {
    size_t groups, sinks, cells;
};
struct ky_pair_counts {
    /* The pairs of each group with bodies; of each with cells; and the cells that act on each
     * cell. Totals: with bodies, with cells. */
    struct ky_buffer counts, pairs;
    struct ky_buffer scratch;
    struct ky_counting of; /* the last walk; no groups: there was none */
};

/* Allocates the counts of a walk of `sinks` sinks, which must follow. */
enum ky_status ky_pair_counts_need(struct ky_pair_counts *counts,
                                   const struct ky_device_bodies *bodies, size_t sinks,
                                   struct ky_error *error);
/* The same for a walk of groups. */
enum ky_status ky_pair_counts_of(struct ky_pair_counts *counts,
                                 const struct ky_device_bodies *bodies, struct ky_counting of,
                                 struct ky_error *error);
/* Reads the pairs of the last walk from the card and adds them. Pairs of a body with itself are not
 * counted. */
enum ky_status ky_pair_counts_add(struct ky_pair_counts *counts,
                                  const struct ky_device_bodies *bodies,
                                  struct ky_force_report *report, struct ky_error *error);
void ky_pair_counts_release(struct ky_pair_counts *counts, const struct ky_device_bodies *bodies);

#endif
