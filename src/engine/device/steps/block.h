/* Block steps on a device: KY_SCHEME_BLOCK of engine.h. */
#ifndef KY_DEVICE_BLOCK_H
#define KY_DEVICE_BLOCK_H

#include "engine/device/forces/method.h"

/* The state between calls of `advance`; initially all 0. */
struct ky_device_blocks {
    struct ky_buffer counts;       /* active bodies of each team, later of all teams before it */
    struct ky_buffer words, tally; /* KY_TALLY_WORDS; work of a block */
    struct ky_buffer factors;      /* in comoving boxes: KY_STEP_FACTORS for each level */
    struct ky_buffer scratch;
    struct ky_pinned pinned;
    /* For a kept tree: pairs per sink in its first block; by level, pairs per sink in the first
     * block of the last tree whose first block ended steps of that level; pairs beyond these. */
    double of_new_tree, of_level[KY_TALLY_CUT], more;
    uint64_t put;        /* state->put of the kept tree */
    uint64_t since;      /* number of blocks since the longest step began, or since `put` */
    double sinks, pairs; /* for ranks: on this rank, since the bodies last went to other ranks */
};

/* The verb `advance`; `links` and `own` are the arguments of the method's `evaluate`. The card has
 * finished when this returns. */
enum ky_status ky_device_blocks_advance(struct ky_device_blocks *kept,
                                        struct ky_device_state *state,
                                        const struct ky_method *method, struct ky_links *links,
                                        void *own, struct ky_advance *way, struct ky_error *error);
void ky_device_blocks_release(struct ky_device_blocks *own, struct ky_card *card);
/* Bytes on the card for n bodies, without the memory of the method. */
double ky_device_blocks_memory(size_t n);

#endif
