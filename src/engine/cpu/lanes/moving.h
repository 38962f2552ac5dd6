/* The direct sum over moving or resting bodies for one block of sinks; included by
 * moving_extended.c, moving_double.c and resting_single.c, which define KY_LANE_DOUBLE, KY_RESTING
 * and KY_NAME. Each lane has a source, and sinks are broadcast, so that a few sinks fill the lanes
 * too, and the sums of a sink do not depend on the other sinks of the block. */
#include "engine/cpu/lanes/lanes.h"

#include "engine/cpu/lanes/masks.h"
#include "engine/cpu/lanes/moving_table.h"
#include "physics/jerk.h"
#include "physics/space.h"

/* Number of sources that are summed in the lanes' own type before the sums are added to doubles.
 * Each lane adds at most 64 of them. Corrected sums of few sources take an eighth of that, since
 * rounding errors of so few terms do not average out; but at least 4, since adding to doubles takes
 * as long as a pair. */
KY_INLINE size_t chunk_of(size_t sources, const int what)
{
    const size_t each = what & KY_MOVING_MENDED ? sources / KY_WIDTH / 8 : 64;
    return KY_WIDTH * (each > 64 ? 64 : each < 4 ? 4 : each);
}
/* Bits in addition to KY_MOVING_JERK …: sources have their own softenings; labels are compared;
 * pairs may coincide, since softenings are below KY_JERK_CLOSE2; lanes after the last source are
 * empty; near sources are listed and skipped. */
enum { KY_MOVING_EPS = 8, KY_MOVING_OWN = 16, KY_MOVING_CLOSE = 32, KY_MOVING_TAIL = 64 };

/* x y z, low parts, velocities, mass, eps2. */
enum { LOW = 3, SPEED = 6, MASS = 9, EPS2 = 10, COLUMNS = 11 };

struct columns {
    const ky_element *number[COLUMNS];
    const ky_index_element *label;
};

/* The sums of a sink over successive chunks of sources. */
struct gathered {
    struct ky_jerk_field field;
    ky_vector nearest2;
    ky_whole nearest;
};

struct block {
    ky_element number[COLUMNS][KY_MOVING_BLOCK], h2[KY_MOVING_BLOCK];
    ky_index_element label[KY_MOVING_BLOCK];
    ky_vector nearest2[KY_MOVING_BLOCK];
    ky_whole nearest[KY_MOVING_BLOCK];
    ky_doubles sum[KY_MOVING_BLOCK][KY_MOVING_SUMS];
};

static void load(struct block *to, const struct ky_moving_sinks *from)
{
    for (size_t i = 0; i < from->count; i++) {
        for (int c = 0; c < 3; c++) {
            to->number[c][i] = (ky_element)from->x[c][i];
            to->number[LOW + c][i] = KY_LANE_DOUBLE ? 0 : (ky_element)ky_low_part(from->x[c][i]);
            to->number[SPEED + c][i] = (ky_element)from->v[c][i];
        }
        to->number[EPS2][i] = (ky_element)from->eps2[i];
        to->label[i] = from->label[i];
        to->h2[i] = (ky_element)from->h2[i];
        to->nearest2[i] = ky_splat((ky_element)INFINITY);
        to->nearest[i] = (ky_whole){0} - 1;
        for (int c = 0; c < KY_MOVING_SUMS; c++)
            to->sum[i][c] = (ky_doubles){0};
    }
}

/* Adds the sources whose bits are set, from `first` on, to the neighbours of a sink. */
static __attribute__((noinline)) void list(struct ky_moving_sinks *sinks, size_t i, unsigned bits,
                                           size_t first)
{
    for (; bits; bits &= bits - 1) {
        if (sinks->found[i] < sinks->capacity)
            sinks->list[i * sinks->capacity + sinks->found[i]] =
                (uint32_t)(first + (size_t)__builtin_ctz(bits));
        sinks->found[i]++;
    }
}

/* A vector of sources for a sink: the columns from `at` on, the bodies from `place` on; `first` is
 * the first of these. `alive` is used only in the tail. */
struct vector_of_sources {
    size_t at, first;
    ky_whole place;
    ky_mask alive;
};

