/* What an engine of a rank keeps, whose bodies are a part of the system's. */
#ifndef KY_DEVICE_RANKS_H
#define KY_DEVICE_RANKS_H

#include "engine/device/state/bodies.h"

/* Buffers, which are kept from call to call. */
struct ky_device_ranks {
    struct ky_buffer begin, gone, count, probe; /* places.c */
    struct ky_buffer place, rows, come;         /* movers.c */
    struct ky_buffer run, box, sinks, sinks_of; /* prune.c: own boxes; those of others, and where */
    struct ky_buffer wait[2], need, waiting, seen, bodies, out;
    struct ky_buffer told, told_moment, in, to; /* graft.c */
    struct ky_pinned pinned[2]; /* graft.c: parcels for other processes, and from them */
};

/* What a rank has on its card for others that are threads of the same process: a number of things,
 * in this buffer. */
struct ky_ranks_offer {
    size_t count;
    struct ky_card *card;
    struct ky_buffer buffer;
};
/* Has all ranks tell each other where the results of their cards' work are; it ends before. */
enum ky_status ky_ranks_offer(const struct ky_device_state *state, size_t count,
                              const struct ky_buffer *buffer, struct ky_ranks_offer *all,
                              struct ky_error *error);
/* As ky_buffer_need. A buffer that has to grow becomes a quarter larger than it must be, since
 * sizes change from step to step, and memory for them is slow to get. */
enum ky_status ky_ranks_need(struct ky_card *card, struct ky_buffer *buffer, const char *what,
                             size_t bytes, struct ky_error *error);
/* The same for memory that is pinned. */
enum ky_status ky_ranks_pin(struct ky_card *card, struct ky_pinned *pinned, const char *what,
                            size_t bytes, struct ky_error *error);
void ky_device_ranks_release(struct ky_device_state *state);

#endif
