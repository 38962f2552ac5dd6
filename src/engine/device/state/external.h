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
/* Writes the bodies' energy in the fields, one sum per KY_SUM_CHUNK bodies, to bodies->sums from
 * element `place` on. Does nothing without fields. */
enum ky_status ky_device_externals_sum(struct ky_device_bodies *bodies, size_t place,
                                       struct ky_error *error);
/* The potential of the field function for many points at all bodies of the engine [caller's units],
 * which the caller frees; NULL without such a field. Collective. */
enum ky_status ky_device_many_potentials(struct ky_device_bodies *bodies, double **potential,
                                         struct ky_error *error);
/* Adds the bodies' energy in the field function for many points to the sums; does nothing without
 * one. The bodies lie in the caller's order. */
enum ky_status ky_device_many_sums(struct ky_device_state *state, struct ky_partial_sums *parts,
                                   struct ky_error *error);

#endif
