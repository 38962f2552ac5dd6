/* What this build was made with. */
#include "kyoho/kyoho.h"

#ifdef KY_HAVE_HDF5
#define HDF5_LINE "HDF5: yes"
#else
#define HDF5_LINE "HDF5: no; snapshots are TIPSY (32 bit); install libhdf5-dev and build again"
#endif
#ifdef KY_HAVE_PNG
#define PNG_LINE "PNG: yes"
#else
#define PNG_LINE "PNG: no; no pictures; install libpng-dev and build again"
#endif
#ifdef KY_HAVE_OPENMP
#define OPENMP_LINE "threads: OpenMP"
#else
#define OPENMP_LINE "threads: one; the compiler has no OpenMP"
#endif
#ifdef KY_HAVE_CUDA
#define CUDA_LINE "CUDA: yes"
#else
#define CUDA_LINE "CUDA: no; install the CUDA toolkit (nvcc) and build again"
#endif
#ifdef KY_HAVE_OPENCL
#define OPENCL_LINE "OpenCL: yes"
#else
#define OPENCL_LINE "OpenCL: no; install ocl-icd-opencl-dev and opencl-headers and build again"
#endif

const char *ky_build_features(void)
{
    return HDF5_LINE "\n" PNG_LINE "\n" OPENMP_LINE "\n" CUDA_LINE "\n" OPENCL_LINE;
}
