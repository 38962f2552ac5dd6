/* The table of the drivers of devices. A row defines the engine and the board of this name and the
 * texts about them. Apart from the row a driver is named only in its own folder,
 * src/engine/device/driver/NAME; in the makefiles, of which mk/detect.mk looks for its compiler; by
 * its language, in physics/language.h, physics/dialect.h, and dialect.h and shared.h of
 * src/engine/device/kernels/driver; and in examples ("cuda:1") of texts and comments. */
#ifndef KY_BASE_DRIVERS_H
#define KY_BASE_DRIVERS_H

#include "base/features.h"

/* D(own, name, NAME, title, why), in the order in which `auto` wants them, the fastest first: the
 * word of --engine; KY_HAVE_NAME says that this build has it; why a build may lack it. `own` is the
 * caller's. */
#define KY_DRIVERS(D, own)                                                                         \
    D(own, cuda, CUDA, "CUDA",                                                                     \
      KY_WHY_NO(CUDA, "nvcc was not found; install the CUDA toolkit and rebuild"))                 \
    D(own, opencl, OPENCL, "OpenCL",                                                               \
      KY_WHY_NO(OPENCL, "headers were not found; install opencl-headers and rebuild"))

/* D(name) for each driver in this build, and D(name, why) for each driver that it lacks. */
#define KY_DRIVERS_HERE(D) KY_DRIVERS(KY_DRIVER_HERE, D)
#define KY_DRIVERS_ABSENT(D) KY_DRIVERS(KY_DRIVER_ABSENT, D)
/* How many this build has; for #if, too. */
#define KY_DRIVERS_COUNT (0 KY_DRIVERS_HERE(KY_DRIVER_ONE))

#define KY_DRIVER_HERE(D, name, NAME, title, why) KY_IF(KY_HAVE_##NAME, D, KY_DRIVER_NONE)(name)
#define KY_DRIVER_ABSENT(D, name, NAME, title, why)                                                \
    KY_IF(KY_HAVE_##NAME, KY_DRIVER_NONE, D)(name, why)
#define KY_DRIVER_NONE(...)
#define KY_DRIVER_ONE(name) +1

#endif
