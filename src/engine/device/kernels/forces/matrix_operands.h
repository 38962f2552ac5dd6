/* The operands of the exact sum on matrix units (matrix.k): which sources may go through these
 * units, the units of length and mass of a tile, and the halves of sinks and sources. */
#ifndef KY_KERNELS_MATRIX_OPERANDS_H
#define KY_KERNELS_MATRIX_OPERANDS_H

#include "engine/device/kernels/driver/tiles.h"
#include "engine/device/kernels/forces/direct.h"

#define KY_TILE_SOURCES (KY_TEAMS * KY_SPAN)
/* The rest of a number after its high part is stored larger by this factor, so that it is a normal
 * half, and meets a partner that is smaller by it. */
#define KY_REST 2048.0f

/* The least unit of length, in the engine's units, in which systems have a size of about 1: powers
 * of its inverse stay in the range of float. */
#define KY_LEAST_UNIT 1e-9f

/* ---- spans and their distances ---- */

struct ky_box {
    float4 low, high; /* w: the largest |m| and the largest ε² */
};

/* The least power of two that is at least x > 0. */
KY_FN float ky_power_above(float x)
{
    return KY_FLOAT_OF_BITS((KY_BITS_OF_FLOAT(x) + 0x7fffffU) & 0x7f800000U);
}

/* 1/x of a power of two. */
KY_FN float ky_power_inverse(float x)
{
    return KY_FLOAT_OF_BITS(0x7f000000U - KY_BITS_OF_FLOAT(x));
}

KY_FN float ky_root_of(float x)
{
    return x > 0 ? x * KY_RSQRT_FLOAT(x) : 0;
}

/* The squared distance between two boxes. */
KY_FN float ky_gap2(struct ky_box a, struct ky_box b)
{
    const float x = KY_FMAX(0.0f, KY_FMAX(a.low.x - b.high.x, b.low.x - a.high.x));
    const float y = KY_FMAX(0.0f, KY_FMAX(a.low.y - b.high.y, b.low.y - a.high.y));
    const float z = KY_FMAX(0.0f, KY_FMAX(a.low.z - b.high.z, b.low.z - a.high.z));
    return KY_FMA_FLOAT(x, x, KY_FMA_FLOAT(y, y, z * z));
}

/* The squared distance from a point to the farthest corner of a box. */
KY_FN float ky_far2(struct ky_box box, float4 from)
{
    const float x = KY_FMAX(from.x - box.low.x, box.high.x - from.x);
    const float y = KY_FMAX(from.y - box.low.y, box.high.y - from.y);
    const float z = KY_FMAX(from.z - box.low.z, box.high.z - from.z);
    return KY_FMA_FLOAT(x, x, KY_FMA_FLOAT(y, y, z * z));
}

KY_FN struct ky_box ky_box_join(struct ky_box a, struct ky_box b)
{
    a.low = KY_FLOAT4(KY_FMIN(a.low.x, b.low.x), KY_FMIN(a.low.y, b.low.y),
                      KY_FMIN(a.low.z, b.low.z), KY_FMAX(a.low.w, b.low.w));
    a.high = KY_FLOAT4(KY_FMAX(a.high.x, b.high.x), KY_FMAX(a.high.y, b.high.y),
                       KY_FMAX(a.high.z, b.high.z), KY_FMAX(a.high.w, b.high.w));
    return a;
}

/* The origin of a group's positions: the middle of the box of its sinks; half the diagonal of the
 * box; and the unit of length, a power of two above this radius and the softenings. */
struct ky_middle {
    float4 at;
    float unit, radius;
};

KY_FN struct ky_middle ky_middle_of(struct ky_box box)
{
    struct ky_middle middle;
    middle.at = KY_FLOAT4((box.low.x + box.high.x) * 0.5f, (box.low.y + box.high.y) * 0.5f,
                          (box.low.z + box.high.z) * 0.5f, 0.0f);
    const float size =
        KY_FMAX(KY_FABS(middle.at.x), KY_FMAX(KY_FABS(middle.at.y), KY_FABS(middle.at.z)));
    /* the corners are rounded to floats */
    middle.radius = ky_root_of(ky_far2(box, middle.at)) + 2.4e-7f * size;
    middle.unit =
        ky_power_above(KY_FMAX(KY_FMAX(middle.radius, ky_root_of(box.high.w)), KY_LEAST_UNIT));
    return middle;
}

/* Sources of a tile have the unit of length `scale`, at least the distance of its farthest corner
 * from the middle, and the unit of mass `most`. */
struct ky_tile_units {
    float scale, most;
    float doubt; /* see ky_doubt_add */
};

/* 1 if the squared distance between sinks and a span of sources is too small for matrix units. The
 * error of s² must be below about 2e-5 s², weights must be in the range of halves, and no sink may
 * be a source. eps2: a lower bound of ε². reach2: splines are points beyond this distance, squared.
 */
KY_FN int ky_is_near(float gap2, float eps2, float reach2, struct ky_middle middle, float scale)
{
    const float least = KY_FMAX(scale * (1.0f / 48) * middle.radius, scale * scale * (1.0f / 256));
    return !(gap2 > 0 && gap2 + eps2 >= least && gap2 > reach2);
}

/* ---- operands ---- */

/* The slots of s² in a row (sink) and in a column (source) of the tiles. Positions of sinks are in
 * units of `unit`, and of sources in units of `scale`; s² is in units of scale². A rest and its
 * partner are scaled by KY_REST.
 *
 *     slot       sink                     source
 *     0 … 2      x_i                      X_j = -2 t x_j unit/scale
 *     3 … 5      x_i                      rest of X_j
 *     6 … 8      rest of x_i              X_j
 *     9 … 11     1                        t (|x_j|² + ε_j²), its rest, and the rest of that
 *     12 … 14    |x_i|² + ε_i², …         t unit²/scale²
 */
