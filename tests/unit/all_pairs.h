/* Neighbours and densities by loops over all pairs, for comparison with general walks. */
#ifndef KY_TEST_ALL_PAIRS_H
#define KY_TEST_ALL_PAIRS_H

#include "clouds.h"

static inline double pair2(const struct ky_bodies *bodies, size_t i, size_t j)
{
    double d[3];
    for (int c = 0; c < 3; c++)
        d[c] = bodies->position[j][c] - bodies->position[i][c];
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

/* The distance of the k-th nearest other body; `work` has room for n numbers. */
static inline double kth_distance(const struct ky_bodies *bodies, size_t i, size_t k, double *work)
{
    for (size_t j = 0; j < bodies->n; j++)
        work[j] = pair2(bodies, i, j);
    work[i] = -1; /* the body itself comes first */
    qsort(work, bodies->n, sizeof *work, ky_order_reals);
    return sqrt(work[k]);
}

static inline double spline(double q)
{
    return q <= 0.5 ? 1 - 6 * q * q + 6 * q * q * q : q <= 1 ? 2 * pow(1 - q, 3) : 0;
}

/* The sum of docs/general-walk.md for the smoothing length h > 0. */
static inline double density_at(const struct ky_bodies *bodies, size_t i, double h)
{
    double sum = 0;
    for (size_t j = 0; j < bodies->n; j++)
        sum += bodies->mass[j] * spline(sqrt(pair2(bodies, i, j)) / h);
    return sum * 8 / (3.14159265358979323846 * pow(h, 3));
}

#endif
