/* The median of a sample. */
#include "base/median.h"

#include <stdlib.h>

#include "base/order.h"

double ky_sampled_median(const double *x, size_t step, size_t n, size_t most)
{
    double sample[KY_MEDIAN_MOST];
    size_t stride = n / most + 1, count = 0;
    for (size_t i = 0; i < n; i += stride)
        sample[count++] = x[i * step];
    qsort(sample, count, sizeof *sample, ky_order_reals);
    return count ? sample[count / 2] : 0;
}
