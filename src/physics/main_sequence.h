/* Stars on the zero-age main sequence, of solar metallicity. Host only. */
#ifndef KY_PHYSICS_MAIN_SEQUENCE_H
#define KY_PHYSICS_MAIN_SEQUENCE_H

#include <math.h>

#define KY_SUN_RADIUS_CM 6.957e10 /* IAU (2015) */

/* The radius [solar radii] of a star of this mass [solar masses]: Tout et al. (1996), eq. 2, for
 * 0.1 to 100 solar masses. Outside it goes on as m and as m^0.7, near the slopes of the fit at its
 * ends, 1.02 and 0.69. */
static inline double ky_main_sequence_radius(double mass)
{
    const double least = 0.1, most = 100, m = fmin(fmax(mass, least), most), root = sqrt(m);
    const double over = (1.715359 * pow(m, 2) + 6.597788 * pow(m, 6)) * root +
                        10.08855 * pow(m, 11) + (1.012495 + 0.07490166 * root) * pow(m, 19);
    const double under = 0.01077422 + 3.082234 * pow(m, 2) +
                         (17.84778 * pow(m, 8) + pow(m, 18) + 0.00022582 * pow(m, 19)) * root;
    const double outside = mass < least ? mass / least : mass > most ? pow(mass / most, 0.7) : 1;
    return over / under * outside;
}

#endif
