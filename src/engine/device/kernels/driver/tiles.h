/* Products of two tiles, on the matrix units of a device that has them (CUDA from compute
 * capability 8.0 on), elsewhere in portable C with the same operands.
 *
 * ky_tile_product adds the product of a 16 × 16 tile `a` and a 16 × 8 tile `b`, both of halves, to
 * the 16 × 8 tile `d` of floats. A tile is spread over a team of 32 lanes; with g = lane / 4 and
 * t = lane % 4 a lane has
 *
 *     a[0] = a(g, 2t), a(g, 2t + 1)            a[1] = the same of row g + 8
 *     a[2] = a(g, 2t + 8), a(g, 2t + 9)        a[3] = the same of row g + 8
 *     b.x = b(2t, g), b(2t + 1, g)             b.y = b(2t + 8, g), b(2t + 9, g)
 *     d[0], d[1] = d(g, 2t), d(g, 2t + 1)      d[2], d[3] = the same of row g + 8
 *
 * So d[0], d[1] as halves are a[0] or a[2] of a next product, and d[2], d[3] are a[1] or a[3]: no
 * lane needs numbers of another one. This is the layout of mma.sync.m16n8k16. The unit adds the
 * exact products to d and cuts the result to a float; the order of the sum and its digits differ
 * between generations of cards.
 *
 * Units with another layout need another ky_tile_product. AMD's v_mfma_f32_16x16x16_f16 has 16
 * columns, in teams of 64 lanes: a tile of sources would be 16 wide, and this file would give the
 * row and column of each element, which matrix.k now has in ky_store_source, ky_matrix_sinks and
 * ky_matrix_end. */
#ifndef KY_KERNELS_TILES_H
#define KY_KERNELS_TILES_H

#include "engine/device/kernels/driver/dialect.h"

#define KY_TILE_TEAM 32

#if defined(KY_IN_OPENCL)

/* Two numbers rounded to halves, in one word; and the numbers of a word. */
KY_FN ky_uint ky_halves(float first, float second)
{
    ky_uint word;
    vstore_half2_rte((float2)(first, second), 0, (half *)&word);
    return word;
}

KY_FN float ky_half_first(ky_uint word)
{
    return vload_half(0, (const half *)&word);
}

KY_FN float ky_half_second(ky_uint word)
{
    return vload_half(1, (const half *)&word);
}

/* The local memory of a product. */
#define KY_TILE_SPACE(space) KY_LOCAL ky_uint space[6 * KY_TILE_TEAM]
typedef KY_LOCAL_POINTER ky_uint *ky_tiles;

/* The next float towards zero of a sum in double. Devices without double round to nearest. */
#ifdef KY_HAS_DOUBLE
typedef double ky_tile_sum;
#define KY_TILE_CUT(x) convert_float_rtz(x)
#else
typedef float ky_tile_sum;
#define KY_TILE_CUT(x) (x)
#endif

KY_FN void ky_tile_product(ky_tiles space, float d[4], const ky_uint a[4], uint2 b)
{
    const ky_uint g = KY_LANE / 4, t = KY_LANE % 4;
    for (ky_uint k = 0; k < 4; k++)
        space[k * KY_TILE_TEAM + KY_LANE] = a[k];
    space[4 * KY_TILE_TEAM + KY_LANE] = b.x;
    space[5 * KY_TILE_TEAM + KY_LANE] = b.y;
    KY_BARRIER();
    for (ky_uint e = 0; e < 4; e++) {
        ky_tile_sum sum = d[e];
        for (ky_uint k = 0; k < 8; k++) { /* columns 2k and 2k + 1 of a */
            const ky_uint row = space[(k / 4 * 2 + e / 2) * KY_TILE_TEAM + 4 * g + k % 4],
                          column = space[(4 + k / 4) * KY_TILE_TEAM + 4 * (2 * t + e % 2) + k % 4];
            sum += (ky_tile_sum)(ky_half_first(row) * ky_half_first(column));
            sum += (ky_tile_sum)(ky_half_second(row) * ky_half_second(column));
        }
        d[e] = KY_TILE_CUT(sum);
    }
    KY_BARRIER();
}

#elif !defined(KY_CUDA_ON_HOST) /* else tests/cuda/tiles.h has these functions */

/* 0 also in PTX of compute capability 7.5, from which the driver of a later card makes its code. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define KY_CUDA_FROM_80 1
#else
#define KY_CUDA_FROM_80 0
#endif

KY_FN ky_uint ky_halves(float first, float second)
{
    ky_uint word;
#if KY_CUDA_FROM_80
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(second), "f"(first));
#else
    asm("{.reg .b16 low, high; cvt.rn.f16.f32 low, %1; cvt.rn.f16.f32 high, %2; mov.b32 %0, {low, "
        "high};}"
        : "=r"(word)
        : "f"(first), "f"(second));
#endif
    return word;
}

KY_FN float ky_half_first(ky_uint word)
{
    float x;
    asm("{.reg .b16 low, high; mov.b32 {low, high}, %1; cvt.f32.f16 %0, low;}"
        : "=f"(x)
        : "r"(word));
    return x;
}

KY_FN float ky_half_second(ky_uint word)
{
    float x;
    asm("{.reg .b16 low, high; mov.b32 {low, high}, %1; cvt.f32.f16 %0, high;}"
        : "=f"(x)
        : "r"(word));
    return x;
}

#define KY_TILE_SPACE(space) const int space = 0
typedef int ky_tiles;

KY_FN void ky_tile_product(ky_tiles space, float d[4], const ky_uint a[4], uint2 b)
{
    (void)space;
#if KY_CUDA_FROM_80
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b.x), "r"(b.y));
#else
    for (ky_uint k = 0; k < 2; k++) /* the two halves of the sum over 16, each cut to a float */
        asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
            "{%0,%1,%2,%3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a[2 * k]), "r"(a[2 * k + 1]), "r"(k ? b.y : b.x));
#endif
}

#endif
#endif
