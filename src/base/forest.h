/* A forest over the bodies, which threads join at the same time: parent[k] is the place along the
 * curve of an earlier body of the group of body k, or k. Roots are joined by compare and exchange,
 * always the later to the earlier. So at the end each root is the first body of its group, whatever
 * the order of the joins. */
#ifndef KY_BASE_FOREST_H
#define KY_BASE_FOREST_H

#include <stdint.h>

static inline uint32_t ky_forest_parent(const uint32_t *parent, uint32_t i)
{
    return __atomic_load_n(&parent[i], __ATOMIC_RELAXED);
}

/* Halves the path on its way. This is safe while other threads write: a parent only ever becomes an
 * earlier body of the group. */
static inline uint32_t ky_forest_root(uint32_t *parent, uint32_t i)
{
    uint32_t up = ky_forest_parent(parent, i);
    while (up != i) {
        uint32_t next = ky_forest_parent(parent, up);
        if (next != up)
            __atomic_store_n(&parent[i], next, __ATOMIC_RELAXED);
        i = up;
        up = next;
    }
    return i;
}

static inline void ky_forest_join(uint32_t *parent, uint32_t i, uint32_t j)
{
    for (;;) {
        i = ky_forest_root(parent, i);
        j = ky_forest_root(parent, j);
        if (i == j)
            return;
        uint32_t later = i > j ? i : j, earlier = i + j - later, expected = later;
        if (__atomic_compare_exchange_n(&parent[later], &expected, earlier, 0, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return;
    }
}

#endif
