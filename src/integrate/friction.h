/* Dynamical friction of named bodies: the rows `friction` of the external fields. It depends on the
 * velocity, so it is no part of accelerations. An integrator with steps that all bodies share lets
 * it act before and after each of them. */
#ifndef KY_INTEGRATE_FRICTION_H
#define KY_INTEGRATE_FRICTION_H

#include "integrate/integrate.h"

/* Whether the fields of the engine have rows of that kind. */
int ky_friction_is_there(const struct ky_engine *engine);
/* KY_USAGE for friction with an integrator that cannot have it (`friction` of its verbs is 0). */
enum ky_status ky_friction_check(const struct ky_parameters *parameters,
                                 const struct ky_integrator_verbs *verbs, struct ky_error *error);
/* 1 if the parameters have a field of friction; 0 also where the fields are wrong. */
int ky_friction_is_asked(const struct ky_parameters *parameters);
/* KY_USAGE for friction of a body that there is not, of one body twice, and of one without mass. */
enum ky_status ky_friction_check_bodies(const struct ky_parameters *parameters,
                                        const struct ky_bodies *bodies, struct ky_error *error);
/* Lets friction act for a time `dt` on the velocities of its bodies, where they are at the time of
 * the engine. `id`: [n] or NULL, as of struct ky_integrator_state. Second order in dt. KY_USAGE as
 * above, and the failures of the engine. */
enum ky_status ky_friction_act(struct ky_engine *engine, double g, const uint64_t *id, double dt,
                               struct ky_error *error);

#endif
