/* The terms of one body in the sums over bodies (sum_indices.h), in numbers of the state. Portable
 * C: physics/dialect.h. */
#ifndef KY_PHYSICS_SUM_TERMS_H
#define KY_PHYSICS_SUM_TERMS_H

#include "physics/number.h"
#include "physics/sum_indices.h"

/* sum + m x y */
KY_FN ky_state ky_sum_with(ky_state sum, ky_state m, ky_state x, ky_state y)
{
    return ky_state_add(sum, ky_state_product(m, ky_state_product(x, y)));
}

/* Adds the terms of one body to the sums before EXTERNAL. */
KY_FN void ky_sum_body(ky_state *sum, ky_state m, const ky_state *x, const ky_state *v,
                       const ky_state *a, ky_state potential)
{
    ky_state half_m = ky_state_product(ky_state_from(0.5f), m);
    sum[KY_SUM_MASS] = ky_state_add(sum[KY_SUM_MASS], m);
    sum[KY_SUM_POTENTIAL] =
        ky_state_add(sum[KY_SUM_POTENTIAL], ky_state_product(half_m, potential));
    for (int c = 0; c < 3; c++) {
        int d = c == 2 ? 0 : c + 1, e = c == 0 ? 2 : c - 1;
        ky_state spin = ky_state_minus(ky_state_product(x[d], v[e]), ky_state_product(x[e], v[d]));
        sum[KY_SUM_CENTRE + c] = ky_state_add(sum[KY_SUM_CENTRE + c], ky_state_product(m, x[c]));
        sum[KY_SUM_MOMENTUM + c] =
            ky_state_add(sum[KY_SUM_MOMENTUM + c], ky_state_product(m, v[c]));
        sum[KY_SUM_ANGULAR + c] = ky_state_add(sum[KY_SUM_ANGULAR + c], ky_state_product(m, spin));
        sum[KY_SUM_KINETIC] = ky_sum_with(sum[KY_SUM_KINETIC], half_m, v[c], v[c]);
        sum[KY_SUM_VIRIAL] = ky_sum_with(sum[KY_SUM_VIRIAL], m, x[c], a[c]);
        sum[KY_SUM_FORCE + c] = ky_state_add(sum[KY_SUM_FORCE + c], ky_state_product(m, a[c]));
    }
}

#endif
