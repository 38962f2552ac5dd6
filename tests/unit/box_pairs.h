/* Bodies in periodic boxes, and loops over all pairs with the nearest image of each body, for
 * comparison with searches. */
#ifndef KY_TEST_BOX_PAIRS_H
#define KY_TEST_BOX_PAIRS_H

#include <math.h>

#include "clouds.h"
#include "physics/space.h"

/* A cloud of this scale about the corner of the box. */
static inline struct ky_bodies box_cloud(enum cloud kind, size_t n, double side, double scale)
{
    struct ky_bodies bodies = cloud_make(kind, n);
    for (size_t i = 0; i < n; i++)
        for (int c = 0; c < 3; c++)
            bodies.position[i][c] = ky_wrap(scale * bodies.position[i][c], side);
    return bodies;
}

/* The same of a usual scale, a cube as wide as the box, or bodies along its diagonal. */
static inline struct ky_bodies box_make(enum cloud kind, size_t n, double side)
{
    return box_cloud(kind, n, side, kind == CUBE ? side : kind == LINE ? side / 2 : 0.05 * side);
}

/* A lattice of unit cells in a box of that side. */
static inline struct ky_bodies box_lattice(size_t side)
{
    struct ky_bodies bodies = cloud_make(POINT, side * side * side);
    for (size_t i = 0; i < bodies.n; i++) {
        bodies.position[i][0] = (double)(i % side);
        bodies.position[i][1] = (double)(i / side % side);
        bodies.position[i][2] = (double)(i / side / side);
    }
    return bodies;
}

/* The squared distance of the nearest images of two bodies in the box. */
static inline double image2(const struct ky_bodies *bodies, size_t i, size_t j, double side)
{
    double d[3];
    for (int c = 0; c < 3; c++)
        d[c] = remainder(bodies->position[j][c] - bodies->position[i][c], side);
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

static inline struct ky_parameters box_parameters(double side, int variant)
{
    struct ky_parameters parameters = cloud_parameters();
    parameters.box = side;
    parameters.leaf = variant % 2 ? 1 : 16;
    parameters.group = variant % 3 ? 64 : 5;
    parameters.curve = variant % 2 ? KY_MORTON : KY_HILBERT;
    return parameters;
}

static const enum cloud kinds[] = {CUBE, PLUMMER, LINE, POINT, PAIRS};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* The smallest index of the group of each body, by all pairs whose masses differ by at most this
 * factor. */
static inline void join_pairs(const struct ky_bodies *bodies, double length, double side,
                              double factor, size_t *root)
{
    const double *m = bodies->mass;
    for (size_t i = 0; i < bodies->n; i++)
        root[i] = i;
    for (size_t i = 0; i < bodies->n; i++)
        for (size_t j = 0; j < i; j++) {
            if (!(image2(bodies, i, j, side) <= length * length) || root[i] == root[j] ||
                m[i] > factor * m[j] || m[j] > factor * m[i])
                continue;
            size_t low = root[i] < root[j] ? root[i] : root[j], high = root[i] + root[j] - low;
            for (size_t k = 0; k <= i; k++)
                root[k] = root[k] == high ? low : root[k];
        }
}

/* The kernel of SPH densities for q = r/h, with the value 1 at 0. */
static inline double box_spline(double q)
{
    return q <= 0.5 ? 1 - 6 * q * q + 6 * q * q * q : q <= 1 ? 2 * pow(1 - q, 3) : 0;
}

#endif
