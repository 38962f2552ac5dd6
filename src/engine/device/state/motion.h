/* Motion of the bodies on the card, and sums over them. Kicks wait for the next drift, so that a
 * leapfrog step costs four launches. */
#ifndef KY_DEVICE_MOTION_H
#define KY_DEVICE_MOTION_H

#include "engine/device/state/bodies.h"

/* Adds the pending kick v += a dt. dt in the caller's unit of time. */
enum ky_status ky_device_kick(struct ky_device_state *state, double dt, struct ky_error *error);
/* Does the pending kicks, then x += v dt. */
enum ky_status ky_device_drift(struct ky_device_state *state, double dt, struct ky_error *error);
/* Does the pending kicks. */
enum ky_status ky_device_settle(struct ky_device_state *state, struct ky_error *error);
/* The verb `sums`. Waits for the card. */
enum ky_status ky_device_sums(struct ky_device_state *state, struct ky_partial_sums *parts,
                              struct ky_error *error);

#endif
