/* The space in which bodies attract each other: the vector from one position to another, and the
 * place of a body in a periodic box. */
#ifndef KY_PHYSICS_SPACE_H
#define KY_PHYSICS_SPACE_H

#include "physics/language.h"
#if KY_HOST
#include <math.h>
#endif

/* Source minus sink along one axis, for any type of number or vector: between two bodies, a body
 * and a cell, or a source and the centre of a group of near sinks. All walks and sums use it. In a
 * periodic box they use it once for each image of the sources, with the sink moved the other way
 * (ky_image). If positions have low parts, these are added unchanged. */
#define KY_APART(source, sink) ((source) - (sink))

/* The nearest images of a periodic box, the box itself first: 0 and ±1 boxes along each axis. Their
 * forces are summed one by one. The forces of all farther images, and of the mean density, are a
 * polynomial (physics/periodic.h). */
#define KY_IMAGES 27

/* The displacement of image k along an axis, in boxes: 0, 1 or -1. */
#define KY_IMAGE(k, axis) (((k) / ((axis) == 0 ? 1 : (axis) == 1 ? 3 : 9) + 1) % 3 - 1)

#if KY_HOST
static inline int ky_image(int k, int axis)
{
    return KY_IMAGE(k, axis);
}

/* The position x in a box with corners at 0 and `side`: at least 0 and less than `side`. x itself
 * if it is there; NaN for an x that is not finite. */
static inline double ky_wrap(double x, double side)
{
    if (x >= 0 && x < side)
        return x;
    const double inside = x - side * floor(x / side);
    return inside >= side || inside < 0 ? 0 : inside;
}

/* A difference along an axis of two positions in the box, or up to a quarter of the box outside,
 * for the nearest image of the source. With -d it is the opposite. Loops over it are vectorised. */
static inline double ky_nearest_image(double d, double side)
{
    const double half = side / 2, less = d > half ? side : 0, more = d < -half ? side : 0;
    return d - less + more;
}

/* The image of the position x that is nearest to `to`, however far apart they are. */
static inline double ky_image_near(double x, double to, double side)
{
    return x - side * rint((x - to) / side);
}
#endif

#endif
