/* Our own kernel of the exact sum: tiles of sources in local memory, slices of the sources for many
 * groups. */
#ifndef KY_KERNELS_TUNED_H
#define KY_KERNELS_TUNED_H

#include "engine/device/kernels/forces/direct.h"

#if KY_IN_EXTENDED
#define KY_TILE_LOW(tile) , KY_LOCAL_POINTER float4 *tile
#define KY_TILE_LOW_READ(tile) , KY_LOCAL_POINTER const float4 *tile
#define KY_TILE_LOW_GIVEN(tile) , tile
#define KY_TILE_LOW_HERE(tile) KY_LOCAL float4 tile[KY_DIRECT_LANES];
#else
#define KY_TILE_LOW(tile)
#define KY_TILE_LOW_READ(tile)
#define KY_TILE_LOW_GIVEN(tile)
#define KY_TILE_LOW_HERE(tile)
#endif

KY_FN void ky_direct_tile(KY_LOCAL_POINTER const ky_real4 *tile,
                          KY_LOCAL_POINTER const KY_REAL *tile_eps2 KY_TILE_LOW_READ(tile_low),
                          const struct ky_sink *sink, struct ky_field *field, ky_uint first,
                          const int how)
{
    /* some compilers would unroll it completely, beyond the instruction cache */
#pragma unroll 1
    for (ky_uint step = 0; step < KY_DIRECT_LANES; step += KY_DIRECT_STEP) {
#pragma unroll
        for (ky_uint u = 0; u < KY_DIRECT_STEP; u++) {
            struct ky_source source;
            ky_uint j = step + u;
            source.body = tile[j];
#if KY_IN_EXTENDED
            source.low = tile_low[j];
#endif
            source.eps2 = (how & KY_EPS_OF_BOTH) ? tile_eps2[j] : 0;
#pragma unroll
            for (int k = 0; k < KY_DIRECT_SINKS; k++)
                field[k] = ky_pair(field[k], sink[k], source, first + j, how);
        }
    }
}

/* Lanes past the last source load one without mass. */
KY_FN void ky_direct_load(struct ky_direct d, KY_LOCAL_POINTER ky_real4 *tile,
                          KY_LOCAL_POINTER KY_REAL *tile_eps2 KY_TILE_LOW(tile_low), ky_uint j,
                          ky_uint end, const int how)
{
    struct ky_source source = ky_direct_source(d, j < end ? j : 0, how);
    if (j >= end)
        source.body.w = 0;
    tile[KY_LANE] = source.body;
#if KY_IN_EXTENDED
    tile_low[KY_LANE] = source.low;
#endif
    if (how & KY_EPS_OF_BOTH)
        tile_eps2[KY_LANE] = source.eps2;
}

KY_FN void ky_direct_tuned_sum(struct ky_direct d, KY_LOCAL_POINTER ky_real4 *tile,
                               KY_LOCAL_POINTER KY_REAL *tile_eps2 KY_TILE_LOW(tile_low),
                               const int how)
{
    const ky_uint block_sinks = KY_DIRECT_SINKS * KY_DIRECT_LANES;
    ky_uint blocks = (d.count + block_sinks - 1) / block_sinks;
    ky_uint slice = KY_GROUP / blocks, block = (KY_GROUP - slice * blocks) * block_sinks;
    ky_uint from = slice * d.slice, end = d.n - from < d.slice ? d.n : from + d.slice;
    ky_uint own = d.first + block, own_end = own + block_sinks;
    struct ky_sink sink[KY_DIRECT_SINKS];
    struct ky_total total[KY_DIRECT_SINKS];
    struct ky_field field[KY_DIRECT_SINKS];
#pragma unroll
    for (int k = 0; k < KY_DIRECT_SINKS; k++) {
        sink[k] = ky_direct_sink(d, block + (ky_uint)k * KY_DIRECT_LANES + KY_LANE, how);
        total[k] = ky_no_total();
        field[k] = ky_no_field();
    }
    for (ky_uint j = from; j < end; j += KY_DIRECT_LANES) {
        KY_BARRIER();
        ky_direct_load(d, tile, tile_eps2 KY_TILE_LOW_GIVEN(tile_low), j + KY_LANE, end, how);
        KY_BARRIER();
        if ((j < own_end && j + KY_DIRECT_LANES > own) || (d.flags & KY_DIRECT_LISTED) ||
            (how & KY_LABELLED))
            ky_direct_tile(tile, tile_eps2 KY_TILE_LOW_GIVEN(tile_low), sink, field, j,
                           how | KY_OWN);
        else
            ky_direct_tile(tile, tile_eps2 KY_TILE_LOW_GIVEN(tile_low), sink, field, j, how);
        if ((j - from) / KY_DIRECT_LANES % (KY_DIRECT_CHUNK / KY_DIRECT_LANES) ==
                KY_DIRECT_CHUNK / KY_DIRECT_LANES - 1 ||
            j + KY_DIRECT_LANES >= end) {
#pragma unroll
            for (int k = 0; k < KY_DIRECT_SINKS; k++) {
                total[k] = ky_total_add(total[k], field[k]);
                field[k] = ky_no_field();
            }
        }
    }
#pragma unroll
    for (int k = 0; k < KY_DIRECT_SINKS; k++) {
        ky_uint place = block + (ky_uint)k * KY_DIRECT_LANES + KY_LANE;
        if (place < d.count)
            d.partial[(d.image.slices + slice) * d.count + place] = ky_total_value(total[k]);
    }
}

#define KY_DIRECT_TUNED(name, how)                                                                 \
    KY_KERNEL(KY_DIRECT_LANES) KY_NAME(name) KY_DIRECT_ARGUMENTS_OF_IMAGE                          \
    {                                                                                              \
        KY_LOCAL ky_real4 tile[KY_DIRECT_LANES];                                                   \
        KY_LOCAL KY_REAL tile_eps2[KY_DIRECT_LANES];                                               \
        KY_TILE_LOW_HERE(tile_low)                                                                 \
        ky_direct_tuned_sum(KY_DIRECT_GIVEN_OF_IMAGE, tile, tile_eps2 KY_TILE_LOW_GIVEN(tile_low), \
                            how);                                                                  \
    }

#endif
