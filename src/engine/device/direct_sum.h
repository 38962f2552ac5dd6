/* The exact sum (F09) on one card: sources, the kernel of the parameters, slices of the sources. */
#ifndef KY_DEVICE_DIRECT_SUM_H
#define KY_DEVICE_DIRECT_SUM_H

#include "engine/device/bodies.h"

struct ky_direct_buffers {
    struct ky_buffer source, low, eps2, partial, label;
};

/* Which sinks feel all bodies: `count` of them from place `first` on, or those that the labels
 * name. The label of a sink says which source it is. */
struct ky_direct_sum {
    int precision, unroll; /* unroll: tuned for points and labels */
    size_t first, count;
    const struct ky_buffer *label; /* of each sink, on the card; NULL: its place */
    /* The sinks are points, which lie behind the sources, from place n on, with or without labels.
     * NULL: they are bodies. */
    const struct ky_points *points;
    /* The sources are the state of the bodies, in double, on the first card: none have to be made.
     */
    int from_state;
};

/* Where their accelerations, in columns `stride` apart, and potentials go: from place `to` on, or,
 * if `scattered`, where their labels say. */
struct ky_direct_results {
    struct ky_buffer *acceleration, *potential;
    size_t stride, to;
    int scattered;
};

/* The unrolling with so many sinks of a lane and sources of a turn, or −1. */
int ky_direct_unrolling(int sinks, int sources);
/* KY_UNSUPPORTED if there is no kernel for the parameters or, where bodies are `expected`, for
 * their softenings. */
enum ky_status ky_direct_check(const struct ky_device_bodies *bodies, int expected,
                               struct ky_error *error);
/* Room for the source arrays of the precision on a card, and for so many points behind them. */
enum ky_status ky_direct_need_sources(const struct ky_device_bodies *bodies, struct ky_card *card,
                                      struct ky_direct_buffers *buffers, int precision,
                                      size_t points, struct ky_error *error);
/* The present positions as sources, and the points behind them (NULL: none), on the first card. */
enum ky_status ky_direct_make_sources(const struct ky_device_bodies *bodies,
                                      struct ky_direct_buffers *buffers, int precision,
                                      const struct ky_points *points, struct ky_error *error);
/* Labels of sinks to buffers->label of a card. */
enum ky_status ky_direct_send_labels(struct ky_card *card, struct ky_direct_buffers *buffers,
                                     const uint32_t *label, size_t count, struct ky_error *error);
/* The sum over the sources of a card. */
enum ky_status ky_direct_run(const struct ky_device_bodies *bodies, struct ky_card *card,
                             struct ky_direct_buffers *buffers, const struct ky_direct_sum *sum,
                             const struct ky_direct_results *results, struct ky_error *error);
/* Bytes for n bodies on a card. */
double ky_direct_bytes(int precision, size_t n);
void ky_direct_release(struct ky_card *card, struct ky_direct_buffers *buffers);

#endif
