/* The distance between a sample and the law that it should follow. */
#ifndef KY_TEST_KOLMOGOROV_H
#define KY_TEST_KOLMOGOROV_H

#include <math.h>
#include <stdlib.h>

#include "base/order.h"

/* √N times the largest distance of the sample's distribution from a law: below 1.95 in 99.9 % of
 * samples. */
static inline double kolmogorov(double *values, size_t n, double (*law)(double))
{
    double most = 0;
    qsort(values, n, sizeof *values, ky_order_reals);
    for (size_t i = 0; i < n; i++) {
        double expected = law(values[i]);
        most = fmax(most, fabs(expected - (double)i / (double)n));
        most = fmax(most, fabs(expected - (double)(i + 1) / (double)n));
    }
    return most * sqrt((double)n);
}

#endif
