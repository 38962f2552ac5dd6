/* The key frame and the keys. Hilbert order by the states of Hamilton (2006, "Compact Hilbert
 * indices"): a state is the entry corner and the direction of the curve in a cube. */
#include "octree/keys.h"

#include <math.h>
#include <stdlib.h>

#include "base/order.h"
#include "octree/sample.h"

enum { SAMPLES = KY_FRAME_SAMPLES, SAMPLE_SHARE = 32, TRIM = 64, PARALLEL_FROM = 8192 };

/* ---- the curve ---------------------------------------------------------------------------- */

static uint64_t spread(uint64_t i)
{
    i = (i | i << 32) & 0x001f00000000ffffu;
    i = (i | i << 16) & 0x001f0000ff0000ffu;
    i = (i | i << 8) & 0x100f00f00f00f00fu;
    i = (i | i << 4) & 0x10c30c30c30c30c3u;
    return (i | i << 2) & 0x1249249249249249u;
}

static inline uint64_t morton(uint32_t i, uint32_t j, uint32_t k)
{
    return spread(i) << 2 | spread(j) << 1 | spread(k);
}

uint64_t ky_morton_key(uint32_t i, uint32_t j, uint32_t k)
{
    return morton(i, j, k);
}

static unsigned rotate_left(unsigned bits, unsigned by)
{
    by %= 3;
    return (bits << by | bits >> (3 - by)) & 7;
}

static unsigned trailing_ones(unsigned bits)
{
    unsigned count = 0;
    for (; bits & 1; bits >>= 1)
        count++;
    return count;
}

/* One level: `octant` (Morton bits) in state 3 × entry + direction gives the place along the curve
 * and changes the state. */
static unsigned hilbert_level(unsigned *state, unsigned octant)
{
    unsigned entry = *state / 3, direction = *state % 3;
    unsigned gray = rotate_left(octant ^ entry, 2 - direction); /* right by direction + 1 */
    unsigned place = gray ^ gray >> 1 ^ gray >> 2;
    unsigned before = place ? (place - 1) & ~1u : 0;
    unsigned turn = place == 0 ? 0 : trailing_ones(place & 1 ? place : place - 1) % 3;
    entry ^= rotate_left(before ^ before >> 1, direction + 1);
    direction = (direction + turn + 1) % 3;
    *state = 3 * entry + direction;
    return place;
}

void ky_hilbert_init(struct ky_hilbert *hilbert)
{
    for (unsigned start = 0; start < KY_HILBERT_STATES; start++)
        for (unsigned bits = 0; bits < KY_HILBERT_STEP; bits++) {
            unsigned state = start, places = 0;
            for (int shift = 6; shift >= 0; shift -= 3)
                places = places << 3 | hilbert_level(&state, bits >> shift & 7);
            hilbert->step[start][bits] = (uint16_t)(state << 9 | places);
        }
}

void ky_curve_steps(int hilbert, uint32_t step[8 * KY_HILBERT_STATES])
{
    for (unsigned start = 0; start < KY_HILBERT_STATES; start++)
        for (unsigned octant = 0; octant < 8; octant++) {
            unsigned state = start, place = hilbert ? hilbert_level(&state, octant) : octant;
            step[8 * start + octant] = hilbert ? 8 * state + place : place;
        }
}

static inline uint64_t hilbert_key(const struct ky_hilbert *hilbert, uint64_t bits, int levels)
{
    const uint16_t *table = hilbert->step[0];
    uint64_t key = 0;
    unsigned step = 0;
    int shift = 63;
    do {
        shift -= 9;
        step = table[(step & ~511u) | (bits >> shift & 511)];
        key |= (uint64_t)(step & 511) << shift;
    } while (shift > 63 - 3 * levels);
    return key;
}

uint64_t ky_hilbert_key(const struct ky_hilbert *hilbert, uint64_t bits, int levels)
{
    return hilbert_key(hilbert, bits, levels);
}

/* ---- the frame ------------------------------------------------------------------------------ */

struct bounds {
    double low[3], high[3];
};

#define LOWER(a, b) ((a) < (b) ? (a) : (b))
#define HIGHER(a, b) ((a) > (b) ? (a) : (b))

