/* A vector of numbers, one sink in each lane, for the compiler's target instruction set (KY_LANES,
 * see mk/isa.mk). Included once by a source that has defined KY_LANE_DOUBLE as 0 or 1; then come
 * the formulas of src/physics with KY_REAL = the vector.
 *
 * GCC's vector extension provides the arithmetic. Fused multiply-add, which must not depend on the
 * compiler, and the estimate of a reciprocal root are one intrinsic each. */
#ifndef KY_CPU_LANES_H
#define KY_CPU_LANES_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/split.h"
#include "engine/cpu/lanes/functions.h"

#if KY_LANES_ISA == KY_ISA_avx512
#define KY_LANE_BYTES 64
#elif KY_LANES_ISA == KY_ISA_avx2
#define KY_LANE_BYTES 32
#else
#define KY_LANE_BYTES 16
#endif

#if KY_LANES_ISA == KY_ISA_neon
#include <arm_neon.h>
#elif KY_LANES_ISA != KY_ISA_plain
#include <immintrin.h>
#endif

#if KY_LANE_DOUBLE
typedef double ky_element;
typedef int64_t ky_index_element;
#else
typedef float ky_element;
typedef int32_t ky_index_element;
#endif
typedef ky_element ky_vector __attribute__((vector_size(KY_LANE_BYTES)));
typedef ky_index_element ky_whole __attribute__((vector_size(KY_LANE_BYTES)));
enum { KY_WIDTH = KY_LANE_BYTES / (int)sizeof(ky_element) };

#define KY_INLINE static inline __attribute__((always_inline))

KY_INLINE ky_vector ky_splat(ky_element x)
{
    return x - (ky_vector){0};
}

KY_INLINE ky_vector ky_load(const ky_element *from)
{
    ky_vector v;
    memcpy(&v, from, sizeof v);
    return v;
}

KY_INLINE void ky_store(ky_element *to, ky_vector v)
{
    memcpy(to, &v, sizeof v);
}

/* first, first + 1, … */
KY_INLINE ky_whole ky_lanes_from(ky_index_element first)
{
    ky_whole lanes = {0};
    for (int k = 0; k < KY_WIDTH; k++)
        lanes[k] = first + k;
    return lanes;
}

/* A vector of doubles; and the numbers of a vector, summed to one vector of doubles (floats in
 * pairs). */
typedef double ky_doubles __attribute__((vector_size(KY_LANE_BYTES)));
enum { KY_DOUBLES = KY_LANE_BYTES / (int)sizeof(double) };
KY_INLINE ky_doubles ky_widened(ky_vector v)
{
#if KY_LANE_DOUBLE
    return v;
#elif KY_LANES_ISA == KY_ISA_avx512
    return _mm512_cvtps_pd(_mm512_castps512_ps256(v)) +
           _mm512_cvtps_pd(_mm512_extractf32x8_ps(v, 1));
#else
    typedef float half __attribute__((vector_size(KY_LANE_BYTES / 2)));
    half part[2];
    memcpy(part, &v, sizeof v);
    return __builtin_convertvector(part[0], ky_doubles) +
           __builtin_convertvector(part[1], ky_doubles);
#endif
}

/* a b + c, fused if the hardware has it. */
KY_INLINE ky_vector ky_fma(ky_vector a, ky_vector b, ky_vector c)
{
#if KY_LANES_ISA == KY_ISA_avx512
#if KY_LANE_DOUBLE
    return _mm512_fmadd_pd(a, b, c);
#else
    return _mm512_fmadd_ps(a, b, c);
#endif
#elif KY_LANES_ISA == KY_ISA_avx2
#if KY_LANE_DOUBLE
    return _mm256_fmadd_pd(a, b, c);
#else
    return _mm256_fmadd_ps(a, b, c);
#endif
#elif KY_LANES_ISA == KY_ISA_neon
#if KY_LANE_DOUBLE
    return (ky_vector)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
#else
    return (ky_vector)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#endif
#else
    return a * b + c;
#endif
}

