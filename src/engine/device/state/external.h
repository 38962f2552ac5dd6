/* External fields on the card of a part: kernels/state/external.k from the host's side. */
#ifndef KY_DEVICE_EXTERNAL_H
#define KY_DEVICE_EXTERNAL_H

#include "engine/device/state/bodies.h"

/* Copies the fields' numbers at a time to bodies->external.numbers, as kernels/state/external.h
 * reads them; `all`: with their whole paths, time 0. Does nothing without fields, and where these
 * numbers are there. */
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
