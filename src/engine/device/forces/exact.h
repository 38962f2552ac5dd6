/* Double-precision sums for some bodies: the reference of force errors. */
#ifndef KY_DEVICE_EXACT_H
#define KY_DEVICE_EXACT_H

#include "engine/device/state/bodies.h"

/* For the bodies sinks[0 … count), or without `sinks` for all, in the caller's units; either array
 * may be NULL. Ranks that all have all bodies share the work: then all of them make the call.
 * KY_UNSUPPORTED without double. */
enum ky_status ky_device_exact(struct ky_device_state *state, const size_t *sinks, size_t count,
                               double (*acceleration)[3], double *potential,
                               struct ky_error *error);

#endif
