/* The direct sum with jerks for one block of sinks; the body of moving_extended.c and
 * moving_double.c, which say KY_LANE_DOUBLE and KY_NAME. A lane is a sink, a source is broadcast,
 * as in pairs.h. */
#include "engine/cpu/lanes/lanes.h"

#include "engine/cpu/lanes/masks.h"
#include "engine/cpu/lanes/moving_table.h"
#include "physics/jerk.h"

/* Sources whose sums are kept in the lane's own numbers before they go to doubles: their roundings
 * are 1e-7 of a sum of 128 floats. */
enum { KY_MOVING_CHUNK = 128 };
/* Beside KY_MOVING_…: sources have softenings of their own. */
enum { KY_MOVING_EPS = 8 };

struct columns {
    const ky_element *x[3], *low[3], *v[3], *m, *eps2;
    const ky_index_element *label;
};

struct block {
    _Alignas(64) ky_element x[3][KY_MOVING_BLOCK];
    ky_element low[3][KY_MOVING_BLOCK], v[3][KY_MOVING_BLOCK], eps2[KY_MOVING_BLOCK];
    ky_element h2[KY_MOVING_BLOCK], nearest2[KY_MOVING_BLOCK];
    ky_index_element label[KY_MOVING_BLOCK], nearest[KY_MOVING_BLOCK];
};

static void load(struct block *to, const struct ky_moving_sinks *from)
{
    for (size_t k = 0; k < KY_MOVING_BLOCK; k++) {
        const size_t i = k < from->count ? k : 0;
        for (int c = 0; c < 3; c++) {
            to->x[c][k] = (ky_element)from->x[c][i];
            to->low[c][k] = KY_LANE_DOUBLE ? 0 : (ky_element)ky_low_part(from->x[c][i]);
            to->v[c][k] = (ky_element)from->v[c][i];
        }
        to->eps2[k] = (ky_element)from->eps2[i];
        to->label[k] = from->label[i];
        to->h2[k] = k < from->count ? (ky_element)from->h2[i] : -1;
        to->nearest2[k] = (ky_element)INFINITY;
        to->nearest[k] = -1;
    }
}

/* Puts the source down as a neighbour of the sinks of the bits. */
static __attribute__((noinline)) void list(struct ky_moving_sinks *sinks, int at, unsigned bits,
                                           size_t source)
{
    for (; bits; bits &= bits - 1) {
        const size_t k = (size_t)at + (size_t)__builtin_ctz(bits);
        if (sinks->found[k] < sinks->capacity)
            sinks->list[k * sinks->capacity + sinks->found[k]] = (uint32_t)source;
        sinks->found[k]++;
    }
}

/* What a vector of sinks gathers from one source after another. */
struct gathered {
    struct ky_jerk_field field;
    ky_vector nearest2;
    ky_whole nearest;
};

KY_INLINE struct gathered pair(struct gathered g, const struct columns *s, size_t j,
                               const struct block *block, int at, struct ky_moving_sinks *sinks,
                               const int what)
{
    ky_vector d[3], w[3] = {{0}, {0}, {0}};
    for (int c = 0; c < 3; c++) {
        d[c] = ky_splat(s->x[c][j]) - ky_load(block->x[c] + at);
        if (!KY_LANE_DOUBLE)
            d[c] += ky_splat(s->low[c][j]) - ky_load(block->low[c] + at);
        if (what & KY_MOVING_JERK)
            w[c] = ky_splat(s->v[c][j]) - ky_load(block->v[c] + at);
    }
    ky_whole label;
    memcpy(&label, block->label + at, sizeof label);
    ky_mask other = ky_mask_different(label, s->label[j]);
    ky_vector eps2 = ky_load(block->eps2 + at), s2;
    if (what & KY_MOVING_EPS)
        eps2 += ky_splat(s->eps2[j]);
    if (what & (KY_MOVING_NEAREST | KY_MOVING_LISTS)) {
        ky_vector r2 = ky_distance2(d[0], d[1], d[2], ky_splat(0));
        s2 = r2 + eps2;
        if (what & KY_MOVING_NEAREST) {
            ky_mask nearer = ky_mask_below(other, r2, g.nearest2);
            g.nearest2 = ky_choose(nearer, r2, g.nearest2);
            g.nearest = ky_choose_whole(nearer, (ky_index_element)j, g.nearest);
        }
        if (what & KY_MOVING_LISTS) {
            unsigned bits = ky_mask_bits(ky_mask_within(other, r2, ky_load(block->h2 + at)));
            if (__builtin_expect(bits != 0, 0))
                list(sinks, at, bits, j);
        }
    } else {
        s2 = ky_distance2(d[0], d[1], d[2], eps2);
    }
    const ky_element close2 = (ky_element)KY_JERK_CLOSE2_OF(KY_LANE_DOUBLE);
    ky_vector y = ky_where(ky_mask_below(other, ky_splat(close2), s2), KY_RSQRT(s2));
    g.field = ky_add_moving(g.field, d[0], d[1], d[2], w[0], w[1], w[2], y, ky_splat(s->m[j]));
    return g;
}

