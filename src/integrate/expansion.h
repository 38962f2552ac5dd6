/* The option --expansion: steps that are equal in ln a, where a is the scale factor of an expanding
 * universe. physics/expansion.h has the formulas. */
#ifndef KY_INTEGRATE_EXPANSION_H
#define KY_INTEGRATE_EXPANSION_H

#include "base/status.h"

struct ky_expansion {
    double omega_matter, omega_lambda; /* densities at a = 1; curvature is the rest to 1 */
    double h0;                         /* H at a = 1 [1/time]; 0: steps are equal in time */
};

/* Reads "omega-m=0.3,omega-lambda=0.7,h0=0.07"; NULL: steps are equal in time. A number may have a
 * unit ("h0=70km/s/Mpc") where `units` have scales. KY_USAGE for any other text. */
enum ky_status ky_expansion_read(const char *text, const struct ky_units *units,
                                 struct ky_expansion *expansion, struct ky_error *error);
/* Writes such a text with all digits. */
enum { KY_EXPANSION_TEXT = 128 };
void ky_expansion_write(const struct ky_expansion *expansion, char text[KY_EXPANSION_TEXT]);

#endif
