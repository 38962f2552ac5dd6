/* Bodies act on a block of sinks: the innermost loop of the direct sum and of the tree walk.
 *
 * Each lane has a sink; sources are broadcast. Sums are in the lane's own type over at most
 * KY_CHUNK sources and are then added to doubles, so that rounding errors do not grow with the
 * number of sources. Included after lanes.h. */
#ifndef KY_CPU_PAIRS_H
#define KY_CPU_PAIRS_H

#include "engine/cpu/lanes/table.h"
#include "physics/gravity.h"
#include "physics/space.h"

/* 1 for loops that may be KY_ROUGH. */
#ifndef KY_WITH_ROUGH
#define KY_WITH_ROUGH 0
#endif

/* Columns of sources; masses are scaled (gravity.h). `low` are the low parts of the positions
 * (double-single), `eps2` the sources' own softening. Unused columns are NULL. */
struct ky_sources {
    const ky_element *x, *y, *z, *m, *eps2, *low[3];
};

/* Up to KY_MOST_SINKS sinks; lanes past `vectors` × KY_WIDTH are not computed. */
struct ky_sinks {
    _Alignas(64) ky_element x[KY_MOST_SINKS];
    ky_element y[KY_MOST_SINKS], z[KY_MOST_SINKS], eps2[KY_MOST_SINKS], low[3][KY_MOST_SINKS];
    ky_index_element own[KY_MOST_SINKS]; /* the source that is the sink itself */
    double sum[4][KY_MOST_SINKS];        /* x y z p */
    int vectors;
};

/* Options of a loop, in addition to the bits of physics/softening_kinds.h; constant in every
 * instance. */
enum {
    KY_OWN = 0x100, /* skip the source that is the sink itself, by its index */
    KY_LOW = 0x200  /* differences in double-single */
};

KY_INLINE void ky_flush(struct ky_sinks *sinks, int vector, struct ky_field field)
{
    const ky_vector part[4] = {field.x, field.y, field.z, field.p};
    for (int c = 0; c < 4; c++)
        for (int k = 0; k < KY_WIDTH; k++)
            sinks->sum[c][vector * KY_WIDTH + k] += (double)part[c][k];
}

KY_INLINE struct ky_field ky_pair(struct ky_field field, const struct ky_sources *s, size_t j,
                                  const struct ky_sinks *sinks, int at, const int how)
{
    ky_vector dx = KY_APART(ky_splat(s->x[j]), ky_load(sinks->x + at));
    ky_vector dy = KY_APART(ky_splat(s->y[j]), ky_load(sinks->y + at));
    ky_vector dz = KY_APART(ky_splat(s->z[j]), ky_load(sinks->z + at));
    if (how & KY_LOW) {
        dx += ky_splat(s->low[0][j]) - ky_load(sinks->low[0] + at);
        dy += ky_splat(s->low[1][j]) - ky_load(sinks->low[1] + at);
        dz += ky_splat(s->low[2][j]) - ky_load(sinks->low[2] + at);
    }
    ky_vector eps2 = {0};
    if (how & KY_EPS_OF_BOTH)
        eps2 = ky_splat(s->eps2[j]);
    struct ky_softened pair = ky_soften(dx, dy, dz, ky_load(sinks->eps2 + at), eps2, how);
    if (how & KY_OWN) {
        ky_whole own;
        memcpy(&own, sinks->own + at, sizeof own);
        pair.y = ky_where_different(pair.y, own, (ky_index_element)j);
    }
    return ky_add_body(field, dx, dy, dz, pair, ky_splat(s->m[j]));
}

/* Processes `unroll` vectors of sinks from `vector` on together to fill the pipelines. */
KY_INLINE void ky_pairs_chunk(const struct ky_sources *s, size_t first, size_t last,
                              struct ky_sinks *sinks, int vector, const int unroll, const int how)
{
    struct ky_field field[4] = {{{0}, {0}, {0}, {0}}};
    for (size_t j = first; j < last; j++)
#pragma GCC unroll 4
        for (int u = 0; u < unroll; u++)
            field[u] = ky_pair(field[u], s, j, sinks, (vector + u) * KY_WIDTH, how);
#pragma GCC unroll 4
    for (int u = 0; u < unroll; u++)
        ky_flush(sinks, vector + u, field[u]);
}

/* Processes all of the block's sinks and the sources [first, last). */
KY_INLINE void ky_pairs_all(const struct ky_sources *s, size_t first, size_t last,
                            struct ky_sinks *sinks, const int how)
{
    for (size_t j = first; j < last; j += KY_CHUNK) {
        size_t end = last - j < KY_CHUNK ? last : j + KY_CHUNK;
        int v = 0;
        for (; v + 2 <= sinks->vectors; v += 2)
            ky_pairs_chunk(s, j, end, sinks, v, 2, how);
        if (v < sinks->vectors)
            ky_pairs_chunk(s, j, end, sinks, v, 1, how);
    }
}

/* Calls the instance for this kind of softening: the instances of the table, with and without the
 * guard, and the spline with and without softenings of the sources. */
KY_INLINE void ky_pairs(const struct ky_sources *s, size_t first, size_t last,
                        struct ky_sinks *sinks, int how, const int base)
{
#define KY_PAIRS_INSTANCE(a, b, name, NAME, instance)                                              \
    if (how == ((instance) & ~KY_GUARD)) {                                                         \
        ky_pairs_all(s, first, last, sinks, base | ((instance) & ~KY_GUARD));                      \
        return;                                                                                    \
    }                                                                                              \
    if (how == (instance)) {                                                                       \
        ky_pairs_all(s, first, last, sinks, base | (instance));                                    \
        return;                                                                                    \
    }
#if KY_WITH_ROUGH
    if (!base && how == KY_ROUGH) {
        ky_pairs_all(s, first, last, sinks, KY_ROUGH);
        return;
    }
    if (!base && how == (KY_ROUGH | KY_GUARD)) {
        ky_pairs_all(s, first, last, sinks, KY_ROUGH | KY_GUARD);
        return;
    }
#endif
    how &= ~KY_ROUGH; /* if there is no estimate */
    KY_SOFTENED_AS_PLUMMER(KY_PAIRS_INSTANCE, , )
    if (how & KY_EPS_LARGER)
        ky_pairs_all(s, first, last, sinks, base | KY_GUARD | KY_SPLINED | KY_EPS_LARGER);
    else
        ky_pairs_all(s, first, last, sinks, base | KY_GUARD | KY_SPLINED);
}

#endif
