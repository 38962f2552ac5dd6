/* Order-independent sums over bodies. Each term is divided by a power of two above the largest one
 * and rounded to a multiple of 2⁻⁴⁰, and the remainder to a multiple of 2⁻⁸⁰: far below the
 * rounding error of a sum in double. Doubles hold the sums of such numbers for a chunk of bodies
 * exactly. The CPU engine calls this through struct ky_lanes. */
#ifndef KY_CPU_SUMS_TABLE_H
#define KY_CPU_SUMS_TABLE_H

#include <stddef.h>

#include "physics/sum_indices.h"

/* Parts of a term, of KY_SUM_BITS each. */
enum { KY_SUM_PARTS = 2, KY_SUM_BITS = 40 };

/* Columns of bodies. */
struct ky_summed {
    const double *mass, *potential, *x[3], *v[3], *a[3];
    const double *external; /* m φ of external fields, or NULL */
};

/* The largest |term| of each sum; NaN if any term is NaN. */
typedef void ky_largest_function(const struct ky_summed *bodies, size_t first, size_t end,
                                 double largest[KY_SUMS]);
/* The sums of the parts of the terms of at most KY_SUM_CHUNK bodies; |term| × scale < 1. */
typedef void ky_sum_function(const struct ky_summed *bodies, size_t first, size_t end,
                             const double scale[KY_SUMS], double sum[KY_SUMS][KY_SUM_PARTS]);

#endif
