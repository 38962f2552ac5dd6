/* Systems with some massless bodies: exact sums use only the bodies with mass as sources. Methods
 * with a tree have one tree of all bodies, in which cells without mass do not act. */
#ifndef KY_DEVICE_MASSLESS_H
#define KY_DEVICE_MASSLESS_H

#include "engine/device/state/state.h"

/* 1 if exact sums have fewer sources than bodies. */
static inline int ky_device_has_massless(const struct ky_device_state *state)
{
    return state->massless.body != NULL;
}
/* The number of sources of exact sums: the bodies with mass, in the caller's order; if no body has
 * mass, the first body. */
static inline size_t ky_device_source_count(const struct ky_device_state *state)
{
    return ky_device_has_massless(state) ? state->massless.sources : state->n;
}
/* The label of body i: its index with the sources first. */
static inline uint32_t ky_device_label(const struct ky_device_state *state, uint32_t i)
{
    return ky_device_has_massless(state) ? state->massless.label[i] : i;
}

/* Sorts the bodies by the masses of all bodies, or by the new masses of some. KY_FAULT if memory
 * runs out. */
enum ky_status ky_device_sort_masses(struct ky_device_state *state, const double *mass,
                                     struct ky_error *error);
/* The same for bodies that all have mass. */
enum ky_status ky_device_all_have_mass(struct ky_device_state *state, struct ky_error *error);
enum ky_status ky_device_sort_some(struct ky_device_state *state, const struct ky_some *some,
                                   struct ky_error *error);
/* Sends the lists to the card, unless the card has them. */
enum ky_status ky_device_massless_need(struct ky_device_state *state, struct ky_error *error);
/* Bytes of the lists, on the host and again on the card, for n bodies, of which this many have no
 * mass. */
static inline double ky_device_massless_memory(size_t n, size_t massless)
{
    return massless == 0 ? 0 : 2.0 * sizeof(uint32_t) * (double)n;
}
void ky_device_massless_release(struct ky_device_state *state);

#endif
