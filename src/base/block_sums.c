/* Sums in fixed blocks: see block_sums.h. */
#include "base/block_sums.h"

#include "base/portion.h"

double ky_sum(size_t n, const double *values)
{
    const struct ky_portion all = ky_portion_of_all(n);
    double sum;
    ky_portion_sum(&all, values, &sum, NULL); /* cannot fail on one rank */
    return sum;
}

size_t ky_count_positive(size_t n, const double *values)
{
    const struct ky_portion all = ky_portion_of_all(n);
    size_t count, before;
    ky_portion_positive(&all, values, &count, &before, NULL);
    return count;
}

double ky_mean(size_t n, const double *weight, double (*vectors)[3], double mean[3])
{
    const struct ky_portion all = ky_portion_of_all(n);
    double total;
    ky_portion_mean(&all, weight, vectors, mean, &total, NULL);
    return total;
}

void ky_subtract(size_t n, double (*vectors)[3], const double by[3])
{
#pragma omp parallel for schedule(static) if (n >= KY_SEVERAL_FROM)
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            vectors[i][k] -= by[k];
}
