/* Peaks of groups in a periodic box, and masses of spheres about them. */
#ifndef KY_ANALYSIS_HALOS_H
#define KY_ANALYSIS_HALOS_H

#include "analysis/walker.h"

/* Fills the arrays of the catalogue from `peak` on. `omega_matter`: see struct
 * ky_catalogue_parameters. Fails as a walk, and with KY_FAULT if memory runs out. */
enum ky_status ky_halos_measure(struct ky_walker *walker, const struct ky_bodies *bodies,
                                double omega_matter, struct ky_catalogue *catalogue,
                                struct ky_error *error);

#endif
