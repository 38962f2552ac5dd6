/* Orbits on which equal bodies chase each other along one curve, for a modified law of force:
 * softened, and between spheres. */
#ifndef KY_MODELS_CHOREOGRAPHY_H
#define KY_MODELS_CHOREOGRAPHY_H

#include "base/status.h"

enum { KY_MOST_DANCERS = 4 };

/* The force between two spheres at the distance d, whose bodies attract each other with s² = r² +
 * ε²: d/s³ (1 − 5 κ ε²/s⁴), where κ is the mean square radius of a sphere. Exact for points, and
 * for unsoftened spheres that do not overlap; otherwise its error scales as (size/s)⁴. */
struct ky_dance_law {
    double eps2, kappa;
};

/* Positions and velocities of bodies of mass 1 with G = 1. */
struct ky_dance {
    int count;
    double x[KY_MOST_DANCERS][2], v[KY_MOST_DANCERS][2], period;
};

/* Solves for the figure eight of three bodies or the super-eight of four. Its longest extent is
 * `size` times its extent in the known Newtonian orbit. KY_USAGE if no such orbit is found: the
 * softening is too large for it. */
enum ky_status ky_dance_solve(int count, double size, const struct ky_dance_law *law,
                              struct ky_dance *dance, struct ky_error *error);

/* Integrates over `time` in `steps` fourth-order steps. */
void ky_dance_go(struct ky_dance *dance, const struct ky_dance_law *law, double time, int steps);

#endif