KY_INLINE struct gathered pair(struct gathered g, const struct columns *s,
                               const struct vector_of_sources *from, const struct block *block,
                               size_t i, struct ky_moving_sinks *sinks, const int what)
{
    ky_vector d[3], w[3] = {{0}, {0}, {0}};
    for (int c = 0; c < 3; c++) {
        d[c] = KY_APART(ky_load(s->number[c] + from->at), ky_splat(block->number[c][i]));
        if (!KY_LANE_DOUBLE && !KY_RESTING)
            d[c] += ky_load(s->number[LOW + c] + from->at) - ky_splat(block->number[LOW + c][i]);
        if (what & KY_MOVING_JERK)
            w[c] = ky_load(s->number[SPEED + c] + from->at) - ky_splat(block->number[SPEED + c][i]);
    }
    ky_mask other = ky_mask_all();
    if (what & KY_MOVING_OWN) {
        ky_whole label;
        memcpy(&label, s->label + from->at, sizeof label);
        other = ky_mask_different(label, block->label[i]);
    }
    if (what & KY_MOVING_TAIL)
        other &= from->alive;
    ky_vector eps2 = ky_splat(block->number[EPS2][i]), s2;
    if (what & KY_MOVING_EPS)
        eps2 += ky_load(s->number[EPS2] + from->at);
    if (what & (KY_MOVING_NEAREST | KY_MOVING_LISTS)) {
        ky_vector r2 = ky_distance2(d[0], d[1], d[2], ky_splat(0));
        s2 = r2 + eps2;
        if (what & KY_MOVING_NEAREST) {
            ky_mask nearer = ky_mask_below(other, r2, g.nearest2);
            g.nearest2 = ky_choose(nearer, r2, g.nearest2);
            g.nearest = ky_choose_whole(nearer, from->place, g.nearest);
        }
        if (what & KY_MOVING_LISTS) {
            unsigned bits = ky_mask_bits(ky_mask_within(other, r2, ky_splat(block->h2[i])));
            if (__builtin_expect(bits != 0, 0))
                list(sinks, i, bits, from->first);
        }
    } else {
        s2 = ky_distance2(d[0], d[1], d[2], eps2);
    }
    if (what & KY_MOVING_NEAR) {
        const ky_mask far = ky_mask_below(other, ky_splat(block->h2[i]), s2);
        const unsigned bits = ky_mask_bits((ky_mask)(other & ~far));
        if (__builtin_expect(bits != 0, 0))
            list(sinks, i, bits, from->first);
        other = far;
    }
    const ky_element close2 = (ky_element)KY_JERK_CLOSE2_OF(KY_LANE_DOUBLE);
    ky_vector y = KY_RSQRT(s2);
    if ((what & KY_MOVING_CLOSE) && !(what & KY_MOVING_NEAR)) /* otherwise they are near */
        other = ky_mask_below(other, ky_splat(close2), s2);
    if (what & (KY_MOVING_OWN | KY_MOVING_CLOSE | KY_MOVING_TAIL | KY_MOVING_NEAR))
        y = ky_where(other, y);
    const ky_vector m = ky_load(s->number[MASS] + from->at);
    g.field = ky_add_moving(g.field, d[0], d[1], d[2], w[0], w[1], w[2], y, m, s2,
                            what & KY_MOVING_MENDED);
    return g;
}

/* Columns first … last − 1: whole vectors of sources, or the vector of the tail. */
struct range_of_sources {
    size_t first, last;
    size_t body; /* offset from a column index to the number of its body */
    size_t left; /* sources in the tail */
};

