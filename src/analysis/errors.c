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

/* Fills the statistics; sorts `errors`. */
static void describe(double *errors, size_t samples, struct ky_error_statistics *statistics)
{
    double square = 0, sum = 0;
    for (size_t i = 0; i < samples; i++) {
        square += errors[i] * errors[i];
        sum += errors[i];
    }
    qsort(errors, samples, sizeof *errors, ky_order_reals);
    *statistics = (struct ky_error_statistics){.median = percentile(errors, samples, 50),
                                               .p90 = percentile(errors, samples, 90),
                                               .p99 = percentile(errors, samples, 99),
                                               .max = errors[samples - 1],
                                               .mean = sum / (double)samples,
                                               .rms = sqrt(square / (double)samples),
                                               .samples = samples};
}

/* The relative errors of vectors of `width` components, one after the other. */
static enum ky_status relative(size_t samples, size_t width, const double *values,
                               const double *references, struct ky_error_statistics *statistics,
                               struct ky_error *error)
{
    if (!samples)
        return ky_fail(error, KY_USAGE, "errors of 0 samples; at least 1 is needed");
    double *errors = ky_allocate(samples, sizeof *errors), typical = 0;
    if (!errors)
        return ky_no_memory(error, "force errors", samples, sizeof *errors);
    for (size_t k = 0; k < samples * width; k++)
        typical += references[k] * references[k] / (double)samples;
    typical = sqrt(typical);
    for (size_t i = 0; i < samples; i++) {
        double difference = 0, size = 0;
        for (size_t k = i * width; k < (i + 1) * width; k++) {
            difference += (values[k] - references[k]) * (values[k] - references[k]);
            size += references[k] * references[k];
        }
        size = size > 0 ? sqrt(size) : typical;
        errors[i] = difference == 0 ? 0 : sqrt(difference) / size;
        if (!isfinite(errors[i])) {
            free(errors);
            return ky_fail(error, KY_BAD_DATA, "the error of sample %zu is not a finite number", i);
        }
    }
    describe(errors, samples, statistics);
    free(errors);
    return KY_OK;
}

enum ky_status ky_vector_errors(size_t samples, double (*values)[3], double (*references)[3],
                                struct ky_error_statistics *statistics, struct ky_error *error)
{
    return relative(samples, 3, (const double *)values, (const double *)references, statistics,
                    error);
}

enum ky_status ky_scalar_errors(size_t samples, const double *values, const double *references,
                                struct ky_error_statistics *statistics, struct ky_error *error)
{
    return relative(samples, 1, values, references, statistics, error);
}
