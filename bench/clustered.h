/* Clustered points like a cosmological box at z = 0: 60 % lie in clumps, the others at random in
 * the cube of the model uniform-cube. A clump of M points has the profile r^-2 out to the radius
 * within which the density is 200 times the mean; numbers of clumps go as M^-1.9 dM between 18
 * and n/43.5 points: with 37 million points some 69,600 clumps of up to 850,000 points. */
#ifndef KY_BENCH_CLUSTERED_H
#define KY_BENCH_CLUSTERED_H

#include "base/random.h"
#include "common.h"

static inline void clustered_clump(struct ky_random *random, double (*x)[3], size_t count,
                                   double radius, double side)
{
    double centre[3], direction[3];
    for (int k = 0; k < 3; k++)
        centre[k] = side * (ky_random_uniform(random) - 0.5);
    for (size_t i = 0; i < count; i++) {
        const double r = radius * ky_random_uniform(random);
        ky_random_direction(random, direction);
        for (int k = 0; k < 3; k++)
            x[i][k] = centre[k] + r * direction[k];
    }
}

/* Moves the points of a snapshot of uniform-cube, whose side is given. */
static inline void clustered_make(struct ky_bodies *bodies, double side)
{
    const double least = 18.4, most = (double)bodies->n / 43.5, power = 0.9, from = pow(least, -power),
                 to = pow(most, -power), density = 200 * (double)bodies->n / pow(side, 3);
    const size_t clumped = (size_t)(0.6 * (double)bodies->n);
    struct ky_random random = ky_random_at(1, 0, 0);
    for (size_t i = 0; i < clumped;) {
        const double mass = pow(from + (to - from) * ky_random_uniform(&random), -1 / power);
        size_t count = (size_t)mass;
        if (count > clumped - i)
            count = clumped - i;
        clustered_clump(&random, bodies->position + i, count,
                        cbrt(mass / (density * 4 / 3 * acos(-1.0))), side);
        i += count;
    }
}

#endif