/* Processes `unroll` sinks from `i` on together to fill the pipelines. */
KY_INLINE void chunk(const struct columns *s, const struct range_of_sources range,
                     struct block *block, struct ky_moving_sinks *sinks, size_t i, const int unroll,
                     const int what)
{
    struct gathered g[2];
    struct vector_of_sources from = {
        .place = ky_lanes_from((ky_index_element)(range.body + range.first)),
        .alive = ky_mask_first(range.left)};
#pragma GCC unroll 4
    for (int u = 0; u < unroll; u++) {
        memset(&g[u].field, 0, sizeof g[u].field);
        g[u].nearest2 = block->nearest2[i + (size_t)u];
        g[u].nearest = block->nearest[i + (size_t)u];
    }
    for (size_t at = range.first; at < range.last; at += KY_WIDTH) {
        from.at = at;
        from.first = range.body + at;
#pragma GCC unroll 4
        for (int u = 0; u < unroll; u++)
            g[u] = pair(g[u], s, &from, block, i + (size_t)u, sinks, what);
        from.place += KY_WIDTH;
    }
#pragma GCC unroll 4
    for (int u = 0; u < unroll; u++) {
        const ky_vector part[KY_MOVING_SUMS] = {g[u].field.x, g[u].field.y,  g[u].field.z,
                                                g[u].field.p, g[u].field.jx, g[u].field.jy,
                                                g[u].field.jz};
        const int sums = what & KY_MOVING_JERK ? KY_MOVING_SUMS : 4;
        for (int c = 0; c < sums; c++)
            block->sum[i + (size_t)u][c] += ky_widened(part[c]);
        block->nearest2[i + (size_t)u] = g[u].nearest2;
        block->nearest[i + (size_t)u] = g[u].nearest;
    }
}

/* A tail: fewer sources than a vector has lanes. */
KY_INLINE void tail(const struct columns *s, size_t first, size_t left, struct block *block,
                    struct ky_moving_sinks *sinks, const int what)
{
    ky_element number[COLUMNS][KY_WIDTH] = {{0}};
    ky_index_element label[KY_WIDTH] = {0};
    struct columns copy = {.label = label};
    for (int c = 0; c < COLUMNS; c++) {
        if (s->number[c])
            memcpy(number[c], s->number[c] + first, left * sizeof **number);
        copy.number[c] = number[c];
    }
    if (what & KY_MOVING_OWN)
        memcpy(label, s->label + first, left * sizeof *label);
    for (size_t i = 0; i < sinks->count; i++)
        chunk(&copy, (struct range_of_sources){0, KY_WIDTH, first, left}, block, sinks, i, 1,
              what | KY_MOVING_CLOSE | KY_MOVING_TAIL);
}

KY_INLINE void run(const struct columns *s, size_t first, size_t last, struct block *block,
                   struct ky_moving_sinks *sinks, const int what)
{
    const size_t whole = first + (last - first) / KY_WIDTH * KY_WIDTH, count = sinks->count;
    const size_t each = chunk_of(last - first, what);
    for (size_t from = first; from < whole; from += each) {
        const struct range_of_sources range = {from, whole - from < each ? whole : from + each, 0,
                                               0};
        size_t i = 0;
        for (; i + 1 < count; i += 2)
            chunk(s, range, block, sinks, i, 2, what);
        if (i < count)
            chunk(s, range, block, sinks, i, 1, what);
    }
    if (whole < last)
        tail(s, whole, last - whole, block, sinks, what);
}

/* The sum of all lanes, in a fixed order. */
KY_INLINE double sum_of(ky_doubles v)
{
    double lane[KY_DOUBLES];
    memcpy(lane, &v, sizeof v);
    for (int half = KY_DOUBLES / 2; half > 0; half /= 2)
        for (int k = 0; k < half; k++)
            lane[k] += lane[k + half];
    return lane[0];
}

/* Adds the nearest source: the first body among the lanes with the smallest r². */
KY_INLINE void add_nearest(struct ky_moving_sinks *to, const struct block *from, size_t i)
{
    ky_element r2[KY_WIDTH], least = (ky_element)INFINITY;
    ky_index_element place[KY_WIDTH];
    uint32_t nearest = UINT32_MAX;
    memcpy(r2, &from->nearest2[i], sizeof r2);
    memcpy(place, &from->nearest[i], sizeof place);
    for (int k = 0; k < KY_WIDTH; k++)
        least = r2[k] < least ? r2[k] : least;
    for (int k = 0; k < KY_WIDTH; k++) {
        const uint32_t here = r2[k] == least ? (uint32_t)place[k] : UINT32_MAX;
        nearest = here < nearest ? here : nearest;
    }
    if ((double)least < to->nearest2[i]) {
        to->nearest2[i] = (double)least;
        to->nearest[i] = nearest;
    }
}

