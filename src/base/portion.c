/* Sums in fixed blocks over bodies that may be divided: see portion.h. */
#include "base/portion.h"

struct ky_portion ky_portion_of_all(size_t n)
{
    return (struct ky_portion){.n = n, .to = KY_BLOCKS, .shares = 1, .leads = 1};
}

enum ky_status ky_portion_add_up(const struct ky_portion *portion, void *numbers, size_t count,
                                 struct ky_error *error)
{
    return portion->add ? portion->add(portion->context, numbers, count, error) : KY_OK;
}

enum ky_status ky_portion_collect(const struct ky_portion *portion, void **array, size_t *count,
                                  size_t size, struct ky_error *error)
{
    return portion->collect ? portion->collect(portion->context, array, count, size, error) : KY_OK;
}

enum ky_status ky_portion_sums(const struct ky_portion *portion, double *part, size_t width,
                               double *sum, struct ky_error *error)
{
    const enum ky_status status = ky_portion_add_up(portion, part, KY_BLOCKS * width, error);
    for (size_t k = 0; k < width; k++) {
        sum[k] = 0;
        for (size_t b = 0; b < KY_BLOCKS; b++)
            sum[k] += part[b * width + k];
    }
    return status;
}

enum ky_status ky_portion_sum(const struct ky_portion *portion, const double *values, double *sum,
                              struct ky_error *error)
{
    double part[KY_BLOCKS] = {0};
#pragma omp parallel for schedule(static) if (ky_portion_is_long(portion))
    for (size_t b = portion->from; b < portion->to; b++) {
        const size_t end = ky_portion_start(portion, b + 1);
        for (size_t i = ky_portion_start(portion, b); i < end; i++)
            part[b] += values[i];
    }
    return ky_portion_sums(portion, part, 1, sum, error);
}

/* sum = Σ w, Σ w x, Σ w y, Σ w z */
static enum ky_status weighted_sums(const struct ky_portion *portion, const double *weight,
                                    double (*vectors)[3], double sum[4], struct ky_error *error)
{
    double part[KY_BLOCKS][4] = {{0}};
#pragma omp parallel for schedule(static) if (ky_portion_is_long(portion))
    for (size_t b = portion->from; b < portion->to; b++) {
        double w = 0, x = 0, y = 0, z = 0;
        const size_t end = ky_portion_start(portion, b + 1);
        for (size_t i = ky_portion_start(portion, b); i < end; i++) {
            double wi = weight ? weight[i] : 1;
            w += wi;
            x += wi * vectors[i][0];
            y += wi * vectors[i][1];
            z += wi * vectors[i][2];
        }
        part[b][0] = w, part[b][1] = x, part[b][2] = y, part[b][3] = z;
    }
    return ky_portion_sums(portion, part[0], 4, sum, error);
}

enum ky_status ky_portion_mean(const struct ky_portion *portion, const double *weight,
                               double (*vectors)[3], double mean[3], double *total,
                               struct ky_error *error)
{
    double sum[4];
    enum ky_status status = weighted_sums(portion, weight, vectors, sum, error);
    *total = sum[0];
    if (!status && !(*total > 0))
        status = weighted_sums(portion, NULL, vectors, sum, error);
    for (int k = 0; k < 3; k++)
        mean[k] = portion->n ? sum[k + 1] / sum[0] : 0;
    return status;
}

enum ky_status ky_portion_positive(const struct ky_portion *portion, const double *values,
                                   size_t *count, size_t *before, struct ky_error *error)
{
    uint64_t part[KY_BLOCKS] = {0};
#pragma omp parallel for schedule(static) if (ky_portion_is_long(portion))
    for (size_t b = portion->from; b < portion->to; b++) {
        const size_t end = ky_portion_start(portion, b + 1);
        for (size_t i = ky_portion_start(portion, b); i < end; i++)
            part[b] += values[i] > 0;
    }
    const enum ky_status status = ky_portion_add_up(portion, part, KY_BLOCKS, error);
    *count = *before = 0;
    for (size_t b = 0; b < KY_BLOCKS; b++) {
        *count += (size_t)part[b];
        *before += b < portion->from ? (size_t)part[b] : 0;
    }
    return status;
}
