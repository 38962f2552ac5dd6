/* The arithmetic of struct ky_sums. */
#include "engine/common/sums.h"

void ky_sums_finish(const double sum[KY_SUMS], const struct ky_sum_units *units,
                    struct ky_sums *sums)
{
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
        /* About the centre of mass: a tree's forces do not quite add up to nothing. */
        sums->virial -= sums->centre[c] * sum[KY_SUM_FORCE + c] * m * a;
    }
}
