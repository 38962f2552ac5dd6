/* External fields on a card: the host side of kernels/state/external.k. */
#ifndef KY_DEVICE_EXTERNAL_H
#define KY_DEVICE_EXTERNAL_H

#include "engine/device/state/bodies.h"

/* Copies the fields' numbers at a time to bodies->external.numbers, in the form of
 * kernels/state/external.h; `all`: with their complete paths, time 0. Does nothing without fields,
 * or if the card has these numbers. */
enum ky_status ky_device_externals_send(struct ky_device_bodies *bodies, double time, int all,
                                        struct ky_error *error);
/* Adds the fields to the accelerations of the active bodies. Does not wait. */
enum ky_status ky_device_externals_add(struct ky_device_bodies *bodies,
                                       struct ky_evaluation *evaluation, struct ky_error *error);
/* Writes the bodies' potentials in all fields to bodies->external.potential, in the units of their
 * other potentials, on a card with double. Does nothing without fields. A call of all ranks. */
enum ky_status ky_device_externals_potential(struct ky_device_bodies *bodies,
                                             struct ky_error *error);
/* The potential of the field for many places at all bodies of the engine [caller's units], to be
 * freed; NULL without such a field. A call of all ranks. */
enum ky_status ky_device_many_potentials(struct ky_device_bodies *bodies, double **potential,
                                         struct ky_error *error);

#endif
