/* What the engines look for in the bodies that they get: see units.h. */
#include "engine/units.h"

#include <math.h>

/* The smallest power of two above x, times 2^shift; 1 for what has no scale. */
static double power_of_two(double x, int shift)
{
    if (!(x > 0) || !isfinite(x))
        return 1;
    int exponent;
    frexp(x, &exponent);
    exponent += shift;
    exponent = exponent > 500 ? 500 : exponent < -500 ? -500 : exponent;
    return ldexp(1.0, exponent);
}

/* Mean of position and mass, then the mean distance from there along the axes. The mean, not the
 * extent, so that an escaper does not shrink the rest; yet nothing is farther than n times it. */
struct ky_engine_units ky_engine_units(const struct ky_bodies *bodies, double softening)
{
    double mean[5] = {0}, size = 0, per = 1 / (double)(bodies->n ? bodies->n : 1);
    for (size_t i = 0; i < bodies->n; i++) {
        for (int c = 0; c < 3; c++)
            mean[c] += bodies->position[i][c] * per;
        mean[3] += bodies->mass[i] * per;
        double eps = bodies->softening ? bodies->softening[i] : softening;
        mean[4] = eps > mean[4] ? eps : mean[4];
    }
    for (size_t i = 0; i < bodies->n; i++)
        for (int c = 0; c < 3; c++)
            size += fabs(bodies->position[i][c] - mean[c]) * per;
    return (struct ky_engine_units){power_of_two(fmax(size, mean[4]), -10),
                                    power_of_two(mean[3], 0)};
}

/* Room for accelerations that were never computed is full of zeros. */
int ky_knows_acceleration(const struct ky_bodies *bodies)
{
    for (size_t i = 0; bodies->acceleration && i < bodies->n; i++)
        for (int c = 0; c < 3; c++)
            if (fabs(bodies->acceleration[i][c]) > 0)
                return 1;
    return 0;
}
