/* The constants of the presets of kyoho.h, and checks of units. */
#ifndef KY_BASE_UNITS_H
#define KY_BASE_UNITS_H

#include "base/status.h"

/* Kiloparsec, solar mass and km/s in cgs, with the digits that GADGET's files have. Other editions
 * of the constants differ in the seventh digit. All conversions to physical units take these. */
#define KY_KPC_CM 3.085678e21
#define KY_SUN_G 1.989e33
#define KY_KM_S 1e5
/* G in kpc (km/s)²/1e10 Msun */
#define KY_GALAXY_G 43009.0

/* Astronomical unit and Julian year in cgs. G in AU³/(Msun yr²) has the digits of the GM of the Sun
 * (IAU 2015, 1.3271244e20 m³/s²): orbits of planets show four millionths. */
#define KY_AU_CM 1.495978707e13
#define KY_YEAR_S 3.15576e7
#define KY_PLANETS_G 39.476926409

/* The name of the preset with this index, 0, 1, …; NULL past the last. */
const char *ky_units_preset_name(size_t index);

/* G in units of these scales (cgs): the G of the preset that has them, else with the digits 43009
 * for kpc, 1e10 Msun and km/s. 1 if a scale is not positive. */
double ky_units_gravity(double length_cm, double mass_g, double velocity_cm_s);

/* A g that is NaN becomes the G that follows from the scales. KY_USAGE if some scales are
 * positive and others are not, and for a g that differs from it by more than 1 %. */
enum ky_status ky_units_check(struct ky_units *units, struct ky_error *error);
/* Whether two sets of scales are the same to 1 %: constants of different editions are. */
int ky_units_agree(const struct ky_units *a, const struct ky_units *b);

/* The units of numbers as a file in this space stores them: `units` belong to lengths and
 * masses without factors of h. With such factors the file follows GADGET, whose velocities in
 * comoving space are peculiar ones over √a. Lengths stay comoving. */
struct ky_units ky_units_stored(const struct ky_units *units, const struct ky_space *space);

#endif
