/* A union-find forest over the bodies, which lanes join concurrently: parent[k] is the place along
 * the curve of an earlier body of the group of body k, or k itself. Roots are joined by
 * compare-and-swap, always the later to the earlier one. So at the end each root is the first body
 * of its group, whatever the order of the joins. A lane may read a parent that has changed since:
 * it still belongs to the group. */
#ifndef KY_KERNELS_FOREST_H
#define KY_KERNELS_FOREST_H

#include "engine/device/kernels/driver/dialect.h"

/* The root of body i; halves the path on the way. */
KY_FN ky_uint ky_forest_root(KY_GLOBAL ky_uint *parent, ky_uint i)
{
    ky_uint up = KY_ATOMIC_READ(&parent[i]);
    while (up != i) {
        ky_uint next = KY_ATOMIC_READ(&parent[up]);
        if (next != up)
            KY_ATOMIC_CAS(&parent[i], up, next);
        i = up;
        up = next;
    }
    return i;
}

/* Returns the root of both. */
KY_FN ky_uint ky_forest_join(KY_GLOBAL ky_uint *parent, ky_uint i, ky_uint j)
{
    i = ky_forest_root(parent, i);
    j = ky_forest_root(parent, j);
    while (i != j) {
        ky_uint later = i > j ? i : j, earlier = i > j ? j : i;
        ky_uint seen = KY_ATOMIC_CAS(&parent[later], later, earlier);
        if (seen == later)
            return earlier;
        i = ky_forest_root(parent, seen);
        j = earlier;
    }
    return i;
}

#endif
