/* The state of a rank's engine, which has a part of the system's bodies. */
#ifndef KY_DEVICE_RANKS_H
#define KY_DEVICE_RANKS_H

#include "engine/device/state/bodies.h"

/* Uses of pinned memory: parcels to and from other processes (graft.c), or results (copies.c); data
 * of roots, and cells above all roots (above.c); needs of other ranks (prune.c); the box and a
 * sample of the bodies (places.c). */
enum {
    KY_PIN_OUT,
    KY_PIN_IN,
    KY_PIN_ROOTS,
    KY_PIN_ABOVE,
    KY_PIN_NEEDS,
    KY_PIN_LOOK,
    KY_RANKS_PINS
};

/* A buffer on a rank's card that other ranks read: boxes of its groups, parcels of cells and
 * bodies, and rows of bodies that leave; of replicated bodies the results of this exchange or of
 * the previous one, which other ranks may still read. */
enum ky_offer_slot {
    KY_OFFER_BOXES,
    KY_OFFER_PARCELS,
    KY_OFFER_ROWS,
    KY_OFFER_RESULTS,
    KY_OFFER_OTHER_RESULTS,
    KY_OFFERS
};

/* An open buffer of another process: its handle; NULL: not open. */
struct ky_ranks_known {
    unsigned char handle[KY_HANDLE_BYTES];
    void *memory;
};

/* Buffers that are kept from call to call. */
struct ky_device_ranks {
    /* The offered buffer. If other processes may have it open: buffers that have been replaced by a
     * larger one of which other ranks do not know yet, and buffers that they are closing. */
    struct ky_buffer offered[KY_OFFERS], retired[KY_OFFERS], closing[KY_OFFERS];
    struct ky_ranks_known *known;               /* [KY_OFFERS][ranks]; NULL: ranks are threads */
    struct ky_buffer begin, gone, count, probe; /* places.c */
    struct ky_buffer gap, last, left, next, found, come; /* movers.c */
    struct ky_buffer of_level, weight; /* steps/block.c: work for a body by the level of its step,
                                          and for all bodies before each body */
    struct ky_buffer run, sinks, sinks_of; /* prune.c: boxes of other ranks, and their offsets */
    struct ky_buffer wait[2], openers, need, waiting, seen, bodies;
    size_t wait_room;          /* capacity for waiting cells, which grows on demand */
    struct ky_buffer told, to; /* above.c: roots, and their indices among the cells above */
    struct ky_buffer mark;     /* cuts.c: cells of cuts */
    struct ky_buffer in;       /* graft.c */
    enum { KY_WAY_UNKNOWN, KY_WAY_BY_CARDS, KY_WAY_BY_HOST } way;
    struct ky_pinned pinned[KY_RANKS_PINS];
    /* While bodies move within block steps, `position` has positions at the current tick, and
     * `second` the bodies' own. Ranges are then chosen by `weight`: `sum` is the sum of all
     * weights, and the work that it represents. */
    int in_block;
    uint32_t sum;
    double work;
    size_t *edge; /* copies.c: [ranks + 1] the sinks of each rank */
    int joins;    /* copies.c: 1: the ranks have divided the sinks */
    int turn;     /* copies.c: which of two buffers has the results of the last exchange */
};

/* An offer: `count` items in this buffer, and the number of roots of the rank's tree. Other
 * processes find the buffer by the handle. */
struct ky_ranks_offer {
    size_t count, roots;
    struct ky_card *card;
    struct ky_buffer buffer;
    unsigned char handle[KY_HANDLE_BYTES];
};
/* Whether ranks copy offers from card to card, or exchange them through the host. Determined at the
 * first call, which is collective. KY_UNSUPPORTED, on all ranks, if their cards are of different
 * kinds, which compute different bits, and partly use different units for sums. */
enum ky_status ky_ranks_way(const struct ky_device_state *state, int *by_host,
                            struct ky_error *error);
/* All-gather of the offers in the slot: `offer` has the counts of this rank, and the card's work on
 * the buffer has been queued. If ranks copy from card to card, this call waits for that work.
 * Collective; KY_DEVICE if the card fails. */
enum ky_status ky_ranks_offer(const struct ky_device_state *state, enum ky_offer_slot slot,
                              const struct ky_ranks_offer *offer, struct ky_ranks_offer *all,
                              struct ky_error *error);
/* A position in a rank's offer. */
struct ky_offer_address {
    enum ky_offer_slot slot;
    size_t rank, from;
};
/* Queues a copy from a rank's offer to a position on this card. The other rank may write to its
 * buffer again when this card's work has ended and all ranks have passed a barrier. KY_DEVICE if a
 * card fails. */
enum ky_status ky_ranks_fetch(const struct ky_device_state *state, struct ky_offer_address from,
                              const struct ky_ranks_offer *all, struct ky_buffer_address to,
                              size_t bytes, struct ky_error *error);
/* Closes the buffers of other ranks in the slot; when all ranks have done so, the buffers may be
 * released. */
void ky_ranks_forget(const struct ky_device_state *state, enum ky_offer_slot slot);
/* ky_ranks_need for the buffer of a slot. */
enum ky_status ky_ranks_need_offered(const struct ky_device_state *state, enum ky_offer_slot slot,
                                     const char *what, size_t bytes, struct ky_error *error);
/* ky_buffer_need with growth: a buffer that has to grow becomes a quarter larger than necessary,
 * since sizes change from step to step, and even more from block to block, and allocation is
 * slow. */
enum ky_status ky_ranks_need(struct ky_card *card, struct ky_buffer *buffer, const char *what,
                             size_t bytes, struct ky_error *error);
/* The same for pinned memory. */
enum ky_status ky_ranks_pin(struct ky_card *card, struct ky_pinned *pinned, const char *what,
                            size_t bytes, struct ky_error *error);
/* Releases everything. Collective. */
void ky_device_ranks_release(struct ky_device_state *state);
/* Bytes on the card of a rank with n bodies, without its tree and without the cells and bodies of
 * this many other ranks. */
double ky_device_ranks_memory(const struct ky_parameters *parameters, size_t n, size_t ranks);

#endif
