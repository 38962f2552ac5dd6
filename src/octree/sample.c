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

enum ky_status ky_portion_median(const struct ky_portion *portion, const double *x, size_t step,
                                 size_t most, double *median, struct ky_error *error)
{
    double sample[KY_MEDIAN_MOST] = {0};
    size_t index[KY_MEDIAN_MOST], count = ky_sample(portion->n, most, index);
    for (size_t k = 0; k < count; k++)
        if (ky_portion_has(portion, index[k]))
            sample[k] = x[(index[k] - portion->first) * step];
    const enum ky_status status = ky_portion_add_up(portion, sample, count, error);
    *median = ky_select_median(sample, count);
    return status;
}

double ky_sampled_median(const double *x, size_t step, size_t n, size_t most)
{
    const struct ky_portion all = ky_portion_of_all(n);
    double median;
    ky_portion_median(&all, x, step, most, &median, NULL);
    return median;
}

double ky_sampled_median_of(const double *x, const uint32_t *member, size_t n, size_t most)
{
    double sample[KY_MEDIAN_MOST] = {0};
    size_t index[KY_MEDIAN_MOST], count = ky_sample(n, most, index);
    for (size_t k = 0; k < count; k++)
        sample[k] = x[member ? member[index[k]] : index[k]];
    return ky_select_median(sample, count);
}
