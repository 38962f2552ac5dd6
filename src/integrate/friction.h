/* Dynamical friction of named bodies: the rows `friction` of the external fields. It depends on the
 * velocity, so it is not part of the accelerations. An integrator with one step for all bodies
 * applies it between the kicks. */
#ifndef KY_INTEGRATE_FRICTION_H
#define KY_INTEGRATE_FRICTION_H

#include "integrate/integrate.h"

/* Whether the fields of the engine have rows of that kind. */
int ky_friction_is_there(const struct ky_engine *engine);
/* KY_USAGE for friction with an integrator that does not support it (`friction` of its verbs is
 * 0). */
enum ky_status ky_friction_check(const struct ky_parameters *parameters,
                                 const struct ky_integrator_verbs *verbs, struct ky_error *error);
/* 1 if the parameters have a field of friction; 0 also if the text of the fields is invalid. */
int ky_friction_is_asked(const struct ky_parameters *parameters);
/* KY_USAGE for friction of a body that does not exist, that is named twice, or that has no mass. */
enum ky_status ky_friction_check_bodies(const struct ky_parameters *parameters,
                                        const struct ky_bodies *bodies, struct ky_error *error);
/* *For a single body, with id 0 and without a mass of its own: *number becomes the numbers of its
 * friction, or NULL if no friction acts. KY_USAGE as above. */
enum ky_status ky_friction_alone(const struct ky_externals *fields, const double **number,
                                 struct ky_error *error);
/* The drift of leap-frog from the time `from` for `dt`, between two kicks of dt/2. Bodies with
 * friction do not drift in a straight line: they follow their path in the fields with friction
 * (path.h), and only the pull of other bodies acts in the kicks. Their velocities are correct only
 * after the second kick. KY_USAGE as above, KY_BAD_DATA as ky_path_follow, and the failures of the
 * engine. */
enum ky_status ky_friction_drift(struct ky_engine *engine, const struct ky_integrator_state *state,
                                 double g, double from, double dt, struct ky_error *error);

#endif
