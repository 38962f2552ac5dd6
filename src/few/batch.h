/* Steps of many systems of few bodies at a time. Systems with the same tree and clock form a batch,
 * one system a lane of the processor's vectors. Each has the bits that it has alone. */
#ifndef KY_FEW_BATCH_H
#define KY_FEW_BATCH_H

#include <stddef.h>

enum {
    KY_FEW_BATCH = 32,    /* systems of a batch, at most */
    KY_FEW_BATCH_MOST = 3 /* bodies of a system in a batch: 2 or 3 */
};

#define KY_FEW_NUMBER double
#define KY_FEW_LANES KY_FEW_BATCH
#define KY_FEW_ROOM KY_FEW_BATCH_MOST
#define KY_FEW_NAME(name) name##_batch
#include "few/state.h"
#undef KY_FEW_NUMBER
#undef KY_FEW_LANES
#undef KY_FEW_ROOM
#undef KY_FEW_NAME

struct ky_few_batch {
    struct ky_few_system_batch system;
    /* lengths of steps, times at which the systems stop, and steps that they have made */
    double h[KY_FEW_BATCH], until[KY_FEW_BATCH], made[KY_FEW_BATCH];
    double sign;  /* of h: -1 backwards in time */
    size_t count; /* systems; the rest of the lanes has any finite numbers and h = 0 */
    size_t most;  /* steps of one call */
};

struct ky_few;
struct ky_few_motion;

/* The tree and the clock of a system as one number: systems with the same number may share a batch.
 */
int ky_few_kind(const struct ky_few *few);
/* Systems of the same kind that advance together. */
struct ky_few_some {
    size_t count;
    struct ky_few *few[KY_FEW_BATCH];
    double until[KY_FEW_BATCH]; /* their times to stop */
    int is_lost[KY_FEW_BATCH];  /* result: 1 if the numbers of a system are no longer finite */
};

/* Advances pairs by steps until one of them has reached its time, at most `most`; others by one
 * step, which is not kept if it has to be taken again at half its length. `before`: work memory of
 * one system. `steps` is the function of an instruction set (engine/cpu/lanes), which takes steps
 * of a batch until the first system has reached its time, at most batch->most. */
void ky_few_advance(struct ky_few_some *some, size_t most,
                    void (*steps)(struct ky_few_batch *batch), struct ky_few_motion *before);

#endif
