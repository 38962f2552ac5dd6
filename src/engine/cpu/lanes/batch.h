/* A batch of cells for the opening test: gathered from the tree's arrays, and lists made of those
 * that passed. AVX-512 has instructions for both; elsewhere plain loops do. Included after lanes.h.
 */
#ifndef KY_CPU_BATCH_H
#define KY_CPU_BATCH_H

#include "engine/cpu/lanes/lanes.h"

#if KY_LANES_ISA == KY_ISA_avx512
/* Byte offsets of the cells in an array with elements of 2^shift bytes: the upper or lower eight.
 */
KY_INLINE __m512i ky_offsets(ky_ints index, int upper, const int shift)
{
    __m256i half = upper ? _mm512_extracti64x4_epi64((__m512i)index, 1)
                         : _mm512_castsi512_si256((__m512i)index);
    return _mm512_slli_epi64(_mm512_cvtepu32_epi64(half), (unsigned)shift);
}

KY_INLINE ky_floats ky_join(__m256 lower, __m256 upper)
{
    return (ky_floats)_mm512_insertf32x8(_mm512_castps256_ps512(lower), upper, 1);
}
#endif

/* The float (or, as bits, the 32-bit integer) at `field` of the first element and the same of the
 * others; elements have 2^shift bytes. */
KY_INLINE ky_floats ky_gather(const void *field, ky_ints index, const int shift)
{
#if KY_LANES_ISA == KY_ISA_avx512
    return ky_join(_mm512_i64gather_ps(ky_offsets(index, 0, shift), field, 1),
                   _mm512_i64gather_ps(ky_offsets(index, 1, shift), field, 1));
#else
    ky_floats result;
    for (int k = 0; k < KY_BATCH; k++)
        memcpy((char *)&result + 4 * k, (const char *)field + ((size_t)(uint32_t)index[k] << shift),
               4);
    return result;
#endif
}

/* The same of doubles, less `origin`. */
KY_INLINE ky_floats ky_gather_difference(const double *field, ky_ints index, const int shift,
                                         double origin)
{
#if KY_LANES_ISA == KY_ISA_avx512
    __m512d from = _mm512_set1_pd(origin);
    __m512d lower = _mm512_i64gather_pd(ky_offsets(index, 0, shift), field, 1),
            upper = _mm512_i64gather_pd(ky_offsets(index, 1, shift), field, 1);
    return ky_join(_mm512_cvtpd_ps(_mm512_sub_pd(lower, from)),
                   _mm512_cvtpd_ps(_mm512_sub_pd(upper, from)));
#else
    ky_floats result;
    for (int k = 0; k < KY_BATCH; k++) {
        const double *at = field + ((size_t)(uint32_t)index[k] << shift) / sizeof *field;
        result[k] = (float)(*at - origin);
    }
    return result;
#endif
}

/* Appends the elements where `wanted` is -1 (true), in order; up to KY_BATCH places are written.
 * Returns their number. */
KY_INLINE size_t ky_keep(uint32_t *list, ky_ints element, ky_ints wanted)
{
#if KY_LANES_ISA == KY_ISA_avx512
    __mmask16 mask = _mm512_movepi32_mask((__m512i)wanted);
    _mm512_storeu_si512(list, _mm512_maskz_compress_epi32(mask, (__m512i)element));
    return (size_t)__builtin_popcount(mask);
#else
    size_t count = 0;
    for (int k = 0; k < KY_BATCH; k++) {
        list[count] = (uint32_t)element[k];
        count += (size_t)(wanted[k] & 1);
    }
    return count;
#endif
}

#endif
