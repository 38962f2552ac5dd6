/* The linking length of friends of friends. */
#ifndef KY_ANALYSIS_LINKING_H
#define KY_ANALYSIS_LINKING_H

#include "base/status.h"

/* Copies the caller's parameters. KY_USAGE for values out of range. */
enum ky_status ky_linking_adopt(const struct ky_catalogue_parameters *given,
                                struct ky_catalogue_parameters *own, struct ky_error *error);
/* Sets linking_length, mean_distance and minimum of the catalogue for checked bodies: see struct
 * ky_catalogue_parameters. KY_BAD_DATA for bodies without a mean distance. Without bodies the
 * length may be NaN. Loops use as many threads as OpenMP allows. */
enum ky_status ky_linking_choose(const struct ky_catalogue_parameters *wanted,
                                 const struct ky_bodies *bodies, struct ky_catalogue *catalogue,
                                 struct ky_error *error);

#endif