KY_INLINE void add(struct ky_moving_sinks *to, const struct block *from, const int what)
{
    for (size_t i = 0; i < to->count; i++) {
        for (int c = 0; c < KY_MOVING_SUMS; c++)
            to->sum[c][i] +=
                sum_of(from->sum[i][c]) * (c == 3 ? 1.0 : KY_SCALE_SUM(KY_RSQRT_SCALE));
        if (what & KY_MOVING_NEAREST)
            add_nearest(to, from, i);
    }
}

/* W(what): the instances. A request is rounded up to the first instance that has all of it. */
#if KY_RESTING
#define INSTANCES(W)                                                                               \
    W(0)                                                                                           \
    W(KY_MOVING_CLOSE)
#else
#define MENDED (KY_LANE_DOUBLE ? 0 : KY_MOVING_MENDED)
#if KY_LANE_DOUBLE
#define NEAR_INSTANCES(W)
#else
#define NEAR_INSTANCES(W)                                                                          \
    W(KY_MOVING_OWN | KY_MOVING_JERK | KY_MOVING_NEAR | KY_MOVING_CLOSE)                           \
    W(KY_MOVING_OWN | KY_MOVING_JERK | KY_MOVING_NEAR | KY_MOVING_EPS | KY_MOVING_CLOSE)
#endif
#define INSTANCES(W)                                                                               \
    W(KY_MOVING_OWN | KY_MOVING_CLOSE | MENDED)                                                    \
    W(KY_MOVING_OWN | KY_MOVING_JERK)                                                              \
    W(KY_MOVING_OWN | KY_MOVING_JERK | KY_MOVING_CLOSE)                                            \
    W(KY_MOVING_OWN | KY_MOVING_JERK | MENDED)                                                     \
    W(KY_MOVING_OWN | KY_MOVING_JERK | KY_MOVING_CLOSE | MENDED)                                   \
    W(KY_MOVING_OWN | KY_MOVING_JERK | KY_MOVING_NEAREST | MENDED)                                 \
    W(KY_MOVING_OWN | KY_MOVING_JERK | KY_MOVING_NEAREST | KY_MOVING_CLOSE | MENDED)               \
    W(KY_MOVING_OWN | KY_MOVING_JERK | KY_MOVING_NEAREST | KY_MOVING_LISTS | KY_MOVING_CLOSE |     \
      MENDED)                                                                                      \
    W(KY_MOVING_OWN | KY_MOVING_JERK | KY_MOVING_EPS | KY_MOVING_CLOSE)                            \
    W(KY_MOVING_OWN | KY_MOVING_JERK | KY_MOVING_NEAREST | KY_MOVING_LISTS | KY_MOVING_EPS |       \
      KY_MOVING_CLOSE | MENDED)                                                                    \
    NEAR_INSTANCES(W)
#endif

/* The bits for these sinks: the requested results, and the special cases that the loop has to
 * handle. */
static int care(const struct ky_moving *moving, const struct ky_moving_sinks *sinks)
{
    int what = moving->what | (moving->eps2 ? KY_MOVING_EPS : 0) | (KY_RESTING ? 0 : KY_MOVING_OWN);
    for (size_t i = 0; i < sinks->count; i++)
        if (!(sinks->eps2[i] > 2 * KY_JERK_CLOSE2_OF(KY_LANE_DOUBLE)))
            what |= KY_MOVING_CLOSE;
    return KY_LANE_DOUBLE ? what & ~(KY_MOVING_MENDED | KY_MOVING_NEAR) : what;
}

void KY_LANE_NAME(KY_NAME)(const struct ky_moving *moving, size_t first, size_t last,
                           struct ky_moving_sinks *sinks)
{
    const struct columns s = {{moving->x[0], moving->x[1], moving->x[2], moving->low[0],
                               moving->low[1], moving->low[2], moving->v[0], moving->v[1],
                               moving->v[2], moving->mass, moving->eps2},
                              moving->label};
    const int what = care(moving, sinks);
    struct block block;
    load(&block, sinks);
#define INSTANCE(instance)                                                                         \
    if ((what & ~(instance)) == 0) {                                                               \
        run(&s, first, last, &block, sinks, instance);                                             \
        add(sinks, &block, instance);                                                              \
        return;                                                                                    \
    }
    INSTANCES(INSTANCE)
}
