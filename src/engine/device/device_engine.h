/* An engine of devices: the structs of its rooms (docs/architecture.md), side by side. */
#ifndef KY_DEVICE_ENGINE_H
#define KY_DEVICE_ENGINE_H

#include "engine/device/forces/far.h"
#include "engine/device/forces/method.h"
#include "engine/device/ranks/ranks.h"
#include "engine/device/steps/block.h"
#include "engine/device/steps/hermite.h"

struct ky_device_engine {
    struct ky_engine base;
    struct ky_device_state state;
    struct ky_links links;
    struct ky_device_blocks blocks;
    struct ky_device_hermite hermite;
    struct ky_device_ranks ranks;
    struct ky_device_far far;
    const struct ky_method *method;
    void *own;     /* the method's state */
    int of_forces; /* 1: the last evaluation computed forces; 0: it was a walk */
};

static inline struct ky_device_engine *ky_device_engine_of(struct ky_engine *base)
{
    return (struct ky_device_engine *)base;
}

/* Further verbs of the engine of a rank (part.c). */
extern const struct ky_part_verbs ky_device_part_verbs;

#endif
