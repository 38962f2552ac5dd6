/* The recommended softening of a collisionless run. */
#ifndef KY_PHYSICS_RECOMMENDED_H
#define KY_PHYSICS_RECOMMENDED_H

#include <math.h>

/* 0.75 r_h n^−0.26: 0.98 scale radii of a Plummer sphere × n^−0.26, where the mean error of the
 * forces of n bodies is least (Merritt 1996; Athanassoula et al. 2000). Unit of r_h. */
static inline double ky_recommended_softening(double half_mass_radius, double n)
{
    return 0.75 * half_mass_radius * pow(n, -0.26);
}

#endif
