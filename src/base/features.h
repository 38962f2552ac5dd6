/* Why this build lacks a library, and what would change that: text for errors and `--version`. The
 * build defines KY_OFF_… where a feature was switched off (`make HDF5=no`). */
#ifndef KY_BASE_FEATURES_H
#define KY_BASE_FEATURES_H

#ifdef KY_OFF_HDF5
#define KY_WHY_NO_HDF5 "switched off by HDF5=no; build again without that"
#else
#define KY_WHY_NO_HDF5 "the library was not found; install libhdf5-dev and build again"
#endif
#ifdef KY_OFF_PNG
#define KY_WHY_NO_PNG "switched off by PNG=no; build again without that"
#else
#define KY_WHY_NO_PNG "the library was not found; install libpng-dev and build again"
#endif
#ifdef KY_OFF_CAIRO
#define KY_WHY_NO_CAIRO "switched off by CAIRO=no; build again without that"
#else
#define KY_WHY_NO_CAIRO "the library was not found; install libcairo2-dev and build again"
#endif
#ifdef KY_OFF_FFTW
#define KY_WHY_NO_FFTW "switched off by FFTW=no; build again without that"
#else
#define KY_WHY_NO_FFTW "the library was not found; install libfftw3-dev and build again"
#endif
#ifdef KY_OFF_OPENMP
#define KY_WHY_NO_OPENMP "switched off by OPENMP=no; build again without that"
#else
#define KY_WHY_NO_OPENMP "the compiler has no OpenMP"
#endif
#ifdef KY_OFF_CUDA
#define KY_WHY_NO_CUDA "switched off by CUDA=no; build again without that"
#else
#define KY_WHY_NO_CUDA "nvcc was not found; install the CUDA toolkit and build again"
#endif
#ifdef KY_OFF_OPENCL
#define KY_WHY_NO_OPENCL "switched off by OPENCL=no; build again without that"
#else
#define KY_WHY_NO_OPENCL                                                                           \
    "headers and loader were not found; install opencl-headers and ocl-icd-opencl-dev and build "  \
    "again"
#endif

#endif
