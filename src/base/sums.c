/* Sums in fixed blocks: see sums.h. */
#include "base/sums.h"

#include <stdint.h>

double ky_sum(size_t n, const double *values)
{
    double part[KY_BLOCKS], sum = 0;
#pragma omp parallel for schedule(static)
    for (int b = 0; b < KY_BLOCKS; b++) {
        part[b] = 0;
        for (size_t i = ky_block_start(n, (size_t)b), end = ky_block_start(n, (size_t)b + 1);
             i < end; i++)
            part[b] += values[i];
    }
    for (int b = 0; b < KY_BLOCKS; b++)
        sum += part[b];
    return sum;
}

size_t ky_count_positive(size_t n, const double *values)
{
    size_t count = 0;
#pragma omp parallel for schedule(static) reduction(+ : count)
    for (size_t i = 0; i < n; i++)
        count += values[i] > 0;
    return count;
}

/* sum = Σ w, Σ w x, Σ w y, Σ w z */
static void weighted_sums(size_t n, const double *weight, double (*vectors)[3], double sum[4])
{
    double part[KY_BLOCKS][4];
#pragma omp parallel for schedule(static)
    for (int b = 0; b < KY_BLOCKS; b++) {
        double w = 0, x = 0, y = 0, z = 0;
        for (size_t i = ky_block_start(n, (size_t)b), end = ky_block_start(n, (size_t)b + 1);
             i < end; i++) {
            double wi = weight ? weight[i] : 1;
            w += wi;
            x += wi * vectors[i][0];
            y += wi * vectors[i][1];
            z += wi * vectors[i][2];
        }
        part[b][0] = w, part[b][1] = x, part[b][2] = y, part[b][3] = z;
    }
    for (int k = 0; k < 4; k++) {
        sum[k] = 0;
        for (int b = 0; b < KY_BLOCKS; b++)
            sum[k] += part[b][k];
    }
}

double ky_mean(size_t n, const double *weight, double (*vectors)[3], double mean[3])
{
    double sum[4];
    weighted_sums(n, weight, vectors, sum);
    double total = sum[0];
    if (!(total > 0))
        weighted_sums(n, NULL, vectors, sum);
    for (int k = 0; k < 3; k++)
        mean[k] = n ? sum[k + 1] / sum[0] : 0;
    return total;
}

void ky_subtract(size_t n, double (*vectors)[3], const double by[3])
{
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            vectors[i][k] -= by[k];
}