/* NaN is ignored. */
static void bounds_of(const struct ky_positions *positions, struct bounds *all, int threads)
{
    (void)threads;
    const size_t n = positions->n;
    const uint32_t *index = positions->index;
    const double *x = positions->x, *y = positions->y, *z = positions->z;
    double lx = (double)INFINITY, ly = lx, lz = lx, hx = -lx, hy = -lx, hz = -lx;
#pragma omp parallel for num_threads(threads) if (n >= PARALLEL_FROM && threads > 1)               \
    reduction(min                                                                                  \
              : lx, ly, lz) reduction(max                                                          \
                                      : hx, hy, hz)
    for (size_t i = 0; i < n; i++) {
        size_t body = index ? index[i] : i;
        lx = LOWER(x[body], lx), hx = HIGHER(x[body], hx);
        ly = LOWER(y[body], ly), hy = HIGHER(y[body], hy);
        lz = LOWER(z[body], lz), hz = HIGHER(z[body], hz);
    }
    *all = (struct bounds){{lx, ly, lz}, {hx, hy, hz}};
}

struct ky_frame_sample ky_frame_sample(size_t n)
{
    size_t samples = n / SAMPLE_SHARE;
    samples = samples < SAMPLE_SHARE ? SAMPLE_SHARE : samples > SAMPLES ? SAMPLES : samples;
    samples = samples > n ? n : samples;
    return (struct ky_frame_sample){samples, (samples + TRIM - 16) / TRIM};
}

struct ky_frame ky_frame_of_bulk(const struct ky_positions *positions, int threads)
{
    const double *position[3] = {positions->x, positions->y, positions->z};
    struct bounds bounds;
    bounds_of(positions, &bounds, threads);
    struct ky_frame_sample of = ky_frame_sample(positions->n);
    size_t index[SAMPLES], trim = of.trim, samples = ky_sample(positions->n, of.samples, index);
    for (int axis = 0; axis < 3 && samples > 2 * trim; axis++) {
        double sample[SAMPLES];
        size_t count = 0;
        for (size_t i = 0; i < samples; i++) {
            double value = position[axis][positions->index ? positions->index[index[i]] : index[i]];
            if (isfinite(value))
                sample[count++] = value;
        }
        if (count <= 2 * trim)
            continue;
        qsort(sample, count, sizeof *sample, ky_order_reals);
        double low = sample[trim], high = sample[count - 1 - trim];
        bounds.low[axis] = ky_frame_side(bounds.low[axis], low, high, 0);
        bounds.high[axis] = ky_frame_side(bounds.high[axis], low, high, 1);
    }
    return ky_frame_of_box(bounds.low, bounds.high);
}

struct ky_frame ky_frame_of_cube(const double low[3], double edge)
{
    return (struct ky_frame){{low[0], low[1], low[2]}, edge, KY_KEY_PLACES / edge};
}

struct ky_frame ky_frame_of(const struct ky_positions *positions, int threads)
{
    struct bounds bounds;
    bounds_of(positions, &bounds, threads);
    return ky_frame_of_box(bounds.low, bounds.high);
}

/* ---- the keys ---------------------------------------------------------------------------------
 */

uint64_t ky_words(const struct ky_frame *frame, const struct ky_hilbert *hilbert,
                  const struct ky_positions *positions, uint64_t *word, int threads)
{
    (void)threads;
    const size_t n = positions->n;
    const uint32_t *index = positions->index;
    const double *x = positions->x, *y = positions->y, *z = positions->z;
    const double lx = frame->low[0], ly = frame->low[1], lz = frame->low[2], scale = frame->scale;
    const struct ky_word_layout layout = ky_word_layout_in(n, positions->system);
    const int drop = 3 * (KY_KEY_LEVELS - layout.levels);
    uint64_t ones = 0, zeros = 0;
#pragma omp parallel for num_threads(threads) if (n >= PARALLEL_FROM && threads > 1)               \
    reduction(|                                                                                    \
              : ones, zeros)
    for (size_t i = 0; i < n; i++) {
        size_t body = index ? index[i] : i;
        uint64_t key =
            morton(ky_frame_position(x[body], lx, scale), ky_frame_position(y[body], ly, scale),
                   ky_frame_position(z[body], lz, scale));
        if (hilbert)
            key = hilbert_key(hilbert, key, layout.levels);
        key = key >> drop << layout.index_bits;
        word[i] = key | i;
        ones |= key;
        zeros |= ~key;
    }
    return (ones & zeros) >> layout.index_bits << layout.index_bits;
}
