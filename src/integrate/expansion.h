/* The option --expansion: steps that are equal in ln a, where a is the scale factor of an expanding
 * universe. Bodies in open space have physical coordinates, bodies in a periodic box comoving ones.
 * physics/expansion.h has the formulas. */
#ifndef KY_INTEGRATE_EXPANSION_H
#define KY_INTEGRATE_EXPANSION_H

#include "base/status.h"
#include "physics/expansion.h"

/* Reads "omega-m=0.3,omega-lambda=0.7,h0=0.07"; NULL: steps are equal in time. omega-r, w0
 * and wa may be missing. A number may have a unit ("h0=70km/s/Mpc") where `units` have scales.
 * KY_USAGE for any other text. */
enum ky_status ky_expansion_read(const char *text, const struct ky_units *units,
                                 struct ky_expansion *expansion, struct ky_error *error);
/* 1 if the parameters are of bodies in comoving coordinates: in a periodic box that expands. Their
 * time is the scale factor. Positions on the engine are comoving, and velocities are momenta
 * p = a² dx/dt. */
int ky_is_comoving(const struct ky_parameters *parameters);
/* Steps in ln a of comoving bodies. The longest one at the scale factor a is `late` = --late-step
 * over a^(3/4), and without --step also at most KY_EARLY_STEP/KY_LATE_STEP × late. With the default
 * 125 steps lead from z = 49 to 0, and spectra of 32³ bodies are accurate to 0.5 % up to half of
 * the Nyquist wave number of the lattice (docs/lab/2026-11-29-lcdm-steps.md): groups turn fastest
 * late. In block steps bodies in groups have shorter steps than the longest one, which is four
 * times as long at a = 1. With --step-a all longest steps are equal in a, but early ones are
 * KY_EARLY_STEP in ln a, where that is shorter (simulation/timeline.h). */
#define KY_EARLY_STEP 0.12
#define KY_LATE_STEP 0.012
#define KY_LATE_STEP_OF_BLOCKS 0.048
static inline double ky_longest_step(double late, double a)
{
    return late / pow(a, 0.75);
}
/* Writes such a text with all digits. */
enum { KY_EXPANSION_TEXT = 192 };
void ky_expansion_write(const struct ky_expansion *expansion, char text[KY_EXPANSION_TEXT]);

#endif
