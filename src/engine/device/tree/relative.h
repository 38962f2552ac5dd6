/* The data of opening tests by α on the card (kernels/tree/relative.k), and sums over all ranks. */
#ifndef KY_DEVICE_RELATIVE_H
#define KY_DEVICE_RELATIVE_H

#include "engine/device/tree/tree_memory.h"

/* The number of groups of lanes that loop over n bodies, at most KY_BOUNDS_GROUPS. */
uint32_t ky_device_looking_groups(size_t n);
/* Adds the first `count` words of a buffer over the ranks that divide the bodies, modulo 2⁶⁴, and
 * leaves the sums there. Collective; does nothing without such ranks. */
enum ky_status ky_device_add_words(const struct ky_device_bodies *bodies, struct ky_buffer *words,
                                   size_t count, struct ky_error *error);
/* The same with the largest of the ranks' numbers, for one word. */
enum ky_status ky_device_keep_largest(const struct ky_device_bodies *bodies,
                                      struct ky_buffer *words, size_t word, struct ky_error *error);
/* Sums the masses of all bodies, of all ranks that divide them, to word 0 of a buffer of
 * KY_BOUNDS_GROUPS words, in units of 1/KY_OPENING_MASS_PART. Collective. */
enum ky_status ky_device_sum_masses(const struct ky_device_bodies *bodies, struct ky_buffer *mass,
                                    struct ky_error *error);

#endif