/* 1 / sqrt(x), lane by lane, correctly rounded. */
KY_INLINE ky_vector ky_rsqrt_exact(ky_vector x)
{
#if KY_LANE_DOUBLE && KY_LANES_ISA == KY_ISA_avx512
    return 1 / (ky_vector)_mm512_sqrt_pd(x);
#elif KY_LANE_DOUBLE && KY_LANES_ISA == KY_ISA_avx2
    return 1 / (ky_vector)_mm256_sqrt_pd(x);
#elif KY_LANE_DOUBLE && KY_LANES_ISA == KY_ISA_sse2
    return 1 / (ky_vector)_mm_sqrt_pd(x);
#elif KY_LANES_ISA == KY_ISA_sse2
    return 1 / (ky_vector)_mm_sqrt_ps(x);
#else
    for (int k = 0; k < KY_WIDTH; k++)
        x[k] = KY_LANE_DOUBLE ? (ky_element)sqrt((double)x[k]) : (ky_element)sqrtf((float)x[k]);
    return 1 / x;
#endif
}

/* KY_RSQRT_SCALE / sqrt(x), for KY_RSQRT: see dialect.h. The estimates have 14 bits (AVX-512), 12
 * (AVX2) and 8 (NEON); relative errors of the results: 6e-9 + rounding, 2e-7, 2e-7. In double: two
 * Newton steps after 14 bits, 2e-16 + rounding. The estimates of AVX-512 and NEON are defined to
 * the last bit. The estimates of AVX2 and SSE differ between vendors. AVX2 uses its estimate for
 * speed, and ky_lanes.bits distinguishes vendors. SSE2 uses no estimate. */
KY_INLINE ky_vector ky_rsqrt(ky_vector x)
{
#if KY_LANES_ISA == KY_ISA_avx512 && KY_LANE_DOUBLE
    ky_vector y = _mm512_rsqrt14_pd(x), half = x * 0.5;
    y = y * ky_fma(-half * y, y, ky_splat(1.5));
    return y * ky_fma(-half * y, y, ky_splat(1.5));
#elif KY_LANES_ISA == KY_ISA_avx512
    ky_vector y = _mm512_rsqrt14_ps(x);
    return y * (ky_vector)_mm512_fnmadd_ps(x, y * y, ky_splat(3));
#elif KY_LANES_ISA == KY_ISA_avx2 && !KY_LANE_DOUBLE
    ky_vector y = _mm256_rsqrt_ps(x);
    return y * (ky_vector)_mm256_fnmadd_ps(x, y * y, ky_splat(3));
#elif KY_LANES_ISA == KY_ISA_neon && !KY_LANE_DOUBLE
    ky_vector y = (ky_vector)vrsqrteq_f32((float32x4_t)x);
    y = y * (ky_vector)vrsqrtsq_f32((float32x4_t)x, (float32x4_t)(y * y));
    return y * (3 - x * (y * y));
#else
    return ky_rsqrt_exact(x);
#endif
}
/* The estimate of AVX-512 without a Newton step: relative errors of up to 6e-5. Other estimates are
 * too inaccurate. */
#if KY_LANES_ISA == KY_ISA_avx512 && !KY_LANE_DOUBLE
#define KY_RSQRT_ROUGH(x) (2 * (ky_vector)_mm512_rsqrt14_ps(x))
#endif
#if KY_LANE_DOUBLE || KY_LANES_ISA == KY_ISA_plain || KY_LANES_ISA == KY_ISA_sse2
#define KY_RSQRT_SCALE 1
#else
#define KY_RSQRT_SCALE 2
#endif

/* x where s2 is above `low`, 0 elsewhere; x may be NaN there. */
KY_INLINE ky_vector ky_where_above(ky_vector x, ky_vector s2, ky_element low)
{
#if KY_LANES_ISA == KY_ISA_avx512 && KY_LANE_DOUBLE
    return _mm512_maskz_mov_pd(_mm512_cmp_pd_mask(s2, ky_splat(low), _CMP_GT_OQ), x);
#elif KY_LANES_ISA == KY_ISA_avx512
    return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(s2, ky_splat(low), _CMP_GT_OQ), x);
