/* Counts of the pairs of walks: the host side of kernels/forces/counts.h. */
#ifndef KY_DEVICE_COUNTS_H
#define KY_DEVICE_COUNTS_H

#include "engine/device/state/bodies.h"

struct ky_pair_counts {
    struct ky_buffer counts, pairs; /* of each group; totals: with bodies, with cells */
    struct ky_buffer scratch;
    size_t groups; /* number of groups that counted in the last walk; 0: none */
    size_t sinks;  /* of that walk */
};

/* Allocates the counts of a walk of `sinks` sinks, which must follow. */
enum ky_status ky_pair_counts_need(struct ky_pair_counts *counts,
                                   const struct ky_device_bodies *bodies, size_t sinks,
                                   struct ky_error *error);
/* The same for a walk of `groups` groups, each of which counts. */
enum ky_status ky_pair_counts_of(struct ky_pair_counts *counts,
                                 const struct ky_device_bodies *bodies, size_t groups, size_t sinks,
                                 struct ky_error *error);
/* Reads the pairs of the last walk from the card and adds them. Pairs of a body with itself are not
 * counted. */
enum ky_status ky_pair_counts_add(struct ky_pair_counts *counts,
                                  const struct ky_device_bodies *bodies,
                                  struct ky_force_report *report, struct ky_error *error);
void ky_pair_counts_release(struct ky_pair_counts *counts, const struct ky_device_bodies *bodies);

#endif
