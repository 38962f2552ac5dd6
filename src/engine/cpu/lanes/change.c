/* Derivatives of accelerations and their rate of change, for one block of sinks. Each lane has a
 * sink, and sources are broadcast, as in pairs.h. */
#define KY_LANE_DOUBLE 1
#include "engine/cpu/lanes/lanes.h"

#include "physics/change.h"
#include "physics/softening.h"

/* Number of sources that stay in the first-level cache while all sinks of the block use them. */
enum { KY_CHANGE_CHUNK = 32 };

struct block {
    _Alignas(64) double body[KY_CHANGE_NUMBERS][KY_CHANGE_BLOCK];
    double sum[KY_CHANGE_SUMS][KY_CHANGE_BLOCK];
};

/* Lanes after the last sink repeat the first sink. */
static void load(struct block *to, const struct ky_changing *from,
                 const struct ky_change_sinks *sinks)
{
    for (size_t k = 0; k < KY_CHANGE_BLOCK; k++)
        for (int c = 0; c < KY_CHANGE_NUMBERS; c++)
            to->body[c][k] = from->body[sinks->first + (k < sinks->count ? k : 0)][c];
    memset(to->sum, 0, sizeof to->sum);
}

struct gathered {
    struct ky_hermite_change change;
    struct ky_hermite_rate rate;
};

#define KY_ALONG(c) (ky_splat(source[c]) - ky_load(block->body[c] + at))
KY_INLINE ky_vector distance(const double *source, const struct block *block, int at, const int how)
{
    return ky_soften(KY_ALONG(0), KY_ALONG(1), KY_ALONG(2),
                     ky_load(block->body[KY_CHANGE_EPS2] + at), ky_splat(source[KY_CHANGE_EPS2]),
                     how)
        .y;
}

KY_INLINE struct gathered pair(struct gathered g, const double *source, const struct block *block,
                               int at, ky_vector y)
{
    const struct ky_hermite_motion r = {KY_ALONG(0), KY_ALONG(1), KY_ALONG(2),  KY_ALONG(3),
                                        KY_ALONG(4), KY_ALONG(5), KY_ALONG(6),  KY_ALONG(7),
                                        KY_ALONG(8), KY_ALONG(9), KY_ALONG(10), KY_ALONG(11)};
    const ky_vector m = ky_splat(source[KY_CHANGE_MASS]);
    g.change = ky_add_change(g.change, r, y, m);
    g.rate = ky_hermite_rate_add(g.rate, y, ky_distance2(r.vx, r.vy, r.vz, ky_splat(0)), m,
                                 ky_load(block->body[KY_CHANGE_MASS] + at));
    return g;
}
#undef KY_ALONG

/* Lets the sources [first, last) act on the vector of sinks at `at`, the bodies from `sink` on. A
 * body does not act on itself, softened or not. */
KY_INLINE void chunk(const struct ky_changing *changing, size_t first, size_t last, size_t sink,
                     struct block *block, int at, const int how)
{
    const ky_whole body = ky_lanes_from((ky_index_element)sink + at);
    ky_vector v[KY_CHANGE_SUMS], y[KY_CHANGE_CHUNK];
    for (int c = 0; c < KY_CHANGE_SUMS; c++)
        v[c] = ky_load(block->sum[c] + at);
    struct gathered g = {{v[0], v[1], v[2], v[3], v[4], v[5]}, {v[6], v[7]}};
    for (size_t j = first; j < last; j++)
        y[j - first] = ky_where_different(distance(changing->body[j], block, at, how), body,
                                          (ky_index_element)j);
    for (size_t j = first; j < last; j++)
        g = pair(g, changing->body[j], block, at, y[j - first]);
    const ky_vector sum[KY_CHANGE_SUMS] = {g.change.sx, g.change.sy, g.change.sz,  g.change.cx,
                                           g.change.cy, g.change.cz, g.rate.tides, g.rate.motion};
    for (int c = 0; c < KY_CHANGE_SUMS; c++)
        ky_store(block->sum[c] + at, sum[c]);
}

KY_INLINE void run(const struct ky_changing *changing, struct block *block,
                   const struct ky_change_sinks *sinks, const int how)
{
    const size_t n = changing->n;
    for (size_t first = 0; first < n; first += KY_CHANGE_CHUNK)
        for (int at = 0; at < (int)sinks->count; at += KY_WIDTH)
            chunk(changing, first, n - first < KY_CHANGE_CHUNK ? n : first + KY_CHANGE_CHUNK,
                  sinks->first, block, at, how);
}

void KY_LANE_NAME(ky_change)(const struct ky_changing *changing, struct ky_change_sinks *sinks)
{
    struct block block;
    load(&block, changing, sinks);
    if (changing->how & KY_EPS_SUM)
        run(changing, &block, sinks, KY_GUARD | KY_EPS_SUM);
    else
        run(changing, &block, sinks, KY_GUARD);
    memcpy(sinks->sum, block.sum, sizeof sinks->sum);
}