#else
    return (ky_vector)((ky_whole)x & (ky_whole)(s2 > ky_splat(low)));
#endif
}

/* a where s2 is above `low`, b elsewhere. */
KY_INLINE ky_vector ky_where_either(ky_vector a, ky_vector b, ky_vector s2, ky_element low)
{
#if KY_LANES_ISA == KY_ISA_avx512 && KY_LANE_DOUBLE
    return _mm512_mask_mov_pd(b, _mm512_cmp_pd_mask(s2, ky_splat(low), _CMP_GT_OQ), a);
#elif KY_LANES_ISA == KY_ISA_avx512
    return _mm512_mask_mov_ps(b, _mm512_cmp_ps_mask(s2, ky_splat(low), _CMP_GT_OQ), a);
#else
    const ky_whole above = s2 > ky_splat(low);
    return (ky_vector)(((ky_whole)a & above) | ((ky_whole)b & ~above));
#endif
}

KY_INLINE ky_vector ky_where_different(ky_vector x, ky_whole a, ky_index_element b)
{
    return (ky_vector)((ky_whole)x & (ky_whole)(a != (b - (ky_whole){0})));
}

KY_INLINE ky_vector ky_larger(ky_vector a, ky_vector b)
{
#if KY_LANES_ISA == KY_ISA_avx512 && KY_LANE_DOUBLE
    return _mm512_max_pd(a, b);
#elif KY_LANES_ISA == KY_ISA_avx512
    return _mm512_max_ps(a, b);
#else
    const ky_whole greater = a > b;
    return (ky_vector)(((ky_whole)a & greater) | ((ky_whole)b & ~greater));
#endif
}

/* The opening test processes a vector of cells at a time, always in float. */
enum { KY_BATCH = KY_LANE_BYTES / 4 };
typedef float ky_floats __attribute__((vector_size(KY_LANE_BYTES)));
typedef int32_t ky_ints __attribute__((vector_size(KY_LANE_BYTES)));

KY_INLINE ky_floats ky_floats_max(ky_floats a, ky_floats b)
{
#if KY_LANES_ISA == KY_ISA_avx512
    return _mm512_max_ps(a, b);
#else
    ky_ints greater = a > b;
    return (ky_floats)(((ky_ints)a & greater) | ((ky_ints)b & ~greater));
#endif
}

/* Correctly rounded, so that every instruction set makes the same decisions. */
KY_INLINE ky_floats ky_floats_root(ky_floats x)
{
#if KY_LANES_ISA == KY_ISA_avx512
    return _mm512_sqrt_ps(x);
#elif KY_LANES_ISA == KY_ISA_avx2
    return _mm256_sqrt_ps(x);
#elif KY_LANES_ISA == KY_ISA_sse2
    return _mm_sqrt_ps(x);
#else
    for (int k = 0; k < KY_BATCH; k++)
        x[k] = sqrtf(x[k]);
    return x;
#endif
}

#define KY_FLOAT ky_floats
#define KY_TRUTH ky_ints
#define KY_FLOAT_SPLAT(x) ((x) - (ky_floats){0})
#define KY_FLOAT_MAX(a, b) ky_floats_max(a, b)
#define KY_FLOAT_SURE(truth) 0

#define KY_REAL ky_vector
#define KY_FMA(a, b, c) ky_fma(a, b, c)
#define KY_RSQRT(x) ky_rsqrt(x)
#define KY_SPLAT(x) ky_splat((ky_element)(x))
#define KY_LARGER(a, b) ky_larger(a, b)
#define KY_WHERE_ABOVE(x, of, low) ky_where_above(x, of, (ky_element)(low))
#define KY_WHERE_EITHER(a, b, of, low) ky_where_either(a, b, of, (ky_element)(low))

#endif
