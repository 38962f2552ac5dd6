/* Portable C: the language of the formulas for all compilers.
 *
 * The headers of src/physics are read as C11 by the host compiler, as OpenCL C 1.2 and as CUDA C.
 * This file alone knows what differs. A formula is written over KY_REAL, the number type of its
 * reader: double in plain host code, float on devices, and a whole vector of sinks where the CPU's
 * lanes (src/engine/cpu/lanes) define KY_REAL and the operations before including a formula.
 *
 * KY_RSQRT(x) is KY_RSQRT_SCALE / sqrt(x): one Newton step on an estimate y gives y (3 - x y y) = 2
 * / sqrt(x) without a multiplication by one half, so that readers which refine an estimate have the
 * scale 2. Formulas take masses that were divided by the scale beforehand and give accelerations
 * that are scale² too large; see gravity.h. KY_RSQRT_ROUGH(x) is the estimate, where a reader has
 * one. */
#ifndef KY_PHYSICS_DIALECT_H
#define KY_PHYSICS_DIALECT_H

#include "physics/language.h"

/* Whole numbers of 32 and 64 bits. KY_SQRT, KY_POW: of numbers that are float on devices
 * (number.h). KY_LEADING_ZEROS: of 64 bits. KY_FMA_EXACT is rounded once, also where that is slow:
 * double-single products rest on it. */
#if defined(KY_IN_OPENCL)
#ifdef KY_OUT_OF_LINE /* for a simulator of devices: tests/command/oclgrind.sh */
#define KY_FN static __attribute__((noinline))
#else
#define KY_FN static inline __attribute__((always_inline))
#endif
typedef uint ky_uint;
typedef ulong ky_ulong;
#define KY_SQRT(x) sqrt(x)
#define KY_POW(x, y) pow(x, y)
#define KY_LEADING_ZEROS(x) ((int)clz(x))
#define KY_FMA_EXACT(a, b, c) fma(a, b, c)
#elif defined(KY_IN_CUDA)
#define KY_FN static __device__ __forceinline__
typedef unsigned int ky_uint;
typedef unsigned long long ky_ulong;
#define KY_SQRT(x) sqrtf(x)
#define KY_POW(x, y) powf(x, y)
#define KY_LEADING_ZEROS(x) __clzll((long long)(x))
#define KY_FMA_EXACT(a, b, c) fmaf(a, b, c)
#else
#define KY_FN static inline __attribute__((always_inline))
#include <math.h>
#include <stdint.h>
typedef uint32_t ky_uint;
typedef uint64_t ky_ulong;
#define KY_SQRT(x) sqrt(x)
#define KY_POW(x, y) pow(x, y)
#define KY_LEADING_ZEROS(x) __builtin_clzll(x)
#endif

#ifndef KY_REAL
#if defined(KY_IN_OPENCL)
#define KY_REAL float
#define KY_FMA(a, b, c) fma(a, b, c)
#define KY_RSQRT(x) native_rsqrt(x)
#elif defined(KY_IN_CUDA)
#define KY_REAL float
#define KY_FMA(a, b, c) fmaf(a, b, c)
#define KY_RSQRT(x) rsqrtf(x)
#else
#define KY_REAL double
#define KY_FMA(a, b, c) ((a) * (b) + (c))
#define KY_RSQRT(x) (1.0 / sqrt(x))
#endif
#define KY_SPLAT(x) ((KY_REAL)(x))
#define KY_RSQRT_SCALE 1
#endif

#ifndef KY_RSQRT_ROUGH
#define KY_RSQRT_ROUGH(x) KY_RSQRT(x)
#endif

/* x where `of` is above `low`, else 0, and 0 also where x is not a number. */
#ifndef KY_WHERE_ABOVE
#define KY_WHERE_ABOVE(x, of, low) ((of) > KY_SPLAT(low) ? (x) : KY_SPLAT(0))
#endif

/* a where `of` is above `low`, else b. */
#ifndef KY_WHERE_EITHER
#define KY_WHERE_EITHER(a, b, of, low) ((of) > KY_SPLAT(low) ? (a) : (b))
#endif

#ifndef KY_LARGER
#define KY_LARGER(a, b) ((a) > (b) ? (a) : (b))
#endif

/* Bodies coincide, and exert nothing on each other, where s² = r² + ε² is not above this, in the
 * engines' units (engine/common/units.h): the same for every reader, and far enough from 0 that
 * m/s³ is within the range of float. */
#define KY_CLOSE2 1e-18f

/* Numbers of external fields are double wherever there is one, since a field may be 10⁶ times as
 * strong as what the bodies do to each other. A field pulls only bodies whose s² exceeds
 * KY_EXTERNAL_NEAREST2: 1/s³ has to be within the range of the numbers. */
#ifndef KY_EXTERNAL_RSQRT
#define KY_EXTERNAL_RSQRT(x) (1.0 / sqrt(x))
#endif
#if defined(KY_HOST) || defined(KY_HAS_DOUBLE)
typedef double ky_external_real;
#define KY_EXTERNAL_NEAREST2 1e-180
#else
typedef float ky_external_real;
#define KY_EXTERNAL_NEAREST2 KY_CLOSE2
#endif

/* Memory that all lanes share. Readers with several address spaces have defined it already. */
#ifndef KY_GLOBAL
#if defined(KY_IN_OPENCL)
#define KY_GLOBAL __global
#else
#define KY_GLOBAL
#endif
#endif

/* Memory for a lane's own numbers (physics/visit.h): the memory of all lanes, unless a reader has
 * said otherwise. */
#ifndef KY_SPACE
#define KY_SPACE KY_GLOBAL
#endif

/* A whole number of 64 bits or more. */
#if defined(KY_IN_OPENCL)
#define KY_WORD ulong
#else
#define KY_WORD unsigned long long
#endif

/* A number that needs range rather than digits: double wherever there is one. */
#if defined(KY_IN_OPENCL)
#define KY_WIDE float
#define KY_WIDE_OF(x) x##f
#else
#define KY_WIDE double
#define KY_WIDE_OF(x) x
#endif

/* Opening tests are in float whatever KY_REAL is; the lanes test several cells at a time. */
#ifndef KY_FLOAT
#define KY_FLOAT float
#define KY_TRUTH int
#define KY_FLOAT_SPLAT(x) (x)
#define KY_FLOAT_MAX(a, b) ((a) > (b) ? (a) : (b))
/* Whether the truth is known here, so that nothing else has to be tested. */
#define KY_FLOAT_SURE(truth) (truth)
#endif

#endif
