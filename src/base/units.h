/* What units mean beyond the presets of kyoho.h. */
#ifndef KY_BASE_UNITS_H
#define KY_BASE_UNITS_H

/* G in units of these scales (cgs), with the digits of the presets: 43009 for kpc, 1e10 Msun, km/s;
 * 1 if a scale is not positive. */
double ky_units_gravity(double length_cm, double mass_g, double velocity_cm_s);

#endif
