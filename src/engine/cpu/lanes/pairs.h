/* Bodies act on a block of sinks: the innermost loop of the direct sum and of the tree walk.
 *
 * A lane is a sink; a source is broadcast. Sums run in the lane's own number type over at most
 * KY_CHUNK sources and are then added to doubles, so that rounding does not grow with the number of
 * sources. Included after lanes.h. */
#ifndef KY_CPU_PAIRS_H
#define KY_CPU_PAIRS_H

#include "engine/cpu/lanes/table.h"
#include "physics/gravity.h"

enum { KY_CHUNK = 512 };

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

/* What a loop takes care of; constant in every instance. */
enum {
    KY_GUARD = 1,      /* softening may be 0: coincident pairs exert nothing */
    KY_SOURCE_EPS = 2, /* sources have their own ε² */
    KY_OWN = 4,        /* leave out the source that is the sink itself, by its index */
    KY_LOW = 8         /* differences in double-single */
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
    ky_vector dx = ky_splat(s->x[j]) - ky_load(sinks->x + at);
    ky_vector dy = ky_splat(s->y[j]) - ky_load(sinks->y + at);
    ky_vector dz = ky_splat(s->z[j]) - ky_load(sinks->z + at);
    if (how & KY_LOW) {
        dx += ky_splat(s->low[0][j]) - ky_load(sinks->low[0] + at);
        dy += ky_splat(s->low[1][j]) - ky_load(sinks->low[1] + at);
        dz += ky_splat(s->low[2][j]) - ky_load(sinks->low[2] + at);
    }
    ky_vector eps2 = ky_load(sinks->eps2 + at);
    if (how & KY_SOURCE_EPS)
        eps2 += ky_splat(s->eps2[j]);
    ky_vector s2 = ky_distance2(dx, dy, dz, eps2);
    ky_vector y = ky_rsqrt(s2);
    if (how & KY_GUARD)
        y = ky_where_above(y, s2, (ky_element)KY_CLOSE2);
    if (how & KY_OWN) {
        ky_whole own;
        memcpy(&own, sinks->own + at, sizeof own);
        y = ky_where_different(y, own, (ky_index_element)j);
    }
    return ky_add_body(field, dx, dy, dz, y, ky_splat(s->m[j]));
}

/* `unroll` vectors of sinks from `vector` on, side by side to fill the pipelines. */
KY_INLINE void ky_pairs_chunk(const struct ky_sources *s, size_t first, size_t last,
                              struct ky_sinks *sinks, int vector, const int unroll, const int how)
{
    struct ky_field field[4] = {{{0}, {0}, {0}, {0}}};
    for (size_t j = first; j < last; j++)
        for (int u = 0; u < unroll; u++)
            field[u] = ky_pair(field[u], s, j, sinks, (vector + u) * KY_WIDTH, how);
    for (int u = 0; u < unroll; u++)
        ky_flush(sinks, vector + u, field[u]);
}

/* All of the block's sinks and the sources [first, last). */
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

/* The instance for what the sources need. The few sources that are sinks themselves share one
 * instance that takes care of everything. */
KY_INLINE void ky_pairs(const struct ky_sources *s, size_t first, size_t last,
                        struct ky_sinks *sinks, int guard, const int base)
{
    if (guard && s->eps2)
        ky_pairs_all(s, first, last, sinks, base | KY_GUARD | KY_SOURCE_EPS);
    else if (guard)
        ky_pairs_all(s, first, last, sinks, base | KY_GUARD);
    else if (s->eps2)
        ky_pairs_all(s, first, last, sinks, base | KY_SOURCE_EPS);
    else
        ky_pairs_all(s, first, last, sinks, base);
}

#endif
