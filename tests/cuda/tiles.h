/* Halves and products of tiles on the host, for src/engine/device/kernels/driver/tiles.h, which has
 * the layout: the exact products are added in double, and the sum is cut to a float. */
#ifndef KY_TEST_CUDA_TILES_H
#define KY_TEST_CUDA_TILES_H

#include <cmath>

/* The half nearest to x, ties to even. */
static inline unsigned ky_host_half(float x)
{
    const unsigned word = ky_host_bits<unsigned>(x), sign = word >> 16 & 0x8000,
                   size = word & 0x7fffffff;
    if (size > 0x7f800000)
        return sign | 0x7e00;
    if (size >= 0x47800000)
        return sign | 0x7c00;
    if (size < 0x38800000) /* a subnormal half: a multiple of 2^-24 */
        return sign | (unsigned)std::lrint(std::fabs(x) * 16777216.0f);
    return sign | (size - 0x38000000 + 0xfff + (size >> 13 & 1)) >> 13;
}

static inline float ky_host_of_half(unsigned half)
{
    const float sign = half & 0x8000 ? -1.0f : 1.0f;
    const int power = (int)(half >> 10 & 31), digits = (int)(half & 0x3ff);
    if (power == 31)
        return digits ? NAN : sign * INFINITY;
    return sign * std::ldexp((float)(power ? digits | 0x400 : digits), (power ? power : 1) - 25);
}

static inline unsigned ky_halves(float first, float second)
{
    return ky_host_half(first) | ky_host_half(second) << 16;
}

static inline float ky_half_first(unsigned word)
{
    return ky_host_of_half(word & 0xffff);
}

static inline float ky_half_second(unsigned word)
{
    return ky_host_of_half(word >> 16);
}

/* A lane's words of a and b. */
struct ky_host_tile {
    unsigned a[4], b[2];
};

static inline float ky_host_cut(double sum)
{
    const float near = (float)sum;
    return std::fabs((double)near) > std::fabs(sum) && !std::isinf(sum)
               ? std::nextafterf(near, 0.0f)
               : near;
}

#define KY_TILE_SPACE(space) const int space = 0
typedef int ky_tiles;

static inline void ky_tile_product(ky_tiles, float d[4], const unsigned a[4], uint2 b)
{
    const ky_host_tile own = {{a[0], a[1], a[2], a[3]}, {b.x, b.y}};
    const void *const *shown = ky_host_show(&own);
    const unsigned g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    for (unsigned e = 0; e < 4; e++) {
        double sum = d[e];
        for (unsigned k = 0; k < 8; k++) { /* columns 2k and 2k + 1 of a */
            const unsigned row = ((const ky_host_tile *)shown[4 * g + k % 4])->a[k / 4 * 2 + e / 2],
                           column =
                               ((const ky_host_tile *)shown[4 * (2 * t + e % 2) + k % 4])->b[k / 4];
            sum += (double)(ky_half_first(row) * ky_half_first(column));
            sum += (double)(ky_half_second(row) * ky_half_second(column));
        }
        d[e] = ky_host_cut(sum);
    }
    ky_host_warp_sync();
}

#endif
