/* The radius of groups in the Hermite scheme that the program chooses. */
#ifndef KY_INTEGRATE_GROUP_RADIUS_H
#define KY_INTEGRATE_GROUP_RADIUS_H

#include "integrate/integrate.h"

/* 0.1 N^(-1/3) of the virial radius for the bodies with mass [length]; 0 if there are none or
 * memory runs out. */
double ky_group_radius(const struct ky_bodies *bodies);

#endif
