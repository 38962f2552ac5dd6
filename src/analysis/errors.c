/* Statistics of force errors. */
#include <math.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "base/memory.h"
#include "base/order.h"

static double percentile(const double *sorted, size_t samples, double p)
{
    double rank = ceil(p / 100 * (double)samples - 1e-9);
    return sorted[rank < 1 ? 0 : (size_t)rank - 1];
}

/* Computes the statistics of errors in ascending order. */
static void describe(const double *errors, size_t samples, struct ky_error_statistics *statistics)
{
    double square = 0, sum = 0;
    for (size_t i = 0; i < samples; i++) {
        square += errors[i] * errors[i];
        sum += errors[i];
    }
    *statistics = (struct ky_error_statistics){.median = percentile(errors, samples, 50),
                                               .p90 = percentile(errors, samples, 90),
                                               .p99 = percentile(errors, samples, 99),
                                               .max = errors[samples - 1],
                                               .mean = sum / (double)samples,
                                               .rms = sqrt(square / (double)samples),
                                               .samples = samples};
}

/* The largest absolute value; 1 if all are 0. Squares of the numbers divided by it neither overflow
 * nor underflow. */
static double largest(size_t count, const double *numbers)
{
    double most = 0;
    for (size_t k = 0; k < count; k++)
        most = fmax(most, fabs(numbers[k]));
    return most > 0 ? most : 1;
}

/* √(Σ x²). */
static double length(size_t count, const double *numbers)
{
    const double unit = largest(count, numbers);
    double square = 0;
    for (size_t k = 0; k < count; k++)
        square += numbers[k] / unit * (numbers[k] / unit);
    return unit * sqrt(square);
}

enum ky_status ky_sorted_errors(const struct ky_compared *of, double *errors,
                                struct ky_error *error)
{
    const size_t samples = of->samples, width = of->width;
    const double *values = of->values, *references = of->references;
    const double typical = length(samples * width, references) / sqrt((double)samples);
    for (size_t i = 0; i < samples; i++) {
        double difference[3], size = length(width, references + i * width);
        for (size_t c = 0; c < width; c++)
            difference[c] = values[i * width + c] - references[i * width + c];
        const double off = length(width, difference);
        if (of->over > 0)
            size = of->over;
        errors[i] = off > 0 ? off / (size > 0 ? size : typical) : off;
        if (!isfinite(errors[i]))
            return ky_fail(error, KY_BAD_DATA, "the error of sample %zu is not a finite number", i);
    }
    qsort(errors, samples, sizeof *errors, ky_order_reals);
    return KY_OK;
}

enum ky_status ky_errors_of(const struct ky_compared *of, struct ky_error_statistics *statistics,
                            struct ky_error *error)
{
    const size_t samples = of->samples;
    if (!samples)
        return ky_fail(error, KY_USAGE, "errors need at least 1 sample, not 0");
    double *errors = ky_allocate(samples, sizeof *errors);
    enum ky_status status = errors ? ky_sorted_errors(of, errors, error)
                                   : ky_no_memory(error, "force errors", samples, sizeof *errors);
    if (!status)
        describe(errors, samples, statistics);
    free(errors);
    return status;
}

enum ky_status ky_vector_errors(size_t samples, double (*values)[3], double (*references)[3],
                                struct ky_error_statistics *statistics, struct ky_error *error)
{
    return ky_errors_of(
        &(struct ky_compared){samples, 3, (const double *)values, (const double *)references, 0},
        statistics, error);
}

enum ky_status ky_scalar_errors(size_t samples, const double *values, const double *references,
                                struct ky_error_statistics *statistics, struct ky_error *error)
{
    return ky_errors_of(&(struct ky_compared){samples, 1, values, references, 0}, statistics,
                        error);
}