/* The sums of a vector of sinks to their doubles. */
KY_INLINE void flush(struct ky_moving_sinks *sinks, int at, const struct ky_jerk_field *field)
{
    const ky_vector part[KY_MOVING_SUMS] = {field->x,  field->y,  field->z, field->p,
                                            field->jx, field->jy, field->jz};
    for (int c = 0; c < KY_MOVING_SUMS; c++)
        for (int k = 0; k < KY_WIDTH; k++)
            sinks->sum[c][at + k] += (double)part[c][k];
}

/* `unroll` vectors of sinks from `at` on, side by side to fill the pipelines. */
KY_INLINE void chunk(const struct columns *s, size_t first, size_t last, struct block *block,
                     struct ky_moving_sinks *sinks, int at, const int unroll, const int what)
{
    struct gathered g[2] = {{.field = {{0}, {0}, {0}, {0}, {0}, {0}, {0}}}};
    for (int u = 0; u < unroll; u++) {
        g[u].nearest2 = ky_load(block->nearest2 + at + u * KY_WIDTH);
        memcpy(&g[u].nearest, block->nearest + at + u * KY_WIDTH, sizeof g[u].nearest);
    }
    for (size_t j = first; j < last; j++)
        for (int u = 0; u < unroll; u++)
            g[u] = pair(g[u], s, j, block, at + u * KY_WIDTH, sinks, what);
    for (int u = 0; u < unroll; u++) {
        flush(sinks, at + u * KY_WIDTH, &g[u].field);
        ky_store(block->nearest2 + at + u * KY_WIDTH, g[u].nearest2);
        memcpy(block->nearest + at + u * KY_WIDTH, &g[u].nearest, sizeof g[u].nearest);
    }
}

KY_INLINE void run(const struct columns *s, size_t first, size_t last, struct block *block,
                   struct ky_moving_sinks *sinks, const int what)
{
    const int count = (int)sinks->count;
    for (size_t from = first; from < last; from += KY_MOVING_CHUNK) {
        const size_t end = last - from < KY_MOVING_CHUNK ? last : from + KY_MOVING_CHUNK;
        int at = 0;
        for (; at + KY_WIDTH < count; at += 2 * KY_WIDTH)
            chunk(s, from, end, block, sinks, at, 2, what);
        if (at < count)
            chunk(s, from, end, block, sinks, at, 1, what);
    }
}

static void store(struct ky_moving_sinks *to, const struct block *from)
{
    for (size_t k = 0; k < to->count; k++) {
        for (int c = 0; c < KY_MOVING_SUMS; c++)
            to->sum[c][k] *= c == 3 ? 1.0 : KY_SCALE_SUM(KY_RSQRT_SCALE);
        to->nearest2[k] = (double)from->nearest2[k];
        to->nearest[k] = (uint32_t)from->nearest[k];
    }
}

/* W(what): the instances. What was asked for is rounded up to the first that has it all. */
#define INSTANCES(W)                                                                               \
    W(0)                                                                                           \
    W(KY_MOVING_JERK)                                                                              \
    W(KY_MOVING_JERK | KY_MOVING_NEAREST)                                                          \
    W(KY_MOVING_JERK | KY_MOVING_NEAREST | KY_MOVING_LISTS)                                        \
    W(KY_MOVING_JERK | KY_MOVING_NEAREST | KY_MOVING_EPS)                                          \
    W(KY_MOVING_JERK | KY_MOVING_NEAREST | KY_MOVING_LISTS | KY_MOVING_EPS)

void KY_LANE_NAME(KY_NAME)(const struct ky_moving *moving, size_t first, size_t last,
                           struct ky_moving_sinks *sinks)
{
    const struct columns s = {{moving->x[0], moving->x[1], moving->x[2]},
                              {moving->low[0], moving->low[1], moving->low[2]},
                              {moving->v[0], moving->v[1], moving->v[2]},
                              moving->mass,
                              moving->eps2,
                              moving->label};
    const int what = moving->what | (moving->eps2 ? KY_MOVING_EPS : 0);
    struct block block;
    load(&block, sinks);
    memset(sinks->sum, 0, sizeof sinks->sum);
    memset(sinks->found, 0, sizeof sinks->found);
#define INSTANCE(instance)                                                                         \
    if ((what & ~(instance)) == 0) {                                                               \
        run(&s, first, last, &block, sinks, instance);                                             \
        store(sinks, &block);                                                                      \
        return;                                                                                    \
    }
    INSTANCES(INSTANCE)
}
