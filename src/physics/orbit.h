/* The orbit of two bodies about each other, from their positions and velocities. `gm` is G times
 * the total mass, `r` their distance, `v2` the square of their relative velocity, `rv` the scalar
 * product of relative position and velocity. Host only. */
#ifndef KY_PHYSICS_ORBIT_H
#define KY_PHYSICS_ORBIT_H

#include <math.h>

/* 1/a = 2/r − v²/(G M); positive if they are bound. */
static inline double ky_orbit_inverse_axis(double gm, double r, double v2)
{
    return 2 / r - v2 / gm;
}

/* e of a bound orbit, from e cos E = 1 − r/a and e sin E = r·v/√(G M a), which lose no digits for
 * nearly circular orbits. */
static inline double ky_orbit_eccentricity(double gm, double inverse_axis, double r, double rv)
{
    const double along = 1 - r * inverse_axis, across = rv * sqrt(inverse_axis / gm);
    return fmin(sqrt(along * along + across * across), 1);
}

/* 2π √(a³/(G M)) */
static inline double ky_orbit_period(double gm, double axis)
{
    return 2 * 3.14159265358979323846 * axis * sqrt(axis / gm);
}

#endif
