/* The inner loop of the tree walk over cells, which act on a block of sinks to quadrupole order, or
 * with third moments to octupole order. See pairs.h. */
#ifndef KY_CPU_CELLS_H
#define KY_CPU_CELLS_H

#include "engine/cpu/lanes/pairs.h"

/* A cell in the inner loop: relative to the group's centre, scaled as in gravity.h. */
struct ky_cell_source {
    ky_element x, y, z, m;
    ky_element second[6]; /* xx yy zz xy xz yz */
    ky_element trace, trace3, eps2, unused[3];
};

/* Its third moments and their trace. */
struct ky_third_source {
    ky_element o[10], t[3], unused[3];
};

KY_INLINE struct ky_third ky_splat_third(const struct ky_third_source *from)
{
    struct ky_third third;
    for (int k = 0; k < 10; k++)
        third.o[k] = ky_splat(from->o[k]);
    for (int c = 0; c < 3; c++)
        third.t[c] = ky_splat(from->t[c]);
    return third;
}

/* `third` NULL: quadrupoles. */
KY_INLINE struct ky_field ky_cell(struct ky_field field, const struct ky_cell_source *c,
                                  const struct ky_third_source *third, const struct ky_sinks *sinks,
                                  int at, const int how)
{
    ky_vector dx = KY_APART(ky_splat(c->x), ky_load(sinks->x + at));
    ky_vector dy = KY_APART(ky_splat(c->y), ky_load(sinks->y + at));
    ky_vector dz = KY_APART(ky_splat(c->z), ky_load(sinks->z + at));
    ky_vector eps2 = {0};
    if (how & KY_EPS_OF_BOTH)
        eps2 = ky_splat(c->eps2);
    struct ky_softened pair = ky_soften(dx, dy, dz, ky_load(sinks->eps2 + at), eps2, how);
    const struct ky_moments moments = {
        ky_splat(c->m),         ky_splat(c->second[0]), ky_splat(c->second[1]),
        ky_splat(c->second[2]), ky_splat(c->second[3]), ky_splat(c->second[4]),
        ky_splat(c->second[5]), ky_splat(c->trace),     ky_splat(c->trace3)};
    return third ? ky_add_octupole(field, dx, dy, dz, pair, moments, ky_splat_third(third))
                 : ky_add_cell(field, dx, dy, dz, pair, moments);
}

KY_INLINE void ky_cells_chunk(const struct ky_cell_source *cells,
                              const struct ky_third_source *third, size_t count,
                              struct ky_sinks *sinks, int vector, const int unroll, const int how)
{
    struct ky_field field[2] = {{{0}, {0}, {0}, {0}}};
    for (size_t j = 0; j < count; j++)
#pragma GCC unroll 4
        for (int u = 0; u < unroll; u++)
            field[u] = ky_cell(field[u], cells + j, third ? third + j : NULL, sinks,
                               (vector + u) * KY_WIDTH, how);
#pragma GCC unroll 4
    for (int u = 0; u < unroll; u++)
        ky_flush(sinks, vector + u, field[u]);
}

KY_INLINE void ky_cells_all(const struct ky_cell_source *cells, const struct ky_third_source *third,
                            size_t count, struct ky_sinks *sinks, const int how)
{
    int v = 0;
    for (; v + KY_CELLS_UNROLL <= sinks->vectors; v += KY_CELLS_UNROLL)
        ky_cells_chunk(cells, third, count, sinks, v, KY_CELLS_UNROLL, how);
    if (v < sinks->vectors)
        ky_cells_chunk(cells, third, count, sinks, v, 1, how);
}

/* Calls the instance for this kind of softening. Accepted cells are far enough to need no guard. */
KY_INLINE void ky_cells(const struct ky_cell_source *cells, const struct ky_third_source *third,
                        size_t count, struct ky_sinks *sinks, int how)
{
    how = KY_CELLS_HOW(how) & ~KY_GUARD;
#define KY_CELLS_INSTANCE(a, b, name, NAME, instance)                                              \
    if (how == ((instance) & ~KY_GUARD)) {                                                         \
        ky_cells_all(cells, third, count, sinks, (instance) & ~KY_GUARD);                          \
        return;                                                                                    \
    }
#if KY_WITH_ROUGH
    if (!third && how == KY_ROUGH) {
        ky_cells_all(cells, NULL, count, sinks, KY_ROUGH);
        return;
    }
#endif
    how &= ~KY_ROUGH; /* if there is no estimate */
    KY_SOFTENED_AS_PLUMMER(KY_CELLS_INSTANCE, , )
    ky_cells_all(cells, third, count, sinks, KY_NEWTON);
}

#endif
