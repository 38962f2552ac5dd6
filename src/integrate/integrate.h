/* Integrators: each advances the bodies of an engine by a number of steps and knows no processor.
 * One file an integrator, one table that lists them in the order of enum ky_integrator. */
#ifndef KY_INTEGRATE_INTEGRATE_H
#define KY_INTEGRATE_INTEGRATE_H

#include "engine/engine.h"

struct ky_integrator_verbs {
    const char *name;
    /* Positions, velocities and accelerations on the engine belong to one time, before and after.
     */
    enum ky_status (*advance)(struct ky_engine *engine, double step, uint64_t steps,
                              struct ky_error *error);
};

const struct ky_integrator_verbs *ky_integrator_get(enum ky_integrator integrator);

extern const struct ky_integrator_verbs ky_leapfrog;

#endif
