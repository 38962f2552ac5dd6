/* The arithmetic of struct ky_sums. */
#include "engine/common/integer_sums.h"

#include <math.h>

/* Terms below 2 to this power count as 0: it keeps units within the range of double. */
enum { LEAST_EXPONENT = -900 };

void ky_sums_keep_largest(double most[KY_SUMS], const double size[KY_SUMS])
{
    for (int k = 0; k < KY_SUMS; k++)
        most[k] = size[k] > most[k] || isnan(size[k]) ? size[k] : most[k];
}

int ky_sum_exponent(double most, int *exponent)
{
    *exponent = LEAST_EXPONENT;
    if (isfinite(most) && most >= ldexp(1, LEAST_EXPONENT))
        frexp(most, exponent);
    return isfinite(most) != 0;
}

double ky_sum_value(ky_whole sum, int exponent)
{
    const ky_whole size = sum < 0 ? -sum : sum;
    return (sum < 0 ? -1 : 1) * (ldexp((double)(uint64_t)(size >> 64), 64 + exponent) +
                                 ldexp((double)(uint64_t)size, exponent));
}

void ky_sums_finish(const struct ky_raw_sums *raw, struct ky_sums *sums)
{
    const double *sum = raw->of;
    const struct ky_sum_units *units = &raw->units;
    const double m = units->mass, l = units->length, v = units->velocity, a = units->acceleration;
    *sums = (struct ky_sums){
        .size = sizeof *sums,
        .mass = sum[KY_SUM_MASS] * m,
        .kinetic = sum[KY_SUM_KINETIC] * m * v * v,
        .potential = sum[KY_SUM_POTENTIAL] * m * units->potential,
        .external = sum[KY_SUM_EXTERNAL] * m * units->external,
        .virial = sum[KY_SUM_VIRIAL] * m * l * a,
    };
    for (int c = 0; c < 3; c++) {
        sums->centre[c] = sum[KY_SUM_MASS] > 0 ? sum[KY_SUM_CENTRE + c] / sum[KY_SUM_MASS] * l : 0;
        sums->momentum[c] = sum[KY_SUM_MOMENTUM + c] * m * v;
        sums->angular_momentum[c] = sum[KY_SUM_ANGULAR + c] * m * l * v;
        /* about the centre of mass: with a tree the sum of the forces is not exactly 0 */
        sums->virial -= sums->centre[c] * sum[KY_SUM_FORCE + c] * m * a;
    }
}
