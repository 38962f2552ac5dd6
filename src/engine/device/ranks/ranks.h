/* State of an engine of a rank, whose bodies are a part of the system's. */
#ifndef KY_DEVICE_RANKS_H
#define KY_DEVICE_RANKS_H

#include "engine/device/state/bodies.h"

/* Pinned memory: parcels for other processes, and from them (graft.c), or results (copies.c); the
 * numbers of roots, and cells above all roots (above.c); how much others need (prune.c); the box
 * and a sample of the bodies (places.c). */
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
 * bodies, and rows of bodies that leave. */
enum ky_offer_slot { KY_OFFER_BOXES, KY_OFFER_PARCELS, KY_OFFER_ROWS, KY_OFFERS };

/* A buffer of another process, which stays open: its handle; NULL: it is not open. */
struct ky_ranks_known {
    unsigned char handle[KY_HANDLE_BYTES];
    void *memory;
};

/* Buffers, which are kept from call to call. */
struct ky_device_ranks {
    /* The offered buffer. Where other processes may have it open: buffers that a larger one has
     * replaced and that other ranks do not know yet, and buffers that they close. */
    struct ky_buffer offered[KY_OFFERS], retired[KY_OFFERS], closing[KY_OFFERS];
    struct ky_ranks_known *known;               /* [KY_OFFERS][ranks]; NULL: ranks are threads */
    struct ky_buffer begin, gone, count, probe; /* places.c */
    struct ky_buffer gap, last, left, next, found, come; /* movers.c */
    struct ky_buffer of_level, weight;     /* steps/block.c: the work for a body with a step of each
                                              level, and for all bodies before each */
    struct ky_buffer run, sinks, sinks_of; /* prune.c: boxes of others, and where */
    struct ky_buffer wait[2], openers, need, waiting, seen, bodies;
    size_t wait_room;          /* cells that can wait, which grows where more do */
    struct ky_buffer told, to; /* above.c: roots, and where they are among the cells above */
    struct ky_buffer mark;     /* cuts.c: cells of cuts */
    struct ky_buffer in;       /* graft.c */
    enum { KY_WAY_UNKNOWN, KY_WAY_BY_CARDS, KY_WAY_BY_HOST } way;
    struct ky_pinned pinned[KY_RANKS_PINS];
    /* While bodies move within block steps, `position` has positions at the present tick, and
     * `second` the bodies' own. Ranges are then placed by `weight`: `sum` is the sum of all
     * weights, and the work that it stands for. */
    int in_block;
    uint32_t sum;
    double work;
    size_t *edge;   /* copies.c: [ranks + 1] the sinks of each rank */
    int joins;      /* copies.c: 1: the ranks have divided the sinks */
    int is_checked; /* copies.c: 1: the devices are of one kind */
};

/* An offer: `count` things in this buffer, and how many roots the rank's tree has. Other processes
 * find the buffer by the handle. */
struct ky_ranks_offer {
    size_t count, roots;
    struct ky_card *card;
    struct ky_buffer buffer;
    unsigned char handle[KY_HANDLE_BYTES];
};
/* KY_UNSUPPORTED, on all ranks, where their cards are of different kinds: these compute different
 * bits, and some add their sums in other units. A call of all ranks. */
enum ky_status ky_ranks_check_kinds(const struct ky_shared *shared, const struct ky_card *card,
                                    struct ky_error *error);
/* Whether ranks copy offers from card to card, or exchange them by way of the host. Found at the
 * first call, which is collective. */
enum ky_status ky_ranks_way(const struct ky_device_state *state, int *by_host,
                            struct ky_error *error);
/* All-gather of the offers in the slot: `offer` has the counts of this rank, and the card's work on
 * the buffer has been queued. If ranks copy from card to card, the work ends before. Collective;
 * KY_DEVICE if the card fails. */
enum ky_status ky_ranks_offer(const struct ky_device_state *state, enum ky_offer_slot slot,
                              const struct ky_ranks_offer *offer, struct ky_ranks_offer *all,
                              struct ky_error *error);
/* The place of bytes in a rank's offer. */
struct ky_offer_place {
    enum ky_offer_slot slot;
    size_t rank, from;
};
/* Queues a copy of bytes of a rank's offer to a place on this card. The rank may write to its
 * buffer again when this card's work has ended and all ranks have passed a barrier. KY_DEVICE if
 * the cards fail. */
enum ky_status ky_ranks_fetch(const struct ky_device_state *state, struct ky_offer_place from,
                              const struct ky_ranks_offer *all, struct ky_buffer_place to,
                              size_t bytes, struct ky_error *error);
/* Closes the buffers of other ranks in the slot; when all ranks have done so, the buffers may be
 * released. */
void ky_ranks_forget(const struct ky_device_state *state, enum ky_offer_slot slot);
/* As ky_ranks_need, for the buffer of a slot. */
enum ky_status ky_ranks_need_offered(const struct ky_device_state *state, enum ky_offer_slot slot,
                                     const char *what, size_t bytes, struct ky_error *error);
/* As ky_buffer_need. A buffer that has to grow becomes a quarter larger than it must be, since
 * sizes change from step to step, and even more from block to block, and memory for them is slow
 * to get. */
enum ky_status ky_ranks_need(struct ky_card *card, struct ky_buffer *buffer, const char *what,
                             size_t bytes, struct ky_error *error);
/* The same for pinned memory. */
enum ky_status ky_ranks_pin(struct ky_card *card, struct ky_pinned *pinned, const char *what,
                            size_t bytes, struct ky_error *error);
/* Releases all. A call of all ranks. */
void ky_device_ranks_release(struct ky_device_state *state);
/* Bytes on the card of a rank with n bodies, without its tree and without the cells and bodies of
 * so many other ranks. */
double ky_device_ranks_memory(const struct ky_parameters *parameters, size_t n, size_t ranks);

#endif
