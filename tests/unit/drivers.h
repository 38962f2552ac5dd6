/* The driver of an engine, or NULL if this build has none. */
#ifndef KY_TEST_DRIVERS_H
#define KY_TEST_DRIVERS_H

#include "base/drivers.h"
#include "engine/device/driver/driver.h"
#include "engine/engine.h"

#define DRIVER_IF_NAMED(name)                                                                      \
    if (ky_engine_is_named(engine, #name))                                                         \
        return &ky_##name##_driver;

static inline const struct ky_driver *driver_of(const char *engine)
{
    KY_DRIVERS_HERE(DRIVER_IF_NAMED)
    return NULL;
}

#endif
