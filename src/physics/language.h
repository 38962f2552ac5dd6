/* The language of the compiler that reads portable C: KY_IN_OPENCL, KY_IN_CUDA or KY_HOST. Offline
 * compilers of OpenCL C do not define __OPENCL_VERSION__. */
#ifndef KY_PHYSICS_LANGUAGE_H
#define KY_PHYSICS_LANGUAGE_H

#if defined(__OPENCL_C_VERSION__) || defined(__OPENCL_VERSION__)
#define KY_IN_OPENCL 1
#elif defined(__CUDACC__)
#define KY_IN_CUDA 1
#else
#define KY_HOST 1
#endif

#endif
