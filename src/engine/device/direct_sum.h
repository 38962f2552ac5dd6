/* The exact sum (F09) on one card: sources, the kernel of the parameters, slices of the sources. */
#ifndef KY_DEVICE_DIRECT_SUM_H
#define KY_DEVICE_DIRECT_SUM_H

#include "engine/device/bodies.h"

struct ky_direct_buffers {
    struct ky_buffer source, low, eps2, partial, list;
};

/* Which sinks feel all bodies: `count` of them from the first on, or those of buffers->list. */
struct ky_direct_sum {
    int precision, unroll;
    size_t first, count;
    int listed;
};

/* Where their accelerations, in columns `stride` apart, and potentials go. */
struct ky_direct_results {
    struct ky_buffer *acceleration, *potential;
    size_t stride;
};

/* Whether there is a kernel for the parameters and, once they are `expected`, for the softenings of
 * the bodies: else KY_UNSUPPORTED. */
enum ky_status ky_direct_check(const struct ky_device_bodies *bodies, int expected,
                               struct ky_error *error);
/* Room for the source arrays of the precision on a card. */
enum ky_status ky_direct_need_sources(const struct ky_device_bodies *bodies, struct ky_card *card,
                                      struct ky_direct_buffers *buffers, int precision,
                                      struct ky_error *error);
/* The present positions as sources, on the first card. */
enum ky_status ky_direct_make_sources(const struct ky_device_bodies *bodies,
                                      struct ky_direct_buffers *buffers, int precision,
                                      struct ky_error *error);
/* The sum over the sources of a card. */
enum ky_status ky_direct_run(const struct ky_device_bodies *bodies, struct ky_card *card,
                             struct ky_direct_buffers *buffers, const struct ky_direct_sum *sum,
                             const struct ky_direct_results *results, struct ky_error *error);
/* Bytes for n bodies on a card. */
double ky_direct_bytes(int precision, size_t n);
void ky_direct_release(struct ky_card *card, struct ky_direct_buffers *buffers);

#endif
