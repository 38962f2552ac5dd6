/* The path of one body in external fields, with or without dynamical friction. `kyoho orbit` uses
 * it, and leap-frog uses it for bodies with friction. */
#ifndef KY_INTEGRATE_PATH_H
#define KY_INTEGRATE_PATH_H

#include "engine/engine.h"

struct ky_path {
    const struct ky_externals *fields;
    const double *friction; /* the numbers of a row of friction; NULL: there is none */
    double mu;              /* G M of the body that friction slows down */
};

/* Follows the body from the time `from` for `dt`, which may be negative, and replaces its position
 * and velocity. The error of each step is below 10⁻¹² of its displacement. KY_BAD_DATA if no step
 * is short enough, as in the centre of a point mass, and for a path of more than a million steps.
 */
enum ky_status ky_path_follow(const struct ky_path *path, double from, double dt, double x[3],
                              double v[3], struct ky_error *error);

#endif
