/* What this build was made with. */
#include "base/features.h"

#include "kyoho/kyoho.h"

#ifdef KY_HAVE_HDF5
#define HDF5_LINE "HDF5: yes"
#else
#define HDF5_LINE "HDF5: no, so that snapshots are TIPSY (32 bit): " KY_WHY_NO_HDF5
#endif
#ifdef KY_HAVE_PNG
#define PNG_LINE "PNG: yes"
#else
#define PNG_LINE "PNG: no, so that nothing can be drawn: " KY_WHY_NO_PNG
#endif
#ifdef KY_HAVE_CAIRO
#define CAIRO_LINE "cairo: yes"
#else
#define CAIRO_LINE "cairo: no, so that letters are coarse, and no PDF or SVG: " KY_WHY_NO_CAIRO
#endif
#ifdef KY_HAVE_FFTW
#define FFTW_LINE "FFTW: yes"
#else
#define FFTW_LINE "FFTW: no, so that the model cosmic cannot be made: " KY_WHY_NO_FFTW
#endif
#ifdef KY_HAVE_TEAM
#define OPENMP_LINE "threads: yes"
#elif defined(KY_HAVE_OPENMP)
#define OPENMP_LINE "threads: OpenMP"
#else
#define OPENMP_LINE "threads: one: " KY_WHY_NO_OPENMP
#endif
#ifdef KY_HAVE_CUDA
#define CUDA_LINE "CUDA: yes"
#else
#define CUDA_LINE "CUDA: no: " KY_WHY_NO_CUDA
#endif
#ifdef KY_HAVE_OPENCL
#define OPENCL_LINE "OpenCL: yes"
#else
#define OPENCL_LINE "OpenCL: no: " KY_WHY_NO_OPENCL
#endif

const char *ky_build_features(void)
{
    return HDF5_LINE "\n" PNG_LINE "\n" CAIRO_LINE "\n" FFTW_LINE "\n" OPENMP_LINE "\n" CUDA_LINE
                     "\n" OPENCL_LINE;
}