KY_FN void ky_three_parts(float slot[3], float q)
{
    slot[0] = ky_half_first(ky_halves(q, 0));
    q = (q - slot[0]) * KY_REST;
    slot[1] = ky_half_first(ky_halves(q, 0));
    slot[2] = (q - slot[1]) * KY_REST;
}

/* The high parts of x y z and their rests. */
KY_FN void ky_two_parts(float high[3], float rest[3], float x, float y, float z)
{
    const ky_uint xy = ky_halves(x, y);
    high[0] = ky_half_first(xy);
    high[1] = ky_half_second(xy);
    high[2] = ky_half_first(ky_halves(z, 0));
    rest[0] = (x - high[0]) * KY_REST;
    rest[1] = (y - high[1]) * KY_REST;
    rest[2] = (z - high[2]) * KY_REST;
}

KY_FN void ky_slots_of_sink(float slot[16], struct ky_middle middle, struct ky_sink sink)
{
    const float over = ky_power_inverse(middle.unit);
    const float x = ((sink.x - middle.at.x) + sink.x_low) * over,
                y = ((sink.y - middle.at.y) + sink.y_low) * over,
                z = ((sink.z - middle.at.z) + sink.z_low) * over, soft = sink.eps2 * over * over;
    ky_two_parts(slot, slot + 6, x, y, z);
    for (int k = 0; k < 3; k++)
        slot[3 + k] = slot[k] * (1 / KY_REST);
    slot[9] = 1;
    slot[10] = 1 / KY_REST;
    slot[11] = 1 / (KY_REST * KY_REST);
    ky_three_parts(slot + 12, KY_FMA_FLOAT(x, x, KY_FMA_FLOAT(y, y, KY_FMA_FLOAT(z, z, soft))));
    slot[15] = 0;
}

/* at: x y z in units of scale. ratio: unit/scale. */
KY_FN void ky_slots_of_source(float slot[16], const float at[3], float eps2, float t, float ratio)
{
    const float factor = -2 * ratio * t, own = ratio * ratio * t;
    const float r2 =
        KY_FMA_FLOAT(at[0], at[0], KY_FMA_FLOAT(at[1], at[1], KY_FMA_FLOAT(at[2], at[2], eps2)));
    ky_two_parts(slot, slot + 3, at[0] * factor, at[1] * factor, at[2] * factor);
    for (int k = 0; k < 3; k++)
        slot[6 + k] = slot[k] * (1 / KY_REST);
    ky_three_parts(slot + 9, r2 * t);
    slot[12] = own;
    slot[13] = own * (1 / KY_REST);
    slot[14] = own * (1 / (KY_REST * KY_REST));
    slot[15] = 0;
}

/* A tile of sources in local memory: the words that a lane takes to the products, for s² of 8
 * sources and for the moments of 16; the masses for potentials; and the sources for the ordinary
 * loop. The rows are longer than a team, so that lanes write to different banks. */
struct ky_operands {
    uint2 square[KY_TILE_SOURCES / 8][KY_TILE_TEAM + 1];
    uint2 moment[KY_TILE_SOURCES / 16][KY_TILE_TEAM + 4];
    float mass[KY_TILE_SOURCES];
    float4 body[KY_TILE_SOURCES], low[KY_TILE_SOURCES];
    float eps2[KY_TILE_SOURCES];
};

/* The number t_j in [1, 2), with 11 bits: the significand of a half. */
KY_FN float ky_spread(ky_uint j)
{
    return 1 + (float)((j * 0x9e3779b1U) >> 22) * (1.0f / 1024);
}

/* Sets the half of source k and column c of the moments. */
KY_FN void ky_set_moment(KY_LOCAL_POINTER struct ky_operands *to, ky_uint k, ky_uint c, float value)
{
    const ky_uint word = 2 * (4 * c + k % 8 / 2) + k % 16 / 8;
    ((KY_LOCAL_POINTER unsigned short *)to->moment[k / 16])[2 * word + k % 2] =
        (unsigned short)ky_halves(value, 0);
}

/* Stores source j as number k of the tile. */
KY_FN void ky_store_source(KY_LOCAL_POINTER struct ky_operands *to, ky_uint k, ky_uint j,
                           struct ky_source source, struct ky_middle middle,
                           struct ky_tile_units units, const int how)
{
    const float over = ky_power_inverse(units.scale), t = ky_spread(j),
                root = t * KY_RSQRT_FLOAT(t),
                m = source.body.w * ky_power_inverse(units.most) * (t * root),
                eps2 = (how & KY_SPLINED) ? 0.0f : source.eps2;
    float at[3], slot[16];
    at[0] = ((source.body.x - middle.at.x) + source.low.x) * over;
    at[1] = ((source.body.y - middle.at.y) + source.low.y) * over;
    at[2] = ((source.body.z - middle.at.z) + source.low.z) * over;
    ky_slots_of_source(slot, at, eps2 * over * over, t, middle.unit * over);
#pragma unroll
    for (ky_uint c = 0; c < 4; c++) {
        const float value = c < 3 ? m * at[c] : m, high = ky_half_first(ky_halves(value, 0));
        uint2 words;
        words.x = ky_halves(slot[2 * c], slot[2 * c + 1]);
        words.y = ky_halves(slot[2 * c + 8], slot[2 * c + 9]);
        to->square[k / 8][4 * (k % 8) + c] = words;
        ky_set_moment(to, k, c, high);
        ky_set_moment(to, k, c + 4, (value - high) * KY_REST);
    }
    to->mass[k] = source.body.w * root * over;
    to->body[k] = source.body;
    to->low[k] = source.low;
    to->eps2[k] = source.eps2;
}

#endif
