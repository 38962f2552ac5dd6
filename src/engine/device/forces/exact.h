/* Double-precision sums for some bodies: the reference of force errors. */
#ifndef KY_DEVICE_EXACT_H
#define KY_DEVICE_EXACT_H

#include "engine/device/state/bodies.h"

/* For the bodies sinks[0 … count), or all bodies if `sinks` is NULL, in the caller's units; either
 * result may be NULL. Collective for ranks with replicated bodies, which share the work.
 * KY_UNSUPPORTED without double. */
enum ky_status ky_device_exact(struct ky_device_state *state, const size_t *sinks, size_t count,
                               double (*acceleration)[3], double *potential,
                               struct ky_error *error);

#endif
