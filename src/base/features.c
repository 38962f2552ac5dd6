/* The features of this build. */
#include "base/features.h"

#include "kyoho/kyoho.h"

#include "base/drivers.h"

#define HDF5_LINE KY_FEATURE(HDF5, "HDF5", ", so that snapshots are TIPSY (32 bit)", KY_WHY_NO_HDF5)
#define THREADS_LINE                                                                               \
    "threads: " KY_IF(KY_HAVE_TEAM, "yes",                                                         \
                      KY_IF(KY_HAVE_OPENMP, "OpenMP", "one: " KY_WHY_NO_OPENMP))
#define DRIVER_LINE(own, name, NAME, title, why) "\n" KY_FEATURE(NAME, title, , why)

const char *ky_build_features(void)
{
    return HDF5_LINE "\n" THREADS_LINE KY_DRIVERS(DRIVER_LINE, );
}
