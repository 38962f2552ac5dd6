/* The Hermite scheme on a device: KY_SCHEME_HERMITE of engine.h. */
#ifndef KY_DEVICE_HERMITE_H
#define KY_DEVICE_HERMITE_H

#include "engine/device/method.h"

/* Whether these cards can be led through it with this method. */
int ky_device_has_hermite(const struct ky_device_bodies *bodies, const struct ky_method *method);
/* The verb `advance`. When this returns the card has done all of it. */
enum ky_status ky_device_hermite_advance(struct ky_device_bodies *bodies, struct ky_advance *way,
                                         struct ky_error *error);
/* Forces have been computed: bodies have no steps, and their potentials are those of the forces. */
enum ky_status ky_device_hermite_forget(struct ky_device_bodies *bodies, struct ky_error *error);

/* hermite_potential.c: potentials as sums in double. */

/* Those that were given with the bodies stay as they are. */
enum ky_status ky_device_hermite_keep(struct ky_device_bodies *bodies,
                                      const struct ky_bodies *given, struct ky_error *error);
/* They take the place of those of the card in what was read, if there are any; late ones are
 * computed first. */
enum ky_status ky_device_hermite_get(struct ky_device_bodies *bodies, struct ky_bodies *wanted,
                                     struct ky_error *error);
enum ky_status ky_device_hermite_sums(struct ky_device_bodies *bodies, struct ky_sums *sums,
                                      struct ky_error *error);
/* There are none; at `late` they have to be computed. */
void ky_device_hermite_drop(struct ky_device_bodies *bodies, int late);

/* hermite_room.c: what the card keeps for it. */

/* What host and card know of a way: KY_WAY_… of kernels/shared.h. */
struct ky_hermite_way {
    uint64_t number[KY_WAY_NUMBERS];
    uint32_t word[KY_WAY_WORDS];
};

/* Buffers of the first card for the bodies, how sums are divided, and the numbers KY_SCALE_… of a
 * way. */
enum ky_status ky_device_hermite_reserve(struct ky_device_bodies *bodies,
                                         const struct ky_advance *way, struct ky_error *error);
/* The kernel that sums pairs of these bodies. */
enum ky_kernel_id ky_device_hermite_kernel(const struct ky_device_bodies *bodies);
/* What the first card keeps; the others have parted before. */
void ky_device_hermite_release(struct ky_device_bodies *bodies);
/* Bytes on the first card for n bodies; the others have what it has. */
double ky_device_hermite_memory(const struct ky_device_bodies *bodies, size_t n);

/* hermite_cards.c: several cards that go the same way. */

/* The bodies on card k; of the others there are some between `share` and `part_with`. */
struct ky_device_bodies *ky_device_hermite_on(struct ky_device_bodies *bodies, size_t k);
/* Brings all that the first card has to the others, and divides the sources among them. The first
 * one's buffers have been reserved. */
enum ky_status ky_device_hermite_share(struct ky_device_bodies *bodies, struct ky_error *error);
/* Releases what the other cards have. */
void ky_device_hermite_part_with(struct ky_device_bodies *bodies);
/* The sums of all cards, which each has in sums[turn], to the partial sums of every card, and the
 * other turn. */
enum ky_status ky_device_hermite_gather(struct ky_device_bodies *bodies, struct ky_error *error);
/* KY_DEVICE if a card has come to another end than the first, of which that is known. */
enum ky_status ky_device_hermite_agree(struct ky_device_bodies *bodies,
                                       const struct ky_hermite_way *known, struct ky_error *error);

#endif
