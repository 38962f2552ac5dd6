/* Sums over the bodies: kernels/state/body_sums.k from the host's side. */
#ifndef KY_DEVICE_BODY_SUMS_H
#define KY_DEVICE_BODY_SUMS_H

#include "engine/device/state/bodies.h"

/* The verb `sums`, after all kicks. A call of all ranks that divide the bodies. */
enum ky_status ky_device_sums(struct ky_device_state *state, struct ky_raw_sums *raw,
                              struct ky_error *error);

#endif
