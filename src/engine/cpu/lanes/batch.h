/* A batch of cells for the opening test: loads it from the tree's arrays, and makes lists of the
 * cells that passed. Included after lanes.h. */
#ifndef KY_CPU_BATCH_H
#define KY_CPU_BATCH_H

#include "engine/cpu/lanes/lanes.h"

/* The four floats of one element. */
#if KY_LANES_ISA == KY_ISA_avx512 || KY_LANES_ISA == KY_ISA_avx2 || KY_LANES_ISA == KY_ISA_sse2
KY_INLINE __m128 ky_four(const float *from, const uint32_t *index, int k, const size_t step)
{
    return _mm_load_ps(from + 4 * step * index[k]);
}
#endif

/* Concatenates the elements k, k + 4, …. */
#if KY_LANES_ISA == KY_ISA_avx512
KY_INLINE __m512 ky_fours(const float *from, const uint32_t *index, int k, const size_t step)
{
    __m256 lower = _mm256_insertf128_ps(_mm256_castps128_ps256(ky_four(from, index, k, step)),
                                        ky_four(from, index, k + 4, step), 1),
           upper = _mm256_insertf128_ps(_mm256_castps128_ps256(ky_four(from, index, k + 8, step)),
                                        ky_four(from, index, k + 12, step), 1);
    return _mm512_insertf32x8(_mm512_castps256_ps512(lower), upper, 1);
}
#define KY_LOW_HALVES(a, b) _mm512_unpacklo_ps(a, b)
#define KY_HIGH_HALVES(a, b) _mm512_unpackhi_ps(a, b)
#define KY_PAIRS(a, b, which) _mm512_shuffle_ps(a, b, which)
#elif KY_LANES_ISA == KY_ISA_avx2
KY_INLINE __m256 ky_fours(const float *from, const uint32_t *index, int k, const size_t step)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(ky_four(from, index, k, step)),
                                ky_four(from, index, k + 4, step), 1);
}
#define KY_LOW_HALVES(a, b) _mm256_unpacklo_ps(a, b)
#define KY_HIGH_HALVES(a, b) _mm256_unpackhi_ps(a, b)
#define KY_PAIRS(a, b, which) _mm256_shuffle_ps(a, b, which)
#elif KY_LANES_ISA == KY_ISA_sse2
#define ky_fours ky_four
#define KY_LOW_HALVES(a, b) _mm_unpacklo_ps(a, b)
#define KY_HIGH_HALVES(a, b) _mm_unpackhi_ps(a, b)
#define KY_PAIRS(a, b, which) _mm_shuffle_ps(a, b, which)
#endif

/* Reads the first four numbers of elements of 4 × step floats (or of 32-bit integers, as bits):
 * as[c] has number c of all elements. Loads whole elements and transposes them, a quarter of the
 * loads of four gathers. */
KY_INLINE void ky_read_fours(const void *array, const uint32_t index[KY_BATCH], const size_t step,
                             ky_floats as[4])
{
    const float *from = array;
#ifdef KY_PAIRS
    ky_floats a = ky_fours(from, index, 0, step), b = ky_fours(from, index, 1, step),
              c = ky_fours(from, index, 2, step), d = ky_fours(from, index, 3, step);
    ky_floats ab = KY_LOW_HALVES(a, b), cd = KY_LOW_HALVES(c, d);
    as[0] = KY_PAIRS(ab, cd, 0x44);
    as[1] = KY_PAIRS(ab, cd, 0xee);
    ab = KY_HIGH_HALVES(a, b), cd = KY_HIGH_HALVES(c, d);
    as[2] = KY_PAIRS(ab, cd, 0x44);
    as[3] = KY_PAIRS(ab, cd, 0xee);
#else
    float column[4][KY_BATCH];
    for (size_t k = 0; k < KY_BATCH; k++)
        for (size_t c = 0; c < 4; c++)
            column[c][k] = from[4 * step * index[k] + c];
    for (size_t c = 0; c < 4; c++)
        memcpy(&as[c], column[c], sizeof as[c]);
#endif
}

/* -1 (true) in the first `count` elements. */
KY_INLINE ky_ints ky_first(size_t count)
{
    static const int32_t places[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    ky_ints place;
    memcpy(&place, places, sizeof place);
    return place < (int32_t)count;
}

/* Appends the elements where `wanted` is -1 (true), in order; may write up to KY_BATCH elements.
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
