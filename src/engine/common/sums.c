/* The arithmetic of struct ky_sums. */
#include "engine/common/sums.h"

/* The factors of the sums for units that are `by` times as large. */
static void factors(struct ky_sum_units by, double factor[KY_SUMS])
{
    factor[KY_SUM_MASS] = by.mass;
    factor[KY_SUM_KINETIC] = by.mass * by.velocity * by.velocity;
    factor[KY_SUM_POTENTIAL] = by.mass * by.potential;
    factor[KY_SUM_EXTERNAL] = by.mass * by.external;
    factor[KY_SUM_VIRIAL] = by.mass * by.length * by.acceleration;
    for (int c = 0; c < 3; c++) {
        factor[KY_SUM_CENTRE + c] = by.mass * by.length;
        factor[KY_SUM_MOMENTUM + c] = by.mass * by.velocity;
        factor[KY_SUM_ANGULAR + c] = by.mass * by.length * by.velocity;
        factor[KY_SUM_FORCE + c] = by.mass * by.acceleration;
    }
}

void ky_sums_add(struct ky_raw_sums *to, const struct ky_partial_sums *parts)
{
    const struct ky_sum_units *a = &parts->units, *b = &to->units;
    double factor[KY_SUMS];
    if (!(b->mass > 0))
        to->units = parts->units;
    factors((struct ky_sum_units){a->mass / b->mass, a->length / b->length,
                                  a->velocity / b->velocity, a->acceleration / b->acceleration,
                                  a->potential / b->potential, a->external / b->external},
            factor);
    for (size_t k = 0; k < parts->count; k++)
        for (int c = 0; c < KY_SUMS; c++)
            to->of[c] += factor[c] * parts->of[k][c];
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
        /* about the centre of mass: a tree's forces do not quite add up to 0 */
        sums->virial -= sums->centre[c] * sum[KY_SUM_FORCE + c] * m * a;
    }
}
