/* Arrays of the caller that the card converts itself: in its own memory, or copied there as they
 * are. */
#ifndef KY_DEVICE_OUTER_H
#define KY_DEVICE_OUTER_H

#include "engine/device/state/state.h"

/* The verbs of engine.h. Bodies without mass, impossible numbers, ranks, integrators with columns
 * of their own and cards without double need a `put`. */
enum ky_status ky_device_outer_put(struct ky_device_state *state,
                                   const struct ky_array_bodies *given, int *taken,
                                   struct ky_error *error);
/* The bodies lie in the caller's order. Returns when the results are complete. */
enum ky_status ky_device_outer_get(struct ky_device_state *state,
                                   const struct ky_array_bodies *wanted, struct ky_error *error);
enum ky_status ky_device_outer_read(struct ky_device_state *state, const struct ky_numbers *from,
                                    size_t count, double *to, struct ky_error *error);
enum ky_status ky_device_outer_write(struct ky_device_state *state, const struct ky_numbers *to,
                                     size_t count, const double *from, struct ky_error *error);

#endif
