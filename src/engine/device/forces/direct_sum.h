/* The exact sum (F09) on one card: the sources, the kernel for the parameters, and slices of the
 * sources. */
#ifndef KY_DEVICE_DIRECT_SUM_H
#define KY_DEVICE_DIRECT_SUM_H

#include "engine/device/state/bodies.h"

struct ky_direct_buffers {
    struct ky_buffer source, low, eps2, partial, label;
    struct ky_buffer point;                          /* positions of the points, in columns */
    struct ky_buffer box, doubt, place, body, found; /* for matrix units */
};

/* The sinks of a sum: `count` of them from index `first` on, or the sinks that the labels name. The
 * label of a sink is its own index among the sources. */
struct ky_direct_sum {
    int precision;
    size_t sources, first, count;
    size_t of; /* number of sinks for which the sources are sliced; 0: `count` */
    const struct ky_buffer *label; /* of each sink, on the card; NULL: its index */
    /* 1: the sinks have labels or none, and lie behind the sources. */
    int behind;
    /* The bodies in this order are the sources and, without `points`, the sinks, which have no
     * labels. NULL: in their own order. */
    const struct ky_buffer *order;
    /* The sinks are these points, stored behind the sources. NULL: they are bodies. */
    const struct ky_points *points;
    /* The sources in double: positions, masses and softenings in columns with stride `apart`; the
     * sinks have labels. NULL: the sources are in the buffers. */
    const struct ky_direct_state *state;
};
struct ky_direct_state {
    const struct ky_buffer *position, *mass, *softening;
    size_t apart;
};

/* The destination of the sinks' accelerations (columns with stride `stride`) and potentials: from
 * index `to` on, or at the indices in `at`, on the card. */
struct ky_direct_results {
    struct ky_buffer *acceleration, *potential;
    size_t stride, to;
    const struct ky_buffer *at; /* NULL: none */
};

/* Makes the sources from the current positions, and behind them the sum's points or bodies: the
 * active bodies, or all. */
enum ky_status ky_direct_make_sources(const struct ky_device_bodies *bodies,
                                      struct ky_direct_buffers *buffers,
                                      const struct ky_direct_sum *sum,
                                      const struct ky_buffer *active, struct ky_error *error);
/* Sends the labels of sinks to buffers->label. */
enum ky_status ky_direct_send_labels(struct ky_card *card, struct ky_direct_buffers *buffers,
                                     const uint32_t *label, size_t count, struct ky_error *error);
/* The sum over the sources. */
enum ky_status ky_direct_run(const struct ky_device_bodies *bodies,
                             struct ky_direct_buffers *buffers, const struct ky_direct_sum *sum,
                             const struct ky_direct_results *results, struct ky_error *error);
/* Bytes on a card for n bodies. */
double ky_direct_bytes(const struct ky_parameters *parameters, size_t n);
void ky_direct_release(struct ky_card *card, struct ky_direct_buffers *buffers);

#endif
