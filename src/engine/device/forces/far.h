/* The far field of a periodic box (engine/common/far_field.h) on a card: kernels/forces/far.k. It
 * is added to sums over the nearest images. */
#ifndef KY_DEVICE_FAR_H
#define KY_DEVICE_FAR_H

#include "engine/device/state/state.h"

struct ky_device_far {
    struct ky_buffer derivative, mass, part, whole, moment, local, row;
    struct ky_buffer net; /* sums of forces (balance.c) */
};

/* Makes the polynomials of all bodies, of all ranks that divide them. Collective on these. Does
 * nothing in open space. */
enum ky_status ky_device_far_make(struct ky_device_state *state, struct ky_error *error);

/* Sinks and their results, with accelerations in columns of `stride`. */
struct ky_far_sinks {
    const struct ky_buffer *position; /* columns of `apart` */
    const struct ky_buffer *list;     /* NULL: the first `count` */
    const struct ky_buffer *acceleration, *potential;
    size_t apart, count, stride;
    uint32_t flags; /* KY_FAR_… */
};
/* Adds the field, whose polynomials have been made, to the results of sinks. Does nothing in open
 * space. */
enum ky_status ky_device_far_add_to(struct ky_device_state *state, const struct ky_far_sinks *sinks,
                                    struct ky_error *error);
/* The same for the bodies themselves: the active ones, or those that `wanted` marks. */
enum ky_status ky_device_far_add(struct ky_device_state *state,
                                 const struct ky_evaluation *evaluation,
                                 const struct ky_buffer *wanted, struct ky_error *error);

/* Adds the tidal tensors of the field at points, columns of `count`, to theirs. */
enum ky_status ky_device_far_add_tides(struct ky_device_state *state, const struct ky_buffer *point,
                                       const struct ky_buffer *tide, size_t count,
                                       struct ky_error *error);

/* After an evaluation of all bodies: subtracts their net force, if ky_force_balances. Collective on
 * the ranks that divide the bodies (balance.c). */
enum ky_status ky_device_balance(struct ky_device_state *state, struct ky_error *error);

/* Bytes on the card. */
double ky_device_far_memory(size_t n);
void ky_device_far_release(struct ky_device_state *state);

#endif
