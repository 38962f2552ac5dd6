/* Motion of the bodies on the card. Kicks wait until the next drift, so that
 * a step of the leap-frog costs four launches. */
#ifndef KY_DEVICE_MOTION_H
#define KY_DEVICE_MOTION_H

#include "engine/device/state/bodies.h"

/* Adds the pending kick v += a dt. dt in the caller's unit of time. */
enum ky_status ky_device_kick(struct ky_device_state *state, double dt, struct ky_error *error);
/* Does the pending kicks, then x += v dt. */
enum ky_status ky_device_drift(struct ky_device_state *state, double dt, struct ky_error *error);
/* Does the pending kicks. */
enum ky_status ky_device_settle(struct ky_device_state *state, struct ky_error *error);

#endif
