/* Masks: the lanes in which a comparison is true. AVX-512 has mask registers; other sets use
 * vectors of all ones and all zeros. Included after lanes.h. */
#ifndef KY_CPU_MASKS_H
#define KY_CPU_MASKS_H

#if KY_LANES_ISA == KY_ISA_avx512
#if KY_LANE_DOUBLE
typedef __mmask8 ky_mask;
#define KY_MASKED(name) _mm512_##name##_pd
#define KY_COMPARED _mm512_mask_cmp_pd_mask
#define KY_DIFFERENT(a, b) _mm512_cmpneq_epi64_mask((__m512i)(a), _mm512_set1_epi64(b))
#define KY_CHOSEN(mask, a, b) _mm512_mask_mov_epi64((__m512i)(a), mask, (__m512i)(b))
#else
typedef __mmask16 ky_mask;
#define KY_MASKED(name) _mm512_##name##_ps
#define KY_COMPARED _mm512_mask_cmp_ps_mask
#define KY_DIFFERENT(a, b) _mm512_cmpneq_epi32_mask((__m512i)(a), _mm512_set1_epi32(b))
#define KY_CHOSEN(mask, a, b) _mm512_mask_mov_epi32((__m512i)(a), mask, (__m512i)(b))
#endif

KY_INLINE ky_mask ky_mask_all(void)
{
    return (ky_mask)-1;
}
/* The first lanes, fewer than all. */
KY_INLINE ky_mask ky_mask_first(size_t lanes)
{
    return (ky_mask)((1U << lanes) - 1);
}

KY_INLINE ky_mask ky_mask_different(ky_whole a, ky_index_element b)
{
    return KY_DIFFERENT(a, b);
}

/* Lanes of `mask` with a < b; with a <= b. */
KY_INLINE ky_mask ky_mask_below(ky_mask mask, ky_vector a, ky_vector b)
{
    return KY_COMPARED(mask, a, b, _CMP_LT_OQ);
}
KY_INLINE ky_mask ky_mask_within(ky_mask mask, ky_vector a, ky_vector b)
{
    return KY_COMPARED(mask, a, b, _CMP_LE_OQ);
}

/* x in the lanes of `mask`, otherwise 0. */
KY_INLINE ky_vector ky_where(ky_mask mask, ky_vector x)
{
    return KY_MASKED(maskz_mov)(mask, x);
}
/* x in the lanes of `mask`, otherwise `other`. */
KY_INLINE ky_vector ky_choose(ky_mask mask, ky_vector x, ky_vector other)
{
    return KY_MASKED(mask_mov)(other, mask, x);
}
KY_INLINE ky_whole ky_choose_whole(ky_mask mask, ky_whole x, ky_whole other)
{
    return (ky_whole)KY_CHOSEN(mask, other, x);
}

/* One bit for each lane, set if the mask has the lane. */
KY_INLINE unsigned ky_mask_bits(ky_mask mask)
{
    return mask;
}
#else
typedef ky_whole ky_mask;

KY_INLINE ky_mask ky_mask_all(void)
{
    return (ky_whole){0} - 1;
}

KY_INLINE ky_mask ky_mask_first(size_t lanes)
{
    return ky_lanes_from(0) < (ky_index_element)lanes - (ky_whole){0};
}

KY_INLINE ky_mask ky_mask_different(ky_whole a, ky_index_element b)
{
    return a != (b - (ky_whole){0});
}

KY_INLINE ky_mask ky_mask_below(ky_mask mask, ky_vector a, ky_vector b)
{
    return mask & (ky_mask)(a < b);
}

KY_INLINE ky_mask ky_mask_within(ky_mask mask, ky_vector a, ky_vector b)
{
    return mask & (ky_mask)(a <= b);
}

KY_INLINE ky_vector ky_where(ky_mask mask, ky_vector x)
{
    return (ky_vector)((ky_whole)x & mask);
}

KY_INLINE ky_vector ky_choose(ky_mask mask, ky_vector x, ky_vector other)
{
    return (ky_vector)(((ky_whole)x & mask) | ((ky_whole)other & ~mask));
}

KY_INLINE ky_whole ky_choose_whole(ky_mask mask, ky_whole x, ky_whole other)
{
    return (x & mask) | (other & ~mask);
}

KY_INLINE unsigned ky_mask_bits(ky_mask mask)
{
#if KY_LANES_ISA == KY_ISA_avx2 && KY_LANE_DOUBLE
    return (unsigned)_mm256_movemask_pd((__m256d)mask);
#elif KY_LANES_ISA == KY_ISA_avx2
    return (unsigned)_mm256_movemask_ps((__m256)mask);
#elif KY_LANES_ISA == KY_ISA_sse2 && KY_LANE_DOUBLE
    return (unsigned)_mm_movemask_pd((__m128d)mask);
#elif KY_LANES_ISA == KY_ISA_sse2
    return (unsigned)_mm_movemask_ps((__m128)mask);
#else
    unsigned bits = 0;
    for (int k = 0; k < KY_WIDTH; k++)
        bits |= (unsigned)(mask[k] & 1) << k;
    return bits;
#endif
}
#endif

#endif
