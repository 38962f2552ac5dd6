/* What an engine of a rank keeps, whose bodies are a part of the system's. */
#ifndef KY_DEVICE_RANKS_H
#define KY_DEVICE_RANKS_H

#include "engine/device/state/bodies.h"

/* Buffers, which are kept from call to call. */
struct ky_device_ranks {
    struct ky_buffer begin, gone, count, probe, place, rows; /* places.c */
    struct ky_buffer box, sinks, sinks_of;      /* prune.c: own boxes; those of others, and where */
    struct ky_buffer wait[2], need, waiting, seen, bodies, out;
    struct ky_buffer told, told_moment, in, to; /* graft.c */
};

void ky_device_ranks_release(struct ky_device_state *state);

#endif
