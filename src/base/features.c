/* What this build was made with. */
#include "base/features.h"

#include "kyoho/kyoho.h"

#include "base/drivers.h"

/* `without`: what a user then does not have, or nothing. */
#define LINE(NAME, title, without, why)                                                            \
    KY_IF(KY_HAVE_##NAME, title ": yes", title ": no" without ": " why)
#define HDF5_LINE LINE(HDF5, "HDF5", ", so that snapshots are TIPSY (32 bit)", KY_WHY_NO_HDF5)
#define PNG_LINE LINE(PNG, "PNG", ", so that nothing can be drawn", KY_WHY_NO_PNG)
#define CAIRO_LINE                                                                                 \
    LINE(CAIRO, "cairo", ", so that letters are coarse, and no PDF or SVG", KY_WHY_NO_CAIRO)
#define FFTW_LINE LINE(FFTW, "FFTW", ", so that the model cosmic cannot be made", KY_WHY_NO_FFTW)
#define THREADS_LINE                                                                               \
    "threads: " KY_IF(KY_HAVE_TEAM, "yes",                                                         \
                      KY_IF(KY_HAVE_OPENMP, "OpenMP", "one: " KY_WHY_NO_OPENMP))
#define DRIVER_LINE(own, name, NAME, title, why) "\n" LINE(NAME, title, , why)

const char *ky_build_features(void)
{
    return HDF5_LINE "\n" PNG_LINE "\n" CAIRO_LINE "\n" FFTW_LINE
                     "\n" THREADS_LINE KY_DRIVERS(DRIVER_LINE, );
}
