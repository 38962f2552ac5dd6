/* The recommended softening of a collisionless run. */
#ifndef KY_PHYSICS_RECOMMENDED_H
#define KY_PHYSICS_RECOMMENDED_H

#include <math.h>

/* 0.75 r_h n^−0.26: 0.98 scale radii of a Plummer sphere × n^−0.26, which minimises the mean force
 * error of n bodies (Merritt 1996; Athanassoula et al. 2000). In the unit of r_h. */
static inline double ky_recommended_softening(double half_mass_radius, double n)
{
    return 0.75 * half_mass_radius * pow(n, -0.26);
}

/* The rms error of accelerations in a nearly homogeneous system, divided by the rms acceleration
 * and by α of the relative opening test: 0.18 for α = 0.005 and 0.25 for 0.0005 (20,000 bodies of
 * the model cosmic with displacements of 2 % of their spacing). Clustered bodies have smaller
 * errors. */
#define KY_ERROR_OF_ALPHA 0.2

/* The largest α for which that error is 1/20 of the peculiar accelerations, with some margin.
 * `share`: their rms over the rms of all accelerations. */
static inline double ky_coarsest_alpha(double share)
{
    return 0.05 * share / KY_ERROR_OF_ALPHA;
}

static inline double ky_recommended_alpha(double share)
{
    return 0.8 * ky_coarsest_alpha(share);
}

#endif
