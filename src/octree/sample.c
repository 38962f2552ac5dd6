/* Samples of bodies. */
#include "octree/sample.h"

#include "base/order.h"

size_t ky_sample(size_t n, size_t most, size_t *index)
{
    const struct ky_sample_order order = ky_sample_order(n ? n : 1);
    const size_t count = n < most ? n : most;
    for (size_t k = 0; k < count; k++)
        index[k] = ky_sampled(order, count, k);
    return count;
}

double ky_sampled_median(const double *x, size_t step, size_t n, size_t most)
{
    double sample[KY_MEDIAN_MOST];
    size_t index[KY_MEDIAN_MOST], count = ky_sample(n, most, index);
    for (size_t k = 0; k < count; k++)
        sample[k] = x[index[k] * step];
    return ky_median(sample, count);
}
