/* Orbits on which equal bodies chase each other along one curve, for a law of force that is not
 * Newton's: softened, and between bodies that are spheres. */
#ifndef KY_MODELS_CHOREOGRAPHY_H
#define KY_MODELS_CHOREOGRAPHY_H

#include "base/status.h"

enum { KY_MOST_DANCERS = 4 };

/* The pull of two spheres on each other at the distance d, whose bodies pull with s² = r² + ε²:
 * d/s³ (1 − 5 κ ε²/s⁴), where κ is the mean square radius of a sphere. It is exact for points, and
 * for unsoftened spheres that do not overlap; else its error goes with (size/s)⁴. */
struct ky_dance_law {
    double eps2, kappa;
};

/* Positions and velocities of bodies of mass 1 with G = 1. */
struct ky_dance {
    int count;
    double x[KY_MOST_DANCERS][2], v[KY_MOST_DANCERS][2], period;
};

/* The figure eight of three bodies, or the super-eight of four, whose longest extent is `size`
 * times the extent of the known Newtonian orbit. KY_USAGE if no such orbit is found: the softening
 * is too large for it. */
enum ky_status ky_dance_solve(int count, double size, const struct ky_dance_law *law,
                              struct ky_dance *dance, struct ky_error *error);

/* Advances by `time` in `steps` steps of the fourth order. */
void ky_dance_go(struct ky_dance *dance, const struct ky_dance_law *law, double time, int steps);

#endif
