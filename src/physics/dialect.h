/* Portable C: the language of the formulas for all compilers.
 *
 * The headers of src/physics are compiled as C11 by the host compiler, as OpenCL C 1.2 and as CUDA
 * C. Only this file depends on the language. A formula is written for KY_REAL, the number type of
 * the file that includes it: double in plain host code, float on devices, and a whole vector of
 * sinks where the CPU's lanes (src/engine/cpu/lanes) define KY_REAL and the operations before
 * including a formula.
 *
 * KY_RSQRT(x) is KY_RSQRT_SCALE / sqrt(x): one Newton step on an estimate y gives y (3 - x y y) = 2
 * / sqrt(x) without a multiplication by one half, so code that refines an estimate has the scale 2.
 * Formulas take masses that have been divided by the scale and give accelerations that are scale²
 * too large; see gravity.h. KY_RSQRT_ROUGH(x) is the estimate, if there is one. */
#ifndef KY_PHYSICS_DIALECT_H
#define KY_PHYSICS_DIALECT_H

#include "physics/language.h"

/* Integers of 32 and 64 bits. KY_CONSTANT: a table of a file. KY_SQRT, KY_POW: for numbers that are
 * float on devices (number.h). KY_LEADING_ZEROS: for 64 bits. KY_FMA_EXACT is rounded once, even
 * where that is slow: double-single products depend on it. */
#if defined(KY_IN_OPENCL)
#ifdef KY_OUT_OF_LINE /* for a device simulator: tests/command/oclgrind.sh */
#define KY_FN static __attribute__((noinline))
#else
#define KY_FN static inline __attribute__((always_inline))
#endif
#define KY_CONSTANT __constant
typedef uint ky_uint;
typedef ulong ky_ulong;
#define KY_SQRT(x) sqrt(x)
#define KY_POW(x, y) pow(x, y)
#define KY_LEADING_ZEROS(x) ((int)clz(x))
#define KY_FMA_EXACT(a, b, c) fma(a, b, c)
#elif defined(KY_IN_CUDA)
#define KY_FN static __device__ __forceinline__
#define KY_CONSTANT static __constant__
typedef unsigned int ky_uint;
typedef unsigned long long ky_ulong;
#define KY_SQRT(x) sqrtf(x)
#define KY_POW(x, y) powf(x, y)
#define KY_LEADING_ZEROS(x) __clzll((long long)(x))
#define KY_FMA_EXACT(a, b, c) fmaf(a, b, c)
#else
#define KY_FN static inline __attribute__((always_inline))
#define KY_CONSTANT static const
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

/* x if `of` is above `low`, otherwise 0, also if x is not a number. */
#ifndef KY_WHERE_ABOVE
#define KY_WHERE_ABOVE(x, of, low) ((of) > KY_SPLAT(low) ? (x) : KY_SPLAT(0))
#endif

/* a if `of` is above `low`, otherwise b. */
#ifndef KY_WHERE_EITHER
#define KY_WHERE_EITHER(a, b, of, low) ((of) > KY_SPLAT(low) ? (a) : (b))
#endif

#ifndef KY_LARGER
#define KY_LARGER(a, b) ((a) > (b) ? (a) : (b))
#endif

/* Bodies coincide and exert no force on each other if s² = r² + ε² is at most this, in engine units
 * (engine/common/units.h): the same for all compilers, and far enough from 0 that m/s³ is within
 * the range of float. */
#define KY_CLOSE2 1e-18f

/* External fields are computed in double wherever it exists, since a field may be 10⁶ times as
 * strong as the mutual forces. A field acts only on bodies whose s² exceeds KY_EXTERNAL_NEAREST2,
 * so that 1/s³ stays within the range of its type. */
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

/* Memory that all lanes share. Languages with several address spaces have defined it already. */
#ifndef KY_GLOBAL
#if defined(KY_IN_OPENCL)
#define KY_GLOBAL __global
#else
#define KY_GLOBAL
#endif
#endif

/* Memory for a lane's own numbers (physics/visit.h): shared memory, unless defined otherwise. */
#ifndef KY_SPACE
#define KY_SPACE KY_GLOBAL
#endif

/* An integer of at least 64 bits. */
#if defined(KY_IN_OPENCL)
#define KY_WORD ulong
#else
#define KY_WORD unsigned long long
#endif

/* A number that needs range rather than digits: double wherever it exists. */
#if defined(KY_IN_OPENCL)
#define KY_WIDE float
#define KY_WIDE_OF(x) x##f
#else
#define KY_WIDE double
#define KY_WIDE_OF(x) x
#endif

/* Opening tests use float whatever KY_REAL is; the lanes test several cells at a time. */
#ifndef KY_FLOAT
#define KY_FLOAT float
#define KY_TRUTH int
#define KY_FLOAT_SPLAT(x) (x)
#define KY_FLOAT_MAX(a, b) ((a) > (b) ? (a) : (b))
/* 1 if the truth value is known here, so that nothing else has to be tested. */
#define KY_FLOAT_SURE(truth) (truth)
#endif

#endif
