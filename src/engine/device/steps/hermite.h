/* The Hermite scheme on a device: KY_SCHEME_HERMITE of engine.h. */
#ifndef KY_DEVICE_HERMITE_H
#define KY_DEVICE_HERMITE_H

#include "engine/device/forces/method.h"

/* State of the engine between calls of `advance`; all 0 at first. */
struct ky_device_hermite {
    struct ky_buffer plane;                /* the bodies at the present tick, as sources */
    struct ky_buffer list;                 /* the bodies whose steps end */
    struct ky_buffer way, scale, division; /* KY_WAY_…, KY_SCALE_… and KY_DIVISIONS of shared.h */
    struct ky_buffer partial, run;         /* partial sums */
    struct ky_buffer ending;               /* number of bodies that each group of lanes has
                                              listed */
    struct ky_buffer sums;                 /* sums over all sources, for this rank's sinks */
    struct ky_pinned look[2];              /* the host's copy of parts of `way` */
    size_t summing, correcting;            /* number of groups of the two kernels that run at
                                              once */
    uint64_t put;                          /* state->put when the units below were chosen */
    double mass_unit, speed_unit;
    double *potential; /* potential of each body, in the caller's unit; NULL: the potentials on the
                          card are valid */
    int is_late;       /* 1: `potential` belongs to other positions */
};

/* 1 if the scheme works with this method on this card, else 0. */
int ky_device_has_hermite(const struct ky_device_state *state);
/* The verb `advance`. The card has finished when this returns. */
enum ky_status ky_device_hermite_advance(struct ky_device_state *state, struct ky_advance *way,
                                         struct ky_error *error);
/* To be called after forces have been computed. Forgets the bodies' steps. In double precision the
 * potentials are then the potentials of the forces, else they are computed on demand. */
enum ky_status ky_device_hermite_forget(struct ky_device_state *state, struct ky_error *error);

/* hermite_potential.c: potentials as sums in double. */

/* Keeps the potentials that were given with the bodies. */
enum ky_status ky_device_hermite_keep(struct ky_device_state *state, const struct ky_bodies *given,
                                      struct ky_error *error);
/* Replaces potentials that were read from the card by the host's, if it has any, computed first if
 * they are out of date. Row k of `wanted` belongs to body[k]; body NULL: to body k. */
enum ky_status ky_device_hermite_get(struct ky_device_state *state, const uint32_t *body,
                                     struct ky_bodies *wanted, struct ky_error *error);
/* Copies the host's potentials to the card, for the sums over bodies, computed first if they are
 * out of date. KY_FAULT if memory runs out. */
enum ky_status ky_device_hermite_send(struct ky_device_state *state, struct ky_error *error);
/* Discards the potentials; if `late`, they will be computed on demand. */
void ky_device_hermite_drop(struct ky_device_state *state, int late);

/* hermite_memory.c: memory of the card for the scheme. */

/* Input and output of a call of `advance` on the card: KY_WAY_… of kernels/driver/shared.h. */
struct ky_hermite_way {
    uint64_t number[KY_WAY_NUMBERS];
    uint32_t word[KY_WAY_WORDS];
};

/* Makes the buffers, the division of the sums, and the numbers KY_SCALE_… of a call.
 */
enum ky_status ky_device_hermite_reserve(struct ky_device_state *state,
                                         const struct ky_advance *way, struct ky_error *error);
/* s² up to which the loop leaves pairs out; in extended these are added in double. */
struct ky_eps2_argument ky_device_hermite_close2(const struct ky_device_state *state);
/* The kernel that sums pairs of these bodies. */
enum ky_kernel_id ky_device_hermite_kernel(const struct ky_device_state *state);
/* Releases the card's buffers, and the potentials. */
void ky_device_hermite_release(struct ky_device_state *state);
/* Bytes on the card for n bodies. */
double ky_device_hermite_memory(const struct ky_device_state *state, size_t n);

/* hermite_copies.c: ranks that all have all bodies. */

/* Divides the sinks of the predicted block among the ranks, if there are many sinks
 * (ky_copies_begin). After each rank has computed its sums, it gives the sums of all ranks to every
 * rank. The host waits for the card. */
enum ky_status ky_device_hermite_divide(struct ky_device_state *state, struct ky_error *error);
enum ky_status ky_device_hermite_join(struct ky_device_state *state, struct ky_error *error);
/* KY_DEVICE if a rank ended in another way than the first rank, whose end is `known`. */
enum ky_status ky_device_hermite_agree(struct ky_device_state *state,
                                       const struct ky_hermite_way *known, struct ky_error *error);

#endif
