/* Steps of many systems of few bodies (src/few). They need no engine, since the systems do not act
 * on each other: the CPU's lanes advance systems of two or three bodies, a device systems of two to
 * KY_FEW_ON_DEVICE. The bits of a system are the same everywhere, except on devices without
 * double. */
#ifndef KY_ENGINE_FEW_H
#define KY_ENGINE_FEW_H

#include <stddef.h>

#include "base/drivers.h"
#include "base/status.h"

#include "physics/few_course.h"
#include "physics/few_device.h"

struct ky_few_batch;
typedef void ky_few_function(struct ky_few_batch *batch);

/* The function of the instruction set parameters->isa. KY_UNSUPPORTED if it is not here. */
enum ky_status ky_cpu_few(const struct ky_parameters *parameters, ky_few_function **steps,
                          struct ky_error *error);

/* Common to the systems of a call. */
struct ky_few_kind {
    size_t bodies; /* of a system */
    int contacts;  /* 1: a system ends before a step in which bodies touch */
};

/* Pairs that do not touch have a kernel of their own. */
static inline int ky_few_is_pairs(const struct ky_few_kind *kind)
{
    return kind->bodies == 2 && !kind->contacts;
}

static inline size_t ky_few_columns_of(const struct ky_few_kind *kind)
{
    return ky_few_is_pairs(kind) ? KY_FEW_PAIR_COLUMNS : KY_FEW_COLUMNS(kind->bodies);
}

/* The first member of the struct of a driver's device. */
struct ky_few_device {
    const struct ky_few_verbs *verbs;
    /* 1: the device has no double, and ky_few_single advances the systems. These must be pairs,
     * without a test for contacts, for which ky_few_fits_floats is 1. */
    int in_floats;
};

struct ky_few_verbs {
    const char *name; /* "cuda" */
    /* Opens the device that parameters->engine names. */
    enum ky_status (*open)(const struct ky_parameters *parameters, struct ky_few_device **device,
                           struct ky_error *error);
    void (*close)(struct ky_few_device *device);
    /* Copies the columns of `count` systems (physics/few_device.h) to the device, and back. From
     * a device without double only steps, times, places and velocities come back. The time is NaN
     * if the bodies of a pair came too near each other for floats. */
    enum ky_status (*put)(struct ky_few_device *device, const double *column,
                          const struct ky_few_kind *kind, size_t count, struct ky_error *error);
    enum ky_status (*get)(struct ky_few_device *device, double *column, struct ky_error *error);
    /* Advances *left systems: all, or the ones that needed another call after the last one. *left
     * becomes the number that needs another call. The course's counts are set here. */
    enum ky_status (*go)(struct ky_few_device *device, const struct ky_few_course *course,
                         size_t *left, struct ky_error *error);
};

#define KY_DRIVER_FEW(own, name, ...) extern const struct ky_few_verbs ky_##name##_few;
KY_DRIVERS(KY_DRIVER_FEW, )

/* Opens the device that parameters->engine names ("cuda:1", "opencl"). NULL for "cpu" and "auto",
 * which is the CPU here. */
enum ky_status ky_few_device_open(const struct ky_parameters *parameters,
                                  struct ky_few_device **device, struct ky_error *error);

#endif
